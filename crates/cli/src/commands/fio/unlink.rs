//! Removes the files of jobs with `unlink=1` when all jobs are done.
//!
//! A file is removed only if fathom wrote all of it, which its record proves or reading the whole file, or if
//! `--overwrite` confirms the loss. Deliberately absent: which files these are (`tools::fio`), and the removal while jobs
//! run, which fio does.

use crate::{output, signals};
use engine::{Silent, Stop};
use model::{CommandError, Content, Location, TargetFacts, TargetKind};
use session::Admission;
use std::path::{Path, PathBuf};

/// Refuses files with data that fathom did not write, as far as a sample shows them, before anything is run.
///
/// # Errors
/// A sentence for each.
pub(super) fn check(
    files: &[PathBuf],
    gate: &Admission,
    overwrite: bool,
) -> Result<(), CommandError> {
    let foreign = files.iter().filter(|path| {
        let facts = facts(path, gate);
        facts.kind == TargetKind::File && !overwrite && !seems_own(&facts)
    });
    let refused: Vec<String> = foreign.map(|path| why(path)).collect();
    match refused.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(refused)),
    }
}

/// Removes them. Returns whether all are gone; each that stays is reported. A signal ends the reading of what is to be
/// proven.
pub(super) fn remove(
    files: &[PathBuf],
    gate: &Admission,
    overwrite: bool,
) -> Result<bool, CommandError> {
    let stop = Stop::new();
    if !files.is_empty() {
        signals::listen(&stop)?;
    }
    let mut gone = true;
    for path in files {
        if let Err(why) = remove_one(path, gate, overwrite, &stop) {
            output::tell(&why);
            gone = false;
        }
    }
    Ok(gone)
}

fn remove_one(path: &Path, gate: &Admission, overwrite: bool, stop: &Stop) -> Result<(), String> {
    let stays = |error: &dyn std::fmt::Display| format!("unlink: {}: {error}", path.display());
    let pin = gate.pins.pin(path).map_err(|error| stays(&error))?;
    let facts = facts(path, gate);
    match facts.kind {
        TargetKind::Missing => return Ok(()),
        TargetKind::File if overwrite => {}
        TargetKind::File if seems_own(&facts) => {
            let proven = gate.prove_own(&facts, &Silent, stop);
            proven.map_err(|error| stays(&error))?;
        }
        _ => return Err(why(path)),
    }
    match pin.remove() {
        Ok(true) => Ok(()),
        Ok(false) => Err(stays(&"another file has its name now")),
        Err(error) => Err(stays(&engine::errno_text(&error))),
    }
}

fn facts(path: &Path, gate: &Admission) -> TargetFacts {
    gate.look(&Location::Path(path.to_owned()))
}

fn seems_own(facts: &TargetFacts) -> bool {
    matches!(
        facts.content,
        Content::Fathom | Content::FathomPartial | Content::Empty
    )
}

fn why(path: &Path) -> String {
    format!(
        "unlink: {} has data that fathom did not write\nhint: --overwrite confirms that it is lost; without unlink it stays",
        path.display()
    )
}
