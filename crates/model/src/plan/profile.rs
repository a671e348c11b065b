//! The whole request, and one stretch of time in it. How a target is treated stands in `target`.

use super::arrivals::Arrivals;
use super::placement::Placement;
use super::target::{EngineChoice, Target};
use crate::text::distinct;
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Everything that was asked, in no dialect. Unchecked: it may contradict itself or the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Run one after another. Called elsewhere: DISKSPD TimeSpan, fio groups between stonewalls.
    pub timespans: Vec<Timespan>,
}

impl Profile {
    /// Returns the path of every file and device once, in the order of its first use.
    pub fn paths(&self) -> Vec<&Path> {
        let targets = self.timespans.iter().flat_map(|span| &span.targets);
        let paths = targets.filter_map(|target| target.location.path());
        distinct(paths.map(Path::as_os_str))
            .into_iter()
            .map(Path::new)
            .collect()
    }
}

/// One stretch of time with its own phases, on all its targets at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timespan {
    /// How long each phase lasts.
    pub phases: Phases,
    /// Length of one step of the time series.
    pub interval: Nanos,
    /// Same seed, same offsets and operations.
    pub seed: u64,
    /// Which backend does the I/O.
    pub engine: EngineChoice,
    /// What is polled instead of waited for.
    #[serde(default)]
    pub polling: Polling,
    /// How I/Os reach the queue and leave it.
    #[serde(default, skip_serializing_if = "Queueing::is_default")]
    pub queueing: Queueing,
    /// What a failed I/O means for the run.
    pub on_error: OnError,
    /// Threads that share all targets, instead of threads for each.
    pub pool: Option<Pool>,
    /// On which cores the threads run.
    pub placement: Placement,
    /// When I/Os are to start; without it, as soon as a slot is free.
    #[serde(default)]
    pub arrivals: Option<Arrivals>,
    /// Pause before the start, behind all that is prepared. Called elsewhere: fio `startdelay`.
    #[serde(default)]
    pub start_delay: Nanos,
    /// The first thread that has done its amount ends the run; without it the last one. Called elsewhere: fio `exitall`.
    #[serde(default)]
    pub end_with_first: bool,
    /// What is measured.
    pub targets: Vec<Target>,
}

impl Timespan {
    /// Returns which backend does the I/O of one of its targets.
    pub fn engine_of(&self, target: &Target) -> EngineChoice {
        target.engine.unwrap_or(self.engine)
    }
}

/// Threads that share all targets. Called elsewhere: DISKSPD `-F`, `-O`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pool {
    /// How many. // in [1, 1024]
    pub threads: u32,
    /// Most outstanding I/Os of a thread over all targets, each drawing its target when it is free; without it each target
    /// has its own outstanding I/Os. In turn a thread has the queue depth of its targets.
    pub outstanding: Option<u32>,
    /// How a free slot gets its target, where slots are not bound to targets.
    #[serde(default)]
    pub draw: PoolDraw,
}

impl Pool {
    /// Returns how many I/Os a thread may have outstanding on a target of this queue depth; where slots are not bound to
    /// targets, on all of its targets together.
    pub fn slots(self, depth: u32) -> u32 {
        match self.draw {
            PoolDraw::InTurn => depth,
            PoolDraw::ByWeight => self.outstanding.unwrap_or(depth),
        }
    }
}

/// How a free slot of a pool gets its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PoolDraw {
    /// Drawn by weight. Called elsewhere: DISKSPD `-F` with `-O`.
    #[default]
    ByWeight,
    /// One target after another, and from the first again. Called elsewhere: SQLIO with several files.
    InTurn,
}

/// The three parts of a timespan. I/O runs in all three; only the middle one is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phases {
    /// Before counting starts. Called elsewhere: DISKSPD `-W`, fio `ramp_time`.
    pub warmup: Nanos,
    /// Counted. // above 0
    pub measured: Nanos,
    /// After counting ends, so that the end is measured under full load. DISKSPD `-C`.
    pub cooldown: Nanos,
}

impl Phases {
    /// The sum of all three.
    pub const fn total(&self) -> Nanos {
        self.warmup.plus(self.measured).plus(self.cooldown)
    }
}

/// What is looked for again and again, at the cost of a core, instead of waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Polling {
    /// Completions: the thread asks the device, which needs no interrupt. Called elsewhere: fio `hipri`.
    pub completions: bool,
    /// Submissions: a thread of the kernel's own looks for them. Called elsewhere: fio `sqthread_poll`.
    pub submissions: bool,
}

impl Polling {
    /// Whether anything is polled.
    pub const fn any(self) -> bool {
        self.completions || self.submissions
    }
}

/// How I/Os reach the queue of a thread and leave it, where that is not the engine's to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queueing {
    /// How many are submitted together. Called elsewhere: DISKSPD `-u`, fio `iodepth_batch_submit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<SubmitBatch>,
    /// Most completions taken at once. Called elsewhere: DISKSPD `-oc`. // at least 1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions_max: Option<u32>,
    /// The I/O memory is not registered with the kernel. Called elsewhere: DISKSPD `-un`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unregistered: bool,
    /// The I/O memory of each thread begins at a multiple of it. Called elsewhere: DISKSPD `-bsp`. // a power of two
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffers_apart: Option<Bytes>,
}

impl Queueing {
    /// Returns whether the engine decides all of it.
    pub fn is_default(&self) -> bool {
        *self == Queueing::default()
    }
}

/// How many I/Os are submitted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubmitBatch {
    /// So many. // at least 1
    Ios(u32),
    /// This percentage of a thread's outstanding I/Os, rounded up. // in [1, 100]
    Percent(u8),
}

impl SubmitBatch {
    /// Returns how many that is for a thread with so many outstanding. // at least 1
    pub fn ios(self, outstanding: u32) -> u32 {
        match self {
            SubmitBatch::Ios(ios) => ios.max(1),
            SubmitBatch::Percent(share) => {
                let ios = (u64::from(outstanding) * u64::from(share)).div_ceil(100);
                u32::try_from(ios).unwrap_or(u32::MAX).max(1)
            }
        }
    }
}

/// What a failed I/O does to the run. It is counted by operation and errno either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The first failure ends the run.
    #[default]
    Stop,
    /// Go on; the share of failures is part of the result.
    Continue,
}
