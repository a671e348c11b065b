//! A job → the files that each of its threads uses, and which part of each: by its names, its sizes and what is there.
//!
//! Deliberately absent: what is done to them (`build`).

use super::There;
use super::builder::Builder;
use super::job::{Amount, Job};
use model::{Bytes, EngineChoice, Location, NullBehaviour};
use std::path::{Path, PathBuf};

/// What sizes of new files are multiples of, so that every device takes them.
const WHOLE: u64 = 4096;

/// A file of a job, and the part of it that is used.
pub(super) struct Range {
    pub(super) location: Location,
    pub(super) base: u64,
    pub(super) length: Option<u64>,
    pub(super) create: Option<u64>,
    /// As far as it is known before the check.
    pub(super) bytes: u64,
}

impl Builder<'_> {
    /// The files of each thread; one entry where all have the same.
    pub(super) fn ranges(&mut self, job: &Job) -> Vec<Vec<Range>> {
        // As in fio, the threads take turns at the folders, where the job specifies no files.
        let folder = |clone: u64| -> PathBuf {
            let place = clone as usize % job.directories.len().max(1);
            job.directories
                .get(place)
                .map(PathBuf::from)
                .unwrap_or_default()
        };
        if job.engine == EngineChoice::Null {
            let size = match job.size {
                Some(Amount::Bytes(bytes)) => bytes,
                _ => 1 << 30,
            };
            return vec![vec![Range {
                location: Location::Null(NullBehaviour {
                    size: Bytes(size),
                    ..NullBehaviour::default()
                }),
                base: 0,
                length: None,
                create: None,
                bytes: size,
            }]];
        }
        let mut names: Vec<Vec<PathBuf>> = if job.files.is_empty() {
            let clones = 0..job.jobs;
            let name = |clone: u64, file: u64| folder(clone).join(file_name(job, clone, file));
            let mut names: Vec<Vec<PathBuf>> = clones
                .map(|clone| (0..job.file_count).map(|file| name(clone, file)).collect())
                .collect();
            names.dedup(); // a format without $jobnum names the same files for all threads
            names
        } else {
            vec![job.files.iter().map(|file| folder(0).join(file)).collect()]
        };
        let files = names[0].len() as u64;
        if !job.offset_increment.is_zero() && names.len() == 1 {
            names = vec![names.remove(0); job.jobs as usize];
        }
        let clones = (0u64..).zip(names);
        clones
            .map(|(clone, paths)| {
                let paths = paths.into_iter();
                paths
                    .map(|path| self.range(job, path, files, clone))
                    .collect()
            })
            .collect()
    }

    fn range(&mut self, job: &Job, path: PathBuf, files: u64, clone: u64) -> Range {
        let there = (self.found)(&path);
        self.grows(job, &path, there);
        let known = job.file_size.or(there.map(|there| there.bytes));
        let size = known.unwrap_or(0);
        let part = |amount: Amount| match amount {
            Amount::Bytes(bytes) => bytes,
            Amount::Percent(share) => {
                (u128::from(size) * u128::from(share) / 100) as u64 / WHOLE * WHOLE
            }
        };
        let later = part(job.offset_increment).saturating_mul(clone);
        let base = job.offset.map_or(0, part).saturating_add(later);
        if known.is_none() && self.needs_target(job, &path) {
            return Range {
                location: Location::Path(path),
                base,
                length: None,
                create: None,
                bytes: 0,
            };
        }
        let asked = match job.size {
            Some(Amount::Bytes(bytes)) => Some(bytes / files),
            Some(share) => Some(part(share)),
            None => None,
        };
        let length = match (asked, job.file_size) {
            (Some(asked), Some(file)) => Some(asked.min(file.saturating_sub(base))),
            (None, Some(file)) => Some(file.saturating_sub(base)),
            (asked, None) => asked,
        };
        let end = job
            .file_size
            .or(length.map(|length| base.saturating_add(length)));
        let create = self.creation(job, &path, there, end);
        if length == Some(0) {
            self.refuse(
                job,
                "size: nothing is left of the range: specify a larger size, or a smaller offset",
            );
        }
        Range {
            location: Location::Path(path),
            base,
            bytes: length.unwrap_or_else(|| size.saturating_sub(base)),
            length,
            create,
        }
    }
}

