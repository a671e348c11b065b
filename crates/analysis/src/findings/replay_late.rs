//! Replay late: I/Os of a trace were issued noticeably after their times.
//!
//! The lateness is in the response times, but the target received another load than the trace's: bursts were flattened.
//! Omitted: a backlog that grew, which is `overload`.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("replay-late"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Replay late: I/Os of the trace were issued after their times.",
    method: "The 99th percentile of the lateness, from the time at which an I/O was to start to its submission, is above 100 µs.",
    evidence: &["late_p50_ns", "late_p99_ns", "late_max_ns", "reader_late"],
    source: "Haghdoost, He, Fredin, Du, \"On the Accuracy and Scalability of Intensive I/O Workload Replay\", FAST 2017.",
    advice: "Replay with more depth (--depth) or threads (--threads), on an idle machine, from an .iotrace file.",
    look: Look::Own(look),
};

const P99_MAX_NS: u64 = 100_000;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let late = seen.open_loop?.lateness?;
    if late.p99_ns <= P99_MAX_NS {
        return None;
    }
    let reader = match late.reader_late {
        0 => String::new(),
        times => format!(
            "; the trace was not read in time ({})",
            say::counted(times, "time")
        ),
    };
    let sentence = format!(
        "replay late: 1% of the I/Os were issued {} or more after their times, at most {}{reader}",
        say::time(late.p99_ns as f64),
        say::time(late.max_ns as f64)
    );
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[
            ("late_p50_ns", late.p50_ns as f64),
            ("late_p99_ns", late.p99_ns as f64),
            ("late_max_ns", late.max_ns as f64),
            ("reader_late", late.reader_late as f64),
        ],
        "replay with more depth or threads, on an idle machine, from an .iotrace file",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::record::RecordedCount;
    use model::{Arrivals, LatencyHistogram, Nanos, RunRecord, Spacing, WorkerRecord};

    fn record(late: Nanos, reader_late: u64) -> RunRecord {
        let mut record = Sample::default().build();
        record.plan.arrivals = Some(Arrivals {
            per_s: 1000,
            spacing: Spacing::Recorded,
        });
        let mut histogram = LatencyHistogram::new();
        (0..1000).for_each(|_| histogram.record(late));
        record.engine.workers = vec![WorkerRecord {
            recorded: Some(RecordedCount {
                late: histogram,
                reader_late,
                calls: Vec::new(),
            }),
            ..WorkerRecord::default()
        }];
        record
    }

    #[test]
    fn lateness_of_a_millisecond_is_reported_with_its_figures() {
        let reported = found(&record(Nanos::millis(1), 2), "replay-late").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        let figure = |name: &str| {
            let found = reported.evidence.iter().find(|one| one.name == name);
            found.map(|one| one.value)
        };
        assert_eq!(figure("late_p99_ns"), Some(1e6));
        assert_eq!(figure("reader_late"), Some(2.0));
    }

    #[test]
    fn a_replay_in_time_is_no_finding() {
        assert!(found(&record(Nanos::micros(99), 0), "replay-late").is_none());
    }
}
