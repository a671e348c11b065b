//! A loop device whose reads the page cache of its file serves, or whose writes it absorbs.
//!
//! Without direct I/O to its file (`losetup --direct-io=on`) a loop device reads and writes through the page cache, also if
//! the run bypasses the cache above it. Own runs: the bottom of the chain is counted, too; writes over the lifetime, because a
//! flush at the end brings them there. Of imported runs the set-up is not known, so there it is a note. Omitted: what the
//! cache above the loop device absorbs, which is `page-cache`'s.

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::LimitKind;
use crate::say;
use model::{BlockDevice, Bytes, CounterWindow, DeviceCounters, ImportedRun, Operation};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("loop-page-cache"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: Some(LimitKind::Cache),
    what: "The target is a loop device. The page cache of its file, or unwritten parts of it, served reads or absorbed writes.",
    method: "Runs of fathom: the target is on a loop device. The devices at the bottom counted less than 90% of the bytes read, and at least 1 MiB less; or, from the start to the end with its flushes, as much less of the bytes that the loop device wrote. Imported runs: a note if the target or the only device counted \
             is a loop device.",
    evidence: &["not_on_bottom_share", "writes_not_on_bottom_share"],
    source: "losetup(8), --direct-io; the kernel's drivers/block/loop.c (loop/dio); Documentation/block/stat.rst.",
    advice: "Set the device up with `losetup --direct-io=on`, or measure the file's own device.",
    look: Look::Any(look),
};

const SHARE_MIN: f64 = 0.90;
const MISSING_MIN: u64 = 1 << 20;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match (seen.own, seen.imported) {
        (Some(own), _) => targets(own.record).find_map(|target| of_own(own, &target)),
        (None, run) => of_others(run?),
    }
}

fn of_own(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let chain = &target.facts.chain;
    let from = chain.iter().position(|device| device.kind == "loop")?;
    let (upper, bottoms) = (&chain[from], bottoms(&chain[from + 1..]));
    let below = |window: &CounterWindow, of: fn(&DeviceCounters) -> Bytes| {
        let counted = |device: &&BlockDevice| Some(of(&window.device(&device.name)?).0);
        let all = bottoms.iter().map(counted).sum::<Option<u64>>();
        all.filter(|_| !bottoms.is_empty())
    };
    let (measured, lifetime) = (&own.record.window, &own.record.lifetime);
    let of_tool = target.counted(own.record, Operation::Read).bytes.0;
    // What the loop device itself did not read is lost above it.
    let of_loop = measured.device(&upper.name);
    let read = of_loop.map_or(of_tool, |counters| counters.read_bytes.0.min(of_tool));
    let not_read = missing_share(read, below(measured, |counters| counters.read_bytes));
    let written = lifetime
        .device(&upper.name)
        .map_or(0, |counters| counters.write_bytes.0);
    let not_written = missing_share(written, below(lifetime, |counters| counters.write_bytes));
    let file = model::printable(upper.detail.as_deref().unwrap_or("its file"));
    let names: Vec<&str> = bottoms.iter().map(|device| device.name.as_str()).collect();
    let (upper, names) = (&upper.name, names.join(" and "));
    let sentence = match (not_read, not_written) {
        (None, None) => return None,
        (Some(read), None) => format!(
            "{} of the reads came from the page cache or unwritten parts of {file}, the file of {upper}; {names} served the rest",
            say::percent(read)
        ),
        (None, Some(written)) => format!(
            "{} of the writes were still in the page cache of {file}, the file of {upper}, at the end; {names} had the rest",
            say::percent(written)
        ),
        (Some(read), Some(written)) => format!(
            "{} of the reads and {} of the writes went no further than the page cache of {file}, the file of {upper}",
            say::percent(read),
            say::percent(written)
        ),
    };
    let evidence = [
        ("not_on_bottom_share", not_read.unwrap_or(f64::NAN)),
        (
            "writes_not_on_bottom_share",
            not_written.unwrap_or(f64::NAN),
        ),
    ];
    let advice =
        "run losetup --direct-io=on and repeat: if it is slower, the page cache had answered";
    let reported = finding(RULE.id, Severity::Error, sentence, &evidence, advice);
    Some(reported.invalid_for("a disk result"))
}

/// The share of the bytes above that did not reach the bottom, where that is too much for chance.
fn missing_share(above: u64, below: Option<u64>) -> Option<f64> {
    let below = below?;
    let missing = above.saturating_sub(below);
    let much = missing >= MISSING_MIN && (below as f64) < SHARE_MIN * above as f64;
    much.then(|| missing as f64 / above as f64)
}

