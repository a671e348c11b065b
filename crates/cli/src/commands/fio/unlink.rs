//! Removes the files of jobs with `unlink=1` when all jobs are done.
//!
//! A file is removed only if fathom wrote all of it, or if `--overwrite` confirms the loss. Deliberately absent: which
//! files these are (`tools::fio`), and the removal while jobs run, which fio does.

use crate::output;
use gate::{Folder, Name};
use model::{CommandError, Content, Location, TargetFacts, TargetKind};
use session::Admission;
use std::io;
use std::path::{Path, PathBuf};

/// Refuses files with data that fathom did not write, before anything is run.
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
        facts.kind == TargetKind::File && !may_be_removed(&facts, overwrite)
    });
    let refused: Vec<String> = foreign.map(|path| why(path)).collect();
    match refused.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(refused)),
    }
}

/// Removes them. Returns whether all are gone; each that stays is reported.
pub(super) fn remove(files: &[PathBuf], gate: &Admission, overwrite: bool) -> bool {
    let mut gone = true;
    for path in files {
        let facts = facts(path, gate);
        let removed = match facts.kind {
            TargetKind::Missing => continue,
            TargetKind::File if may_be_removed(&facts, overwrite) => removed(path, &facts)
                .map_err(|error| format!("unlink: {}: {error}", path.display())),
            _ => Err(why(path)),
        };
        if let Err(why) = removed {
            output::tell(&why);
            gone = false;
        }
    }
    gone
}

fn facts(path: &Path, gate: &Admission) -> TargetFacts {
    gate.look(&Location::Path(path.to_owned()))
}

fn may_be_removed(facts: &TargetFacts, overwrite: bool) -> bool {
    let own = matches!(
        facts.content,
        Content::Fathom | Content::FathomPartial | Content::Empty
    );
    own || overwrite
}

fn why(path: &Path) -> String {
    format!(
        "unlink: {} has data that fathom did not write\nhint: --overwrite confirms that it is lost; without unlink it stays",
        path.display()
    )
}

/// Removes a name that still leads to the file of these facts.
fn removed(path: &Path, facts: &TargetFacts) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = Folder::open(folder.unwrap_or(Path::new("."))).map_err(io::Error::other)?;
    let name = Name::new(path.file_name().unwrap_or_default().as_encoded_bytes())?;
    let there = folder.look_up(&name)?;
    match facts.identity == Some((there.st_dev, there.st_ino)) {
        true => folder.remove_file(&name),
        false => Err(io::Error::other("another file has its name now")),
    }
}
