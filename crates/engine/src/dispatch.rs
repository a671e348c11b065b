//! The table of backends: the one choice at run time, made once a plan.
//!
//! `auto` takes the first that runs here; what was asked of the system and what it said is told in a note. Left out:
//! what a target is tried with before the run, which is in `trial`.

use crate::RunError;
use crate::backend::{Aio, IoUring, Nvme};
use crate::thread_plan;
use crate::trial;
use gate::Pins;
use model::{EngineChoice, Plan, Polling};

/// A backend that runs here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackendKind {
    IoUring,
    Libaio,
    Sync,
    Nvme,
    Null,
    Mmap,
}

/// Why a backend does not run here, and what would make it.
#[derive(Clone, Debug)]
pub(crate) struct Unavailable {
    pub(crate) reason: String,
    pub(crate) remedy: &'static str,
}

/// One row: name, whether it runs here, and the most I/Os that it has outstanding a thread.
struct Row {
    kind: BackendKind,
    /// `None` for what is chosen by the target, not by its name.
    choice: Option<EngineChoice>,
    /// What of the polling that is asked for the system lets this process have.
    probe: fn(Polling) -> Result<(), Unavailable>,
    depth_max: u32,
    /// What it can poll at all.
    polls: Polling,
}

const NOTHING: Polling = Polling {
    completions: false,
    submissions: false,
};

/// In order of preference; `auto` takes the first that runs, and never the null backend. Commands are passed through where
/// a target is such that nothing else can be done with it.
const BACKENDS: [Row; 6] = [
    Row {
        kind: BackendKind::IoUring,
        choice: Some(EngineChoice::IoUring),
        probe: IoUring::probe,
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: Polling {
            completions: true,
            submissions: true,
        },
    },
    Row {
        kind: BackendKind::Libaio,
        choice: Some(EngineChoice::Libaio),
        probe: |_| Aio::probe(),
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: NOTHING,
    },
    Row {
        kind: BackendKind::Sync,
        choice: Some(EngineChoice::Sync),
        probe: |_| Ok(()),
        depth_max: 1,
        polls: Polling {
            completions: true,
            submissions: false,
        },
    },
    Row {
        kind: BackendKind::Nvme,
        choice: Some(EngineChoice::Nvme),
        probe: Nvme::probe,
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: Polling {
            completions: true,
            submissions: false,
        },
    },
    Row {
        kind: BackendKind::Null,
        choice: Some(EngineChoice::Null),
        probe: |_| Ok(()),
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: NOTHING,
    },
    Row {
        kind: BackendKind::Mmap,
        choice: None,
        probe: |_| Ok(()),
        depth_max: model::check::QUEUE_DEPTH_MAX,
        polls: NOTHING,
    },
];

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

/// Most I/Os outstanding a thread with the backend that this choice comes to on this machine.
///
/// # Errors
/// The chosen backend does not run here.
pub fn queue_depth_max(choice: EngineChoice) -> Result<u32, RunError> {
    let (row, _) = choose(choice, &|row| row.asked(NOTHING))?;
    Ok(row.depth_max)
}

/// Whether there is a backend for a plan, before its files need to be there.
pub(crate) fn runs_here(plan: &Plan) -> Result<(), RunError> {
    let Some(depth) = depth(plan) else {
        return Ok(());
    };
    settle(choice(plan), depth, &|row| row.asked(plan.polling)).map(|_| ())
}

/// The backend for a plan, and what a person should know about the choice.
pub(crate) fn resolve(plan: &Plan, pins: &Pins) -> Result<(BackendKind, Vec<String>), RunError> {
    let Some(depth) = depth(plan) else {
        return Ok((BackendKind::Mmap, Vec::new()));
    };
    let (kind, mut notes) = settle(choice(plan), depth, &|row| row.asked(plan.polling))?;
    let free = plan.engine == EngineChoice::Auto && !plan.polling.any() && plan.arrivals.is_none();
    let may_change = free && kind == BackendKind::IoUring && depth == 1;
    let seen = may_change.then(|| trial::needs_kernel_workers(plan, pins));
    if let Some(seen) = seen.flatten() {
        notes.push(format!(
            "io_uring requests would be carried out by kernel workers here ({seen}), so sync was used; at depth 1 that \
             is the shorter way"
        ));
        return Ok((BackendKind::Sync, notes));
    }
    Ok((kind, notes))
}

/// What was asked, or what the targets alone allow; the check lets no other engine near them.
fn choice(plan: &Plan) -> EngineChoice {
    let passes_through = plan.targets.iter().any(|target| target.namespace.is_some());
    match passes_through {
        true => EngineChoice::Nvme,
        false => plan.engine,
    }
}

/// The most that a thread has outstanding, of those that do not map; `None` where all do.
fn depth(plan: &Plan) -> Option<u32> {
    let places = thread_plan::places(plan, 0).into_iter();
    let others = places.filter(|place| !place.maps(plan));
    others.map(|place| place.slots).max()
}

/// The backend of a choice, which has to have room for so many outstanding a thread.
fn settle(
    choice: EngineChoice,
    depth: u32,
    ask: Ask<'_>,
) -> Result<(BackendKind, Vec<String>), RunError> {
    let (row, refused) = choose(choice, ask)?;
    let Some(first) = refused.first() else {
        return Ok((row.kind, Vec::new()));
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
        row.name()
    );
    Ok((row.kind, vec![note]))
}

/// Why each of those before the chosen one does not run, by its name.
type Refused = Vec<(&'static str, Unavailable)>;

/// The row of a choice; for `auto` the first that runs.
fn choose(choice: EngineChoice, ask: Ask<'_>) -> Result<(&'static Row, Refused), RunError> {
    let unavailable = |row: &Row, why: Unavailable| RunError::Unavailable {
        engine: row.name(),
        reason: why.reason,
        remedy: why.remedy,
    };
    if choice != EngineChoice::Auto {
        let mut rows = BACKENDS.iter();
        let row = rows.find(|row| row.choice == Some(choice));
        let row = row.expect("every choice has a row");
        return match ask(row) {
            Ok(()) => Ok((row, Vec::new())),
            Err(why) => Err(unavailable(row, why)),
        };
    }
    let mut refused = Refused::new();
    let named = BACKENDS.iter().filter(|row| row.choice.is_some());
    for row in named.filter(|row| !matches!(row.kind, BackendKind::Null | BackendKind::Nvme)) {
        match ask(row) {
            Ok(()) => return Ok((row, refused)),
            Err(why) => refused.push((row.name(), why)),
        }
    }
    // Only where something is asked for that sync has not: the best that could have it says why it does not.
    let (_, why) = refused.swap_remove(0);
    Err(unavailable(&BACKENDS[0], why))
}

impl Row {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// What the system says, where the backend has what is asked for.
    fn asked(&self, polling: Polling) -> Result<(), Unavailable> {
        let lacks = |reason: &str| {
            Err(Unavailable {
                reason: reason.to_owned(),
                remedy: "take the engine io_uring, or leave it out",
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

impl BackendKind {
    /// As the record and the person call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BackendKind::IoUring => "io_uring",
            BackendKind::Libaio => "libaio",
            BackendKind::Sync => "sync",
            BackendKind::Nvme => "nvme",
            BackendKind::Null => "null",
            BackendKind::Mmap => "mmap",
        }
    }
}

#[cfg(test)]
mod tests;
