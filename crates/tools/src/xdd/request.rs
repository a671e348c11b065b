//! What a command line of xdd asks for: of each target, and of all together.

use crate::OwnOptions;
use std::path::PathBuf;

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// At least one.
    pub targets: Vec<XddTarget>,
    /// So many blocks lie between the first blocks of two neighbouring targets.
    pub target_blocks: u64,
    /// How often each target gets its work. // at least 1
    pub passes: u64,
    /// Pauses between passes, in nanoseconds.
    pub pass_delay_ns: u64,
    /// All passes end after this time, and there are as many as it allows, in nanoseconds.
    pub run_time_ns: Option<u64>,
    /// A failed I/O ends the run.
    pub stop_on_error: bool,
    /// Where the results go.
    pub output: Output,
    /// Describe it and do nothing.
    pub dry_run: bool,
    /// Where the results are stored, and what may be overwritten.
    pub own: OwnOptions,
    /// What was taken and is different here.
    pub notes: Vec<String>,
}

/// Where the results go, and how much of them.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Print a line of each target in each pass.
    pub verbose: bool,
    /// Printed above the results.
    pub id: Option<String>,
    /// The text goes there in place of standard output.
    pub text: Option<PathBuf>,
    /// The lines separated by commas.
    pub csv: Option<PathBuf>,
    /// One JSON document in place of the text.
    pub json: bool,
}

/// One target.
#[derive(Clone, Debug, PartialEq)]
pub struct XddTarget {
    /// Its name, as it was given.
    pub name: String,
    /// Stands before the name, with its slash.
    pub folder: String,
    /// Share of reads in percent: 100 reads only, 0 writes only. // at most 100
    pub read_percent: u8,
    /// Bytes of a block, in which offsets and sizes are counted.
    pub block: u64,
    /// Blocks of a request.
    pub request_blocks: u64,
    /// What a pass moves; none where it is not given, which is refused.
    pub amount: Option<Amount>,
    /// Threads, each with one request outstanding.
    pub depth: u64,
    /// Past the page cache.
    pub direct: bool,
    /// Where its requests go.
    pub walk: Walk,
    /// When they are issued.
    pub times: Times,
    /// What is written, and when it is durable.
    pub writes: Writes,
    /// It is removed at the end.
    pub delete: bool,
}

/// What a pass moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many requests.
    Requests(u64),
    /// So many bytes.
    Bytes(u64),
}

/// Where the requests of a target go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Which block is next.
    pub pick: Pick,
    /// The random range, in blocks of 1024 bytes.
    pub range_kib: u64,
    /// Of the random offsets.
    pub seed: u64,
    /// The first block.
    pub start_blocks: u64,
    /// So many blocks further in each pass.
    pub pass_blocks: u64,
}

/// When the requests of a target are issued.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// A pass ends after this time, in nanoseconds.
    pub limit_ns: Option<u64>,
    /// Before each pass, in nanoseconds.
    pub delay_ns: u64,
    /// A rate that is not exceeded.
    pub throttle: Option<Throttle>,
}

/// What is written, and when it is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writes {
    /// Each write reaches stable storage before it completes.
    pub sync: bool,
    /// A flush after so many writes; 0 for never.
    pub flush_every: u64,
    /// The data.
    pub pattern: Pattern,
}

/// Which block is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The one behind the last, whichever thread had that.
    #[default]
    Sequential,
    /// Any of the range.
    Random,
}

/// A rate that is not exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Throttle {
    /// Requests a second.
    Requests(f64),
    /// 10⁶ bytes a second.
    Megabytes(f64),
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pattern {
    /// Zeros.
    #[default]
    Zero,
    /// Random, each block its own.
    Random,
    /// These bytes, repeated.
    Bytes(Vec<u8>),
}

impl XddTarget {
    /// As xdd has it without any option.
    pub(super) fn new(name: &str) -> XddTarget {
        XddTarget {
            name: name.to_owned(),
            folder: String::new(),
            read_percent: 100,
            block: 1024,
            request_blocks: 128,
            amount: None,
            depth: 1,
            direct: false,
            walk: Walk {
                pick: Pick::Sequential,
                range_kib: 1 << 20,
                seed: 72058,
                start_blocks: 0,
                pass_blocks: 0,
            },
            times: Times::default(),
            writes: Writes::default(),
            delete: false,
        }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("{}{}", self.folder, self.name))
    }

    /// Bytes of a request.
    pub fn request_bytes(&self) -> u64 {
        self.block.saturating_mul(self.request_blocks)
    }

    /// Bytes of a pass.
    pub fn pass_bytes(&self) -> u64 {
        match self.amount {
            Some(Amount::Requests(requests)) => requests.saturating_mul(self.request_bytes()),
            Some(Amount::Bytes(bytes)) => bytes,
            None => 0,
        }
    }

    /// Threads: no more than it has requests.
    pub fn threads(&self) -> u64 {
        let requests = self.pass_bytes() / self.request_bytes().max(1);
        self.depth.min(requests.max(1))
    }

    /// As xdd names what it does.
    pub fn kind(&self) -> &'static str {
        match self.read_percent {
            100 => "read",
            0 => "write",
            _ => "mixed",
        }
    }

    /// Whether it is written to.
    pub fn is_written(&self) -> bool {
        self.read_percent < 100
    }
}
