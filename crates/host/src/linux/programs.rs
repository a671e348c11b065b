//! What other programs did during a run: their processor time, and what they read from and wrote to devices.
//!
//! All processes are read before the first I/O and after the last, so nothing of it is on the path of an I/O. Threads of the kernel
//! are omitted, because they work for others: for fathom, too. A process that ended before the second reading is not seen.
//! Sources: proc_pid_stat(5), proc_pid_io(5). Deliberately absent: what follows from it (`analysis`).

use super::activity::{ProcessStat, bytes_moved, processes};
use super::sys;
use crate::root::Root;
use model::record::OtherProgram;
use model::{Bytes, Nanos};
use std::collections::BTreeMap;

/// Programs that are kept of those with the most processor time, and of those with the most bytes.
const KEPT: usize = 16;
/// Less processor time, and fewer bytes, are not worth a line.
const CPU_MIN: Nanos = Nanos::millis(50);
const BYTES_MIN: u64 = 1 << 20;
/// The flag of a thread of the kernel. // include/linux/sched.h, PF_KTHREAD
const KERNEL_THREAD: u64 = 0x0020_0000;

/// All processes as they were at one moment.
#[derive(Debug, Default)]
pub struct ProgramReader {
    before: BTreeMap<(u32, u64), OtherProgram>, // by number and start
}

impl ProgramReader {
    /// Reads all processes. Nothing is kept where the root is no live machine.
    pub fn open(root: &Root) -> Self {
        ProgramReader { before: read(root) }
    }

    /// Returns the programs other than this process that have used the most since then; none where none were read.
    pub fn used(self, root: &Root) -> Vec<OtherProgram> {
        if self.before.is_empty() {
            return Vec::new();
        }
        let since = |(key, now): ((u32, u64), OtherProgram)| {
            let before = self.before.get(&key);
            let less = |now: Bytes, of: fn(&OtherProgram) -> Bytes| {
                Bytes(now.0.saturating_sub(before.map_or(0, |one| of(one).0)))
            };
            OtherProgram {
                cpu: now.cpu.minus(before.map_or(Nanos(0), |one| one.cpu)),
                read: less(now.read, |one| one.read),
                written: less(now.written, |one| one.written),
                ..now
            }
        };
        let own = std::process::id();
        let mut all: Vec<OtherProgram> = read(root).into_iter().map(since).collect();
        all.retain(|one| one.process != own);
        let moved = |one: &OtherProgram| one.read.0.saturating_add(one.written.0);
        all.sort_by_key(|one| std::cmp::Reverse(moved(one)));
        let by_bytes = all.iter().take(KEPT).filter(|one| moved(one) >= BYTES_MIN);
        let mut kept: Vec<OtherProgram> = by_bytes.cloned().collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.cpu));
        let by_time = all.into_iter().take(KEPT).filter(|one| one.cpu >= CPU_MIN);
        let known: Vec<u32> = kept.iter().map(|one| one.process).collect();
        kept.extend(by_time.filter(|one| !known.contains(&one.process)));
        kept
    }
}

fn read(root: &Root) -> BTreeMap<(u32, u64), OtherProgram> {
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
