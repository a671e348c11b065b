//! The file that is created in a folder to be measured, and removed. It has one name, so that one that was left behind
//! by a fathom that was killed is found, used again and removed; any other file of that name is refused like every
//! other.

use crate::commands::survey::site;
use crate::output;
use model::{Location, TargetFacts};
use session::Admission;
use std::path::{Path, PathBuf};

const NAME: &str = ".fathom-look.dat";

/// Its name in this folder.
pub(super) fn in_folder(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Removes it, if it is still the one that was used.
pub(super) fn remove(gate: &Admission<'_>, used: &TargetFacts) {
    let now = gate.look(&Location::Path(used.path.clone()));
    if let Err(why) = site::remove(&gate.pins, used.identity, &now) {
        output::tell(&why);
    }
}
