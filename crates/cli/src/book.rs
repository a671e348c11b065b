//! The book that the program contains: its pages, the search in them, and their text without the marks of Markdown.
//! `build.rs` packs it.
//!
//! Omitted: the contributor guide, the pages of findings, and printing.

use flate2::read::ZlibDecoder;
use std::io::Read;

const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/book.zlib"));

/// The pages as one text.
pub(crate) struct Book(String);

/// A page of the book.
pub(crate) struct Page<'a> {
    /// The heading of the contents that lists it.
    pub(crate) part: &'a str,
    pub(crate) title: &'a str,
    /// Its file without folder and ending.
    pub(crate) name: &'a str,
    /// Markdown.
    pub(crate) text: &'a str,
}

impl Book {
    /// Unpacks it.
    pub(crate) fn open() -> Self {
        let mut text = String::new();
        let unpacked = ZlibDecoder::new(PACKED).read_to_string(&mut text);
        unpacked.expect("packed at build time");
        Book(text)
    }

    /// Returns its pages in the order of the contents.
    pub(crate) fn pages(&self) -> Vec<Page<'_>> {
        let fields: Vec<&str> = self.0.split_terminator('\0').collect();
        let pages = fields.chunks_exact(4).map(|fields| Page {
            part: fields[0],
            title: fields[1],
            name: fields[2].rsplit('/').next().map_or("", without_ending),
            text: fields[3],
        });
        pages.collect()
    }
}

fn without_ending(file: &str) -> &str {
    file.trim_end_matches(".md")
}

/// Weight of a word in the title of a page, in a heading and in the text. // by trial: a title outranks two headings
const TITLE: f64 = 8.0;
const HEADING: f64 = 3.0;
const TEXT: f64 = 1.0;
/// Pages by symptom and task, which are for questions, outrank those of reference by this factor. // by trial
const FOR_USERS: f64 = 2.0;
const PARTS_FOR_USERS: [&str; 2] = ["Symptoms", "Guides"];
/// A page whose score is a smaller share of the best is not listed. // in [0, 1], by trial
const SHARE_MIN: f64 = 0.2;
/// Words of questions that are in no answer.
const STOP_WORDS: [&str; 40] = [
    "a", "after", "an", "and", "are", "be", "by", "can", "can't", "do", "does", "for", "from",
    "get", "how", "i", "if", "in", "is", "it", "my", "not", "of", "on", "one", "or", "than",
    "that", "the", "then", "to", "was", "way", "what", "when", "which", "why", "with", "you",
    "your",
];

/// Returns the pages with these lower-case words, the best first. A word counts the more, the fewer pages have it.
/// Source: inverse document frequency, Sparck Jones 1972.
pub(crate) fn search<'p, 'a>(pages: &'p [Page<'a>], words: &str) -> Vec<&'p Page<'a>> {
    let mut scores: Vec<(f64, &Page<'a>)> = pages.iter().map(|page| (0.0, page)).collect();
    let is_searched = |word: &&str| !STOP_WORDS.contains(word);
    for word in words.split_whitespace().filter(is_searched) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let singular = word.strip_suffix('s').filter(|word| word.len() > 2);
        let word = singular.unwrap_or(word);
        let weights: Vec<f64> = pages.iter().map(|page| page.weight(word)).collect();
        let found = weights.iter().filter(|weight| **weight > 0.0).count();
        let rarity = (pages.len() as f64 / found.max(1) as f64).ln();
        for ((score, _), weight) in scores.iter_mut().zip(weights) {
            *score += weight * rarity;
        }
    }
    scores.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = scores.first().map_or(0.0, |(score, _)| *score);
    let is_listed = |score: f64| score > 0.0 && score >= SHARE_MIN * best;
    let listed = scores.into_iter().filter(|(score, _)| is_listed(*score));
    listed.map(|(_, page)| page).collect()
}

impl Page<'_> {
    /// Returns whether it answers questions, rather than being reference.
    pub(crate) fn is_for_users(&self) -> bool {
        PARTS_FOR_USERS.contains(&self.part)
    }

    fn weight(&self, word: &str) -> f64 {
        let mut headings = self.text.lines().filter(|line| line.starts_with('#'));
        let weight = match word {
            "" => return 0.0,
            _ if has(self.title, word) || has(self.name, word) => TITLE,
            _ if headings.any(|heading| has(heading, word)) => HEADING,
            _ if has(self.text, word) => TEXT,
            _ => return 0.0,
        };
        weight * if self.is_for_users() { FOR_USERS } else { 1.0 }
    }
}

/// Returns a line for each page: its name and its title.
pub(crate) fn listed<'a>(
    pages: impl IntoIterator<Item = &'a Page<'a>>,
    indent: &str,
) -> Vec<(String, String)> {
    let row = |page: &Page<'_>| {
        let name = format!("{indent}{:<24}", page.name);
        (name, page.title.to_owned())
    };
    pages.into_iter().map(row).collect()
}

/// Returns the names of the pages that are most similar to these words.
pub(crate) fn nearest<'a>(pages: &[Page<'a>], words: &str, count: usize) -> Vec<&'a str> {
    let similar = |page: &Page<'a>| {
        let title = page.title.to_lowercase();
        let names = title.split(' ').chain([page.name]);
        let similar = names.map(|name| strsim::jaro_winkler(name, words));
        (similar.fold(0.0, f64::max), page.name)
    };
    let mut names: Vec<(f64, &str)> = pages.iter().map(similar).collect();
    names.sort_by(|one, other| other.0.total_cmp(&one.0));
    names
        .into_iter()
        .take(count)
        .map(|(_, name)| name)
        .collect()
}

