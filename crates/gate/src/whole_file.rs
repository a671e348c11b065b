//! A database that is written under another name and gets its own only when it is whole.
//!
//! SQLite writes it under the name of a [`Part`], which a killed process leaves behind and the next one removes. Omitted:
//! the content.

use crate::database::{DatabaseRefusal, check_database_name};
use crate::part::{Part, remove_leftovers};
use crate::resolved::Resolved;
use crate::side_files::database_of;
use crate::system::database::real_folder;
use crate::system::name::Name;
use crate::system::trust::keeps_names;
use crate::system::{keeps_all_names, make_private, resolve};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file that does not have its name yet. Dropped before [`publish`](PartFile::publish), it is removed.
#[derive(Debug)]
pub struct PartFile {
    part: Part,
    path: PathBuf, // absolute, without links
}

impl PartFile {
    /// Creates it next to the name that it will get, empty, for this user alone. Removes those that killed processes left
    /// for the same name and whose first 100 bytes are `ours`.
    ///
    /// # Errors
    /// See [`DatabaseRefusal`]; a name that exists is refused.
    pub fn create(to: &Path, ours: fn(&[u8]) -> bool) -> Result<PartFile, DatabaseRefusal> {
        check_database_name(to)?;
        let Resolved {
            folder,
            name,
            node,
            foreign,
        } = resolve(to)?;
        if let Some(name) = foreign {
            return Err(DatabaseRefusal::ForeignName(name));
        }
        if node.is_some() {
            return Err(DatabaseRefusal::Exists);
        }
        if let Some(database) = database_of(&folder, &name) {
            return Err(DatabaseRefusal::OfDatabase(database));
        }
        if keeps_all_names(&folder) {
            return Err(DatabaseRefusal::AppendOnly);
        }
        if !keeps_names(&folder) {
            return Err(DatabaseRefusal::OpenFolder);
        }
        let name = Name::of(&name)?;
        remove_leftovers(&folder, &name, &ours);
        let part = Part::create(&folder, &name, 0o600)?;
        make_private(part.file())?; // regardless of the umask
        Ok(PartFile {
            path: real_folder(&folder, to)?.join(part.part().as_os_str()),
            part,
        })
    }

    /// Its name for now: absolute, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, once all of it is on stable storage.
    ///
    /// # Errors
    /// [`DatabaseRefusal::Exists`] where the name was taken meanwhile; that file stays.
    pub fn publish(mut self) -> Result<(), DatabaseRefusal> {
        if !self.part.is_there() {
            return Err(DatabaseRefusal::Replaced);
        }
        self.part.file().sync_all()?;
        match self.part.take_name() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(DatabaseRefusal::Exists);
            }
            taken => drop(taken?),
        }
        Ok(self.part.sync_folder()?)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn ours(first: &[u8]) -> bool {
        first.is_empty() || first.starts_with(b"ours")
    }

    #[test]
    fn it_gets_its_name_only_where_that_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let part = PartFile::create(&to, ours).unwrap();
        fs::write(part.path(), b"ours, whole").unwrap();
        assert!(!to.exists());
        part.publish().unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"ours, whole");
        assert_eq!(fs::metadata(&to).unwrap().mode() & 0o7777, 0o600);
        assert!(matches!(
            PartFile::create(&to, ours),
            Err(DatabaseRefusal::Exists)
        ));
        let late = folder.path().join("late");
        let part = PartFile::create(&late, ours).unwrap();
        fs::write(&late, b"a thesis").unwrap();
        assert!(matches!(part.publish(), Err(DatabaseRefusal::Exists)));
        assert_eq!(fs::read(&late).unwrap(), b"a thesis");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            2,
            "no part is left"
        );
    }

    #[test]
    fn only_what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let left = |content: &[u8]| {
            let part = PartFile::create(&at("copy"), |_| false).unwrap();
            fs::write(part.path(), content).unwrap();
            part.part.leak()
        };
        let gone = [left(b"ours, half"), left(b"")];
        let thesis = left(b"a thesis");
        let linked = left(b"ours");
        fs::hard_link(at(&linked), at("second name")).unwrap();
        fs::write(at(".copy.part-0123456789abcdef"), b"ours").unwrap();
        let written = PartFile::create(&at("copy"), ours).unwrap();
        let second = PartFile::create(&at("copy"), ours).unwrap();
        for gone in &gone {
            assert!(!at(gone).exists(), "{gone}");
        }
        for stays in [&thesis, &linked, ".copy.part-0123456789abcdef"] {
            assert!(at(stays).exists(), "{stays}");
        }
        assert!(written.path().exists() && second.path().exists());
    }

    #[test]
    fn a_folder_in_which_others_rename_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, good) in [(0o777, false), (0o1777, true), (0o755, true)] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            let made = PartFile::create(&folder.path().join("copy"), ours);
            assert_eq!(made.is_ok(), good, "{mode:o}");
        }
    }
}
