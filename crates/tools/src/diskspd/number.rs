//! How DISKSPD reads sizes and numbers out of its arguments.
//!
//! Sizes are strict; plain numbers follow C's `atoi`, which stops at the first character it does not know. What it
//! leaves behind is given back, so that the caller can check it. Unlike the original, nothing wraps round: a value that
//! does not fit is refused.

/// What a size looks like, in a sentence.
pub(super) const SIZE_FORM: &str = "must be digits with K, M, G or T after them (1024-based), or b for blocks, or \
                                   nothing for bytes; at most 2^64 - 1 bytes";

/// `digits[suffix]`, with `b` standing for `block` bytes. `None` for anything else, or what does not fit.
pub(super) fn size(text: &str, block: u64) -> Option<u64> {
    let unit = match text.bytes().last()?.to_ascii_uppercase() {
        b'0'..=b'9' => return digits(text),
        b'K' => 1 << 10,
        b'M' => 1 << 20,
        b'G' => 1 << 30,
        b'T' => 1 << 40,
        b'B' => block,
        _ => return None,
    };
    digits(&text[..text.len() - 1])?.checked_mul(unit)
}

/// Digits and nothing else.
pub(super) fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

/// What C's `atoi` takes from the front of `text`, and what it leaves. A number beyond 32 bits becomes the nearest
/// one within, which no switch accepts where that matters.
pub(super) fn atoi(text: &str) -> (i64, &str) {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    let start = text.trim_start_matches(blank);
    let unsigned = start.strip_prefix(['-', '+']).unwrap_or(start);
    let length = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = unsigned.split_at(length);
    if number.is_empty() {
        return (0, text);
    }
    let value = number.parse::<i64>().unwrap_or(i64::MAX);
    (
        if start.starts_with('-') {
            -value
        } else {
            value
        },
        rest,
    )
}

/// A size as the original prints it: in the largest unit that fits, with two decimals where it is not whole; plain
/// digits below 1 KiB. `width` aligns the number part to the right where there is a unit.
pub fn size_text(bytes: u64, width: usize) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| bytes >= *unit) else {
        return bytes.to_string();
    };
    if bytes.is_multiple_of(*unit) {
        format!("{:>width$}{name}", bytes / unit)
    } else {
        #[allow(clippy::cast_precision_loss, reason = "two decimals are shown")]
        let value = bytes as f64 / *unit as f64;
        format!("{value:>width$.2}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::{atoi, size, size_text};

    #[test]
    fn sizes_end_where_64_bits_end() {
        let largest = [
            ("18014398509481983K", 18_014_398_509_481_983 << 10),
            ("17592186044415M", 17_592_186_044_415 << 20),
            ("17179869183G", 17_179_869_183 << 30),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in largest {
            assert_eq!(size(text, 1), Some(bytes), "{text}");
        }
        for text in [
            "18014398509481984K",
            "17592186044416M",
            "17179869184G",
            "18446744073709551616",
            "30000000000000000000",
            "30KB",
            "30 K",
            "10a",
            "",
            "K",
            "-1",
            "+1",
            "1.5K",
            "1P",
            " 1",
            "1 ",
            "é",
        ] {
            assert_eq!(size(text, 1), None, "{text}");
        }
    }

    #[test]
    fn b_is_a_block_in_either_case() {
        assert_eq!(size("8b", 4096), Some(32_768));
        assert_eq!(size("8B", 4096), Some(32_768));
        assert_eq!(size("2t", 1), Some(2 << 40));
    }

    #[test]
    fn atoi_stops_at_the_first_stranger() {
        assert_eq!(atoi("10s"), (10, "s"));
        assert_eq!(atoi("-3"), (-3, ""));
        assert_eq!(atoi("+7x"), (7, "x"));
        assert_eq!(atoi("abc"), (0, "abc"));
        assert_eq!(atoi(""), (0, ""));
        assert_eq!(atoi("99999999999999999999"), (i64::MAX, ""));
    }

    /// By id of the list of cases.
    #[test]
    fn sizes_are_shown_as_the_original_shows_them() {
        for (id, bytes, text) in [
            ("T001", 0, "0"),
            ("T002", 512, "512"),
            ("T004", 1024, "1KiB"),
            ("T005", 4096, "4KiB"),
            ("T006", 65_536, "64KiB"),
            ("T008", 2_048_000, "1.95MiB"),
            ("T009", 2_097_152, "2MiB"),
            ("T010", 12_341_234, "11.77MiB"),
            ("T012", 1_073_741_824, "1GiB"),
            ("T013", 1_610_612_736, "1.50GiB"),
            ("T014", 480_103_981_056, "447.13GiB"),
            ("T016", 1_649_267_441_664, "1.50TiB"),
        ] {
            assert_eq!(size_text(bytes, 0), text, "{id}");
        }
    }
}
