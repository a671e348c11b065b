//! Threads waited for the journal of durable writes.
//!
//! Omitted: a journal that could not be written, which the run reports itself.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("journal-bound"),
    group: Group::Limit,
    cause: Cause::Alone,
    limit: None,
    what: "Threads waited until there was room for the journal, so the rate is that of the journal's storage.",
    method: "The time that threads waited with a full ring of journal entries is 5% of their time or more.",
    evidence: &["waited_share"],
    source: "fathom: the record. The limit is chosen, not measured.",
    advice: "Write the journal to a faster file, to tmpfs, or through a pipe to another machine.",
    look: Look::Own(look),
};

const WAITED_MIN: f64 = 0.05;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let record = seen.record;
    let journal = record.engine.verification.as_ref()?.journal.as_ref()?;
    let threads = record.engine.workers.len().max(1) as f64;
    let time = record.phases.drained.0.max(1) as f64 * threads;
    let share = journal.waited.0 as f64 / time;
    (share >= WAITED_MIN).then(|| {
        let sentence = format!(
            "limited by the journal: threads waited for room in it for {} of their time",
            say::percent(share)
        );
        let evidence = [("waited_share", share)];
        finding(RULE.id, Severity::Warning, sentence, &evidence, RULE.advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::verified::JournalCounts;
    use model::{Nanos, Verification};

    #[test]
    fn waiting_for_the_journal_is_a_warning_from_5_percent_on() {
        let mut record = Sample::default().build();
        let threads = record.engine.workers.len().max(1) as u64;
        let time = record.phases.drained.0 * threads;
        for (share, is_found) in [(0, false), (4, false), (6, true)] {
            record.engine.verification = Some(Verification {
                journal: Some(JournalCounts {
                    waited: Nanos(time * share / 100),
                    ..JournalCounts::default()
                }),
                ..Verification::default()
            });
            let severity = found(&record, "journal-bound").map(|one| one.severity);
            assert_eq!(severity, is_found.then_some(Severity::Warning), "{share}%");
        }
    }
}
