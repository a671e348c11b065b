//! `-rd`: text → ranges, the tail that makes them whole, and the rules they follow.
//!
//! Where the ranges lie on a real target is the engine's business.

use super::number::digits;
use super::profile::Distribution;

const FORM: &str = "must be -rdpct<IO%>/<target%> or -rdabs<IO%>/<size>, more of them after colons, as in \
                   -rdpct90/10:5/20; IO% is from 0 to 100, target% from 1 to 100, a size above 0";

/// Reads what follows `-rd`.
///
/// # Errors
/// A sentence on what is accepted.
pub(super) fn read(
    text: &str,
    size: impl Fn(&str) -> Option<u64>,
) -> Result<Distribution, &'static str> {
    let percent = |value: u64| u8::try_from(value).ok().filter(|value| *value <= 100);
    let pairs = |list: &str| -> Option<Vec<(u8, u64)>> {
        list.split(':')
            .map(|pair| {
                let (io, part) = pair.split_once('/')?;
                let part = size(part).filter(|part| *part > 0)?;
                Some((digits(io).and_then(percent)?, part))
            })
            .collect()
    };
    if let Some(list) = text.strip_prefix("pct") {
        let plain = list
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b':'));
        let ranges = pairs(list).filter(|_| plain).ok_or(FORM)?;
        let ranges: Option<Vec<(u8, u8)>> = ranges
            .into_iter()
            .map(|(io, part)| Some((io, percent(part)?)))
            .collect();
        return Ok(Distribution::Percent(with_percent_tail(
            ranges.ok_or(FORM)?,
        )));
    }
    let list = text.strip_prefix("abs").ok_or(FORM)?;
    Ok(Distribution::Absolute(with_absolute_tail(
        pairs(list).ok_or(FORM)?,
    )))
}

/// What is missing to 100 % of the I/Os goes to the rest of the target; a rest of 0 is one that is not there, which
/// the rules refuse.
pub(super) fn with_percent_tail(mut ranges: Vec<(u8, u8)>) -> Vec<(u8, u8)> {
    if let Some(left) = io_left(ranges.iter().map(|(io, _)| *io)) {
        let covered: u32 = ranges.iter().map(|(_, part)| u32::from(*part)).sum();
        let rest = u8::try_from(100u32.saturating_sub(covered)).expect("at most 100");
        ranges.push((left, rest));
    }
    ranges
}

/// As for percentages; a length of 0 in last place is "to the end".
pub(super) fn with_absolute_tail(mut ranges: Vec<(u8, u64)>) -> Vec<(u8, u64)> {
    if let Some(left) = io_left(ranges.iter().map(|(io, _)| *io)) {
        ranges.push((left, 0));
    }
    ranges
}

fn io_left(ios: impl Iterator<Item = u8>) -> Option<u8> {
    let given: u32 = ios.map(u32::from).sum();
    100u32
        .checked_sub(given)
        .and_then(|left| u8::try_from(left).ok())
        .filter(|left| *left > 0)
}

/// What is wrong with the ranges for I/Os of this size, if anything.
pub(super) fn problem(distribution: &Distribution, block: u32) -> Option<String> {
    match distribution {
        Distribution::Uniform => None,
        Distribution::Percent(ranges) => percent_problem(ranges),
        Distribution::Absolute(ranges) => absolute_problem(ranges, u64::from(block)),
    }
}

fn percent_problem(ranges: &[(u8, u8)]) -> Option<String> {
    let ios: u32 = ranges.iter().map(|(io, _)| u32::from(*io)).sum();
    let parts: u32 = ranges.iter().map(|(_, part)| u32::from(*part)).sum();
    if ios > 100 {
        return Some(format!(
            "-rd: the shares of I/O add up to {ios} %; 100 % is all there is"
        ));
    }
    if let Some((left, 0)) = ranges.last()
        && parts == 100
    {
        return Some(format!(
            "-rd: the target is covered and {left} % of the I/Os are left; give them a part of it"
        ));
    }
    (parts != 100)
        .then(|| format!("-rd: the parts of the target add up to {parts} %; they must be 100 %"))
}

fn absolute_problem(ranges: &[(u8, u64)], block: u64) -> Option<String> {
    let ios: u32 = ranges.iter().map(|(io, _)| u32::from(*io)).sum();
    if ios > 100 {
        return Some(format!(
            "-rd: the shares of I/O add up to {ios} %; 100 % is all there is"
        ));
    }
    let mut end: u64 = 0;
    for (place, (_, length)) in ranges.iter().enumerate() {
        let open_end = *length == 0 && place + 1 == ranges.len();
        if *length < block && !open_end {
            return Some(format!(
                "-rd: read a range of {length} bytes; a range has at least one block of {block} bytes"
            ));
        }
        let Some(next) = end.checked_add(*length) else {
            return Some("-rd: the ranges together are longer than 2^64 bytes".to_owned());
        };
        end = next;
    }
    None
}
