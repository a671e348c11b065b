//! What the engine needs of Linux: the backends that move bytes through its kernel, and the calls around a run.
//!
//! Omitted: what is done with them, which every system shares. `crate::system` is this folder on Linux.

mod aio;
pub(crate) mod arenas;
pub(crate) mod caches;
mod io_uring;
mod mapping;
mod nvme;
mod priority;
mod sync;

pub(crate) use aio::Aio;
pub(crate) use io_uring::IoUring;
pub(crate) use mapping::Mapping;
pub(crate) use nvme::Nvme;
pub(crate) use priority::{ThreadPriority, number};
pub(crate) use sync::{Sync, read_without_waiting};
