//! Results faster than the medium allows; the usual cause is a cache.
//!
//! The limits are those of the mechanism, and generous. A rotating disk needs a millisecond for any random place (half a
//! turn at 15000 a minute is 2 ms, and reordering may halve it), does no more than 500 such IOPS and moves no
//! more than 300 MiB/s at its rim. SATA moves 600 MB/s. Four lanes of PCI Express 5 move 16 GB/s. What the medium is, is
//! what a person specified; otherwise what the devices of an own run report, as far as they can be believed: in a virtual
//! machine only as a note.

use super::storage_stack::targets;
use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::device_classes::{RANDOM_IOPS, ROTATIONS, disk_family, link_bytes_per_s};
use crate::known::Medium;
use crate::say;
use model::BlockDevice;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("impossible-for-medium"),
    group: Group::Cache,
    cause: Cause::Cache,
    limit: None,
    what: "The result is faster than the medium allows; the usual cause is a cache.",
    method: "Rotating disks: random I/Os of less than 1 ms on average, more than 500 IOPS per disk, or more than 300 \
             MiB/s per disk; where the model turns faster than 7500 per minute, four IOPS per turn instead of 500. SATA: more than 600 \
             MB/s. NVMe: more than 16 GB/s. Where the speed of the link is known: more than it carries. The medium is specified \
             (--medium) or, for runs of fathom, detected from the devices below, a rotating disk also by its model.",
    evidence: &["bytes_per_s", "mean_ns", "iops"],
    source: "Serial ATA Revision 3.5 (6 Gbit/s, 8b/10b); PCI Express Base Specification 5.0 (4 lanes); half a turn of a \
             15000/min disk is 2 ms.",
    advice: "Use a range far larger than every cache on the path, and check the controller's cache.",
    look: Look::Any(look),
};

const PLACE_NS_MIN: f64 = 1e6;
/// The most that one actuator reads at the rim, above the data sheets of all disks with one.
pub(super) const RIM_BYTES_PER_S_MAX: f64 = 300.0 * 1024.0 * 1024.0;
const SATA_BYTES_PER_S_MAX: f64 = 600e6;
const NVME_BYTES_PER_S_MAX: f64 = 16e9;
/// Fewer give no mean.
const IOS_MIN: u64 = 100;

/// What lies below, and how sure that is.
struct Ground {
    medium: Medium,
    /// Rotating disks; none where their number is not known.
    disks: Option<u64>,
    said: bool,
    /// Most random IOPS of one disk.
    places_max: f64,
    /// The link as the system prints it, and what it carries.
    link: Option<(String, f64)>,
    is_virtual: bool,
}

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let ground = match seen.known.medium {
        Some(medium) => Ground {
            medium,
            disks: match medium {
                Medium::Hdd { disks } => Some(u64::from(disks)),
                Medium::SataSsd | Medium::Nvme => None,
            },
            said: true,
            places_max: RANDOM_IOPS,
            link: None,
            is_virtual: false,
        },
        None => of_devices(seen.own?)?,
    };
    if seen.observed.total.ios.is_some_and(|ios| ios < IOS_MIN) {
        return None;
    }
    let (what, evidence) = excess(seen, &ground)?;
    let who = match (ground.medium, ground.disks) {
        _ if ground.link.is_some() => {
            let speed = ground.link.as_ref().map_or("", |(speed, _)| speed);
            format!("its link of {speed}")
        }
        (Medium::SataSsd, _) => "a SATA disk".to_owned(),
        (Medium::Nvme, _) => "an NVMe disk".to_owned(),
        (_, Some(1)) => "a rotating disk".to_owned(),
        (_, Some(disks)) => format!("{} rotating disks", say::count(disks)),
        (_, None) => "rotating disks".to_owned(),
    };
    let sentence =
        format!("{what} is impossible for {who}: a cache answered, or it is another medium");
    let advice = "use a range far larger than every cache on the path; direct I/O does not disable a controller's \
                  cache";
    let reported = finding(RULE.id, Severity::Error, sentence, &[evidence], advice);
    Some(match (ground.said, ground.is_virtual) {
        (true, _) => reported.invalid_for("a disk result"),
        (false, false) => reported
            .invalid_for("a disk result")
            .sure(Confidence::Medium),
        (false, true) => Finding {
            severity: Severity::Note,
            ..reported.sure(Confidence::Low)
        },
    })
}

