//! Every option of fio's that fathom knows, one row each: what it does here, or why it does nothing, or why it is refused.
//! Reading, help and the manual come from this table.

use super::job::Job;
use super::read::{self, Told};
use model::Field;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What becomes of an option.
#[derive(Clone, Copy)]
pub(super) enum Fate {
    /// It is honoured.
    Read(fn(&mut Job, Option<&str>) -> Told),
    /// It is taken, and a note says what is different.
    Note,
    /// It is refused, with the nearest thing.
    Refuse,
}

/// One option, or several that share a fate.
pub struct Row {
    /// Its names, the usual one first.
    pub names: &'static [&'static str],
    /// What it is here.
    pub linux: &'static str,
    pub(super) fate: Fate,
}

impl Row {
    /// As the manual says it: honoured, noted or refused.
    pub fn fate(&self) -> &'static str {
        match self.fate {
            Fate::Read(_) => "honoured",
            Fate::Note => "changes nothing",
            Fate::Refuse => "refused",
        }
    }
}

const fn read(
    names: &'static [&'static str],
    linux: &'static str,
    read: fn(&mut Job, Option<&str>) -> Told,
) -> Row {
    Row {
        names,
        linux,
        fate: Fate::Read(read),
    }
}

const fn note(names: &'static [&'static str], linux: &'static str) -> Row {
    Row {
        names,
        linux,
        fate: Fate::Note,
    }
}

const fn refuse(names: &'static [&'static str], linux: &'static str) -> Row {
    Row {
        names,
        linux,
        fate: Fate::Refuse,
    }
}

/// The row of an option.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    static BY_NAME: LazyLock<HashMap<&str, &Row>> = LazyLock::new(|| {
        let names = |row: &'static Row| row.names.iter().map(move |name| (*name, row));
        ROWS.iter().flat_map(names).collect()
    });
    BY_NAME.get(name).copied()
}

/// Returns the option of a field.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "bs=",
        Field::QueueDepth => "iodepth=",
        Field::Threads => "numjobs=",
        Field::FileSize => "filesize=",
        Field::Create => "filesize=SIZE",
        Field::Duration => "runtime=",
        Field::Interval => "log_avg_msec=",
        Field::Amount => "io_size=",
        Field::Base => "offset=",
        Field::Length => "size=",
        Field::Stride => "blockalign=",
        Field::Distribution => "random_distribution=",
        Field::Rate => "rate_iops=",
        Field::Buffered => "direct=0",
        Field::Unbuffered => "direct=1",
        Field::ReadOnly => "rw=read",
        Field::Engine => "ioengine=",
        Field::Passthrough => "ioengine=io_uring_cmd",
        Field::CompletionPolling => "hipri",
        Field::SubmissionPolling => "sqthread_poll",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::ThreadStride | Field::Source | Field::Pool => return None,
    })
}

