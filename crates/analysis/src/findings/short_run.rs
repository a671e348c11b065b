//! Too little was measured: fewer than 1000 I/Os, or fewer than three full steps of the time series.
//!
//! With n I/Os the rate of independent arrivals is known to about 1/√n, so 1000 stand for 3 %; and fewer
//! than three steps cannot show whether anything changed on the way. A run that was ended because its rate was known
//! well enough says how well by its interval, and is not called short.

use super::{Cause, Finding, FindingRank, Look, Own, Rule, RuleId, finding};
use crate::intervals::full_intervals;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("short-run"),
    cause: Cause::Sample,
    limit: None,
    what: "Too little was measured to say much.",
    method: "Fewer than 1 000 I/Os (with n independent arrivals a rate is known to about 1/√n: 3 % at 1 000), or fewer than three full steps of the time series. Silent where the run was ended because its rate was known.",
    source: "Poisson counting error.",
    advice: "Measure longer.",
    look: Look::Own(look),
};

const IOS_MIN: u64 = 1000;
const INTERVALS_MIN: usize = 3;

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
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
        return None; // `nothing-measured` says it
    } else if ios < IOS_MIN {
        format!(
            "a short run: {} in {}",
            say::counted(ios, "I/O"),
            say::time(measured_ns)
        )
    } else if full_steps < INTERVALS_MIN {
        format!(
            "a short run: {}, too few steps to see a change",
            say::time(measured_ns)
        )
    } else {
        return None;
    };
    Some(finding(
        RULE.id,
        FindingRank::Warning,
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
        let told = found(&few.build(), "short-run").unwrap().sentence;
        assert_eq!(told, "a short run: 999 I/Os in 10 s");
        let cut = Sample {
            measured: Nanos::seconds(2),
            ..Sample::default()
        };
        let told = found(&cut.build(), "short-run").unwrap().sentence;
        assert_eq!(told, "a short run: 2 s, too few steps to see a change");
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
}
