//! When the I/Os of one thread are to start: a pure function of seed, rate and thread.
//!
//! Constant: of all arrivals of the run the n-th is at n / rate, and thread *t* of *T* has the t-th, the (t+T)-th and so
//! on, so that the threads together are one even stream. Poisson: each thread draws exponential gaps of mean T / rate
//! from a stream of its own; together they are a Poisson process of the whole rate (superposition: Kingman, Poisson
//! Processes, section 2.2). What is left of a nanosecond is carried on, so that nothing is lost however long a run is.
//! Other tools round each gap to whole microseconds and are 2 to 44% too fast. Deliberately absent: the clock, and
//! what a worker does about an arrival that is late.

use crate::rng::Rng;
use model::{Arrivals, Nanos, Plan, Spacing, Waiting};

const NS_PER_S: u64 = 1_000_000_000;
/// Streams of gaps lie this far from those of offsets.
const STREAM: u64 = 1 << 63;

/// One thread's endless list of moments.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    next: Nanos,
    gaps: Gaps,
    mean_ns: f64,
}

#[derive(Clone, Debug)]
enum Gaps {
    /// `whole` nanoseconds and `part` of `per_s` parts of one; `left` parts are carried.
    Even {
        whole: u64,
        part: u64,
        left: u64,
        per_s: u64,
    },
    /// `left` is in [0, 1).
    Random { rng: Rng, left: f64 },
    /// Those of a trace, which are set one by one.
    Recorded,
}

impl Moments {
    /// Those of one thread of a plan that has a rate.
    pub(crate) fn of(plan: &Plan, thread: u32) -> Option<Self> {
        let arrivals = plan.arrivals?;
        Some(Moments::new(arrivals, plan.seed, thread, plan.threads()))
    }

    /// Those that are set one by one.
    pub(crate) fn set_one_by_one() -> Self {
        Moments {
            next: Nanos(0),
            gaps: Gaps::Recorded,
            mean_ns: 1.0,
        }
    }

    /// Those of a thread that has a rate for itself.
    pub(crate) fn of_thread(arrivals: Arrivals, seed: u64, thread: u32) -> Self {
        Moments::new(arrivals, seed.wrapping_add(u64::from(thread) << 32), 0, 1)
    }

    fn new(arrivals: Arrivals, seed: u64, thread: u32, threads: u32) -> Self {
        let per_s = arrivals.per_s;
        let every = u64::from(threads) * NS_PER_S; // times 1 / rate
        let mean_ns = every as f64 / per_s as f64;
        let (next, gaps) = match arrivals.spacing {
            Spacing::Constant => {
                let first = u64::from(thread) * NS_PER_S;
                let gaps = Gaps::Even {
                    whole: every / per_s,
                    part: every % per_s,
                    left: first % per_s,
                    per_s,
                };
                (Nanos(first / per_s), gaps)
            }
            Spacing::Poisson => {
                let rng = Rng::new(seed, STREAM + u64::from(thread));
                (Nanos(0), Gaps::Random { rng, left: 0.0 })
            }
            Spacing::Recorded => (Nanos::MAX, Gaps::Recorded),
        };
        let poisson = matches!(gaps, Gaps::Random { .. });
        let mut moments = Moments {
            next,
            gaps,
            mean_ns,
        };
        if poisson {
            moments.take(); // no I/O arrives at the moment of opening
        }
        moments
    }

    /// The next one, which stays so until it is taken.
    #[inline]
    pub(crate) fn next(&self) -> Nanos {
        self.next
    }

    /// Sets the next one, of a trace.
    #[inline]
    pub(crate) fn set_next(&mut self, next: Nanos) {
        self.next = next;
    }

    /// Takes the next one.
    #[inline]
    pub(crate) fn take(&mut self) -> Nanos {
        let gap = match &mut self.gaps {
            Gaps::Even {
                whole,
                part,
                left,
                per_s,
            } => {
                *left += *part;
                let carry = *left >= *per_s;
                *left -= if carry { *per_s } else { 0 };
                *whole + u64::from(carry)
            }
            Gaps::Random { rng, left } => {
                let gap = self.mean_ns * exponential(rng.bits()) + *left;
                *left = gap.fract();
                gap as u64
            }
            Gaps::Recorded => 0,
        };
        let taken = self.next;
        self.next = taken.plus(Nanos(gap));
        taken
    }

    /// Those before `moment` that no worker has taken: how many, and for how long the first has waited. Random ones are
    /// not drawn for it: their number is what is expected.
    pub(crate) fn waiting_at(&self, moment: Nanos) -> Waiting {
        if self.next >= moment {
            return Waiting::default();
        }
        let late = moment.minus(self.next);
        Waiting {
            ios: ((late.0 as f64 / self.mean_ns).ceil() as u64).max(1),
            late,
        }
    }
}

/// A draw of the exponential distribution of mean 1, by inversion of 53 of these bits. // in [0, 36.8)
#[inline]
fn exponential(bits: u64) -> f64 {
    let uniform = ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64; // in (0, 1]
    minus_ln(uniform)
}

