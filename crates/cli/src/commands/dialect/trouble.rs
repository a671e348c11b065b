//! What went wrong with I/Os of a time span, on standard error: the pages of other tools have no place for it.
//!
//! Omitted: what kept a time span from its first I/O, which is reported where it is found (`session`).

use crate::output;
use model::{Failure, Operation, Outcome, RunRecord, Tally};
use std::path::Path;

/// Reports it, one line per kind of trouble.
pub(crate) fn tell(record: &RunRecord) {
    lines(record).iter().for_each(|line| output::tell(line));
}

fn lines(record: &RunRecord) -> Vec<String> {
    let mut reported = Vec::new();
    if let Outcome::Failed(failure) = &record.outcome {
        reported.push(ended_by(failure, &path_of(record, failure.target)));
        if !failure.is_of_the_target() {
            return reported;
        }
    }
    for (target, number) in record.plan.targets.iter().zip(0u32..) {
        let path = path_of(record, number);
        for operation in Operation::ALL {
            let mine = record.threads.iter().filter(|one| one.target == number);
            let tallies: Vec<&Tally> = mine
                .map(|thread| &thread.measured[operation.index()])
                .collect();
            let head = format!("warning: {path}: error during {}", operation.name());
            reported.extend(failed(&tallies).into_iter().map(|(errno, count)| {
                let why = record.host.error_text(errno);
                format!("{head}: {count} I/Os failed: {why} (error code: {errno}); they are not in the results")
            }));
            let short: u64 = tallies.iter().map(|tally| tally.short_ios).sum();
            if short > 0 {
                let (block, name) = (target.workload.block, operation.name());
                reported.push(format!(
                    "warning: {path}: {short} I/Os transferred fewer bytes instead of {block} during {name}; they are in \
                     the results with what they transferred"
                ));
            }
        }
    }
    reported
}

/// DISKSPD's words for it, with what they omit.
fn ended_by(failure: &Failure, path: &str) -> String {
    if failure.is_of_the_target() {
        return format!("{path}: {}", failure.words());
    }
    format!(
        "{path}: error during {}: {} at byte {} failed: {} (error code: {}); to count errors and continue, add: \
         --continue-on-error",
        failure.operation.name(),
        failure.length,
        failure.offset.0,
        failure.message,
        failure.errno,
    )
}

/// How often each error came, the most frequent first.
fn failed(tallies: &[&Tally]) -> Vec<(i32, u64)> {
    let mut counts: Vec<(i32, u64)> = Vec::new();
    for error in tallies.iter().flat_map(|tally| &tally.errors) {
        match counts.iter_mut().find(|(errno, _)| *errno == error.errno) {
            Some((_, count)) => *count += error.count,
            None => counts.push((error.errno, error.count)),
        }
    }
    counts.sort_by_key(|&(errno, count)| (std::cmp::Reverse(count), errno));
    counts
}

fn path_of(record: &RunRecord, target: u32) -> String {
    let path = record.plan.targets.get(target as usize);
    let path = path.and_then(|target| target.location.path());
    path.map_or_else(String::new, |path: &Path| path.display().to_string())
}
