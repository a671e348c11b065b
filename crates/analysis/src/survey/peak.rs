//! Which load of a workload is its peak: for the table, and for `sweep`, which runs that one again.
//!
//! Of many equal loads the highest rate is the luckiest: the more are run, the higher it is. So first the load is found
//! that surely reaches the most, one standard error below its rate ([`surely`]); then those like it, no further
//! from it than a gain that counts and than chance takes either; and of these the one in the middle is the peak. Where
//! noise lasts as long as a run, one run shows no rate: then the load that was chosen is run afresh ([`RunLoad::FRESH`]), its
//! rate is that of these runs alone, and it stays the peak unless another is surely faster (the winner's curse).

use crate::estimate::Estimate;
use crate::gain::GAIN_MIN;

/// Half of the interval, as a share of the rate, of a load without its own.
pub(crate) const UNKNOWN_WIDTH: f64 = 0.1;

/// An interval of 95% reaches so many standard errors to either side.
const STANDARD_ERRORS: f64 = 2.0;

/// A load that was run, for the choice of the peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLoad {
    /// As [`RunLoad::rate_of`] has it. // at least 0
    pub rate: f64,
    /// Half of its 95% interval as a share of the rate, where it is known. // at least 0
    pub half_width: Option<f64>,
    /// I/Os in flight over all threads.
    pub in_flight: u64,
    /// How often it was run. // at least 1
    pub runs: usize,
}

impl RunLoad {
    /// Runs of the peak after the one by which it was chosen, where noise lasts: Student's factor is 2.8, and 12.7 of two.
    pub const FRESH: usize = 5;

    /// Returns the rate of a load from all its runs in their order, the measured time and the rate of each. `lasting`: a run of
    /// this workload has noise that lasts. Then the first run, by which the load was chosen, does not count once there are two
    /// others, and from three others on the interval is Student's.
    pub fn rate_of(runs: &[(f64, Estimate)], lasting: bool) -> Estimate {
        match fresh(runs, lasting) {
            Some(fresh) => Estimate::of_repeats(fresh),
            None => Estimate::together(runs),
        }
    }

    /// The place of the peak among loads, with `lasting` of [`RunLoad::rate_of`]. None without any.
    pub fn peak_of(loads: &[RunLoad], lasting: bool) -> Option<usize> {
        let afresh = |load: &RunLoad| if lasting { load.runs - 1 } else { 0 };
        let unknown = loads
            .iter()
            .filter(|load| afresh(load) > 2)
            .filter_map(width_of_a_run);
        let unknown = unknown.fold(UNKNOWN_WIDTH, f64::max);
        // Where noise lasts, what one run shows of it is luck.
        let width = |load: &RunLoad| match lasting && afresh(load) < 3 {
            true => None,
            false => load.half_width,
        };
        let reach = |load: &RunLoad| load.rate * width(load).unwrap_or(unknown);
        let at_least = |load: &RunLoad| match width(load) {
            Some(width) => surely(load.rate, Some(width)),
            None => load.rate * (1.0 - unknown),
        };
        let most = loads
            .iter()
            .max_by(|a, b| at_least(a).total_cmp(&at_least(b)))?;
        let by_chance =
            |load: &RunLoad| (load.rate - most.rate).abs() <= reach(load).hypot(reach(most));
        let chosen = (0..loads.len()).filter(|&at| afresh(&loads[at]) > 0 && by_chance(&loads[at]));
        if let Some(chosen) = chosen.max_by(|&a, &b| {
            let (a, b) = (&loads[a], &loads[b]);
            a.runs
                .cmp(&b.runs)
                .then(at_least(a).total_cmp(&at_least(b)))
        }) {
            return Some(chosen);
        }
        let is_like_it = |load: &RunLoad| {
            by_chance(load) && (load.rate - most.rate).abs() <= (GAIN_MIN - 1.0) * most.rate
        };
        let mut like_it: Vec<usize> = (0..loads.len())
            .filter(|&at| is_like_it(&loads[at]))
            .collect();
        // By rate, the one in the middle may be the lightest, which noise hides; more in flight rarely bring less.
        like_it.sort_by(|&a, &b| match lasting {
            true => loads[a].in_flight.cmp(&loads[b].in_flight),
            false => loads[a].rate.total_cmp(&loads[b].rate),
        });
        like_it.get(like_it.len() / 2).copied()
    }
}

