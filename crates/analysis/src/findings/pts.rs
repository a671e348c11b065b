//! What speaks against a result of a test of SNIA's PTS: no steady state, demands that were not met, a scaled test.
//!
//! Omitted: which demands there are (`pts::demands`), and the findings of single runs.

use super::{Cause, Finding, Group, Look, PtsSeen, Rule, RuleId, Severity, finding};
use crate::say;

const SOURCE: &str = "SNIA, Solid State Storage Performance Test Specification (PTS) 2.0.2, as its pages and the implementation TKperf show it.";

pub(super) const NOT_STEADY: Rule = Rule {
    id: RuleId::new("pts-not-steady"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "A test of SNIA's PTS did not reach steady state in its rounds.",
    method: "Over the last five rounds, largest minus smallest value is above 20% of the mean. Or the least-squares line rises or falls by more than 10% of the mean. It was so in every round up to the last one that is allowed.",
    evidence: &["rounds", "range_share", "slope_share"],
    source: SOURCE,
    advice: "Report the figures as not in steady state. Give the drive more preconditioning, or, where --max-rounds ended the test, more rounds, and look for other load.",
    look: Look::Pts(not_steady),
};

pub(super) const DEMANDS: Rule = Rule {
    id: RuleId::new("pts-demands-unmet"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "Demands of SNIA's PTS were not met, so the result is no result of that specification.",
    method: "Each demand is compared with a fact of the session: purge, whole drive, active range, write cache, preconditioning, block sizes, interruptions, other load. `demands` in JSON lists all of them.",
    evidence: &["unmet", "unknown"],
    source: SOURCE,
    advice: "State the unmet demands together with the figures, or meet them and repeat the test.",
    look: Look::Pts(demands),
};

pub(super) const SCALED: Rule = Rule {
    id: RuleId::new("pts-scaled"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "A test of SNIA's PTS was scaled, so it is a demonstration and no result of that specification.",
    method: "--scale shortens all times and the bytes of the preconditioning by one factor.",
    evidence: &["scale"],
    source: SOURCE,
    advice: "Use a scaled test to learn the procedure. Measure without --scale.",
    look: Look::Pts(scaled),
};

fn not_steady(seen: &PtsSeen) -> Option<Finding> {
    let last = seen.not_steady.as_ref()?;
    let sentence = format!(
        "steady state was not reached in {}",
        say::counted(u64::from(last.rounds), "round")
    );
    let evidence = [
        ("rounds", f64::from(last.rounds)),
        ("range_share", last.range_share),
        ("slope_share", last.slope_share),
    ];
    let advice = match last.rounds_ended_it {
        true => "report the figures as not in steady state, or allow more rounds",
        false => "report the figures as not in steady state: the test has written all that it may",
    };
    Some(finding(
        NOT_STEADY.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

fn demands(seen: &PtsSeen) -> Option<Finding> {
    let count = seen.unmet.len() as u64;
    (count > 0).then(|| {
        let sentence = format!(
            "no PTS result: {} not met: {}",
            say::counted(count, "demand"),
            seen.unmet.join(", ")
        );
        let evidence = [("unmet", count as f64), ("unknown", seen.unknown as f64)];
        let advice = "state them together with the figures, or meet them and repeat the test";
        finding(DEMANDS.id, Severity::Warning, sentence, &evidence, advice)
    })
}

fn scaled(seen: &PtsSeen) -> Option<Finding> {
    (seen.scale < 1.0).then(|| {
        let sentence = format!(
            "scaled, no PTS result: times and preconditioning are {} of the specification's",
            say::percent(seen.scale)
        );
        let advice = "measure without --scale";
        let evidence = [("scale", seen.scale)];
        finding(SCALED.id, Severity::Warning, sentence, &evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{NotSteady, pts_findings};

    fn ids(seen: &PtsSeen) -> Vec<&'static str> {
        let found = pts_findings(seen);
        found.iter().map(|one| one.id.as_str()).collect()
    }

    #[test]
    fn a_test_by_the_book_has_no_finding_and_each_fault_has_one() {
        let good = PtsSeen {
            scale: 1.0,
            ..PtsSeen::default()
        };
        assert_eq!(ids(&good), [""; 0]);
        let bad = PtsSeen {
            scale: 1.0 / 600.0,
            not_steady: Some(NotSteady {
                rounds: 25,
                rounds_ended_it: false,
                range_share: 0.3,
                slope_share: -0.2,
            }),
            unmet: vec!["purge".to_owned(), "write cache off".to_owned()],
            unknown: 1,
        };
        assert_eq!(
            ids(&bad),
            ["pts-scaled", "pts-not-steady", "pts-demands-unmet"]
        );
        let found = pts_findings(&bad);
        assert_eq!(found[2].evidence[0].value, 2.0);
        assert_eq!(found[1].evidence[0].value, 25.0);
        assert!(
            !found[1].advice.contains("more rounds"),
            "{}",
            found[1].advice
        );
    }
}
