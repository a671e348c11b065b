//! What the engine needs of Windows: its backends, and the calls around a run. Omitted: what is done with them, which every
//! system shares. `crate::system` is this folder on Windows.

pub(crate) mod affinity;
pub(crate) mod arenas;
pub(crate) mod caches;
pub(crate) mod errors;
mod iocp;
mod mapping;
mod priority;
mod region;
mod room;
mod rows;
pub(crate) mod source;
pub(crate) mod space;
pub(crate) mod state;
mod sync;
mod transfer;
pub(crate) mod usage;

use iocp::Iocp;
pub(crate) use mapping::Mapping;
pub(crate) use priority::{ThreadPriority, number};
pub(crate) use region::Region;
pub(crate) use room::room;
pub(crate) use rows::BACKENDS;
use sync::Sync;
