//! The stop flag: set by a user or a deadline, read by the control plane and by long fillings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by the threads that may request it and those that must react. A request is final.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Not set yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it. Safe to call from a signal handler: one atomic store.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was set.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The word itself, for libraries that set a flag on a signal.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
