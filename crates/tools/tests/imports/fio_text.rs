//! fio's own text: what 3.33 prints, what 2 printed, several jobs, and text next to its JSON.

use super::desk::{one, runs};
use model::{Bytes, ImportFormat, Nanos, Ratio};

/// Composed in the layout of 3.33.
const MIX: &str = "\
mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
...
fio-3.33
Starting 2 processes

mix: (groupid=0, jobs=2): err= 0: pid=77: Mon Nov 23 06:14:48 2026
  read: IOPS=40.2k, BW=157MiB/s (165MB/s)(314MiB/2001msec)
    slat (usec): min=3, max=4167, avg= 6.49, stdev=37.20
    clat (usec): min=16, max=9428, avg=662.74, stdev=494.02
     lat (usec): min=21, max=9432, avg=669.24, stdev=495.06
    clat percentiles (usec):
     |  1.00th=[  123],  5.00th=[  277], 50.00th=[  611],
     | 99.00th=[ 3621], 99.90th=[ 4817]
   bw (  KiB/s): min=139824, max=175784, per=98.63%, avg=158541.33, stdev=8285.36, samples=6
   iops        : min=34956, max=43946, avg=39635.33, stdev=2071.34, samples=6
  write: IOPS=40.1k, BW=157MiB/s (164MB/s)(314MiB/2001msec); 0 zone resets
    slat (usec): min=3, max=5769, avg= 6.88, stdev=38.32
    clat (nsec): min=851, max=9547.7k, avg=914635.79, stdev=727549.64
     lat (usec): min=17, max=9575, avg=921.52, stdev=728.39
    clat percentiles (msec):
     |  1.00th=[    1], 99.99th=[   10]
  lat (usec)   : 750=46.65%, 1000=26.62%
  cpu          : usr=3.58%, sys=30.82%, ctx=16681, majf=0, minf=25
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=100.0%, >=64=0.0%
     issued rwts: total=80408,80348,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=32

Run status group 0 (all jobs):
   READ: bw=157MiB/s (165MB/s), io=314MiB (329MB), run=2001-2001msec

Disk stats (read/write):
  vda: ios=75332/75450, merge=1/2, ticks=37071/36485, in_queue=73556, util=79.68%
";

#[test]
fn figures_options_and_devices_are_read_as_printed() {
    let run = one(MIX);
    assert_eq!(run.format, ImportFormat::FioText);
    assert_eq!(run.tool_version.as_deref(), Some("fio-3.33"));
    assert_eq!(run.name.as_deref(), Some("mix"));
    let (read, write) = (&run.figures.read, &run.figures.write);
    assert_eq!((read.ios, write.ios), (Some(80_408), Some(80_348)));
    assert_eq!(
        (read.ios_per_s, write.ios_per_s),
        (Some(40_200.0), Some(40_100.0))
    );
    assert_eq!(read.bytes, Some(Bytes::mib(314)));
    assert_eq!(read.ios_per_s_sd, Some(2071.34));
    assert_eq!(read.latency.mean, Some(Nanos(662_740)));
    assert_eq!(
        read.latency.percentiles[1..3],
        [(0.05, Nanos(277_000)), (0.5, Nanos(611_000))]
    );
    assert_eq!(
        (write.latency.min, write.latency.max),
        (Some(Nanos(851)), Some(Nanos(9_547_700)))
    );
    assert_eq!(write.latency.percentiles[1], (0.9999, Nanos::millis(10)));
    let work = &run.workload;
    assert_eq!(
        (work.block, work.queue_depth, work.threads),
        (Some(Bytes::kib(4)), Some(32), Some(2))
    );
    assert_eq!(
        (work.random_percent, work.write_percent),
        (Some(Ratio::ALL), Ratio::percent(50))
    );
    assert_eq!(
        (work.cache, work.write_through, work.size),
        (None, None, None),
        "not printed"
    );
    assert_eq!(run.measured, Some(Nanos::millis(2001)));
    assert_eq!(run.cpu.unwrap().kernel_percent, Some(30.82));
    assert_eq!(run.evidence.read.windows, Some(6));
    assert_eq!(run.evidence.read.submission_mean, Some(Nanos(6490)));
    assert_eq!(
        (
            run.evidence.disks[0].ios,
            run.evidence.disks[0].util_percent
        ),
        (150_785, Some(79.68))
    );
    assert_eq!(run.text, MIX);
}

