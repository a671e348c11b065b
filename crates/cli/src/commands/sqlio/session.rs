//! One run of SQLIO's, from its files to its page.
//!
//! The targets are looked at first, because how large a file has to become follows from what is there. All is checked
//! before anything is written. A stop ends the measuring and leaves the results; a failed I/O ends the run, and there
//! are none.

use crate::commands::dialect::{self, Course, ResultFile, StoredSession, is_report, write_whole};
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::{output, report, signals};
use engine::Stop;
use model::{CommandError, Content, Location, Outcome, RunRecord, TargetFacts, TargetKind};
use session::{Admission, clock};
use std::path::Path;
use store::NewSession;
use tools::sqlio::figures::{Figures, figures};
use tools::sqlio::{
    self, Built, Extra, Note, Profile, Size, SqlioResults, There, sqlio_latency, sqlio_text,
};

/// What is to be run, as it was asked for.
pub(super) struct Asked<'a> {
    pub(super) profile: &'a Profile,
    pub(super) extra: &'a Extra,
    /// What was accepted and may not mean what was meant.
    pub(super) notes: &'a [Note],
    pub(super) args: &'a [String],
}

impl Asked<'_> {
    /// The line that means the same to fathom, for the record.
    fn command(&self) -> Vec<String> {
        dialect::command("sqlio", self.args)
    }

    fn names(&self) -> Vec<&str> {
        let targets = self.profile.targets().into_iter();
        targets.map(|(name, _, _)| name).collect()
    }

    /// The files of the results: the text, then the report.
    fn files(&self) -> Vec<ResultFile<'_>> {
        let is_text: fn(&[u8]) -> bool = |start| start.starts_with(b"sqlio v1.5.SG\n");
        let all = [
            ("--text", self.extra.text.as_ref(), is_text),
            ("--json", self.extra.json.as_ref(), is_report),
        ];
        let named = all.into_iter().filter_map(|(switch, path, is_one)| {
            Some(ResultFile {
                switch,
                path: path?,
                is_one,
                word: (switch == "--json").then_some("\"schema_version\""),
            })
        });
        named.collect()
    }

    /// Its entry in the database.
    fn session(&self) -> NewSession {
        session::new_session(
            KIND.stored(),
            self.command(),
            model::distinct(self.names()).join(" "),
            clock::utc(),
        )
    }
}

/// Runs it, keeps it, prints it.
pub(super) fn run(asked: &Asked, environment: &Environment) -> Result<Ending, CommandError> {
    let ground = RunContext::of_tool(&asked.extra.own, environment)?;
    let gate = Admission {
        repeats: true,
        options: sqlio::option,
        ..ground.gate()
    };
    let found = look(asked, &gate);
    let Built { profile, sizes } = sqlio::build(asked.profile, asked.extra, &found)?;
    let targets: Vec<&Path> = asked.names().into_iter().map(Path::new).collect();
    dialect::check_files(&asked.files(), &targets, gate.store)?;
    let checked = gate
        .check(&profile)
        .inspect_err(|_| tell_growing(asked, &found, &sizes))?;
    let stored = StoredSession::open(ground.place.as_ref(), asked.session(), 1)?;
    for note in asked.notes {
        output::tell(&note.to_string());
    }
    let command = asked.command();
    let course = Course::new(&gate, environment, &command);
    let stop = Stop::new();
    signals::listen(&stop)?;
    let ran = course.run(&profile, checked, &stored, &stop)?;
    let kept = stored.close(&ran.records);
    let Some(record) = ran.records.first() else {
        return Err(CommandError::failed(
            "interrupted before the measurement began",
        ));
    };
    let shown = show(asked, &sizes, record)?;
    Ok(
        if kept && shown && record.unanswered() == 0 && record.total().ios > 0 {
            Ending::Good
        } else {
            Ending::Wrong
        },
    )
}

/// What is there under each name.
fn look(asked: &Asked, gate: &Admission) -> Vec<Option<There>> {
    let mut seen: Vec<(&str, TargetFacts)> = Vec::new();
    let mut found = Vec::new();
    for name in asked.names() {
        if !seen.iter().any(|(known, _)| *known == name) {
            seen.push((name, gate.look(&Location::Path(sqlio::path_of(name)))));
        }
        let facts = seen.iter().find(|(known, _)| *known == name);
        let (_, facts) = facts.expect("it was looked at just now");
        let there = |device| There {
            bytes: facts.size.0,
            device,
            unfinished: facts.content == Content::FathomPartial,
        };
        found.push(match facts.kind {
            TargetKind::File => Some(there(false)),
            TargetKind::BlockDevice => Some(there(true)),
            _ => None,
        });
    }
    found
}

/// Why a request that only reads would write: reported with the refusals.
fn tell_growing(asked: &Asked, found: &[Option<There>], sizes: &[Size]) {
    for ((name, there), size) in asked.names().into_iter().zip(found).zip(sizes) {
        let file = there.is_some_and(|there| !there.device && there.bytes > 0);
        if file && size.grows() {
            output::tell(&format!(
                "{name}: it has {} bytes and this request needs {}, so it would be written to become larger",
                size.current, size.needed
            ));
        }
    }
}

/// Puts the results where they were asked for; whether that could be done. A run that a failed I/O ended has none.
fn show(asked: &Asked, sizes: &[Size], record: &RunRecord) -> Result<bool, CommandError> {
    if matches!(record.outcome, Outcome::Failed(_)) {
        output::tell("the run ended there, so no results are printed");
        return Ok(false);
    }
    let figures = figures(record);
    let page = page(asked, sizes, &figures);
    output::print(&page)?;
    if asked.profile.latency.is_some()
        && let Some(line) = sqlio_latency(&figures)
    {
        output::tell(&line);
    }
    let mut good = true;
    for file in asked.files() {
        good &= match file.switch {
            "--text" => write_whole(&file, &page),
            _ => write_whole(&file, &report::runs(&[record])),
        };
    }
    Ok(good)
}

fn page(asked: &Asked, sizes: &[Size], figures: &Figures) -> Vec<u8> {
    report::written(|out| {
        let results = SqlioResults {
            profile: asked.profile,
            sizes,
            figures,
        };
        sqlio_text(&results, out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::dialect::stored;
    use expect_test::expect_file;
    use tools::sqlio::{Action, Environment};

    /// As `tests/net/record.sh` has it.
    const PARAMETERS: &str = "sqlio.dat 2 0x0 16\n";

    #[test]
    fn stored_runs_are_printed_as_text() {
        let mut text = String::new();
        for line in stored::lines("sqlio") {
            let read = |_: &str| Ok(PARAMETERS.to_owned());
            let request = sqlio::parse(&line.args, &Environment { read: &read }).unwrap();
            let Action::Run(profile) = &request.action else {
                panic!("{:?}", line.args);
            };
            let built = sqlio::build(profile, &request.extra, &[None]).unwrap();
            let asked = Asked {
                profile,
                extra: &request.extra,
                notes: &request.notes,
                args: &line.args,
            };
            let record = &line.records()[0];
            let page = page(&asked, &built.sizes, &figures(record));
            text += &line.head("text");
            text += &String::from_utf8(page).unwrap();
            text += &format!("{}\n", sqlio_latency(&figures(record)).unwrap());
        }
        expect_file!["../../../tests/net/tools/sqlio.txt"].assert_eq(&text);
    }
}
