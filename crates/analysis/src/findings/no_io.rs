//! No I/O completed in the measured phase, so there is no result.
//!
//! Silent where I/Os failed or were never completed: then `io_errors` and `io-timeout` report why there is none.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::Outcome;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("no-io"),
    group: Group::Samples,
    cause: Cause::Alone,
    limit: None,
    what: "No I/O completed in the measured phase, so there is no result.",
    method: "A count of 0, or for imported runs a printed rate of 0. Not applied if failed or timed-out I/Os are the reason.",
    evidence: &["measured_ns"],
    source: "The count itself.",
    advice: "Measure longer. If it persists, the target does not respond: check the system log, or the text for errors.",
    look: Look::Any(look),
};

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(own),
        None => of_others(seen),
    }
}

fn of_others(seen: &Seen<'_>) -> Option<Finding> {
    let total = &seen.observed.total;
    let nothing = total.ios == Some(0) || (total.ios.is_none() && total.iops == Some(0.0));
    nothing.then(|| {
        finding(
            RULE.id,
            Severity::Error,
            "no I/O was counted".to_owned(),
            &[],
            "check the text for errors, and measure again",
        )
    })
}

fn of_own(seen: &Own<'_>) -> Option<Finding> {
    let failed = seen.total.errors_total() > 0 || matches!(seen.record.outcome, Outcome::Failed(_));
    let lost = seen
        .record
        .threads
        .iter()
        .any(|thread| thread.abandoned > 0);
    if seen.total.ios > 0 || failed || lost {
        return None;
    }
    let measured = seen.record.phases.measured().0 as f64;
    let sentence = format!("no I/O completed in {} of measuring", say::time(measured));
    Some(finding(
        RULE.id,
        Severity::Error,
        sentence,
        &[("measured_ns", measured)],
        "measure longer; if it persists, the target does not respond: check the system log",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::ErrorCount;

    #[test]
    fn a_run_without_io_is_no_result() {
        let empty = Sample {
            reads: 0,
            ..Sample::default()
        }
        .build();
        let finding = found(&empty, "no-io").unwrap();
        assert_eq!(finding.severity, Severity::Error);
        assert_eq!(finding.sentence, "no I/O completed in 10 s of measuring");
        let one = Sample {
            reads: 1,
            ..Sample::default()
        }
        .build();
        assert_eq!(found(&one, "no-io"), None);
    }

    #[test]
    fn where_every_io_failed_or_hangs_that_is_said_and_not_that_none_completed() {
        let empty = Sample {
            reads: 0,
            ..Sample::default()
        }
        .build();
        let mut failed = empty.clone();
        failed.threads[0].measured[0].errors = vec![ErrorCount { errno: 5, count: 9 }];
        let mut hanging = empty;
        hanging.threads[0].abandoned = 1;
        for (record, reported) in [
            (failed, "INVALID: 9 I/Os failed, 100% of all"),
            (hanging, "INVALID: 1 I/O was never completed"),
        ] {
            assert_eq!(found(&record, "no-io"), None);
            assert_eq!(crate::run_report(&record).verdict.sentence(), reported);
        }
    }
}
