//! Threads that are bound to cores which the device's interrupts do not come to: with few I/Os in flight each completion
//! wakes another core.
//!
//! A device with an interrupt for each core has none of this. Omitted: threads that the system places.

use super::storage_stack::targets;
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use model::Placement;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("interrupts-elsewhere"),
    group: Group::Cpu,
    cause: Cause::Alone,
    limit: None,
    what: "The threads are bound to cores that the device's interrupts do not come to, so each I/O wakes another core.",
    method: "Direct I/O, fewer than 8 I/Os in flight per thread, and no interrupt of the device was counted at any core of the list. \
             On a virtual disk with one interrupt a thread on the other core had 0.6 to 0.8 of the IOPS at QD1. At QD4 it had \
             0.85. At QD1 each I/O took one reschedule interrupt and 8 to 11 µs of CPU time more.",
    evidence: &["core", "interrupt_core", "in_flight"],
    source: "The kernel's Documentation/ABI/testing/sysfs-kernel-irq (per_cpu_count) and Documentation/block/queue-sysfs.rst \
             (rq_affinity).",
    advice: "Bind a thread to the core of the interrupts, or leave the placement to the system.",
    look: Look::Own(look),
};

/// With more in flight per thread one interrupt completes several: 0.9 of the IOPS at QD8, no difference at QD16.
const IN_FLIGHT_MAX: f64 = 8.0;

fn look(own: &Own<'_>) -> Option<Finding> {
    let plan = &own.record.plan;
    let threads = plan.threads();
    let bound: Vec<u32> = match &plan.placement {
        Placement::Cores(cores) => cores.iter().copied().take(threads as usize).collect(),
        Placement::Free
        | Placement::RoundRobin
        | Placement::Near
        | Placement::Masks(_)
        | Placement::Ordered(_) => return None,
    };
    let in_flight = own.in_flight.mean? / f64::from(threads);
    if in_flight >= IN_FLIGHT_MAX {
        return None;
    }
    let mut devices = targets(own.record)
        .filter(|target| target.is_unbuffered())
        .filter_map(|target| target.facts.interrupting_device());
    let elsewhere = |cores: &[u32]| !bound.iter().any(|core| cores.contains(core));
    let device = devices.find(|device| elsewhere(&device.interrupt_cores))?;
    let (core, served) = (*bound.first()?, *device.interrupt_cores.first()?);
    let sentence = format!(
        "the interrupts of {} come to core {served}, and no thread is bound there: each I/O at this queue depth wakes \
         another core",
        device.name
    );
    let advice = format!(
        "bind a thread to core {served}, or leave the placement to the system, and compare"
    );
    let evidence = [
        ("core", f64::from(core)),
        ("interrupt_core", f64::from(served)),
        ("in_flight", in_flight),
    ];
    Some(finding(RULE.id, Severity::Note, sentence, &evidence, &advice).sure(Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Placement, RunRecord};

    fn with(placement: Placement, interrupts: &[u32], depth: u32) -> RunRecord {
        let mut record = Sample {
            depth,
            ..Sample::default()
        }
        .build();
        record.plan.placement = placement;
        for device in &mut record.targets[0].chain {
            device.interrupt_cores = interrupts.to_vec();
        }
        record
    }

    #[test]
    fn threads_away_from_the_interrupts_are_reported_where_it_costs() {
        let id = "interrupts-elsewhere";
        let on = |core: u32| Placement::Cores(vec![core]);
        let reported = found(&with(on(0), &[1], 1), id).unwrap();
        let figure = |at: usize| (&*reported.evidence[at].name, reported.evidence[at].value);
        assert_eq!(figure(0), ("core", 0.0));
        assert_eq!(figure(1), ("interrupt_core", 1.0));
        for (placement, interrupts, depth) in [
            (on(1), vec![1], 1),
            (on(0), vec![0, 1], 1),
            (on(0), vec![], 1),
            (on(0), vec![1], 16),
            (Placement::Free, vec![1], 1),
            (Placement::RoundRobin, vec![1], 1),
        ] {
            assert_eq!(found(&with(placement, &interrupts, depth), id), None);
        }
    }
}
