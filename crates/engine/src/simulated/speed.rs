//! How much slower than planned a simulated device is at a moment: what drifts, drops, wanders and pauses.

use super::service_time::{normal, uniform};
use crate::rng::Rng;
use model::{Nanos, SimulatedDevice};

/// The walk of the speed takes a step in so long, and keeps this much of where it was.
const STEP: Nanos = Nanos::millis(100);
const KEPT: f64 = 0.9;
const NS_PER_MINUTE: f64 = 60e9;
/// The walk's random numbers lie this far from those of the device.
const STREAM: u64 = 5 << 61;
/// Those of the moments of pauses.
const PAUSES: u64 = 7 << 61;

/// The speed of one device over time.
#[derive(Clone, Debug)]
pub(super) struct Speed {
    is: SimulatedDevice,
    seed: u64,
    steady: bool, // nothing but pauses
    rng: Rng,
    walk: f64, // logarithm of the slowness
    step_at: Nanos,
    age: Nanos, // at the start of the run
    phase: f64, // of the first period of pauses, what lies before the session
    late: Late,
}

/// How late the pause of a period begins.
#[derive(Clone, Copy, Debug, Default)]
struct Late {
    period: u64,
    by: f64,
}

impl Speed {
    pub(super) fn new(is: &SimulatedDevice, seed: u64, number: u64) -> Self {
        let faults = &is.faults;
        let even = faults.drift == 0 && faults.drop == 0 && faults.noise == 0;
        let mut speed = Speed {
            is: *is,
            seed: seed.wrapping_add(number),
            steady: even && is.uneven.swing == 0,
            late: Late::default(),
            rng: Rng::new(seed, STREAM.wrapping_add(number)),
            walk: 0.0,
            step_at: STEP,
            age: Nanos(0),
            phase: 0.0,
        };
        if faults.pause_every.0 > 0 {
            let mut rng = Rng::new(seed.wrapping_add(number), PAUSES.wrapping_sub(1));
            speed.phase = faults.pause_every.0 as f64 * uniform(&mut rng);
        }
        speed.walk = speed.deviation() * normal(&mut speed.rng);
        speed
    }

    /// Goes on with drift, drop and pauses from where earlier runs of the session ended.
    pub(super) fn of_age(self, age: Nanos) -> Self {
        Speed { age, ..self }
    }

    fn deviation(&self) -> f64 {
        self.is.faults.noise as f64 / 100.0
    }

    /// By what all times are multiplied. Moments never go back by more than a step.
    #[inline]
    pub(super) fn slowness(&mut self, at: Nanos) -> f64 {
        if self.steady {
            return 1.0;
        }
        self.unsteady(at)
    }

    fn unsteady(&mut self, at: Nanos) -> f64 {
        while self.is.faults.noise > 0 && self.step_at <= at {
            let fresh = (1.0 - KEPT * KEPT).sqrt() * self.deviation();
            self.walk = KEPT * self.walk + fresh * normal(&mut self.rng);
            self.step_at = self.step_at.plus(STEP);
        }
        let mut slow = self.walk.exp();
        let at = at.plus(self.age);
        slow *= 1.0 + self.is.faults.drift as f64 / 100.0 * at.0 as f64 / NS_PER_MINUTE;
        if self.is.faults.drop > 0 && at >= self.is.faults.drop_at {
            slow /= 1.0 - self.is.faults.drop as f64 / 100.0;
        }
        let every = self.is.uneven.swing_every.0;
        if every > 0 && at.0 % every >= every / 2 {
            slow /= 1.0 - self.is.uneven.swing as f64 / 100.0;
        }
        slow
    }

    /// What would be done in a pause is done when it ends. At which moment of a period a session begins is drawn: else a survey, whose
    /// runs are shorter than a period, never has a pause.
    #[inline]
    pub(super) fn after_pause(&mut self, done: f64) -> f64 {
        let every = self.is.faults.pause_every.0;
        if every == 0 {
            return done;
        }
        let at = done + self.age.0 as f64 + self.phase;
        let into = at % every as f64 - self.late_in((at / every as f64) as u64);
        match into < 0.0 {
            true => done,
            false => done + (self.is.faults.pause.0 as f64 - into).max(0.0),
        }
    }

