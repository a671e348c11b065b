//! The inside of one result: its time series and its latency distribution, thinned to what a screen can show.
//!
//! Steps are merged, never dropped and never averaged over percentiles: counts are added, the largest of maxima is kept, a
//! mean is of all I/Os of the merged step. A distribution is read from the whole histogram at evenly spaced places of the
//! nines axis. Deliberately absent: which results get a detail at all (`diet`).

use super::series;
use crate::changes;
use crate::columns::Unit;
use crate::events::EventsReport;
use crate::intervals::{IntervalRow, Steadiness};
use crate::run::{RunReport, TimeReport};
use crate::say;
use model::{LatencyHistogram, Nanos, Operation, RunRecord, Tally};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// The inside of one result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CellDetail {
    /// Rate and latency over time; none where nothing was measured.
    pub times: Option<DetailTimes>,
    /// Distributions of latency: reads and writes together, then each where both were there.
    pub distributions: Vec<DistributionCurve>,
    /// Distribution of latencies over time; none if that was not stored.
    pub heat: Option<HeatMap>,
    /// The machine's counters during the run; none if they were not read during it.
    pub counters: Option<Counters>,
}

/// Counts of latencies over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HeatMap {
    /// Length of a row in nanoseconds.
    pub step_ns: u64,
    /// Where each column of latencies begins, in nanoseconds, and where the last one ends.
    pub bounds_ns: Vec<u64>,
    /// Row by row of time: column and count in turn, without empty columns.
    pub rows: Vec<Vec<u64>>,
}

/// Counters of the machine over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Counters {
    /// Where each stretch ended, in nanoseconds from the start of the measured phase.
    pub at_ns: Vec<u64>,
    /// How long each was.
    pub length_ns: Vec<u64>,
    /// What was read, by what it is counted in.
    pub tracks: Vec<CounterTrack>,
}

/// Counters that belong on one axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CounterTrack {
    /// In one word.
    pub id: String,
    /// What is counted.
    pub label: String,
    /// In what.
    pub unit: Unit,
    /// Each with a value for every stretch.
    pub lines: Vec<CounterLine>,
}

/// One counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CounterLine {
    /// Of what.
    pub name: String,
    /// Stretch by stretch; none where it was not read.
    pub values: Vec<Option<f64>>,
}

/// Rate and latency over time. All lists are as long as each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DetailTimes {
    /// Length of a step in nanoseconds.
    pub step_ns: u64,
    /// Length of the last step in nanoseconds, which may have been cut short.
    pub last_ns: u64,
    /// How many steps of the record make one here.
    pub merged: u64,
    /// Load before counting began, in nanoseconds.
    pub warmup_ns: u64,
    /// I/Os completed.
    pub ios: Vec<u64>,
    /// Bytes that they transferred.
    pub bytes: Vec<u64>,
    /// Mean latency in whole nanoseconds; none without I/Os.
    pub mean_ns: Vec<Option<u64>>,
    /// Largest latency in nanoseconds; none without I/Os.
    pub max_ns: Vec<Option<u64>>,
    /// The window over which the rate was checked.
    pub steady: SteadyWindow,
    /// Part of the measured time that was still warm-up, in nanoseconds; none if there was none or it was not checked.
    pub cut_ns: Option<u64>,
    /// Moments that were found to matter.
    pub marks: Vec<TimeMark>,
    /// Pauses of 100 ms or more without a completed I/O.
    pub pauses: Vec<TimePause>,
}

/// A time in which no I/O completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimePause {
    /// When it began, in nanoseconds from the start of the measured phase, as far as the steps show it.
    pub from_ns: u64,
    /// How long it was: the steps without an I/O, or the longest latency after them, if that spans them.
    pub length_ns: u64,
}

/// A moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimeMark {
    /// When, in nanoseconds from the start of the measured phase.
    pub at_ns: u64,
    /// What happened, in a few words.
    pub text: String,
}

/// Whether the rate was in steady state, and the window that was checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SteadyWindow {
    /// The answer; none where it is too short.
    pub steady: Option<bool>,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// Where the window begins, in nanoseconds from the start of the measured phase.
    pub from_ns: Option<u64>,
    /// Where it ends.
    pub to_ns: Option<u64>,
    /// Mean IOPS in it.
    pub iops: Option<f64>,
}

/// A distribution of latency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DistributionCurve {
    /// `total`, `read` or `write`.
    pub operation: String,
    /// I/Os in it.
    pub ios: u64,
    /// Where the curve is read: one in so many I/Os takes longer. Ascending; 10 is the 90th percentile.
    pub one_in: Vec<f64>,
    /// Latency there, in nanoseconds. As many.
    pub latency_ns: Vec<u64>,
    /// Lower end of the 95% interval there, in nanoseconds; none if unknown. As many.
    pub low_ns: Vec<Option<u64>>,
    /// Upper end. As many.
    pub high_ns: Vec<Option<u64>>,
    /// The largest, in nanoseconds.
    pub max_ns: Option<u64>,
    /// Up to here ten I/Os or more lie beyond: it may be trusted.
    pub resolved_to_one_in: f64,
}

