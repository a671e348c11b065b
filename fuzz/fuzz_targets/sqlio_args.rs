//! Any arguments of SQLIO, one a line.

#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target is one of the laws")]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::sqlio_args(text));
