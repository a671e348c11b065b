//! No device took part: the figures are those of the generator or of memory.
//!
//! Checks imported runs: fio's null engine, and dd between names that neither give nor take bytes of a device. fathom's
//! own null engine is asked for by its name and needs no finding.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use model::ImportedRun;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("no-device"),
    group: Group::Setup,
    cause: Cause::Cache,
    limit: None,
    what: "No device took part: the figures are those of the generator and of memory.",
    method: "The engine moves no bytes (fio: null, cpuio), the only target is /dev/null or /dev/zero, or it lies in memory (/dev/shm, /dev/ram, /dev/zram).",
    evidence: &["bytes_per_s"],
    source: "null(4); fio(1), \"I/O engine\"; shm_overview(7).",
    advice: "Specify a file or a device: `fathom run FILE --create 4G`.",
    look: Look::Any(look),
};

const ENGINES: [&str; 2] = ["null", "cpuio"];
const NAMES: [&str; 2] = ["/dev/null", "/dev/zero"];
const IN_MEMORY: [&str; 4] = ["/dev/shm/", "/dev/ram", "/dev/zram", "/run/shm/"];

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let sentence = by_engine(run).or_else(|| by_name(run))?;
    let advice = "specify a file or a device, for example: fathom run FILE --create 4G";
    let rate = run.figures.total.bytes_per_s.unwrap_or(f64::NAN);
    let evidence = [("bytes_per_s", rate)];
    let reported = finding(RULE.id, Severity::Error, sentence, &evidence, advice);
    Some(reported.not_as("a disk result"))
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
    use crate::findings::test::{imported, reported};

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
