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
/// Largest alignment that every device's offsets are rounded to anyway.
const ALIGN_MAX: u64 = 512;

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
        "its I/Os start at their times regardless of completions, as in `fathom replay`; its flushes and trims are omitted".to_owned(),
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

pub(super) fn no_stall(_: &mut Job, value: Option<&str>) -> OptionRead {
    match flag(value)? {
        false => Ok(None),
        true => Err(
            "each I/O starts at its time: replay_time_scale=10000 is the nearest, or omit it"
                .to_owned(),
        ),
    }
}

pub(super) fn scale(job: &mut Job, value: Option<&str>) -> OptionRead {
    match job.base.size(text(value)?) {
        Some(0 | 1) => Ok(None),
        _ => {
            Err("places are those of the trace, or fitted to a smaller target: omit it".to_owned())
        }
    }
}

pub(super) fn align(job: &mut Job, value: Option<&str>) -> OptionRead {
    match job.base.size(text(value)?) {
        Some(align) if align <= ALIGN_MAX => Ok(None),
        _ => Err(
            "offsets and lengths are rounded outwards to what the target accepts: omit it"
                .to_owned(),
        ),
    }
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
