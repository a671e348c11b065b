//! Events of the system in the measured phase that stopped no I/O: a degraded array, a path that failed without a pause.
//!
//! Omitted: events near a pause, which are `failover`.

use super::stall::pauses_of;
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::events::{change, events, is_near, may_pause, measured_at, named, rates};
use crate::say;
use model::record::SystemEvent;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("event-in-window"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "The system reported a change of the target's devices, paths or servers while it was measured.",
    method: "An event of the system on the target's own chain in the measured phase, and not near a pause that `failover` reports. IOPS before and after are means of all full steps of the time series before the first such event and after the last one.",
    evidence: &["from_ns", "events", "iops_before", "iops_after"],
    source: "fathom: states in /sys read five times per second, and the kernel's log; the manual, chapter Events of the system.",
    advice: "Compare IOPS before and after the event. If they differ, measure again in one state of the target.",
    look: Look::Own(look),
};

fn look(seen: &Own<'_>) -> Option<Finding> {
    let record = seen.record;
    if events(record).is_empty() {
        return None;
    }
    let measured = i64::try_from(record.phases.measured().0).unwrap_or(i64::MAX);
    let mut pauses = pauses_of(seen);
    // Others are of a cause that no event shows.
    pauses.retain(|pause| {
        let mut causes = events(record).iter().filter(|event| may_pause(event.kind));
        causes.any(|event| is_near(record, event, pause))
    });
    let is_alone = |event: &&SystemEvent| {
        let is_in = (0..=measured).contains(&measured_at(record, event));
        is_in && !pauses.iter().any(|pause| is_near(record, event, pause))
    };
    let alone: Vec<&SystemEvent> = events(record).iter().filter(is_alone).collect();
    let (first, last) = alone.first().zip(alone.last())?;
    let (from, to) = (
        measured_at(record, first) as f64,
        measured_at(record, last) as f64,
    );
    let (before, after) = rates(seen.intervals, record.plan.interval, from, to);
    let change = change(before, after);
    let when = match alone.len() {
        1 => format!("at {}", say::time(from)),
        _ if say::digits(from / 1e9) == say::digits(to / 1e9) => format!("at {}", say::time(from)),
        _ => format!("from {} to {}", say::time(from), say::time(to)),
    };
    let sentence = format!(
        "the system reported {} of the target {when}: {}{change}",
        say::counted(alone.len() as u64, "event"),
        named(&alone)
    );
    let mut evidence = vec![("from_ns", from), ("events", alone.len() as f64)];
    evidence.extend(before.map(|rate| ("iops_before", rate)));
    evidence.extend(after.map(|rate| ("iops_after", rate)));
    let advice =
        "compare IOPS before and after; if they differ, measure again in one state of the target";
    Some(finding(RULE.id, Severity::Note, sentence, &evidence, advice).sure(Confidence::High))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{event, found, stepped};
    use model::RunRecord;
    use model::record::{EventKind, SystemEvents};

    fn with(events: &[(i64, EventKind, &str)]) -> RunRecord {
        let mut record = stepped(|step| if step < 20 { 2000 } else { 1500 });
        let all = events
            .iter()
            .map(|(ms, kind, subject)| event(*ms, *kind, subject));
        record.engine.disturbances.system_events = Some(SystemEvents {
            events: all.collect(),
            ..SystemEvents::default()
        });
        record
    }

    #[test]
    fn an_event_without_a_pause_is_a_note_with_the_rates_around_it() {
        let record = with(&[
            (-2000, EventKind::Link, "eth0"),
            (10_000, EventKind::MemberFailed, "loop1"),
        ]);
        let reported = found(&record, "event-in-window").unwrap();
        assert_eq!(
            reported.sentence,
            "the system reported 1 event of the target at 10 s: loop1 member-failed; 4000 IOPS before, 3000 after"
        );
        let several = with(&[
            (9000, EventKind::MemberFailed, "loop1"),
            (9001, EventKind::Rebuild, "md0"),
            (9002, EventKind::Rebuild, "md0"),
        ]);
        let sentence = found(&several, "event-in-window").unwrap().sentence;
        assert!(
            sentence.contains("3 events of the target at 9 s: loop1 member-failed, md0 rebuild;"),
            "{sentence}"
        );
    }

    #[test]
    fn events_before_and_after_the_measured_phase_are_not_of_it() {
        let outside = [
            (-10, EventKind::PathFailed, "sdb"),
            (20_001, EventKind::PathRestored, "sdb"),
        ];
        assert_eq!(found(&with(&outside), "event-in-window"), None);
        assert_eq!(found(&with(&[]), "event-in-window"), None);
    }

    #[test]
    fn a_record_of_several_hosts_has_the_events_of_each_once_with_its_name() {
        let of_host = |host: &str, events: &[(i64, EventKind, &str)]| {
            let mut record = with(events);
            host.clone_into(&mut record.host.hostname);
            record
        };
        let link = (3000, EventKind::Link, "eth0");
        let failed = (1000, EventKind::PathFailed, "sda");
        let ranks = [
            of_host("a", &[link]),
            of_host("b", &[failed, link]),
            of_host("b", &[failed, link]),
        ];
        let subjects = |records: &[RunRecord]| -> Vec<String> {
            let record = RunRecord::of_ranks(records).unwrap();
            let events = record.engine.disturbances.system_events.unwrap().events;
            events.into_iter().map(|event| event.subject).collect()
        };
        assert_eq!(subjects(&ranks), ["b: sda", "a: eth0", "b: eth0"]);
        assert_eq!(subjects(&ranks[1..]), ["sda", "eth0"]);
    }
}
