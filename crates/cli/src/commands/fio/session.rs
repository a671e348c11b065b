//! The jobs of one request, from their files to their results.
//!
//! All is checked before anything is written; a stop ends the measuring and leaves the results.

use super::pages::Pages;
use super::refused;
use crate::commands::dialect::{
    self, Course, Place, Removal, ResultFile, Status, StoredSession, check_files, has, look,
    write_whole,
};
use crate::commands::hosts::{Member, refuse_alone, refuse_confirmations};
use crate::commands::replay;
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kept_trace::{RunTrace, RunTraces};
use crate::run_context::RunContext;
use crate::{output, signals};
use analysis::say;
use engine::{Recording, Stop};
use model::{Access, CommandError, RunRecord, Target};
use session::{Admission, clock};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tools::OwnOptions;
use tools::fio::replay::MergedFile;
use tools::fio::{self, Built, Extra, Form, JobPart, Replay, Request, fio_logs};
use traces::trace::FileRounds;

/// The forms of the results; fio's own text for programs that call fio.
fn forms(extra: &Extra, quiet: bool) -> Vec<Form> {
    match (&extra.forms[..], quiet) {
        ([], true) => vec![Form::Normal],
        ([], false) => vec![Form::Text],
        (forms, _) => forms.to_vec(),
    }
}

/// `--output` to it keeps no results.
const NOWHERE: &str = "/dev/null";

/// A request, and how it was given. A quiet environment writes nothing to standard error unless something fails: programs that call
/// fio take any text there for a failure.
pub(super) struct Asked<'a> {
    pub(super) request: &'a Request,
    pub(super) args: &'a [String],
    pub(super) environment: &'a Environment,
}

/// Runs the jobs in this process, stores them, prints them.
pub(super) fn alone(asked: &Asked<'_>) -> Result<Ending, CommandError> {
    let ground = RunContext::of_tool(&asked.request.extra.own, asked.environment)?;
    let gate = Admission {
        repeats: true,
        options: fio::option,
        ..ground.gate()
    };
    run(asked, &Place::alone(&ground, &gate, &Stop::new()))
}

/// Rank 0: the same with all processes of a job.
pub(super) fn of_ranks(asked: &Asked<'_>, member: &Member<'_>) -> Result<Ending, CommandError> {
    refuse_confirmations(&asked.request.extra.own.consent)?;
    run(asked, &Place::of_ranks(member))
}

/// Puts the jobs together, and refuses of ranks what only one process can do.
fn built(request: &Request, place: &Place<'_>) -> Result<Built, CommandError> {
    let built = fio::build(request, &|path| place.look(path)).map_err(refused)?;
    if place.hosts.is_none() {
        return Ok(built);
    }
    let refused = refuse_alone(&[
        ("read_iolog", built.replay.is_some()),
        ("write_iolog", !built.io_logs().is_empty()),
        (
            "write_bw_log and other logs",
            !fio_logs(&built, &[]).is_empty(),
        ),
        ("create_only", built.create_only),
        ("unlink", !built.unlinked.is_empty()),
        ("--status-interval", request.extra.status_every.is_some()),
    ]);
    refused.map(|()| built)
}

fn run(asked: &Asked<'_>, place: &Place<'_>) -> Result<Ending, CommandError> {
    let (request, gate) = (asked.request, place.gate);
    let extra = &request.extra;
    let quiet = asked.environment.quiet;
    let mut environment = asked.environment.clone();
    environment.draws_progress &= !quiet && !extra.no_progress;
    let environment = &environment;
    let mut built = built(request, place)?;
    let recording = recording(&mut built, gate, environment)?;
    let forms = forms(extra, quiet);
    let output = extra.output.as_deref();
    let file = result_file(output.filter(|path| *path != Path::new(NOWHERE)), forms[0]);
    let logs = fio_logs(&built, &[]);
    let mut files = file.as_slice().to_vec();
    files.extend(logs.iter().map(|(path, _)| log_file(path)));
    files.extend(built.io_logs().iter().map(|log| io_log_file(log.path)));
    check_files(&files, &built.profile.paths(), gate.store)?;
    dialect::check_removal(&built.unlinked, gate, removal(extra))?;
    let first = place.check(&built.profile)?;
    let io_logs = begin(&built)?;
    let notes = notes(request, &built);
    let shown = notes.iter().filter(|_| !quiet);
    shown.for_each(|note| output::tell(note));
    let command = dialect::command("fio", asked.args);
    let target = dialect::joined(&built.profile.paths());
    let session = session::new_session(KIND.stored(), command.clone(), target, clock::utc());
    let spans = built.profile.timespans.len();
    let stored = match built.create_only {
        true => StoredSession::open(None, session, spans)?,
        false => place.open(session, spans)?,
    };
    let titles = titles(&built);
    let pages = Pages {
        built: &built,
        notes: &notes,
        titles: &titles,
        forms: &forms,
        file: file.as_ref(),
        nowhere: output.is_some() && file.is_none(),
        environment,
        printed: Mutex::default(),
    };
    let show = |records: &[RunRecord]| pages.show(records);
    let status = extra
        .status_every
        .map(|every| Status { every, show: &show });
    let course = Course {
        gate,
        status,
        environment,
        command: &command,
        names: if quiet { &[] } else { &titles },
        recording,
        io_logs: io_logs.iter().map(RunTraces::sink).collect(),
        hosts: place.hosts,
    };
    signals::listen(place.stop)?;
    let ran = match built.create_only {
        true => course.create_files(&built.profile, first, &stored)?,
        false => course.run(&built.profile, first, &stored, place.stop)?,
    };
    let kept = ran.close(stored, place.hosts);
    let removed = dialect::remove(&built.unlinked, gate, removal(extra))?;
    let shown = pages.end(&ran)?;
    let logged = write_logs(&built, &ran.records) & finish(&io_logs);
    let right = tell_corrupt(&ran.records, &built);
    let good = kept && removed && shown && logged && right && ran.whole;
    Ok(if good { Ending::Good } else { Ending::Wrong })
}

