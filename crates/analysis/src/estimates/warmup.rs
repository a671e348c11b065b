//! What of the measured phase was still warm-up, and the rate without it.
//!
//! Where the cut lies is `mser`'s. It matters where the rate before it differs from the rate after it by more than 2%
//! and by more than five standard errors: of a steady series, MSER-5 cuts off what differs most by chance, and that
//! must not be reported as a warm-up.

use super::batch_means::widest;
use super::mser::{Cut, cut};
use super::{Series, around};
use crate::estimate::{Estimate, NotKnown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DIFFERENCE_MIN: f64 = 0.02;
const ERRORS_MIN: f64 = 5.0;

/// The part at the start of the measured phase that was still warm-up, by MSER-5. Rates and latencies of the report
/// are over the whole measured phase, this part included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmupCut {
    /// Where the cut lies, in nanoseconds from the start of the measured phase; none where it cannot be reported.
    pub cut_ns: Option<u64>,
    /// The same as a share of the measured phase. // in [0, 0.5]
    pub share: Option<f64>,
    /// Why it cannot be reported, where it cannot.
    pub reason: Option<String>,
    /// Whether the rate before the cut differs from the rate after it by more than chance: then there was a warm-up, and
    /// the figures of the whole phase are not those of a warm target.
    pub differs: bool,
    /// IOPS before the cut; none where nothing is cut.
    pub iops_before: Option<f64>,
    /// IOPS after the cut; none where it cannot be reported.
    pub iops_after_estimate: Option<Estimate>,
}

pub(crate) fn warmup_cut(series: &Series<'_>) -> WarmupCut {
    let seconds = series.step.as_seconds();
    let ios: Vec<f64> = series.full().iter().map(|step| step.ios as f64).collect();
    let refuse = |why: &str| WarmupCut {
        reason: Some(why.to_owned()),
        ..WarmupCut::default()
    };
    let steps = match cut(&ios) {
        Cut::Steps(steps) => steps,
        Cut::TooShort => {
            return refuse("the cut is beyond half of the measured time: too short to be reliable");
        }
        Cut::TooFew => return refuse("fewer than 50 full steps of the time series"),
    };
    let rate = |part: &[f64]| part.iter().sum::<f64>() / (part.len() as f64 * seconds);
    let (before, after) = ios.split_at(steps);
    let spread = widest(after, &vec![seconds; after.len()]);
    let rate_after = rate(after);
    let before = (steps > 0).then(|| rate(before));
    let error = spread.map_or(0.0, |(seen, _)| {
        // The part before is shorter, and so less sure.
        let error = seen.variance.sqrt();
        error * (1.0 + after.len() as f64 / steps.max(1) as f64).sqrt()
    });
    let differs = before.is_some_and(|before| {
        let apart = (before - rate_after).abs();
        apart > DIFFERENCE_MIN * rate_after && apart > ERRORS_MIN * error
    });
    let cut_ns = series.step.0.saturating_mul(steps as u64);
    WarmupCut {
        cut_ns: Some(cut_ns),
        share: crate::rows::share(cut_ns as f64, series.measured.0 as f64),
        reason: None,
        differs,
        iops_before: before,
        iops_after_estimate: Some(match spread {
            Some((seen, true)) => around(rate_after, seen.half_width, seen.worth),
            Some((_, false)) => Estimate::not_known(rate_after, NotKnown::Correlated),
            None => Estimate::not_known(rate_after, NotKnown::FewSteps),
        }),
    }
}
