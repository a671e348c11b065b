//! The answer of a comparison, in one line, and the text of a change.
//!
//! First whether B is faster: by the rate of I/Os, or of bytes where blocks differ. Then how long I/Os took.

use super::change::{Change, OUTSIDE};
use super::figure::{Figure, JudgedCell};
use super::metric::Metric;
use super::{CellCounts, Outcome, Verdict};
use crate::say;

/// Waits that are reported next to the rate: the first that is known.
const WAITS: [&str; 4] = [
    "response_p99_ns",
    "latency_p99_ns",
    "latency_p50_ns",
    "latency_mean_ns",
];

/// The result of a comparison of one cell, and its first line. `main` is the figure that decides.
pub(super) fn answer(overall: &[Figure], main: &str) -> (Verdict, String) {
    let find = |name: &str| overall.iter().find(|figure| figure.metric.name == name);
    let rate = find(main);
    let wait = WAITS.iter().find_map(|name| find(name));
    let verdict = verdict(rate, wait);
    let head = match verdict {
        Verdict::Faster => "B is faster",
        Verdict::Slower => "B is slower",
        Verdict::WaitsLess => "B waits less",
        Verdict::WaitsMore => "B waits longer",
        Verdict::NoDifference => {
            let most = rate.and_then(|rate| rate.change?.at_most(OUTSIDE));
            return (verdict, no_difference(rate, wait, most.unwrap_or(0.0)));
        }
        Verdict::Inconclusive | Verdict::Mixed => "inconclusive",
        Verdict::Identical => {
            return (
                verdict,
                "both are the same results: the ratio is exactly 1".to_owned(),
            );
        }
    };
    let mut parts: Vec<String> = [rate, wait]
        .into_iter()
        .flatten()
        .map(|figure| part(figure, verdict))
        .collect();
    if matches!(verdict, Verdict::WaitsLess | Verdict::WaitsMore) {
        parts.reverse();
    }
    if parts.is_empty() {
        parts.push("no figure is known on both sides".to_owned());
    }
    (verdict, format!("{head}: {}", parts.join(", ")))
}

fn no_difference(rate: Option<&Figure>, wait: Option<&Figure>, most: f64) -> String {
    let figures = [rate, wait].into_iter().flatten();
    let parts: Vec<String> = figures
        .map(|figure| part(figure, Verdict::NoDifference))
        .collect();
    format!(
        "no difference above {}: {}",
        say::percent(most),
        parts.join(", ")
    )
}

/// The same of several cells, called by a `noun`: how many changed, and the one that changed most. No mean over cells: they are
/// of unlike work. Each cell has to be significant `outside` a level that is shared out over the cells.
pub(super) fn answer_of_cells(
    cells: &[JudgedCell],
    main: &str,
    outside: f64,
    counts: CellCounts,
    noun: &str,
) -> (Verdict, String) {
    let figures = || cells.iter().flat_map(|cell| &cell.figures);
    if figures().any(is_same) && figures().all(|one| is_same(one) || (one.a == 0.0 && one.b == 0.0))
    {
        let same = "both are the same results: the ratio is exactly 1";
        return (Verdict::Identical, same.to_owned());
    }
    let all = cells.iter().filter(|cell| !cell.figures.is_empty()).count();
    let (verdict, changed) = most_changed(cells, main, outside);
    let count = changed.len();
    let mut line = match verdict {
        Verdict::Faster => format!("B is faster in {count} of {all} {noun}s"),
        Verdict::Slower => format!("B is slower in {count} of {all} {noun}s"),
        Verdict::Mixed => {
            let (up, down) = (counts.faster, counts.slower);
            format!("B is faster in {up} and slower in {down} of {all} {noun}s")
        }
        Verdict::WaitsMore => format!("B waits longer in {count} of {all} {noun}s"),
        Verdict::WaitsLess => format!("B waits less in {count} of {all} {noun}s"),
        _ if counts.no_difference > 0 => {
            let most = largest_possible(cells, main);
            let line = format!(
                "no difference above {most} in {} of {all} {noun}s",
                counts.no_difference
            );
            return (Verdict::NoDifference, with_inconclusive(line, counts));
        }
        _ => {
            return (
                Verdict::Inconclusive,
                format!("inconclusive in all {all} {noun}s"),
            );
        }
    };
    if let Some((cell, figure)) = changed.first()
        && let Some(change) = &figure.change
    {
        let words = change_in_words(figure.metric, change);
        line.push_str(&format!(", most in {}: {words}", cell.name));
    }
    if counts.no_difference > 0 {
        let none = counts.no_difference;
        let most = largest_possible(cells, main);
        line.push_str(&format!("; no difference above {most} in {none}"));
    }
    (verdict, with_inconclusive(line, counts))
}

