//! `fathom fidelity`: how like a trace, a profile or what a stored session issued is to an original.
//!
//! Results have no single I/Os; those of a replay are read again from its trace, those of a run of a profile drawn again.
//! Omitted: distances (`traces`).

use super::learn::read_profile;
use super::show::run_named;
use super::trace::{Pace, of_trace};
use crate::args::{FidelityArgs, ReplayArgs, RunArgs, TraceInputArgs};
use crate::commands::{learned, replay};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed, read_line};
use crate::{output, report, signals};
use engine::Stop;
use model::fidelity::PropertyVerdict;
use model::plan::RecordedTiming;
use model::trace::TraceRecord;
use model::{Access, Bytes, CommandError, RunRecord, invalid_value};
use std::io::Read;
use std::path::Path;
use traces::{ArrivalRule, Drawn, Properties};

/// The row of `fathom fidelity`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<FidelityArgs>(
    "fidelity",
    Group::Measure,
    "Compare two traces or profiles in fourteen properties, each with the distance of the first from itself",
    |words, environment| fidelity(&parsed(words)?, environment),
);

/// A profile has its version within so many bytes.
const HEAD: u64 = 4096;
const VERSION_KEY: &[u8] = b"fathom_profile";

/// Compares the two and prints the properties.
pub(crate) fn fidelity(
    args: &FidelityArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let fails = args.fail_if.as_deref().map(verdict).transpose()?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let read = |path: &Path| {
        let pace = &mut Pace::new(&stop, environment);
        match path.to_str().filter(|id| is_id(id) && !path.exists()) {
            Some(id) => {
                let record = run_named(id, args.store.store.as_ref(), environment)?;
                of_session(id, &record, pace)
            }
            None => properties(path, args.seed, pace),
        }
    };
    let (original, other) = (read(&args.original)?, read(&args.other)?);
    if stop.asked() {
        return Err(CommandError::failed("interrupted before both were read"));
    }
    let found = traces::fidelity(&original, &other);
    let name = args.original.display().to_string();
    let form = Form::of_list(args.json, environment);
    output::print(&report::fidelity(&name, &found, form))?;
    let failed = match fails {
        Some(PropertyVerdict::Similar) => found.similar + found.differs > 0,
        Some(_) => found.differs > 0,
        None => false,
    };
    Ok(if failed { Ending::Denied } else { Ending::Good })
}

fn verdict(text: &str) -> Result<PropertyVerdict, CommandError> {
    match text {
        "similar" => Ok(PropertyVerdict::Similar),
        "differs" => Ok(PropertyVerdict::Differs),
        _ => {
            let wrong = invalid_value(text, "--fail-if", "must be similar or differs");
            Err(CommandError::refused(wrong))
        }
    }
}

/// Returns the properties of a trace, or of the I/Os that a profile draws.
fn properties(path: &Path, seed: u64, pace: &mut Pace<'_>) -> Result<Properties, CommandError> {
    if !is_profile(path) {
        let input = TraceInputArgs {
            files: vec![path.to_owned()],
            format: None,
            window: None,
            rounds: Vec::new(),
        };
        let mut trace = super::trace::open(&input, Some(pace.stop()))?;
        let mut properties = Properties::default();
        while let Some(record) = trace.read().map_err(of_trace)? {
            properties.take(&record);
            if !pace.goes_on() {
                break;
            }
        }
        pace.end();
        return Ok(properties.finish());
    }
    let profile = read_profile(path)?;
    let drawn = Drawn::new(&profile.workload, Bytes(u64::MAX), seed);
    let drawn = drawn.map_err(CommandError::refused)?;
    // A closed loop has no end of its own.
    let (mut properties, most) = match profile.workload.arrivals {
        ArrivalRule::Closed { .. } => (Properties::untimed(), profile.learned.ios.max(1)),
        _ => (Properties::default(), u64::MAX),
    };
    for record in drawn.take(usize::try_from(most).unwrap_or(usize::MAX)) {
        properties.take(&record);
        if !pace.goes_on() {
            break;
        }
    }
    pace.end();
    Ok(properties.finish())
}

/// Whether a name may be that of a session or a run of one.
fn is_id(text: &str) -> bool {
    text.parse::<store::Name>().is_ok()
}

/// Returns the properties of the I/Os that a stored session issued, at the times at which they were to start.
fn of_session(
    id: &str,
    record: &RunRecord,
    pace: &mut Pace<'_>,
) -> Result<Properties, CommandError> {
    let refused = |why: &str| CommandError::refused(format!("{id}: {why}"));
    let [target] = record.plan.targets.as_slice() else {
        return Err(refused("must be a session with one target"));
    };
    let Access::Recorded(recorded) = &target.workload.access else {
        return Err(refused(
            "its I/Os are not those of a trace or a profile: must be a session of fathom replay or fathom run --profile",
        ));
    };
    let own_times = matches!(
        recorded.issue.timing,
        RecordedTiming::Recorded | RecordedTiming::Flushes
    );
    let timed = recorded.think.is_none() && own_times;
    let mut properties = match timed {
        true => Properties::default(),
        false => Properties::untimed(),
    };
    let mut take = |io: &TraceRecord| {
        properties.take(io);
        pace.goes_on()
    };
    let of_run = |args: &RunArgs| args.profile.profile.is_some();
    if let Ok(args) = read_line::<ReplayArgs>("replay", &record.command) {
        replay::issued(&args, record, &mut take)?;
    } else if let Some(args) = read_line("run", &record.command).ok().filter(of_run) {
        learned::issued(&args, record, &mut take)?;
    } else {
        return Err(refused("its command line cannot be read again"));
    }
    pace.end();
    Ok(properties.finish())
}

fn is_profile(path: &Path) -> bool {
    if !path.is_file() {
        return false; // the head of a pipe is read once
    }
    let mut head = Vec::new();
    let file = gate::Input::open(path).map(|input| input.take(HEAD));
    let read = file.and_then(|mut file| file.read_to_end(&mut head));
    read.is_ok()
        && head
            .windows(VERSION_KEY.len())
            .any(|part| part == VERSION_KEY)
}
