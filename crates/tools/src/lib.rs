//! Other tools, a folder each: the requests they take, read and printed, and the results they print, printed and read.
//!
//! [`diskspd`], [`sqlio`], [`fio`], [`ior`] and [`iometer`] have both, [`dd`], [`lmdd`], [`sgp_dd`], [`mdtest`], [`xdd`] and [`bonnie`] parts of them; [`TOOLS`] has a row for each.
//! A request is read by `build`, which turns it, as typed, into a [`model::Profile`] with notes, or into every problem at
//! once; `print` turns a timespan back into the command line that repeats it, and what `print` returns, `build` reads as the
//! same timespan. Results are printed by `result` from `figures`, which are computed from a record by the rules of the tool,
//! and read by `reader`; [`imports`] finds out which reader a text is for.
//!
//! fathom's own requests are next to them: [`native`], the options of `fathom run`; [`sweep`], requests of which some
//! fields have several values, in the words of either or as a plan in TOML; and the files of workloads
//! ([`workloads_of`]).
//! [`published_caps`] reads the table of limits that clouds publish, [`known_demands`] that of what programs require.
//!
//! Deliberately absent: splitting the command line into options for `native` (`cli` does that), the machine (whether a profile
//! fits it is `model::check`'s business), and consent to write: a request passes on the words that allow it.

pub mod bonnie;
mod caps;
pub mod dd;
mod demands;
pub mod diskspd;
pub mod fio;
pub mod imports;
pub mod iometer;
pub mod ior;
pub mod lmdd;
pub mod mdtest;
mod names;
pub mod native;
mod operands;
mod own_options;
mod page;
mod problem;
mod read;
mod readers;
pub mod refusal;
mod script;
pub mod sgp_dd;
pub mod sqlio;
pub mod sweep;
mod workloads;
pub mod xdd;

pub use caps::published_caps;
pub use demands::{DEMANDS_LENGTH_MAX, DemandRow, demands_of, known_demands};
pub use own_options::OwnOptions;
pub use problem::{Note, Problem, Refusal};
pub use read::Reader;
pub use workloads::{FileWorkload, WORKLOADS_LENGTH_MAX, workloads_of};

use imports::Reader as ResultReader;
use model::Field;

/// A tool whose requests or results are read or printed.
pub struct Tool {
    /// Its name, for people.
    pub name: &'static str,
    /// Spells the fields that a problem with a request names; `None` where no request of it is run.
    pub option: Option<fn(Field) -> Option<&'static str>>,
    /// The formats of its results that are read.
    pub readers: &'static [ResultReader],
}

/// Every tool. A line that two formats would claim goes to the upper one.
pub const TOOLS: &[Tool] = &[
    diskspd::TOOL,
    sqlio::TOOL,
    fio::TOOL,
    iometer::TOOL,
    ior::TOOL,
    xdd::TOOL,
    script::TOOL,
    dd::TOOL,
    bonnie::TOOL,
    readers::crystaldiskmark::TOOL,
    readers::elbencho::TOOL,
    readers::f3::TOOL,
    readers::hdparm::TOOL,
    readers::io500::TOOL,
    readers::ioping::TOOL,
    readers::iostat::TOOL,
    readers::iozone::TOOL,
    readers::kbench::TOOL,
    readers::kubestr::TOOL,
    readers::kubernetes_dbench::TOOL,
    readers::mdtest::TOOL,
    readers::pg_test_fsync::TOOL,
    readers::rados_bench::TOOL,
    readers::spdk_perf::TOOL,
    readers::sysbench::TOOL,
    readers::vdbench::TOOL,
    readers::warp::TOOL,
];
