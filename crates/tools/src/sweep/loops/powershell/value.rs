//! What an expression is: a text or a list of texts.

use super::super::brief;
use super::super::scan::{split, unquoted};
use std::collections::HashMap;

/// A text, or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
}

impl Value {
    pub(super) fn items(self) -> Vec<String> {
        match self {
            Value::Text(text) => vec![text],
            Value::List(items) => items,
        }
    }

    /// A list stands in a string with blanks between.
    pub(super) fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::List(items) => items.join(" "),
        }
    }

    /// Returns how long it is.
    fn bytes(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(|item| item.len() + 1).sum(),
        }
    }
}

/// Variables by name, in lower case; of some is known why they have no value.
#[derive(Default)]
pub(super) struct Variables {
    values: HashMap<String, Value>,
    reasons: HashMap<String, String>,
}

impl Variables {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(&key(name))
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        match value.bytes() > super::super::VALUE_BYTES_MAX {
            true => self.fail(name, super::super::TOO_LONG.to_owned()),
            false => {
                self.values.insert(key(name), value);
            }
        }
    }

    pub(super) fn add(&mut self, name: &str, value: Value) {
        let sum = match (self.values.remove(&key(name)), value) {
            (Some(Value::List(mut items)), value) => {
                items.extend(value.items());
                Value::List(items)
            }
            (Some(Value::Text(text)), value) => {
                match (number_of(&text), number_of(&value.text())) {
                    (Some(one), Some(other)) => Value::Text((one + other).to_string()),
                    _ => Value::Text(text + &value.text()),
                }
            }
            (None, value) => value,
        };
        self.set(name, sum);
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.values.remove(&key(name));
    }

    pub(super) fn fail(&mut self, name: &str, why: String) {
        self.forget(name);
        self.reasons.insert(key(name), why);
    }

    pub(super) fn number(&self, name: &str) -> Option<i64> {
        number_of(&self.get(name)?.text())
    }

    fn why_not(&self, name: &str) -> String {
        let why = self.reasons.get(&key(name)).filter(|why| why.len() < 200);
        match why {
            Some(why) => format!("${name} has no value in the script: {why}"),
            None => format!("${name} has no value in the script"),
        }
    }
}

fn key(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let plain = ["script:", "global:", "private:", "local:"]
        .iter()
        .find_map(|scope| name.strip_prefix(scope));
    plain.map_or(name.clone(), str::to_owned)
}

/// `8`, `64KB`: as PowerShell counts.
fn number_of(text: &str) -> Option<i64> {
    let text = text.trim();
    let units = [("kb", 10), ("mb", 20), ("gb", 30), ("tb", 40)];
    let lower = text.to_ascii_lowercase();
    for (unit, shift) in units {
        if let Some(digits) = lower.strip_suffix(unit) {
            return digits.parse::<i64>().ok()?.checked_mul(1 << shift);
        }
    }
    lower.parse().ok()
}

/// The value of an expression, or why it has none.
pub(super) fn of(text: &str, variables: &Variables) -> Result<Value, String> {
    let text = text.trim();
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) if rest.trim_start().starts_with(['$', '(', '"', '\'', '@']) => rest.trim(),
        _ => text,
    };
    if text.is_empty() {
        return Err("a value is missing".to_owned());
    }
    if let Some(list) = text
        .strip_prefix("@(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        return listed(list, variables);
    }
    let operators = [" -f ", " -split ", " -join "];
    for operator in operators {
        if let [left, right] = split_ignoring_case(text, operator)[..] {
            return apply(operator.trim(), left, right, variables);
        }
    }
    let items = split(text, ",");
    if items.len() > 1 {
        return listed(text, variables);
    }
    if let [first, last] = split(text, "..")[..]
        && !is_quoted(text)
    {
        return range(first, last, variables);
    }
    for sign in ["+", "*"] {
        let terms = split(text, sign);
        if terms.len() > 1 && !terms[0].trim().is_empty() {
            return folded(sign, &terms, variables);
        }
    }
    one(text, variables)
}

fn split_ignoring_case<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let pieces = split(text, sign);
    if pieces.len() > 1 {
        return pieces;
    }
    split(text, &sign.to_ascii_uppercase())
}

fn is_quoted(text: &str) -> bool {
    text.starts_with(['"', '\''])
}

fn listed(text: &str, variables: &Variables) -> Result<Value, String> {
    let mut items = Vec::new();
    for line in split(text, "\n") {
        for item in split(line, ",")
            .into_iter()
            .filter(|item| !item.trim().is_empty())
        {
            items.extend(of(item, variables)?.items());
        }
    }
    Ok(Value::List(items))
}

fn range(first: &str, last: &str, variables: &Variables) -> Result<Value, String> {
    let number = |text: &str| {
        let value = of(text, variables)?.text();
        number_of(&value).ok_or_else(|| format!("`{value}` is no number"))
    };
    let (first, last) = (number(first)?, number(last)?);
    let count = usize::try_from(first.abs_diff(last)).unwrap_or(usize::MAX);
    if count >= super::super::LINES_MAX {
        return Err("a range of more than 10000 numbers".to_owned());
    }
    let up = (first..=last).map(|number| number.to_string());
    let down = (last..=first).rev().map(|number| number.to_string());
    Ok(Value::List(if first <= last {
        up.collect()
    } else {
        down.collect()
    }))
}

