//! `fathom list`: what is kept, newest first.

use super::answer;
use super::rows::{READ_MAX, reported};
use crate::args::ListArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::stored::Kind;
use crate::kinds::{FORM, KINDS};
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, report};
use analysis::columns::moment_span;
use model::{CommandError, ResultRow, contains_ignoring_case};
use std::ops::ControlFlow;
use store::{Pass, SessionSummary};
use tools::{Problem, Reader};

/// The row of `fathom list`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ListArgs>(
    "list",
    Group::Results,
    "List stored sessions, newest first",
    |words, environment| list(&parsed(words)?, environment),
)
.often();

const NUMBER_FORM: &str = "must be a whole number of sessions from 1: 10";
const DATE_FORM: &str = "must be 2026-11-21, 2026-11-21T10 or 2026-11-21T10:30";

/// What is looked for.
struct Wanted<'a> {
    args: &'a ListArgs,
    limit: Option<u32>,
    kind: Option<&'static Kind>,
    since_ns: Option<u64>,
    before_ns: Option<u64>,
    /// In lower case.
    words: Vec<String>,
    target: Option<String>,
}

/// Lists the sessions of the store.
pub(crate) fn list(args: &ListArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let wanted = Wanted::read(args)?;
    let store = keep::look(args.store.store.as_ref(), environment)?;
    let form = Form::of_list(args.json, environment);
    let Some(store) = store else {
        output::stream(&mut |out| report::Sessions::new(form).write(None, out))?;
        return Ok(Ending::Good);
    };
    // Results are read only where a session's own row is not enough.
    let pass = match wanted.asks_results() {
        true => Pass::SessionsWithResults,
        false => Pass::Sessions,
    };
    let mut found = report::Sessions::new(form);
    let read_max = (!args.json).then_some(READ_MAX as u32);
    let mut left = wanted.limit.or(read_max).unwrap_or(u32::MAX);
    let mut is_cut = false;
    let damaged = store.each_session(pass, &mut |session, rows| {
        if wanted.fits_own(session) && wanted.fits_results(session, rows) {
            is_cut = left == 0;
            if is_cut {
                return ControlFlow::Break(());
            }
            found.push(session);
            left -= 1;
        }
        match left {
            0 if wanted.limit.is_some() => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    let damaged = damaged.map_err(CommandError::failed)?;
    found.repair(|session| answer::of_session(&store, session));
    let filtered = !wanted.is_all();
    let some =
        filtered && found.is_empty() && store.has_sessions().map_err(CommandError::failed)?;
    if some && !args.json {
        output::print(b"no session fits; without words and filters all are listed\n")?;
    } else {
        output::stream(&mut |out| found.write(Some(store.path()), out))?;
    }
    if is_cut {
        output::tell(&format!(
            "the newest {READ_MAX} are listed, and there are more; hint: --number N, --json"
        ));
    }
    Ok(reported(&store, &damaged))
}

impl<'a> Wanted<'a> {
    fn read(args: &'a ListArgs) -> Result<Self, CommandError> {
        let mut reader = Reader::default();
        let limit = args
            .number
            .as_deref()
            .and_then(|text| reader.number("--number", text, NUMBER_FORM));
        if limit == Some(0) {
            reader.refuse(Problem::Value {
                option: "--number",
                read: "0".to_owned(),
                accepted: NUMBER_FORM,
            });
        }
        let kinds: Vec<(&str, &'static Kind)> =
            KINDS.iter().map(|kind| (kind.word, *kind)).collect();
        let kind = args.kind.as_deref();
        let kind = kind.and_then(|text| reader.word("--kind", text, &kinds, &FORM));
        let mut date = |option: &'static str, text: Option<&String>| {
            let span = moment_span(text?);
            if span.is_none() {
                reader.refuse(Problem::Value {
                    option,
                    read: text?.clone(),
                    accepted: DATE_FORM,
                });
            }
            span
        };
        let since = date("--since", args.since.as_ref());
        let until = date("--until", args.until.as_ref());
        let wanted = Wanted {
            args,
            limit,
            kind,
            since_ns: since.map(|(from, _)| from),
            before_ns: until.map(|(_, to)| to),
            words: args.words.iter().map(|word| word.to_lowercase()).collect(),
            target: args.target.as_ref().map(|word| word.to_lowercase()),
        };
        Ok(reader.finish(wanted)?)
    }

    fn is_all(&self) -> bool {
        let ListArgs {
            words,
            kind,
            target,
            tag,
            tool,
            since,
            until,
            number: _,
            json: _,
            store: _,
        } = self.args;
        let texts = [kind, target, tag, tool, since, until];
        words.is_empty() && texts.iter().all(|text| text.is_none())
    }

    /// By its own row.
    fn fits_own(&self, session: &SessionSummary) -> bool {
        let started = session.started_utc.0;
        self.kind.is_none_or(|kind| kind.stored() == session.kind)
            && self.since_ns.is_none_or(|since| started >= since)
            && self.before_ns.is_none_or(|before| started < before)
    }

    fn asks_results(&self) -> bool {
        let asked = [&self.args.target, &self.args.tag, &self.args.tool];
        !self.args.words.is_empty() || asked.iter().any(|asked| asked.is_some())
    }

    fn fits_results(&self, session: &SessionSummary, rows: &[ResultRow]) -> bool {
        let has = contains_ignoring_case;
        let args = self.args;
        let target = self.target.as_ref().is_none_or(|word| {
            has(&session.target, word) || rows.iter().any(|row| has(&row.target, word))
        });
        let mut tags = session
            .tags
            .iter()
            .chain(rows.iter().flat_map(|row| &row.tags));
        let tag = args
            .tag
            .as_ref()
            .is_none_or(|word| tags.any(|tag| tag == word));
        let tool = args
            .tool
            .as_ref()
            .is_none_or(|word| rows.iter().any(|row| row.tool == *word));
        let words = self.words.iter().all(|word| {
            let mut own = [session.target.as_str(), session.kind.name()].into_iter();
            let notes = session.notes.iter().map(|note| &note.value);
            let mut said = session.command.iter().chain(&session.tags).chain(notes);
            own.any(|text| has(text, word))
                || said.any(|text| has(text, word))
                || rows
                    .iter()
                    .any(|row| texts(row).any(|text| has(text, word)))
        });
        target && tag && tool && words
    }
}

/// The words of a result.
fn texts(row: &ResultRow) -> impl Iterator<Item = &str> {
    let said = [row.label.as_str(), &row.target, &row.tool].into_iter();
    let known = [&row.host, &row.source, &row.reason, &row.work.engine];
    let tags = row.tags.iter().map(String::as_str);
    let notes = row.notes.iter().map(|note| note.value.as_str());
    said.chain(known.into_iter().flatten().map(String::as_str))
        .chain(tags)
        .chain(notes)
}
