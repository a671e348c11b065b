//! fio's numbers: sizes, times, ranges and percentages, by the rules of its manual ("Parameter types").
//!
//! With `kb_base=1024`, the default, `k` is 1024 and `ki` is 1000; with 1000 it is the other way round. Keywords and
//! products of them (`2*$mb_memory`) are numbers too, once `text` has put in what they represent.

use model::LINES_MAX;

/// What letters mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base(pub(super) u64);

pub(super) const SIZE_FORM: &str =
    "must be a whole number, 0x for hexadecimal, with k, m, g, t or p behind it and b after that";
pub(super) const TIME_FORM: &str = "must be a whole number with us, ms, s, m, h or d behind it";

const LETTERS: [(&str, u32); 5] = [("k", 1), ("m", 2), ("g", 3), ("t", 4), ("p", 5)];

/// Bytes as in `buffer_pattern=0xdeadface"abc"-12`: hexadecimal from the left, text between `"`, and decimal numbers with the
/// least byte first; as in fio, a negative one has four bytes.
pub(super) fn pattern(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (inside, after) = quoted.split_once('"')?;
            bytes.extend(inside.as_bytes());
            rest = after;
        } else if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            let is_other = |c: char| !c.is_ascii_hexdigit();
            let end = hex.find(is_other).unwrap_or(hex.len());
            // `0xff0x14` is two numbers.
            let end =
                end - usize::from(hex[..end].ends_with('0') && hex[end..].starts_with(['x', 'X']));
            let digits = format!("{}{}", if end % 2 == 1 { "0" } else { "" }, &hex[..end]);
            let pairs = digits
                .as_bytes()
                .chunks(2)
                .map(|pair| str::from_utf8(pair).ok());
            for pair in pairs {
                bytes.push(u8::from_str_radix(pair?, 16).ok()?);
            }
            rest = if end == 0 { return None } else { &hex[end..] };
        } else {
            let sign = usize::from(rest.starts_with('-'));
            let length = rest[sign..].find(|c: char| !c.is_ascii_digit());
            let end = length.map_or(rest.len(), |length| sign + length);
            let end = end
                - usize::from(rest[..end].ends_with('0') && rest[end..].starts_with(['x', 'X']));
            let number: i32 = rest[..end].parse().ok()?;
            let least_first = number.to_le_bytes();
            let length = 4 - number.leading_zeros() as usize / 8;
            bytes.extend(&least_first[..length.max(1)]);
            rest = &rest[end..];
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

impl Base {
    /// A size in bytes.
    pub(super) fn size(self, text: &str) -> Option<u64> {
        text.split('*')
            .map(|factor| self.factor(factor.trim()))
            .try_fold(1u64, |product, factor| product.checked_mul(factor?))
    }

    fn factor(self, text: &str) -> Option<u64> {
        let lower = text.to_ascii_lowercase();
        if let Some(hex) = lower.strip_prefix("0x") {
            return digits(hex, 16);
        }
        let end = lower
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(lower.len());
        let (number, unit) = lower.split_at(end);
        let unit = unit.trim().strip_suffix('b').unwrap_or(unit.trim());
        let number = digits(number, 10)?;
        if unit.is_empty() {
            return Some(number);
        }
        let (letter, binary) = match unit.strip_suffix('i') {
            Some(letter) => (letter, self.0 != 1024),
            None => (unit, self.0 == 1024),
        };
        let (_, power) = LETTERS.iter().find(|(name, _)| *name == letter)?;
        let step: u64 = if binary { 1024 } else { 1000 };
        number.checked_mul(step.pow(*power))
    }

    /// `lo-hi` or `lo:hi`, in order.
    pub(super) fn range(self, text: &str) -> Option<(u64, u64)> {
        let (low, high) = text.split_once(['-', ':']).unwrap_or((text, text));
        let (low, high) = (self.size(low.trim())?, self.size(high.trim())?);
        Some((low.min(high), low.max(high)))
    }

    /// `4k/60:64k/40`; a share that is omitted is an equal part of what is left.
    pub(super) fn split(self, text: &str) -> Option<Vec<(u64, u32)>> {
        let mut parts: Vec<(u64, Option<u32>)> = Vec::new();
        for item in text
            .split(':')
            .map(str::trim)
            .filter(|item| !item.is_empty())
        {
            let (size, share) = item.split_once('/').unwrap_or((item, ""));
            let share = share.trim().trim_end_matches('%');
            let share = match share {
                "" => None,
                share => Some(digits(share, 10).filter(|percent| *percent <= 100)? as u32),
            };
            if parts.len() == LINES_MAX {
                return None; // a mix has no more
            }
            parts.push((self.size(size.trim())?, share));
        }
        let said: u32 = parts.iter().filter_map(|(_, share)| *share).sum();
        let open = parts.iter().filter(|(_, share)| share.is_none()).count() as u32;
        let rest = 100u32.checked_sub(said)?;
        // fio gives whole percents; what is left over by dividing goes to the first.
        let each = rest.checked_div(open).unwrap_or(0);
        let mut over = rest - each * open;
        if parts.is_empty() || (open == 0 && said != 100) {
            return None;
        }
        let given = parts.into_iter().map(|(size, share)| {
            let share = share.unwrap_or_else(|| each + std::mem::take(&mut over));
            (size, share)
        });
        Some(given.filter(|(_, share)| *share > 0).collect())
    }
}

/// A time in nanoseconds; `usual` is that of a number without a unit.
pub(super) fn time(text: &str, usual: u64) -> Option<u64> {
    const MICRO: u64 = 1_000;
    const SECOND: u64 = 1_000_000_000;
    let lower = text.trim().to_ascii_lowercase();
    let end = lower
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(lower.len());
    let (number, unit) = lower.split_at(end);
    let unit = match unit.trim() {
        "" => usual,
        "us" | "usec" => MICRO,
        "ms" | "msec" => 1000 * MICRO,
        "s" | "sec" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3600 * SECOND,
        "d" => 86_400 * SECOND,
        _ => return None,
    };
    digits(number, 10)?.checked_mul(unit)
}

/// A whole number without any letters.
pub(super) fn digits(text: &str, radix: u32) -> Option<u64> {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
    plain
        .then(|| u64::from_str_radix(text, radix).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_mean_what_the_manual_says_for_each_base() {
        let (usual, si) = (Base(1024), Base(1000));
        for text in ["4096", "4096b", "4k", "4kb", "4K", "4KB", "0x1000"] {
            assert_eq!(usual.size(text), Some(4096), "{text}");
        }
        for text in ["4096", "4ki", "4kib", "4KiB"] {
            assert_eq!(si.size(text), Some(4096), "{text}");
        }
        assert_eq!(usual.size("1mi"), Some(1_000_000));
        assert_eq!(si.size("1m"), Some(1_000_000));
        assert_eq!(usual.size("2*8m"), Some(16 << 20));
        for wrong in [
            "",
            "k",
            "4x",
            "4.5k",
            "-4k",
            "0x",
            "99999999999999999999",
            "16384p",
        ] {
            assert_eq!(usual.size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shares_of_a_split_that_are_left_away_are_equal_parts_of_the_rest() {
        let split = |text| Base(1024).split(text);
        assert_eq!(split("4k/60:64k/40"), Some(vec![(4096, 60), (65536, 40)]));
        assert_eq!(
            split("2k/50:4k:8k"),
            Some(vec![(2048, 50), (4096, 25), (8192, 25)])
        );
        assert_eq!(split("4k"), Some(vec![(4096, 100)]));
        for wrong in ["", "4k/60:8k/50", "4k/60", "4k/x", "/50"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_have_their_units() {
        let seconds = |text| time(text, 1_000_000_000).map(|ns| ns / 1_000_000);
        let reported = ["10", "10s", "2m", "500ms", "1h"].map(seconds);
        assert_eq!(
            reported,
            [
                Some(10_000),
                Some(10_000),
                Some(120_000),
                Some(500),
                Some(3_600_000)
            ]
        );
        assert_eq!(time("10k", 1), None);
    }
}
