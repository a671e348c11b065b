//! Any bytes as a trace, the first of which chooses the format.

#![no_main]

use std::path::Path;
use std::sync::OnceLock;

#[path = "../trace_laws.rs"]
#[allow(dead_code, reason = "each target is one of the laws")]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static PATH: OnceLock<String> = OnceLock::new();
    let path = PATH.get_or_init(|| format!("/dev/shm/trace_records.{}", std::process::id()));
    if let [format, rest @ ..] = bytes
        && std::fs::write(path, rest).is_ok()
    {
        let format = format.checked_sub(b'A').map(usize::from);
        laws::records(Path::new(path), format);
    }
});
