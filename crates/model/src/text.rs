//! Text from anywhere, as a terminal may show it and as a shell reads it back.
//!
//! Names of files, answers of devices and what other tools printed may contain anything: what a terminal obeys, what
//! turns the order of letters around, what cannot be seen. Deliberately absent: widths and wrapping (`views`).

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Write;
use std::hash::Hash;

/// Whether a reader sees it as what it is. Control characters are not (C0, DEL, C1), nor what has no width, steers the
/// direction of writing, separates lines, or tags text. Source: Unicode 16, general categories Cc, Cf, Zl and Zp; of
/// these the joiners within scripts and emoji are not worth their risk here.
pub fn is_visible(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text that cannot move the cursor, begin a new line or hide a part of itself: what is not visible is written as an
/// escape.
pub fn printable(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_visible(letter) {
            out.push(letter);
        } else {
            out.extend(letter.escape_default());
        }
    }
    out
}

/// Returns the system's words for an error, without the number that Rust adds.
pub fn errno_text(error: &std::io::Error) -> String {
    let mut text = error.to_string();
    if let Some(end) = text.find(" (os error ") {
        text.truncate(end);
    }
    text
}

/// Writes the one sentence on a value that an option does not take. `accepted` begins with `must be`.
pub fn invalid_value(read: &str, option: &str, accepted: &str) -> String {
    format!("invalid value '{read}' for {option}: {accepted}")
}

/// Splits a message into what is wrong and what helps, which stands behind `; hint: `.
pub fn split_hint(message: &str) -> (&str, Option<&str>) {
    match message.rsplit_once("; hint: ") {
        Some((message, hint)) => (message, Some(hint)),
        None => (message, None),
    }
}

/// Returns each name once, in the order of its first use, in a time in proportion to their number.
pub fn distinct<T: Copy + Eq + Hash>(names: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    names
        .into_iter()
        .filter(|name| known.insert(*name))
        .collect()
}

/// Returns whether `word`, in lower case, is a part of the text, ignoring case.
pub fn contains_ignoring_case(text: &str, word: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(word);
    }
    // Without a copy: a list compares each word of each session.
    let (text, word) = (text.as_bytes(), word.as_bytes());
    word.is_empty()
        || text
            .windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
}

/// A word as a shell reads it back: bare, in quotes, or as `$'…'` where it has what is not visible or is no UTF-8.
/// Source: POSIX.1-2024, Shell Command Language, 2.2.2 and 2.2.4; bash, zsh and ksh have long had both.
pub fn shell_word(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_encoded_bytes();
    let text = str::from_utf8(bytes).ok();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match text.filter(|text| text.chars().all(is_visible)) {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        None => escaped(bytes),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = "$'".to_owned();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\n' => out.push_str(r"\n"),
                '\t' => out.push_str(r"\t"),
                '\r' => out.push_str(r"\r"),
                '\'' | '\\' => out.extend(['\\', letter]),
                letter if is_visible(letter) => out.push(letter),
                letter => octal(&mut out, letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        octal(&mut out, chunk.invalid());
    }
    out.push('\'');
    out
}

/// Three digits each: with fewer, a digit behind it would belong to it.
fn octal(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(out, "\\{byte:03o}").expect("a string takes every text");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i3_what_cannot_be_seen_is_written_as_an_escape() {
        let ranges = [
            (0, 0x1f),
            (0x7f, 0x9f),
            (0x61c, 0x61c),
            (0x200b, 0x200f),
            (0x2028, 0x202e),
            (0x2060, 0x2069),
            (0xfeff, 0xfeff),
            (0xfff9, 0xfffb),
            (0xe0000, 0xe007f),
        ];
        for c in ranges.into_iter().flat_map(|(first, last)| first..=last) {
            let letter = char::from_u32(c).unwrap();
            assert!(!is_visible(letter), "U+{c:04X}");
            let shown = printable(&format!("a{letter}b"));
            assert!(shown.is_ascii() && shown.starts_with("a\\"), "{shown}");
        }
        for text in ["a b", "ä ß € 漢字", "µs ±2% …"] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn a_word_is_found_in_any_case() {
        for (text, word, found) in [
            ("/dev/NVMe0n1", "nvme", true),
            ("ÜBER", "über", true),
            ("abc", "", true),
            ("", "a", false),
            ("ab", "abc", false),
            ("abc", "ü", false),
            ("300 \u{212a}", "k", true),
        ] {
            assert_eq!(contains_ignoring_case(text, word), found, "{text} {word}");
        }
    }

    #[test]
    fn i3_a_shell_reads_words_back_as_they_were() {
        for (word, line) in [
            ("--block", "--block"),
            ("/a/b-c.dat", "/a/b-c.dat"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("a\nb", r"$'a\nb'"),
            ("\u{1b}[2J1", r"$'\033[2J1'"),
            ("it's\u{202e}\\", r"$'it\'s\342\200\256\\'"),
        ] {
            assert_eq!(shell_word(word), line);
        }
    }
}
