//! More I/Os in flight than the device accepts: the rest queues in the kernel.
//!
//! Two witnesses. The device's own facts: a SATA disk accepts 32 commands; asking for more only makes a queue above it
//! longer. That is a note. And the counters: the times that its requests spent in the device, over the elapsed time, are
//! how many it had on average. Less than half of what was in flight, with I/Os of 1 ms and more and no busy thread: then
//! they waited for something above the device, a limit of a control group, a scheduler, or a lock of the file system.
//! The kernel counts times to the microsecond or so; short I/Os that a busy processor picks up late would look the same,
//! hence the limits.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::TargetKind;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("queued-in-kernel"),
    group: Group::Queue,
    cause: Cause::Cap,
    limit: None,
    what: "Fewer I/Os were in the device than in flight: the rest queued in the kernel.",
    method: "A warning: the device counted less than half of the mean number in flight (sum of its request times over elapsed time). The device's own queue was not 90% full. The I/Os are direct and take 1 ms or more, and at least 4 are in flight. No worker is busy for more than half of its time, or waits for a processor for a fifth of it. More I/Os in flight were requested than the device or its queues accept: a note. It is a warning if the kernel's queue (nr_requests) is half of the request or shorter, and 80% full. Imported runs of fio: the only device counted 95% to 105% of the I/Os, and these take 1 ms or more. Its request times over the elapsed time are less than a quarter of the mean number in flight, and no less than its utilization.",
    evidence: &["in_flight_mean", "in_device_mean", "asked", "device_holds"],
    source: "The kernel's Documentation/block/stat.rst and Documentation/ABI/stable/sysfs-block (queue/nr_requests), \
             scsi device/queue_depth; Little's law.",
    advice: "Check for a limit of a control group, an I/O scheduler and file-system locks, or use a lower depth.",
    look: Look::Any(look_any),
};

const SHARE_MAX: f64 = 0.50;
const IN_FLIGHT_MIN: f64 = 4.0;
const LATENCY_NS_MIN: f64 = 1e6;
const BUSY_MAX: f64 = 0.50;
/// Of what the device accepts at once.
const FULL_MIN: f64 = 0.90;

fn look_any(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => look(own),
        None => of_others(seen),
    }
}

/// What fio's counters of devices show: each I/O was in the device, and few of them at a time.
fn of_others(seen: &Seen<'_>) -> Option<Finding> {
    const PART_MAX: f64 = 0.25;
    const TIME_MIN_NS: f64 = 2e9;
    const COUNTED_MIN: f64 = 0.9;
    let (run, total) = (seen.imported?, &seen.observed.total);
    let [disk] = &run.evidence.disks[..] else {
        return None;
    };
    let elapsed_ns = seen.observed.measured_ns.filter(|ns| *ns >= TIME_MIN_NS)?;
    let mean_ns = total.mean_ns.filter(|ns| *ns >= LATENCY_NS_MIN)?;
    let in_flight = total.iops? * mean_ns / 1e9;
    let held = crate::rows::share(disk.queue_time?.0 as f64, elapsed_ns)?;
    let ios = total.ios.filter(|ios| *ios > 1000)? as f64;
    let all = (0.95..=1.05).contains(&(disk.ios as f64 / ios));
    // As long as a device is in use it has one I/O at least: fewer are times that its driver does not count.
    let used = disk.util_percent.unwrap_or(0.0) / 100.0;
    let few = held > 0.0 && held >= COUNTED_MIN * used && held < PART_MAX * in_flight;
    (in_flight >= IN_FLIGHT_MIN && all && few).then(|| {
        let name = model::printable(&disk.name);
        let sentence = format!(
            "{} I/Os were in flight, and {} of them in {name}: the rest waited above it (the I/O engine, a limit, a scheduler or a lock)",
            say::digits(in_flight),
            say::digits(held)
        );
        let evidence = [("in_flight_mean", in_flight), ("in_device_mean", held)];
        let advice = "repeat with an engine of the kernel (libaio, io_uring) and direct I/O, and check for a limit of a control group";
        let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
        reported.sure(Confidence::Medium)
    })
}

fn look(own: &Own<'_>) -> Option<Finding> {
    let all: Vec<Below<'_>> = targets(own.record).collect();
    let unbuffered = all
        .iter()
        .all(|target| target.is_unbuffered() && target.facts.kind != TargetKind::NvmeNamespace);
    if !unbuffered || own.total.errors_total() > 0 || own.open_loop.is_some() {
        return None;
    }
    counted(own).or_else(|| {
        all.first()
            .and_then(|target| by_facts(own, target, all.len()))
    })
}

