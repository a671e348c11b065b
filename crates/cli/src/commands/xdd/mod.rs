//! `fathom xdd`, and the program under the name `xdd`: xdd's command line, and its lines of each target and pass.
//!
//! All is checked before anything is written; a stop ends the measuring and leaves the results. Omitted: what any option means and how
//! results are printed (`tools`).

mod passes;

use self::passes::{Passes, removed};
use crate::commands::VERSION;
use crate::commands::dialect::{
    self, Course, Line, Removal, ResultFile, StoredSession, check_files, is_whole, look,
    write_whole,
};
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::subcommand::Subcommand;
use crate::{output, report, signals};
use engine::Stop;
use model::{CommandError, Profile, RunRecord};
use session::{Admission, clock};
use std::path::{Path, PathBuf};
use tools::xdd::{self, Request, XddResults, XddTarget, xdd_csv, xdd_described, xdd_text};
use views::{Zone, ctime_stamp};

/// The row of `fathom xdd`.
pub(crate) static COMMAND: Subcommand = Subcommand::dialect(
    "xdd",
    "Run a command line of xdd 7 and print its lines of targets and passes; `fathom xdd --help` lists its options",
    xdd,
);

/// Does what the line asks for.
pub(crate) fn xdd(line: &Line, environment: &Environment) -> Result<Ending, CommandError> {
    let args = line.texts().map_err(CommandError::refused)?;
    match xdd::read(&args).map_err(CommandError::refused_for)? {
        Some(request) => run(&request, &args, environment),
        None => {
            output::print_usage(&xdd::usage(&line.program))?;
            Ok(Ending::Good)
        }
    }
}

/// Runs them, stores them, prints them.
fn run(
    request: &Request,
    args: &[String],
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let ground = RunContext::of_tool(&request.own, environment)?;
    let gate = Admission {
        options: xdd::option,
        ..ground.gate()
    };
    let removal = Removal {
        option: "-deletefile",
        kept: "without -deletefile",
        overwrite: request.own.consent.overwrite_files,
    };
    let paths: Vec<PathBuf> = request.targets.iter().map(XddTarget::path).collect();
    let mut targets: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    targets.sort_unstable();
    targets.dedup();
    let files = result_files(request);
    check_files(&files, &targets, gate.store)?;
    gate.check(&all_passes(request, &gate))?;
    dialect::check_removal(&removed(request, &gate), &gate, removal)?;
    request.notes.iter().for_each(|note| output::tell(note));
    if request.dry_run {
        output::print(&report::written(|out| xdd_described(request, out)))?;
        return Ok(Ending::Good);
    }
    let command = dialect::command("xdd", args);
    let began = clock::utc();
    let new = session::new_session(
        KIND.stored(),
        command.clone(),
        dialect::joined(&targets),
        began,
    );
    let mut passes = Passes::new(request, &gate);
    let stored = StoredSession::open(ground.place.as_ref(), new, passes.count())?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let course = Course::new(&gate, environment, &command);
    let failed = course.follow_on(
        &mut passes,
        |passes| !passes.records.is_empty(),
        &stored,
        &stop,
    )?;
    let records = passes.records;
    let kept = stored.close(&records);
    let gone = dialect::remove(&removed(request, &gate), &gate, removal)?;
    let whole = records.iter().all(is_whole) && !records.is_empty();
    let done = whole && !failed && !stop.asked();
    let shown = show(request, &files, &records, &ground.host.hostname, done)?;
    Ok(match kept && gone && shown && done {
        true => Ending::Good,
        false => Ending::Wrong,
    })
}

/// What can be checked before anything runs: the first pass and the last.
fn all_passes(request: &Request, gate: &Admission) -> Profile {
    let found = |path: &Path| look(gate, path);
    let last = match request.run_time_ns {
        Some(_) => 0,
        None => request.passes - 1,
    };
    let moves = request
        .targets
        .iter()
        .any(|target| target.walk.pass_blocks > 0);
    let passes: Vec<u64> = match moves && last > 0 {
        true => vec![0, last],
        false => vec![0],
    };
    let spans = passes.into_iter();
    Profile {
        timespans: spans
            .map(|pass| xdd::timespan(request, pass, None, &found))
            .collect(),
    }
}

fn result_files(request: &Request) -> Vec<ResultFile<'_>> {
    let is_text: fn(&[u8]) -> bool = |start| start.starts_with(b"XDD version");
    let is_csv: fn(&[u8]) -> bool = |start| start.starts_with(b"What           ,");
    let all = [
        (
            "-output",
            request.output.text.as_deref(),
            is_text,
            Some("measured by fathom"),
        ),
        ("-csvout", request.output.csv.as_deref(), is_csv, None),
    ];
    let named = all.into_iter().filter_map(|(switch, path, is_one, word)| {
        Some(ResultFile {
            switch,
            path: path?,
            is_one,
            word,
        })
    });
    named.collect()
}

/// Puts the results where they were asked for. Returns whether that could be done.
fn show(
    request: &Request,
    files: &[ResultFile<'_>],
    records: &[RunRecord],
    machine: &str,
    good: bool,
) -> Result<bool, CommandError> {
    let zone = Zone::system();
    let stamp = |at: u64| ctime_stamp(at, &zone);
    let began = records.first().map_or(0, |record| record.started_utc.0);
    let ended = records.last().map_or(began, |record| {
        record.started_utc.0 + record.phases.drained.0
    });
    let results = XddResults {
        version: VERSION,
        machine,
        times: [&stamp(began), &stamp(ended)],
        request,
        records,
        good,
    };
    let page = report::written(|out| xdd_text(&results, out));
    let mut shown = true;
    for file in files {
        shown &= match file.switch {
            "-csvout" => write_whole(file, &report::written(|out| xdd_csv(&results, out))),
            _ => write_whole(file, &page),
        };
    }
    let is_in_file = shown && request.output.text.is_some();
    match (request.output.json, is_in_file) {
        (true, _) => output::print(&report::runs(&records.iter().collect::<Vec<_>>()))?,
        (false, false) => output::print(&page)?, // what was measured is not lost with its file
        (false, true) => {}
    }
    Ok(shown)
}
