//! Several sequential jobs that begin at the same place of one file: all but the first of them may find the blocks in a cache,
//! or overwrite what is still in one.
//!
//! Runs of fathom: the plan has where each thread begins, so that is known, and a warning. Omitted: random places, of which no two
//! threads draw the same, simulated devices without a cache of reads, and threads that do not run the whole time.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::{Access, Sequence, TargetKind};
use std::collections::BTreeMap;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("same-place"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "Several sequential jobs used the same blocks, so a cache may have served most of them.",
    method: "Runs of fathom: two or more streams begin at one place of one file or device and go along it. A stream is a thread, or an I/O with a pointer of its own (DISKSPD -p). That is a warning. Imported runs of fio, a note: numjobs is 2 or more, the pattern is sequential, one file name is specified, and none of offset_increment, filename_format and zonesize.",
    evidence: &["jobs", "bytes_per_s"],
    source: "fio, HOWTO, offset_increment: several threads that go along one file in disjoint parts.",
    advice: "Give each job a part of its own (offset_increment, or a file per job).",
    look: Look::Any(look),
};

const JOBS_MIN: u32 = 2;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    if let Some(own) = seen.own {
        return of_own(own);
    }
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

/// A place of a file or device from which a stream of I/Os goes along it.
type Start = (Option<(u64, u64)>, u64, u64);

fn of_own(own: &Own<'_>) -> Option<Finding> {
    let mut streams: BTreeMap<Start, u64> = BTreeMap::new();
    let mut writes = false;
    for target in targets(own.record) {
        for (start, count) in starts(own, &target) {
            *streams.entry(start).or_default() += count;
            writes |= target.planned.writes();
        }
    }
    let all: u64 = streams.values().sum();
    let most = streams.into_values().max()?;
    if most < u64::from(JOBS_MIN) {
        return None;
    }
    let what = match writes {
        true => {
            "write the same blocks from one place on: a cache may have absorbed all writes but the last"
        }
        false => {
            "read the same blocks from one place on: a cache may have served all but the first"
        }
    };
    let sentence = format!(
        "{} of {} sequential streams {what}",
        say::count(most),
        say::count(all)
    );
    let bytes_per_s =
        crate::rows::per_second(own.total.bytes.0 as f64, own.record.phases.measured());
    let evidence = [("jobs", most as f64), ("bytes_per_s", bytes_per_s)];
    let advice = "give each thread a part of its own: -t with fathom run, -T or -si with DISKSPD, offset_increment with fio";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

/// Where the streams of a target begin, each with how many begin there.
fn starts(own: &Own<'_>, target: &Below<'_>) -> Vec<(Start, u64)> {
    let (facts, planned) = (target.facts, target.planned);
    let elsewhere = matches!(facts.kind, TargetKind::Null | TargetKind::Simulated);
    if elsewhere || !planned.active.is_always() {
        return Vec::new();
    }
    let threads = u64::from(own.record.plan.threads_on(planned));
    let (base, block) = (planned.base.0, planned.workload.block.0);
    let at = |offset: u64| {
        (
            facts.identity,
            base.saturating_add(offset),
            planned.length.0,
        )
    };
    match &planned.workload.access {
        Access::Sequential => {
            let blocks = planned.length.0 / block.max(1);
            let share = |thread: u64| u128::from(blocks) * u128::from(thread) / u128::from(threads);
            let each = (0..threads).map(|thread| (at(share(thread) as u64 * block), 1));
            each.collect()
        }
        Access::Diskspd(walk) if walk.random.as_percent() == 0 => {
            let slots = match walk.sequence {
                Sequence::PerSlot => u64::from(planned.workload.queue_depth.0),
                Sequence::PerThread | Sequence::Backward => 1,
                Sequence::Interlocked => return vec![(at(0), 1)],
            };
            let stride = walk.thread_stride.0;
            let each = (0..threads).map(|thread| (at(thread.saturating_mul(stride)), slots));
            each.collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, imported, reported};
    use crate::sample::Sample;

    use model::{Access, Bytes, DiskspdAccess, Distribution, Ratio, RunRecord, Sequence};

    fn walk(sequence: Sequence, stride: u64) -> Access {
        Access::Diskspd(DiskspdAccess {
            random: Ratio::NONE,
            align: Bytes::kib(64),
            sequence,
            thread_stride: Bytes(stride),
            distribution: Distribution::Uniform,
        })
    }

    fn threads(access: Access, threads: u32) -> RunRecord {
        let sample = Sample {
            block: Bytes::kib(64),
            access,
            ..Sample::default()
        };
        let mut record = sample.build();
        record.plan.targets[0].threads = threads;
        record
    }

    /// E10: four jobs that read the same blocks.
    #[test]
    fn threads_that_begin_at_one_place_are_a_warning_and_those_apart_are_silent() {
        let overlap = walk(Sequence::PerThread, 0);
        let reported = found(&threads(overlap.clone(), 4), "same-place").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert_eq!(reported.evidence[0].value, 4.0);
        for (access, count) in [
            (overlap, 1),
            (walk(Sequence::PerThread, 1 << 30), 4),
            (walk(Sequence::Interlocked, 0), 4),
            (Access::Sequential, 4),
            (Access::Random, 4),
        ] {
            let record = threads(access.clone(), count);
            assert_eq!(found(&record, "same-place"), None, "{access:?}");
        }
    }

    #[test]
    fn ios_of_one_thread_with_a_pointer_each_begin_at_one_place() {
        let mut record = threads(walk(Sequence::PerSlot, 0), 1);
        assert_eq!(found(&record, "same-place"), None);
        record.plan.targets[0].workload.queue_depth = model::QueueDepth(8);
        let reported = found(&record, "same-place").unwrap();
        assert_eq!(reported.evidence[0].value, 8.0);
    }

    #[test]
    fn two_targets_on_one_file_begin_at_one_place_unless_their_ranges_differ() {
        let mut record = threads(Access::Sequential, 1);
        let (target, facts) = (record.plan.targets[0].clone(), record.targets[0].clone());
        record.plan.targets.push(target);
        record.targets.push(facts);
        assert!(found(&record, "same-place").is_some());
        record.plan.targets[1].base = Bytes::gib(4);
        assert_eq!(found(&record, "same-place"), None);
        record.plan.targets[1].base = Bytes(0);
        record.targets[1].identity = Some((1, 3));
        assert_eq!(found(&record, "same-place"), None, "another file");
    }

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
