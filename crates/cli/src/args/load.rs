//! The words of the load itself: what, where, when and by which means. `fathom run` takes one value of each, `fathom
//! sweep` lists of them.
//!
//! Each group is taken apart without `..`, so that a new option cannot be forgotten here.

use clap::Args;
use std::path::PathBuf;
use tools::native;

/// One load.
#[derive(Args, Debug)]
pub(crate) struct LoadArgs {
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
    #[command(flatten)]
    pub(crate) time: TimeArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

impl LoadArgs {
    /// The request in the dialect's words, as they were typed.
    pub(crate) fn request(&self, targets: &[PathBuf]) -> native::Request {
        let LoadArgs {
            work,
            place,
            verify,
            time,
            engine,
        } = self;
        native::Request {
            targets: targets.to_vec(),
            work: work.text(),
            place: place.text(),
            verify: verify.text(),
            time: time.text(),
            engine: engine.text(),
        }
    }
}

/// What is done to each target.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload")]
pub(crate) struct WorkArgs {
    /// Bytes of one I/O: 4K, 64K, 1M; or a mix of sizes with their shares: 4K:60,64K:40
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true, default_value = native::BLOCK)]
    pub(crate) block: String,
    /// Queue depth per thread, 1 to 32768 [default: 1]
    #[arg(short = 'o', long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) depth: Option<String>, // a learned profile has a default of its own
    /// Threads per target, each with its own queue, 1 to 1024
    #[arg(short, long, value_name = "N", allow_hyphen_values = true, default_value = native::THREADS)]
    pub(crate) threads: String,
    /// Share of I/Os that are writes, 0 to 100
    #[arg(short, long, value_name = "PERCENT", allow_hyphen_values = true, default_value = native::WRITE)]
    pub(crate) write: String,
    /// Order of the I/Os: random, permuted (each block once a pass), zipf:1.2, pareto:0.2, normal:20 or sequential
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, default_value = native::PATTERN)]
    pub(crate) pattern: String,
    /// Share of the written data that compresses away, 0 to 100; also of a created file [default: 0]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub(crate) compress: Option<String>,
    /// Share of duplicate blocks in the written data, 0 to 100; also of a created file [default: 0]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub(crate) dedupe: Option<String>,
}

impl WorkArgs {
    fn text(&self) -> native::WorkText {
        let WorkArgs {
            block,
            depth,
            threads,
            write,
            pattern,
            compress,
            dedupe,
        } = self;
        native::WorkText {
            block: block.clone(),
            depth: depth.clone().unwrap_or_else(|| native::DEPTH.to_owned()),
            threads: threads.clone(),
            write: write.clone(),
            pattern: pattern.clone(),
            compress: compress.clone(),
            dedupe: dedupe.clone(),
        }
    }
}

/// Where on the target, and how it is opened.
#[derive(Args, Debug)]
#[command(next_help_heading = "Target and caching")]
pub(crate) struct PlaceArgs {
    /// First byte of the range that is used
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, default_value = native::BASE)]
    pub(crate) base: String,
    /// Length of the range [default: up to the end]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) length: Option<String>,
    /// Create the file with this size, filled with data; a large enough file created by fathom is used as it is
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) create: Option<String>,
    /// unbuffered: direct I/O; cached: buffered I/O, through the page cache
    #[arg(long, value_name = "MODE", allow_hyphen_values = true, default_value = native::CACHE)]
    pub(crate) cache: String,
    /// Drop the target's pages from the page cache before the run
    #[arg(long)]
    pub(crate) drop_cache: bool,
    /// Each write returns only when the data is on stable storage
    #[arg(long)]
    pub(crate) write_through: bool,
    /// fsync after so many writes of a thread
    #[arg(long, value_name = "WRITES", allow_hyphen_values = true)]
    pub(crate) fsync: Option<String>,
    /// fdatasync after so many writes of a thread
    #[arg(long, value_name = "WRITES", allow_hyphen_values = true)]
    pub(crate) fdatasync: Option<String>,
    /// fsync when a thread has done its work
    #[arg(long)]
    pub(crate) end_fsync: bool,
}

impl PlaceArgs {
    fn text(&self) -> native::PlaceText {
        let PlaceArgs {
            base,
            length,
            create,
            cache,
            drop_cache,
            write_through,
            fsync,
            fdatasync,
            end_fsync,
        } = self;
        native::PlaceText {
            base: base.clone(),
            length: length.clone(),
            create: create.clone(),
            cache: cache.clone(),
            drop_cache: *drop_cache,
            write_through: *write_through,
            fsync: fsync.clone(),
            fdatasync: fdatasync.clone(),
            end_fsync: *end_fsync,
        }
    }
}

