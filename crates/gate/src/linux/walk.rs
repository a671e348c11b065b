//! Resolves a path to descriptors, one component at a time, and notes the first name that another user could have
//! placed. Opens nothing for reading or writing: every descriptor is `O_PATH`. Omitted: what follows from that name.

use super::name::Name;
use super::trust::{Distrust, distrust, is_own};
use crate::resolved::{ForeignName, Resolved};
use rustix::fs::{FileType, Mode, OFlags, PROC_SUPER_MAGIC, fstat, openat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Symbolic links that one path may contain, as many as the kernel follows. // path_resolution(7)
const LINKS_MAX: usize = 40;

/// Resolves `path` from the current folder. A link in its last place is followed, also one that leads to nothing yet.
///
/// # Errors
/// Those of open(2) with `O_PATH`: a folder is missing, no permission to search one, more than 40 links.
pub fn resolve(path: &Path) -> io::Result<Resolved> {
    Walk::begin(path)?.finish()
}

/// A component that is still to be walked.
enum Step {
    Root,
    Up,
    Name(OsString),
}

struct Walk {
    folder: File,
    way: PathBuf, // of `folder`, as far as it is known; for messages alone
    todo: VecDeque<Step>,
    links: usize,
    foreign: Option<ForeignName>,
}

impl Walk {
    fn begin(path: &Path) -> io::Result<Walk> {
        let mut walk = Walk {
            folder: open_folder(rustix::fs::CWD, OsStr::new("."))?,
            way: PathBuf::new(),
            todo: VecDeque::new(),
            links: 0,
            foreign: None,
        };
        if path.as_os_str().is_empty() {
            return Err(Errno::NOENT.into());
        }
        walk.put_first(path);
        Ok(walk)
    }

    /// Puts the components of a path before those that are left.
    fn put_first(&mut self, path: &Path) {
        let steps = path.components().filter_map(|component| match component {
            Component::RootDir => Some(Step::Root),
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Name(name.to_owned())),
            Component::CurDir | Component::Prefix(_) => None,
        });
        // A path that ends in `/` or `/.` has to lead to a folder.
        let bytes = path.as_os_str().as_bytes();
        let wants_folder = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
        let mut steps: Vec<Step> = steps.collect();
        if wants_folder && matches!(steps.last(), Some(Step::Name(_))) {
            steps.push(Step::Name(OsString::from(".")));
        }
        for step in steps.into_iter().rev() {
            self.todo.push_front(step);
        }
    }

    fn finish(mut self) -> io::Result<Resolved> {
        while let Some(step) = self.todo.pop_front() {
            match step {
                Step::Root => self.enter(open_folder(rustix::fs::CWD, OsStr::new("/"))?, "/"),
                Step::Up => self.enter(open_folder(&self.folder, OsStr::new(".."))?, ".."),
                Step::Name(name) => {
                    if let Some(end) = self.step(&name)? {
                        return Ok(self.end(name, end));
                    }
                }
            }
        }
        let node = open_folder(&self.folder, OsStr::new("."))?;
        Ok(self.end(OsString::from("."), Some(node)))
    }

    fn end(mut self, name: OsString, node: Option<File>) -> Resolved {
        if node.as_ref().is_some_and(has_second_name) {
            self.note_foreign(&name, false);
        }
        Resolved {
            folder: self.folder,
            name,
            node,
            foreign: self.foreign,
        }
    }

    fn enter(&mut self, folder: File, name: impl AsRef<Path>) {
        self.folder = folder;
        self.way.push(name);
    }

    /// Walks one name. `Some` where it was the last: what is there, if anything is.
    fn step(&mut self, name: &OsStr) -> io::Result<Option<Option<File>>> {
        let last = self.todo.is_empty();
        let node = match openat(&self.folder, name, PLAIN | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(node) => File::from(node),
            Err(Errno::NOENT) if last => return Ok(Some(None)),
            Err(error) => return Err(error.into()),
        };
        let kind = FileType::from_raw_mode(fstat(&node)?.st_mode);
        if kind == FileType::Symlink {
            return self.follow(name, &node, last);
        }
        if last {
            return Ok(Some(Some(node)));
        }
        if kind != FileType::Directory {
            return Err(Errno::NOTDIR.into());
        }
        self.enter(node, name);
        Ok(None)
    }

    /// Notes a name if another user could have placed it, and none was noted before.
    fn note_foreign(&mut self, name: &OsStr, is_link: bool) {
        if self.foreign.is_none()
            && let Some(why) = distrust(&self.folder)
        {
            let path = self.way.join(name);
            self.foreign = Some(ForeignName { path, is_link, why });
        }
    }

    fn follow(
        &mut self,
        name: &OsStr,
        link: &File,
        last: bool,
    ) -> io::Result<Option<Option<File>>> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(Errno::LOOP.into());
        }
        self.note_foreign(name, true);
        // The links of /proc lead to a file itself, not to the name that they show.
        if rustix::fs::fstatfs(&self.folder)?.f_type == PROC_SUPER_MAGIC {
            let node = File::from(openat(&self.folder, name, PLAIN, Mode::empty())?);
            if last {
                return Ok(Some(Some(node)));
            }
            self.enter(node, name);
            return Ok(None);
        }
        // Another user's link, also where this user's folder hides whose it is: the kernel's protected_symlinks(5) everywhere.
        let owner = fstat(link)?.st_uid;
        if self.foreign.is_none() && !is_own(owner) {
            let (path, is_link) = (self.way.join(name), true);
            let why = Distrust::Link(owner);
            self.foreign = Some(ForeignName { path, is_link, why });
        }
        let target = rustix::fs::readlinkat(link, c"", Vec::new())?;
        self.put_first(Path::new(&OsString::from_vec(target.into_bytes())));
        Ok(None)
    }
}

