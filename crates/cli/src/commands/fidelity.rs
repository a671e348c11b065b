//! `fathom fidelity`: how like a trace or a profile is to an original.
//!
//! Omitted: distances (`traces`).

use super::learn::read_profile;
use super::trace::{Pace, of_trace};
use crate::args::{FidelityArgs, TraceInputArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::{output, report, signals};
use engine::Stop;
use model::fidelity::PropertyVerdict;
use model::{Bytes, CommandError, invalid_value};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use traces::{ArrivalRule, Drawn, Properties};

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
    let read = |path: &Path| properties(path, args.seed, &mut Pace::new(&stop, environment));
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
        ArrivalRule::Open { .. } => (Properties::default(), u64::MAX),
        ArrivalRule::Closed { .. } => (Properties::untimed(), profile.learned.ios.max(1)),
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

fn is_profile(path: &Path) -> bool {
    let mut head = Vec::new();
    let file = File::open(path).map(|file| file.take(HEAD));
    let read = file.and_then(|mut file| file.read_to_end(&mut head));
    read.is_ok()
        && head
            .windows(VERSION_KEY.len())
            .any(|part| part == VERSION_KEY)
}
