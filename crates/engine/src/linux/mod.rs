//! What the engine needs of Linux: the backends that move bytes through its kernel, and the calls around a run.
//!
//! Omitted: what is done with them, which every system shares. `crate::system` is this folder on Linux.

pub(crate) mod affinity;
mod aio;
pub(crate) mod arenas;
pub(crate) mod caches;
pub(crate) mod errors;
mod io_uring;
mod mapping;
mod nvme;
mod priority;
mod region;
mod room;
mod rows;
pub(crate) mod source;
pub(crate) mod space;
pub(crate) mod state;
mod sync;
pub(crate) mod usage;

use aio::Aio;
use io_uring::IoUring;
pub(crate) use mapping::Mapping;
use nvme::Nvme;
pub(crate) use priority::{ThreadPriority, number};
pub(crate) use region::Region;
pub(crate) use room::room;
pub(crate) use rows::BACKENDS;
use sync::{Sync, read_without_waiting};
