//! What a job has of its time span: when its threads run, and which of a pool's threads are its own.
//!
//! Deliberately absent: what they do (`build`).

use super::job::Job;
use model::{Active, EngineChoice, Nanos, Target};

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
    /// Its engine, where it is not that of the time span.
    pub(super) engine: Option<EngineChoice>,
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
            wear_out: false,
        }
    }
}

/// Returns whether a target is done before the end of its time span.
pub(super) fn ends_by_itself(target: &Target) -> bool {
    target.amount.is_some() || target.active.length.is_some()
}

#[cfg(test)]
mod tests {
    use crate::fio::tests::read;

    #[test]
    fn jobs_side_by_side_have_engines_of_their_own() {
        use model::EngineChoice::{Auto, Libaio, Null};
        let built = read(
            "[global]\nsize=1m\niodepth=8\n[a]\n[b]\nioengine=libaio\n[c]\nioengine=mmap\n[d]\nioengine=null\n[e]\n",
        )
        .unwrap();
        let span = &built.profile.timespans[0];
        assert_eq!(span.engine, model::EngineChoice::Sync);
        let targets = span.targets.iter();
        let ways: Vec<_> = targets
            .map(|target| (target.engine, target.workload.queue_depth.0))
            .collect();
        let expected = [
            (None, 1),
            (Some(Libaio), 8),
            (Some(Auto), 1),
            (Some(Null), 8),
            (None, 1),
        ];
        assert_eq!(ways, expected, "a blocking engine has one I/O outstanding");
        assert!(span.targets[2].mapped.is_some());
        let reported = read("[a]\nsize=1m\n[b]\nsize=1m\nioengine=io_uring_cmd\n").unwrap_err();
        assert!(
            reported.contains("ioengine=io_uring_cmd: jobs"),
            "{reported}"
        );
    }
}
