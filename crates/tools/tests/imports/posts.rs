//! Kinds of posts: without the first lines, broken at the edge, encoded, tables instead of lines, results in comments.

use super::desk::{READ, WRITTEN, bytes, mib, one, reading, runs, trouble, us};
use model::{CacheMode, ImportFormat, Nanos, Ratio};

/// The end of a job of fio, behind its rates.
const TAIL: &str = "\
    clat percentiles (usec):
     |  1.00th=[ 6000], 50.00th=[16000], 95.00th=[18000],
     | 99.00th=[19000]
   bw (  KiB/s): min= 7600, max= 8400, per=100.00%, avg=8000.00, stdev=160.40, samples=120
   iops        : min= 1900, max= 2100, avg=2000.00, stdev=40.10, samples=120
  lat (msec)   : 10=1.50%, 20=98.50%
  cpu          : usr=1.00%, sys=3.00%, ctx=120001, majf=0, minf=12
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=99.9%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=0,120000,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=32

Run status group 0 (all jobs):
  WRITE: bw=8000KiB/s (8192kB/s), 8000KiB/s-8000KiB/s (8192kB/s-8192kB/s), io=469MiB (492MB), run=60001-60001msec

Disk stats (read/write):
  sdb: ios=0/119900, merge=0/0, ticks=0/1900000, in_queue=5, util=99.00%
";

#[test]
fn a_job_of_fio_without_its_first_lines_has_its_percentiles_and_devices() {
    let run = one(TAIL);
    let write = &run.figures.write;
    assert_eq!(write.ios, Some(120_000));
    assert_eq!(write.ios_per_s.map(f64::round), Some(2000.0));
    assert_eq!(write.latency.percentiles[1], (0.5, Nanos::millis(16)));
    assert_eq!(run.workload.queue_depth, Some(32));
    assert_eq!(run.cpu.unwrap().kernel_percent, Some(3.0));
    let [disk] = &run.evidence.disks[..] else {
        panic!("one device");
    };
    assert_eq!(
        disk.queue_time,
        Some(Nanos::seconds(1900)),
        "the times of its requests"
    );
    assert_eq!(run.workload.threads, Some(1), "a window each half second");
    let many = one(&TAIL.replace("samples=120", "samples=3600"));
    assert_eq!(many.workload.threads, Some(30));
}

#[test]
fn the_histogram_shows_the_unit_of_percentiles_without_their_head() {
    let from = TAIL.find("     |  1.00th").unwrap();
    let run = one(&TAIL[from..]);
    let point = run.figures.write.latency.percentiles[1];
    assert_eq!(point, (0.5, Nanos::millis(16)));
    let other = TAIL[from..].replace("10=1.50%, 20=98.50%", "100=1.50%, 250=98.50%");
    let latency = one(&other).figures.write.latency;
    assert_eq!(latency.percentiles, [], "no unit fits");
}

#[test]
fn the_summary_of_a_group_is_not_the_rate_of_one_of_its_jobs() {
    // Four equal jobs: the text has the end of the last one.
    let four = TAIL
        .replace("bw=8000KiB/s (8192kB/s), 8", "bw=31.3MiB/s (32.8MB/s), 8")
        .replace("io=469MiB (492MB)", "io=1875MiB (1966MB)")
        .replace("per=100.00%", "per=25.00%");
    let run = one(&four);
    assert_eq!(run.figures.write.ios, None);
    assert_eq!(run.figures.write.bytes_per_s, mib(31.3).map(f64::round));
}

#[test]
fn a_tail_without_a_rate_is_reported_and_the_next_job_read() {
    let from = TAIL.find("  cpu").unwrap();
    let to = TAIL.find("\nRun status").unwrap();
    let next = "b: (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=50, BW=200KiB/s (205kB/s)(12MiB/60001msec)\n";
    let reading = reading(&format!("{}{next}", &TAIL[from..to]));
    assert_eq!(reading.broken.len(), 1);
    assert_eq!(reading.runs.len(), 1);
    assert_eq!(reading.runs[0].figures.read.ios_per_s, Some(50.0));
}

#[test]
fn a_mail_that_encodes_and_breaks_lines_changes_no_figure() {
    let figures = |text: &str| one(text).figures;
    let encoded = TAIL.replace('=', "=3D").replace(", max", ",=\n max");
    assert_eq!(figures(&encoded), figures(TAIL));
    let broken = TAIL
        .replace(", stdev", ", \nstdev")
        .replace(", 32=99", ", \n32=99")
        .replace("KiB/s (8192kB/s-", "KiB/s \n(8192kB/s-");
    assert_eq!(figures(&broken), figures(TAIL));
    let quoted: String = broken
        .lines()
        .map(|line| format!("> {line}\n>\n"))
        .collect();
    assert_eq!(figures(&quoted), figures(TAIL));
}

