//! A queue depth was specified that the engine ignores.
//!
//! fio's synchronous engines wait for each I/O; fio prints a note and goes on with a depth of 1, and the document still
//! has the depth that was specified.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("queue-depth-ignored"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "The specified queue depth has no effect with this I/O engine: each thread has one I/O in flight.",
    method: "iodepth is above 1, and fio's engine is synchronous: sync, psync, vsync, pvsync, pvsync2, mmap and similar, or none where the system's default is psync.",
    evidence: &["specified_queue_depth", "requested_in_flight", "in_flight"],
    source: "fio(1), iodepth: \"increasing iodepth beyond 1 will not affect synchronous ioengines\".",
    advice: "Use an asynchronous engine (ioengine=libaio or io_uring, with direct=1), or compare with queue depth 1.",
    look: Look::Any(look),
};

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let specified = run.evidence.ignored_queue_depth?;
    let engine = run
        .workload
        .engine
        .as_deref()
        .unwrap_or("psync, the default");
    let threads = run.workload.threads.map_or(1, |threads| threads.max(1));
    let requested = u64::from(specified) * u64::from(threads);
    let sentence = format!(
        "iodepth={specified} has no effect with {engine}: {} in flight, one per thread, not {}",
        say::counted(u64::from(threads), "I/O"),
        say::count(requested)
    );
    let evidence = [
        ("specified_queue_depth", f64::from(specified)),
        ("requested_in_flight", requested as f64),
        ("in_flight", f64::from(threads)),
    ];
    let advice = "repeat with ioengine=libaio and direct=1, or fathom run TARGET -o DEPTH: if IOPS rise, the queue was the limit";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::Nanos;

    #[test]
    fn a_depth_of_a_synchronous_engine_is_reported_and_the_queue_is_not_blamed() {
        let mut run = imported();
        (run.workload.queue_depth, run.workload.threads) = (Some(1), Some(4));
        run.workload.engine = Some("sync".to_owned());
        run.evidence.ignored_queue_depth = Some(32);
        run.figures.total.ios_per_s = Some(24_000.0);
        run.figures.total.latency.mean = Some(Nanos::micros(160)); // 3.84 in flight of 4
        let reported_of = reported(&run, "queue-depth-ignored").unwrap().sentence;
        assert_eq!(
            reported_of,
            "iodepth=32 has no effect with sync: 4 I/Os in flight, one per thread, not 128"
        );
        assert_eq!(reported(&run, "queue-not-full"), None);
        run.evidence.ignored_queue_depth = None;
        assert_eq!(reported(&run, "queue-depth-ignored"), None);
    }
}