/// Whether what is read is compared with what was written.
#[derive(Args, Debug)]
#[command(next_help_heading = "Verification")]
pub(crate) struct VerifyArgs {
    /// Compare what is read with what was written: headers (version and place), full (every byte), full:50% (every
    /// byte of half of the blocks) or off [default: off]
    #[arg(long, value_name = "SCOPE", allow_hyphen_values = true)]
    pub(crate) verify: Option<String>,
    /// Read a share of the writes again while the run continues, after a time or so many I/Os of the thread: 10%:after=5s,
    /// 100%:after=64 [default: none; 1s after the write without a delay]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub(crate) read_back: Option<String>,
    /// Do not read and compare the whole range after the run
    #[arg(long)]
    pub(crate) no_end_pass: bool,
    /// Most memory for the versions of all blocks, 2 bytes per block [default: 1/4 of what is available]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) verify_memory: Option<String>,
    /// End the run at the first corrupt block
    #[arg(long)]
    pub(crate) stop_on_corruption: bool,
}

impl VerifyArgs {
    fn text(&self) -> native::VerifyText {
        let VerifyArgs {
            verify,
            read_back,
            no_end_pass,
            verify_memory,
            stop_on_corruption,
        } = self;
        native::VerifyText {
            verify: verify.clone(),
            read_back: read_back.clone(),
            no_end_pass: *no_end_pass,
            memory: verify_memory.clone(),
            stop: *stop_on_corruption,
        }
    }
}

/// When.
#[derive(Args, Debug)]
#[command(next_help_heading = "Time")]
pub(crate) struct TimeArgs {
    /// Measured time: 500ms, 90s, 3m, 1h
    #[arg(short, long, value_name = "TIME", allow_hyphen_values = true, default_value = native::DURATION)]
    pub(crate) duration: String,
    /// Load before measuring starts
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = native::WARMUP)]
    pub(crate) warmup: String,
    /// Load after measuring ends
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = native::COOLDOWN)]
    pub(crate) cooldown: String,
    /// One step of the time series, 1ms or more [default: 1s, or shorter, so that there are fifty]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) interval: Option<String>,
    /// Start I/Os at this rate, regardless of completions (open loop: no coordinated omission): 5000 or 5000/s over all
    /// threads [default: none, a new I/O as soon as one completes]
    #[arg(long, value_name = "N[/s]", allow_hyphen_values = true)]
    pub(crate) rate: Option<String>,
    /// Spacing of these: constant or poisson (random, as of independent users) [default: constant]
    #[arg(long, value_name = "SPACING", allow_hyphen_values = true)]
    pub(crate) arrivals: Option<String>,
}

impl TimeArgs {
    fn text(&self) -> native::TimeText {
        let TimeArgs {
            duration,
            warmup,
            cooldown,
            interval,
            rate,
            arrivals,
        } = self;
        native::TimeText {
            duration: duration.clone(),
            warmup: warmup.clone(),
            cooldown: cooldown.clone(),
            interval: interval.clone(),
            rate: rate.clone(),
            arrivals: arrivals.clone(),
        }
    }
}

/// By which means.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    /// I/O engine: auto, io_uring, libaio, sync, nvme, iocp (on Windows), or null (no I/O: measures fathom itself)
    #[arg(long, value_name = "ENGINE", allow_hyphen_values = true, default_value = native::ENGINE)]
    pub(crate) engine: String,
    /// Poll the device for completions instead of waiting for its interrupts (needs poll queues)
    #[arg(long)]
    pub(crate) poll: bool,
    /// Have a kernel thread poll for submissions; it takes a core for each of fathom's threads
    #[arg(long)]
    pub(crate) sqpoll: bool,
    /// Where threads run: free (where the system puts them), near (each on a physical core of its own as long as there
    /// are any, near its device), in-turn (all cores that may be used, in their order), or a list: 0-3,8
    #[arg(long, value_name = "CORES", allow_hyphen_values = true, default_value = native::CORES)]
    pub(crate) cores: String,
    /// Seed of the random offsets and operations [default: drawn for each run; 0 for simulated devices]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    /// Count failed I/Os and continue, instead of ending the run at the first
    #[arg(long)]
    pub(crate) continue_on_error: bool,
    /// Size of the device of the null engine [default: 1G]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) null_size: Option<String>,
    /// How long each of its I/Os takes [default: 0s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) null_delay: Option<String>,
    /// One of every so many of its I/Os fails [default: 0, none]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) null_error_every: Option<String>,
}

impl EngineArgs {
    fn text(&self) -> native::EngineText {
        let EngineArgs {
            engine,
            poll,
            sqpoll,
            cores,
            seed,
            continue_on_error,
            null_size,
            null_delay,
            null_error_every,
        } = self;
        native::EngineText {
            engine: engine.clone(),
            poll: *poll,
            sqpoll: *sqpoll,
            cores: cores.clone(),
            seed: seed.clone(),
            continue_on_error: *continue_on_error,
            null_size: null_size.clone(),
            null_delay: null_delay.clone(),
            null_error_every: null_error_every.clone(),
        }
    }
}
