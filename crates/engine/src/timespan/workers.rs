//! The workers of one timespan: mustered, let go together, and waited for, but not for ever.

use crate::RunError;
use crate::backend::{Backend, Setup, Used};
use crate::clock::{Clock, WallClock};
use crate::observer::Live;
use crate::schedule::Schedule;
use crate::stop::Stop;
use crate::system::affinity;
use crate::target::open_all;
use crate::target_state::Shared;
use crate::thread_plan::ThreadPlan;
use crate::usage;
use crate::worker::{self, Calls, Done, Lent, Passes, Syncs, Work, drive, finish};
use model::Nanos;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a thread may stay away, beyond what its own drain may take, before it is taken for lost.
const PATIENCE: Nanos = Nanos::seconds(5);
/// How long fsync at the end may take besides: what is written then is up to half of the memory.
const FSYNC_MAX: Nanos = Nanos::seconds(600);
/// From one check of the stop word to the next.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The workers, each on its thread.
pub(super) struct Workers {
    places: Vec<ThreadPlan>,
    lives: Vec<Arc<Live>>,
    gate: Arc<Gate>,
    words: Receiver<(u32, Word)>,
    used: Used,
    syncs_at_end: bool,
}

/// A worker's message to the control plane, with its number.
enum Word {
    Ready(Used),
    Done(Box<Done>),
    Failed(RunError),
}

/// The result of one worker.
pub(super) struct Returned {
    pub(super) place: ThreadPlan,
    /// `None` for a thread that is still in a system call.
    pub(super) done: Option<Done>,
}

/// What a worker's thread does from its first step to its last, with one backend.
pub(crate) type Life = fn(&Orders);

/// Everything that a worker's thread is given.
pub(crate) struct Orders {
    shared: Shared,
    place: ThreadPlan,
    cores: Vec<u32>,
    live: Arc<Live>,
    gate: Arc<Gate>,
    words: Sender<(u32, Word)>,
}

impl Workers {
    /// Starts all threads and waits until each has opened and allocated all that it needs. On the first
    /// refusal all are sent home, with nothing read or written; so are they where the stop word comes first, because an
    /// open may wait for a server that does not answer.
    pub(super) fn spawn(
        shared: &Shared,
        lives_of: impl Fn(&ThreadPlan) -> Life,
        places: Vec<(ThreadPlan, Vec<u32>)>,
        stop: &Stop,
    ) -> Result<Self, RunError> {
        let lives: Vec<Arc<Live>> = places.iter().map(|_| Arc::default()).collect();
        let gate = Arc::new(Gate::default());
        let (sender, words) = channel();
        for ((place, cores), live) in places.iter().zip(&lives) {
            let life = lives_of(place);
            let orders = Orders {
                shared: shared.clone(),
                place: place.clone(),
                cores: cores.clone(),
                live: Arc::clone(live),
                gate: Arc::clone(&gate),
                words: sender.clone(),
            };
            let name = format!("fathom-{}", place.thread);
            let started = std::thread::Builder::new()
                .name(name)
                .spawn(move || live_or_tell(life, &orders));
            if let Err(source) = started {
                gate.open(Signal::Cancel);
                return Err(RunError::Thread {
                    number: place.thread,
                    source,
                });
            }
        }
        let places = places.into_iter().map(|(place, _)| place).collect();
        let mut workers = Workers {
            places,
            lives,
            gate,
            words,
            used: Used::default(),
            syncs_at_end: shared.plan.targets.iter().any(|target| target.fsync.at_end),
        };
        workers.wait_until_ready(stop)?;
        Ok(workers)
    }

    /// Lets all go at once, on this clock.
    pub(super) fn go(&self, clock: WallClock) {
        self.gate.open(Signal::Go(clock));
    }

    /// Sends all home instead, with nothing read or written.
    pub(super) fn cancel(&self) {
        self.gate.open(Signal::Cancel);
    }

    /// What the backends used of the kernel's offers.
    pub(super) fn used(&self) -> Used {
        self.used.clone()
    }

    /// What onlookers may read.
    pub(super) fn lives(&self) -> Vec<Arc<Live>> {
        self.lives.clone()
    }

    fn wait_until_ready(&mut self, stop: &Stop) -> Result<(), RunError> {
        let mut missing = self.places.len();
        while missing > 0 {
            let error = match self.words.recv_timeout(LOOK_EVERY) {
                Ok((_, Word::Ready(used))) => {
                    self.used.join(used);
                    missing -= 1;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) if !stop.asked() => continue,
                Err(RecvTimeoutError::Timeout) => RunError::StoppedWhileOpening {
                    missing,
                    threads: self.places.len(),
                },
                Ok((_, Word::Failed(error))) => error,
                Ok((_, Word::Done(_))) => unreachable!("no worker has been released yet"),
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("a thread speaks before it ends, or panics")
                }
            };
            self.gate.open(Signal::Cancel);
            return Err(error);
        }
        Ok(())
    }

    /// Waits for all that issuing ended at `drain_began`, with an ear for the stop word; a thread that stays away for
    /// longer than its drain may take is left behind. After a failure the others are waited for too: until then they
    /// write.
    pub(super) fn join(
        self,
        clock: &WallClock,
        schedule: &Schedule,
        stop: &Stop,
    ) -> Result<Vec<Returned>, RunError> {
        let drain_began = clock.now();
        let mut returned: Vec<Returned> = self
            .places
            .iter()
            .map(|place| Returned {
                place: place.clone(),
                done: None,
            })
            .collect();
        let mut missing = returned.len();
        let mut failure = None;
        while missing > 0 {
            if stop.asked() && !schedule.is_halted() {
                schedule.halt(clock.now());
            }
            match self.words.recv_timeout(LOOK_EVERY) {
                Ok((thread, Word::Done(done))) => returned[thread as usize].done = Some(*done),
                Ok((_, Word::Ready(_))) => unreachable!("all were ready before they were let go"),
                Ok((_, Word::Failed(error))) => failure = failure.or(Some(error)),
                Err(RecvTimeoutError::Timeout)
                    if clock.now().minus(drain_began) < self.patience(schedule) =>
                {
                    continue;
                }
                Err(_) => break,
            }
            missing -= 1;
        }
        failure.map_or(Ok(returned), Err)
    }
}

