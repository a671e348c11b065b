//! All threads of a plan in one: the next one in simulated time has its turn.
//!
//! A thread's turn has two halves (`worker`). Between them it waits for its first completion or arrival; the thread for
//! which that comes first goes on, so that the devices are asked in the order of time.

use super::control::{Control, ThreadLoad};
use super::device::{Device, SharedDevice};
use super::power_cut::{self, Power};
use super::store::{SharedStore, Store, StoreMedium};
use crate::RunError;
use crate::backend::{REAP_AT_MOST, Simulated};
use crate::clock::Clock;
use crate::heat;
use crate::observer::Live;
use crate::observer::Observer;
use crate::schedule::Schedule;
use crate::stop::Stop;
use crate::target_state::Shared;
use crate::thread_plan::{ThreadPlan, places};
use crate::timespan::{Job, seat_record};
use crate::verify;
use crate::worker::{Calls, Done, Lent, Syncs, Underway, Work, begin, finish};
use model::{
    Bytes, ClockRecord, CpuFacts, EngineRecord, Failure, HostRecord, LatencyHeat, Limits, Location,
    Nanos, Outcome, Plan, PlannedTarget, RunRecord, Series, ThreadRecord, Verification,
};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Turns from one check of the stop word to the next.
const LOOK_EVERY: u32 = 1024;
/// Note of the record of a run whose power was cut.
const CUT_NOTE: &str = "the power of the simulated device was cut: the run ended there";
/// Note of the record of every simulated run.
const NOTE: &str = "a simulated device: no hardware was measured, and no time passed";

/// The time of all threads. Reading it takes none, and waiting neither.
#[derive(Clone, Debug, Default)]
struct Virtual(Rc<Cell<u64>>);

impl Clock for Virtual {
    const SLACK: Nanos = Nanos(0);

    #[inline]
    fn now(&self) -> Nanos {
        Nanos(self.0.get())
    }

    fn wait_until(&self, moment: Nanos) {
        self.0.set(self.0.get().max(moment.0));
    }

    fn sleep_until(&self, moment: Nanos) {
        self.wait_until(moment);
    }
}

/// One thread between its turns.
struct Hand {
    work: Work<Virtual>,
    backend: Simulated,
    turn: Option<Underway>, // none once nothing is issued any more
    paced: Nanos,
    wakes: Nanos, // when its turn goes on
    thread: u32,
}

impl Hand {
    /// When its turn can go on.
    fn when(&self, now: Nanos, end: Nanos) -> Nanos {
        let due = self.turn.as_ref().map_or(Nanos::MAX, |turn| turn.due);
        let idle = if self.work.is_waiting() {
            Nanos::MAX
        } else {
            end
        };
        // Where it knows its moment it sleeps until then: a thread that wakes early would take the time with it to its own
        // completion, past those of the others.
        let known = match self.backend.first_due().min(due) {
            Nanos::MAX => now.plus(REAP_AT_MOST),
            known => known,
        };
        known.min(idle)
    }
}

/// Threads in the order of the moments at which their turns go on.
type Order = BinaryHeap<Reverse<(Nanos, usize)>>;

/// Lets the turns go on at once whose I/Os another thread released. // their later moments in the order are skipped then
fn wake(hands: &mut [Hand], now: Nanos, order: &mut Order) {
    let sleeping = hands.iter_mut().enumerate();
    for (place, hand) in sleeping.filter(|(_, hand)| hand.wakes > now && hand.turn.is_some()) {
        if hand.work.is_called() {
            hand.wakes = now;
            order.push(Reverse((now, place)));
        }
    }
}

