//! Numbers and fields of text, from bytes.
//!
//! Omitted: any format.

use crate::error::Flaw;
use model::Nanos;
use model::trace::{TRACE_LENGTH_MAX, TraceFlags, TraceOperation};

const NS_PER_S: u64 = 1_000_000_000;

/// Splits a line into exactly `N` fields or more; what follows them is ignored.
pub(crate) fn columns<'a, const N: usize>(
    line: &'a [u8],
    columns: &'static str,
) -> Result<[&'a [u8]; N], Flaw> {
    let mut fields = [&line[..0]; N];
    let mut found = 0;
    for (field, text) in fields.iter_mut().zip(line.split(|&byte| byte == b',')) {
        *field = text.trim_ascii();
        found += 1;
    }
    if found < N {
        return Err(Flaw::new(line, "line", &format!("must be {columns}")));
    }
    Ok(fields)
}

/// Returns the words of a line, which blanks separate.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
}

/// Returns the number of digits alone; `None` for anything else and above 2^64 - 1.
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    text.iter().try_fold(0u64, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10)
            .then_some(number)?
            .checked_mul(10)?
            .checked_add(u64::from(digit))
    })
}

/// Reads a whole number.
pub(crate) fn whole(text: &[u8], name: &str) -> Result<u64, Flaw> {
    digits(text).ok_or_else(|| Flaw::new(text, name, "must be a whole number, at most 2^64 - 1"))
}

/// Reads a number of a thread or a process.
pub(crate) fn thread(text: &[u8], name: &str) -> Result<u32, Flaw> {
    let number = digits(text).and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| Flaw::new(text, name, "must be a whole number below 2^32"))
}

/// Reads a whole number of units of `unit` each.
pub(crate) fn scaled(text: &[u8], name: &str, unit: u64) -> Result<u64, Flaw> {
    let number = digits(text).and_then(|number| number.checked_mul(unit));
    number.ok_or_else(|| {
        let most = u64::MAX / unit;
        Flaw::new(
            text,
            name,
            &format!("must be a whole number, at most {most}"),
        )
    })
}

/// Reads a hexadecimal number, with or without 0x.
pub(crate) fn hexadecimal(text: &[u8], name: &str) -> Result<u64, Flaw> {
    let bare = text.strip_prefix(b"0x").unwrap_or(text);
    let number = str::from_utf8(bare)
        .ok()
        .filter(|text| !text.starts_with('+'));
    number
        .and_then(|text| u64::from_str_radix(text, 16).ok())
        .ok_or_else(|| Flaw::new(text, name, "must be a hexadecimal number below 2^64"))
}

/// Reads seconds with up to nine decimals; further ones are dropped.
pub(crate) fn seconds(text: &[u8], name: &str) -> Result<Nanos, Flaw> {
    seconds_of(text).ok_or_else(|| {
        Flaw::new(
            text,
            name,
            "must be seconds with decimals, at most 18446744073",
        )
    })
}

fn seconds_of(text: &[u8]) -> Option<Nanos> {
    let (whole, decimals) = match text.iter().position(|&byte| byte == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &text[..0]),
    };
    let whole = if whole.is_empty() && !decimals.is_empty() {
        0
    } else {
        digits(whole)?
    };
    let kept = &decimals[..decimals.len().min(9)];
    let fraction = if kept.is_empty() { 0 } else { digits(kept)? };
    let fraction = fraction * 10u64.pow(9 - kept.len() as u32);
    if !decimals.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(Nanos(whole.checked_mul(NS_PER_S)?.checked_add(fraction)?))
}

/// Reads an operation by its first letter, R or W in either case.
pub(crate) fn read_or_write(text: &[u8], name: &str) -> Result<TraceOperation, Flaw> {
    match text {
        b"R" | b"r" | b"Read" | b"read" => Ok(TraceOperation::Read),
        b"W" | b"w" | b"Write" | b"write" => Ok(TraceOperation::Write),
        _ => Err(Flaw::new(
            text,
            name,
            "must be a read (R, Read) or a write (W, Write)",
        )),
    }
}

