//! The machine, read from saved trees of others and from the one that we run on. One binary.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers stumble with their test, and a skip prints its reason"
)]

mod guards;
mod live;
mod marks;
mod nobody;
mod saved;
mod tools;
