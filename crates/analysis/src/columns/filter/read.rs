//! From text to a filter.
//!
//! Grammar: `or` of `and` of comparisons; `not` and parentheses bind tighter. A comparison is a field, an operator and a
//! value in the field's unit.

use super::literal::{is_possible, literal, nothing};
use super::{Node, Operator};
use crate::columns::column;
use crate::columns::problem::Problem;

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

/// Everything that is wrong with it at once, or one problem at the place where it stops making sense.
pub(super) fn read(text: &str) -> Result<Node, Vec<Problem>> {
    let tokens = tokens(text).map_err(|problem| vec![problem])?;
    let mut reader = Reader {
        tokens: &tokens,
        problems: Vec::new(),
    };
    let node = reader.any(0).and_then(|node| reader.end().map(|()| node));
    let Reader { mut problems, .. } = reader;
    match node {
        Ok(node) if problems.is_empty() => Ok(node),
        Ok(_) => Err(problems),
        Err(problem) => {
            problems.push(problem);
            Err(problems)
        }
    }
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

/// More parentheses and `not`s in each other than any user writes; a bound, so that no text exhausts the stack.
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
            _ => Err(self.unexpected("the filter ends here, or continues with `and` or `or`")),
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

    /// Keeps what is wrong and goes on, so that all of it is reported.
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
