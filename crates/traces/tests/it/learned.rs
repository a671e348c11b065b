//! What is learned of a trace, and how like the I/Os are that follow it.

use crate::made::Rule;
use model::fidelity::{Fidelity, PropertyVerdict};
use model::trace::{TraceOperation, TraceRecord};
use model::{Bytes, Nanos};
use traces::{
    ArrivalRule, Drawn, FlushPer, LearnedFrom, LearnedProfile, Learner, Properties, fidelity,
};

pub(crate) fn learned(records: &[TraceRecord]) -> LearnedProfile {
    let mut learner = Learner::default();
    records.iter().for_each(|record| learner.take(record));
    learner.finish(LearnedFrom::default(), &[]).unwrap()
}

fn properties(records: impl Iterator<Item = TraceRecord>) -> Properties {
    let mut properties = Properties::default();
    records.for_each(|record| properties.take(&record));
    properties.finish()
}

/// The I/Os of a profile, served as those of the rule.
fn drawn(profile: &LearnedProfile, seed: u64) -> Vec<TraceRecord> {
    let all = Drawn::new(&profile.workload, Bytes(u64::MAX), seed).unwrap();
    let mut chance = crate::made::Chance::new(seed ^ 77);
    let mut servers = [0.0f64; 8];
    let serve = |mut record: TraceRecord| {
        if record.operation != TraceOperation::Flush {
            let at = record.at.as_seconds();
            let server = (0..8)
                .min_by(|&a, &b| servers[a].total_cmp(&servers[b]))
                .unwrap();
            let done = servers[server].max(at) + 1e-4 - 2e-4 * (1.0 - chance.unit()).ln();
            servers[server] = done;
            record.latency = Some(Nanos(((done - at) * 1e9) as u64));
        }
        record
    };
    all.map(serve).collect()
}

fn round(seed: u64) -> (Rule, Fidelity) {
    let rule = Rule::drawn(seed);
    let original = rule.make(seed);
    let profile = learned(&original);
    let text = profile.text();
    let again = LearnedProfile::read("app.profile", &text).unwrap();
    assert_eq!(again.text(), text);
    let other = drawn(&again, seed);
    let found = fidelity(
        &properties(original.into_iter()),
        &properties(other.into_iter()),
    );
    (rule, found)
}

fn rounds(seeds: std::ops::Range<u64>) -> [usize; 4] {
    let mut counts = [0; 4];
    for seed in seeds {
        let (rule, found) = round(seed);
        for one in &found.compared {
            counts[one.verdict as usize] += 1;
            if matches!(
                one.verdict,
                PropertyVerdict::Similar | PropertyVerdict::Differs
            ) {
                let (own, its) = (one.own_distance, one.distance);
                let (name, verdict) = (one.property.name(), one.verdict);
                println!("seed {seed}: {name} {verdict:?}: {its:.4?}, itself {own:.4?}; {rule:?}");
            }
        }
    }
    println!("same, similar, differs, not compared: {counts:?}");
    counts
}

/// 20 seeds, 280 checks.
#[test]
fn ios_that_follow_a_learned_profile_are_like_the_original() {
    let [same, similar, differs, _] = rounds(1..21);
    let enough = same >= 9 * (similar + differs);
    assert!(differs == 0 && enough, "{same} {similar} {differs}");
}

/// Eight in flight, up to four of which complete and are replaced at once, as with libaio.
#[test]
fn a_closed_loop_that_takes_several_completions_at_once_is_closed() {
    let mut chance = crate::made::Chance::new(5);
    let mut records = Vec::new();
    let mut done: Vec<f64> = vec![0.0; 8];
    while records.len() < 5000 {
        done.sort_by(f64::total_cmp);
        let batch = 1 + chance.below(4) as usize;
        let at = done[batch - 1] + 5e-6;
        for (number, ends) in done[..batch].iter_mut().enumerate() {
            let its = at + number as f64 * 1e-6;
            *ends = its + 1e-4 - 2e-4 * (1.0 - chance.unit()).ln();
            records.push(TraceRecord {
                at: Nanos((its * 1e9) as u64),
                offset: chance.below(1 << 16) * 4096,
                length: 4096,
                latency: Some(Nanos(((*ends - its) * 1e9) as u64)),
                ..TraceRecord::default()
            });
        }
    }
    match learned(&records).workload.arrivals {
        traces::ArrivalRule::Closed {
            in_flight, think, ..
        } => assert_eq!((in_flight, think), (8, Nanos(0))),
        open => panic!("{open:?}"),
    }
}

