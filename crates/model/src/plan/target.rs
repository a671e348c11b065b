//! What is measured and how it is opened. What is done to it stands in `workload`.

use super::workload::Workload;
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A file, volume or device, the part of it that is used, and the work it gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Where the bytes are.
    pub location: Location,
    /// First byte of the range that is used.
    pub base: Bytes,
    /// Length of the range; `None` is up to the end of the target.
    pub length: Option<Bytes>,
    /// Make the file at this size first, filled with incompressible data. An existing file that was made
    /// by fathom and is large enough is used as it is.
    pub create: Option<Bytes>,
    /// What stands between the I/O and the device.
    pub cache: CacheMode,
    /// Each write returns only when the data is on stable storage.
    pub write_through: bool,
    /// Threads that do the work on this target, each with its own queue. // in [1, 1024]
    pub threads: u32,
    /// What each of them does.
    pub workload: Workload,
}

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// A file or a device, by name.
    Path(PathBuf),
    /// Nowhere: the null backend's imaginary device.
    Null(NullBehaviour),
}

impl Location {
    /// The name, where there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Location::Path(path) => Some(path),
            Location::Null(_) => None,
        }
    }
}

/// How the imaginary device of the null backend behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NullBehaviour {
    /// How large it says it is.
    pub size: Bytes,
    /// From submission to completion of each I/O; all in flight wait side by side.
    pub delay: Nanos,
    /// Every so many I/Os of a thread, one fails with EIO; 0 for never.
    pub error_every: u64,
}

/// What stands between the I/O and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// Past the operating system's cache (O_DIRECT; FILE_FLAG_NO_BUFFERING).
    #[default]
    Unbuffered,
    /// Through the operating system's cache.
    Cached,
}
