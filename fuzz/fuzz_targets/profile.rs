//! Any text as a profile of a learned workload.

#![no_main]

#[path = "../trace_laws.rs"]
#[allow(dead_code, reason = "each target is one of the laws")]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::profile(text));
