//! The rate over time, and whether it was steady.
//!
//! Steady state is SNIA's rule (`steady_state`). Their windows are rounds of a minute; ours are five equal windows of whole
//! intervals at the end of the measured phase, because a run has no rounds. So this is their rule, and not a claim to
//! conform to their test.

use crate::changes::{Drift, RateDrop, changes};
use crate::rows::per_second;
use crate::steady_state::{STEADY_SLOPE_MAX, STEADY_WINDOW, SteadyWindow};
use model::{Nanos, RunRecord, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of the time series, all operations and threads together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRow {
    /// When it began, in nanoseconds from the start of the measured phase.
    pub from_ns: u64,
    /// How long it was, in nanoseconds; the last one may be shorter.
    pub length_ns: u64,
    /// I/Os completed in it.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// IOPS; none where the step has no length.
    pub iops: Option<f64>,
    /// Bytes a second; none where the step has no length.
    pub bytes_per_s: Option<f64>,
    /// Mean latency in nanoseconds; none without I/Os.
    pub latency_mean_ns: Option<f64>,
    /// Largest latency in nanoseconds; none without I/Os.
    pub latency_max_ns: Option<u64>,
}

/// Whether the rate was in steady state at the end of the measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steadiness {
    /// The answer; none where the run is too short.
    pub steady: Option<bool>,
    /// Why there is no answer, where there is none.
    pub reason: Option<String>,
    /// Length of each of the five windows, in nanoseconds.
    pub window_ns: Option<u64>,
    /// IOPS in each window.
    pub window_iops: Vec<f64>,
    /// Largest minus smallest window, as a share of their mean. // steady up to 0.2
    pub range_share: Option<f64>,
    /// Rise of the least-squares line from the first window to the last, as a share of the mean; negative
    /// for a fall. // steady from -0.1 to 0.1
    pub slope_share: Option<f64>,
    /// A slow change in one direction over the measured phase; none where none was found.
    pub drift: Option<Drift>,
    /// A step down that did not recover; none where none was found. At most one of both is there.
    pub drop: Option<RateDrop>,
}

/// Windows that are looked at.
const WINDOWS: usize = STEADY_WINDOW;
/// Fewest I/Os in a window: with 100, chance alone moves a Poisson rate by 10%, and a closed loop by less.
const WINDOW_IOS_MIN: u64 = 100;
/// Slope that a steady rate may have, as a share of the mean.
pub(crate) const SLOPE_MAX: f64 = STEADY_SLOPE_MAX;

pub(crate) fn interval_rows(record: &RunRecord, total: &Tally) -> Vec<IntervalRow> {
    let step = record.plan.interval.0;
    let measured = record.phases.measured().0;
    (0u64..)
        .zip(&total.intervals)
        .map(|(number, interval)| {
            let from = number.saturating_mul(step);
            let length = Nanos(step.min(measured.saturating_sub(from)));
            let seen = interval.ios > 0;
            let rate = |amount: u64| (length.0 > 0).then(|| per_second(amount as f64, length));
            IntervalRow {
                from_ns: from,
                length_ns: length.0,
                ios: interval.ios,
                bytes: interval.bytes.0,
                iops: rate(interval.ios),
                bytes_per_s: rate(interval.bytes.0),
                latency_mean_ns: seen.then(|| interval.latency_sum.0 as f64 / interval.ios as f64),
                latency_max_ns: seen.then_some(interval.latency_max.0),
            }
        })
        .collect()
}

/// Steps of full length: the last one may have been cut short.
pub(crate) fn full_intervals(rows: &[IntervalRow], step: Nanos) -> &[IntervalRow] {
    let full = rows
        .iter()
        .take_while(|row| row.length_ns == step.0)
        .count();
    &rows[..full]
}

impl Steadiness {
    pub(crate) fn unknown(why: &str) -> Self {
        Steadiness {
            reason: Some(why.to_owned()),
            ..Steadiness::default()
        }
    }
}

pub(crate) fn steadiness(rows: &[IntervalRow], step: Nanos) -> Steadiness {
    let full = full_intervals(rows, step);
    let per_window = full.len() / WINDOWS;
    let (drift, drop) = changes(rows, step);
    let refuse = |why: String| Steadiness {
        reason: Some(why),
        drift,
        drop,
        ..Steadiness::default()
    };
    if per_window == 0 {
        return refuse(format!("{} full intervals; five are needed", full.len()));
    }
    let last = &full[full.len() - WINDOWS * per_window..];
    let ios: Vec<u64> = last
        .chunks(per_window)
        .map(|window| {
            window
                .iter()
                .map(|row| row.ios)
                .fold(0, u64::saturating_add)
        })
        .collect();
    let window = Nanos(step.0.saturating_mul(per_window as u64));
    let mean = ios.iter().map(|&n| n as f64).sum::<f64>() / WINDOWS as f64;
    if mean < WINDOW_IOS_MIN as f64 {
        return refuse(format!(
            "{mean:.0} I/Os a window; {WINDOW_IOS_MIN} are needed"
        ));
    }
    let counts: Vec<f64> = ios.iter().map(|&ios| ios as f64).collect();
    let judged = SteadyWindow::of(&counts);
    Steadiness {
        steady: judged.as_ref().map(|window| window.steady),
        reason: None,
        window_ns: Some(window.0),
        window_iops: ios.iter().map(|&n| per_second(n as f64, window)).collect(),
        range_share: judged.as_ref().map(|window| window.range_share),
        slope_share: judged.as_ref().map(|window| window.slope_share),
        drift,
        drop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Nanos = Nanos(1_000_000_000);

    fn rows(ios: &[u64]) -> Vec<IntervalRow> {
        (0u64..)
            .zip(ios)
            .map(|(number, &ios)| IntervalRow {
                from_ns: number * STEP.0,
                length_ns: STEP.0,
                ios,
                bytes: ios * 4096,
                iops: Some(ios as f64),
                bytes_per_s: Some(ios as f64 * 4096.0),
                latency_mean_ns: None,
                latency_max_ns: None,
            })
            .collect()
    }

    #[test]
    fn a_level_rate_is_steady_and_a_falling_one_is_not() {
        let level = steadiness(&rows(&[9, 1000, 1010, 990, 1005, 995]), STEP);
        assert_eq!(level.steady, Some(true));
        let falling = steadiness(&rows(&[1060, 1030, 1000, 970, 940]), STEP);
        assert!((falling.slope_share.unwrap() + 0.12).abs() < 1e-9);
        assert!((falling.range_share.unwrap() - 0.12).abs() < 1e-9);
        assert_eq!(falling.steady, Some(false));
    }

    #[test]
    fn a_jump_between_level_windows_is_not_steady() {
        let jump = steadiness(&rows(&[1000, 1000, 1300, 1000, 1000]), STEP);
        assert_eq!(jump.slope_share, Some(0.0));
        assert_eq!(jump.steady, Some(false));
    }

    #[test]
    fn too_few_intervals_or_ios_give_no_answer_and_say_why() {
        let short = steadiness(&rows(&[1000; 4]), STEP);
        assert_eq!(
            (short.steady, short.reason.as_deref()),
            (None, Some("4 full intervals; five are needed"))
        );
        assert_eq!(steadiness(&rows(&[20; 10]), STEP).steady, None);
        assert_eq!(steadiness(&[], STEP).steady, None);
    }
}
