//! The records of all ranks of a job put together as one, for the layouts of other tools, which have no rows of ranks.
//!
//! Omitted: what the machines counted in addition, which is of each host; the record has that of the first rank alone.

use super::rank::{JoinedRank, Ranks};
use super::run::{Outcome, RunRecord};
use super::series::Series;
use super::system_events::{SystemEvent, SystemEvents};
use super::verification::Verification;
use std::collections::HashSet;

impl RunRecord {
    /// Returns a record with the threads of all ranks, numbered rank after rank, in the targets of the first one. Time steps and
    /// latencies over time are those of the threads. None without a record.
    pub fn of_ranks(records: &[RunRecord]) -> Option<RunRecord> {
        let (first, others) = records.split_first()?;
        let mut all = RunRecord {
            series: Series::default(), // by target, and of the first host
            ..first.clone()
        };
        all.engine.rank = Some(Ranks::All(records.iter().map(JoinedRank::of).collect()));
        let is_here = |record: &RunRecord| record.host.is_same_machine(&first.host);
        if !others.iter().all(is_here) {
            for window in [&mut all.window, &mut all.lifetime] {
                window.before.devices.clear(); // other hosts moved the rest
                window.after.devices.clear();
            }
        }
        if !others.is_empty() {
            for window in [&mut all.window, &mut all.lifetime] {
                window.before.own_read_bytes = None; // other processes read the rest
                window.after.own_read_bytes = None;
            }
        }
        for record in others {
            all.join(record);
        }
        if !others.iter().all(is_here) {
            all.engine.disturbances.system_events = SystemEvents::of_hosts(records);
        }
        Some(all)
    }

    fn join(&mut self, other: &RunRecord) {
        let before = self.plan.threads();
        let threads = other.threads.iter().cloned();
        self.threads.extend(threads.map(|mut thread| {
            thread.thread += before;
            thread
        }));
        let workers = other.engine.workers.iter().cloned();
        self.engine.workers.extend(workers.map(|mut worker| {
            worker.thread += before;
            worker
        }));
        for (target, its) in self.plan.targets.iter_mut().zip(&other.plan.targets) {
            target.threads += its.threads;
        }
        if let (Some(pool), Some(its)) = (&mut self.plan.pool, &other.plan.pool) {
            pool.threads += its.threads;
        }
        let (phases, its) = (&mut self.phases, &other.phases);
        phases.measured_to = phases.measured_to.max(its.measured_to);
        phases.drained = phases.drained.max(its.drained);
        match (&mut self.engine.verification, &other.engine.verification) {
            (Some(mine), Some(its)) => mine.join(its),
            (mine @ None, its) => mine.clone_from(its),
            (Some(_), None) => {}
        }
        match (&self.outcome, &other.outcome) {
            (Outcome::Failed(_), _) | (_, Outcome::Complete) => {}
            (_, worse) => self.outcome = worse.clone(),
        }
    }
}

impl SystemEvents {
    /// Those of each host once, with its name, in order of time; none where no rank observed the system.
    fn of_hosts(records: &[RunRecord]) -> Option<SystemEvents> {
        let (mut hosts, mut events) = (HashSet::new(), Vec::new());
        let mut all = SystemEvents::default();
        for record in records {
            let host = record.host.hostname.as_str();
            let its = record.engine.disturbances.system_events.as_ref();
            let Some(its) = its.filter(|_| hosts.insert(host)) else {
                continue;
            };
            events.extend(its.events.iter().map(|event| SystemEvent {
                subject: format!("{host}: {}", event.subject),
                ..event.clone()
            }));
            all.omitted = all.omitted.saturating_add(its.omitted);
            all.kernel_log_lost = all.kernel_log_lost.saturating_add(its.kernel_log_lost);
            all.files_unread.extend_from_slice(&its.files_unread);
            let unread = &its.kernel_log_unread;
            all.kernel_log_unread = all.kernel_log_unread.or_else(|| unread.clone());
        }
        events.sort_by_key(|event: &SystemEvent| event.at_ns);
        events.into_iter().for_each(|event| all.push(event));
        (!hosts.is_empty()).then_some(all)
    }
}

impl JoinedRank {
    fn of(record: &RunRecord) -> JoinedRank {
        JoinedRank {
            host: record.host.hostname.clone(),
            ios: record.total().ios,
            measured: record.phases.measured(),
        }
    }
}

impl Verification {
    fn join(&mut self, other: &Verification) {
        self.reads.add(&other.reads);
        match (&mut self.read_back, &other.read_back) {
            (Some(mine), Some(its)) => {
                mine.blocks.add(&its.blocks);
                mine.skipped = mine.skipped.saturating_add(its.skipped);
                mine.left = mine.left.saturating_add(its.left);
            }
            (mine @ None, its) => *mine = *its,
            (Some(_), None) => {}
        }
        self.read_back_ios.extend(&other.read_back_ios);
        match (&mut self.pass, &other.pass) {
            (Some(mine), Some(its)) => {
                mine.counts.add(&its.counts);
                mine.total.0 = mine.total.0.saturating_add(its.total.0);
                mine.done.0 = mine.done.0.saturating_add(its.done.0);
                mine.took = mine.took.max(its.took);
            }
            (mine @ None, its) => *mine = *its,
            (Some(_), None) => {}
        }
        self.deferred = self.deferred.saturating_add(other.deferred);
        self.written = self.written.saturating_add(other.written);
        for kind in &other.kinds {
            match self.kinds.iter_mut().find(|one| one.kind == kind.kind) {
                Some(mine) => mine.blocks = mine.blocks.saturating_add(kind.blocks),
                None => self.kinds.push(*kind),
            }
        }
        self.cases.extend(other.cases.iter().cloned());
    }
}
