//! The verdict on work with files: complete, and answered by the device and not by a cache.
//!
//! Deliberately absent: what the reasons are, which `notes` finds.

use super::notes::FROM_DEVICE_MIN;
use super::{FilesRow, mdtest};
use crate::checks::Checks;
use crate::findings::{Finding, Severity};
use crate::verdict::{Validity, Verdict};
use model::{FilesOrder, FilesOutcome, FilesRecord, FilesWork, TreeStep};

/// A check that only some requests include.
const COMPARED: &str = "data compared";
/// So many passed checks make a result without warnings VALID.
const CHECKS_MIN: usize = 2;

/// Invalid: there is no figure.
pub(super) fn of_nothing(why: &str) -> Verdict {
    Verdict {
        validity: Validity::Invalid,
        reasons: vec![why.to_owned()],
        ..Verdict::default()
    }
}

pub(super) fn verdict(
    steps: &[FilesRecord],
    rows: &[FilesRow],
    findings: &[Finding],
    warnings: &[String],
) -> Verdict {
    let ended =
        ended(steps).or_else(|| is_cut_off(steps).then(|| "ended before its last step".to_owned()));
    if rows.iter().all(|row| row.iops_estimate.is_none()) {
        let why = ended.as_deref().unwrap_or("no step was completed");
        return of_nothing(why);
    }
    let checks = checks(steps, rows);
    let damage = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let damage: Vec<String> = damage.map(|finding| finding.sentence.clone()).collect();
    let is_damaged = !damage.is_empty();
    let reasons = damage
        .into_iter()
        .chain(ended)
        .chain(warnings.iter().cloned());
    let reasons: Vec<String> = reasons.collect();
    let passed = checks.passed.join(", ");
    let (validity, own) = match (reasons.is_empty(), checks.passed.len() >= CHECKS_MIN) {
        (false, _) if is_damaged => (Validity::Invalid, None),
        (false, _) => (Validity::Caution, None),
        (true, true) => (Validity::Valid, Some(format!("no errors; {passed}"))),
        (true, false) if passed.is_empty() => (
            Validity::NotChecked,
            Some("nothing to check it by".to_owned()),
        ),
        (true, false) => (
            Validity::NotChecked,
            Some(format!("too little to check it by: only {passed}")),
        ),
    };
    Verdict {
        validity,
        checks: checks.passed,
        unchecked: checks.missing,
        reasons: reasons.into_iter().chain(own).collect(),
        ..Verdict::default()
    }
}

/// Why a step was not complete.
pub(super) fn ended(steps: &[FilesRecord]) -> Option<String> {
    steps.iter().find_map(|step| match &step.outcome {
        FilesOutcome::Complete => None,
        FilesOutcome::Failed(why) => Some(format!("stopped by an error: {why}")),
        FilesOutcome::Interrupted => Some("interrupted".to_owned()),
    })
}

/// Whether the last step that was wanted is missing, as after a kill.
fn is_cut_off(steps: &[FilesRecord]) -> bool {
    if let Some((work, last)) = steps
        .last()
        .and_then(|last| Some((mdtest::work_of(last)?, last)))
    {
        return mdtest::is_cut_off(work, last);
    }
    let Some((FilesWork::Tree(work), last)) = steps.last().map(|last| (&last.work, &last.step))
    else {
        return false;
    };
    let all: &[TreeStep] = match work.files {
        0 => &TreeStep::LARGE,
        _ => &TreeStep::SMALL,
    };
    let mut wanted = all.iter().rev().filter(|step| !work.skipped.contains(step));
    let is_last = |step: &TreeStep| step.name() == last.name;
    // Small files have two rounds, the second in random order.
    let is_round = work.files == 0 || last.order == FilesOrder::Random;
    wanted
        .next()
        .is_some_and(|step| !is_last(step) || !is_round)
}

/// What was possible and passed; a check that failed is a warning.
fn checks(steps: &[FilesRecord], rows: &[FilesRow]) -> Checks {
    let compared: u64 = steps.iter().map(|step| step.step.compared().0).sum();
    let tree = steps.first().and_then(|step| match &step.work {
        FilesWork::Tree(work) => Some(work),
        FilesWork::Mdtest(_) | FilesWork::Copy(_) | FilesWork::Verify(_) => None,
    });
    let reads = rows.iter().filter(|row| row.operation.starts_with("read"));
    let shares: Vec<f64> = reads.filter_map(FilesRow::read_from_device).collect();
    let from_device = !shares.is_empty() && shares.iter().all(|share| *share >= FROM_DEVICE_MIN);
    let is_complete = rows
        .iter()
        .all(|row| row.unmeasured.is_none() && !(row.cut && row.amount.planned.is_some()));
    let taken = rows
        .iter()
        .any(|row| row.operation == "write" && row.device.device_write_bytes.is_some());
    let all = [
        (
            is_complete,
            "all steps complete",
            "steps that end before --step-limit",
        ),
        (
            from_device,
            "reads served by the device",
            "the device's counters",
        ),
        (
            tree.is_some_and(|work| work.drops_caches),
            "caches dropped before reads",
            "--drop-caches",
        ),
        (taken, "data written to the device", "the device's counters"),
        (compared > 0, COMPARED, "-X"),
    ];
    let wanted = all.iter().filter(|(passed, name, _)| match tree {
        _ if *name == COMPARED => *passed,
        Some(_) => *name != "data written to the device",
        None => *name != "caches dropped before reads",
    });
    let (passed, missing): (Vec<_>, Vec<_>) = wanted.partition(|(good, ..)| *good);
    Checks {
        passed: passed
            .iter()
            .map(|(_, name, _)| (*name).to_owned())
            .collect(),
        missing: missing
            .iter()
            .map(|(.., needs)| (*needs).to_owned())
            .collect(),
        without_device: false,
    }
}
