//! Printed numbers: with decimal points or commas, with the many spellings of "no number", with units.
//!
//! A comma is read only where it can mean one thing: with other than three digits behind it, next to a point, or in a
//! column of which the number of decimals is known. Deliberately absent: guesses; what can be two numbers is none.

use model::calendar::days_since_1970;
use model::{Bytes, Nanos};

/// Content of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// A number, and whether it had a decimal comma.
    Number(f64, bool),
    /// Nothing, in words that mean it: `N/A`, `NA`, `-`.
    Nothing,
    /// What a division by zero prints: `-nan`, `1.#QNAN`, `inf`.
    NotANumber,
    /// Anything else.
    Strange,
}

impl Cell {
    /// The number, if it is one.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Cell::Number(value, _) => Some(value),
            _ => None,
        }
    }
}

/// Spellings of what is no number, as C libraries print it; in lower case.
const NOT_NUMBERS: [&str; 6] = ["nan", "1.#qnan", "1.#ind", "1.#snan", "1.#inf", "inf"];

/// Longest number that is looked at: the largest double has 309 digits before the point.
const LENGTH_MAX: usize = 330;

/// A cell of which the number of decimals is known: 0 where it is not.
pub(crate) fn cell(text: &str, decimals: usize) -> Cell {
    let text = text.trim().trim_end_matches('%').trim_end();
    if text.len() > LENGTH_MAX {
        return Cell::Strange;
    }
    let lower = text.to_ascii_lowercase();
    if matches!(lower.as_str(), "" | "n/a" | "na" | "-") {
        return Cell::Nothing;
    }
    let bare = lower.trim_start_matches(['-', '+']);
    if NOT_NUMBERS.iter().any(|word| bare.starts_with(word)) {
        return Cell::NotANumber;
    }
    let Some((plain, comma)) = with_point(text, decimals) else {
        return Cell::Strange;
    };
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() && plain.bytes().all(is_of_a_number) => {
            Cell::Number(value, comma)
        }
        _ => Cell::Strange,
    }
}

fn is_of_a_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E')
}

/// The same with a point, and whether it had a comma in its place. `None` where it can be two numbers.
fn with_point(text: &str, decimals: usize) -> Option<(String, bool)> {
    let separators = |c: char| matches!(c, '.' | ',' | '\'' | ' ' | '\u{a0}' | '\u{202f}' | '’');
    let marks: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| separators(*c))
        .collect();
    let Some(&(place, mark)) = marks.last() else {
        return Some((text.to_owned(), false));
    };
    let behind = text[place + mark.len_utf8()..].len();
    let alone = marks.len() == 1;
    if mark == '.' && alone {
        return Some((text.to_owned(), false));
    }
    let differs = marks.iter().any(|(_, other)| *other != mark);
    let decimal = match mark {
        '.' => differs,
        ',' if differs => true,
        ',' if alone && decimals > 0 && behind == decimals => true,
        ',' if alone && behind == 3 => return None,
        ',' => alone,
        _ => false,
    };
    let end = if decimal { place } else { text.len() };
    let (sign, groups) = text[..end].split_at(usize::from(text.starts_with('-')));
    let mut plain = format!("{sign}{}", whole(groups)?);
    if decimal {
        plain.push('.');
        plain.push_str(&text[place + mark.len_utf8()..]);
    }
    Some((plain, decimal && mark == ','))
}

/// A whole number; groups of three digits may stand apart.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.is_empty() || text.len() > LENGTH_MAX {
        return None;
    }
    let groups: Vec<&str> = text
        .split([',', '.', '\'', ' ', '\u{a0}', '\u{202f}', '’'])
        .collect();
    let digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let threes = groups.iter().skip(1).all(|group| group.len() == 3);
    if !groups.iter().all(digits) || (groups.len() > 1 && (!threes || groups[0].len() > 3)) {
        return None;
    }
    groups.concat().parse().ok()
}

/// A number of `unit` as whole nanoseconds. `None` below zero and where it does not fit.
pub(crate) fn nanos(value: f64, unit: Nanos) -> Option<Nanos> {
    scaled(value, unit.0).map(Nanos)
}

