//! A file system in user space: each I/O is a message to a program, its server, which does the I/O in its place.
//!
//! The server's threads, its copies and its cache decide the figures, and what these look like (few I/Os in flight, a full
//! core, pauses, a limit) has this cause. Silent where a server on the network keeps the files: that is what is measured there
//! (`uncounted-storage`). Omitted: what a cache served, which `page-cache` counts.

use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::preflight::setting::shared_by;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("fuse-server"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The file system is in user space (FUSE): a program performed each I/O, so the figures are those of that program.",
    method: "Runs of fathom: the target, or the file of a loop device below it, is on a file system whose type begins with `fuse`. Not those that a server on the network or a cluster keeps. The mean latency is compared with the mean time of the first counted device below, where one is counted.",
    evidence: &["mean_ns", "device_ns"],
    source: "fuse(4); the kernel's Documentation/filesystems/fuse.rst and fuse-io.rst; the kernel's Documentation/block/stat.rst.",
    advice: "Measure the file system that the server reads as well: the difference is the cost of FUSE.",
    look: Look::Own(look),
};

fn look(own: &Own<'_>) -> Option<Finding> {
    let kind = targets(own.record).find_map(|target| server_of(&target))?;
    let mean_ns = own.total.latency.mean_ns();
    let device = device_mean(own);
    let times = device.zip(mean_ns).map(|((name, device_ns), mean_ns)| {
        format!(
            "; {name} took {} of {}",
            say::time(device_ns),
            say::time(mean_ns)
        )
    });
    let sentence = format!(
        "each I/O passed through the server of {} (FUSE), a program{}",
        model::printable(kind),
        times.unwrap_or_default()
    );
    let evidence = [
        ("mean_ns", mean_ns.unwrap_or(f64::NAN)),
        ("device_ns", device.map_or(f64::NAN, |(_, ns)| ns)),
    ];
    let advice =
        "measure the file system that the server reads as well: the difference is the cost of FUSE";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

/// The type of the file system in user space that a target is on, or that the file of a loop device below it is on.
pub(super) fn server_of<'a>(target: &Below<'a>) -> Option<&'a str> {
    let own = target.facts.file_system.as_ref().map(|on| &*on.kind);
    let files = target.facts.chain.iter();
    let files = files.filter_map(|device| device.file_on.as_deref());
    let mut kinds = own.into_iter().chain(files);
    kinds.find(|kind| kind.starts_with("fuse") && shared_by(kind).is_none())
}

/// The first device below whose I/Os were counted, and how long one of them took, where it had about as many as fathom.
fn device_mean<'a>(own: &'a Own<'_>) -> Option<(&'a str, f64)> {
    const SHARE_MIN: f64 = 0.5;
    let name = own.device_checks.first()?.device.as_deref()?;
    let counted = own.record.window.device(name)?;
    let ios = counted.reads.saturating_add(counted.writes) as f64;
    let busy_ns = counted.read_time.0.saturating_add(counted.write_time.0) as f64;
    let enough = ios > 0.0 && ios >= SHARE_MIN * own.total.ios as f64;
    enough.then(|| (name, busy_ns / ios))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::RunRecord;

    fn on(kind: &str, sample: &Sample) -> RunRecord {
        let mut record = sample.build();
        record.targets[0].file_system.as_mut().unwrap().kind = kind.to_owned();
        record
    }

    /// E10: its symptoms were reported first.
    #[test]
    fn a_file_system_in_user_space_is_named_with_the_time_of_the_device_below_it() {
        let plain = Sample::default();
        let reported = found(&on("fuse.bindfs", &plain), "fuse-server").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        let named: Vec<&str> = reported.evidence.iter().map(|it| &*it.name).collect();
        assert_eq!(named, ["mean_ns", "device_ns"]);
        assert!(found(&on("fuseblk", &plain), "fuse-server").is_some());
        for quiet in [
            "ext4",
            "xfs",
            "overlay",
            "virtiofs",
            "fuse.sshfs",
            "fuse.glusterfs",
        ] {
            assert_eq!(found(&on(quiet, &plain), "fuse-server"), None, "{quiet}");
        }
    }

    #[test]
    fn the_server_is_named_of_what_its_cache_answered() {
        let cached = Sample {
            device_percent: 0,
            ..Sample::default()
        };
        let record = on("fuse.bindfs", &cached);
        let cache = found(&record, "page-cache").unwrap();
        assert!(
            cache.sentence.contains("server of fuse.bindfs"),
            "{cache:?}"
        );
        let server = found(&record, "fuse-server").unwrap();
        assert_eq!(server.because.map(|id| id.as_str()), Some("page-cache"));
        assert_eq!(server.evidence.len(), 1, "no device served it");
        let other = found(&on("ext4", &cached), "page-cache").unwrap();
        assert!(other.sentence.contains("a layer above the device"));
    }

    #[test]
    fn a_loop_device_over_a_file_on_it_is_named_too() {
        let mut record = Sample::default().build();
        let device = &mut record.targets[0].chain[0];
        device.kind = "loop".to_owned();
        device.file_on = Some("ext4".to_owned());
        assert_eq!(found(&record, "fuse-server"), None);
        record.targets[0].chain[0].file_on = Some("fuse.mergerfs".to_owned());
        assert!(found(&record, "fuse-server").is_some());
    }

    #[test]
    fn what_follows_from_the_server_is_no_reason_of_its_own() {
        let sample = Sample {
            depth: 64,
            ..Sample::default()
        };
        let mut record = on("fuse.bindfs", &sample);
        for thread in &mut record.threads {
            for step in thread.measured[0].intervals.iter_mut().skip(5) {
                step.ios /= 3;
            }
        }
        let symptom = found(&record, "throughput-drop").unwrap();
        assert_eq!(symptom.because.map(|id| id.as_str()), Some("fuse-server"));
    }
}
