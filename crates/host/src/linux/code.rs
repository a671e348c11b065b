//! Pages of this program that are in its memory although nothing uses them any more: reading the arguments and looking at
//! the machine go through most of the program once, measuring needs little of it. Given back after each of these, they
//! leave that memory to what is measured; what is used again is found in the page cache.
//!
//! A mapping counts as the program's where it has a file behind it and no page of its own: then nothing in it was ever
//! written, by a loader, a debugger or a probe, and all of it can come back from the file. Left out: everything else.

use super::sys;
use std::fs::read_to_string;
use std::ops::Range;

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
    for mapping in unwritten(&read_to_string("/proc/self/smaps").unwrap_or_default()) {
        sys::give_back(&mapping);
    }
}

/// The addresses of private mappings of files that may not be written and have no page of their own.
fn unwritten(smaps: &str) -> Vec<Unwritten> {
    let mut found = Vec::new();
    let mut candidate = None;
    for line in smaps.lines() {
        match line.strip_prefix("Anonymous:") {
            Some(rest) if rest.split_whitespace().next() == Some("0") => {
                found.extend(candidate.take());
            }
            Some(_) => candidate = None,
            None => candidate = head(line).unwrap_or(candidate),
        }
    }
    found
}

/// What the first line of a mapping says: `Some(None)` of one that is not a file's or may be written. No other line has
/// such a first word.
fn head(line: &str) -> Option<Option<Unwritten>> {
    let mut words = line.split_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let address = |word| usize::from_str_radix(word, 16).ok();
    let range = address(from)?..address(to)?;
    let rights = words.next()?;
    let of_a_file = words.nth(2)? != "0"; // its inode
    let read_only = matches!(rights, "r--p" | "r-xp");
    Some((of_a_file && read_only).then_some(Unwritten(range)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
55d000000000-55d000100000 r--p 00000000 fe:00 99 /usr/bin/fathom\nRss: 1000 kB\nAnonymous:             0 kB\n\
55d000100000-55d000900000 r-xp 00100000 fe:00 99 /usr/bin/fathom\nRss: 6000 kB\nAnonymous:             0 kB\n\
55d000900000-55d000930000 r--p 00900000 fe:00 99 /usr/bin/fathom\nRss: 192 kB\nAnonymous:           192 kB\n\
55d000930000-55d000940000 rw-p 00930000 fe:00 99 /usr/bin/fathom\nRss: 0 kB\nAnonymous:             0 kB\n\
55d001000000-55d001100000 rw-p 00000000 00:00 0 [heap]\nRss: 900 kB\nAnonymous:           900 kB\n\
7f0000000000-7f0000100000 r-xp 00000000 fe:00 7 /lib/libprobed.so\nRss: 64 kB\nAnonymous:             4 kB\n\
7f0000200000-7f0000300000 r--s 00000000 fe:00 8 /var/lib/shared\nRss: 64 kB\nAnonymous:             0 kB\n\
7f0000400000-7f0000500000 r--p 00000000 00:00 0 \nRss: 64 kB\nAnonymous:             0 kB\n\
7f0000600000-7f0000601000 r-xp 00000000 00:00 0 [vdso]\nRss: 4 kB\nAnonymous:             0 kB\n";

    #[test]
    fn what_was_ever_written_is_kept() {
        let kept = [
            0x55d0_0000_0000..0x55d0_0010_0000,
            0x55d0_0010_0000..0x55d0_0090_0000,
        ];
        assert_eq!(unwritten(SMAPS), kept.map(Unwritten));
    }

    #[test]
    fn a_list_cut_short_names_nothing_more() {
        let whole = SMAPS.len();
        for end in 0..whole {
            let known = unwritten(SMAPS);
            for range in unwritten(&SMAPS[..end]) {
                assert!(known.contains(&range), "{end}");
            }
        }
    }

    #[test]
    fn the_program_goes_on() {
        give_back_code();
        assert_eq!(unwritten(SMAPS).len(), 2);
    }
}
