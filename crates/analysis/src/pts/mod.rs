//! SNIA's Solid State Storage Performance Test Specification (PTS): its eight tests, how far one is, and its report.
//!
//! Read in this order: `definition` (the tests), `measured` (one run), `progress` (rounds, steady state, what is next),
//! `report`, which consists of `demands` (what the specification demands, and whether it was met), `parts` (tables, windows,
//! series) and `answers`. Omitted: planning runs (`sweep`) and layout (`views`).

mod answers;
mod definition;
mod demands;
mod forecast;
mod measured;
mod parts;
mod progress;
mod report;

pub use definition::{
    PtsCell, PtsDefinition, PtsLoad, PtsMetric, PtsOrder, PtsPart, PtsPartKind, PtsRole, PtsTest,
    PtsWork, composite_lines,
};
pub use demands::{PtsDemand, PtsState};
pub use forecast::{PtsForecast, PtsPartForecast, PtsSpan, PtsTargetForecast, pts_forecast};
pub use measured::{PtsFigures, PtsRun, PtsStep};
pub use parts::{PtsCellReport, PtsMeans, PtsMoment, PtsPartReport, PtsSteady};
pub use progress::{
    PtsContext, PtsEnd, PtsProgress, PtsPurge, REST_MAX, next_step, progress, resumed,
};
pub use report::{PtsFact, PtsReport, pts_report};
