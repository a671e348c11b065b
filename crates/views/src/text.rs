//! Words on a page: escaping, shortening and wrapping, by characters and not by bytes.

use crate::paper::Paper;
pub use model::printable;

/// Whether all of it is visible ASCII, which no terminal obeys.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// Cuts out the middle, because both ends of a path matter more: `/data/ver…/fathom.dat`.
pub fn shorten(text: &str, columns: usize) -> String {
    let long = width(text);
    if long <= columns {
        return text.to_owned();
    }
    let kept = columns.saturating_sub(1);
    let tail = kept - kept / 2;
    let head: String = text.chars().take(kept / 2).collect();
    let end: String = text.chars().skip(long - tail).collect();
    format!("{head}…{end}")
}

/// The beginning of a text, in whole words: what does not fit ends in ` …`. A number stays with its unit.
pub(crate) fn begin(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return printable(text);
    }
    let mut kept = String::new();
    for word in glued(&printable(text)) {
        let gap = usize::from(!kept.is_empty());
        if width(&kept) + gap + width(&word) + 2 > columns {
            break;
        }
        if gap == 1 {
            kept.push(' ');
        }
        kept.push_str(&word);
    }
    match kept.trim_end_matches([',', ';', ':']) {
        "" => String::new(),
        kept => format!("{kept} …"),
    }
}

/// A text on as many lines as it takes; `first` stands before the first and as much room before the others.
pub fn wrapped(first: &str, text: &str, paper: &Paper) -> Vec<String> {
    wrap(first, text, paper.room(), usize::MAX)
}

/// Breaks the lines of a list of options that are longer than the terminal; what follows stands below the description.
pub fn folded_usage(text: &str, columns: usize) -> String {
    let lines = text.lines().flat_map(|line| match width(line) <= columns {
        true => vec![line.to_owned()],
        false => folded_option(line, columns),
    });
    lines.map(|line| line + "\n").collect()
}

/// So much room a description has at least; where there is less, it begins on a line of its own.
const DESCRIPTION_MIN: usize = 24;

fn folded_option(line: &str, columns: usize) -> Vec<String> {
    let begins = line.len() - line.trim_start().len();
    let gap = line[begins..].find("  ").map(|at| begins + at);
    let described = gap.map(|at| line.len() - line[at..].trim_start().len());
    match (gap, described) {
        (Some(gap), Some(at)) if at + DESCRIPTION_MIN > columns => {
            let mut lines = wrap(&line[..begins], &line[begins..gap], columns, usize::MAX);
            lines.extend(wrap(&" ".repeat(8), &line[at..], columns, usize::MAX));
            lines
        }
        (_, at) => {
            let (head, rest) = line.split_at(at.unwrap_or(begins));
            wrap(head, rest, columns, usize::MAX)
        }
    }
}

/// Units that stay on the line of their number.
const UNITS: [&str; 19] = [
    "ns", "µs", "ms", "s", "h", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "IOPS", "B/s",
    "KiB/s", "MiB/s", "GiB/s", "TiB/s", "I/Os",
];

/// Breaks at spaces, but not inside a number or between it and its unit; `first` stands before the first line and as much
/// room before the others. A word longer than a line is shortened. At most `lines_max` lines; what does not fit ends in
/// `…`.
pub(crate) fn wrap(first: &str, text: &str, columns: usize, lines_max: usize) -> Vec<String> {
    let room = columns.saturating_sub(width(first)).max(8);
    let mut lines: Vec<String> = vec![String::new()];
    let mut taken = 0; // columns of the last line, which is as long as the text where nothing limits it
    for word in glued(&printable(text)) {
        let word = shorten(&word, room);
        let line = lines.last_mut().expect("begins with one line");
        let wide = width(&word);
        if line.is_empty() {
            line.push_str(&word);
            taken = wide;
        } else if taken + 1 + wide <= room {
            line.push(' ');
            line.push_str(&word);
            taken += 1 + wide;
        } else {
            lines.push(word);
            taken = wide;
        }
    }
    if lines.len() > lines_max {
        lines.truncate(lines_max);
        let last = lines.last_mut().expect("at least one line is allowed");
        let cut: String = last.chars().take(room - 1).collect();
        *last = format!("{cut}…");
    }
    let indent = " ".repeat(width(first));
    (0usize..)
        .zip(lines)
        .map(|(number, line)| format!("{}{line}", if number == 0 { first } else { &indent }))
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Splits a text into words; a number and its unit are one.
fn glued(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut after_number = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let bare = word.trim_end_matches([',', ';', ':', '.', ')']);
        match words.last_mut() {
            Some(last) if after_number && UNITS.contains(&bare) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
        // A comma ends what belongs to a number.
        after_number = bare == word && is_number(word);
    }
    words
}

/// Whether a word is a number: digits with or without a sign, a bracket, a decimal point and the letter of a scale.
fn is_number(word: &str) -> bool {
    let number = word
        .trim_start_matches(['(', '~', '±', '+', '-', '<', '>'])
        .trim_end_matches(['k', 'M', 'G', 'T', 'P', 'E']);
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !whole.is_empty() && digits(whole) && digits(decimals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(
            printable("a\nb\u{1b}[2J\u{202e}c"),
            "a\\nb\\u{1b}[2J\\u{202e}c"
        );
    }

    #[test]
    fn the_middle_is_cut_out() {
        assert_eq!(shorten("/data/backup/fathom.dat", 16), "/data/b…thom.dat");
        assert_eq!(shorten("/data", 16), "/data");
    }

    #[test]
    fn lines_break_at_spaces_under_their_first_word() {
        assert_eq!(
            wrap("note  ", "one two three", 14, 9),
            ["note  one two", "      three"]
        );
        let cut = wrap("note  ", "one two three", 14, 1);
        assert_eq!(cut, ["note  one two…"]);
    }

    #[test]
    fn a_number_stays_on_one_line_with_its_unit() {
        assert_eq!(
            wrap("", "(1528 MiB/s together) 24.5k IOPS, 4 ms (+4.5%)", 14, 9),
            ["(1528 MiB/s", "together)", "24.5k IOPS,", "4 ms (+4.5%)"]
        );
        assert_eq!(glued("in 3 of 7 runs"), ["in", "3", "of", "7", "runs"]);
        assert_eq!(glued("a 1528, 200 B"), ["a", "1528,", "200 B"]);
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_the_page(text in ".{0,200}", columns in 20usize..120) {
            for line in wrap("note  ", &text, columns, 5) {
                prop_assert!(width(&line) <= columns);
                prop_assert!(!line.contains('\n'));
            }
        }
    }
}
