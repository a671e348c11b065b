//! I/Os failed. Fast failures must not count as performance.
//!
//! A run that was ended by a failure, or where more than one I/O in a thousand failed, is invalid: beyond
//! that share the failures move the 99.9% percentile. Fewer are a warning: the rest was measured.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::{Failure, ImportedRun, Outcome};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("io-errors"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "I/Os failed. Fast failures must not count as performance.",
    method: "A run that ended with a failure, or with more than one failed I/O in a thousand, is invalid: a larger share affects the 99.9th percentile. Fewer are a warning. Imported runs: the tool reports an error that ended the run, counts failed I/Os, or counts sectors that were not read back as written.",
    evidence: &["errors", "error_share", "lost_sectors"],
    source: "Error numbers of the kernel, errno(3).",
    advice: "Fix the cause first: check the kernel log and the device's health.",
    look: Look::Any(look_any),
};

const SHARE_MAX: f64 = 0.001;
/// Source: errno(3); the first is also what fathom records where an I/O transferred nothing.
const ENODATA: i32 = 61;
const EFBIG: i32 = 27;
const ENOSPC: i32 = 28;
const EDQUOT: i32 = 122;
const EROFS: i32 = 30;

fn look_any(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => look(own),
        None => of_others(seen, seen.imported?),
    }
}

/// What another tool reports of failures.
fn of_others(seen: &Seen<'_>, run: &ImportedRun) -> Option<Finding> {
    const ADVICE: &str = "check the system log for the device before measuring again";
    if let Some(lost) = run.evidence.lost_sectors {
        let sentence = format!(
            "{} were not read back as they were written: the medium is faulty, or smaller than it reports",
            say::counted(lost, "sector")
        );
        let evidence = [("lost_sectors", lost as f64)];
        let advice = "do not store data on it, and test another medium in the same reader";
        return Some(invalid(sentence, &evidence, advice));
    }
    let total = &seen.observed.total;
    let errors = total.errors.unwrap_or(0);
    if let Some(what) = &run.evidence.ended_by {
        let sentence = format!("an error ended the run: {}", model::printable(what));
        let evidence = [("errors", errors as f64)];
        let advice = match what.contains("No space left") {
            true => "free space on the file system or raise the quota",
            false => ADVICE,
        };
        return Some(invalid(sentence, &evidence, advice));
    }
    let all = errors as f64 + total.ios.unwrap_or(0) as f64;
    (errors > 0).then(|| {
        let share = errors as f64 / all.max(1.0);
        let severity = match share > SHARE_MAX {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let evidence = [("errors", errors as f64), ("error_share", share)];
        finding(RULE.id, severity, failed(errors, share), &evidence, ADVICE)
    })
}

fn invalid(sentence: String, evidence: &[(&str, f64)], advice: &str) -> Finding {
    finding(RULE.id, Severity::Error, sentence, evidence, advice)
}

/// `12 I/Os failed, 0.2% of all`.
fn failed(errors: u64, share: f64) -> String {
    format!(
        "{} failed, {} of all",
        say::counted(errors, "I/O"),
        say::percent(share)
    )
}

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let errors = seen.total.errors_total();
    let failure = match &seen.record.outcome {
        Outcome::Failed(failure) if !failure.is_of_the_target() => Some(failure),
        _ => None,
    };
    if errors == 0 && failure.is_none() {
        return None;
    }
    let share = errors as f64 / (errors as f64 + seen.total.ios as f64).max(1.0);
    let sentence = match failure {
        Some(failure) => format!(
            "a failed {} of {} at byte {} ended the run: {}",
            failure.operation.name(),
            say::bytes(failure.length.0),
            failure.offset.0,
            failure.message
        ),
        None => failed(errors, share),
    };
    let severity = if failure.is_some() || share > SHARE_MAX {
        Severity::Error
    } else {
        Severity::Warning
    };
    Some(finding(
        RULE.id,
        severity,
        sentence,
        &[("errors", errors as f64), ("error_share", share)],
        remedy(seen, failure),
    ))
}

