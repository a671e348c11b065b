//! `fathom triage`: some seconds of counters, then one sentence: what programs wait for. Omitted: the thresholds (`analysis::triage`),
//! and I/O: nothing is read from or written to any device.

use crate::args::TriageArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::{self, Form};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, signals};
use analysis::triage::{LimitUse, ProcessShares, TriageFacts};
use engine::Stop;
use host::{CounterReader, LimitedIo, ProcessWait, Root};
use model::record::audited::{AuditPlace, Pressure};
use model::{BlockDevice, CommandError, CounterWindow, Nanos};
use session::clock::Stopwatch;
use std::path::{Path, PathBuf};

/// The row of `fathom triage`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<TriageArgs>(
    "triage",
    Group::Measure,
    "Report what programs wait for: disk, CPU, memory, a limit, a server or nothing",
    |words, environment| triage(&parsed(words)?, environment),
)
.often();

const TIME_MIN: Nanos = Nanos::seconds(1);
const TIME_MAX: Nanos = Nanos::seconds(600);
/// Between two samples.
const SAMPLE: Nanos = Nanos::millis(250);

/// What is looked at.
struct Scope {
    name: String,
    devices: Vec<BlockDevice>,
    place: Option<(PathBuf, AuditPlace)>,
    process: Option<u32>,
    group: Option<PathBuf>,
}

fn triage(args: &TriageArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let root = Root::live();
    let time = args.time.parse::<Nanos>().ok();
    let time = time.filter(|time| (TIME_MIN..=TIME_MAX).contains(time));
    let time = time.ok_or_else(|| {
        CommandError::refused(format!(
            "invalid value '{}' for --for: must be 1s to 10min",
            args.time
        ))
    })?;
    let scope = Scope::of(args, &root)?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let facts = observed(&scope, &root, time, &stop);
    let report = analysis::triage::triage_report(&facts);
    output::print(&report::triage(
        &report,
        Form::of_list(args.json, environment),
    ))?;
    Ok(Ending::Good)
}

impl Scope {
    fn of(args: &TriageArgs, root: &Root) -> Result<Scope, CommandError> {
        let refused = |option: &str, value: &dyn std::fmt::Display, form: &str| {
            CommandError::refused(format!(
                "invalid value '{value}' for {option}: must be {form}"
            ))
        };
        let mut scope = Scope {
            name: String::new(),
            devices: host::whole_devices(root),
            place: None,
            process: args.pid,
            group: None,
        };
        if let Some(path) = &args.path {
            // Of a name without a file the devices of a folder above it would be judged.
            let found = path.metadata().and_then(|_| host::place_of(root, path));
            let (place, chain) = found.map_err(|error| {
                let form = format!("a file, folder or device: {}", model::errno_text(&error));
                refused("PATH", &path.display(), &form)
            })?;
            scope.name = path.display().to_string();
            scope.devices = chain;
            scope.place = Some((path.clone(), place));
        }
        if let Some(process) = args.pid {
            let wait = host::process_wait(root, process);
            let wait = wait
                .ok_or_else(|| refused("--pid", &process, "the number of a process that runs"))?;
            scope.name = format!("{} (process {process})", wait.name);
            scope.group = host::group_of(root, process);
        }
        if let Some(group) = &args.cgroup {
            let folder = host::group_folder(root, group);
            let form = "a control group of version 2, by its path below the mount";
            scope.group = Some(folder.ok_or_else(|| refused("--cgroup", &group.display(), form))?);
            scope.name = group.display().to_string();
        }
        Ok(scope)
    }

    /// How long its tasks have waited.
    fn pressure(&self, root: &Root) -> Pressure {
        match (&self.group, self.process) {
            (Some(group), None) => host::group_pressure(group),
            _ => host::pressure(root),
        }
    }
}

/// Sums over the samples.
#[derive(Default)]
struct Samples {
    count: u32,
    runnable: u64,
    blocked: u32,
    served: u32,
    waiter: Option<String>,
    asked: Vec<Nanos>,
}

