//! The limit on the length of files. Windows sets none for a process.

/// Returns none.
pub fn file_length_limit() -> Option<u64> {
    None
}
