//! An empty run to be filled, and what all readers do.

use model::{
    ImportFormat, ImportedFigures, ImportedLatency, ImportedOperation, ImportedRun,
    ImportedWorkload, Nanos, Ratio,
};

/// A run of which nothing is known yet.
pub(crate) fn unknown(format: ImportFormat) -> ImportedRun {
    ImportedRun {
        format,
        tool_version: None,
        source: String::new(),
        place: 1,
        line: 1,
        started_utc: None,
        host: None,
        command: None,
        name: None,
        workload: ImportedWorkload::default(),
        measured: None,
        figures: ImportedFigures::default(),
        cpu: None,
        evidence: model::imported_evidence::ImportedEvidence::default(),
        rows: Vec::new(),
        notes: Vec::new(),
        text: String::new(),
    }
}

/// The figures of a run that reads or writes alone, or of which that is unknown.
pub(crate) fn of_side(write: Option<Ratio>, total: ImportedOperation) -> ImportedFigures {
    let mut figures = ImportedFigures::default();
    match write.map(Ratio::as_percent) {
        Some(100) => figures.write = total.clone(),
        Some(0) => figures.read = total.clone(),
        _ => {}
    }
    figures.total = total;
    figures
}

/// What stands behind a label, without the blanks around it.
pub(crate) fn after<'t>(line: &'t str, label: &str) -> Option<&'t str> {
    line.trim_start().strip_prefix(label).map(str::trim)
}

/// The value that all have, if they all have the same.
pub(crate) fn common<T: PartialEq + Clone>(
    values: impl IntoIterator<Item = Option<T>>,
) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next()??;
    values
        .all(|value| value.as_ref() == Some(&first))
        .then_some(first)
}

/// Reads and writes together, where a tool prints only the two: counts and rates are added, the mean is weighted with
/// the counts, the extremes are the outer ones. What cannot be computed from the two (standard deviation, percentiles) is
/// there only if one of them did nothing.
pub(crate) fn total(read: &ImportedOperation, write: &ImportedOperation) -> ImportedOperation {
    let idle = |one: &ImportedOperation| one.ios == Some(0);
    match (idle(read), idle(write)) {
        (_, true) => return read.clone(),
        (true, _) => return write.clone(),
        _ => {}
    }
    let sum = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
    let ios = read.ios.zip(write.ios).map(|(a, b)| a.saturating_add(b));
    let (one, other) = (&read.latency, &write.latency);
    ImportedOperation {
        ios,
        bytes: read
            .bytes
            .zip(write.bytes)
            .map(|(a, b)| model::Bytes(a.0.saturating_add(b.0))),
        ios_per_s: sum(read.ios_per_s, write.ios_per_s),
        bytes_per_s: sum(read.bytes_per_s, write.bytes_per_s),
        ios_per_s_sd: None,
        errors: read
            .errors
            .zip(write.errors)
            .map(|(a, b)| a.saturating_add(b)),
        latency: ImportedLatency {
            mean: mean(read, write),
            sd: None,
            min: one.min.zip(other.min).map(|(a, b)| a.min(b)),
            max: one.max.zip(other.max).map(|(a, b)| a.max(b)),
            percentiles: Vec::new(),
            resolution: one.resolution.max(other.resolution),
            histogram: Vec::new(),
        },
    }
}

fn mean(read: &ImportedOperation, write: &ImportedOperation) -> Option<Nanos> {
    weighted(
        [read.ios, write.ios],
        [read.latency.mean, write.latency.mean],
    )
}

/// The mean of two means, weighted with their counts.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a mean lies between the two, and the quotient fits"
)]
pub(crate) fn weighted(ios: [Option<u64>; 2], means: [Option<Nanos>; 2]) -> Option<Nanos> {
    let part = |at: usize| {
        let ios = u128::from(ios[at]?);
        Some((ios, ios * u128::from(means[at]?.0)))
    };
    let ((a, sum_a), (b, sum_b)) = (part(0)?, part(1)?);
    let sum = sum_a.checked_add(sum_b)?;
    (a + b > 0).then(|| Nanos((sum / (a + b)) as u64))
}
