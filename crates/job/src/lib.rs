//! The processes of one run on many hosts: they join, agree, begin together and put their results together.
//!
//! A *job* is all processes of one run; a *rank* is one of them, numbered from 0. Rank 0 gives orders; an order passes down a
//! tree, each rank performs it, and the answers come up joined. Read in this order: `frame` (what travels), `tree` (from whom
//! to whom), `node` (the state machine of one rank, without input and output), `clock` (one clock for all), `link` (the
//! thread that moves frames) and `transport` (by what they travel).
//!
//! Invariants: no rank waits without a deadline; the answer of a rank is counted once or not at all, and a rank without one is
//! named; a `Plan` never travels. Omitted: what an order means (the session), targets, printing.

mod clock;
mod frame;
mod host_list;
mod launcher;
mod link;
mod node;
mod reply;
mod sums;
#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;
pub mod transport;
mod tree;

pub use clock::{EdgeClock, Offset, compose};
pub use frame::Frame;
pub use host_list::host_list;
pub use launcher::{Launch, Launcher, RANK, SIZE, is_launched};
pub use link::{Counter, Event, Job, JobError};
pub use node::{Action, CLOCK, End, FINISH, Node, Order, Progress, Settings};
pub use reply::{Item, Lost, Reply};
pub use sums::{OperationSums, Sums};
pub use tree::{FAN_OUT, Tree};
