//! The limit on the length of files.

/// Returns the limit on the length of files in bytes, where one is set. Source: getrlimit(2), `RLIMIT_FSIZE`.
pub fn file_length_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current
}
