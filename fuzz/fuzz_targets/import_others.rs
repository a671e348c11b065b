//! Any bytes as a file to import, from the seeds of one format.

#![no_main]

#[path = "../import_law.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| law::import(bytes));
