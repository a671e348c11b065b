//! IOPS by interval and how much they varied.

use model::{Interval, Nanos};

/// The time series of some I/Os, in steps of the plan's interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Standard deviation of reads a second; none where no read was counted.
    pub read_std_dev: Option<f64>,
    /// Of writes.
    pub write_std_dev: Option<f64>,
    /// Of both together.
    pub total_std_dev: Option<f64>,
    /// From the start to the last step in which anything was counted.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// When it ends, in milliseconds from the start of the measured phase.
    pub end_ms: u64,
    /// Its reads.
    pub read: StepSide,
    /// Its writes.
    pub write: StepSide,
}

/// The I/Os of one direction in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSide {
    /// A second, as if the whole interval had been measured.
    pub rate_per_s: f64,
    /// Largest latency in nanoseconds. // 0 without I/Os
    pub max_ns: u64,
    /// Mean latency in nanoseconds. // 0 without I/Os
    pub mean_ns: f64,
    /// Smallest latency in nanoseconds; 0 without I/Os, none where the record is from before it was counted.
    pub min_ns: Option<u64>,
    /// Population standard deviation of the latencies in nanoseconds, from exact sums; known where the smallest is.
    pub std_dev_ns: Option<f64>,
}

/// Population standard deviation of IOPS over the first `steps_max` steps; none without I/Os. Trailing steps
/// without an I/O do not count, leading and middle ones do. What completed later than all these steps is in none of
/// them, but shows that the last of them were not trailing.
pub fn iops_std_dev(counts: &[u64], steps_max: usize, interval: Nanos) -> Option<f64> {
    let counts = &counts[..used(counts.iter().copied(), steps_max)];
    if counts.is_empty() {
        return None;
    }
    let count = counts.len() as f64;
    let mean = counts.iter().sum::<u64>() as f64 / count;
    let squares: f64 = counts.iter().map(|&ios| (ios as f64 - mean).powi(2)).sum();
    Some((squares / count).sqrt() / interval.as_seconds())
}

/// How many steps there are up to the last with an I/O.
fn used(
    counts: impl ExactSizeIterator<Item = u64> + DoubleEndedIterator,
    steps_max: usize,
) -> usize {
    let mut counts = counts;
    let last = counts.rposition(|ios| ios > 0);
    last.map_or(0, |last| last + 1).min(steps_max)
}

/// One direction of a step.
fn side(step: &Interval, interval: Nanos) -> StepSide {
    if step.ios == 0 {
        return StepSide {
            min_ns: Some(0),
            std_dev_ns: Some(0.0),
            ..StepSide::default()
        };
    }
    let count = step.ios as f64;
    StepSide {
        rate_per_s: count / interval.as_seconds(),
        max_ns: step.latency_max.0,
        mean_ns: step.latency_sum.0 as f64 / count,
        min_ns: step.latency_spread.map(|spread| spread.min.0),
        std_dev_ns: step.latency_sd_ns(),
    }
}

/// Steps of both directions while they are added up.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    read: Vec<Interval>,
    write: Vec<Interval>,
}

impl Sum {
    /// Adds the steps of one thread on one target.
    pub(super) fn add(&mut self, read: &[Interval], write: &[Interval]) {
        add_steps(&mut self.read, read);
        add_steps(&mut self.write, write);
    }

    /// The series, of at most so many steps.
    pub(super) fn series(&self, interval: Nanos, steps_max: u64) -> Series {
        let most = usize::try_from(steps_max).unwrap_or(usize::MAX);
        let nothing = Interval::default();
        let longest = self.read.len().max(self.write.len());
        let pairs: Vec<(Interval, Interval)> = (0..longest)
            .map(|at| {
                (
                    *self.read.get(at).unwrap_or(&nothing),
                    *self.write.get(at).unwrap_or(&nothing),
                )
            })
            .collect();
        let deviation = |ios: fn(&(Interval, Interval)) -> u64| {
            iops_std_dev(&pairs.iter().map(ios).collect::<Vec<_>>(), most, interval)
        };
        let both = pairs.iter().map(|(read, write)| read.ios + write.ios);
        let used = &pairs[..used(both, most)];
        let step = |(number, (read, write)): (u64, &(Interval, Interval))| Step {
            end_ms: number * (interval.0 / 1_000_000),
            read: side(read, interval),
            write: side(write, interval),
        };
        Series {
            read_std_dev: deviation(|(read, _)| read.ios),
            write_std_dev: deviation(|(_, write)| write.ios),
            total_std_dev: deviation(|(read, write)| read.ios + write.ios),
            steps: (1..).zip(used).map(step).collect(),
        }
    }
}

