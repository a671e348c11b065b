//! Report → bytes: what a person reads in a terminal, and what a program reads as JSON.
//!
//! No arithmetic but formatting: every number that is shown stands in the report. Start with `paper` (how
//! wide, which zone, what at the foot), then `summary` (one run) and `survey`; `number`, `text` and `table`
//! are their parts; `colours` colours a finished page. Deliberately absent: other tools' layouts (`tools`), terminals, and where
//! bytes go; a view writes to what it is given.

mod audit;
mod baselines;
mod colours;
mod compare;
mod devices;
mod events;
mod fidelity;
mod files;
mod findings;
mod foot;
mod history;
mod imported;
mod job;
mod json;
mod json_text;
mod learned;
mod lines;
mod looks;
mod number;
mod page;
mod paper;
mod part;
mod picture;
mod preflight;
mod pts;
mod rows;
mod script;
mod sessions;
mod summary;
mod survey;
mod sweep;
mod table;
mod text;
mod time;
mod trace;
mod watch;

pub use audit::{audit_json, audit_summary, triage_json, triage_summary};
pub use baselines::{BaselineLine, write_baselines};
pub use colours::coloured;
pub use compare::compare_summary;
pub use devices::{DeviceLine, write_devices};
pub use fidelity::{fidelity_json, fidelity_summary};
pub use files::{files_json, files_summary, operation_name};
pub use findings::{explanation_summary, explanations_summary};
pub use foot::notes_summary;
pub use history::history_html;
pub use imported::{findings_summary, imported_json, imported_summary};
pub use job::job_summary;
pub use json::{
    compare_json, explanations_json, job_json, notes_json, run_json, schemas, survey_json,
    sweep_forecast_json, sweep_json, versioned_json, watch_json,
};
pub use json_text::{json_escaped, pretty_json};
pub use learned::LearnedSummary;
pub use looks::{ab_summary, fit_summary, layers_summary, look_json, quick_summary};
pub use page::{PAGE_MARK, page_html};
pub use paper::{Paper, Stored};
pub use part::part_summary;
pub use preflight::{
    hosts_preflight_json, hosts_preflight_summary, preflight_headline, preflight_json,
    preflight_summary,
};
pub use pts::{pts_forecast, pts_forecast_json, pts_json, pts_summary, pts_value};
pub use rows::{
    AnswerCell, AnswerTable, EXPORTS, Export, answer_csv, answer_table, export, fields_table,
    pivot_table, rows_table,
};
pub use script::{Script, ScriptLine, Shell};
pub use sessions::{SessionLine, write_sessions};
pub use summary::run_summary;
pub use survey::survey_summary;
pub use sweep::{sweep_forecast, sweep_summary};
pub use text::{folded_usage, printable, shorten, wrapped};
pub use time::{Zone, ctime_stamp, date_stamp, local_day, local_stamp, write_time};
pub use trace::{learned_json, trace_json, trace_summary};
pub use watch::watch_summary;
