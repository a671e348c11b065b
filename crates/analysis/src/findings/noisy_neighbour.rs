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
use model::record::OtherProgram;
use model::{CacheMode, RunRecord, TargetKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("noisy-neighbour"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Another process used the device during the run.",
    method: "The device transferred more bytes than the tool requested: by more than 5% and more than twice the uncertainty at the window's edges. Only with direct I/O, and not for write-through to files, because the journal is written too. The program that read and wrote most meanwhile is named, if that is a quarter to four times as much.",
    evidence: &["extra_bytes", "extra_share", "bound_bytes"],
    source: "The kernel's Documentation/block/stat.rst; proc_pid_io(5).",
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
        "other I/O on {device}: it transferred {} ({}) more than fathom did{}",
        say::bytes(extra as u64),
        say::percent(share),
        named(seen.record, extra)
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

/// Names the program that moved the most, and what it moved per second, where that is about what the device did for others. On which
/// device a program moved its bytes the system does not report: one that moved many times as much used another, or the page
/// cache.
fn named(record: &RunRecord, extra: f64) -> String {
    const PART_MIN: f64 = 0.25;
    let moved = |one: &OtherProgram| one.read.0.saturating_add(one.written.0) as f64;
    let likely = PART_MIN * extra..=extra / PART_MIN;
    let programs = record.engine.disturbances.programs.iter();
    let programs = programs.filter(|one| likely.contains(&moved(one)));
    let most = programs.max_by(|one, other| moved(one).total_cmp(&moved(other)));
    let Some(most) = most else {
        return String::new();
    };
    let did = match (most.read.0, most.written.0) {
        (_, 0) => "read",
        (0, _) => "wrote",
        _ => "read and wrote",
    };
    let lasted = record
        .lifetime
        .after
        .ended
        .minus(record.lifetime.before.begun);
    let per_s = moved(most) / lasted.as_seconds().max(f64::MIN_POSITIVE);
    format!(
        "; {} (process {}) {did} {} MiB/s",
        most.name,
        most.process,
        say::mib_per_s(per_s)
    )
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
    fn the_program_that_moved_as_much_is_named_and_a_small_one_is_not() {
        let sample = Sample {
            device_percent: 120,
            ..Sample::default()
        };
        let mut record = sample.build();
        let mut with = |written: u64| {
            record.engine.disturbances.programs = vec![model::record::OtherProgram {
                process: 77,
                name: "dd".to_owned(),
                written: model::Bytes(written << 20),
                ..model::record::OtherProgram::default()
            }];
            found(&record, "noisy-neighbour").unwrap().sentence
        };
        let named = with(20);
        assert!(
            named.ends_with("; dd (process 77) wrote 2.00 MiB/s"),
            "{named}"
        );
        assert!(!with(3).contains("dd"));
        assert!(!with(100).contains("dd"), "five times as much");
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
