//! Fewer I/Os in flight than requested: the tool or the processor was the limit, not the device.
//!
//! Little's law with its edges (see `crate::in_flight`): the finding is raised only when even the longest
//! latency at the edges of the measured phase cannot explain what is missing, and never for failed or lost
//! I/Os, whose latencies are not in the sum. An I/O in flight at the end may already be older than any that
//! completed, so a run that stalls at its end is not judged either: each place in the queues must have been
//! used twenty times, the last step must have completed I/Os, and the drain must have been quick. Pauses that were
//! asked for keep queues empty, and a mapping moves one I/O a thread at a time, so neither is judged. More in flight than
//! asked cannot be: then something was counted twice or the clock is wrong.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::intervals::full_intervals;
use crate::say;
use model::ImportFormat;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("queue-not-full"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Fewer I/Os were in flight than requested, or more than possible.",
    method: "Little's law: mean in flight = IOPS × mean latency, compared with threads × depth. Runs of fathom: below 90% of the requested number even with the longest latency at both edges of the measured phase added; not applied with errors, pauses or a stall at the end. Imported runs, whose edges are unknown: below 80% or above 105%, and only if the resolution of the latencies is finer than a millisecond. Direct I/O with one in flight and no known syncs or pauses: below 60%, and 30 µs or more between two I/Os.",
    evidence: &["in_flight_mean", "in_flight_asked", "edge_error"],
    source: "J. D. C. Little, \"A Proof for the Queuing Formula: L = λW\", Operations Research 9 (1961).",
    advice: "Use more threads or larger blocks; check whether a core was at 100% CPU.",
    look: Look::Any(look),
};

const SHARE_MIN: f64 = 0.90;
const USES_MIN: u64 = 20;

pub(super) fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(own),
        None => of_others(seen),
    }
}

/// Neither rounding nor the edges of the window explain a twentieth above what was asked; below four fifths the queue
/// was not kept filled.
fn of_others(seen: &Seen<'_>) -> Option<Finding> {
    const ABOVE: f64 = 1.05;
    const BELOW: f64 = 0.8;
    /// Commands of a native command queue.
    const AHCI: std::ops::RangeInclusive<f64> = 28.0..=33.0;
    let (mean, asked) = (
        seen.observed.in_flight()?,
        seen.observed.load.requested_in_flight?,
    );
    let evidence = [("in_flight_mean", mean), ("in_flight_asked", asked)];
    // CrystalDiskMark prints figures of several repetitions, IOR the latency of one task, which no rate of all fits.
    let of_one = seen.imported.is_none_or(|run| {
        use ImportFormat::{CrystalDiskMarkText, IorJson, IorText};
        !matches!(run.format, CrystalDiskMarkText | IorText | IorJson)
    });
    if mean > asked * ABOVE && of_one {
        let sentence = format!(
            "IOPS times mean latency gives {} I/Os in flight, but {} were requested",
            say::digits(mean),
            say::digits(asked)
        );
        let advice = "the figures are from different runs, or threads and depth were misread: check the text";
        return Some(finding(
            RULE.id,
            Severity::Warning,
            sentence,
            &evidence,
            advice,
        ));
    }
    // Syncs between the writes take time that no write has.
    let synced = seen.imported.is_some_and(|run| run.evidence.sync.is_some());
    // With one I/O per thread, the time between two of them is the tool's own work and no queue.
    let alone = seen.observed.load.queue_depth == Some(1);
    let used = seen
        .observed
        .total
        .ios
        .is_none_or(|ios| ios as f64 >= USES_MIN as f64 * asked);
    if alone {
        return outside(seen, mean, asked).filter(|_| used);
    }
    let judged = !synced && used;
    (judged && mean > 0.0 && mean < asked * BELOW).then(|| {
        let share = say::percent(1.0 - mean / asked);
        let (mean_said, asked_said) = (say::digits(mean), say::digits(asked));
        let sentence = if AHCI.contains(&mean) && asked > AHCI.end() * 1.2 {
            format!(
                "{mean_said} of {asked_said} requested I/Os were in flight: SATA (AHCI) allows 32 commands; the rest \
                 was not issued or waited outside the measured latency"
            )
        } else {
            format!(
                "{mean_said} of {asked_said} requested I/Os were in flight on average: the latencies do not account \
                 for {share} of the time"
            )
        };
        finding(
            RULE.id,
            Severity::Note,
            sentence,
            &evidence,
            "the tool did not keep the queue full: slow submission, a limit of its own, pauses, or too little CPU time",
        )
        .sure(Confidence::Medium)
    })
}

