//! Statements that start DISKSPD, in the ways that PowerShell has.

use super::super::scan::{split, strip_word, unquoted, words};
use super::super::{Found, is_program};
use super::is_of_diskspd;
use super::value::{self, Value, Variables};

/// Whether the statement runs a program.
pub(super) fn starts(text: &str) -> bool {
    let text = bare(text);
    let first = words(text).into_iter().next().unwrap_or_default();
    // A string or a variable alone is a value; `&` runs it.
    let named = is_program(first) && !first.starts_with(['"', '\'', '$']);
    let runs = [
        "&",
        "start-process",
        "invoke-expression",
        "iex",
        "cmd",
        "cmd.exe",
        "saps",
        "start",
    ];
    named || text.starts_with('&') || runs.contains(&first.to_ascii_lowercase().as_str())
}

/// Whether a statement that is not followed would start DISKSPD, as far as its words and variables show.
pub(super) fn seems_to_start(text: &str, variables: &Variables) -> bool {
    let right = super::assignment(text).map_or(text, |(_, _, right)| right);
    starts(right)
        && (is_of_diskspd(text)
            || seems_program(bare(right), variables)
            || is_open(bare(right), variables))
}

fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    inner.unwrap_or(text).trim()
}

fn of_variable(word: &str, variables: &Variables) -> Option<String> {
    let word = word.trim_start_matches('&').trim_matches('"');
    if !word.contains('$') {
        return None;
    }
    value::interpolated(word, variables).ok()
}

/// Adds the command line that a statement starts, or why it has none.
pub(super) fn start(number: usize, text: &str, variables: &Variables, found: &mut Found) {
    let text = bare(split(text, "|")[0]);
    let first = words(text).into_iter().next().unwrap_or_default();
    let lower = first.to_ascii_lowercase();
    let line = match lower.as_str() {
        "start-process" | "saps" | "start" => process(text, variables),
        "invoke-expression" | "iex" => {
            let rest = &text[first.len()..];
            let rest = strip_word(rest.trim(), "-Command").unwrap_or(rest);
            expression(rest, variables)
        }
        "cmd" | "cmd.exe" => {
            let rest = text[first.len()..].trim_start();
            let rest = strip_word(rest, "/c").or_else(|| strip_word(rest, "/k"));
            rest.map_or(Ok(None), |rest| expression(rest, variables))
        }
        _ => call(text, variables),
    };
    match line {
        Ok(Some(words)) => found.line(number, words),
        Ok(None) => {}
        Err(why)
            if is_of_diskspd(text)
                || seems_program(text, variables)
                || (starts(text) && is_open(text, variables)) =>
        {
            found.unread(number, why);
        }
        Err(_) => {}
    }
}

/// Whether what is run stands in a variable without a value, so that it may be DISKSPD.
fn is_open(text: &str, variables: &Variables) -> bool {
    let mut parts = words(text).into_iter();
    let first = parts.next().unwrap_or_default();
    let what = match first.strip_prefix('&') {
        Some(inner) if !inner.is_empty() => inner,
        _ => parts.next().unwrap_or_default(),
    };
    what.starts_with('$') && of_variable(what, variables).is_none()
}

fn seems_program(text: &str, variables: &Variables) -> bool {
    let first = words(text.trim_start_matches('&'))
        .into_iter()
        .next()
        .unwrap_or_default();
    of_variable(first, variables).is_some_and(|name| is_program(&name))
}

type Started = Result<Option<Vec<String>>, String>;

/// `& $exe -b8K $target`.
fn call(text: &str, variables: &Variables) -> Started {
    let is_call = text.starts_with('&');
    let text = text.trim_start_matches('&').trim_start();
    let mut rest = words(text).into_iter();
    let first = rest.next().unwrap_or_default();
    let program = match first
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
    {
        Some(inner) if is_call => value::of(inner, variables)?.text(),
        _ => of_variable(first, variables).unwrap_or_else(|| unquoted(first).to_owned()),
    };
    if !is_program(&program) {
        return Ok(None);
    }
    let mut own = Vec::new();
    for word in rest {
        let is_end =
            word.starts_with(['>', '<', '|']) || word.starts_with("2>") || word.starts_with("*>");
        if is_end {
            break;
        }
        own.extend(argument(word, variables)?);
    }
    Ok(Some(own))
}

