//! A part of a test in the report: its table, the window in which it was steady, its values over the rounds and over time.
//!
//! Omitted: which runs count (`progress`).

use super::definition::{PtsCell, PtsMetric, PtsOrder, PtsPartKind, PtsRole, PtsTest};
use super::measured::PtsRun;
use super::progress::PtsProgress;
use crate::latency::Latency;
use crate::steady_state::{STEADY_RANGE_MAX, STEADY_SLOPE_MAX, STEADY_WINDOW, SteadyWindow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From here on a figure of a formula has no digits behind the point.
const MILLION: f64 = 1e6;

/// A part of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsPartReport {
    /// What distinguishes it from others of its kind; empty without others.
    pub name: String,
    /// `precondition`, `rounds` or `once`.
    pub kind: String,
    /// The figure that its values are: `iops`, `bytes_per_s` or `latency_mean_ns`.
    pub metric: String,
    /// Complete rounds that count.
    pub rounds: u32,
    /// Most rounds that are allowed.
    pub rounds_max: u32,
    /// In how many rounds steady state was reached; none where it was not, and of parts without rounds.
    pub reached: Option<u32>,
    /// Nothing of it is left.
    pub done: bool,
    /// Which series of rounds counts: above 1 after a rest in which the drive could recover.
    pub series: u32,
    /// Bytes that were written in it.
    pub written_bytes: u64,
    /// What decides about steady state, each with its measurement window.
    pub steady: Vec<PtsSteady>,
    /// Its cells in their order; those that restore the drive's state are omitted.
    pub cells: Vec<PtsCellReport>,
    /// The figure over time, of tests that report it.
    pub over_time: Vec<PtsMoment>,
}

/// One cell of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsCellReport {
    /// Its row in the table.
    pub row: String,
    /// Its column in the table: reads/writes, or the queue depth.
    pub column: String,
    /// Bytes of one I/O; of the largest in the composite load.
    pub block_bytes: u64,
    /// Share of writes in percent.
    pub write_percent: u8,
    /// `random`, `sequential` or `composite`.
    pub pattern: String,
    /// Threads.
    pub threads: u32,
    /// Queue depth per thread.
    pub queue_depth: u32,
    /// The figure of the part in each round.
    pub values: Vec<f64>,
    /// Means over the measurement window, or over the last rounds; none where it was not run.
    pub means: Option<PtsMeans>,
    /// How long the I/Os of a run with a histogram took; none of other cells.
    pub latency: Option<Latency>,
}

/// Means over rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsMeans {
    /// Rounds.
    pub rounds: u32,
    /// IOPS.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean of the mean latencies in nanoseconds.
    pub latency_mean_ns: f64,
    /// Largest latency of all these rounds in nanoseconds.
    pub latency_max_ns: u64,
}

/// The window in which one value was judged, with its line: SNIA's steady-state measurement window and determination data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsSteady {
    /// The cell.
    pub cell: String,
    /// The first round of the window. // from 1
    pub from_round: u32,
    /// The values of its rounds.
    pub values: Vec<f64>,
    /// What was found: mean, range, slope, line.
    pub window: SteadyWindow,
    /// Largest minus smallest value that is allowed.
    pub range_allowed: f64,
    /// Largest minus smallest value that was measured.
    pub range_measured: f64,
    /// Rise or fall of the line that is allowed.
    pub slope_allowed: f64,
    /// Rise of the line that was measured; negative for a fall.
    pub slope_measured: f64,
    /// 110% of the mean, the upper line of the plot.
    pub mean_high: f64,
    /// 90% of the mean, the lower line of the plot.
    pub mean_low: f64,
    /// The least-squares line over the number of the round.
    pub formula: String,
}

/// A moment of a test that runs without rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PtsMoment {
    /// Since the beginning of the part, idle times included, in nanoseconds.
    pub at_ns: u64,
    /// Bytes that were written in the part until then.
    pub written_bytes: u64,
    /// IOPS.
    pub iops: f64,
}

