//! The tests of one request, from their files to their table.
//!
//! All is checked before anything is written; a stop ends the measuring and leaves the results.

use super::removal;
use super::schedule::{Phases, STATUS, written_before};
use crate::commands::VERSION;
use crate::commands::dialect::{
    self, Course, Place, ResultFile, StoredSession, check_files, has, is_whole, look, number_file,
    write_whole,
};
use crate::commands::hosts::{Member, refuse_confirmations};
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::{output, report, signals};
use engine::Stop;
use model::{CommandError, Profile, RunRecord, Timespan};
use session::{Admission, Step, clock};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tools::ior::{
    self, Form, IOR_VERSION, IorResults, IorTest, Output, Phase, Request, Test, ior_csv, ior_json,
    ior_text,
};
use views::{Zone, ctime_stamp};

/// A command line with what it means.
pub(super) struct Asked<'a> {
    pub(super) request: &'a Request,
    pub(super) args: &'a [String],
    /// As it was given.
    pub(super) echo: &'a str,
    pub(super) environment: &'a Environment,
}

/// Runs the tests in this process, stores them, prints them.
pub(super) fn alone(asked: &Asked<'_>) -> Result<Ending, CommandError> {
    let ground = RunContext::of_tool(&asked.request.own, asked.environment)?;
    let gate = Admission {
        options: ior::option,
        ..ground.gate()
    };
    let place = Place {
        ground: &ground,
        gate: &gate,
        stop: &Stop::new(),
        hosts: None,
    };
    run(asked, &asked.request.tests, &place)
}

/// Rank 0: the same with all processes of a launcher.
pub(super) fn of_ranks(asked: &Asked<'_>, member: &Member<'_>) -> Result<Ending, CommandError> {
    refuse_confirmations(&asked.request.own.consent)?;
    let names = member.hosts.names();
    let mut tests = asked.request.tests.clone();
    for test in &mut tests {
        test.place(&names);
        if test.order.constant > 0 && test.shift(Phase::Read) == 0 {
            output::tell("note: -C: this leads each task to what it wrote itself, as in IOR");
        }
    }
    run(asked, &tests, &Place::of_ranks(member))
}

fn run(asked: &Asked<'_>, tests: &[Test], place: &Place<'_>) -> Result<Ending, CommandError> {
    let request = asked.request;
    let (gate, stop) = (place.gate, place.stop);
    let removal = removal::of_ior(request.own.consent.overwrite_files);
    let all: Vec<PathBuf> = owned(tests).into_iter().map(|(_, path)| path).collect();
    let targets: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
    let file = result_file(&request.output);
    let mut files: Vec<ResultFile<'_>> = file.iter().copied().collect();
    files.extend(check_status(tests)?);
    check_files(&files, &targets, gate.store)?;
    check(tests, place)?;
    removal::check(&removed(tests, gate, false), gate, removal, place.hosts)?;
    for note in &request.notes {
        output::tell(&note.to_string());
    }
    if tests.iter().any(|test| test.actions.dry_run > 0) {
        return describe(tests, gate);
    }
    let command = dialect::command("ior", asked.args);
    let began = clock::utc();
    let names = dialect::joined(&targets);
    let new = session::new_session(KIND.stored(), command.clone(), names, began);
    let mut phases = Phases::new(tests, gate, place.hosts);
    let kept_in = place.ground.place.as_ref();
    let stored = match place.hosts {
        Some(_) => StoredSession::of_job(kept_in, new, phases.count())?,
        None => StoredSession::open(kept_in, new, phases.count())?,
    };
    if place.hosts.is_none() {
        signals::listen(stop)?;
    }
    let course = Course {
        hosts: place.hosts,
        ..Course::new(gate, asked.environment, &command)
    };
    let has_results = |phases: &Phases<'_>| !phases.records.is_empty();
    let failed = course.follow_on(&mut phases, has_results, &stored, stop)?;
    let kept = match place.hosts {
        Some(hosts) => stored.close_of_job(&phases.records, hosts),
        None => stored.close(&phases.records),
    };
    let corrupt = phases.records.iter().any(RunRecord::is_corrupt);
    let gone = removal::remove(&removed(tests, gate, corrupt), gate, removal, place.hosts)?;
    let printed = Printed {
        request,
        tests,
        echo: asked.echo,
        machine: format!("Linux {}", place.ground.host.hostname),
        began: began.0,
    };
    let shown = print(&printed.page(&phases), file.as_ref())?;
    tell_corrupt(&phases.records);
    phases.tell_cached();
    let whole = phases.records.iter().all(is_whole) && phases.is_whole();
    let good = kept && gone && shown && whole && !failed && !stop.asked();
    let ending = if good { Ending::Good } else { Ending::Wrong };
    Ok(ending.and(Ending::of_data(corrupt)))
}

