//! What the layers above a device cost: raw past the system's cache, raw through it, and through a file system.
//!
//! The rounds are interleaved, so that a drift of the device affects all layers equally; the cost of a layer is taken within
//! each round, and its interval is that of the mean of the rounds (Student's t, paired; Montgomery, Design and Analysis of
//! Experiments, section 2.5). Deliberately absent: what happens within a run.

use super::{
    LooksContext, LooksPlace, StepFinding, block, device_share, lowest, place_of, reports, scaled,
    step_findings, verdict,
};
use crate::run::RunReport;
use crate::say::{self, mib_per_s, percent};
use crate::spread::{mean, relative_half_width, t_95_of};
use crate::{Answer, Estimate, Verdict};
use model::RunRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An I/O path to the device. The others are compared with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The device, past the system's cache.
    Raw,
    /// The device, through the system's cache.
    RawCached,
    /// A file, past the system's cache.
    File,
    /// A file, through the system's cache.
    FileCached,
}

impl Layer {
    /// In the order of the page.
    pub const ALL: [Layer; 4] = [Layer::Raw, Layer::RawCached, Layer::File, Layer::FileCached];

    /// As it stands in labels and on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Raw => "raw, direct I/O",
            Layer::RawCached => "raw, through the cache",
            Layer::File => "file system, direct I/O",
            Layer::FileCached => "file system, through the cache",
        }
    }

    /// Through the system's cache.
    pub const fn cached(self) -> bool {
        matches!(self, Layer::RawCached | Layer::FileCached)
    }

    /// On a file.
    pub const fn of_file(self) -> bool {
        matches!(self, Layer::File | Layer::FileCached)
    }
}

/// Work on each I/O path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayerWork {
    /// 1 MiB after the other.
    SequentialRead,
    /// 4 KiB anywhere.
    RandomRead,
    /// 1 MiB after the other.
    SequentialWrite,
}

impl LayerWork {
    /// In the order of the page.
    pub const ALL: [LayerWork; 3] = [
        LayerWork::SequentialRead,
        LayerWork::RandomRead,
        LayerWork::SequentialWrite,
    ];

    /// As it stands in labels and on the page.
    pub const fn name(self) -> &'static str {
        match self {
            LayerWork::SequentialRead => "sequential read, 1M",
            LayerWork::RandomRead => "random read, 4K",
            LayerWork::SequentialWrite => "sequential write, 1M",
        }
    }
}

/// One work on one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerStep {
    /// The way.
    pub layer: Layer,
    /// The work.
    pub work: LayerWork,
}

impl LayerStep {
    /// What it is called in the database.
    pub fn label(self) -> String {
        format!("{}: {}", self.work.name(), self.layer.name())
    }

    fn of_label(label: &str) -> Option<Self> {
        // As labels had it that were stored before 2026-11-23.
        let label = label.replace("past the cache", "direct I/O");
        let works = LayerWork::ALL.into_iter();
        let mut all = works.flat_map(|work| Layer::ALL.map(|layer| LayerStep { layer, work }));
        all.find(|step| step.label() == label)
    }
}

/// What the layers cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayersReport {
    /// The answer, one line for each work; none where nothing was compared.
    pub answers: Vec<Answer>,
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// One for each work and way that was measured.
    pub rows: Vec<LayerRow>,
    /// Rounds that every way took part in.
    pub rounds: u64,
    /// Place and target; none if nothing was run.
    pub place: Option<LooksPlace>,
    /// Errors and warnings of the runs.
    pub findings: Vec<StepFinding>,
    /// Notes on these figures.
    pub notes: Vec<String>,
    /// It was completed.
    pub complete: bool,
}

/// One work on one way, over all rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerRow {
    /// The work.
    pub work: LayerWork,
    /// The way.
    pub layer: Layer,
    /// IOPS: the mean of the rounds.
    pub iops_estimate: Estimate,
    /// Bytes a second.
    pub bytes_per_s_estimate: Estimate,
    /// Cost compared with the raw device with direct I/O; none for that itself, and if it was not measured.
    pub cost: Option<LayerCost>,
    /// Share of its bytes that the device transferred, over all rounds; none if it does not report it.
    pub device_share: Option<f64>,
}

/// Cost of a layer: loss of throughput in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LayerCost {
    /// Bytes a second less; below 0 it brings more.
    pub bytes_per_s: f64,
    /// The same as a share of the throughput without it.
    pub share: Estimate,
}

impl LayerCost {
    /// From the rates of each round, without the layer and with it, in bytes per second; `None` where nothing came without.
    pub fn of(without: &[f64], with: &[f64]) -> Option<LayerCost> {
        let pairs: Vec<(f64, f64)> = without.iter().copied().zip(with.iter().copied()).collect();
        if pairs.is_empty() || pairs.iter().any(|(without, _)| *without <= 0.0) {
            return None;
        }
        let shares: Vec<f64> = pairs
            .iter()
            .map(|(without, with)| 1.0 - with / without)
            .collect();
        let value = mean(&shares);
        let count = shares.len() as f64;
        let squares: f64 = shares.iter().map(|share| (share - value).powi(2)).sum();
        let half = (shares.len() > 1)
            .then(|| t_95_of(count) * (squares / (count - 1.0)).sqrt() / count.sqrt());
        let less: Vec<f64> = pairs.iter().map(|(without, with)| without - with).collect();
        Some(LayerCost {
            bytes_per_s: mean(&less),
            share: Estimate {
                value,
                low: half.map(|half| value - half),
                high: half.map(|half| value + half),
                samples: count,
                not_known: None,
            },
        })
    }
}

