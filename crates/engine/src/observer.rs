//! What the control plane reports to onlookers, which are never called from a worker; and the counters that it reads
//! while a worker runs: now and then a relaxed store, no shared cache line.

use model::{Bytes, Nanos};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

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
    p99_ns: AtomicU64, // 0 while it is not known
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

    /// What was last reported: I/Os and bytes. The two may be some I/Os apart.
    pub(crate) fn read(&self) -> (u64, u64) {
        (
            self.ios.load(Ordering::Relaxed),
            self.bytes.load(Ordering::Relaxed),
        )
    }
}