/// Checks what can be checked before anything runs, on every machine.
fn check(tests: &[Test], place: &Place<'_>) -> Result<(), CommandError> {
    let first = first(tests, place.gate);
    let Some(hosts) = place.hosts else {
        let profile = Profile {
            timespans: first.into_iter().map(|(_, span)| span).collect(),
        };
        return place.gate.check(&profile).map(drop);
    };
    for (shift, span) in first {
        let step = Step::of_tasks(String::new(), span, shift);
        hosts.check_request(&step, place.gate)?;
    }
    Ok(())
}

/// What was measured is not lost with its place.
fn print(page: &[u8], file: Option<&ResultFile<'_>>) -> Result<bool, CommandError> {
    match file {
        Some(file) if write_whole(file, page) => Ok(true),
        refused => output::print(page).map(|()| refused.is_none()),
    }
}

/// What can be checked before anything runs: phases whose files no earlier phase writes, with the shift of their tasks. Others
/// are checked in their turn.
fn first(tests: &[Test], gate: &Admission) -> Vec<(u32, Timespan)> {
    let found = |path: &Path| look(gate, path);
    let mut written: HashSet<PathBuf> = HashSet::new();
    let mut timespans = Vec::new();
    for test in tests {
        for repetition in 0..repetitions_of_files(test) {
            for phase in test.phases() {
                let names = ior::names(test, repetition);
                let is_later = names.iter().all(|name| written.contains(name));
                if !is_later {
                    let span = ior::timespan(test, phase, repetition, &found, None);
                    timespans.push((test.shift(phase), span));
                }
                if phase == Phase::Write {
                    written.extend(names);
                }
            }
        }
    }
    timespans
}

fn repetitions_of_files(test: &Test) -> u64 {
    match test.files.multi > 0 {
        true => test.course.repetitions,
        false => 1,
    }
}

/// All files, each once, with the task that writes it first.
fn owned(tests: &[Test]) -> Vec<(usize, PathBuf)> {
    let each = tests.iter().flat_map(|test| {
        let repetitions = 0..repetitions_of_files(test);
        repetitions.flat_map(move |repetition| ior::names(test, repetition).into_iter().enumerate())
    });
    let mut all: Vec<(usize, PathBuf)> = each.collect();
    all.sort_by(|(task, one), (other_task, other)| (one, task).cmp(&(other, other_task)));
    all.dedup_by(|(_, one), (_, other)| one == other);
    all
}

/// The files that do not stay: those of the tests without `-k`. Devices stay.
fn removed(tests: &[Test], gate: &Admission, corrupt: bool) -> Vec<(usize, PathBuf)> {
    let stays = |test: &&Test| test.files.keep > 0 || corrupt && test.files.keep_corrupt > 0;
    let kept: Vec<Test> = tests.iter().filter(stays).cloned().collect();
    let kept: HashSet<PathBuf> = owned(&kept).into_iter().map(|(_, path)| path).collect();
    let mut all = owned(tests);
    all.retain(|(_, path)| !kept.contains(path));
    all.retain(|(_, path)| look(gate, path).is_none_or(|there| !there.device));
    all
}

/// The files that have how far writes came, each once; those that only reads name have to be there.
fn check_status(tests: &[Test]) -> Result<Vec<ResultFile<'_>>, CommandError> {
    let mut written: Vec<&Path> = Vec::new();
    for test in tests {
        let Some(path) = test.course.status.as_deref() else {
            continue;
        };
        match written.contains(&path) {
            true => {}
            false if test.actions.write > 0 => written.push(path),
            false => drop(written_before(test)?),
        }
    }
    let files = written.into_iter();
    Ok(files.map(|path| number_file(STATUS, path)).collect())
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
    tests: &'a [Test],
    echo: &'a str,
    machine: String,
    began: u64,
}

impl Printed<'_> {
    fn page(&self, phases: &Phases) -> Vec<u8> {
        let zone = Zone::system();
        let stamp = |ns: u64| ctime_stamp(ns, &zone);
        let tests = self.tests.iter().zip(&phases.runs).zip(&phases.times);
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
