//! SNIA's Solid State Storage Performance Test Specification (PTS): its eight tests, how far one is, and its report.
//!
//! Read in this order: `definition` (the tests), `measured` (one run), `progress` (rounds, steady state, what is next).
//! Omitted: planning runs (`sweep`) and layout (`views`).

mod definition;
mod measured;
mod progress;

pub use definition::{
    PtsCell, PtsDefinition, PtsLoad, PtsMetric, PtsOrder, PtsPart, PtsPartKind, PtsRole, PtsTest,
    PtsWork, composite_lines,
};
pub use measured::{PtsFigures, PtsRun, PtsStep};
pub use progress::{PtsEnd, PtsProgress, REST_MAX, next_step, progress, resumed};
