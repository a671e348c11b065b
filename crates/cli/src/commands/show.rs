//! `fathom show ID`: a result again, as it was printed when it was measured.

use super::survey;
use crate::args::ShowArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::report::Form;
use crate::{keep, output, report};
use dialects::native;
use model::{Plan, RunRecord, Target, Timespan};
use store::{RunName, Session, SessionKind, StoredRun};

/// Prints a session, or one run of it.
pub(crate) fn show(args: &ShowArgs, environment: &Environment) -> Result<Ending, Failure> {
    let name: RunName = args.id.parse().map_err(Failure::refused)?;
    let store = keep::look(args.store.as_ref(), environment)?;
    let store = store.ok_or_else(|| {
        Failure::refused(format!(
            "{name}: nothing is kept yet: measure something first (fathom survey)"
        ))
    })?;
    let session = store.load(name.session).map_err(Failure::refused)?;
    let form = Form {
        json: args.json,
        kept: Some((name, store.path())),
        place_named: args.store.is_some(),
    };
    let result = match (session.summary.kind, name.run) {
        (SessionKind::Survey, None) => {
            let context = survey::from_store(&session);
            let cells = session.runs.into_iter().map(|run| (run.label, run.record));
            let cells: Vec<(String, RunRecord)> = cells.collect();
            report::survey(&cells, &context, form)
        }
        (kind, _) => {
            let run = pick(&session, name)?;
            let mut page = report::run(&run.record, form);
            if kind == SessionKind::Survey && !args.json {
                page.extend(alone(&run.record.plan).into_bytes());
            }
            page
        }
    };
    output::print(&result)?;
    Ok(Ending::Good)
}

/// The run that is named; a session of `fathom run` has one.
fn pick(session: &Session, name: RunName) -> Result<&StoredRun, Failure> {
    let number = name.run.unwrap_or(1);
    let run = session.runs.iter().find(|run| run.number == number);
    run.ok_or_else(|| {
        let id = session.summary.id;
        Failure::refused(match session.runs.len() {
            0 => format!("session {id} holds no run: it was cut short before the first one ended"),
            1 => format!("session {id} has no run {number}: it holds one, {id}.1"),
            runs => format!("session {id} has no run {number}: it holds {id}.1 to {id}.{runs}"),
        })
    })
}

/// The line that runs one cell of a survey by itself.
fn alone(plan: &Plan) -> String {
    let Some(words) = native::print(&as_asked(plan)) else {
        return String::new();
    };
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("this cell alone: {}\n", words.join(" "))
}

/// The request that this plan came from, as far as it still matters: its files are there.
fn as_asked(plan: &Plan) -> Timespan {
    let targets = plan.targets.iter().map(|planned| Target {
        location: planned.location.clone(),
        base: planned.base,
        length: Some(planned.length),
        create: None,
        cache: planned.cache,
        write_through: planned.write_through,
        threads: planned.threads,
        workload: planned.workload,
    });
    Timespan {
        phases: plan.phases,
        interval: plan.interval,
        seed: plan.seed,
        engine: plan.engine,
        on_error: plan.on_error,
        targets: targets.collect(),
    }
}

/// As a POSIX shell reads it back. Source: POSIX.1-2024, Shell Command Language, 2.2.2.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_words_back_as_they_were() {
        for (word, line) in [
            ("--block", "--block"),
            ("/a/b-c.dat", "/a/b-c.dat"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(quoted(word), line);
        }
    }
}
