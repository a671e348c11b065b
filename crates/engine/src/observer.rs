//! What the control plane tells onlookers. Never called from a worker.

use model::{Bytes, Nanos};
use std::path::Path;

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
    /// long. Asked some fifty times a second, with all readings since the phase began. Nobody has enough unless he says so.
    fn enough(&self, _so_far: &[SoFar]) -> bool {
        false
    }
}

/// What was counted of the measured phase at some moment of it, all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    /// Since the phase began.
    pub elapsed: Nanos,
    /// Completed since then; threads tell it after each batch, so the last batch of each may be missing.
    pub ios: u64,
}

/// Looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on(&self, _: Event<'_>) {}
}
