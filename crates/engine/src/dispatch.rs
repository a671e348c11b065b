//! The choice of a backend: the one at run time, once per plan. Each system has its table (`BACKENDS`).
//!
//! `auto` takes the first that runs here; the request to the system and its answer are reported in a note. Omitted:
//! what a target is tried with before the run, which is in `trial`.

use crate::RunError;
use crate::backend::{Mmap, Null};
use crate::system::BACKENDS;
use crate::thread_plan::{self, ThreadPlan};
use crate::timespan::workers::{Life, live_with};
use crate::trial::{self, Trial};
use gate::Pins;
use model::{EngineChoice, Limits, Plan, Polling, TargetFacts};

/// Why a backend does not run here, and what would make it.
#[derive(Clone, Debug)]
pub(crate) struct Unavailable {
    pub(crate) reason: String,
    pub(crate) remedy: &'static str,
}

/// A backend: what it can do, and the life of a thread that works through it.
#[derive(Debug)]
pub(crate) struct Row {
    /// As the record and the person call it.
    pub(crate) name: &'static str,
    /// `None` for what is chosen by the target, not by its name.
    pub(crate) choice: Option<EngineChoice>,
    /// Whether `auto` may take it.
    pub(crate) is_automatic: bool,
    /// Where the kernel's workers may carry out its I/Os, so that they are watched: tries whether a read would need one.
    pub(crate) trial: Option<Trial>,
    /// What of the polling that is asked for the system lets this process have.
    pub(crate) probe: fn(Polling) -> Result<(), Unavailable>,
    /// Most I/Os outstanding a thread.
    pub(crate) depth_max: u32,
    /// What it can poll at all.
    pub(crate) polls: Polling,
    /// A thread's life with this backend, its loop compiled for it.
    pub(crate) live: Life,
}

/// No polling at all.
pub(crate) const NOTHING: Polling = Polling {
    completions: false,
    submissions: false,
};

/// The row of the null backend, which every system has.
pub(crate) const NULL: Row = Row {
    name: "null",
    choice: Some(EngineChoice::Null),
    is_automatic: false,
    trial: None,
    probe: |_| Ok(()),
    depth_max: model::check::QUEUE_DEPTH_MAX,
    polls: NOTHING,
    live: |orders| live_with(orders, Null::open),
};

/// The row of mapped files, which every system has.
pub(crate) const MAPPED: Row = Row {
    name: "mmap",
    choice: None,
    is_automatic: false,
    trial: None,
    probe: |_| Ok(()),
    depth_max: model::check::QUEUE_DEPTH_MAX,
    polls: NOTHING,
    live: |orders| live_with(orders, Mmap::open),
};

/// Asks the system whether a backend runs here. A parameter, so that tests can be a system that refuses.
type Ask<'a> = &'a dyn Fn(&Row) -> Result<(), Unavailable>;

/// A backend as a person may choose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// The name to choose it by.
    pub engine: EngineChoice,
    /// Why it does not run here, and what would make it; `None` when it does.
    pub refusal: Option<String>,
}

/// Every backend, and whether it runs on this machine now.
pub fn available() -> Vec<Availability> {
    BACKENDS
        .iter()
        .filter_map(|row| {
            Some(Availability {
                engine: row.choice?,
                refusal: (row.probe)(NOTHING).err().map(|why| why.to_string()),
            })
        })
        .collect()
}

/// Most I/Os outstanding a thread with the backend that this choice gives on this machine.
///
/// # Errors
/// The chosen backend does not run here.
pub fn queue_depth_max(choice: EngineChoice) -> Result<u32, RunError> {
    let (row, _) = choose(choice, &|row| row.asked(NOTHING))?;
    Ok(row.depth_max)
}

/// Whether there is a backend for a plan, before its files need to be there.
pub(crate) fn runs_here(plan: &Plan) -> Result<(), RunError> {
    own_rows(plan)?;
    let Some(depth) = depth(plan) else {
        return Ok(());
    };
    settle(choice(plan), depth, &|row| row.asked(plan.polling)).map(|_| ())
}

