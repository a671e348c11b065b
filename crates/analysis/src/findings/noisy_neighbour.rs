//! The device did more than the tool requested: another process used it too.
//!
//! Only where I/O goes past the page cache: with it, read-ahead and write-back make the device do other
//! things than the tool asks, at other times. Writes that return only from stable storage make a file
//! system write its journal too, so they are omitted on files. More than 5% and more than twice the bound
//! of the comparison, so that neither the edges nor a log file somewhere raise an alarm.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::comparison::CountComparison;
use crate::device_check::DeviceCheck;
use crate::say;
use model::{CacheMode, TargetKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("noisy-neighbour"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Another process used the device during the run.",
    method: "The device transferred more bytes than the tool requested: by more than 5% and more than twice the uncertainty at the window's edges. Only with direct I/O, and not for write-through to files, because the journal is written too.",
    evidence: &["extra_bytes", "extra_share", "bound_bytes"],
    source: "The kernel's Documentation/block/stat.rst.",
    advice: "Stop the other I/O on the device, or measure at another time.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.05;

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let plain = seen
        .record
        .plan
        .targets
        .iter()
        .zip(&seen.record.targets)
        .all(|(target, facts)| {
            let journalled =
                target.write_through && target.writes() && facts.kind == TargetKind::File;
            target.cache == CacheMode::Unbuffered && !journalled
        });
    if !plain || seen.total.ios == 0 {
        return None;
    }
    let (check, counts, extra) = seen
        .device_checks
        .iter()
        .filter_map(|check| excess(check))
        .max_by(|a, b| a.2.total_cmp(&b.2))?;
    let device = check.device.as_deref().unwrap_or("the device");
    let tool = counts.read.tool_bytes as f64 + counts.write.tool_bytes as f64;
    let share = extra / tool.max(1.0);
    let sentence = format!(
        "other I/O on {device}: it transferred {} ({}) more than fathom did",
        say::bytes(extra as u64),
        say::percent(share)
    );
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[
            ("extra_bytes", extra),
            ("extra_share", share),
            ("bound_bytes", counts.bound_bytes as f64),
        ],
        "stop the other I/O on the device, or measure at another time",
    ))
}

/// Bytes that the device moved beyond the tool's, where they are too many for chance.
fn excess(check: &DeviceCheck) -> Option<(&DeviceCheck, &CountComparison, f64)> {
    let counts = check.measured.as_ref()?;
    let extra = counts.read.difference_bytes as f64 + counts.write.difference_bytes as f64;
    let tool = counts.read.tool_bytes as f64 + counts.write.tool_bytes as f64;
    (extra > SHARE_MIN * tool && extra > 2.0 * counts.bound_bytes as f64)
        .then_some((check, counts, extra))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;
    use model::CacheMode;

    #[test]
    fn a_busy_device_is_reported_with_the_bytes_of_the_others() {
        let sample = Sample {
            device_percent: 120,
            ..Sample::default()
        };
        let reported = found(&sample.build(), "noisy-neighbour").unwrap().sentence;
        for part in ["vda1", "15.6 MiB", "20%"] {
            assert!(reported.contains(part), "{reported}");
        }
        let quiet = Sample {
            device_percent: 104,
            ..Sample::default()
        };
        assert_eq!(found(&quiet.build(), "noisy-neighbour"), None);
        let busier = Sample {
            device_percent: 107,
            ..Sample::default()
        };
        assert!(found(&busier.build(), "noisy-neighbour").is_some());
    }

    #[test]
    fn read_ahead_of_the_page_cache_is_no_neighbour() {
        let cached = Sample {
            device_percent: 120,
            cache: CacheMode::Cached,
            ..Sample::default()
        };
        assert_eq!(found(&cached.build(), "noisy-neighbour"), None);
    }
}
