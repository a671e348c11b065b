//! A quick look: what `hdparm -tT` and two runs of dd tell, and what a database feels.

use super::{
    LooksContext, LooksPlace, block, device_share, doubt, place_of, rate, reports, scaled,
};
use crate::run::RunReport;
use crate::say::{self, mib_per_s, percent, time};
use crate::{Estimate, Latency};
use model::RunRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickStep {
    /// The same 2 MiB over and over: memory and the way to it. `hdparm -T`.
    CachedRead,
    /// In blocks of 1 MiB past the system's cache, one at a time. `dd bs=1M iflag=direct`, `hdparm -t --direct`.
    Read,
    /// The same through the system's cache, which holds nothing of it yet. `hdparm -t`.
    ReadAhead,
    /// 4 KiB anywhere, one at a time.
    RandomRead,
    /// 4 KiB anywhere, 32 at a time.
    RandomReadDeep,
    /// In blocks of 1 MiB past the system's cache. `dd bs=1M oflag=direct`.
    Write,
    /// 4 KiB anywhere, each on stable storage before the next begins.
    FlushedWrite,
    /// In blocks of 1 MiB into the system's cache, without waiting for the device. `dd bs=1M`.
    CachedWrite,
}

impl QuickStep {
    /// Those that read, in their order.
    pub const READS: [QuickStep; 5] = [
        QuickStep::Read,
        QuickStep::ReadAhead,
        QuickStep::RandomRead,
        QuickStep::RandomReadDeep,
        QuickStep::CachedRead,
    ];

    /// Those that write, in their order: what leaves work behind comes last.
    pub const WRITES: [QuickStep; 3] = [
        QuickStep::Write,
        QuickStep::FlushedWrite,
        QuickStep::CachedWrite,
    ];

    /// What it is called in the database and on the page.
    pub const fn label(self) -> &'static str {
        match self {
            QuickStep::CachedRead => "cached read, 2M again and again",
            QuickStep::Read => "sequential read, 1M",
            QuickStep::ReadAhead => "sequential read, with read-ahead",
            QuickStep::RandomRead => "random read, 4K, depth 1",
            QuickStep::RandomReadDeep => "random read, 4K, depth 32",
            QuickStep::Write => "sequential write, 1M",
            QuickStep::FlushedWrite => "random write, 4K, each flushed",
            QuickStep::CachedWrite => "cached write, 1M, not flushed",
        }
    }

    fn of_label(label: &str) -> Option<Self> {
        let mut all = Self::READS.into_iter().chain(Self::WRITES);
        all.find(|step| step.label() == label)
    }

    /// Whether the system's cache takes part on purpose.
    pub const fn cached(self) -> bool {
        matches!(
            self,
            QuickStep::CachedRead | QuickStep::ReadAhead | QuickStep::CachedWrite
        )
    }

    /// What it says, in a few words.
    const fn what(self) -> &'static str {
        match self {
            QuickStep::CachedRead => "memory (hdparm -T)",
            QuickStep::Read => "device (dd direct)",
            QuickStep::ReadAhead => "device (hdparm -t)",
            QuickStep::RandomRead => "one reader that waits",
            QuickStep::RandomReadDeep => "many readers",
            QuickStep::Write => "device (dd direct)",
            QuickStep::FlushedWrite => "a database's commits",
            QuickStep::CachedWrite => "memory first (dd)",
        }
    }
}

/// A quick look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuickReport {
    /// The answer in one line.
    pub headline: String,
    /// One a run, in their order.
    pub rows: Vec<QuickRow>,
    /// Where and on what; none where nothing was run.
    pub place: Option<LooksPlace>,
    /// What a person should know, the heaviest first.
    pub notes: Vec<String>,
    /// Somebody ended it before its time, or an error did.
    pub complete: bool,
}