/// What to do follows from what the kernel answered.
fn remedy(seen: &Own<'_>, failure: Option<&Failure>) -> &'static str {
    let most = seen.total.errors.iter().max_by_key(|error| error.count);
    let errno = failure.map_or(most.map_or(0, |error| error.errno), |failure| failure.errno);
    if seen.record.host.is_windows() {
        return remedy_on_windows(errno);
    }
    match errno {
        ENODATA => {
            "the target ends before that offset: find the program that truncated it (fuser -v)"
        }
        EFBIG => "raise the file size limit (ulimit -f unlimited), or use a smaller size",
        ENOSPC | EDQUOT => "free space on the file system or raise the quota",
        EROFS => {
            "mount the file system read-write; the system log contains the reason for read-only"
        }
        _ => "check the system log for the device before measuring again",
    }
}

/// Source: `winerror.h`; the first is also what fathom records where an I/O transferred nothing.
fn remedy_on_windows(number: i32) -> &'static str {
    const HANDLE_EOF: i32 = 38;
    const FULL: [i32; 4] = [39, 112, 1295, 1816];
    const WRITE_PROTECT: i32 = 19;
    const IN_USE: [i32; 2] = [32, 33];
    const NO_RESOURCES: i32 = 1450;
    match number {
        HANDLE_EOF => "the target ends before that offset: find the program that truncated it",
        full if FULL.contains(&full) => "free space on the volume or raise the quota",
        WRITE_PROTECT => {
            "remove the write protection of the medium (attributes disk clear readonly in diskpart)"
        }
        used if IN_USE.contains(&used) => {
            "end the program that has the file open (handle.exe or Resource Monitor lists it)"
        }
        NO_RESOURCES => "use a lower queue depth or smaller blocks",
        _ => {
            "check the System log (Event Viewer: disk, storport, Ntfs) for the device before measuring again"
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::{Bytes, ErrorCount, Failure, Operation, Outcome};

    #[test]
    fn few_errors_warn_and_many_make_the_result_invalid() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "io-errors"), None);
        record.threads[0].measured[0].errors = vec![ErrorCount { errno: 5, count: 2 }];
        let few = found(&record, "io-errors").unwrap();
        assert_eq!(few.severity, Severity::Warning);
        assert_eq!(few.sentence, "2 I/Os failed, 0.01% of all");
        record.threads[0].measured[0].errors[0].count = 200;
        assert_eq!(
            found(&record, "io-errors").unwrap().severity,
            Severity::Error
        );
    }

    #[test]
    fn failures_that_another_tool_reports_are_errors() {
        let severity = |run: &model::ImportedRun| Some(reported(run, "io-errors")?.severity);
        let mut run = imported();
        assert_eq!(severity(&run), None);
        run.evidence.ended_by = Some("Remote I/O error".to_owned());
        assert_eq!(severity(&run), Some(Severity::Error));
        let mut run = imported();
        run.evidence.lost_sectors = Some(193);
        assert_eq!(severity(&run), Some(Severity::Error));
        let mut run = imported();
        run.figures.total.errors = Some(1);
        assert_eq!(severity(&run), Some(Severity::Warning));
        run.figures.total.errors = Some(0);
        assert_eq!(severity(&run), None);
    }

    #[test]
    fn the_failure_that_ended_the_run_is_reported_in_full() {
        let mut record = Sample::default().build();
        record.outcome = Outcome::Failed(Failure {
            operation: Operation::Write,
            target: 0,
            offset: Bytes(8192),
            length: Bytes(4096),
            errno: 28,
            message: "No space left on device".to_owned(),
        });
        let finding = found(&record, "io-errors").unwrap();
        assert_eq!(
            finding.sentence,
            "a failed write of 4 KiB at byte 8192 ended the run: No space left on device"
        );
        assert!(finding.advice.contains("quota"), "not the device's fault");
        record.host.kernel = "Windows 10.0.20348".to_owned();
        let advice = found(&record, "io-errors").unwrap().advice;
        assert!(advice.contains("System log"), "28 is no full disk there");
        let Outcome::Failed(failure) = &mut record.outcome else {
            panic!("the run failed");
        };
        failure.errno = 112;
        let advice = found(&record, "io-errors").unwrap().advice;
        assert!(advice.contains("quota"));
    }
}