/// Each engine that targets have instead of the plan's, with its backend.
type OwnRows = Vec<(EngineChoice, &'static Row)>;

/// The backends of a plan: the usual one, and those that some of its targets have instead.
pub(crate) struct Backends {
    /// Of the plan; the record has its name.
    pub(crate) usual: &'static Row,
    own: OwnRows,
}

impl Backends {
    /// What a thread does.
    pub(crate) fn live(&self, place: &ThreadPlan, plan: &Plan) -> Life {
        if place.maps(plan) {
            return mapping().live;
        }
        let own = place.engine(plan);
        let row = self.own.iter().find(|(choice, _)| Some(*choice) == own);
        row.map_or(self.usual, |(_, row)| row).live
    }

    /// Returns whether the kernel's workers may carry out I/Os.
    pub(crate) fn have_kernel_workers(&self) -> bool {
        let own = self.own.iter().map(|(_, row)| *row);
        own.chain([self.usual]).any(|row| row.trial.is_some())
    }
}

/// The backends for a plan, and what a person should know about the choice.
pub(crate) fn backends(
    plan: &Plan,
    targets: &[TargetFacts],
    limits: &Limits,
    pins: &Pins,
) -> Result<(Backends, Vec<String>), RunError> {
    let (usual, mut notes) = resolve(plan, targets, limits, pins)?;
    let (own, of_own) = own_rows(plan)?;
    notes.extend(of_own);
    Ok((Backends { usual, own }, notes))
}

/// Returns each engine that targets have instead of the plan's, with its row, and notes on the choice.
fn own_rows(plan: &Plan) -> Result<(OwnRows, Vec<String>), RunError> {
    let places = thread_plan::places(plan, 0);
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for (choice, _) in EngineChoice::ALL {
        let is_own = |place: &&ThreadPlan| !place.maps(plan) && place.engine(plan) == Some(choice);
        let own = places.iter().filter(is_own);
        let own: Vec<&ThreadPlan> = own.collect();
        let Some(depth) = own.iter().map(|place| place.slots).max() else {
            continue;
        };
        let (row, more) = settle(choice, depth, &|row| row.asked(plan.polling))?;
        notes.extend(more);
        let (threads, all) = (own.len(), places.len());
        notes.push(format!(
            "{threads} of {all} threads use the engine {}",
            row.name
        ));
        rows.push((choice, row));
    }
    Ok((rows, notes))
}

/// The backend for a plan, and what a person should know about the choice.
fn resolve(
    plan: &Plan,
    targets: &[TargetFacts],
    limits: &Limits,
    pins: &Pins,
) -> Result<(&'static Row, Vec<String>), RunError> {
    let Some(depth) = depth(plan) else {
        return Ok((mapping(), Vec::new()));
    };
    let (backend, mut notes) = settle(choice(plan), depth, &|row| row.asked(plan.polling))?;
    let free = plan.engine == EngineChoice::Auto && !plan.polling.any() && plan.arrivals.is_none();
    let Some(trial) = backend.trial.filter(|_| free) else {
        return Ok((backend, notes));
    };
    let (better, why) = match depth {
        1 => (EngineChoice::Sync, "at depth 1 that is the shorter way"),
        _ => (
            EngineChoice::Libaio,
            "a block device takes them in the call that submits",
        ),
    };
    let better = row_of(better)?;
    let on_devices = trial::are_for_libaio(plan, targets) && better.asked(plan.polling).is_ok();
    if !(depth == 1 || on_devices) {
        return Ok((backend, notes));
    }
    let counted = || trial::counts_attempts(plan, targets, limits).filter(|_| on_devices);
    let note = match (trial::needs_kernel_workers(plan, pins, trial), counted()) {
        (Some(seen), _) => format!(
            "io_uring requests would be carried out by kernel workers here ({seen}), so {} was used; {why}",
            better.name
        ),
        (None, Some(counted)) => format!("{counted}, so {} was used", better.name),
        (None, None) => return Ok((backend, notes)),
    };
    notes.push(note);
    Ok((better, notes))
}

/// What was asked, or what the targets alone allow; the check lets no other engine near them.
fn choice(plan: &Plan) -> EngineChoice {
    let passes_through = plan.targets.iter().any(|target| target.namespace.is_some());
    match passes_through {
        true => EngineChoice::Nvme,
        false => plan.engine,
    }
}

/// The most that a thread has outstanding, of those that use the plan's backend; `None` where none does.
fn depth(plan: &Plan) -> Option<u32> {
    let places = thread_plan::places(plan, 0).into_iter();
    let others = places.filter(|place| !place.maps(plan) && place.engine(plan).is_none());
    others.map(|place| place.slots).max()
}

/// The backend of a choice, which has to have room for so many outstanding a thread.
fn settle(
    choice: EngineChoice,
    depth: u32,
    ask: Ask<'_>,
) -> Result<(&'static Row, Vec<String>), RunError> {
    let (row, refused) = choose(choice, ask)?;
    let Some(first) = refused.first() else {
        return Ok((row, Vec::new()));
    };
    let reasons: Vec<String> = refused
        .iter()
        .map(|(name, why)| format!("{name}: {}", why.reason))
        .collect();
    let (reasons, remedy) = (reasons.join("; "), first.1.remedy);
    if depth > row.depth_max {
        return Err(RunError::DepthWithoutRing {
            reason: reasons,
            remedy,
        });
    }
    let note = format!(
        "the engine {} was used, because a faster one does not run here ({reasons}); {remedy}",
        row.name
    );
    Ok((row, vec![note]))
}

/// Why each of those before the chosen one does not run, by its name.
type Refused = Vec<(&'static str, Unavailable)>;

/// The backend for targets that are mapped.
fn mapping() -> &'static Row {
    let row = BACKENDS.iter().find(|row| row.choice.is_none());
    row.expect("one backend maps")
}

/// The row of a choice, which other systems may have.
fn row_of(choice: EngineChoice) -> Result<&'static Row, RunError> {
    let row = BACKENDS.iter().find(|row| row.choice == Some(choice));
    row.ok_or_else(|| RunError::OtherSystem {
        engine: choice,
        own: BACKENDS.iter().filter_map(|row| row.choice).collect(),
    })
}

