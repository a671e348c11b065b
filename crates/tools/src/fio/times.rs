//! What a job has of its time span: when its threads run, and which of a pool's threads are its own.
//!
//! Deliberately absent: what they do (`build`).

use super::job::Job;
use model::{Active, Nanos, Target};

/// How long jobs run at most that end by their size and specify no time.
const LONGEST: Nanos = Nanos::seconds(6 * 3600);

/// What a job has of its time span.
pub(super) struct SpanPart {
    /// Number of its first thread.
    pub(super) thread: u32,
    /// All threads are a pool.
    pub(super) pooled: bool,
    /// No other job runs, and no thread takes files in turn.
    pub(super) alone: bool,
    pub(super) active: Active,
}

impl SpanPart {
    /// The threads of a pool that use a file of a thread, or of all threads of the job.
    pub(super) fn pool_threads(&self, job: &Job, shared: bool, clone: u32) -> Vec<(u32, u32)> {
        let threads = match shared {
            true => 0..job.jobs as u32,
            false => clone..clone + 1,
        };
        let threads = threads.filter(|_| self.pooled);
        threads.map(|thread| (self.thread + thread, 0)).collect()
    }
}

/// When the jobs of a time span start, and how long they run.
pub(super) struct Times {
    /// Before the first of them starts.
    pub(super) delay_ns: u64,
    /// Until the last of them is done.
    pub(super) measured_ns: u64,
}

impl Times {
    pub(super) fn new(jobs: &[&Job]) -> Times {
        let delays = jobs.iter().map(|job| job.start_delay_ns);
        let delay_ns = delays.min().unwrap_or_default();
        let end = |job: &&Job| {
            (job.start_delay_ns - delay_ns).saturating_add(job.runtime_ns.unwrap_or(LONGEST.0))
        };
        Times {
            delay_ns,
            measured_ns: jobs.iter().map(end).max().unwrap_or_default(),
        }
    }

    /// Returns a job with a ramp that does not start together with the others.
    pub(super) fn ramp_apart<'j>(jobs: &[&'j Job]) -> Option<&'j Job> {
        let apart = |job: &&&Job| job.start_delay_ns != jobs[0].start_delay_ns && job.ramp_ns > 0;
        jobs.iter().find(apart).copied()
    }

    /// The part of the time span in which the threads of a job run.
    pub(super) fn active(&self, job: &Job) -> Active {
        let after = Nanos(job.start_delay_ns - self.delay_ns);
        let length = job.runtime_ns.map(Nanos);
        Active {
            after,
            length: length.filter(|length| after.plus(*length).0 < self.measured_ns),
        }
    }
}

/// Returns whether a target is done before the end of its time span.
pub(super) fn ends_by_itself(target: &Target) -> bool {
    target.amount.is_some() || target.active.length.is_some()
}
