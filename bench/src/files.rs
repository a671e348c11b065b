//! `files`: `fathom files --bonnie` beside bonnie++, on ext4 and XFS on a loop device.
//!
//! The device is held to the rate of a disk, and both programs to less memory than the large file has bytes, so that a
//! block that is read comes from the device, as bonnie++ wants it by a file of twice the memory.

use crate::child;
use crate::error::BenchError;
use crate::limit::Limit;
use crate::looped::Looped;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::median;
use crate::table::short;
use std::process::Command;

const KINDS: [&str; 2] = ["ext4", "xfs"];
const BYTES: u64 = 2 << 30;
const LIMIT_BYTES_PER_S: u64 = 256 << 20;
/// bonnie++ wants twice as much data as there is memory, and says nothing of what takes less than half a second.
const DATA_MIB: u64 = 768;
const MEMORY_MIB: u64 = 256;
/// The steps on bytes, which bonnie++ leaves out here, last so long; blocks are done before.
const STEP_LIMIT: &str = "9s";

/// The field of the line of format 1.98, and what it is; those up to the fourth are KiB/s, the others a second.
const FIELDS: [(usize, &str); 10] = [
    (11, "write blocks, MiB/s"),
    (13, "rewrite blocks, MiB/s"),
    (17, "read blocks, MiB/s"),
    (19, "seek, k/s"),
    (26, "create, sequential, k/s"),
    (28, "stat, sequential, k/s"),
    (30, "delete, sequential, k/s"),
    (32, "create, random, k/s"),
    (34, "stat, random, k/s"),
    (36, "delete, random, k/s"),
];

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut lines = vec![format!(
        "files: fathom beside bonnie++ 2.00; medians of {} interleaved rounds, a file of {DATA_MIB} MiB and 16 384 empty ones, \
         {MEMORY_MIB} MiB of memory, a device of 256 MiB/s; `is`: fathom's multiple, least to most; `+`: it prints plus signs",
        options.rounds
    )];
    for kind in KINDS.iter().filter(|kind| options.wants(kind)) {
        let (looped, limit) = match made(kind) {
            Ok(made) => made,
            Err(why) => {
                lines.push(format!("skipped: {kind}: {why}"));
                continue;
            }
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..options.rounds {
            for turn in [round, round + 1] {
                match turn % 2 {
                    0 => ours.push(told(shop, &limit, &mut fathom(shop, &looped))?),
                    _ => theirs.push(told(shop, &limit, &mut bonnie(&looped))?),
                }
            }
        }
        lines.push(format!(
            "\n{kind:<26} {:>9} {:>9} {:>6}  least to most",
            "fathom", "bonnie++", "is"
        ));
        lines.extend(FIELDS.iter().map(|field| line(*field, &ours, &theirs)));
    }
    Ok(lines)
}

fn made(kind: &str) -> Result<(Looped, Limit), String> {
    let looped = Looped::with_file_system(BYTES, kind)?;
    let limit = Limit::new(&looped.device, LIMIT_BYTES_PER_S)?.with_memory(MEMORY_MIB << 20)?;
    Ok((looped, limit))
}

fn line((field, name): (usize, &str), ours: &[Vec<String>], theirs: &[Vec<String>]) -> String {
    let scale = if name.ends_with("MiB/s") {
        1024.0
    } else {
        1000.0
    };
    let middle = |rounds: &[Vec<String>]| {
        let rates: Vec<f64> = rounds
            .iter()
            .filter_map(|fields| fields.get(field)?.parse().ok())
            .collect();
        (!rates.is_empty()).then(|| median(rates) / scale)
    };
    let pairs = ours.iter().zip(theirs).filter_map(|(ours, theirs)| {
        let ours: f64 = ours.get(field)?.parse().ok()?;
        let theirs: f64 = theirs.get(field)?.parse().ok()?;
        Some(ours / theirs)
    });
    let mut ratios: Vec<f64> = pairs.collect();
    ratios.sort_by(f64::total_cmp);
    let ends = ratios.first().zip(ratios.last());
    let range = ends.map_or(String::new(), |(least, most)| {
        format!("{} to {}", short(*least), short(*most))
    });
    let told = |rate: Option<f64>, none: &str| rate.map_or(none.to_owned(), short);
    let ratio = (!ratios.is_empty()).then(|| median(ratios));
    format!(
        "{name:<26} {:>9} {:>9} {:>6}  {range}",
        told(middle(ours), "-"),
        told(middle(theirs), "+"),
        told(ratio, "-")
    )
}

/// The last line of what it prints, in fields.
fn told(shop: &Shop, limit: &Limit, command: &mut Command) -> Result<Vec<String>, BenchError> {
    let told = child::run(&mut limit.around(command), &shop.stop)?.out;
    Ok(fields(&told))
}

fn fathom(shop: &Shop, looped: &Looped) -> Command {
    let mut command = Command::new(&shop.fathom);
    command.args(["files", "--bonnie", "--no-store", "--files", "16384"]);
    command.args([
        "--file-size",
        "0",
        "--folders",
        "1",
        "--step-limit",
        STEP_LIMIT,
    ]);
    command.args(["--data", &format!("{DATA_MIB}M")]);
    command.arg(looped.folder());
    command
}

fn bonnie(looped: &Looped) -> Command {
    let mut command = Command::new("bonnie++");
    command.args(["-u", "root", "-q", "-f", "-n", "16"]);
    command.args(["-r", &MEMORY_MIB.to_string(), "-s", &DATA_MIB.to_string()]);
    command.arg("-d").arg(looped.folder());
    command
}

fn fields(told: &str) -> Vec<String> {
    let last = told.lines().last().unwrap_or_default();
    last.split(',').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_signs_are_no_number() {
        let told = |text: &str| {
            let mut fields = vec![String::new(); 40];
            fields[11] = text.to_owned();
            vec![fields]
        };
        let both = line((11, "write blocks, MiB/s"), &told("2048"), &told("1024"));
        assert!(
            both.ends_with("2.00      1.00   2.00  2.00 to 2.00"),
            "{both}"
        );
        let plus = line((11, "write blocks, MiB/s"), &told("2048"), &told("+++++"));
        assert!(plus.trim_end().ends_with("+      -"), "{plus}");
    }
}
