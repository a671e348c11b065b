//! Snapshots of a run while it goes on: what its threads have counted so far, as a record.
//!
//! A thread answers a request between two of its turns, with a copy of its counts, so that no lock and no copy is in the loop where
//! no snapshot is requested. A thread that waits for its device answers later, and its last answer is used until then. Omitted:
//! latencies over time and the time on processors.

use super::Job;
use crate::clock::{Clock, WallClock};
use crate::observer::{Counted, Live};
use model::{
    CounterWindow, Counters, EngineRecord, Nanos, Outcome, PhaseTimes, RunRecord, Series,
    WorkerRecord,
};
use std::sync::Arc;

/// How long the answers are waited for.
const PATIENCE: Nanos = Nanos::millis(500);
/// The first request, by which a thread learns that there will be more.
const FIRST: u64 = 1;

/// When snapshots are due, and what they consist of.
pub(super) struct Snapshots<'a> {
    job: &'a Job,
    backend: &'static str,
    every: Nanos,
    due: Nanos,
    requested: Option<Nanos>, // when, while answers are missing
    number: u64,
    before: Counters, // at the start of the measured phase
}

impl<'a> Snapshots<'a> {
    /// Announces them to the threads.
    pub(super) fn new(
        job: &'a Job,
        backend: &'static str,
        every: Nanos,
        lives: &[Arc<Live>],
    ) -> Snapshots<'a> {
        lives.iter().for_each(|live| live.request(FIRST));
        Snapshots {
            job,
            backend,
            every: every.max(Nanos::millis(1)),
            due: Nanos::MAX,
            requested: None,
            number: FIRST,
            before: Counters::default(),
        }
    }

    /// The measured phase began with this reading of the counters.
    pub(super) fn begin(&mut self, from: Nanos, reading: &Counters) {
        self.before = reading.clone();
        self.due = from.plus(self.every);
    }

    /// Requests a snapshot that is due. Returns one whose answers are there, with a reading of the counters.
    pub(super) fn look(
        &mut self,
        clock: &WallClock,
        lives: &[Arc<Live>],
        read: &mut dyn FnMut() -> Counters,
    ) -> Option<RunRecord> {
        let now = clock.now();
        let Some(requested) = self.requested else {
            if now >= self.due {
                let missed = now.minus(self.due).0 / self.every.0;
                let later = (missed + 1).saturating_mul(self.every.0);
                self.due = self.due.plus(Nanos(later));
                self.number += 1;
                self.requested = Some(now);
                lives.iter().for_each(|live| live.request(self.number));
            }
            return None;
        };
        let all = lives.iter().all(|live| live.answered() >= self.number);
        if !all && now.minus(requested) < PATIENCE {
            return None;
        }
        self.requested = None;
        let counted = lives.iter().map(|live| live.counted()).collect();
        Some(self.record(clock, counted, read()))
    }

    fn record(&self, clock: &WallClock, counted: Vec<Counted>, after: Counters) -> RunRecord {
        let job = self.job;
        let at = counted.iter().map(|one| one.at).max().unwrap_or_default();
        let window = CounterWindow {
            before: self.before.clone(),
            after,
        };
        let (mut threads, mut workers) = (Vec::new(), Vec::new());
        for counted in counted {
            if let Some(first) = counted.threads.first() {
                workers.push(WorkerRecord {
                    thread: first.thread,
                    opened: None,
                    closed: None,
                    backlog: None,
                    account: None,
                    lines: Vec::new(),
                    syncs: counted.syncs,
                    recorded: None,
                });
            }
            threads.extend(counted.threads);
        }
        RunRecord {
            tool_version: job.tool_version.clone(),
            command: job.command.clone(),
            started_utc: job.started_utc,
            plan: job.plan.clone(),
            host: job.host.clone(),
            targets: job.targets.clone(),
            engine: EngineRecord {
                backend: self.backend.to_owned(),
                clock: clock.record(),
                workers,
                ..EngineRecord::default()
            },
            phases: PhaseTimes {
                measured_from: job.plan.phases.warmup.min(at),
                measured_to: at,
                drained: at,
            },
            threads,
            window: window.clone(),
            lifetime: window,
            series: Series::default(),
            outcome: Outcome::Complete,
        }
    }
}