/// One word of a call, which may be a list, or a string with several.
fn argument(word: &str, variables: &Variables) -> Result<Vec<String>, String> {
    let listed = |value: Value| match value {
        Value::List(items) => items,
        Value::Text(text) if text.starts_with('-') && text.contains(' ') => words(&text)
            .into_iter()
            .map(|word| unquoted(word).to_owned())
            .collect(),
        Value::Text(text) => vec![text],
    };
    if let Some(name) = word
        .strip_prefix('@')
        .filter(|name| !name.starts_with(['(', '{']))
    {
        return value::of(&format!("${name}"), variables).map(listed);
    }
    let is_expression = word.starts_with(['(', '"', '\'']) || word.starts_with("@(");
    let splits = word.to_ascii_lowercase().contains(".split(");
    let is_variable = word.starts_with('$') && (splits || !word.contains(['\\', '/', '.']));
    if is_expression || (is_variable && !word.contains(',')) {
        match value::of(word, variables) {
            Ok(value) => return Ok(listed(value)),
            Err(why) if is_expression || splits => return Err(why),
            Err(_) => {}
        }
    }
    let text = value::interpolated(&word.replace(['"', '\''], ""), variables)?;
    Ok(vec![text])
}

/// `Start-Process -FilePath X -ArgumentList Y`.
fn process(text: &str, variables: &Variables) -> Started {
    let mut program = None;
    let mut list = None;
    let mut words = words(text).into_iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let lower = word.to_ascii_lowercase();
        let taken = |words: &mut std::iter::Peekable<_>| -> Option<String> {
            let mut whole: String = words.next().map(str::to_owned)?;
            while whole.trim_end().ends_with(',')
                || words
                    .peek()
                    .is_some_and(|next: &&str| next.starts_with(','))
            {
                whole.push(' ');
                whole.push_str(words.next()?);
            }
            Some(whole)
        };
        match lower.as_str() {
            "-filepath" => program = words.next(),
            "-argumentlist" | "-args" | "-arguments" => list = taken(&mut words),
            "-redirectstandardoutput"
            | "-redirectstandarderror"
            | "-workingdirectory"
            | "-windowstyle"
            | "-verb"
            | "-credential" => {
                words.next();
            }
            _ if lower.starts_with('-') => {}
            _ if program.is_none() => program = Some(word),
            _ if list.is_none() => list = Some(word.to_owned()),
            _ => {}
        }
    }
    let Some(program) = program else {
        return Ok(None);
    };
    let name = of_variable(program, variables).unwrap_or_else(|| unquoted(program).to_owned());
    let list = match list {
        Some(list) => value::of(&list, variables)?,
        None => Value::List(Vec::new()),
    };
    if !is_program(&name) {
        let shell = name.to_ascii_lowercase();
        let text = list.text();
        let behind = strip_word(text.trim(), "/c").map(|rest| unquoted(rest).to_owned());
        return Ok(match behind {
            Some(line) if shell.contains("cmd") => command_line(&line),
            _ => None,
        });
    }
    Ok(command_line(&format!("diskspd {}", list.text())))
}

/// A string that is run as a command.
fn expression(text: &str, variables: &Variables) -> Started {
    let text = text.trim();
    let line = match value::of(text, variables) {
        Ok(value) => value.text(),
        Err(why) if text.starts_with(['"', '(', '$']) => return Err(why),
        Err(_) => value::interpolated(text, variables)?,
    };
    Ok(command_line(&line))
}

/// The words of a whole command line, if it starts DISKSPD.
fn command_line(line: &str) -> Option<Vec<String>> {
    let line = line.trim().trim_start_matches('&').trim_start();
    let mut words = words(line).into_iter();
    if !words.next().is_some_and(is_program) {
        return None;
    }
    let is_end = |word: &&str| word.starts_with(['>', '|', '<']) || word.starts_with("2>");
    let own = words.take_while(|word| !is_end(word));
    Some(own.map(|word| unquoted(word).to_owned()).collect())
}
