//! Batch files: `set`, `%X%`, `for`, `for /L`, blocks in brackets, lines that end with `^`.

use super::scan::{split, strip_word, unquoted, words};
use super::{Found, is_program, names_diskspd};
use std::collections::HashMap;

type Variables = HashMap<String, String>;

/// A statement with the line that it begins on.
#[derive(Clone)]
struct Statement {
    number: usize,
    text: String,
}

pub(super) fn read(text: &str, found: &mut Found) {
    let mut variables = Variables::new();
    run(&statements(text), &mut variables, found);
}

/// Lines with those that continue them, and blocks in brackets as one statement.
fn statements(text: &str) -> Vec<Statement> {
    let mut all: Vec<Statement> = Vec::new();
    let mut open: Option<Statement> = None;
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        let is_remark = line.starts_with("::") || strip_word(line, "rem").is_some();
        if is_remark || (line.is_empty() && open.is_none()) {
            continue;
        }
        let mut statement = open.take().unwrap_or(Statement {
            number,
            text: String::new(),
        });
        let (part, goes_on) = match line.strip_suffix('^') {
            Some(part) => (part, true),
            None => (line, false),
        };
        statement.text.push_str(part);
        if goes_on {
            statement.text.push(' ');
            open = Some(statement);
        } else if depth(&statement.text) > 0 {
            statement.text.push('\n');
            open = Some(statement);
        } else {
            all.push(statement);
        }
    }
    all.extend(open);
    all
}

fn depth(text: &str) -> i32 {
    let mut quoted = false;
    let mut depth = 0;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    depth
}

fn run(statements: &[Statement], variables: &mut Variables, found: &mut Found) {
    for statement in statements {
        if !found.goes_on() {
            return;
        }
        one(statement, variables, found);
    }
}

fn one(statement: &Statement, variables: &mut Variables, found: &mut Found) {
    let number = statement.number;
    let text = statement.text.trim().trim_start_matches('@').trim_start();
    if strip_word(text, "for").is_some() {
        return each(number, text, variables, found);
    }
    if strip_word(text, "if").is_some() {
        if names_diskspd(text) {
            found.unread(number, "it depends on a condition");
        }
        return;
    }
    for part in split(text, "&")
        .into_iter()
        .filter(|part| !part.trim().is_empty())
    {
        let part = part.trim();
        if let Some(rest) = strip_word(part, "set") {
            set(rest, variables);
            continue;
        }
        command(number, part, variables, found);
    }
}

/// `set X=1`, `set "X=1"`, `set /a X=Y+1`.
fn set(rest: &str, variables: &mut Variables) {
    let rest = rest.trim();
    let arithmetic = strip_word(rest, "/a");
    let Some((name, value)) = unquoted(arithmetic.unwrap_or(rest)).split_once('=') else {
        return;
    };
    let name = name
        .trim()
        .trim_end_matches(['+', '*'])
        .to_ascii_lowercase();
    match (arithmetic, expanded(value, variables)) {
        (None, Ok(value)) => variables.insert(name, value.trim().to_owned()),
        (Some(_), Ok(value)) if value.trim().parse::<i64>().is_ok() => {
            variables.insert(name, value.trim().to_owned())
        }
        _ => variables.remove(&name),
    };
}

/// A loop over words or numbers.
fn each(number: usize, text: &str, variables: &mut Variables, found: &mut Found) {
    let Some(head) = Loop::read(text, variables) else {
        if names_diskspd(text) {
            found.unread(number, "its loop has a form that is not followed");
        }
        return;
    };
    let body = head.body.trim();
    let inner = body
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let mut body = statements(inner.unwrap_or(body));
    for statement in &mut body {
        statement.number += number - 1;
    }
    let before = variables.get(&head.variable).cloned();
    for value in head.values {
        variables.insert(head.variable.clone(), value);
        run(&body, variables, found);
    }
    match before {
        Some(value) => variables.insert(head.variable, value),
        None => variables.remove(&head.variable),
    };
}

struct Loop<'t> {
    variable: String,
    values: Vec<String>,
    body: &'t str,
}

