//! Text as people paste it → text as tools print it: without marks of quotes, of markup and of logs.
//!
//! A mail or a forum puts `>` before each line, a script `#`, a log a time and a level, a page `&gt;` for `>`; a terminal
//! colours, and returns to the margin for a line of progress. Each line is judged by itself, but for comments, which are
//! taken away only from a block that has figures. Omitted: lines that were joined or broken (the readers know their own).

use std::borrow::Cow;

/// Takes the marks away. The second value counts the lines that had some.
pub(crate) fn bare(text: Cow<'_, str>) -> (Cow<'_, str>, usize) {
    if !may_have_marks(&text) {
        return (text, 0);
    }
    let is_page = has_entities(&text);
    let mut plain = String::with_capacity(text.len());
    let (mut marked, mut at) = (0, 0);
    let (mut comment_to, mut is_printed) = (0, false);
    for line in text.split_inclusive('\n') {
        if at >= comment_to && is_comment(line) {
            let block = block_of_comments(&text[at..]);
            (comment_to, is_printed) = (at + block.0, block.1);
        }
        let before = plain.len();
        push(&mut plain, line, is_page, at < comment_to && is_printed);
        marked += usize::from(plain[before..] != *line);
        at += line.len();
    }
    (Cow::Owned(plain), marked)
}

/// Returns whether anything has to be taken away, so that most texts are not copied.
fn may_have_marks(text: &str) -> bool {
    let bytes = text.as_bytes();
    let returns = || memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'));
    let at_margin = |line: &str| {
        let line = line.trim_start();
        line.starts_with(['>', '#']) || line.starts_with("//") || log_prefix(line) > 0
    };
    memchr::memchr(0x1b, bytes).is_some()
        || returns()
        || has_entities(text)
        || text.contains("**")
        || text.lines().any(at_margin)
}

/// Characters that a page writes in words. DISKSPD's document has the same for itself.
const ENTITIES: [(&str, &str); 7] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
];
/// Tags that stand around results.
const TAGS: [&str; 24] = [
    "pre",
    "code",
    "p",
    "b",
    "br",
    "br/",
    "br /",
    "div",
    "span",
    "blockquote",
    "details",
    "summary",
    "strong",
    "table",
    "tr",
    "td",
    "th",
    "u",
    "i",
    "em",
    "ul",
    "li",
    "h3",
    "h4",
];

fn has_entities(text: &str) -> bool {
    let entity = |(name, _): &(&str, &str)| text.contains(name);
    let tag = |name: &&str| text.contains(&format!("<{name}>"));
    (ENTITIES.iter().any(entity) || TAGS.iter().any(tag)) && !text.contains("<Results>")
}

/// Adds a line without its marks.
fn push(plain: &mut String, line: &str, is_page: bool, is_comment: bool) {
    let decoded = match is_page && line.contains(['&', '<']) {
        true => Cow::Owned(without_markup(line)),
        false => Cow::Borrowed(line),
    };
    let coloured = match decoded.contains('\u{1b}') {
        true => Cow::Owned(without_colours(&decoded)),
        false => decoded,
    };
    let mut rest = quoted(&coloured);
    if is_comment {
        let text = rest.trim_start();
        // Empty lines of the block have no mark.
        rest = if text.is_empty() {
            rest
        } else {
            text.trim_start_matches(['#', '/'])
        };
    }
    rest = &rest[log_prefix(rest)..];
    // A return to the margin begins a line: the last one that a terminal shows there, the earlier ones are progress.
    let (body, end) = match rest.strip_suffix("\r\n") {
        Some(body) => (body, "\r\n"),
        None => rest
            .strip_suffix('\n')
            .map_or((rest, ""), |body| (body, "\n")),
    };
    for (place, part) in body.split('\r').enumerate() {
        if place > 0 {
            plain.push('\n');
        }
        match is_bold(part) {
            true => plain.extend(part.split("**")),
            false => plain.push_str(part),
        }
    }
    plain.push_str(end);
}

/// Returns whether words of a line are set in bold; a row of stars is DISKSPD's.
fn is_bold(line: &str) -> bool {
    line.contains("**") && !line.contains("***") && line.matches("**").count().is_multiple_of(2)
}

/// `> > text`: what stands behind the marks of quotes.
fn quoted(line: &str) -> &str {
    let mut rest = line;
    while let Some(behind) = rest.trim_start_matches([' ', '\t']).strip_prefix('>') {
        if behind.starts_with('=') {
            break; // fio's `>=64=0.0%`, broken off
        }
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
    rest
}

fn without_markup(line: &str) -> String {
    let mut plain = line.to_owned();
    for name in TAGS {
        for tag in [format!("<{name}>"), format!("</{name}>")] {
            if plain.contains(&tag) {
                plain = plain.replace(&tag, if name.starts_with("br") { "\n" } else { "" });
            }
        }
    }
    for (name, character) in ENTITIES {
        if plain.contains(name) {
            plain = plain.replace(name, character);
        }
    }
    plain
}

/// Without the sequences by which a terminal colours and moves: `ESC [ … letter`.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let rest = part.strip_prefix('[').unwrap_or(part);
        let end = rest.find(|c: char| c.is_ascii_alphabetic());
        let is_sequence = part.starts_with('[') && end.is_some_and(|end| end <= 12);
        plain.push_str(match (is_sequence, end) {
            (true, Some(end)) => &rest[end + 1..],
            _ => part,
        });
    }
    plain
}

/// A line of a script or a source that is not executed; `#!/bin/sh` is executed.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") || (line.starts_with('#') && !line.starts_with("#!"))
}

