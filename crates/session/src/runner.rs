//! The only loop that measures: run after run of a schedule, each checked, prepared, run and stored.
//!
//! Omitted: what may be run (`admission`), which run is next (`schedule`), and what is printed.

use crate::admission::{Admission, CheckedPlan};
use crate::clock::{self, Stopwatch};
use crate::hosts::Hosts;
use crate::journal::{Journal, VERSION};
use crate::proven_files::ProvenFiles;
use crate::schedule::{Fate, Ran, RankPart, Schedule, Step, Watcher};
use engine::{Event, Job, Observer, SoFar, Stop, Tick};
use host::SystemObserver;
use job::{Counter, Progress};
use model::{Bytes, CommandError, Nanos, Plan, RunRecord};
use std::borrow::Borrow;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Store;

/// From one check of the stop word to the next.
const LOOK_EVERY: Nanos = Nanos::millis(20);

/// What the runs of a session have in common.
pub struct Runner<'a, S> {
    /// What may be run.
    pub admission: &'a Admission<'a>,
    /// What earlier runs of the command created or proved.
    pub proven: ProvenFiles,
    pub(crate) journal: &'a Journal<S>,
    command: Vec<String>,
    /// Ends the session when it is asked for.
    pub stop: &'a Stop,
    /// The other hosts; none of a session alone.
    pub hosts: Option<Rc<Hosts>>,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its schedule had no more runs.
    Whole,
    /// It was stopped, called off, or a run was the last one.
    Early,
}

impl<'a, S: Borrow<Store>> Runner<'a, S> {
    /// Stores the runs in `journal`, each with the command line `command`; `stop` ends the session.
    pub fn new(
        admission: &'a Admission<'a>,
        proven: ProvenFiles,
        journal: &'a Journal<S>,
        command: Vec<String>,
        stop: &'a Stop,
    ) -> Self {
        Runner {
            admission,
            proven,
            journal,
            command,
            stop,
            hosts: None,
        }
    }

