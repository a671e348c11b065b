//! Storage below the target whose counters cannot be read, where a cache of this machine usually answers.
//!
//! A loop device whose file is on no block device, and FUSE whose server does not report a folder as its source. Direct I/O
//! ends at the loop device or the server, which read through the page cache unless that was changed. So it does on a folder
//! of the host (9p, virtiofs), and on a server: its memory is part of what is measured there, so that is a note. Omitted:
//! what the counters show (`page-cache`, `loop-page-cache`).

use super::storage_stack::{Below, targets};
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::preflight::setting::{BY_HOST, shared_by};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("uncounted-storage"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "No block device below a loop device, FUSE, or a file system of a server or host could be counted. A cache there would not be noticed.",
    method: "Runs of fathom that read with direct I/O: no device was found below the target, which is on a loop device or on a file system of type fuse, 9p or virtiofs. A note where the file system is that of a server or a cluster.",
    evidence: &[],
    source: "losetup(8), --direct-io; fuse(8); the kernel's Documentation/filesystems/fuse-io.rst; QEMU's docs/tools/virtiofsd.rst, allow_direct_io.",
    advice: "Compare with the file system that the server or the loop device reads: fathom run FILE.",
    look: Look::Own(look),
};

fn look(own: &Own<'_>) -> Option<Finding> {
    let mut found = targets(own.record).filter(|target| target.is_unbuffered() && target.reads());
    let (severity, sentence) = found.find_map(|target| uncounted(&target))?;
    let reported = finding(RULE.id, severity, sentence, &[], RULE.advice);
    Some(reported.sure(Confidence::Medium))
}

fn uncounted(target: &Below<'_>) -> Option<(Severity, String)> {
    let chain = &target.facts.chain;
    if let Some(last) = chain.last() {
        let file = last.detail.as_deref().filter(|_| last.kind == "loop")?;
        let sentence = format!(
            "no block device was found below {}, the file of {}: a cache below it would not be noticed",
            model::printable(file),
            last.name
        );
        return Some((Severity::Warning, sentence));
    }
    let on = target.facts.file_system.as_ref()?;
    let severity = match shared_by(&on.kind) {
        _ if on.kind.starts_with("fuse") => Severity::Warning,
        Some(BY_HOST) => Severity::Warning,
        Some(_) => Severity::Note,
        None => return None,
    };
    let sentence = format!(
        "no block device was found below {}: a cache in its server or below it would not be noticed",
        model::printable(&on.kind)
    );
    Some((severity, sentence))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::RunRecord;

    fn severity(record: &RunRecord) -> Option<Severity> {
        found(record, "uncounted-storage").map(|finding| finding.severity)
    }

    #[test]
    fn a_loop_device_or_fuse_without_a_device_below_it_is_a_warning() {
        let mut record = Sample::default().build();
        assert_eq!(severity(&record), None);
        let facts = &mut record.targets[0];
        facts.file_system.as_mut().unwrap().kind = "fuse.sshfs".to_owned();
        assert_eq!(severity(&record), None, "a device is below it");
        let mut top = record.targets[0].chain[0].clone();
        record.targets[0].chain.clear();
        assert_eq!(severity(&record), Some(Severity::Warning));
        record.targets[0].file_system.as_mut().unwrap().kind = "nfs4".to_owned();
        assert_eq!(severity(&record), Some(Severity::Note));
        record.targets[0].file_system.as_mut().unwrap().kind = "9p".to_owned();
        assert_eq!(severity(&record), Some(Severity::Warning), "of the host");
        record.targets[0].file_system.as_mut().unwrap().kind = "zfs".to_owned();
        assert_eq!(severity(&record), None);
        (top.kind, top.detail) = ("loop".to_owned(), Some("/run/disk.img".to_owned()));
        record.targets[0].chain.push(top);
        assert_eq!(severity(&record), Some(Severity::Warning));
    }
}