/// The length of a block of comments, and whether it is what a tool printed: it has figures. Fewer lines may be prompts of the
/// administrator.
fn block_of_comments(text: &str) -> (usize, bool) {
    const LINES_MIN: usize = 4;
    const FIGURES: [&str; 6] = ["IOPS", "/s", "/sec", "copied", "iops", "usec"];
    let (mut length, mut lines, mut has_figures) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        match (is_comment(line), line.trim().is_empty()) {
            (true, _) => lines += 1,
            (_, true) => {}
            _ => break,
        }
        has_figures = has_figures || FIGURES.iter().any(|word| line.contains(word));
        length += line.len();
    }
    (length, lines >= LINES_MIN && has_figures)
}

/// The length of what a log puts before a line: a time, and a level, a stream or a program in brackets. vdbench and IOR
/// print times themselves, so a time alone is none, but for those of containers: `2026-01-02T03:04:05.678Z`.
fn log_prefix(line: &str) -> usize {
    let start = line.len() - line.trim_start().len();
    let Some((mut rest, is_of_container)) = after_clock(line[start..].trim_start_matches('['))
    else {
        return 0;
    };
    let mut tags = 0;
    loop {
        let next = rest.trim_start_matches([' ', ']', '|']);
        let word = next.split([' ', '\t']).next().unwrap_or_default();
        let name = word.trim_end_matches(['|', ':']);
        let level = [
            "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "NOTICE", "TRACE", "stdout", "stderr",
        ];
        let is_of_stream = tags > 0 && name == "F";
        let in_brackets = word.starts_with('[') && word.ends_with([']', ':']) && word.len() > 2;
        let is_program = word.ends_with("]:") && word.contains('[');
        let is_host = || {
            let program = next[word.len()..].trim_start().split(' ').next();
            tags == 0 && program.is_some_and(|word| word.ends_with("]:") && !word.starts_with('['))
        };
        if !(level.contains(&name) || is_of_stream || in_brackets || is_program || is_host()) {
            break;
        }
        tags += 1;
        rest = next[word.len()..].trim_start_matches('|');
    }
    match tags > 0 || is_of_container {
        true => line.len() - rest.strip_prefix(' ').unwrap_or(rest).len(),
        false => 0,
    }
}

/// `2020-05-03 12:06:53,123`, `May  3 12:06:53`, `2026-01-02T03:04:05.678Z`: what follows, and whether it is of the last kind.
fn after_clock(line: &str) -> Option<(&str, bool)> {
    const DATE_MAX: usize = 12;
    let bytes = line.as_bytes();
    let is_clock = |at: &usize| {
        let place = |offset: usize| bytes.get(at + offset).copied().unwrap_or_default();
        [0, 1, 3, 4, 6, 7]
            .iter()
            .all(|offset| place(*offset).is_ascii_digit())
            && place(2) == b':'
            && place(5) == b':'
    };
    // Most lines have no colon where a clock has one.
    let colon = memchr::memchr(b':', &bytes[..bytes.len().min(DATE_MAX + 3)])?;
    let at = colon.checked_sub(2).filter(is_clock)?;
    let date = &line[..at];
    let is_date = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | ' ' | '.');
    if !date.chars().all(is_date) {
        return None;
    }
    let behind =
        line[at + 8..].trim_start_matches(|c: char| c == '.' || c == ',' || c.is_ascii_digit());
    let is_of_container = date.ends_with('T') && behind.starts_with('Z');
    Some((behind.trim_start_matches('Z'), is_of_container))
}

#[cfg(test)]
mod tests {
    use super::bare;
    use std::borrow::Cow;

    fn of(text: &str) -> String {
        bare(Cow::Borrowed(text)).0.into_owned()
    }

    #[test]
    fn marks_of_quotes_of_logs_and_of_pages_are_taken_away() {
        for (pasted, printed) in [
            (
                "> > a: (g=0)\n> >   read: IOPS=1\n",
                "a: (g=0)\n  read: IOPS=1\n",
            ),
            (">a\r\n> b\r\n", "a\r\nb\r\n"),
            (
                "12:06:53 DEBUG| [stdout]   read: IOPS=9\n",
                "  read: IOPS=9\n",
            ),
            ("May  3 12:06:53 host fio[12]: a: (g=0)\n", "a: (g=0)\n"),
            ("2026-01-02T03:04:05.678Z stdout F x\n", "x\n"),
            ("2026-01-02T03:04:05.678Z x\n", "x\n"),
            ("[2020-05-03 12:06:53,123] INFO: x\n", "x\n"),
            ("<pre>a &lt; b &amp;&amp; c</pre>\n", "a < b && c\n"),
            ("\u{1b}[1;32mtotal\u{1b}[0m: 5\n", "total: 5\n"),
            ("1%\r50%\rdone\n", "1%\n50%\ndone\n"),
            ("**total:** 5 IOPS\n", "total: 5 IOPS\n"),
            (
                "# 1 IOPS\n# a\n\n# b\n# c\nd\n",
                " 1 IOPS\n a\n\n b\n c\nd\n",
            ),
        ] {
            assert_eq!(of(pasted), printed, "{pasted:?}");
        }
    }

    #[test]
    fn what_tools_print_themselves_stays() {
        for text in [
            "SEQ 1MiB (Q= 8, T= 1): 5.0 MB/s [ 4.0 IOPS] < 1.0 us>\n",
            "12:06:53.001     avg_2-61   5000.0  19.53\n",
            "06:00:01 PM  sda  12.0\n",
            "Results for timespan 1:\n*****************\n",
            "# dd if=/dev/zero of=x\n1+0 records in\n",
            "<Results><Path>a&amp;b</Path></Results>\n",
            "     |  1.00th=[    1]\n",
            "Mode: <0Fill>\n",
        ] {
            let (plain, marked) = bare(Cow::Borrowed(text));
            assert_eq!((plain.as_ref(), marked), (text, 0));
        }
    }
}