/// A number of `unit` as whole bytes. `None` below zero and where it does not fit.
pub(crate) fn bytes(value: f64, unit: u64) -> Option<Bytes> {
    scaled(value, unit).map(Bytes)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "between 0 and 2^64, and a double is what was printed"
)]
fn scaled(value: f64, unit: u64) -> Option<u64> {
    let product = (value * unit as f64).round();
    (value.is_finite() && (0.0..18_446_744_073_709_551_615.0).contains(&product))
        .then_some(product as u64)
}

/// A percentage as a share of 1, such that 99.9 gives the same as 0.999 written down. Exact to ten decimals.
pub(crate) fn quantile(percent: f64) -> f64 {
    (percent * 1e10).round() / 1e12
}

/// A printed figure that is a number from 0 on.
pub(crate) fn printed(text: &str) -> Option<f64> {
    let value = cell(text, 0).number();
    value.filter(|value| *value >= 0.0)
}

/// A time with its unit, or several: `948.8 us`, `1.5ms`, `2m3.241s`. `m` and `min` are minutes.
pub(crate) fn time(text: &str) -> Option<Nanos> {
    let mut rest = text.trim();
    let mut sum = (!rest.is_empty()).then_some(Nanos(0));
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_alphabetic())?;
        let (number, behind) = rest.split_at(end);
        let end = behind.find(|c: char| !c.is_alphabetic());
        let (unit, behind) = behind.split_at(end.unwrap_or(behind.len()));
        let unit = match unit {
            "ns" | "nsec" => Nanos(1),
            "us" | "µs" | "usec" => Nanos::micros(1),
            "ms" | "msec" => Nanos::millis(1),
            "s" | "sec" | "seconds" => Nanos::seconds(1),
            "m" | "min" => Nanos::seconds(60),
            "h" => Nanos::seconds(3600),
            _ => return None,
        };
        let part = nanos(printed(number)?, unit)?;
        sum = sum.and_then(|sum| sum.0.checked_add(part.0)).map(Nanos);
        rest = behind.trim_start();
    }
    sum
}

/// A size as these tools print it, all with 1024: `1GiB`, `1024MB`, `447.13GiB`, `64k`, `512`.
pub(crate) fn size(text: &str) -> Option<Bytes> {
    let text = text.trim();
    let end = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 1,
        "m" | "mb" | "mib" => 2,
        "g" | "gb" | "gib" => 3,
        "t" | "tb" | "tib" => 4,
        "p" | "pb" | "pib" => 5,
        _ => return None,
    };
    let number = number.trim_end();
    match number.parse::<u64>() {
        Ok(count) => count.checked_mul(1 << (10 * power)).map(Bytes),
        Err(_) => bytes(cell(number, 2).number()?, 1 << (10 * power)),
    }
}

/// `2026/05/04 13:22:07` in UTC, as nanoseconds since 1970.
pub(crate) fn utc(text: &str) -> Option<Nanos> {
    let text = text.trim().trim_end_matches("UTC").trim_end();
    let (date, time) = text.split_once([' ', 'T'])?;
    let parts = |text: &str, by: char| -> Option<[u64; 3]> {
        let numbers: Option<Vec<u64>> = text.trim().split(by).map(|n| n.parse().ok()).collect();
        numbers?.try_into().ok()
    };
    let [year, month, day] = parts(date, '/')?;
    let [hour, minute, second] = parts(time, ':')?;
    let fits = year <= 2500 && hour < 24 && minute < 60 && second <= 60;
    let days = days_since_1970(year, month, day)?;
    fits.then(|| Nanos::seconds(((days * 24 + hour) * 60 + minute) * 60 + second))
}

#[cfg(test)]
mod tests {
    use super::{Cell, bytes, cell, nanos, size, time, utc, whole};
    use model::{Bytes, Nanos};

