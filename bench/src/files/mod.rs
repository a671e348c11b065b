//! `files`: `fathom files` compared with bonnie++, on ext4 and XFS on a loop device.
//!
//! The device is limited to the rate of a disk, and both programs to less memory than the large file has bytes, so that
//! a block that is read comes from the device, as bonnie++ requires it by a file of twice the memory. Read in this
//! order: the rounds (here), `reported` (output of each program), `table`.

mod reported;
mod table;

use crate::child::{self, Cost};
use crate::error::BenchError;
use crate::limit::Limit;
use crate::looped::Looped;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::progress;
use reported::{Ours, Theirs};
use std::process::Command;
use std::time::Duration;

const KINDS: [&str; 2] = ["ext4", "xfs"];
const LIMIT_BYTES_PER_S: u64 = 256 << 20;
/// A file system's own share of its device, and room to spare.
const ROOM_MIB: u64 = 512;
/// bonnie++ wants at least twice as much data as there is memory.
const DATA_BY_MEMORY: u64 = 3;
/// What bonnie++ omits here (`-f`), does not have, or does only with files that are not empty.
const SKIPPED: &str = "bytes,read,append,append-and-fsync,rename";
/// No step that both have is cut short.
const STEP_LIMIT: &str = "5m";

/// All rounds on one file system.
#[derive(Default)]
struct Rounds {
    ours: Vec<Ours>,
    theirs: Vec<Theirs>,
    ours_wall: Duration,
    theirs_wall: Duration,
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let (mut lines, mut wall) = (Vec::new(), Duration::ZERO);
    for kind in KINDS.iter().filter(|kind| options.wants(kind)) {
        progress(&format!("files: {kind}: making it"));
        match made(kind, options.data_mib) {
            Ok((looped, limit)) => {
                let rounds = rounds(kind, (&looped, &limit), (shop, options))?;
                wall += rounds.ours_wall + rounds.theirs_wall;
                lines.push(String::new());
                lines.extend(table::lines(kind, &rounds));
            }
            Err(why) => lines.push(format!("skipped: {kind}: {why}")),
        }
    }
    progress("");
    let (data, rounds) = (options.data_mib, options.rounds);
    let head = format!(
        "files: fathom and bonnie++ 2.00 in {:.0} s; medians of {rounds} interleaved rounds, a file of {data} MiB and 16384 \
         empty ones, {} MiB of memory, a device of 256 MiB/s; `interval`: fathom's 95% intervals, from the lowest to the \
         highest end of all rounds; `is`: fathom's multiple, least to most; `+`: it prints plus signs",
        wall.as_secs_f64(),
        data / DATA_BY_MEMORY
    );
    lines.insert(0, head);
    Ok(lines)
}

fn made(kind: &str, data_mib: u64) -> Result<(Looped, Limit), String> {
    let looped = Looped::with_file_system((2 * data_mib + ROOM_MIB) << 20, kind)?;
    let limit = Limit::new(&looped.device, LIMIT_BYTES_PER_S)?;
    let limit = limit.with_memory((data_mib / DATA_BY_MEMORY) << 20)?;
    write_once((&looped, &limit), data_mib)?;
    Ok((looped, limit))
}

/// The first write to a new device is slower than those after it (docs/bench.md), so neither of the two gets it.
fn write_once((looped, limit): (&Looped, &Limit), data_mib: u64) -> Result<(), String> {
    let file = looped.folder().join("first");
    let mut command = Command::new("dd");
    // In blocks of both; with larger ones XFS needs more at once than the group has, and the kernel ends it.
    command.args(["if=/dev/zero", "bs=8K", "conv=fsync", "status=none"]);
    command.arg(format!("count={}", data_mib << 7));
    command.arg(format!("of={}", file.display()));
    let done = limit.around(&command).status();
    let done = done.map_err(|error| format!("dd: {error}"))?;
    std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    match done.success() {
        true => Ok(()),
        false => Err(format!("dd: {done}")),
    }
}

/// Both take turns, another one first each time.
fn rounds(
    kind: &str,
    (looped, limit): (&Looped, &Limit),
    (shop, options): (&Shop, &Options),
) -> Result<Rounds, BenchError> {
    let mut rounds = Rounds::default();
    for round in 0..options.rounds {
        for turn in [round, round + 1] {
            let ours = turn % 2 == 0;
            let (name, command) = match ours {
                true => ("fathom", fathom(shop, looped, options.data_mib)),
                false => ("bonnie++", bonnie(looped, options.data_mib)),
            };
            let number = round + 1;
            progress(&format!(
                "files: {kind}, round {number} of {}: {name}",
                options.rounds
            ));
            let Cost { out, wall, .. } = child::run(&mut limit.around(&command), &shop.stop)?;
            let unreadable = || BenchError::Unreadable {
                command: name.to_owned(),
                printed: out.chars().take(200).collect(),
            };
            if ours {
                rounds
                    .ours
                    .push(reported::ours(&out).ok_or_else(unreadable)?);
                rounds.ours_wall += wall;
            } else {
                rounds
                    .theirs
                    .push(reported::theirs(&out).ok_or_else(unreadable)?);
                rounds.theirs_wall += wall;
            }
        }
    }
    Ok(rounds)
}

fn fathom(shop: &Shop, looped: &Looped, data_mib: u64) -> Command {
    let mut command = Command::new(&shop.fathom);
    command.args(["files", "--json", "--no-store", "--files", "16384"]);
    command.args(["--file-size", "0", "--folders", "1"]);
    command.args(["--skip", SKIPPED, "--step-limit", STEP_LIMIT]);
    command.args(["--data", &format!("{data_mib}M")]);
    command.arg(looped.folder());
    command
}

fn bonnie(looped: &Looped, data_mib: u64) -> Command {
    let memory_mib = data_mib / DATA_BY_MEMORY;
    let mut command = Command::new("bonnie++");
    command.args(["-u", "root", "-q", "-f", "-n", "16"]);
    command.args(["-r", &memory_mib.to_string(), "-s", &data_mib.to_string()]);
    command.arg("-d").arg(looped.folder());
    command
}
