//! Several short runs on one target or two, one after the other: what `fathom quick` and `fathom layers` share.
//!
//! A turn goes through the one flow (gate, engine, record, store). Read in this order: a turn and the table where turns are
//! taken (here), `look` (from the gate to the page), `own_file` (the file that is made in a folder), `quick`, `layers`.

mod layers;
mod look;
mod own_file;
mod quick;
mod words;

pub(crate) use layers::{layers, layers_again};
pub(crate) use quick::{quick, quick_again};

use super::command_line;
use crate::failure::{Failure, Kind};
use crate::output;
use crate::progress::Steps;
use analysis::LooksContext;
use dialects::{Problem, Reader};
use engine::{Calibration, Silent, Stop};
use model::{
    Access, Bytes, CacheMode, EngineChoice, Location, Nanos, NoResult, OnError, Phases, Placement,
    Polling, Profile, QueueDepth, Ratio, RunRecord, RunResult, Target, TargetFacts, Timespan,
    Workload,
};
use session::Journal;
use session::Measure;
use session::ProvenFiles;
use session::{Admission, CheckedPlan};
use store::Store;

const SEED_FORM: &str = "a seed is a whole number from 0 to 18446744073709551615";
const SIZE_FORM: &str = "a size from 16M up, a whole number of M: 1G, 512M";
const SIZE_MIN: Bytes = Bytes::mib(16);
/// Steps of a turn's time series.
const STEPS: u64 = 20;
/// The time series has no finer steps.
const STEP_MIN: Nanos = Nanos::millis(1);

/// One run.
#[derive(Clone, Debug)]
struct Turn {
    label: String,
    location: Location,
    /// The part of the target that is used.
    length: Bytes,
    block: Bytes,
    depth: u32,
    access: Access,
    write: bool,
    cached: bool,
    /// Each write is on stable storage when it returns.
    flushed: bool,
    /// What the cache holds of the target is let go before.
    cold: bool,
    warmup: Nanos,
    measured: Nanos,
}

impl Turn {
    /// Its request. `create` makes the file first.
    fn span(&self, seed: u64, create: Option<Bytes>) -> Timespan {
        let workload = Workload {
            block: self.block,
            queue_depth: QueueDepth(self.depth),
            write: if self.write { Ratio::ALL } else { Ratio::NONE },
            access: self.access.clone(),
        };
        // One at a time is what dd and hdparm do: a call that returns when the data is there.
        let engine = match self.depth {
            1 => EngineChoice::Sync,
            _ => EngineChoice::Auto,
        };
        Timespan {
            phases: Phases {
                warmup: self.warmup,
                measured: self.measured,
                cooldown: Nanos(0),
            },
            interval: Nanos(self.measured.0 / STEPS).max(STEP_MIN),
            seed,
            engine,
            on_error: OnError::Stop,
            pool: None,
            polling: Polling::default(),
            placement: Placement::default(),
            arrivals: None,
            targets: vec![Target {
                length: Some(self.length),
                create,
                cache: if self.cached {
                    CacheMode::Cached
                } else {
                    CacheMode::Unbuffered
                },
                write_through: self.flushed,
                ..Target::new(self.location.clone(), workload)
            }],
        }
    }
}

/// Where turns are taken.
struct Table<'a> {
    gate: &'a Admission<'a>,
    /// The targets as they were looked at last.
    known: Vec<TargetFacts>,
    calibration: Calibration,
    /// What is known to be fathom's.
    ours: ProvenFiles,
    journal: &'a Journal<&'a Store>,
    stop: &'a Stop,
    progress: &'a Steps,
    seed: u64,
    done: Vec<(String, RunRecord)>,
    context: LooksContext,
    /// What stands against the turns that write, found only by reading everything.
    refusal: Option<Failure>,
}

