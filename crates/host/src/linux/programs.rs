//! All processes: their processor time, and what they read from and wrote to devices.
//!
//! Threads of the kernel are omitted, because they work for others: for fathom, too. Sources: proc_pid_stat(5), proc_pid_io(5).

use super::activity::{ProcessStat, bytes_moved, processes};
use super::sys;
use crate::root::Root;
use model::Nanos;
use model::record::OtherProgram;
use std::collections::BTreeMap;

/// The flag of a thread of the kernel. // include/linux/sched.h, PF_KTHREAD
const KERNEL_THREAD: u64 = 0x0020_0000;

/// Returns all programs by number and start.
pub(crate) fn programs(root: &Root) -> BTreeMap<(u32, u64), OtherProgram> {
    let tick = 1_000_000_000 / sys::ticks_per_second();
    let programs = processes(root).filter_map(|process| program(root, process, tick));
    programs.collect()
}

/// A process with its key: its number and its start. None for a thread of the kernel, and where it is gone.
fn program(root: &Root, process: u32, tick: u64) -> Option<((u32, u64), OtherProgram)> {
    let stat = ProcessStat::read(root, process)?;
    if stat.number(9)? & KERNEL_THREAD != 0 {
        return None;
    }
    let ticks = stat.number(14)?.saturating_add(stat.number(15)?);
    let started = stat.number(22)?;
    // Of a process of another user only the processor time may be asked.
    let moved = bytes_moved(root, process).ok().flatten();
    let (read, written) = moved.unwrap_or_default();
    let program = OtherProgram {
        process,
        name: stat.name,
        cpu: Nanos(ticks.saturating_mul(tick)),
        read,
        written,
    };
    Some(((process, started), program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::ProgramReader;
    use std::fs;

    fn process(root: &std::path::Path, number: u32, name: &str, [flags, ticks, io]: [u64; 3]) {
        let folder = root.join(format!("proc/{number}"));
        fs::create_dir_all(&folder).unwrap();
        let stat =
            format!("{number} ({name}) R 1 1 1 0 -1 {flags} 0 0 0 0 {ticks} 0 0 0 20 0 1 0 77 0 0");
        fs::write(folder.join("stat"), stat).unwrap();
        let text = format!("rchar: 1\nread_bytes: 0\nwrite_bytes: {io}\n");
        fs::write(folder.join("io"), text).unwrap();
        fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
    }

    #[test]
    fn programs_are_kept_by_what_they_used_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path().to_owned());
        for (number, name, flags, used) in [
            (40, "dd", 0, 5),
            (41, "a) b", 0, 9),
            (42, "kworker", KERNEL_THREAD, 0),
            (43, "idle", 0, 1000),
        ] {
            process(folder.path(), number, name, [flags, used, used << 20]);
        }
        let reader = ProgramReader::open(&root);
        process(folder.path(), 40, "dd", [0, 5, 905 << 20]);
        process(folder.path(), 41, "a) b", [0, 409, 9 << 20]);
        process(folder.path(), 42, "kworker", [KERNEL_THREAD, 500, 0]);
        process(folder.path(), 44, "new", [0, 100, 0]);
        let found = reader.used(&root);
        let tick = 1_000_000_000 / sys::ticks_per_second();
        let seen: Vec<(&str, u64, u64)> = found
            .iter()
            .map(|one| (one.name.as_str(), one.cpu.0 / tick, one.written.0 >> 20))
            .collect();
        assert_eq!(seen, [("dd", 0, 900), ("a) b", 400, 0), ("new", 100, 0)]);
    }
}