#[test]
fn what_ended_a_job_of_fio_is_evidence() {
    let of = |error: &str| {
        let text = format!(
            "a: (groupid=0, jobs=1): err={error}: pid=7: x\n  read: IOPS=55, BW=868KiB/s (889kB/s)(10.7MiB/12571msec)\n"
        );
        one(&text).evidence.ended_by
    };
    let remote = "121 (file:io_u.c:1896, func=io_u error, error=Remote I/O error)";
    assert_eq!(of(remote).as_deref(), Some("Remote I/O error"));
    assert_eq!(of("28").as_deref(), Some("error 28"));
    assert_eq!(of(" 0"), None);
}

#[test]
fn a_list_of_devices_that_breaks_off_is_marked() {
    let of = |files: u32, devices: u32| {
        let mut text = format!(
            "a: (g=0): rw=randread, bs=4096B-4096B,4096B-4096B,4096B-4096B, ioengine=sync, iodepth=1\nfio-3.1\nJobs: 4 (f={files}): [r(4)]\na: (groupid=0, jobs=4): err= 0: pid=1: x\n   read: IOPS=8000, BW=31.3MiB/s (32.8MB/s)(939MiB/30001msec)\n\nDisk stats (read/write):\n"
        );
        for device in 0..devices {
            text += &format!(
                "  nvme{device}n1: ios=3000{device}/0, merge=0/0, ticks=1/0, in_queue=1, util=9.00%\n"
            );
        }
        one(&text).evidence.disks_cut
    };
    assert!(of(64, 5), "each job has 16 files");
    assert!(!of(20, 5));
    assert!(!of(64, 1), "many files on one device");
}

#[test]
fn a_result_of_dd_is_read_behind_its_command_and_within_a_script_s_line() {
    let run = one(
        "dd if=/dev/zero of=/mnt/x/t bs=1M count=1024 oflag=dsync # gives 1073741824 bytes (1.1 GB) copied, 156.8 s, 6.8 MB/s\n",
    );
    assert_eq!(run.workload.write_through, Some(true));
    assert_eq!(run.figures.write.ios, Some(1024));
    let lines = "\
write, 1073741824 bytes (1.1 GB) copied, 243.751 s, 4.4 MB/s, bs=1m
read, 1073741824 bytes (1.1 GB) copied, 61.2597 s, 17.5 MB/s, bs=1m
";
    let both = runs(lines);
    assert_eq!(both[0].workload.write_percent, WRITTEN);
    assert_eq!(both[1].workload.write_percent, READ);
    assert_eq!(both[1].figures.read.bytes_per_s, Some(17.5e6));
}

#[test]
fn times_of_the_shell_show_the_processor_of_a_copy() {
    let call = "$ time dd if=/dev/sda of=/dev/null bs=256k count=4000\n4000+0 records in\n4000+0 records out\n1048576000 bytes (1.0 GB) copied, 55.3 s, 19.0 MB/s\n";
    let cpu = one(&format!(
        "{call}\nreal    0m55.361s\nuser    0m0.368s\nsys     0m49.107s\n"
    ))
    .cpu;
    assert_eq!(cpu.unwrap().kernel_percent.map(f64::round), Some(89.0));
    let posix = one(&format!("{call}real 55.36\nuser 0.37\nsys 49.11\n")).cpu;
    assert_eq!(posix.unwrap().kernel_percent.map(f64::round), Some(89.0));
    assert_eq!(one(call).cpu, None);
}

#[test]
fn the_table_of_bonnie_is_read_where_its_line_of_commas_is_missing() {
    let head = "\
Version  1.03       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
";
    let rates = |text: &str| -> Vec<Option<f64>> {
        let rate = |run: &model::ImportedRun| {
            let total = &run.figures.total;
            total
                .bytes_per_s
                .map(|rate| rate / 1024.0)
                .or(total.ios_per_s)
        };
        runs(text).iter().map(rate).collect()
    };
    let row = "host             4G 19202  60 24433  20 19861  13 43262  97 140359  51 515.3   2\n";
    let all = [19202.0, 24433.0, 19861.0, 43262.0, 140_359.0, 515.3].map(Some);
    assert_eq!(rates(&format!("{head}{row}")), all);
    assert_eq!(
        runs(&format!("{head}{row}"))[0].host.as_deref(),
        Some("host")
    );
    let broken = row.replace(" 515.3   2", "\n515.3   2");
    assert_eq!(rates(&format!("{head}{broken}")), all, "broken by a mail");
    let fast = "host             4G           24433  20 19861  13           140359  51 515.3   2\n";
    assert_eq!(
        rates(&format!("{head}{fast}")),
        [24433.0, 19861.0, 140_359.0, 515.3].map(Some)
    );
    let newer = head.replace("K/sec", " /sec").replace("1.03 ", "2.00a");
    let row = "host         7501M  376k  99  1.5g  96  117m  14 1510k  99  2.5g  95 +++++ +++\n";
    let newer = rates(&format!("{newer}{row}"));
    assert_eq!(newer[1], Some(1.5 * 1024.0 * 1024.0));
    assert_eq!(newer[5], None, "not timed");
    let commas = "host,4G,19202,60,24433,20,19861,13,43262,97,140359,51,515.3,2,16,24500,96,+++++,+++,19650,97,23221,94,+++++,+++,18930,99\n";
    let both = format!("{head}host 4G 1  60 2  20 3  13 4  97 5  51 6   2\n{commas}");
    assert_eq!(rates(&both)[0], Some(19202.0), "the line repeats the table");
}

