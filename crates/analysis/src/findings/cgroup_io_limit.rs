//! A control group of this process limits its I/O, and the result is at the limit.
//!
//! What was reached is between 7% below the limit and 5% above it (tokens that were saved up), and one slice of the
//! throttle more either way, which counts in short runs. A limit that was not reached changes nothing and is not reported.
//!
//! A limit on I/Os counts what the kernel submits, not what was asked: each request that a large I/O is cut into counts. On
//! a block device so does, before them, the try that io_uring makes without waiting, where the kernel refuses to cut such a
//! one: 1 MiB that reached the device as two requests cost three on a 6.18 kernel (`blkio.throttle.io_serviced`), two with
//! libaio and sync. A file system makes no such try, and older kernels count an I/O once even if it is cut. Which it is here
//! is not known, so all are looked at, and the one that is nearest to the limit is reported.

use super::requests_split::requests_an_io;
use super::storage_stack::{Below, targets};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::LimitKind;
use crate::rows::per_second;
use crate::say;
use model::{BlockDevice, Bytes, CacheMode, Counted, IoLimit, Operation, TargetFacts, TargetKind};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("cgroup-io-limit"),
    group: Group::Limit,
    cause: Cause::Cap,
    limit: Some(LimitKind::Cap),
    what: "A control group limited the I/O: the figure is the limit's, not the device's.",
    method: "A control group of the process, or one above it, has an I/O limit on a device below the target. Direct I/O, or what the device read for buffered reads, reached 93% to 105% of it, plus or minus 0.1 s of the limit. Against an IOPS limit each \
             request of an I/O counts, and on some devices one more that io_uring tried without waiting; or each I/O \
             counts once. Against a limit on bytes each I/O of a block device that splits it counts twice with \
             io_uring, for the same reason. The nearest limit is reported. If such I/Os reached less, while the device was busy for less than a \
             quarter of the time, the attempts are named as the cause.",
    evidence: &[
        "cap_per_s",
        "cap_bytes_per_s",
        "reached_share",
        "counted_an_io",
        "busy_share",
    ],
    source: "The kernel's Documentation/admin-guide/cgroup-v2.rst (io.max) and cgroup-v1/blkio-controller.rst; \
             block/blk-merge.c on REQ_NOWAIT.",
    advice: "Run fathom outside that group, or remove the limit.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.93;
const SHARE_MAX: f64 = 1.05;
/// The kernel's throttle lets I/Os through once in such a slice, so a run may catch one more or less.
const SLICE_S: f64 = 0.1;
/// An I/O that counts for less than this is not worth a word.
const TOLD_MIN: f64 = 1.05;

/// Of the bytes that buffered reads asked for; the rest is not limited.
const READ_MIN: f64 = 0.90;
/// Of the measured time; a device with so little to do is not what limits.
const IDLE_MAX: f64 = 0.25;
const TWICE: &str = ", each I/O counted twice: io_uring's non-blocking attempts at I/Os that the device splits count, too";
const AIO: &str =
    "use --engine libaio, which makes no such attempts, or blocks that the device does not split";

/// A limit, and what was reached of it.
struct Reached {
    what: String,
    name: &'static str,
    limit: f64,
    share: f64,
    each: Each,
    /// Other targets are not behind it.
    is_partial: bool,
}

/// What an I/O counts for at the rate limit.
#[derive(Clone, Copy)]
struct Each {
    requests: f64, // that the device had of it
    tries: f64,    // of io_uring's before, that had to be repeated
}

impl Each {
    const ONCE: Each = Each {
        requests: 1.0,
        tries: 0.0,
    };

    /// What it may be: once; and where the device's own counters have more requests than the tool has I/Os, these, without
    /// and with a try before.
    fn ways(own: &Own<'_>, operation: Operation, device: &str) -> Vec<Each> {
        let mut ways = vec![Each::ONCE];
        if let Some(requests) = requests_of(own, operation, device) {
            ways.push(Each {
                requests,
                tries: 0.0,
            });
            if own.record.engine.backend == "io_uring" {
                ways.push(Each {
                    requests,
                    tries: (requests - 1.0).min(1.0), // at most as many as were cut, each into two at least
                });
            }
        }
        ways
    }