/// The layout of 2.
const OLD: &str = "\
a: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=psync, iodepth=64
fio-2.2.10
a: (groupid=0, jobs=1): err= 0: pid=5: Tue Mar  1 10:00:00 2016
  read : io=1024.0MB, bw=97.5MB/s, iops=24960, runt= 10500msec
    clat (usec): min=21, max=5000, avg=39.30, stdev=12.00
    clat percentiles (usec):
     |  1.00th=[   30], 99.00th=[   90]
  cpu          : usr=5.00%, sys=20.00%, ctx=262150, majf=0, minf=8
     issued    : total=r=262144/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0
";

#[test]
fn the_layout_of_version_2_is_read_and_a_second_call_is_another_run() {
    let all = runs(&format!("{OLD}{MIX}"));
    assert_eq!(all.len(), 2);
    let run = &all[0];
    assert_eq!(run.figures.total.ios, Some(262_144));
    assert_eq!(run.figures.total.ios_per_s, Some(24_960.0));
    assert_eq!(run.figures.read.bytes, Some(Bytes::gib(1)));
    assert_eq!(run.measured, Some(Nanos::millis(10_500)));
    assert_eq!(run.workload.queue_depth, Some(1), "psync has one");
    assert_eq!(run.evidence.ignored_queue_depth, Some(64));
}

#[test]
fn text_around_the_same_runs_json_is_not_a_second_run() {
    let (echo, results) = MIX.split_at(MIX.find("mix: (groupid").unwrap());
    let json = r#"{
  "fio version" : "fio-3.33",
  "jobs" : [ { "jobname" : "mix", "read" : { "total_ios" : 7 } } ]
}
"#;
    let all = runs(&format!("{echo}{json}{results}"));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].figures.read.ios, Some(7));
}

#[test]
fn what_breaks_off_keeps_what_it_has() {
    for (end, _) in MIX.match_indices('\n').skip(6) {
        let run = one(&MIX[..=end]);
        assert_eq!(run.figures.read.ios_per_s, Some(40_200.0), "{end}");
    }
}

#[test]
fn figures_without_the_line_that_names_the_job_are_read() {
    let text = "$ fio --name=x --rw=randread --bs=4k --direct=1 --iodepth=32\n\
                \x20 read: IOPS=2500, BW=9.77MiB/s (10.2MB/s)(586MiB/60001msec)\n\
                \x20   clat (usec): min=95, max=21043, avg=12791.34, stdev=210.20\n\
                \x20 read: IOPS=1200, BW=4.69MiB/s (4.92MB/s)(281MiB/60001msec)\n\
                \x20 write: IOPS=400, BW=1.56MiB/s (1.64MB/s)(93.8MiB/60001msec)\n";
    let all = runs(text);
    let rates: Vec<_> = all
        .iter()
        .map(|run| (run.figures.read.ios_per_s, run.figures.write.ios_per_s))
        .collect();
    assert_eq!(rates[0].0, Some(2500.0));
    assert_eq!(rates[1], (Some(1200.0), Some(400.0)));
    assert_eq!(rates.len(), 2);
    assert_eq!(all[0].figures.total.latency.mean, Some(Nanos(12_791_340)));
    let head = "x: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32\n";
    let run = one(&format!("{head}…\n{}", text.lines().nth(1).unwrap()));
    assert_eq!(run.workload.queue_depth, Some(32));
}
