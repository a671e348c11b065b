//! The control groups of this process limit its I/O, and the result stands at the limit: it is the limit's figure.
//!
//! What was reached is between 7 % below the limit and 5 % above it (tokens that were saved up), and one slice of the
//! throttle more either way, which counts in short runs. A limit that was not reached changes nothing and is not told.

use super::below::targets;
use super::{Cause, Finding, FindingRank, Look, Own, Rule, finding};
use crate::rows::per_second;
use crate::say;
use model::{BlockDevice, CacheMode, IoLimit, Operation};

pub(super) const RULE: Rule = Rule {
    id: "throttled",
    cause: Cause::Cap,
    what: "A limit of this process's control group decided the rate, not the device.",
    method: "A control group of the process, or one above it, has an I/O limit on a device below the target, and unbuffered \
             I/O reached between 93 % and 105 % of it, give or take 0.1 s of it.",
    source: "The kernel's Documentation/admin-guide/cgroup-v2.rst (io.max) and cgroup-v1/blkio-controller.rst.",
    advice: "Run it outside that group, or lift the limit.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.93;
const SHARE_MAX: f64 = 1.05;
/// The kernel's throttle lets I/Os through once in such a slice, so a run may catch one more or less.
const SLICE_S: f64 = 0.1;

/// A limit, and what was reached of it.
struct Reached {
    what: String,
    name: &'static str,
    limit: f64,
    share: f64,
}

fn look(own: &Own<'_>) -> Option<Finding> {
    let slack = SLICE_S / own.record.phases.measured().as_seconds().max(SLICE_S);
    let limits = own.record.host.limits.io.iter();
    let reached = limits
        .flat_map(|limit| of_limit(own, limit))
        .filter(|reached| (SHARE_MIN - slack..=SHARE_MAX + slack).contains(&reached.share))
        .min_by(|a, b| (a.share - 1.0).abs().total_cmp(&(b.share - 1.0).abs()))?;
    let sentence = format!(
        "a control group of this process limits {}, and {} of that was reached: it is the limit's figure, not the device's",
        reached.what,
        say::percent(reached.share)
    );
    let evidence = [
        (reached.name, reached.limit),
        ("reached_share", reached.share),
    ];
    Some(finding(
        RULE.id,
        FindingRank::Warning,
        sentence,
        &evidence,
        "run it outside that group (cgroups(7)), or lift io.max or blkio.throttle there",
    ))
}

fn of_limit(own: &Own<'_>, limit: &IoLimit) -> Vec<Reached> {
    let on_it = |device: &&BlockDevice| device.number == limit.device;
    let mut name = None;
    let mut sums = [(0u64, 0u64); 2];
    for target in targets(own.record) {
        let device = target.facts.chain.iter().find(on_it);
        if target.planned.cache != CacheMode::Unbuffered || device.is_none() {
            continue;
        }
        name = device.map(|device| device.name.clone());
        for operation in [Operation::Read, Operation::Write] {
            let counted = target.counted(own.record, operation);
            let sum = &mut sums[operation.index()];
            *sum = (
                sum.0.saturating_add(counted.ios),
                sum.1.saturating_add(counted.bytes.0),
            );
        }
    }
    let Some(name) = name else {
        return Vec::new();
    };
    let [read, write] = sums;
    let measured = own.record.phases.measured();
    let of = |amount: u64, limit: Option<f64>, words: &dyn Fn(f64) -> String, id| {
        let limit = limit.filter(|limit| *limit > 0.0)?;
        let share = crate::rows::share(per_second(amount as f64, measured), limit)?;
        Some(Reached {
            what: words(limit),
            name: id,
            limit,
            share,
        })
    };
    let ios = |what: &str, limit: f64| format!("{what} {name} to {} a second", say::rate(limit));
    let moved =
        |what: &str, limit: f64| format!("{what} {name} to {} MiB/s", say::mib_per_s(limit));
    let float = |limit: Option<u64>| limit.map(|limit| limit as f64);
    let bytes = |limit: Option<model::Bytes>| limit.map(|limit| limit.0 as f64);
    [
        of(
            read.0,
            float(limit.read_ios_per_s),
            &|l| ios("reads of", l),
            "cap_per_s",
        ),
        of(
            write.0,
            float(limit.write_ios_per_s),
            &|l| ios("writes to", l),
            "cap_per_s",
        ),
        of(
            read.1,
            bytes(limit.read_per_s),
            &|l| moved("reads of", l),
            "cap_bytes_per_s",
        ),
        of(
            write.1,
            bytes(limit.write_per_s),
            &|l| moved("writes to", l),
            "cap_bytes_per_s",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use crate::findings::FindingRank;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{Bytes, IoLimit, RunRecord};

    /// 2000 reads a second of 4 KiB, below a limit on the disk.
    fn limited(limit: IoLimit) -> RunRecord {
        let mut record = Sample::default().build();
        record.targets[0].chain[1].number = (254, 0);
        record.host.limits.io = vec![limit];
        record
    }

    fn reads(ios: u64) -> IoLimit {
        IoLimit {
            device: (254, 0),
            read_ios_per_s: Some(ios),
            ..IoLimit::default()
        }
    }

    #[test]
    fn a_limit_that_was_reached_is_named() {
        let told = found(&limited(reads(2010)), "throttled").unwrap();
        assert_eq!(told.rank, FindingRank::Warning);
        assert_eq!(
            told.sentence,
            "a control group of this process limits reads of vda to 2 010 a second, and 99.5 % of that was reached: it is \
             the limit's figure, not the device's"
        );
        let bytes = IoLimit {
            device: (254, 0),
            read_per_s: Some(Bytes(2000 * 4096)),
            ..IoLimit::default()
        };
        let told = found(&limited(bytes), "throttled").unwrap().sentence;
        assert!(told.contains("reads of vda to 7.81 MiB/s"), "{told}");
    }

    #[test]
    fn a_limit_out_of_reach_of_writes_or_of_another_device_is_not_told() {
        assert_eq!(found(&limited(reads(4000)), "throttled"), None);
        let writes = IoLimit {
            device: (254, 0),
            write_ios_per_s: Some(2000),
            ..IoLimit::default()
        };
        assert_eq!(found(&limited(writes), "throttled"), None);
        let other = IoLimit {
            device: (7, 0),
            ..reads(2000)
        };
        assert_eq!(found(&limited(other), "throttled"), None);
    }

    #[test]
    fn a_limit_is_reached_from_seven_percent_below_to_five_above() {
        // 2000 reads a second; one slice of ten seconds is one percent more on both sides.
        for (limit, told) in [(2150, true), (2250, false), (1900, true), (1850, false)] {
            let found = found(&limited(reads(limit)), "throttled");
            assert_eq!(found.is_some(), told, "{limit}");
        }
    }
}