/// The runs of a load that its figures are of, where the first does not count.
pub(super) fn fresh<T>(runs: &[T], lasting: bool) -> Option<&[T]> {
    let fresh = runs.get(1..)?;
    (lasting && fresh.len() > 1).then_some(fresh)
}

/// What a load reaches for all that chance may have brought it: its rate less one standard error, from half of its 95%
/// interval as a share of the rate. Less by two, a load that does half as much again and is known badly would stand behind
/// one that is known well. One without an interval loses a tenth. Source: the one-standard-error rule (Breiman and others,
/// "Classification and Regression Trees", 1984, section 3.4.3).
pub fn surely(rate: f64, half_width: Option<f64>) -> f64 {
    rate * (1.0 - half_width.map_or(UNKNOWN_WIDTH, |width| width / STANDARD_ERRORS))
}

/// How far a single run may be off, by the runs of a load after its first.
fn width_of_a_run(load: &RunLoad) -> Option<f64> {
    Some(load.half_width? * ((load.runs - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::RunLoad;

    fn known(rate: f64, half_width: f64) -> RunLoad {
        RunLoad {
            rate,
            half_width: Some(half_width),
            in_flight: 1,
            runs: 1,
        }
    }

    fn unknown(rate: f64) -> RunLoad {
        RunLoad {
            half_width: None,
            ..known(rate, 0.0)
        }
    }

    #[test]
    fn of_loads_that_are_alike_the_one_in_the_middle_is_the_peak() {
        let sure = |rate| known(rate, 0.02);
        let loads = [sure(500.0), sure(1000.0), sure(1010.0), sure(1020.0)];
        assert_eq!(RunLoad::peak_of(&loads, false), Some(2));
        // One that is not sure of its rate is not the most, however high it is.
        assert_eq!(
            RunLoad::peak_of(&[sure(1000.0), unknown(1080.0)], false),
            Some(0)
        );
        assert_eq!(
            RunLoad::peak_of(&[sure(1000.0), unknown(1029.0)], false),
            Some(1),
            "but it is like it"
        );
        assert_eq!(RunLoad::peak_of(&[], false), None);
    }

    #[test]
    fn one_that_does_half_as_much_again_is_the_peak_though_it_is_known_badly() {
        let (sure, loose) = (known(3640.0, 0.1), known(5700.0, 0.38));
        assert_eq!(RunLoad::peak_of(&[sure, loose], false), Some(1));
        assert_eq!(
            RunLoad::peak_of(&[sure, known(4000.0, 0.38)], false),
            Some(0)
        );
    }

    #[test]
    fn a_load_that_was_run_afresh_stays_the_peak_unless_another_is_surely_faster() {
        let chosen = RunLoad {
            runs: 6,
            ..known(1000.0, 0.09)
        };
        assert_eq!(
            RunLoad::peak_of(&[unknown(1150.0), chosen], true),
            Some(1),
            "one run is off by a fifth"
        );
        assert_eq!(
            RunLoad::peak_of(&[known(1150.0, 0.02), chosen], true),
            Some(1),
            "also where it seems to be sure"
        );
        let steady = RunLoad {
            half_width: Some(0.02),
            ..chosen
        };
        assert_eq!(
            RunLoad::peak_of(&[unknown(1150.0), steady], true),
            Some(0),
            "off by a tenth at most"
        );
    }

    #[test]
    fn where_noise_lasts_the_one_in_the_middle_is_by_the_ios_in_flight() {
        let at = |in_flight, rate| RunLoad {
            in_flight,
            ..unknown(rate)
        };
        let loads = [at(8, 1010.0), at(16, 1000.0), at(128, 1020.0)];
        assert_eq!(RunLoad::peak_of(&loads, true), Some(1));
        assert_eq!(RunLoad::peak_of(&loads, false), Some(0));
    }
}