    /// Makes the runs of a schedule, one after another.
    ///
    /// # Errors
    /// What the check refuses when a run's turn comes, a file that cannot be created or proven, a run that cannot begin, a
    /// resumable session that cannot be stored. The schedule has what was measured until then.
    pub fn run(
        &mut self,
        schedule: &mut dyn Schedule,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, CommandError> {
        loop {
            let Some(mut step) = schedule.next()? else {
                return Ok(Ended::Whole);
            };
            if self.stop.asked() {
                return Ok(Ended::Early);
            }
            let watch = Stopwatch::start();
            let outcome = self.checked(&mut step, schedule).and_then(|checked| {
                watcher.begin(&step, checked.plan.phases.total());
                let made = self.one(&step, checked, watcher);
                watcher.end();
                made
            });
            let outcome = match outcome {
                Ok(None) => return Ok(Ended::Early),
                Ok(Some(record)) => self.joined(&step, record),
                Err(error) => Err(error),
            };
            let outcome = match schedule.judge(&outcome) {
                Fate::Store => outcome.map_err(|error| error.to_string()),
                Fate::Missing(reason) => Err(reason),
                Fate::Again => continue,
                Fate::Drop => return Ok(Ended::Early),
                Fate::Fail => return Err(outcome.err().unwrap_or_else(CommandError::silent)),
            };
            let stored = match &self.hosts {
                Some(hosts) if step.part != RankPart::Joined => {
                    hosts.save(self.journal, &step, outcome.as_ref())?
                }
                _ => self.journal.save(&step, outcome.as_ref())?,
            };
            let took = watch.elapsed();
            let ran = Ran {
                outcome,
                stored,
                took,
            };
            if !schedule.take(step, ran) {
                return Ok(Ended::Early);
            }
        }
    }

    /// Returns the record of all ranks, for a step whose result it is.
    fn joined(&self, step: &Step, own: RunRecord) -> Result<RunRecord, CommandError> {
        match &self.hosts {
            Some(hosts) if step.part == RankPart::Joined => hosts.joined(),
            _ => Ok(own),
        }
    }

    /// Checks a step as the targets are now.
    fn checked(
        &self,
        step: &mut Step,
        schedule: &dyn Schedule,
    ) -> Result<CheckedPlan, CommandError> {
        if let Some(checked) = step.checked.take() {
            return Ok(checked);
        }
        let known = schedule.known();
        if let Some(hosts) = &self.hosts {
            return hosts.check(step, self.admission, known, self.stop);
        }
        let mut all = self.admission.check_again(&step.profile(), known)?;
        Ok(all.remove(0))
    }

    /// Creates and proves what the plan needs, and runs it; `None` where the watcher called it off.
    pub(crate) fn one(
        &mut self,
        step: &Step,
        checked: CheckedPlan,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<RunRecord>, CommandError> {
        let (admission, pins) = (self.admission, &self.admission.pins);
        let CheckedPlan { mut plan, facts } = checked;
        self.proven.spare(&mut plan, pins);
        let made = admission.prepare(&mut plan, &facts, watcher.observer(), self.stop);
        let made = match &self.hosts {
            Some(hosts) => hosts.prepared(made.map_err(CommandError::from))?,
            None => made?,
        };
        self.proven.learn(&plan, pins);
        if !self.waited(step.timespan.start_delay) {
            return Ok(None);
        }
        // Behind the filling, which leaves pages of its own.
        self.drop_cached(&plan, step.cold)?;
        if !watcher.ready(&made) {
            return Ok(None);
        }
        // Facts are those before the run, not those before the filling.
        let targets = match (made.is_empty(), &self.hosts) {
            (true, _) => facts,
            (false, None) => admission.facts(&step.profile()),
            (false, Some(_)) => {
                let own = plan.targets.iter(); // the request has the names of all ranks
                own.map(|target| admission.look(&target.location)).collect()
            }
        };
        let job = Job {
            plan,
            pins: pins.clone(),
            host: admission.host.clone(),
            targets,
            command: self.command.clone(),
            tool_version: VERSION.to_owned(),
            started_utc: clock::utc(),
            recording: step.recording.clone(),
            journal: step.journal.clone(),
            io_log: step.io_log.clone(),
            meeting: self.hosts.as_ref().map(|hosts| hosts.meeting()),
        };
        let observer = Judging {
            observer: watcher.observer(),
            counter: self.hosts.as_ref().map(|hosts| hosts.counter()),
            precision: step.precision.filter(|_| self.hosts.is_none()),
            origin_ns: AtomicU64::new(u64::MAX),
        };
        let record = self.observed(job, &observer)?;
        let plan = record.plan.clone();
        let record = match &self.hosts {
            Some(hosts) => hosts.gather(record),
            None => Ok(record),
        };
        // Rank 0 has the last write to a file that all share behind it.
        admission.closed(&plan);
        self.proven.ran(&plan, pins);
        record.map(Some)
    }

    /// Runs a job, and adds what the system reported of its targets meanwhile.
    fn observed(&self, job: Job, observer: &Judging<'_>) -> Result<RunRecord, CommandError> {
        let (root, calibration) = (self.admission.root, self.admission.calibration);
        let files = self.admission.event_files;
        let events = SystemObserver::start(root, &job.targets, files);
        let mut record = engine::run_calibrated(job, root, calibration, observer, self.stop)?;
        let origin = Nanos(observer.origin_ns.load(Ordering::Relaxed));
        let events = events.filter(|_| origin < Nanos::MAX);
        record.engine.disturbances.system_events =
            events.map(|events| events.finish(origin, clock::utc()));
        Ok(record)
    }

    /// Waits before a start. Returns whether the stop word did not come.
    fn waited(&self, delay: Nanos) -> bool {
        let watch = Stopwatch::start();
        while watch.elapsed() < delay && !self.stop.asked() {
            let left = delay.minus(watch.elapsed());
            std::thread::sleep(left.min(LOOK_EVERY).as_duration());
        }
        !self.stop.asked() || delay.0 == 0
    }

    fn drop_cached(&self, plan: &Plan, all: bool) -> Result<(), CommandError> {
        let targets = plan.targets.iter();
        let cold = targets.filter(|target| all || target.drop_cache);
        let mut dropped: Vec<&Path> = Vec::new();
        for path in cold.filter_map(|target| target.location.path()) {
            if dropped.contains(&path) {
                continue;
            }
            dropped.push(path);
            let pin = self.admission.pins.pin(path);
            let dropped = pin.and_then(|pin| engine::forget_cached(&pin));
            dropped.map_err(|error| {
                CommandError::failed(format!(
                    "{}: its cached pages cannot be let go: {}",
                    path.display(),
                    model::errno_text(&error)
                ))
            })?;
        }
        Ok(())
    }
}

/// Passes on what happens, and ends a run once its rate is known well enough.
struct Judging<'a> {
    observer: &'a dyn Observer,
    /// Of a run on many hosts: what all count is reported.
    counter: Option<Counter>,
    precision: Option<f64>,
    /// Time 0 of the run on the monotonic clock: the earliest that a tick shows, each of which arrives a little late.
    origin_ns: AtomicU64,
}

impl Observer for Judging<'_> {
    fn on(&self, event: Event<'_>) {
        if let Event::Tick(tick) = event {
            let origin = host::monotonic().minus(tick.elapsed);
            self.origin_ns.fetch_min(origin.0, Ordering::Relaxed);
        }
        let event = match (event, &self.counter) {
            (Event::Tick(tick), Some(counter)) => {
                let all = counter.set(Progress {
                    ios: tick.ios,
                    bytes: tick.bytes.0,
                });
                Event::Tick(Tick {
                    ios: all.ios,
                    bytes: Bytes(all.bytes),
                    ..tick
                })
            }
            (event, _) => event,
        };
        self.observer.on(event);
    }

    fn snapshot_every(&self) -> Option<Nanos> {
        self.observer.snapshot_every()
    }

    fn snapshot(&self, record: &RunRecord) {
        self.observer.snapshot(record);
    }

    fn enough(&self, so_far: &[SoFar]) -> bool {
        self.precision.is_some_and(|wanted| {
            let readings: Vec<(Nanos, u64)> =
                so_far.iter().map(|one| (one.elapsed, one.ios)).collect();
            sweep::is_tight(&readings, wanted)
        })
    }
}
