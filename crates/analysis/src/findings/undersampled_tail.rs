//! Percentiles with few I/Os beyond them, and those that equal the maximum.
//!
//! fathom's own pages leave such percentiles out or mark them; other tools print them.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("undersampled-tail"),
    group: Group::Samples,
    cause: Cause::Sample,
    limit: None,
    what: "Percentiles were printed that the number of I/Os does not support.",
    method: "Of n I/Os, n × (1 − q) are beyond the percentile q. With fewer than ten the percentile is uncertain and may differ in another run; with fewer than one it equals the maximum.",
    evidence: &[
        "ios",
        "deepest_sound_quantile",
        "first_weak_beyond_ios",
        "first_empty_beyond_ios",
    ],
    source: "Hahn and Meeker, Statistical Intervals, chapter 5 (order statistics); the bounds 10 and 1 are fathom's practical rule.",
    advice: "Use percentiles with ten or more I/Os beyond them, or measure longer.",
    look: Look::Any(look),
};

const BEYOND_MIN: f64 = 10.0;
/// 0.9999999 and the count are binary and rounded: what is one I/O to a millionth is one I/O.
const ROUNDING: f64 = 1e-6;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    seen.imported?;
    let total = &seen.observed.total;
    let ios = match (total.ios, total.iops, seen.observed.measured_ns) {
        (Some(ios), ..) => ios as f64,
        (None, Some(rate), Some(time)) => rate * time / 1e9,
        _ => return None,
    };
    let beyond = |quantile: f64| ios * (1.0 - quantile);
    let printed = total.percentiles.iter().map(|(quantile, _)| *quantile);
    let printed = printed.filter(|quantile| *quantile > 0.5 && *quantile < 1.0);
    let (doubtful, sound): (Vec<f64>, Vec<f64>) =
        printed.partition(|quantile| beyond(*quantile) < BEYOND_MIN - ROUNDING);
    if doubtful.is_empty() || ios < 1.0 {
        return None;
    }
    let (empty, weak): (Vec<f64>, Vec<f64>) = doubtful
        .iter()
        .partition(|quantile| beyond(**quantile) < 1.0 - ROUNDING);
    let mut parts = Vec::new();
    let reported = |quantile: &f64| {
        format!(
            "{} beyond {}",
            say::digits(beyond(*quantile)),
            depth(*quantile)
        )
    };
    if let Some(last) = sound.last() {
        parts.push(reported(last));
    }
    parts.extend(weak.iter().map(reported));
    if let (Some(first), Some(last)) = (empty.first(), empty.last()) {
        let which = match first == last {
            true => format!("{} equals", depth(*first)),
            false => format!("{} to {} equal", depth(*first), depth(*last)),
        };
        parts.push(format!("{which} the maximum"));
    }
    let sentence = format!(
        "undersampled percentiles of {} I/Os: {}",
        say::count(ios.round() as u64),
        parts.join(", ")
    );
    let mut evidence = vec![("ios", ios)];
    evidence.extend(
        sound
            .last()
            .map(|quantile| ("deepest_sound_quantile", *quantile)),
    );
    evidence.extend(
        weak.first()
            .map(|quantile| ("first_weak_beyond_ios", beyond(*quantile))),
    );
    evidence.extend(
        empty
            .first()
            .map(|quantile| ("first_empty_beyond_ios", beyond(*quantile))),
    );
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        "use percentiles with ten or more I/Os beyond them, or measure longer",
    ))
}

/// `99.99% (4-nines)`: the words that tools print mislead people into taking 3-nines for 99%.
fn depth(quantile: f64) -> String {
    let nines = -(1.0 - quantile).log10();
    let whole = nines.round();
    if whole < 3.0 || (nines - whole).abs() > 1e-3 {
        let text = format!("{:.3}", quantile * 100.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return format!("{text}%");
    }
    // 99 and whole - 2 further nines.
    let further = "9".repeat(whole as usize - 2);
    format!("99.{further}% ({whole}-nines)")
}

#[cfg(test)]
mod tests {
    use super::depth;
    use crate::findings::test::{imported, reported};
    use model::Nanos;

    /// The quantiles that DISKSPD prints; the latencies matter to no sentence here.
    fn printed() -> Vec<(f64, Nanos)> {
        [
            0.5,
            0.99,
            0.999,
            0.9999,
            0.99999,
            0.999_999,
            0.999_999_9,
            0.999_999_99,
            0.999_999_999,
        ]
        .map(|quantile| (quantile, Nanos::millis(1)))
        .to_vec()
    }

    #[test]
    fn nines_are_reported_as_percent() {
        assert_eq!(depth(0.999), "99.9% (3-nines)");
        assert_eq!(depth(0.999_999_999), "99.9999999% (9-nines)");
        assert_eq!(depth(0.995), "99.5%");
        assert_eq!(depth(0.99), "99%");
    }

    #[test]
    fn percentiles_without_ios_beyond_them_are_named() {
        let mut run = imported();
        run.figures.total.latency.percentiles = printed();
        assert_eq!(
            reported(&run, "undersampled-tail").unwrap().sentence,
            "undersampled percentiles of 2469840 I/Os: 24.7 beyond 99.999% (5-nines), 2.47 beyond 99.9999% (6-nines), \
             99.99999% (7-nines) to 99.9999999% (9-nines) equal the maximum"
        );
        run.figures.total.ios = Some(100_000_000_000);
        assert_eq!(reported(&run, "undersampled-tail"), None);
        run.figures.total.ios = None;
        assert!(
            reported(&run, "undersampled-tail").is_some(),
            "from rate and time"
        );
        run.measured = None;
        assert_eq!(reported(&run, "undersampled-tail"), None, "not known");
    }

    /// The run of the fourth seed, which takes 3-nines for the 99th percentile and 4-nines for one I/O.
    #[test]
    fn three_nines_are_not_the_99th_percentile() {
        let mut run = imported();
        run.figures.total.ios = Some(234_408);
        run.figures.total.ios_per_s = Some(1953.30);
        run.figures.total.latency.percentiles = printed();
        let sentence = reported(&run, "undersampled-tail").unwrap().sentence;
        assert!(
            sentence.starts_with(
                "undersampled percentiles of 234408 I/Os: 23.4 beyond 99.99% (4-nines), 2.34 beyond 99.999% \
                 (5-nines), 99.9999% (6-nines) to"
            ),
            "{sentence}"
        );
    }
}
