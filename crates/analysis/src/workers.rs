//! What the worker threads' own time went into, and whether the tool itself was the limit.
//!
//! A thread whose processor time fills its whole time never waited for anything: then the target was never full, and what
//! was measured is how fast a thread can ask. Processor time is the system's own count, getrusage(2); the other shares
//! come from the stamps of the turns that were looked at (see docs/measurement.md). Deliberately absent: a verdict.

use crate::rows::share;
use model::{Account, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time of one worker thread by activity, with warm-up and cool-down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerShare {
    /// Number over the whole run.
    pub thread: u32,
    /// How long it issued I/Os, in nanoseconds.
    pub elapsed_ns: u64,
    /// What it got of the processors.
    #[serde(flatten)]
    pub cpu: WorkerCpu,
    /// Choosing, staging and handing over I/Os, and counting; all but the last hand-over. // in [0, 1]
    pub issuing_share: Option<f64>,
    /// The last hand-over, waiting for completions and, with engines that block in a call, the calls. // in [0, 1]
    pub waiting_share: Option<f64>,
    /// The part of the waiting in which no slot was free. // in [0, 1]
    pub queue_full_share: Option<f64>,
    /// I/Os that came back undone for want of room and were submitted once more; omitted where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<u64>,
    /// Turns of its loop; each issues I/Os, waits, and takes completions.
    pub turns: u64,
    /// Turns that were sampled for shares and batches.
    pub sampled_turns: u64,
    /// How many of these issued 0, 1, 2 to 3, 4 to 7 and so on I/Os.
    pub submission_batches: Vec<u64>,
    /// How many of these found 0, 1, 2 to 3, 4 to 7 and so on completions.
    pub completion_batches: Vec<u64>,
}

/// Processor time of a worker thread, each as a share of its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerCpu {
    /// Its processor time in the program, as a share of that; none where the system does not report it. // in [0, 1]
    pub user_share: Option<f64>,
    /// Its processor time in the kernel, as a share of that; none where the system does not report it. // in [0, 1]
    pub kernel_share: Option<f64>,
    /// How long it was ready and others had its processor, as a share of that; none where the system does not report it.
    /// // in [0, 1]
    pub delayed_share: Option<f64>,
}

impl WorkerShare {
    fn of(thread: u32, account: &Account) -> WorkerShare {
        let elapsed = account.elapsed.0 as f64;
        let looked = (account.issuing.0 + account.waiting.0) as f64;
        let cpu = |time: u64| share(time as f64, elapsed).map(|share| share.min(1.0));
        let part = |time: u64| share(time as f64, looked);
        WorkerShare {
            thread,
            elapsed_ns: account.elapsed.0,
            cpu: WorkerCpu {
                user_share: account.cpu.and_then(|used| cpu(used.user.0)),
                kernel_share: account.cpu.and_then(|used| cpu(used.kernel.0)),
                delayed_share: account.delayed.and_then(|delayed| cpu(delayed.0)),
            },
            issuing_share: part(account.issuing.0),
            waiting_share: part(account.waiting.0),
            queue_full_share: part(account.waiting_full.0),
            again: Some(account.again).filter(|&count| count > 0),
            turns: account.turns,
            sampled_turns: account.looked_at,
            submission_batches: account.issued.clone(),
            completion_batches: account.found.clone(),
        }
    }
}

impl WorkerCpu {
    /// Processor time of both kinds, as a share of the whole time; none where the system does not report it.
    pub fn busy_share(&self) -> Option<f64> {
        Some((self.user_share? + self.kernel_share?).min(1.0))
    }
}

/// One entry a worker thread that came back; none for records kept before this was counted.
pub(crate) fn worker_shares(record: &RunRecord) -> Vec<WorkerShare> {
    let workers = record.engine.workers.iter();
    workers
        .filter_map(|worker| Some(WorkerShare::of(worker.thread, worker.account.as_ref()?)))
        .collect()
}