/// Reads the kernel's letters for an operation and its marks; `None` for one that moves no data.
///
/// A leading F before another operation is a flush of the cache before it, which is not an I/O of its own.
pub(crate) fn rwbs(text: &[u8]) -> Result<Option<(TraceOperation, TraceFlags)>, Flaw> {
    let accepted = "must be letters of the kernel: R, W, D, F or N, then F, A, S, M";
    let flaw = || Flaw::new(text, "operation", accepted);
    let after_flush = match text {
        [b'F', rest @ ..] if rest.first().is_some_and(|next| b"RWD".contains(next)) => rest,
        _ => text,
    };
    let (&first, marks) = after_flush.split_first().ok_or_else(flaw)?;
    let operation = match first {
        b'R' => TraceOperation::Read,
        b'W' => TraceOperation::Write,
        b'D' => TraceOperation::Discard,
        b'F' => TraceOperation::Flush,
        b'N' => return Ok(None),
        _ => return Err(flaw()),
    };
    let mut flags = TraceFlags::default();
    for &mark in marks {
        let known = TraceFlags::ALL
            .iter()
            .find(|(letter, _)| *letter == char::from(mark));
        match known {
            Some((_, flag)) => flags = flags.with(*flag),
            None if b"EU".contains(&mark) => {} // secure erase, atomic
            None => return Err(flaw()),
        }
    }
    Ok(Some((operation, flags)))
}

/// A write without data that flushes the cache before it is a flush, as the kernel queues it: `FWS 0 + 0`.
pub(crate) fn flush_of(operation: TraceOperation, letters: &[u8], length: u64) -> TraceOperation {
    match (operation, letters.first()) {
        (TraceOperation::Write, Some(b'F')) if length == 0 => TraceOperation::Flush,
        _ => operation,
    }
}

/// Checks the range of an I/O.
pub(crate) fn check_range(operation: TraceOperation, offset: u64, length: u64) -> Result<(), Flaw> {
    if operation.transfers() && length > TRACE_LENGTH_MAX.0 {
        let read = length.to_string();
        return Err(Flaw::new(read.as_bytes(), "length", "must be at most 1GiB"));
    }
    match offset.checked_add(length) {
        Some(end) if i64::try_from(end).is_ok() => Ok(()),
        _ => {
            let read = offset.to_string();
            Err(Flaw::new(
                read.as_bytes(),
                "offset",
                "must end below 2^63 bytes",
            ))
        }
    }
}

/// Returns whether a line is this header, in any case of letters.
pub(crate) fn header_is(line: &[u8], header: &str) -> bool {
    let line = line.get(..header.len());
    line.is_some_and(|line| line.eq_ignore_ascii_case(header.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_digits_only_and_do_not_wrap() {
        assert_eq!(digits(b"18446744073709551615"), Some(u64::MAX));
        for text in [
            "",
            "+1",
            "-1",
            " 1",
            "1.0",
            "0x1",
            "18446744073709551616",
            "999999999999999999999",
        ] {
            assert_eq!(digits(text.as_bytes()), None, "{text}");
        }
        assert_eq!(hexadecimal(b"0x1F", "x"), Ok(31));
        assert!(hexadecimal(b"+1", "x").is_err() && hexadecimal(b"", "x").is_err());
        assert!(scaled(b"36028797018963968", "x", 512).is_err());
    }

    #[test]
    fn seconds_keep_nanoseconds() {
        for (text, ns) in [
            ("0.000000001", 1),
            ("1", 1_000_000_000),
            (".5", 500_000_000),
            ("2.", 2_000_000_000),
            ("0.1234567899", 123_456_789),
        ] {
            assert_eq!(seconds(text.as_bytes(), "x"), Ok(Nanos(ns)), "{text}");
        }
        for text in [
            "",
            ".",
            "1e3",
            "1.2.3",
            "-1",
            "99999999999",
            "1.1234567890x",
        ] {
            assert!(seconds(text.as_bytes(), "x").is_err(), "{text}");
        }
    }

    #[test]
    fn the_letters_of_the_kernel_are_operations_and_marks() {
        let of = |text: &[u8]| rwbs(text).unwrap();
        let sync = TraceFlags::SYNC;
        assert_eq!(of(b"WS"), Some((TraceOperation::Write, sync)));
        assert_eq!(
            of(b"FWFS"),
            Some((TraceOperation::Write, sync.with(TraceFlags::FUA)))
        );
        assert_eq!(
            of(b"F"),
            Some((TraceOperation::Flush, TraceFlags::default()))
        );
        assert_eq!(of(b"FF"), Some((TraceOperation::Flush, TraceFlags::FUA)));
        assert_eq!(
            of(b"DE"),
            Some((TraceOperation::Discard, TraceFlags::default()))
        );
        assert_eq!(of(b"N"), None);
        assert!(rwbs(b"").is_err() && rwbs(b"Rx").is_err());
    }
}
