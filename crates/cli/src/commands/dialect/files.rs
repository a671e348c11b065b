//! Result files other than standard output, and the files that a line reads.
//!
//! A file that is there already is replaced only when it is an earlier result of the same kind that fathom wrote. Results
//! are put together in memory and a file gets its name when it is whole.

use crate::output;
use gate::{Existing, Replace};
use model::CommandError;
use session::{is_of_store, same_name};
use std::io::Read;
use std::path::Path;

/// A file for one form of the results.
#[derive(Clone, Copy)]
pub(crate) struct ResultFile<'a> {
    /// What named it.
    pub(crate) switch: &'static str,
    pub(crate) path: &'a Path,
    /// Whether a document that begins so is an earlier result of this form.
    pub(crate) is_one: fn(&[u8]) -> bool,
    /// What only fathom writes into documents of this form. The results of the original program are foreign data; where the
    /// form has no room for such a mark, an earlier result is known by the checksum that the gate left next to it.
    pub(crate) word: Option<&'static str>,
}

/// Returns the names of all targets in one line, as a session has them.
pub(crate) fn joined(targets: &[&Path]) -> String {
    let names: Vec<_> = targets.iter().map(|path| path.to_string_lossy()).collect();
    names.join(" ")
}

/// Whether it begins as a report of fathom's own.
pub(crate) fn is_report(start: &[u8]) -> bool {
    has(start, "\"verdict\"") && has(start, "\"schema_version\"")
}

/// Whether the files of the results may be written, before anything is measured.
pub(crate) fn check_files(
    files: &[ResultFile],
    targets: &[&Path],
    store: Option<&Path>,
) -> Result<(), CommandError> {
    let mut reported = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let (path, shown) = (file.path, file.path.display());
        let refusal = |why: &str| format!("{} {shown}: {why}", file.switch);
        if targets.iter().any(|target| same_name(target, path)) {
            reported.push(refusal(
                "this is a target: specify another file for the results",
            ));
        } else if store.is_some_and(|store| is_of_store(store, path)) {
            reported.push(refusal(
                "the runs are stored in this file, or SQLite keeps it next to that: specify another one for the results",
            ));
        } else if files[..place]
            .iter()
            .any(|other| same_name(other.path, path))
        {
            reported.push(refusal(
                "two results cannot go into one file: specify another one",
            ));
        } else if let Err(error) =
            gate::check_output(path, Replace::Own(&|there| file.is_own(there)))
        {
            reported.push(format!("{} {error}", file.switch));
        }
    }
    match reported.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(reported)),
    }
}

impl ResultFile<'_> {
    fn is_own(&self, there: &Existing<'_>) -> bool {
        let signed = self.word.is_some_and(|word| has(there.head, word));
        (self.is_one)(there.head) && (signed || there.unchanged)
    }
}

pub(crate) fn has(start: &[u8], text: &str) -> bool {
    start
        .windows(text.len())
        .any(|piece| piece == text.as_bytes())
}

/// Writes it, and reports a failure. What is there is judged again: it may have changed during the run.
pub(crate) fn write_whole(file: &ResultFile, bytes: &[u8]) -> bool {
    let own = |there: &Existing<'_>| file.is_own(there);
    let written = gate::write_output(file.path, bytes, Replace::Own(&own));
    if let Err(error) = &written {
        output::tell(&format!("{} {error}", file.switch));
    }
    written.is_ok()
}

/// Bytes that are read of a file with one number.
const NUMBER_FILE_MAX: u64 = 32;

/// A file that has nothing but the number of what each task did, for a later call, as mdtest and IOR write it.
pub(crate) fn number_file<'a>(switch: &'static str, path: &'a Path) -> ResultFile<'a> {
    ResultFile {
        switch,
        path,
        is_one: |start| !start.is_empty() && start.iter().all(u8::is_ascii_digit),
        word: None,
    }
}

/// The number in such a file, which `writer` wrote.
pub(crate) fn number_of(
    file: &ResultFile<'_>,
    number_max: u64,
    writer: &str,
) -> Result<u64, CommandError> {
    let text = text_of(file.path, NUMBER_FILE_MAX);
    let number = text.and_then(|text| {
        let number = text.trim().parse::<u64>().ok();
        let number = number.filter(|number| (1..=number_max).contains(number));
        number.ok_or_else(|| format!("it does not contain the number that {writer} writes"))
    });
    let refused = |why| {
        let path = file.path.display();
        CommandError::refused(format!("{} {path}: {why}", file.switch))
    };
    number.map_err(refused)
}

/// The text of a file of which so many bytes are wanted at most, in any encoding of Unicode; or the problem.
pub(crate) fn text_of(path: &Path, bytes_max: u64) -> Result<String, String> {
    let mut text = Vec::new();
    gate::Input::open(path)
        .and_then(|input| input.take(bytes_max).read_to_end(&mut text))
        .map_err(|error| model::errno_text(&error))?;
    tools::diskspd::decode(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn checked(file: &ResultFile<'_>) -> Result<(), String> {
        check_files(std::slice::from_ref(file), &[], None).map_err(|why| why.to_string())
    }

    #[test]
    fn a_file_is_replaced_only_if_fathom_wrote_it_and_it_is_of_the_kind() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let path = at("r");
        let file = ResultFile {
            switch: "--xml",
            path: &path,
            is_one: |start| start.starts_with(b"<Results>"),
            word: Some("fathom 0"),
        };
        assert_eq!(checked(&file), Ok(()));
        assert!(write_whole(&file, b"<Results>fathom 0"));
        assert_eq!(checked(&file), Ok(()));
        assert!(write_whole(&file, b"<Results>fathom 0.1"));
        fs::write(&path, "<Results>\n  <System>").unwrap(); // the original's
        assert!(
            checked(&file)
                .unwrap_err()
                .contains("20 bytes would be lost")
        );
        assert!(!write_whole(&file, b"<Results>fathom 0"));
        assert_eq!(fs::read(&path).unwrap(), b"<Results>\n  <System>");
        fs::write(&path, "fathom 0 of another kind").unwrap();
        assert!(checked(&file).is_err());
        for bad in [folder.path(), &at("none/r"), Path::new("/proc/self/r")] {
            assert!(
                checked(&ResultFile { path: bad, ..file }).is_err(),
                "{}",
                bad.display()
            );
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
