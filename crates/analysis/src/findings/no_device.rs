//! No device took part: the figures are those of the generator or of memory.
//!
//! Imported runs: fio's null engine, and dd between names that neither give nor take bytes of a device. Runs of fathom: what
//! is known to be memory. Its own null engine is asked for by its name and needs no finding.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use model::{FileSystem, ImportedRun, TargetFacts};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("no-device"),
    group: Group::Setup,
    cause: Cause::Cache,
    limit: None,
    what: "No device took part: the figures are those of the generator and of memory.",
    method: "The engine moves no bytes (fio: null, cpuio), the only target is /dev/null, /dev/zero or a pipe, or it lies in memory (/dev/shm, /dev/ram, /dev/zram). Or it is a Malloc or Null device of SPDK. Runs of fathom: all targets are on tmpfs or ramfs, or the lowest device of each is in memory. That is zram, a RAM disk, or a loop device whose file is on tmpfs or ramfs.",
    evidence: &["bytes_per_s", "loop_devices"],
    source: "null(4); fio(1), \"I/O engine\"; shm_overview(7).",
    advice: "Specify a file or a device: `fathom run FILE --create 4G`.",
    look: Look::Any(look),
};

const ENGINES: [&str; 2] = ["null", "cpuio"];
const NAMES: [&str; 2] = ["/dev/null", "/dev/zero"];
/// Source: SPDK's documentation of block devices, "Malloc bdev" and "Null bdev".
const MEMORY_OF_SPDK: [&str; 2] = ["Malloc", "Null"];
const IN_MEMORY: [&str; 4] = ["/dev/shm/", "/dev/ram", "/dev/zram", "/run/shm/"];

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let sentence = match (seen.own, seen.imported) {
        (Some(own), _) => of_own(own)?,
        (None, run) => by_engine(run?).or_else(|| by_name(run?))?,
    };
    let advice = "specify a file or a device, for example: fathom run FILE --create 4G";
    let rate = seen.observed.total.bytes_per_s.unwrap_or(f64::NAN);
    let loops = seen.own.map_or(0, loops_in_memory);
    let evidence = [
        ("bytes_per_s", rate),
        (
            "loop_devices",
            if loops > 0 { loops as f64 } else { f64::NAN },
        ),
    ];
    let reported = finding(RULE.id, Severity::Error, sentence, &evidence, advice);
    Some(reported.invalid_for("a disk result"))
}

fn of_own(own: &Own<'_>) -> Option<String> {
    let targets = &own.record.targets;
    let first = place_in_memory(targets.first()?)?;
    let all = targets.iter().all(|facts| place_in_memory(facts).is_some());
    all.then(|| format!("{first}: no device took part"))
}

fn loops_in_memory(own: &Own<'_>) -> usize {
    let lowest = own
        .record
        .targets
        .iter()
        .filter_map(|facts| facts.chain.last());
    lowest
        .filter(|device| device.kind == "loop" && device.is_in_memory())
        .count()
}

/// Returns whether it is of loop devices: the block layer is above these, so that a limit may be there, and other findings are
/// of it.
pub(super) fn is_of_loops(finding: &Finding) -> bool {
    let mut evidence = finding.evidence.iter();
    finding.id == RULE.id && evidence.any(|one| one.name == "loop_devices")
}

fn place_in_memory(facts: &TargetFacts) -> Option<String> {
    let path = model::printable(&facts.path.to_string_lossy());
    if let Some(on) = facts
        .file_system
        .as_ref()
        .filter(|on| FileSystem::is_in_memory(on))
    {
        return Some(format!("{path} lies in memory ({})", on.kind));
    }
    let lowest = facts.chain.last().filter(|device| device.is_in_memory())?;
    Some(match (&lowest.detail, &lowest.file_on) {
        (Some(file), Some(on)) => format!(
            "{}, the file of {}, lies in memory ({on})",
            model::printable(file),
            lowest.name
        ),
        _ => format!("{} is memory ({})", lowest.name, lowest.kind),
    })
}

