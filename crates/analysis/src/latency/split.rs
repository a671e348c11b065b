//! Two groups of latencies with almost nothing between them: two sources served the I/Os, or a few I/Os took another way.
//!
//! Every place of the histogram is tried as the valley, from there to two and a half times that latency; taken is the emptiest. A
//! distribution of one source (normal, lognormal, exponential) has no such valley: what is beyond it is always less than what
//! is in it. Source: a mixture of two distributions; Hartigan and Hartigan, "The dip test of unimodality", Annals of
//! Statistics 13 (1985), for the idea of a valley.

use model::{Access, LatencyHistogram, MixedLine, Nanos, Operation, Ratio, RunRecord};

/// From the beginning of the valley to its end.
const APART: f64 = 2.5;
/// Share of the smaller group that may be in the valley.
const BETWEEN_MAX: f64 = 0.02;
/// Fewest I/Os of a group.
const IOS_MIN: u64 = 20;

/// Two groups of latencies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    /// Share of the I/Os that were fast. // in (0, 1)
    pub(crate) fast_share: f64,
    /// I/Os of the slow group.
    pub(crate) slow_ios: u64,
    /// Median of the fast ones in nanoseconds.
    pub(crate) fast_ns: f64,
    /// Median of the slow ones in nanoseconds.
    pub(crate) slow_ns: f64,
    /// What almost all of the fast ones did not exceed.
    pub(crate) fast_to_ns: f64,
    /// What almost all of the slow ones reached.
    pub(crate) slow_from_ns: f64,
}

/// The two groups of the reads or the writes of a run: those of both together differ by their nature, and so do those of
/// several targets and those of several kinds of I/Os, of which a run has none.
pub(crate) fn split_of(record: &RunRecord) -> Option<(Split, LatencyHistogram)> {
    let [target] = record.plan.targets.as_slice() else {
        return None;
    };
    if !is_of_one_kind(&target.workload.access) {
        return None;
    }
    let of = |operation: Operation| {
        let mut all = LatencyHistogram::new();
        for thread in &record.threads {
            all.merge(&thread.measured[operation.index()].latency);
        }
        Some((split(&all)?, all))
    };
    [Operation::Read, Operation::Write].into_iter().find_map(of)
}

/// Returns whether all I/Os have one size and all or none of them are random. Small and large I/Os, or those that follow the
/// one before and those elsewhere on a rotating disk, take different times on a healthy device.
fn is_of_one_kind(access: &Access) -> bool {
    let whole = |random: Ratio| random == Ratio::NONE || random == Ratio::ALL;
    match access {
        Access::Diskspd(walk) => whole(walk.random),
        Access::Mixed(mixed) => mixed.lines.first().is_some_and(|first| {
            let mut lines = mixed.lines.iter();
            let same = |line: &MixedLine| (line.block, line.random) == (first.block, first.random);
            whole(first.random) && lines.all(same)
        }),
        Access::Recorded(_) => false,
        Access::Sequential
        | Access::Random
        | Access::Permuted(_)
        | Access::Skewed(_)
        | Access::Stripe(_)
        | Access::Runs { .. } => true,
    }
}

/// The two groups, if there are two.
fn split(latency: &LatencyHistogram) -> Option<Split> {
    let buckets: Vec<(Nanos, Nanos, u64)> = latency.buckets().collect();
    let total: u64 = buckets.iter().map(|(.., count)| count).sum();
    let mut best: Option<(f64, u64, u64)> = None; // share between, fast ones, those up to the end of the valley
    let (mut fast, mut until, mut place) = (0u64, 0u64, 0usize);
    for (number, (_, to, count)) in buckets.iter().enumerate() {
        fast += count;
        let end = to.0 as f64 * APART;
        while place < buckets.len() && (place <= number || (buckets[place].0.0 as f64) < end) {
            until += buckets[place].2;
            place += 1;
        }
        let (between, slow) = (until - fast, total - until);
        let smaller = fast.min(slow);
        let share = between as f64 / smaller.max(1) as f64;
        let fits = smaller >= IOS_MIN && share <= BETWEEN_MAX;
        if fits && best.is_none_or(|(least, ..)| share < least) {
            best = Some((share, fast, until));
        }
    }
    let (_, fast, until) = best?;
    let slow = total - until;
    let at = |ios: f64| {
        let quantile = latency.quantile((ios / total as f64).clamp(0.0, 1.0));
        quantile.map(|ns| ns.0 as f64)
    };
    Some(Split {
        fast_share: fast as f64 / total as f64,
        slow_ios: slow,
        fast_ns: at(fast as f64 * 0.5)?,
        slow_ns: at(until as f64 + slow as f64 * 0.5)?,
        fast_to_ns: at(fast as f64 * 0.98)?,
        slow_from_ns: at(until as f64 + slow as f64 * 0.02)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    fn histogram(count: u32, mut draw: impl FnMut(&mut Chance) -> f64) -> LatencyHistogram {
        let mut chance = Chance(1);
        let mut all = LatencyHistogram::new();
        for _ in 0..count {
            all.record(Nanos((draw(&mut chance) * 1e6) as u64));
        }
        all
    }

    #[test]
    fn a_cache_and_a_slow_tail_are_two_groups_with_their_shares() {
        let cache = histogram(50_000, |chance| match chance.share() < 0.4 {
            true => 0.1 * (0.3 * chance.normal()).exp(),
            false => 4.0 * (0.3 * chance.normal()).exp(),
        });
        let found = split(&cache).unwrap();
        assert!((found.fast_share - 0.4).abs() < 0.01, "{found:?}");
        assert!((found.slow_ns / 4e6 - 1.0).abs() < 0.03, "{found:?}");
        let tail = histogram(50_000, |chance| {
            let slow = if chance.share() < 0.01 { 20.0 } else { 0.0 };
            0.2 * (0.4 * chance.normal()).exp() + slow
        });
        let found = split(&tail).unwrap();
        assert!((f64::from(found.slow_ios as u32) / 500.0 - 1.0).abs() < 0.15);
    }

    #[test]
    fn one_source_of_any_law_is_one_group() {
        let laws: [fn(&mut Chance) -> f64; 4] = [
            Chance::exponential,
            |chance| (1.0 * chance.normal()).exp(),
            |chance| (0.2 * chance.normal()).exp(),
            |chance| 5.0 * chance.share() + 0.1,
        ];
        for (number, law) in laws.into_iter().enumerate() {
            assert_eq!(split(&histogram(50_000, law)), None, "{number}");
        }
        assert_eq!(split(&LatencyHistogram::new()), None);
    }
}
