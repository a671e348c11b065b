//! Too little was measured: fewer than 1000 I/Os, or fewer than three full steps of the time series.
//!
//! With n I/Os the rate of independent arrivals is known to about 1/√n, so 1000 represent 3%; and fewer
//! than three steps cannot show whether anything changed on the way. A run that was ended because its rate was known
//! well enough shows how well by its interval, and is not called short.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::intervals::full_intervals;
use crate::observed::Observed;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("short-run"),
    group: Group::Samples,
    cause: Cause::Sample,
    limit: None,
    what: "Too few I/Os or too little time were measured for reliable figures.",
    method: "Fewer than 1000 I/Os (for n independent arrivals the relative error of the rate is about 1/√n: 3% at 1000), or fewer than three full steps of the time series. Imported runs: fewer than 100 I/Os, less than a second, or fewer than 1000 I/Os in less than ten seconds. Not applied if the run ended early because its precision was reached.",
    evidence: &["ios", "measured_ns", "full_intervals"],
    source: "Poisson counting error.",
    advice: "Measure longer.",
    look: Look::Any(look),
};

const IOS_MIN: u64 = 1000;
const INTERVALS_MIN: usize = 3;

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(own),
        None => of_others(seen.observed),
    }
}

/// Of others the steps are not known: fewer than 100 I/Os, less than a second, or fewer than 1000 I/Os in less than ten.
fn of_others(observed: &Observed) -> Option<Finding> {
    const IOS_LEAST: u64 = 100;
    const TIME_LEAST_NS: f64 = 1e9;
    const TIME_SHORT_NS: f64 = 10e9;
    let ios = observed.total.ios.filter(|ios| *ios > 0);
    let time_ns = observed.measured_ns;
    let few = ios.is_some_and(|ios| ios < IOS_LEAST);
    let brief = time_ns.is_some_and(|ns| ns < TIME_LEAST_NS);
    let both = ios.is_some_and(|ios| ios < IOS_MIN) && time_ns.is_some_and(|ns| ns < TIME_SHORT_NS);
    if !few && !brief && !both {
        return None;
    }
    let shown = [
        ios.map(|ios| say::counted(ios, "I/O")),
        time_ns.map(say::time),
    ];
    let shown: Vec<String> = shown.into_iter().flatten().collect();
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!("a short run: {}", shown.join(" in ")),
        &[
            ("ios", ios.map_or(f64::NAN, |ios| ios as f64)),
            ("measured_ns", time_ns.unwrap_or(f64::NAN)),
        ],
        "repeat for a minute or more: a different rate means that this run measured the initial phase only",
    ))
}

fn of_own(seen: &Own<'_>) -> Option<Finding> {
    if seen.record.engine.ended_early {
        return None;
    }
    let steps = full_intervals(seen.intervals, seen.record.plan.interval).len();
    shortness(
        seen.total.ios,
        steps,
        seen.record.phases.measured().0 as f64,
    )
}

/// The same of several runs of one load, whose I/Os, steps and times are added up.
pub(crate) fn shortness(ios: u64, full_steps: usize, measured_ns: f64) -> Option<Finding> {
    let sentence = if ios == 0 {
        return None; // `no-io` reports it
    } else if ios < IOS_MIN {
        format!(
            "a short run: {} in {}",
            say::counted(ios, "I/O"),
            say::time(measured_ns)
        )
    } else if full_steps < INTERVALS_MIN {
        format!(
            "a short run: {}, too few steps to detect a change",
            say::time(measured_ns)
        )
    } else {
        return None;
    };
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[
            ("ios", ios as f64),
            ("full_intervals", full_steps as f64),
            ("measured_ns", measured_ns),
        ],
        "measure longer",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;
    use model::Nanos;

    #[test]
    fn few_ios_or_few_steps_make_a_short_run() {
        let few = Sample {
            reads: 999,
            ..Sample::default()
        };
        let reported = found(&few.build(), "short-run").unwrap().sentence;
        assert_eq!(reported, "a short run: 999 I/Os in 10 s");
        let cut = Sample {
            measured: Nanos::seconds(2),
            ..Sample::default()
        };
        let reported = found(&cut.build(), "short-run").unwrap().sentence;
        assert_eq!(
            reported,
            "a short run: 2 s, too few steps to detect a change"
        );
        assert_eq!(
            found(
                &Sample {
                    reads: 1000,
                    ..Sample::default()
                }
                .build(),
                "short-run"
            ),
            None
        );
    }

    #[test]
    fn an_imported_run_of_one_io_or_of_half_a_second_is_short() {
        use crate::findings::test::{imported, reported};
        for (ios, millis, is_reported) in [
            (1, 20_000, true),
            (99, 60_000, true),
            (500, 9_000, true),
            (500, 60_000, false), // a rotating disk, one at a time
            (200_000, 900, true),
            (200_000, 2_000, false),
        ] {
            let mut run = imported();
            run.figures.total.ios = Some(ios);
            run.measured = Some(Nanos::millis(millis));
            assert_eq!(
                reported(&run, "short-run").is_some(),
                is_reported,
                "{ios} {millis}"
            );
        }
    }
}
