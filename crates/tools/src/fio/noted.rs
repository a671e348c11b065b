//! The options of fio's that are accepted and change nothing here, each with the reason. Omitted: those that do something
//! (`honoured`).

use super::row::{Fate, Row};

const fn note(names: &'static [&'static str], linux: &'static str) -> Row {
    Row {
        names,
        linux,
        fate: Fate::Note,
    }
}

pub(super) const NOTED: &[Row] = &[
    note(
        &["read_iolog_chunked"],
        "a trace is always read while it is replayed",
    ),
    note(
        &[
            "experimental_verify",
            "verify_async",
            "verify_async_cpus",
            "verify_backlog_batch",
            "verify_dump",
            "verify_interval",
            "verify_pattern_interval",
            "verify_state_save",
            "verify_write_sequence",
            "verify_header_seed",
            "verifysort",
            "verifysort_nr",
        ],
        "a block is compared when it is read, or when the job is done, each 4096 bytes by themselves; no state is saved",
    ),
    note(
        &[
            "verify_mode",
            "trim_backlog",
            "trim_backlog_batch",
            "trim_verify_zero",
        ],
        "no effect without trim, as in fio",
    ),
    note(
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
        "a steady rate does not end the run: it lasts its runtime, as fio's does if the rate is never steady; the report states whether it was",
    ),
    note(
        &["rate_ignore_thinktime"],
        "no effect without thinktime, as in fio",
    ),
    note(
        &["latency_window", "latency_percentile", "latency_run"],
        "no effect without latency_target, as in fio",
    ),
    note(
        &["exit_what"],
        "no effect where all jobs of a group end together",
    ),
    note(
        &["flow_id", "flow_watermark", "flow_sleep"],
        "no effect without flow, as in fio",
    ),
    note(
        &[
            "zonecapacity",
            "read_beyond_wp",
            "max_open_zones",
            "job_max_open_zones",
            "zone_reset_threshold",
            "zone_reset_frequency",
            "recover_zbd_write_error",
        ],
        "no effect without zonemode=zbd, as in fio",
    ),
    note(
        &["allow_mounted_write"],
        "a mounted device is never written, with any value; files need no such option",
    ),
    note(
        &["thinktime_blocks_type"],
        "pauses are counted from the submission of an I/O",
    ),
    note(
        &["hipri_percentage"],
        "with hipri all completions are polled",
    ),
    note(
        &["refill_buffers", "scramble_buffers"],
        "every block that fathom writes is another one",
    ),
    note(&["buffer_compress_chunk"], "fathom shapes each 4096 bytes"),
    note(&["thread", "threads"], "fathom's jobs are threads, always"),
    note(
        &["create_serialize", "create_fsync", "allow_file_create"],
        "files that are missing are created one after another before the run, and are on the device when it begins",
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
        "with rate_iops response times count from the scheduled start",
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
        "the engine uses the fastest; the record states which",
    ),
    note(
        &["sqthread_poll_cpu"],
        "the system places the kernel's thread",
    ),
    note(
        &["disable_slat"],
        "the time of the submission alone is not measured",
    ),
    note(
        &["disable_bw_measurement", "disable_bw"],
        "no effect without a line per I/O in a log of bandwidths, as in fio",
    ),
    note(
        &[
            "significant_figures",
            "clocksource",
            "gtod_cpu",
            "stats",
            "unit_base",
        ],
        "clocks, digits and units are fathom's own",
    ),
    note(
        &["log_hist_msec"],
        "a record has histograms of the whole run, and none per step",
    ),
    note(
        &["log_entries", "log_compression", "log_compression_cpus"],
        "logs are written when the run is over, from the stored time series",
    ),
    note(
        &["bwavgtime", "iopsavgtime"],
        "rates are those of the steps of the time series, which log_avg_msec sets",
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
        &["softrandommap"],
        "the map of the blocks needs no memory here",
    ),
    note(&["cmd_type", "ignore_zone_limits"], "passthrough is NVMe's"),
];
