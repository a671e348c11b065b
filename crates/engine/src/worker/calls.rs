//! The flushes and discards of a trace, which a thread of their own makes, so that they delay no other I/O.
//!
//! A flush is fdatasync, as `fsync` makes it; a discard is a hole in a file, and on a device a range of zeros whose space the
//! device may reuse. The calls of a worker follow one another. On a simulated device a flush takes no time, and a discard does
//! nothing. Omitted: when a call is due (`open_loop`).

use crate::RunError;
use crate::clock::{Clock, WallClock};
use crate::recorded::RecordedIo;
use crate::simulated::SharedStore;
use crate::system::space::discard;
use crate::target::OpenTarget;
use crate::thread_plan::ThreadPlan;
use model::record::CallCount;
use model::trace::TraceOperation;
use model::{Access, LatencyHistogram, Nanos, Plan};
use std::fs::File;
use std::io;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// So many calls wait for one that takes long; a worker waits with those after them.
const WAITING_MAX: usize = 1 << 12;
/// From one check for answers to the next, where nothing else is waited for.
pub(super) const CHECK_EVERY: Nanos = Nanos::micros(50);
/// So long the end waits for calls that the target does not answer.
const ANSWER_MAX: Nanos = Nanos::seconds(1);

/// The calls of one thread.
pub(crate) struct Calls {
    by: By,
    open: usize,
    flushes: CallCount,
    discards: CallCount,
}

enum By {
    Thread {
        calls: SyncSender<Call>,
        answers: Receiver<Answer>,
        thread: JoinHandle<()>,
        clock: WallClock,
    },
    Simulated(SharedStore),
    /// Has nothing to flush.
    Nothing,
}

struct Call {
    number: u64,
    io: RecordedIo,
    from: Nanos,
}

/// The result of a call.
pub(super) struct Answer {
    pub(super) number: u64,
    io: RecordedIo,
    latency: Nanos,
    outcome: io::Result<()>,
}

/// A call that failed.
pub(super) struct FailedCall {
    pub(super) io: RecordedIo,
    pub(super) error: io::Error,
}

impl Calls {
    /// `None` for a plan without calls.
    pub(crate) fn new(
        plan: &Plan,
        place: &ThreadPlan,
        files: &[OpenTarget],
    ) -> Result<Option<Box<Calls>>, RunError> {
        let source = |source| RunError::Thread {
            number: place.thread,
            source,
        };
        if !has_calls(plan) {
            return Ok(None);
        }
        let by = match files[0].another().map_err(source)? {
            None => By::Nothing,
            Some(file) => start(file).map_err(source)?,
        };
        Ok(Some(Calls::of(place, by)))
    }

    /// The same of a simulated device; one without data has nothing to flush.
    pub(crate) fn simulated(
        plan: &Plan,
        place: &ThreadPlan,
        stores: &[Option<SharedStore>],
    ) -> Option<Box<Calls>> {
        let store = stores[place.seats[0].target as usize].clone();
        has_calls(plan).then(|| Calls::of(place, store.map_or(By::Nothing, By::Simulated)))
    }

    fn of(place: &ThreadPlan, by: By) -> Box<Calls> {
        let count = |operation| CallCount {
            target: place.seats[0].target, // the check allows no pool with a rate
            operation,
            failed: 0,
            latency: LatencyHistogram::new(),
        };
        Box::new(Calls {
            by,
            open: 0,
            flushes: count(TraceOperation::Flush),
            discards: count(TraceOperation::Discard),
        })
    }

    /// Makes a call; true if it is complete at once.
    pub(super) fn make(&mut self, number: u64, io: RecordedIo) -> bool {
        match &self.by {
            By::Thread { calls, clock, .. } => {
                let from = clock.now();
                self.open += usize::from(calls.send(Call { number, io, from }).is_ok());
                return false;
            }
            By::Simulated(store) if io.operation == TraceOperation::Flush => {
                let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
                store.flush();
            }
            By::Simulated(_) | By::Nothing => {}
        }
        self.of_kind(io).latency.record(Nanos(0));
        true
    }

    /// Whether calls have no answer yet.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.open > 0
    }

    /// The next answer, counted, and its failure if there is one.
    pub(super) fn answer(&mut self) -> Option<(u64, Option<FailedCall>)> {
        let By::Thread { answers, .. } = &self.by else {
            return None;
        };
        let answer = answers.try_recv().ok()?;
        Some(self.count(answer))
    }

    fn count(&mut self, answer: Answer) -> (u64, Option<FailedCall>) {
        self.open -= 1;
        let Answer {
            number,
            io,
            latency,
            outcome,
        } = answer;
        let count = self.of_kind(io);
        match outcome {
            Ok(()) => {
                count.latency.record(latency);
                (number, None)
            }
            Err(error) => {
                count.failed += 1;
                (number, Some(FailedCall { io, error }))
            }
        }
    }

    fn of_kind(&mut self, io: RecordedIo) -> &mut CallCount {
        match io.operation {
            TraceOperation::Discard => &mut self.discards,
            _ => &mut self.flushes,
        }
    }

    /// Waits for the calls that are open, for a while, and returns what was counted.
    pub(super) fn close(mut self) -> Vec<CallCount> {
        let mut waited = Nanos(0);
        while self.open > 0
            && let By::Thread { answers, clock, .. } = &self.by
        {
            let from = clock.now();
            let left = Duration::from_nanos(ANSWER_MAX.minus(waited).0);
            let answer = answers.recv_timeout(left);
            waited = waited.plus(clock.now().minus(from));
            let Ok(answer) = answer else {
                break;
            };
            self.count(answer);
        }
        let used = |count: &CallCount| count.failed > 0 || count.latency.count() > 0;
        let counts = [self.flushes, self.discards];
        if let By::Thread { calls, thread, .. } = self.by {
            drop(calls);
            if self.open == 0 {
                let _ = thread.join();
            }
        }
        counts.into_iter().filter(used).collect()
    }
}

/// Whether the plan is that of a trace with flushes or discards.
fn has_calls(plan: &Plan) -> bool {
    plan.targets
        .iter()
        .any(|target| match &target.workload.access {
            Access::Recorded(recorded) => recorded.issue.flushes + recorded.issue.discards > 0,
            _ => false,
        })
}

/// Starts the thread that makes the calls on a file.
fn start(file: File) -> io::Result<By> {
    let (calls, its) = sync_channel::<Call>(WAITING_MAX);
    let (answered, answers) = channel(); // has room: a worker that waits for its call to be taken reads no answer
    let clock = WallClock::monotonic();
    let work = move || {
        for Call { number, io, from } in its {
            let outcome = call(&file, &io);
            let answer = Answer {
                number,
                io,
                latency: clock.now().minus(from),
                outcome,
            };
            if answered.send(answer).is_err() {
                return; // the worker has ended
            }
        }
    };
    let thread = std::thread::Builder::new().name("fathom-calls".to_owned());
    Ok(By::Thread {
        calls,
        answers,
        thread: thread.spawn(work)?,
        clock,
    })
}

fn call(file: &File, io: &RecordedIo) -> io::Result<()> {
    match io.operation {
        TraceOperation::Discard => discard(file, io.offset, io.length),
        _ => file.sync_data(),
    }
}

#[cfg(test)]
mod tests;
