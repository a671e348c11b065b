//! The highest arrival rate that keeps a latency, from rates that were tried.
//!
//! In an open loop latency rises with the rate, slowly at first and without bound near saturation. So what was tried
//! brackets the answer: the highest rate that kept the latency and the lowest that did not.
//!
//! Near saturation a percentile is noisy, because waiting times are autocorrelated, so that no two tries are enough. With
//! three tries near the answer a line is laid through them: the reciprocal of the latency falls with the rate, in a
//! straight line where one thing is the bottleneck (M/M/1: latency = ln(1/(1-q)) ÷ (served − rate); Kleinrock, Queueing
//! Systems, volume 1, section 3.2), and nearly straight elsewhere as long as only tries with latencies not far from the one
//! asked for count. The answer stands where the line crosses, and how far the tries scatter about it gives the interval.
//! With fewer, it stands in the bracket where a line on a logarithmic latency crosses (regula falsi).
//!
//! The response time counts, from the moment at which an I/O was to start: only that is what a user of the target sees.
//! Source: Tene, "How not to measure latency" (2013). Deliberately absent: which rate to try next, which is `sweep`'s.

use crate::estimate::Estimate;
use crate::student;
use model::{Nanos, Outcome, RunRecord};

/// Completed of what was asked, at least, for a rate that was kept.
const KEPT_SHARE: f64 = 0.97;
/// A try counts for the line with a latency up to so many times above or below the one asked for.
const NEAR_TIMES: f64 = 3.0;
/// Tries for a line, at least.
const LINE_MIN: usize = 3;
/// A percentile of a short run near saturation is hardly known better, even if a few samples scatter less by chance.
const SCATTER_MIN: f64 = 0.03;

/// A latency to be kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Share of the I/Os that keep it. // in (0, 1)
    pub quantile: f64,
    /// The latency, from the moment at which an I/O was to start. // above 0
    pub latency: Nanos,
}

/// One arrival rate that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// IOPS that were to start. // above 0
    pub iops: f64,
    /// The response time at the goal's quantile, in nanoseconds; `None` where the rate was not kept.
    pub latency_ns: Option<f64>,
}

/// The highest rate that kept the latency and the lowest that did not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    wanted_ns: f64,
    /// The highest rate below every lost one that kept the latency.
    pub kept: Option<Trial>,
    /// The lowest that did not.
    pub lost: Option<Trial>,
    /// The line through those near the answer.
    pub line: Option<Crossing>,
}

/// The line of the reciprocal latency over the rate, where it crosses the latency asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// IOPS that keep the latency. // above 0
    pub iops: f64,
    /// Half of its 95% interval.
    pub half_width_per_s: f64,
    /// By so much the rate has to change for the latency to change to about e times as much.
    pub reach_per_s: f64,
}

impl Crossing {
    /// Of what was tried; `None` with too few tries near the answer, or where latency does not rise with the rate.
    pub fn of(goal: &Goal, trials: &[Trial]) -> Option<Crossing> {
        let wanted = 1.0 / goal.latency.0 as f64;
        let near: Vec<(f64, f64)> = trials
            .iter()
            .filter_map(|one| Some((one.iops, 1.0 / one.latency_ns?.max(1.0))))
            .filter(|(_, y)| (wanted / NEAR_TIMES..=wanted * NEAR_TIMES).contains(y))
            .collect();
        if near.len() < LINE_MIN {
            return None;
        }
        // Scatter is a share of the latency, so each counts by the square of it.
        let weight = |y: f64| (wanted / y).powi(2);
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            near.iter().map(|(x, y)| weight(*y) * of(*x, *y)).sum()
        };
        let all = sum(&|_, _| 1.0);
        let (x_mean, y_mean) = (sum(&|x, _| x) / all, sum(&|_, y| y) / all);
        let spread = sum(&|x, _| (x - x_mean).powi(2));
        let slope = sum(&|x, y| (x - x_mean) * (y - y_mean)) / spread;
        if spread <= 0.0 || slope >= 0.0 {
            return None;
        }
        let rate = x_mean + (wanted - y_mean) / slope;
        let residual = sum(&|x, y| (y - y_mean - slope * (x - x_mean)).powi(2));
        let free = near.len() - 2;
        let scatter = (residual / free as f64).sqrt().max(SCATTER_MIN * wanted);
        let leverage = 1.0 / all + (rate - x_mean).powi(2) / spread;
        let times = student::t_point(0.05, free as f64);
        (rate > 0.0 && rate.is_finite()).then(|| Crossing {
            iops: rate,
            half_width_per_s: times * scatter * leverage.sqrt() / slope.abs(),
            reach_per_s: wanted / slope.abs(),
        })
    }
}

impl Trial {
    /// Of a run in an open loop; `None` of one in a closed loop, and of one that was stopped or failed.
    pub fn of(record: &RunRecord, goal: &Goal) -> Option<Trial> {
        let asked = record.plan.arrivals?.per_s as f64;
        let total = record.total();
        let due = asked * record.phases.measured().as_seconds();
        let kept = due > 0.0 && total.ios as f64 >= KEPT_SHARE * due;
        let response = total.response.filter(|_| kept);
        (record.outcome == Outcome::Complete).then(|| Trial {
            iops: asked,
            latency_ns: response
                .and_then(|times| times.quantile(goal.quantile))
                .map(|ns| ns.0 as f64),
        })
    }
}

