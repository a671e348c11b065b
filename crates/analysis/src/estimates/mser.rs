//! How much of the measured phase was still warm-up: MSER.
//!
//! The series is averaged to fifty to ninety-nine values, so that a cut is known to a fiftieth of the run; the cut is the one
//! that makes Σ(y - mean)² / (n - d)² of what is left smallest, which weighs a cleaner rest against a shorter one. A count of
//! I/Os is known to one I/O, so that the squares are at least those of one I/O per value: else the rest of a series that a limit
//! makes equal is the cleaner the shorter it is. A cut past half of the series means that the run was too short, and is
//! not used. Sources: White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69
//! (1997); Hoad, Robinson and Davies, "Automating warm-up length estimation", Journal of the Operational Research Society
//! 61 (2010), who average by fives, which is a tenth of a run of fifty steps. Of a steady series it often cuts a little by
//! chance: whether a cut matters is asked apart. Omitted: what is done with a cut.

/// Fewest averages that make a series, and so fewest steps.
const AVERAGES_MIN: usize = 50;
/// The last averages are never all that is left: three equal by chance would win.
const LEFT_MIN: usize = 5;

/// The rule's result for a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// So many steps from the start are warm-up. // at most half
    Steps(usize),
    /// The best cut lies past half of the series.
    TooShort,
    /// Fewer than fifty steps.
    TooFew,
}

/// The cut of a series of I/Os per step; a rest at the end that fills no average is omitted.
pub(crate) fn cut(steps: &[f64]) -> Cut {
    let each = steps.len() / AVERAGES_MIN;
    if each == 0 {
        return Cut::TooFew;
    }
    let averages: Vec<f64> = steps
        .chunks_exact(each)
        .map(|part| part.iter().sum::<f64>() / each as f64)
        .collect();
    let one_io = 1.0 / each as f64;
    // About the mean of all, so that squares of large rates lose nothing.
    let centre = averages.iter().sum::<f64>() / averages.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (0, f64::INFINITY);
    for (place, value) in averages.iter().enumerate().rev() {
        let off = value - centre;
        sum += off;
        squares += off * off;
        let left = averages.len() - place;
        let least = left as f64 * one_io * one_io;
        let figure = (squares - sum * sum / left as f64).max(least) / (left * left) as f64;
        // Of equals the shorter cut, which comes later here.
        if left >= LEFT_MIN && figure <= best.1 {
            best = (place, figure);
        }
    }
    if best.0 * 2 > averages.len() {
        return Cut::TooShort;
    }
    Cut::Steps(best.0 * each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_start_is_cut_where_it_ends() {
        let level = |n| if n < 20 { 600.0 } else { 1000.0 };
        let steps: Vec<f64> = (0..100)
            .map(|n| level(n) + f64::from(n % 2) * 10.0)
            .collect();
        assert_eq!(cut(&steps), Cut::Steps(20));
    }

    #[test]
    fn a_series_that_a_limit_makes_equal_is_cut_where_it_begins() {
        // A burst of two hundredths of a second in the last step of it; then one I/O more or less.
        let steps: Vec<f64> = (0..50)
            .map(|n| match n {
                0..5 => 9000.0,
                5 => 5000.0,
                _ => 4000.0 + f64::from(u8::from(n < 25 && n % 2 == 0)),
            })
            .collect();
        assert_eq!(cut(&steps), Cut::Steps(6));
    }

    #[test]
    fn a_level_series_is_not_cut_and_a_rising_one_is_too_short() {
        assert_eq!(cut(&[7.0; 60]), Cut::Steps(0));
        let rising: Vec<f64> = (0..100)
            .map(f64::from)
            .map(|n| 20.0 * n.min(70.0))
            .collect();
        assert_eq!(cut(&rising), Cut::TooShort);
        assert_eq!(cut(&[7.0; 49]), Cut::TooFew);
        assert_eq!(cut(&[]), Cut::TooFew);
    }
}
