//! Several short runs on one target or two, one after the other: what `fathom quick`, `layers`, `fit` and
//! `ab` share.
//!
//! A turn goes through the one flow (gate, engine, record, store). Here are a turn and the table where turns are taken; `look`
//! is the way from the gate to the page, `own_file` the file that is created in a folder.

pub(crate) mod ab;
pub(crate) mod fit;
pub(crate) mod layers;
mod look;
mod own_file;
pub(crate) mod quick;
pub(crate) mod stored;

use crate::args::LoadArgs;
use crate::progress::Steps;
use crate::subcommand::parsed;
use analysis::LooksContext;
use clap::Args;
use clap::parser::ValueSource;
use engine::Silent;
use model::{
    Access, Bytes, CacheMode, CommandError, EngineChoice, ErrorKind, Location, Nanos, NoResult,
    OnError, Phases, Placement, Polling, Profile, QueueDepth, Ratio, RunRecord, RunResult, Target,
    TargetFacts, Timespan, Workload,
};
use session::{CheckedPlan, Ended, Fate, Ran, Runner, Schedule, Step, Watcher};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;
use store::Store;
use tools::{Problem, Reader, native};

const SEED_FORM: &str = "must be a whole number from 0 to 18446744073709551615";
const SIZE_FORM: &str = "must be 16M or more, a whole number of M: 1G, 512M";
const SIZE_MIN: Bytes = Bytes::mib(16);
/// Steps of a turn's time series; of one that may end much earlier there are more.
const STEPS: u64 = 20;
const STEPS_ONCE_AROUND: u64 = 200;
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
    /// The target's pages are dropped from the cache before.
    cold: bool,
    /// It ends at half of the range, before it reads much of what it has read before and the cache has by then.
    once_around: bool,
    phases: Phases,
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
        let steps = match self.once_around {
            true => STEPS_ONCE_AROUND,
            false => STEPS,
        };
        // One at a time is what dd and hdparm do: a call that returns when the data is there.
        let engine = match self.depth {
            1 => EngineChoice::Sync,
            _ => EngineChoice::Auto,
        };
        Timespan {
            start_delay: model::Nanos(0),
            end_with_first: false,
            phases: self.phases,
            interval: Nanos(self.phases.measured.0 / steps).max(STEP_MIN),
            seed,
            engine,
            on_error: OnError::Stop,
            pool: None,
            polling: Polling::default(),
            queueing: model::Queueing::default(),
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
                amount: self.once_around.then_some(Bytes(self.length.0 / 2)),
                ..Target::new(self.location.clone(), workload)
            }],
        }
    }
}

/// Returns the turns that follow those that were done; empty at the end.
type NextTurns<'a> = &'a dyn Fn(&[(String, RunRecord)]) -> Vec<PlannedTurn>;

/// A turn as it is issued.
struct PlannedTurn {
    label: String,
    /// The target's pages are dropped from the cache before.
    cold: bool,
    write: bool,
    /// Its seed is replaced by one of its own.
    span: Timespan,
}

impl PlannedTurn {
    /// Makes a turn of a request; its file is there.
    fn of_span(label: String, span: &Timespan) -> Self {
        let mut span = span.clone();
        for target in &mut span.targets {
            target.create = None;
        }
        PlannedTurn {
            label,
            cold: false,
            write: (span.targets.iter()).any(|target| target.workload.write != Ratio::NONE),
            span,
        }
    }
}

impl From<Turn> for PlannedTurn {
    fn from(turn: Turn) -> Self {
        PlannedTurn {
            cold: turn.cold,
            write: turn.write,
            span: turn.span(0, None),
            label: turn.label,
        }
    }
}

/// Turns that are taken one after another.
struct Turns<'a> {
    todo: VecDeque<PlannedTurn>,
    more: NextTurns<'a>,
    /// The targets as they were looked at last.
    known: Vec<TargetFacts>,
    progress: &'a Steps,
    seed: u64,
    done: Vec<(String, RunRecord)>,
    context: LooksContext,
}

