//! Small random writes on RAID 5 or 6: each reads old data and parity before it writes both.
//!
//! Seen by the I/Os of the members that fio counted. Omitted: RAID 1 and 10, whose two writes per write are expected, and
//! arrays behind a controller, whose members no one counts.

use super::uneven_disks::kind;
use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::imported_evidence::ImportedDisk;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("write-penalty"),
    group: Group::Limit,
    cause: Cause::Alone,
    limit: None,
    what: "Each random write cost several I/Os of the array's members, as parity does (RAID 5, RAID 6).",
    method: "Imported random writes of 1000 I/Os or more on a RAID device (md) with three members or more: the members counted 3.5 to 4.5 I/Os per write (RAID 5), or 5.5 to 6.5 (RAID 6).",
    evidence: &["member_ios_per_write", "members"],
    source: "P. M. Chen et al., RAID: High-Performance, Reliable Secondary Storage, ACM Computing Surveys 26 (1994): small writes cost four I/Os with one parity, six with two.",
    advice: "Compare with whole stripes, or with RAID 10; a write cache on the array hides the penalty until it is full.",
    look: Look::Any(look),
};

const WRITES_MIN: u64 = 1000;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    let random =
        seen.observed.load.random_share == Some(1.0) && seen.observed.load.write_share == Some(1.0);
    let writes = run
        .figures
        .write
        .ios
        .filter(|ios| random && *ios >= WRITES_MIN)?;
    let disks = &run.evidence.disks;
    let array = disks.iter().find(|disk| disk.name.starts_with("md"))?;
    let member = disks
        .iter()
        .find(|disk| kind(&disk.name) != kind(&array.name))?;
    let is_member = |disk: &&ImportedDisk| kind(&disk.name) == kind(&member.name);
    let members = disks.iter().filter(is_member).count();
    let ios: f64 = disks
        .iter()
        .filter(is_member)
        .map(|disk| disk.ios as f64)
        .sum();
    let each = ios / writes as f64;
    let level = match each {
        3.5..=4.5 => "RAID 5",
        5.5..=6.5 => "RAID 6",
        _ => return None,
    };
    if members < 3 {
        return None;
    }
    let sentence = format!(
        "each write cost {} I/Os of the {} members of {}, as with the parity of {level}",
        say::digits(each),
        say::count(members as u64),
        array.name
    );
    let evidence = [("member_ios_per_write", each), ("members", members as f64)];
    let advice = "repeat with blocks of a whole stripe: one I/O per member and write means that parity was the limit";
    let reported = finding(RULE.id, Severity::Note, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::Ratio;
    use model::imported_evidence::ImportedDisk;

    #[test]
    fn parity_shows_in_the_ios_of_the_members_and_a_mirror_is_none() {
        for (each, is_reported) in [(10_000, true), (15_000, true), (5_000, false)] {
            let mut run = imported();
            run.workload.write_percent = Some(Ratio::ALL);
            run.workload.random_percent = Some(Ratio::ALL);
            run.figures.write.ios = Some(10_000);
            run.evidence.disks = ["md0", "sda", "sdb", "sdc", "sdd"]
                .map(|name| ImportedDisk {
                    name: name.to_owned(),
                    ios: each,
                    util_percent: Some(99.0),
                    queue_time: None,
                })
                .to_vec();
            let found = reported(&run, "write-penalty");
            assert_eq!(found.is_some(), is_reported, "{each}");
        }
    }
}
