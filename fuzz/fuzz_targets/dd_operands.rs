//! Any text as operands of dd.

#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target is one of the laws")]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::dd_operands(text));
