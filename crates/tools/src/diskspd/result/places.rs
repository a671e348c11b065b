//! Where random I/Os fell: the effective distributions of the text.

use crate::diskspd::figures::Layout;
use crate::diskspd::{RangeLine, range_line};
use model::{Effective, EffectiveRange};
use std::io::{self, Write};

/// The section with the blank line before it; nothing where all places were equally likely.
pub(super) fn write(layouts: &[Layout], out: &mut dyn Write) -> io::Result<()> {
    if layouts.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nEffective IO Distributions\n--------------------------"
    )?;
    for layout in layouts {
        for (path, threads) in &layout.targets {
            writeln!(out, "target: {path} [thread: {}]", thread_list(threads))?;
        }
        for range in &layout.ranges.ranges {
            writeln!(out, "{}", reported(range, &layout.ranges))?;
        }
    }
    Ok(())
}

/// In tenths of a percent where a small target cut the list short.
fn reported(range: &EffectiveRange, of: &Effective) -> String {
    let to = Some(range.to);
    range_line(&RangeLine {
        io: range.io,
        io_of: of.span,
        from: range.from,
        to,
    })
}

/// `0 - 2 4`: three or more in a row become their ends.
fn thread_list(threads: &[u32]) -> String {
    let mut words: Vec<String> = Vec::new();
    for run in threads.chunk_by(|a, b| a + 1 == *b) {
        match run {
            [first, _, .., last] => words.push(format!("{first} - {last}")),
            few => words.extend(few.iter().map(u32::to_string)),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effective(ranges: &[(u32, u64, u64)]) -> Effective {
        let mut span = 0;
        let range = |&(io, from, to): &(u32, u64, u64)| {
            span += io;
            EffectiveRange {
                io_from: span - io,
                io,
                from,
                to,
            }
        };
        let ranges = ranges.iter().map(range).collect();
        Effective { ranges, span }
    }

    fn lines(of: &Effective) -> Vec<String> {
        of.ranges.iter().map(|range| reported(range, of)).collect()
    }

    /// Case T052, its first two lines; cases T053 and T054.
    #[test]
    fn ranges_and_threads_are_reported_as_the_original_tells_them() {
        let gib = 1 << 30;
        let whole = effective(&[(10, 0, gib), (10, gib, 2 * gib), (80, 102 * gib, 200 * gib)]);
        assert_eq!(
            lines(&whole),
            [
                "    10% of IO => [     0    -      1GiB)",
                "    10% of IO => [     1GiB -      2GiB)",
                "    80% of IO => [   102GiB -    200GiB)",
            ]
        );
        let kib = 1 << 10;
        let cut = effective(&[
            (10, 0, 50 * kib),
            (20, 50 * kib, 60 * kib),
            (30, 60 * kib, 100 * kib),
        ]);
        assert_eq!(lines(&cut)[0], "    16.7% of IO => [     0    -     50KiB)");
        assert!(lines(&cut)[2].starts_with("    50.0% of IO => ["));
        let layout = Layout {
            ranges: cut,
            targets: vec![
                ("a".to_owned(), vec![0, 1, 2, 4]),
                ("b".to_owned(), vec![3]),
            ],
        };
        let mut page = Vec::new();
        write(&[layout], &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("\ntarget: a [thread: 0 - 2 4]\ntarget: b [thread: 3]\n    16.7%"));
        assert_eq!(thread_list(&[0, 1]), "0 1");
    }
}