#[test]
fn lines_of_iozone_s_throughput_need_no_head() {
    let lines = "\
        Children see throughput for  6 initial writers  =  108042.81 KB/sec
        Parent sees throughput for  6 initial writers   =   31770.90 KB/sec
";
    let run = one(lines);
    assert_eq!(run.workload.threads, Some(6));
    assert_eq!(run.workload.cache, None, "its options are unknown");
    let known = one(&format!("$ iozone -e -t6 -i0 -r1k -s1g /tmp\n{lines}"));
    assert_eq!(known.workload.cache, Some(CacheMode::Cached));
    assert_eq!(known.workload.size.map(|size| size.0), Some(1 << 30));
}

const BDEVPERF: &str = "\
Device Information                     : runtime(s)       IOPS      MiB/s     Fail/s     TO/s    Average        min        max
Job: Nvme0n1 (Core Mask 0x1, workload: randread, depth: 128, IO size: 4096)
    Nvme0n1             :      10.00  103938.83     406.01       0.00     0.00    1229.50     300.00    9000.00
    ==================================================================================================================
    Total               :             103938.83     406.01       0.00     0.00    1229.50     300.00    9000.00
";

#[test]
fn bdevperf_prints_its_load_and_the_older_one_a_device_per_line() {
    let run = one(BDEVPERF);
    assert_eq!(run.workload.queue_depth, Some(128));
    assert_eq!(run.workload.random_percent, Some(Ratio::ALL));
    assert_eq!(
        run.figures.read.latency.mean,
        us(1229).map(|_| Nanos(1_229_500))
    );
    assert_eq!(run.figures.total.errors, None);
    let old = runs(
        "Logical core: 0\nNVMe0n1   :  103938.83 IO/s     406.01 MB/s\nMalloc0  : 4819903.04 IO/s   18827.75 MB/s\n",
    );
    assert_eq!(old.len(), 2);
    assert_eq!(old[1].workload.targets, ["Malloc0"]);
    assert_eq!(old[0].figures.total.ios_per_s, Some(103_938.83));
}

#[test]
fn f3_has_its_rates_and_what_was_lost() {
    let both = runs(
        "F3 write 8.0\nFree space: 29.71 GB\nAverage writing speed: 4.90 MB/s\nF3 read 8.0\n  Data OK: 29.50 GB (61865984 sectors)\nData LOST: 96.50 KB (193 sectors)\nAverage reading speed: 9.42 MB/s\n",
    );
    assert_eq!(both[0].figures.write.bytes_per_s, mib(4.90));
    assert_eq!(both[1].figures.read.bytes_per_s, mib(9.42));
    assert_eq!(both[1].evidence.lost_sectors, Some(193));
    let good = one(
        "Data OK: 1.00 GB (2097152 sectors)\nData LOST: 0.00 Byte (0 sectors)\nAverage Reading speed: 9.42 MB/s\n",
    );
    assert_eq!(good.evidence.lost_sectors, None);
    assert_eq!(good.figures.total.bytes, bytes(1 << 30));
    assert_eq!(trouble("F3 write 8.0\nFree space: 1.00 GB\n").0, 1);
}

#[test]
fn warp_has_objects_per_second_in_both_layouts() {
    let old = one(
        "Operation: PUT. Concurrency: 20\n* Average: 0.12 MiB/s, 122.12 obj/s\n\nThroughput, split into 13 x 1s:\n * Fastest: 127.5KiB/s, 130.61 obj/s\n",
    );
    assert_eq!(old.workload.threads, Some(20));
    assert_eq!(old.figures.write.ios_per_s, Some(122.12));
    let new = one(
        "Report: GET (17750 reqs). Ran Duration: 1m58s, starting 20:36:20 IST\n * Objects per request: 1. Size: 5974694 bytes. Concurrency: 200.\n * Average: 836.27 MiB/s, 146.59 obj/s (118s)\n",
    );
    assert_eq!(new.measured, Some(Nanos::seconds(118)));
    assert_eq!(new.figures.read.bytes_per_s, mib(836.27));
    assert_eq!(new.workload.block.map(|size| size.0), Some(5_974_694));
    let prose = reading("sqlio v1\nReport: GET back to us\nthreads reading for\n");
    assert_eq!(prose.runs, []);
}

