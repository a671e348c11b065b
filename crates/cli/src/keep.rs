//! Where results are stored, as the command line specifies: opened before anything is measured, or not at all.

use crate::args::KeepArgs;
use crate::environment::{Environment, StorePlace};
use crate::output;
use crate::system::NOWHERE;
use model::CommandError;
use std::path::{Path, PathBuf};
use store::{Notice, RunName, Store, StoreError};

pub(crate) use crate::system::{NOWHERE_TO_KEEP, NOWHERE_TO_LOOK};

/// Where a measuring command keeps its results; `None` with `--no-store`, and with a note where there is no such place, as
/// in a container.
pub(crate) fn place(
    args: &KeepArgs,
    environment: &Environment,
) -> Result<Option<StorePlace>, CommandError> {
    if args.no_store {
        return Ok(None);
    }
    let place = environment.store_place(args.store.as_ref());
    match &place {
        Some(place) => check_name(place)?,
        None => output::tell(NOWHERE),
    }
    Ok(place)
}

/// SQLite reads some names as something else than a file.
fn check_name(place: &StorePlace) -> Result<(), CommandError> {
    store::check_name(place.path()).map_err(CommandError::refused)
}

/// Opens it for keeping, or makes it; in the user's data folder with the folders above it. A named place that cannot keep
/// results is refused before they are measured; without a data folder that can be written they are not kept, with a note.
pub(crate) fn open(place: Option<&StorePlace>) -> Result<Option<Store>, CommandError> {
    let Some(place) = place else {
        return Ok(None);
    };
    check_name(place)?;
    match place {
        StorePlace::Named(path) => refuse_missing_folder(path)?,
        StorePlace::Default { home, .. } if !home.is_dir() => {
            output::tell(&format!(
                "results are not stored: {} does not exist, and is not created; hint: --store PATH stores them",
                home.display()
            ));
            return Ok(None);
        }
        StorePlace::Default { .. } => {}
    }
    if let Some(stream) = host::stream_to(place.path()) {
        return Err(CommandError::refused(format!(
            "{}: {stream} of this program goes to this file, and would overwrite the results; hint: another --store, or \
             another file for the output",
            place.path().display()
        )));
    }
    let mut why = None;
    let store = opened(|report| {
        let opened = Store::open_with(place.path(), report);
        why = opened
            .as_ref()
            .err()
            .and_then(|error| unwritable(place, error));
        opened
    });
    match why {
        Some(why) => {
            output::tell(&format!(
                "results are not stored: {why}; hint: --store PATH stores them"
            ));
            Ok(None)
        }
        None => store.map(Some),
    }
}

/// Why the user's data folder takes no database, where that is all: a home that is read-only or missing, as in a container.
/// A place that was named is refused instead.
fn unwritable(place: &StorePlace, error: &StoreError) -> Option<String> {
    let StorePlace::Default { path, .. } = place else {
        return None;
    };
    match error {
        StoreError::MakeFolder { reason, .. } | StoreError::Unwritable { reason, .. } => {
            let reason = reason.split(" (os error ").next().unwrap_or(reason);
            Some(format!("{} cannot be written: {reason}", path.display()))
        }
        _ => None,
    }
}

/// Opens it, and reports the changes to the file.
pub(crate) fn opened(
    open: impl FnOnce(&mut dyn FnMut(Notice)) -> store::Result<Store>,
) -> Result<Store, CommandError> {
    let mut progress = Drawn::default();
    let opened = open(&mut |notice| report(&notice, &mut progress));
    progress.clear();
    opened.map_err(CommandError::refused)
}

fn report(notice: &Notice, progress: &mut Drawn) {
    match notice {
        Notice::Copying { done, pages } => {
            progress.draw("copying the results database", *done, *pages);
        }
        Notice::Migrating { done, sessions } => {
            progress.draw("updating the results database, session", *done, *sessions);
        }
        Notice::MadePrivate { path, mode } => {
            progress.clear();
            output::tell(&format!(
                "{}: other users had access to it (mode {mode:04o}); now only this user has",
                path.display()
            ));
        }
        Notice::KeptOld { path, version } => {
            progress.clear();
            output::tell(&format!(
                "the results database is updated; a whole copy of version {version} stays as {}",
                path.display()
            ));
        }
    }
}

/// One line of progress on a terminal; nothing elsewhere.
#[derive(Default)]
pub(crate) struct Drawn {
    longest: usize,
}

impl Drawn {
    pub(crate) fn draw(&mut self, what: &str, done: u64, of: u64) {
        if output::room().is_some() {
            let line = format!("{what}: {done} of {of}");
            self.longest = self.longest.max(line.len());
            output::draw_over(&line);
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.longest > 0 {
            output::draw_over(&format!("{:1$}", "", self.longest));
            output::draw_over("");
            self.longest = 0;
        }
    }
}

/// Folders are created only in the user's data folder: elsewhere a missing one is more likely a slip.
fn refuse_missing_folder(path: &Path) -> Result<(), CommandError> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.exists() => Err(CommandError::refused(format!(
            "{}: its folder does not exist: create it first, or specify another place for the results",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The store with its name, lent to the code that shows a result.
pub(crate) fn kept(store: Option<&Store>, name: Option<RunName>) -> Option<(RunName, &Path)> {
    Some((name?, store?.path()))
}

/// Opens what is there, to look into it. Looking makes nothing: `None` where the user's data folder has no store
/// yet. A store that was named has to be there.
pub(crate) fn look(
    option: Option<&PathBuf>,
    environment: &Environment,
) -> Result<Option<Store>, CommandError> {
    let place = environment
        .store_place(option)
        .ok_or_else(|| CommandError::refused(NOWHERE_TO_LOOK))?;
    check_name(&place)?;
    match place {
        StorePlace::Default { path, .. } if !path.exists() => Ok(None),
        StorePlace::Named(path) if !path.exists() => Err(CommandError::refused(format!(
            "{}: nothing is stored there yet: check the spelling, or measure something first (fathom survey)",
            path.display()
        ))),
        StorePlace::Default { path, .. } | StorePlace::Named(path) => {
            opened(|report| Store::look_with(&path, report)).map(Some)
        }
    }
}