/// Returns whether a text has these lower-case words, and one of its own begins there.
pub(crate) fn has(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    let begins = |at: usize| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(char::is_alphanumeric)
    };
    text.match_indices(words).any(|(at, _)| begins(at))
}

/// Returns the lines of a page for a terminal, each as what is before it and a text that may be broken. Code, headings and
/// blank lines have no such text; a paragraph, an item and a row of a table are one line each.
pub(crate) fn laid_out(page: &str) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let (mut is_code, mut is_open) = (false, false);
    for line in page.lines() {
        let bare = line.trim_start();
        let was_open = std::mem::replace(&mut is_open, false);
        if bare.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            lines.push((format!("    {line}"), String::new()));
        } else if bare.is_empty() || bare.starts_with('#') {
            lines.push((line.to_owned(), String::new()));
        } else if let Some(row) = bare.strip_prefix("| ") {
            lines.push(("  ".to_owned(), cells(row)));
        } else if !bare.starts_with("<!--") && !bare.starts_with("|-") {
            is_open = true;
            let marker = marker(line);
            match lines.last_mut().filter(|_| was_open && marker == 0) {
                Some((_, text)) => *text = format!("{text} {bare}"),
                None => lines.push((line[..marker].to_owned(), line[marker..].to_owned())),
            }
        }
    }
    for (_, text) in &mut lines {
        *text = plain(text);
    }
    lines
}

/// Returns the length of the mark with which an item of a list begins; 0 without one.
fn marker(line: &str) -> usize {
    let bare = line.trim_start();
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark = match bare {
        _ if bare.starts_with("- ") => 2,
        _ if digits.len() < bare.len() && digits.starts_with(". ") => bare.len() - digits.len() + 2,
        _ => return 0,
    };
    line.len() - bare.len() + mark
}

/// Returns a row of a table as a sentence: the first cell, a colon, the others.
fn cells(row: &str) -> String {
    let row = row.trim_end().trim_end_matches('|').replace("\\|", "¦");
    let (first, others) = row.split_once(" | ").unwrap_or((&row, ""));
    let others: Vec<&str> = others.split(" | ").map(str::trim).collect();
    format!("{}: {}", first.trim(), others.join("; ")).replace('¦', "|")
}

/// Returns Markdown as text: without marks, of a link its words.
pub(crate) fn plain(text: &str) -> String {
    let parts = text.trim().split('`').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        0 => without_links(part).replace(['*', '['], ""),
        _ => part.to_owned(),
    });
    parts.collect()
}

fn without_links(part: &str) -> String {
    let mut text = String::new();
    let mut rest = part;
    while let Some((before, link)) = rest.split_once("](") {
        text.push_str(before);
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages_are_unique() {
        let book = Book::open();
        let mut names: Vec<&str> = book.pages().iter().map(|page| page.name).collect();
        assert!(names.len() > 60, "{names:?}");
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None);
    }

    /// Titles of public threads and pages on etcd, OpenZFS, fio, disks and clouds, as their authors wrote them or nearly so.
    const QUESTIONS: [(&str, &[&str]); 12] = [
        (
            "etcd cluster frequently leader elections",
            &["database-slow", "kubernetes-node"],
        ),
        (
            "wal: sync duration was too high in one of the etcd nodes",
            &["database-slow", "kubernetes-node"],
        ),
        ("slow write performance with zfs", &["zfs-figures", "zfs"]),
        (
            "completely fake (very high) iops reported by fio",
            &["too-fast", "fio-and-vendor"],
        ),
        (
            "why my disk's read iops can't reach the theoretical maximum",
            &["slower-than-data-sheet"],
        ),
        (
            "why does the write speed of my ssd significantly decrease after a few minutes",
            &["fast-at-first"],
        ),
        (
            "performance penalty of storage virtualization",
            &["vm-or-host", "virtual-machine"],
        ),
        ("is your usb stick a fake", &["fake-drive", "counterfeit"]),
        (
            "seq read throughput way higher than expected with a 1gb link",
            &["too-fast"],
        ),
        (
            "how to get correct fio results",
            &["fio-and-vendor", "which-number"],
        ),
        ("aws gp3 throughput", &["cloud-limits"]),
        ("kubernetes storage class", &["kubernetes-node"]),
    ];

    #[test]
    fn questions_are_answered_by_one_of_the_first_three_pages() {
        let book = Book::open();
        let pages = book.pages();
        for (question, answers) in QUESTIONS {
            let found = search(&pages, question);
            let first: Vec<&str> = found.iter().take(3).map(|page| page.name).collect();
            let is_answered = first.iter().any(|name| answers.contains(name));
            assert!(is_answered, "{question}: {first:?}");
        }
        assert!(search(&pages, "xyzzy").is_empty() && search(&pages, "what is the - ?").is_empty());
        assert_eq!(nearest(&pages, "etdc", 3).len(), 3);
    }

    #[test]
    fn words_begin_where_a_word_begins() {
        assert!(has("A slow tail", "slow") && has("slowed", "slow"));
        assert!(!has("aslow", "slow"));
    }

    #[test]
    fn a_page_for_a_terminal_has_whole_paragraphs_and_no_marks() {
        let page = "# T\n\nOne **two**\nthree `a*b`.\n\n- [x](y.md)\n  z\n2. w\n\n| a | b \\| c | d |\n|---|---|---|\n\
                    <!-- no -->\n```sh\nfathom  run\n```\n";
        let lines = laid_out(page);
        let lines: Vec<String> = lines.iter().map(|(a, b)| format!("{a}{b}")).collect();
        let expected = [
            "# T",
            "",
            "One two three a*b.",
            "",
            "- x z",
            "2. w",
            "",
            "  a: b | c; d",
            "    fathom  run",
        ];
        assert_eq!(lines, expected);
    }
}