    /// Returns how long after its start the pause of this period begins.
    fn late_in(&mut self, period: u64) -> f64 {
        if self.is.uneven.pause_jitter > 0 && self.late.period != period {
            let mut rng = Rng::new(self.seed, PAUSES.wrapping_add(period));
            let left = self.is.faults.pause_every.minus(self.is.faults.pause).0 as f64;
            let by = left * self.is.uneven.pause_jitter as f64 / 100.0 * uniform(&mut rng);
            self.late = Late { period, by };
        }
        self.late.by
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{SimulatedFaults, SimulatedModel};

    fn speed(change: impl FnOnce(&mut SimulatedFaults)) -> Speed {
        let mut device = SimulatedModel::Ssd.device();
        change(&mut device.faults);
        Speed::new(&device, 1, 0)
    }

    #[test]
    fn what_is_wrong_comes_when_it_is_said() {
        let mut drop = speed(|f| (f.drop, f.drop_at) = (50, Nanos::seconds(3)));
        let at = [2, 3, 9].map(|second| drop.slowness(Nanos::seconds(second)));
        assert_eq!(at, [1.0, 2.0, 2.0]);
        let mut drift = speed(|f| f.drift = 30);
        assert_eq!(drift.slowness(Nanos::seconds(120)), 1.6);
        let mut aged = speed(|f| f.drift = 30).of_age(Nanos::seconds(60));
        assert_eq!(aged.slowness(Nanos::seconds(60)), 1.6);
        let mut pause = speed(|f| (f.pause, f.pause_every) = (Nanos(10), Nanos(100)));
        pause.phase = 0.0;
        let done = [5.0, 95.0, 100.0, 104.0, 110.0, 205.0].map(|at| pause.after_pause(at));
        assert_eq!(done, [10.0, 95.0, 110.0, 110.0, 110.0, 210.0]);
        pause.phase = 30.0;
        let mut later = pause.of_age(Nanos(1000));
        assert_eq!(
            [65.0, 70.0, 75.0, 80.0].map(|at| later.after_pause(at)),
            [65.0, 80.0, 80.0, 80.0]
        );
    }

    #[test]
    fn a_swing_is_slow_in_each_second_half_and_a_pause_may_begin_late() {
        let mut device = SimulatedModel::Ssd.device();
        (device.uneven.swing, device.uneven.swing_every) = (75, Nanos(100));
        let mut speed = Speed::new(&device, 1, 0);
        assert_eq!(
            [0, 49, 50, 99, 100].map(|at| speed.slowness(Nanos(at))),
            [1.0, 1.0, 4.0, 4.0, 1.0]
        );
        (device.faults.pause, device.faults.pause_every) = (Nanos(10), Nanos(100));
        device.uneven.pause_jitter = 100;
        let mut late = Speed::new(&device, 1, 0);
        late.phase = 0.0;
        let mut begins = |period: u64| {
            let moments = (0..100).map(|at| (period * 100 + at) as f64);
            let mut held = moments.filter(|at| late.after_pause(*at) > *at);
            let first = held.next().unwrap();
            (first, 1 + held.count())
        };
        let begun: Vec<(f64, usize)> = (1..20).map(&mut begins).collect();
        assert!(begun.iter().all(|(_, length)| *length == 10), "{begun:?}");
        let mut places: Vec<u64> = begun.iter().map(|(at, _)| *at as u64 % 100).collect();
        places.dedup();
        assert!(places.len() > 15, "{begun:?}");
    }

    #[test]
    fn runs_of_a_session_find_a_pause_as_often_as_it_lasts() {
        let mut device = SimulatedModel::Ssd.device();
        (device.faults.pause, device.faults.pause_every) = (Nanos::millis(250), Nanos::seconds(5));
        let with_pause = |seed, age| {
            let mut speed = Speed::new(&device, seed, 0).of_age(age);
            (0..100).any(|step| {
                let at = f64::from(step) * 1e7; // a run of one second
                speed.after_pause(at) > at
            })
        };
        let runs = |of: &dyn Fn(u64) -> bool| (0..1000).filter(|number| of(*number)).count();
        let expected = 220..=280; // a quarter: the run and the pause, of the period
        let drawn = runs(&|seed| with_pause(seed, Nanos(0)));
        assert!(expected.contains(&drawn), "{drawn} of 1000 seeds");
        let aged = runs(&|run| with_pause(0, Nanos::millis(1_013 * run)));
        assert!(
            expected.contains(&aged),
            "{aged} of 1000 runs of one session"
        );
    }

    #[test]
    fn the_walk_is_as_wide_as_it_is_said() {
        let mut noisy = speed(|f| f.noise = 20);
        let walk: Vec<f64> = (0..20_000)
            .map(|step| noisy.slowness(Nanos::millis(100 * step)).ln())
            .collect();
        let squares: f64 = walk.iter().map(|x| x * x).sum();
        let found = (squares / walk.len() as f64).sqrt();
        assert!((found - 0.2).abs() < 0.01, "{found}");
    }
}
