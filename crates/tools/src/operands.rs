//! Operands `name=value`, or options with dashes, by a table: the help, the manual and the reading come from its rows.
//!
//! Every operand that a tool has is a row: it is honoured, changes nothing for a reason, or is refused for one. Omitted: what
//! operands mean together, which each tool settles itself.

use std::fmt::Write;

/// What an operand does.
pub(crate) enum Apply<S> {
    /// A number in the tool's own spelling.
    Number(fn(&mut S) -> &mut Option<u64>),
    /// Any number but 0 asks for it.
    Flag(fn(&mut S) -> &mut bool),
    /// A text.
    Text(fn(&mut S, &str) -> Result<(), String>),
    /// Changes nothing, for this reason.
    Noted(&'static str),
    /// Is refused, for this reason.
    Refused(&'static str),
}

/// An operand.
pub(crate) struct Row<S> {
    pub(crate) name: &'static str,
    pub(crate) argument: &'static str,
    /// What it asks for.
    pub(crate) doc: &'static str,
    pub(crate) apply: Apply<S>,
}

/// How a tool reads operands.
pub(crate) struct Dialect<S: 'static> {
    pub(crate) tool: &'static str,
    pub(crate) rows: &'static [Row<S>],
    pub(crate) number: fn(&str) -> Option<u64>,
    /// What a number looks like.
    pub(crate) form: &'static str,
    /// They are options of a letter, or of several behind two dashes, and not operands.
    pub(crate) dashes: bool,
}

/// What reading them finds.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) notes: Vec<String>,
    pub(crate) problems: Vec<String>,
}

