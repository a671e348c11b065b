//! `files`: `fathom files --bonnie` beside bonnie++, on ext4 and XFS on a loop device.

use crate::child;
use crate::error::BenchError;
use crate::looped::Looped;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::median;
use crate::table::short;
use std::path::Path;
use std::process::Command;

const KINDS: [&str; 2] = ["ext4", "xfs"];
const BYTES: u64 = 3 << 30;
/// bonnie++ says nothing of what takes less than half a second.
const DATA_MIB: u64 = 2048;
/// The steps on bytes, which bonnie++ leaves out here, last so long; blocks are done before.
const STEP_LIMIT: &str = "10s";

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
        "files: fathom beside bonnie++ 2.00; medians of {} interleaved rounds, a file of {DATA_MIB} MiB and 16 384 empty ones; \
         `+`: it prints plus signs",
        options.rounds
    )];
    for kind in KINDS {
        let looped = match Looped::with_file_system(BYTES, kind) {
            Ok(looped) => looped,
            Err(why) => {
                lines.push(format!("skipped: {kind}: {why}"));
                continue;
            }
        };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            ours.push(fathom(shop, looped.folder())?);
            theirs.push(bonnie(shop, looped.folder())?);
        }
        lines.push(format!(
            "\n{kind:<26} {:>9} {:>9} {:>6}",
            "fathom", "bonnie++", "is"
        ));
        lines.extend(FIELDS.iter().map(|field| line(*field, &ours, &theirs)));
    }
    Ok(lines)
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
    let ratios: Vec<f64> = pairs.collect();
    let told = |rate: Option<f64>, none: &str| rate.map_or(none.to_owned(), short);
    let ratio = (!ratios.is_empty()).then(|| median(ratios));
    format!(
        "{name:<26} {:>9} {:>9} {:>6}",
        told(middle(ours), "-"),
        told(middle(theirs), "+"),
        told(ratio, "-")
    )
}

fn fathom(shop: &Shop, folder: &Path) -> Result<Vec<String>, BenchError> {
    let mut command = Command::new(&shop.fathom);
    command.args([
        "files",
        "--bonnie",
        "--no-store",
        "--files",
        "16384",
        "--file-size",
        "0",
        "--folders",
        "1",
    ]);
    command
        .args([
            "--step-limit",
            STEP_LIMIT,
            "--data",
            &format!("{DATA_MIB}M"),
        ])
        .arg(folder);
    Ok(fields(&child::run(&mut command, &shop.stop)?.out))
}

fn bonnie(shop: &Shop, folder: &Path) -> Result<Vec<String>, BenchError> {
    let mut command = Command::new("bonnie++");
    command.args([
        "-u",
        "root",
        "-q",
        "-f",
        "-n",
        "16",
        "-r",
        &(DATA_MIB / 2).to_string(),
    ]);
    command
        .args(["-s", &DATA_MIB.to_string(), "-d"])
        .arg(folder);
    Ok(fields(&child::run(&mut command, &shop.stop)?.out))
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
        assert!(both.ends_with("2.00      1.00   2.00"), "{both}");
        let plus = line((11, "write blocks, MiB/s"), &told("2048"), &told("+++++"));
        assert!(plus.ends_with("+      -"), "{plus}");
    }
}
