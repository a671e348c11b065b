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
    method: "The engine moves no bytes (fio: null, cpuio), the only target is /dev/null or /dev/zero, or it lies in memory (/dev/shm, /dev/ram, /dev/zram). Runs of fathom: all targets are on tmpfs or ramfs, or the lowest device of each is zram or a RAM disk.",
    evidence: &["bytes_per_s"],
    source: "null(4); fio(1), \"I/O engine\"; shm_overview(7).",
    advice: "Specify a file or a device: `fathom run FILE --create 4G`.",
    look: Look::Any(look),
};

const ENGINES: [&str; 2] = ["null", "cpuio"];
const NAMES: [&str; 2] = ["/dev/null", "/dev/zero"];
const IN_MEMORY: [&str; 4] = ["/dev/shm/", "/dev/ram", "/dev/zram", "/run/shm/"];

/// Kinds of block devices whose blocks are in memory.
const KINDS: [&str; 2] = ["zram", "ram"];

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let sentence = match (seen.own, seen.imported) {
        (Some(own), _) => of_own(own)?,
        (None, run) => by_engine(run?).or_else(|| by_name(run?))?,
    };
    let advice = "specify a file or a device, for example: fathom run FILE --create 4G";
    let rate = seen.observed.total.bytes_per_s.unwrap_or(f64::NAN);
    let evidence = [("bytes_per_s", rate)];
    let reported = finding(RULE.id, Severity::Error, sentence, &evidence, advice);
    Some(reported.not_as("a disk result"))
}

fn of_own(own: &Own<'_>) -> Option<String> {
    let targets = &own.record.targets;
    let first = place_in_memory(targets.first()?)?;
    let all = targets.iter().all(|facts| place_in_memory(facts).is_some());
    all.then(|| format!("{first}: no device took part"))
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
    let lowest = facts
        .chain
        .last()
        .filter(|device| KINDS.contains(&device.kind.as_str()))?;
    Some(format!("{} is memory ({})", lowest.name, lowest.kind))
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
    if all(&NAMES, |target, name| target == name) {
        return Some(format!(
            "{first} is not a storage device: bytes were copied in memory"
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
    fn a_device_of_memory_is_no_disk() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "no-device"), None);
        let lowest = record.targets[0].chain.last_mut().unwrap();
        (lowest.kind, lowest.name) = ("zram".to_owned(), "zram0".to_owned());
        let said = found(&record, "no-device").unwrap();
        assert_eq!(said.sentence, "zram0 is memory (zram): no device took part");
        assert!(said.not_as.is_some());
    }

    #[test]
    fn an_engine_or_a_name_without_a_device_is_no_disk_result() {
        let mut run = imported();
        assert_eq!(reported(&run, "no-device"), None);
        run.workload.engine = Some("null".to_owned());
        assert!(reported(&run, "no-device").unwrap().not_as.is_some());
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