    #[test]
    fn a_comma_is_read_where_it_means_one_thing() {
        assert_eq!(cell("1286.37", 2), Cell::Number(1286.37, false));
        assert_eq!(cell(" 1286,37", 2), Cell::Number(1286.37, true));
        assert_eq!(cell("3,106", 3), Cell::Number(3.106, true));
        assert_eq!(cell("3,106", 0), Cell::Strange);
        assert_eq!(cell("20.581,94", 2), Cell::Number(20_581.94, true));
        assert_eq!(cell("20,581.94", 2), Cell::Number(20_581.94, false));
        assert_eq!(cell("1 286,37", 2), Cell::Number(1286.37, true));
        assert_eq!(cell("1,234,567", 2), Cell::Number(1_234_567.0, false));
        assert_eq!(cell("2.49%", 2), Cell::Number(2.49, false));
    }

    #[test]
    fn what_is_no_number_has_many_spellings() {
        for text in [
            "nan",
            "-nan",
            "-nan(ind)",
            "1.#QNAN",
            "-1.#IND",
            "1.#INF",
            "inf",
            "-inf",
        ] {
            assert_eq!(cell(text, 3), Cell::NotANumber, "{text}");
        }
        for text in ["N/A", "NA", "", "  ", "-"] {
            assert_eq!(cell(text, 3), Cell::Nothing, "{text}");
        }
        for text in [
            "twelve",
            "1.2.3",
            "0x10",
            "1e999",
            "--1",
            "9".repeat(400).as_str(),
        ] {
            assert_eq!(cell(text, 3), Cell::Strange, "{text}");
        }
    }

    #[test]
    fn whole_numbers_may_have_groups() {
        assert_eq!(whole("161863434240"), Some(161_863_434_240));
        assert_eq!(whole("161.863.434.240"), Some(161_863_434_240));
        assert_eq!(whole("2 469 840"), Some(2_469_840));
        for text in [
            "",
            "1,23",
            "1,2345",
            "1234,567",
            "-1",
            "99999999999999999999",
            "1..2",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn times_and_sizes_are_whole_units() {
        assert_eq!(nanos(3.106, Nanos::millis(1)), Some(Nanos::micros(3106)));
        assert_eq!(nanos(-1.0, Nanos::millis(1)), None);
        assert_eq!(nanos(f64::MAX, Nanos::millis(1)), None);
        assert_eq!(bytes(0.5, 1 << 20), Some(Bytes::kib(512)));
        assert_eq!(size("1024MB"), Some(Bytes::gib(1)));
        assert_eq!(size("447.13GiB"), Some(Bytes(480_102_181_765)));
        assert_eq!(size("64k"), Some(Bytes::kib(64)));
        assert_eq!(size("512"), Some(Bytes(512)));
        assert_eq!(size("20 MB"), Some(Bytes::mib(20)));
        for text in [
            "",
            "MB",
            "1XB",
            "99999999999999999999",
            "18446744073709551615K",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn printed_times_have_units() {
        assert_eq!(time("948.8 us"), Some(Nanos(948_800)));
        assert_eq!(time("2m3.241s"), Some(Nanos::millis(123_241)));
        assert_eq!(time("0 ns"), Some(Nanos(0)));
        for text in ["", "5", "-1 s", "3 parsecs", "99999999999999999 h", "s"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn quantiles_are_what_they_would_be_written() {
        let pairs = [
            (99.9, 0.999),
            (99.999_999_9, 0.999_999_999),
            (25.0, 0.25),
            (99.95, 0.9995),
        ];
        for (percent, share) in pairs {
            assert_eq!(super::quantile(percent), share);
        }
    }

    #[test]
    fn dates_count_from_1970() {
        assert_eq!(utc("1970/01/01 00:00:00 UTC"), Some(Nanos(0)));
        assert_eq!(
            utc("2026/05/04 13:22:07 UTC"),
            Some(Nanos::seconds(1_777_900_927))
        );
        assert_eq!(
            utc("2000/02/29 00:00:00"),
            Some(Nanos::seconds(951_782_400))
        );
        for text in [
            "",
            "2026/13/04 13:22:07",
            "1960/01/01 00:00:00",
            "2026/05/04",
        ] {
            assert_eq!(utc(text), None, "{text}");
        }
    }
}
