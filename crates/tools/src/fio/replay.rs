//! fio's `read_iolog`: a job whose I/Os are those of a trace, at their times.
//!
//! Names in a log open nothing; the target is what `filename` or `replay_redirect` specifies. Omitted: reading the trace and placing
//! its I/Os, which `fathom replay` does, and how its target is found (`ranges`).

use super::job::Job;
use super::read::{OptionRead, flag, text};
use model::{Bytes, EngineChoice};
use std::path::PathBuf;

/// Slowest and fastest, in percent.
const PERCENT_MIN: u64 = 1;
const PERCENT_MAX: u64 = 10_000;
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

pub(super) fn read_iolog(job: &mut Job, value: Option<&str>) -> OptionRead {
    let name = text(value)?;
    if name.contains(':') || name == "-" {
        return Err("must be one file".to_owned());
    }
    job.replay.trace = Some(name.to_owned());
    Ok(Some(
        "its I/Os start at their times regardless of completions, as in `fathom replay`".to_owned(),
    ))
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
        if self.replay.trace.is_none() {
            return Ok(());
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