impl Table<'_> {
    /// Proves what has to be known of the targets before these turns write; false where there is to be no further turn. A
    /// refusal is one of the whole look, of which nothing is kept then.
    fn prove(&mut self, writes: &Profile) -> bool {
        self.progress.doing("whether it may be written");
        match self.proof(writes) {
            Ok(found) => {
                let is_new = |known: &TargetFacts| found.iter().all(|new| new.path != known.path);
                self.known.retain(is_new);
                self.known.extend(found);
            }
            Err(_) if self.stop.asked() => self.context.interrupted = true,
            Err(refusal) if refusal.kind() == Kind::Refused => self.refusal = Some(refusal),
            Err(failure) => self.context.failure = Some(failure.to_string()),
        }
        self.refusal.is_none() && self.context.failure.is_none() && !self.context.interrupted
    }

    fn proof(&mut self, writes: &Profile) -> Result<Vec<TargetFacts>, Failure> {
        let mut passed = to_prepare(self.gate.check(writes)?);
        self.gate
            .prepare(&mut passed.plan, &passed.facts, &Silent, self.stop)?;
        self.ours.learn(&passed.plan, &self.gate.pins);
        Ok(passed.facts)
    }

    /// Takes one; false where there is to be no further one.
    fn take(&mut self, turn: &Turn) -> bool {
        if self.stop.asked() {
            self.context.interrupted = true;
            return false;
        }
        self.progress.doing(&turn.label);
        match self.run(turn) {
            Ok(record) => self.keep(turn, record),
            Err(failure) => {
                self.context.failure = Some(failure.to_string());
                false
            }
        }
    }

    fn run(&mut self, turn: &Turn) -> Result<RunRecord, Failure> {
        if let Some(path) = turn.location.path().filter(|_| turn.cold) {
            let forgotten = self
                .gate
                .pins
                .pin(path)
                .and_then(|pin| engine::forget_cached(&pin));
            forgotten.map_err(|error| {
                let why = output::errno_text(&error);
                Failure::failed(format!(
                    "{}: its cached pages cannot be let go: {why}",
                    path.display()
                ))
            })?;
        }
        let profile = Profile {
            timespans: vec![turn.span(self.seed, None)],
        };
        let passed = self.gate.check_again(&profile, &self.known)?.remove(0);
        let measure = Measure {
            admission: self.gate,
            calibration: &self.calibration,
            profile: &profile,
            command: command_line(),
            observer: &Silent,
            stop: self.stop,
        };
        measure.run(passed, &mut self.ours, |_| {})
    }

    fn keep(&mut self, turn: &Turn, record: RunRecord) -> bool {
        let result = record.result();
        if result == RunResult::Interrupted {
            self.context.interrupted = true;
            return false;
        }
        self.context.failure = session::reason(&record).map(|why| match result {
            RunResult::Failed(NoResult::Ended(_)) => why, // it names the target
            _ => format!("{}: {why}", turn.label),
        });
        self.journal.save(&turn.label, &record);
        self.done.push((turn.label.clone(), record));
        self.context.failure.is_none()
    }

    /// Bytes a second of the last turn with this label.
    fn flow(&self, label: &str) -> Option<f64> {
        let (_, record) = self.done.iter().rev().find(|(known, _)| known == label)?;
        let seconds = record.phases.measured().as_seconds();
        (seconds > 0.0).then(|| record.total().bytes.0 as f64 / seconds)
    }
}

/// What is to be made and proven before the first turn serves all: a turn that writes asks for more than one that reads.
fn to_prepare(mut passed: Vec<CheckedPlan>) -> CheckedPlan {
    let asks = |one: &CheckedPlan| {
        one.plan
            .targets
            .iter()
            .any(|target| target.prove_ours || target.create.is_some())
    };
    let place = passed.iter().position(asks).unwrap_or(0);
    passed.swap_remove(place)
}

/// As long as was asked, but so short that a reader of this speed does not come around: what it has read before is cached.
fn once_around(asked: Nanos, length: Bytes, bytes_per_s: Option<f64>) -> Nanos {
    /// A cache that reads ahead may be faster than what was seen.
    const MARGIN: f64 = 0.5;
    let Some(flow) = bytes_per_s.filter(|flow| *flow > 0.0) else {
        return asked;
    };
    let around = length.0 as f64 / flow * MARGIN * 1e9;
    asked.min(Nanos(around as u64)).max(Nanos::millis(20))
}

fn read_size(reader: &mut Reader, text: &str) -> Bytes {
    let read: Option<Bytes> = reader.value("--size", text);
    if read.is_some_and(|size| size < SIZE_MIN || !size.is_multiple_of(Bytes::mib(1))) {
        reader.refuse(Problem::Value {
            option: "--size",
            read: text.to_owned(),
            accepted: SIZE_FORM,
        });
    }
    read.unwrap_or(SIZE_MIN)
}

fn read_seed(reader: &mut Reader, text: &str) -> u64 {
    reader.number("--seed", text, SEED_FORM).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_reader_does_not_come_around() {
        let asked = Nanos::millis(1500);
        assert_eq!(once_around(asked, Bytes::gib(1), None), asked);
        assert_eq!(once_around(asked, Bytes::gib(100), Some(1e9)), asked);
        let short = once_around(asked, Bytes(1_000_000_000), Some(1e9));
        assert_eq!(short, Nanos::millis(500));
        assert_eq!(
            once_around(asked, Bytes::mib(16), Some(1e12)),
            Nanos::millis(20)
        );
    }
}
