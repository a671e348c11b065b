//! The control plane of a simulated run: phases, counters and onlookers at their moments of simulated time.
//!
//! The counters are those of the simulated devices, and of simulated cores on which each I/O costs the device's CPU
//! time.

use super::device::SharedDevice;
use crate::early_stop::Judge;
use crate::observer::Live;
use crate::observer::{Event, Observer, Tick};
use crate::sampler;
use crate::schedule::Schedule;
use model::{Bytes, CounterWindow, Counters, CpuTimes, Location, Nanos, Plan, Sample};
use std::sync::Arc;

/// From one word to the onlookers to the next.
const TICK_EVERY: Nanos = Nanos::millis(500);
/// Cores of the simulated machine, where there are no more threads.
const CORES: u32 = 4;

/// What a thread did so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadLoad {
    pub(super) thread: u32,
    pub(super) ios: u64,
}

/// What was seen.
pub(super) struct Seen {
    pub(super) window: CounterWindow,
    pub(super) lifetime: CounterWindow,
    pub(super) samples: Vec<Sample>,
    /// An onlooker ended the measured phase.
    pub(super) had_enough: bool,
}

pub(super) struct Control<'a> {
    schedule: &'a Schedule,
    machine: Machine<'a>,
    lives: Vec<Arc<Live>>,
    observer: &'a dyn Observer,
    every: Nanos,
    phase: Phase,
    tick_at: Nanos,
    sample_at: Nanos,
    judge: Option<Judge>, // of the measured phase
    measured: Nanos,      // as planned
    last: Counters,
    seen: Seen,
}

/// The simulated machine whose counters are read.
struct Machine<'a> {
    devices: &'a [SharedDevice],
    cores: u32,
    cpu: Nanos, // of an I/O
    loads: Vec<ThreadLoad>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Measured,
    After,
}

impl<'a> Control<'a> {
    pub(super) fn new(
        plan: &Plan,
        schedule: &'a Schedule,
        devices: &'a [SharedDevice],
        lives: Vec<Arc<Live>>,
        observer: &'a dyn Observer,
    ) -> Self {
        let first = plan.targets.first().map(|target| &target.location);
        let cpu = match first {
            Some(Location::Simulated(device)) => device.cpu,
            _ => Nanos(0),
        };
        let mut control = Control {
            schedule,
            machine: Machine {
                devices,
                cores: plan.threads().max(CORES),
                cpu,
                loads: Vec::new(),
            },
            lives,
            observer,
            every: sampler::every(plan),
            phase: Phase::WarmUp,
            tick_at: TICK_EVERY,
            sample_at: Nanos::MAX,
            judge: None,
            measured: plan.phases.measured,
            last: Counters::default(),
            seen: Seen {
                window: CounterWindow::default(),
                lifetime: CounterWindow::default(),
                samples: Vec::new(),
                had_enough: false,
            },
        };
        control.seen.lifetime.before = control.machine.read(Nanos(0));
        if plan.phases.warmup.0 > 0 {
            observer.on(Event::Phase { name: "warm-up" });
        }
        control
    }

    /// Of the simulated machine.
    pub(super) fn cores(&self) -> u32 {
        self.machine.cores
    }

    /// When it looks next; `MAX` when there is nothing to come.
    pub(super) fn next(&self) -> Nanos {
        let ask_at = self.judge.as_ref().map_or(Nanos::MAX, Judge::due);
        self.edge()
            .min(self.sample_at)
            .min(self.tick_at)
            .min(ask_at)
    }

    /// The next edge of a phase.
    fn edge(&self) -> Nanos {
        match self.phase {
            Phase::WarmUp => self.schedule.measured_from().min(self.schedule.end()),
            Phase::Measured => self.schedule.measured_to(),
            Phase::After => Nanos::MAX,
        }
    }

    /// Checks what is due: it is the moment that [`Control::next`] returned.
    pub(super) fn look(&mut self, loads: &[ThreadLoad]) {
        let now = self.next();
        self.machine.loads.clear();
        self.machine.loads.extend_from_slice(loads);
        if now == self.tick_at {
            self.tick(now);
            self.tick_at = now.plus(TICK_EVERY);
        }
        self.ask(now, loads);
        let is_edge = now == self.edge();
        if now == self.sample_at && !is_edge {
            let reading = self.machine.read(now);
            self.sample(reading);
            self.sample_at = now.plus(self.every);
        }
        if is_edge {
            self.pass_edge(now, loads);
        }
    }

    /// Asks the onlooker, where it is time to. The end of the phase comes nearer when he has enough.
    fn ask(&mut self, now: Nanos, loads: &[ThreadLoad]) {
        let ios = loads.iter().map(|load| load.ios).sum();
        let Some(judge) = self.judge.as_mut().filter(|judge| judge.due() <= now) else {
            return;
        };
        if judge.asks(self.observer, now, ios) {
            self.schedule.shorten(now);
            self.seen.had_enough = true;
        }
    }

    fn pass_edge(&mut self, now: Nanos, loads: &[ThreadLoad]) {
        let reading = self.machine.read(now);
        if self.phase == Phase::WarmUp {
            self.observer.on(Event::Phase { name: "measured" });
            self.phase = Phase::Measured;
            let ios = loads.iter().map(|load| load.ios).sum();
            self.judge = Some(Judge::begin(now, ios, self.measured));
            self.seen.window.before = reading.clone();
            self.sample_at = now.plus(self.every);
            self.last = reading;
        } else {
            self.observer.on(Event::Phase { name: "drain" });
            self.phase = Phase::After;
            self.judge = None;
            self.seen.window.after = reading.clone();
            (self.sample_at, self.tick_at) = (Nanos::MAX, Nanos::MAX);
            self.sample(reading);
        }
    }

    fn sample(&mut self, reading: Counters) {
        if reading.begun > self.last.begun {
            let sample = Sample::between(&self.last, &reading);
            self.seen.samples.push(sample);
        }
        self.last = reading;
    }

    fn tick(&self, elapsed: Nanos) {
        let sums = self.lives.iter().map(|live| live.read());
        let (ios, bytes) = sums.fold((0, 0), |sum, its| (sum.0 + its.0, sum.1 + its.1));
        self.observer.on(Event::Tick(Tick {
            elapsed,
            ios,
            bytes: Bytes(bytes),
            p99: self.lives.iter().filter_map(|live| live.p99()).max(),
        }));
    }

    /// All that was seen; the last I/O was found at `drained`.
    pub(super) fn close(mut self, drained: Nanos) -> Seen {
        self.seen.lifetime.after = self.machine.read(drained);
        self.seen
    }
}

impl Machine<'_> {
    fn read(&self, now: Nanos) -> Counters {
        let busy = |core: u32| {
            let its = self
                .loads
                .iter()
                .filter(|load| load.thread % self.cores == core);
            let ios: u64 = its.map(|load| load.ios).sum();
            Nanos(ios.saturating_mul(self.cpu.0)).min(now)
        };
        let cpus = (0..self.cores).map(|cpu| {
            let busy = busy(cpu);
            let user = Nanos(busy.0 / 3);
            CpuTimes {
                cpu,
                user,
                kernel: busy.minus(user),
                idle: now.minus(busy),
                ..CpuTimes::default()
            }
        });
        let devices = self.devices.iter();
        Counters {
            begun: now,
            ended: now,
            cpus: cpus.collect(),
            devices: devices
                .map(|device| device.borrow_mut().counters(now))
                .collect(),
            interrupts: None,
            process: None, // in simulated time nothing of it was used
            own_read_bytes: None,
            quotas: Vec::new(),
        }
    }
}