impl Turns<'_> {
    /// Takes all of these; false where one was the last.
    fn take_all(&mut self, turns: Vec<PlannedTurn>, runner: &mut Runner<'_, &Store>) -> bool {
        self.todo = turns.into();
        let mut progress = self.progress;
        match runner.run(self, &mut progress) {
            Ok(Ended::Whole) => return self.context.failure.is_none(),
            Ok(Ended::Early) => {
                self.context.interrupted = self.context.failure.is_none();
            }
            Err(failure) => self.context.failure = Some(failure.to_string()),
        }
        false
    }

    /// Proves what has to be known of the targets before turns write. A refusal is one of the whole look.
    fn prove(
        &mut self,
        writes: &Profile,
        runner: &mut Runner<'_, &Store>,
    ) -> Result<bool, CommandError> {
        self.progress.doing("whether it may be written");
        match proof(writes, runner) {
            Ok(found) => {
                let is_new = |known: &TargetFacts| found.iter().all(|new| new.path != known.path);
                self.known.retain(is_new);
                self.known.extend(found);
                return Ok(true);
            }
            Err(_) if runner.stop.asked() => self.context.interrupted = true,
            Err(refusal) if refusal.kind() == ErrorKind::Refused => return Err(refusal),
            Err(failure) => self.context.failure = Some(failure.to_string()),
        }
        Ok(false)
    }

    /// Other offsets than those of a turn before: what that one read may be in a cache.
    fn next_seed(&self) -> u64 {
        self.seed.wrapping_add(self.done.len() as u64)
    }
}

fn proof(
    writes: &Profile,
    runner: &mut Runner<'_, &Store>,
) -> Result<Vec<TargetFacts>, CommandError> {
    let admission = runner.admission;
    let mut checked = to_prepare(admission.check(writes)?);
    admission.prepare(&mut checked.plan, &checked.facts, &Silent, runner.stop)?;
    runner.proven.learn(&checked.plan, &admission.pins);
    Ok(checked.facts)
}

impl Schedule for Turns<'_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        if self.todo.is_empty() {
            self.todo = (self.more)(&self.done).into();
        }
        let Some(turn) = self.todo.pop_front() else {
            return Ok(None);
        };
        let span = Timespan {
            seed: self.next_seed(),
            ..turn.span
        };
        Ok(Some(Step {
            cold: turn.cold,
            ..Step::new(turn.label, span)
        }))
    }

    fn known(&self) -> &[TargetFacts] {
        &self.known
    }

    fn judge(&mut self, outcome: &Result<RunRecord, CommandError>) -> Fate {
        match outcome {
            Ok(record) if record.result() == RunResult::Interrupted => Fate::Drop,
            Ok(_) => Fate::Store,
            Err(_) => Fate::Fail,
        }
    }

    fn take(&mut self, step: Step, ran: Ran) -> bool {
        let Ok(record) = ran.outcome else {
            return false;
        };
        self.context.failure = session::reason(&record).map(|why| match record.result() {
            RunResult::Failed(NoResult::Ended(_)) => why, // it names the target
            _ => format!("{}: {why}", step.label),
        });
        self.done.push((step.label, record));
        self.context.failure.is_none()
    }
}

impl Watcher for &Steps {
    fn begin(&mut self, step: &Step, _planned: Nanos) {
        self.doing(&step.label);
    }
}

/// What is to be created and proven before the first turn serves all: a turn that writes asks for more than one that
/// reads.
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

/// Reads options of the workload of `fathom run` for one target; a later one replaces an earlier one. Others are refused, such
/// as those that confirm a loss of data, and `fixed` ones, which the command sets.
///
/// # Errors
/// What the parser or `fathom run` refuses, behind whose options they are.
fn span_of_words(
    whose: &str,
    words: impl Iterator<Item = OsString>,
    fixed: &[&str],
    path: &Path,
) -> Result<Timespan, CommandError> {
    let refused = |why: &dyn std::fmt::Display| CommandError::refused(format!("{whose}: {why}"));
    let command = LoadArgs::augment_args(clap::Command::new("fathom run")).args_override_self(true);
    let line = ["fathom run".into()].into_iter().chain(words);
    let matches = command.try_get_matches_from(line);
    let matches = matches.map_err(|error| refused(&error))?;
    let is_set = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    if let Some(id) = fixed.iter().find(is_set) {
        let why = format!(
            "--{id} cannot be set here; hint: specify it as an option of the command, or omit it"
        );
        return Err(refused(&why));
    }
    let load: LoadArgs = parsed(&matches)?;
    let built = native::build(&load.request(&[path.to_owned()]))?;
    let mut spans = built.profile.timespans.into_iter();
    spans.next().ok_or_else(|| refused(&"no I/O is issued"))
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

fn read_seed(reader: &mut Reader, text: Option<&str>) -> u64 {
    let text = text.unwrap_or(native::SEED);
    reader.number("--seed", text, SEED_FORM).unwrap_or_default()
}