/// One run of a quick look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuickRow {
    /// What was done.
    pub label: String,
    /// What it says.
    pub what: String,
    /// IOPS.
    pub rate_per_s: Estimate,
    /// Bytes a second.
    pub bytes_per_s: Estimate,
    /// How long one took.
    pub latency: Latency,
    /// Share of its bytes that the device moved; none where it does not tell.
    pub device_share: Option<f64>,
    /// How long was counted.
    pub measured_ns: u64,
}

/// The report of a session's runs, each with its label.
pub fn quick_report(runs: &[(String, RunRecord)], context: &LooksContext) -> QuickReport {
    let all = reports(runs);
    let known = runs.iter().zip(&all).filter_map(|((label, _), report)| {
        let step = QuickStep::of_label(label)?;
        Some((step, row(step, report)?, report))
    });
    let known: Vec<(QuickStep, QuickRow, &RunReport)> = known.collect();
    let mut notes: Vec<String> = context.failure.iter().cloned().collect();
    notes.extend(context.notes.iter().cloned());
    notes.extend(known.iter().filter_map(|(step, _, report)| {
        let told = doubt(report, step.cached())?;
        Some(format!("{}: {told}", step.label()))
    }));
    notes.extend(
        known
            .iter()
            .filter_map(|(step, row, _)| from_cache(*step, row)),
    );
    QuickReport {
        headline: headline(&known),
        place: place_of(all.first(), &all),
        rows: known.into_iter().map(|(_, row, _)| row).collect(),
        notes,
        complete: !context.interrupted && context.failure.is_none(),
    }
}

fn row(step: QuickStep, report: &RunReport) -> Option<QuickRow> {
    let rate = rate(report)?;
    let total = report
        .operations
        .iter()
        .find(|row| row.operation == "total")?;
    Some(QuickRow {
        label: step.label().to_owned(),
        what: step.what().to_owned(),
        rate_per_s: rate,
        bytes_per_s: scaled(rate, block(report)),
        latency: total.latency.clone(),
        device_share: device_share(report),
        measured_ns: report.time.measured_ns,
    })
}

/// Read-ahead is only as good as a cache that was empty.
fn from_cache(step: QuickStep, row: &QuickRow) -> Option<String> {
    let share = row.device_share?;
    (step == QuickStep::ReadAhead && share < 0.9).then(|| {
        format!(
            "{}: the device delivered {} of it; the rest was in the system's cache before",
            step.label(),
            percent(share)
        )
    })
}

fn headline(known: &[(QuickStep, QuickRow, &RunReport)]) -> String {
    let row = |step| {
        known
            .iter()
            .find(|(known, ..)| *known == step)
            .map(|(_, row, _)| row)
    };
    let mut parts = Vec::new();
    if let Some(read) = row(QuickStep::Read) {
        parts.push(format!(
            "reads {} MiB/s in sequence",
            mib_per_s(read.bytes_per_s.value)
        ));
    }
    if let Some(random) = row(QuickStep::RandomRead) {
        let median = random.latency.at(0.5).and_then(|at| at.latency_ns);
        let median = median.map_or(String::new(), |ns| format!(" ({} each)", time(ns as f64)));
        parts.push(format!(
            "{}/s at random{median}",
            say::rate(random.rate_per_s.value)
        ));
    }
    if let Some(deep) = row(QuickStep::RandomReadDeep) {
        parts.push(format!(
            "{}/s with 32 at once",
            say::rate(deep.rate_per_s.value)
        ));
    }
    if let Some(write) = row(QuickStep::Write) {
        parts.push(format!(
            "writes {} MiB/s",
            mib_per_s(write.bytes_per_s.value)
        ));
    }
    if let Some(flushed) = row(QuickStep::FlushedWrite) {
        parts.push(format!(
            "{} flushed writes/s",
            say::rate(flushed.rate_per_s.value)
        ));
    }
    if let Some(cached) = row(QuickStep::CachedRead) {
        parts.push(format!(
            "the cache gives {} MiB/s",
            mib_per_s(cached.bytes_per_s.value)
        ));
    }
    match parts.is_empty() {
        true => "nothing was measured: no run came to its end".to_owned(),
        false => parts.join(", "),
    }
}