/// −ln of a normal number in (0, 1], to 1e-14. Our own, from additions, multiplications and one division alone, because
/// a system's logarithm may differ in its last bits from the next system's, and the same seed is to mean the same run.
/// Method: x = m 2^e with m in [√½, √2), ln m = 2 artanh((m − 1) / (m + 1)), as a series (Abramowitz and Stegun, 4.1.27).
#[inline]
fn minus_ln(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits(bits & MANTISSA | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    // s is at most 0.172: the first term omitted is below 1e-17.
    let series = (0..10).rev().fold(0.0, |sum, term| {
        sum * square + 1.0 / f64::from(2 * term + 1)
    });
    -(f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * s * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(per_s: u64, spacing: Spacing, thread: u32, threads: u32) -> Moments {
        Moments::new(Arrivals { per_s, spacing }, 7, thread, threads)
    }

    #[test]
    fn the_threads_together_are_one_even_stream() {
        for (per_s, threads) in [(1, 1), (3, 2), (50_000, 3), (999_999_937, 7), (10, 64)] {
            let each = (0..threads).map(|t| moments(per_s, Spacing::Constant, t, threads));
            let mut each: Vec<Moments> = each.collect();
            for n in 0..10_000u64 {
                let exact = u128::from(n) * u128::from(NS_PER_S) / u128::from(per_s);
                let found = each[(n % u64::from(threads)) as usize].take();
                assert_eq!(u128::from(found.0), exact, "{per_s}/s, {threads}, {n}");
            }
        }
    }

    #[test]
    fn a_constant_rate_is_exact_after_millions_of_carries() {
        let mut moments = moments(999_983, Spacing::Constant, 0, 1);
        let count = 2_000_000u64;
        for _ in 0..count {
            moments.take();
        }
        let exact = u128::from(count) * u128::from(NS_PER_S) / 999_983;
        assert_eq!(u128::from(moments.next().0), exact);
    }

    #[test]
    fn the_same_seed_and_thread_give_the_same_moments_and_others_do_not() {
        let first = |seed, thread| {
            let arrivals = Arrivals {
                per_s: 1_000_000,
                spacing: Spacing::Poisson,
            };
            let mut moments = Moments::new(arrivals, seed, thread, 2);
            [(); 4].map(|()| moments.take().0)
        };
        assert_eq!(first(7, 0), first(7, 0));
        assert_ne!(first(7, 0), first(8, 0));
        assert_ne!(first(7, 0), first(7, 1));
        assert_eq!(first(7, 0), PINNED, "these never change");
    }

    const PINNED: [u64; 4] = [436, 1584, 2299, 2912];

    /// Mean within five standard deviations of itself, variance as it belongs to an exponential distribution, and
    /// nothing lost by rounding at two I/Os a microsecond.
    #[test]
    fn poisson_gaps_are_exponential_and_keep_their_rate() {
        for (per_s, count) in [(100u64, 200_000u32), (2_000_000, 1_000_000)] {
            let mut moments = moments(per_s, Spacing::Poisson, 0, 1);
            let (mut last, mut squares, mut above) = (0, 0.0, 0u32);
            let mean = NS_PER_S as f64 / per_s as f64;
            for _ in 0..count {
                let now = moments.take().0;
                let gap = (now - last) as f64 / mean;
                (last, squares) = (now, squares + gap * gap);
                above += u32::from(gap > 1.0);
            }
            let n = f64::from(count);
            let rate = n / (last as f64 / NS_PER_S as f64) / per_s as f64;
            assert!((rate - 1.0).abs() < 5.0 / n.sqrt(), "{rate}");
            assert!((squares / n - 2.0).abs() < 5.0 * (20.0 / n).sqrt());
            let share = f64::from(above) / n;
            assert!((share - (-1.0f64).exp()).abs() < 0.005, "{share}");
        }
    }

    #[test]
    fn the_logarithm_is_the_systems_to_fourteen_digits() {
        let mut rng = Rng::new(1, 1);
        for _ in 0..10_000 {
            let x = ((rng.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
            let error = (minus_ln(x) + x.ln()).abs();
            assert!(error <= 1e-14 * x.ln().abs().max(1.0), "{x}: {error}");
        }
        assert_eq!(minus_ln(1.0), 0.0);
        let (largest, smallest) = (exponential(0), exponential(u64::MAX));
        assert!(largest < 36.8 && smallest == 0.0);
    }

    #[test]
    fn those_that_wait_are_counted_without_being_taken() {
        let mut moments = moments(1000, Spacing::Constant, 0, 1);
        assert_eq!(moments.waiting_at(Nanos(0)), Waiting::default());
        let waiting = |ios, late| Waiting { ios, late };
        assert_eq!(moments.waiting_at(Nanos(1)), waiting(1, Nanos(1)));
        moments.take();
        moments.take(); // 0 and 1 ms
        let found = moments.waiting_at(Nanos::millis(10));
        assert_eq!(found, waiting(8, Nanos::millis(8))); // 2, 3 … 9 ms
        assert_eq!(moments.next(), Nanos::millis(2));
    }
}
