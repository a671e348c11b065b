//! The results database: every run, whole, in one SQLite file. The only room that knows SQL.
//!
//! Read in this order: `session` (what a person finds in the database), `open` (which files are taken, and
//! the schema), `save`, `cells`, `run` and `documents` (onto it), `load` and `rows` (off it), `blob` and `series`
//! (histograms and time series in few bytes), `seal` (what shows damage), `summary` and `scan`
//! (lists and tables in one pass), `delete`, `backup`, `check` and `care`, `portable` (whole sessions as JSON), `error`. A person names a
//! session `12` and the third run of it `12.3`.
//!
//! Safety: one transaction a run in SQLite's write-ahead log with full synchronisation, so a kill or a power
//! cut loses at most the run that was being written. Several programs may use one results database at once; one that
//! meets another's write waits up to ten seconds. What is loaded equals what was saved, or is an error.
//!
//! Deliberately absent: rates and percentiles (`analysis`), the clock, the environment and the default
//! place of the file (`cli`), and any way to change a result: it stays as it was kept, or is deleted.

mod answers;
mod backup;
mod baselines;
mod blob;
mod care;
mod cells;
mod check;
mod copy;
mod delete;
mod documents;
mod error;
mod headline;
mod load;
mod notes;
mod notice;
mod open;
mod portable;
mod proofs;
mod record;
mod rows;
mod run;
mod save;
mod scan;
mod schema;
mod seal;
mod series;
mod session;
mod summary;
mod tags;
mod vfs;

pub use answers::{SessionAnswer, StoredAnswer};
pub use baselines::Baseline;
pub use care::{Answer, Cell, Listing};
pub use cells::{RankLine, RanksCell};
pub use check::{Check, Depth};
pub use error::StoreError;
pub use notice::Notice;
pub use open::{Store, check_name};
pub use portable::is_portable;
pub use proofs::FileProof;
pub use scan::Pass;
pub use schema::{APPLICATION_ID, SCHEMA_VERSION};
pub use session::{
    Name, NewSession, RunName, Session, SessionId, SessionKind, SessionOutcome, SessionSummary,
    StoredCell, StoredResult, StoredRun,
};

/// What every call here answers with.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
