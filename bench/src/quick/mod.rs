//! `quick`: the figures of `fathom quick` compared with those of hdparm and dd that measure the same, on a device and
//! on a file.
//!
//! Equal work is compared: the same target, the same block, the cache in the same state, read or written for about as
//! long. A device in memory is measured twice: with a limit that the kernel keeps, where all have to agree, and
//! without one, where what the programs themselves cost shows, and how the machine gives memory to the cache.

mod others;

use crate::child;
use crate::error::{BenchError, doing};
use crate::limit::Limit;
use crate::looped::Looped;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::median;
use crate::table::short;
use others::{Other, other};
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

/// Half of it is what fathom reads ahead of at most, and hdparm reads for three seconds.
const BYTES: u64 = 1536 << 20;
const FILE_BYTES: u64 = 768 << 20;
/// What a disk on SATA may do half of.
const LIMIT_BYTES_PER_S: u64 = 256 << 20;
const MIB: f64 = 1_048_576.0;

/// What fathom calls it, what the other is, and whether it is asked of devices alone.
const ROWS: [(&str, &str, Other); 6] = [
    (
        "cached read, 2M again and again",
        "hdparm -T",
        Other::Cached,
    ),
    (
        "sequential read, with read-ahead",
        "hdparm -t",
        Other::Buffered,
    ),
    (
        "sequential read, with read-ahead",
        "dd bs=1M, cache dropped",
        Other::Cold,
    ),
    (
        "sequential read, 1M",
        "hdparm -t --direct",
        Other::BufferedDirect,
    ),
    (
        "sequential read, 1M",
        "dd bs=1M iflag=direct",
        Other::Direct,
    ),
    (
        "sequential write, 1M",
        "dd bs=1M oflag=direct",
        Other::Written,
    ),
];

/// Where both work.
pub(crate) struct Ground {
    title: &'static str,
    /// A device, or a file on it.
    pub(crate) target: PathBuf,
    pub(crate) is_file: bool,
    pub(crate) limit: Option<Limit>, // before the device that it is of
    looped: Looped,
}

/// Makes one; `Err` is the reason why not.
type Make = fn() -> Result<Ground, String>;

/// Figures of both, in MiB/s, by round.
struct Row {
    ours: &'static str,
    theirs: &'static str,
    rates: Vec<(f64, f64)>,
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut lines = vec![format!(
        "quick: fathom, hdparm and dd; {} interleaved rounds, MiB/s; `is`: fathom's multiple of the other, least to most",
        options.rounds
    )];
    let grounds: [(&str, Make); 3] = [
        ("disk", limited),
        ("file", file_on_limited),
        ("device", unlimited),
    ];
    for (_, make) in grounds.iter().filter(|(name, _)| options.wants(name)) {
        match make() {
            Ok(ground) => lines.extend(table(&ground, &rounds(shop, &ground, options.rounds)?)),
            Err(why) => lines.push(format!("skipped: quick: {why}")),
        }
    }
    Ok(lines)
}

fn limited() -> Result<Ground, String> {
    let looped = filled()?;
    Ok(Ground {
        title: "loop device in memory, limited by the kernel to 256 MiB/s",
        target: looped.device.clone(),
        is_file: false,
        limit: Some(Limit::new(&looped.device, LIMIT_BYTES_PER_S)?),
        looped,
    })
}

fn unlimited() -> Result<Ground, String> {
    let looped = filled()?;
    Ok(Ground {
        title: "loop device in memory",
        target: looped.device.clone(),
        is_file: false,
        limit: None,
        looped,
    })
}

fn file_on_limited() -> Result<Ground, String> {
    let looped = Looped::with_file_system(BYTES, "ext4")?;
    let target = looped.folder().join("file");
    looped
        .fill_file(&target, FILE_BYTES)
        .map_err(|error| error.to_string())?;
    Ok(Ground {
        title: "file on ext4 on a loop device in memory, limited by the kernel to 256 MiB/s",
        target,
        is_file: true,
        limit: Some(Limit::new(&looped.device, LIMIT_BYTES_PER_S)?),
        looped,
    })
}

fn filled() -> Result<Looped, String> {
    let looped = Looped::new(BYTES)?;
    looped.fill(BYTES).map_err(|error| error.to_string())?;
    Ok(looped)
}

impl Ground {
    /// Runs a program here.
    pub(crate) fn run(&self, shop: &Shop, command: &mut Command) -> Result<String, BenchError> {
        let reported = match &self.limit {
            Some(limit) => child::run(&mut limit.around(command), &shop.stop)?,
            None => child::run(command, &shop.stop)?,
        };
        Ok(reported.out)
    }

