//! Which load of a workload is its peak: for the table, and for `sweep`, which runs that one again.
//!
//! Of many equal loads the highest rate is the luckiest: the more are run, the higher it is. So first the load is found
//! that surely reaches the most, one standard error below its rate ([`surely`]); then those that are like it, no further
//! from it than a gain that counts and than chance takes either; and of these the one in the middle is the peak.

use crate::gain::GAIN_MIN;

/// Half of the interval, as a share of the rate, of a load without its own.
pub(crate) const UNKNOWN_WIDTH: f64 = 0.1;

/// An interval of 95% reaches so many standard errors to either side.
const STANDARD_ERRORS: f64 = 2.0;

/// What a load reaches for all that chance may have brought it: its rate less one standard error, from half of its 95%
/// interval as a share of the rate. Less by two, a load that does half as much again and is known badly would stand behind
/// one that is known well. One without an interval loses a tenth. Source: the one-standard-error rule (Breiman and others,
/// "Classification and Regression Trees", 1984, section 3.4.3).
pub fn surely(rate: f64, half_width: Option<f64>) -> f64 {
    rate * (1.0 - half_width.map_or(UNKNOWN_WIDTH, |width| width / STANDARD_ERRORS))
}

/// The place of the peak among loads: the rate of each, and half of its interval as a share of it. None without any.
pub fn peak_of(loads: &[(f64, Option<f64>)]) -> Option<usize> {
    let reach = |&(rate, width): &(f64, Option<f64>)| rate * width.unwrap_or(UNKNOWN_WIDTH);
    let at_least = |load: &(f64, Option<f64>)| surely(load.0, load.1);
    let most = loads
        .iter()
        .max_by(|a, b| at_least(a).total_cmp(&at_least(b)))?;
    let is_like_it = |load: &(f64, Option<f64>)| {
        let apart = (load.0 - most.0).abs();
        apart <= reach(load).hypot(reach(most)) && apart <= (GAIN_MIN - 1.0) * most.0
    };
    let mut like_it: Vec<usize> = (0..loads.len())
        .filter(|&at| is_like_it(&loads[at]))
        .collect();
    like_it.sort_by(|&a, &b| loads[a].0.total_cmp(&loads[b].0));
    like_it.get(like_it.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::peak_of;

    #[test]
    fn of_loads_that_are_alike_the_one_in_the_middle_is_the_peak() {
        let sure = |rate: f64| (rate, Some(0.02));
        let loads = [sure(500.0), sure(1000.0), sure(1010.0), sure(1020.0)];
        assert_eq!(peak_of(&loads), Some(2));
        // One that is not sure of its rate is not the most, however high it is.
        assert_eq!(peak_of(&[sure(1000.0), (1080.0, None)]), Some(0));
        assert_eq!(
            peak_of(&[sure(1000.0), (1029.0, None)]),
            Some(1),
            "but it is like it"
        );
        assert_eq!(peak_of(&[]), None);
    }

    #[test]
    fn one_that_does_half_as_much_again_is_the_peak_though_it_is_known_badly() {
        let (sure, loose) = ((3640.0, Some(0.1)), (5700.0, Some(0.38)));
        assert_eq!(peak_of(&[sure, loose]), Some(1));
        assert_eq!(peak_of(&[sure, (4000.0, Some(0.38))]), Some(0));
    }
}
