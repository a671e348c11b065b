//! What the workers of one host wait for before they begin: those of all others.
//!
//! Alone there is no meeting. Omitted: how hosts agree (`job`).

use crate::RunError;
use crate::stop::Stop;
use model::Nanos;
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

/// Agrees on a moment with other hosts. Called when all workers are ready and none has begun.
pub trait Meet {
    /// Returns when time 0 of the run is to be. It may wait for the others.
    ///
    /// # Errors
    /// The run is called off: nothing has been read or written.
    fn meet(&self, stop: &Stop) -> Result<Instant, RunError>;

    /// Receives how long after that moment time 0 was.
    fn began(&self, late: Nanos);
}

/// A meeting before a run; several runs may have the same.
#[derive(Clone)]
pub struct Meeting(pub Rc<dyn Meet>);

impl fmt::Debug for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meeting")
    }
}