#[test]
fn what_is_wrong_with_a_profile_is_reported_with_its_place() {
    let text = learned(&Rule::drawn(1).make(1)).text();
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}\n{text}");
        let found = LearnedProfile::read("p", &text.replacen(from, to, 1));
        found.unwrap_err().to_string()
    };
    let unknown = wrong("reads = ", "raeds = ");
    assert!(
        unknown.starts_with("p:1") && unknown.contains("unknown field `raeds`"),
        "{unknown}"
    );
    assert!(wrong("fathom_profile = 1", "fathom_profile = 2").contains("fathom_profile"));
    assert!(wrong("reads = ", "reads = 101.0 # ").contains("workload.reads"));
    let text = learned(&commits(100, 0)).text();
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}\n{text}");
        let found = LearnedProfile::read("p", &text.replacen(from, to, 1));
        found.unwrap_err().to_string()
    };
    let endless = wrong("writes = [[1, 1, 100.0]]", "writes = [[0, 0, 100.0]]");
    assert!(
        endless.contains("workload.flush.writes") && endless.contains("99 percent"),
        "{endless}"
    );
    assert!(
        wrong("writes_wait = 100.0", "writes_wait = 101.0").contains("workload.flush.writes_wait")
    );
    for (from, to, reported) in [
        (
            "same_operation = 0.0",
            "same_operation = 0.1",
            "workload.same_operation",
        ),
        (
            "reads = ",
            "reads = 1.0 #",
            "the share of the arrivals of reads",
        ),
        (
            "per = ",
            "every = 2.0\nper = ",
            "must have one of every and writes",
        ),
        ("per = ", "regular = true\nper = ", "workload.flush.regular"),
        ("in_flight = ", "in_flight = 0 #", "workload.in_flight"),
        (
            "\"batch\"",
            "\"single\"",
            "invalid value 'single' for workload.flush.per: ",
        ),
    ] {
        let found = wrong(from, to);
        assert!(found.contains(reported), "{found}");
    }
    let mixed = wrong("\"by_operation\"", "\"by_chance\"");
    assert!(mixed.contains("by_chance"), "{mixed}");
}

#[test]
fn flushes_of_something_else_are_no_rule_of_their_own() {
    let mut records: Vec<TraceRecord> = (0..1000)
        .map(|number| TraceRecord {
            at: Nanos::millis(number),
            operation: TraceOperation::Flush,
            ..TraceRecord::default()
        })
        .collect();
    records[500].operation = TraceOperation::Write;
    records[500].length = 4096;
    let flush = learned(&records).workload.flush.unwrap();
    assert_eq!((flush.writes, flush.every), (Vec::new(), Some(1.0)));
}

/// Pairs that come at random, independent of completions; the second of each a little after the first.
fn pairs(seed: u64) -> Vec<TraceRecord> {
    let mut chance = crate::made::Chance::new(seed);
    let mean_gap = 1e-3 + 9e-3 * chance.unit();
    let (apart, latency) = (1e-6 + 60e-6 * chance.unit(), 5e-6 + 40e-6 * chance.unit());
    let (mut at, mut done, mut records) = (0.0f64, 0.0f64, Vec::new());
    while records.len() < 5000 {
        at -= mean_gap * (1.0 - chance.unit()).ln();
        for its in [at, at + apart] {
            done = done.max(its) + latency * (0.7 + 0.6 * chance.unit());
            records.push(TraceRecord {
                at: Nanos((its * 1e9) as u64),
                offset: chance.below(1 << 16) * 4096,
                length: 4096,
                latency: Some(Nanos(((done - its) * 1e9) as u64)),
                ..TraceRecord::default()
            });
        }
    }
    records.sort_by_key(|record| record.at);
    records
}