/// The reports of all parts as far as they are.
pub(super) fn part_reports(test: PtsTest, all: &[PtsProgress<'_>]) -> Vec<PtsPartReport> {
    let mut reports: Vec<PtsPartReport> = all.iter().map(|part| part_report(test, part)).collect();
    let rounds = all
        .iter()
        .find(|part| part.part.kind == PtsPartKind::Rounds);
    // The loads of histograms follow from the rounds.
    for (part, report) in all.iter().zip(&mut reports) {
        let cells = part.part.cells.iter().filter(|cell| cell.is_shown());
        for (cell, shown) in cells.zip(&mut report.cells) {
            if let Some(found) = rounds.and_then(|rounds| rounds.demand(cell.role)) {
                (shown.threads, shown.queue_depth) = (found.threads, found.depth);
                shown.column = found.name();
            }
        }
    }
    reports
}

fn part_report(test: PtsTest, progress: &PtsProgress<'_>) -> PtsPartReport {
    let part = progress.part;
    let shown = part.cells.iter().enumerate();
    let shown = shown.filter(|(_, cell)| cell.is_shown());
    PtsPartReport {
        name: part.name.clone(),
        kind: match part.kind {
            PtsPartKind::Precondition => "precondition",
            PtsPartKind::Rounds => "rounds",
            PtsPartKind::Once => "once",
        }
        .to_owned(),
        metric: part.metric.name().to_owned(),
        rounds: match part.kind {
            PtsPartKind::Rounds => u32::try_from(progress.rounds.len()).unwrap_or(u32::MAX),
            PtsPartKind::Precondition | PtsPartKind::Once => 0,
        },
        rounds_max: part.rounds_max,
        reached: progress.reached,
        done: progress.done,
        series: progress.series,
        written_bytes: progress.counted().map(|run| run.written_bytes).sum(),
        steady: steady(progress),
        cells: shown
            .map(|(place, _)| cell_report(progress, place))
            .collect(),
        over_time: match (part.kind, part.metric, test) {
            (_, PtsMetric::LastIops, _) | (PtsPartKind::Once, _, PtsTest::Hir | PtsTest::Xsr) => {
                over_time(progress)
            }
            _ => Vec::new(),
        },
    }
}

/// The runs of a cell in the window, or in the last rounds where no window is steady; of other parts those that are there.
fn window<'a>(progress: &PtsProgress<'a>, place: usize) -> Vec<&'a PtsRun> {
    match progress.part.kind {
        PtsPartKind::Rounds => {
            let until = progress
                .reached
                .map_or(progress.rounds.len(), |at| at as usize);
            let from = until.saturating_sub(STEADY_WINDOW);
            let rounds = progress.rounds[from..until].iter();
            rounds
                .filter_map(|round| round.get(place).copied())
                .collect()
        }
        PtsPartKind::Precondition | PtsPartKind::Once => {
            let own = |run: &&PtsRun| run.step.cell as usize == place;
            progress.counted().filter(own).collect()
        }
    }
}

impl<'a> PtsProgress<'a> {
    /// The cell of this part whose IOPS are the most, or nearest to the middle between least and most; none where no round is
    /// complete, and for other roles.
    pub fn demand(&self, role: PtsRole) -> Option<&'a PtsCell> {
        let cells = self.part.cells.iter().enumerate();
        let rates = cells
            .filter(|(_, cell)| cell.is_shown())
            .filter_map(|(place, cell)| {
                let means = means(&window(self, place))?;
                Some((cell, means.iops))
            });
        let rates: Vec<(&PtsCell, f64)> = rates.collect();
        let most = rates
            .iter()
            .max_by(|one, other| one.1.total_cmp(&other.1))?;
        let least = rates
            .iter()
            .min_by(|one, other| one.1.total_cmp(&other.1))?;
        let middle = f64::midpoint(least.1, most.1);
        let away = |rate: f64| (rate - middle).abs();
        match role {
            PtsRole::MostDemand => Some(most.0),
            PtsRole::MiddleDemand => {
                let nearest = rates.iter();
                let nearest = nearest.min_by(|one, other| away(one.1).total_cmp(&away(other.1)));
                nearest.map(|found| found.0)
            }
            PtsRole::Measured | PtsRole::Tracked | PtsRole::Between => None,
        }
    }
}

fn cell_report(progress: &PtsProgress<'_>, place: usize) -> PtsCellReport {
    let cell = &progress.part.cells[place];
    let runs = window(progress, place);
    let has_histogram = matches!(cell.role, PtsRole::MiddleDemand | PtsRole::MostDemand);
    PtsCellReport {
        row: cell.row.clone(),
        column: cell.column.clone(),
        block_bytes: cell.work.block.0,
        write_percent: cell.work.write.as_percent(),
        pattern: match cell.work.order {
            PtsOrder::Random => "random",
            PtsOrder::Sequential => "sequential",
            PtsOrder::Composite => "composite",
        }
        .to_owned(),
        threads: cell.threads,
        queue_depth: cell.depth,
        values: match progress.part.kind {
            PtsPartKind::Rounds => progress.values(place, progress.part.metric),
            _ => runs
                .iter()
                .map(|run| run.value(progress.part.metric))
                .collect(),
        },
        means: means(&runs),
        latency: runs
            .first()
            .filter(|_| has_histogram)
            .map(|run| run.figures.latency.clone()),
    }
}