/// Whether both sides are the same results.
fn is_same(figure: &Figure) -> bool {
    figure.change == Some(Change::NONE)
}

fn with_inconclusive(line: String, counts: CellCounts) -> String {
    match counts.inconclusive {
        0 => line,
        count => format!("{line}; {count} inconclusive"),
    }
}

type Changed<'a> = Vec<(&'a JudgedCell, &'a Figure)>;

/// Which way the rate changed, or else how long I/Os took, and the cells that did so, the largest change first.
fn most_changed<'a>(cells: &'a [JudgedCell], main: &str, outside: f64) -> (Verdict, Changed<'a>) {
    let changed = |name: &str, rise: bool| -> Changed<'a> {
        let figures = cells.iter().filter_map(|cell| {
            let mut figures = cell.figures.iter();
            Some((cell, figures.find(|figure| figure.metric.name == name)?))
        });
        let significant = |(_, figure): &(&JudgedCell, &Figure)| {
            let change = figure.change.filter(|change| (change.log > 0.0) == rise);
            change.and_then(|change| change.differs(outside)) == Some(true)
        };
        let mut found: Changed<'a> = figures.filter(significant).collect();
        let size = |figure: &Figure| figure.change.map_or(0.0, |change| change.log.abs());
        found.sort_by(|one, other| size(other.1).total_cmp(&size(one.1)));
        found
    };
    let (faster, slower) = (changed(main, true), changed(main, false));
    match (faster.is_empty(), slower.is_empty()) {
        (false, true) => return (Verdict::Faster, faster),
        (true, false) => return (Verdict::Slower, slower),
        (false, false) if faster.len() > slower.len() => return (Verdict::Mixed, faster),
        (false, false) => return (Verdict::Mixed, slower),
        (true, true) => {}
    }
    let has = |name: &&&str| {
        let mut figures = cells.iter().flat_map(|cell| &cell.figures);
        figures.any(|figure| figure.metric.name == **name)
    };
    let Some(wait) = WAITS.iter().find(has) else {
        return (Verdict::Inconclusive, Vec::new());
    };
    let (longer, shorter) = (changed(wait, true), changed(wait, false));
    match (longer.is_empty(), shorter.is_empty()) {
        (false, true) => (Verdict::WaitsMore, longer),
        (true, false) => (Verdict::WaitsLess, shorter),
        _ => (Verdict::Inconclusive, Vec::new()),
    }
}

/// The largest change that the interval of a cell without one contains.
fn largest_possible(cells: &[JudgedCell], main: &str) -> String {
    let figures = cells.iter().flat_map(|cell| &cell.figures);
    let mine = figures.filter(|figure| figure.metric.name == main);
    let none = mine.filter_map(|figure| figure.change);
    let none = none.filter(|change| change.outcome(OUTSIDE, true) == Outcome::NoDifference);
    let most = none.filter_map(|change| change.at_most(OUTSIDE));
    say::percent(most.fold(0.0, f64::max))
}