fn removal(extra: &Extra) -> Removal {
    Removal {
        option: "unlink",
        kept: "without unlink",
        overwrite: extra.own.consent.overwrite_files,
    }
}

/// Reads the trace of a job that has one, and puts its I/Os into the profile.
fn recording(
    built: &mut Built,
    gate: &Admission<'_>,
    environment: &Environment,
) -> Result<Option<Recording>, CommandError> {
    let Some(replay) = &built.replay else {
        return Ok(None);
    };
    let mut words = vec![
        format!("--speed={}", replay.speed_ppm as f64 / 1e6),
        format!("--depth={}", replay.depth),
        format!("--engine={}", replay.engine),
        format!(
            "--cache={}",
            if replay.buffered {
                "cached"
            } else {
                "unbuffered"
            }
        ),
    ];
    words.extend(replay.options.iter().cloned());
    words.extend(replay.create.map(|size| format!("--create={size}")));
    words.extend(replay.goes_on.then(|| "--continue-on-error".to_owned()));
    let (profile, recording) = replay::of_tool(
        [&replay.trace, &replay.target],
        merged(replay),
        &words,
        gate,
        environment,
    )?;
    let interval = built.profile.timespans[0].interval;
    built.profile = profile;
    built.profile.timespans[0].interval = interval;
    Ok(Some(recording))
}

/// Returns the files that are merged into the trace.
fn merged(replay: &Replay) -> Vec<(PathBuf, FileRounds)> {
    let of = |file: &MergedFile| {
        let rounds = FileRounds {
            percent: file.percent,
            count: file.iterations,
        };
        (file.path.clone(), rounds)
    };
    replay.merged.iter().map(of).collect()
}

/// Returns what is different from fio in a request.
fn notes(request: &Request, built: &Built) -> Vec<String> {
    let notes = request.notes.iter().chain(&built.notes);
    notes.map(ToString::to_string).collect()
}

/// Reports blocks that are not what was written. Returns whether there are none, but for jobs with
/// `continue_on_error=verify`, which fio exits with 0 for.
fn tell_corrupt(records: &[RunRecord], built: &Built) -> bool {
    let mut right = true;
    for (span, record) in records.iter().enumerate() {
        let found = record.engine.verification.as_ref();
        let Some(verification) = found.filter(|_| record.is_corrupt()) else {
            continue;
        };
        let mut jobs = built.parts.iter().filter(|part| part.span == span);
        right &= jobs.all(|part| part.forgives_corrupt);
        let kinds = verification.kinds.iter();
        let kinds: Vec<String> = kinds
            .map(|kind| {
                format!(
                    "{} ({})",
                    kind.kind.id(),
                    say::counted(kind.blocks, "block")
                )
            })
            .collect();
        output::tell(&format!(
            "verify: {} not what was written: {}",
            match verification.corrupt() {
                1 => "1 block is".to_owned(),
                blocks => format!("{blocks} blocks are"),
            },
            kinds.join(", ")
        ));
    }
    right
}

/// Writes the log files of the jobs that ran. Returns whether all were written.
fn write_logs(built: &Built, records: &[RunRecord]) -> bool {
    if records.is_empty() {
        return true;
    }
    let mut written = true;
    for (path, text) in fio_logs(built, records) {
        written &= write_whole(&log_file(&path), text.as_bytes());
    }
    written
}

/// Begins the logs of I/Os, by time span.
fn begin(built: &Built) -> Result<Vec<RunTraces>, CommandError> {
    let logs = built.io_logs();
    let mut all = Vec::new();
    for (number, span) in built.profile.timespans.iter().enumerate() {
        let mut traces = Vec::new();
        for log in logs.iter().filter(|log| log.span == number) {
            let targets = (0..).zip(&span.targets);
            let names = targets.map(|(number, target)| {
                let is_its = log.targets.contains(&number);
                is_its.then(|| target.location.name())
            });
            let names: Vec<Option<String>> = names.collect();
            traces.push(RunTrace::create(log.path, "fio3", &names)?);
        }
        all.push(RunTraces::new(traces));
    }
    Ok(all)
}

