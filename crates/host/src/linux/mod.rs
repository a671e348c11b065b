//! Linux: facts from `/proc`, `/sys` and a handful of system calls.
//!
//! Reading order: `machine` (the host), `target` (one target, whole), then what it is put together
//! from: `block` (one device), `mounts`, `chain` (what stands on what), `claims` (who uses it), `direct`
//! (unbuffered I/O) and `look` (reading it). `devices` lists, `counters` counts, `events` are named
//! events between processes, `sys` holds the `unsafe`.

mod block;
mod chain;
mod claims;
mod counters;
mod devices;
mod direct;
mod events;
mod kernel;
mod look;
mod machine;
mod mounts;
mod namespace;
mod sys;
mod target;

pub use block::has_poll_queues;
pub use chain::{chain_devices, device_chain};
pub use counters::CounterReader;
pub use devices::{DeviceListing, devices};
pub use events::{Event, set_event};
pub use kernel::{
    KernelWorkers, hangup_is_ignored, keeps_time_by_counter, kernel_workers, uptime_ms,
};
pub use machine::host_record;
pub use target::{FileState, file_identity, file_state, target_facts, target_facts_again};
