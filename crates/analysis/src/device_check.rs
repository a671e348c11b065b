//! The block layer's counts compared with the tool's: the only independent evidence.
//!
//! The device is the first of the target's chain whose counters were read: the nearest to the target, so
//! that nothing that lies below it (mirrors, parity) stands between. Bytes are judged, not I/Os: the kernel
//! cuts large I/Os into several requests and merges neighbours. Over the measured phase both may differ by
//! what was in flight at its two edges, and by what flowed while the counters were read; over the lifetime
//! of a run, where nothing is in flight at either end, by nothing but I/Os that were never answered.
//! Source of the counters: the kernel's `Documentation/block/stat.rst`.

use crate::comparison::{Agreement, CountComparison, OperationComparison};
use crate::rows::share;
use model::read_back::ReadBackIos;
use model::{
    CounterWindow, DeviceCounters, LifetimeCount, Nanos, Operation, PlannedTarget, RunRecord,
    TargetFacts, TargetKind,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One device under the targets: its own counts compared with the tool's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceCheck {
    /// Kernel name; none where no device was counted.
    pub device: Option<String>,
    /// The result, or why nothing could be compared, in a sentence.
    pub sentence: String,
    /// The same as one word.
    pub agreement: Agreement,
    /// Over the measured phase.
    pub measured: Option<CountComparison>,
    /// From before the first I/O to after the last.
    pub lifetime: Option<CountComparison>,
}

/// One check per device, in the order of the targets; targets without a device share one with the reason.
pub(crate) fn device_checks(record: &RunRecord) -> Vec<DeviceCheck> {
    let mut groups: Vec<(Result<String, String>, Vec<u32>)> = Vec::new();
    for (number, facts) in (0u32..).zip(&record.targets) {
        let key = device_of(facts, &record.window);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, targets)) => targets.push(number),
            None => groups.push((key, vec![number])),
        }
    }
    groups
        .into_iter()
        .map(|(device, targets)| match device {
            Ok(device) => check(record, &device, &targets),
            Err(why) => unknown(why),
        })
        .collect()
}

fn unknown(why: String) -> DeviceCheck {
    DeviceCheck {
        device: None,
        sentence: why,
        agreement: Agreement::Unknown,
        measured: None,
        lifetime: None,
    }
}

fn device_of(facts: &TargetFacts, window: &CounterWindow) -> Result<String, String> {
    let counted = facts
        .chain
        .iter()
        .find(|device| window.device(&device.name).is_some());
    if let Some(device) = counted {
        return if facts.kind == TargetKind::NvmeNamespace && device.counted == Some(false) {
            Err(format!(
                "the block layer does not count commands that are passed through to {}: its queue/iostats_passthrough \
                 is 0, or not there (before Linux 6.13)",
                device.name
            ))
        } else if device.counted == Some(false) && !moved(window, &device.name) {
            Err(format!(
                "the block layer does not count the I/Os of {}: its queue/iostats is 0",
                device.name
            ))
        } else {
            Ok(device.name.clone())
        };
    }
    Err(
        match (facts.kind, facts.chain.first(), &facts.file_system) {
            (TargetKind::Null, ..) => "no device: the null target does no I/O".to_owned(),
            (_, Some(device), _) => {
                format!(
                    "the counters of {} could not be read at both ends",
                    device.name
                )
            }
            (_, None, Some(fs)) => format!(
                "{} has no block device whose counters could be read",
                fs.kind
            ),
            (_, None, None) => "no block device is known under the target".to_owned(),
        },
    )
}

/// Whether it counted all the same: where `queue/iostats` is 0, device mapper still counts I/Os and bytes, only not times.
fn moved(window: &CounterWindow, device: &str) -> bool {
    let amount = |counters: DeviceCounters| counters.reads + counters.writes;
    window.device(device).map(amount).is_some_and(|ios| ios > 0)
}

fn check(record: &RunRecord, device: &str, targets: &[u32]) -> DeviceCheck {
    let measured = record
        .window
        .device(device)
        .map(|counters| over_measured(record, &counters, targets));
    let lifetime = record
        .lifetime
        .device(device)
        .map(|counters| over_lifetime(record, &counters, targets));
    match &measured {
        Some(counts) => DeviceCheck {
            device: Some(device.to_owned()),
            sentence: counts.sentence(device),
            agreement: counts.agreement(),
            measured,
            lifetime,
        },
        None => unknown(format!("the counters of {device} could not be read")),
    }
}