/// Runs a plan of simulated targets, in an instant.
///
/// # Errors
/// Memory for the buffers was refused.
pub(crate) fn run(job: Job, observer: &dyn Observer, stop: &Stop) -> Result<RunRecord, RunError> {
    let schedule = Arc::new(Schedule::new(&job.plan.phases));
    let stores = stores(&job.plan);
    let shared = Shared::new(&job.plan, &schedule, &job.pins)?;
    let shared = shared.with_verifier(&job.targets, |number, _| {
        let store = stores[number].clone();
        let store = store.expect("the check asks for data");
        Ok(Box::new(StoreMedium(store)))
    })?;
    let shared = shared.replaying(job.recording.as_ref(), false);
    let places = places(&job.plan, 0);
    let shared = shared.logged(job.io_log.as_ref(), places.len());
    let cut = power_cut::at(&job.plan);
    let shared = match cut {
        Some(_) => power_cut::journaled(shared, &job, &places)?,
        None => shared,
    };
    let devices = devices(&job.plan);
    let storage = Storage {
        devices: &devices,
        stores: &stores,
    };
    let clock = Virtual::default();
    let lives: Vec<Arc<Live>> = places.iter().map(|_| Arc::default()).collect();
    let hands = places.iter().zip(&lives);
    let hands = hands.map(|(place, live)| hand(&shared, place, &clock, Arc::clone(live), storage));
    let mut hands = hands.collect::<Result<Vec<_>, _>>()?;
    let mut control = Control::new(&job.plan, &schedule, &devices, lives, observer);
    let mut power = Power::new(cut, shared.journal.as_deref(), &stores);
    let moments = Moments {
        clock: &clock,
        schedule: &schedule,
        stop,
    };
    go(&mut hands, &moments, &mut control, &mut power)?;
    let is_cut = power.is_cut();
    let ended = Ended::of(hands, &schedule)?;
    let logged = shared.close_log();
    let verification = verification(&shared, &job.plan, &stores, stop, is_cut)?;
    let cores = control.cores();
    let seen = control.close(ended.drained);
    let phases = schedule.times(ended.drained);
    let stopped = stop.asked() && phases.measured() < job.plan.phases.measured;
    Ok(RunRecord {
        tool_version: job.tool_version,
        command: job.command,
        started_utc: job.started_utc,
        host: imaginary(job.host, cores),
        targets: job.targets,
        engine: EngineRecord {
            ended_early: seen.had_enough,
            verification,
            workers: ended.workers,
            ..engine(is_cut, logged)
        },
        phases,
        threads: ended.threads,
        window: seen.window,
        lifetime: seen.lifetime,
        series: Series {
            heat: ended.heat,
            samples: seen.samples,
        },
        outcome: match ended.failure {
            Some(failure) => Outcome::Failed(failure),
            None if stopped => Outcome::Interrupted,
            None => Outcome::Complete,
        },
        plan: job.plan,
    })
}

/// Note of the record on the engine: its data ends with the run, and nothing else runs on it.
fn engine(is_cut: bool, logged: Vec<String>) -> EngineRecord {
    let notes = [NOTE, CUT_NOTE].into_iter().take(1 + usize::from(is_cut));
    EngineRecord {
        backend: "simulated".to_owned(),
        notes: notes.map(str::to_owned).chain(logged).collect(),
        clock: ClockRecord {
            source: "fake".to_owned(),
            ..ClockRecord::default()
        },
        ..EngineRecord::default()
    }
}

/// The machine of a simulated run: of the real one only its name and its system, which were there.
fn imaginary(host: HostRecord, cores: u32) -> HostRecord {
    let core = |cpu| CpuFacts {
        cpu,
        ..CpuFacts::default()
    };
    HostRecord {
        cpu_model: Some("simulated".to_owned()),
        cpus: (0..cores).map(core).collect(),
        virtualization: None,
        limits: Limits::default(),
        ..host
    }
}

/// The device of each target.
fn devices(plan: &Plan) -> Vec<SharedDevice> {
    let targets = (0u64..).zip(&plan.targets);
    targets
        .map(|(number, target)| match &target.location {
            Location::Simulated(is) => {
                let device = Device::new(is, target.length, plan.seed, number);
                Rc::new(RefCell::new(device))
            }
            Location::Path(_) | Location::Null(_) => {
                unreachable!("the check refuses other targets together with simulated ones")
            }
        })
        .collect()
}

/// The time and the data of each target's device.
#[derive(Clone, Copy)]
struct Storage<'a> {
    devices: &'a [SharedDevice],
    stores: &'a [Option<SharedStore>],
}

/// The data of each target, where it has any.
fn stores(plan: &Plan) -> Vec<Option<SharedStore>> {
    let targets = (0u64..).zip(&plan.targets);
    let store = |(number, target): (u64, &PlannedTarget)| match &target.location {
        Location::Simulated(is) => {
            let range = target.base..Bytes(target.base.0 + target.length.0);
            let store = Store::new(is, range, plan.seed.wrapping_add(number))?;
            Some(Arc::new(Mutex::new(store)))
        }
        Location::Path(_) | Location::Null(_) => None,
    };
    targets.map(store).collect()
}

/// What verification found, with what the devices did.
fn verification(
    shared: &Shared,
    plan: &Plan,
    stores: &[Option<SharedStore>],
    stop: &Stop,
    is_cut: bool,
) -> Result<Option<Verification>, RunError> {
    for store in stores.iter().flatten() {
        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
        store.drop_cache();
    }
    if is_cut {
        return power_cut::verification(shared, plan, stores);
    }
    let Some(verifier) = &shared.verifier else {
        return Ok(None);
    };
    let asked = plan.targets.iter().any(|target| target.verify.end_pass);
    let pass = (asked && !stop.asked()).then(|| verify::block_by_block(verifier, plan));
    let injected = stores.iter().flatten().flat_map(|store| {
        let store = store.lock().unwrap_or_else(PoisonError::into_inner);
        store.injected()
    });
    Ok(Some(Verification {
        injected: injected.collect(),
        ..verifier.result(pass)
    }))
}

