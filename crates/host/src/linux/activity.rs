//! What the machine does now: programs that want a core, paging, and what each process reads and writes.
//!
//! Sources: proc_stat(5), proc_vmstat(5), proc_pid_io(5), proc_pid_comm(5). Of others' processes only root may know what
//! they read and write; those are omitted and counted. Deliberately absent: rates, which are differences.

use crate::reported::{Activity, ProcessIo};
use crate::root::Root;
use model::Bytes;
use std::fs;

/// A page of `/proc/vmstat`'s `pgpgin` and `pgpgout` is a KiB, independent of the memory's page size.
const PAGED_BYTES: u64 = 1024;

/// As of now.
pub fn activity(root: &Root) -> Activity {
    let stat = root.text("proc/stat").unwrap_or_default();
    let vmstat = root.text("proc/vmstat").unwrap_or_default();
    Activity {
        runnable: named(&stat, "procs_running"),
        blocked: named(&stat, "procs_blocked"),
        paged_in: named(&vmstat, "pgpgin").map(|pages| Bytes(pages.saturating_mul(PAGED_BYTES))),
        paged_out: named(&vmstat, "pgpgout").map(|pages| Bytes(pages.saturating_mul(PAGED_BYTES))),
    }
}

/// Every process that may be asked, with how many may not. Kernel threads and those that have moved nothing are omitted.
pub fn process_ios(root: &Root) -> (Vec<ProcessIo>, usize) {
    let (mut found, mut refused) = (Vec::new(), 0);
    for process in processes(root) {
        match bytes_moved(root, process) {
            Ok(Some((Bytes(0), Bytes(0))) | None) => {}
            Ok(Some((read_bytes, write_bytes))) => {
                let stat = ProcessStat::read(root, process);
                found.push(ProcessIo {
                    process,
                    parent: stat.as_ref().map_or(0, ProcessStat::parent),
                    name: stat.map(|stat| stat.name).unwrap_or_default(),
                    read_bytes,
                    write_bytes,
                });
            }
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => refused += 1,
            Err(_) => {} // it has ended
        }
    }
    (found, refused)
}

/// Returns the number of the process that waits for the end of this one; none if it is gone.
pub fn parent_of(root: &Root, process: u32) -> Option<u32> {
    ProcessStat::read(root, process).map(|stat| stat.parent())
}

/// The numbers of all processes.
pub(super) fn processes(root: &Root) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(root.path("proc")).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Reads what a process has read from and written to devices; none where its counts have another form. Source: proc_pid_io(5).
pub(super) fn bytes_moved(root: &Root, process: u32) -> std::io::Result<Option<(Bytes, Bytes)>> {
    let text = fs::read_to_string(root.path(format!("proc/{process}/io")))?;
    let bytes = |name: &str| named(&text, name).map(Bytes);
    Ok(bytes("read_bytes:").zip(bytes("write_bytes:")))
}

/// What the kernel reports of a process in one line. The name stands in parentheses and may contain any character. Source:
/// proc_pid_stat(5).
pub(super) struct ProcessStat {
    pub(super) name: String,
    behind: String,
}

impl ProcessStat {
    /// Returns none if the process is gone.
    pub(super) fn read(root: &Root, process: u32) -> Option<Self> {
        let text = root.text(format!("proc/{process}/stat"))?;
        let (before, behind) = text.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        Some(ProcessStat {
            name: name.to_owned(),
            behind: behind.to_owned(),
        })
    }

    /// Returns a field by its number in the manual page. // 4 or more
    pub(super) fn number(&self, field: usize) -> Option<u64> {
        let mut fields = self.behind.split_ascii_whitespace(); // from the third on
        fields.nth(field - 3)?.parse().ok()
    }

    fn parent(&self) -> u32 {
        let parent = self.number(4).and_then(|parent| parent.try_into().ok());
        parent.unwrap_or(0)
    }
}

/// The number behind a name at the start of a line.
pub(super) fn named(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.strip_prefix(' ')?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_vmstat_shows_is_read_from_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        let process = folder.path().join("proc/42");
        fs::create_dir_all(&process).unwrap();
        let proc = folder.path().join("proc");
        fs::write(
            proc.join("stat"),
            "cpu 1 2\nprocs_running 3\nprocs_blocked 1\n",
        )
        .unwrap();
        fs::write(proc.join("vmstat"), "pgpgin 5\npgpgout 7\n").unwrap();
        fs::write(
            process.join("io"),
            "rchar: 9\nread_bytes: 4096\nwrite_bytes: 0\n",
        )
        .unwrap();
        fs::write(process.join("stat"), "42 (cp) (x) S 7 42 42 0 -1\n").unwrap();
        let root = Root::at(folder.path().to_owned());
        let expected = Activity {
            runnable: Some(3),
            blocked: Some(1),
            paged_in: Some(Bytes(5 << 10)),
            paged_out: Some(Bytes(7 << 10)),
        };
        assert_eq!(activity(&root), expected);
        let (processes, refused) = process_ios(&root);
        assert_eq!((processes.len(), refused), (1, 0));
        assert_eq!(
            (processes[0].name.as_str(), processes[0].read_bytes),
            ("cp) (x", Bytes(4096))
        );
        assert_eq!((processes[0].parent, parent_of(&root, 42)), (7, Some(7)));
        assert_eq!(parent_of(&root, 43), None);
        assert_eq!(
            activity(&Root::at(folder.path().join("none"))),
            Activity::default()
        );
    }
}
