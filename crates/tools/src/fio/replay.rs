//! fio's `read_iolog`: a job whose I/Os are those of a trace, at their times.
//!
//! Names in a log open nothing; the target is what `filename` or `replay_redirect` specifies. Omitted: reading the trace and placing
//! its I/Os, which `fathom replay` does, and how its target is found (`ranges`).

use super::job::{Job, JobReplay};
use super::read::{OptionRead, flag, text};
use model::{Bytes, EngineChoice};
use std::path::PathBuf;

/// Slowest and fastest, in percent.
const PERCENT_MIN: u64 = 1;
const PERCENT_MAX: u64 = 10_000;
/// Largest number of the options of merging.
const MERGE_MAX: f64 = 1e6;
/// The operations of `replay_skip`, and what they are called here.
const SKIPS: [(&str, &str); 4] = [
    ("read", "read"),
    ("write", "write"),
    ("trim", "discard"),
    ("sync", "flush"),
];

/// A job that replays a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The trace.
    pub trace: PathBuf,
    /// Instead of it, these files merged by time; none of one file.
    pub merged: Vec<MergedFile>,
    /// What gets its I/Os.
    pub target: PathBuf,
    /// The size at which the target is created.
    pub create: Option<Bytes>,
    /// Times are divided by this, in millionths.
    pub speed_ppm: u64,
    /// Further options of `fathom replay`.
    pub options: Vec<String>,
    /// Most I/Os outstanding.
    pub depth: u32,
    /// Through the page cache.
    pub buffered: bool,
    /// Which backend.
    pub engine: EngineChoice,
    /// Failed I/Os do not end it.
    pub goes_on: bool,
}

/// A file that is merged with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedFile {
    /// The trace.
    pub path: PathBuf,
    /// Its times are multiplied by this, in percent.
    pub percent: u32,
    /// How often it is read, each time behind the last.
    pub iterations: u32,
}

pub(super) fn read_iolog(job: &mut Job, value: Option<&str>) -> OptionRead {
    let name = text(value)?;
    if name == "-" {
        return Err("must be a file".to_owned());
    }
    job.replay.trace = Some(name.to_owned());
    Ok(Some(
        "its I/Os start at their times regardless of completions, as in `fathom replay`".to_owned(),
    ))
}

pub(super) fn merge_file(job: &mut Job, value: Option<&str>) -> OptionRead {
    let name = text(value)?;
    job.replay.merges = true;
    Ok(Some(format!(
        "the traces are merged while they are read, and {name} is not written"
    )))
}

pub(super) fn merge_scalars(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.replay.scalars = numbers(value)?;
    Ok(None)
}

pub(super) fn merge_iterations(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.replay.iterations = numbers(value)?;
    Ok(None)
}

/// As in fio, what is behind a point does not count.
fn numbers(value: Option<&str>) -> Result<Vec<u32>, String> {
    let number = |item: &str| {
        let number = item.trim().parse::<f64>().ok();
        let number = number.filter(|number| (1.0..=MERGE_MAX).contains(number));
        number.map(|number| number as u32)
    };
    let all = text(value)?.split(':').map(number);
    let all: Option<Vec<u32>> = all.collect();
    all.ok_or_else(|| {
        "must be numbers from 1 to 1000000, one per file, with colons between them".to_owned()
    })
}

impl JobReplay {
    /// Returns the files of `read_iolog`.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let names = self.trace.iter().flat_map(|names| names.split(':'));
        names.map(PathBuf::from)
    }

    /// Returns them with what they are merged by, where they are merged.
    pub(super) fn merged(&self) -> Vec<MergedFile> {
        let of = |all: &[u32], number: usize, usual| all.get(number).copied().unwrap_or(usual);
        let files = self.files().enumerate().filter(|_| self.merges);
        let files = files.map(|(number, path)| MergedFile {
            path,
            percent: of(&self.scalars, number, 100),
            iterations: of(&self.iterations, number, 1),
        });
        files.collect()
    }

    fn is_mismatched(&self) -> bool {
        let count = self.files().count();
        let other = |all: &[u32]| !all.is_empty() && all.len() != count;
        other(&self.scalars) || other(&self.iterations)
    }
}

pub(super) fn redirect(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.replay.redirect = Some(text(value)?.to_owned());
    Ok(None)
}

pub(super) fn time_scale(job: &mut Job, value: Option<&str>) -> OptionRead {
    let percent = job.base.size(text(value)?);
    let percent = percent.filter(|percent| (PERCENT_MIN..=PERCENT_MAX).contains(percent));
    job.replay.percent = percent.ok_or("must be a percentage from 1 to 10000")?;
    Ok(None)
}

pub(super) fn no_stall(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.replay.no_stall = flag(value)?;
    Ok(None)
}

pub(super) fn scale(job: &mut Job, value: Option<&str>) -> OptionRead {
    let factor = job.base.size(text(value)?);
    job.replay.divide = factor.ok_or("must be a whole number")?.max(1);
    Ok(None)
}

pub(super) fn align(job: &mut Job, value: Option<&str>) -> OptionRead {
    let align = job
        .base
        .size(text(value)?)
        .filter(|align| *align == 0 || align.is_power_of_two());
    job.replay.align = align.ok_or("must be a power of two")?.max(1);
    Ok((job.replay.align > 1).then(|| {
        "offsets are rounded down as in fio; lengths are those of the trace, also of one of blktrace".to_owned()
    }))
}

pub(super) fn skip(job: &mut Job, value: Option<&str>) -> OptionRead {
    for name in text(value)?.split(',') {
        let known = SKIPS.iter().find(|(its, _)| *its == name.trim());
        let (_, own) =
            known.ok_or("must be of read, write, trim, sync, with commas between them")?;
        job.replay.skips.push(own);
    }
    Ok(None)
}

impl Job {
    /// Adds the target of its trace to its files.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn settle_replay(&mut self) -> Result<(), &'static str> {
        let numbers = !self.replay.scalars.is_empty() || !self.replay.iterations.is_empty();
        if (numbers && !self.replay.merges) || (self.replay.merges && self.replay.trace.is_none()) {
            return Err(
                "merge_blktrace_file: must come with read_iolog, and its scalars and iters with it",
            );
        }
        if self.replay.trace.is_none() {
            return Ok(());
        }
        if !self.replay.merges && self.replay.files().count() > 1 {
            return Err(
                "read_iolog: several files are one trace with merge_blktrace_file only: specify it, or one file",
            );
        }
        if self.replay.is_mismatched() {
            return Err(
                "merge_blktrace_scalars, merge_blktrace_iters: must have one number per file of read_iolog",
            );
        }
        if let Some(redirect) = &self.replay.redirect {
            self.files = vec![redirect.clone()];
        }
        if self.files.len() != 1 {
            return Err(
                "read_iolog: a name in a log opens nothing: specify one target by filename or replay_redirect",
            );
        }
        if self.jobs > 1 || self.engine == EngineChoice::Null {
            return Err(
                "read_iolog: one job on a file or device replays it: omit numjobs, and ioengine=null",
            );
        }
        Ok(())
    }
}
