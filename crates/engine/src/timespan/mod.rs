//! The control plane: a plan becomes a record.
//!
//! Opens what must be claimed, starts the workers, lets them go together, reads the kernel's counters at the
//! edges of the measured phase and polls the stop flag. The workers are in `workers`; what they leave behind is put
//! together in `record`.

mod integrity;
mod process_stops;
mod record;
mod snapshots;
pub(crate) mod workers;

pub(crate) use record::seat_record;

use crate::RunError;
use crate::calibration::Calibration;
use crate::clock::{self, Clock, WallClock};
use crate::cores;
use crate::dispatch;
use crate::early_stop::Judge;
use crate::io_log::IoLogSink;
use crate::meeting::{Level, Meeting};
use crate::observer::Live;
use crate::observer::{Event, Observer, Tick};
use crate::recorded::Recording;
use crate::sampler::Sampler;
use crate::schedule::Schedule;
use crate::simulated;
use crate::stop::Stop;
use crate::target;
use crate::target_state::Shared;
use crate::thread_plan::{ThreadPlan, places};
use crate::trial::{self, Watch};
use crate::verify;
use crate::verify::PassOf;
use crate::verify::journal::{JournalOf, JournalSink};
use crate::verify::medium::FileMedium;
use crate::word_rings::TakerThread;
use gate::Pins;
use host::{CounterReader, ProgramReader, Root};
use integrity::Integrity;
use model::record::Disturbances;
use model::{
    Bytes, CounterWindow, Counters, EngineRecord, Failure, HostRecord, Nanos, Plan, RunRecord,
    Sample, TargetFacts, TargetKind, Verification,
};
use process_stops::{ProcessStops, Sleep};
use record::{Seen, assemble, engine_record};
use snapshots::Snapshots;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Instant;
use workers::Workers;

/// From one check of the stop word to the next.
const LOOK_EVERY: Nanos = Nanos::millis(20);
/// How far ahead the end is put when the stop word is heard.
const HALT_AHEAD: Nanos = Nanos::millis(1);
/// How long before the end of the measured phase the kernel's workers are looked for: their owners may end on time.
const LOOK_BEFORE_END: Nanos = Nanos::millis(30);
/// After this the kernel's estimate of the load of a processor is less than a quarter of what it was.
const REST: Nanos = Nanos::millis(80);
/// From one word to the onlookers to the next.
const TICK_EVERY: Nanos = Nanos::millis(200);

/// A plan with the content of its record other than the result.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is run.
    pub plan: Plan,
    /// What its targets' paths lead to, and which of it is claimed.
    pub pins: Pins,
    /// The machine before it.
    pub host: HostRecord,
    /// The plan's targets before it, in the plan's order.
    pub targets: Vec<TargetFacts>,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Version of fathom.
    pub tool_version: String,
    /// Wall clock now: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// The trace that is replayed, where the plan is one of a trace.
    pub recording: Option<Recording>,
    /// Where the journal of what is durable goes, where there is one.
    pub journal: Option<JournalSink>,
    /// Who receives the I/Os while they are issued, where anyone does.
    pub io_log: Option<IoLogSink>,
    /// With other hosts, before it begins; none of a run alone.
    pub meeting: Option<Meeting>,
}

