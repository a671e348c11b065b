//! Which process has a device open for writing, as the descriptors of all processes show it.
//!
//! Of files the kernel answers (`gate`, `lease`). Source: proc_pid_fd(5), proc_pid_fdinfo(5). Omitted: who has a device open
//! exclusively, which an exclusive open shows, and what follows (`claims`).

use super::sys::device_of;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const O_ACCMODE: u64 = 0o3;
const O_PATH: u64 = 0o10_000_000;

/// Returns another process that has a block device open for writing, if this user may see one.
pub(super) fn writer_of_device(device: &Metadata) -> Option<u32> {
    let all = fs::read_dir("/proc").ok()?;
    let mut others = all.flatten().filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse::<u32>().ok();
        number.filter(|&number| number != std::process::id())
    });
    others.find(|number| {
        let process = Path::new("/proc").join(number.to_string());
        let descriptors = fs::read_dir(process.join("fd")).into_iter().flatten();
        descriptors.flatten().any(|descriptor| {
            let way = descriptor.path();
            fs::read_link(&way).is_ok_and(|name| name.starts_with("/dev"))
                && device_of(&way) == Some(device.rdev())
                && writes(&process.join("fdinfo").join(descriptor.file_name()))
        })
    })
}

/// Whether a descriptor was opened for writing.
fn writes(info: &Path) -> bool {
    let text = fs::read_to_string(info).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & O_PATH == 0 && flags & O_ACCMODE != 0)
}
