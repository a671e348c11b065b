//! Between which ranks a percentile lies: order statistics.
//!
//! Of n independent I/Os, how many are slower than the true percentile is binomial, so the percentile lies between two
//! of the sorted latencies with a chance that does not depend on how latencies are distributed. Source: Hahn and Meeker,
//! Statistical Intervals, section 5.2 (distribution-free, two-sided, 2.5% on either side). The binomial is summed exactly
//! while its first term fits into a float, and taken from a normal with the correction for skewness beyond
//! (Cornish and Fisher, 1937); a test compares both. Deliberately absent: histograms, and how many I/Os
//! are independent.

const TAIL: f64 = 0.025;
/// The point of the normal distribution for that tail.
const NORMAL: f64 = 1.959_964;
/// exp(-700) is the last that a float represents safely.
const EXACT_MAX: f64 = 700.0;

/// How many I/Os of `count` may lie beyond the point that one in `one_in` exceeds: least and most, at 95%. // one_in
/// above 1
pub(crate) fn beyond(count: u64, one_in: u64) -> (u64, u64) {
    let share = 1.0 / one_in as f64;
    if count as f64 * -(-share).ln_1p() < EXACT_MAX {
        exact(count, share)
    } else {
        skewed_normal(count, share)
    }
}

fn exact(count: u64, share: f64) -> (u64, u64) {
    let mut term = (count as f64 * (-share).ln_1p()).exp();
    let (mut sum, mut number) = (term, 0);
    let mut least = None;
    loop {
        if sum > TAIL {
            least.get_or_insert(number);
        }
        if sum >= 1.0 - TAIL || number >= count {
            return (least.unwrap_or(number), number);
        }
        term *= (count - number) as f64 / (number + 1) as f64 * share / (1.0 - share);
        number += 1;
        sum += term;
    }
}

fn skewed_normal(count: u64, share: f64) -> (u64, u64) {
    let mean = count as f64 * share;
    let deviation = (mean * (1.0 - share)).sqrt();
    let skew = (NORMAL * NORMAL - 1.0) * (1.0 - 2.0 * share) / 6.0;
    let least = (mean - NORMAL * deviation + skew - 0.5).floor().max(0.0);
    let most = (mean + NORMAL * deviation + skew - 0.5).ceil();
    (least as u64, (most as u64).min(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tail_is_the_largest_that_stays_within_its_share() {
        // Of 100 with a tenth beyond: P(K < 5) = 0.0237 and P(K > 16) = 0.0206; the next ones are 0.0576 and 0.0399.
        let (least, most) = beyond(100, 10);
        assert_eq!((100 - most, 100 - least + 1), (84, 96));
        assert_eq!(beyond(10, 2), (2, 8));
        assert_eq!(beyond(0, 100), (0, 0));
        assert_eq!(beyond(1, 100), (0, 0));
    }

    #[test]
    fn the_normal_fits_where_it_takes_over() {
        for one_in in [2u64, 10, 100, 1000, 10_000] {
            let count = (EXACT_MAX * 0.99 / -(-1.0 / one_in as f64).ln_1p()) as u64;
            let (summed, near) = (
                exact(count, 1.0 / one_in as f64),
                skewed_normal(count, 1.0 / one_in as f64),
            );
            let apart = summed.0.abs_diff(near.0).max(summed.1.abs_diff(near.1));
            assert!(apart <= 1, "{one_in}: {summed:?} {near:?}");
        }
    }
}
