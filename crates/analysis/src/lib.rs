//! Records → Report: what the numbers of a run say, and how far they may be trusted.
//!
//! Pure: the same record gives the same report, this year and next. Every method cites its source beside
//! the code. Read in this order: `run` (the report of one run, assembled), `verdict`, then the parts it is
//! made of (`rows`, `latency`, `open_loop`, `in_flight`, `comparison`,
//! `device_check`, `cpu`, `workers`, `intervals`, `facts`), then `findings`
//! (one rule, one file, one row in `FINDINGS`), `survey` (many runs, one table), `sweep` (a matrix of them) and `diskspd`
//! and `sqlio` (the same record in those tools' own figures). Deliberately absent:
//! layout, tables and units of display, which are `views`'s; and any clock, file or thread.

pub mod columns;
mod comparison;
mod cpu;
mod device_check;
pub mod diskspd;
mod estimate;
mod facts;
mod findings;
mod gain;
mod imported;
mod in_flight;
mod intervals;
mod latency;
mod open_loop;
mod rows;
mod run;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
pub mod say;
mod spread;
pub mod sqlio;
mod survey;
mod sweep;
mod verdict;
mod workers;

pub use comparison::{Agreement, CountComparison, OperationComparison};
pub use cpu::{CoreShare, CpuReport};
pub use device_check::DeviceCheck;
pub use estimate::Estimate;
pub use facts::{DeviceDigest, EngineDigest, HostDigest, TargetDigest, WorkDigest};
pub use findings::{Evidence, FINDINGS, Finding, FindingRank, Rule, Seen};
pub use gain::{GAIN_MIN, PLATEAU_MIN, STEPS_WITHOUT_GAIN, gain_has_ended, gain_of_last_steps};
pub use imported::{ImportedReport, imported_report};
pub use in_flight::InFlight;
pub use intervals::{IntervalRow, Steadiness};
pub use latency::{Latency, Percentile, Trust};
pub use open_loop::OpenLoop;
pub use rows::{ErrorRow, OperationRow};
pub use run::{
    FailureReport, OutcomeKind, OutcomeReport, RunReport, TargetReport, TimeReport, run_report,
};
pub use spread::relative_half_width;
pub use survey::{
    CellReport, Filled, Ladder, LadderEnd, SurveyBudget, SurveyCells, SurveyContext, SurveyReport,
    SurveyRow, survey_report,
};
pub use sweep::{
    AxisForecast, BestCell, BestIn, CellFigures, FieldValue, SweepCell, SweepContext, SweepCounts,
    SweepForecast, SweepReport, SweepResult, SweepRow, SweepRun, TargetForecast, sweep_report,
};
pub use verdict::{Rank, Verdict};
pub use workers::WorkerShare;