fn result_file(path: Option<&Path>, form: Form) -> Option<ResultFile<'_>> {
    let is_json: fn(&[u8]) -> bool =
        |start| start.starts_with(b"{") && has(start, "\"fio version\"");
    let is_text: fn(&[u8]) -> bool = |start| {
        ["VALID", "CAUTION", "INVALID"]
            .iter()
            .any(|word| has(start, &format!("]\n{word}")))
    };
    Some(ResultFile {
        switch: "--output",
        path: path?,
        is_one: match form {
            Form::Json | Form::JsonPlus => is_json,
            Form::Text => is_text,
            Form::Terse(_) => |start| has(start, &format!(";{};", fio::FIO_VERSION)),
            Form::Normal => |start| has(start, "Starting "),
        },
        word: match form {
            Form::Json | Form::JsonPlus => Some("\"fio version\": \"fathom-"),
            Form::Normal => Some(fio::SIGNATURE),
            Form::Text | Form::Terse(_) => None,
        },
    })
}

/// A log file, which begins with a line of numbers in a log's columns.
fn log_file(path: &Path) -> ResultFile<'_> {
    ResultFile {
        switch: "write_bw_log, write_iops_log, write_lat_log, write_hist_log:",
        path,
        is_one: fio::is_log,
        word: None,
    }
}

/// Ends the logs of I/Os. Returns whether all were written.
fn finish(logs: &[RunTraces]) -> bool {
    let ended = logs.iter().map(RunTraces::finish);
    ended.fold(true, |whole, ending| whole & (ending == Ending::Good))
}

/// A log of I/Os, which is always a new file.
fn io_log_file(path: &Path) -> ResultFile<'_> {
    ResultFile {
        switch: "write_iolog:",
        path,
        is_one: |_| false,
        word: None,
    }
}

/// Returns the names of the jobs of each timespan. The jobs are in the order of their timespans.
fn titles(built: &Built) -> Vec<String> {
    let of = |parts: &[JobPart]| {
        let names: Vec<String> = parts
            .iter()
            .map(|part| format!("[{}]", part.name))
            .collect();
        names.join(" ")
    };
    let spans = built.parts.chunk_by(|one, next| one.span == next.span);
    spans.map(of).collect()
}

/// What the jobs mean, without running any.
pub(super) fn explain(
    request: &Request,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let unstored = OwnOptions {
        no_store: true,
        ..OwnOptions::default()
    };
    let ground = RunContext::of_tool(&unstored, environment)?;
    let gate = Admission {
        options: fio::option,
        ..ground.gate()
    };
    let built = fio::build(request, &|path| look(&gate, path)).map_err(refused)?;
    notes(request, &built)
        .iter()
        .for_each(|note| output::tell(note));
    let mut page = String::new();
    for part in &built.parts {
        let span = &built.profile.timespans[part.span];
        for number in &part.targets {
            let target = &span.targets[*number as usize];
            let is_known = target.length.is_some()
                || target
                    .location
                    .path()
                    .is_none_or(|path| look(&gate, path).is_some());
            let time = match target.amount.filter(|_| built.replay.is_none()) {
                Some(_) if !is_known => format!(
                    "until each thread has moved its size, {} at most",
                    span.phases.measured
                ),
                Some(amount) => format!(
                    "until each thread has moved {amount}, {} at most",
                    span.phases.measured
                ),
                None if built.replay.is_some() => "at their times".to_owned(),
                None => format!("for {}", span.phases.measured),
            };
            page.push_str(&format!(
                "{} [{}] {}, {time}\n",
                part.span + 1,
                part.name,
                work(target, built.replay.as_ref())
            ));
        }
    }
    output::print(page.as_bytes())?;
    Ok(Ending::Good)
}

fn work(target: &Target, replay: Option<&Replay>) -> String {
    let name = target
        .location
        .path()
        .map_or_else(|| "null".to_owned(), |path| path.display().to_string());
    if let Some(replay) = replay {
        return format!("{name}: the I/Os of {}", replay.trace.display());
    }
    let workload = &target.workload;
    let access = match &workload.access {
        Access::Mixed(mixed) => format!("{} sizes and mixes", mixed.lines.len()),
        Access::Random | Access::Permuted(_) | Access::Skewed(_) => "random".to_owned(),
        Access::Diskspd(walk) if walk.random.as_percent() == 100 => "random in zones".to_owned(),
        _ => "sequential".to_owned(),
    };
    format!(
        "{name}: {} {access}, write {}, depth {}, threads {}",
        workload.block, workload.write, workload.queue_depth, target.threads
    )
}
