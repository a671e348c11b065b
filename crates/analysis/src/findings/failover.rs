//! A pause of the target with its cause: the system reported a change of a path, session, controller, owner, array member,
//! replica, server or link when it began or ended.
//!
//! Omitted: pauses without such an event, which are `stall`, and events without a pause, which are `event_in_window`.

use super::process_stopped::measured_stops;
use super::stall::{pauses_itself, pauses_of};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::changes::Stalled;
use crate::events::{change, events, is_near, may_pause, named, rates};
use crate::say;
use model::record::{EventKind, SystemEvent};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("failover"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "The target completed no I/O for a while because a path, session, controller, array member or server changed its state.",
    method: "A pause of 100 ms or more in the time series, as of `stall`, with an event of the system: of a path, session, controller, owner, array member, replica, server or link of the target's own chain. Logs of `--events` also report those of a cluster. The event is at most 500 ms, and its own uncertainty, before the pause begins or after it ends. IOPS before and after are means of all full steps of the time series there.",
    evidence: &[
        "from_ns",
        "pause_ns",
        "pauses",
        "events",
        "iops_before",
        "iops_after",
    ],
    source: "fathom: the time series of the run, states in /sys read five times per second, the kernel's log and files of `--events`; the manual, chapter Events of the system.",
    advice: "Decide whether the measurement is one of the failover. If not, repair the path and measure again; if so, the length of the pause and IOPS after it are the result.",
    look: Look::Own(look),
};

/// The event that names the cause, the most specific first.
const CAUSES: [(EventKind, &str); 16] = [
    (EventKind::PathFailed, "a path to the target failed over"),
    (
        EventKind::ControllerReset,
        "a controller of the target was reset",
    ),
    (EventKind::MemberFailed, "a member of the array failed"),
    (EventKind::SessionLost, "the session of the target was lost"),
    (
        EventKind::ServerSilent,
        "the server of the target did not answer",
    ),
    (EventKind::ReplicaLost, "the replica of the target was lost"),
    (EventKind::Ownership, "the owner of the target changed"),
    (EventKind::PathRestored, "a path to the target was restored"),
    (
        EventKind::SessionRestored,
        "the session of the target was restored",
    ),
    (
        EventKind::ServerAnswers,
        "the server of the target did not answer",
    ),
    (
        EventKind::ReplicaRestored,
        "the replica of the target was restored",
    ),
    (EventKind::Fencing, "a node of the cluster was fenced"),
    (EventKind::Quorum, "the quorum of the cluster changed"),
    (EventKind::ResourceMoved, "the cluster moved a resource"),
    (EventKind::Membership, "a node joined or left the cluster"),
    (EventKind::Link, "a network link changed its state"),
];

/// A pause and the events near it.
struct Explained<'a> {
    pause: Stalled,
    events: Vec<&'a SystemEvent>,
}

fn look(seen: &Own<'_>) -> Option<Finding> {
    let record = seen.record;
    let is_own = record.plan.targets.iter().any(pauses_itself);
    if events(record).is_empty() || is_own || !measured_stops(record).is_empty() {
        return None;
    }
    let explained = |pause: Stalled| {
        let near = |event: &&SystemEvent| may_pause(event.kind) && is_near(record, event, &pause);
        let events: Vec<&SystemEvent> = events(record).iter().filter(near).collect();
        (!events.is_empty()).then_some(Explained { pause, events })
    };
    let all: Vec<Explained<'_>> = pauses_of(seen).into_iter().filter_map(explained).collect();
    let longest = all
        .iter()
        .max_by(|a, b| a.pause.length_ns.total_cmp(&b.pause.length_ns))?;
    Some(reported(seen, longest, all.len()))
}

