//! What the workers of one host wait for: before they begin, those of all others; and after a deadline, where all do as much
//! as the one that did most.
//!
//! Alone only the second is waited for. Omitted: how hosts agree (`job`).

use crate::RunError;
use crate::stop::Stop;
use model::record::WearOut;
use model::{Bytes, Nanos};
use std::fmt;
use std::rc::Rc;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// From one check of the end of the run to the next, by a thread that waits for the others.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Agrees with other hosts: on the moment of the start, and behind a deadline on how much each thread does.
pub trait Meet: fmt::Debug {
    /// Returns when time 0 of the run is to be. Called when all workers are ready and none has begun. It may wait for the others.
    ///
    /// # Errors
    /// The run is called off: nothing has been read or written.
    fn meet(&self, stop: &Stop) -> Result<Instant, RunError>;

    /// Receives how long after that moment time 0 was.
    fn began(&self, late: Nanos);

    /// Returns the most that a thread of any host did, of which this host's did `own`. Called once all threads of this host wait.
    /// It may wait for the others; `None` where they are not asked any more.
    fn most(&self, own: u64) -> Option<u64>;
}

/// A meeting before a run; several runs may have the same.
#[derive(Clone, Debug)]
pub struct Meeting(pub Rc<dyn Meet>);

/// Where the threads of this host wait after a deadline for what all of them do: as much as the one that did most.
#[derive(Debug)]
pub(crate) struct Level {
    threads: u32,
    /// Other hosts have threads, too.
    is_shared: bool,
    met: Mutex<Met>,
    changed: Condvar,
}

/// Who has come, and what is known.
#[derive(Debug, Default)]
struct Met {
    threads: u32,
    found: WearOut,
    goal: Option<u64>,
}

impl Level {
    /// For so many threads.
    pub(crate) fn new(threads: u32, is_shared: bool) -> Level {
        Level {
            threads,
            is_shared,
            met: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn met(&self) -> MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread that did so much waits for the others. Returns how much each of them does; `None` where the run is over first.
    pub(crate) fn wait(&self, done: u64, now: Nanos, is_over: impl Fn() -> bool) -> Option<u64> {
        let mut met = self.met();
        let met_so_far = met.threads;
        let found = &mut met.found;
        found.after = found.after.max(now);
        found.all.0 += done;
        found.most = found.most.max(Bytes(done));
        found.least = match met_so_far {
            0 => Bytes(done),
            _ => found.least.min(Bytes(done)),
        };
        met.threads += 1;
        if met.threads == self.threads && !self.is_shared {
            met.goal = Some(met.found.most.0);
        }
        self.changed.notify_all();
        while met.goal.is_none() && !is_over() {
            let waited = self.changed.wait_timeout(met, LOOK_EVERY);
            met = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        met.goal
    }

    /// Sleeps so long, or until all threads of this host have come and the other hosts are to be asked: whether that is so.
    pub(crate) fn sleep(&self, time: Duration) -> bool {
        let is_early = |met: &mut Met| met.threads < self.threads || met.goal.is_some();
        let waited = self.changed.wait_timeout_while(self.met(), time, is_early);
        let timeout = waited.unwrap_or_else(PoisonError::into_inner).1;
        !timeout.timed_out() && self.is_shared
    }

    /// Asks the other hosts by `ask`, once all threads of this one have come. Threads of hosts that are not asked any more end.
    pub(crate) fn agree(&self, ask: impl FnOnce(u64) -> Option<u64>) {
        let met = self.met();
        if !self.is_shared || met.threads < self.threads || met.goal.is_some() {
            return;
        }
        let own = met.found.most.0;
        drop(met);
        let goal = ask(own).unwrap_or(0);
        self.met().goal = Some(goal);
        self.changed.notify_all();
    }

    /// Whether it is known how much each thread does.
    pub(crate) fn is_known(&self) -> bool {
        self.met().goal.is_some()
    }

    /// What the threads of this host had done when they met; none where not all of them came.
    pub(crate) fn found(&self) -> Option<WearOut> {
        let met = self.met();
        (met.threads == self.threads).then_some(met.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of the threads comes with what it has done; returns where each goes on to.
    fn met(level: &Level, done: &[u64], is_over: bool) -> Vec<Option<u64>> {
        std::thread::scope(|scope| {
            let wait = |&done: &u64| scope.spawn(move || level.wait(done, Nanos(done), || is_over));
            let threads: Vec<_> = done.iter().map(wait).collect();
            threads.into_iter().map(|one| one.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_go_on_to_what_the_furthest_did() {
        let level = Level::new(3, false);
        assert_eq!(level.found(), None);
        assert_eq!(met(&level, &[21, 3195, 400], false), [Some(3195); 3]);
        let found = level.found().unwrap();
        assert_eq!((found.all, found.after), (Bytes(3616), Nanos(3195)));
        assert_eq!((found.least, found.most), (Bytes(21), Bytes(3195)));
    }

    #[test]
    fn other_hosts_are_asked_once_all_threads_of_this_one_wait() {
        let level = Level::new(2, true);
        level.agree(|_| panic!("none waits"));
        assert!(!level.sleep(Duration::ZERO));
        std::thread::scope(|scope| {
            let threads = scope.spawn(|| met(&level, &[7, 9], false));
            while !level.sleep(Duration::from_secs(1)) {}
            level.agree(|own| Some(own + 100));
            assert_eq!(threads.join().unwrap(), [Some(109); 2]);
        });
        level.agree(|_| panic!("it is known"));
        assert!(!level.sleep(Duration::ZERO));
    }

    #[test]
    fn no_thread_waits_for_a_run_that_is_over() {
        let level = Level::new(2, true);
        assert_eq!(met(&level, &[5, 6], true), [None; 2]);
        level.agree(|_| None);
        assert_eq!(met(&level, &[5], false), [Some(0)]);
    }
}