impl<'t> Loop<'t> {
    /// `for [/L] %%a in (…) do …`
    fn read(text: &'t str, variables: &Variables) -> Option<Loop<'t>> {
        let rest = strip_word(text, "for")?.trim_start();
        let (numbers, rest) = match strip_word(rest, "/l") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, rest),
        };
        let name = rest
            .split_whitespace()
            .next()
            .filter(|name| name.starts_with('%'))?;
        let rest = strip_word(rest[name.len()..].trim_start(), "in")?.trim_start();
        let close = rest.find(')')?;
        let set = expanded(rest.strip_prefix('(')?.get(..close - 1)?, variables).ok()?;
        let body = strip_word(rest[close + 1..].trim_start(), "do")?;
        let items = set
            .split([',', ';', ' ', '\t', '\n'])
            .filter(|item| !item.is_empty());
        let values: Vec<String> = items.map(|item| unquoted(item).to_owned()).collect();
        let values = match (
            numbers,
            values.iter().any(|value| value.contains(['*', '?'])),
        ) {
            (true, _) => counted(&values)?,
            (false, true) => return None,
            (false, false) => values,
        };
        Some(Loop {
            variable: format!("%%{}", name.trim_start_matches('%')),
            values,
            body,
        })
    }
}

/// From the first number in steps of the second to the third.
fn counted(values: &[String]) -> Option<Vec<String>> {
    let numbers: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
    let [from, step, to] = *numbers?.as_slice() else {
        return None;
    };
    if step == 0 {
        return None;
    }
    let in_range = |at: &i64| if step > 0 { *at <= to } else { *at >= to };
    let all = std::iter::successors(Some(from), |at| at.checked_add(step));
    let all = all.take_while(in_range).take(super::LINES_MAX + 1); // one more shows that there are too many
    Some(all.map(|at| at.to_string()).collect())
}

/// The text with the values of its variables, or the name of the one that has none.
fn expanded(text: &str, variables: &Variables) -> Result<String, String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['%', '!']) {
        whole.push_str(&rest[..at]);
        let sign = &rest[at..=at];
        let behind = &rest[at + 1..];
        if let Some(name) = behind.strip_prefix('%').filter(|_| sign == "%") {
            let letter = name
                .trim_start_matches('~')
                .chars()
                .next()
                .unwrap_or_default();
            let skipped = name.len() - name.trim_start_matches('~').len() + letter.len_utf8();
            let name_of = format!("%%{letter}");
            let value = variables.get(&name_of).ok_or(name_of)?;
            whole.push_str(value);
            rest = name.get(skipped..).unwrap_or_default();
            continue;
        }
        let digit = behind.starts_with(|letter: char| letter.is_ascii_digit() || letter == '~');
        if sign == "%" && digit {
            return Err("an argument of the script".to_owned());
        }
        let Some(end) = behind.find(sign) else {
            whole.push_str(sign);
            rest = behind;
            continue;
        };
        let name = behind[..end].to_ascii_lowercase();
        let value = variables.get(&name).ok_or(behind[..end].to_owned())?;
        whole.push_str(value);
        rest = &behind[end + 1..];
    }
    whole.push_str(rest);
    match whole.len() > super::VALUE_BYTES_MAX {
        true => Err(super::TOO_LONG.to_owned()),
        false => Ok(whole),
    }
}

fn command(number: usize, text: &str, variables: &Variables, found: &mut Found) {
    let expanded = match expanded(text, variables) {
        Ok(text) => text,
        Err(name) => {
            if names_diskspd(text) {
                found.unread(number, format!("{name} has no value in the script"));
            }
            return;
        }
    };
    let mut words = words(&expanded).into_iter().peekable();
    for skipped in ["start", "call", "cmd", "cmd.exe"] {
        if words
            .peek()
            .is_some_and(|word| word.eq_ignore_ascii_case(skipped))
        {
            words.next();
            while words
                .peek()
                .is_some_and(|word| word.starts_with('/') || *word == "\"\"")
            {
                words.next();
            }
        }
    }
    if !words.next().is_some_and(is_program) {
        let first = expanded.split_whitespace().next().unwrap_or_default();
        let shows = [
            "echo", "title", "cd", "copy", "del", "md", "mkdir", "pushd", "xcopy", "path",
        ];
        let shows = shows.iter().any(|word| first.eq_ignore_ascii_case(word));
        if names_diskspd(&expanded) && !shows && !first.starts_with([':', '>']) && first.len() > 1 {
            found.unread(number, "DISKSPD is not the first word of its command");
        }
        return;
    }
    let is_end = |word: &&str| {
        word.starts_with(['>', '|', '<']) || word.starts_with("2>") || word.starts_with("1>")
    };
    let own = words.take_while(|word| !is_end(word)).map(|word| {
        let cut = word.find('>').filter(|_| !word.starts_with('"'));
        unquoted(&word[..cut.unwrap_or(word.len())]).to_owned()
    });
    found.line(number, own.filter(|word| !word.is_empty()).collect());
}
