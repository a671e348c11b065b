//! The I/Os of a device, a file or a process while they happen, as `fathom learn` observes them.
//!
//! Read in this order: the options (`Request`), the loop (`observe`), one device's I/Os (`Stream`). Omitted: the
//! kernel's events (`host`), which of them are one I/O (`traces`).

use super::trace::of_trace;
use crate::args::ObserveArgs;
use crate::environment::Environment;
use crate::kept_trace::KeptTrace;
use crate::{failure, output};
use analysis::say;
use engine::Stop;
use host::{IoTrace, ObservedPlace, ProcessTree, Root};
use model::trace::{BlockEvent, BlockStage};
use model::{CommandError, Nanos, invalid_value};
use session::clock::Stopwatch;
use std::path::{Path, PathBuf};
use std::time::Duration;
use traces::{LearnedFrom, LearnedProfile, Learner, Observed};

const FOR: Nanos = Nanos::seconds(60);
const FOR_MAX: Nanos = Nanos::seconds(24 * 3600);
const FOR_FORM: &str = "must be a time from 1s to 24h";
/// From one reading to the next: the buffer of a core has seconds of events.
const EVERY: Duration = Duration::from_millis(20);
/// Devices that a process may use.
const DEVICES_MAX: usize = 64;
const PERMISSION_HINT: &str =
    "hint: run it as root, or learn from a trace that root recorded with blktrace or perf";

/// What is observed.
pub(super) struct Request {
    place: Option<ObservedPlace>, // all devices without one
    from: String,
    process: Option<u32>,
    duration: Nanos,
    kept: Option<PathBuf>,
    root: Root,
}

impl Request {
    /// Reads the options; `None` if nothing is observed.
    pub(super) fn read(args: &ObserveArgs) -> Result<Option<Request>, CommandError> {
        let target = args.device.as_ref().or(args.file.as_ref());
        if target.is_none() && args.pid.is_none() {
            return Ok(None);
        }
        let root = Root::live();
        let mut wrong = Vec::new();
        let place = target.and_then(|path| match place(&root, path, args.file.is_some()) {
            Ok(place) => Some(place),
            Err(why) => {
                wrong.push(format!("{}: {why}", path.display()));
                None
            }
        });
        let process = args.pid;
        wrong.extend(process.and_then(|process| not_a_process(&root, process)));
        let duration = args.duration.as_deref().map_or(Some(FOR), |text| {
            let time = text.parse::<Nanos>().ok();
            time.filter(|time| (Nanos::seconds(1)..=FOR_MAX).contains(time))
        });
        if duration.is_none() {
            let text = args.duration.as_deref().unwrap_or_default();
            wrong.push(invalid_value(text, "--for", FOR_FORM));
        }
        wrong.extend(kept_trace(args, place.as_ref(), &root));
        if let Err(why) = IoTrace::check(&root) {
            wrong.push(format!("I/Os cannot be observed: {why}; {PERMISSION_HINT}"));
        }
        if !wrong.is_empty() {
            return Err(CommandError::refused_for(wrong));
        }
        let from = match (target, process) {
            (Some(path), None) => path.display().to_string(),
            (Some(path), Some(process)) => format!("{}, process {process}", path.display()),
            (None, process) => format!("process {}", process.unwrap_or_default()),
        };
        Ok(Some(Request {
            place,
            from,
            process,
            duration: duration.unwrap_or(FOR),
            kept: args.keep_trace.clone(),
            root,
        }))
    }

    /// Returns what would be observed.
    pub(super) fn description(&self) -> String {
        let device = self.place.as_ref().map_or_else(
            || "all block devices".to_owned(),
            |place| format!("{} ({}:{})", place.name, place.device.0, place.device.1),
        );
        let kept = self.kept.as_deref().map_or_else(String::new, |path| {
            format!("; its I/Os would be written into {}", path.display())
        });
        let forks = match self.process {
            Some(_) => ", and sched_process_fork for its children,",
            None => "",
        };
        format!(
            "would observe {} for {}: {}{forks} of {device}, in an instance of the kernel's tracing with about 64 MiB of memory{kept}\n",
            self.from,
            say::time(self.duration.0 as f64),
            IoTrace::events().join(", "),
        )
    }

