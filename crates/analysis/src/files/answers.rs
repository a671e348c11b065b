//! The answer of work with files.

use super::FilesRow;
use crate::say::{bytes, mib_per_s, percent, rate, time};
use crate::verdict::Answer;
use model::{CopyWork, FilesRecord, FilesWork};

/// Steps whose figures are the answer, with their names there.
const OF_SMALL: [(&str, &str); 4] = [
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

pub(super) fn answers(steps: &[FilesRecord], rows: &[FilesRow]) -> Vec<Answer> {
    let first = steps.first().map(|step| &step.work);
    match (first, steps.last().map(|step| &step.work)) {
        (Some(FilesWork::Tree(_)), _) => tree(rows),
        (Some(FilesWork::Mdtest(work)), _) => super::mdtest::answers(work, rows),
        (_, Some(FilesWork::Copy(work))) => copy(work).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn tree(rows: &[FilesRow]) -> Vec<Answer> {
    let small = OF_SMALL.iter().map(|(name, word)| {
        let row = rows
            .iter()
            .find(|row| row.operation == *name && row.is_random());
        let row = row.or_else(|| rows.iter().find(|row| row.operation == *name))?;
        Some(format!("{word} {}/s", rate(row.iops_estimate?.value)))
    });
    let large = LARGE.iter().map(|(name, word)| {
        let row = rows.iter().find(|row| row.operation == *name)?;
        let flow = mib_per_s(row.bytes_per_s_estimate?.value);
        let cached = *word == "read" && row.read_from_device().is_some_and(|share| share < 0.5);
        let mark = if cached { " (page cache)" } else { "" };
        Some(format!("{word} {flow} MiB/s{mark}"))
    });
    let both = [
        Answer::of("small files", small),
        Answer::of("one large file", large),
    ];
    both.into_iter().flatten().collect()
}

fn copy(work: &CopyWork) -> Option<Answer> {
    let seconds = work.elapsed.as_seconds();
    if seconds <= 0.0 {
        return None;
    }
    let flow = work.copied.0 as f64 / seconds;
    let figures = [
        format!(
            "{} in {}",
            bytes(work.copied.0),
            time(work.elapsed.0 as f64)
        ),
        format!("{} MiB/s", mib_per_s(flow)),
        format!("{} MB/s", crate::say::digits(flow / 1e6)),
    ];
    Answer::of("copied", figures.map(Some))
}

/// Share of the bytes of this step that no device delivered.
fn cached_share(rows: &[FilesRow], step: &str) -> Option<f64> {
    let row = rows.iter().find(|row| row.operation == step)?;
    Some((1.0 - row.read_from_device()?).clamp(0.0, 1.0))
}

/// Share of the bytes that no device had taken when the copy was over.
fn unwritten_share(rows: &[FilesRow]) -> Option<f64> {
    let row = rows.iter().find(|row| row.operation == "write")?;
    let taken = row.device.device_write_bytes? as f64;
    (row.amount.bytes > 0).then_some((1.0 - taken / row.amount.bytes as f64).clamp(0.0, 1.0))
}

/// Both shares in full: where a cache took part, or where none did. `remedy` is given for the former: whether the operands are
/// those of dd.
pub(super) fn copy_caches(rows: &[FilesRow], remedy: Option<bool>) -> Vec<String> {
    /// From this share on the figure is not that of the device.
    const CACHED_MIN: f64 = 0.05;
    let wanted = |share: &f64| (*share >= CACHED_MIN) == remedy.is_some();
    let read = cached_share(rows, "read").filter(wanted).map(|share| {
        format!(
            "the source's device delivered {} of the data read; {} came from the page cache",
            percent(1.0 - share),
            percent(share)
        )
    });
    let written = unwritten_share(rows).filter(wanted).map(|share| {
        let remedy = match remedy {
            Some(true) => "; use conv=fdatasync to wait for the device, or oflag=direct",
            Some(false) => "; use direct I/O to wait for the device",
            None => "",
        };
        format!(
            "the destination's device had received {} of the data when the copy ended{remedy}",
            percent(1.0 - share)
        )
    });
    read.into_iter().chain(written).collect()
}
