//! `block=8K and (write=0 or latency_p99 < 5ms)`: text to a question about a row.
//!
//! Grammar: `or` of `and` of comparisons; `not` and parentheses bind tighter. A comparison is a field, an operator and a
//! value in the field's unit. What is not known fits no comparison but `field = -`.

use super::choose::Problem;
use super::{Column, Unit, Value, column};
use model::{Bytes, Nanos, ResultRow};
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

/// Longest first, so that `<=` is not read as `<`.
const OPERATORS: [(&str, Operator); 9] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("!~", Operator::Lacks),
    ("=", Operator::Equal),
    ("<", Operator::Below),
    (">", Operator::Above),
    ("~", Operator::Contains),
];

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
        let tokens = tokens(text).map_err(|problem| vec![problem])?;
        let mut reader = Reader {
            tokens: &tokens,
            problems: Vec::new(),
        };
        let node = reader.any(0).and_then(|node| reader.end().map(|()| node));
        let Reader { mut problems, .. } = reader;
        match node {
            Ok(node) if problems.is_empty() => Ok(Filter(node)),
            Ok(_) => Err(problems),
            Err(problem) => {
                problems.push(problem);
                Err(problems)
            }
        }
    }

    /// Whether it fits.
    pub fn fits(&self, row: &ResultRow) -> bool {
        fits(&self.0, row)
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

fn same(text: &str, word: &str) -> bool {
    text.to_lowercase() == word.to_lowercase()
}

fn contains(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(&word.to_lowercase())
}

/// One piece of the text.
#[derive(Debug, PartialEq)]
enum Token {
    Open,
    Close,
    Operator(&'static str),
    Word(String),
    /// In quotes: never a keyword.
    Quoted(String),
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Problem> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let operator = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign));
        if letter.is_whitespace() {
            at += letter.len_utf8();
        } else if letter == '(' || letter == ')' {
            let token = if letter == '(' {
                Token::Open
            } else {
                Token::Close
            };
            tokens.push((at, token));
            at += 1;
        } else if let Some((sign, _)) = operator {
            tokens.push((at, Token::Operator(sign)));
            at += sign.len();
        } else if letter == '\'' || letter == '"' {
            let end = rest[1..].find(letter).ok_or_else(|| Problem::Syntax {
                at: at + 1,
                read: rest.to_owned(),
                accepted: format!("a quote {letter} is not closed"),
            })?;
            tokens.push((at, Token::Quoted(rest[1..=end].to_owned())));
            at += end + 2;
        } else {
            let ends = |c: char| c.is_whitespace() || "()<>=!~'\"".contains(c);
            let end = rest.find(ends).unwrap_or(rest.len()).max(1);
            tokens.push((at, Token::Word(rest[..end].to_owned())));
            at += end;
        }
    }
    Ok(tokens)
}

struct Reader<'a> {
    tokens: &'a [(usize, Token)],
    problems: Vec<Problem>,
}

/// More parentheses and `not`s in each other than anybody writes; a bound, so that no text exhausts the stack.
const NESTED_MAX: usize = 50;

