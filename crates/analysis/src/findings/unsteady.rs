//! The rate moved: the mean stands for none of its parts. The rule is in `crate::intervals`.

use super::{Finding, FindingRank, Seen, finding};
use crate::say;

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    let steadiness = seen.steadiness;
    if steadiness.steady != Some(false) {
        return None;
    }
    let (range, slope) = (steadiness.range_share?, steadiness.slope_share?);
    let rates = &steadiness.window_rates_per_s;
    let (first, last) = (rates.first()?, rates.last()?);
    let sentence = if slope.abs() > 0.10 {
        let way = if slope > 0.0 { "rose" } else { "fell" };
        format!(
            "the rate {way} from {} to {} IO/s and was not steady",
            say::rate(*first),
            say::rate(*last)
        )
    } else {
        let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = rates.iter().copied().fold(0.0, f64::max);
        format!(
            "the rate swung between {} and {} IO/s",
            say::rate(low),
            say::rate(high)
        )
    };
    Some(finding(
        "not-steady",
        FindingRank::Warning,
        sentence,
        &[("range_share", range), ("slope_share", slope)],
        "measure longer, with a longer warm-up; look at the rate over time",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;

    #[test]
    fn a_rate_that_falls_is_told_with_both_ends() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "not-steady"), None);
        for (step, interval) in (0u64..).zip(&mut record.threads[0].measured[0].intervals) {
            interval.ios = 2000 - 100 * step;
        }
        let told = found(&record, "not-steady").unwrap().sentence;
        assert_eq!(
            told,
            "the rate fell from 1 950 to 1 150 IO/s and was not steady"
        );
    }

    #[test]
    fn a_rate_that_swings_is_told_with_its_extremes() {
        let mut record = Sample::default().build();
        let intervals = &mut record.threads[0].measured[0].intervals;
        (intervals[4].ios, intervals[5].ios) = (3000, 3000);
        let told = found(&record, "not-steady").unwrap().sentence;
        assert_eq!(told, "the rate swung between 2 000 and 3 000 IO/s");
    }
}
