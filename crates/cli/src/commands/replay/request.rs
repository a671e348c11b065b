//! From a trace and the options to a request that can be checked, with the places of all I/Os.

use crate::args::{ReplayArgs, ReplayTraceArgs, TraceInputArgs};
use crate::commands::learned::{DEPTH, depth, share_of_writes};
use crate::commands::trace::{self, Pace};
use engine::{RecordedIo, RecordedIos, RecordedShare, Recording};
use model::plan::{RecordedAccess, RecordedDependencies, RecordedIssue, RecordedTiming};
use model::trace::{TraceOperation, TraceRecord};
use model::{
    Access, Arrivals, Bytes, CommandError, Nanos, Profile, Ratio, RunRecord, Spacing, TargetFacts,
    invalid_value,
};
use session::Admission;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tools::native;
use traces::trace::FileRounds;
use traces::{Fit, Passed, Placement, Room, Route, SPEED_ONE, Scan, Selection, Share, Trace};

/// The offsets and lengths that every device accepts.
const UNIT_MIN: u64 = 512;
/// A replay that is late ends at the latest after so many times its length, and this time more.
const LATE_TIMES: u64 = 2;
/// The same of one whose I/Os wait for one another: a slower target takes longer.
const SLOWER_TIMES: u64 = 20;
const LATE_MORE: Nanos = Nanos::seconds(10);
const SPEED_FORM: &str = "must be a number from 0.01 to 100";

/// The options that were read.
pub(super) struct Request<'a> {
    args: &'a ReplayArgs,
    input: TraceInputArgs,
    speed_ppm: u64,
    timing: RecordedTiming,
    selection: Selection,
    fit: Option<Fit>,
    map: Vec<(String, PathBuf)>,
}