fn over_measured(
    record: &RunRecord,
    counters: &DeviceCounters,
    targets: &[u32],
) -> CountComparison {
    let sum = |operation| {
        let counted = targets
            .iter()
            .map(|&target| record.counted(operation, Some(target)));
        let each = counted.map(|counted| LifetimeCount {
            ios: counted.ios.saturating_add(counted.errors),
            bytes: counted.bytes,
        });
        each.fold(LifetimeCount::default(), LifetimeCount::plus)
    };
    let again = read_again(record, targets);
    let read = sum(Operation::Read).plus(LifetimeCount {
        ios: again.ios,
        bytes: again.bytes,
    });
    let write = sum(Operation::Write);
    let phases = &record.phases;
    let window = &record.window;
    let skew = skew(
        window.before.begun,
        window.before.ended,
        phases.measured_from,
    )
    .plus(skew(
        window.after.begun,
        window.after.ended,
        phases.measured_to,
    ));
    let burst = burst(record);
    let flowed = |amount: f64| {
        share(amount * burst * skew.0 as f64, phases.measured().0 as f64)
            .unwrap_or(0.0)
            .ceil()
    };
    let (edge_ios, edge_bytes) = edges(record, targets);
    CountComparison {
        elapsed_ns: window.elapsed().0,
        bound_ios: (edge_ios + flowed(read.ios as f64 + write.ios as f64)) as u64,
        bound_bytes: (edge_bytes + flowed(read.bytes.0 as f64 + write.bytes.0 as f64)) as u64,
        read: OperationComparison::new(read, counters.amount(Operation::Read)),
        write: OperationComparison::new(write, counters.amount(Operation::Write)),
        device_busy_ns: counters.busy.0,
    }
}

/// How many times the mean rate the fastest step of the series had: while a reading was late, so much may have flowed. // at
/// least 1
fn burst(record: &RunRecord) -> f64 {
    let mut steps: Vec<u64> = Vec::new();
    for tally in record.threads.iter().flat_map(|thread| &thread.measured) {
        steps.resize(steps.len().max(tally.intervals.len()), 0);
        let counted = steps.iter_mut().zip(&tally.intervals);
        counted.for_each(|(sum, step)| *sum = sum.saturating_add(step.ios));
    }
    let (all, most) = (steps.iter().sum::<u64>(), steps.iter().max());
    let mean =
        all as f64 * record.plan.interval.0 as f64 / record.phases.measured().0.max(1) as f64;
    share(most.map_or(0.0, |most| *most as f64), mean).map_or(1.0, |times| times.max(1.0))
}

/// How far a reading may be from the moment that it is meant for.
fn skew(begun: Nanos, ended: Nanos, meant: Nanos) -> Nanos {
    Nanos(begun.0.abs_diff(meant.0).max(ended.0.abs_diff(meant.0)))
}

/// What can be in flight at both edges together: I/Os and bytes.
fn edges(record: &RunRecord, targets: &[u32]) -> (f64, f64) {
    let planned =
        |target: &u32| -> Option<&PlannedTarget> { record.plan.targets.get(*target as usize) };
    targets
        .iter()
        .filter_map(planned)
        .fold((0.0, 0.0), |(ios, bytes), target| {
            let outstanding = f64::from(target.threads) * f64::from(target.workload.queue_depth.0);
            (
                ios + 2.0 * outstanding,
                bytes + 2.0 * outstanding * target.workload.block.0 as f64,
            )
        })
}

fn over_lifetime(
    record: &RunRecord,
    counters: &DeviceCounters,
    targets: &[u32],
) -> CountComparison {
    let threads = || {
        record
            .threads
            .iter()
            .filter(|thread| targets.contains(&thread.target))
    };
    let sum = |operation: Operation| {
        threads()
            .map(|thread| thread.lifetime[operation.index()])
            .fold(LifetimeCount::default(), LifetimeCount::plus)
    };
    let again = read_again(record, targets);
    let read = sum(Operation::Read).plus(LifetimeCount {
        ios: again.all_ios,
        bytes: again.all_bytes,
    });
    let write = sum(Operation::Write);
    let block = |target: u32| {
        record
            .plan
            .targets
            .get(target as usize)
            .map_or(0, |planned| planned.workload.block.0)
    };
    CountComparison {
        elapsed_ns: record.lifetime.elapsed().0,
        bound_ios: record.unanswered(),
        bound_bytes: threads()
            .map(|thread| u64::from(thread.abandoned).saturating_mul(block(thread.target)))
            .fold(0, u64::saturating_add),
        read: OperationComparison::new(read, counters.amount(Operation::Read)),
        write: OperationComparison::new(write, counters.amount(Operation::Write)),
        device_busy_ns: counters.busy.0,
    }
}

