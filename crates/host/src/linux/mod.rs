//! Linux: facts from `/proc`, `/sys` and a handful of system calls.
//!
//! Reading order: `machine` (the host, with its `limits`), `target` (one target, whole), then what it is put together
//! from: `block` (one device), `mounts`, `chain` (which uses which), `claims` (who uses it), `file_place` (which file that is), `elsewhere`
//! and `openers` (who uses it unseen), `direct`
//! (unbuffered I/O) `look` (opening a device) and `reads` (reading it), `extents` (where a file lies). `devices` lists, `counters` counts,
//! `activity` reads the load of the machine, `account` what processes requested, `child` runs a program, `waits` is what tasks wait for, `allowance` what this process may have, `trace` times requests, `events`
//! are named events between processes, `system_events` is what the system reports during a run, `paths` are those to one device, `terminal` waits for a person's keys, `sys` and `child` contain the `unsafe`.

mod account;
mod activity;
mod allowance;
mod block;
mod chain;
mod child;
mod claims;
mod closed;
mod counters;
mod devices;
mod direct;
mod elsewhere;
mod events;
mod extents;
mod file_place;
mod health;
mod kernel;
mod limits;
mod lock_holder;
mod look;
mod machine;
mod mounts;
mod namespace;
mod observed;
mod openers;
mod paths;
mod programs;
pub(crate) mod reads;
mod silence;
mod sys;
mod system_events;
mod target;
mod terminal;
mod trace;
pub(crate) mod tree;
mod unmarked;
mod waits;

pub use account::{
    descendants, open_places, place_of, pressure, processes_of_group, program_io, remote_mounts,
    whole_devices,
};
pub use activity::{activity, parent_of, process_ios};
pub use allowance::allowance;
pub use block::{device_number, has_poll_queues};
pub use chain::{chain_devices, device_chain};
pub use child::run_program;
pub use closed::{file_identity, identity_at, is_writable_by_others, stream_into, stream_to};
pub use counters::CounterReader;
pub use devices::{block_of_generic, devices};
pub use events::{Event, set_event};
pub use file_place::may_be_one_file;
pub use health::{device_health, time_source};
pub use kernel::{
    boot_id, hangup_is_ignored, keeps_time_by_counter, kernel_workers, thread_delay, uptime_ms,
};
pub use limits::memory_room;
pub use lock_holder::lock_holder;
pub use machine::host_record;
pub use observed::{ObservedPlace, ProcessTree};
pub(crate) use programs::programs;
pub use silence::{stack_limit, watch_for_silence};
pub use sys::output_was_closed;
pub use system_events::{SystemObserver, monotonic};
pub use target::{FileState, file_state};
pub(crate) use target::{by_pin, denied_to_all};
pub use terminal::wait_for_keys;
pub use trace::{BlockTrace, IoTrace};
pub use waits::{
    group_folder, group_of, group_pressure, limited_io, process_wait, waiting_for_servers,
    waiting_fuse_requests,
};
