//! Colours of a finished page: verdicts, labels of notes, and figures with a `*`. No meaning depends on colour alone.
//!
//! A page is coloured when its lines are complete, so that all widths are those of the text.

const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const GREEN: &str = "1;32";
const CYAN: &str = "1;36";
const DIM: &str = "2";

/// Words that have one colour wherever they stand; a longer one is before one that it contains.
const WORDS: [(&str, &str); 11] = [
    ("NOT CHECKED", YELLOW),
    ("NOT READY", RED),
    ("INVALID", RED),
    ("VALID", GREEN),
    ("CAUTION", YELLOW),
    ("READY", GREEN),
    ("FAIL", RED),
    ("INCONCLUSIVE", YELLOW),
    ("PASS", GREEN),
    ("✔", GREEN),
    ("✘", RED),
];
/// Labels, with which a line begins; blanks follow.
const LABELS: [(&str, &str); 6] = [
    ("error ", RED),
    ("warning ", YELLOW),
    ("hint ", CYAN),
    ("note ", DIM),
    ("pass ", GREEN),
    ("unclear ", YELLOW),
];
/// Number of columns of a label and the blanks behind it; sentences that begin with such a word have one blank.
const LABEL: usize = 9;
/// Number of bytes of a figure at most; what is longer and ends in `*` is a sentence.
const FIGURE_MAX: usize = 20;

/// Returns the page with colours for a terminal.
pub fn coloured(page: &[u8]) -> Vec<u8> {
    let Ok(page) = std::str::from_utf8(page) else {
        return page.to_vec();
    };
    let mut out = String::with_capacity(page.len() + page.len() / 8);
    for line in page.split_inclusive('\n') {
        colour(line, &mut out);
    }
    out.into_bytes()
}

fn colour(line: &str, out: &mut String) {
    if let Some((label, rest, colour)) = labelled(line) {
        paint(label, colour, out);
        return words(rest, out);
    }
    let mut rest = line;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start().len();
        out.push_str(&rest[..blanks]);
        rest = &rest[blanks..];
        let end = rest.find("  ").unwrap_or(rest.trim_end().len());
        let cell = &rest[..end];
        match cell.ends_with('*') && cell.len() <= FIGURE_MAX {
            true => paint(cell, YELLOW, out),
            false => words(cell, out),
        }
        rest = &rest[end..];
    }
}

/// Returns the label of the line, the rest of it, and the colour.
fn labelled(line: &str) -> Option<(&str, &str, &'static str)> {
    let (label, colour) = LABELS.iter().find(|(label, _)| line.starts_with(label))?;
    let label = label.trim_end();
    let is_padded = line
        .get(label.len()..LABEL)?
        .bytes()
        .all(|byte| byte == b' ');
    is_padded.then(|| (label, &line[label.len()..], *colour))
}

/// Adds a text with the words of [`WORDS`] in colour.
fn words(text: &str, out: &mut String) {
    let mut rest = text;
    let first = |rest: &str| {
        let found = WORDS.iter().filter_map(|&(word, colour)| {
            let places = rest.match_indices(word).map(|(at, _)| at);
            let mut whole = places.filter(|&at| is_whole(rest, at, word.len()));
            Some((whole.next()?, word.len(), colour))
        });
        found.min_by_key(|&(at, _, _)| at) // of two at one place the longer one, which is first
    };
    while let Some((at, length, colour)) = first(rest) {
        out.push_str(&rest[..at]);
        paint(&rest[at..at + length], colour, out);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
}

/// Whether no letter, digit, `-` or `/` adjoins: a name that contains such a word is none.
fn is_whole(text: &str, at: usize, length: usize) -> bool {
    let adjoins = |found: char| found.is_alphanumeric() || "_-/.".contains(found);
    let before = text[..at].chars().next_back();
    let mut after = text[at + length..].chars();
    // A sentence may end behind the word.
    let is_end = |next: Option<char>| next.is_none_or(char::is_whitespace);
    let after = match after.next() {
        Some('.') => !is_end(after.next()),
        next => next.is_some_and(adjoins),
    };
    !before.is_some_and(adjoins) && !after
}

fn paint(text: &str, colour: &str, out: &mut String) {
    out.push_str("\u{1b}[");
    out.push_str(colour);
    out.push('m');
    out.push_str(text);
    out.push_str("\u{1b}[0m");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page with `<` and `>` around what has a colour.
    fn marked(page: &str) -> String {
        let text = String::from_utf8(coloured(page.as_bytes())).unwrap();
        let mut out = String::new();
        let mut parts = text.split("\u{1b}[");
        out.push_str(parts.next().unwrap());
        for part in parts {
            let (code, rest) = part.split_once('m').unwrap();
            out.push(if code == "0" { '>' } else { '<' });
            out.push_str(rest);
        }
        out
    }

    #[test]
    fn verdicts_labels_and_doubtful_figures_have_colours() {
        for (page, expected) in [
            (
                "VALID (simulated): no errors\n",
                "<VALID> (simulated): no errors\n",
            ),
            ("NOT CHECKED: too little\n", "<NOT CHECKED>: too little\n"),
            ("NOT READY: f cannot\n", "<NOT READY>: f cannot\n"),
            ("warning  hot; CAUTION.\n", "<warning>  hot; <CAUTION>.\n"),
            (
                "note     dim\n\nerror    x\n",
                "<note>     dim\n\n<error>    x\n",
            ),
            ("read   5.92 ms*  7 ms\n", "read   <5.92 ms*>  7 ms\n"),
            ("FAIL     iops < -5%: x", "<FAIL>     iops < -5%: x"),
            ("3    run  INVALID      f\n", "3    run  <INVALID>      f\n"),
            ("goal     ✘ p99: missed", "goal     <✘> p99: missed"),
        ] {
            assert_eq!(marked(page), expected);
        }
    }

    #[test]
    fn names_sentences_and_figures_have_none() {
        for page in [
            "/data/VALID, 8 GiB, ext4 on VALID-1\n",
            "note that this is a sentence\n",
            "error counts per device\n",
            "INVALIDATED caches, VALID_1\n",
            "read   5.92 ms  7 ms\n\n  note     indented is no label\n",
            "a whole sentence that ends with a star *\n",
            "",
        ] {
            assert_eq!(marked(page), page);
        }
    }
}