/// Places to a power of ten on the nines axis.
const PLACES: u32 = 8;
/// Fewest I/Os beyond a percentile for it to be trusted; the bound of `latency`.
const BEYOND_MIN: f64 = 10.0;

impl CellDetail {
    /// Of a record and its text. // steps_max above 0
    pub(super) fn of(record: &RunRecord, report: &RunReport, steps_max: usize) -> CellDetail {
        CellDetail {
            times: times(report, steps_max),
            distributions: distributions(record, report),
            heat: series::heat(record),
            counters: series::counters(record),
        }
    }
}

fn times(report: &RunReport, steps_max: usize) -> Option<DetailTimes> {
    let rows = &report.intervals;
    if rows.is_empty() {
        return None;
    }
    let TimeReport {
        warmup_ns,
        interval_ns,
        ..
    } = report.time;
    let merged = rows.len().div_ceil(steps_max).max(1);
    let mut times = DetailTimes {
        step_ns: interval_ns.saturating_mul(merged as u64),
        merged: merged as u64,
        warmup_ns,
        steady: steady(&report.steadiness, rows, interval_ns),
        cut_ns: report.warmup_cut.cut_ns.filter(|cut| *cut > 0),
        marks: marks(report),
        pauses: pauses(report),
        ..DetailTimes::default()
    };
    for step in rows.chunks(merged) {
        let ios: u64 = step.iter().map(|row| row.ios).sum();
        let sum: f64 = step
            .iter()
            .filter_map(|row| Some(row.latency_mean_ns? * row.ios as f64))
            .sum();
        times.ios.push(ios);
        times.bytes.push(step.iter().map(|row| row.bytes).sum());
        times
            .mean_ns
            .push((ios > 0).then(|| (sum / ios as f64).round() as u64));
        times
            .max_ns
            .push(step.iter().filter_map(|row| row.latency_max_ns).max());
        times.last_ns = step.iter().map(|row| row.length_ns).sum();
    }
    Some(times)
}

/// The pauses of `stall`; where it finds none, steps without an I/O.
fn pauses(report: &RunReport) -> Vec<TimePause> {
    let usual = report.total().and_then(|total| total.latency.at(0.5));
    let usual_ns = usual.and_then(|usual| usual.latency_ns);
    let found = usual_ns.map_or_else(Vec::new, |usual_ns| {
        let step = Nanos(report.time.interval_ns);
        changes::pauses(&report.intervals, step, usual_ns as f64)
    });
    let found = found.iter().map(|one| TimePause {
        from_ns: (one.to_ns - one.length_ns).max(0.0) as u64,
        length_ns: one.length_ns as u64,
    });
    let found: Vec<TimePause> = found.collect();
    if found.is_empty() {
        empty_steps(&report.intervals)
    } else {
        found
    }
}

/// Steps in a row without an I/O, before one that has some, where the mean rate gives ten I/Os or more in that time: a low
/// rate has such steps between its I/Os. A pause begins and ends within steps that have I/Os.
fn empty_steps(rows: &[IntervalRow]) -> Vec<TimePause> {
    const LENGTH_MIN_NS: u64 = 100_000_000;
    const MISSED_MIN: f64 = 10.0;
    let sum = |of: fn(&IntervalRow) -> u64| rows.iter().map(|row| of(row) as f64).sum::<f64>();
    let per_ns = sum(|row| row.ios) / sum(|row| row.length_ns).max(1.0);
    let (mut found, mut now) = (Vec::new(), TimePause::default());
    for row in rows {
        if row.ios == 0 {
            if now.length_ns == 0 {
                now.from_ns = row.from_ns;
            }
            now.length_ns += row.length_ns;
            continue;
        }
        let longest = row.latency_max_ns.unwrap_or(0);
        if now.length_ns > 0 && longest <= now.length_ns + 2 * row.length_ns {
            now.length_ns = now.length_ns.max(longest);
        }
        let missed = now.length_ns as f64 * per_ns;
        let counts = now.length_ns >= LENGTH_MIN_NS && missed >= MISSED_MIN;
        found.extend(counts.then_some(now));
        now = TimePause::default();
    }
    found
}

fn marks(report: &RunReport) -> Vec<TimeMark> {
    let steadiness = &report.steadiness;
    let drop = steadiness.drop.as_ref().map(|drop| TimeMark {
        at_ns: drop.at_ns,
        text: format!(
            "fell from {} to {} IOPS",
            say::rate(drop.iops_before),
            say::rate(drop.iops_after)
        ),
    });
    let drift = steadiness.drift.as_ref().map(|drift| TimeMark {
        at_ns: drift.from_ns,
        text: format!(
            "drifts from {} to {} IOPS",
            say::rate(drift.iops_before),
            say::rate(drift.iops_after)
        ),
    });
    let events = event_marks(report.events.as_ref(), report.time.measured_ns);
    drop.into_iter().chain(drift).chain(events).collect()
}