    /// Each byte twice, which a limit on bytes counts of I/Os that are split.
    const TWICE: Each = Each {
        requests: 1.0,
        tries: 1.0,
    };

    fn is_twice(self) -> bool {
        self.requests <= 1.0 && self.tries > 0.0
    }

    fn sum(self) -> f64 {
        self.requests + self.tries
    }

    /// `, each I/O counting as 3.00 (2.00 requests, 1.00 for io_uring's first try)`.
    fn words(self) -> String {
        let sum = self.sum();
        match self.tries {
            _ if sum < TOLD_MIN => String::new(),
            _ if self.is_twice() => TWICE.to_owned(),
            0.0 => format!(", each I/O counted as {} requests", say::digits(sum)),
            tries => format!(
                ", each I/O counted as {} ({} requests and {} non-blocking attempts of io_uring)",
                say::digits(sum),
                say::digits(self.requests),
                say::digits(tries)
            ),
        }
    }
}

/// Requests that a device had of each I/O; none where it did not have more of them than the tool has I/Os, or where it is
/// not known. A partition has those of its disk.
fn requests_of(own: &Own<'_>, operation: Operation, device: &str) -> Option<f64> {
    let [check] = own.device_checks else {
        return None;
    };
    let chain = &own.record.targets.first()?.chain;
    let counted = check.device.as_deref()?;
    let from = chain.iter().skip_while(|one| one.name != counted);
    let mut whole = from.skip_while(|one| one.kind == "partition" && one.name != device);
    whole.next().filter(|one| one.name == device)?;
    let counts = check.measured.as_ref()?;
    let counts = match operation {
        Operation::Read => &counts.read,
        Operation::Write => &counts.write,
    };
    requests_an_io(counts).filter(|many| *many > 1.0)
}

fn look(own: &Own<'_>) -> Option<Finding> {
    let slack = SLICE_S / own.record.phases.measured().as_seconds().max(SLICE_S);
    let limits = own.record.host.limits.io.iter();
    let ways: Vec<Reached> = limits.flat_map(|limit| of_limit(own, limit)).collect();
    let near = |way: &&Reached| (SHARE_MIN - slack..=SHARE_MAX + slack).contains(&way.share);
    let nearest = ways
        .iter()
        .filter(near)
        .min_by(|a, b| (a.share - 1.0).abs().total_cmp(&(b.share - 1.0).abs()));
    let Some(reached) = nearest else {
        return ways.iter().find_map(|way| of_attempts(own, way));
    };
    let sentence = format!(
        "a control group limits {}, and {} of that limit was reached{}: the figure is the limit's, not the device's",
        reached.what,
        say::percent(reached.share),
        reached.each.words()
    );
    let sentence = match reached.is_partial {
        false => sentence,
        true => sentence.replace(
            "the figure is the limit's",
            "that part of the figure is the limit's",
        ),
    };
    let advice = match reached.each.is_twice() {
        true => AIO,
        false => {
            "run fathom outside that group (cgroups(7)), or raise io.max or blkio.throttle there"
        }
    };
    let evidence = [
        (reached.name, reached.limit),
        ("reached_share", reached.share),
        ("counted_an_io", reached.each.sum()), // 1 of a limit on bytes, too
    ];
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

/// Many in flight leave io_uring less than half of a limit on bytes, and the device nothing to do.
fn of_attempts(own: &Own<'_>, reached: &Reached) -> Option<Finding> {
    let device = own.device_checks.first()?.device.as_deref()?;
    let counted = own.record.window.device(device)?;
    let elapsed = own.record.window.elapsed().0 as f64;
    let busy = crate::rows::share(counted.busy.0 as f64, elapsed)?;
    let held_back = reached.each.is_twice() && reached.share < SHARE_MIN && busy <= IDLE_MAX;
    held_back.then(|| {
        let sentence = format!(
            "a control group limits {}, and io_uring reached {} of it{TWICE}, and are repeated",
            reached.what,
            say::percent(reached.share / reached.each.sum())
        );
        let severity = match own.total.ios {
            0 => Severity::Error, // as grave as that there is no result
            _ => Severity::Warning,
        };
        let evidence = [
            (reached.name, reached.limit),
            ("reached_share", reached.share),
            ("counted_an_io", reached.each.sum()),
            ("busy_share", busy),
        ];
        finding(RULE.id, severity, sentence, &evidence, AIO)
    })
}

/// Whether the kernel counts what io_uring tries of the I/Os to a device, too: those that it splits.
fn counts_attempts(own: &Own<'_>, limited: &str) -> bool {
    let is_split = |target: &Below<'_>| {
        let mut chain = target.facts.chain.iter();
        let devices = target.facts.kind == TargetKind::BlockDevice;
        let block = target.planned.workload.block;
        let is_below = |device: &BlockDevice| device.name == limited;
        devices && target.facts.chain.iter().any(is_below) && chain.any(|one| one.may_split(block))
    };
    own.record.engine.backend == "io_uring" && targets(own.record).any(|target| is_split(&target))
}

