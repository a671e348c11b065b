//! io_uring requests executed by kernel workers, at several times the CPU cost.
//!
//! A few of them come at the start of nearly every run and mean nothing; what counts is how much of a processor they took:
//! from one twentieth of the run's time on a note, from one quarter on a warning. Their time is read once shortly before
//! the end of the measured phase, so it is a little short.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::RunRecord;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("io-wq-offload"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Kernel workers executed io_uring requests, at several times the CPU cost.",
    method: "The processor time of the process's io_uring workers was 5% of the run's time or more (a note), 25% or more \
             (a warning).",
    evidence: &["kernel_workers", "busy_ns", "share_of_core"],
    source: "io_uring_register(2), IORING_REGISTER_IOWQ_MAX_WORKERS; proc_pid_schedstat(5).",
    advice: "Compare with --engine libaio or --engine sync.",
    look: Look::Own(look),
};

const SHARE_NOTE: f64 = 0.05;
const SHARE_WARNING: f64 = 0.25;

/// Whether the workers were busy enough that I/Os waited for them, above the device.
pub(super) fn workers_are_busy(record: &RunRecord) -> bool {
    share(record).is_some_and(|share| share >= SHARE_WARNING)
}

/// Their processor time, as a share of the run's time.
fn share(record: &RunRecord) -> Option<f64> {
    let workers = record.engine.kernel_workers?;
    crate::rows::share(workers.busy.0 as f64, record.phases.measured_to.0 as f64)
}

fn look(own: &Own<'_>) -> Option<Finding> {
    let workers = own.record.engine.kernel_workers?;
    let share = share(own.record).filter(|share| *share >= SHARE_NOTE)?;
    let severity = if share >= SHARE_WARNING {
        Severity::Warning
    } else {
        Severity::Note
    };
    let sentence = format!(
        "{} executed io_uring requests and used {} of a core: each request costs several times as much CPU time",
        say::counted(u64::from(workers.count), "kernel worker"),
        say::percent(share)
    );
    let evidence = [
        ("kernel_workers", f64::from(workers.count)),
        ("busy_ns", workers.busy.0 as f64),
        ("share_of_core", share),
    ];
    Some(finding(
        RULE.id,
        severity,
        sentence,
        &evidence,
        "compare with --engine libaio or --engine sync",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{KernelWorkers, Nanos, RunRecord};

    fn with(count: u32, busy: Nanos) -> RunRecord {
        let mut record = Sample::default().build();
        record.engine.kernel_workers = Some(KernelWorkers { count, busy });
        record
    }

    #[test]
    fn ios_wait_for_workers_from_a_quarter_of_a_core_on() {
        let none = Sample::default().build();
        assert!(!super::workers_are_busy(&none));
        let quarter = none.phases.measured_to.0 / 4;
        for (busy, waits) in [(quarter, true), (quarter - 1_000_000, false)] {
            let record = with(2, Nanos(busy));
            assert_eq!(super::workers_are_busy(&record), waits, "{busy}");
        }
    }

    #[test]
    fn busy_workers_are_reported_and_trifles_are_not() {
        let reported = found(&with(3, Nanos::seconds(12)), "io-wq-offload").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert_eq!(
            reported.sentence,
            "3 kernel workers executed io_uring requests and used 120% of a core: each request costs several times as \
             much CPU time"
        );
        let reported = found(&with(1, Nanos::seconds(1)), "io-wq-offload").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert_eq!(found(&with(1, Nanos::millis(40)), "io-wq-offload"), None);
        assert_eq!(found(&Sample::default().build(), "io-wq-offload"), None);
    }
}