impl Reader<'_> {
    fn take(&mut self) -> Option<&(usize, Token)> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = matches!(self.tokens.first(), Some((_, Token::Word(w))) if w.eq_ignore_ascii_case(word));
        if is {
            self.take();
        }
        is
    }

    /// What was expected instead of the next piece.
    fn unexpected(&self, accepted: &str) -> Problem {
        let (at, read) = match self.tokens.first() {
            None => (0, "the end".to_owned()),
            Some((at, Token::Open)) => (*at + 1, "(".to_owned()),
            Some((at, Token::Close)) => (*at + 1, ")".to_owned()),
            Some((at, Token::Operator(sign))) => (*at + 1, (*sign).to_owned()),
            Some((at, Token::Word(word) | Token::Quoted(word))) => (*at + 1, word.clone()),
        };
        Problem::Syntax {
            at,
            read,
            accepted: accepted.to_owned(),
        }
    }

    fn end(&self) -> Result<(), Problem> {
        match self.tokens {
            [] => Ok(()),
            _ => Err(self.unexpected("here the filter ends, or goes on with `and` or `or`")),
        }
    }

    fn any(&mut self, nested: usize) -> Result<Node, Problem> {
        let mut parts = vec![self.all(nested)?];
        while self.takes_word("or") {
            parts.push(self.all(nested)?);
        }
        Ok(Node::Any(parts))
    }

    fn all(&mut self, nested: usize) -> Result<Node, Problem> {
        let mut parts = vec![self.one(nested)?];
        while self.takes_word("and") {
            parts.push(self.one(nested)?);
        }
        Ok(Node::All(parts))
    }

    fn one(&mut self, nested: usize) -> Result<Node, Problem> {
        if nested > NESTED_MAX {
            return Err(self.unexpected("a filter is at most 50 parentheses deep"));
        }
        if self.takes_word("not") {
            return Ok(Node::Not(Box::new(self.one(nested + 1)?)));
        }
        if matches!(self.tokens.first(), Some((_, Token::Open))) {
            self.take();
            let inner = self.any(nested + 1)?;
            return match self.tokens.first() {
                Some((_, Token::Close)) => {
                    self.take();
                    Ok(inner)
                }
                _ => Err(self.unexpected("a parenthesis is not closed")),
            };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Node, Problem> {
        let Some((_, Token::Word(field))) = self.tokens.first() else {
            return Err(self.unexpected("here a field is named, as in `block=8K`"));
        };
        let field = field.clone();
        self.take();
        let Some((_, Token::Operator(sign))) = self.tokens.first() else {
            return Err(self.unexpected("after a field comes = != < <= > >= ~ (contains) or !~"));
        };
        let operator = OPERATORS.iter().find(|(known, _)| known == sign);
        let operator = operator.expect("signs come from this table").1;
        self.take();
        let Some((_, value @ (Token::Word(text) | Token::Quoted(text)))) = self.tokens.first()
        else {
            return Err(
                self.unexpected("after the operator comes a value, in quotes where it has spaces")
            );
        };
        let (value, quoted) = (text.clone(), matches!(value, Token::Quoted(_)));
        self.take();
        Ok(self.is(&field, operator, &value, quoted))
    }

    /// Keeps what is wrong and goes on, so that all of it is told.
    fn is(&mut self, field: &str, operator: Operator, value: &str, quoted: bool) -> Node {
        let Some(column) = column(field) else {
            self.problems.push(Problem::field(field));
            return Node::Wrong;
        };
        let literal = match value {
            "-" if !quoted => nothing(operator),
            value if !is_possible(column, operator, value) => Err(column.about),
            value => literal(column.unit, operator, value),
        };
        match literal {
            Ok(literal) => Node::Is {
                column,
                operator,
                literal,
            },
            Err(accepted) => {
                self.problems.push(Problem::Value {
                    field: column.name,
                    read: value.to_owned(),
                    accepted,
                });
                Node::Wrong
            }
        }
    }
}

/// Fields of which all words are known. Their description names them.
const CLOSED: [(&str, &[&str]); 4] = [
    ("kind", &["run", "survey", "sweep", "import"]),
    ("origin", &["measured", "imported", "missing"]),
    ("pattern", &["random", "sequential", "mixed", "stripe"]),
    ("cache", &["unbuffered", "cached", "local_off"]),
];

/// Whether any result can have this word: else `cache=off` would find nothing, and look like an answer.
fn is_possible(column: &Column, operator: Operator, value: &str) -> bool {
    let closed = CLOSED.iter().find(|(field, _)| *field == column.name);
    closed.is_none_or(|(_, words)| {
        !matches!(operator, Operator::Equal | Operator::Unequal)
            || words.iter().any(|word| same(word, value))
    })
}

fn nothing(operator: Operator) -> Result<Literal, &'static str> {
    match operator {
        Operator::Equal | Operator::Unequal => Ok(Literal::Nothing),
        _ => Err("- stands for what is not known: say = - or != -"),
    }
}

fn literal(unit: Unit, operator: Operator, value: &str) -> Result<Literal, &'static str> {
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
        Unit::Size => {
            size(value).ok_or("a size is a number of bytes, or one with K, M, G or T: 8K")
        }
        Unit::SizePerSecond => size(value.strip_suffix("/s").unwrap_or(value))
            .ok_or("a throughput is bytes a second with K, M, G or T: 500M"),
        Unit::Time => time(value).ok_or("a time has its unit: 1.5us, 5ms, 2s"),
        Unit::Count | Unit::Rate => number(value).ok_or("a number: 32, 50000, 50k, 1.2M"),
        Unit::Percent => {
            let digits = value.strip_suffix('%').unwrap_or(value);
            let percent = digits
                .parse()
                .ok()
                .filter(|p: &f64| (0.0..=100.0).contains(p));
            percent
                .map(Literal::Number)
                .ok_or("a percentage is from 0 to 100")
        }
        Unit::Moment => {
            moment(value).ok_or("a time in UTC: 2026-11-21, 2026-11-21T10 or 2026-11-21T10:30")
        }
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

