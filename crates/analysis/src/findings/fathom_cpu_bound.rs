//! fathom was CPU-bound: a worker thread was at 100% CPU, so the device may be faster.
//!
//! A thread counts as full when its processor time is 95% of its time or more, without what a hypervisor took meanwhile:
//! the rest is then what wake-ups and other programs take. Silent where a busy thread is no evidence: on the null engine,
//! which measures just that; where polling was asked, which fills a core by its nature; where a rate was asked and kept,
//! because the thread then spins up to each moment; and below a tenth of a second, where the split of processor time is too
//! coarse.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::LimitKind;
use crate::say;
use crate::workers::WorkerShare;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("fathom-cpu-bound"),
    group: Group::Cpu,
    cause: Cause::Processor,
    limit: Some(LimitKind::Tool),
    what: "fathom was CPU-bound: a worker thread was at 100% CPU, so the device may be faster.",
    method: "A worker's processor time is 95% of its time or more, less steal time. Not applied on the null engine, with polling, with a requested rate that was sustained, or below 0.1 s.",
    evidence: &[
        "threads_without_time",
        "threads",
        "user_share",
        "kernel_share",
        "issuing_share",
        "waiting_share",
    ],
    source: "getrusage(2), RUSAGE_THREAD; the manual, chapter Measurement.",
    advice: "Use more threads, each with a core of its own, or larger blocks.",
    look: Look::Own(look),
};

const BUSY_MIN: f64 = 0.95;
/// Waiting for a free slot beyond this share means that the target was the slower one.
const FULL_MAX: f64 = 0.10;
const ELAPSED_MIN_NS: u64 = 100_000_000;

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let left = 1.0 - seen.cpu.steal_mean();
    let busy = seen
        .workers
        .iter()
        .filter(|worker| has_no_time(worker, left));
    let busy: Vec<&WorkerShare> = busy.collect();
    let busiest = busy.iter().max_by(|a, b| {
        a.cpu
            .busy_share()
            .partial_cmp(&b.cpu.busy_share())
            .expect("finite")
    })?;
    let polls = seen.record.plan.polling != model::Polling::default();
    if seen.record.engine.backend == "null" || polls || !is_asked_for_more(seen, busiest) {
        return None;
    }
    let (user, kernel) = (busiest.cpu.user_share?, busiest.cpu.kernel_share?);
    let sentence = format!(
        "fathom was CPU-bound ({} of {} at 100% CPU: busy {}, user {}, kernel {}{}); the device may be faster",
        say::count(busy.len() as u64),
        say::counted(seen.workers.len() as u64, "thread"),
        say::percent(user + kernel),
        say::percent(user),
        say::percent(kernel),
        seen.cpu.taken(seen.cpu.steal_mean())
    );
    let mut evidence = vec![
        ("threads_without_time", busy.len() as f64),
        ("threads", seen.workers.len() as f64),
        ("user_share", user),
        ("kernel_share", kernel),
    ];
    evidence.extend(busiest.issuing_share.map(|share| ("issuing_share", share)));
    evidence.extend(busiest.waiting_share.map(|share| ("waiting_share", share)));
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        "use more threads, each with a core of its own, or larger blocks",
    ))
}

/// `left` is the share of the time that the hypervisor left.
fn has_no_time(worker: &WorkerShare, left: f64) -> bool {
    let busy = worker
        .cpu
        .busy_share()
        .is_some_and(|share| share >= BUSY_MIN * left);
    busy && worker.elapsed_ns >= ELAPSED_MIN_NS
}

