//! Pages of this program that are in its memory although nothing uses them any more: reading the arguments and looking at
//! the machine go through most of the program once, measuring needs little of it. Given back after each of these, they
//! leave that memory to what is measured; what is used again is found in the page cache.
//!
//! Taken are private mappings that may not be written, of the executable, and of its libraries where they may be executed.
//! The loader made them, and they stay as long as the process lives. And only those without a page of their own, in memory
//! or in swap: then nothing in them was ever written, by the loader, a debugger or a probe, and all of it can come back from
//! the file. Left out: everything else; and a root for saved machines, because this is about the process that runs.

use super::sys;
use std::fs::{read_link, read_to_string};
use std::ops::Range;

/// What smaps counts of pages that are not the file's, in its order: `Swap` is the last. Source: proc_pid_smaps(5);
/// the kernel's fs/proc/task_mmu.c, where a page that is in swap counts there alone.
const OWN: [&str; 4] = ["Anonymous:", "Shared_Hugetlb:", "Private_Hugetlb:", "Swap:"];

/// A mapping in which no byte that anybody can see is anywhere but in its file. Made by [`unwritten`] alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unwritten(Range<usize>);

impl Unwritten {
    /// From the first address to the one behind the last.
    pub(super) fn addresses(&self) -> &Range<usize> {
        &self.0
    }
}

/// Gives them back. Takes a fraction of a millisecond, and so does finding again what is used. Where the system does not
/// tell what is mapped, nothing is given back. Source: proc_pid_smaps(5), madvise(2).
pub fn give_back_code() {
    let Ok(executable) = read_link("/proc/self/exe") else {
        return;
    };
    let smaps = read_to_string("/proc/self/smaps").unwrap_or_default();
    for mapping in unwritten(&smaps, &executable.to_string_lossy()) {
        sys::give_back(&mapping);
    }
}

/// The mappings that may be given back. One that is not told to its end is none.
fn unwritten(smaps: &str, executable: &str) -> Vec<Unwritten> {
    let mut found = Vec::new();
    let mut candidate = None;
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some(field) if OWN.contains(&field) => {
                if words.next() != Some("0") {
                    candidate = None;
                }
                if field == OWN[OWN.len() - 1] {
                    found.extend(candidate.take());
                }
            }
            _ => candidate = head(line, executable).unwrap_or(candidate),
        }
    }
    found
}

/// What the first line of a mapping says: `Some(None)` of one that is not to be taken. No other line has such a first word.
fn head(line: &str, executable: &str) -> Option<Option<Unwritten>> {
    let mut words = line.split_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let address = |word| usize::from_str_radix(word, 16).ok();
    let range = address(from)?..address(to)?;
    let rights = words.next()?;
    let of_a_file = words.nth(2)? != "0"; // its inode
    let taken = match rights {
        "r-xp" => of_a_file,
        "r--p" => of_a_file && line.ends_with(&format!(" {executable}")),
        _ => false,
    };
    Some(taken.then_some(Unwritten(range)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/opt/my tools/fathom";

    /// A mapping as smaps tells it, as far as we read.
    fn mapping(head: &str, anonymous: u32, swap: u32) -> String {
        format!(
            "{head}\nSize: 1024 kB\nRss: 64 kB\nAnonymous: {anonymous} kB\nAnonHugePages: 0 kB\nShared_Hugetlb: 0 kB\n\
             Private_Hugetlb: 0 kB\nSwap: {swap} kB\nSwapPss: 0 kB\nVmFlags: rd mr mw me\n"
        )
    }

    fn smaps() -> String {
        [
            mapping(
                "1000-2000 r--p 00000000 fe:00 99 /opt/my tools/fathom",
                0,
                0,
            ),
            mapping(
                "2000-9000 r-xp 00100000 fe:00 99 /opt/my tools/fathom",
                0,
                0,
            ),
            mapping(
                "9000-a000 r--p 00900000 fe:00 99 /opt/my tools/fathom",
                192,
                0,
            ), // relocated
            mapping(
                "a000-b000 r--p 00910000 fe:00 99 /opt/my tools/fathom",
                0,
                192,
            ), // and gone to swap
            mapping(
                "b000-c000 rw-p 00930000 fe:00 99 /opt/my tools/fathom",
                0,
                0,
            ),
            mapping("d000-e000 rw-p 00000000 00:00 0 [heap]", 900, 0),
            mapping("f000-f100 r-xp 00000000 fe:00 7 /lib/probed.so", 4, 0),
            mapping("f100-f200 r-xp 00000000 fe:00 8 /lib/libc.so.6", 0, 0),
            mapping("f200-f300 r--p 00100000 fe:00 8 /lib/libc.so.6", 0, 0),
            mapping("f300-f400 r--s 00000000 fe:00 9 /opt/my tools/fathom", 0, 0),
            mapping("f400-f500 r--p 00000000 00:00 0 ", 0, 0),
            mapping("f600-f700 r-xp 00000000 00:00 0 [vdso]", 0, 0),
        ]
        .concat()
    }

    #[test]
    fn what_was_ever_written_is_kept() {
        let given_back = [0x1000..0x2000, 0x2000..0x9000, 0xf100..0xf200];
        assert_eq!(unwritten(&smaps(), PROGRAM), given_back.map(Unwritten));
    }

    #[test]
    fn a_mapping_that_is_not_told_to_its_end_is_kept() {
        let smaps = smaps();
        let known = unwritten(&smaps, PROGRAM);
        for end in 0..smaps.len() {
            for (number, range) in unwritten(&smaps[..end], PROGRAM).iter().enumerate() {
                assert_eq!(range, &known[number], "{end}");
            }
        }
        let first_told = smaps.find("Swap:").unwrap();
        assert_eq!(unwritten(&smaps[..first_told], PROGRAM), []);
    }

    #[test]
    fn code_of_this_process_is_found_and_comes_back() {
        let executable = read_link("/proc/self/exe").unwrap();
        let smaps = read_to_string("/proc/self/smaps").unwrap();
        assert_ne!(unwritten(&smaps, &executable.to_string_lossy()), []);
        give_back_code();
        assert_eq!(
            unwritten(&mapping("1-2 r-xp 0 fe:00 9 /x", 0, 0), "").len(),
            1
        );
    }
}