fn counted(own: &Own<'_>) -> Option<Finding> {
    let [check] = own.device_checks else {
        return None;
    };
    let name = check.device.as_deref()?;
    let counters = own.record.window.device(name)?;
    let elapsed = own.record.window.elapsed().0 as f64;
    let spent = counters.read_time.plus(counters.write_time);
    let held = crate::rows::share(spent.0 as f64, elapsed)?;
    let mean = own.in_flight.mean.filter(|mean| *mean >= IN_FLIGHT_MIN)?;
    let slow = own.total.latency.mean_ns()? >= LATENCY_NS_MIN;
    let busy = own
        .workers
        .iter()
        .filter_map(|worker| worker.cpu.busy_share());
    let idle = busy.fold(0.0, f64::max) <= BUSY_MAX && !own.is_starved();
    // A full queue of the device is no cause above it.
    let full = |room: u32| held >= FULL_MIN * f64::from(room);
    let chains = own.record.targets.iter().flat_map(|target| &target.chain);
    let mut queues = chains.filter_map(|device| device.device_queue);
    if queues.any(full) || targets(own.record).any(|target| fills_its_queue(own, &target)) {
        return None;
    }
    // Devices that do not time their requests count none.
    if !slow || !idle || held <= 0.0 || held >= SHARE_MAX * mean {
        return None;
    }
    let sentence = format!(
        "{} I/Os were in flight, and {} of them in {name}: the rest queued in the kernel (cgroup, scheduler or file-system lock)",
        say::digits(mean),
        say::digits(held)
    );
    let reported = finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("in_flight_mean", mean), ("in_device_mean", held)],
        advice(own.record.host.is_windows()),
    );
    Some(reported.sure(Confidence::Medium))
}

fn advice(on_windows: bool) -> &'static str {
    match on_windows {
        true => {
            "check for filter drivers (fltmc filters), a limit of the storage QoS and file-system locks"
        }
        false => "check for a limit of a control group, an I/O scheduler and file-system locks",
    }
}

fn by_facts(own: &Own<'_>, target: &Below<'_>, of: usize) -> Option<Finding> {
    let (device, room, is_kernel) = target
        .queue_room(own.record.plan.threads())
        .filter(|_| of == 1)?;
    let asked = own.in_flight.requested;
    let is_limit = is_kernel && 2 * room <= asked && fills_its_queue(own, target);
    if asked <= room || (device.kind != "disk" && !is_limit) {
        return None;
    }
    let (asked_said, name) = (say::count(asked), &device.name);
    let room_said = say::count(room);
    let evidence = [("asked", asked as f64), ("device_holds", room as f64)];
    if is_limit {
        let sentence = format!(
            "the queue of {name} limits the result: the kernel issues {room_said} I/Os at a time (nr_requests), and {asked_said} were requested"
        );
        let advice =
            format!("raise queue/nr_requests of {name}, or compare with a depth of {room_said}");
        return Some(finding(
            RULE.id,
            Severity::Warning,
            sentence,
            &evidence,
            &advice,
        ));
    }
    let sentence = format!(
        "{asked_said} I/Os in flight were requested, and {name} accepts {room_said}: the rest queued in the kernel"
    );
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        "a higher depth adds latency and no IOPS",
    ))
}

