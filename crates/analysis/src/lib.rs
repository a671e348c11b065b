//! Records → Report: the figures of a run, their meaning and their reliability.
//!
//! Pure: the same record gives the same report, this year and next. Every method cites its source next to
//! the code. Read in this order: `run` (the report of one run, assembled), `verdict`, then the parts it is
//! composed of (`rows`, `latency`, `estimates`, `open_loop`, `in_flight`, `comparison`,
//! `device_check`, `cpu`, `workers`, `intervals`, `changes`, `facts`), then `findings`
//! (one rule, one file, one row in `FINDINGS`), `files` (work with files), `looks`
//! (several short runs in one report), `survey` (many runs, one table), `sweep` (a matrix of them), `models`
//! (what its cells have in common), `audit` (the account of a program), `triage` (what programs wait for), `compare` (one result against another) and `diskspd`
//! and `sqlio` (the same record in those tools' own figures). Deliberately absent:
//! layout, tables and units of display, which are `views`'s; and any clock, file or thread.

pub mod audit;
#[cfg(test)]
mod chance;
mod changes;
mod checks;
pub mod columns;
mod compare;
mod comparison;
mod cpu;
mod device_check;
pub mod device_classes;
mod estimate;
mod estimates;
mod events;
mod explain;
mod facts;
mod files;
mod findings;
mod gain;
mod goal;
mod goal_check;
mod history;
#[cfg(test)]
mod hostile;
mod imported;
mod in_flight;
mod intervals;
pub mod job;
mod known;
mod latency;
pub mod looks;
mod mixed;
pub mod models;
mod observed;
mod open_loop;
pub mod page;
mod preflight;
pub mod pts;
mod rows;
mod run;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
pub mod say;
mod spread;
pub mod steady_state;
mod student;
mod survey;
mod sweep;
pub mod triage;
mod verdict;
mod verification;
mod watch;
mod workers;

pub use compare::{
    CellChange, ChangeReport, CompareReport, Compared, Condition, ConditionOutcome,
    ConditionReport, Difference, METRICS, Metric, Outcome, Side, SideReport,
    Verdict as CompareVerdict, compare_report, compare_with_history,
};
pub use comparison::{Agreement, CountComparison, OperationComparison};
pub use cpu::{CoreShare, CpuReport};
pub use device_check::DeviceCheck;
pub use estimate::{Estimate, NotKnown};
pub use estimates::{latency_estimate, rate_estimate, rate_of_steps};
pub use events::{EventRow, EventsReport};
pub use explain::{ExplainedKind, Explanation, explanations};
pub use facts::{DeviceDigest, EngineDigest, HostDigest, TargetDigest, WorkDigest};
pub use files::{
    ContentReport, CopyDigest, DurabilityReport, ExpectedReport, FilesReport, FilesRow,
    MdtestDigest, MdtestFile, MdtestTree, RunBlocksReport, StretchReport, TreeDigest, VerifyDigest,
    files_report,
};
pub use findings::{
    Cause, Confidence, FINDINGS, Finding, Group, Look, Own, PAGE_CACHE, Repeats, Rule, RuleId,
    Seen, Several, Severity, case_text, session_findings,
};
pub use gain::{GAIN_MIN, PLATEAU_MIN, STEPS_WITHOUT_GAIN, gain_has_ended, gain_of_last_steps};
pub use goal::{Bracket, Crossing, Goal, Trial};
pub use goal_check::{GoalReport, problems_of_goal};
pub use history::{History, HistoryBuilder, HistorySession, Trend, TrendPoint, TrendStep};
pub use imported::{ImportedReport, imported_report, imported_report_knowing};
pub use job::{
    JobContext, JobDigest, JobOperation, JobPart, JobReport, RankLabel, RankRow, job_report,
};
pub use known::{CloudCap, Known, Medium, NotAMedium};
pub use latency::{Latency, Percentile, TailSamples};
pub use looks::{
    Layer, LayerCost, LayerRow, LayerStep, LayerWork, LayersReport, LooksContext, LooksPlace,
    QuickReport, QuickRow, QuickStep, StepFinding, layers_report, quick_report,
};
pub use mixed::LineRow;
pub use observed::Observed;
pub use open_loop::CallRow;
pub use preflight::{
    Answer as PreflightAnswer, CheckThreshold, Facts as PreflightFacts, HostPreflight,
    HostsPreflight, Preflight, Remark, Weight, check_thresholds, hosts_preflight, preflight,
};
pub use rows::OperationRow;
pub use run::{OutcomeKind, RunReport, TargetReport, run_report, run_report_knowing};
pub use spread::relative_half_width;
pub use survey::{
    CacheLook, CellReport, Filled, GoalAnswer, KNEE_SHARE, LadderEnd, Limit, LimitKind, LoadsLeft,
    Reached, RunLoad, SurveyAnswer, SurveyAnswerSide, SurveyContext, SurveyKnee, SurveyReport,
    SurveyRow, SurveyScope, raw_label, surely, survey_report, survey_report_knowing,
};
pub use sweep::{
    AxisForecast, BestIn, CellFigures, FieldValue, ForecastTime, SweepCell, SweepContext,
    SweepForecast, SweepHost, SweepRanks, SweepReport, SweepResult, SweepRow, SweepRun,
    TargetForecast, sweep_report, sweep_report_knowing,
};
pub use verdict::{Answer, Validity, Verdict};
pub use verification::VerificationReport;
pub use watch::{WatchFigures, WatchReport, watch_report};