/// The report of a session's runs, each with its label, in the order in which they were run.
pub fn layers_report(runs: &[(String, RunRecord)], context: &LooksContext) -> LayersReport {
    let all = reports(runs);
    let known = runs.iter().zip(&all);
    let known: Vec<(LayerStep, &RunReport)> = known
        .filter_map(|((label, _), report)| Some((LayerStep::of_label(label)?, report)))
        .collect();
    let rounds_of = |step: LayerStep| known.iter().filter(move |(one, _)| *one == step);
    let mut rows = Vec::new();
    for work in LayerWork::ALL {
        for layer in Layer::ALL {
            let of = |layer| -> Vec<&RunReport> {
                rounds_of(LayerStep { layer, work })
                    .map(|(_, report)| *report)
                    .collect()
            };
            rows.extend(row(LayerStep { layer, work }, &of(layer), &of(Layer::Raw)));
        }
    }
    let counts = known.iter().map(|(step, _)| rounds_of(*step).count());
    let place = place_of(all.first(), &all);
    let steps: Vec<(String, bool, &RunReport)> = known
        .iter()
        .map(|(step, report)| (step.label(), step.layer.cached(), *report))
        .collect();
    let findings = step_findings(&steps);
    let mut notes = context.notes.clone();
    notes.extend(elsewhere(place.as_ref()));
    notes.extend(rows.iter().filter_map(from_cache));
    LayersReport {
        answers: answers(&rows),
        verdict: verdict(&steps, &findings, context),
        rounds: counts.min().unwrap_or(0) as u64,
        place,
        rows,
        findings,
        notes,
        complete: !context.interrupted && context.failure.is_none(),
    }
}

fn row(step: LayerStep, rounds: &[&RunReport], raw: &[&RunReport]) -> Option<LayerRow> {
    let LayerStep { layer, work } = step;
    let block = rounds.first().map(|report| block(report))?;
    let rates = |reports: &[&RunReport]| -> Vec<f64> {
        reports.iter().filter_map(|report| total(report)).collect()
    };
    let mine = rates(rounds);
    let value = mean(&mine);
    let half = relative_half_width(&mine);
    let rate = Estimate {
        value,
        low: half.map(|half| (value * (1.0 - half)).max(0.0)),
        high: half.map(|half| value * (1.0 + half)),
        samples: mine.len() as f64,
        not_known: None,
    };
    let flows = |rates: Vec<f64>| -> Vec<f64> { rates.iter().map(|rate| rate * block).collect() };
    let cost = (layer != Layer::Raw)
        .then(|| LayerCost::of(&flows(rates(raw)), &flows(mine)))
        .flatten();
    let shares: Option<Vec<f64>> = rounds.iter().map(|report| device_share(report)).collect();
    Some(LayerRow {
        work,
        layer,
        iops_estimate: rate,
        bytes_per_s_estimate: scaled(rate, block),
        cost,
        device_share: shares.map(|shares| mean(&shares)),
    })
}

fn total(report: &RunReport) -> Option<f64> {
    let total = report
        .operations
        .iter()
        .find(|row| row.operation == "total")?;
    Some(total.iops)
}

/// The file has to lie on the device for the comparison to mean anything.
fn elsewhere(place: Option<&LooksPlace>) -> Option<String> {
    let lowest: Vec<_> = place?
        .targets
        .iter()
        .filter_map(lowest)
        .map(|device| &device.name)
        .collect();
    let first = lowest.first()?;
    let other = lowest.iter().find(|name| *name != first)?;
    Some(format!(
        "the device is {first} and the file is on {other}: two devices are compared, not two layers"
    ))
}

fn from_cache(row: &LayerRow) -> Option<String> {
    let share = row.device_share?;
    let reads = row.work != LayerWork::SequentialWrite;
    (row.layer.cached() && reads && share < 0.9).then(|| {
        format!(
            "{} ({}): the device delivered {} of it; the rest came from the cache itself",
            row.layer.name(),
            row.work.name(),
            percent(share)
        )
    })
}

fn answers(rows: &[LayerRow]) -> Vec<Answer> {
    let of_work = |work: LayerWork| {
        let row = |layer| {
            rows.iter()
                .find(|row| row.layer == layer && row.work == work)
        };
        let (raw, file) = (row(Layer::Raw)?, row(Layer::File)?);
        let cost = file.cost?;
        let figure = |row: &LayerRow| match work {
            LayerWork::RandomRead => format!("{} IOPS", say::rate(row.iops_estimate.value)),
            LayerWork::SequentialRead | LayerWork::SequentialWrite => {
                format!("{} MiB/s", mib_per_s(row.bytes_per_s_estimate.value))
            }
        };
        let figures = [
            format!("device {}", figure(raw)),
            format!("file system {}", figure(file)),
            format!("cost of the file system {}", words(cost)),
        ];
        Answer::of(work.name(), figures.map(Some))
    };
    LayerWork::ALL.into_iter().filter_map(of_work).collect()
}

/// `3.1 ±0.8%`; less than nothing is a gain.
fn words(cost: LayerCost) -> String {
    let percent = cost.share.value * 100.0;
    let sign = if percent < 0.0 { "-" } else { "" };
    let half = cost
        .share
        .high
        .map(|high| (high - cost.share.value) * 100.0);
    let half = half.map_or(String::new(), |half| format!(" ±{}", say::digits(half)));
    format!("{sign}{}{half}%", say::digits(percent.abs()))
}
