//! A quick look: what `hdparm -tT` and two runs of dd report, and the latency of a database.

use super::{
    LooksContext, LooksPlace, StepFinding, block, device_share, place_of, rate, reports, scaled,
    step_findings, verdict,
};
use crate::run::RunReport;
use crate::say::{self, mib_per_s, percent, time};
use crate::{Answer, Estimate, Latency, Verdict};
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
    /// The same through the system's cache, which contains nothing of it yet. `hdparm -t`.
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

    /// Its text, in a few words.
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
    /// The answer, in a few lines; none where nothing was measured.
    pub answers: Vec<Answer>,
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// One a run, in their order.
    pub rows: Vec<QuickRow>,
    /// Place and target; none if nothing was run.
    pub place: Option<LooksPlace>,
    /// Errors and warnings of the runs.
    pub findings: Vec<StepFinding>,
    /// Notes on these figures.
    pub notes: Vec<String>,
    /// It was interrupted, or an error ended it.
    pub complete: bool,
}

/// One run of a quick look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuickRow {
    /// What was done.
    pub label: String,
    /// Its text.
    pub what: String,
    /// IOPS.
    pub iops_estimate: Estimate,
    /// Bytes a second.
    pub bytes_per_s_estimate: Estimate,
    /// How long one took.
    pub latency: Latency,
    /// Share of its bytes that the device transferred; none if it does not report it.
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
    let steps: Vec<(String, bool, &RunReport)> = known
        .iter()
        .map(|(step, _, report)| (step.label().to_owned(), step.cached(), *report))
        .collect();
    let findings = step_findings(&steps);
    let mut notes = context.notes.clone();
    notes.extend(
        known
            .iter()
            .filter_map(|(step, row, _)| from_cache(*step, row)),
    );
    QuickReport {
        answers: answers(&known),
        verdict: verdict(&steps, &findings, context),
        place: place_of(all.first(), &all),
        rows: known.into_iter().map(|(_, row, _)| row).collect(),
        findings,
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
        iops_estimate: rate,
        bytes_per_s_estimate: scaled(rate, block(report)),
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

fn answers(known: &[(QuickStep, QuickRow, &RunReport)]) -> Vec<Answer> {
    let row = |step| {
        let mut all = known.iter();
        all.find(|(known, ..)| *known == step)
            .map(|(_, row, _)| row)
    };
    let flow = |step, what: &str| {
        let row: &QuickRow = row(step)?;
        Some(format!(
            "{what} {} MiB/s",
            mib_per_s(row.bytes_per_s_estimate.value)
        ))
    };
    let iops = |step, what: &str, how: &str| {
        let row: &QuickRow = row(step)?;
        Some(format!(
            "{what}{} IOPS ({how})",
            say::rate(row.iops_estimate.value)
        ))
    };
    let median = |step, what: &str| {
        let median = row(step)?.latency.at(0.5)?.latency_ns?;
        Some(format!("{what} {}", time(median as f64)))
    };
    let random = [
        iops(QuickStep::RandomRead, "read ", "QD1"),
        iops(QuickStep::RandomReadDeep, "", "QD32"),
    ];
    let alone = median(QuickStep::RandomRead, "QD1 latency");
    let flushed = [
        iops(QuickStep::FlushedWrite, "write ", "QD1"),
        median(QuickStep::FlushedWrite, "latency"),
    ];
    let sequential = [
        flow(QuickStep::Read, "read"),
        flow(QuickStep::Write, "write"),
    ];
    let cached = [
        flow(QuickStep::CachedRead, "read"),
        flow(QuickStep::CachedWrite, "write"),
    ];
    [
        Answer::of("4 KiB random", random).map(|answer| answer.with_detail(alone)),
        Answer::of("4 KiB random, each flushed", flushed),
        Answer::of("1 MiB sequential", sequential),
        Answer::of("page cache", cached),
    ]
    .into_iter()
    .flatten()
    .collect()
}
