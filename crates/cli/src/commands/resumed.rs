//! A session that is resumed by its number: which one it is, the words that it began with, and the lock that keeps two
//! programs from resuming it at once. Omitted: what it has and what is missing, which each command finds for itself.

use crate::args::KeepArgs;
use crate::environment::Environment;
use crate::keep;
use crate::kinds::stored::Kind;
use gate::FileLock;
use model::{CommandError, Location, TargetFacts, TargetKind};
use std::path::{Path, PathBuf};
use store::{Name, SessionId};

/// What a session that `--resume` names has to be.
pub(crate) struct Wanted<'a> {
    pub(crate) kind: &'static Kind,
    pub(crate) keep: &'a KeepArgs,
}

impl Wanted<'_> {
    /// The session of a number, and the words that it began with as `read` understands them.
    pub(crate) fn named<T>(
        &self,
        id: &str,
        environment: &Environment,
        read: impl FnOnce(&[String]) -> Option<T>,
    ) -> Result<(SessionId, T), CommandError> {
        let refuse = |why: &str| CommandError::refused(format!("--resume {id}: {why}"));
        let what = self.kind.described;
        if self.keep.no_store {
            return Err(refuse(&format!(
                "{what} is resumed where it is stored: omit --no-store"
            )));
        }
        let name: Name = id.parse().map_err(CommandError::refused)?;
        let store = keep::look(self.keep.store.as_ref(), environment)?;
        let store = store.ok_or_else(|| refuse("nothing is stored yet"))?;
        let name = store.resolve(name).map_err(CommandError::refused)?;
        let found = store
            .summary_of(name.session)
            .map_err(|error| refuse(&error.to_string()))?;
        if found.kind != self.kind.stored() {
            return Err(refuse(&format!(
                "this is not {what}: fathom list shows the kind of each session"
            )));
        }
        let words = read(&found.command).ok_or_else(|| {
            refuse("its command line is one of another version: give the whole command again")
        })?;
        Ok((name.session, words))
    }
}

/// What a target is: a device by what it is, never by its name, a file by its whole path and what the device below it is, because
/// another file system may be mounted there.
pub(crate) fn target_identity(location: &Location, facts: &TargetFacts) -> String {
    match (location, &facts.kind, facts.chain.first()) {
        (Location::Path(_), TargetKind::BlockDevice, Some(device)) => format!(
            "{:?} {:?} {} {:?}",
            device.model, device.firmware, device.size, device.diskseq
        ),
        (Location::Path(path), ..) => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            format!("{} {}", whole.display(), lies_on(facts))
        }
        (other, ..) => other.name(),
    }
}

/// What a target lies on: the kind of its file system, and the lowest device by what it is.
pub(crate) fn lies_on(facts: &TargetFacts) -> String {
    let below = facts.chain.last();
    let below = below.map(|device| (&device.model, &device.firmware, device.size));
    let kind = facts.file_system.as_ref().map(|on| &on.kind);
    format!("{kind:?} {below:?}")
}

/// What the file contains; a file of this name without it is foreign.
const MARK: &str =
    "A session of fathom locks this file while it runs. It may be removed when none does.\n";

/// Locked while a session runs; the system releases it however the program ends.
pub(crate) struct Lock {
    _file: FileLock,
}

impl Lock {
    pub(crate) fn take(store: &Path, session: SessionId) -> Result<Self, CommandError> {
        let mut path = store.as_os_str().to_owned();
        path.push(format!("-sweep-{session}"));
        let path = PathBuf::from(path);
        match FileLock::take(&path, MARK) {
            Ok(Some(file)) => Ok(Lock { _file: file }),
            Ok(None) => Err(CommandError::refused(format!(
                "session {session} is running just now, in another fathom; hint: wait for its end, or begin another one \
                 (--new; a survey: without --resume)"
            ))),
            Err(error) => Err(crate::failure::of_output(&error)),
        }
    }
}