    /// Observes until the time is over, the process ends or a stop is requested.
    pub(super) fn observe(
        mut self,
        stop: &Stop,
        environment: &Environment,
    ) -> Result<Observation, CommandError> {
        let devices: Vec<(u32, u32)> = self.place.iter().map(|place| place.device).collect();
        let begun = IoTrace::start(&self.root, &devices, self.process.is_some());
        let mut trace = begun.map_err(|why| {
            CommandError::refused(format!("I/Os cannot be observed: {why}; {PERMISSION_HINT}"))
        })?;
        let mut threads = Threads::find(&self.root, self.process);
        let mut streams = Streams::default();
        let create = |path| KeptTrace::create(path, "iotrace");
        let kept = self.kept.as_deref().map(create).transpose()?;
        streams.kept = kept;
        let since = Stopwatch::start();
        let mut shown = 0;
        let mut waiting: Vec<BlockEvent> = Vec::new();
        loop {
            let elapsed = since.elapsed();
            let ends = elapsed >= self.duration || stop.asked() || !threads.run();
            let read = trace.read(ends);
            for lost in &read.lost {
                streams.each(|stream| stream.observed.lose(lost));
            }
            read.forks.iter().for_each(|fork| threads.forked(*fork));
            waiting.extend(read.events);
            let second = elapsed.0 / 1_000_000_000;
            // Where a file grew is known only afterwards.
            let is_file = self.place.as_ref().is_some_and(ObservedPlace::is_file);
            if ends || second > shown || !is_file {
                self.refresh();
                for event in waiting.drain(..) {
                    self.take(&event, &mut threads, &mut streams)?;
                }
                streams.advance(read.complete)?;
            }
            if ends {
                break;
            }
            if second > shown {
                shown = second;
                if environment.draws_progress {
                    draw(second, self.duration, streams.ios());
                }
            }
            std::thread::sleep(EVERY);
        }
        if environment.draws_progress && shown > 0 {
            output::draw_over(&format!("{:50}\r", ""));
        }
        drop(trace);
        threads.report();
        self.finish(streams)
    }

    /// Reads again where a file lies.
    fn refresh(&mut self) {
        if let Some(place) = &mut self.place {
            place.refresh();
        }
    }

    /// Takes an event that lies in what is observed and whose thread counts.
    fn take(
        &self,
        event: &BlockEvent,
        threads: &mut Threads,
        streams: &mut Streams,
    ) -> Result<(), CommandError> {
        let place = match &self.place {
            Some(place) => place.place_of(event.sector.saturating_mul(512)),
            None => event.sector.checked_mul(512),
        };
        // An empty flush has no place.
        let place = place.or((event.sectors == 0).then_some(0));
        match place.filter(|_| threads.count(event)) {
            Some(place) => streams.take(event, place),
            None => Ok(()),
        }
    }

    /// The profile of the device with the most I/Os.
    fn finish(&self, mut streams: Streams) -> Result<Observation, CommandError> {
        let first = streams.all.first().filter(|stream| stream.ios > 0);
        if let Some(kept) = streams.kept.take().filter(|_| first.is_some()) {
            let label: Vec<String> = first.iter().map(|stream| stream.label()).collect();
            let counts = first.map_or_else(Default::default, |stream| stream.observed.counts());
            kept.finish(&label, counts)?;
        }
        let others = streams.all.len().saturating_sub(1);
        let most = (streams.all.into_iter().enumerate())
            .max_by_key(|(number, stream)| (stream.ios, std::cmp::Reverse(*number)));
        let Some((_, stream)) = most.filter(|(_, stream)| stream.ios > 0) else {
            return Err(CommandError::failed(format!(
                "{}: no I/O was observed: must do I/O that reaches the device",
                self.from
            )));
        };
        let (major, minor) = stream.device;
        if others > 0 {
            output::tell(&format!(
                "note: the profile is that of {major}:{minor}, which had the most I/Os; {} omitted; hint: --device",
                say::counted(others as u64, "other device")
            ));
        }
        let from = LearnedFrom {
            from: self.from.clone(),
            format: format!("observed {major}:{minor}"),
            lost: stream.observed.counts().lost,
            left_out: stream.observed.omitted(),
            ..LearnedFrom::default()
        };
        let profile = stream.learner.finish(from, &[]).map_err(of_trace)?;
        Ok(Observation {
            profile,
            trace_failed: streams.kept_failed,
        })
    }
}

/// What was observed.
pub(super) struct Observation {
    pub(super) profile: LearnedProfile,
    /// The trace that was to be kept could not be written.
    pub(super) trace_failed: bool,
}

/// What is wrong with --pid.
fn not_a_process(root: &Root, number: u32) -> Option<String> {
    let accepted = match ProcessTree::process_of(root, number) {
        Some(process) if process == number => return None,
        Some(process) => {
            format!("must be a process, and this is a thread of one; hint: --pid {process}")
        }
        None => "must be the number of a process that runs".to_owned(),
    };
    Some(invalid_value(&number.to_string(), "--pid", &accepted))
}

/// What is wrong with --keep-trace.
fn kept_trace(args: &ObserveArgs, place: Option<&ObservedPlace>, root: &Root) -> Option<String> {
    let kept = args.keep_trace.as_deref()?;
    let name = kept.display().to_string();
    if args.device.is_none() && args.file.is_none() {
        let accepted = "must come with --device or --file: a trace is that of one device";
        return Some(invalid_value(&name, "--keep-trace", accepted));
    }
    if name == "-" {
        let accepted = "must be a file: standard output has the profile";
        return Some(invalid_value(&name, "--keep-trace", accepted));
    }
    if let Err(error) = gate::check_output(kept, gate::Replace::Nothing) {
        return Some(failure::of_output(&error).to_string());
    }
    let folder = kept
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    // A file system in memory, or one that does not report its device, is accepted.
    let is_below = place?.is_below(root, folder.unwrap_or(Path::new(".")));
    (is_below == Some(true)).then(|| {
        let accepted =
            "must be on another device than the observed one, to which its writes would add";
        invalid_value(&name, "--keep-trace", accepted)
    })
}