/// In the Gregorian calendar. Years from 1970 to 2553, which is where nanoseconds end. Source: the rule of leap years.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let in_february = if leap(year) { 29 } else { 28 };
    let months = [31, in_february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let fits = (1970..=2553).contains(&year) && (1..=12).contains(&month);
    let length = *months.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if !fits || !(1..=length).contains(&day) {
        return None;
    }
    let years: u64 = (1970..year)
        .map(|year| if leap(year) { 366 } else { 365 })
        .sum();
    let before: u64 = months[..(month - 1) as usize].iter().sum();
    Some(years + before + day - 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cell, missing};
    use super::*;
    use proptest::prelude::*;

    fn fitting(filter: &str) -> Vec<u32> {
        let rows = [
            cell(1, 8, 4, 0),
            cell(2, 64, 8, 30),
            cell(3, 8, 16, 100),
            missing(4),
        ];
        let filter = Filter::read(filter).unwrap_or_else(|problems| panic!("{problems:?}"));
        rows.iter()
            .filter(|row| filter.fits(row))
            .map(|row| row.number)
            .collect()
    }

    #[test]
    fn units_are_understood_and_words_bind_as_expected() {
        for (filter, numbers) in [
            ("block=8K", vec![1, 3]),
            ("block=8K and write=0", vec![1]),
            ("block=64K or write=100%", vec![2, 3]),
            ("block=64K or block=8K and write=0", vec![1, 2]),
            ("(block=64K or block=8K) and not write=0", vec![2, 3]),
            ("latency_p99 < 5ms", vec![1]),
            ("latency_p99_ns >= 8000us", vec![2, 3]),
            ("iops > 6.2k", vec![1, 2]),
            ("throughput > 300M", vec![2]),
            ("threads != 4", vec![2, 3]),
            ("reason ~ SPACE", vec![4]),
            ("reason = -", vec![1, 2, 3]),
            ("tag = Baseline", vec![1, 2, 3]),
            ("tags != baseline", vec![4]),
            ("tags !~ base", vec![4]),
            ("tags != other and tags = -", vec![4]),
            ("BLOCK=64k AND Write_Percent=30", vec![2]),
            ("not latency_p99 < 5ms", vec![2, 3, 4]), // what is not known is not below
            ("latency_p99 != 4ms", vec![2, 3]),
            ("label = '8/4'", vec![1]),
            ("started = 2026-11-21", vec![1, 2, 3]),
            ("started < 2026-11-21T10:30", vec![1, 2, 3]),
            ("started > 2026-11-20", vec![1, 2, 3]),
            ("started > 2026-11-21", vec![]),
            ("id <= 12.2", vec![1, 2]),
            ("NOT (origin=missing)", vec![1, 2, 3]),
        ] {
            assert_eq!(fitting(filter), numbers, "{filter}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let told: Vec<String> =
            Filter::read("blok=8K and write=300 and latency_p99 < 5 and host < 3")
                .unwrap_err()
                .iter()
                .map(ToString::to_string)
                .collect();
        assert_eq!(told.len(), 4, "{told:#?}");
        assert!(
            told[0].starts_with("read `blok`; there is no such field; did you mean `block`?"),
            "{}",
            told[0]
        );
        assert_eq!(told[1], "write: read `300`; a percentage is from 0 to 100");
        assert_eq!(
            told[2],
            "latency_p99: read `5`; a time has its unit: 1.5us, 5ms, 2s"
        );
        assert!(told[3].starts_with("host: read `3`; words compare with"));
    }

    #[test]
    fn a_word_that_no_result_can_have_is_told_instead_of_finding_nothing() {
        for (filter, told) in [
            (
                "cache=off",
                "cache: read `off`; unbuffered, cached, local_off",
            ),
            (
                "pattern != rand",
                "pattern: read `rand`; random, sequential, mixed, stripe",
            ),
        ] {
            assert_eq!(Filter::read(filter).unwrap_err()[0].to_string(), told);
        }
        assert_eq!(fitting("pattern ~ rand and cache = -"), [1, 2, 3]);
        for (field, words) in CLOSED {
            let about = column(field).unwrap().about;
            assert!(words.iter().all(|word| about.contains(word)), "{about}");
        }
    }

    #[test]
    fn what_is_no_filter_is_told_with_its_place() {
        for (filter, told) in [
            ("", "at the end: here a field is named, as in `block=8K`"),
            (
                "block",
                "at the end: after a field comes = != < <= > >= ~ (contains) or !~",
            ),
            (
                "block=",
                "at the end: after the operator comes a value, in quotes where it has spaces",
            ),
            (
                "block=8K write=0",
                "at character 10, read `write`; here the filter ends, or goes on with `and` or `or`",
            ),
            ("(block=8K", "at the end: a parenthesis is not closed"),
            (
                "label='x",
                "at character 7, read `'x`; a quote ' is not closed",
            ),
        ] {
            let problems = Filter::read(filter).unwrap_err();
            assert_eq!(problems[0].to_string(), told);
        }
        assert!(Filter::read(&"(".repeat(1000)).is_err());
    }

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("2000-03-01", 951_868_800),
            ("2026-11-21T10:30", 1_795_257_000),
        ] {
            assert_eq!(
                moment_span(text).unwrap().0,
                seconds * 1_000_000_000,
                "{text}"
            );
        }
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "1969-12-31",
            "2026-11-21T24",
            "21.11.2026",
            "",
        ] {
            assert_eq!(moment_span(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_filter_panic(text in ".{0,60}", words in prop::collection::vec(
            prop::sample::select(vec!["(", ")", "not", "and", "or", "block", "=", "<", "8K", "'", "-", "started"]), 0..12)) {
            let _ = Filter::read(&text);
            let _ = Filter::read(&words.join(" "));
        }
    }
}
