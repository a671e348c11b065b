//! `quick`: the figures of `fathom quick` beside those of hdparm and dd that measure the same, on one loop device.

use crate::child::{self, words};
use crate::error::BenchError;
use crate::looped::Looped;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::median;
use crate::table::short;
use serde_json::Value;
use std::process::Command;

const BYTES: u64 = 1 << 30;
const MIB: f64 = 1_048_576.0;

/// What both sides say, in MiB/s, by round.
struct Pair {
    ours: &'static str,
    theirs: &'static str,
    rates: Vec<(f64, f64)>,
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let looped = match Looped::new(BYTES) {
        Ok(looped) => looped,
        Err(why) => return Ok(vec![format!("skipped: quick: {why}")]),
    };
    looped.fill(BYTES)?;
    let mut pairs = [
        ("cached read, 2M again and again", "hdparm -T"),
        ("sequential read, with read-ahead", "hdparm -t"),
        ("sequential read, 1M", "dd bs=1M iflag=direct"),
    ]
    .map(|(ours, theirs)| Pair {
        ours,
        theirs,
        rates: Vec::new(),
    });
    for _ in 0..options.rounds {
        read_through_cache(shop, &looped)?;
        let ours = fathom(shop, &looped)?;
        read_through_cache(shop, &looped)?;
        let (cached, ahead) = hdparm(shop, &looped)?;
        let theirs = [cached, ahead, dd(shop, &looped)?];
        for (pair, theirs) in pairs.iter_mut().zip(theirs) {
            let mine = ours.iter().find(|(label, _)| label == pair.ours);
            pair.rates
                .push((mine.map_or(f64::NAN, |(_, rate)| *rate), theirs));
        }
    }
    let mut lines = vec![format!(
        "quick: fathom says {}",
        pairs
            .iter()
            .map(|pair| format!("{} × {}", ratio(pair), pair.theirs))
            .collect::<Vec<_>>()
            .join(", ")
    )];
    lines.push(format!(
        "medians of {} interleaved rounds on a loop device of 1 GiB in memory, MiB/s",
        options.rounds
    ));
    lines.push(format!(
        "\n{:<34} {:>8} {:>8} {:>6}  {}",
        "", "fathom", "other", "is", "the other"
    ));
    for pair in &pairs {
        let of =
            |pick: fn(&(f64, f64)) -> f64| short(median(pair.rates.iter().map(pick).collect()));
        lines.push(format!(
            "{:<34} {:>8} {:>8} {:>6}  {}",
            pair.ours,
            of(|both| both.0),
            of(|both| both.1),
            ratio(pair),
            pair.theirs
        ));
    }
    Ok(lines)
}

/// Of neighbours in time.
fn ratio(pair: &Pair) -> String {
    let ratios = pair
        .rates
        .iter()
        .map(|(ours, theirs)| ours / theirs.max(1.0));
    short(median(ratios.collect()))
}

/// So that the memory that the cache takes is there when somebody drops the cache and fills it again: a virtual machine
/// gives free memory back to its host, and getting it again takes longer than reading.
fn read_through_cache(shop: &Shop, looped: &Looped) -> Result<(), BenchError> {
    let mut command = Command::new("dd");
    command.args(["of=/dev/null", "bs=1M", "status=none"]);
    command.arg(format!("if={}", looped.device.display()));
    child::run(&mut command, &shop.stop).map(drop)
}

fn fathom(shop: &Shop, looped: &Looped) -> Result<Vec<(String, f64)>, BenchError> {
    let mut command = Command::new(&shop.fathom);
    command
        .args(["quick", "--json", "--no-store"])
        .arg(&looped.device);
    let told = child::run(&mut command, &shop.stop)?.out;
    let document: Value = serde_json::from_str(&told).unwrap_or_default();
    let rows = document["rows"].as_array().cloned().unwrap_or_default();
    let row = |row: &Value| {
        let rate = row["bytes_per_s"]["value"].as_f64()?;
        Some((row["label"].as_str()?.to_owned(), rate / MIB))
    };
    Ok(rows.iter().filter_map(row).collect())
}

/// Cached and buffered; its MB are MiB.
fn hdparm(shop: &Shop, looped: &Looped) -> Result<(f64, f64), BenchError> {
    let mut command = Command::new("hdparm");
    command.arg("-tT").arg(&looped.device);
    let told = child::run(&mut command, &shop.stop)?.out;
    let rate = |head: &str| {
        let line = told.lines().find(|line| line.contains(head))?;
        line.split('=')
            .nth(1)?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    };
    let read = rate("cached reads").zip(rate("buffered disk reads"));
    read.ok_or_else(|| unreadable(&command, &told))
}

fn dd(shop: &Shop, looped: &Looped) -> Result<f64, BenchError> {
    let mut command = Command::new("sh");
    let line = format!(
        "LC_ALL=C dd if={} of=/dev/null bs=1M iflag=direct 2>&1",
        looped.device.display()
    );
    command.args(["-c", &line]);
    let told = child::run(&mut command, &shop.stop)?.out;
    copied(&told).ok_or_else(|| unreadable(&command, &told))
}

/// MiB/s from the bytes and seconds of dd's last line.
fn copied(told: &str) -> Option<f64> {
    let line = told.lines().last()?;
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

fn unreadable(command: &Command, told: &str) -> BenchError {
    BenchError::Unreadable {
        command: words(command),
        said: told.chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_dd_is_read() {
        let told = "1+0 records in\n1+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s";
        assert_eq!(copied(told), Some(2.0));
        assert_eq!(copied("dd: no"), None);
    }
}