/// Runs a plan whose files are there: call [`crate::prepare`] first.
///
/// Returns a record also when an I/O failed or the run was stopped; its outcome reports it.
///
/// # Errors
/// Nothing was measured: a target, a thread, memory or the kernel's interface was not available.
pub fn run(
    job: Job,
    root: &Root,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<RunRecord, RunError> {
    run_calibrated(job, root, &Calibration::default(), observer, stop)
}

/// The same for one run of several, each of which leaves to the next what it found out about the clock.
///
/// # Errors
/// As [`run`].
pub fn run_calibrated(
    job: Job,
    root: &Root,
    calibration: &Calibration,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<RunRecord, RunError> {
    if simulated::is_meant(&job.plan) {
        return simulated::run(job, observer, stop);
    }
    trial::polls_as_planned(root, &job.plan, &job.targets)?;
    let (backends, mut notes) =
        dispatch::backends(&job.plan, &job.targets, &job.host.limits, &job.pins)?;
    let backend = backends.usual;
    let clock = WallClock::start(host::keeps_time_by_counter(root), calibration);
    let places = places(&job.plan, job.started_utc.0);
    let cores = cores::assign(&job.plan.placement, &places, &job.host.cpus, &job.targets)?;
    notes.extend(cores::note(&job.plan.placement, &cores, &job.targets));
    target::hold_all(&job.plan, &job.targets, &job.pins)?;
    let mut reader = CounterReader::open(root, &counted_devices(&job.targets));
    let schedule = Arc::new(Schedule::new(&job.plan.phases).levelled(level_of(&job)));
    let shared = Shared::new(&job.plan, &schedule, &job.pins)?;
    let shared = shared.with_verifier(&job.targets, |_, target| {
        FileMedium::open(target, &job.pins)
    })?;
    let (shared, writers) = recorded(shared, &job, &places)?;
    let live = |place: &ThreadPlan| backends.live(place, &job.plan);
    let workers = Workers::spawn(&shared, live, places.into_iter().zip(cores).collect(), stop)?;

    let used = workers.used();
    let integrity = Integrity::of(&job.plan, &job.targets, target::nodes(&job.plan, &job.pins));
    rest(&job);
    let programs = programs(&job, root);
    let moment = met(job.meeting.as_ref(), &workers, stop)?;
    let before = reader.read(&mut || Nanos(0));
    let (clock, given_up) = begun(clock, moment, job.meeting.as_ref());
    notes.extend(given_up);
    let lives = workers.lives();
    let every = observer.snapshot_every();
    let snapshots = every.map(|every| Snapshots::new(&job, backend.name, every, &lives));
    workers.go(clock);
    let control = Control {
        clock,
        schedule: &schedule,
        lives,
        snapshots: RefCell::new(snapshots),
        observer,
        stop,
        meeting: job.meeting.as_ref(),
        tick_due: Cell::new(TICK_EVERY),
        integrity: RefCell::new(integrity),
        stops: RefCell::new(ProcessStops::new()),
        programs,
    };
    let mut watch = Watch::new(root, backends.have_kernel_workers());
    let sampler = Sampler::new(&job.plan, &mut reader);
    let (window, samples, enough) = control.measure(&job.plan, &before, sampler, &mut watch);
    let returned = workers.join(&clock, &schedule, stop)?;
    drop(writers); // all words of the workers are written
    notes.extend(shared.close_log());
    let after = reader.read(&mut || clock.now());
    let (truncated, disturbances) = control.into_found(root);

    let engine = EngineRecord {
        verification: verified(&shared, &job, observer, stop, &mut notes),
        ended_early: enough,
        kernel_workers: watch.seen(),
        wear_out: schedule.level().and_then(Level::found),
        disturbances,
        ..shared.marked(engine_record(backend.name, &clock, notes, used, &returned))
    };
    let seen = Seen {
        window,
        lifetime: CounterWindow { before, after },
        samples,
        stopped: stop.asked(),
        truncated,
    };
    Ok(assemble(job, &schedule, engine, returned, seen))
}

/// Adds the journal and the log, whose writers start, and the trace.
fn recorded(
    shared: Shared,
    job: &Job,
    places: &[ThreadPlan],
) -> Result<(Shared, Vec<TakerThread>), RunError> {
    let of = JournalOf {
        plan: &job.plan,
        facts: &job.targets,
        started_utc: job.started_utc,
        sink: job.journal.as_ref(),
    };
    let shared = match of.sink {
        Some(_) => shared.with_journal(&of, places)?,
        None => shared,
    };
    let shared = shared.logged(job.io_log.as_ref(), places.len());
    let mut writers = Vec::new();
    if let Some(journal) = shared.journal.clone() {
        writers.push(TakerThread::spawn(journal, "fathom-journal")?);
    }
    if let Some(log) = shared.io_log.clone() {
        writers.push(TakerThread::spawn(log, "fathom-io-log")?);
    }
    Ok((shared.replaying(job.recording.as_ref(), true), writers))
}

/// Lets the processors rest before a run on a target that another thread serves. Which processor that thread is woken on depends on
/// how busy they were before, and stays so for seconds: without a rest IOPS differ by a factor of two from run to run. With other
/// hosts the way to a common start is rest enough. Source: `docs/decisions/0020`.
fn rest(job: &Job) {
    let mut targets = job.targets.iter();
    if job.meeting.is_none() && targets.any(TargetFacts::is_served_by_thread) {
        std::thread::sleep(REST.as_duration());
    }
}

/// Reads what other programs did so far, where what is measured depends on it.
fn programs(job: &Job, root: &Root) -> ProgramReader {
    let mut targets = job.targets.iter();
    match targets.all(|target| target.kind == TargetKind::Null) {
        true => ProgramReader::default(),
        false => ProgramReader::open(root),
    }
}

/// Where threads meet after a deadline, if any do.
fn level_of(job: &Job) -> Option<Level> {
    let targets = job.plan.targets.iter();
    let wearing = targets.filter(|target| target.active.wear_out);
    let threads: u32 = wearing.map(|target| target.threads).sum();
    (threads > 0).then(|| Level::new(threads, job.meeting.is_some()))
}

/// Waits for the other hosts, where there are any; `None` begins at once. Where the run is called off, so are the workers.
fn met(
    meeting: Option<&Meeting>,
    workers: &Workers,
    stop: &Stop,
) -> Result<Option<Instant>, RunError> {
    let moment = meeting.map(|meeting| meeting.0.meet(stop)).transpose();
    if moment.is_err() {
        workers.cancel();
    }
    moment
}

/// The clock of the run, its origin at the agreed moment or now.
fn begun(
    clock: WallClock,
    moment: Option<Instant>,
    meeting: Option<&Meeting>,
) -> (WallClock, Option<String>) {
    if let Some(moment) = moment {
        clock::wait_for(moment);
    }
    let (clock, given_up) = clock.restarted();
    if let (Some(moment), Some(meeting)) = (moment, meeting) {
        meeting.0.began(clock.origin_after(moment));
    }
    (clock, given_up)
}

/// What verification found, with the pass over the range unless the run was stopped; why there is no pass is noted.
fn verified(
    shared: &Shared,
    job: &Job,
    observer: &dyn Observer,
    stop: &Stop,
    notes: &mut Vec<String>,
) -> Option<Verification> {
    let verifier = shared.verifier.as_ref()?;
    let asked = job.plan.targets.iter().any(|target| target.verify.end_pass);
    let of = PassOf {
        plan: &job.plan,
        pins: &job.pins,
        journal: shared.journal.as_deref(),
    };
    let pass = (asked && !stop.asked())
        .then(|| verify::whole_range(verifier, &of, observer, stop))
        .transpose();
    let pass = pass.unwrap_or_else(|error| {
        notes.push(format!(
            "the range was not read and compared after the run: {error}"
        ));
        None
    });
    let journal = shared.journal.as_ref().map(|journal| journal.end());
    Some(Verification {
        journal,
        ..verifier.result(pass)
    })
}

/// The part that goes on while the workers work.
struct Control<'a> {
    clock: WallClock,
    schedule: &'a Schedule,
    lives: Vec<Arc<Live>>,
    /// Where the observer asks for any.
    snapshots: RefCell<Option<Snapshots<'a>>>,
    observer: &'a dyn Observer,
    stop: &'a Stop,
    meeting: Option<&'a Meeting>,
    /// Of the whole timespan, so that phases that are shorter than a step do not delay it.
    tick_due: Cell<Nanos>,
    integrity: RefCell<Integrity>,
    stops: RefCell<ProcessStops>,
    /// As they were before the first I/O.
    programs: ProgramReader,
}

impl Control<'_> {
    /// What it found next to the counts: a target that another program truncated, and other disturbances.
    fn into_found(self, root: &Root) -> (Option<Failure>, Disturbances) {
        let found = self.integrity.into_inner().into_found();
        let disturbances = Disturbances {
            process_stops: self.stops.into_inner().into_found(),
            deleted_targets: found.deleted_targets,
            freed_targets: found.freed_targets,
            system_events: None, // the session adds them
            programs: self.programs.used(root),
        };
        (found.truncated, disturbances)
    }

    /// Sits through all phases. Returns the counters around the measured one, their series in between, and whether an
    /// onlooker had enough of it.
    fn measure(
        &self,
        plan: &Plan,
        before: &Counters,
        mut sampler: Sampler<'_>,
        watch: &mut Watch<'_>,
    ) -> (CounterWindow, Vec<Sample>, bool) {
        let mut now = || self.clock.now();
        let mut window = CounterWindow {
            before: before.clone(),
            after: Counters::default(),
        };
        if plan.phases.warmup.0 > 0 {
            self.observer.on(Event::Phase { name: "warm-up" });
            self.sit_until(&mut sampler, || self.schedule.measured_from());
            window.before = sampler.read(&mut now);
        }
        self.observer.on(Event::Phase { name: "measured" });
        sampler.begin(self.schedule.measured_from(), &window.before);
        if let Some(snapshots) = &mut *self.snapshots.borrow_mut() {
            snapshots.begin(self.schedule.measured_from(), &window.before);
        }
        let from = self.clock.now();
        let mut judge = Judge::begin(from, self.counted().0, plan.phases.measured);
        self.sit_and_ask(&mut sampler, || self.middle(), &mut judge);
        watch.look();
        let before_end = || self.schedule.measured_to().minus(LOOK_BEFORE_END);
        self.sit_and_ask(&mut sampler, before_end, &mut judge);
        watch.look();
        self.sit_until(&mut sampler, || self.schedule.measured_to());
        window.after = sampler.read(&mut now);
        sampler.end(&window.after);
        self.tick_if_never();
        if plan.phases.cooldown.0 > 0 {
            self.observer.on(Event::Phase { name: "cool-down" });
            self.sit_until(&mut sampler, || self.schedule.end());
        }
        self.observer.on(Event::Phase { name: "drain" });
        (window, sampler.into_samples(), judge.had_enough())
    }

    /// Of the measured phase.
    fn middle(&self) -> Nanos {
        let (from, to) = (self.schedule.measured_from(), self.schedule.measured_to());
        from.plus(Nanos(to.minus(from).0 / 2))
    }

    /// Waits for a moment that may come nearer meanwhile, with an ear for the stop word and an eye on the counters.
    fn sit_until(&self, sampler: &mut Sampler<'_>, moment: impl Fn() -> Nanos) {
        self.sit(sampler, moment, &mut |_| ());
    }

    /// The same, and asks the onlooker whether he has enough. The end comes nearer when he has.
    fn sit_and_ask(
        &self,
        sampler: &mut Sampler<'_>,
        moment: impl Fn() -> Nanos,
        judge: &mut Judge,
    ) {
        self.sit(sampler, moment, &mut |now| {
            if now >= judge.due() && judge.asks(self.observer, now, self.counted().0) {
                self.schedule.shorten(now.plus(HALT_AHEAD));
            }
        });
    }

    fn sit(
        &self,
        sampler: &mut Sampler<'_>,
        moment: impl Fn() -> Nanos,
        look: &mut dyn FnMut(Nanos),
    ) {
        loop {
            let now = self.clock.now();
            let truncated = self.integrity.borrow_mut().check();
            if truncated || self.stop.asked() {
                // A little ahead, so that every thread decides by its own stamps what still counts.
                self.schedule.halt(now.plus(HALT_AHEAD));
            }
            look(now);
            if let Some((level, meeting)) = self.schedule.level().zip(self.meeting) {
                level.agree(|own| meeting.0.most(own));
            }
            if now >= moment() || self.schedule.is_over(now) {
                return;
            }
            if now >= self.tick_due.get() {
                self.tick(now);
            }
            self.take_snapshot(sampler);
            self.sleep(sampler, now, &moment);
        }
    }

    /// Passes a snapshot to the observer, where one is due and complete.
    fn take_snapshot(&self, sampler: &mut Sampler<'_>) {
        let mut snapshots = self.snapshots.borrow_mut();
        let mut read = || sampler.read(&mut || self.clock.now());
        let taken = snapshots
            .as_mut()
            .and_then(|snapshots| snapshots.look(&self.clock, &self.lives, &mut read));
        if let Some(record) = taken {
            self.observer.snapshot(&record);
        }
    }

    /// Takes a sample that is due, then sleeps until the next thing to do. The observer has no part in it, so that a
    /// delay is not the observer's.
    fn sleep(&self, sampler: &mut Sampler<'_>, now: Nanos, moment: &impl Fn() -> Nanos) {
        let (from, ios) = (self.clock.now(), self.counted().0);
        if now >= sampler.due() {
            sampler.take(&mut || self.clock.now());
        }
        let left = moment().min(sampler.due()).minus(now);
        if left > LOOK_EVERY {
            match self.schedule.level() {
                Some(level) => drop(level.sleep(LOOK_EVERY.as_duration())),
                None => std::thread::sleep(LOOK_EVERY.as_duration()),
            }
        } else {
            self.clock.wait_until(now.plus(left));
        }
        self.stops.borrow_mut().woke(Sleep {
            from,
            requested: left.min(LOOK_EVERY),
            woke: self.clock.now(),
            ios: (ios, self.counted().0),
        });
    }

    /// I/Os and bytes of all threads since the start.
    fn counted(&self) -> (u64, u64) {
        let each = self.lives.iter().map(|live| live.read());
        each.fold((0, 0), |(ios, bytes), (its_ios, its_bytes)| {
            (ios + its_ios, bytes + its_bytes)
        })
    }

    /// A timespan that is shorter than a step is informed of once, when it is measured.
    fn tick_if_never(&self) {
        if self.tick_due.get() == TICK_EVERY {
            self.tick(self.clock.now());
        }
    }

    fn tick(&self, elapsed: Nanos) {
        self.tick_due.set(elapsed.plus(TICK_EVERY));
        self.stops.borrow_mut().refresh();
        let (ios, bytes) = self.counted();
        self.observer.on(Event::Tick(Tick {
            elapsed,
            ios,
            bytes: Bytes(bytes),
            p99: self.lives.iter().filter_map(|live| live.p99()).max(),
        }));
    }
}

/// Every device of every chain, once.
fn counted_devices(targets: &[TargetFacts]) -> Vec<String> {
    let mut names: Vec<String> = targets.iter().flat_map(host::chain_devices).collect();
    names.sort();
    names.dedup();
    names
}
