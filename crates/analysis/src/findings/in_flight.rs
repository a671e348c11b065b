//! Fewer I/Os in flight than asked: then the tool or the processor was the limit, not the device.
//!
//! Little's law with its edges (see `crate::in_flight`): the finding is raised only when even the longest
//! latency at the edges of the measured phase cannot explain what is missing, and never for failed or lost
//! I/Os, whose latencies are not in the sum. An I/O in flight at the end may already be older than any that
//! completed, so a run that stalls at its end is not judged either: each place in the queues must have been
//! used twenty times, the last step must have completed I/Os, and the drain must have been quick. Pauses that were
//! asked for keep queues empty, and a mapping moves one I/O a thread at a time, so neither is judged. More in flight than asked cannot be: then something was
//! counted twice or the clock is wrong.

use super::{Finding, FindingRank, Seen, finding};
use crate::intervals::full_intervals;
use crate::say;
use model::Pacing;

const SHARE_MIN: f64 = 0.90;
const USES_MIN: u64 = 20;

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    let (mean, edge) = (seen.in_flight.mean?, seen.in_flight.edge_error?);
    let asked = seen.in_flight.asked as f64;
    let lost = seen
        .record
        .threads
        .iter()
        .any(|thread| thread.abandoned > 0);
    if seen.total.errors_total() > 0 || lost {
        return None;
    }
    let mut targets = seen.record.plan.targets.iter();
    let deep = targets.all(|target| {
        let unhindered = target.pacing == Pacing::Free && target.mapped.is_none();
        unhindered && target.workload.queue_depth.0 > 1
    });
    let evidence = [
        ("in_flight_mean", mean),
        ("in_flight_asked", asked),
        ("edge_error", edge),
    ];
    let numbers = format!(
        "{} I/Os in flight of {} asked",
        say::digits(mean),
        say::digits(asked)
    );
    // The sum of a million rounded stamps may exceed the truth by a hair.
    if mean > (asked + edge) * 1.001 {
        return Some(finding(
            "in-flight",
            FindingRank::Critical,
            format!("{numbers}, which cannot be: counted twice, or the clock is wrong"),
            &evidence,
            "please report this with the stored run",
        ));
    }
    if seen.open_loop.is_some() {
        return None; // slots are there for when they are needed; `backlog` says when they were not enough
    }
    if !deep || mean + edge >= SHARE_MIN * asked || stalled_at_end(seen) {
        return None;
    }
    let null = seen.record.engine.backend == "null";
    let rank = if null {
        FindingRank::Info
    } else {
        FindingRank::Warning
    };
    Some(finding(
        "in-flight",
        rank,
        format!("only {numbers}: the time went into submitting, so the device could do more"),
        &evidence,
        "use more threads, or larger blocks; see whether a core was busy all the time",
    ))
}

/// Whether I/Os older than any completed one may have been in flight at the end.
fn stalled_at_end(seen: &Seen<'_>) -> bool {
    let phases = &seen.record.phases;
    let slow_drain = phases.drained.minus(phases.measured_to).0 > phases.measured().0 / 20;
    let full = full_intervals(seen.intervals, seen.record.plan.interval);
    let silent = full.last().is_some_and(|row| row.ios == 0);
    slow_drain || silent || seen.total.ios < seen.in_flight.asked.saturating_mul(USES_MIN)
}

#[cfg(test)]
mod tests {
    use crate::findings::{FindingRank, found};
    use crate::sample::Sample;
    use model::{Nanos, Pacing};

    #[test]
    fn full_queues_are_no_finding() {
        for depth in [1, 2, 32, 128] {
            assert_eq!(
                found(
                    &Sample {
                        depth,
                        ..Sample::default()
                    }
                    .build(),
                    "in-flight"
                ),
                None
            );
        }
    }

    #[test]
    fn half_empty_queues_say_who_was_the_limit() {
        let half = Sample {
            depth: 8,
            latency: Some(Nanos::millis(2)),
            ..Sample::default()
        };
        let finding = found(&half.build(), "in-flight").unwrap();
        assert_eq!(finding.rank, FindingRank::Warning);
        assert!(
            finding.sentence.starts_with("only 4.0"),
            "{}",
            finding.sentence
        );
    }

    #[test]
    fn pauses_that_were_asked_for_and_mappings_are_not_blamed_on_the_tool() {
        let half = Sample {
            depth: 8,
            latency: Some(Nanos::millis(2)),
            ..Sample::default()
        };
        let mut paced = half.build();
        paced.plan.targets[0].pacing = Pacing::Rate { bytes_per_s: 1 };
        assert_eq!(found(&paced, "in-flight"), None);
        let mut mapped = half.build();
        mapped.plan.targets[0].mapped = Some(model::Flush::Never);
        assert_eq!(found(&mapped, "in-flight"), None);
    }

    #[test]
    fn a_stall_as_long_as_the_run_is_not_blamed_on_the_tool() {
        let stalled = Sample {
            depth: 8,
            latency: Some(Nanos::seconds(5)),
            reads: 3,
            ..Sample::default()
        };
        assert_eq!(found(&stalled.build(), "in-flight"), None);
    }

    #[test]
    fn more_in_flight_than_asked_is_our_own_error() {
        let odd = Sample {
            depth: 1,
            latency: Some(Nanos::millis(1)),
            ..Sample::default()
        };
        assert_eq!(
            found(&odd.build(), "in-flight").unwrap().rank,
            FindingRank::Critical
        );
    }
}
