//! `fathom run --profile`: the I/Os of a learned workload on a target, at the times that the profile draws.
//!
//! They are issued as those of a trace are (`replay`); in a closed loop, each a think time after a completion. Omitted:
//! drawing them (`traces`).

use super::learn::read_profile;
use super::preflight::check_event_files;
use super::replay::description;
use super::run::{Kept, Measurement, measure};
use crate::args::RunArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::{output, signals};
use engine::{RecordedIo, RecordedIos, Recording, Stop};
use model::plan::{RecordedAccess, RecordedIssue, RecordedOmissions, RecordedTiming};
use model::trace::TraceRecord;
use model::{
    Access, Arrivals, Bytes, CommandError, Nanos, Profile, QueueDepth, Ratio, RunRecord, Spacing,
    Target, TargetFacts, invalid_value,
};
use session::Admission;
use std::path::Path;
use tools::native;
use traces::{ArrivalRule, Drawn, LearnedWorkload, SPEED_ONE, Scan};

/// The offsets and lengths that every device accepts.
const UNIT_MIN: u64 = 512;
/// A run that is late ends at the latest after so many times its length, and this time more.
const LATE_TIMES: u64 = 2;
const LATE_MORE: Nanos = Nanos::seconds(10);
/// Most I/Os in flight per thread, if --depth does not specify more: an open loop needs room for its bursts. More if the
/// original had more, up to a bound and to so many bytes of buffers.
pub(super) const DEPTH: u32 = 64;
const DEPTH_MAX: u32 = 1024;
const BUFFERS_MAX: u64 = 256 << 20;
/// So many I/Os of a closed loop are counted for its digest and its share of writes.
const CLOSED_COUNTED: usize = 1 << 16;

/// Runs the workload of a profile.
pub(crate) fn run(
    path: &Path,
    args: &RunArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let known = args.known.read()?;
    let mut workload = read_profile(path)?.workload;
    scale(&mut workload, args)?;
    let [_] = args.targets.as_slice() else {
        return Err(CommandError::refused(
            "--profile: must have exactly one target, because its places are those of one device",
        ));
    };
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        event_files: &args.events,
        ..ground.gate()
    };
    let mut profile = request(args, &workload)?;
    let facts = gate.facts(&profile);
    let length = profile.timespans[0].targets[0]
        .create
        .unwrap_or(facts[0].size);
    if length == Bytes(0) {
        gate.check(&profile)?; // the reason: nothing under this name, an empty file
    }
    let target = &mut profile.timespans[0].targets[0];
    let fitted = Fitted::new(path, &workload, length, &facts[0], args)?;
    target.workload.block = fitted.largest;
    let is_open = !matches!(workload.arrivals, ArrivalRule::Closed { .. });
    if args.load.work.depth.is_none() && is_open {
        target.workload.queue_depth = depth(workload.in_flight, target);
    }
    target.workload.write = fitted.writes;
    target.workload.access = Access::Recorded(Box::new(fitted.access));
    profile.timespans[0].arrivals = fitted.per_s.map(|per_s| Arrivals {
        per_s,
        spacing: Spacing::Recorded,
    });
    let checked = gate.check(&profile)?;
    check_event_files(&args.events, checked.iter().flat_map(|plan| &plan.facts))?;
    for note in &fitted.notes {
        output::tell(note);
    }
    if args.profile.dry_run {
        output::print(format!("{}\n", description(&profile)).as_bytes())?;
        return Ok(Ending::Good);
    }
    let stop = Stop::new();
    signals::listen(&stop)?;
    let measurement = Measurement {
        ground: &ground,
        gate: &gate,
        profile: &profile,
        checked,
        recording: Some(fitted.recording),
        evidence: None,
        kept: Kept {
            trace: args.trace.keep_trace.as_deref(),
            ..Kept::default()
        },
        known: &known,
        notes: args.known.notes(),
        keep: &args.keep,
        live: args.live,
        output: args.output,
    };
    measure(measurement, &stop, environment)
}

/// Gives `take` the I/Os that a stored run of a profile issued, at the times at which they were to start, until it returns false.
///
/// # Errors
/// A profile that cannot be read or is another one now.
pub(super) fn issued(
    args: &RunArgs,
    record: &RunRecord,
    take: &mut dyn FnMut(&TraceRecord) -> bool,
) -> Result<(), CommandError> {
    let Some(path) = &args.profile.profile else {
        unreachable!("the caller has seen it");
    };
    let mut workload = read_profile(path)?.workload;
    scale(&mut workload, args)?;
    let target = &record.plan.targets[0];
    let facts = &record.targets[0]; // one per target of the plan
    let length = target.create.unwrap_or(facts.size);
    let fitted = Fitted::new(path, &workload, length, facts, args)?;
    let is_same = matches!(&target.workload.access, Access::Recorded(recorded) if recorded.digest == fitted.access.digest);
    if !is_same {
        let other = format!("{}: is another profile now", path.display());
        return Err(CommandError::refused(other));
    }
    let (unit, range) = (fitted.access.unit.0, workload.range.min(length));
    let range = range.floor_to(fitted.access.unit);
    let seed = record.plan.seed;
    let drawn = Drawn::new(&workload, range, seed).map_err(CommandError::refused)?;
    // A closed loop has no end of its own.
    let issued = record.total().ios.max(1);
    let most = fitted.access.think.map_or(u64::MAX, |_| issued);
    for io in drawn.take(usize::try_from(most).unwrap_or(usize::MAX)) {
        let its = placed(&io, unit, range.0);
        let its = TraceRecord {
            offset: its.offset,
            length: its.length,
            ..io
        };
        if !take(&its) {
            break;
        }
    }
    Ok(())
}