/// Returns the name in its folder.
pub(crate) fn name_of(found: &Resolved) -> io::Result<Name> {
    Name::of(&found.name)
}

/// A descriptor that names a file and can do nothing with it.
pub(crate) const PLAIN: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

fn open_folder(from: impl AsFd, name: &OsStr) -> io::Result<File> {
    let flags = PLAIN.union(OFlags::DIRECTORY);
    Ok(openat(from, name, flags, Mode::empty())?.into())
}

/// Whether a regular file has more names than one.
fn has_second_name(node: &File) -> bool {
    fstat(node).is_ok_and(|there| {
        FileType::from_raw_mode(there.st_mode) == FileType::RegularFile && there.st_nlink > 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn inode(node: &File) -> u64 {
        fstat(node).unwrap().st_ino
    }

    #[test]
    fn links_are_followed_to_the_file_and_to_a_name_that_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("sub/file"), b"x").unwrap();
        symlink("sub/../sub/file", at("link")).unwrap();
        symlink("sub/new", at("hanging")).unwrap();
        let found = resolve(&at("link")).unwrap();
        let there = fs::metadata(at("sub/file")).unwrap().ino();
        assert_eq!(inode(found.node.as_ref().unwrap()), there);
        assert_eq!(found.name, "file");
        assert!(found.foreign.is_none());
        let free = resolve(&at("hanging")).unwrap();
        assert!(free.node.is_none());
        assert_eq!(free.name, "new");
        assert_eq!(inode(&free.folder), fs::metadata(at("sub")).unwrap().ino());
    }

    #[test]
    fn a_link_in_a_folder_that_others_may_write_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"x").unwrap();
        fs::create_dir(at("open")).unwrap();
        for mode in [0o777, 0o1777, 0o757] {
            fs::set_permissions(at("open"), fs::Permissions::from_mode(mode)).unwrap();
            let _ = fs::remove_file(at("open/link"));
            symlink(at("file"), at("open/link")).unwrap();
            let found = resolve(&at("open/link")).unwrap();
            assert!(found.node.is_some());
            let link = found.foreign.unwrap();
            assert!(link.is_link && link.path.ends_with("open/link"), "{link}");
        }
    }

    #[test]
    fn a_circle_and_a_path_through_a_file_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        fs::write(at("file"), b"x").unwrap();
        let code = |path: PathBuf| resolve(&path).unwrap_err().raw_os_error();
        assert_eq!(code(at("a")), Some(Errno::LOOP.raw_os_error()));
        assert_eq!(code(at("file/x")), Some(Errno::NOTDIR.raw_os_error()));
        assert_eq!(code(at("none/x")), Some(Errno::NOENT.raw_os_error()));
        assert_eq!(code(at("file/")), Some(Errno::NOTDIR.raw_os_error()));
    }

    #[test]
    fn a_link_of_proc_leads_to_the_open_file_whatever_its_name_is() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gone");
        let file = fs::File::create(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let shown = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let found = resolve(&shown).unwrap();
        assert_eq!(inode(&found.node.unwrap()), file.metadata().unwrap().ino());
    }
}