impl<S> Dialect<S> {
    /// Reads all words into the settings. Of an operand that is given twice the first counts or the last, depending on the
    /// tool, so it is refused.
    pub(crate) fn read(&self, words: &[String], settings: &mut S) -> Findings {
        let mut found = Findings::default();
        let mut seen: Vec<&str> = Vec::new();
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                found.problems.push(format!(
                    "`{}`: an operand is name=value",
                    model::printable(word)
                ));
                continue;
            };
            let Some(row) = self.rows.iter().find(|row| row.name == name) else {
                found.problems.push(self.unknown(name));
                continue;
            };
            if seen.contains(&name) {
                found
                    .problems
                    .push(format!("{name}=: it is given twice: omit one"));
                continue;
            }
            seen.push(name);
            self.apply(row, value, settings, &mut found);
        }
        found
    }

    /// Reads options: a value is behind a blank or `=`, or glued to its letter; flags may be joined. Of an option that is given
    /// twice the last one counts.
    pub(crate) fn read_options(&self, words: &[String], settings: &mut S) -> Findings {
        let mut found = Findings::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (names, value) = match word.split_once('=') {
                Some((names, value)) => (names, Some(value)),
                None => (word, None),
            };
            let mut joined = names.strip_prefix("--").unwrap_or(names);
            let is_long = joined.len() < names.len();
            if !is_long {
                joined = names.strip_prefix('-').unwrap_or_default();
            }
            if joined.is_empty() {
                let word = model::printable(word);
                let problem = format!("`{word}`: this belongs to no option of {}", self.tool);
                found.problems.push(problem);
            }
            while !joined.is_empty() {
                let length = match is_long {
                    true => joined.len(),
                    false => joined.chars().next().map_or(1, char::len_utf8),
                };
                let (name, behind) = joined.split_at(length);
                let row = self.rows.iter().find(|row| row.name == name);
                let Some(row) = row.filter(|row| is_long == (row.name.len() > 1)) else {
                    found.problems.push(self.unknown(name));
                    break;
                };
                let glued = (!behind.is_empty()).then_some(behind);
                let read = match row.argument {
                    "" => Some(value.unwrap_or("1")),
                    _ => value.or(glued).or_else(|| words.next()),
                };
                match read {
                    Some(value) => self.apply(row, value, settings, &mut found),
                    None => found.problems.push(format!(
                        "{}: a value is missing behind it",
                        self.spelled(name)
                    )),
                }
                joined = if row.argument.is_empty() { behind } else { "" };
            }
        }
        found
    }

    /// The name as it is written.
    fn spelled(&self, name: &str) -> String {
        match (self.dashes, name.chars().count()) {
            (false, _) => format!("{}=", model::printable(name)),
            (true, 1) => format!("-{}", model::printable(name)),
            (true, _) => format!("--{}", model::printable(name)),
        }
    }

    /// The name with its value.
    fn written(&self, row: &Row<S>, value: &str) -> String {
        match (self.dashes, row.argument) {
            (false, _) => format!("{}={value}", row.name),
            (true, "") => self.spelled(row.name),
            (true, _) => format!("{} {value}", self.spelled(row.name)),
        }
    }

    /// The help's lines: a row each.
    pub(crate) fn entries(&self, text: &mut String) {
        for row in self.rows {
            let mark = match row.apply {
                Apply::Noted(_) => " (changes nothing)",
                Apply::Refused(_) => " (refused)",
                _ => "",
            };
            let form = self.written(row, row.argument);
            crate::page::entry(text, &form, &format!("{}{mark}", row.doc));
        }
    }

    fn unknown(&self, name: &str) -> String {
        let longer = self
            .rows
            .iter()
            .find(|row| name.len() > usize::from(self.dashes) && row.name.starts_with(name));
        let hint = match longer {
            Some(row) => format!("; hint: {}", self.spelled(row.name)),
            None => String::new(),
        };
        let noun = if self.dashes { "option" } else { "operand" };
        format!(
            "{}: {} has no such {noun}{hint}",
            self.spelled(name),
            self.tool
        )
    }

    fn apply(&self, row: &Row<S>, value: &str, settings: &mut S, found: &mut Findings) {
        let (name, written) = (
            self.spelled(row.name),
            self.written(row, &model::printable(value)),
        );
        let shown = model::printable(value);
        let number = (self.number)(value);
        let unread = format!("invalid value '{shown}' for {name}: must be {}", self.form);
        match &row.apply {
            Apply::Number(of) if number.is_some() => *of(settings) = number,
            Apply::Flag(of) if self.dashes && number == Some(0) => *of(settings) = false,
            Apply::Flag(_) if number == Some(0) => found.problems.push(format!(
                "{name}0: {} takes any value for a yes: omit it",
                self.tool
            )),
            Apply::Flag(of) if number.is_some() => *of(settings) = true,
            Apply::Number(_) | Apply::Flag(_) => found.problems.push(unread),
            Apply::Text(set) => {
                if let Err(why) = set(settings, value) {
                    let problem = format!("invalid value '{shown}' for {name}: {why}");
                    found.problems.push(problem);
                }
            }
            Apply::Noted(why) => found.notes.push(format!("{written}: {why}")),
            Apply::Refused(why) => found.problems.push(format!("{written}: {why}")),
        }
    }

    /// The table of the manual, in Markdown.
    pub(crate) fn table(&self) -> String {
        let noun = if self.dashes { "option" } else { "operand" };
        let mut text = format!("| {noun} | meaning | here |\n|---|---|---|\n");
        for row in self.rows {
            let fate = match &row.apply {
                Apply::Number(_) | Apply::Flag(_) | Apply::Text(_) => "honoured".to_owned(),
                Apply::Noted(why) => format!("changes nothing: {why}"),
                Apply::Refused(why) => format!("refused: {why}"),
            };
            writeln!(
                text,
                "| `{}` | {} | {fate} |",
                self.written(row, row.argument).replace('|', "\\|"),
                row.doc
            )
            .expect("a String takes it");
        }
        text
    }
}

/// Operands, and whether each was given.
type GivenOperands<'a> = Vec<(&'a str, bool)>;

/// Notes on the operands that were given for an end that is none: whether it is none, the reason, and its operands.
pub(crate) fn without_effect<const N: usize>(
    ends: [(bool, &str, GivenOperands<'_>); N],
) -> Vec<String> {
    let none = ends.into_iter().filter(|(is_none, ..)| *is_none);
    let notes = none.flat_map(|(_, why, operands)| {
        let given = operands.into_iter().filter(|(_, is_given)| *is_given);
        given.map(move |(operand, _)| format!("{operand}: it has no effect: {why}"))
    });
    notes.collect()
}

/// Defines a row.
pub(crate) const fn row<S>(
    name: &'static str,
    argument: &'static str,
    doc: &'static str,
    apply: Apply<S>,
) -> Row<S> {
    Row {
        name,
        argument,
        doc,
        apply,
    }
}