/// Reads of writes that were compared in the run: the device counts them, and no rate does.
fn read_again(record: &RunRecord, targets: &[u32]) -> ReadBackIos {
    let verification = record.engine.verification.iter();
    let each = verification.flat_map(|one| &one.read_back_ios);
    let mut sum = ReadBackIos::default();
    each.filter(|ios| targets.contains(&ios.target))
        .for_each(|ios| sum.add(ios));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn equal_counts_agree_and_say_so() {
        let checks = device_checks(&Sample::default().build());
        assert_eq!(checks.len(), 1);
        assert_eq!(checks[0].device.as_deref(), Some("vda1"));
        assert_eq!(checks[0].agreement, Agreement::Agrees);
        assert_eq!(checks[0].sentence, "the same to the byte");
        assert_eq!(checks[0].lifetime.as_ref().unwrap().bound_bytes, 0);
    }

    #[test]
    fn what_was_in_flight_at_both_edges_is_no_difference() {
        let mut record = Sample {
            depth: 4,
            ..Sample::default()
        }
        .build();
        record.window.after.devices[0].reads += 8;
        record.window.after.devices[0].read_bytes.0 += 8 * 4096;
        let checks = device_checks(&record);
        let measured = checks[0].measured.as_ref().unwrap();
        assert_eq!((measured.bound_ios, measured.bound_bytes), (8, 8 * 4096));
        assert_eq!(checks[0].agreement, Agreement::Agrees);
        assert!(
            checks[0]
                .sentence
                .ends_with("no more than was in flight at the edges")
        );
    }

    #[test]
    fn a_late_reading_of_the_counters_widens_the_bound_by_what_flowed_meanwhile() {
        let mut record = Sample {
            reads: 1000,
            measured: Nanos::seconds(1),
            ..Sample::default()
        }
        .build();
        record.window.after.begun = record.phases.measured_to.plus(Nanos::millis(10));
        record.window.after.ended = record.window.after.begun;
        let bound = device_checks(&record)[0]
            .measured
            .as_ref()
            .unwrap()
            .bound_ios;
        assert_eq!(
            bound,
            2 + 10,
            "two at the edges of depth 1, ten in 10 ms at 1000 a second"
        );
    }

    #[test]
    fn what_flowed_while_a_reading_was_late_may_have_been_more_than_the_mean() {
        let mut record = Sample {
            reads: 1000,
            planned: Nanos::seconds(1),
            measured: Nanos::seconds(1),
            ..Sample::default()
        }
        .build();
        let step = record.plan.interval.0;
        let steps = 1_000_000_000 / step;
        let tally = &mut record.threads[0].measured[Operation::Read.index()];
        assert_eq!((steps, tally.intervals[1].ios), (10, 100));
        (tally.intervals[0].ios, tally.intervals[1].ios) = (150, 50); // half of the second step came in the first
        let late = Nanos::millis(100);
        record.window.before.begun = record.phases.measured_from.plus(late);
        record.window.before.ended = record.window.before.begun;
        let bound = device_checks(&record)[0]
            .measured
            .as_ref()
            .unwrap()
            .bound_ios;
        assert_eq!(bound, 2 + 150, "1500 a second for 100 ms");
    }

    #[test]
    fn a_device_whose_ios_nobody_counts_is_not_said_to_have_seen_none() {
        let mut record = Sample::default().build();
        record.targets[0].chain[0].counted = Some(false);
        record.window.after.devices = record.window.before.devices.clone();
        let checks = device_checks(&record);
        assert_eq!(checks.len(), 1);
        assert_eq!(checks[0].agreement, Agreement::Unknown);
        assert_eq!(
            checks[0].sentence,
            "the block layer does not count the I/Os of vda1: its queue/iostats is 0"
        );
    }

    #[test]
    fn a_device_that_counts_though_it_says_that_it_does_not_is_believed() {
        let mut record = Sample::default().build();
        let reported = device_checks(&record);
        record.targets[0].chain[0].counted = Some(false);
        assert_eq!(device_checks(&record), reported);
        assert_eq!(reported[0].agreement, Agreement::Agrees);
    }

    #[test]
    fn without_a_device_there_is_a_reason_instead() {
        let mut record = Sample::default().build();
        record.targets[0].chain.clear();
        record.targets[0].file_system.as_mut().unwrap().kind = "tmpfs".to_owned();
        let checks = device_checks(&record);
        assert_eq!(checks[0].device, None);
        assert_eq!(
            checks[0].sentence,
            "tmpfs has no block device whose counters could be read"
        );
    }
}