impl Workers {
    fn patience(&self, schedule: &Schedule) -> Nanos {
        let syncs = if self.syncs_at_end {
            FSYNC_MAX
        } else {
            Nanos(0)
        };
        patience(schedule).plus(syncs)
    }
}

fn patience(schedule: &Schedule) -> Nanos {
    let drain = if schedule.is_halted() {
        Nanos::seconds(1)
    } else {
        worker::DRAIN_MAX
    };
    drain.plus(PATIENCE)
}

/// A worker's life. A panic is reported like any other failure, or the others would wait for this one for ever.
fn live_or_tell(life: Life, orders: &Orders) {
    let lived = catch_unwind(AssertUnwindSafe(|| life(orders)));
    if let Err(panic) = lived {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        let message = text.unwrap_or_else(|| "without a message".to_owned());
        orders.shared.schedule.halt(Nanos(0)); // the others stop, too
        let word = Word::Failed(RunError::Panicked { message });
        let _ = orders.words.send((orders.place.thread, word));
    }
}

/// A worker's life from opening to the last word. A hang-up on the other side means that no receiver waits for
/// the word any more, so it is dropped.
pub(crate) fn live_with<B: Backend>(
    orders: &Orders,
    open: impl FnOnce(&Setup<'_>) -> Result<B, RunError>,
) {
    let thread = orders.place.thread;
    let ready = prepare(orders, open);
    let mut lent = match ready {
        Ok(ready) => ready,
        Err(error) => {
            let _ = orders.words.send((thread, Word::Failed(error)));
            return;
        }
    };
    let _ = orders
        .words
        .send((thread, Word::Ready(lent.backend.used())));
    let Signal::Go(clock) = orders.gate.wait() else {
        lent.unused();
        return;
    };
    let outcome = work_through(&mut lent, clock).and_then(|()| finish(lent));
    if outcome.is_err() {
        orders.shared.schedule.halt(Nanos(0)); // the kernel's interface broke: no worker continues
    }
    let word = outcome.map_or_else(Word::Failed, |done| Word::Done(Box::new(done)));
    let _ = orders.words.send((thread, word));
}

/// The measured part. An error leaves `lent` to the kernel: what is in flight may still use all of it.
fn work_through<B: Backend>(
    lent: &mut Lent<B, WallClock>,
    clock: WallClock,
) -> Result<(), RunError> {
    lent.work.clock = clock;
    let (before, delayed_before) = (usage::of_this_thread(), usage::delay_of_this_thread());
    drive(&mut lent.work, &mut *lent.backend)?;
    lent.work.account.cpu = usage::between(before, usage::of_this_thread());
    let delayed = usage::delay_of_this_thread().zip(delayed_before);
    lent.work.account.delayed = delayed.map(|(after, before)| after.minus(before));
    Ok(())
}

fn prepare<B: Backend>(
    orders: &Orders,
    open: impl FnOnce(&Setup<'_>) -> Result<B, RunError>,
) -> Result<Lent<B, WallClock>, RunError> {
    if !orders.cores.is_empty() {
        affinity::bind(&orders.cores)?; // first, so that its memory comes from where it runs
    }
    let (shared, place) = (&orders.shared, &orders.place);
    let clock = WallClock::monotonic();
    let from = clock.now();
    let (targets, aims) = open_all(&shared.plan, place, &shared.pins, B::OVERLAPPED)?;
    let opened = clock.now().minus(from);
    let mut work = Work::new(shared, place, clock, Arc::clone(&orders.live))?;
    work.account.opened = Some(opened);
    work.side.syncs = Syncs::new(&shared.plan, place, &targets)?;
    work.side.calls = Calls::new(&shared.plan, place, &targets)?;
    work.side.passes = Passes::new(&shared.plan, place, &targets)?;
    let planned = place
        .seats
        .iter()
        .map(|seat| &shared.plan.targets[seat.target as usize]);
    let setup = Setup {
        aims: &aims,
        targets: planned.collect(),
        depth: place.slots,
        buffers: &work.buffers,
        polling: shared.plan.polling,
        queueing: shared.plan.queueing,
    };
    let backend = open(&setup)?;
    Ok(Lent::new(work, backend, targets))
}

/// Delays the workers until all are ready.
#[derive(Default)]
struct Gate {
    signal: Mutex<Option<Signal>>,
    opened: Condvar,
}

#[derive(Clone, Copy)]
enum Signal {
    Go(WallClock),
    Cancel,
}

impl Gate {
    fn open(&self, signal: Signal) {
        *self.signal.lock().unwrap_or_else(PoisonError::into_inner) = Some(signal);
        self.opened.notify_all();
    }

    fn wait(&self) -> Signal {
        let mut signal = self.signal.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(given) = *signal {
                return given;
            }
            signal = self
                .opened
                .wait(signal)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests;
