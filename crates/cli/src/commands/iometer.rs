//! `fathom iometer`: a configuration of IOmeter's is run test by test, and its results are written as IOmeter writes them;
//! or a configuration is written from a run in the database.
//!
//! Deliberately absent: what the file means (`dialects`), and any number or layout (`views`).

use super::dialect::{self, Course, ResultFile, StoredSession, check_files, titled, write_whole};
use super::{restated, show};
use crate::args::IometerArgs;
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report, signals};
use engine::Stop;
use model::{CommandError, Content, Location, Profile, RunRecord, TargetKind};
use session::{Admission, clock};
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use tools::iometer::figures::{figures, processors};
use tools::iometer::{
    self, Built, Config, ICF_MAX, IometerResults, IometerRow, IometerTest, Problem, Run, Spec,
    There, Wishes, iometer_csv, iometer_time,
};
use views::Zone;

/// The row of `fathom iometer`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<IometerArgs>(
    "iometer",
    Group::OtherTools,
    "Run an IOmeter configuration (.icf) and write its results as IOmeter does; or write one from a run",
    |words, environment| iometer(&parsed(words)?, environment),
);

/// Runs it, or writes one.
pub(crate) fn iometer(
    args: &IometerArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    match &args.write_icf {
        Some(path) => write_icf(args, path, environment),
        None => run(args, environment),
    }
}

fn run(args: &IometerArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let wishes = wishes(args)?;
    let config = read(&args.file)?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        repeats: true,
        options: iometer::option,
        ..ground.gate()
    };
    let reported = |problems: Vec<Problem>| refused(&args.file, &problems);
    let Built { runs, notes } =
        iometer::build(&config, &wishes, &|path| look(&gate, path)).map_err(reported)?;
    let profile = Profile {
        timespans: runs.iter().map(|run| run.span.clone()).collect(),
    };
    let mut targets = profile.paths();
    let names = dialect::joined(&targets);
    targets.push(&args.file);
    let file = args.results.as_deref().map(|path| ResultFile {
        switch: "the results",
        path,
        is_one: |start| start.starts_with(b"'Test Type"),
        word: None,
    });
    check_files(file.as_slice(), &targets, gate.store)?;
    let first = gate.check(&profile)?;
    notes
        .iter()
        .for_each(|note| output::tell(&format!("note: {note}")));
    let command = super::command_line();
    let session = session::new_session(KIND.stored(), command.clone(), names, clock::utc());
    let stored = StoredSession::open(ground.place.as_ref(), session, runs.len())?;
    let titles: Vec<String> = runs.iter().map(title).collect();
    let course = Course {
        names: &titles,
        ..Course::new(&gate, environment, &command)
    };
    let stop = Stop::new();
    signals::listen(&stop)?;
    let ran = course.run(&profile, first, &stored, &stop)?;
    let kept = stored.close(&ran.records);
    output::print(&titled(&titles, ran.reports(environment)))?;
    let written = file.is_none_or(|file| write_whole(&file, &csv(&config, &runs, &ran.records)));
    Ok(match kept && written && ran.whole {
        true => Ending::Good,
        false => Ending::Wrong,
    })
}

fn wishes(args: &IometerArgs) -> Result<Wishes, CommandError> {
    let mut reported = Vec::new();
    let mut map = Vec::new();
    for text in &args.target_map {
        match text
            .split_once('=')
            .filter(|(name, path)| !name.is_empty() && !path.is_empty())
        {
            Some((name, path)) => map.push((name.to_owned(), PathBuf::from(path))),
            None => reported.push(format!(
                "invalid value '{text}' for --target-map: must be NAME=PATH, as 'C:=/mnt/iobw.tst'"
            )),
        }
    }
    let mut value = |option: &str, text: Option<&String>| -> Option<u64> {
        let read = |text: &String| match option {
            "--size" => text.parse().map(|size: model::Bytes| size.0),
            _ => text.parse().map(|time: model::Nanos| time.0),
        };
        text.and_then(|text| {
            read(text)
                .map_err(|error| reported.push(error.of(option)))
                .ok()
        })
    };
    let (size, duration) = (
        value("--size", args.size.as_ref()),
        value("--duration", args.duration.as_ref()),
    );
    let engine = args
        .engine
        .parse()
        .map_err(|error: model::UnitError| reported.push(error.of("--engine")));
    match (engine, reported.is_empty()) {
        (Ok(engine), true) => Ok(Wishes {
            map,
            size,
            duration: duration.map(model::Nanos),
            engine,
        }),
        _ => Err(CommandError::refused_for(reported)),
    }
}

fn read(path: &Path) -> Result<Config, CommandError> {
    let mut bytes = Vec::new();
    gate::Input::open(path)
        .and_then(|input| input.take(ICF_MAX + 1).read_to_end(&mut bytes))
        .map_err(|error| {
            CommandError::refused(format!(
                "{}: cannot be read: {}",
                path.display(),
                model::errno_text(&error)
            ))
        })?;
    if bytes.len() as u64 > ICF_MAX {
        let what = format!(
            "{}: it is longer than {ICF_MAX} bytes, so it is no configuration of IOmeter's",
            path.display()
        );
        return Err(CommandError::refused(what));
    }
    iometer::read(&iometer::decode(&bytes)).map_err(|problems| refused(path, &problems))
}

fn refused(path: &Path, problems: &[Problem]) -> CommandError {
    CommandError::refused_for(
        problems
            .iter()
            .map(|problem| format!("{}: {problem}", path.display())),
    )
}