#[test]
fn pairs_that_come_at_random_are_an_open_loop() {
    let is_open = |records: &[TraceRecord]| {
        matches!(
            learned(records).workload.arrivals,
            traces::ArrivalRule::Open { .. }
        )
    };
    let closed: Vec<u64> = (1..21).filter(|&seed| !is_open(&pairs(seed))).collect();
    assert_eq!(closed, [0; 0], "seeds");
    // Nor is one that the target cannot serve, however many are in flight.
    let mut late = pairs(1);
    for record in &mut late {
        record.latency = Some(Nanos::seconds(30));
    }
    assert!(is_open(&late));
}

#[test]
fn flushes_behind_many_writes_without_any_are_as_many_as_they_were() {
    let record = |number: u64, operation| TraceRecord {
        at: Nanos::micros(number * 500),
        offset: number % 977 * 4096,
        length: 4096 * u64::from(operation == TraceOperation::Write),
        operation,
        ..TraceRecord::default()
    };
    let mut records: Vec<TraceRecord> = (0..4000)
        .map(|number| record(number, TraceOperation::Write))
        .collect();
    for pair in 0..20 {
        records.push(record(4000 + pair, TraceOperation::Write));
        records.push(record(4000 + pair, TraceOperation::Flush));
    }
    let flush = learned(&records).workload.flush.unwrap();
    assert_eq!((flush.mean(), flush.regular), (4020.0 / 20.0, false));
}

/// Where the writes of bursts are.
const BURSTS_FROM: u64 = 1 << 30;

/// Commits of one writer, each a write and then a flush, with reads at any time; each `larger`th commit has 30 writes more.
/// Independent of these, `bursts` of 60 writes at any time, in which 20 arrive together: they are twice as long, and elsewhere.
fn commits(larger: u32, bursts: u32) -> Vec<TraceRecord> {
    let mut chance = crate::made::Chance::new(11);
    let mut records = Vec::new();
    let mut add = |at: f64, operation, latency: u64| {
        let is_of_burst = latency == 400;
        let base = if is_of_burst { BURSTS_FROM } else { 0 };
        let length = if is_of_burst { 8192 } else { 4096 };
        let transfers = u64::from(operation != TraceOperation::Flush);
        records.push(TraceRecord {
            at: Nanos((at * 1e3) as u64),
            offset: transfers * (base + at as u64 % 9973 * 8192),
            length: length * transfers,
            operation,
            latency: Some(Nanos::micros(latency)),
            ..TraceRecord::default()
        });
    };
    let (mut at, mut read_at) = (0.0, 0.0); // in microseconds
    for commit in 0..4000 {
        let writes = if commit % larger == larger - 1 { 31 } else { 1 };
        for write in 0..writes {
            add(at + f64::from(write), TraceOperation::Write, 100);
        }
        at += f64::from(writes - 1) + 100.0 + 25.0;
        add(at, TraceOperation::Flush, 200);
        at += 200.0 - 300.0 * (1.0 - chance.unit()).ln();
        while read_at < at {
            add(read_at, TraceOperation::Read, 80);
            read_at -= 400.0 * (1.0 - chance.unit()).ln();
        }
    }
    for _ in 0..bursts {
        let burst_us = chance.unit() * at;
        for write in 0..60 {
            let together_us = f64::from(write / 20) * 300.0;
            add(
                burst_us + together_us + f64::from(write % 20),
                TraceOperation::Write,
                400,
            );
        }
    }
    records.sort_by_key(|record| record.at);
    records
}

/// Variance over mean of the counts in 16 ms.
fn burstiness<'a>(records: impl Iterator<Item = &'a TraceRecord>) -> f64 {
    let mut counts = vec![0.0; 128];
    for record in records {
        let window = (record.at.0 / 16_000_000) as usize;
        counts
            .get_mut(window)
            .into_iter()
            .for_each(|count| *count += 1.0);
    }
    let mean = counts.iter().sum::<f64>() / 128.0;
    let squares = counts.iter().map(|count| (count - mean).powi(2));
    squares.sum::<f64>() / 128.0 / mean
}

