//! The first line of a survey, as figures: for the panel of its page, so that text and page never have two
//! figures for one thing.
//!
//! Deliberately absent: the sentence, which is `answer`'s, and the knee, which is `knee`'s.

use super::{CellReport, SurveyReport};
use crate::estimate::Estimate;
use crate::verdict::Validity;

/// The most that a survey reached, and how long one I/O alone takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glance {
    /// The load with the highest rate; none where no row may be used.
    pub rate: Option<GlanceLoad>,
    /// The load with the highest bandwidth; none where no row may be used.
    pub bytes: Option<GlanceLoad>,
    /// Each workload with the median of its I/Os at depth 1, in nanoseconds.
    pub alone: Vec<(String, u64)>,
}

/// The load that a row of a survey shows.
#[derive(Clone, Debug, PartialEq)]
pub struct GlanceLoad {
    /// The workload.
    pub label: String,
    /// I/Os in flight over all threads.
    pub in_flight: u64,
    /// Threads that shared them.
    pub threads: u64,
    /// How often it was run; the figures are of all runs together.
    pub runs: u64,
    /// IOPS.
    pub rate: Estimate,
    /// Bytes a second.
    pub bytes_per_s: Estimate,
}

impl SurveyReport {
    /// The figures of the first line.
    pub fn glance(&self) -> Glance {
        let usable = || {
            self.rows
                .iter()
                .filter(|row| row.validity != Validity::Invalid)
        };
        let most = |of: fn(&CellReport) -> f64| {
            let bests = usable().filter_map(|row| row.best.as_ref());
            bests.max_by(|a, b| of(a).total_cmp(&of(b))).map(load)
        };
        let alone = usable().filter_map(|row| Some((row.workload.clone(), row.depth_1_p50_ns?)));
        Glance {
            rate: most(|best| best.rate_per_s),
            bytes: most(|best| best.bytes_per_s),
            alone: alone.collect(),
        }
    }
}

fn load(best: &CellReport) -> GlanceLoad {
    let each = best.bytes_per_s / best.rate_per_s.max(f64::MIN_POSITIVE);
    GlanceLoad {
        label: best.workload.clone(),
        in_flight: best.queue_depth,
        threads: best.threads,
        runs: best.runs,
        rate: best.rate,
        bytes_per_s: Estimate {
            value: best.bytes_per_s,
            low: best.rate.low.map(|low| low * each),
            high: best.rate.high.map(|high| high * each),
            samples: best.rate.samples,
        },
    }
}
