//! What the control plane reports to onlookers, which are never called from a worker; and the counters that it reads
//! while a worker runs: now and then a relaxed store, no shared cache line.

use model::{Bytes, Nanos, RunRecord, SyncCount, ThreadRecord};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Something that an onlooker may want to show.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A file is being filled.
    Filling {
        /// Which.
        path: &'a Path,
        /// Written so far.
        done: Bytes,
        /// To be written in all.
        total: Bytes,
    },
    /// A file or device that looked like fathom's own is being read whole before it is written.
    Proving {
        /// Which.
        path: &'a Path,
        /// Read so far.
        done: Bytes,
        /// To be read in all.
        total: Bytes,
    },
    /// The range of the targets is being read and compared with what was written.
    Verifying {
        /// Which target.
        path: &'a Path,
        /// Read so far, of all targets.
        done: Bytes,
        /// To be read in all.
        total: Bytes,
    },
    /// A phase began.
    Phase {
        /// `warm-up`, `measured`, `cool-down` or `drain`.
        name: &'static str,
    },
    /// Some time has passed in a running timespan.
    Tick(Tick),
}

/// What was counted since the start of the warm-up, all threads together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tick {
    /// Time since then.
    pub elapsed: Nanos,
    /// I/Os completed.
    pub ios: u64,
    /// Transferred by them.
    pub bytes: Bytes,
    /// 99th percentile of the latencies measured so far, of the thread and target where it is largest; none before
    /// there are enough.
    pub p99: Option<Nanos>,
}

/// An onlooker. Must return soon: the control plane waits for it.
pub trait Observer: Sync {
    /// Called on the control plane's thread, a few times a second at most.
    fn on(&self, event: Event<'_>);

    /// Whether what was counted in the measured phase so far is enough: then it ends there, as if it had been planned so
    /// long. Asked some fifty times a second, with all readings since the phase began. By default no onlooker has
    /// enough.
    fn enough(&self, _so_far: &[SoFar]) -> bool {
        false
    }

    /// How often a snapshot is requested, from the start of the measured phase on; `None` for never. Each takes a thread about as
    /// long as copying its histograms.
    fn snapshot_every(&self) -> Option<Nanos> {
        None
    }

    /// Receives a snapshot: the record as if the measured phase had ended a moment ago.
    fn snapshot(&self, _: &RunRecord) {}
}

impl Counted {
    /// The thread counts nothing any more.
    pub(crate) const LAST: u64 = u64::MAX;
}

/// What was counted of the measured phase at some moment of it, all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Since the phase began.
    pub elapsed: Nanos,
    /// Completed since then; threads report it after each batch, so the last batch of each may be missing.
    pub ios: u64,
}

/// Looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on(&self, _: Event<'_>) {}
}

/// One worker's counters, on cache lines of their own so that reading them slows no thread down.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Live {
    ios: AtomicU64,
    bytes: AtomicU64,
    p99_ns: AtomicU64,    // 0 while it is not known
    snapshots: AtomicU64, // requested so far
    counted: Mutex<Counted>,
}

/// What a thread counted until the moment of a snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// Which request it answers; 0 before the first, [`Counted::LAST`] when the thread has ended.
    pub(crate) number: u64,
    /// When, on the run's clock.
    pub(crate) at: Nanos,
    pub(crate) threads: Vec<ThreadRecord>, // target by target
    pub(crate) syncs: Vec<SyncCount>,
}

impl Live {
    /// Reports the totals so far. Only the owner calls this, so plain stores do.
    #[inline]
    pub(crate) fn publish(&self, ios: u64, bytes: u64) {
        self.ios.store(ios, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Reports the 99th percentile of what was measured so far.
    pub(crate) fn publish_p99(&self, p99: Option<Nanos>) {
        self.p99_ns
            .store(p99.map_or(0, |time| time.0), Ordering::Relaxed);
    }

    /// The percentile that was last reported.
    pub(crate) fn p99(&self) -> Option<Nanos> {
        Some(Nanos(self.p99_ns.load(Ordering::Relaxed))).filter(|time| time.0 > 0)
    }

    /// Requests the snapshot of this number.
    pub(crate) fn request(&self, number: u64) {
        self.snapshots.store(number, Ordering::Relaxed);
    }

    /// The number of the snapshot that was last requested.
    pub(crate) fn requested(&self) -> u64 {
        self.snapshots.load(Ordering::Relaxed)
    }

    /// Answers a request. Only the owner calls this.
    pub(crate) fn answer(&self, counted: Counted) {
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = counted;
    }

    /// Which request was answered last.
    pub(crate) fn answered(&self) -> u64 {
        let counted = self.counted.lock();
        counted.unwrap_or_else(PoisonError::into_inner).number
    }

    /// The last answer.
    pub(crate) fn counted(&self) -> Counted {
        let counted = self.counted.lock();
        counted.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was last reported: I/Os and bytes. The two may be some I/Os apart.
    pub(crate) fn read(&self) -> (u64, u64) {
        (
            self.ios.load(Ordering::Relaxed),
            self.bytes.load(Ordering::Relaxed),
        )
    }
}