fn by_engine(run: &ImportedRun) -> Option<String> {
    let engine = run.workload.engine.as_deref()?;
    let moves_nothing = ENGINES.contains(&engine);
    moves_nothing.then(|| format!("the I/O engine {engine} moves no bytes: no device took part"))
}

fn by_name(run: &ImportedRun) -> Option<String> {
    let targets = &run.workload.targets;
    let first = targets.first()?;
    let all = |names: &[&str], of: fn(&str, &str) -> bool| {
        let one = |target: &String| names.iter().any(|name| of(target, name));
        targets.iter().all(one)
    };
    let is_spdk = run.workload.engine.as_deref() == Some("spdk");
    if is_spdk && all(&MEMORY_OF_SPDK, |target, name| target.starts_with(name)) {
        return Some(format!("{first} is memory of SPDK: no device took part"));
    }
    if all(&NAMES, |target, name| target == name) {
        return Some(format!(
            "{first} is not a storage device: bytes were copied in memory"
        ));
    }
    if targets.len() == 1 && first.starts_with('|') {
        let into = first.trim_start_matches(['|', ' ']);
        return Some(format!(
            "dd wrote into a pipe (to {into}), and to no storage device"
        ));
    }
    let in_memory = all(&IN_MEMORY, |target, folder| target.starts_with(folder));
    in_memory.then(|| format!("{first} lies in memory: no device took part"))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::findings::test::{imported, reported};
    use crate::sample::Sample;

    #[test]
    fn memory_of_spdk_is_no_disk() {
        let of = |name: &str, engine: &str| {
            let mut run = imported();
            run.workload.targets = vec![name.to_owned()];
            run.workload.engine = Some(engine.to_owned());
            reported(&run, "no-device").is_some()
        };
        assert!(of("Malloc0", "spdk"));
        assert!(!of("NVMe0n1", "spdk"));
        assert!(!of("Malloc0", "libaio"), "a file of that name");
    }

    #[test]
    fn a_device_of_memory_is_no_disk() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "no-device"), None);
        let lowest = record.targets[0].chain.last_mut().unwrap();
        (lowest.kind, lowest.name) = ("zram".to_owned(), "zram0".to_owned());
        let said = found(&record, "no-device").unwrap();
        assert_eq!(said.sentence, "zram0 is memory (zram): no device took part");
        assert!(said.invalid_for.is_some());
    }

    /// E10: a loop device over a file in memory was called one whose storage is not counted.
    #[test]
    fn a_loop_device_over_a_file_in_memory_is_no_disk_and_one_over_a_disk_is() {
        let mut record = Sample::default().build();
        let chain = &mut record.targets[0].chain;
        chain.truncate(1);
        chain[0].kind = "loop".to_owned();
        chain[0].detail = Some("/dev/shm/disk.img".to_owned());
        for (on, is_memory) in [("ext4", false), ("tmpfs", true), ("ramfs", true)] {
            record.targets[0].chain[0].file_on = Some(on.to_owned());
            let reported = found(&record, "no-device");
            assert_eq!(reported.is_some(), is_memory, "{on}");
            let uncounted = found(&record, "uncounted-storage").unwrap();
            let because = is_memory.then_some(super::RULE.id);
            assert_eq!(uncounted.because, because, "{on}");
        }
    }

    #[test]
    fn an_engine_or_a_name_without_a_device_is_no_disk_result() {
        let mut run = imported();
        assert_eq!(reported(&run, "no-device"), None);
        run.workload.engine = Some("null".to_owned());
        assert!(reported(&run, "no-device").unwrap().invalid_for.is_some());
        run.workload.engine = Some("psync".to_owned());
        for (target, is_reported) in [
            ("/dev/null", true),
            ("/dev/shm/t.dat", true),
            ("/dev/zram0", true),
            ("/dev/nvme0n1", false),
            ("/srv/null", false),
        ] {
            run.workload.targets = vec![target.to_owned()];
            assert_eq!(
                reported(&run, "no-device").is_some(),
                is_reported,
                "{target}"
            );
        }
    }
}