fn look(gate: &Admission, path: &Path) -> Option<There> {
    let facts = gate.look(&Location::Path(path.to_owned()));
    let there = |device| There {
        bytes: facts.size.0,
        device,
        sector: facts.direct_io.map_or(512, |direct| direct.offset.0),
        unfinished: facts.content == Content::FathomPartial,
    };
    match facts.kind {
        TargetKind::File => Some(there(false)),
        TargetKind::BlockDevice => Some(there(true)),
        _ => None,
    }
}

fn title(run: &Run) -> String {
    match run.depth {
        Some(depth) => format!("[{}] {depth} outstanding", run.spec),
        None => format!("[{}]", run.spec),
    }
}

fn csv(config: &Config, runs: &[Run], records: &[RunRecord]) -> Vec<u8> {
    let tests: Vec<IometerTest> = runs
        .iter()
        .zip(records)
        .map(|(run, record)| IometerTest {
            times: [0, record.phases.drained.0]
                .map(|since| iometer_time(record.started_utc.0 + since, &Zone::system())),
            spec: run.spec.clone(),
            rows: rows(run, record, &config.managers[0].name),
        })
        .collect();
    let workers = config.managers.iter().flat_map(|manager| &manager.workers);
    let used: HashSet<&String> = workers.flat_map(|worker| &worker.specs).collect();
    let specs = config.specs.iter();
    let specs: Vec<&Spec> = specs.filter(|spec| used.contains(&spec.name)).collect();
    report::written(|out| {
        let results = IometerResults {
            description: &config.description,
            specs: &specs,
            tests: &tests,
        };
        iometer_csv(&results, out)
    })
}

fn rows(run: &Run, record: &RunRecord, manager: &str) -> Vec<IometerRow> {
    let (workers, disks) = (run.workers.len() as u64, run.span.targets.len() as u64);
    let cpu = processors(record);
    let first = record.plan.targets.first();
    let sectors = |target: Option<&model::PlannedTarget>| {
        target.map(|target| [target.base.0 / 512, target.length.0 / 512])
    };
    let place = |target| {
        let [start, size] = sectors(target).map_or([None, None], |pair| pair.map(Some));
        [start, size, run.depth.map(u64::from)]
    };
    let whole = |kind, name: &str, managers| IometerRow {
        kind,
        name: name.to_owned(),
        counts: [managers, Some(workers), Some(disks)],
        figures: Some(figures(record, None)),
        place: place(first),
        cpu: cpu.as_ref().map(|cpu| cpu.all),
        interrupts_per_s: cpu.as_ref().and_then(|cpu| cpu.interrupts_per_s),
    };
    let mut rows = vec![
        whole("ALL", "All", Some(1)),
        whole("MANAGER", manager, None),
    ];
    for (number, used) in cpu.iter().flat_map(|cpu| &cpu.each) {
        rows.push(IometerRow {
            kind: "PROCESSOR",
            name: format!("CPU {number}"),
            cpu: Some(*used),
            ..IometerRow::default()
        });
    }
    for (name, targets) in &run.workers {
        let numbers: Vec<u32> = targets.iter().map(|(number, _)| *number).collect();
        rows.push(IometerRow {
            kind: "WORKER",
            name: name.clone(),
            counts: [None, None, Some(targets.len() as u64)],
            figures: Some(figures(record, Some(&numbers))),
            place: place(first),
            ..IometerRow::default()
        });
        for (number, disk) in targets {
            let planned = record.plan.targets.get(*number as usize);
            let [start, size, _] = place(planned);
            rows.push(IometerRow {
                kind: "DISK",
                name: disk.clone(),
                figures: Some(figures(record, Some(&[*number]))),
                place: [start, size, None],
                ..IometerRow::default()
            });
        }
    }
    rows
}

/// A configuration from a run in the database.
fn write_icf(
    args: &IometerArgs,
    path: &Path,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let record = show::run_named(
        &args.file.to_string_lossy(),
        args.keep.store.as_ref(),
        environment,
    )?;
    let config = iometer::restate(&restated::as_asked(&record)).map_err(|reported| {
        let lines = reported
            .into_iter()
            .map(|what| format!("IOmeter cannot express this run: {what}"));
        CommandError::refused_for(lines)
    })?;
    let file = ResultFile {
        switch: "--write-icf",
        path,
        is_one: |start| start.starts_with(b"Version "),
        word: None,
    };
    check_files(std::slice::from_ref(&file), &[], None)?;
    Ok(
        match write_whole(&file, iometer::print(&config).as_bytes()) {
            true => Ending::Good,
            false => Ending::Wrong,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::dialect::stored;
    use super::*;
    use expect_test::expect_file;
    use model::Nanos;

    #[test]
    fn stored_runs_are_printed_as_csv() {
        let mut text = String::new();
        for line in stored::lines("iometer") {
            let config = stored::input(&format!("it/iometer/{}", line.args[0]));
            let config = iometer::read(&config).unwrap();
            let pairs = line.args.iter().filter_map(|word| word.split_once(":="));
            let wishes = Wishes {
                map: pairs
                    .map(|(name, path)| (format!("{name}:"), path.into()))
                    .collect(),
                duration: Some(Nanos(300_000_000)),
                ..Wishes::default()
            };
            let built = iometer::build(&config, &wishes, &|_| None).unwrap();
            let records = line.records();
            let page = csv(&config, &built.runs, &records);
            let mut page = String::from_utf8(page).unwrap();
            for record in &records {
                for since in [0, record.phases.drained.0] {
                    let time = iometer_time(record.started_utc.0 + since, &Zone::system());
                    page = page.replace(&time, "TIME"); // in the zone of this machine
                }
            }
            text += &line.head("CSV");
            text += &page.replace('\r', "\\r"); // or an editor could remove it unseen
        }
        expect_file!["../../tests/net/tools/iometer.txt"].assert_eq(&text);
    }
}