impl<'a> Request<'a> {
    /// Reads the options; all problems at once.
    pub(super) fn read(args: &'a ReplayArgs) -> Result<Request<'a>, CommandError> {
        let options = &args.replay;
        let mut wrong = Vec::new();
        let speed_ppm = speed(&options.speed).unwrap_or_else(|| {
            wrong.push(invalid_value(&options.speed, "--speed", SPEED_FORM));
            SPEED_ONE
        });
        let timing = timing(&options.timing).unwrap_or_else(|| {
            let accepted = "must be one of recorded, dependent, fast";
            wrong.push(invalid_value(&options.timing, "--timing", accepted));
            RecordedTiming::Recorded
        });
        let selection = selection(options, timing, &mut wrong);
        let fit = options.fit.as_deref().and_then(|text| {
            let found = Fit::ALL.iter().find(|(name, _)| *name == text);
            if found.is_none() {
                let names = Fit::ALL.map(|(name, _)| name).join(", ");
                wrong.push(invalid_value(
                    text,
                    "--fit",
                    &format!("must be one of {names}"),
                ));
            }
            found.map(|(_, fit)| *fit)
        });
        let mut map = Vec::new();
        for text in &options.map {
            match text.split_once('=') {
                Some((device, target)) if !device.is_empty() && !target.is_empty() => {
                    map.push((device.to_owned(), PathBuf::from(target)));
                }
                _ => wrong.push(invalid_value(
                    text,
                    "--map",
                    "must be DEVICE=TARGET, such as 8:16=/dev/sdb",
                )),
            }
        }
        if !is_readable_again(&args.trace) {
            wrong.push(not_readable_again(&args.trace).to_string());
        }
        match wrong.is_empty() {
            false => Err(CommandError::refused_for(wrong)),
            true => Ok(Request {
                args,
                input: TraceInputArgs {
                    files: vec![args.trace.clone()],
                    format: options.format.clone(),
                    window: options.window.clone(),
                    rounds: Vec::new(),
                },
                speed_ppm,
                timing,
                selection,
                fit,
                map,
            }),
        }
    }

    /// Replays these files, merged by time, instead of the one.
    ///
    /// # Errors
    /// One that cannot be read more than once.
    pub(super) fn merge(&mut self, files: Vec<(PathBuf, FileRounds)>) -> Result<(), CommandError> {
        if let Some((path, _)) = files.iter().find(|(path, _)| !is_readable_again(path)) {
            return Err(not_readable_again(path));
        }
        (self.input.files, self.input.rounds) = files.into_iter().unzip();
        Ok(())
    }

    /// The targets, in the order of the plan.
    fn targets(&self) -> Vec<PathBuf> {
        let mut targets: Vec<PathBuf> = self.args.target.iter().cloned().collect();
        for (_, target) in &self.map {
            if !targets.contains(target) {
                targets.push(target.clone());
            }
        }
        targets
    }
}

fn not_readable_again(path: &Path) -> CommandError {
    let accepted = "must be a file, because it is read more than once; hint: fathom trace - --convert iotrace --out FILE";
    CommandError::refused(invalid_value(&path.to_string_lossy(), "TRACE", accepted))
}

/// Returns whether a second reading gives the same bytes: not of standard input, a pipe or a terminal.
fn is_readable_again(trace: &Path) -> bool {
    let is_file_or_missing = |trace: &Path| {
        let there = std::fs::metadata(trace);
        there.map_or(true, |there| there.is_file() || there.is_dir())
    };
    trace != Path::new("-") && is_file_or_missing(trace)
}

/// Reads a factor as millionths.
fn speed(text: &str) -> Option<u64> {
    let factor: f64 = text.parse().ok()?;
    (0.01..=100.0)
        .contains(&factor)
        .then_some((factor * SPEED_ONE as f64).round() as u64)
}

/// Which I/Os are issued, and how their offsets change.
fn selection(
    options: &ReplayTraceArgs,
    timing: RecordedTiming,
    wrong: &mut Vec<String>,
) -> Selection {
    let mut selection = Selection {
        dependent: matches!(timing, RecordedTiming::Dependent(_)),
        ..Selection::default()
    };
    for (name, operation) in TraceOperation::ALL {
        let is_issued = &mut selection.issued[operation as usize];
        *is_issued |= options.discards && operation == TraceOperation::Discard;
        *is_issued &= !options.reads_only || operation == TraceOperation::Read;
        *is_issued &= !options.skip.iter().any(|skipped| skipped == name);
    }
    let known = |text: &str| TraceOperation::ALL.iter().any(|(name, _)| *name == text);
    for text in options.skip.iter().filter(|text| !known(text)) {
        let accepted = "must be one of read, write, flush, discard";
        wrong.push(invalid_value(text, "--skip", accepted));
    }
    let mut number = |text: &str, option, accepted| {
        let size = text
            .parse::<Bytes>()
            .ok()
            .map(|size| size.0)
            .filter(|&size| size > 0);
        size.unwrap_or_else(|| {
            wrong.push(invalid_value(text, option, accepted));
            1
        })
    };
    if let Some(text) = &options.align {
        selection.align = number(text, "--align", "must be a size above 0");
    }
    if let Some(text) = &options.divide {
        selection.divide = number(text, "--divide", "must be a whole number above 0");
    }
    selection
}

fn timing(text: &str) -> Option<RecordedTiming> {
    let all = [
        RecordedTiming::Recorded,
        RecordedTiming::Fast,
        RecordedTiming::Dependent(RecordedDependencies::default()),
    ];
    all.into_iter().find(|timing| timing.name() == text)
}

/// A trace after the first pass.
pub(super) struct Scanned {
    scan: Scan,
    timing: RecordedTiming,
    devices: Vec<String>,
}

impl Scanned {
    /// Reads the trace to its end.
    pub(super) fn read(
        request: &Request<'_>,
        pace: &mut Pace<'_>,
    ) -> Result<Scanned, CommandError> {
        let mut trace = trace::open(&request.input, Some(pace.stop()))?;
        let scan = Scan::read(&mut trace, request.selection, || pace.goes_on());
        pace.end();
        let scan = scan.map_err(trace::of_trace)?;
        let found = scan.dependencies().map_err(trace::of_trace)?;
        Ok(Scanned {
            timing: found.map_or(request.timing, RecordedTiming::Dependent),
            scan,
            devices: trace.devices().to_vec(),
        })
    }

