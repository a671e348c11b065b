//! Several sequential jobs that begin at the same place of one file: all but the first of them may find the blocks in a cache,
//! or overwrite what is still in one.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("same-place"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "Several sequential jobs used the same blocks, so a cache may have served most of them.",
    method: "fio: numjobs is 2 or more, the pattern is sequential, one file name is specified, and none of offset_increment, filename_format and zonesize.",
    evidence: &["jobs", "bytes_per_s"],
    source: "fio, HOWTO, offset_increment: several threads that go along one file in disjoint parts.",
    advice: "Give each job a part of its own (offset_increment, or a file per job).",
    look: Look::Any(look),
};

const JOBS_MIN: u32 = 2;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let jobs = run.evidence.same_place.filter(|jobs| *jobs >= JOBS_MIN)?;
    let writes = seen
        .observed
        .load
        .write_share
        .is_some_and(|share| share > 0.0);
    let what = match writes {
        true => "overwrote the same blocks: a cache may have absorbed them",
        false => "read the same blocks: a cache may have served all but the first",
    };
    let sentence = format!("{} sequential jobs {what}", say::count(u64::from(jobs)));
    let mut evidence = vec![("jobs", f64::from(jobs))];
    evidence.extend(
        seen.observed
            .total
            .bytes_per_s
            .map(|bytes| ("bytes_per_s", bytes)),
    );
    let advice = "repeat with offset_increment, so that each job has a part of its own: fewer bytes per second mean that a cache answered";
    let reported = finding(RULE.id, Severity::Note, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::Ratio;

    #[test]
    fn jobs_at_one_place_are_named_with_what_they_did() {
        let mut run = imported();
        assert_eq!(reported(&run, "same-place"), None);
        run.evidence.same_place = Some(32);
        run.workload.write_percent = Some(Ratio::ALL);
        let found = reported(&run, "same-place").unwrap();
        assert_eq!(found.evidence[0].value, 32.0);
        assert!(found.sentence.contains("overwrote"), "{}", found.sentence);
        run.workload.write_percent = Some(Ratio::NONE);
        let found = reported(&run, "same-place").unwrap();
        assert!(
            found.sentence.contains("read the same"),
            "{}",
            found.sentence
        );
    }
}
