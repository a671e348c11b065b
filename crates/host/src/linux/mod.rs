//! Linux: facts from `/proc`, `/sys` and a handful of system calls.
//!
//! Reading order: `machine` (the host, with its `limits`), `target` (one target, whole), then what it is put together
//! from: `block` (one device), `mounts`, `chain` (which uses which), `claims` (who uses it), `file_place` (which file that is), `elsewhere`
//! and `openers` (who uses it unseen), `direct`
//! (unbuffered I/O) and `look` (reading it), `extents` (where a file lies). `devices` lists, `counters` counts,
//! `activity` reads the load of the machine, `allowance` what this process may have, `trace` times requests, `events`
//! are named events between processes, `system_events` is what the system reports during a run, `paths` are those to one device, `terminal` waits for a person's keys, `sys` contains the `unsafe`.

mod activity;
mod allowance;
mod block;
mod chain;
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
mod silence;
mod sys;
mod system_events;
mod target;
mod terminal;
mod trace;
mod unmarked;

pub use activity::{Activity, ProcessIo, activity, parent_of, process_ios};
pub use allowance::{Allowance, allowance};
pub use block::{device_number, has_poll_queues};
pub use chain::{chain_devices, device_chain};
pub use closed::{
    ClosedFile, file_identity, identity_at, is_writable_by_others, stream_into, stream_to,
};
pub use counters::CounterReader;
pub use devices::{DeviceListing, block_of_generic, devices};
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
pub use programs::ProgramReader;
pub use silence::{stack_limit, watch_for_silence};
pub use sys::output_was_closed;
pub use system_events::{SystemObserver, monotonic};
pub use target::{
    FileState, content_of_whole, content_of_whole_at_best, file_state, pinned_facts, target_facts,
    target_facts_again,
};
pub use terminal::wait_for_keys;
pub use trace::{BlockTrace, IoTrace, ObservedEvents, Timed};
pub use unmarked::open_unmarked;