/// Whether the device had about as many I/Os as its queue accepts, and more were requested: then this queue is what they
/// waited for.
pub(super) fn fills_its_queue(own: &Own<'_>, target: &Below<'_>) -> bool {
    const SHARE: f64 = 0.80;
    let Some((device, room, _)) = target.queue_room(own.record.plan.threads()) else {
        return false;
    };
    let counted = own.record.window.device(&device.name);
    let in_device = counted.and_then(|counted| {
        let spent = counted.read_time.plus(counted.write_time);
        crate::rows::share(spent.0 as f64, own.record.window.elapsed().0 as f64)
    });
    room < own.in_flight.requested && in_device >= Some(SHARE * room as f64)
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, imported, reported};
    use crate::sample::Sample;
    use model::{Nanos, RunRecord};

    #[test]
    fn ios_of_fio_that_wait_above_their_only_device_are_reported() {
        let of = |queue_s, ios| {
            let mut run = imported();
            run.figures.total.ios = Some(65_536);
            run.figures.total.ios_per_s = Some(786.0);
            run.figures.total.latency.mean = Some(Nanos::millis(40));
            run.measured = Some(Nanos::seconds(83));
            run.evidence.disks = vec![model::imported_evidence::ImportedDisk {
                name: "sdb".to_owned(),
                ios,
                util_percent: Some(99.0),
                queue_time: Some(Nanos::seconds(queue_s)),
            }];
            reported(&run, "queued-in-kernel").is_some()
        };
        assert!(of(82, 65_455));
        assert!(!of(2500, 65_455), "30 of 31 are in it");
        assert!(!of(82, 30_000), "a cache served half of them");
        assert!(!of(1, 65_455), "in use for 99% of the time, without times");
    }

    /// 32 in flight at 16 ms each, of which the device had this share.
    fn held(percent: u64) -> RunRecord {
        let sample = Sample {
            depth: 32,
            ..Sample::default()
        };
        let mut record = sample.build();
        let all = record.window.elapsed().0 * 32;
        record.window.after.devices[0].read_time = Nanos(all / 100 * percent);
        // A steady rate would be reported as a cap, which is stronger.
        let steps = &mut record.threads[0].measured[0].intervals;
        (steps[4].ios, steps[5].ios) = (3000, 3000);
        record
    }

    #[test]
    fn what_waited_above_the_device_is_reported() {
        let reported = found(&held(3), "queued-in-kernel").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(reported.sentence.contains("0.96"), "{}", reported.sentence);
        assert_eq!(found(&held(98), "queued-in-kernel"), None);
        assert_eq!(
            found(&held(0), "queued-in-kernel"),
            None,
            "the requests were not timed"
        );
    }

    #[test]
    fn a_queue_that_is_smaller_than_asked_is_a_note() {
        let mut record = held(98);
        record.targets[0].chain[1].device_queue = Some(31);
        let reported = found(&record, "queued-in-kernel").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert!(
            reported.sentence.contains("32") && reported.sentence.contains("31"),
            "{reported:?}"
        );
        let disk = &mut record.targets[0].chain[1];
        (disk.device_queue, disk.queue_size, disk.queues) = (None, Some(64), Some(4));
        assert_eq!(found(&record, "queued-in-kernel"), None);
    }

    #[test]
    fn half_of_what_was_in_flight_has_to_be_in_the_device() {
        assert!(found(&held(42), "queued-in-kernel").is_some());
        assert_eq!(found(&held(60), "queued-in-kernel"), None);
    }

    /// Writes to btrfs: "limited to 602 IOPS: loop2 took 955 µs per I/O with 0.54 in flight, while 4.00 waited above it".
    #[test]
    fn a_file_system_that_copies_what_is_written_is_no_hidden_limit() {
        let of = |kind: &str, write| {
            let writes = write == model::Ratio::ALL;
            let mut record = Sample {
                depth: 32,
                write,
                reads: if writes { 0 } else { 20_000 },
                writes: if writes { 20_000 } else { 0 },
                ..Sample::default()
            }
            .build();
            let spent = Nanos(record.window.elapsed().0 / 10);
            let device = &mut record.window.after.devices[0];
            (device.read_time, device.write_time) = (spent, spent);
            kind.clone_into(&mut record.targets[0].file_system.as_mut().unwrap().kind);
            found(&record, "iops-limit").is_some()
        };
        let (read, write) = (model::Ratio::NONE, model::Ratio::ALL);
        assert!(of("ext4", write) && of("btrfs", read));
        assert!(!of("btrfs", write));
    }

    /// E5: `nr_requests` 4 at QD32.
    #[test]
    fn a_queue_of_the_kernel_that_is_full_is_the_limit_and_no_hidden_one_is() {
        let mut record = held(12); // 3.84 of 32
        let queue = |record: &mut RunRecord, size| {
            for device in &mut record.targets[0].chain {
                (device.queue_size, device.queues) = (Some(size), Some(1));
            }
        };
        record.window.after.devices[1].read_time = record.window.after.devices[0].read_time;
        queue(&mut record, 4);
        let reported = found(&record, "queued-in-kernel").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(
            reported.sentence.contains("4 I/Os at a time"),
            "{}",
            reported.sentence
        );
        assert_eq!(found(&record, "iops-limit"), None);
        queue(&mut record, 64);
        let reported = found(&record, "queued-in-kernel").unwrap();
        assert!(
            reported.sentence.contains("cgroup"),
            "{}",
            reported.sentence
        );
    }
}
