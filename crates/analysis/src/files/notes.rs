//! What a person should know of the steps: whose doing a rate is, and what is missing.

use super::{CACHED_BYTES_A_FILE, FilesRow};
use crate::say::{bytes, counted, listed, percent, time};
use model::{FilesRecord, FilesWork, HostRecord, TreeWork};

/// A data set of twice the memory is the rule of old for a file that fits into no cache; bonnie++ keeps to it too.
const MEMORIES: u64 = 2;
/// Below this share of bytes from the device the cache has answered.
pub(super) const FROM_DEVICE_MIN: f64 = 0.95;

/// What the figures are not: how fast the cache is, or how fast the device takes what the system still has in memory.
pub(super) fn warnings(steps: &[FilesRecord], rows: &[FilesRow]) -> Vec<String> {
    match steps.first().map(|first| (first, &first.work)) {
        Some((first, FilesWork::Tree(work))) => {
            let names = small_enough_for_names(work, &first.host, rows);
            let pages = small_enough_for_pages(work, &first.host, rows);
            names.into_iter().chain(pages).collect()
        }
        Some((first, FilesWork::Mdtest(work))) => super::mdtest::warnings(first, work, rows),
        Some((_, FilesWork::Copy(work))) => {
            super::answers::copy_caches(rows, Some(work.transfers.is_none()))
        }
        Some((_, FilesWork::Verify(_))) | None => Vec::new(), // `verify` has its own
    }
}

pub(super) fn notes(steps: &[FilesRecord], rows: &[FilesRow]) -> Vec<String> {
    let Some(first) = steps.first() else {
        return Vec::new();
    };
    let mut notes: Vec<String> = cut(rows, first).into_iter().collect();
    match &first.work {
        FilesWork::Tree(_) => notes.extend(not_yet_written(rows)),
        FilesWork::Mdtest(_) | FilesWork::Verify(_) => {} // likewise
        FilesWork::Copy(_) => notes.extend(super::answers::copy_caches(rows, None)),
    }
    notes
}

fn small_enough_for_names(work: &TreeWork, host: &HostRecord, rows: &[FilesRow]) -> Option<String> {
    let looked = rows
        .iter()
        .any(|row| row.operation == "stat" && row.iops_estimate.is_some());
    let kept = work.files.saturating_mul(CACHED_BYTES_A_FILE);
    let fits = host.ram.0 > 0 && kept < host.ram.0 / 2;
    (looked && fits && !work.drops_caches).then(|| {
        let enough = (host.ram.0 / CACHED_BYTES_A_FILE).div_ceil(1 << 20) << 20;
        format!(
            "the names of {} fit into memory ({} of {}), so stat and read measure the page cache, not the disk: \
             use --files {enough}, or --drop-caches as root",
            counted(work.files, "file"),
            bytes(kept),
            bytes(host.ram.0)
        )
    })
}

fn small_enough_for_pages(work: &TreeWork, host: &HostRecord, rows: &[FilesRow]) -> Option<String> {
    let reads = rows.iter().filter(|row| row.operation == "read blocks");
    let share = reads.filter_map(FilesRow::read_from_device).next()?;
    (share < FROM_DEVICE_MIN).then(|| {
        let enough = host.ram.0.saturating_mul(MEMORIES).div_ceil(1 << 30);
        let remedy = match work.data.0 < host.ram.0.saturating_mul(MEMORIES) {
            true => format!(": use --data {enough}G, twice the memory, or --drop-caches as root"),
            false => String::new(),
        };
        format!(
            "the device delivered {} of the data read in blocks; the rest came from the page cache{remedy}",
            percent(share.min(1.0))
        )
    })
}

/// Work on names is complete when the system has noted it, which is long before it is on the device.
fn not_yet_written(rows: &[FilesRow]) -> Option<String> {
    let there = |name: &str| {
        rows.iter()
            .any(|row| row.operation == name && row.iops_estimate.is_some())
    };
    let noted = ["create", "append", "rename", "delete"].into_iter();
    let noted: Vec<&str> = noted.filter(|name| there(name)).collect();
    (there("create") && there("append and fsync")).then(|| {
        format!(
            "{}: complete when the change is in memory; append and fsync: when it is on stable storage",
            listed(&noted)
        )
    })
}

fn cut(rows: &[FilesRow], first: &FilesRecord) -> Option<String> {
    let FilesWork::Tree(work) = &first.work else {
        return None;
    };
    let cut: Vec<String> = rows
        .iter()
        .filter(|row| row.cut && row.amount.planned.is_some())
        .map(|row| format!("{} ({})", row.operation, row.order))
        .collect();
    (!cut.is_empty()).then(|| {
        format!(
            "cut short after {}, with the rate until then: {}; change with --step-limit",
            time(work.step_limit.0 as f64),
            cut.join(", ")
        )
    })
}
