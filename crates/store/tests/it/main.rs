//! The results database as its users meet it: files good and bad, round trips, two at once, and old files.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers stumble with their test, and a skip prints its reason"
)]

mod damage;
mod database;
mod files;
mod fixture;
mod hostile;
mod killed;
#[cfg(target_os = "linux")]
#[path = "../../../host/tests/it/nobody.rs"]
mod nobody;
mod programs;
mod records;
mod sessions;
mod steps;
