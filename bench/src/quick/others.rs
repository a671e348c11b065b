//! hdparm and dd, run for the figures of `fathom quick`, with their output parsed.
//!
//! hdparm waits three seconds before it reads, and empties the device's cache before only where `-T` is asked for as well;
//! a device without users has an empty one. Source: its calls, as strace shows them, hdparm 9.65.

use super::Ground;
use crate::child::words;
use crate::error::BenchError;
use crate::place::Shop;
use std::process::Command;

const MIB: f64 = 1_048_576.0;
/// About as much as fathom reads ahead at the limit, which lets a tenth of a second's bytes through at once at the start.
const COUNT: u64 = 614;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    /// `hdparm -T`.
    Cached,
    /// `hdparm -t`.
    Buffered,
    /// `hdparm -t --direct`.
    BufferedDirect,
    /// `dd` right after the cache was dropped.
    Cold,
    /// `dd` with direct I/O.
    Direct,
    /// `dd` with direct I/O, writing.
    Written,
}

/// Its figure, in MiB/s.
pub(crate) fn other(shop: &Shop, ground: &Ground, which: Other) -> Result<f64, BenchError> {
    let target = ground.target.display();
    let (read, write) = (
        format!("if={target} of=/dev/null bs=1M count={COUNT}"),
        format!("if=/dev/zero of={target} bs=1M count={COUNT} oflag=direct conv=notrunc"),
    );
    match which {
        Other::Cached => hdparm(shop, ground, &["-T"], "cached reads"),
        Other::Buffered => hdparm(shop, ground, &["-t"], "disk reads"),
        Other::BufferedDirect => hdparm(shop, ground, &["-t", "--direct"], "disk reads"),
        Other::Cold => {
            let _held = ground.hold()?;
            ground.warm(shop)?;
            dd(
                shop,
                ground,
                &format!("if={target} of=/dev/null iflag=nocache count=0"),
            )?;
            dd(shop, ground, &read)
        }
        Other::Direct => dd(shop, ground, &format!("{read} iflag=direct")),
        Other::Written => dd(shop, ground, &write),
    }
}

/// Its MB are MiB.
fn hdparm(shop: &Shop, ground: &Ground, options: &[&str], head: &str) -> Result<f64, BenchError> {
    let mut command = Command::new("hdparm");
    command.args(options).arg(&ground.target);
    let reported = ground.run(shop, &mut command)?;
    let line = reported.lines().find(|line| line.contains(head));
    let rate = line.and_then(|line| {
        line.split('=')
            .nth(1)?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    });
    rate.ok_or_else(|| unreadable(&command, &reported))
}

fn dd(shop: &Shop, ground: &Ground, operands: &str) -> Result<f64, BenchError> {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("LC_ALL=C dd {operands} 2>&1")]);
    let reported = ground.run(shop, &mut command)?;
    copied(&reported).ok_or_else(|| unreadable(&command, &reported))
}

/// MiB/s from the bytes and seconds of dd's last line.
fn copied(reported: &str) -> Option<f64> {
    let line = reported.lines().last()?;
    let bytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    let seconds: f64 = line
        .split(" copied, ")
        .nth(1)?
        .split_whitespace()
        .next()?
        .parse()
        .ok()?;
    Some(bytes / seconds / MIB)
}

fn unreadable(command: &Command, reported: &str) -> BenchError {
    BenchError::Unreadable {
        command: words(command),
        printed: reported.chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_dd_is_read() {
        let reported = "1+0 records in\n1+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s";
        assert_eq!(copied(reported), Some(2.0));
        assert_eq!(copied("dd: no"), None);
    }
}