fn add_steps(sum: &mut Vec<Interval>, steps: &[Interval]) {
    if sum.len() < steps.len() {
        sum.resize(steps.len(), Interval::default());
    }
    for (mine, step) in sum.iter_mut().zip(steps) {
        mine.merge(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use proptest::prelude::*;

    fn steps(counts: &[u64]) -> Vec<Interval> {
        counts
            .iter()
            .map(|&ios| Interval {
                ios,
                ..Interval::default()
            })
            .collect()
    }

    fn step(latencies: &[u64]) -> Interval {
        let mut step = Interval::default();
        for &ns in latencies {
            step.record(Bytes(512), Nanos(ns));
        }
        step
    }

    fn deviation(counts: &[u64], interval: Nanos) -> Option<f64> {
        iops_std_dev(counts, counts.len(), interval)
    }

    /// Cases S009, S010, S013 and S014.
    #[test]
    fn trailing_empty_steps_do_not_count_and_middle_ones_do() {
        let second = Nanos::seconds(1);
        assert_eq!(deviation(&[1, 2], second), Some(0.5));
        assert_eq!(
            deviation(&[2, 0, 1], second),
            deviation(&[2, 0, 1, 0, 0], second)
        );
        assert_eq!(
            deviation(&[5, 5, 5, 5, 0, 0, 0, 0, 0, 0], second),
            Some(0.0)
        );
        let half = deviation(&[1, 0, 1], Nanos::millis(500)).unwrap();
        assert_eq!(format!("{half:.2}"), "0.94");
        assert_eq!(deviation(&[0, 0], second), None);
    }

    /// Case S008: steps of 10 ms, four of them valid; what completed at 45 ms is in none, but ends the trail.
    #[test]
    fn a_step_has_its_figures_and_a_late_completion_only_ends_the_trail() {
        let mut sum = Sum::default();
        let late = [
            step(&[1, 2]),
            step(&[3, 5]),
            step(&[]),
            step(&[]),
            step(&[4]),
        ];
        sum.add(&late, &[]);
        let series = sum.series(Nanos::millis(10), 4);
        let reported = series.steps.iter().map(|s| {
            let StepSide {
                rate_per_s,
                max_ns,
                mean_ns,
                min_ns,
                std_dev_ns,
            } = s.read;
            (
                s.end_ms,
                rate_per_s,
                [min_ns, Some(max_ns)],
                mean_ns,
                std_dev_ns,
            )
        });
        assert_eq!(
            reported.collect::<Vec<_>>(),
            [
                (10, 200.0, [Some(1), Some(2)], 1.5, Some(0.5)),
                (20, 200.0, [Some(3), Some(5)], 4.0, Some(1.0)),
                (30, 0.0, [Some(0), Some(0)], 0.0, Some(0.0)),
                (40, 0.0, [Some(0), Some(0)], 0.0, Some(0.0)),
            ]
        );
        assert_eq!(
            series.read_std_dev,
            Some(100.0),
            "2 2 0 0: one I/O, a hundred times a second"
        );
    }

    /// Cases S012 and S016: the original takes the 0 of an empty step for a latency.
    #[test]
    fn an_empty_step_changes_no_minimum() {
        let mut sum = Sum::default();
        sum.add(&[step(&[])], &[]);
        sum.add(&[step(&[110])], &[]);
        assert_eq!(
            sum.series(Nanos::seconds(1), 1).steps[0].read.min_ns,
            Some(110)
        );
    }

    /// Records of the first version have neither: that is not a latency of 0.
    #[test]
    fn what_the_record_does_not_keep_is_not_reported() {
        let old = Interval {
            latency_spread: None,
            ..step(&[1, 2, 3])
        };
        let mut sum = Sum::default();
        sum.add(&[old, Interval::default()], &[step(&[4])]);
        sum.add(&[step(&[7])], &[]);
        let steps = sum.series(Nanos::seconds(1), 2).steps;
        let read = steps[0].read;
        assert_eq!((read.min_ns, read.std_dev_ns), (None, None));
        assert_eq!((read.max_ns, read.mean_ns), (7, 3.25));
        let write = steps[0].write;
        assert_eq!((write.min_ns, write.std_dev_ns), (Some(4), Some(0.0)));
    }

    /// Where the mean of squares less the square of the mean, in floats, would give 0 or worse.
    #[test]
    fn the_deviation_of_long_and_nearly_equal_latencies_is_exact() {
        let slow = 3_600_000_000_000; // an hour
        let mut sum = Sum::default();
        sum.add(&[step(&[slow, slow + 2])], &[step(&[slow; 3])]);
        let step = sum.series(Nanos::seconds(1), 1).steps[0];
        assert_eq!(step.read.std_dev_ns, Some(1.0));
        assert_eq!(step.write.std_dev_ns, Some(0.0));
    }

    proptest! {
        #[test]
        fn a_step_of_several_threads_has_the_figures_of_all_their_ios(
            threads in prop::collection::vec(prop::collection::vec(0u64..1 << 42, 0..9), 1..9),
        ) {
            let mut sum = Sum::default();
            for latencies in &threads {
                sum.add(&[step(latencies)], &[]);
            }
            let all: Vec<u64> = threads.concat();
            prop_assume!(!all.is_empty());
            let reported = sum.series(Nanos::seconds(1), 1).steps[0].read;
            prop_assert_eq!(reported.min_ns, all.iter().copied().min());
            prop_assert_eq!(Some(reported.max_ns), all.iter().copied().max());
            let count = all.len() as f64;
            let squares: f64 = all.iter().map(|&ns| (ns as f64 - reported.mean_ns).powi(2)).sum();
            let exact = (squares / count).sqrt();
            prop_assert!((reported.std_dev_ns.unwrap() - exact).abs() <= exact * 1e-9 + 1e-3);
        }
    }

    #[test]
    fn a_series_is_as_long_as_its_longer_direction_and_no_longer_than_planned() {
        let mut sum = Sum::default();
        sum.add(&steps(&[1, 0, 1, 0]), &steps(&[1, 1]));
        let series = sum.series(Nanos::seconds(1), 10);
        assert_eq!(series.steps.len(), 3);
        assert_eq!(series.write_std_dev, Some(0.0));
        assert_eq!(sum.series(Nanos::seconds(1), 2).steps.len(), 2);
    }
}