/// All of them: honoured, then noted, then refused.
pub const ROWS: &[Row] = &[
    read(&["name"], "name of the job", read::name),
    read(
        &["filename"],
        "files or devices, `:` between them; no data is written over without `--overwrite` or `--destroy DEVICE`",
        read::filename,
    ),
    read(&["directory"], "folder of the files", read::directory),
    read(&["nrfiles"], "files of each job, in turn", read::nrfiles),
    read(
        &["rw", "readwrite"],
        "read, write, randread, randwrite, rw, randrw",
        read::rw,
    ),
    read(&["rwmixread"], "percent of reads", read::rwmixread),
    read(&["rwmixwrite"], "percent of writes", read::rwmixwrite),
    read(
        &["percentage_random"],
        "percent of random I/O in the random kinds",
        read::percentage_random,
    ),
    read(&["bs", "blocksize"], "block; `READ,WRITE` apart", read::bs),
    read(
        &["bsrange", "blocksize_range"],
        "blocks of all multiples of the smallest, equally likely",
        read::bsrange,
    ),
    read(
        &["bssplit"],
        "blocks with their shares; `READ,WRITE` apart",
        read::bssplit,
    ),
    read(
        &["blockalign", "ba"],
        "what random offsets are multiples of",
        read::blockalign,
    ),
    read(
        &["ioengine"],
        "sync, psync, vsync, pvsync, pvsync2: the engine sync; libaio, io_uring; io_uring_cmd: NVMe passthrough; mmap; null",
        read::ioengine,
    ),
    read(
        &["iodepth"],
        "queue depth of each job; 1 with the engines that block",
        read::iodepth,
    ),
    read(&["numjobs"], "threads that do the same", read::numjobs),
    read(
        &["size"],
        "length of the range of all files of a job, and how much is done without time_based",
        read::set_size,
    ),
    read(
        &["io_size", "io_limit"],
        "how much is done without time_based",
        read::io_size,
    ),
    read(&["filesize"], "size of a file that is made", read::filesize),
    read(&["offset"], "where the range begins", read::offset),
    read(&["loops"], "how often the size is done", read::loops),
    read(
        &["runtime", "timeout"],
        "measured time; without time_based a job ends sooner when its size is done",
        read::runtime,
    ),
    read(&["time_based"], "the time decides alone", read::time_based),
    read(&["ramp_time"], "warm-up", read::ramp_time),
    read(&["startdelay"], "0 only", read::startdelay),
    read(
        &["log_avg_msec"],
        "step of the time series",
        read::log_avg_msec,
    ),
    read(
        &["thinktime"],
        "pause after blocks; microseconds without a unit",
        read::thinktime,
    ),
    read(
        &["thinktime_blocks"],
        "I/Os before each pause",
        read::thinktime_blocks,
    ),
    read(&["rate"], "bytes per second of each job", read::rate),
    read(
        &["rate_iops"],
        "IOPS of each job: an open loop, with response times",
        read::rate_iops,
    ),
    read(&["rate_process"], "linear or poisson", read::rate_process),
    read(
        &["direct"],
        "past the system's cache; 0 by default, as in fio",
        read::direct,
    ),
    read(&["buffered"], "the reverse of direct", read::buffered),
    read(
        &["sync", "dsync"],
        "each write is durable when it returns (O_DSYNC)",
        read::sync,
    ),
    read(
        &[
            "fsync",
            "fdatasync",
            "end_fsync",
            "fsync_on_close",
            "sync_file_range",
            "write_barrier",
        ],
        "0 only; sync=dsync is the nearest",
        read::no_flush,
    ),
    read(&["randseed"], "seed", read::randseed),
    read(
        &["randrepeat", "allrandrepeat"],
        "always 1",
        read::randrepeat,
    ),
    read(
        &["norandommap"],
        "always 1: places are drawn again each time",
        read::norandommap,
    ),
    read(
        &["random_distribution"],
        "random, zoned, zoned_abs; zipf, pareto and normal are refused",
        read::random_distribution,
    ),
    read(
        &["continue_on_error"],
        "all or none",
        read::continue_on_error,
    ),
    read(
        &["zero_buffers"],
        "zeros are written; without it each block is random, and marked as fathom's",
        read::zero_buffers,
    ),
    read(
        &["buffer_compress_percentage"],
        "share of the written data that is zeros",
        read::compress,
    ),
    read(
        &["dedupe_percentage"],
        "share of the blocks that is one and the same",
        read::dedupe,
    ),
    read(
        &["cpus_allowed"],
        "processors of the threads, round robin",
        read::cpus_allowed,
    ),
    read(&["hipri"], "polled completion", read::hipri),
    read(
        &["sqthread_poll"],
        "submission-queue polling",
        read::sqthread_poll,
    ),
    read(
        &["stonewall", "wait_for_previous"],
        "begins when all before it are done",
        read::stonewall,
    ),
    read(
        &["wait_for"],
        "begins when this job, and all beside it, are done",
        read::wait_for,
    ),
    read(
        &["new_group"],
        "a group of its own in the results",
        read::new_group,
    ),
    read(
        &["group_reporting"],
        "one result for all threads of a group",
        read::group_reporting,
    ),
    read(&["kb_base"], "1024 or 1000", read::kb_base),
    read(&["zonemode"], "none only", read::zonemode),
    read(
        &["verify", "do_verify", "verify_only", "experimental_verify"],
        "0 only: fathom measures and does not compare what it reads; run such a job with fio",
        read::only_off,
    ),
    read(
        &["fill_device", "fd", "file_append"],
        "0 only: a range has its size from the start: specify size",
        read::only_off,
    ),
    read(
        &["unlink", "unlink_each_loop"],
        "0 only: fathom deletes nothing",
        read::only_off,
    ),
    read(
        &[
            "atomic",
            "bs_unaligned",
            "thinktime_spin",
            "pre_read",
            "lockmem",
            "latency_run",
            "trim_percentage",
        ],
        "0 only: fathom has no such thing",
        read::only_off,
    ),
    note(&["description"], "a remark; it stays in the file"),
    note(
        &["refill_buffers", "scramble_buffers"],
        "every block that fathom writes is another one",
    ),
    note(&["buffer_compress_chunk"], "fathom shapes each 4096 bytes"),
    note(&["thread", "threads"], "fathom's jobs are threads, always"),
    note(
        &["invalidate"],
        "fathom does not drop the cache before a run: take direct=1 to measure the device",
    ),
    note(
        &[
            "fallocate",
            "create_serialize",
            "create_fsync",
            "create_on_open",
            "overwrite",
            "allow_file_create",
        ],
        "files that are made are filled with data before the run, always",
    ),
    note(
        &["openfiles", "file_service_type"],
        "all files are open from start to end, and take turns",
    ),
    note(
        &["random_generator", "unique_filename"],
        "fathom has its own way",
    ),
    note(
        &[
            "iodepth_batch",
            "iodepth_batch_submit",
            "iodepth_batch_complete",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "iodepth_low",
            "serialize_overlap",
        ],
        "a free slot is used at once, and slow devices get each I/O by itself",
    ),
    note(
        &["io_submit_mode"],
        "with rate_iops response times count from the moment at which an I/O was to start",
    ),
    note(
        &[
            "fixedbufs",
            "registerfiles",
            "nonvectored",
            "force_async",
            "uncached",
            "userspace_reap",
            "mem",
            "iomem",
            "iomem_align",
            "mem_align",
            "coop_taskrun",
        ],
        "the engine does what is fastest; the record says what it used",
    ),
    note(
        &["sqthread_poll_cpu"],
        "the system places the kernel's thread",
    ),
    note(
        &[
            "gtod_reduce",
            "disable_lat",
            "disable_clat",
            "disable_slat",
            "disable_bw_measurement",
            "disable_bw",
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
            "percentile_list",
            "significant_figures",
            "clocksource",
            "gtod_cpu",
            "stats",
            "disk_util",
            "unified_rw_reporting",
            "unit_base",
        ],
        "latencies, percentiles and the devices' counters are always kept; fathom show prints them",
    ),
    note(
        &[
            "write_bw_log",
            "write_lat_log",
            "write_iops_log",
            "write_hist_log",
            "bwavgtime",
            "iopsavgtime",
            "log_hist_msec",
            "log_hist_coarseness",
            "log_max_value",
            "log_offset",
            "log_prio",
            "log_entries",
            "log_compression",
            "log_compression_cpus",
            "log_store_compressed",
            "log_unix_epoch",
            "log_alternate_epoch",
            "log_alternate_epoch_clock_id",
            "per_job_logs",
            "log_window_value",
        ],
        "there are no log files: the time series is kept with the run, and fathom export writes it",
    ),
    note(
        &["cpus_allowed_policy"],
        "each thread is on one processor of the list, round robin",
    ),
    note(
        &["exitall_on_error", "error_dump"],
        "the first failed I/O ends the run of all, unless continue_on_error=all",
    ),
    note(
        &["randommap", "softrandommap", "rand_seed"],
        "places are drawn again each time",
    ),
    note(&["cmd_type", "ignore_zone_limits"], "passthrough is NVMe's"),
    refuse(
        &[
            "verify_async",
            "verify_async_cpus",
            "verify_backlog",
            "verify_backlog_batch",
            "verify_dump",
            "verify_fatal",
            "verify_interval",
            "verify_offset",
            "verify_pattern",
            "verify_pattern_interval",
            "verify_state_load",
            "verify_state_save",
            "verify_write_sequence",
            "verify_header_seed",
            "verify_mode",
            "trim_backlog",
            "trim_backlog_batch",
            "trim_verify_zero",
            "verifysort",
            "verifysort_nr",
        ],
        "fathom measures, and does not verify: omit it, or run this job with fio",
    ),
    refuse(
        &["number_ios"],
        "a count of I/Os: specify io_size, which is that count times the block",
    ),
    refuse(
        &["offset_increment", "offset_align"],
        "threads of one job have one range: give each offset a job of its own",
    ),
    refuse(
        &["filename_format", "opendir", "lockfile"],
        "specify the files by filename",
    ),
    refuse(
        &["rw_sequencer"],
        "a step or a count between places: omit it",
    ),
    refuse(
        &[
            "rate_min",
            "rate_iops_min",
            "rate_cycle",
            "rate_ignore_thinktime",
            "max_latency",
            "latency_target",
            "latency_window",
            "latency_percentile",
        ],
        "a run is judged after it, not ended by a bound: fathom show says what it reached, and fathom survey looks for the depth",
    ),
    refuse(
        &[
            "ss",
            "steadystate",
            "ss_dur",
            "steadystate_duration",
            "ss_ramp",
            "steadystate_ramp_time",
            "ss_interval",
            "steadystate_check_interval",
        ],
        "the length of a run is said before: runtime with time_based; the report says whether the rate was steady",
    ),
    refuse(
        &["thinktime_blocks_type", "thinktime_iotime"],
        "pauses are counted in I/Os: thinktime_blocks",
    ),
    refuse(
        &[
            "write_iolog",
            "read_iolog",
            "read_iolog_chunked",
            "replay_no_stall",
            "replay_redirect",
            "replay_scale",
            "replay_align",
            "replay_time_scale",
            "replay_skip",
            "merge_blktrace_file",
            "merge_blktrace_scalars",
            "merge_blktrace_iters",
        ],
        "fathom neither keeps nor replays traces of I/Os",
    ),
    refuse(
        &["exec_prerun", "exec_postrun"],
        "fathom starts no programs: put them around its call",
    ),
    refuse(
        &["ioscheduler"],
        "fathom does not change the system: set the scheduler of the device first",
    ),
    refuse(
        &[
            "zonesize",
            "zonecapacity",
            "zonerange",
            "zoneskip",
            "read_beyond_wp",
            "max_open_zones",
            "job_max_open_zones",
            "zone_reset_threshold",
            "zone_reset_frequency",
            "recover_zbd_write_error",
        ],
        "fathom has no zones of a device; random_distribution=zoned sets shares of a range",
    ),
    refuse(
        &[
            "nice",
            "prio",
            "prioclass",
            "priohint",
            "cmdprio_percentage",
            "cmdprio_class",
            "cmdprio_hint",
            "cmdprio",
            "cmdprio_bssplit",
            "cmdprio_split",
        ],
        "start fathom under nice or ionice; one job has I/Os of one priority only",
    ),
    refuse(
        &[
            "cgroup",
            "cgroup_nodelete",
            "cgroup_weight",
            "uid",
            "gid",
            "numa_cpu_nodes",
            "numa_mem_policy",
            "cpumask",
            "cpumode",
            "cpuload",
            "cpuchunks",
            "noreport",
        ],
        "start fathom in such a group, as such a user, under numactl or taskset; cpus_allowed places threads",
    ),
    refuse(
        &["exitall", "exit_what"],
        "jobs of a group run for their own time: give those that end together the same runtime",
    ),
    refuse(
        &["flow", "flow_id", "flow_watermark", "flow_sleep"],
        "jobs do not wait for each other's I/Os: rwmixread or bssplit mixes within one job",
    ),
    refuse(
        &[
            "buffer_pattern",
            "dedupe_mode",
            "dedupe_working_set_percentage",
            "dedupe_global",
        ],
        "written data is random, zeros, or shaped by buffer_compress_percentage and dedupe_percentage",
    ),
    refuse(
        &[
            "fadvise_hint",
            "write_hint",
            "fdp",
            "fdp_pli",
            "plid_select",
            "plids",
            "dp_scheme",
            "dataplacement",
        ],
        "fathom gives hints by the pattern alone",
    ),
    refuse(
        &["create_only"],
        "fathom run --create makes a file and measures it",
    ),
    refuse(
        &["allow_mounted_write"],
        "nothing allows writing to a mounted device: unmount it first",
    ),
    refuse(
        &[
            "ignore_error",
            "profile",
            "latency_log",
            "block_error_percentiles",
            "skip_bad",
            "sprandom",
            "spr_op",
            "spr_num_regions",
            "random_sequence_stride",
            "num_range",
            "pi_act",
            "pi_chk",
            "apptag",
            "apptag_mask",
            "md_per_io_size",
            "readfua",
            "writefua",
            "write_mode",
            "verify_mode_fua",
            "deac",
            "nowait",
            "hipri_percentage",
            "pool",
            "port",
            "hostname",
            "protocol",
            "interface",
            "pingpong",
            "listen",
            "clustername",
            "rbdname",
            "clientname",
            "sg_write_mode",
            "stonewall_group",
            "donorname",
            "inplace",
        ],
        "this belongs to what fathom does not measure: blocks of files and devices are what it has",
    ),
];
