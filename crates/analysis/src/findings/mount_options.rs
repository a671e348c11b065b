//! Mount options that change the I/O of the run.
//!
//! Only options that change what this run did: `sync` for writes that were not to be durable, `data=journal` for writes,
//! barriers switched off for writes that were to be durable, and `discard` when the device counted discards meanwhile.
//! Compression is reported where the data makes it matter. Times of access change nothing that fathom measures.

use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::preflight::setting::is_synchronous;
use crate::say;
use model::{Operation, TargetKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("mount-options"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "A mount option changes the I/O of this run.",
    method: "For a written file: sync without write-through; data=journal; nobarrier or barrier=0 with write-through. \
             discard, if the device counted discards in the measured phase, 1% of the I/Os or more (a note).",
    evidence: &["discards"],
    source: "mount(8), ext4(5), xfs(5).",
    advice: "Use the mount options of the production system, and report them with the result.",
    look: Look::Own(look),
};

/// Fewer, as a share of the I/Os, disturb nothing.
const DISCARDS_MIN: f64 = 0.01;

fn look(own: &Own<'_>) -> Option<Finding> {
    targets(own.record).find_map(|target| of_target(own, &target))
}

fn of_target(own: &Own<'_>, target: &Below<'_>) -> Option<Finding> {
    let on = target.facts.file_system.as_ref()?;
    let has = |option: &str| on.options.split(',').any(|word| word == option);
    let writes = target.counted(own.record, Operation::Write).ios > 0;
    if target.facts.kind != TargetKind::File {
        return None;
    }
    let through = target.planned.write_through;
    let discards = target
        .top()
        .and_then(|device| own.record.window.device(&device.name))
        .map_or(0, |counters| counters.discards);
    let (severity, option, does) = if writes && is_synchronous(on) && !through {
        (
            Severity::Warning,
            "sync",
            "each write waited for stable storage, which was not requested".to_owned(),
        )
    } else if writes && has("data=journal") {
        (
            Severity::Warning,
            "data=journal",
            "data is written through the page cache and twice to the device, with the journal"
                .to_owned(),
        )
    } else if writes && through && (has("nobarrier") || has("barrier=0")) {
        (
            Severity::Warning,
            "nobarrier",
            "durable writes were not flushed from the device's cache".to_owned(),
        )
    } else if discards > 0
        && has("discard")
        && discards as f64 >= DISCARDS_MIN * own.total.ios as f64
    {
        let words = format!(
            "the device executed {} during the run",
            say::counted(discards, "discard")
        );
        (Severity::Note, "discard", words)
    } else {
        return None;
    };
    let at = on.mount_point.display();
    Some(finding(
        RULE.id,
        severity,
        format!("{at} is mounted with {option}: {does}"),
        &[("discards", discards as f64)],
        "use the mount options of the production system, and report them with the result",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Ratio, RunRecord};

    fn written(options: &str) -> RunRecord {
        let sample = Sample {
            write: Ratio::ALL,
            reads: 0,
            writes: 20_000,
            ..Sample::default()
        };
        let mut record = sample.build();
        record.targets[0].file_system.as_mut().unwrap().options = options.to_owned();
        record
    }

    #[test]
    fn options_that_change_the_writes_are_reported() {
        let reported = found(&written("rw,sync"), "mount-options").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(
            reported
                .sentence
                .starts_with("/data is mounted with sync: each write waited"),
            "{}",
            reported.sentence
        );
        let mut of_host = written("rw,sync,access=client,trans=virtio");
        of_host.targets[0].file_system.as_mut().unwrap().kind = "9p".to_owned();
        assert_eq!(found(&of_host, "mount-options"), None, "the kernel's own");
        assert!(found(&written("rw,data=journal"), "mount-options").is_some());
        let mut durable = written("rw,nobarrier");
        assert_eq!(found(&durable, "mount-options"), None);
        durable.plan.targets[0].write_through = true;
        assert!(found(&durable, "mount-options").is_some());
    }

    #[test]
    fn options_without_effect_on_this_run_are_not_reported() {
        assert_eq!(
            found(&written("rw,relatime,discard"), "mount-options"),
            None
        );
        let mut discarded = written("rw,discard");
        discarded.window.after.devices[0].discards = 1200;
        assert_eq!(
            found(&discarded, "mount-options").unwrap().severity,
            Severity::Note
        );
        let mut read = Sample::default().build();
        read.targets[0].file_system.as_mut().unwrap().options = "rw,sync".to_owned();
        assert_eq!(found(&read, "mount-options"), None);
    }

    #[test]
    fn a_hundredth_as_many_discards_are_worth_a_word() {
        for (discards, reported) in [(400, true), (100, false)] {
            let mut record = written("rw,discard"); // 20000 writes
            record.window.after.devices[0].discards = discards;
            let found = found(&record, "mount-options");
            assert_eq!(found.is_some(), reported, "{discards} discards");
        }
    }
}