fn reported(seen: &Own<'_>, longest: &Explained<'_>, pauses: usize) -> Finding {
    let Explained { pause, events } = longest;
    let step = seen.record.plan.interval;
    let from = (pause.to_ns - pause.length_ns).max(0.0);
    let (before, after) = rates(seen.intervals, step, from - step.0 as f64, pause.to_ns);
    let has = |kind: EventKind| events.iter().any(|event| event.kind == kind);
    let cause = CAUSES.iter().find(|(kind, _)| has(*kind));
    let cause = cause.map_or("the target changed its state", |(_, words)| words);
    let several = match pauses {
        1 => String::new(),
        pauses => format!(" (the longest of {pauses} such pauses)"),
    };
    let change = change(before, after);
    let sentence = format!(
        "{cause} at {}: {} without I/O{several}: {}{change}",
        say::time(from),
        say::time(pause.length_ns),
        named(events),
    );
    let mut evidence = vec![
        ("from_ns", from),
        ("pause_ns", pause.length_ns),
        ("pauses", pauses as f64),
        ("events", events.len() as f64),
    ];
    evidence.extend(before.map(|rate| ("iops_before", rate)));
    evidence.extend(after.map(|rate| ("iops_after", rate)));
    let advice =
        "repair the path or server and measure again, unless the failover is what was measured";
    finding(RULE.id, Severity::Warning, sentence, &evidence, advice).sure(Confidence::Medium)
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{event, found, stepped};
    use model::record::EventKind;
    use model::{Nanos, RunRecord};

    /// Two seconds without an I/O from 5 s on, and the events of a test.
    fn paused(events: &[(i64, EventKind, &str)]) -> RunRecord {
        let mut record = stepped(|step| match step {
            0..10 => 2000,
            10..14 => 0,
            _ => 1000,
        });
        let all = events
            .iter()
            .map(|(ms, kind, subject)| event(*ms, *kind, subject));
        record.engine.disturbances.system_events = Some(model::record::SystemEvents {
            events: all.collect(),
            ..model::record::SystemEvents::default()
        });
        record
    }

    #[test]
    fn a_pause_next_to_a_failed_path_is_a_failover_and_no_stall_of_its_own() {
        let record = paused(&[
            (5010, EventKind::SessionLost, "session1"),
            (7020, EventKind::PathFailed, "sdb"),
        ]);
        let reported = found(&record, "failover").unwrap();
        assert_eq!(
            reported.sentence,
            "a path to the target failed over at 5 s: 2 s without I/O: session1 session-lost, sdb path-failed; \
             4000 IOPS before, 2000 after"
        );
        let figure = |name: &str| {
            let mut evidence = reported.evidence.iter();
            evidence.find(|one| one.name == name).map(|one| one.value)
        };
        assert_eq!(
            (figure("from_ns"), figure("pause_ns")),
            (Some(5e9), Some(2e9))
        );
        assert_eq!(figure("iops_after"), Some(2000.0));
        let stall = found(&record, "stall").unwrap();
        assert_eq!(stall.because.map(|id| id.as_str()), Some("failover"));
        assert_eq!(found(&record, "event-in-window"), None);
    }

    #[test]
    fn an_event_far_from_the_pause_or_one_that_stops_nothing_is_no_cause() {
        let far = paused(&[(15_000, EventKind::PathFailed, "sdb")]);
        assert_eq!(found(&far, "failover"), None);
        assert!(found(&far, "stall").unwrap().because.is_none());
        assert!(found(&far, "event-in-window").is_some());
        let rebuild = paused(&[(5000, EventKind::Rebuild, "md0")]);
        assert_eq!(found(&rebuild, "failover"), None);
        assert_eq!(found(&paused(&[]), "failover"), None);
    }

    #[test]
    fn a_pause_in_which_fathom_itself_was_stopped_is_none() {
        let mut record = paused(&[(5010, EventKind::PathFailed, "sdb")]);
        record.engine.disturbances.process_stops = vec![model::ProcessStop {
            from: record.phases.measured_from.plus(Nanos::seconds(5)),
            length: Nanos::seconds(2),
            suspended: Nanos(0),
        }];
        assert_eq!(found(&record, "failover"), None);
    }
}
