//! A run that another tool measured, as far as its printed results report it.
//!
//! Every figure is as printed: nothing is computed from another, and what the file cannot know is `None`. The original
//! text of the section stays with it, so that a later reader can find more in it than this one did. Deliberately
//! absent: how any tool prints (`readers`), and what the figures mean (`analysis`).

use crate::imported_evidence::ImportedEvidence;
use crate::plan::CacheMode;
use crate::units::{Bytes, Nanos, Ratio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One run of another tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedRun {
    /// Kind of the text.
    pub format: ImportFormat,
    /// The tool's version, from the text or its layout: `2.0.17`, `2.2`, `fio-3.33`.
    pub tool_version: Option<String>,
    /// Name of the file, without its folder; `-` for standard input.
    pub source: String,
    /// Which run of the file this is. // from 1
    pub place: u32,
    /// Line of the file on which it begins. // from 1
    pub line: u32,
    /// Wall clock as the tool noted it: nanoseconds since 1970 in UTC. The end of the run in DISKSPD up to 2.2.
    #[serde(rename = "started_utc_ns")]
    pub started_utc: Option<Nanos>,
    /// The machine it ran on.
    pub host: Option<String>,
    /// The command line, as printed.
    pub command: Option<String>,
    /// Name of the run in its file: a job's name, an access specification, a time span.
    pub name: Option<String>,
    /// Request.
    pub workload: ImportedWorkload,
    /// Measured time.
    #[serde(rename = "measured_ns")]
    pub measured: Option<Nanos>,
    /// Its result.
    pub figures: ImportedFigures,
    /// Load of the CPUs during the run.
    pub cpu: Option<ImportedCpu>,
    /// Other content of the text that findings use.
    #[serde(default, skip_serializing_if = "ImportedEvidence::is_empty")]
    pub evidence: ImportedEvidence,
    /// Each thread, target, worker or disk, as far as the text gives them rows of their own.
    pub rows: Vec<ImportedRow>,
    /// Notes on the text.
    pub notes: Vec<String>,
    /// The whole section it was read from, with line ends converted to LF.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Defines [`ImportFormat`]: a row has its name, the word that represents it, and the tool that measured.
macro_rules! import_formats {
    ($($(#[$about:meta])* $name:ident $word:literal $tool:literal,)*) => {
        /// The kinds of text that are read.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum ImportFormat {
            $($(#[$about])* $name,)*
        }

        impl ImportFormat {
            /// All of them, in the order in which they are offered.
            pub const ALL: &[ImportFormat] = &[$(ImportFormat::$name),*];

            /// Returns the word that represents it in documents and in the store.
            pub const fn word(self) -> &'static str {
                match self {
                    $(ImportFormat::$name => $word,)*
                }
            }

            /// Returns the tool that measured.
            pub const fn tool(self) -> &'static str {
                match self {
                    $(ImportFormat::$name => $tool,)*
                }
            }
        }
    };
}

import_formats! {
    /// Output of DISKSPD, any layout from 2.0.11 on.
    DiskspdText "diskspd_text" "diskspd",
    /// DISKSPD's results document.
    DiskspdXml "diskspd_xml" "diskspd",
    /// Output of SQLIO.
    SqlioText "sqlio_text" "sqlio",
    /// fio's `--output-format=json` or `json+`.
    FioJson "fio_json" "fio",
    /// Output of fio without `--output-format`.
    FioText "fio_text" "fio",
    /// A line per job of fio's `--minimal` or `--output-format=terse`.
    FioTerse "fio_terse" "fio",
    /// The results file of IOmeter.
    IometerCsv "iometer_csv" "iometer",
    /// One line a run, from a script around DISKSPD.
    ScriptLines "script_lines" "diskspd",
    /// Output of dd at its end.
    DdText "dd_text" "dd",
    /// The line of commas that bonnie++ prints last.
    BonnieText "bonnie_text" "bonnie++",
    /// Text that CrystalDiskMark copies.
    #[serde(rename = "crystaldiskmark_text")]
    CrystalDiskMarkText "crystaldiskmark_text" "crystaldiskmark",
    /// elbencho's table of results.
    ElbenchoText "elbencho_text" "elbencho",
    /// Results of f3write and f3read.
    #[serde(rename = "f3_text")]
    F3Text "f3_text" "f3",
    /// The timings of hdparm.
    HdparmText "hdparm_text" "hdparm",
    /// The statistics that ioping prints last.
    IopingText "ioping_text" "ioping",
    /// The table of devices of `iostat -x` and `sar -d`.
    IostatText "iostat_text" "iostat",
    /// The tables of iozone.
    IozoneText "iozone_text" "iozone",
    /// The summary of dbench for Kubernetes.
    KubernetesDbenchText "kubernetes_dbench_text" "dbench",
    /// The summary of kbench.
    KbenchText "kbench_text" "kbench",
    /// The summary of kubestr.
    KubestrText "kubestr_text" "kubestr",
    /// The operations per second of `pg_test_fsync`.
    PgTestFsyncText "pg_test_fsync_text" "pg_test_fsync",
    /// The summary of rados bench.
    RadosBenchText "rados_bench_text" "rados bench",
    /// The table of SPDK's perf.
    SpdkPerfText "spdk_perf_text" "SPDK perf",
    /// Output of sysbench's file test.
    SysbenchText "sysbench_text" "sysbench",
    /// The averages of vdbench.
    VdbenchText "vdbench_text" "vdbench",
    /// The averages of warp.
    WarpText "warp_text" "warp",
    /// What IOR prints.
    IorText "ior_text" "ior",
    /// IOR's document.
    IorJson "ior_json" "ior",
    /// mdtest's summary of rates.
    MdtestText "mdtest_text" "mdtest",
    /// Results of IO500.
    #[serde(rename = "io500_text")]
    Io500Text "io500_text" "io500",
}

/// Request. A field is `None` if the text does not contain it, or if the targets of one run differ in it;
/// then a note reports that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedWorkload {
    /// Files and devices, in order.
    pub targets: Vec<String>,
    /// Size of one I/O.
    #[serde(rename = "block_bytes")]
    pub block: Option<Bytes>,
    /// Percent of I/Os that go to a random place: 0 is sequential, 100 is random.
    pub random_percent: Option<Ratio>,
    /// Percent of I/Os that write.
    pub write_percent: Option<Ratio>,
    /// Outstanding I/Os of a thread on a target.
    pub queue_depth: Option<u32>,
    /// Threads of the whole run.
    pub threads: Option<u32>,
    /// Caches between the I/O and the device.
    pub cache: Option<CacheMode>,
    /// Whether a write was complete only when it was durable.
    pub write_through: Option<bool>,
    /// How long was to be counted.
    #[serde(rename = "duration_ns")]
    pub duration: Option<Nanos>,
    /// How long it ran before that.
    #[serde(rename = "warmup_ns")]
    pub warmup: Option<Nanos>,
    /// Size of the target, of all together where there are several.
    #[serde(rename = "size_bytes")]
    pub size: Option<Bytes>,
    /// How the I/Os were submitted, in the tool's words: `libaio`.
    pub engine: Option<String>,
}

/// Its result, by operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedFigures {
    /// Reads and writes together.
    pub total: ImportedOperation,
    /// Reads alone.
    pub read: ImportedOperation,
    /// Writes alone.
    pub write: ImportedOperation,
}

/// The figures of one operation, as printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedOperation {
    /// Completed I/Os.
    pub ios: Option<u64>,
    /// Transferred by them.
    pub bytes: Option<Bytes>,
    /// I/Os per second.
    #[serde(rename = "iops", alias = "ios_per_s")]
    pub ios_per_s: Option<f64>,
    /// Bytes per second, in the precision of the text: two decimals of MiB/s in DISKSPD's.
    pub bytes_per_s: Option<f64>,
    /// How far the rates of the intervals lie apart: standard deviation of I/Os per second.
    #[serde(rename = "iops_sd", alias = "ios_per_s_sd")]
    pub ios_per_s_sd: Option<f64>,
    /// Failed I/Os.
    pub errors: Option<u64>,
    /// From submission to completion.
    pub latency: ImportedLatency,
}

