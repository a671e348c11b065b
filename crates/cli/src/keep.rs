//! Where results are kept, as the command line says: opened before anything is measured, or not at all.

use crate::args::KeepArgs;
use crate::environment::{Environment, StorePlace};
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use store::{RunName, Store};

const NOWHERE: &str = "there is no place to keep results: neither XDG_DATA_HOME nor HOME is set; say \
                       --store PATH, or --no-store to keep nothing";

const NOWHERE_TO_LOOK: &str = "there is no place to look for results: neither XDG_DATA_HOME nor HOME is set; say --store PATH";

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

/// Opens it for keeping, or makes it with the folders above it. What cannot keep results is refused before they are measured.
pub(crate) fn open(place: Option<&StorePlace>) -> Result<Option<Store>, Failure> {
    let Some(place) = place else {
        return Ok(None);
    };
    Store::open(place.path())
        .map(Some)
        .map_err(Failure::refused)
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
            Store::open(&path).map(Some).map_err(Failure::refused)
        }
    }
}
