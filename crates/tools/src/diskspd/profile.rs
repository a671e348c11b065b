//! A DISKSPD request as DISKSPD means it: the fields of its profile, with its own defaults.
//!
//! Its command line and its XML are two spellings of this; its text and XML output print it back. What the
//! engine is to do with it stands in `model::Profile`, which `build` makes. Units are the dialect's own (whole
//! seconds, bytes a millisecond), because they are printed back as they were given. Deliberately absent: whether the
//! request makes sense (`validate`), and every other dialect.

use super::affinity::ThreadAffinity;

/// The whole request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `-P`: a dot each so many completions of a thread; 0 for none.
    pub progress: u32,
    /// `-:`: bit 0 computes throttle sleeps instead of always taking 1 ms.
    pub experiment_flags: u32,
    /// `-R`: what the results look like.
    pub result_format: ResultFormat,
    /// `-v`.
    pub verbose: bool,
    /// `-vs`.
    pub verbose_stats: bool,
    /// XML only: which files are created before the first time span.
    pub precreate: Option<Precreate>,
    /// `-e`: kernel events that were asked for. Linux has none of them.
    pub events: Option<EventClasses>,
    /// Run one after another. // never empty once validated
    pub time_spans: Vec<TimeSpan>,
}

/// What results and printed profiles look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// Tables for people.
    #[default]
    Text,
    /// A document.
    Xml,
}

/// Which files are created before the first time span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precreate {
    /// All, at the largest size asked for.
    UseMaxSize,
    /// Those whose sizes are all the same and none zero.
    OnlyFilesWithConstantSizes,
    /// Those whose sizes are all the same, zeros left aside.
    OnlyFilesWithConstantOrZeroSizes,
}

/// Kernel event classes, in the order of the XML document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(
    missing_docs,
    clippy::struct_excessive_bools,
    reason = "named after the document's elements"
)]
pub struct EventClasses {
    pub process: bool,
    pub thread: bool,
    pub image_load: bool,
    pub disk_io: bool,
    pub memory_page_faults: bool,
    pub memory_hard_faults: bool,
    pub network: bool,
    pub registry: bool,
    pub use_paged_memory: bool,
    pub use_perf_timer: bool,
    pub use_system_timer: bool,
    pub use_cycles_counter: bool,
}

/// One stretch of time on a set of targets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "the dialect's own switches")]
pub struct TimeSpan {
    /// `-d`, seconds.
    pub duration_s: u32,
    /// `-W`, seconds.
    pub warmup_s: u32,
    /// `-C`, seconds.
    pub cooldown_s: u32,
    /// `-z`.
    pub seed: u32,
    /// `-Zr`: new random bytes before every write.
    pub random_write_data: bool,
    /// `-F`: threads that share all targets; 0 for threads per target.
    pub thread_count: u32,
    /// `-O`: outstanding I/Os per thread of the pool; 0 for the targets' own.
    pub request_count: u32,
    /// `-a`, `-n`.
    pub affinity: ThreadAffinity,
    /// `-x`.
    pub completion_routines: bool,
    /// `-u`.
    pub ring: Option<IoRing>,
    /// `-oc`: most completions taken at once; `None` for the default. // in [1, 16]
    pub completions_max: Option<u8>,
    /// `-bs`; `None` for the default of the version.
    pub buffers: Option<BufferSeparation>,
    /// `-L`.
    pub measure_latency: bool,
    /// `-D`.
    pub intervals: Intervals,
    /// What is measured. // never empty once validated
    pub targets: Vec<Target>,
}

/// How I/Os reach the queue with `-u`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoRing {
    /// How many are submitted together.
    pub batch: Batch,
    /// The I/O memory is registered once; `-un` omits it.
    pub registered: bool,
}

/// How many I/Os are submitted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// So many. // in [1, 65536]
    Ios(u32),
    /// This share of a thread's outstanding I/Os. // in [1, 100]
    Percent(u8),
}

/// Where the I/O memory of threads lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSeparation {
    /// `-bsn`: where the system puts it.
    SystemDefault,
    /// `-bsp`: each thread's at a multiple of 16 MiB.
    Apart,
}

/// Whether filters between the file system and the disk are passed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// `-Sy`: as far as possible.
    Partial,
    /// `-SY`: all of them, or no run.
    Full,
}

/// The I/Os of each interval of a time span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Their standard deviation is printed.
    pub printed: bool,
    /// Length of one, in milliseconds. // above 0
    pub length_ms: u32,
}

