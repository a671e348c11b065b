//! A session: the runs of one command, from the check of its request to the results database.
//!
//! Read in this order: `admission` (what may be run), `runner` (the only loop that measures) and `schedule` (which run is
//! next), `outcome` (why a run has no result), `journal` (the session in the results database). `proven_files` and `records`
//! save proofs of ownership from run to run. `hosts` is the same on many machines.
//!
//! Omitted: arguments, printing, exit codes and signals (the program), and what results mean (`analysis`).

mod admission;
pub mod clock;
mod hosts;
mod journal;
mod outcome;
mod proven_files;
mod records;
mod runner;
mod schedule;
mod threads_for_depth;

pub use admission::{
    Admission, CheckedPlan, DepthFound, hold, is_of_store, keeps, may_keep, same_name,
};
pub use hosts::{
    FilesOrder, HostAnswer, Hosts, HostsOptions, RankResult, TargetKey, name_of_rank, target_key,
};
pub use journal::{Journal, VERSION, new_session};
pub use outcome::{ended, lost, reason};
pub use proven_files::{ProofRecords, ProvenFiles};
pub use runner::{Ended, Runner};
pub use schedule::{Fate, Ran, Schedule, Step, Timespans, Watcher};
