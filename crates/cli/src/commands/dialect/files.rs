//! The files that results go to beside standard output, and the files that a line reads.
//!
//! A file that is there already is written over only when it holds an earlier result of the same kind. Results are put
//! together in memory and a file gets its name when it is whole.

use crate::failure::Failure;
use crate::gate::same_name;
use crate::output;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A file for one form of the results.
#[derive(Clone, Copy)]
pub(crate) struct ResultFile<'a> {
    /// What named it.
    pub(crate) switch: &'static str,
    pub(crate) path: &'a Path,
    /// Whether a document that begins so is an earlier result of this form.
    pub(crate) is_one: fn(&[u8]) -> bool,
}

/// Whether it begins as a report of fathom's own.
pub(crate) fn is_report(start: &[u8]) -> bool {
    let has = |text: &str| {
        start
            .windows(text.len())
            .any(|piece| piece == text.as_bytes())
    };
    has("\"verdict\"") && has("\"report_version\"")
}

/// Whether the files of the results may be written, before anything is measured.
pub(crate) fn check_files(
    files: &[ResultFile],
    targets: &[&Path],
    store: Option<&Path>,
) -> Result<(), Failure> {
    let mut told = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let (path, shown) = (file.path, file.path.display());
        let mut refuse = |why: &str| told.push(format!("{} {shown}: {why}", file.switch));
        if targets.iter().any(|target| same_name(target, path)) {
            refuse("this is a target: name another file for the results");
        } else if store.is_some_and(|store| same_name(store, path)) {
            refuse("the runs are kept in this file: name another one for the results");
        } else if files[..place]
            .iter()
            .any(|other| same_name(other.path, path))
        {
            refuse("two results cannot go into one file: name another one");
        } else if let Err(why) = may_write(file.is_one, path) {
            refuse(&why);
        }
    }
    match told.is_empty() {
        true => Ok(()),
        false => Err(Failure::refused_for(told)),
    }
}

fn may_write(is_one: fn(&[u8]) -> bool, path: &Path) -> Result<(), String> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err("its folder does not exist: make it first, or name another place".to_owned());
    }
    can_be_made(path).map_err(|error| {
        format!(
            "nothing can be made in its folder: {}; name another place",
            output::errno_text(&error)
        )
    })?;
    let there = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(format!(
                "it cannot be looked at: {}",
                output::errno_text(&error)
            ));
        }
        Ok(there) => there,
    };
    if !there.is_file() {
        return Err("this is no file: name a file for the results".to_owned());
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(64 << 10).read_to_end(&mut start))
        .map_err(|error| {
            format!(
                "it is there and cannot be read: {}",
                output::errno_text(&error)
            )
        })?;
    if start.is_empty() || is_one(&start) {
        Ok(())
    } else {
        Err(format!(
            "a file is there that is no earlier result of this kind, and its {} bytes would be lost: name another one, or \
             remove it first",
            there.len()
        ))
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether it could be written; told if not. Under another name first, so that an earlier result is there until the new
/// one is whole.
pub(crate) fn write_whole(file: &ResultFile, bytes: &[u8]) -> bool {
    let Err(error) = try_write(file.path, bytes) else {
        return true;
    };
    output::tell(&format!(
        "{} {}: cannot be written: {}",
        file.switch,
        file.path.display(),
        output::errno_text(&error)
    ));
    false
}

/// The name under which a result grows.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    folder_of(path).join(name)
}

/// Tries it, so that a folder that takes nothing is found out before hours of measuring and not after them.
fn can_be_made(path: &Path) -> io::Result<()> {
    let part = part_of(path);
    File::options().write(true).create_new(true).open(&part)?;
    fs::remove_file(&part)
}

fn try_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = part_of(path);
    let mut file = File::options().write(true).create_new(true).open(&part)?;
    let written = file.write_all(bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part); // made by us, and of no use to anybody
    }
    written
}

/// The text of a file of which so many bytes are wanted at most, in whatever Unicode it is; or what stands against it.
pub(crate) fn text_of(path: &Path, bytes_max: u64) -> Result<String, String> {
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(bytes_max).read_to_end(&mut text))
        .map_err(|error| output::errno_text(&error))?;
    dialects::diskspd::decode(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_document(start: &[u8]) -> bool {
        start.starts_with(b"<Results>")
    }

    #[test]
    fn a_file_is_written_over_only_if_it_is_an_earlier_result_of_the_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        assert_eq!(may_write(is_document, &path), Ok(()));
        fs::write(&path, "<Results>\n  <System>").unwrap();
        assert_eq!(may_write(is_document, &path), Ok(()));
        assert!(
            may_write(is_report, &path)
                .unwrap_err()
                .contains("20 bytes would be lost")
        );
        assert!(
            may_write(is_report, folder.path())
                .unwrap_err()
                .contains("no file")
        );
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "trying leaves nothing"
        );
        let unmakable = may_write(is_document, Path::new("/proc/self/r")).unwrap_err();
        assert!(unmakable.contains("nothing can be made"), "{unmakable}");
        let nowhere = folder.path().join("no/r");
        assert!(
            may_write(is_document, &nowhere)
                .unwrap_err()
                .contains("folder")
        );
    }

    #[test]
    fn a_result_gets_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        fs::write(&path, "old").unwrap();
        try_write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
