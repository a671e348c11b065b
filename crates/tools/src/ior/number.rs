//! IOR's numbers: digits, then k, m, g, t or p in either case. What stands behind that is dropped, as in IOR, and reported.

/// A number and what is odd about its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: u64,
    /// What was dropped behind it.
    pub(crate) dropped: Option<String>,
}

/// Reads it.
///
/// # Errors
/// What is accepted.
pub(crate) fn number(text: &str) -> Result<Number, &'static str> {
    const FORM: &str =
        "must be a whole number: 8, 4k, 2m, 1g (k, m, g, t and p are powers of 1024)";
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if rest.starts_with('.') {
        return Err(
            "must be a whole number: IOR cuts a fraction off at its point, so that 1.5m is 1 byte",
        );
    }
    let number: u64 = number.parse().map_err(|_| FORM)?;
    let mut letters = rest.chars();
    let shift = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        Some('p') => 50,
        Some(_) => return Err(FORM),
    };
    let value = number.checked_mul(1 << shift).ok_or(FORM)?;
    let dropped = letters.as_str();
    Ok(Number {
        value,
        dropped: (!dropped.is_empty()).then(|| dropped.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_powers_of_1024_and_the_rest_is_dropped() {
        for (text, value, dropped) in [
            ("12", 12, None),
            ("4k", 4096, None),
            ("1M", 1 << 20, None),
            ("1mib", 1 << 20, Some("ib")),
            ("3g", 3 << 30, None),
        ] {
            let read = number(text).unwrap();
            assert_eq!((read.value, read.dropped.as_deref()), (value, dropped));
        }
    }

    #[test]
    fn fractions_signs_and_words_are_refused() {
        for text in [
            "1.5m",
            "",
            "k",
            "-1",
            "99999999999999999999",
            "99999p",
            "4x",
        ] {
            assert!(number(text).is_err(), "{text}");
        }
    }
}