/// The first event of each kind and subject in the measured phase.
fn event_marks(report: Option<&EventsReport>, measured_ns: u64) -> Vec<TimeMark> {
    const MARKS_MAX: usize = 12;
    let mut marks: Vec<TimeMark> = Vec::new();
    for event in report.iter().flat_map(|report| &report.events) {
        let text = format!("{} {}", event.subject, event.kind);
        let text = text.trim();
        let is_new = marks.iter().all(|mark| mark.text != text);
        let at = u64::try_from(event.at_ns).ok();
        if let Some(at_ns) = at.filter(|at| *at <= measured_ns && is_new)
            && marks.len() < MARKS_MAX
        {
            marks.push(TimeMark {
                at_ns,
                text: text.to_owned(),
            });
        }
    }
    marks
}

/// The windows lie at the end of the last full step: see `intervals`.
fn steady(steadiness: &Steadiness, rows: &[IntervalRow], interval_ns: u64) -> SteadyWindow {
    let full = rows.iter().take_while(|row| row.length_ns == interval_ns);
    let end = full.last().map(|row| row.from_ns + row.length_ns);
    let windows = &steadiness.window_iops;
    let span = steadiness
        .window_ns
        .map(|window| window * windows.len() as u64);
    SteadyWindow {
        steady: steadiness.steady,
        reason: steadiness.reason.clone(),
        from_ns: end.zip(span).map(|(end, span)| end.saturating_sub(span)),
        to_ns: end.filter(|_| span.is_some()),
        iops: (!windows.is_empty()).then(|| windows.iter().sum::<f64>() / windows.len() as f64),
    }
}

fn distributions(record: &RunRecord, report: &RunReport) -> Vec<DistributionCurve> {
    let tallies: Vec<(Operation, Tally)> = Operation::ALL
        .into_iter()
        .map(|operation| (operation, record.tally(operation, None)))
        .filter(|(_, tally)| tally.ios > 0)
        .collect();
    let mut all = LatencyHistogram::new();
    for (_, tally) in &tallies {
        all.merge(&tally.latency);
    }
    let mut curves = Vec::new();
    if all.count() > 0 {
        curves.push(curve("total", &all, report));
    }
    if tallies.len() > 1 {
        let each = tallies.iter();
        curves
            .extend(each.map(|(operation, tally)| curve(operation.name(), &tally.latency, report)));
    }
    curves
}

/// The intervals that the report has, by their place on the axis: 90%, 99%, 99.9% and 99.99%.
fn intervals(operation: &str, report: &RunReport) -> HashMap<u32, (Option<u64>, Option<u64>)> {
    let row = report
        .operations
        .iter()
        .find(|row| row.operation == operation);
    let percentiles = row.iter().flat_map(|row| &row.latency.percentiles);
    percentiles
        .filter_map(|percentile| {
            let nines = -(1.0 - percentile.quantile).log10();
            let place = nines * f64::from(PLACES);
            let whole = (place - place.round()).abs() < 1e-6 && percentile.latency_ns.is_some();
            whole.then(|| {
                (
                    place.round() as u32,
                    (percentile.low_ns, percentile.high_ns),
                )
            })
        })
        .collect()
}

/// Evenly on the axis of nines, from the smallest to the last place that has an I/O beyond it.
fn curve(operation: &str, histogram: &LatencyHistogram, report: &RunReport) -> DistributionCurve {
    let known = intervals(operation, report);
    let count = histogram.count();
    let mut curve = DistributionCurve {
        operation: operation.to_owned(),
        ios: count,
        max_ns: histogram.max().map(|max| max.0),
        resolved_to_one_in: count as f64 / BEYOND_MIN,
        ..DistributionCurve::default()
    };
    for place in 0u32.. {
        let one_in = 10f64.powf(f64::from(place) / f64::from(PLACES));
        if one_in > count as f64 {
            break;
        }
        if let Some(latency) = histogram.quantile(1.0 - 1.0 / one_in) {
            curve.one_in.push((one_in * 1000.0).round() / 1000.0);
            curve.latency_ns.push(latency.0);
            let (low, high) = known.get(&place).copied().unwrap_or_default();
            curve.low_ns.push(low);
            curve.high_ns.push(high);
        }
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::event;
    use crate::sample::Sample;
    use model::record::{EventKind, SystemEvents};

    #[test]
    fn an_event_in_the_measured_phase_is_a_mark() {
        let mut record = Sample::default().build();
        let mut events = SystemEvents::default();
        for (ms, subject) in [(-5, "eth0"), (4000, "sdb"), (4100, "sdb"), (11_000, "sdc")] {
            events.push(event(ms, EventKind::PathFailed, subject));
        }
        record.engine.disturbances.system_events = Some(events);
        let marks = times(&crate::run_report(&record), 100).unwrap().marks;
        let expected = TimeMark {
            at_ns: 4_000_000_000,
            text: "sdb path-failed".to_owned(),
        };
        assert_eq!(marks, [expected]);
    }
}
