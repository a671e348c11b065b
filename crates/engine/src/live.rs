//! Counters that onlookers may read while a worker runs: now and then a relaxed store, no shared cache line.

use std::sync::atomic::{AtomicU64, Ordering};

/// One worker's counters, on cache lines of their own so that reading them slows nobody down.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Live {
    ios: AtomicU64,
    bytes: AtomicU64,
}

impl Live {
    /// Tells the totals so far. Only the owner calls this, so plain stores do.
    #[inline]
    pub(crate) fn publish(&self, ios: u64, bytes: u64) {
        self.ios.store(ios, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// What was last told: I/Os and bytes. The two may be some I/Os apart.
    pub(crate) fn read(&self) -> (u64, u64) {
        (
            self.ios.load(Ordering::Relaxed),
            self.bytes.load(Ordering::Relaxed),
        )
    }
}
