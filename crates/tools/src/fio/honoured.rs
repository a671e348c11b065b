//! The options of fio's that fathom honours, each with what it does here. Omitted: how a value is read (`read`, `verify`,
//! `replay`), and the options that change nothing (`noted`) or are refused (`refused`).

use super::job::Job;
use super::read::{self, OptionRead};
use super::read_bounds;
use super::read_files;
use super::read_results;
use super::replay;
use super::row::{Fate, Row};
use super::verify;

const fn read(
    names: &'static [&'static str],
    linux: &'static str,
    read: fn(&mut Job, Option<&str>) -> OptionRead,
) -> Row {
    Row {
        names,
        linux,
        fate: Fate::Read(read),
    }
}

pub(super) const HONOURED: &[Row] = &[
    read(
        &["name"],
        "name of the job in the results; its files are named after its section, and in [global] it has no effect",
        read::name,
    ),
    read(
        &["filename"],
        "files or devices, `:` between them, added to those of [global]; no data is written over without `--overwrite` or `--destroy DEVICE`",
        read::filename,
    ),
    read(
        &["filename_format"],
        "names of the files where `filename` specifies none: `$jobname`, `$jobnum`, `$filenum`",
        read::filename_format,
    ),
    read(
        &["directory"],
        "folders of the files, `:` between them; threads take turns at them, and `filename` is in the first",
        read::directory,
    ),
    read(
        &["nrfiles", "nr_files"],
        "files of each job, in turn",
        read::nrfiles,
    ),
    read(
        &["rw", "readwrite"],
        "read, write, randread, randwrite, rw, randrw; `read:8k` skips 8k behind each I/O, `read:-8k` goes back by as much",
        read::rw,
    ),
    read(&["rwmixread"], "percent of reads", read::rwmixread),
    read(&["rwmixwrite"], "percent of writes", read::rwmixwrite),
    read(
        &["percentage_random"],
        "percent of random I/O in the random kinds; `READ,WRITE` apart",
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
        "sync, psync, vsync, pvsync, pvsync2, splice: the engine sync; libaio; io_uring, posixaio, windowsaio: the engine auto; \
         io_uring_cmd: NVMe passthrough; mmap; null, cpp_null: the engine null",
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
    read(
        &["filesize"],
        "size of a file that is created",
        read::filesize,
    ),
    read(&["offset"], "where the range begins", read::offset),
    read(&["loops"], "how often the size is done", read::loops),
    read(
        &["runtime", "timeout"],
        "measured time; without time_based a job ends sooner when its size is done",
        read::runtime,
    ),
    read(&["time_based"], "the time decides alone", read::time_based),
    read(&["ramp_time"], "warm-up", read::ramp_time),
    read(
        &["log_avg_msec"],
        "step of the time series, and of the log files",
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
    read(
        &["rate"],
        "bytes per second of each job; `READ,WRITE` apart, and of a mix each direction has its own, so that these decide its shares",
        read::rate,
    ),
    read(
        &["rate_iops"],
        "IOPS of each job, read as `rate`: an open loop, with response times; with other jobs a pace of each thread",
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
        &["fsync"],
        "fsync after so many writes, when those before are complete; its latencies are the `sync` of the JSON",
        read::fsync,
    ),
    read(&["fdatasync"], "the same with fdatasync", read::fdatasync),
    read(
        &["end_fsync", "fsync_on_close"],
        "fsync when a job is done; with time_based behind the measured time",
        read::end_fsync,
    ),
    read(
        &["sync_file_range", "write_barrier"],
        "0 only; fdatasync is the nearest",
        read::only_off,
    ),
    read(&["randseed", "rand_seed"], "seed", read::randseed),
    read(
        &["randrepeat", "allrandrepeat"],
        "with 0 a seed is drawn, and stored with the run; `randseed` has precedence",
        read::randrepeat,
    ),
    read(
        &["norandommap"],
        "each place is drawn by itself; without it each block comes once a pass, unless sizes differ",
        read::norandommap,
    ),
    read(
        &["randommap"],
        "the reverse of norandommap",
        read::randommap,
    ),
    read(
        &["invalidate"],
        "1 by default: before buffered I/O, what the system's cache contains of the files is dropped, and again before each further pass",
        read_files::invalidate,
    ),
    read(
        &["random_distribution"],
        "random, zipf:THETA, pareto:H, normal:PERCENT, zoned, zoned_abs",
        read::random_distribution,
    ),
    read(
        &["continue_on_error"],
        "none, or all kinds of errors, also where fewer are named; corrupt blocks never end a run without verify_fatal, and with verify or all the exit code is 0, as in fio",
        read::continue_on_error,
    ),
    read(
        &["zero_buffers"],
        "zeros are written; without it each block is random, and marked as fathom's",
        read::zero_buffers,
    ),
    read(
        &["buffer_pattern"],
        "bytes that are written repeatedly: `0xdeadface`, `\"text\"`, decimal numbers, or several of them",
        read::buffer_pattern,
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
    read(&["cpumask"], "the same as a mask of bits", read::cpumask),
    read(
        &["numa_mem_policy"],
        "local or default: each thread's memory is on the node where it runs when it starts",
        read_files::numa_mem_policy,
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
        "begins when this job, and all that run with it, are done",
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
    read(
        &["zonemode"],
        "none or strided; zoned devices (zbd) are not written",
        read_bounds::zonemode,
    ),
    read(
        &["zonesize"],
        "bytes that are moved in a zone before the next one; in order, or anywhere in the zone each time",
        read_bounds::zonesize,
    ),
    read(
        &["zonerange"],
        "length of a zone; zonesize without it",
        read_bounds::zonerange,
    ),
    read(
        &["zoneskip"],
        "from the end of a zone to the next; a zone that would pass the end of the range is not used",
        read_bounds::zoneskip,
    ),
    read(
        &["rate_min", "ratemin"],
        "bytes per second that each thread has to reach in each rate_cycle, from two seconds on; where it does not, the run has failed",
        read_bounds::rate_min,
    ),
    read(
        &["rate_iops_min"],
        "the same in IOPS",
        read_bounds::rate_iops_min,
    ),
    read(
        &["rate_cycle"],
        "over which rate_min and rate_iops_min are taken; milliseconds without a unit",
        read_bounds::rate_cycle,
    ),
    read(
        &["max_latency"],
        "an I/O that takes longer ends the run, which has failed; microseconds without a unit",
        read_bounds::max_latency,
    ),
    read(
        &["fill_device", "fd"],
        "the whole of what is there is written; a file that is not there has no size: specify size",
        read_files::fill_device,
    ),
    read(
        &["file_append"],
        "no effect on an empty or new file; a file with data is not extended",
        read_files::file_append,
    ),
    read(
        &["fallocate"],
        "space of new files that are only written: none, native (also posix, the default), keep, truncate; 4096 bytes of each are written, by which fathom recognizes it",
        read_files::fallocate,
    ),
    read(
        &["overwrite"],
        "1: new files that are only written are filled with data before the run; it confirms no loss of data",
        read_files::overwrite,
    ),
    read(
        &["create_on_open"],
        "1: new files that are only written have no space before the first write",
        read_files::create_on_open,
    ),
    read(
        &["prio"],
        "7 is the lowest priority, and 4 the usual one; no others",
        read::prio,
    ),
    read(
        &["prioclass"],
        "3: I/Os have the idle class; 2 is the usual one",
        read::prioclass,
    ),
    read(
        &["dedupe_mode"],
        "repeat only: duplicates are one and the same block",
        read::dedupe_mode,
    ),
    read(
        &["unlink"],
        "the files of the job are removed when all jobs are done: those that fathom wrote; any other needs `--overwrite`",
        read_files::unlink,
    ),
    read(
        &["unlink_each_loop"],
        "the same where the job does its size once; files are not created again for each of several loops",
        read_files::unlink_each_loop,
    ),
    read(
        &[
            "atomic",
            "bs_unaligned",
            "thinktime_spin",
            "pre_read",
            "lockmem",
            "trim_percentage",
        ],
        "0 only: fathom has no such thing",
        read::only_off,
    ),
    read(
        &["verify"],
        "a checksum of fio's, meta or pattern_hdr: every byte is compared by fathom's own headers, as `--verify full` does; null and 0: \
         nothing; pattern: only written, with do_verify=0",
        verify::verify,
    ),
    read(
        &["verify_pattern"],
        "no effect with a checksum; with verify=pattern and do_verify=0 the bytes that are written",
        verify::verify_pattern,
    ),
    read(
        &["do_verify"],
        "1 by default: the range is read and compared when the job is done; 0: only its own reads are compared",
        verify::do_verify,
    ),
    read(
        &["verify_only"],
        "the blocks are read and compared, and nothing is written",
        verify::verify_only,
    ),
    read(
        &["verify_fatal"],
        "the first corrupt block ends the run",
        verify::verify_fatal,
    ),
    read(
        &["verify_backlog"],
        "each write is read back after so many further I/Os of its job, at most 1048576, and all blocks when the job is done",
        verify::verify_backlog,
    ),
    read(
        &["verify_offset"],
        "0 only with verify: a header is at the start of each block",
        verify::verify_offset,
    ),
    read(
        &["verify_state_load"],
        "0 only with verify: each block has its own place and version",
        verify::verify_state_load,
    ),
    read(
        &["read_iolog"],
        "a trace in any format of `fathom trace`, fio's logs and blktrace's files among them; its target is `filename` or `replay_redirect`, \
         and names in it open nothing",
        replay::read_iolog,
    ),
    read(
        &["merge_blktrace_file"],
        "the files of read_iolog (`a:b`), of any format, are replayed as one trace, merged by time while they are read; the file is not \
         written: `fathom trace a b --convert iotrace --out FILE` does that",
        replay::merge_file,
    ),
    read(
        &["merge_blktrace_scalars"],
        "with merge_blktrace_file: the times of each file in percent, 1 to 1000000",
        replay::merge_scalars,
    ),
    read(
        &["merge_blktrace_iters"],
        "with merge_blktrace_file: how often each file is read",
        replay::merge_iterations,
    ),
    read(
        &["replay_redirect"],
        "the target of read_iolog",
        replay::redirect,
    ),
    read(
        &["replay_time_scale"],
        "percent of the trace's rate, 1 to 10000",
        replay::time_scale,
    ),
    read(
        &["replay_no_stall"],
        "1: I/Os start in the order of the trace, as soon as fewer than iodepth are in flight",
        replay::no_stall,
    ),
    read(
        &["replay_scale"],
        "offsets are divided by it",
        replay::scale,
    ),
    read(
        &["replay_align"],
        "a power of two: offsets are rounded down to multiples of it; then offsets and lengths outwards to what the target accepts",
        replay::align,
    ),
    read(
        &["replay_skip"],
        "read, write, trim and sync: these I/Os are omitted",
        replay::skip,
    ),
    read(
        &["offset_increment"],
        "each further thread of a job begins its range so much later",
        read::offset_increment,
    ),
    read(
        &["number_ios"],
        "how many I/Os each thread does at most",
        read::number_ios,
    ),
    read(
        &["fadvise_hint"],
        "hint on the order of buffered I/O: 0, 1 (by the pattern, the default), sequential or random",
        read::fadvise_hint,
    ),
    read(
        &["startdelay"],
        "pause before the start of the job",
        read::startdelay,
    ),
    read(
        &["create_only"],
        "the files of the job are created, and it is not run",
        read_files::create_only,
    ),
    read(
        &["exitall"],
        "the run of the jobs side by side ends when the first thread is done",
        read::exitall,
    ),
    read(
        &["latency_target"],
        "0 only: `fathom survey --p99` finds the depth at which a latency is reached",
        read::only_zero,
    ),
    read(
        &["flow"],
        "0 only: no job waits for the I/Os of another one; rwmixread and rate set shares",
        read::only_zero,
    ),
    read(
        &[
            "thinktime_iotime",
            "cmdprio_percentage",
            "nowait",
            "readfua",
            "writefua",
            "offset_align",
        ],
        "0 only: fathom has no such thing",
        read::only_zero,
    ),
    read(
        &["lockfile", "write_hint", "ignore_error"],
        "none only: fathom has no such thing",
        read::only_off,
    ),
    read(
        &["percentile_list"],
        "percentiles of the results, up to 20",
        read_results::percentile_list,
    ),
    read(
        &["clat_percentiles"],
        "percentiles of `clat`; 1 by default",
        read_results::clat_percentiles,
    ),
    read(
        &["lat_percentiles"],
        "percentiles of `lat`; 0 by default",
        read_results::lat_percentiles,
    ),
    read(
        &["disable_clat"],
        "the results have no `clat` and no classes of latencies; the run is stored with them",
        read_results::disable_clat,
    ),
    read(
        &["disable_lat"],
        "the results have no `lat`; the run is stored with it",
        read_results::disable_lat,
    ),
    read(
        &["gtod_reduce"],
        "disable_clat and disable_lat together; the latencies are measured all the same",
        read_results::gtod_reduce,
    ),
    read(
        &["slat_percentiles"],
        "0 only: the time of the submission alone is not measured; lat_percentiles=1 is the nearest",
        read::only_off,
    ),
    read(
        &["unified_rw_reporting"],
        "none, mixed or both: reads and writes have figures of their own, together, or both",
        read_results::unified,
    ),
    read(
        &["description"],
        "a remark, which the JSON, the normal text and terse repeat",
        read_results::description,
    ),
    read(
        &["disk_util"],
        "with 0 for all jobs the results have no devices; the run is stored with them",
        read_results::disk_util,
    ),
    read(
        &["write_bw_log"],
        "a file of bandwidths per step: NAME_bw.THREAD.log; steps of 100 ms at most without log_avg_msec",
        read_results::write_bw_log,
    ),
    read(
        &["write_iops_log"],
        "a file of IOPS per step: NAME_iops.THREAD.log; steps of 100 ms at most without log_avg_msec",
        read_results::write_iops_log,
    ),
    read(
        &["write_lat_log"],
        "files of latencies per step: NAME_lat.THREAD.log and NAME_clat.THREAD.log; steps of 100 ms at most without log_avg_msec",
        read_results::write_lat_log,
    ),
    read(
        &["write_iolog"],
        "a new file: fio's iolog of version 3 with a line per I/O and fsync, which `read_iolog` and `fathom trace` read; jobs that \
         run together may share one, in the order of time",
        read_results::write_iolog,
    ),
    read(
        &["log_window_value", "log_max_value"],
        "avg, max or both of each step; a step has one rate",
        read_results::log_window_value,
    ),
    read(
        &["log_offset"],
        "a column for the offset, which is 0 in a line per step, as in fio",
        read_results::log_offset,
    ),
    read(
        &["log_prio"],
        "the priority as a hexadecimal number: 0x0000, because one job has I/Os of one priority only",
        read_results::log_prio,
    ),
    read(
        &["log_unix_epoch", "log_alternate_epoch"],
        "times of the logs count from 1970 and not from the start of the measured time",
        read_results::log_unix_epoch,
    ),
    read(
        &["per_job_logs"],
        "0: one file of each kind for all threads, in their order",
        read_results::per_job_logs,
    ),
    read(
        &["log_alternate_epoch_clock_id"],
        "0 only: times from 1970",
        read::only_zero,
    ),
    read(
        &["log_issue_time", "log_store_compressed"],
        "0 only: a line per step has no time of its own, and logs are text",
        read::only_off,
    ),
    read(
        &["write_hist_log"],
        "a file of the latencies of the whole run in fio's classes, one line per direction: NAME_clat_hist.THREAD.log",
        read_results::write_hist_log,
    ),
    read(
        &["log_hist_coarseness"],
        "0 to 6: each step has half as many classes in that file",
        read_results::log_hist_coarseness,
    ),
];
