//! Threads with the same workload that completed very different numbers of I/Os.
//!
//! Some thread then waited for a lock, a core or a slower path, and the total describes that more than the target.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::observed::ObservedRow;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("thread-imbalance"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Threads with the same workload completed very different numbers of I/Os.",
    method: "Threads of one target: the fastest completed at least 1.5 times the I/Os of the slowest, with a mean of 1000 I/Os per thread or more. The difference exceeds six standard deviations of Poisson counts.",
    evidence: &["fastest_ios", "slowest_ios", "threads"],
    source: "Poisson counting error; elbencho and IOR report slow workers in the same way.",
    advice: "Check whether threads share a core, a NUMA node or a lock; pin each to its own core.",
    look: Look::Any(look),
};

const TIMES_MIN: f64 = 1.5;
const IOS_MIN: f64 = 1000.0;
const DEVIATIONS_MIN: f64 = 6.0;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let rows = &seen.observed.rows;
    let mut targets: Vec<&str> = rows.iter().map(|row| row.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    let uneven = targets.iter().filter_map(|target| {
        let mine: Vec<&ObservedRow> = rows.iter().filter(|row| row.target == *target).collect();
        Uneven::of(&mine)
    });
    let worst = uneven.max_by(|one, other| one.times().total_cmp(&other.times()))?;
    let sentence = format!(
        "thread {} completed {} times the I/Os of thread {} ({} vs {}); {} have the same workload",
        worst.fastest.0,
        say::digits(worst.times()),
        worst.slowest.0,
        say::count(worst.fastest.1),
        say::count(worst.slowest.1),
        say::counted(worst.threads as u64, "thread")
    );
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[
            ("fastest_ios", worst.fastest.1 as f64),
            ("slowest_ios", worst.slowest.1 as f64),
            ("threads", worst.threads as f64),
        ],
        "check whether they share a core or a lock; pin each thread to its own core",
    ))
}

/// Thread and I/Os of the fastest and the slowest.
struct Uneven {
    fastest: (u32, u64),
    slowest: (u32, u64),
    threads: usize,
}

impl Uneven {
    fn of(rows: &[&ObservedRow]) -> Option<Uneven> {
        let counts: Vec<(u32, u64)> = rows
            .iter()
            .filter_map(|row| Some((row.thread?, row.ios?)))
            .collect();
        let fastest = *counts.iter().max_by_key(|(_, ios)| *ios)?;
        let slowest = *counts.iter().min_by_key(|(_, ios)| *ios)?;
        let mean = counts.iter().map(|(_, ios)| *ios as f64).sum::<f64>() / counts.len() as f64;
        let apart = (fastest.1 - slowest.1) as f64;
        let by_chance = DEVIATIONS_MIN * mean.sqrt();
        let uneven = Uneven {
            fastest,
            slowest,
            threads: counts.len(),
        };
        let reported = counts.len() == rows.len() && mean >= IOS_MIN && apart > by_chance;
        (reported && uneven.times() >= TIMES_MIN).then_some(uneven)
    }

    fn times(&self) -> f64 {
        self.fastest.1 as f64 / self.slowest.1.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::{ImportedRow, ImportedRun};

    fn run(ios: &[u64]) -> ImportedRun {
        let mut run = imported();
        run.rows = (0u32..)
            .zip(ios)
            .map(|(thread, ios)| {
                let mut row = ImportedRow {
                    thread: Some(thread),
                    target: "a".to_owned(),
                    ..ImportedRow::default()
                };
                row.figures.total.ios = Some(*ios);
                row
            })
            .collect();
        run
    }

    #[test]
    fn a_slow_thread_is_named() {
        assert_eq!(
            reported(&run(&[150_000, 151_000, 50_000]), "thread-imbalance")
                .unwrap()
                .sentence,
            "thread 1 completed 3.02 times the I/Os of thread 2 (151000 vs 50000); 3 threads have the same workload"
        );
        assert_eq!(
            reported(&run(&[150_000, 151_000, 140_000]), "thread-imbalance"),
            None
        );
        assert_eq!(
            reported(&run(&[20, 1, 30]), "thread-imbalance"),
            None,
            "chance"
        );
        let mut other = run(&[150_000, 50_000]);
        other.rows[1].target = "b".to_owned();
        assert_eq!(reported(&other, "thread-imbalance"), None, "other work");
        assert_eq!(reported(&run(&[]), "thread-imbalance"), None);
    }

    #[test]
    fn half_as_much_again_of_a_thousand_ios_is_uneven() {
        for (ios, is_reported) in [
            ([100_000, 160_000], true),
            ([100_000, 140_000], false),
            ([900, 1400], true),
            ([500, 900], false),
        ] {
            let found = reported(&run(&ios), "thread-imbalance");
            assert_eq!(found.is_some(), is_reported, "{ios:?}");
        }
    }
}
