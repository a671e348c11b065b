//! The engine as a whole: exact accounts on a fake clock, every backend against one list of expectations, and
//! the hot loop's promise not to allocate.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and a skip prints the reason"
)]

mod accounts;
mod block_layer;
mod contract;
mod file_at;
mod filling;
mod jobs;
mod kernel_workers;
mod linux_engines;
mod mapped;
mod mixed;
mod no_allocation;
mod open_loop;
mod pools;
mod power_cut;
mod replay;
mod same_bytes;
mod simulated;
mod simulated_data;
mod verification;
mod verified_alone;

#[global_allocator]
static ALLOCATOR: no_allocation::Counting = no_allocation::Counting;