    /// Reads it into the cache. A virtual machine may give memory that is free back to its host, and getting it again
    /// takes longer than reading: what is dropped from the cache now is available to the next reader.
    pub(crate) fn warm(&self, shop: &Shop) -> Result<(), BenchError> {
        let mut command = Command::new("dd");
        command.args(["of=/dev/null", "bs=1M", "status=none"]);
        command.arg(format!("if={}", self.target.display()));
        child::run(&mut command, &shop.stop).map(drop)
    }

    /// While a device is open its cache stays; the last who closes it drops that.
    pub(crate) fn hold(&self) -> Result<File, BenchError> {
        File::open(&self.target).map_err(doing(self.target.display().to_string()))
    }
}

fn rounds(shop: &Shop, ground: &Ground, rounds: usize) -> Result<Vec<Row>, BenchError> {
    let on_files = |other: Other| matches!(other, Other::Cold | Other::Direct | Other::Written);
    let asked: Vec<_> = ROWS
        .into_iter()
        .filter(|(.., other)| !ground.is_file || on_files(*other))
        .collect();
    let mut rows: Vec<Row> = asked
        .iter()
        .map(|(ours, theirs, _)| Row {
            ours,
            theirs,
            rates: Vec::new(),
        })
        .collect();
    for round in 0..rounds {
        let mut ours = Vec::new();
        if round % 2 == 0 {
            ours = fathom(shop, ground)?;
        }
        let mut theirs = Vec::new();
        for (.., which) in &asked {
            theirs.push(other(shop, ground, *which)?);
        }
        if round % 2 == 1 {
            ours = fathom(shop, ground)?;
        }
        for (row, theirs) in rows.iter_mut().zip(theirs) {
            let mine = ours.iter().find(|(label, _)| label == row.ours);
            let mine = mine.map_or(f64::NAN, |(_, rate)| *rate);
            row.rates.push((mine, theirs));
        }
    }
    Ok(rows)
}

fn fathom(shop: &Shop, ground: &Ground) -> Result<Vec<(String, f64)>, BenchError> {
    let _held = ground.hold()?;
    ground.warm(shop)?;
    let mut command = Command::new(&shop.fathom);
    command.args(["quick", "--json", "--no-store", "--write"]);
    match ground.is_file {
        true => command.arg("--overwrite"),
        false => command.arg("--destroy").arg(&ground.looped.device),
    };
    command.arg(&ground.target);
    let reported = ground.run(shop, &mut command)?;
    let document: Value = serde_json::from_str(&reported).unwrap_or_default();
    let rows = document["rows"].as_array().cloned().unwrap_or_default();
    let row = |row: &Value| {
        let rate = row["bytes_per_s_estimate"]["value"].as_f64()?;
        Some((row["label"].as_str()?.to_owned(), rate / MIB))
    };
    Ok(rows.iter().filter_map(row).collect())
}

fn table(ground: &Ground, rows: &[Row]) -> Vec<String> {
    let mut lines = vec![format!(
        "\n{:<34} {:>8} {:>8} {:>6}  {:<13} {}",
        ground.title, "", "", "", "", ""
    )];
    lines.push(format!(
        "{:<34} {:>8} {:>8} {:>6}  {:<13} {}",
        "", "fathom", "other", "is", "least to most", "the other"
    ));
    lines.extend(rows.iter().map(line));
    lines
}

fn line(row: &Row) -> String {
    let of = |pick: fn(&(f64, f64)) -> f64| short(median(row.rates.iter().map(pick).collect()));
    let mut ratios: Vec<f64> = row
        .rates
        .iter()
        .map(|(ours, theirs)| ours / theirs.max(1.0))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let ends = ratios.first().zip(ratios.last());
    let range = ends.map_or(String::new(), |(least, most)| {
        format!("{} to {}", short(*least), short(*most))
    });
    format!(
        "{:<34} {:>8} {:>8} {:>6}  {range:<13} {}",
        row.ours,
        of(|both| both.0),
        of(|both| both.1),
        short(median(ratios)),
        row.theirs
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_the_median_and_the_range_of_the_ratios() {
        let row = Row {
            ours: "sequential read, 1M",
            theirs: "dd bs=1M iflag=direct",
            rates: vec![(100.0, 100.0), (90.0, 100.0), (220.0, 200.0)],
        };
        let line = line(&row);
        assert!(
            line.contains("   1.00  0.90 to 1.10  dd bs=1M iflag=direct"),
            "{line}"
        );
    }
}
