//! A look from the gate to the page: its file is created, its turns are run and stored, its file is removed, its result
//! is printed. What `fathom quick`, `fathom layers` and `fathom fit` have in common; what differs between them is a `Look`.
//!
//! Deliberately absent: which turns there are, and in which order (`quick`, `layers`, `fit`).

use super::{NextTurns, PlannedTurn, Turns, own_file, to_prepare};
use crate::args::KeepArgs;
use crate::commands::answer;
use crate::commands::command_line;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::stored::Kind;
use crate::progress::{Progress, Steps};
use crate::report::Form;
use crate::run_context::RunContext;
use crate::{keep, output, signals};
use analysis::LooksContext;
use engine::Stop;
use model::{CommandError, Location, Profile, RunRecord, TargetFacts};
use session::{Admission, CheckedPlan, Journal, ProvenFiles, Runner, clock};
use std::collections::VecDeque;
use store::{SessionOutcome, Store};

/// How the runs of a look become a page or a document.
pub(super) type Page = fn(&[(String, RunRecord)], &LooksContext, Form<'_>) -> Vec<u8>;

/// What a command brings along.
pub(super) struct Look<'a> {
    pub(super) kind: &'static Kind,
    /// Its targets as they were named, for the database.
    pub(super) named: String,
    /// One turn of each sort, so that everything is refused before anything is created.
    pub(super) all: Profile,
    /// The turns that only read, where all of them come before those that write. What only the others ask for is proven
    /// when these were taken: to prove it everything is read, and the reads would meet that in caches.
    pub(super) reads: Option<Profile>,
    /// All of them, in order.
    pub(super) turns: Vec<PlannedTurn>,
    /// The target that is checked again after its creation.
    pub(super) location: &'a Location,
    /// That target is a file of our own, which is removed.
    pub(super) own_file: bool,
    /// The other targets, as they were looked at.
    pub(super) beside: Vec<TargetFacts>,
    pub(super) seed: u64,
    pub(super) context: LooksContext,
    pub(super) page: Page,
    pub(super) feedback: Feedback<'a>,
}

/// What depends on the results.
pub(super) struct Feedback<'a> {
    pub(super) more: NextTurns<'a>,
    /// How the session ends with these results, where all went well.
    pub(super) ending: fn(&[(String, RunRecord)], &LooksContext) -> Ending,
}

impl Feedback<'_> {
    /// No further turns, and a good ending.
    pub(super) const NONE: Feedback<'static> = Feedback {
        more: &|_| Vec::new(),
        ending: |_, _| Ending::Good,
    };
}

/// What it uses.
pub(super) struct Setting<'a> {
    pub(super) environment: &'a Environment,
    pub(super) ground: &'a RunContext,
    pub(super) gate: &'a Admission<'a>,
    pub(super) keep: &'a KeepArgs,
    pub(super) json: bool,
}

impl Look<'_> {
    /// Takes all turns, keeps every run, prints the result.
    ///
    /// # Errors
    ///
    /// What the gate refuses, a results database that cannot be opened, a file that cannot be created: then no turn was
    /// run. A result that cannot be printed: what was measured is kept all the same. A turn that fails is no error: the
    /// ending reports it.
    pub(super) fn take(self, setting: &Setting<'_>) -> Result<Ending, CommandError> {
        let Setting {
            environment, gate, ..
        } = *setting;
        let mut first = to_prepare(self.pass(gate)?);
        let stop = Stop::new();
        signals::listen(&stop)?;
        let store = keep::open(setting.ground.place.as_ref())?;
        let filling = Progress::of_filling(environment);
        let made = gate.prepare(&mut first.plan, &first.facts, &filling, &stop);
        filling.finish();
        let made = made?;
        let mut ours = ProvenFiles::default();
        ours.learn(&first.plan, &gate.pins);
        let used = match made.is_empty() {
            true => self.as_it_passed(&first.facts),
            false => None,
        };
        let used = used.unwrap_or_else(|| gate.look(self.location));

        let new =
            session::new_session(self.kind.stored(), command_line(), self.named, clock::utc());
        let journal = Journal::begin(store.as_ref(), new);
        let progress = Steps::new(environment);
        let mut table = Turns {
            todo: VecDeque::new(),
            more: self.feedback.more,
            known: self.beside,
            progress: &progress,
            seed: self.seed,
            done: Vec::new(),
            context: self.context,
        };
        table.known.push(used.clone());
        let mut runner = Runner::new(gate, ours, &journal, command_line(), &stop);
        let late = self.reads.is_some();
        let (writes, reads) = (self.turns.into_iter()).partition(|turn| late && turn.write);
        let taken = match table.take_all(reads, &mut runner) {
            true if late => table.prove(&self.all, &mut runner),
            _ => Ok(false),
        };
        if let Ok(true) = taken {
            table.take_all(writes, &mut runner);
        }
        progress.finish();
        if self.own_file {
            own_file::remove(gate, &used);
        }
        let Turns { done, context, .. } = table;
        if let Err(refusal) = taken {
            Ending::of(journal.drop_all());
            output::tell("the reads before are not stored, because the writes are refused");
            return Err(refusal);
        }
        let ending = end(&journal, &context);
        let ending = ending.and((self.feedback.ending)(&done, &context));
        let form = Form::of_session(setting.json, &journal, setting.keep, setting.environment);
        output::print(&(self.page)(&done, &context, form))?;
        Ok(ending)
    }

    fn pass(&self, gate: &Admission<'_>) -> Result<Vec<CheckedPlan>, CommandError> {
        let Some(reads) = &self.reads else {
            return gate.check(&self.all);
        };
        gate.check_before_proof(&self.all)?;
        gate.check(reads)
    }

    /// The target with all that the gate found out about it. That a device is empty is proven before the first turn alone:
    /// after one that writes, it is not.
    fn as_it_passed(&self, facts: &[TargetFacts]) -> Option<TargetFacts> {
        let mut its = facts.iter();
        its.find(|facts| Some(&*facts.path) == self.location.path())
            .cloned()
    }
}

/// Reports what a program that reads only the exit code and standard error needs, and ends the session.
fn end(journal: &Journal<&Store>, context: &LooksContext) -> Ending {
    let reported = match (&context.failure, context.interrupted) {
        (Some(why), _) => why.clone(),
        (None, true) => "interrupted: the result covers what was measured until then".to_owned(),
        (None, false) => String::new(),
    };
    let ending = match reported.is_empty() {
        true => Ending::Good,
        false => {
            output::tell(&reported);
            Ending::Wrong
        }
    };
    let kept = serde_json::to_string(context).expect("a context is plain data");
    ending.and(answer::finish(journal, outcome(context), Some(&kept)))
}

fn outcome(context: &LooksContext) -> SessionOutcome {
    match (&context.failure, context.interrupted) {
        (Some(_), _) => SessionOutcome::Failed,
        (None, true) => SessionOutcome::Interrupted,
        (None, false) => SessionOutcome::Complete,
    }
}