/// Applies --scale-rate and --scale-time; all problems at once.
fn scale(workload: &mut LearnedWorkload, args: &RunArgs) -> Result<(), CommandError> {
    let mut wrong = Vec::new();
    let mut factor = |text: &Option<String>, option, (from, to): (f64, f64)| {
        let text = text.as_deref()?;
        let read = text.parse().ok().filter(|one| (from..=to).contains(one));
        if read.is_none() {
            let accepted = format!("must be a number from {from} to {to}");
            wrong.push(invalid_value(text, option, &accepted));
        }
        read
    };
    let rate = factor(&args.profile.scale_rate, "--scale-rate", (0.001, 1000.0));
    let time = factor(&args.profile.scale_time, "--scale-time", (0.01, 100.0));
    if let (Some(_), ArrivalRule::Closed { .. }) = (rate, &workload.arrivals) {
        wrong.push(
            "--scale-rate: the arrivals of the profile are closed: must be open; hint: --depth changes the I/Os in flight"
                .to_owned(),
        );
    }
    if !wrong.is_empty() {
        return Err(CommandError::refused_for(wrong));
    }
    rate.into_iter()
        .for_each(|factor| workload.scale_rate(factor));
    time.into_iter()
        .for_each(|factor| workload.scale_time(factor));
    Ok(())
}

/// The request of a plain run on the target, which the profile then changes.
fn request(args: &RunArgs, workload: &LearnedWorkload) -> Result<Profile, CommandError> {
    let mut simple = args.request();
    let mut measured = Nanos(workload.duration().0.saturating_mul(LATE_TIMES)).plus(LATE_MORE);
    let is_default = args.load.work.depth.is_none();
    match workload.arrivals {
        ArrivalRule::Closed {
            in_flight,
            duration,
            ..
        } => {
            measured = duration;
            if is_default {
                simple.work.depth = depth_of(in_flight, &simple.work.threads)?;
            }
        }
        _ if is_default => simple.work.depth = DEPTH.to_string(),
        _ => {}
    }
    // The check asks for consent to write if anything is written.
    simple.work.write = if workload.reads < 100.0 { "1" } else { "0" }.to_owned();
    simple.time = native::TimeText {
        duration: format!("{}ns", measured.0),
        warmup: "0s".to_owned(),
        interval: args.load.time.interval.clone(),
        ..native::TimeText::default()
    };
    Ok(native::build(&simple)?.profile)
}

/// Returns the depth per thread that has room for the most I/Os in flight of the original, where that is known.
pub(super) fn depth(most: Option<u32>, target: &Target) -> QueueDepth {
    let block = target.workload.block.0.max(1);
    let room = BUFFERS_MAX / block / u64::from(target.threads.max(1));
    let room = u32::try_from(room)
        .unwrap_or(DEPTH_MAX)
        .clamp(DEPTH, DEPTH_MAX);
    QueueDepth(most.unwrap_or(0).clamp(DEPTH, room))
}

/// Divides the I/Os in flight of a closed loop between the threads.
fn depth_of(in_flight: u32, threads: &str) -> Result<String, CommandError> {
    let Some(each) = threads.parse().ok().filter(|&threads| threads > 0) else {
        return Ok(native::DEPTH.to_owned()); // the request reports it
    };
    if !in_flight.is_multiple_of(each) {
        let accepted = format!(
            "must divide the {in_flight} I/Os in flight of the profile; or specify --depth"
        );
        return Err(CommandError::refused(invalid_value(
            threads,
            "--threads",
            &accepted,
        )));
    }
    Ok((in_flight / each).to_string())
}

/// A profile on a target of a certain length.
struct Fitted {
    access: RecordedAccess,
    recording: Recording,
    largest: Bytes,
    writes: Ratio,
    per_s: Option<u64>, // none in a closed loop
    notes: Vec<String>,
}

