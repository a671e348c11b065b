//! Bytes → text: the encodings in which results are found, and what is no text at all.
//!
//! PowerShell's `>` writes UTF-16 with a mark in front, others write UTF-8 with or without one, and consoles of the
//! West one byte a character. The last is read so that no byte is lost; which letters were meant is not guessed.

use std::borrow::Cow;

/// Text, and what a person should know about how it was read.
type Decoded<'b> = (Cow<'b, str>, Vec<String>);

/// Largest file: about a hundred thousand runs.
pub const LENGTH_MAX: u64 = 1 << 30;

/// Why a file gives nothing at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No text in it.
    #[error(
        "the file is empty; results of DISKSPD, SQLIO, fio, IOmeter, dd or bonnie++ are expected in it"
    )]
    Empty,
    /// Not text.
    #[error(
        "line {line} has the character U+{:04X}, which is in no tool's output: this is not a text file", u32::from(*what)
    )]
    Binary {
        /// From 1.
        line: u32,
        /// The first such character.
        what: char,
    },
    /// More than is read at once.
    #[error(
        "the file has {0} bytes; at most {LENGTH_MAX} are read at once: split it between two runs"
    )]
    TooLong(u64),
    /// Text of no known format.
    #[error(
        "line {line} begins no known format, and is not printed; hint: results of these are read: {known}; fathom import --help"
    )]
    Unknown {
        /// Its first line that is not empty. // from 1
        line: u32,
        /// The tools whose results are read.
        known: String,
    },
}

/// Reads the encoding off the first bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, ReadError> {
    if bytes.len() as u64 > LENGTH_MAX {
        return Err(ReadError::TooLong(bytes.len() as u64));
    }
    let decoded = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => {
            utf16(bytes, u16::from_le_bytes)
        }
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => {
            utf16(bytes, u16::from_be_bytes)
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => eight(rest),
        _ => eight(bytes),
    };
    match junk(&decoded.0) {
        Some((line, what)) => Err(ReadError::Binary { line, what }),
        None if decoded.0.trim().is_empty() => Err(ReadError::Empty),
        None => Ok(decoded),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded<'_> {
    let mut notes = Vec::new();
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut lost = bytes.len() % 2;
    // Three bytes are the most that a unit becomes; room for it beforehand, so that the text does not grow by doubling.
    let mut text = String::with_capacity(bytes.len() / 2 * 3);
    text.extend(char::decode_utf16(units).map(|unit| {
        unit.unwrap_or_else(|_| {
            lost += 1;
            char::REPLACEMENT_CHARACTER
        })
    }));
    if lost > 0 {
        notes.push(format!(
            "{lost} places of the UTF-16 text are no characters; they are shown as U+FFFD"
        ));
    }
    (Cow::Owned(text), notes)
}

fn eight(bytes: &[u8]) -> Decoded<'_> {
    match str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Vec::new()),
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let note = format!(
                "line {line} is not UTF-8: bytes above 127 are read as Latin-1, so names may look odd"
            );
            let mut text = String::with_capacity(2 * bytes.len());
            text.extend(bytes.iter().map(|byte| char::from(*byte)));
            (Cow::Owned(text), vec![note])
        }
    }
}

/// The first line with characters that no tool prints, and one of them. A form feed or an escape is let through.
fn junk(text: &str) -> Option<(u32, char)> {
    let strange =
        |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b' | '\x08' | '\x1a');
    let (place, c) = text.char_indices().find(|(_, c)| strange(*c))?;
    Some((crate::imports::section::line_at(text, place), c))
}

#[cfg(test)]
mod tests {
    use super::{ReadError, decode};

    fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "Command Line: ä\r\n";
        let with = |mark: &[u8], rest: Vec<u8>| [mark.to_vec(), rest].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            with(&[0xef, 0xbb, 0xbf], text.as_bytes().to_vec()),
            with(&[0xff, 0xfe], wide(text, u16::to_le_bytes)),
            with(&[0xfe, 0xff], wide(text, u16::to_be_bytes)),
            wide(text, u16::to_le_bytes),
            wide(text, u16::to_be_bytes),
            b"Command Line: \xe4\r\n".to_vec(),
        ] {
            assert_eq!(decode(&bytes).unwrap().0, text);
        }
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_line() {
        let binary = decode(b"Command Line: x\n\x7fELF\x02\x01");
        assert!(matches!(binary, Err(ReadError::Binary { line: 2, .. })));
        for empty in ["", " \r\n ", "\u{feff}"] {
            assert!(matches!(decode(empty.as_bytes()), Err(ReadError::Empty)));
        }
        let (text, notes) = decode(&[0xff, 0xfe, b'a', 0, 0, 0xd8, b'b', 0, b'c']).unwrap();
        assert_eq!(text, "a\u{fffd}b");
        assert_eq!(notes.len(), 1);
    }
}
