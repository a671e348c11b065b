//! The bytes of a profile as text: UTF-8, or UTF-16 as Windows' shells write it, distinguished by the byte order mark
//! or, without one, by the first `<`.
//!
//! Deliberately absent: other encodings. A document that names one in its first line is read as what it is.

/// The text, without its byte order mark.
///
/// # Errors
/// A sentence with the expected content of the bytes.
pub fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let wide = |from: usize, read: fn([u8; 2]) -> u16| {
        let units = bytes[from..].chunks(2).map(|pair| match pair {
            [low, high] => read([*low, *high]),
            _ => 0xD800, // half a character is none
        });
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.map_err(|_| {
            "it begins as UTF-16 and is not that to its end: save it as UTF-8".to_owned()
        })
    };
    match bytes.as_slice() {
        [0xFF, 0xFE, ..] => wide(2, u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(2, u16::from_be_bytes),
        [b'<', 0, ..] => wide(0, u16::from_le_bytes),
        [0, b'<', ..] => wide(0, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, ..] => utf8(bytes[3..].to_vec()),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("it is neither UTF-8 (byte {at} is not) nor UTF-16: save it as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_encodings_are_read() {
        let wide: Vec<u16> = "<Profile/>ä".encode_utf16().collect();
        let little = [
            vec![0xFF, 0xFE],
            wide.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        ]
        .concat();
        let big = [
            vec![0xFE, 0xFF],
            wide.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        ]
        .concat();
        for bytes in [
            little[2..].to_vec(),
            big[2..].to_vec(),
            little,
            big,
            "\u{FEFF}<Profile/>ä".into(),
            "<Profile/>ä".into(),
        ] {
            assert_eq!(decode(bytes).as_deref(), Ok("<Profile/>ä"));
        }
    }

    #[test]
    fn what_is_no_text_is_reported() {
        assert!(decode(vec![b'a', 0xFF]).unwrap_err().contains("byte 1"));
        assert!(
            decode(vec![0xFF, 0xFE, 0x41])
                .unwrap_err()
                .contains("UTF-16")
        );
    }
}
