//! The first line: what was asked, answered.

use super::FilesRow;
use crate::say::{bytes, mib_per_s, percent, rate, time};
use model::{CopyWork, FilesRecord, FilesWork};

/// Steps that the first line tells, by their names there.
const TOLD: [(&str, &str); 4] = [
    ("create", "create"),
    ("stat", "stat"),
    ("append and fsync", "append with fsync"),
    ("delete", "delete"),
];
const LARGE: [(&str, &str); 3] = [
    ("write blocks", "write"),
    ("rewrite blocks", "rewrite"),
    ("read blocks", "read"),
];

pub(super) fn headline(steps: &[FilesRecord], rows: &[FilesRow]) -> String {
    let first = steps.first().map(|step| &step.work);
    match (first, steps.last().map(|step| &step.work)) {
        (Some(FilesWork::Tree(_)), _) => tree(rows),
        (_, Some(FilesWork::Copy(work))) => copy(work, rows),
        _ => "nothing was measured".to_owned(),
    }
}

fn tree(rows: &[FilesRow]) -> String {
    let small = TOLD.iter().filter_map(|(name, word)| {
        let row = rows
            .iter()
            .find(|row| row.operation == *name && row.is_random());
        let row = row.or_else(|| rows.iter().find(|row| row.operation == *name))?;
        Some(format!("{word} {}/s", rate(row.rate_per_s?.value)))
    });
    let large = LARGE.iter().filter_map(|(name, word)| {
        let row = rows.iter().find(|row| row.operation == *name)?;
        let flow = mib_per_s(row.bytes_per_s?.value);
        let cached = *word == "read" && row.read_from_device().is_some_and(|share| share < 0.5);
        let mark = if cached { " (from the cache)" } else { "" };
        Some(format!("{word} {flow} MiB/s{mark}"))
    });
    let (small, large): (Vec<String>, Vec<String>) = (small.collect(), large.collect());
    let parts = [("small files: ", small), ("one large file: ", large)];
    let told = parts.iter().filter(|(_, part)| !part.is_empty());
    let told: Vec<String> = told
        .map(|(head, part)| format!("{head}{}", part.join(", ")))
        .collect();
    match told.is_empty() {
        true => "nothing was measured: no step came to its end".to_owned(),
        false => told.join("; "),
    }
}

fn copy(work: &CopyWork, rows: &[FilesRow]) -> String {
    let seconds = work.elapsed.as_seconds();
    if seconds <= 0.0 {
        return "nothing was copied".to_owned();
    }
    let flow = work.copied.0 as f64 / seconds;
    let caches = match (cached_share(rows, "read"), unwritten_share(rows)) {
        (Some(read), _) if read >= 0.05 => {
            format!("; {} of it was read from a cache", percent(read))
        }
        (_, Some(left)) if left >= 0.05 => {
            format!("; {} of it is still in the system's memory", percent(left))
        }
        _ => String::new(),
    };
    format!(
        "{} in {}: {} MB/s ({} MiB/s){caches}",
        bytes(work.copied.0),
        time(work.elapsed.0 as f64),
        crate::say::digits(flow / 1e6),
        mib_per_s(flow)
    )
}

/// Share of the bytes of this step that no device delivered.
fn cached_share(rows: &[FilesRow], step: &str) -> Option<f64> {
    let row = rows.iter().find(|row| row.operation == step)?;
    Some((1.0 - row.read_from_device()?).clamp(0.0, 1.0))
}

/// Share of the bytes that no device had taken when the copy was over.
fn unwritten_share(rows: &[FilesRow]) -> Option<f64> {
    let row = rows.iter().find(|row| row.operation == "write")?;
    let taken = row.device_write_bytes? as f64;
    (row.bytes > 0).then_some((1.0 - taken / row.bytes as f64).clamp(0.0, 1.0))
}

/// Both shares in full.
pub(super) fn copy_caches(rows: &[FilesRow]) -> Vec<String> {
    let read = cached_share(rows, "read").map(|share| {
        format!(
            "the source's device delivered {} of what was read; {} came from the system's cache",
            percent(1.0 - share),
            percent(share)
        )
    });
    let written = unwritten_share(rows).map(|share| {
        let remedy = match share >= 0.05 {
            true => "; conv=fdatasync waits until it is on the device, oflag=direct goes past the cache",
            false => "",
        };
        format!(
            "the destination's device had taken {} of what was written when the copy was over{remedy}",
            percent(1.0 - share)
        )
    });
    read.into_iter().chain(written).collect()
}