impl Fitted {
    fn new(
        path: &Path,
        workload: &LearnedWorkload,
        length: Bytes,
        facts: &TargetFacts,
        args: &RunArgs,
    ) -> Result<Fitted, CommandError> {
        let direct = facts
            .direct_io
            .map_or(UNIT_MIN, |direct| direct.offset.max(direct.memory).0);
        let granularity = workload.granularity();
        let unit = Bytes(direct.max(granularity.0).max(UNIT_MIN));
        let range = workload.range.min(length).floor_to(unit);
        let seed = native::build(&args.request())?.profile.timespans[0].seed;
        let refused = |why: String| CommandError::refused(format!("{}: {why}", path.display()));
        let drawn = Drawn::new(workload, range, seed).map_err(refused)?;
        let think = match workload.arrivals {
            ArrivalRule::Closed { think, .. } => Some(think),
            _ => None,
        };
        // One pass to count what the seed draws, so that the run ends with its last I/O. A closed loop has none.
        let counted = think.map_or(usize::MAX, |_| CLOSED_COUNTED);
        let scan = Scan::of(drawn.clone().take(counted));
        let [reads, writes, _, flushes] = scan.by_device.first().copied().unwrap_or_default();
        if reads + writes == 0 {
            return Err(refused("draws no I/O: must have a higher rate".to_owned()));
        }
        let (ios, duration) = match think {
            None => (reads + writes, scan.last.max(Nanos(1))),
            Some(_) => (0, workload.duration()),
        };
        Ok(Fitted {
            access: RecordedAccess {
                trace: path.to_string_lossy().into_owned(),
                digest: scan.digest(),
                granularity,
                ios,
                duration,
                think,
                speed_ppm: SPEED_ONE,
                fit: if range < workload.range {
                    "scale"
                } else {
                    "identity"
                }
                .to_owned(),
                overlap_ppm: None,
                unit,
                omitted: RecordedOmissions::default(),
                issue: RecordedIssue {
                    timing: match &workload.flush {
                        Some(flush) if think.is_none() && flush.has_waits() => {
                            RecordedTiming::Flushes
                        }
                        _ => RecordedTiming::Recorded,
                    },
                    flushes,
                    discards: 0,
                },
            },
            notes: notes(workload, range),
            recording: recording(drawn, unit.0, range.0),
            largest: Bytes(workload.largest().0.next_multiple_of(unit.0) + unit.0).min(range),
            writes: share_of_writes(reads, writes),
            per_s: think.is_none().then(|| {
                let rate = duration.rate_of((reads + writes) as f64).round() as u64;
                rate.clamp(1, 1_000_000_000)
            }),
        })
    }
}

/// What of the profile is not done as it is there.
fn notes(workload: &LearnedWorkload, range: Bytes) -> Vec<String> {
    let mut notes = Vec::new();
    if range < workload.range {
        notes.push(format!(
            "note: the addresses of the profile ({}) are fitted into {}: jumps become shorter, and blocks are used more often",
            workload.range.about(),
            range.about()
        ));
    }
    notes
}

/// The nearest whole percent of writes; what is there is not 0, what is not all is not 100.
pub(super) fn share_of_writes(reads: u64, writes: u64) -> Ratio {
    let share = match (reads, writes) {
        (_, 0) => 0,
        (0, _) => 100,
        _ => (writes as f64 * 100.0 / (reads + writes) as f64)
            .round()
            .clamp(1.0, 99.0) as u64,
    };
    Ratio::percent(share as u8).expect("at most 100")
}

/// The I/Os of the profile as the engine takes them, once per thread: each thread draws all and issues its own.
fn recording(drawn: Drawn, unit: u64, range: u64) -> Recording {
    Recording::new(move |share| {
        let (index, threads) = (u64::from(share.index), u64::from(share.threads));
        let mut drawn = drawn.clone();
        let all = (0u64..).zip(std::iter::from_fn(move || drawn.next_io()));
        let its = all.filter(move |(number, _)| number % threads == index);
        let ios = its.map(move |(number, (record, after))| {
            Ok(RecordedIo {
                number,
                after,
                ..placed(&record, unit, range)
            })
        });
        Ok(Box::new(ios) as RecordedIos)
    })
}

/// Rounds an I/O outwards to what the target accepts.
fn placed(record: &TraceRecord, unit: u64, range: u64) -> RecordedIo {
    let end = (record.offset + record.length)
        .next_multiple_of(unit)
        .min(range);
    let offset = record.offset / unit * unit;
    RecordedIo {
        at: record.at,
        offset,
        length: end - offset,
        operation: record.operation,
        ..RecordedIo::default()
    }
}

#[cfg(test)]
mod tests {
    use super::share_of_writes;

    #[test]
    fn the_share_of_writes_is_the_nearest_percent_that_says_which_there_are() {
        let share = |reads, writes| share_of_writes(reads, writes).as_percent();
        assert_eq!([share(70_040, 29_960), share(705, 295)], [30, 30]);
        assert_eq!([share(1_000_000, 1), share(1, 1_000_000)], [1, 99]);
        assert_eq!([share(5, 0), share(0, 5), share(0, 0)], [0, 100, 0]);
    }
}
