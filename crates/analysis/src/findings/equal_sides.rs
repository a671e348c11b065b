//! Random reads and writes of one session at the same published or specified limit, for `iops-limit`.
//!
//! Some tools print one figure per load, without latencies or windows, so a single run shows no limit. Devices differ in reads and
//! writes; a limit of a volume does not. Omitted: equal figures without a known
//! limit, as links have them, too; and equal bandwidths alone.

use super::qos_limit::{NearTo, is_under_dev, near};
use super::{Confidence, Finding, RuleId, Several, Severity, finding};
use crate::observed::Observed;
use crate::say;
use std::collections::HashMap;

/// How far reads and writes may be from each other.
const APART_MAX: f64 = 0.015;
/// The same of runs whose windows are known: these may be uneven, so only equal sides count.
const APART_MAX_OF_FULL: f64 = 0.005;
/// Another run of the session that is faster by more shows that there is no such limit.
const EXCEEDED: f64 = 1.05;
const ADVICE: &str = "compare with the limit, not with the disk; fathom run TARGET -o 32 shows by its windows whether it is one";

/// Finds a limit of this kind.
pub(super) fn limit(several: &Several<'_>, rule: RuleId) -> Option<Finding> {
    let rate = |run: &Observed| run.total.iops;
    let known = |run: &&Observed| rate(run).is_some_and(|is| is > 0.0);
    let random = |run: &&Observed| run.load.random_share == Some(1.0);
    let all = several.runs.iter().filter(known);
    let all: Vec<&Observed> = all.filter(random).collect();
    let most = all.iter().copied().filter_map(rate).fold(0.0, f64::max);
    let mut reads = HashMap::new();
    for run in all.iter().filter(|run| run.load.write_share == Some(0.0)) {
        reads
            .entry((&run.target, run.load.block_bytes))
            .or_insert(*run);
    }
    let writes = all.iter().filter(|run| run.load.write_share == Some(1.0));
    writes.copied().find_map(|write| {
        let read = *reads.get(&(&write.target, write.load.block_bytes))?;
        let (is, other) = (rate(read)?, rate(write)?);
        let level = is.max(other);
        let apart_max = match is_plain(read) && is_plain(write) {
            true => APART_MAX,
            false => APART_MAX_OF_FULL,
        };
        let equal = (is / other - 1.0).abs() <= apart_max && most <= EXCEEDED * level;
        let full = [read, write]
            .iter()
            .all(|run| is_plain(run) || is_full(run));
        let at = |run: &Observed, value| {
            let of = NearTo {
                write_share: run.load.write_share,
                network: !is_under_dev(&run.target),
            };
            near(several.known, Some(value), None, of)
        };
        let (of_reads, of_writes) = (at(read, is)?, at(write, other)?);
        if !equal || !full || of_reads.cap != of_writes.cap {
            return None;
        }
        let sentence = format!(
            "limited to {} IOPS: reads and writes are equal, {}",
            say::rate(level),
            of_reads.words()
        );
        let evidence = [("iops", level), ("cap", of_reads.cap)];
        let reported = finding(rule, Severity::Warning, sentence, &evidence, ADVICE);
        Some(reported.sure(Confidence::Medium))
    })
}

/// Returns whether a run has neither windows nor percentiles.
fn is_plain(run: &Observed) -> bool {
    run.windows.sd_per_s.is_none() && run.total.percentiles.is_empty()
}

/// Returns whether so many were in flight that latencies do not decide.
fn is_full(run: &Observed) -> bool {
    const IN_FLIGHT_MIN: f64 = 16.0;
    run.load.requested_in_flight >= Some(IN_FLIGHT_MIN)
}

#[cfg(test)]
mod tests {
    use super::super::test::several;
    use crate::known::{CloudCap, Known};
    use crate::observed::{Observed, ObservedLoad};

    fn runs(read: f64, write: f64) -> [Observed; 2] {
        [(0.0, read), (1.0, write)].map(|(share, rate)| {
            let mut run = Observed {
                load: ObservedLoad {
                    write_share: Some(share),
                    random_share: Some(1.0),
                    block_bytes: Some(4096),
                    ..ObservedLoad::default()
                },

                ..Observed::default()
            };
            run.total.iops = Some(rate);
            run
        })
    }

    #[test]
    fn reads_and_writes_at_one_published_limit_are_limited_and_others_are_not() {
        let known = Known {
            caps: vec![CloudCap {
                name: "a volume".to_owned(),
                per_s: Some(3000.0),
                bytes_per_s: None,
                direction: None,
                burst: false,
                network: false,
            }]
            .into(),
            ..Known::default()
        };
        let reported = several(&runs(3075.0, 3074.0), &known, "iops-limit").unwrap();
        assert_eq!(
            reported.sentence,
            "limited to 3075 IOPS: reads and writes are equal, 2.5% above the published limit of a volume, 3000 IOPS"
        );
        for (read, write) in [(3075.0, 2200.0), (3075.0, 2990.0), (4100.0, 4100.0)] {
            assert_eq!(several(&runs(read, write), &known, "iops-limit"), None);
        }
        let deep = |read: f64, write: f64| {
            runs(read, write).map(|mut run| {
                run.windows.sd_per_s = Some(450.0);
                run.load.requested_in_flight = Some(64.0);
                run
            })
        };
        assert!(several(&deep(3070.0, 3068.0), &known, "iops-limit").is_some());
        assert_eq!(several(&deep(3070.0, 3040.0), &known, "iops-limit"), None);
        let sequential = runs(3075.0, 3074.0).map(|run| Observed {
            load: ObservedLoad {
                random_share: Some(0.0),
                ..ObservedLoad::default()
            },
            ..run
        });
        assert_eq!(several(&sequential, &known, "iops-limit"), None);
        let more = runs(3075.0, 3074.0).into_iter().chain(runs(9000.0, 100.0));
        let more: Vec<Observed> = more
            .zip([4096, 4096, 16_384, 16_384])
            .map(|(run, block)| Observed {
                load: ObservedLoad {
                    block_bytes: Some(block),
                    ..ObservedLoad::default()
                },
                ..run
            })
            .collect();
        assert_eq!(
            several(&more, &known, "iops-limit"),
            None,
            "another run is faster"
        );
    }
}
