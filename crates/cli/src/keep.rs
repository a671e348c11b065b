//! Where results are kept, as the command line says: opened before anything is measured, or not at all.

use crate::args::KeepArgs;
use crate::environment::{Environment, StorePlace};
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use store::{RunName, Store};

const NOWHERE: &str = "there is no place to keep results: neither XDG_DATA_HOME nor HOME is set; say \
                       --store PATH, or --no-store to keep nothing";

/// For a command that can only keep.
pub(crate) const NOWHERE_TO_KEEP: &str =
    "there is no place to keep results: neither XDG_DATA_HOME nor HOME is set; say --store PATH";

pub(crate) const NOWHERE_TO_LOOK: &str = "there is no place to look for results: neither XDG_DATA_HOME nor HOME is set; say --store PATH";

/// Where a measuring command keeps its results; `None` with `--no-store`.
pub(crate) fn place(
    args: &KeepArgs,
    environment: &Environment,
) -> Result<Option<StorePlace>, Failure> {
    if args.no_store {
        return Ok(None);
    }
    match environment.store_place(args.store.as_ref()) {
        Some(place) => Ok(Some(place)),
        None => Err(Failure::refused(NOWHERE)),
    }
}

/// Opens it for keeping, or makes it; in the user's data folder with the folders above it. What cannot keep results is
/// refused before they are measured.
pub(crate) fn open(place: Option<&StorePlace>) -> Result<Option<Store>, Failure> {
    let Some(place) = place else {
        return Ok(None);
    };
    if let StorePlace::Named(path) = place {
        refuse_missing_folder(path)?;
    }
    Store::open(place.path())
        .map(Some)
        .map_err(Failure::refused)
}

/// Folders are made only in the user's data folder: elsewhere a missing one is more likely a slip.
fn refuse_missing_folder(path: &Path) -> Result<(), Failure> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.exists() => Err(Failure::refused(format!(
            "{}: its folder does not exist: make it first, or name another place for the results",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The store with its name, lent to whoever shows a result.
pub(crate) fn kept(store: Option<&Store>, name: Option<RunName>) -> Option<(RunName, &Path)> {
    Some((name?, store?.path()))
}

/// Opens what is there, to look into it. Looking makes nothing: `None` where the user's data folder has no store
/// yet. A store that was named has to be there.
pub(crate) fn look(
    option: Option<&PathBuf>,
    environment: &Environment,
) -> Result<Option<Store>, Failure> {
    let place = environment
        .store_place(option)
        .ok_or_else(|| Failure::refused(NOWHERE_TO_LOOK))?;
    match place {
        StorePlace::Default(path) if !path.exists() => Ok(None),
        StorePlace::Named(path) if !path.exists() => Err(Failure::refused(format!(
            "{}: nothing is kept there yet: check the spelling, or measure something first (fathom survey)",
            path.display()
        ))),
        StorePlace::Default(path) | StorePlace::Named(path) => {
            Store::look(&path).map(Some).map_err(Failure::refused)
        }
    }
}
