//! The tool itself printed a warning that changes what its figures mean.
//!
//! Only warnings whose meaning is known are used; the others stay notes of the import.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("tool-warning"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The tool printed a warning that changes what its figures mean.",
    method: "The text has, before or within the results, a warning of a list: DISKSPD without the privilege to set the valid data length (the file was filled slowly, or is not written), I/O that is not aligned; a file system that refuses direct I/O; no space left.",
    evidence: &["warnings"],
    source: "DISKSPD's and fio's own messages.",
    advice: "Follow the warning and repeat the run.",
    look: Look::Any(look),
};

/// Words of a warning in small letters, and what follows from it.
const KNOWN: [(&str, &str); 5] = [
    (
        "could not set privileges for setting valid file size",
        "the file was prepared by slow writes, or has parts that were never written",
    ),
    (
        "semanagevolumeprivilege",
        "the file was prepared by slow writes, or has parts that were never written",
    ),
    (
        "is not aligned",
        "unaligned I/Os cost the device a read or a second I/O each",
    ),
    (
        "file system does not support direct",
        "I/O went through the page cache",
    ),
    (
        "no space left on device",
        "the run ended early or wrote less than requested",
    ),
];

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let warnings = &run.evidence.warnings;
    let known = |text: &String| {
        let small = text.to_ascii_lowercase();
        let one = KNOWN.iter().find(|(words, _)| small.contains(words))?;
        Some((text.clone(), one.1))
    };
    let (text, meaning) = warnings.iter().find_map(known)?;
    let tool = run.format.tool();
    let short: String = text.chars().take(160).collect();
    let sentence = format!("{tool} warned \"{}\": {meaning}", model::printable(&short));
    let evidence = [("warnings", warnings.len() as f64)];
    let advice = "repeat as the warning advises (DISKSPD: as an administrator); equal figures mean that it had no effect";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};

    #[test]
    fn a_warning_whose_meaning_is_known_is_reported_with_it() {
        let mut run = imported();
        run.evidence.warnings =
            vec!["WARNING: Complete CPU utilization cannot be gathered".to_owned()];
        assert_eq!(reported(&run, "tool-warning"), None, "it changes no figure");
        let slow = "WARNING: Could not set privileges for setting valid file size; will use a slower method";
        run.evidence.warnings.push(slow.to_owned());
        let reported_of = reported(&run, "tool-warning").unwrap().sentence;
        assert!(
            reported_of.ends_with("parts that were never written"),
            "{reported_of}"
        );
    }
}