/// With one I/O per thread, what the latencies do not account for passes between two I/Os. The work of a tool takes
/// microseconds there.
fn outside(seen: &Seen<'_>, mean: f64, asked: f64) -> Option<Finding> {
    const SHARE_MAX: f64 = 0.6;
    const EACH_NS_MIN: f64 = 30_000.0;
    let writes = seen
        .observed
        .load
        .write_share
        .is_some_and(|share| share > 0.0);
    let is_direct = seen.observed.load.cache == Some(model::CacheMode::Unbuffered);
    let each_ns = (asked - mean) / seen.observed.total.iops? * 1e9;
    let requested = |run: &model::ImportedRun| {
        let evidence = &run.evidence;
        evidence.sync.is_some() || evidence.flush.is_some() || evidence.pace.is_some()
    };
    if seen.imported.is_some_and(requested)
        || !is_direct
        || mean >= asked * SHARE_MAX
        || each_ns < EACH_NS_MIN
    {
        return None;
    }
    let by = if writes {
        "syncs (fsync, fdatasync), "
    } else {
        ""
    };
    let sentence = format!(
        "{} of the time passed between the I/Os, {} after each: {by}pauses, or work of the tool itself",
        say::percent(1.0 - mean / asked),
        say::time(each_ns)
    );
    let evidence = [("in_flight_mean", mean), ("in_flight_asked", asked)];
    let advice = "look up the options of the run; IOPS are not 1 / latency here";
    let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

fn of_own(seen: &Own<'_>) -> Option<Finding> {
    let (mean, edge) = (seen.in_flight.mean?, seen.in_flight.edge_error?);
    let asked = seen.in_flight.requested as f64;
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
        let unhindered = target.is_unhindered() && target.mapped.is_none();
        unhindered && target.workload.queue_depth.0 > 1
    });
    let evidence = [
        ("in_flight_mean", mean),
        ("in_flight_asked", asked),
        ("edge_error", edge),
    ];
    let numbers = format!(
        "{} of {} requested I/Os in flight",
        say::digits(mean),
        say::digits(asked)
    );
    // The sum of a million rounded stamps may exceed the truth by a hair.
    if mean > (asked + edge) * 1.001 {
        return Some(finding(
            RULE.id,
            Severity::Error,
            format!("{numbers}, which is impossible: counted twice, or the clock is wrong"),
            &evidence,
            "report this with the stored run",
        ));
    }
    if seen.open_loop.is_some() {
        return None; // slots are there for when they are needed; `overload` reports when they were not enough
    }
    if !deep || mean + edge >= SHARE_MIN * asked || stalled_at_end(seen) {
        return None;
    }
    let null = seen.record.engine.backend == "null";
    let severity = if null {
        Severity::Note
    } else {
        Severity::Warning
    };
    Some(finding(
        RULE.id,
        severity,
        format!(
            "only {numbers}: {}; the device may be faster",
            where_it_went(seen)
        ),
        &evidence,
        "use more threads or larger blocks; check whether a core was at 100% CPU",
    ))
}

/// What the threads did while places in the queue were empty, as far as they report it: from their own account of time.
fn where_it_went(seen: &Own<'_>) -> String {
    const MUCH: f64 = 0.3;
    let reported = seen.workers.iter().filter_map(|worker| {
        let waited_with_room = worker.waiting_share? - worker.queue_full_share?;
        Some((worker.issuing_share?, waited_with_room.max(0.0)))
    });
    let all: Vec<(f64, f64)> = reported.collect();
    let mean =
        |of: fn(&(f64, f64)) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let (issuing, with_room) = (mean(|one| one.0), mean(|one| one.1));
    match all.is_empty() {
        false if issuing >= MUCH => format!(
            "submission took {} of the threads' time",
            say::percent(issuing)
        ),
        false if with_room >= MUCH => format!(
            "the threads waited {} of their time with free queue slots, as with blocking submission",
            say::percent(with_room)
        ),
        _ => "submission took the time".to_owned(),
    }
}

