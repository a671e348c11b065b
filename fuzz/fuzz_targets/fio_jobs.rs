//! Any text as a job file of fio's.

#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target is one of the laws")]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::fio_jobs(text));
