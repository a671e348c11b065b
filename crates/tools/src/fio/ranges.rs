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
        let device = there.is_some_and(|there| there.device);
        self.grows(job, &path, there);
        let size = job
            .file_size
            .unwrap_or(there.map_or(0, |there| there.bytes));
        let part = |amount: Amount| match amount {
            Amount::Bytes(bytes) => bytes,
            Amount::Percent(share) => {
                (u128::from(size) * u128::from(share) / 100) as u64 / WHOLE * WHOLE
            }
        };
        let later = part(job.offset_increment).saturating_mul(clone);
        let base = job.offset.map_or(0, part).saturating_add(later);
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
        let create = match (there, end) {
            (Some(there), _)
                if device || !there.unfinished && end.is_none_or(|end| end <= there.bytes) =>
            {
                None
            }
            (_, Some(_)) if self.read_only => {
                let why = format!(
                    "--readonly: {} would be created, or filled: omit --readonly, or specify what is there",
                    path.display()
                );
                self.refuse(job, why);
                None
            }
            (_, Some(end)) => Some(whole(end)),
            (_, None) => {
                self.refuse(
                    job,
                    format!(
                        "{}: no size is specified and there is no such file: specify size=1g",
                        path.display()
                    ),
                );
                None
            }
        };
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
