//! The table of backends: the one choice at run time, made once a plan.

use crate::RunError;
use crate::backend::IoUring;
use crate::place;
use model::{EngineChoice, Plan};

/// A backend that runs here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackendKind {
    IoUring,
    Sync,
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
    probe: fn() -> Result<(), Unavailable>,
    depth_max: u32,
}

/// In order of preference; `auto` takes the first that runs, and never the null backend.
const BACKENDS: [Row; 4] = [
    Row {
        kind: BackendKind::IoUring,
        choice: Some(EngineChoice::IoUring),
        probe: IoUring::probe,
        depth_max: model::check::QUEUE_DEPTH_MAX,
    },
    Row {
        kind: BackendKind::Sync,
        choice: Some(EngineChoice::Sync),
        probe: || Ok(()),
        depth_max: 1,
    },
    Row {
        kind: BackendKind::Null,
        choice: Some(EngineChoice::Null),
        probe: || Ok(()),
        depth_max: model::check::QUEUE_DEPTH_MAX,
    },
    Row {
        kind: BackendKind::Mmap,
        choice: None,
        probe: || Ok(()),
        depth_max: model::check::QUEUE_DEPTH_MAX,
    },
];

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
                refusal: (row.probe)()
                    .err()
                    .map(|why| format!("{}; {}", why.reason, why.remedy)),
            })
        })
        .collect()
}

/// Most I/Os outstanding a thread with the backend that this choice comes to on this machine.
///
/// # Errors
/// The chosen backend does not run here.
pub fn queue_depth_max(choice: EngineChoice) -> Result<u32, RunError> {
    let (row, _) = choose(choice)?;
    Ok(row.depth_max)
}

/// The backend for a plan, and what a person should know about the choice.
pub(crate) fn resolve(plan: &Plan) -> Result<(BackendKind, Vec<String>), RunError> {
    let others = || {
        place::places(plan, 0)
            .into_iter()
            .filter(|place| !place.maps(plan))
    };
    let Some(depth) = others().map(|place| place.slots).max() else {
        return Ok((BackendKind::Mmap, Vec::new()));
    };
    let (row, fallback) = choose(plan.engine)?;
    match fallback {
        Some(why) if depth > row.depth_max => Err(RunError::DepthWithoutRing {
            reason: why.reason,
            remedy: why.remedy,
        }),
        Some(why) => {
            let note = format!(
                "io_uring does not run here ({}), so sync was used; {}",
                why.reason, why.remedy
            );
            Ok((row.kind, vec![note]))
        }
        None => Ok((row.kind, Vec::new())),
    }
}

/// The row of a choice; for `auto` the first that runs, with why the one before it did not.
fn choose(choice: EngineChoice) -> Result<(&'static Row, Option<Unavailable>), RunError> {
    if choice == EngineChoice::Auto {
        let mut refused = None;
        let named = BACKENDS.iter().filter(|row| row.choice.is_some());
        for row in named.filter(|row| row.kind != BackendKind::Null) {
            match (row.probe)() {
                Ok(()) => return Ok((row, refused)),
                Err(why) => refused = Some(why),
            }
        }
    }
    let row = BACKENDS
        .iter()
        .find(|row| row.choice == Some(choice))
        .expect("sync always runs, and every choice has a row");
    (row.probe)()
        .map(|()| (row, None))
        .map_err(|why| RunError::Unavailable {
            engine: row.name(),
            reason: why.reason,
            remedy: why.remedy,
        })
}

impl Row {
    fn name(&self) -> &'static str {
        self.kind.name()
    }
}

impl BackendKind {
    /// As the record and the person call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BackendKind::IoUring => "io_uring",
            BackendKind::Sync => "sync",
            BackendKind::Null => "null",
            BackendKind::Mmap => "mmap",
        }
    }
}
