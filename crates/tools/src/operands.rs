//! Operands `name=value` by a table: the help, the manual and the reading come from its rows.
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

    fn unknown(&self, name: &str) -> String {
        let longer = self
            .rows
            .iter()
            .find(|row| !name.is_empty() && row.name.starts_with(name));
        let hint = match longer {
            Some(row) => format!("; hint: {}=", row.name),
            None => String::new(),
        };
        format!(
            "{}=: {} has no such operand{hint}",
            model::printable(name),
            self.tool
        )
    }

    fn apply(&self, row: &Row<S>, value: &str, settings: &mut S, found: &mut Findings) {
        let name = row.name;
        let shown = model::printable(value);
        let number = (self.number)(value);
        let unread = format!("invalid value '{shown}' for {name}=: must be {}", self.form);
        match &row.apply {
            Apply::Number(of) if number.is_some() => *of(settings) = number,
            Apply::Flag(_) if number == Some(0) => found.problems.push(format!(
                "{name}=0: {} takes any value for a yes: omit it",
                self.tool
            )),
            Apply::Flag(of) if number.is_some() => *of(settings) = true,
            Apply::Number(_) | Apply::Flag(_) => found.problems.push(unread),
            Apply::Text(set) => {
                if let Err(why) = set(settings, value) {
                    let problem = format!("invalid value '{shown}' for {name}=: {why}");
                    found.problems.push(problem);
                }
            }
            Apply::Noted(why) => found.notes.push(format!("{name}={shown}: {why}")),
            Apply::Refused(why) => found.problems.push(format!("{name}={shown}: {why}")),
        }
    }

    /// The table of the manual, in Markdown.
    pub(crate) fn table(&self) -> String {
        let mut text = String::from("| operand | meaning | here |\n|---|---|---|\n");
        for row in self.rows {
            let fate = match &row.apply {
                Apply::Number(_) | Apply::Flag(_) | Apply::Text(_) => "honoured".to_owned(),
                Apply::Noted(why) => format!("changes nothing: {why}"),
                Apply::Refused(why) => format!("refused: {why}"),
            };
            writeln!(
                text,
                "| `{}={}` | {} | {fate} |",
                row.name,
                row.argument.replace('|', "\\|"),
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