/// What is too fast, in words, with its number.
fn excess(seen: &Seen<'_>, ground: &Ground) -> Option<(String, (&'static str, f64))> {
    let total = &seen.observed.total;
    let moved = |limit: f64| {
        let moved = total.bytes_per_s.filter(|bytes| *bytes > limit)?;
        Some((
            format!("{} MiB/s", say::mib_per_s(moved)),
            ("bytes_per_s", moved),
        ))
    };
    let link = ground.link.as_ref().map(|(_, most)| *most);
    let disks = match ground.medium {
        Medium::SataSsd => return moved(link.unwrap_or(SATA_BYTES_PER_S_MAX)),
        Medium::Nvme => return moved(link.unwrap_or(NVME_BYTES_PER_S_MAX)),
        Medium::Hdd { .. } => ground.disks.map(|disks| disks as f64),
    };
    let random = seen
        .observed
        .load
        .random_share
        .is_some_and(|share| share >= 1.0);
    let by_time = total
        .mean_ns
        .filter(|mean| random && *mean > 0.0 && *mean < PLACE_NS_MIN)
        .map(|mean| {
            (
                format!("a random I/O in {}", say::time(mean)),
                ("mean_ns", mean),
            )
        });
    let by_rate = || {
        let rate = total
            .iops
            .filter(|rate| random && *rate > ground.places_max * disks.unwrap_or(f64::INFINITY))?;
        let words = format!("{} random IOPS", say::rate(rate));
        Some((words, ("iops", rate)))
    };
    by_time
        .or_else(by_rate)
        .or_else(|| moved(RIM_BYTES_PER_S_MAX * disks?))
}

/// Of one target alone: of several, the figures of the run are those of all together.
fn of_devices(own: &Own<'_>) -> Option<Ground> {
    let mut all = targets(own.record);
    let target = all.next()?;
    if all.next().is_some() {
        return None;
    }
    let is_virtual = own.record.host.virtualization.is_some();
    if let Some(disks) = target.spindles() {
        return Some(Ground {
            medium: Medium::Hdd {
                disks: u32::try_from(disks).unwrap_or(u32::MAX),
            },
            disks: Some(disks),
            said: false,
            places_max: places_max(&target.facts.chain),
            link: None,
            is_virtual,
        });
    }
    let mut disks = target
        .facts
        .chain
        .iter()
        .filter(|device| device.kind == "disk");
    let only = disks.next().filter(|_| disks.next().is_none())?;
    let alone = target
        .facts
        .chain
        .iter()
        .all(|device| matches!(device.kind.as_str(), "disk" | "partition"));
    let medium = match only.transport.as_deref().filter(|_| alone)? {
        "ata" => Medium::SataSsd,
        "nvme pcie" => Medium::Nvme,
        // Without its link's speed nothing bounds a disk on SAS.
        "sas" if only.link.as_deref().and_then(link_bytes_per_s).is_some() => Medium::SataSsd,
        _ => return None,
    };
    Some(Ground {
        medium,
        disks: None,
        said: false,
        places_max: RANDOM_IOPS,
        link: only.link.clone().and_then(|speed| {
            let most = link_bytes_per_s(&speed)?;
            Some((speed, most))
        }),
        is_virtual,
    })
}