/// Sums and products of numbers; of other things + joins.
fn folded(sign: &str, terms: &[&str], variables: &Variables) -> Result<Value, String> {
    let mut values = Vec::new();
    for term in terms {
        values.push(of(term, variables)?);
    }
    let numbers: Option<Vec<i64>> = values
        .iter()
        .map(|value| number_of(&value.text()))
        .collect();
    if let Some(numbers) = numbers {
        let start = if sign == "+" { 0 } else { 1 };
        let whole = numbers
            .iter()
            .try_fold(start, |sum: i64, number| match sign {
                "+" => sum.checked_add(*number),
                _ => sum.checked_mul(*number),
            });
        let whole = whole.ok_or("a number is too large")?;
        return Ok(Value::Text(whole.to_string()));
    }
    if sign == "*" {
        return Err("a product of words".to_owned());
    }
    if values.iter().any(|value| matches!(value, Value::List(_))) {
        return Ok(Value::List(
            values.into_iter().flat_map(Value::items).collect(),
        ));
    }
    Ok(Value::Text(values.iter().map(Value::text).collect()))
}

fn apply(operator: &str, left: &str, right: &str, variables: &Variables) -> Result<Value, String> {
    let (left, right) = (of(left, variables)?, of(right, variables)?);
    Ok(match operator {
        "-f" => {
            let mut text = left.text();
            for (place, item) in right.items().into_iter().enumerate() {
                text = text.replace(&format!("{{{place}}}"), &item);
            }
            Value::Text(text)
        }
        "-split" => {
            let sign = right.text();
            let sign = if sign == "\\s+" { " ".to_owned() } else { sign };
            Value::List(
                left.text()
                    .split(sign.as_str())
                    .map(|item| item.trim().to_owned())
                    .collect(),
            )
        }
        _ => Value::Text(left.items().join(&right.text())),
    })
}

/// A string, a number, a variable, or something in brackets.
fn one(text: &str, variables: &Variables) -> Result<Value, String> {
    if let Some(inner) = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    {
        return Ok(Value::Text(inner.to_owned()));
    }
    if text.starts_with('"') && text.ends_with('"') && text.len() > 1 {
        return interpolated(&text[1..text.len() - 1], variables).map(Value::Text);
    }
    if let Some(inner) = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        return of(inner, variables);
    }
    if let Some(list) = text
        .split_once(".Split(")
        .or_else(|| text.split_once(".split("))
    {
        let sign = unquoted(list.1.trim_end_matches(')'));
        let sign = if sign.is_empty() { " " } else { sign };
        let items = one(list.0, variables)?.text();
        let items = items.split(sign).filter(|item| !item.is_empty());
        return Ok(Value::List(items.map(str::to_owned).collect()));
    }
    if let Some(name) = text.strip_prefix('$') {
        let name = name.trim_start_matches('{').trim_end_matches('}');
        let plain = name
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_:".contains(letter));
        if !plain {
            return Err(format!("`{}` is not followed", brief(text)));
        }
        let value = variables.get(name).cloned();
        return value.ok_or_else(|| variables.why_not(name));
    }
    if number_of(text).is_some() {
        return Ok(Value::Text(match number_of(text) {
            Some(number) if text.bytes().any(|byte| byte.is_ascii_alphabetic()) => {
                number.to_string()
            }
            _ => text.to_owned(),
        }));
    }
    Err(format!("`{}` is not followed", brief(text)))
}

/// A string in double quotation marks with the values of its variables.
pub(super) fn interpolated(text: &str, variables: &Variables) -> Result<String, String> {
    let mut whole = String::new();
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        match letters[at] {
            '`' => {
                match letters.get(at + 1) {
                    Some('n' | 'r' | 't') => whole.push(' '),
                    Some(letter) => whole.push(*letter),
                    None => {}
                }
                at += 2;
            }
            '$' => {
                let (value, length) = variable(&letters[at + 1..], variables)?;
                whole.push_str(&value);
                at += 1 + length;
            }
            letter => {
                whole.push(letter);
                at += 1;
            }
        }
    }
    Ok(whole)
}

/// The value behind a dollar sign, and how many letters name it.
fn variable(letters: &[char], variables: &Variables) -> Result<(String, usize), String> {
    let until = |from: usize, open: char, close: char| {
        let mut depth = 0;
        for (at, letter) in letters.iter().enumerate().skip(from) {
            depth += i32::from(*letter == open) - i32::from(*letter == close);
            if depth == 0 {
                return at;
            }
        }
        letters.len()
    };
    match letters.first() {
        Some('(') => {
            let end = until(0, '(', ')');
            let inner: String = letters[1..end].iter().collect();
            Ok((of(&inner, variables)?.text(), (end + 1).min(letters.len())))
        }
        Some('{') => {
            let end = until(0, '{', '}');
            let name: String = letters[1..end].iter().collect();
            let value = variables
                .get(&name)
                .ok_or_else(|| variables.why_not(&name))?;
            Ok((value.text(), (end + 1).min(letters.len())))
        }
        _ => {
            let is_name = |letter: &&char| letter.is_alphanumeric() || **letter == '_';
            let name: String = letters.iter().take_while(is_name).collect();
            if name.is_empty() {
                return Ok(("$".to_owned(), 0));
            }
            let value = variables
                .get(&name)
                .ok_or_else(|| variables.why_not(&name))?;
            Ok((value.text(), name.chars().count()))
        }
    }
}