fn of_limit(own: &Own<'_>, limit: &IoLimit) -> Vec<Reached> {
    let on_it = |device: &&BlockDevice| device.number == limit.device;
    let mut name = None;
    let mut sums = [(0u64, 0u64); 2];
    for target in targets(own.record) {
        let device = target.facts.chain.iter().find(on_it);
        let Some(device) = device else {
            continue;
        };
        name = Some(device.name.clone());
        let is_direct = target.planned.cache == CacheMode::Unbuffered;
        for operation in [Operation::Read, Operation::Write] {
            let counted = match (is_direct, operation) {
                (true, _) => target.counted(own.record, operation),
                (false, Operation::Read) => buffered_reads(own, &target, device),
                (false, Operation::Write) => Counted::default(), // the kernel writes them back later
            };
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
    let is_on = |facts: &TargetFacts| facts.chain.iter().any(|device| on_it(&device));
    let is_partial = !own.record.targets.iter().all(is_on);
    let both = [(Operation::Read, read), (Operation::Write, write)];
    let attempts = counts_attempts(own, &name).then_some(Each::TWICE);
    let reached = both.into_iter().flat_map(|(operation, done)| {
        let (ios, bytes) = limit.of(operation);
        let ways = Each::ways(own, operation, &name).into_iter();
        let by_ios = ways.filter_map(move |each| of_ios(own, done.0, ios, each));
        let ways = [Some(Each::ONCE), attempts].into_iter().flatten();
        let by_bytes = ways.filter_map(move |each| of_bytes(own, done.1, bytes, each));
        let what = match operation {
            Operation::Read => format!("reads of {name}"),
            Operation::Write => format!("writes to {name}"),
        };
        by_ios.chain(by_bytes).map(move |reached| Reached {
            what: format!("{what} to {}", reached.what),
            is_partial,
            ..reached
        })
    });
    reached.collect()
}

/// What a device read for buffered reads, which the kernel merges and reads ahead; nothing where the page cache served a part of
/// them, or where there are other targets.
fn buffered_reads(own: &Own<'_>, target: &Below<'_>, device: &BlockDevice) -> Counted {
    let asked = target.counted(own.record, Operation::Read).bytes.0;
    let alone = own.record.targets.len() == 1;
    let read = own.record.window.device(&device.name).filter(|_| alone);
    let counted = read.map(|read| Counted {
        ios: read.reads,
        bytes: read.read_bytes,
        ..Counted::default()
    });
    let all = |counted: &Counted| counted.bytes.0 as f64 >= READ_MIN * asked as f64;
    counted.filter(all).unwrap_or_default()
}

fn of_ios(own: &Own<'_>, ios: u64, limit: Option<u64>, each: Each) -> Option<Reached> {
    let limit = limit.filter(|limit| *limit > 0)? as f64;
    let counted = per_second(ios as f64 * each.sum(), own.record.phases.measured());
    Some(Reached {
        what: format!("{} IOPS", say::rate(limit)),
        name: "cap_per_s",
        limit,
        share: crate::rows::share(counted, limit)?,
        each,
        is_partial: false, // its caller knows
    })
}

fn of_bytes(own: &Own<'_>, bytes: u64, limit: Option<Bytes>, each: Each) -> Option<Reached> {
    let limit = limit.filter(|limit| limit.0 > 0)?.0 as f64;
    let moved = per_second(bytes as f64 * each.sum(), own.record.phases.measured());
    Some(Reached {
        what: format!("{} MiB/s", say::mib_per_s(limit)),
        name: "cap_bytes_per_s",
        limit,
        share: crate::rows::share(moved, limit)?,
        each,
        is_partial: false, // its caller knows
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
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
        let reported = found(&limited(reads(2010)), "cgroup-io-limit").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert_eq!(
            reported.sentence,
            "a control group limits reads of vda to 2010 IOPS, and 99.5% of that limit was reached: the figure is the \
             limit's, not the device's"
        );
        let bytes = IoLimit {
            device: (254, 0),
            read_per_s: Some(Bytes(2000 * 4096)),
            ..IoLimit::default()
        };
        let reported = found(&limited(bytes), "cgroup-io-limit").unwrap().sentence;
        assert!(
            reported.contains("reads of vda to 7.81 MiB/s"),
            "{reported}"
        );
    }

    #[test]
    fn a_limit_out_of_reach_of_writes_or_of_another_device_is_not_reported() {
        assert_eq!(found(&limited(reads(4000)), "cgroup-io-limit"), None);
        let writes = IoLimit {
            device: (254, 0),
            write_ios_per_s: Some(2000),
            ..IoLimit::default()
        };
        assert_eq!(found(&limited(writes), "cgroup-io-limit"), None);
        let other = IoLimit {
            device: (7, 0),
            ..reads(2000)
        };
        assert_eq!(found(&limited(other), "cgroup-io-limit"), None);
    }

    #[test]
    fn a_limit_is_reached_from_seven_percent_below_to_five_above() {
        // 2000 reads a second; one slice of ten seconds is one percent more on both sides.
        for (limit, reported) in [(2150, true), (2250, false), (1900, true), (1850, false)] {
            let found = found(&limited(reads(limit)), "cgroup-io-limit");
            assert_eq!(found.is_some(), reported, "{limit}");
        }
    }

    /// 667 reads a second of 1 MiB, of which the device had two requests each.
    fn cut(backend: &str, done: u64) -> RunRecord {
        let sample = Sample {
            block: Bytes::mib(1),
            reads: done,
            ..Sample::default()
        };
        let mut record = sample.build();
        record.engine.backend = backend.to_owned();
        record.targets[0].chain[1].number = (254, 0); // the disk: a limit is never on a partition
        record.host.limits.io = vec![reads(2000)];
        record.window.after.devices[0].reads = 2 * done;
        record
    }

    #[test]
    fn a_limit_counts_every_request_of_a_large_io_and_what_io_uring_tried_first() {
        let reported = found(&cut("io_uring", 6670), "cgroup-io-limit").unwrap();
        assert_eq!(
            reported.sentence,
            "a control group limits reads of vda to 2000 IOPS, and 100% of that limit was reached, each I/O counted \
             as 3.00 (2.00 requests and 1.00 non-blocking attempts of io_uring): the figure is the limit's, not the \
             device's"
        );
        // libaio makes no such try, nor does io_uring through a file system.
        for backend in ["libaio", "io_uring"] {
            let reported = found(&cut(backend, 10_000), "cgroup-io-limit")
                .unwrap()
                .sentence;
            assert!(reported.contains("2.00 requests: "), "{reported}");
        }
        // An older kernel counts it once, even if it is cut.
        let reported = found(&cut("libaio", 20_000), "cgroup-io-limit").unwrap();
        assert!(
            reported
                .sentence
                .contains("100% of that limit was reached: ")
        );
        assert_eq!(found(&cut("libaio", 6670), "cgroup-io-limit"), None);
        let mut others = cut("io_uring", 6670);
        others.window.after.devices[0].read_bytes.0 *= 2;
        assert_eq!(found(&others, "cgroup-io-limit"), None);
    }

    /// 1 MiB reads of a block device with 512 KiB per request: the kernel refuses io_uring's first attempts after it counted them.
    fn split(backend: &str, reads: u64, limit: Bytes) -> RunRecord {
        let mut record = Sample {
            block: Bytes::mib(1),
            reads,
            ..Sample::default()
        }
        .build();
        record.engine.backend = backend.to_owned();
        record.targets[0].kind = model::TargetKind::BlockDevice;
        let device = &mut record.targets[0].chain[0];
        (device.number, device.segments_max) = ((7, 0), Some(128));
        record.host.limits.io = vec![IoLimit {
            device: (7, 0),
            read_per_s: Some(limit),
            ..IoLimit::default()
        }];
        record.window.after.devices[0].busy = model::Nanos::millis(100);
        record
    }

    #[test]
    fn a_limit_on_bytes_counts_what_io_uring_tries_of_ios_that_are_split() {
        let half = found(&split("io_uring", 185, Bytes::mib(37)), "cgroup-io-limit").unwrap();
        let expected = "a control group limits reads of vda1 to 37.0 MiB/s, and 100% of that limit was reached, each I/O counted twice";
        assert!(half.sentence.starts_with(expected), "{}", half.sentence);
        assert!(half.advice.contains("libaio"), "{}", half.advice);
        let deep = found(&split("io_uring", 10, Bytes::mib(37)), "cgroup-io-limit").unwrap();
        assert!(deep.sentence.contains("reached 2.7%"), "{}", deep.sentence);
        let none = split("io_uring", 0, Bytes::mib(37));
        let report = crate::run_report(&none);
        assert_eq!(report.findings[0].id.as_str(), "cgroup-io-limit");
        let whole = found(&split("libaio", 370, Bytes::mib(37)), "cgroup-io-limit").unwrap();
        assert!(!whole.sentence.contains("twice"), "{}", whole.sentence);
    }

    #[test]
    fn attempts_are_not_the_cause_where_the_device_is_busy_or_takes_ios_whole() {
        assert_eq!(
            found(&split("libaio", 185, Bytes::mib(37)), "cgroup-io-limit"),
            None
        );
        let mut busy = split("io_uring", 10, Bytes::mib(37));
        busy.window.after.devices[0].busy = model::Nanos::seconds(9);
        assert_eq!(found(&busy, "cgroup-io-limit"), None);
        let mut whole = split("io_uring", 185, Bytes::mib(37));
        whole.targets[0].chain[0].segments_max = Some(256);
        assert_eq!(found(&whole, "cgroup-io-limit"), None);
    }

    /// E7: buffered reads are as limited; the device counts what was charged.
    #[test]
    fn a_limit_is_named_for_buffered_reads_that_the_device_served() {
        let of = |device_percent, limit: u64| {
            let mut record = Sample {
                cache: model::CacheMode::Cached,
                device_percent,
                ..Sample::default()
            }
            .build();
            record.targets[0].chain[1].number = (254, 0);
            record.host.limits.io = vec![IoLimit {
                device: (254, 0),
                read_per_s: Some(Bytes(limit * 4096)),
                ..IoLimit::default()
            }];
            found(&record, "cgroup-io-limit").is_some()
        };
        assert!(of(100, 2000), "2000 reads a second");
        assert!(!of(100, 3000), "below the limit");
        assert!(!of(50, 1000), "the page cache served the other half");
        assert!(!of(0, 2000));
    }

    /// 53.0k IOPS, "the figure is the limit's", of a target with 1000 and one without a limit.
    #[test]
    fn a_limit_on_one_of_two_targets_is_not_that_of_the_whole_figure() {
        let mut record = limited(reads(2000));
        record.plan.targets.push(record.plan.targets[0].clone());
        record.targets.push(record.targets[0].clone());
        record.targets[1].chain.clear();
        let mut other = record.threads[0].clone();
        (other.thread, other.target) = (1, 1);
        other.measured[0].ios *= 50;
        other.measured[0].bytes.0 *= 50;
        record.threads.push(other);
        let sentence = found(&record, "cgroup-io-limit").unwrap().sentence;
        assert!(sentence.contains("that part of the figure"), "{sentence}");
    }
}