impl Bracket {
    /// Of what was tried, in any order. A rate that was tried several times counts by the mean of its logarithms, so that
    /// one odd run does not decide.
    pub fn of(goal: &Goal, trials: &[Trial]) -> Bracket {
        let wanted_ns = goal.latency.0 as f64;
        let line = Crossing::of(goal, trials);
        let trials = together(trials);
        let keeps = |one: &&Trial| one.latency_ns.is_some_and(|ns| ns <= wanted_ns);
        let least = |a: &&Trial, b: &&Trial| a.iops.total_cmp(&b.iops);
        let lost = trials
            .iter()
            .filter(|one| !keeps(one))
            .min_by(least)
            .copied();
        let below = |one: &&Trial| lost.is_none_or(|lost| one.iops < lost.iops);
        let kept = trials.iter().filter(keeps).filter(below).max_by(least);
        Bracket {
            wanted_ns,
            kept: kept.copied(),
            lost,
            line,
        }
    }

    /// Where between both ends the latency is crossed, as a share of the way; `None` without two latencies.
    pub fn crossing(&self) -> Option<f64> {
        let low = self.kept?.latency_ns?.max(1.0).ln();
        let high = self.lost?.latency_ns?.ln();
        (high > low).then(|| (self.wanted_ns.max(1.0).ln() - low) / (high - low))
    }

    /// IOPS that keep the latency. Of a line its interval; otherwise the ends of the bracket are those of the
    /// interval. None where nothing was
    /// tried; no upper end where every rate kept it; 0 where none did.
    pub fn answer(&self, trials: usize) -> Option<Estimate> {
        if let Some(line) = self.line {
            return Some(Estimate {
                value: line.iops,
                low: Some((line.iops - line.half_width_per_s).max(0.0)),
                high: Some(line.iops + line.half_width_per_s),
                samples: trials as f64,
                not_known: None,
            });
        }
        let low = self.kept.map(|kept| kept.iops);
        let high = self.lost.map(|lost| lost.iops);
        let value = match (low, high) {
            (None, None) => return None,
            (Some(low), None) => low,
            (None, Some(_)) => 0.0,
            (Some(low), Some(high)) => {
                low + self.crossing().unwrap_or(0.5).clamp(0.0, 1.0) * (high - low)
            }
        };
        Some(Estimate {
            value,
            low: Some(low.unwrap_or(0.0)),
            high,
            samples: trials as f64,
            not_known: None,
        })
    }
}

/// Each rate once.
fn together(trials: &[Trial]) -> Vec<Trial> {
    let mut sorted = trials.to_vec();
    sorted.sort_by(|a, b| a.iops.total_cmp(&b.iops));
    sorted
        .chunk_by(|a, b| a.iops == b.iops)
        .map(|same| {
            let logs: Option<Vec<f64>> = same
                .iter()
                .map(|one| one.latency_ns.map(|ns| ns.max(1.0).ln()))
                .collect();
            Trial {
                iops: same[0].iops,
                latency_ns: logs.map(|logs| (logs.iter().sum::<f64>() / logs.len() as f64).exp()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: Goal = Goal {
        quantile: 0.99,
        latency: Nanos::millis(5),
    };

    fn trial(iops: f64, latency_ms: Option<f64>) -> Trial {
        Trial {
            iops,
            latency_ns: latency_ms.map(|ms| ms * 1e6),
        }
    }

    #[test]
    fn the_answer_stands_where_the_latency_is_crossed() {
        let tried = [trial(1000.0, Some(2.5)), trial(2000.0, Some(10.0))];
        let answer = Bracket::of(&GOAL, &tried).answer(2).unwrap();
        assert!((answer.value - 1500.0).abs() < 1.0, "{answer:?}");
        assert_eq!((answer.low, answer.high), (Some(1000.0), Some(2000.0)));
    }

    #[test]
    fn one_end_alone_is_said_as_what_it_is() {
        let kept = Bracket::of(&GOAL, &[trial(1000.0, Some(2.0))])
            .answer(1)
            .unwrap();
        assert_eq!((kept.value, kept.high), (1000.0, None));
        let lost = Bracket::of(&GOAL, &[trial(1000.0, None)])
            .answer(1)
            .unwrap();
        assert_eq!((lost.value, lost.high), (0.0, Some(1000.0)));
        assert_eq!(Bracket::of(&GOAL, &[]).answer(0), None);
    }

    #[test]
    fn a_line_through_noisy_tries_crosses_where_the_queue_says() {
        // One server of 10000 a second: p99 = ln 100 / (10000 - rate); it is 5 ms at 9079.
        let tried = [(8800.0, 1.1), (9000.0, 0.9), (9100.0, 1.1), (9250.0, 0.92)];
        let tried =
            tried.map(|(rate, off)| trial(rate, Some(off * 100f64.ln() / (10_000.0 - rate) * 1e3)));
        let answer = Bracket::of(&GOAL, &tried).answer(4).unwrap();
        assert!((answer.value / 9079.0 - 1.0).abs() < 0.01, "{answer:?}");
        assert!(answer.low.unwrap() < 9079.0 && answer.high.unwrap() > 9079.0);
    }

    #[test]
    fn a_rate_above_a_lost_one_keeps_nothing() {
        let tried = [
            trial(3000.0, Some(1.0)),
            trial(2000.0, Some(9.0)),
            trial(1000.0, Some(2.0)),
        ];
        assert_eq!(Bracket::of(&GOAL, &tried).kept.unwrap().iops, 1000.0);
    }
}