#[test]
fn checkpoints_come_at_times_of_their_own_and_have_no_flush() {
    let original = commits(u32::MAX, 100);
    let profile = learned(&original);
    let text = profile.text();
    let again = LearnedProfile::read("p", &text).unwrap();
    let wrong = LearnedProfile::read("p", &text.replacen("[[20, 20,", "[[1, 20,", 1));
    let wrong = wrong.unwrap_err().to_string();
    assert!(
        wrong.contains("workload.arrivals.write.batch.batches"),
        "{wrong}"
    );
    let ArrivalRule::ByOperation { write, .. } = &again.workload.arrivals else {
        panic!("{text}")
    };
    assert!(matches!(**write, ArrivalRule::ByBatch { .. }), "{write:?}");
    let flush = again.workload.flush.unwrap();
    assert_eq!((flush.per, flush.writes_wait), (FlushPer::Single, 100.0));
    assert!((0.99..1.01).contains(&flush.mean()), "{flush:?}");
    let mut writes = original.clone();
    writes.retain(|record| record.operation != TraceOperation::Read);
    let without_reads = learned(&writes).workload.flush.unwrap();
    assert_eq!(
        (without_reads.per, without_reads.writes_wait),
        (FlushPer::Single, 100.0)
    );
    let drawn = drawn(&profile, 5);
    for operation in [TraceOperation::Flush, TraceOperation::Write] {
        let [before, after] = [&original, &drawn]
            .map(|all| burstiness(all.iter().filter(|one| one.operation == operation)));
        let ratio = after / before;
        assert!(
            (0.5..2.0).contains(&ratio),
            "{operation:?}: {before}, {after}"
        );
    }
    let mut ios = Drawn::new(&profile.workload, Bytes(u64::MAX), 5).unwrap();
    let (mut waits, mut writes) = (0u64, 0u64);
    while let Some((io, after)) = ios.next_io() {
        writes += u64::from(io.operation == TraceOperation::Write);
        waits += u64::from(io.operation == TraceOperation::Write && after.barrier > 0);
    }
    // 4000 commits and 6000 writes in bursts.
    assert!(
        (0.35..0.45).contains(&(waits as f64 / writes as f64)),
        "{waits} of {writes}"
    );
}

#[test]
fn batches_have_sizes_and_places_of_their_own() {
    let profile = learned(&commits(u32::MAX, 100));
    let text = profile.text();
    let again = LearnedProfile::read("p", &text).unwrap();
    let side = again.workload.write.unwrap();
    let batch = side.batch.as_deref().unwrap();
    assert_eq!(side.sizes, [(Bytes(4096), 100.0)]);
    assert_eq!(batch.run_sizes, [(Bytes(8192), 100.0)]); // they are sequential
    let open = text.replace("[workload.write.batch", "[workload.read.batch");
    let open = open.replace("[[workload.write.batch", "[[workload.read.batch");
    let wrong = LearnedProfile::read("p", &open).unwrap_err().to_string();
    assert!(
        wrong.contains("[workload.read.batch]: must be absent"),
        "{wrong}"
    );
    let mut reads = commits(u32::MAX, 100);
    reads.retain(|record| record.operation == TraceOperation::Write);
    for record in &mut reads {
        record.operation = TraceOperation::Read;
    }
    let text = learned(&reads).text();
    let only = LearnedProfile::read("p", &text).unwrap().workload;
    assert!(only.read.is_some_and(|side| side.batch.is_some()), "{text}");
    let drawn = drawn(&profile, 5);
    let writes = drawn
        .iter()
        .filter(|record| record.operation == TraceOperation::Write);
    let share = |length: u64| {
        let its = writes.clone().filter(|record| record.length == length);
        let there = its.clone().filter(|record| record.offset >= BURSTS_FROM);
        there.count() as f64 / its.count() as f64
    };
    // A commit that comes within a burst is one of the batch.
    let [of_commits, of_bursts] = [share(4096), share(8192)];
    assert!(
        of_commits < 0.1 && of_bursts > 0.6,
        "{of_commits}, {of_bursts}"
    );
}

