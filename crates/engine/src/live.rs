//! Counters that onlookers may read while a worker runs: now and then a relaxed store, no shared cache line.

use model::Nanos;
use std::sync::atomic::{AtomicU64, Ordering};

/// One worker's counters, on cache lines of their own so that reading them slows nobody down.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Live {
    ios: AtomicU64,
    bytes: AtomicU64,
    p99_ns: AtomicU64, // 0 while it is not known
}

impl Live {
    /// Tells the totals so far. Only the owner calls this, so plain stores do.
    #[inline]
    pub(crate) fn publish(&self, ios: u64, bytes: u64) {
        self.ios.store(ios, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Tells the 99th percentile of what was measured so far.
    pub(crate) fn publish_p99(&self, p99: Option<Nanos>) {
        self.p99_ns
            .store(p99.map_or(0, |time| time.0), Ordering::Relaxed);
    }

    /// The percentile that was last told.
    pub(crate) fn p99(&self) -> Option<Nanos> {
        Some(Nanos(self.p99_ns.load(Ordering::Relaxed))).filter(|time| time.0 > 0)
    }

    /// What was last told: I/Os and bytes. The two may be some I/Os apart.
    pub(crate) fn read(&self) -> (u64, u64) {
        (
            self.ios.load(Ordering::Relaxed),
            self.bytes.load(Ordering::Relaxed),
        )
    }
}
