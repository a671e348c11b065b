//! The only reader of clocks outside the engine: when something began, and how long it took.
//!
//! Nothing measured comes from here; the engine has its own clock.

use model::Nanos;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970 in UTC; 0 on a machine whose clock stands before that.
#[allow(clippy::disallowed_methods, reason = "this is the one place")]
pub fn utc() -> Nanos {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// How long something takes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    /// Starts now.
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// Returns the time since then.
    pub fn elapsed(&self) -> Nanos {
        Nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}