/// Whether I/Os older than any completed one may have been in flight at the end.
fn stalled_at_end(seen: &Own<'_>) -> bool {
    let phases = &seen.record.phases;
    let slow_drain = phases.drained.minus(phases.measured_to).0 > phases.measured().0 / 20;
    let full = full_intervals(seen.intervals, seen.record.plan.interval);
    let silent = full.last().is_some_and(|row| row.ios == 0);
    slow_drain || silent || seen.total.ios < seen.in_flight.requested.saturating_mul(USES_MIN)
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use crate::findings::{Severity, found};
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
                    "queue-not-full"
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
        let finding = found(&half.build(), "queue-not-full").unwrap();
        assert_eq!(finding.severity, Severity::Warning);
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
        assert_eq!(found(&paced, "queue-not-full"), None);
        let mut mapped = half.build();
        mapped.plan.targets[0].mapped = Some(model::Flush::Never);
        assert_eq!(found(&mapped, "queue-not-full"), None);
    }

    #[test]
    fn a_stall_as_long_as_the_run_is_not_blamed_on_the_tool() {
        let stalled = Sample {
            depth: 8,
            latency: Some(Nanos::seconds(5)),
            reads: 3,
            ..Sample::default()
        };
        assert_eq!(found(&stalled.build(), "queue-not-full"), None);
    }

    #[test]
    fn more_in_flight_than_asked_is_our_own_error() {
        let odd = Sample {
            depth: 1,
            latency: Some(Nanos::millis(1)),
            ..Sample::default()
        };
        assert_eq!(
            found(&odd.build(), "queue-not-full").unwrap().severity,
            Severity::Error
        );
    }

    #[test]
    fn a_latency_of_one_task_is_not_multiplied_by_the_rate_of_all() {
        let of = |format| {
            let mut run = imported();
            run.format = format;
            run.figures.total.latency.mean = Some(Nanos::millis(9));
            reported(&run, "queue-not-full").is_some()
        };
        assert!(of(model::ImportFormat::DiskspdText));
        assert!(!of(model::ImportFormat::IorText));
    }

    #[test]
    fn nine_tenths_of_the_queue_are_full() {
        // 2000 IOPS, so that 4 ms are the whole queue.
        for (micros, reported) in [(3450, true), (3750, false)] {
            let sample = Sample {
                depth: 8,
                latency: Some(Nanos::micros(micros)),
                ..Sample::default()
            };
            let found = found(&sample.build(), "queue-not-full");
            assert_eq!(found.is_some(), reported, "{micros} us");
        }
    }

    /// A public result: 391 writes a second of 739 µs each, one in flight, with fsync=1.
    #[test]
    fn time_between_direct_ios_is_reported_unless_the_request_explains_it() {
        let of = |change: fn(&mut model::ImportedRun)| {
            let mut run = imported();
            run.format = model::ImportFormat::FioJson;
            (run.workload.threads, run.workload.queue_depth) = (Some(1), Some(1));
            run.workload.cache = Some(model::CacheMode::Unbuffered);
            let total = &mut run.figures.total;
            total.ios_per_s = Some(391.0);
            total.latency.mean = Some(Nanos::micros(739));
            change(&mut run);
            reported(&run, "queue-not-full")
        };
        let found = of(|_| {}).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert!((found.evidence[0].value - 0.289).abs() < 1e-3);
        assert_eq!(of(|run| run.figures.total.ios_per_s = Some(1000.0)), None);
        assert_eq!(of(|run| run.workload.cache = None), None);
        assert_eq!(
            of(|run| {
                let every = model::imported_evidence::ImportedFlush::EveryWrites(1);
                run.evidence.flush = Some(every);
            }),
            None
        );
    }
}
