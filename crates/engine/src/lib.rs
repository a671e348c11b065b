//! The run: a `Plan` becomes a `RunRecord`.
//!
//! ```text
//!  run ─▶ timespan (control plane) ─▶ worker (one a thread) ─▶ backend (moves bytes)
//! ```
//!
//! Policy is above mechanism: `address` and `schedule` determine what and when, a backend only moves bytes and
//! reports, `tally` counts. The hot loop (`worker::drive`) reads no option, takes no lock, allocates and
//! prints nothing. Deliberately absent: dialects, views, the store, and every judgement of a number.

mod address;
mod arrivals;
mod backend;
mod bound;
mod buffer;
mod calibration;
mod clock;
mod completion_rate;
mod copy;
mod cores;
mod dependency_board;
mod dependent;
mod diskspd_address;
mod dispatch;
mod drop_cache;
mod early_stop;
mod error;
mod files;
mod heat;
pub mod io_log;
mod limits;
mod loop_profile;
mod meeting;
mod mix;
mod observer;
mod open_loop;
mod pacer;
mod permuted;
mod preflight_checks;
mod prepare;
mod recorded;
mod rehearsal;
mod ring;
mod rng;
mod runs;
mod sampler;
mod schedule;
mod shape;
mod simulated;
mod skewed;
mod stop;
mod strided;
mod stripe;
#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;
mod tally;
mod target;
mod target_state;
mod thread_plan;
mod timespan;
mod trial;
mod usage;
mod verify;
mod visited;
mod word_rings;
mod worker;

pub use calibration::Calibration;
pub use copy::{Copied, CopyEnd, CopyError, CopyJob, CopyReads, copy, has_no_places};
pub use dispatch::{Availability, available, queue_depth_max};
pub use drop_cache::forget_cached;
pub use error::RunError;
pub use files::{
    FilesEnd, FilesError, FilesEvent, FilesJob, MdtestBelow, MdtestPlace, MdtestSite, Room,
    may_drop_caches, room_of, run_files,
};
pub use meeting::{Meet, Meeting};
pub use observer::{Event, Observer, Silent, SoFar, Tick};
pub use preflight_checks::foresee;
pub use prepare::{Filled, prepare, prove_ours};
pub use recorded::{RecordedIo, RecordedIos, RecordedShare, Recording};
pub use rehearsal::rehearse;
pub use simulated::{Limit, Store, Truth, truth};
pub use stop::Stop;
pub use timespan::{Job, run, run_calibrated};
pub use verify::journal::JournalSink;
pub use verify::promised::{JournalError, Promised, Scan as JournalScan};
pub use verify::{VerifyJob, verify_target};