/// Devices that use no other one: of a mirror over two loop devices these are the disks of both files.
fn bottoms(below: &[BlockDevice]) -> Vec<&BlockDevice> {
    let uses_others = |device: &BlockDevice| {
        let kind = device.kind.as_str();
        matches!(kind, "loop" | "partition" | "dm" | "md" | "bcache")
    };
    below.iter().filter(|device| !uses_others(device)).collect()
}

fn of_others(run: &ImportedRun) -> Option<Finding> {
    is_on_loop(run).then(|| {
        let sentence = "the target is on a loop device: without direct I/O, the page cache of its file answers";
        let advice = "losetup --list --output NAME,DIO: 0 means that the page cache answers; repeat after losetup --direct-io=on";
        let reported = finding(RULE.id, Severity::Note, sentence.to_owned(), &[], advice);
        reported.sure(Confidence::Low)
    })
}

/// Whether all that is known to be below is loop devices.
pub(crate) fn is_on_loop(run: &ImportedRun) -> bool {
    let targets = &run.workload.targets;
    let named = !targets.is_empty() && targets.iter().all(|name| name.starts_with("/dev/loop"));
    let disks = &run.evidence.disks;
    named || (!disks.is_empty() && disks.iter().all(|disk| disk.name.starts_with("loop")))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, imported, reported};
    use crate::sample::Sample;
    use model::{Bytes, Ratio};

    #[test]
    fn the_bottom_of_the_chain_is_counted_too() {
        let mut record = Sample::default().build();
        record.targets[0].chain[0].kind = "loop".to_owned();
        record.targets[0].chain[0].detail = Some("/srv/disk.img".to_owned());
        assert_eq!(found(&record, "loop-page-cache"), None, "vda had all of it");
        for window in [&mut record.window, &mut record.lifetime] {
            window.after.devices[1].read_bytes = Bytes(4096 * 200);
        }
        let reported_of = found(&record, "loop-page-cache").unwrap();
        assert_eq!(reported_of.severity, Severity::Error);
        assert_eq!(
            reported_of.sentence,
            "99% of the reads came from the page cache or unwritten parts of /srv/disk.img, the file of vda1; vda \
             served the rest"
        );
    }

    /// E3: a file system that compresses above the loop device.
    #[test]
    fn what_is_lost_above_the_loop_device_is_not_lost_in_its_file() {
        let mut record = Sample::default().build();
        record.targets[0].chain[0].kind = "loop".to_owned();
        for window in [&mut record.window, &mut record.lifetime] {
            for device in &mut window.after.devices {
                device.read_bytes = Bytes(4096 * 200);
            }
        }
        assert_eq!(found(&record, "loop-page-cache"), None);
        assert!(found(&record, "page-cache").is_some());
    }

    /// E1: 10 GB/s of direct writes to a loop device without direct I/O to its file were VALID.
    #[test]
    fn writes_that_stay_in_the_cache_of_the_file_are_no_disk_result() {
        let sample = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            ..Sample::default()
        };
        let mut record = sample.build();
        record.targets[0].chain[0].kind = "loop".to_owned();
        assert_eq!(found(&record, "loop-page-cache"), None, "vda had all of it");
        record.lifetime.after.devices[1].write_bytes = Bytes(4096 * 200);
        let reported_of = found(&record, "loop-page-cache").unwrap();
        assert_eq!(reported_of.severity, Severity::Error);
        assert_eq!(
            reported_of.sentence,
            "99% of the writes were still in the page cache of its file, the file of vda1, at the end; vda had the rest"
        );
    }

    #[test]
    fn the_disks_below_both_halves_of_a_mirror_are_counted_together() {
        let mut record = Sample::default().build();
        let chain = &mut record.targets[0].chain;
        (chain[0].kind, chain[0].detail) = ("loop".to_owned(), Some("/a/image".to_owned()));
        let mut other = chain[1].clone();
        other.name = "vdb".to_owned();
        chain.push(other);
        for window in [&mut record.window, &mut record.lifetime] {
            for counted in [&mut window.before, &mut window.after] {
                let mut half = counted.devices[1].clone();
                half.read_bytes = Bytes(half.read_bytes.0 / 2);
                counted.devices[1] = half.clone();
                half.name = "vdb".to_owned();
                counted.devices.push(half);
            }
        }
        assert_eq!(found(&record, "loop-page-cache"), None, "each had a half");
    }

    #[test]
    fn of_an_imported_run_the_name_is_a_note() {
        let mut run = imported();
        assert_eq!(reported(&run, "loop-page-cache"), None);
        run.workload.targets = vec!["/dev/loop3".to_owned()];
        let reported_of = reported(&run, "loop-page-cache").unwrap();
        assert_eq!(reported_of.severity, Severity::Note);
    }
}