/// Without a rate always. With one, where arrivals waited though slots were free.
fn is_asked_for_more(seen: &Own<'_>, worker: &WorkerShare) -> bool {
    seen.open_loop.is_none_or(|open| {
        let full = worker.queue_full_share.unwrap_or(0.0);
        open.late_after_ns > open.late_before_ns && full <= FULL_MAX
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::*;

    fn record(user_ms: u64, kernel_ms: u64) -> RunRecord {
        let mut record = Sample {
            depth: 8,
            ..Sample::default()
        }
        .build();
        let worker = |thread, user, kernel| WorkerRecord {
            syncs: Vec::new(),
            recorded: None,
            opened: None,
            closed: None,
            lines: Vec::new(),
            thread,
            backlog: None,
            account: Some(Account {
                elapsed: Nanos::seconds(10),
                cpu: Some(ThreadCpu {
                    user: Nanos::millis(user),
                    kernel: Nanos::millis(kernel),
                }),
                turns: 6100,
                looked_at: 100,
                issuing: Nanos::millis(90),
                waiting: Nanos::millis(10),
                ..Account::default()
            }),
        };
        record.engine.workers = vec![worker(0, 100, 900), worker(1, user_ms, kernel_ms)];
        record
    }

    #[test]
    fn a_thread_without_time_left_is_reported_with_the_numbers() {
        let reported = found(&record(3000, 6900), "fathom-cpu-bound").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(reported.sentence.contains("1 of 2 threads"), "{reported:?}");
        assert_eq!(reported.evidence[4].value, 0.9);
    }

    #[test]
    fn what_the_hypervisor_took_is_no_time_that_was_left() {
        let mut taken = record(1000, 7700);
        assert_eq!(found(&taken, "fathom-cpu-bound"), None, "87%");
        for core in &mut taken.window.after.cpus {
            core.steal = Nanos::seconds(1);
            core.idle = Nanos(0);
        }
        let reported = found(&taken, "fathom-cpu-bound").unwrap().sentence;
        assert!(
            reported.contains("kernel 77%, the hypervisor took 10%)"),
            "{reported}"
        );
    }

    #[test]
    fn it_is_silent_where_a_busy_thread_says_nothing() {
        assert_eq!(
            found(&record(2000, 7000), "fathom-cpu-bound"),
            None,
            "waits"
        );
        let mut null = record(3000, 6900);
        null.engine.backend = "null".to_owned();
        assert_eq!(found(&null, "fathom-cpu-bound"), None);
        let mut polled = record(3000, 6900);
        polled.plan.polling.completions = true;
        assert_eq!(found(&polled, "fathom-cpu-bound"), None);
        let mut short = record(30, 69);
        short.engine.workers[1].account.as_mut().unwrap().elapsed = Nanos::millis(99);
        assert_eq!(found(&short, "fathom-cpu-bound"), None);
        let mut kept = record(3000, 6900);
        kept.plan.arrivals = Some(Arrivals {
            per_s: 2000,
            spacing: Spacing::Constant,
        });
        assert_eq!(
            found(&kept, "fathom-cpu-bound"),
            None,
            "it spins up to each moment"
        );
        assert_eq!(found(&Sample::default().build(), "fathom-cpu-bound"), None);
    }

    #[test]
    fn a_rate_that_the_thread_could_not_keep_is_not_blamed_on_the_target() {
        let mut late = record(3000, 6900);
        late.plan.arrivals = Some(Arrivals {
            per_s: 9000,
            spacing: Spacing::Constant,
        });
        late.engine.workers[1].backlog = Some(Backlog {
            from: Waiting::default(),
            to: Waiting {
                ios: 70_000,
                late: Nanos::seconds(8),
            },
        });
        assert!(found(&late, "fathom-cpu-bound").is_some());
        let reported = found(&late, "overload").unwrap().sentence;
        assert!(reported.contains("fathom itself"), "{reported}");
        let account = late.engine.workers[1].account.as_mut().unwrap();
        account.waiting_full = Nanos::millis(50);
        assert_eq!(found(&late, "fathom-cpu-bound"), None, "no slot was free");
        let reported = found(&late, "overload").unwrap().sentence;
        assert!(reported.contains("the target"), "{reported}");
    }
}
