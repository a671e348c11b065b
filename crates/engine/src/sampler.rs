//! Reads the machine's counters now and then in the measured phase, on the control plane's thread.
//!
//! A reading takes some tens of microseconds on a small machine, and more with many cores, so there are at most two a
//! second and a thousand a run, each at the end of a step of the plan or of several. Omitted: judging them.

use host::CounterReader;
use model::{Counters, Nanos, Plan, Sample};

/// The shortest time between two samples.
const EVERY_MIN: Nanos = Nanos::millis(500);
/// The most samples of a run.
const SAMPLES_MAX: u64 = 1000;

/// The samples so far, and when the next is due.
pub(crate) struct Sampler<'a> {
    reader: &'a mut CounterReader,
    every: Nanos,
    due: Nanos, // MAX outside the measured phase
    last: Counters,
    samples: Vec<Sample>,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(plan: &Plan, reader: &'a mut CounterReader) -> Self {
        Sampler {
            reader,
            every: every(plan),
            due: Nanos::MAX,
            last: Counters::default(),
            samples: Vec::new(),
        }
    }

    /// When the next sample is due; `MAX` for never.
    pub(crate) fn due(&self) -> Nanos {
        self.due
    }

    /// A reading that is no sample.
    pub(crate) fn read(&mut self, now: &mut dyn FnMut() -> Nanos) -> Counters {
        self.reader.read(now)
    }

    /// The measured phase began at `from`, with this reading.
    pub(crate) fn begin(&mut self, from: Nanos, reading: &Counters) {
        self.last = reading.clone();
        self.due = from.plus(self.every);
    }

    /// Takes the sample that is due. Those that were missed meanwhile are omitted: the stretch is as long as it was.
    pub(crate) fn take(&mut self, now: &mut dyn FnMut() -> Nanos) {
        let reading = self.reader.read(now);
        let missed = reading.begun.minus(self.due).0 / self.every.0;
        self.due = self
            .due
            .plus(Nanos((missed + 1).saturating_mul(self.every.0)));
        self.add(reading);
    }

    /// The measured phase ended with this reading; none is due any more.
    pub(crate) fn end(&mut self, reading: &Counters) {
        self.add(reading.clone());
        self.due = Nanos::MAX;
    }

    pub(crate) fn into_samples(self) -> Vec<Sample> {
        self.samples
    }

    fn add(&mut self, reading: Counters) {
        let (dirty, writeback) = self.reader.waiting_writes();
        if reading.begun > self.last.begun {
            self.samples.push(Sample {
                dirty,
                writeback,
                ..Sample::between(&self.last, &reading)
            });
        }
        self.last = reading;
    }
}

/// From one sample to the next: a whole number of steps.
pub(crate) fn every(plan: &Plan) -> Nanos {
    let (step, measured) = (plan.interval.0, plan.phases.measured.0);
    let shared = EVERY_MIN.0.div_ceil(step);
    let few = measured.div_ceil(step).div_ceil(SAMPLES_MAX);
    Nanos(step.saturating_mul(shared.max(few).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::{plan, planned};
    use host::Root;

    #[test]
    fn samples_are_neither_many_nor_close() {
        let mut run = plan(&[planned()]);
        for (measured, step, expected) in [
            (Nanos::seconds(120), Nanos::seconds(1), Nanos::seconds(1)),
            (Nanos::seconds(1), Nanos::millis(30), Nanos::millis(510)),
            (Nanos::seconds(3600), Nanos::seconds(1), Nanos::seconds(4)),
            (Nanos::millis(5), Nanos(1), Nanos::millis(500)),
        ] {
            (run.phases.measured, run.interval) = (measured, step);
            assert_eq!(every(&run), expected);
        }
    }

    #[test]
    fn a_sample_that_comes_late_is_longer_and_the_next_is_on_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = CounterReader::open(&Root::at(folder.path().to_owned()), &[]);
        let mut run = plan(&[planned()]);
        (run.phases.measured, run.interval) = (Nanos::seconds(5), Nanos::seconds(1));
        let mut sampler = Sampler::new(&run, &mut reader);
        let at = |at: u64| move || Nanos(at * 1_000_000);
        let first = sampler.read(&mut at(500));
        sampler.begin(Nanos::millis(500), &first);
        for (moment, next) in [(1_500, 2_500), (3_700, 4_500)] {
            sampler.take(&mut at(moment));
            assert_eq!(sampler.due(), Nanos::millis(next));
        }
        let last = sampler.read(&mut at(5_500));
        sampler.end(&last);
        let samples = sampler.into_samples();
        let lengths: Vec<u64> = samples.iter().map(|s| s.length.0 / 1_000_000).collect();
        assert_eq!(lengths, [1_000, 2_200, 1_800]);
        assert_eq!(samples[2].at, Nanos::millis(5_500));
    }
}