/// Finds the place of --device or --file.
fn place(root: &Root, path: &Path, is_file: bool) -> Result<ObservedPlace, String> {
    let is_device = host::device_number(path).is_some();
    match (is_file, is_device) {
        (true, true) => Err("is a block device: must be a file; hint: --device".to_owned()),
        (false, false) if path.exists() => Err("must be a block device; hint: --file".to_owned()),
        _ => ObservedPlace::find(root, path),
    }
}

fn draw(second: u64, of: Nanos, ios: u64) {
    output::draw_over(&format!(
        "{second} s of {}: {} I/Os ",
        say::time(of.0 as f64),
        say::rate(ios as f64)
    ));
}

/// Whose I/Os count.
struct Threads {
    own: Option<ProcessTree>,
    of: Option<ProcessTree>,
    counted: u64,
    others: u64,
}

impl Threads {
    fn find(root: &Root, process: Option<u32>) -> Threads {
        Threads {
            own: ProcessTree::find(root, std::process::id()),
            of: process.and_then(|process| ProcessTree::find(root, process)),
            counted: 0,
            others: 0,
        }
    }

    /// Returns whether the process still runs.
    fn run(&self) -> bool {
        self.of.as_ref().is_none_or(ProcessTree::runs)
    }

    /// Learns of a thread that another created: a child may have ended before its I/Os are seen.
    fn forked(&mut self, fork: [u32; 2]) {
        if let Some(of) = &mut self.of {
            of.forked(fork);
        }
    }

    /// Returns whether an event counts. A completion happens in any thread.
    fn count(&mut self, event: &BlockEvent) -> bool {
        if event.stage == BlockStage::Completed {
            return true;
        }
        let is_own = |own: &mut ProcessTree| own.contains(event.thread);
        if self.own.as_mut().is_some_and(is_own) {
            return false;
        }
        let counts = match &mut self.of {
            None => true,
            Some(of) => of.contains(event.thread),
        };
        match counts {
            true => self.counted += 1,
            false => self.others += 1,
        }
        counts
    }

    fn report(&self) {
        if self.of.is_some() && self.others > 0 {
            let share = self.others as f64 / (self.counted + self.others) as f64;
            output::tell(&format!(
                "note: {} of the I/Os are omitted, because other threads issued them: also the kernel, which writes back what the process wrote",
                say::percent(share)
            ));
        }
    }
}

/// What is observed, by device.
#[derive(Default)]
struct Streams {
    all: Vec<Stream>,
    kept: Option<KeptTrace>,
    /// The trace was given up.
    kept_failed: bool,
}

/// One device.
struct Stream {
    device: (u32, u32),
    observed: Observed,
    learner: Learner,
    ios: u64,
}

impl Stream {
    fn label(&self) -> String {
        format!("{}:{}", self.device.0, self.device.1)
    }
}

impl Streams {
    fn each(&mut self, mut act: impl FnMut(&mut Stream)) {
        self.all.iter_mut().for_each(&mut act);
    }

    fn ios(&self) -> u64 {
        self.all.iter().map(|stream| stream.ios).sum()
    }

    fn take(&mut self, event: &BlockEvent, place: u64) -> Result<(), CommandError> {
        let known = (self.all.iter()).position(|stream| stream.device == event.device);
        let number = match known {
            Some(number) => number,
            None if event.stage == BlockStage::Completed || self.all.len() >= DEVICES_MAX => {
                return Ok(());
            }
            None => {
                self.all.push(Stream {
                    device: event.device,
                    observed: Observed::default(),
                    learner: Learner::default(),
                    ios: 0,
                });
                self.all.len() - 1
            }
        };
        let stream = &mut self.all[number];
        stream.observed.take(event, place).map_err(of_trace)
    }

    /// Learns from all seconds that are complete.
    fn advance(&mut self, complete: Nanos) -> Result<(), CommandError> {
        for stream in &mut self.all {
            stream.observed.complete_to(complete);
            while let Some(record) = stream.observed.next_record() {
                stream.ios += 1;
                stream.learner.take(&record);
                let Some(kept) = &mut self.kept else {
                    continue;
                };
                let label = [stream.label()];
                if let Err(error) = kept.add(&record, &label) {
                    // The profile is not lost with it.
                    failure::say(&error);
                    self.kept = None;
                    self.kept_failed = true;
                }
            }
        }
        Ok(())
    }
}