/// The bound of the slowest disk of a model with a known speed.
fn places_max(chain: &[BlockDevice]) -> f64 {
    let speeds = chain.iter().filter_map(|device| {
        let per_minute = disk_family(device.model.as_deref()?)?.per_minute?;
        let mut all = ROTATIONS.iter();
        let rotation = all.find(|rotation| rotation.per_minute == per_minute)?;
        Some(rotation.random_iops_max)
    });
    speeds.reduce(f64::min).unwrap_or(RANDOM_IOPS)
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{found, imported, reported_knowing};
    use crate::known::{Known, Medium};
    use crate::sample::Sample;
    use model::{Access, RunRecord};

    fn metal(mut record: RunRecord) -> RunRecord {
        record.host.virtualization = None;
        for device in &mut record.targets[0].chain {
            device.rotational = Some(true);
        }
        record
    }

    #[test]
    fn a_rotating_disk_that_answers_random_reads_at_once_is_a_cache() {
        let reported = found(&metal(Sample::default().build()), "impossible-for-medium").unwrap();
        assert_eq!(reported.severity, Severity::Error);
        let end = "is impossible for a rotating disk: a cache answered, or it is another medium";
        assert!(
            reported.sentence.starts_with("a random I/O in") && reported.sentence.ends_with(end),
            "{}",
            reported.sentence
        );
        let deep = Sample {
            depth: 8,
            ..Sample::default()
        };
        let reported = found(&metal(deep.build()), "impossible-for-medium")
            .unwrap()
            .sentence;
        assert!(reported.starts_with("2000 random IOPS"), "{reported}");
    }

    #[test]
    fn what_a_disk_can_do_is_not_reported() {
        let slow = Sample {
            reads: 2000,
            depth: 1,
            ..Sample::default()
        };
        assert_eq!(found(&metal(slow.build()), "impossible-for-medium"), None);
        let along = Sample {
            access: Access::Sequential,
            ..Sample::default()
        };
        assert_eq!(found(&metal(along.build()), "impossible-for-medium"), None);
        assert_eq!(
            found(&Sample::default().build(), "impossible-for-medium"),
            None
        );
        let mut array = metal(
            Sample {
                depth: 8,
                ..Sample::default()
            }
            .build(),
        );
        let disk = array.targets[0].chain[1].clone();
        array.targets[0]
            .chain
            .extend([disk.clone(), disk.clone(), disk]);
        assert_eq!(
            found(&array, "impossible-for-medium"),
            None,
            "four disks do 2000"
        );
    }

    #[test]
    fn more_than_the_link_carries_is_a_cache() {
        let with = |transport: &str, link: &str| {
            let mut record = Sample {
                block: model::Bytes::mib(1),
                access: Access::Sequential,
                reads: 4_000,
                ..Sample::default()
            }
            .build();
            record.host.virtualization = None;
            let disk = &mut record.targets[0].chain[1];
            disk.transport = Some(transport.to_owned());
            disk.link = Some(link.to_owned());
            found(&record, "impossible-for-medium")
        };
        let on = |link: &str| with("ata", link);
        // 400 MiB/s.
        let reported = on("3.0 Gbit/s").unwrap();
        assert!(
            reported.sentence.contains("for its link of 3.0 Gbit/s"),
            "{}",
            reported.sentence
        );
        assert_eq!(on("6.0 Gbit/s"), None);
        for (link, impossible) in [
            ("SAS 3.0 Gbit/s", true),
            ("SAS 3.0 Gbit/s x2", false),
            ("SAS 6.0 Gbit/s", false),
            ("SAS 12.0 Gbit/s", false),
            ("SAS ? Gbit/s", false),
        ] {
            assert_eq!(with("sas", link).is_some(), impossible, "{link}");
        }
    }

    #[test]
    fn a_faster_model_has_a_higher_bound_and_a_slower_one_no_lower() {
        let with = |model: &str| {
            let sample = Sample {
                reads: 7_000,
                depth: 32,
                ..Sample::default()
            };
            let mut record = metal(sample.build());
            record.targets[0].chain[1].model = Some(model.to_owned());
            found(&record, "impossible-for-medium")
        };
        assert!(
            with("ST4000NM0035").is_some(),
            "700 IOPS at 7200 per minute"
        );
        assert_eq!(with("ST600MP0005"), None, "at 15000 they are possible");
    }

    #[test]
    fn in_a_virtual_machine_it_is_a_note() {
        let mut record = metal(Sample::default().build());
        record.host.virtualization = Some("KVM".to_owned());
        assert_eq!(
            found(&record, "impossible-for-medium").unwrap().severity,
            Severity::Note
        );
    }

    #[test]
    fn an_imported_run_is_judged_by_what_a_person_says() {
        let mut run = imported();
        (run.figures.total.ios_per_s, run.figures.total.bytes_per_s) =
            (Some(38_916.0), Some(38_916.0 * 65_536.0));
        let known = |medium| Known {
            medium: Some(medium),
            ..Known::default()
        };
        let reported = reported_knowing(
            &run,
            &known(Medium::Hdd { disks: 1 }),
            "impossible-for-medium",
        )
        .unwrap()
        .sentence;
        assert!(
            reported.starts_with("2432 MiB/s is impossible for a rotating disk"),
            "{reported}"
        );
        let reported = reported_knowing(&run, &known(Medium::SataSsd), "impossible-for-medium")
            .unwrap()
            .sentence;
        assert!(
            reported.starts_with("2432 MiB/s is impossible for a SATA disk"),
            "{reported}"
        );
        assert_eq!(
            reported_knowing(&run, &known(Medium::Nvme), "impossible-for-medium"),
            None
        );
        assert_eq!(
            reported_knowing(&run, &Known::default(), "impossible-for-medium"),
            None
        );
    }
}
