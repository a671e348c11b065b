//! Uneven load: one of several devices had most of the I/Os, or most devices had none.
//!
//! Checks the disks at the bottom of the targets of a run, or what fio saw of devices (`disk_util`). Omitted: devices that stand on each other (a mapping and its disks),
//! whose counts repeat each other: only those with the same kind of name are compared.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::imported_evidence::ImportedDisk;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("uneven-disks"),
    group: Group::Limit,
    cause: Cause::Alone,
    limit: None,
    what: "The load was uneven across the devices, so the busiest device determines the result.",
    method: "Two or more devices of one kind of name (sda, sdb; nvme0n1, nvme1n1) counted I/Os: the busiest had a utilization of 95% or more and at least twice the mean I/Os of the others. None of the others had that utilization.",
    evidence: &["busiest_share", "devices"],
    source: "fio(1), disk utilization; the kernel's Documentation/block/stat.rst.",
    advice: "Spread the load: one job per device, or a stripe smaller than the range; then compare the sum.",
    look: Look::Any(look),
};

const UTIL_MIN_PERCENT: f64 = 95.0;
const TIMES_MIN: f64 = 2.0;
const IOS_MIN: u64 = 1000;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let disks = match seen.own {
        Some(own) => &own_disks(own),
        None => &seen.imported?.evidence.disks,
    };
    let has_alike = |one: &&ImportedDisk| {
        disks
            .iter()
            .filter(|disk| kind(&disk.name) == kind(&one.name))
            .count()
            > 1
    };
    let busiest = disks.iter().filter(has_alike).max_by_key(|disk| disk.ios)?;
    let alike = disks
        .iter()
        .filter(|disk| kind(&disk.name) == kind(&busiest.name));
    let others: Vec<&ImportedDisk> = alike.filter(|disk| disk.name != busiest.name).collect();
    if others.is_empty() || busiest.ios < IOS_MIN {
        return None;
    }
    let sum: f64 = others.iter().map(|disk| disk.ios as f64).sum();
    let mean = sum / others.len() as f64;
    let is_full = |disk: &ImportedDisk| disk.util_percent >= Some(UTIL_MIN_PERCENT);
    let alone = is_full(busiest) && !others.iter().any(|disk| is_full(disk));
    if !alone || (busiest.ios as f64) < TIMES_MIN * mean {
        return None;
    }
    let share = busiest.ios as f64 / (sum + busiest.ios as f64);
    let sentence = format!(
        "{} of {} devices had {} of the I/Os and was at 100% utilization: the result is that of one device",
        busiest.name,
        say::count(others.len() as u64 + 1),
        say::percent(share)
    );
    let evidence = [
        ("busiest_share", share),
        ("devices", others.len() as f64 + 1.0),
    ];
    let advice = "use fathom run with all devices as targets, one thread each: a much higher sum means that the spread was the limit";
    let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

/// The disks at the bottom of all targets, with what the block layer counted while it was measured.
fn own_disks(own: &Own<'_>) -> Vec<ImportedDisk> {
    let window = &own.record.window;
    let elapsed = window.elapsed().0 as f64;
    let chains = own.record.targets.iter().flat_map(|target| &target.chain);
    let disks = chains.filter(|device| device.kind == "disk");
    let mut names: Vec<&str> = disks.map(|device| device.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let disk = |name: &str| {
        let counted = window.device(name)?;
        Some(ImportedDisk {
            name: name.to_owned(),
            ios: counted.reads.saturating_add(counted.writes),
            util_percent: (elapsed > 0.0).then(|| counted.busy.0 as f64 / elapsed * 100.0),
            ..ImportedDisk::default()
        })
    };
    names.into_iter().filter_map(disk).collect()
}

/// The letters that a name begins with: of `sda` and `sdb` the driver's two, of `nvme0n1` all before the number.
pub(super) fn kind(name: &str) -> &str {
    let scsi = ["sd", "vd", "xvd", "hd"];
    let driver = scsi.into_iter().find(|driver| name.starts_with(driver));
    let end = name
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(name.len());
    driver.unwrap_or(&name[..end])
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::ImportedRun;
    use model::imported_evidence::ImportedDisk;

    fn run(disks: &[(&str, u64, f64)]) -> ImportedRun {
        let mut run = imported();
        let disk = |(name, ios, util): &(&str, u64, f64)| ImportedDisk {
            name: (*name).to_owned(),
            ios: *ios,
            util_percent: Some(*util),
            ..ImportedDisk::default()
        };
        run.evidence.disks = disks.iter().map(disk).collect();
        run
    }

    #[test]
    fn one_busy_device_among_idle_ones_is_named() {
        let uneven = run(&[
            ("md0", 9000, 0.0),
            ("sda", 8000, 99.8),
            ("sdb", 400, 4.0),
            ("sdc", 600, 5.0),
        ]);
        let reported_of = reported(&uneven, "uneven-disks").unwrap().sentence;
        assert!(
            reported_of.starts_with("sda of 3 devices had 88.9"),
            "{reported_of}"
        );
        let even = run(&[
            ("md0", 9000, 99.0),
            ("sda", 3100, 99.8),
            ("sdb", 2900, 98.0),
        ]);
        assert_eq!(reported(&even, "uneven-disks"), None);
        assert_eq!(reported(&run(&[("sda", 8000, 99.8)]), "uneven-disks"), None);
    }
}