fn hand(
    shared: &Shared,
    place: &ThreadPlan,
    clock: &Virtual,
    live: Arc<Live>,
    storage: Storage<'_>,
) -> Result<Hand, RunError> {
    let mut work = Work::new(shared, place, clock.clone(), live)?;
    work.side.syncs = Syncs::simulated(&shared.plan, place, storage.stores);
    work.side.calls = Calls::simulated(&shared.plan, place, storage.stores);
    let seats = place.seats.iter();
    let through = seats
        .clone()
        .map(|seat| shared.plan.targets[seat.target as usize].write_through);
    let through = through.collect();
    let devices = seats
        .clone()
        .map(|seat| Rc::clone(&storage.devices[seat.target as usize]));
    let stores = seats.map(|seat| storage.stores[seat.target as usize].clone());
    let (devices, stores) = (devices.collect(), stores.collect());
    let mut backend = Simulated::new(place.thread, place.slots, devices, stores, through);
    let now = begin(&mut work);
    let turn = Some(work.start(&mut backend, now)?);
    Ok(Hand {
        work,
        backend,
        turn,
        paced: now,
        wakes: now,
        thread: place.thread,
    })
}

/// What determines when a run ends.
struct Moments<'a> {
    clock: &'a Virtual,
    schedule: &'a Schedule,
    stop: &'a Stop,
}

/// Until nothing is issued any more.
fn go(
    hands: &mut [Hand],
    moments: &Moments<'_>,
    control: &mut Control<'_>,
    power: &mut Power<'_>,
) -> Result<(), RunError> {
    let Moments {
        clock,
        schedule,
        stop,
    } = *moments;
    let load = |hand: &Hand| ThreadLoad {
        thread: hand.thread,
        ios: hand.backend.done(),
    };
    for hand in hands.iter_mut() {
        hand.wakes = hand.when(clock.now(), schedule.end());
        // A thread that has no I/Os of a trace: its turn would take the time with it.
        if hand.work.finishes(clock.now()) {
            hand.work.close(clock.now());
            hand.turn = None;
        }
    }
    let order = hands.iter().enumerate();
    let mut order: Order = order
        .map(|(place, hand)| Reverse((hand.wakes, place)))
        .collect();
    let are_dependent = hands.iter().any(|hand| hand.work.is_dependent());
    if are_dependent {
        wake(hands, clock.now(), &mut order);
    }
    let mut turns = 0u32;
    while let Some(Reverse((moment, place))) = order.pop() {
        if hands[place].wakes != moment {
            continue;
        }
        turns = turns.wrapping_add(1);
        if turns.is_multiple_of(LOOK_EVERY) && stop.asked() {
            schedule.halt(clock.now());
        }
        while control.next() <= moment {
            let loads: Vec<ThreadLoad> = hands.iter().map(load).collect();
            control.look(&loads);
        }
        if power.is_due(moment) {
            clock.wait_until(power.moment());
            power.cut(
                hands
                    .iter_mut()
                    .map(|hand| (&mut hand.work, &mut hand.backend)),
            );
            schedule.halt(clock.now());
            break;
        }
        clock.wait_until(moment);
        let hand = &mut hands[place];
        let Some(turn) = hand.turn.take() else {
            continue;
        };
        let now = hand.work.end(&mut hand.backend, &turn, &mut hand.paced)?;
        hand.work.sync_if_due(now);
        if hand.work.finishes(now) || schedule.is_over(now) {
            hand.work.close(now);
        } else {
            hand.turn = Some(hand.work.start(&mut hand.backend, now)?);
            hand.wakes = hand.when(now, schedule.end());
            order.push(Reverse((hand.wakes, place)));
        }
        if are_dependent {
            wake(hands, now, &mut order);
        }
    }
    let loads: Vec<ThreadLoad> = hands.iter().map(load).collect();
    while control.next() < Nanos::MAX {
        control.look(&loads);
    }
    Ok(())
}

/// What the threads leave behind.
#[derive(Default)]
struct Ended {
    threads: Vec<ThreadRecord>,
    heat: Vec<LatencyHeat>,
    workers: Vec<model::WorkerRecord>,
    failure: Option<Failure>,
    drained: Nanos,
}

impl Ended {
    /// Ends all threads.
    fn of(hands: Vec<Hand>, schedule: &Schedule) -> Result<Ended, RunError> {
        let mut ended = Ended::default();
        for hand in hands {
            ended.add(hand, schedule)?;
        }
        Ok(ended)
    }

    fn add(&mut self, hand: Hand, schedule: &Schedule) -> Result<(), RunError> {
        let thread = hand.thread;
        let Done {
            seats,
            failure, // of a trace, or of verification: a simulated device has no errors
            drained,
            worker,
        } = finish(Lent::new(hand.work, hand.backend, Vec::new()))?;
        self.failure = self.failure.take().or(failure);
        self.drained = self.drained.max(drained);
        self.workers.push(worker);
        let measured = schedule.times(drained).measured();
        for seat in seats {
            let (record, heat) = seat_record(thread, seat, measured);
            self.threads.push(record);
            heat::gather(&mut self.heat, heat);
        }
        Ok(())
    }
}
