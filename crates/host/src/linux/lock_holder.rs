//! Which process has the lock of a file, as the kernel lists it.
//!
//! Source: proc_locks(5). Omitted: processes that this one may not see, and file systems whose files have another device
//! number in the list than stat(2) returns.

use super::block::split;
use crate::root::Root;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Returns the process that has a lock (flock(2)) on a file, with its command line: `process 71: fathom survey f`.
pub fn lock_holder(root: &Root, path: &Path) -> Option<String> {
    let file = fs::metadata(path).ok()?;
    let (major, minor) = split(file.dev());
    let place = format!("{major:02x}:{minor:02x}:{}", file.ino());
    let locks = root.text("proc/locks")?;
    let mut holders = locks.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // One that waits has an arrow in the place of its kind.
        match fields[..] {
            [_, "FLOCK", _, _, process, at, ..] if at == place => process.parse::<u32>().ok(),
            _ => None,
        }
    });
    let process = holders.next()?;
    let words = root.text(format!("proc/{process}/cmdline"))?;
    let words: Vec<&str> = words.split('\0').filter(|word| !word.is_empty()).collect();
    Some(format!("process {process}: {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_a_lock_has_its_command_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, "x").unwrap();
        let file = fs::metadata(&path).unwrap();
        let (major, minor) = split(file.dev());
        let at = format!("{major:02x}:{minor:02x}:{}", file.ino());
        let locks = format!(
            "1: FLOCK  ADVISORY  WRITE 12 {major:02x}:{minor:02x}:1 0 EOF\n\
             2: FLOCK  ADVISORY  READ 71 {at} 0 EOF\n2: -> FLOCK  ADVISORY  WRITE 72 {at} 0 EOF\n"
        );
        let root = Root::at(folder.path().to_owned());
        assert_eq!(lock_holder(&root, &path), None);
        fs::create_dir_all(folder.path().join("proc/71")).unwrap();
        fs::write(folder.path().join("proc/locks"), locks).unwrap();
        fs::write(folder.path().join("proc/71/cmdline"), "fathom\0survey\0f\0").unwrap();
        let holder = lock_holder(&root, &path);
        assert_eq!(holder.as_deref(), Some("process 71: fathom survey f"));
    }
}
