//! Both programs' figures in lines of 80 columns.

use super::Rounds;
use super::reported::FIGURES;
use crate::rounds::median;
use crate::table::short;

/// How long a round took, and a line a figure.
pub(super) fn lines(kind: &str, rounds: &Rounds) -> Vec<String> {
    let each = |all: std::time::Duration, count: usize| all.as_secs_f64() / count.max(1) as f64;
    let mut lines = vec![
        format!(
            "{kind}: a round took fathom {:.0} s, bonnie++ {:.0} s",
            each(rounds.ours_wall, rounds.ours.len()),
            each(rounds.theirs_wall, rounds.theirs.len())
        ),
        format!(
            "{:<23} {:>6} {:>14} {:>8} {:>5}  least to most",
            "", "fathom", "interval", "bonnie++", "is"
        ),
    ];
    let figures = (0..FIGURES.len()).map(|place| line(place, rounds));
    lines.extend(figures);
    lines
}

fn line(place: usize, rounds: &Rounds) -> String {
    let pairs = rounds.ours.iter().zip(&rounds.theirs);
    let mut ratios: Vec<f64> = pairs
        .filter_map(|(ours, theirs)| Some(ours[place]?.value / theirs[place]?))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let ends = ratios.first().copied().zip(ratios.last().copied());
    let ours: Vec<_> = rounds.ours.iter().filter_map(|ours| ours[place]).collect();
    // One round without an interval leaves its own rate outside of all others.
    let intervals: Option<Vec<_>> = ours.iter().map(|rate| rate.interval).collect();
    let widest = intervals.into_iter().flatten().reduce(
        |(low, high): (f64, f64), (other_low, other_high): (f64, f64)| {
            (low.min(other_low), high.max(other_high))
        },
    );
    let theirs = rounds.theirs.iter().filter_map(|theirs| theirs[place]);
    let reported = |rates: Vec<f64>, none: &str| match rates.is_empty() {
        true => none.to_owned(),
        false => short(median(rates)),
    };
    let range = |ends: Option<(f64, f64)>, none: &str| match ends {
        Some((low, high)) => format!("{} to {}", short(low), short(high)),
        None => none.to_owned(),
    };
    format!(
        "{:<23} {:>6} {:>14} {:>8} {:>5}  {}",
        FIGURES[place].name,
        reported(ours.iter().map(|rate| rate.value).collect(), "-"),
        range(widest, "-"),
        reported(theirs.collect(), "+"),
        reported(ratios, "-"),
        range(ends, "")
    )
}

#[cfg(test)]
mod tests {
    use super::super::reported::Rate;
    use super::*;

    fn round(value: f64, interval: (f64, f64)) -> Vec<Option<Rate>> {
        let interval = Some(interval);
        vec![Some(Rate { value, interval }); FIGURES.len()]
    }

    #[test]
    fn a_round_without_an_interval_leaves_none() {
        let mut rounds = Rounds {
            ours: vec![round(2.0, (1.5, 2.5)), round(4.0, (3.0, 4.5))],
            ..Rounds::default()
        };
        rounds.ours[0][0] = Some(Rate {
            value: 2.0,
            interval: None,
        });
        let figures = "  3.00              -        +     -";
        assert_eq!(
            line(0, &rounds).trim_end(),
            format!("{:<23} {figures}", "write blocks, MiB/s")
        );
    }

    #[test]
    fn the_interval_is_that_of_all_rounds_also_where_the_other_prints_plus_signs() {
        let mut rounds = Rounds {
            ours: vec![round(2.0, (1.5, 2.5)), round(4.0, (3.0, 4.5))],
            theirs: vec![vec![Some(1.0); FIGURES.len()]; 2],
            ..Rounds::default()
        };
        let reported = line(0, &rounds);
        let figures = "  3.00   1.50 to 4.50     1.00  3.00  2.00 to 4.00";
        assert_eq!(reported, format!("{:<23} {figures}", "write blocks, MiB/s"));
        rounds.theirs = vec![vec![None; FIGURES.len()]; 2];
        let reported = line(0, &rounds);
        assert!(
            reported.trim_end().ends_with("1.50 to 4.50        +     -"),
            "{reported}"
        );
    }
}
