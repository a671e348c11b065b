//! `block=8K and (write=0 or latency_p99 < 5ms)`: text to a question about a row.
//!
//! Read in this order: what a filter is and which rows fit it (here), `read` (text to filter), `literal` (the values of
//! each unit). What is not known fits no comparison but `field = -`.

mod literal;
mod read;
#[cfg(test)]
mod tests;

use super::problem::Problem;
use super::{Column, Unit, Value};
pub use literal::moment_span;
use literal::same;
use model::ResultRow;
use std::cmp::Ordering;

/// A question about a row.
#[derive(Debug)]
pub struct Filter(Node);

#[derive(Debug)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Is {
        column: &'static Column,
        operator: Operator,
        literal: Literal,
    },
    /// Stands where something was wrong, until all problems are found.
    Wrong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Below,
    AtMost,
    Above,
    AtLeast,
    Contains,
    Lacks,
}

#[derive(Debug)]
enum Literal {
    Nothing,
    Number(f64),
    /// From the first nanosecond of a day, hour or minute to the first after it.
    Span(u64, u64),
    Name(u64, u32),
    Text(String),
    Truth(bool),
}

impl Filter {
    /// Reads a filter.
    ///
    /// Errors: everything that is wrong with it at once; a text that is no filter at all gives one problem, at the place
    /// where it stops making sense.
    pub fn read(text: &str) -> Result<Filter, Vec<Problem>> {
        read::read(text).map(Filter)
    }

    /// Whether it fits.
    pub fn fits(&self, row: &ResultRow) -> bool {
        fits(&self.0, row)
    }

    /// Returns whether it compares one of these fields.
    pub fn is_of(&self, fields: &[&str]) -> bool {
        self.0.is_of(fields)
    }

    /// Returns the words that a field is compared with for equality, for a caller who knows which are possible.
    pub fn words_of(&self, field: &str) -> Vec<&str> {
        let mut words = Vec::new();
        self.0.collect_words(field, &mut words);
        words
    }
}

impl Node {
    fn is_of(&self, fields: &[&str]) -> bool {
        match self {
            Node::All(parts) | Node::Any(parts) => parts.iter().any(|part| part.is_of(fields)),
            Node::Not(part) => part.is_of(fields),
            Node::Is { column, .. } => fields.contains(&column.name),
            Node::Wrong => false,
        }
    }

    fn collect_words<'a>(&'a self, field: &str, words: &mut Vec<&'a str>) {
        match self {
            Node::All(parts) | Node::Any(parts) => {
                parts
                    .iter()
                    .for_each(|part| part.collect_words(field, words));
            }
            Node::Not(part) => part.collect_words(field, words),
            Node::Is {
                column,
                operator: Operator::Equal | Operator::Unequal,
                literal: Literal::Text(word),
            } if column.name == field => words.push(word),
            Node::Is { .. } | Node::Wrong => {}
        }
    }
}

fn fits(node: &Node, row: &ResultRow) -> bool {
    match node {
        Node::All(parts) => parts.iter().all(|part| fits(part, row)),
        Node::Any(parts) => parts.iter().any(|part| fits(part, row)),
        Node::Not(part) => !fits(part, row),
        Node::Is {
            column,
            operator,
            literal,
        } => match (column.unit, (column.read)(row)) {
            // a result without tags is known to have none
            (Unit::Tags, Value::Nothing) if !matches!(literal, Literal::Nothing) => {
                compare(&Value::Tags(Vec::new()), *operator, literal)
            }
            (_, value) => compare(&value, *operator, literal),
        },
        Node::Wrong => false,
    }
}

fn compare(value: &Value, operator: Operator, literal: &Literal) -> bool {
    use Operator::{Contains, Equal, Lacks, Unequal};
    match (value, literal) {
        (value, Literal::Nothing) => (*value == Value::Nothing) == (operator == Equal),
        (Value::Nothing, _) => false,
        (Value::Tags(tags), Literal::Text(word)) => {
            let is = |tag: &String| match operator {
                Equal | Unequal => same(tag, word),
                _ => contains(tag, word),
            };
            tags.iter().any(is) == matches!(operator, Equal | Contains)
        }
        (Value::Text(text), Literal::Text(word)) => match operator {
            Equal => same(text, word),
            Unequal => !same(text, word),
            Contains => contains(text, word),
            Lacks => !contains(text, word),
            _ => false, // refused when it was read
        },
        (Value::Whole(at), Literal::Span(from, to)) => {
            let order = match at {
                at if at < from => Ordering::Less,
                at if at >= to => Ordering::Greater,
                _ => Ordering::Equal,
            };
            holds(operator, order)
        }
        (Value::Name(session, number), Literal::Name(s, n)) => {
            holds(operator, (session, number).cmp(&(s, n)))
        }
        (Value::Truth(is), Literal::Truth(wanted)) => holds(operator, is.cmp(wanted)),
        (value, Literal::Number(wanted)) => value
            .number()
            .is_some_and(|number| holds(operator, number.total_cmp(wanted))),
        _ => false,
    }
}

fn holds(operator: Operator, order: Ordering) -> bool {
    match operator {
        Operator::Equal => order.is_eq(),
        Operator::Unequal => order.is_ne(),
        Operator::Below => order.is_lt(),
        Operator::AtMost => order.is_le(),
        Operator::Above => order.is_gt(),
        Operator::AtLeast => order.is_ge(),
        Operator::Contains | Operator::Lacks => false,
    }
}

fn contains(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(&word.to_lowercase())
}
