//! The content of a field, and how values compare.

use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;

/// In what a value is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PageUnit")]
pub enum Unit {
    /// Words.
    #[default]
    Text,
    /// The name of a result.
    Name,
    /// Several words.
    Tags,
    /// A whole number.
    Count,
    /// Whole percent.
    Percent,
    /// A second.
    Rate,
    /// Bytes.
    Size,
    /// Bytes a second.
    SizePerSecond,
    /// Nanoseconds.
    Time,
    /// Nanoseconds since 1970 in UTC.
    Moment,
    /// Yes or no.
    Truth,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Not known.
    Nothing,
    /// Session and number.
    Name(u64, u32),
    /// Words.
    Text(Box<str>),
    /// Several words.
    Tags(Vec<String>),
    /// A whole number in the field's unit.
    Whole(u64),
    /// A number in the field's unit.
    Real(f64),
    /// Yes or no.
    Truth(bool),
}

impl Value {
    /// Of something that may not be known.
    pub fn whole(value: Option<u64>) -> Value {
        value.map_or(Value::Nothing, Value::Whole)
    }

    /// Of something that may not be known. What is no number is not known.
    pub fn real(value: Option<f64>) -> Value {
        value
            .filter(|v| v.is_finite())
            .map_or(Value::Nothing, Value::Real)
    }

    /// Of something that may not be known.
    pub fn text(value: Option<&str>) -> Value {
        value
            .filter(|text| !text.is_empty())
            .map_or(Value::Nothing, |text| Value::Text(text.into()))
    }

    /// As a number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Whole(number) => Some(*number as f64),
            Value::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// The order of rows: numbers by size, words as in a dictionary, what is not known last.
    pub fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Nothing, Value::Nothing) => Ordering::Equal,
            (Value::Nothing, _) => Ordering::Greater,
            (_, Value::Nothing) => Ordering::Less,
            (Value::Name(a, m), Value::Name(b, n)) => (a, m).cmp(&(b, n)),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Tags(a), Value::Tags(b)) => a.cmp(b),
            (Value::Truth(a), Value::Truth(b)) => a.cmp(b),
            (Value::Whole(a), Value::Whole(b)) => a.cmp(b),
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => Ordering::Equal, // a field has one kind of value
            },
        }
    }
}
