//! The results, where they were asked for: on standard output, and in the files of `--text`, `--xml` and `--json`.
//!
//! A file that is there already is written over only when it holds an earlier result of the same kind. Results are put
//! together in memory and a file gets its name when it is whole.

use super::session::Asked;
use crate::commands::VERSION;
use crate::failure::Failure;
use crate::gate::same_name;
use crate::{output, report};
use analysis::diskspd::system;
use dialects::diskspd::ResultFormat;
use model::{HostRecord, Nanos, RunRecord};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use views::{DiskspdResults, diskspd_text, diskspd_xml};

/// So much of a profile is read: one byte more than the dialect takes, so that it says what is wrong.
const PROFILE_MAX: u64 = (64 << 20) + 1;

/// What was measured, ready to be shown.
pub(super) struct Pages<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) host: &'a HostRecord,
    pub(super) started_utc: Nanos,
    /// One a time span that ran, in order.
    pub(super) records: &'a [RunRecord],
}

/// The forms of a result, each with its switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Xml,
    Json,
}

impl Form {
    /// How its documents begin.
    fn is_one(self, start: &[u8]) -> bool {
        let has = |text: &str| {
            start
                .windows(text.len())
                .any(|piece| piece == text.as_bytes())
        };
        match self {
            Form::Text => start.starts_with(b"\nCommand Line: "),
            Form::Xml => start.starts_with(b"<Results>"),
            Form::Json => has("\"verdict\"") && has("\"report_version\""),
        }
    }
}

fn files<'a>(asked: &'a Asked) -> impl Iterator<Item = (Form, &'static str, &'a PathBuf)> {
    let extra = asked.extra;
    let all = [
        (Form::Text, "--text", extra.text.as_ref()),
        (Form::Xml, "--xml", extra.xml.as_ref()),
        (Form::Json, "--json", extra.json.as_ref()),
    ];
    all.into_iter()
        .filter_map(|(form, switch, path)| Some((form, switch, path?)))
}

/// Whether the files of the results may be written, before anything is measured.
pub(super) fn check_files(asked: &Asked, store: Option<&Path>) -> Result<(), Failure> {
    let mut told = Vec::new();
    let mut before: Vec<&Path> = Vec::new();
    let spans = asked.profile.time_spans.iter();
    let targets: Vec<&Path> = spans
        .flat_map(|span| &span.targets)
        .map(|target| Path::new(&target.path))
        .collect();
    for (form, switch, path) in files(asked) {
        let shown = path.display();
        let mut refuse = |why: &str| told.push(format!("{switch} {shown}: {why}"));
        if targets.iter().any(|target| same_name(target, path)) {
            refuse("this is a target: name another file for the results");
        } else if store.is_some_and(|store| same_name(store, path)) {
            refuse("the runs are kept in this file: name another one for the results");
        } else if before.iter().any(|other| same_name(other, path)) {
            refuse("two results cannot go into one file: name another one");
        } else if let Err(why) = may_write(form, path) {
            refuse(&why);
        }
        before.push(path);
    }
    match told.is_empty() {
        true => Ok(()),
        false => Err(Failure::refused_for(told)),
    }
}

fn may_write(form: Form, path: &Path) -> Result<(), String> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err("its folder does not exist: make it first, or name another place".to_owned());
    }
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
    if start.is_empty() || form.is_one(&start) {
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

impl Pages<'_> {
    /// Shows all that was asked for; whether that could be done.
    pub(super) fn show(&self) -> bool {
        let form = match self.asked.profile.result_format {
            ResultFormat::Text => Form::Text,
            ResultFormat::Xml => Form::Xml,
        };
        let mut good = true;
        if let Err(failure) = output::print(&self.bytes(form)) {
            failure.say();
            good = false;
        }
        for (form, switch, path) in files(self.asked) {
            if let Err(error) = write_whole(path, &self.bytes(form)) {
                output::tell(&format!(
                    "{switch} {}: cannot be written: {}",
                    path.display(),
                    output::errno_text(&error)
                ));
                good = false;
            }
        }
        good
    }

    fn bytes(&self, form: Form) -> Vec<u8> {
        let records: Vec<&RunRecord> = self.records.iter().collect();
        let results = || {
            DiskspdResults::of(
                self.asked.profile,
                self.asked.echo,
                self.asked.extra.compat,
                system(self.host, self.started_utc, VERSION),
                &records,
            )
        };
        match form {
            Form::Text => report::written(|out| diskspd_text(&results(), out)),
            Form::Xml => report::written(|out| diskspd_xml(&results(), out)),
            Form::Json => report::runs(&records),
        }
    }
}

/// Under another name first, so that an earlier result is there until the new one is whole.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = folder_of(path).join(name);
    let mut file = File::options().write(true).create_new(true).open(&part)?;
    let written = file.write_all(bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part); // made by us, and of no use to anybody
    }
    written
}

/// The text of a profile, or what the system says against it.
pub(super) fn profile_text(path: &Path) -> Result<String, String> {
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(PROFILE_MAX).read_to_end(&mut text))
        .map_err(|error| output::errno_text(&error))?;
    dialects::diskspd::decode(text)
}

/// As the original says it; beside a document, where it does not break it.
pub(super) fn tell_interrupted(document: bool) {
    const WORDS: &str = "\n*** Interrupted by Ctrl-C. Stopping I/O Request Generator. ***\n";
    if document {
        output::tell(WORDS.trim());
    } else {
        let _ = output::print(WORDS.as_bytes()); // whoever went away knows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_over_only_if_it_is_an_earlier_result_of_the_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        assert_eq!(may_write(Form::Xml, &path), Ok(()));
        fs::write(&path, "<Results>\n  <System>").unwrap();
        assert_eq!(may_write(Form::Xml, &path), Ok(()));
        assert!(
            may_write(Form::Text, &path)
                .unwrap_err()
                .contains("20 bytes would be lost")
        );
        assert!(may_write(Form::Json, &path).is_err());
        assert!(
            may_write(Form::Json, folder.path())
                .unwrap_err()
                .contains("no file")
        );
        let nowhere = folder.path().join("no/r");
        assert!(
            may_write(Form::Xml, &nowhere)
                .unwrap_err()
                .contains("folder")
        );
    }

    #[test]
    fn a_result_gets_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        fs::write(&path, "old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
