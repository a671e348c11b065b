//! `fathom learn`: the workload of a trace, or of a device that is observed, as a profile for `fathom run --profile`.
//!
//! Omitted: observing (`observe`), learning itself (`traces`).

use super::dialect::text_of;
use super::observe;
use super::trace::{Pace, of_trace, open};
use crate::args;
use crate::args::LearnArgs;
use crate::environment::Environment;
use crate::failure::{self, Ending};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report, signals};
use analysis::say;
use engine::Stop;
use gate::{NewOutput, Replace, check_output};
use model::{CommandError, Nanos, invalid_value};
use std::io::Write;
use std::path::Path;
use traces::{LearnedFrom, LearnedProfile, Learner};
use views::LearnedSummary;

/// The row of `fathom learn`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<LearnArgs>(
    "learn",
    Group::Measure,
    "Learn the workload of a trace or a running application, as a profile that fathom run \
     --profile runs",
    |words, environment| learn(&parsed(words)?, environment),
)
.after_help(|| args::trace::formats().into());

/// Longest profile that is read: a million places have less.
const PROFILE_BYTES_MAX: u64 = 64 << 20;
/// A trace with fewer I/Os gives a profile with a warning.
const IOS_MIN: u64 = 1000;
/// If more of the time is omitted, the profile is doubtful.
const LOST_MAX: f64 = 0.05;

/// Reads the trace and writes the profile.
pub(crate) fn learn(args: &LearnArgs, environment: &Environment) -> Result<Ending, CommandError> {
    if args.out.is_some() && args.out == args.observe.keep_trace {
        return Err(CommandError::refused(
            "--keep-trace and -o name one file: the trace and the profile must be two",
        ));
    }
    if let Some(out) = &args.out {
        check_output(out, Replace::Nothing).map_err(|error| failure::of_output(&error))?;
    }
    let stop = Stop::new();
    let interrupt = signals::listen(&stop)?;
    let mut ending = Ending::Good;
    let profile = match observe::Request::read(&args.observe)? {
        Some(request) if args.observe.dry_run => {
            return output::print(request.description().as_bytes()).map(|()| Ending::Good);
        }
        Some(request) => {
            let observed = request.observe(&stop, environment)?;
            ending = match observed.trace_failed {
                true => Ending::Wrong,
                false => Ending::Good,
            };
            observed.profile
        }
        None => learned(args, &mut Pace::new(&stop, environment))?,
    };
    if let Some(path) = &args.out {
        write(&profile, path)?;
    }
    let from = &profile.learned;
    match args.json {
        true => output::print(&report::learned(&summary(&profile, interrupt.asked())))?,
        false if args.out.is_none() => output::print(profile.text().as_bytes())?,
        false => {}
    }
    output::tell(&format!(
        "learned from {} in {}",
        say::counted(from.ios, "I/O"),
        say::time(from.duration.0 as f64)
    ));
    if from.ios < IOS_MIN {
        output::tell(&format!(
            "warning: {} I/Os are few: shares are uncertain below {IOS_MIN}",
            from.ios
        ));
    }
    if from.lost > 0 {
        output::tell(&lost(from));
    }
    if interrupt.asked() {
        output::tell("interrupted: the profile is that of the I/Os until there");
    }
    Ok(ending)
}

/// Returns what the lost events mean for the profile.
fn lost(from: &LearnedFrom) -> String {
    let events = say::counted(from.lost, "event");
    if from.left_out == Nanos(0) {
        return format!(
            "warning: the recorder lost {events}: rates are too low where they are missing"
        );
    }
    let observed = from.duration.plus(from.left_out);
    let share = from.left_out.0 as f64 / observed.0 as f64;
    let severity = if share > LOST_MAX {
        "CAUTION"
    } else {
        "warning"
    };
    format!(
        "{severity}: {events} lost: {} of the time is omitted ({})",
        say::percent(share),
        say::time(from.left_out.0 as f64)
    )
}

fn learned(args: &LearnArgs, pace: &mut Pace<'_>) -> Result<LearnedProfile, CommandError> {
    let input = args.input();
    let mut trace = open(&input, Some(pace.stop()))?;
    let mut learner = Learner::default();
    let mut found = false;
    while let Some(record) = trace.read().map_err(of_trace)? {
        let its = &trace.devices()[usize::from(record.device)];
        if args.of.as_ref().is_none_or(|of| of == its) {
            learner.take(&record);
            found = true;
        }
        if !pace.goes_on() {
            break;
        }
    }
    pace.end();
    if let Some(of) = args.of.as_ref().filter(|_| !found) {
        let known = trace.devices().iter().take(10).cloned();
        let known = known.collect::<Vec<_>>().join(", ");
        return Err(CommandError::refused(invalid_value(
            of,
            "--of",
            &format!("must be a device of the trace: {known}"),
        )));
    }
    let files: Vec<String> = input
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let from = LearnedFrom {
        from: files.join(" "),
        format: trace.format().name.to_owned(),
        lost: trace.counts().lost,
        ..LearnedFrom::default()
    };
    learner.finish(from, trace.devices()).map_err(of_trace)
}

fn summary(profile: &LearnedProfile, interrupted: bool) -> LearnedSummary {
    let from = &profile.learned;
    LearnedSummary {
        from: from.from.clone(),
        format: from.format.clone(),
        duration_ns: from.duration.0,
        ios: from.ios,
        lost: from.lost,
        omitted_ns: from.left_out.0,
        interrupted,
        profile: profile.text(),
    }
}

/// Writes the profile to a new file, which other users cannot read.
fn write(profile: &LearnedProfile, path: &Path) -> Result<(), CommandError> {
    let text = profile.text();
    let file = NewOutput::create(path).map_err(|error| failure::of_output(&error))?;
    let failed = |error: std::io::Error| {
        let why = model::errno_text(&error);
        CommandError::failed(format!("{}: cannot be written: {why}", path.display()))
    };
    let mut open = file.file().map_err(failed)?;
    open.write_all(text.as_bytes()).map_err(failed)?;
    file.publish().map_err(|error| failure::of_output(&error))
}

/// Reads a profile.
pub(super) fn read_profile(path: &Path) -> Result<LearnedProfile, CommandError> {
    let failed = |why: String| CommandError::refused(format!("{}: {why}", path.display()));
    let is_file = std::fs::metadata(path).map(|facts| facts.is_file());
    match is_file {
        Err(error) => {
            return Err(failed(format!(
                "cannot be read: {}",
                model::errno_text(&error)
            )));
        }
        Ok(false) => return Err(failed("must be a file with a profile".to_owned())),
        Ok(true) => {}
    }
    let text = text_of(path, PROFILE_BYTES_MAX + 1)
        .map_err(|why| failed(format!("cannot be read: {why}")))?;
    if text.len() as u64 > PROFILE_BYTES_MAX {
        return Err(failed(format!(
            "must have at most {PROFILE_BYTES_MAX} bytes"
        )));
    }
    LearnedProfile::read(&path.display().to_string(), &text)
        .map_err(|wrong| CommandError::refused_for(wrong.0))
}
