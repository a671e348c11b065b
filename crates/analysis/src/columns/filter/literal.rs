//! The values that a comparison names, each in the unit of its field.
//!
//! Deliberately absent: where they stand in the text (`read`).

use super::{Literal, Operator};
use crate::columns::{Column, Unit};
use model::calendar::days_since_1970;
use model::{Bytes, Nanos};

/// Fields of which all words are known. Their description names them.
pub(super) const CLOSED: [(&str, &[&str]); 4] = [
    ("origin", &["measured", "imported", "missing"]),
    (
        "pattern",
        &[
            "random",
            "sequential",
            "mixed",
            "stripe",
            "permuted",
            "zipf",
            "pareto",
            "normal",
            "interleaved",
            "trace",
        ],
    ),
    ("cache", &["unbuffered", "cached", "local_off"]),
    ("verdict", &["VALID", "CAUTION", "INVALID", "NOT CHECKED"]),
];

/// Whether any result can have this word: else `cache=off` would find nothing, and look like an answer.
pub(super) fn is_possible(column: &Column, operator: Operator, value: &str) -> bool {
    let closed = CLOSED.iter().find(|(field, _)| *field == column.name);
    closed.is_none_or(|(_, words)| {
        !matches!(operator, Operator::Equal | Operator::Unequal)
            || words.iter().any(|word| same(word, value))
    })
}

pub(super) fn nothing(operator: Operator) -> Result<Literal, &'static str> {
    match operator {
        Operator::Equal | Operator::Unequal => Ok(Literal::Nothing),
        _ => Err("- means unknown: use = - or != -"),
    }
}

pub(super) fn literal(
    unit: Unit,
    operator: Operator,
    value: &str,
) -> Result<Literal, &'static str> {
    use Operator::{Contains, Equal, Lacks, Unequal};
    let is_text = matches!(unit, Unit::Text | Unit::Tags);
    if is_text && !matches!(operator, Equal | Unequal | Contains | Lacks) {
        return Err("words compare with = != ~ (contains) and !~");
    }
    if !is_text && matches!(operator, Contains | Lacks) {
        return Err("~ and !~ are for words; numbers compare with = != < <= > >=");
    }
    match unit {
        Unit::Text | Unit::Tags => Ok(Literal::Text(value.to_owned())),
        Unit::Size => size(value).ok_or("must be a number of bytes, or one with K, M, G or T: 8K"),
        Unit::SizePerSecond => size(value.strip_suffix("/s").unwrap_or(value))
            .ok_or("must be bytes a second with K, M, G or T: 500M"),
        Unit::Time => time(value).ok_or("must be a time with its unit: 1.5us, 5ms, 2s"),
        Unit::Count | Unit::Rate => number(value).ok_or("must be a number: 32, 50000, 50k, 1.2M"),
        Unit::Percent => {
            let digits = value.strip_suffix('%').unwrap_or(value);
            let percent = digits
                .parse()
                .ok()
                .filter(|p: &f64| (0.0..=100.0).contains(p));
            percent.map(Literal::Number).ok_or("must be from 0 to 100")
        }
        Unit::Moment => moment(value)
            .ok_or("must be a time in UTC: 2026-11-21, 2026-11-21T10 or 2026-11-21T10:30"),
        Unit::Name => name(value).ok_or("the name of a result: 12.3"),
        Unit::Truth => match value.to_lowercase().as_str() {
            "yes" | "true" | "1" => Ok(Literal::Truth(true)),
            "no" | "false" | "0" => Ok(Literal::Truth(false)),
            _ => Err("yes or no"),
        },
    }
}

fn size(value: &str) -> Option<Literal> {
    let bytes: Bytes = value.parse().ok()?;
    Some(Literal::Number(bytes.0 as f64))
}

fn time(value: &str) -> Option<Literal> {
    if value == "0" {
        return Some(Literal::Number(0.0));
    }
    let ns: Nanos = value.parse().ok()?;
    Some(Literal::Number(ns.0 as f64))
}

/// Counts of I/Os go by thousands.
fn number(value: &str) -> Option<Literal> {
    let value = value.strip_suffix("/s").unwrap_or(value);
    let (digits, scale) = match value.chars().last()? {
        'k' | 'K' => (&value[..value.len() - 1], 1e3),
        'M' => (&value[..value.len() - 1], 1e6),
        'G' => (&value[..value.len() - 1], 1e9),
        _ => (value, 1.0),
    };
    let plain = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = digits.parse().ok().filter(|_| plain)?;
    Some(Literal::Number(number * scale))
}

fn name(value: &str) -> Option<Literal> {
    let (session, number) = value.split_once('.')?;
    Some(Literal::Name(session.parse().ok()?, number.parse().ok()?))
}

/// A day, an hour or a minute in UTC.
fn moment(value: &str) -> Option<Literal> {
    let (from, to) = moment_span(value)?;
    Some(Literal::Span(from, to))
}

/// First nanosecond since 1970 in UTC of a day (`2026-11-21`), hour (`2026-11-21T10`) or minute (`2026-11-21T10:30`),
/// and the first after it.
pub fn moment_span(text: &str) -> Option<(u64, u64)> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let mut part = |digits: usize| {
        let text = parts.next().filter(|text| text.len() == digits)?;
        text.parse::<u64>().ok()
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let days = days_since_1970(year, month, day).filter(|_| parts.next().is_none())?;
    let (minutes, length) = match clock {
        None => (0, 24 * 60),
        Some(clock) => minutes(clock)?,
    };
    const MINUTE: u64 = 60_000_000_000;
    let from = (days * 24 * 60 + minutes) * MINUTE;
    Some((from, from + length * MINUTE))
}

/// Minutes since midnight, and how many are meant.
fn minutes(clock: &str) -> Option<(u64, u64)> {
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, minute)) => (hour, Some(minute)),
        None => (clock, None),
    };
    let two = |text: &str, below: u64| {
        let number = text.parse().ok().filter(|_| text.len() == 2);
        number.filter(|number: &u64| *number < below)
    };
    let hour = two(hour, 24)?;
    match minute {
        None => Some((hour * 60, 60)),
        Some(minute) => Some((hour * 60 + two(minute, 60)?, 1)),
    }
}

/// Words compare ignoring case.
pub(super) fn same(text: &str, word: &str) -> bool {
    text.to_lowercase() == word.to_lowercase()
}
