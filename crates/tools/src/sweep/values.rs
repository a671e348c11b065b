//! Lists and ranges: `8K,64K`, `2..16` (2, 4, 8, 16), `2..8+2` (2, 4, 6, 8).
//!
//! A range has to come out: its last value is the one that was specified. Otherwise a user who meant every number gets
//! a few of them, and finds out after hours.

use super::fields::Kind;
use super::problem::Problem;
use crate::refusal::Problems;

/// Most values of one list: as many as a sweep may have cells.
pub(super) const VALUES_MAX: usize = 10_000;

/// Whether a text is more than one value.
pub(super) fn is_several(kind: Kind, text: &str) -> bool {
    text.contains(',') || (kind.is_number() && text.contains(".."))
}

/// Every value of a list, in its shortest form. What is wrong goes to `problems`.
pub(super) fn expand(
    kind: Kind,
    place: &str,
    text: &str,
    problems: &mut Problems<Problem>,
) -> Vec<String> {
    let mut values = Vec::new();
    for item in text.split(',').map(str::trim) {
        match one(kind, place, item) {
            Ok(found) => values.extend(found),
            Err(problem) => problems.push(problem),
        }
        if values.len() > VALUES_MAX {
            // Before the rest of it is taken apart: a few kilobytes of text may be thousands of long ranges.
            problems.push(Problem::Value {
                place: place.to_owned(),
                read: item.to_owned(),
                accepted: format!(
                    "this has more than {VALUES_MAX} values, the most that a sweep accepts"
                ),
            });
            return Vec::new();
        }
    }
    values
}

fn one(kind: Kind, place: &str, item: &str) -> Result<Vec<String>, Problem> {
    let value = |read: &str, accepted: &str| Problem::Value {
        place: place.to_owned(),
        read: read.to_owned(),
        accepted: accepted.to_owned(),
    };
    if item.is_empty() {
        return Err(value(
            item,
            "must have a value between any two commas: 1,2,4",
        ));
    }
    if kind == Kind::Size && item.contains(':') {
        return Ok(vec![item.to_owned()]); // the lines of a mix, joined by `+`: their reader reports what is wrong
    }
    match kind {
        Kind::Word => return Ok(vec![item.to_owned()]),
        Kind::Switch => {
            return match item {
                "true" | "false" => Ok(vec![item.to_owned()]),
                _ => Err(value(item, "must be true or false")),
            };
        }
        Kind::Size | Kind::Time | Kind::Percent | Kind::Count => {}
    }
    let number = |text: &str| {
        let read = kind.number(text);
        read.map_err(|error| value(&error.read, error.accepted))
    };
    let Some((from, to)) = item.split_once("..") else {
        return Ok(vec![kind.text(number(item)?)]);
    };
    let (to, step) = match to.split_once('+') {
        Some((to, step)) => (to, Some(number(step)?)),
        None => (to, None),
    };
    let range = range(kind, number(from)?, number(to)?, step);
    let numbers = range.map_err(|why| Problem::Range {
        place: place.to_owned(),
        read: item.to_owned(),
        why,
    })?;
    Ok(numbers
        .into_iter()
        .map(|number| kind.text(number))
        .collect())
}

fn range(kind: Kind, from: u64, to: u64, step: Option<u64>) -> Result<Vec<u64>, String> {
    let text = |number| kind.text(number);
    if to < from {
        return Err(format!(
            "a range goes up: specify {}..{}",
            text(to),
            text(from)
        ));
    }
    let next = |last: u64| match step {
        Some(step) => last.checked_add(step),
        None => last.checked_mul(2),
    };
    if step == Some(0) || (step.is_none() && from == 0) {
        return Err("this never gets on: a range doubles from 1 or more (1..8), or adds a step of 1 or more (0..100+25)".to_owned());
    }
    let mut numbers = vec![from];
    while let Some(number) = next(numbers[numbers.len() - 1]).filter(|number| *number <= to) {
        numbers.push(number);
        if numbers.len() > VALUES_MAX {
            return Err(format!(
                "these are more than {VALUES_MAX} values: give fewer, or a larger step"
            ));
        }
    }
    let last = numbers[numbers.len() - 1];
    if last == to {
        return Ok(numbers);
    }
    let by = match step {
        Some(step) => format!("adding {}", text(step)),
        None => "doubling".to_owned(),
    };
    let shorter = match step {
        Some(step) => format!("{}..{}+{}", text(from), text(last), text(step)),
        None => format!("{}..{}", text(from), text(last)),
    };
    Err(format!(
        "{by} from {} goes past {}: specify {shorter}, or {}..{}+STEP for equal steps",
        text(from),
        text(to),
        text(from),
        text(to)
    ))
}
