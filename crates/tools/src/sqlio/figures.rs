//! A run as SQLIO reports it: rates, latencies with a histogram of whole milliseconds, and processor use.
//!
//! The figures are ours, in nanoseconds and unrounded where SQLIO rounds; what is cut off or rounded is the view's. Times
//! are the true ones: a run that was stopped is divided by how long it was, as SQLIO does. Deliberately absent: the time
//! to start an I/O, which is not measured.

use crate::diskspd::figures::CpuShares;
use model::{CpuTimes, LatencyHistogram, RunRecord};

/// Columns of the histogram: 0 to 23 ms, and 24 ms or more.
pub const COLUMNS: usize = 25;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// IOPS over the measured time.
    pub ios_per_s: f64,
    /// Bytes a second over the measured time.
    pub bytes_per_s: f64,
    /// None where no I/O completed.
    pub latency: Option<Latency>,
    /// How busy the processors were.
    pub processors: Processors,
}

/// Latencies of all I/Os.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Exact smallest.
    pub min_ns: u64,
    /// Exact mean.
    pub mean_ns: f64,
    /// Exact largest.
    pub max_ns: u64,
    /// Share of the I/Os of each column in whole percent, rounded. The columns may not add up to 100.
    pub percents: [u32; COLUMNS],
}

/// How busy the processors were while it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Processors {
    /// The plain mean over all.
    pub all: Use,
    /// Each with its number, in ascending order.
    pub each: Vec<(u32, Use)>,
    /// Of all together; none where the system does not report it.
    pub interrupts_per_s: Option<f64>,
}

/// Percent of the time of one processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// In what interrupts left for later; none where the system does not report it.
    pub dpc: Option<f64>,
    /// In interrupts; none where the system does not report it.
    pub interrupt: Option<f64>,
    /// In the kernel, both of them included, and taken by the hypervisor.
    pub privileged: f64,
    /// Not idle.
    pub processor: f64,
    /// In programs.
    pub user: f64,
}

/// The figures of a record.
pub fn figures(record: &RunRecord) -> Figures {
    let total = record.total();
    let seconds = record.phases.measured().as_seconds();
    let per_s = |count: u64| {
        if seconds > 0.0 {
            count as f64 / seconds
        } else {
            0.0
        }
    };
    Figures {
        ios_per_s: per_s(total.ios),
        bytes_per_s: per_s(total.bytes.0),
        latency: latency(&total.latency),
        processors: processors(record),
    }
}

fn latency(histogram: &LatencyHistogram) -> Option<Latency> {
    Some(Latency {
        min_ns: histogram.min()?.0,
        mean_ns: histogram.mean_ns()?,
        max_ns: histogram.max()?.0,
        percents: percents(histogram),
    })
}

/// A bucket that lies across a whole millisecond counts where its middle is: it is at most 0.4 % wide, so no latency is
/// taken for one that differs by more.
fn percents(histogram: &LatencyHistogram) -> [u32; COLUMNS] {
    let mut counts = [0u64; COLUMNS];
    for (low, high, count) in histogram.buckets() {
        let middle = low.0 + (high.0 - low.0) / 2;
        let column = (middle / 1_000_000).min(COLUMNS as u64 - 1);
        counts[column as usize] += count;
    }
    let all = u128::from(histogram.count().max(1));
    counts.map(|count| ((u128::from(count) * 200 + all) / (2 * all)) as u32)
}

fn processors(record: &RunRecord) -> Processors {
    let mut cpus = record.window.cpus();
    cpus.sort_by_key(|times| times.cpu);
    let each: Vec<(u32, Use)> = cpus.iter().map(|times| (times.cpu, used(times))).collect();
    let seconds = record.window.elapsed().as_seconds();
    let interrupts = record.window.interrupts().filter(|_| seconds > 0.0);
    Processors {
        all: mean(&each),
        each,
        interrupts_per_s: interrupts.map(|count| count as f64 / seconds),
    }
}

fn used(times: &CpuTimes) -> Use {
    let shares = CpuShares::of(times);
    let all = times.total().0 as f64;
    let percent = |part: u64| {
        if all > 0.0 {
            part as f64 / all * 100.0
        } else {
            0.0
        }
    };
    Use {
        dpc: times.softirq.map(|part| percent(part.0)),
        interrupt: times.irq.map(|part| percent(part.0)),
        privileged: shares.kernel,
        processor: shares.usage,
        user: shares.user,
    }
}

fn mean(each: &[(u32, Use)]) -> Use {
    let count = each.len().max(1) as f64;
    let of = |share: fn(&Use) -> f64| each.iter().map(|(_, one)| share(one)).sum::<f64>() / count;
    let known = |share: fn(&Use) -> Option<f64>| {
        let all: Option<Vec<f64>> = each.iter().map(|(_, one)| share(one)).collect();
        all.filter(|shares| !shares.is_empty())
            .map(|shares| shares.iter().sum::<f64>() / count)
    };
    Use {
        dpc: known(|one| one.dpc),
        interrupt: known(|one| one.interrupt),
        privileged: of(|one| one.privileged),
        processor: of(|one| one.processor),
        user: of(|one| one.user),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn of(latencies_us: &[u64]) -> Latency {
        let mut histogram = LatencyHistogram::new();
        for us in latencies_us {
            histogram.record(Nanos::micros(*us));
        }
        latency(&histogram).unwrap()
    }

    #[test]
    fn a_column_is_a_whole_millisecond_and_the_last_is_open() {
        let reported = of(&[100, 900, 1500, 23_900, 24_100, 60_000_000]);
        assert_eq!((reported.percents[0], reported.percents[1]), (33, 17));
        assert_eq!((reported.percents[23], reported.percents[24]), (17, 33));
        assert_eq!(reported.percents[2..23], [0; 21]);
        assert_eq!(
            (reported.min_ns, reported.max_ns),
            (100_000, 60_000_000_000)
        );
    }

    #[test]
    fn percents_are_rounded_and_need_not_add_up() {
        let many: Vec<u64> = (0..1000).map(|n| if n < 4 { 1500 } else { 500 }).collect();
        let reported = of(&many);
        assert_eq!((reported.percents[0], reported.percents[1]), (100, 0));
        assert_eq!(of(&[500]).percents[0], 100);
        assert_eq!(latency(&LatencyHistogram::new()), None);
    }

    #[test]
    fn what_one_processor_does_not_tell_is_not_known_of_all() {
        let one = |softirq| {
            used(&CpuTimes {
                kernel: Nanos(50),
                idle: Nanos(50),
                softirq,
                ..CpuTimes::default()
            })
        };
        let known = one(Some(Nanos(20)));
        assert_eq!(
            (known.dpc, known.interrupt, known.privileged),
            (Some(20.0), None, 50.0)
        );
        assert_eq!(
            mean(&[(0, known), (1, one(Some(Nanos(0))))]).dpc,
            Some(10.0)
        );
        assert_eq!(mean(&[(0, known), (1, one(None))]).dpc, None);
        assert_eq!(mean(&[]).dpc, None);
    }
}
