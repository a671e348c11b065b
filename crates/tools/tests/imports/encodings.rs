//! The same file in every encoding.

use super::desk::{DEFAULT, one};
use tools::imports::{ReadError, read};

#[test]
fn encodings_and_line_ends_make_no_difference() {
    let plain = one(DEFAULT);
    let windows = DEFAULT.replace('\n', "\r\n");
    let wide = |unit: fn(u16) -> [u8; 2], mark: &[u8]| {
        let units = windows.encode_utf16().flat_map(unit);
        mark.iter().copied().chain(units).collect::<Vec<u8>>()
    };
    for bytes in [
        wide(u16::to_le_bytes, &[0xff, 0xfe]),
        wide(u16::to_be_bytes, &[0xfe, 0xff]),
        wide(u16::to_le_bytes, &[]),
        [&[0xef, 0xbb, 0xbf], windows.as_bytes()].concat(),
        windows.into_bytes(),
    ] {
        let reading = read("a.txt", bytes).unwrap();
        assert_eq!(reading.runs, std::slice::from_ref(&plain));
    }
}

#[test]
fn a_western_code_page_is_read_and_reported() {
    let mut bytes = DEFAULT.replace("testfile", "pr?fung").into_bytes();
    for byte in &mut bytes {
        if *byte == b'?' {
            *byte = 0xfc;
        }
    }
    let reading = read("a.txt", bytes).unwrap();
    assert_eq!(reading.runs[0].workload.targets, ["prüfung.dat"]);
    assert!(reading.notes[0].contains("is not UTF-8"));
}

#[test]
fn binary_junk_is_refused_with_its_line() {
    let mut bytes = DEFAULT.as_bytes().to_vec();
    bytes.extend([b'\n', 0, 1, 2]);
    let error = read("a.txt", bytes).unwrap_err();
    assert!(matches!(error, ReadError::Binary { .. }));
    assert!(error.to_string().contains("not a text file"), "{error}");
    assert!(read("a", (0..=255).collect::<Vec<u8>>()).is_err());
}
