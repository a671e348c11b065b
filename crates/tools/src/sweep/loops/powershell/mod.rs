//! PowerShell: variables, lists, ranges, `foreach`, `ForEach-Object`, `for`, strings with variables, here-strings, and the
//! ways to start a program: its name, `&`, `Start-Process`, `Invoke-Expression`, `cmd /c`.
//!
//! `tree` takes the script apart into statements and blocks, `value` computes what stands in them. Omitted: functions and
//! conditions, whose lines with DISKSPD are listed as unread.

mod start;
mod tree;
mod value;

use super::scan::{split, strip_word};
use super::{Found, names_diskspd};
use tree::Node;
use value::{Value, Variables};

pub(super) fn read(text: &str, found: &mut Found) {
    let nodes = tree::nodes(text);
    let mut variables = Variables::default();
    run(&nodes, &mut variables, found);
}

fn run(nodes: &[Node], variables: &mut Variables, found: &mut Found) {
    for node in nodes {
        if !found.goes_on() {
            return;
        }
        match node {
            Node::Statement { number, text } => statement(*number, text, variables, found),
            Node::Block { head, body } => block(head, body, variables, found),
        }
    }
}

fn statement(number: usize, text: &str, variables: &mut Variables, found: &mut Found) {
    if let Some((name, sign, right)) = assignment(text) {
        if start::starts(right) {
            start::start(number, right, variables, found);
            variables.forget(name);
            return;
        }
        let value = value::of(right, variables);
        match (sign, value) {
            ('=', Ok(value)) => variables.set(name, value),
            ('+', Ok(value)) => variables.add(name, value),
            (_, Err(why)) => variables.fail(name, why),
            _ => variables.forget(name),
        }
        return;
    }
    if let Some(list) = strip_word(text, "param").and_then(inside) {
        return parameters(list, variables);
    }
    step(text, variables);
    start::start(number, text, variables, found);
}

/// `param([int]$n = 4, $target)`: each has its default, if any.
fn parameters(list: &str, variables: &mut Variables) {
    for item in split(list, ",") {
        let Some(at) = item.find('$') else { continue };
        if let Some((name, '=', right)) = assignment(&item[at..])
            && let Ok(value) = value::of(right, variables)
        {
            variables.set(name, value);
        } else {
            let name = item[at + 1..].trim();
            variables.fail(name, "it is a parameter without a default".to_owned());
        }
    }
}

/// `$x++`.
fn step(text: &str, variables: &mut Variables) {
    let text = text.trim();
    let by = match (text.strip_suffix("++"), text.strip_suffix("--")) {
        (Some(name), _) => (name, 1),
        (_, Some(name)) => (name, -1),
        _ => return,
    };
    if let Some(name) = by.0.trim().strip_prefix('$')
        && let Some(number) = variables.number(name)
    {
        variables.set(name, Value::Text((number + by.1).to_string()));
    }
}

/// `$x = …` and `$x += …`: the name, the sign, the right side.
fn assignment(text: &str) -> Option<(&str, char, &str)> {
    let text = text.trim();
    let rest = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or(text, |(_, rest)| rest.trim());
    let rest = rest.strip_prefix('$')?;
    let end =
        rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':')?;
    let (name, rest) = rest.split_at(end);
    let rest = rest.trim_start();
    let (sign, right) = match rest.strip_prefix("+=") {
        Some(right) => ('+', right),
        None => ('=', rest.strip_prefix('=')?),
    };
    let is_comparison = right.starts_with('=');
    (!is_comparison).then(|| (name, sign, right.trim()))
}