/// The row of a choice; for `auto` the first that runs.
fn choose(choice: EngineChoice, ask: Ask<'_>) -> Result<(&'static Row, Refused), RunError> {
    let unavailable = |row: &Row, why: Unavailable| RunError::Unavailable {
        engine: row.name,
        reason: why.reason,
        remedy: why.remedy,
    };
    if choice != EngineChoice::Auto {
        let row = row_of(choice)?;
        return match ask(row) {
            Ok(()) => Ok((row, Vec::new())),
            Err(why) => Err(unavailable(row, why)),
        };
    }
    let mut refused = Refused::new();
    for row in BACKENDS.iter().filter(|row| row.is_automatic) {
        match ask(row) {
            Ok(()) => return Ok((row, refused)),
            Err(why) => refused.push((row.name, why)),
        }
    }
    // Only if a feature is requested that sync lacks: the best backend that could have it reports why it does not.
    let (_, why) = refused.swap_remove(0);
    Err(unavailable(&BACKENDS[0], why))
}

impl Row {
    /// The system's answer, if the backend has the requested feature.
    fn asked(&self, polling: Polling) -> Result<(), Unavailable> {
        let lacks = |reason: &str| {
            Err(Unavailable {
                reason: reason.to_owned(),
                remedy: "take the engine io_uring, or omit it",
            })
        };
        if polling.submissions && !self.polls.submissions {
            return lacks("it has no submission queue to poll");
        }
        if polling.completions && !self.polls.completions {
            return lacks("it has no polled completion");
        }
        (self.probe)(polling)
    }
}

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.reason, self.remedy)
    }
}

#[cfg(test)]
mod tests;