/// A target and what is done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "the dialect's own switches")]
pub struct Target {
    /// As given: a path, `#n`, `X:`, or a template `*n`.
    pub path: String,
    /// `-b`.
    pub block_bytes: u32,
    /// `-r`, `-rs`: percent of I/Os that are random. // in [0, 100]
    pub random_percent: u8,
    /// `-s`, `-r`: stride or alignment in bytes; 0 represents the block size.
    pub align_bytes: u64,
    /// `-si`.
    pub interlocked: bool,
    /// `-p`.
    pub parallel_async: bool,
    /// `-rd`.
    pub distribution: Distribution,
    /// `-B`.
    pub base_bytes: u64,
    /// `-f`: exclusive end, counted from 0; 0 for none.
    pub max_bytes: u64,
    /// `-c`: `None` if nothing is to be created.
    pub create_bytes: Option<u64>,
    /// `-fs`.
    pub sequential_scan_hint: bool,
    /// `-fr`.
    pub random_access_hint: bool,
    /// `-ft`.
    pub temporary_hint: bool,
    /// `-l`.
    pub large_pages: bool,
    /// `-o`.
    pub request_count: u32,
    /// `-S`.
    pub cache: Cache,
    /// `-Sw`.
    pub write_through: bool,
    /// `-Sm`, `-N`.
    pub mapped: Option<Flush>,
    /// `-Sy`, `-SY`.
    pub bypass: Option<Bypass>,
    /// `-Z`.
    pub content: Content,
    /// `-i`, I/Os; 0 for none.
    pub burst_ios: u32,
    /// `-j`, milliseconds; 0 for none.
    pub think_ms: u32,
    /// `-g`.
    pub throughput: Throughput,
    /// `-t`.
    pub threads: u32,
    /// `-w`. // in [0, 100]
    pub write_percent: u8,
    /// `-T`.
    pub thread_stride_bytes: u64,
    /// `-I`. // in [1, 3]
    pub io_priority: u8,
    /// XML: weight in a pool with `-O`.
    pub weight: u32,
    /// XML: which threads of the pool use it, with their own weights (0: the target's).
    pub thread_targets: Vec<(u32, u32)>,
}

/// Caches between the I/O and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// The system's cache.
    #[default]
    Cached,
    /// `-Su`: past it.
    Unbuffered,
    /// `-Sr`: past the local cache of a network file system.
    LocalOff,
}

/// When mapped writes are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// Never.
    None,
    /// `-Nv`.
    ViewOfFile,
    /// `-Nn`.
    NonVolatileMemory,
    /// `-Ni`.
    NonVolatileMemoryNoDrain,
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Byte *i* of the buffers is *i* mod 256.
    #[default]
    Pattern,
    /// `-Z`.
    Zero,
    /// `-Z<size>[,file]`: one shared buffer; each write begins somewhere in it.
    Source {
        /// Its size.
        bytes: u64,
        /// What fills it; random bytes without one.
        file: Option<String>,
    },
}

/// A ceiling per thread and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Throughput {
    /// None.
    #[default]
    Free,
    /// `-gN`.
    BytesPerMs(u32),
    /// `-gNi`.
    Iops(u32),
}

/// Where random I/Os fall.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Uniform.
    #[default]
    Uniform,
    /// `-rdpct`: (percent of I/Os, percent of the target), laid end to end; the tail is explicit.
    Percent(Vec<(u8, u8)>),
    /// `-rdabs`: (percent of I/Os, bytes), laid end to end; 0 bytes in last place is "to the end".
    Absolute(Vec<(u8, u64)>),
}

impl Default for Profile {
    fn default() -> Self {
        Profile {
            progress: 0,
            experiment_flags: 0,
            result_format: ResultFormat::Text,
            verbose: false,
            verbose_stats: false,
            precreate: None,
            events: None,
            time_spans: Vec::new(),
        }
    }
}

impl Default for TimeSpan {
    fn default() -> Self {
        TimeSpan {
            duration_s: 10,
            warmup_s: 5,
            cooldown_s: 0,
            seed: 0,
            random_write_data: false,
            thread_count: 0,
            request_count: 0,
            affinity: ThreadAffinity::default(),
            completion_routines: false,
            ring: None,
            completions_max: None,
            buffers: None,
            measure_latency: false,
            intervals: Intervals {
                printed: false,
                length_ms: 1000,
            },
            targets: Vec::new(),
        }
    }
}

impl Default for Target {
    fn default() -> Self {
        Target {
            path: String::new(),
            block_bytes: 65_536,
            random_percent: 0,
            align_bytes: 0,
            interlocked: false,
            parallel_async: false,
            distribution: Distribution::Uniform,
            base_bytes: 0,
            max_bytes: 0,
            create_bytes: None,
            sequential_scan_hint: false,
            random_access_hint: false,
            temporary_hint: false,
            large_pages: false,
            request_count: 2,
            cache: Cache::Cached,
            write_through: false,
            mapped: None,
            bypass: None,
            content: Content::Pattern,
            burst_ios: 0,
            think_ms: 0,
            throughput: Throughput::Free,
            threads: 1,
            write_percent: 0,
            thread_stride_bytes: 0,
            io_priority: 3,
            weight: 1,
            thread_targets: Vec::new(),
        }
    }
}

impl Default for IoRing {
    fn default() -> Self {
        IoRing {
            batch: Batch::Percent(25),
            registered: true,
        }
    }
}

impl Target {
    /// Stride or alignment in force.
    pub fn align(&self) -> u64 {
        if self.align_bytes == 0 {
            u64::from(self.block_bytes)
        } else {
            self.align_bytes
        }
    }

    /// The one form of an equal request: an alignment of one block is written as 0. Both parsers end with it, so that
    /// a profile and its XML are the same value.
    pub fn canonical(&mut self) {
        if self.align_bytes == u64::from(self.block_bytes) {
            self.align_bytes = 0;
        }
    }

    /// A whole device, which has its size: `#n`, `X:` or a name below `/dev`.
    pub fn is_device(&self) -> bool {
        let drive = matches!(self.path.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
        self.path.starts_with('#') || self.path.starts_with("/dev/") || drive
    }
}
