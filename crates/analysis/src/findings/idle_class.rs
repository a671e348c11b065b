//! I/Os of the idle class (`ionice -c 3`): a scheduler that knows classes serves them after all others.
//!
//! How long they wait is then what other programs, and the scheduler's own bounds, decide: pauses, drops and a queue that is not
//! full have this cause. Silent where no scheduler of the chain knows classes (`none`, kyber), and for buffered writes,
//! which the kernel writes later by its own threads.

use super::storage_stack::{Below, kernel_is_since, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use model::{CacheMode, Priority};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("idle-class"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The I/Os had the idle class, so the scheduler served them after the I/Os of all other programs.",
    method: "Runs of fathom: the process has the idle class of I/O priorities (`ionice -c 3`, `SCHED_IDLE`), or it was requested. The scheduler of a device below the target is bfq, or mq-deadline since Linux 5.14. Not for buffered writes.",
    evidence: &["idle_targets"],
    source: "ioprio_get(2); ionice(1); the kernel's Documentation/block/ioprio.rst, block/mq-deadline.c and block/bfq-iosched.c.",
    advice: "Start fathom without ionice, or with `ionice -c 2`.",
    look: Look::Own(look),
};

fn look(own: &Own<'_>) -> Option<Finding> {
    let idle = |target: &Below<'_>| serving(own, target).is_some();
    let count = targets(own.record).filter(idle).count();
    let (scheduler, device) = targets(own.record).find_map(|target| serving(own, &target))?;
    let sentence = format!(
        "the I/Os had the idle class (ionice -c 3): the scheduler {scheduler} of {device} served them after those of all other programs"
    );
    let evidence = [("idle_targets", count as f64)];
    let advice = "start fathom without ionice -c 3 to measure the device";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

/// The scheduler that served the idle I/Os of a target last, and its device.
fn serving<'a>(own: &Own<'a>, target: &Below<'a>) -> Option<(&'a str, &'a str)> {
    let host = &own.record.host;
    let is_idle = match target.planned.priority {
        Priority::VeryLow => true,
        Priority::Low => false,
        Priority::Normal => host.limits.idle_io,
    };
    let written_later = target.planned.cache == CacheMode::Cached && !target.reads();
    let knows = |scheduler: &str| match scheduler {
        "bfq" => true,
        // It has a queue for each class since then.
        "mq-deadline" => kernel_is_since(&host.kernel, 5, 14),
        _ => false,
    };
    let mut devices = target.facts.chain.iter();
    let device = devices.find(|device| device.scheduler.as_deref().is_some_and(knows))?;
    (is_idle && !written_later).then_some((device.scheduler.as_deref()?, device.name.as_str()))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::{CacheMode, Priority, Ratio, RunRecord};

    fn idle(scheduler: &str, sample: &Sample) -> RunRecord {
        let mut record = sample.build();
        record.host.limits.idle_io = true;
        for device in &mut record.targets[0].chain {
            device.scheduler = Some(scheduler.to_owned());
        }
        record
    }

    /// E10: its symptoms were reported first.
    #[test]
    fn the_idle_class_is_named_where_the_scheduler_knows_classes() {
        let plain = Sample::default();
        for (scheduler, is_named) in [
            ("bfq", true),
            ("mq-deadline", true),
            ("kyber", false),
            ("none", false),
        ] {
            let reported = found(&idle(scheduler, &plain), "idle-class");
            let severity = reported.map(|one| one.severity);
            let expected = is_named.then_some(Severity::Warning);
            assert_eq!(severity, expected, "{scheduler}");
        }
        let mut record = idle("mq-deadline", &plain);
        record.host.kernel = "Linux 5.10.0".to_owned();
        assert_eq!(found(&record, "idle-class"), None, "no classes there");
    }

    #[test]
    fn the_requested_class_counts_before_that_of_the_process() {
        let mut record = idle("bfq", &Sample::default());
        record.plan.targets[0].priority = Priority::Low;
        assert_eq!(found(&record, "idle-class"), None);
        record.host.limits.idle_io = false;
        record.plan.targets[0].priority = Priority::VeryLow;
        assert!(found(&record, "idle-class").is_some());
        record.plan.targets[0].priority = Priority::Normal;
        assert_eq!(found(&record, "idle-class"), None);
    }

    #[test]
    fn buffered_writes_are_written_by_others() {
        let writes = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            cache: CacheMode::Cached,
            ..Sample::default()
        };
        assert_eq!(found(&idle("bfq", &writes), "idle-class"), None);
    }

    #[test]
    fn a_pause_of_idle_ios_follows_from_their_class() {
        let mut record = crate::findings::test::stepped(|step| match step {
            10..14 => 0,
            _ => 2222,
        });
        let before = found(&record, "stall").unwrap();
        assert_eq!(before.because, None);
        record.host.limits.idle_io = true;
        record.targets[0].chain[1].scheduler = Some("bfq".to_owned());
        let stall = found(&record, "stall").unwrap();
        assert_eq!(stall.because.map(|id| id.as_str()), Some("idle-class"));
    }
}
