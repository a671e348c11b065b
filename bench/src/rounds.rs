//! Contenders take turns, so that other load of the machine affects all; medians and ratios of the results.

use crate::contender::{Measured, Who, Work};
use crate::error::BenchError;
use crate::place::Shop;
use std::io::{IsTerminal, Write};

/// All rounds of one piece of work, a list for each contender in the order in which they were named.
pub(crate) struct Cell {
    who: Vec<Who>,
    measured: Vec<Vec<Measured>>,
}

/// Lets each contender do the work once a round, another one first each time.
pub(crate) fn take_turns(
    who: &[Who],
    work: &Work<'_>,
    rounds: usize,
    shop: &Shop,
) -> Result<Cell, BenchError> {
    let who: Vec<Who> = who
        .iter()
        .copied()
        .filter(|who| shop.fio || !who.is_fio())
        .collect();
    let mut measured = vec![Vec::with_capacity(rounds); who.len()];
    for round in 0..rounds {
        for turn in 0..who.len() {
            let at = (round + turn) % who.len();
            progress(&format!(
                "{}, {} threads, depth {}, round {} of {rounds}: {}",
                work.place.title,
                work.threads,
                work.depth,
                round + 1,
                who[at].name()
            ));
            measured[at].push(who[at].measure(work, shop)?);
        }
    }
    progress("");
    Ok(Cell { who, measured })
}

/// One line that is written over by the next, on a terminal.
pub(crate) fn progress(line: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        let _ = write!(out, "\r\x1b[K{line}");
        let _ = out.flush();
    }
}

impl Cell {
    pub(crate) fn who(&self) -> &[Who] {
        &self.who
    }

    fn of(&self, who: Who) -> Option<&[Measured]> {
        let at = self.who.iter().position(|each| *each == who)?;
        Some(&self.measured[at])
    }

    /// Median of one figure; none for who did not take part.
    pub(crate) fn median(&self, who: Who, figure: fn(&Measured) -> f64) -> Option<f64> {
        Some(median(self.of(who)?.iter().map(figure).collect()))
    }

    /// Mean of one figure. For CPU time: the kernel samples with its tick what of it was the program's own, so that a
    /// short run may report 0, and only many together are right.
    pub(crate) fn mean(&self, who: Who, figure: fn(&Measured) -> f64) -> Option<f64> {
        let all = self.of(who)?;
        Some(all.iter().map(figure).sum::<f64>() / all.len() as f64)
    }

    pub(crate) fn extremes(&self, who: Who, figure: fn(&Measured) -> f64) -> Option<(f64, f64)> {
        let all = self.of(who)?.iter().map(figure);
        Some(all.fold((f64::INFINITY, 0.0), |(least, most), each| {
            (each.min(least), each.max(most))
        }))
    }

    /// How many times the rate of `below` the rate of `above` is: median over rounds, because neighbours in time have
    /// the same ambient load.
    pub(crate) fn ratio(&self, above: Who, below: Who) -> Option<f64> {
        let pairs = self.of(above)?.iter().zip(self.of(below)?);
        let ratios = pairs.map(|(above, below)| above.rate_per_s / below.rate_per_s.max(1.0));
        Some(median(ratios.collect()))
    }

    /// The same with the interval that contains the true median ratio in 95 of 100 cases, for any distribution:
    /// between two of the sorted ratios. Source: Hahn and Meeker, Statistical Intervals, section 5.2.
    pub(crate) fn ratio_spread(&self, above: Who, below: Who) -> Option<Spread> {
        let pairs = self.of(above)?.iter().zip(self.of(below)?);
        let ratios = pairs.map(|(above, below)| above.rate_per_s / below.rate_per_s.max(1.0));
        Some(spread(ratios.collect()))
    }

    /// How far the rates of one contender are apart between the middle half of its rounds, as a share of the median.
    pub(crate) fn noise(&self, who: Who) -> Option<f64> {
        let mut rates: Vec<f64> = self.of(who)?.iter().map(|one| one.rate_per_s).collect();
        rates.sort_by(f64::total_cmp);
        let (low, high) = (rates.len() / 4, rates.len() - 1 - rates.len() / 4);
        Some((rates[high] - rates[low]) / rates[rates.len() / 2].max(1.0))
    }
}

/// A median and where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Of less than six numbers the least and the largest, which contain the median less often.
fn spread(mut all: Vec<f64>) -> Spread {
    all.sort_by(f64::total_cmp);
    let count = all.len();
    let (mut term, mut tail, mut out) = (0.5_f64.powi(count as i32), 0.0, 0);
    while tail + term <= 0.025 {
        tail += term;
        term *= (count - out) as f64 / (out + 1) as f64;
        out += 1;
    }
    let low = out.saturating_sub(1);
    Spread {
        low: all[low],
        high: all[count - 1 - low],
        median: median(all),
    }
}

/// The middle of one or more numbers.
pub(crate) fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    if all.len() % 2 == 1 {
        all[middle]
    } else {
        all[middle - 1].midpoint(all[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(all: &[f64]) -> Vec<Measured> {
        let measured = |&rate_per_s: &f64| Measured {
            rate_per_s,
            ..Measured::default()
        };
        all.iter().map(measured).collect()
    }

    #[test]
    fn ratios_are_between_neighbours_in_time() {
        let cell = Cell {
            who: vec![Who::Fathom, Who::Ring],
            measured: vec![rates(&[10.0, 100.0, 40.0]), rates(&[20.0, 200.0, 50.0])],
        };
        assert_eq!(cell.ratio(Who::Fathom, Who::Ring), Some(0.5));
        assert_eq!(cell.ratio(Who::Fathom, Who::Fio), None);
        assert_eq!(cell.median(Who::Fathom, |one| one.rate_per_s), Some(40.0));
        assert_eq!(
            cell.extremes(Who::Ring, |one| one.rate_per_s),
            Some((20.0, 200.0))
        );
        assert_eq!(median(vec![1.0, 4.0, 2.0, 3.0]), 2.5);
    }

    /// Of 21 the sixth and the sixteenth: P(K < 6) = 0.0133 with a binomial of a half, P(K < 7) = 0.0392.
    #[test]
    fn the_interval_of_a_median_is_between_two_of_the_numbers() {
        let of = |count: u32| spread((1..=count).map(f64::from).collect());
        let expected = |low, median, high| Spread { median, low, high };
        assert_eq!(of(21), expected(6.0, 11.0, 16.0));
        assert_eq!(of(6), expected(1.0, 3.5, 6.0));
        assert_eq!(of(3), expected(1.0, 2.0, 3.0));
    }
}