#[test]
fn kubestr_has_a_run_per_job_with_its_load() {
    let text = "\
FIO test results:

FIO version - fio-3.20
Global options - ioengine=libaio verify=0 direct=1 gtod_reduce=1

JobName: read_iops
  blocksize=4K filesize=2G iodepth=64 rw=randread
read:
  IOPS=1068.180298 BW(KiB/s)=4289
  iops: min=758 max=1422 avg=1074.133301
  bw(KiB/s): min=3033 max=5688 avg=4297.033203

JobName: write_bw
  blocksize=128k filesize=2G iodepth=64 rw=randwrite
write:
  IOPS=445.627716 BW(KiB/s)=57573

Disk stats (read/write):
  sda: ios=38257/18409 merge=336/382 ticks=2136400/2041390 in_queue=4064392, util=99.882767%
  -  OK
";
    let both = runs(text);
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].format, ImportFormat::KubestrText);
    assert_eq!(both[0].workload.queue_depth, Some(64));
    assert_eq!(both[0].workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(both[1].figures.write.bytes_per_s, Some(57_573.0 * 1024.0));
    assert_eq!(both[1].workload.block.map(|size| size.0), Some(128 << 10));
}

#[test]
fn iostat_and_sar_have_a_run_per_busy_device() {
    let text = "\
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s w_await  aqu-sz  %util
sda              0.00      0.00     0.00   0.00    0.00     0.00    0.00      0.00    0.00    0.00   0.00
nvme1n1       13526.00 216416.00     0.00   0.00    0.10    16.00    0.00      0.00    0.00    1.40 100.00

";
    let run = one(text);
    assert_eq!(run.workload.targets, ["nvme1n1"]);
    assert_eq!(run.figures.read.latency.mean, us(100));
    assert_eq!(run.figures.total.bytes_per_s, Some(216_416.0 * 1024.0));
    assert_eq!(
        one(&text.replace('.', ",")).figures,
        run.figures,
        "decimal commas"
    );
    let old = one(
        "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\nsdb               0.00     0.00 2147.50    6.50  1073.75     0.20  1021.10   130.61   60.62   60.81    0.00   0.46 100.00\n",
    );
    assert_eq!(old.figures.read.latency.mean, us(60_810));
    let sar = one(
        "12:00:01 AM       DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util\n12:10:01 AM       sdb    150.00   1200.00      0.00      8.00      1.20      8.00     99.00\n",
    );
    assert_eq!(sar.figures.total.ios_per_s, Some(150.0));
    assert_eq!(sar.figures.total.latency.mean, us(8000));
}

#[test]
fn percentiles_of_diskspd_alone_are_reported() {
    let (line, what) = trouble(
        "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n----------------------------------------------\n    min |        N/A |      4.720 |      4.720\n   50th |        N/A |     26.806 |     26.806\n    max |        N/A |   2653.430 |   2653.430\n",
    );
    assert_eq!(line, 1);
    assert!(what.contains("percentiles"), "{what}");
}

const IOR: &str = "\
tasks               : 8
xfersize            : 262144 bytes
aggregate filesize  : 8 MiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     912.40     4282       0.001868    1024.00    256.00     0.001203   0.007473   0.000973   0.008768   0
read      495.76     2259.33    0.000031    1024.00    256.00     0.015838   0.014163   0.014007   0.016137   0
";

#[test]
fn the_table_of_ior_needs_no_first_line() {
    let both = runs(IOR);
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].workload.threads, Some(8));
    assert_eq!(both[0].workload.size.map(|size| size.0), Some(8 << 20));
    assert_eq!(both[1].figures.read.ios_per_s, Some(2259.33));
    assert_eq!(both[1].workload.cache, None, "its options are unknown");
}

#[test]
fn elbencho_is_read_in_a_log_and_pg_test_fsync_without_its_times() {
    let log = "09:32:25 - DEBUG - x - ssh [h] stdout: OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n=========== ================    ==========   =========\nREAD        Elapsed time     :      1.536s      2.374s\n            Throughput MiB/s :        1880        1684\n            Total MiB        :        2889        4000\n---\n";
    assert_eq!(one(log).figures.read.bytes_per_s, mib(1684.0));
    let rates = runs(
        "5 seconds per test\nCompare file sync methods using one 8kB write:\nopen_datasync      5000.000 ops/sec\nfdatasync          6000.000 ops/sec\n",
    );
    assert_eq!(rates.len(), 2);
    assert_eq!(rates[0].figures.write.latency.mean, us(200));
}
