//! The tests of one request, from their files to their table.
//!
//! All is checked before anything is written; a stop ends the measuring and leaves the results.

use super::schedule::Phases;
use crate::commands::VERSION;
use crate::commands::dialect::{
    self, Course, Removal, ResultFile, StoredSession, check_files, has, is_whole, look, write_whole,
};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::{output, report, signals};
use engine::Stop;
use model::{CommandError, Profile, RunRecord, Timespan};
use session::{Admission, clock};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use store::SessionKind;
use tools::ior::{
    self, Form, IOR_VERSION, IorResults, IorTest, Output, Phase, Request, Test, ior_csv, ior_json,
    ior_text,
};
use views::{Zone, ctime_stamp};

/// Runs them, stores them, prints them.
pub(super) fn run(
    request: &Request,
    args: &[String],
    echo: &str,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let tests = &request.tests;
    let ground = RunContext::of_tool(&request.own, environment)?;
    let gate = Admission {
        options: ior::option,
        ..ground.gate()
    };
    let removal = Removal {
        option: "ior",
        kept: "with -k",
        overwrite: request.own.consent.overwrite_files,
    };
    let (profile, all) = (first(tests, &gate), files(tests));
    let targets: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
    let file = result_file(&request.output);
    check_files(file.as_slice(), &targets, gate.store)?;
    gate.check(&profile)?;
    dialect::check_removal(&removed(tests, &gate, false), &gate, removal)?;
    for note in &request.notes {
        output::tell(&note.to_string());
    }
    if tests.iter().any(|test| test.actions.dry_run > 0) {
        return describe(tests, &gate);
    }
    let command = command(args);
    let began = clock::utc();
    let new = session::new_session(
        SessionKind::Run,
        command.clone(),
        dialect::joined(&targets),
        began,
    );
    let mut phases = Phases::new(tests, &gate);
    let count = phases.count();
    let stored = StoredSession::open(ground.place.as_ref(), new, count)?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let course = Course {
        gate: &gate,
        environment,
        command: &command,
        names: &[],
        recording: None,
        io_logs: Vec::new(),
        status: None,
    };
    let failed = course.follow_on(
        &mut phases,
        |phases| !phases.records.is_empty(),
        &stored,
        &stop,
    )?;
    let kept = stored.close(&phases.records);
    let corrupt = phases.records.iter().any(RunRecord::is_corrupt);
    let gone = dialect::remove(&removed(tests, &gate, corrupt), &gate, removal)?;
    let printed = Printed {
        request,
        echo,
        machine: format!("Linux {}", ground.host.hostname),
        began: began.0,
    };
    let page = printed.page(&phases);
    let shown = match &file {
        Some(file) if write_whole(file, &page) => true,
        // What was measured is not lost with its place.
        refused => output::print(&page).map(|()| refused.is_none())?,
    };
    tell_corrupt(&phases.records);
    let whole = phases.records.iter().all(is_whole) && !phases.records.is_empty();
    let good = kept && gone && shown && whole && !failed && !stop.asked();
    let ending = if good { Ending::Good } else { Ending::Wrong };
    Ok(ending.and(Ending::of_data(corrupt)))
}

/// The line that means the same to fathom, for the record.
fn command(args: &[String]) -> Vec<String> {
    let head = ["fathom", "ior"].map(str::to_owned);
    head.into_iter().chain(args.iter().cloned()).collect()
}

/// What can be checked before anything runs: phases whose files no earlier phase writes. Others are checked in their turn.
fn first(tests: &[Test], gate: &Admission) -> Profile {
    let found = |path: &Path| look(gate, path);
    let mut written: HashSet<PathBuf> = HashSet::new();
    let mut timespans: Vec<Timespan> = Vec::new();
    for test in tests {
        let repetitions = match test.files.multi > 0 {
            true => test.course.repetitions,
            false => 1,
        };
        for repetition in 0..repetitions {
            for phase in test.phases() {
                let names = ior::names(test, repetition);
                let is_later = names.iter().all(|name| written.contains(name));
                if !is_later {
                    timespans.push(ior::timespan(test, phase, repetition, &found, None));
                }
                if phase == Phase::Write {
                    written.extend(names);
                }
            }
        }
    }
    Profile { timespans }
}

