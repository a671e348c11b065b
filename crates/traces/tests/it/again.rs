//! A profile that is learned of what an earlier one drew: bursts at every scale, and parameters that stay.

use crate::learned::learned;
use crate::made::{Chance, Coming, Rule, Spots};
use model::trace::TraceRecord;
use model::{Bytes, Nanos};
use traces::{ArrivalRule, Drawn, LearnedProfile, LearnedWorkload, Side};

/// 1024ths of a second, as powers of two: from 2 ms to 8 s.
const SCALES: std::ops::Range<u32> = 1..14;

/// Variance over mean of the counts in windows of so many 1024ths of a second, over whole windows. They begin where the halves
/// of a second do, as those of the profile: in others the variance is up to a fifth less.
fn dispersion(records: &[TraceRecord], power: u32) -> f64 {
    let window = |at: Nanos| ((at.0 * 1024 / 1_000_000_000) >> power) as usize;
    let windows = window(records.last().unwrap().at);
    let mut counts = vec![0.0f64; windows];
    for record in records {
        if let Some(count) = counts.get_mut(window(record.at)) {
            *count += 1.0;
        }
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let squares = counts.iter().map(|count| (count - mean).powi(2));
    squares.sum::<f64>() / counts.len() as f64 / mean
}

/// Compares the bursts of what is drawn by the profile of an input with those of the input: their mean, because the few
/// busiest intervals decide about those of one seed.
fn keeps_bursts(name: &str, original: &[TraceRecord]) {
    const SEEDS: u64 = 24;
    let profile = learned(original);
    let mut sums = vec![0.0; SCALES.len()];
    for seed in 0..SEEDS {
        let drawn = Drawn::new(&profile.workload, Bytes(u64::MAX), seed).unwrap();
        let drawn: Vec<TraceRecord> = drawn.collect();
        for (sum, power) in sums.iter_mut().zip(SCALES) {
            *sum += dispersion(&drawn, power) / SEEDS as f64;
        }
    }
    for (after, power) in sums.into_iter().zip(SCALES) {
        let (before, ms) = (dispersion(original, power), 1 << power);
        let ratio = after / before;
        println!("{name}, {ms} ms: {before:.2}, {after:.2}");
        assert!((ratio - 1.0).abs() <= 0.15, "{name}, {ms} ms: {ratio:.3}");
    }
}

#[test]
fn bursts_of_two_states_have_their_variance_at_every_scale() {
    let rule = Rule {
        reads: 1.0,
        sizes: [vec![(4096, 1.0)], vec![(4096, 1.0)]],
        spots: [Spots::Uniform, Spots::Uniform],
        sequential: [0.0; 2],
        coming: Coming::TwoStates(0.3, 0.7),
        rate: 1000.0,
        seconds: 256.0,
        blocks: 1 << 20,
        flush_every: 0,
    };
    keeps_bursts("two states", &rule.make(3));
}

/// A constant rate is even; one at random is divided as chance does it.
#[test]
fn a_constant_rate_and_one_at_random_are_distinguished() {
    for (coming, expected) in [(Coming::Constant, true), (Coming::Poisson, false)] {
        let rule = Rule {
            coming,
            ..Rule::drawn(1)
        };
        match learned(&rule.make(5)).workload.arrivals {
            ArrivalRule::Open { even, halvings, .. } => {
                let is_random = halvings.iter().all(|excess| excess.abs() < 0.1);
                assert!(even == expected && (even || is_random), "{halvings:?}");
            }
            closed => panic!("{closed:?}"),
        }
    }
}

/// Of every interval one half has 0.7 of the I/Os, down to a 1024th of a second; 256 s, one I/O in each on average.
#[test]
fn a_b_model_has_its_variance_at_every_scale() {
    const LEVELS: u32 = 18;
    let mut chance = Chance::new(11);
    let heavy: Vec<bool> = (0..1 << LEVELS).map(|_| chance.unit() < 0.5).collect();
    let mut times: Vec<u64> = (0..1u64 << LEVELS)
        .map(|_| {
            let mut node = 1usize;
            for _ in 0..LEVELS {
                let right = (chance.unit() < 0.7) == heavy[node];
                node = 2 * node + usize::from(right);
            }
            let leaf = (node - (1 << LEVELS)) as f64 + chance.unit();
            (leaf / 1024.0 * 1e9) as u64
        })
        .collect();
    times.sort_unstable();
    let record = |at: u64| TraceRecord {
        at: Nanos(at),
        offset: chance.below(1 << 20) * 4096,
        length: 4096,
        ..TraceRecord::default()
    };
    let records: Vec<TraceRecord> = times.into_iter().map(record).collect();
    keeps_bursts("b-model", &records);
}

/// What two profiles differ in by more than chance allows for.
struct Changes {
    seed: u64,
    found: Vec<String>,
}

impl Changes {
    /// Two shares in percent, of so many each: 4 standard errors of their difference.
    fn share(&mut self, what: &str, [first, second]: [f64; 2], of: f64) {
        let p = ((first + second) / 200.0).clamp(1.0 / of, 1.0 - 1.0 / of);
        let bound = 400.0 * (2.0 * p * (1.0 - p) / of).sqrt();
        self.near(what, [first, second], bound);
    }

    fn near(&mut self, what: &str, [first, second]: [f64; 2], bound: f64) {
        if (first - second).abs() > bound {
            let seed = self.seed;
            let change = format!("seed {seed}: {what} {first:.3}, then {second:.3}; ±{bound:.3}");
            self.found.push(change);
        }
    }

    fn side(&mut self, name: &str, sides: [&Side; 2], ios: f64) {
        let [first, second] = sides;
        // The share of the I/Os that begin a run, and the number of the single ones.
        let begins = sides.map(|side| {
            let mean = |&(from, to, share): &(u64, u64, f64)| (from + to) as f64 * share / 200.0;
            100.0 / side.runs.iter().map(mean).sum::<f64>()
        });
        self.share(&format!("runs of {name}"), begins, ios);
        let single = first.runs.iter().filter(|(_, to, _)| *to == 1);
        let single: f64 = single.map(|(_, _, share)| share).sum();
        let singles = (single * begins[0] / 1e4 * ios).max(1.0);
        for (size, share) in &first.sizes {
            let other = second.sizes.iter().find(|(its, _)| its == size);
            let other = other.map_or(0.0, |(_, share)| *share);
            self.share(&format!("{name} of {size}"), [*share, other], singles);
        }
        if first.align != second.align {
            self.found
                .push(format!("seed {}: alignment of {name}", self.seed));
        }
    }

    fn workload(&mut self, [first, second]: [&LearnedWorkload; 2], ios: f64) {
        self.share("reads", [first.reads, second.reads], ios);
        let reads = ios * first.reads / 100.0;
        let sides = [
            ("reads", &first.read, &second.read, reads),
            ("writes", &first.write, &second.write, ios - reads),
        ];
        for (name, first, second, ios) in sides {
            match (first, second) {
                (Some(first), Some(second)) => self.side(name, [first, second], ios),
                (None, None) => {}
                _ => self
                    .found
                    .push(format!("seed {}: {name} at all", self.seed)),
            }
        }
        if let (Some(first), Some(second)) = (&first.flush, &second.flush) {
            let bound = if first.regular {
                0.0
            } else {
                first.mean() / 5.0
            };
            self.near("flushes", [first.mean(), second.mean()], bound);
        } else if first.flush != second.flush {
            self.found
                .push(format!("seed {}: flushes at all", self.seed));
        }
        let total = |workload: &LearnedWorkload| match &workload.arrivals {
            ArrivalRule::Open { ios, .. } => ios.iter().sum::<u64>() as f64,
            _ => f64::NAN,
        };
        // How many are in a batch is drawn.
        let batch = match &first.arrivals {
            ArrivalRule::Open { batches, .. } => batches.iter().map(|batch| batch.1).max(),
            _ => None,
        };
        let bound = batch.map_or(1.0, |batch| 4.0 * (batch as f64 * ios).sqrt());
        self.near("I/Os", [total(first), total(second)], bound);
    }
}

/// 20 seeds; what is learned of the first round is learned of the second.
#[test]
fn a_second_round_changes_no_parameter_by_more_than_chance() {
    let mut found = Vec::new();
    for seed in 1..21 {
        let first: LearnedProfile = learned(&Rule::drawn(seed).make(seed));
        let drawn = Drawn::new(&first.workload, Bytes(u64::MAX), seed).unwrap();
        let drawn: Vec<TraceRecord> = drawn.collect();
        let second = learned(&drawn);
        let mut changes = Changes {
            seed,
            found: Vec::new(),
        };
        changes.workload([&first.workload, &second.workload], drawn.len() as f64);
        found.extend(changes.found);
    }
    assert_eq!(found, [""; 0], "{found:#?}");
}
