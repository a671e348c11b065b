//! Bytes → text: the encodings in which results are found, and what is no text at all.
//!
//! PowerShell's `>` writes UTF-16 with a mark in front, others write UTF-8 with or without one, and consoles of the
//! West one byte a character. The last is read so that no byte is lost; which letters were meant is not guessed.

use crate::ReadError;

/// Text, and what a person should know about how it was read.
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

/// Largest file: about a hundred thousand runs.
pub const LENGTH_MAX: u64 = 1 << 30;

/// Reads the encoding off the first bytes.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<Decoded, ReadError> {
    if bytes.len() as u64 > LENGTH_MAX {
        return Err(ReadError::TooLong(bytes.len() as u64));
    }
    let decoded = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => {
            utf16(&bytes, u16::from_le_bytes)
        }
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => {
            utf16(&bytes, u16::from_be_bytes)
        }
        [0xef, 0xbb, 0xbf, ..] => eight(bytes, 3),
        _ => eight(bytes, 0),
    };
    match junk(&decoded.text) {
        Some((line, what)) => Err(ReadError::Binary { line, what }),
        None if decoded.text.trim().is_empty() => Err(ReadError::Empty),
        None => Ok(decoded),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let mut notes = Vec::new();
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut lost = bytes.len() % 2;
    let text: String = char::decode_utf16(units)
        .map(|unit| {
            unit.unwrap_or_else(|_| {
                lost += 1;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    if lost > 0 {
        notes.push(format!(
            "{lost} places of the UTF-16 text are no characters; they are shown as U+FFFD"
        ));
    }
    Decoded { text, notes }
}

fn eight(bytes: Vec<u8>, skip: usize) -> Decoded {
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            text.drain(..skip);
            Decoded {
                text,
                notes: Vec::new(),
            }
        }
        Err(error) => {
            let place = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let line = bytes[..place].iter().filter(|byte| **byte == b'\n').count() + 1;
            let note = format!(
                "line {line} is not UTF-8: bytes above 127 are read as Latin-1, so names may look odd"
            );
            Decoded {
                text: bytes[skip..].iter().map(|byte| char::from(*byte)).collect(),
                notes: vec![note],
            }
        }
    }
}

/// The first line with characters that no tool prints, and one of them. A form feed or an escape is let through.
fn junk(text: &str) -> Option<(u32, char)> {
    let strange =
        |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b' | '\x08' | '\x1a');
    let (place, c) = text.char_indices().find(|(_, c)| strange(*c))?;
    Some((crate::section::line_at(text, place), c))
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::ReadError;

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
            assert_eq!(decode(bytes).unwrap().text, text);
        }
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_line() {
        let binary = decode(b"Command Line: x\n\x7fELF\x02\x01".to_vec());
        assert!(matches!(binary, Err(ReadError::Binary { line: 2, .. })));
        for empty in ["", " \r\n ", "\u{feff}"] {
            assert!(matches!(
                decode(empty.as_bytes().to_vec()),
                Err(ReadError::Empty)
            ));
        }
        let odd = decode(vec![0xff, 0xfe, b'a', 0, 0, 0xd8, b'b', 0, b'c']).unwrap();
        assert_eq!(odd.text, "a\u{fffd}b");
        assert_eq!(odd.notes.len(), 1);
    }
}
