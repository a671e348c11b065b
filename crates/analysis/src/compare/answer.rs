//! What a comparison says, in one line, and how a change is said.
//!
//! First whether B is faster: by the rate of I/Os, or of bytes where blocks differ. Then how long I/Os took.

use super::Verdict;
use super::change::{Change, OUTSIDE};
use super::figure::Figure;
use super::metric::Metric;
use crate::say;

/// Waits that are reported beside the rate: the first that is known.
const WAITS: [&str; 4] = ["response_p99", "latency_p99", "latency_p50", "latency_mean"];

/// The result of a comparison, and its first line. `main` is the figure that decides.
pub(super) fn answer(overall: &[Figure], main: &str, cells: usize) -> (Verdict, String) {
    let find = |name: &str| overall.iter().find(|figure| figure.metric.name == name);
    let rate = find(main);
    let wait = WAITS.iter().find_map(|name| find(name));
    let verdict = verdict(rate, wait);
    let head = match verdict {
        Verdict::Same => "no difference seen",
        Verdict::Faster => "B is faster",
        Verdict::Slower => "B is slower",
        Verdict::WaitsLess => "B waits less",
        Verdict::WaitsMore => "B waits longer",
        Verdict::CannotTell => "not known whether B is faster",
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
    let over = match cells {
        0 | 1 => String::new(),
        many => format!("; geometric means over {many} cells"),
    };
    (verdict, format!("{head}: {}{over}", parts.join(", ")))
}

fn verdict(rate: Option<&Figure>, wait: Option<&Figure>) -> Verdict {
    let exact = |figure: &&Figure| figure.change == Some(Change::NONE);
    let known: Vec<&Figure> = [rate, wait].into_iter().flatten().collect();
    if !known.is_empty() && known.iter().all(exact) {
        return Verdict::Identical;
    }
    let reported = |figure: Option<&Figure>| {
        let change = figure?.change?;
        Some((change.differs(OUTSIDE)?, change.log > 0.0))
    };
    if rate.is_some_and(|rate| rate.change.is_none()) {
        return match rate.map(|rate| (rate.a > 0.0, rate.b > 0.0)) {
            Some((true, false)) => Verdict::Slower,
            _ => Verdict::CannotTell,
        };
    }
    match (reported(rate), reported(wait)) {
        (Some((true, true)), _) => Verdict::Faster,
        (Some((true, false)), _) => Verdict::Slower,
        (_, Some((true, true))) => Verdict::WaitsMore,
        (_, Some((true, false))) => Verdict::WaitsLess,
        (Some((false, _)), _) => Verdict::Same,
        _ => Verdict::CannotTell,
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
        (Some(false), _) if verdict == Verdict::Same => {
            let seen = change
                .smallest_seen_share()
                .map(|share| format!("; minimum detectable {}", say::percent(share)));
            let words = change_in_words(figure.metric, change);
            format!(
                "{}{})",
                words.trim_end_matches(')'),
                seen.unwrap_or_default()
            )
        }
        (Some(false), _) => {
            let seen = change
                .smallest_seen_share()
                .map(|share| format!(" (minimum detectable {})", say::percent(share)));
            format!("{name} no difference seen{}", seen.unwrap_or_default())
        }
        (None, Some(why)) => format!(
            "{} (no interval: {why})",
            change_in_words(figure.metric, change)
        ),
        _ => change_in_words(figure.metric, change),
    }
}

/// `rate +5.1% (3.9 … 6.3%)`; where it more than doubles or halves, `rate 12.3 x (12.1 … 12.5 x)`.
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
