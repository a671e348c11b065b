//! Which load of a workload is its peak: for the table, and for `sweep`, which runs that one again.
//!
//! Of many loads that are alike the highest rate is the luckiest: the more are run, the higher it is. So first the load is
//! found that surely reaches the most, by the lower end of its interval; then those that are like it, no further from it
//! than a gain that counts and than chance takes either; and of these the one in the middle is the peak.

use crate::gain::GAIN_MIN;

/// Half of the interval, as a share of the rate, of a load that cannot tell its own.
pub const UNKNOWN_WIDTH: f64 = 0.1;

/// The place of the peak among loads: the rate of each, and half of its interval as a share of it. None without any.
pub fn peak_of(loads: &[(f64, Option<f64>)]) -> Option<usize> {
    let reach = |&(rate, width): &(f64, Option<f64>)| rate * width.unwrap_or(UNKNOWN_WIDTH);
    let at_least = |load: &(f64, Option<f64>)| load.0 - reach(load);
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
}