/// A log in blocks of 8 KiB, whose last block is written again with what follows, or alone.
#[test]
fn a_log_that_writes_its_last_block_again_is_sequential() {
    let mut chance = crate::made::Chance::new(3);
    let (mut at, mut end) = (0.0, 1u64 << 30);
    let mut log = |number: u64| {
        at -= 500.0 * (1.0 - chance.unit()).ln();
        // Every hundredth begins elsewhere.
        let from = match number % 100 {
            99 => (1 << 30) + chance.below(1 << 16) * 8192,
            _ => end - 8192,
        };
        let length = 8192 * (1 + chance.below(3));
        end = from + length;
        TraceRecord {
            at: Nanos((at * 1e3) as u64),
            offset: from,
            length,
            operation: TraceOperation::Write,
            latency: Some(Nanos::micros(100)),
            ..TraceRecord::default()
        }
    };
    let original: Vec<TraceRecord> = (0..10_000).map(&mut log).collect();
    let profile = learned(&original);
    let again = LearnedProfile::read("p", &profile.text()).unwrap();
    let overlaps = &again.workload.write.as_ref().unwrap().overlaps;
    assert!(
        matches!(overlaps[..], [(Bytes(8192), share)] if share > 99.0),
        "{overlaps:?}"
    );
    let share = |all: &[TraceRecord]| {
        let pairs = all.windows(2);
        let continues = pairs.filter(|two| two[1].offset + 8192 == two[0].offset + two[0].length);
        continues.count() as f64 / all.len() as f64
    };
    let [before, after] = [share(&original), share(&drawn(&profile, 7))];
    assert!(
        (0.97..0.99).contains(&before) && (before - after).abs() < 0.05,
        "{before}, {after}"
    );
    let text = profile.text();
    let line = text
        .lines()
        .find(|line| line.starts_with("overlaps"))
        .unwrap();
    let wrong = text.replacen(line, "overlaps = [[\"8K\", 60.0], [\"1000\", 60.0]]", 1);
    let wrong = LearnedProfile::read("p", &wrong).unwrap_err().to_string();
    assert!(
        wrong.matches("workload.write.overlaps").count() == 2,
        "{wrong}"
    );
}

#[test]
fn the_flushes_of_commits_wait_for_their_writes_and_later_writes_for_them() {
    let original = commits(100, 0);
    let profile = learned(&original);
    let text = profile.text();
    assert_eq!(
        LearnedProfile::read("p", &text).unwrap().workload.flush,
        profile.workload.flush
    );
    let flush = profile.workload.flush.clone().unwrap();
    assert_eq!(flush.after, Some(Nanos::micros(25)));
    assert_eq!((flush.writes_wait, flush.reads_wait), (100.0, 0.0));
    // The commits of 31 writes are batches.
    assert_eq!(
        (flush.writes, flush.per),
        (vec![(1, 1, 100.0)], FlushPer::Batch)
    );
    let mut drawn = Drawn::new(&profile.workload, Bytes(u64::MAX), 3).unwrap();
    let (mut number, mut last, mut flushes, mut writes) = (0u64, None, 0u64, 0u64);
    while let Some((io, after)) = drawn.next_io() {
        match io.operation {
            TraceOperation::Flush => {
                assert_eq!(
                    (after.back, after.completed, after.gap),
                    (1, true, Nanos::micros(25))
                );
                (last, flushes) = (Some(number), flushes + 1);
            }
            TraceOperation::Write => {
                let barrier = last.map_or(0, |last| number - last);
                assert_eq!(u64::from(after.barrier), barrier);
                writes += 1;
            }
            _ => assert_eq!(after, model::trace::TraceDependency::default()),
        }
        number += 1;
    }
    let mean = writes as f64 / flushes as f64;
    assert!((1.1..1.5).contains(&mean), "{mean}");
}