/// All files, each once.
fn files(tests: &[Test]) -> Vec<PathBuf> {
    let each = tests.iter().flat_map(|test| {
        let repetitions = match test.files.multi > 0 {
            true => test.course.repetitions,
            false => 1,
        };
        (0..repetitions).flat_map(move |repetition| ior::names(test, repetition))
    });
    let mut all: Vec<PathBuf> = each.collect();
    all.sort();
    all.dedup();
    all
}

/// The files that do not stay: those of the tests without `-k`. Devices stay.
fn removed(tests: &[Test], gate: &Admission, corrupt: bool) -> Vec<PathBuf> {
    let stays = |test: &&Test| test.files.keep > 0 || corrupt && test.files.keep_corrupt > 0;
    let kept: Vec<Test> = tests.iter().filter(stays).cloned().collect();
    let kept: HashSet<PathBuf> = files(&kept).into_iter().collect();
    let mut all = files(tests);
    all.retain(|path| !kept.contains(path));
    all.retain(|path| look(gate, path).is_none_or(|there| !there.device));
    all
}

fn result_file(output: &Output) -> Option<ResultFile<'_>> {
    let is_json: fn(&[u8]) -> bool =
        |start| start.starts_with(b"{") && has(start, "\"Measured by\"");
    let is_csv: fn(&[u8]) -> bool = |start| start.starts_with(b"access,bw(MiB/s),IOPS");
    let is_text: fn(&[u8]) -> bool =
        |start| start.starts_with(format!("IOR-{IOR_VERSION}").as_bytes());
    Some(ResultFile {
        switch: "summaryFile",
        path: output.file.as_deref()?,
        is_one: match output.form {
            Form::Text => is_text,
            Form::Json => is_json,
            Form::Csv => is_csv,
        },
        word: match output.form {
            Form::Text | Form::Json => Some("fathom "),
            Form::Csv => None,
        },
    })
}

/// What is printed of a request.
struct Printed<'a> {
    request: &'a Request,
    echo: &'a str,
    machine: String,
    began: u64,
}

impl Printed<'_> {
    fn page(&self, phases: &Phases) -> Vec<u8> {
        let zone = Zone::system();
        let stamp = |ns: u64| ctime_stamp(ns, &zone);
        let tests = self
            .request
            .tests
            .iter()
            .zip(&phases.runs)
            .zip(&phases.times);
        let tests: Vec<IorTest> = tests
            .map(|((test, runs), began)| IorTest {
                test,
                began: stamp(*began),
                runs: runs.clone(),
            })
            .collect();
        let last = phases.records.last();
        let ended = last.map_or(self.began, |record| {
            record.started_utc.0 + record.phases.drained.0
        });
        let results = IorResults {
            version: VERSION,
            command: self.echo,
            machine: &self.machine,
            times: [&stamp(self.began), &stamp(ended)],
            tests: &tests,
        };
        report::written(|out| match self.request.output.form {
            Form::Text => ior_text(&results, out),
            Form::Json => ior_json(&results, out),
            Form::Csv => ior_csv(&results, out),
        })
    }
}

/// Reports blocks that are not what was written.
fn tell_corrupt(records: &[RunRecord]) {
    let found = records
        .iter()
        .filter_map(|record| record.engine.verification.as_ref());
    let blocks: u64 = found.map(model::Verification::corrupt).sum();
    if blocks > 0 {
        output::tell(&format!(
            "-W, -R: {} not what was written; hint: fathom show",
            match blocks {
                1 => "1 block is".to_owned(),
                blocks => format!("{blocks} blocks are"),
            }
        ));
    }
}

/// What the tests mean, without running any.
fn describe(tests: &[Test], gate: &Admission) -> Result<Ending, CommandError> {
    let found = |path: &Path| look(gate, path);
    let mut page = String::new();
    for test in tests {
        for phase in test.phases() {
            let span = ior::timespan(test, phase, 0, &found, None);
            for target in &span.targets {
                page.push_str(&format!(
                    "test {}, {:?}: {}: {} of each of {} tasks in transfers of {}, {} repetitions\n",
                    test.id,
                    phase,
                    target.location.name(),
                    target.amount.unwrap_or_default(),
                    target.threads,
                    target.workload.block,
                    test.course.repetitions
                ));
            }
        }
    }
    output::print(page.as_bytes())?;
    Ok(Ending::Good)
}
