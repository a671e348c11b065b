//! Processor use in percent of the time that each processor's counters saw.
//!
//! Kernel time includes interrupts and what the hypervisor took, user time includes niced programs, idle time includes
//! waiting for I/O. Source of the counters: proc_stat(5).

use super::system::CpuPlace;
use model::{CounterWindow, CpuTimes};

/// What one processor did in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuUse {
    /// Which.
    pub place: CpuPlace,
    /// How busy.
    pub shares: CpuShares,
}

/// Percent of the time. // each in [0, 100]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuShares {
    /// User and kernel together.
    pub usage: f64,
    /// In programs.
    pub user: f64,
    /// In the kernel.
    pub kernel: f64,
    /// Doing nothing.
    pub idle: f64,
}

impl Default for CpuShares {
    /// All idle: reported for a processor whose counters did not change.
    fn default() -> Self {
        CpuShares {
            usage: 0.0,
            user: 0.0,
            kernel: 0.0,
            idle: 100.0,
        }
    }
}

impl CpuShares {
    pub(crate) fn of(times: &CpuTimes) -> CpuShares {
        let all = times.total().0 as f64;
        if all == 0.0 {
            return CpuShares::default();
        }
        let percent = |ns: u64| ns as f64 / all * 100.0;
        let (user, kernel) = (
            percent(times.user.0),
            percent(times.kernel.0 + times.steal.0),
        );
        CpuShares {
            usage: user + kernel,
            user,
            kernel,
            idle: percent(times.idle.0),
        }
    }

    /// The plain mean over processors; all idle where there are none.
    pub fn mean(of: &[CpuUse]) -> CpuShares {
        if of.is_empty() {
            return CpuShares::default();
        }
        let mean = |share: fn(&CpuShares) -> f64| {
            of.iter().map(|cpu| share(&cpu.shares)).sum::<f64>() / of.len() as f64
        };
        CpuShares {
            usage: mean(|s| s.usage),
            user: mean(|s| s.user),
            kernel: mean(|s| s.kernel),
            idle: mean(|s| s.idle),
        }
    }
}

/// Each processor of `places`, in their order; all idle where it was not read at both ends.
pub(super) fn uses(places: &[CpuPlace], window: &CounterWindow) -> Vec<CpuUse> {
    let seen = window.cpus();
    let use_of = |place: &CpuPlace| {
        let times = seen.iter().find(|times| times.cpu == place.cpu);
        CpuUse {
            place: *place,
            shares: times.map(CpuShares::of).unwrap_or_default(),
        }
    };
    places.iter().map(use_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn times(user: u64, kernel: u64, idle: u64, steal: u64) -> CpuTimes {
        let [user, kernel, idle, steal] = [user, kernel, idle, steal].map(Nanos);
        CpuTimes {
            cpu: 0,
            user,
            kernel,
            idle,
            steal,
            ..CpuTimes::default()
        }
    }

    /// Cases S017, S018 and S020. Kernel time here is without idle time, as Linux counts it.
    #[test]
    fn percentages_are_of_the_counted_time_and_averages_are_plain_means() {
        let busy = CpuShares::of(&times(30, 25, 45, 0));
        assert_eq!(
            busy,
            CpuShares {
                usage: 55.0,
                user: 30.0,
                kernel: 25.0,
                idle: 45.0
            }
        );
        assert_eq!(CpuShares::of(&times(0, 0, 0, 0)).idle, 100.0);
        let [first, idle] = [busy, CpuShares::default()].map(|shares| CpuUse {
            shares,
            ..CpuUse::default()
        });
        let mean = CpuShares::mean(&[first, idle, idle]);
        let reported =
            [mean.usage, mean.user, mean.kernel, mean.idle].map(|share| format!("{share:.2}"));
        assert_eq!(reported, ["18.33", "10.00", "8.33", "81.67"]);
    }

    #[test]
    fn time_that_the_hypervisor_took_was_not_idle() {
        assert_eq!(CpuShares::of(&times(0, 10, 80, 10)).kernel, 20.0);
    }
}