impl Samples {
    fn add(&mut self, scope: &Scope, root: &Root) {
        self.count += 1;
        self.runnable += host::activity(root).runnable.unwrap_or(0);
        let waiters = host::waiting_for_servers(root);
        self.served += u32::from(!waiters.is_empty() || host::waiting_fuse_requests(root) > 0);
        self.waiter = self.waiter.take().or_else(|| waiters.into_iter().next());
        let of_process = |process: u32| host::process_wait(root, process);
        let is_blocked = |wait: ProcessWait| wait.is_blocked;
        self.blocked += u32::from(scope.process.and_then(of_process).is_some_and(is_blocked));
        if let Some((path, _)) = scope.place.as_ref().filter(|(_, place)| is_remote(place)) {
            let asking = Stopwatch::start();
            let _ = path.metadata();
            self.asked.push(asking.elapsed());
        }
    }

    fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.count.max(1))
    }
}

/// Whether no device of this machine has its files, and neither has its memory.
fn is_remote(place: &AuditPlace) -> bool {
    let on = place.file_system.as_ref();
    on.is_some_and(|on| {
        !on.is_in_memory() && (place.chain.is_empty() || on.kind.starts_with("fuse"))
    })
}

fn observed(scope: &Scope, root: &Root, time: Nanos, stop: &Stop) -> TriageFacts {
    let names: Vec<String> = scope
        .devices
        .iter()
        .map(|device| device.name.clone())
        .collect();
    let mut counters = CounterReader::open(root, &names);
    let since = Stopwatch::start();
    let clock = &mut || since.elapsed();
    let before = counters.read(clock);
    let pressure = scope.pressure(root);
    let limits = host::limited_io(root);
    let process = scope
        .process
        .and_then(|process| host::process_wait(root, process));
    let mut samples = Samples::default();
    while since.elapsed() < time && !stop.asked() {
        samples.add(scope, root);
        std::thread::sleep(SAMPLE.min(time.minus(since.elapsed())).as_duration());
    }
    let window = CounterWindow {
        before,
        after: counters.read(clock),
    };
    let elapsed = window.elapsed();
    let now = scope
        .process
        .and_then(|process| host::process_wait(root, process));
    let mut asked = samples.asked.clone();
    asked.sort_unstable();
    let kind = |place: &AuditPlace| place.file_system.as_ref().map(|on| on.kind.clone());
    let remote = scope.place.as_ref().and_then(|(_, place)| kind(place));
    TriageFacts {
        scope: scope.name.clone(),
        window,
        pressure: scope.pressure(root).since(&pressure),
        // Without this program itself.
        runnable: (samples.runnable as f64 / f64::from(samples.count.max(1)) - 1.0).max(0.0),
        limits: uses(limits, &host::limited_io(root), elapsed, scope),
        server_share: samples.share(samples.served),
        server_waiter: samples.waiter.clone(),
        remote_mounts: host::remote_mounts(root),
        remote: remote.zip(asked.get(asked.len() / 2).copied()),
        process: process.zip(now).map(|(before, now)| ProcessShares {
            name: now.name,
            ran: share(now.ran.minus(before.ran), elapsed),
            waited: share(now.waited.minus(before.waited), elapsed),
            blocked: samples.share(samples.blocked),
        }),
    }
}

fn share(part: Nanos, whole: Nanos) -> f64 {
    part.0 as f64 / whole.0.max(1) as f64
}

/// How far each limit was used; of a group or process only its own and those above it.
fn uses(
    before: Vec<LimitedIo>,
    after: &[LimitedIo],
    elapsed: Nanos,
    scope: &Scope,
) -> Vec<LimitUse> {
    let its = |group: &str| match &scope.group {
        Some(folder) => folder.ends_with(
            Path::new(group)
                .strip_prefix("/")
                .unwrap_or(Path::new(group)),
        ),
        None => true,
    };
    let of_scope = before.into_iter().filter(|one| its(&one.group));
    let each = of_scope.filter_map(|one| {
        let is_same = |other: &&LimitedIo| other.group == one.group && other.what == one.what;
        let now = after.iter().find(is_same)?;
        let rate = now.count.saturating_sub(one.count) as f64 / elapsed.as_seconds().max(1e-9);
        Some(LimitUse {
            share: rate / now.limit_per_s.max(1) as f64,
            limit_per_s: now.limit_per_s,
            group: one.group,
            what: one.what,
        })
    });
    each.collect()
}