    /// Chooses the places on the targets as they are now.
    pub(super) fn place(
        &self,
        request: &Request<'_>,
        gate: &Admission<'_>,
    ) -> Result<(Profile, Recording), CommandError> {
        let targets = self.target_of_devices(request)?;
        let mut profile = self.profile(request, &targets)?;
        let facts = gate.facts(&profile);
        let mut placements = Vec::new();
        for (number, facts) in (0u32..).zip(&facts) {
            let create = profile.timespans[0].targets[number as usize].create;
            let room = self.room(facts, create);
            if room.length.0 == 0 {
                // The check reports what is wrong with the target.
                return gate.check(&profile).and(Err(CommandError::refused(format!(
                    "{}: has no size; hint: --create SIZE",
                    facts.path.display()
                ))));
            }
            let its: Vec<u16> = (0u16..)
                .zip(&targets)
                .filter(|(_, target)| **target == Some(number))
                .map(|(device, _)| device)
                .collect();
            let placement = Placement::choose(&self.scan.used, &its, room, request.fit);
            let placement = placement.map_err(trace::of_trace)?;
            if self.scan.issued(TraceOperation::Discard) > 0 && placement.fit() != Fit::Identity {
                let wrong = "--discards: places must be those of the trace; hint: a larger target";
                return Err(CommandError::refused(wrong));
            }
            placements.push((placement, room));
        }
        let route = Route {
            selection: request.selection,
            speed_ppm: request.speed_ppm,
            by_thread: self.scan.has_threads,
            placements: Vec::new(),
            targets,
        };
        for (target, (placement, room)) in profile.timespans[0].targets.iter_mut().zip(&placements)
        {
            target.workload.block = Bytes(placement.largest());
            if request.args.place.depth.is_none() && self.timing != RecordedTiming::Fast {
                let most = self.scan.most_in_flight();
                target.workload.queue_depth = depth(most, target);
            }
            target.workload.access =
                Access::Recorded(Box::new(self.access(request, &route, placement, *room)));
        }
        let route = Route {
            placements: placements
                .into_iter()
                .map(|(placement, _)| placement)
                .collect(),
            ..route
        };
        Ok((profile, recording(request.input.clone(), Arc::new(route))))
    }

    /// The number of the target of each device.
    fn target_of_devices(&self, request: &Request<'_>) -> Result<Vec<Option<u32>>, CommandError> {
        if request.map.is_empty() {
            return Ok(vec![Some(0); self.devices.len()]);
        }
        let paths = request.targets();
        let mut targets = vec![None; self.devices.len()];
        let mut wrong = Vec::new();
        for (label, path) in &request.map {
            let number = (0u32..)
                .zip(&paths)
                .find(|(_, one)| *one == path)
                .map(|(number, _)| number);
            match self.devices.iter().position(|device| device == label) {
                Some(device) => targets[device] = number,
                None => {
                    const SHOWN: usize = 10;
                    let mut known = self
                        .devices
                        .iter()
                        .take(SHOWN)
                        .cloned()
                        .collect::<Vec<_>>()
                        .join(", ");
                    if self.devices.len() > SHOWN {
                        known += " …";
                    }
                    wrong.push(invalid_value(
                        label,
                        "--map",
                        &format!("must be a device of the trace: {known}"),
                    ));
                }
            }
        }
        match wrong.is_empty() {
            true => Ok(targets),
            false => Err(CommandError::refused_for(wrong)),
        }
    }

    /// The request of `fathom run` for the same targets, which the trace then changes.
    fn profile(
        &self,
        request: &Request<'_>,
        targets: &[Option<u32>],
    ) -> Result<Profile, CommandError> {
        let (args, place) = (request.args, &request.args.place);
        let ([reads, writes, discards, _], _) = self.scan.routed(targets);
        let writes = writes + discards; // which need the same confirmation
        let share = share_of_writes(reads, writes);
        let length = self.duration(request);
        let times = match self.timing {
            RecordedTiming::Recorded | RecordedTiming::Flushes => LATE_TIMES,
            RecordedTiming::Fast | RecordedTiming::Dependent(_) => SLOWER_TIMES,
        };
        let measured = Nanos(length.0.saturating_mul(times)).plus(LATE_MORE);
        let simple = native::Request {
            targets: request.targets(),
            work: native::WorkText {
                depth: place.depth.clone().unwrap_or_else(|| DEPTH.to_string()),
                threads: place.threads.clone(),
                write: share.as_percent().to_string(),
                ..native::WorkText::default()
            },
            place: native::PlaceText {
                create: place.create.clone(),
                cache: place.cache.clone(),
                ..native::PlaceText::default()
            },
            time: native::TimeText {
                duration: format!("{}ns", measured.0),
                warmup: "0s".to_owned(),
                ..native::TimeText::default()
            },
            engine: native::EngineText {
                engine: place.engine.clone(),
                continue_on_error: place.continue_on_error,
                ..native::EngineText::default()
            },
            verify: native::VerifyText::default(),
        };
        let mut profile = native::build(&simple)?.profile;
        let per_s = length.rate_of((reads + writes) as f64).round() as u64;
        let span = &mut profile.timespans[0];
        span.arrivals = (self.timing != RecordedTiming::Fast).then(|| Arrivals {
            per_s: per_s.clamp(1, 1_000_000_000),
            spacing: Spacing::Recorded,
        });
        if args.replay.reads_only {
            span.targets
                .iter_mut()
                .for_each(|target| target.workload.write = Ratio::NONE);
        }
        Ok(profile)
    }

