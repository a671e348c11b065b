//! Windows: facts from a handful of system calls, and from what devices and file systems answer.
//!
//! Reading order: `machine` (the host, with its `limits`), `target` (one target, whole), then what it is put together
//! from: `volumes` and `disks`, `claims` (who uses them), `reads` (reading a file without more). `counters` counts, `activity`
//! reads the load of the machine, `events` are named events, `absent` is what Windows has no counterpart for. Only `ask`, `calls`,
//! `process_calls` and `volume_calls` contain `unsafe`.

mod absent;
mod activity;
mod ask;
mod calls;
mod claims;
mod closed;
mod counters;
mod disks;
mod events;
mod health;
mod limits;
mod machine;
mod process_calls;
pub(crate) mod reads;
mod target;
mod terminal;
#[cfg(test)]
mod tests;
mod volume_calls;
mod volumes;
mod wide;

pub use absent::{
    BlockTrace, FileState, IoTrace, ObservedPlace, ProcessTree, SystemObserver, block_of_generic,
    boot_id, descendants, file_state, group_folder, group_of, group_pressure, hangup_is_ignored,
    has_poll_queues, keeps_time_by_counter, kernel_workers, limited_io, lock_holder,
    may_be_one_file, open_places, place_of, pressure, process_ios, process_wait,
    processes_of_group, program_io, remote_mounts, run_program, stack_limit, thread_delay,
    time_source, waiting_for_servers, waiting_fuse_requests, watch_for_silence, whole_devices,
};
pub(crate) use activity::programs;
pub use activity::{activity, allowance, parent_of};
pub use calls::{monotonic, output_was_closed, uptime_ms};
pub use closed::{file_identity, identity_at, is_writable_by_others, stream_into, stream_to};
pub use counters::CounterReader;
pub use disks::{chain_devices, device_chain, device_number, devices};
pub use events::{Event, set_event};
pub use health::device_health;
pub use limits::memory_room;
pub use machine::host_record;
pub(crate) use target::{by_pin, denied_to_all};
pub use terminal::wait_for_keys;