fn block(head: &str, body: &[Node], variables: &mut Variables, found: &mut Found) {
    let head = head.trim();
    let lower = head.to_ascii_lowercase();
    if let Some(rest) =
        strip_word(head, "foreach").filter(|rest| rest.trim_start().starts_with('('))
    {
        let inner = inside(rest);
        let parts = inner.and_then(|inner| {
            let at = inner.to_ascii_lowercase().find(" in ")?;
            Some((inner[..at].trim().strip_prefix('$')?, &inner[at + 4..]))
        });
        return match parts {
            Some((name, list)) => each(name, list, body, variables, found),
            None => refuse(
                body,
                variables,
                "its loop has a form that is not followed",
                found,
            ),
        };
    }
    let piped = ["%", "foreach-object", "foreach"].iter().find_map(|word| {
        let list = lower.strip_suffix(word)?.trim_end().strip_suffix('|')?;
        Some(&head[..list.len()])
    });
    if let Some(list) = piped {
        return each("_", list, body, variables, found);
    }
    if let Some(rest) = strip_word(head, "for") {
        return counted(rest, body, variables, found);
    }
    let always = ["", "try", "begin", "process", "end", "finally", "do"];
    if always.contains(&lower.as_str()) {
        return run(body, variables, found);
    }
    let what = lower.split([' ', '(']).next().unwrap_or_default();
    let why = match what {
        "if" | "elseif" | "else" | "switch" => "it depends on a condition",
        "while" | "until" => "its loop depends on a condition",
        "function" | "filter" | "workflow" => "it is in a function",
        _ => "it is in a block that is not followed",
    };
    refuse(body, variables, why, found);
}

/// What stands in the brackets that a text begins with.
fn inside(text: &str) -> Option<&str> {
    text.trim().strip_prefix('(')?.strip_suffix(')')
}

/// Lists the lines of a block that start DISKSPD.
fn refuse(body: &[Node], variables: &Variables, why: &str, found: &mut Found) {
    for node in body {
        match node {
            Node::Statement { number, text } if start::seems_to_start(text, variables) => {
                found.unread(*number, why);
            }
            Node::Statement { .. } => {}
            Node::Block { body, .. } => refuse(body, variables, why, found),
        }
    }
}

fn each(name: &str, list: &str, body: &[Node], variables: &mut Variables, found: &mut Found) {
    let values = match value::of(list, variables) {
        Ok(value) => value.items(),
        Err(why) => return refuse(body, variables, &why, found),
    };
    let before = variables.get(name).cloned();
    for value in values {
        variables.set(name, Value::Text(value));
        run(body, variables, found);
    }
    match before {
        Some(value) => variables.set(name, value),
        None => variables.forget(name),
    }
}

/// `for ($i = 1; $i -le 8; $i *= 2)`.
fn counted(head: &str, body: &[Node], variables: &mut Variables, found: &mut Found) {
    let Some(values) = inside(head).and_then(|head| numbers(head, variables)) else {
        return refuse(
            body,
            variables,
            "its loop has a form that is not followed",
            found,
        );
    };
    for value in values.1 {
        variables.set(&values.0, Value::Text(value.to_string()));
        run(body, variables, found);
    }
}

fn numbers(head: &str, variables: &Variables) -> Option<(String, Vec<i64>)> {
    let [first, while_, next] = split(head, ";")[..] else {
        return None;
    };
    let (name, _, right) = assignment(first)?;
    let number = |text: &str| -> Option<i64> {
        let value = value::of(text, variables).ok()?;
        value.text().trim().parse().ok()
    };
    let words: Vec<&str> = while_.split_whitespace().collect();
    let [left, comparison, limit @ ..] = words.as_slice() else {
        return None;
    };
    if !left.trim_start_matches('$').eq_ignore_ascii_case(name) {
        return None;
    }
    let limit = number(&limit.join(" "))?;
    let holds = |at: i64| match comparison.to_ascii_lowercase().as_str() {
        "-le" => at <= limit,
        "-lt" => at < limit,
        "-ge" => at >= limit,
        "-gt" => at > limit,
        "-ne" => at != limit,
        _ => false,
    };
    let next = next.trim().trim_start_matches('$');
    let rest = next.get(name.len()..)?.trim();
    let after = |at: i64| -> Option<i64> {
        if rest == "++" {
            return at.checked_add(1);
        }
        if rest == "--" {
            return at.checked_sub(1);
        }
        for (sign, apply) in [
            ("+=", i64::checked_add as fn(i64, i64) -> Option<i64>),
            ("-=", i64::checked_sub),
            ("*=", i64::checked_mul),
            ("/=", i64::checked_div),
        ] {
            if let Some(by) = rest.strip_prefix(sign) {
                return apply(at, number(by)?);
            }
        }
        None
    };
    let mut values = Vec::new();
    let mut at = number(right)?;
    while holds(at) && values.len() <= super::LINES_MAX {
        values.push(at);
        at = after(at)?;
    }
    Some((name.to_owned(), values))
}

/// Whether a text is worth a message.
fn is_of_diskspd(text: &str) -> bool {
    names_diskspd(text)
}
