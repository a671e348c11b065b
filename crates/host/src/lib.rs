//! The machine: facts before a run, counters around it, and who claims a target.
//!
//! Nothing here fails: what the system does not report is `None`, empty or `Unknown`, never a guess, and
//! `model::check` decides what that forbids. Everything in `/proc`, `/sys` and `/etc` is read below a
//! [`Root`], so that the saved trees of other machines are test fixtures. Nothing is ever written, but for a trace of
//! our own where a caller requests one ([`BlockTrace`], [`IoTrace`]), which goes away with it.
//! Deliberately absent: what the facts mean (`analysis`), what may be written (`model::check`), and
//! clocks, which are arguments; only the time limit of the scan of a target and the times of the system's events are read here.

mod content;
mod firmware;
mod look;
mod patience;
mod press;
mod programs;
mod reported;
mod root;
mod signature;
mod target;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

pub use programs::ProgramReader;
pub use reported::{
    Activity, Allowance, ClosedFile, DeviceListing, EndedProgram, LimitedIo, ObservedEvents,
    ProcessIo, ProcessWait, StartError, TakeOutput, Timed,
};
pub use root::Root;
pub use system::{
    BlockTrace, CounterReader, Event, FileState, IoTrace, ObservedPlace, ProcessTree,
    SystemObserver, activity, allowance, block_of_generic, boot_id, chain_devices, descendants,
    device_chain, device_health, device_number, devices, file_identity, file_state, group_folder,
    group_of, group_pressure, hangup_is_ignored, has_poll_queues, host_record, identity_at,
    is_writable_by_others, keeps_time_by_counter, kernel_workers, limited_io, lock_holder,
    may_be_one_file, memory_room, monotonic, open_places, output_was_closed, parent_of, place_of,
    pressure, process_ios, process_wait, processes_of_group, program_io, remote_mounts,
    run_program, set_event, stack_limit, stream_into, stream_to, thread_delay, time_source,
    uptime_ms, wait_for_keys, waiting_for_servers, waiting_fuse_requests, watch_for_silence,
    whole_devices,
};
pub use target::{
    content_of_whole, content_of_whole_at_best, pinned_facts, target_facts, target_facts_again,
};
