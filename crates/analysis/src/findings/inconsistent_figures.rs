//! Inconsistent figures of another tool: the rate is not the count divided by the time.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("inconsistent-figures"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "The printed rate differs from the printed count divided by the printed time.",
    method: "More than 3% apart, in runs of a second or more with ten IOPS or more: rounding explains at most 1% there.",
    evidence: &["printed_per_s", "counted_per_s"],
    source: "Arithmetic on the printed text.",
    advice: "Check whether the text combines pieces of two runs.",
    look: Look::Any(look),
};

const APART_MAX: f64 = 0.03;
const TIME_MIN_NS: u64 = 1_000_000_000;
const RATE_MIN: f64 = 10.0;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let total = &run.figures.total;
    let (ios, printed, time) = (total.ios?, total.ios_per_s?, run.measured?);
    if time.0 < TIME_MIN_NS || !printed.is_finite() || printed < RATE_MIN {
        return None;
    }
    let counted = ios as f64 / time.as_seconds();
    let apart = (counted - printed).abs() / printed;
    (ios > 0 && apart > APART_MAX).then(|| {
        finding(
            RULE.id,
            Severity::Warning,
            format!(
                "the printed rate and the printed count divided by time are {} apart",
                say::percent(apart)
            ),
            &[("printed_per_s", printed), ("counted_per_s", counted)],
            "check whether the text combines pieces of two runs",
        )
        .sure(Confidence::High)
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};

    #[test]
    fn a_count_that_is_not_the_rate_times_the_time_is_reported() {
        let mut run = imported();
        assert_eq!(reported(&run, "inconsistent-figures"), None);
        run.figures.total.ios = Some(2_000_000);
        let sentence = reported(&run, "inconsistent-figures").unwrap().sentence;
        assert!(sentence.ends_with("are 19% apart"), "{sentence}");
        run.measured = None;
        assert_eq!(reported(&run, "inconsistent-figures"), None);
    }

    #[test]
    fn three_percent_are_rounding_and_more_is_not() {
        for (ios, is_reported) in [(2_519_236, false), (2_568_633, true)] {
            let mut run = imported();
            run.figures.total.ios = Some(ios);
            assert_eq!(
                reported(&run, "inconsistent-figures").is_some(),
                is_reported,
                "{ios}"
            );
        }
    }
}