impl Builder<'_> {
    /// Returns whether the range of a job on a target that is missing cannot be known without it, and reports that.
    fn needs_target(&mut self, job: &Job, path: &Path) -> bool {
        let is_share = |amount: &Amount| matches!(amount, Amount::Percent(1..));
        let shares = [job.size, job.offset, Some(job.offset_increment)];
        let why = match job.size {
            None => "no size is specified",
            Some(_) if shares.iter().flatten().any(is_share) => "a share of its size is specified",
            Some(_) => return false,
        };
        let path = path.display();
        self.absent(
            job,
            format!("{path}: {why} and there is no such file: specify size=1g"),
        );
        true
    }

    /// How large a file is created, where one is. `end` is that of the range.
    fn creation(
        &mut self,
        job: &Job,
        path: &Path,
        there: Option<There>,
        end: Option<u64>,
    ) -> Option<u64> {
        let serves = |there: There| {
            there.device || !there.unfinished && end.is_none_or(|end| end <= there.bytes)
        };
        let end = end.filter(|_| !there.is_some_and(serves))?;
        if self.read_only {
            let why = format!(
                "--readonly: {} would be created, or filled: omit --readonly, or specify what is there",
                path.display()
            );
            self.absent(job, why);
            return None;
        }
        Some(whole(end))
    }

    /// Refuses jobs that would make a file longer than its specified size.
    fn grows(&mut self, job: &Job, path: &Path, there: Option<There>) {
        let device = there.is_some_and(|there| there.device);
        if job.rare.fills_device && !device {
            self.refuse(
                job,
                "fill_device: a file has its size from the start: specify size instead",
            );
        }
        if job.rare.appends && !device && there.is_some_and(|there| there.bytes > 0) {
            let why = format!(
                "file_append: {} has data already: specify offset and size for what is behind it, or a new file",
                path.display()
            );
            self.refuse(job, why);
        }
    }
}

/// The name of a file of a thread, as fio forms it.
fn file_name(job: &Job, clone: u64, file: u64) -> String {
    let section = job.section.replace('/', "_");
    let Some(format) = &job.name_format else {
        return format!("{section}.{clone}.{file}");
    };
    format
        .replace("$jobname", &section)
        .replace("$clientuid", "") // fio's servers have one
        .replace("$jobnum", &clone.to_string())
        .replace("$filenum", &file.to_string())
}

/// The next whole number of pieces; the last there is for what is larger.
fn whole(bytes: u64) -> u64 {
    bytes
        .checked_next_multiple_of(WHOLE)
        .unwrap_or(u64::MAX / WHOLE * WHOLE)
}

#[cfg(test)]
mod tests {
    use crate::fio::tests::{read, request_with};
    use crate::fio::{Built, build};

    /// What is read without a run, and its notes.
    fn parsed(text: &str) -> Result<(Built, String), String> {
        let request = request_with(&["--parse-only", "a.fio"], text)?;
        let built = build(&request, &|_| None).map_err(|reported| reported.to_string())?;
        let notes = request.notes.iter().chain(&built.notes);
        let notes: String = notes.map(ToString::to_string).collect();
        Ok((built, notes))
    }

    #[test]
    fn a_missing_target_refuses_a_run_and_is_a_note_without_one() {
        for (text, why) in [
            (
                "[a]\nfilename=/gone\n",
                "/gone: no size is specified and there is no such file",
            ),
            (
                "[a]\nfilename=/gone\nsize=50%\n",
                "/gone: a share of its size is specified",
            ),
            (
                "[a]\nfilename=/gone\nsize=1m\noffset=5%\n",
                "/gone: a share of its size",
            ),
            (
                "[a]\nsize=1m\ninclude gone.inc\n",
                "gone.inc: cannot be read",
            ),
            ("[global]\nsize=1m\n", "no job: specify a job file"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
            let (_, notes) = parsed(text).unwrap();
            assert!(notes.contains(why), "{text}: {notes}");
        }
        let (built, _) = parsed("[a]\nfilename=/gone\nrw=randread\n[b]\nsize=1m\n").unwrap();
        let targets = &built.profile.timespans[0].targets;
        assert_eq!((targets[0].length, targets[0].create), (None, None));
        assert!(targets[1].create.is_some(), "what has a size is created");
        assert!(
            parsed("[a]\nsize=1m\noffset=1m\nfilesize=1m\n").is_err(),
            "an empty range is wrong"
        );
    }

    /// fio 3.33: "option <rw=read> outside of [] job section".
    #[test]
    fn a_section_that_goes_on_behind_a_missing_file_is_refused() {
        assert!(parsed("[a]\ninclude gone.inc\nsize=1m\n").is_err());
        assert!(parsed("[a]\ninclude gone.inc\n[b]\nsize=1m\n").is_ok());
        assert!(parsed("[a]\ninclude gone.inc\ninclude more.inc\n").is_err());
    }
}