fn verdict(rate: Option<&Figure>, wait: Option<&Figure>) -> Verdict {
    let known: Vec<&Figure> = [rate, wait].into_iter().flatten().collect();
    if !known.is_empty() && known.iter().all(|figure| is_same(figure)) {
        return Verdict::Identical;
    }
    let reported = |figure: Option<&Figure>| {
        let change = figure?.change?;
        Some((change.differs(OUTSIDE)?, change.log > 0.0))
    };
    if rate.is_some_and(|rate| rate.change.is_none()) {
        return match rate.map(|rate| (rate.a > 0.0, rate.b > 0.0)) {
            Some((true, false)) => Verdict::Slower,
            _ => Verdict::Inconclusive,
        };
    }
    let rate_change = rate.and_then(|rate| rate.change);
    let is_small =
        rate_change.is_some_and(|change| change.outcome(OUTSIDE, true) == Outcome::NoDifference);
    match (reported(rate), reported(wait)) {
        (Some((true, true)), _) => Verdict::Faster,
        (Some((true, false)), _) => Verdict::Slower,
        (_, Some((true, true))) => Verdict::WaitsMore,
        (_, Some((true, false))) => Verdict::WaitsLess,
        (Some((false, _)), _) if is_small => Verdict::NoDifference,
        _ => Verdict::Inconclusive,
    }
}

fn part(figure: &Figure, verdict: Verdict) -> String {
    let name = figure.metric.short();
    let Some(change) = &figure.change else {
        return match (figure.a > 0.0, figure.b > 0.0) {
            (true, false) => format!("{name} fell to 0"),
            (false, true) => format!("{name} is 0 in A and not in B"),
            _ => format!("{name} is 0"),
        };
    };
    match (change.differs(OUTSIDE), &figure.cannot) {
        (Some(false), _) if verdict == Verdict::NoDifference => {
            let seen = change
                .minimum_detectable_share()
                .map(|share| format!("; minimum detectable {}", say::percent(share)));
            let words = change_in_words(figure.metric, change);
            format!(
                "{}{})",
                words.trim_end_matches(')'),
                seen.unwrap_or_default()
            )
        }
        (Some(false), _) => {
            let most = change.at_most(OUTSIDE);
            let small = most.filter(|_| change.outcome(OUTSIDE, true) == Outcome::NoDifference);
            let seen = change.minimum_detectable_share().map(say::percent);
            match (small, seen) {
                (Some(most), _) => format!("{name} no difference above {}", say::percent(most)),
                (None, Some(seen)) => format!("{name} inconclusive (minimum detectable {seen})"),
                (None, None) => format!("{name} inconclusive"),
            }
        }
        (None, Some(why)) => format!(
            "{} (no interval: {why})",
            change_in_words(figure.metric, change)
        ),
        _ => change_in_words(figure.metric, change),
    }
}

/// `IOPS +5.1% (3.9 … 6.3%)`; where it more than doubles or halves, `IOPS 12.3 x (12.1 … 12.5 x)`.
pub(super) fn change_in_words(metric: &Metric, change: &Change) -> String {
    let ratio = change.ratio();
    let name = metric.short();
    let times = !(0.5..2.0).contains(&ratio.value);
    let ends = ratio.low.zip(ratio.high);
    if times {
        let ends =
            ends.map(|(low, high)| format!(" ({} … {} x)", say::digits(low), say::digits(high)));
        return format!(
            "{name} {} x{}",
            say::digits(ratio.value),
            ends.unwrap_or_default()
        );
    }
    let ends = ends.map(|(low, high)| {
        format!(
            " ({} … {})",
            bare(low),
            say::change(high).trim_start_matches('+')
        )
    });
    format!(
        "{name} {}{}",
        say::change(ratio.value),
        ends.unwrap_or_default()
    )
}

fn bare(ratio: f64) -> String {
    let text = say::change(ratio);
    text.trim_start_matches('+')
        .trim_end_matches(" %")
        .to_owned()
}
