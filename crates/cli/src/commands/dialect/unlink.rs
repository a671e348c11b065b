//! Removes the files of a request when all is done: those of fio's jobs with `unlink=1`, and those of IOR without `-k`.
//!
//! A file is removed only if fathom wrote all of it, which its record proves or reading the whole file, or if
//! `--overwrite` confirms the loss. Deliberately absent: which files these are (`tools`), and the removal while others
//! run, which fio does.

use crate::{output, signals};
use engine::{Silent, Stop};
use model::check::seems_own;
use model::{CommandError, Location, TargetFacts, TargetKind};
use session::Admission;
use std::path::{Path, PathBuf};

/// The words of a tool for it.
#[derive(Clone, Copy)]
pub(crate) struct Removal {
    /// What asks for it, before each message.
    pub(crate) option: &'static str,
    /// How a file stays.
    pub(crate) kept: &'static str,
    /// The person confirmed that the data in the files may be lost.
    pub(crate) overwrite: bool,
}

/// fio removes the link, and fathom would remove the file.
const IS_A_LINK: &str =
    "is a symbolic link, and removing it would leave the file; hint: specify the file";

/// Refuses links, files in use, and files with data that fathom did not write, as far as a sample shows them, before anything is run.
///
/// # Errors
/// A sentence for each.
pub(crate) fn check(
    files: &[PathBuf],
    gate: &Admission,
    removal: Removal,
) -> Result<(), CommandError> {
    let refused = files.iter().filter_map(|path| {
        let facts = facts(path, gate);
        let foreign = facts.kind == TargetKind::File && !removal.overwrite && !seems_own(&facts);
        let link = path.is_symlink();
        let link = link.then(|| format!("{}: {} {IS_A_LINK}", removal.option, path.display()));
        link.or_else(|| in_use(&facts, removal))
            .or_else(|| foreign.then(|| why(path, removal)))
    });
    let refused: Vec<String> = refused.collect();
    match refused.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(refused)),
    }
}

/// Removes them. Returns whether all are gone; each that stays is reported.
pub(crate) fn remove(
    files: &[PathBuf],
    gate: &Admission,
    removal: Removal,
) -> Result<bool, CommandError> {
    let stay = remove_each(files, gate, removal)?;
    stay.iter().for_each(|why| output::tell(why));
    Ok(stay.is_empty())
}

/// The same; returns why those that stay do. A signal ends the reading of what is to be proven.
pub(crate) fn remove_each(
    files: &[PathBuf],
    gate: &Admission,
    removal: Removal,
) -> Result<Vec<String>, CommandError> {
    let stop = Stop::new();
    if !files.is_empty() {
        signals::listen(&stop)?;
    }
    let each = files.iter();
    let each = each.filter_map(|path| remove_one(path, gate, removal, &stop).err());
    Ok(each.collect())
}

fn remove_one(path: &Path, gate: &Admission, removal: Removal, stop: &Stop) -> Result<(), String> {
    let stays =
        |error: &dyn std::fmt::Display| format!("{}: {}: {error}", removal.option, path.display());
    let pin = gate.pins.pin(path).map_err(|error| stays(&error))?;
    let facts = facts(path, gate);
    if let Some(why) = in_use(&facts, removal) {
        return Err(why);
    }
    match facts.kind {
        TargetKind::Missing => return Ok(()),
        TargetKind::File if removal.overwrite => {}
        TargetKind::File if seems_own(&facts) => {
            let proven = gate.prove_own(&facts, &Silent, stop);
            proven.map_err(|error| stays(&error))?;
        }
        _ => return Err(why(path, removal)),
    }
    match pin.remove() {
        Ok(true) => Ok(()),
        Ok(false) => Err(stays(&"another file has its name now")),
        Err(error) => Err(stays(&model::errno_text(&error))),
    }
}

/// Why no option allows its removal: others use its data, or whether they do could not be checked.
fn in_use(facts: &TargetFacts, removal: Removal) -> Option<String> {
    let option = removal.option;
    let uses = facts.claims.iter().filter(|claim| claim.in_use());
    let uses: Vec<String> = uses.map(ToString::to_string).collect();
    let path = facts.path.display();
    match facts.unchecked.as_slice() {
        _ if !uses.is_empty() => Some(format!(
            "{option}: {path} is in use, so it is not removed: {}",
            uses.join(", ")
        )),
        [] => None,
        unchecked => Some(format!(
            "{option}: {path} is not removed, because this could not be checked: {}",
            unchecked.join(", ")
        )),
    }
}

fn facts(path: &Path, gate: &Admission) -> TargetFacts {
    gate.look(&Location::Path(path.to_owned()))
}

fn why(path: &Path, removal: Removal) -> String {
    format!(
        "{}: {} has data that fathom did not write; hint: --overwrite confirms that it is lost; {} it stays",
        removal.option,
        path.display(),
        removal.kept
    )
}
