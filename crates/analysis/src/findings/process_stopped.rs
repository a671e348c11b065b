//! The system did not run fathom for a while: no I/O was issued and no completion was found, independent of the target.
//!
//! Omitted: a fathom that is starved of processor time, which is `fathom-cpu-bound` and `cgroup-cpu-limit`.

use super::{
    Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, coordinated_omission, finding,
    not_steady, throughput_drift, throughput_drop,
};
use crate::say;
use model::{Nanos, ProcessStop, RunRecord};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("process-stopped"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "fathom itself was stopped for a part of the measured phase.",
    method: "A sleep of the control thread took 100 ms longer than requested. The thread was neither ready to run (schedstat) nor waiting for a page from a disk. The workers completed less than a quarter of what their mean rate gives in that time. Suspension is the growth of CLOCK_BOOTTIME over CLOCK_MONOTONIC.",
    evidence: &["stopped_ns", "suspended_ns", "stops", "share", "from_ns"],
    source: "fathom: the control thread's sleeps; proc_pid_schedstat(5), getrusage(2), clock_gettime(2).",
    advice: "Measure again without stopping it. IOPS are too low by the stopped share, and the longest latencies contain the stop.",
    look: Look::Own(look),
};

/// Findings that would attribute the time in which fathom was stopped to the target.
pub(super) const EXPLAINS: [RuleId; 4] = [
    not_steady::RULE.id,
    throughput_drop::RULE.id,
    throughput_drift::RULE.id,
    coordinated_omission::RULE.id,
];

fn look(seen: &Own<'_>) -> Option<Finding> {
    let stops = measured_stops(seen.record);
    let first = stops.first()?;
    let measured = seen.record.phases.measured();
    let length: u64 = stops.iter().map(|stop| stop.length.0).sum();
    let suspended: u64 = stops.iter().map(|stop| stop.suspended.0).sum();
    let share = length as f64 / measured.0.max(1) as f64;
    let (who, lasted, cause) = if suspended > 0 {
        ("the machine was suspended", length.max(suspended), "")
    } else {
        (
            "fathom was stopped",
            length,
            " (SIGSTOP, debugger, freezer or a paused virtual machine)",
        )
    };
    let times = match stops.len() {
        1 => String::new(),
        several => format!("{several} times, "),
    };
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!(
            "{who} {times}for {}, {} of the measured time, from {} on{cause}: the target is not the cause",
            say::time(lasted as f64),
            say::percent(share),
            say::time(first.from.0 as f64),
        ),
        &[
            ("stopped_ns", length as f64),
            ("suspended_ns", suspended as f64),
            ("stops", stops.len() as f64),
            ("share", share),
            ("from_ns", first.from.0 as f64),
        ],
        "measure again without stopping it: IOPS are too low by that share, and the longest latencies contain the stop",
    ))
}

/// The parts of all stops that lie in the measured phase, counted from its start.
pub(super) fn measured_stops(record: &RunRecord) -> Vec<ProcessStop> {
    let phases = record.phases;
    let part = |stop: &ProcessStop| {
        let from = stop.from.max(phases.measured_from);
        let to = stop.from.plus(stop.length).min(phases.measured_to);
        let inside = stop.from >= phases.measured_from && stop.from < phases.measured_to;
        let suspended = if inside { stop.suspended } else { Nanos(0) };
        let length = to.minus(from);
        (length.0 > 0 || suspended.0 > 0).then_some(ProcessStop {
            from: from.minus(phases.measured_from),
            length,
            suspended,
        })
    };
    record
        .engine
        .disturbances
        .process_stops
        .iter()
        .filter_map(part)
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{found, stepped};
    use model::{Nanos, ProcessStop, RunRecord};

    /// Two seconds without an I/O, and the process stopped for so much of them.
    fn stopped(ms: u64) -> RunRecord {
        let mut record = stepped(|step| if (10..14).contains(&step) { 0 } else { 2000 });
        record.engine.disturbances.process_stops = vec![ProcessStop {
            from: record.phases.measured_from.plus(Nanos::seconds(5)),
            length: Nanos::millis(ms),
            suspended: Nanos(0),
        }];
        record
    }

    #[test]
    fn a_stop_is_the_cause_and_the_target_is_not() {
        let record = stopped(2000);
        let reported = found(&record, "process-stopped").unwrap();
        assert!(
            reported
                .sentence
                .contains("fathom was stopped for 2 s, 10%")
        );
        assert_eq!(reported.evidence[0].value, 2e9);
        for id in ["stall", "not-steady", "throughput-drop"] {
            assert_eq!(found(&record, id), None, "{id}");
        }
    }

    #[test]
    fn a_stall_of_the_target_beside_a_stop_is_still_reported() {
        let mut record = stopped(300);
        let stall = found(&record, "stall").unwrap();
        assert_eq!(stall.evidence[1].value, 1.7e9, "without the stop");
        assert!(found(&record, "process-stopped").is_some());
        record.engine.disturbances.process_stops[0].from = Nanos(0);
        let warm_up = record.phases.measured_from.0 >= 300_000_000;
        assert_eq!(found(&record, "process-stopped").is_none(), warm_up);
    }

    #[test]
    fn a_suspended_machine_is_named_also_where_the_clock_stood_still() {
        let mut record = stopped(0);
        record.engine.disturbances.process_stops[0].suspended = Nanos::seconds(60);
        let reported = found(&record, "process-stopped").unwrap().sentence;
        assert!(
            reported.starts_with("the machine was suspended for 60 s"),
            "{reported}"
        );
        assert!(found(&record, "stall").is_some());
    }
}
