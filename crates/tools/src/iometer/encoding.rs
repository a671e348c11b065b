//! The bytes of a file → its text and lines, however they were written: Windows' encodings, and the line ends of three
//! systems.

/// The bytes of a file as text: Unicode by its mark, UTF-16 without one, UTF-8, or Windows' Latin (code page 1252), in
/// which IOmeter writes.
pub fn decode(bytes: &[u8]) -> String {
    let wide = |from: usize, read: fn([u8; 2]) -> u16| {
        let units = bytes[from..]
            .chunks_exact(2)
            .map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xFF, 0xFE, ..] => wide(2, u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(2, u16::from_be_bytes),
        [b'V', 0, ..] => wide(0, u16::from_le_bytes),
        [0, b'V', ..] => wide(0, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| windows(*byte)).collect(),
        },
    }
}

/// A letter of code page 1252; the five that it does not have are distinguished from all others.
fn windows(byte: u8) -> char {
    const HIGH: [u16; 32] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
    ];
    match byte {
        0x80..0xA0 => char::from_u32(u32::from(HIGH[usize::from(byte - 0x80)]))
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from(byte),
    }
}

/// Lines without what separates them: `\r\n`, `\n`, or `\r` alone where there is nothing else. What DOS and careless
/// programs put behind the last line (Ctrl-Z, zeros) is no part of it.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_end_matches(['\u{1A}', '\0', '\r', '\n']);
    let end = if text.contains('\n') { '\n' } else { '\r' };
    text.split(end).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_on_three_systems_and_a_file_as_under_dos() {
        for text in [
            "a\nb",
            "a\r\nb\r\n",
            "a\rb\r",
            "a\r\r\nb\n",
            "a\nb\n\u{1A}",
            "a\r\nb\r\n\0\0",
        ] {
            assert_eq!(lines(text).collect::<Vec<_>>(), ["a", "b"], "{text:?}");
        }
        assert_eq!(lines("").collect::<Vec<_>>(), [""]);
    }
}
