//! What speaks against the figures of a program that `fathom audit` observed.
//!
//! Omitted: whether the devices did what was printed, which `crate::audit` compares.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::audit::scope::{AuditAnswer, AuditSeen, left_of};
use crate::say;

const SOURCE: &str = "The kernel's Documentation/admin-guide/iostats.rst and Documentation/block/stat.rst; proc_pid_io(5); proc_meminfo(5).";

pub(super) const NOT_ON_DEVICE: Rule = Rule {
    id: RuleId::new("audit-not-on-device"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: None,
    what: "A program printed figures that its devices did not do: memory answered.",
    method: "The devices are those below --on, else all of the machine. Until the program ended they moved less than 10% of the printed bytes: an error; less than 90%: a warning. An error, too, if a loop device moved them and the devices below it less than 90%, or if all targets are in memory. What others did counts, too, so that the true share is not larger.",
    evidence: &["printed_bytes", "device_bytes"],
    source: SOURCE,
    advice: "Repeat it with direct I/O (fio: --direct=1, dd: oflag=direct or iflag=direct), on a file whose blocks were written, or with more data than memory.",
    look: Look::Audit(not_on_device),
};

pub(super) const MERGED: Rule = Rule {
    id: RuleId::new("audit-merged"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: None,
    what: "The devices moved the printed bytes in far fewer I/Os, so the printed IOPS are not theirs.",
    method: "The devices moved at least 90% of the printed bytes in less than half of the printed I/Os: the page cache or the block layer merged neighbours.",
    evidence: &["printed_bytes", "device_bytes"],
    source: SOURCE,
    advice: "Use MiB/s as the device's figure. For IOPS repeat it with direct I/O at random places.",
    look: Look::Audit(merged),
};

pub(super) const NOT_WRITTEN: Rule = Rule {
    id: RuleId::new("audit-not-written"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "A program ended before the devices had what it wrote.",
    method: "The processes put more bytes into the page cache or sent more to devices (write_bytes without cancelled_write_bytes) than the devices wrote until it ended: more than 10% and 256 KiB were missing.",
    evidence: &["written_bytes", "not_written_bytes"],
    source: SOURCE,
    advice: "Let the program flush before it ends (fio: --end_fsync=1, dd: conv=fdatasync), so that its time contains the device.",
    look: Look::Audit(not_written),
};

pub(super) const OTHER_LOAD: Rule = Rule {
    id: RuleId::new("audit-other-load"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Other programs used the devices of the program while it ran.",
    method: "The devices moved at least 1 MiB and 10% more than the program requested. Processes that are no descendants of it moved at least half of that. Those that ended in the meantime, and those of other users without root, are not seen.",
    evidence: &["others_bytes", "excess_bytes", "device_bytes"],
    source: SOURCE,
    advice: "Repeat it on an idle machine, or state the other load with the figures.",
    look: Look::Audit(other_load),
};

pub(super) const NOT_COUNTED: Rule = Rule {
    id: RuleId::new("audit-not-counted"),
    group: Group::Samples,
    cause: Cause::Alone,
    limit: None,
    what: "The account does not contain all processes of the program.",
    method: "Some processes could not be read (programs with set-user-id without root, /proc with hidepid). Or they still ran when the program ended, and are counted up to then.",
    evidence: &["unread_processes", "running_processes"],
    source: SOURCE,
    advice: "Run the audit as root, and let the program wait for its children.",
    look: Look::Audit(not_counted),
};

fn not_on_device(seen: &AuditSeen<'_>) -> Option<Finding> {
    let sentence = seen.sentence.to_owned();
    match seen.answer {
        answer if answer.is_memory() => {
            let found = found(&NOT_ON_DEVICE, Severity::Error, sentence, &compared(seen));
            Some(found.invalid_for("a disk result"))
        }
        AuditAnswer::PartMemory => {
            let evidence = compared(seen);
            Some(found(
                &NOT_ON_DEVICE,
                Severity::Warning,
                sentence,
                &evidence,
            ))
        }
        _ => None,
    }
}

fn found(rule: &Rule, severity: Severity, sentence: String, evidence: &[(&str, f64)]) -> Finding {
    finding(rule.id, severity, sentence, evidence, rule.advice)
}

fn compared(seen: &AuditSeen<'_>) -> [(&'static str, f64); 2] {
    [
        ("printed_bytes", seen.printed_bytes),
        ("device_bytes", seen.device_bytes),
    ]
}

fn merged(seen: &AuditSeen<'_>) -> Option<Finding> {
    let sentence = seen.sentence.to_owned();
    let is_merged = seen.answer == AuditAnswer::Merged;
    is_merged.then(|| found(&MERGED, Severity::Warning, sentence, &compared(seen)))
}

fn not_written(seen: &AuditSeen<'_>) -> Option<Finding> {
    let [to_write, written] = seen.written?;
    let left = left_of(to_write, written)?;
    let (left_text, whole) = (say::bytes(left), say::bytes(to_write));
    let sentence =
        format!("{left_text} of {whole} that it wrote were not on a device when it ended");
    let evidence = [
        ("written_bytes", to_write as f64),
        ("not_written_bytes", left as f64),
    ];
    Some(found(&NOT_WRITTEN, Severity::Warning, sentence, &evidence))
}

fn other_load(seen: &AuditSeen<'_>) -> Option<Finding> {
    const SHARE_MIN: f64 = 0.10;
    const BYTES_MIN: u64 = 1 << 20;
    let moved = |one: &model::record::OtherProgram| one.read.0.saturating_add(one.written.0);
    let others = &seen.audit.others;
    let all: u64 = others.iter().map(moved).sum();
    let most = others.iter().max_by_key(|one| moved(one))?;
    let own = seen
        .audit
        .io
        .read_bytes
        .0
        .saturating_add(seen.audit.io.to_write().0);
    let excess = seen.moved_bytes.saturating_sub(own);
    let much = excess >= BYTES_MIN && excess as f64 >= SHARE_MIN * seen.moved_bytes as f64;
    (much && all >= excess / 2).then(|| {
        let sentence = format!(
            "the devices moved {} more than the program requested; other programs moved {} meanwhile, most of it {} ({})",
            say::bytes(excess),
            say::bytes(all),
            model::printable(&most.name),
            say::bytes(moved(most))
        );
        let evidence = [
            ("others_bytes", all as f64),
            ("excess_bytes", excess as f64),
            ("device_bytes", seen.moved_bytes as f64),
        ];
        found(&OTHER_LOAD, Severity::Warning, sentence, &evidence)
    })
}

fn not_counted(seen: &AuditSeen<'_>) -> Option<Finding> {
    let (unread, running) = (seen.audit.io.unread, seen.audit.io.still_running);
    (unread + running > 0).then(|| {
        let sentence = match unread {
            0 => format!(
                "{} still ran when it ended: counted up to then",
                say::counted(running, "process")
            ),
            _ => format!("{} could not be read", say::counted(unread, "process")),
        };
        let evidence = [
            ("unread_processes", unread as f64),
            ("running_processes", running as f64),
        ];
        found(&NOT_COUNTED, Severity::Note, sentence, &evidence)
    })
}