fn means(runs: &[&PtsRun]) -> Option<PtsMeans> {
    let count = runs.len() as f64;
    let mean = |metric| runs.iter().map(|run| run.value(metric)).sum::<f64>() / count;
    let longest = runs.iter().filter_map(|run| run.figures.latency.max_ns);
    (!runs.is_empty()).then(|| PtsMeans {
        rounds: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        iops: mean(PtsMetric::Iops),
        bytes_per_s: mean(PtsMetric::BytesPerS),
        latency_mean_ns: mean(PtsMetric::MeanLatency),
        latency_max_ns: longest.max().unwrap_or(0),
    })
}

fn steady(progress: &PtsProgress<'_>) -> Vec<PtsSteady> {
    let part = progress.part;
    let of_cell = |place: usize| {
        let all = progress.values(place, part.metric);
        let until = progress.reached.map_or(all.len(), |at| at as usize);
        let window = SteadyWindow::last(&all[..until])?;
        let first = until + 1 - STEADY_WINDOW;
        Some(PtsSteady {
            cell: part.cells[place].name(),
            from_round: u32::try_from(first).unwrap_or(u32::MAX),
            values: all[first - 1..until].to_vec(),
            range_allowed: STEADY_RANGE_MAX * window.mean,
            range_measured: window.most - window.least,
            slope_allowed: STEADY_SLOPE_MAX * window.mean,
            slope_measured: window.line_last - window.line_first,
            mean_high: 1.1 * window.mean,
            mean_low: 0.9 * window.mean,
            formula: formula(&window, first, part.metric),
            window,
        })
    };
    progress.tracked().into_iter().filter_map(of_cell).collect()
}

/// `-18.5 * R + 41200 IOPS`, over the number of the round.
fn formula(window: &SteadyWindow, first: usize, metric: PtsMetric) -> String {
    let (scale, unit) = match metric {
        PtsMetric::BytesPerS => (f64::from(1u32 << 20), "MiB/s"),
        PtsMetric::MeanLatency => (1e3, "µs"),
        PtsMetric::Iops | PtsMetric::LastIops => (1.0, "IOPS"),
    };
    let (from, to) = (window.line_first / scale, window.line_last / scale);
    let slope = (to - from) / (STEADY_WINDOW - 1) as f64;
    let start = from - slope * first as f64;
    let text = |value: f64| {
        let sign = if value < 0.0 { "-" } else { "" };
        match value.abs() {
            large if large >= MILLION => format!("{sign}{large:.0}"),
            small => format!("{sign}{}", crate::say::digits(small)),
        }
    };
    format!("{} * R + {} {unit}", text(slope), text(start))
}

/// Each step of the time series of each run, one run after another.
fn over_time(progress: &PtsProgress<'_>) -> Vec<PtsMoment> {
    let (mut moments, mut at, mut written) = (Vec::new(), 0u64, 0u64);
    for run in progress.counted() {
        let cell = progress.part.cells.get(run.step.cell as usize);
        let idle = cell.map_or(0.0, |cell| {
            // Idle times are scaled as the run itself was.
            let scale = run.busy_ns as f64 / (cell.time.0 as f64).max(1.0);
            cell.idle.0 as f64 * scale.min(1.0)
        });
        at = at.saturating_add(idle as u64);
        let steps = &run.figures.steps_per_s;
        let all: f64 = steps.iter().sum();
        let (mut done, mut elapsed) = (0.0, at);
        let short = cell.is_some_and(|cell| cell.time.0 <= 60_000_000_000);
        if steps.is_empty() || short {
            moments.push(PtsMoment {
                at_ns: at,
                written_bytes: written.saturating_add(run.written_bytes),
                iops: run.figures.iops,
            });
        } else {
            for rate in steps {
                done += rate;
                moments.push(PtsMoment {
                    at_ns: elapsed,
                    written_bytes: written
                        + (run.written_bytes as f64 * done / all.max(1.0)) as u64,
                    iops: *rate,
                });
                elapsed += run.figures.step_ns;
            }
        }
        written = written.saturating_add(run.written_bytes);
        at = at.saturating_add(run.busy_ns);
    }
    moments
}