/// Latencies, as printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedLatency {
    /// Mean.
    #[serde(rename = "mean_ns")]
    pub mean: Option<Nanos>,
    /// Standard deviation.
    #[serde(rename = "sd_ns")]
    pub sd: Option<Nanos>,
    /// Smallest.
    #[serde(rename = "min_ns")]
    pub min: Option<Nanos>,
    /// Largest.
    #[serde(rename = "max_ns")]
    pub max: Option<Nanos>,
    /// (Quantile in 0…1, latency), ascending; without 0 and 1, which are `min` and `max`.
    pub percentiles: Vec<(f64, Nanos)>,
    /// Resolution of the printed digits: 1 µs in DISKSPD's text, 1 ms in SQLIO's.
    #[serde(rename = "resolution_ns")]
    pub resolution: Option<Nanos>,
    /// SQLIO's histogram: share of the I/Os by latency.
    pub histogram: Vec<HistogramShare>,
}

/// One column of a printed histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistogramShare {
    /// The column's smallest latency; it ends where the next one begins, and the last has no end.
    #[serde(rename = "from_ns")]
    pub from: Nanos,
    /// Share of the I/Os in percent, rounded as printed.
    pub percent: f64,
}

/// Load of the processors in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedCpu {
    /// Processors that were counted.
    pub processors: Option<u32>,
    /// Mean load of all processors in percent. fio's is that of its own processes on one.
    pub usage_percent: Option<f64>,
    /// In user mode.
    pub user_percent: Option<f64>,
    /// In the kernel.
    pub kernel_percent: Option<f64>,
    /// Idle.
    pub idle_percent: Option<f64>,
    /// The busiest of them, if each has a row. None in runs stored before that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest: Option<ImportedCore>,
}

/// Load of one processor in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedCore {
    /// Its number, as printed.
    pub cpu: u32,
    /// Busy.
    pub usage_percent: f64,
    /// In user mode.
    pub user_percent: f64,
    /// In the kernel.
    pub kernel_percent: f64,
}

/// A thread, target, worker or disk with figures of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedRow {
    /// Number of the thread, where it has one.
    pub thread: Option<u32>,
    /// Its target, or the name of the row.
    pub target: String,
    /// Size of that target.
    #[serde(rename = "size_bytes")]
    pub size: Option<Bytes>,
    /// Its figures.
    pub figures: ImportedFigures,
}