    fn duration(&self, request: &Request<'_>) -> Nanos {
        let ns =
            u128::from(self.scan.last.0) * u128::from(SPEED_ONE) / u128::from(request.speed_ppm);
        Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// The length of a target, and what its offsets are multiples of.
    fn room(&self, facts: &TargetFacts, create: Option<Bytes>) -> Room {
        let direct = facts
            .direct_io
            .map_or(UNIT_MIN, |direct| direct.offset.max(direct.memory).0);
        let unit = Bytes(direct.max(self.scan.granularity).max(UNIT_MIN));
        Room {
            length: create.unwrap_or(facts.size).floor_to(unit),
            unit,
        }
    }

    fn access(
        &self,
        request: &Request<'_>,
        route: &Route,
        placement: &Placement,
        room: Room,
    ) -> RecordedAccess {
        let ([reads, writes, discards, flushes], omitted) = self.scan.routed(&route.targets);
        RecordedAccess {
            trace: request.args.trace.to_string_lossy().into_owned(),
            digest: self.scan.digest(),
            granularity: Bytes(self.scan.granularity),
            ios: reads + writes,
            duration: self.duration(request),
            think: (self.timing == RecordedTiming::Fast).then_some(Nanos(0)),
            speed_ppm: request.speed_ppm,
            fit: placement.fit().name().to_owned(),
            overlap_ppm: placement.overlap_ppm,
            unit: room.unit,
            omitted,
            issue: RecordedIssue {
                timing: self.timing,
                flushes,
                discards,
            },
        }
    }
}

/// Reads the trace of a stored replay again, with the places that its I/Os had.
pub(super) fn again(
    request: &Request<'_>,
    record: &RunRecord,
    take: &mut dyn FnMut(&TraceRecord) -> bool,
) -> Result<(), CommandError> {
    let target = &record.plan.targets[0];
    let Access::Recorded(recorded) = &target.workload.access else {
        unreachable!("the caller has seen it");
    };
    let scan = Scan::read(
        &mut trace::open(&request.input, None)?,
        request.selection,
        || true,
    );
    let scanned = Scanned {
        scan: scan.map_err(trace::of_trace)?,
        timing: request.timing,
        devices: Vec::new(),
    };
    if scanned.scan.digest() != recorded.digest {
        let other = format!("{}: is another trace now", request.args.trace.display());
        return Err(CommandError::refused(other));
    }
    let size = record.targets.first().map_or(Bytes(0), |facts| facts.size);
    let room = Room {
        length: target.create.unwrap_or(size).floor_to(recorded.unit),
        unit: recorded.unit,
    };
    let devices = (0u16..).take(scanned.scan.by_device.len());
    let devices: Vec<u16> = devices.collect();
    let fit = Fit::ALL.iter().find(|(name, _)| *name == recorded.fit);
    let fit = fit.map(|(_, fit)| *fit);
    let placement = Placement::choose(&scanned.scan.used, &devices, room, fit);
    let route = Route {
        targets: vec![Some(0); devices.len()],
        placements: vec![placement.map_err(trace::of_trace)?],
        selection: request.selection,
        speed_ppm: recorded.speed_ppm,
        by_thread: false,
    };
    let share = Share {
        target: 0,
        index: 0,
        threads: 1,
    };
    let (mut trace, mut passed) = (trace::open(&request.input, None)?, Passed::default());
    while let Some(io) = route
        .next(&mut trace, share, &mut passed)
        .map_err(trace::of_trace)?
    {
        let its = TraceRecord {
            at: io.at,
            offset: io.offset,
            length: io.length,
            operation: io.operation,
            ..TraceRecord::default()
        };
        if !take(&its) {
            break;
        }
    }
    Ok(())
}

/// The trace as the engine reads it, once per thread.
fn recording(input: TraceInputArgs, route: Arc<Route>) -> Recording {
    Recording::new(move |share: RecordedShare| {
        let mut trace: Trace = trace::open(&input, None).map_err(|error| error.to_string())?;
        let (route, mut passed) = (Arc::clone(&route), Passed::default());
        let share = Share {
            target: share.target,
            index: share.index,
            threads: share.threads,
        };
        let ios: RecordedIos = Box::new(std::iter::from_fn(move || {
            let next = route.next(&mut trace, share, &mut passed);
            let next = next.map_err(|error| error.to_string()).transpose()?;
            Some(next.map(|io| RecordedIo {
                number: io.number,
                at: io.at,
                offset: io.offset,
                length: io.length,
                operation: io.operation,
                after: io.after,
            }))
        }));
        Ok(ios)
    })
}
