//! I/Os transferred fewer bytes than requested. A block device never does that; a file does at end of file, and a full disk
//! or a quota cut a write short.
//!
//! The same share as for failed I/Os makes the result invalid. Omitted: I/Os that transferred nothing, which failed.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("short-io"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "I/Os transferred fewer bytes than requested, so IOPS and latencies are those of other sizes.",
    method: "More than one short I/O in a thousand is an error; fewer are a warning.",
    evidence: &["short_ios", "share"],
    source: "What read(2), write(2) and io_uring return, compared with the length that was requested.",
    advice: "The file ended inside the range (another program truncated it), or the disk or a quota is full: fix that and measure again.",
    look: Look::Own(look),
};

const SHARE_MAX: f64 = 0.001;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let short = seen.total.short_ios;
    if short == 0 {
        return None;
    }
    let share = short as f64 / seen.total.ios.max(1) as f64;
    let severity = if share > SHARE_MAX {
        Severity::Error
    } else {
        Severity::Warning
    };
    Some(finding(
        RULE.id,
        severity,
        format!(
            "{} transferred fewer bytes than requested, {} of all",
            say::counted(short, "I/O"),
            say::percent(share)
        ),
        &[("short_ios", short as f64), ("share", share)],
        "check whether another program truncated the file or the disk is full, and measure again",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;

    #[test]
    fn few_short_ios_warn_and_many_make_the_result_invalid() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "short-io"), None);
        record.threads[0].measured[0].short_ios = 2;
        let few = found(&record, "short-io").unwrap();
        assert_eq!(few.severity, Severity::Warning);
        record.threads[0].measured[0].short_ios = 10_000;
        let many = found(&record, "short-io").unwrap();
        assert_eq!(many.severity, Severity::Error);
        assert_eq!(many.evidence[1].value, 0.5);
    }
}
