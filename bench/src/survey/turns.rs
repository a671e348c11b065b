//! The loads of a real target in turns: each for half a second, round after round, so that changes of the machine from
//! one minute to the next affect all of them equally.
//!
//! A survey and a grid measure a target in different minutes, and a target that is another in each of them shows both
//! something else, whichever is right. In turns the question is whether the load that the survey calls the best does as
//! much as the one that the grid calls so, and where the knee lies. Rates alone have no turns: they are those of their
//! minute.

use super::Case;
use super::answer::Found;
use super::real::Site;
use crate::error::BenchError;
use crate::rounds::median;
use analysis::Reached;
use serde_json::Value;

const ROUNDS: usize = 5;
const DEPTHS: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
const LENGTH: &[&str] = &["--warmup", "200ms", "--duration", "500ms"];

/// Results of the turns for one workload.
pub(super) struct Told {
    workload: String,
    /// Of the survey, and in turns.
    knees: (u64, u64),
    /// What the survey's best load did, as a multiple of what the grid's did: median of the rounds.
    best: f64,
}

/// Threads, and I/Os in flight over all of them.
type Load = (u64, u64);

/// Every load with one thread, and the two that were called best; `options` are those of `fathom run` for each workload.
pub(super) fn take(
    site: &Site<'_>,
    case: &Case,
    options: &[(&str, &[&str])],
) -> Result<Vec<Told>, BenchError> {
    let mut reported = Vec::new();
    for (survey, grid) in case.pairs() {
        let Some((_, options)) = options.iter().find(|(name, _)| *name == survey.workload) else {
            continue;
        };
        let loads = loads(survey, grid);
        let mut rates: Vec<Vec<f64>> = vec![Vec::with_capacity(ROUNDS); loads.len()];
        for round in 0..ROUNDS {
            for turn in 0..loads.len() {
                let at = (round + turn) % loads.len();
                rates[at].push(rate(site, options, loads[at])?);
            }
        }
        reported.push(Told::of(survey, grid, &loads, &rates));
    }
    Ok(reported)
}

fn loads(survey: &Found, grid: &Found) -> Vec<Load> {
    let single = DEPTHS.iter().map(|depth| (1, *depth));
    let mut loads: Vec<Load> = single.chain([survey.best, grid.best]).collect();
    loads.sort_by_key(|(threads, in_flight)| (*in_flight, *threads));
    loads.dedup();
    loads
}

fn rate(site: &Site<'_>, options: &[&str], (threads, in_flight): Load) -> Result<f64, BenchError> {
    let depth = (in_flight / threads.max(1)).max(1).to_string();
    let threads = threads.to_string();
    let load = ["--depth", &depth, "--threads", &threads];
    let words = [options, LENGTH, &load].concat();
    let reported = site.run(&words)?;
    let document: Option<Value> = serde_json::from_str(&reported).ok();
    let total = document.as_ref().and_then(|document| {
        let mut rows = document["operations"].as_array()?.iter();
        rows.find(|row| row["operation"] == "total")?["iops"].as_f64()
    });
    total.ok_or_else(|| BenchError::Unreadable {
        command: words.join(" "),
        printed: reported.chars().take(200).collect(),
    })
}

impl Told {
    /// `rates` by load, in the order of `loads`, the lightest first, a figure for each round.
    fn of(survey: &Found, grid: &Found, loads: &[Load], rates: &[Vec<f64>]) -> Told {
        let of = |load: Load| {
            let at = loads.iter().position(|other| *other == load);
            &rates[at.expect("both are among them")]
        };
        let pairs = of(survey.best).iter().zip(of(grid.best));
        let medians: Vec<f64> = rates.iter().map(|rates| median(rates.clone())).collect();
        let most = medians.iter().copied().fold(0.0, f64::max);
        let in_turns = loads.iter().zip(&medians);
        let in_turns = in_turns.map(|((_, in_flight), rate)| (*in_flight, *rate));
        let reached = Reached::of(in_turns, most);
        Told {
            workload: survey.workload.clone(),
            knees: (survey.knee, reached.map_or(0, |reached| reached.in_flight)),
            best: median(pairs.map(|(mine, its)| mine / its.max(1e-9)).collect()),
        }
    }

    fn faults(&self) -> Vec<&'static str> {
        let knees = self.knees.0 as f64 / self.knees.1.max(1) as f64;
        let checks = [
            (super::KNEES.contains(&knees), "KNEE"),
            (self.best >= 1.0 - super::PEAK_MAX, "PEAK"),
        ];
        let wrong = checks.into_iter().filter(|(good, _)| !good);
        wrong.map(|(_, what)| what).collect()
    }

    pub(super) fn is_met(&self) -> bool {
        self.faults().is_empty()
    }

    pub(super) fn line(&self) -> String {
        format!(
            "  {:<21} knee {:>4} {:>4}  best {:>27.3}  {}",
            self.workload,
            self.knees.0,
            self.knees.1,
            self.best,
            self.faults().join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(best: Load, knee: u64) -> Found {
        Found {
            workload: "w".to_owned(),
            knee,
            best,
            peak: 1.0,
            limit: "-".to_owned(),
            kept: None,
        }
    }

    #[test]
    fn neighbours_in_time_are_compared_and_the_knee_is_that_of_the_middles() {
        let (survey, grid) = (found((1, 4), 2), found((2, 16), 4));
        let loads = loads(&survey, &grid);
        assert_eq!(loads.len(), 9, "{loads:?}");
        // A machine that is twice as fast in the second round.
        let rates: Vec<Vec<f64>> = loads
            .iter()
            .map(|(_, in_flight)| {
                let rate = 100.0 * (*in_flight).min(4) as f64;
                vec![rate, 2.0 * rate, rate * 1.1]
            })
            .collect();
        let reported = Told::of(&survey, &grid, &loads, &rates);
        assert_eq!((reported.best, reported.knees), (1.0, (2, 4)));
        assert!(reported.is_met());
        let far = Told::of(&found((1, 2), 1), &grid, &loads, &rates);
        assert_eq!(far.faults(), ["KNEE", "PEAK"]);
    }
}
