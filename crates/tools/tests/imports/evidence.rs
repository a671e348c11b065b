//! The matrix of evidence: which kinds of evidence findings can use of each format. Each cell is what a document of the tests of the format gives.

use super::desk::{DEFAULT, FIO_JOBS, TWO_TARGETS_XML, seed};
use expect_test::expect_file;
use model::{ImportFormat, ImportedOperation, ImportedRun};
use std::fmt::Write;

/// A kind of evidence: its heading, and whether a run has it.
type Column = (&'static str, fn(&ImportedRun) -> bool);

const COLUMNS: [Column; 16] = [
    ("command line", |run| run.command.is_some()),
    ("engine", |run| run.workload.engine.is_some()),
    ("direct or buffered", |run| run.workload.cache.is_some()),
    ("depth", |run| run.workload.queue_depth.is_some()),
    ("jobs", |run| run.workload.threads.is_some()),
    ("range", |run| run.workload.size.is_some()),
    ("bytes", |run| run.figures.total.bytes.is_some()),
    ("latency by direction", |run| {
        sides(run).any(|side| side.latency.mean.is_some())
    }),
    ("percentiles", |run| {
        let all = sides(run).chain([&run.figures.total]);
        all.into_iter()
            .any(|side| !side.latency.percentiles.is_empty())
    }),
    ("windows", |run| {
        sides(run)
            .chain([&run.figures.total])
            .any(|side| side.ios_per_s_sd.is_some())
    }),
    ("device counters", |run| !run.evidence.disks.is_empty()),
    ("CPU", |run| run.cpu.is_some()),
    ("context switches", |run| {
        run.evidence.context_switches.is_some()
    }),
    ("syncs", |run| {
        run.evidence.sync.is_some() || run.evidence.flush.is_some()
    }),
    ("content", |run| run.evidence.content.is_some()),
    ("warnings", |run| !run.evidence.warnings.is_empty()),
];

fn sides(run: &ImportedRun) -> impl Iterator<Item = &ImportedOperation> {
    [&run.figures.read, &run.figures.write].into_iter()
}

const FIO_TEXT: &str = "\
fio: warning: this platform does not support it
$ fio --name=a --filename=/dev/sdb --size=1G --rw=randwrite --bs=4k --ioengine=libaio --iodepth=32 --direct=1 --zero_buffers --fsync=1
a: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
fio-3.28
a: (groupid=0, jobs=1): err= 0: pid=1: Tue May  3 10:11:12 2022
  write: IOPS=2000, BW=8000KiB/s (8192kB/s)(469MiB/60001msec)
    slat (usec): min=2, max=90, avg= 5.10, stdev= 2.21
    clat (usec): min=90, max=90000, avg=15990.10, stdev=900.20
    clat percentiles (usec):
     |  1.00th=[12000], 50.00th=[16000]
   iops        : min= 1900, max= 2100, avg=2000.00, stdev=40.10, samples=120
  fsync/fdatasync/sync_file_range:
    sync (usec): min=1, max=900, avg=90.10, stdev= 9.01
  cpu          : usr=1.00%, sys=3.00%, ctx=120001, majf=0, minf=12
     issued rwts: total=0,120000,0,120000 short=0,0,0,0 dropped=0,0,0,0
Disk stats (read/write):
  sdb: ios=0/119900, merge=0/0, ticks=1/0, in_queue=1, util=99.00%
";

const DISKSPD: &str = "\
Command Line: diskspd.exe -b4K -d60 -o8 -t2 -r -w100 -Sh -L -D -Z t.dat

Input parameters:

	timespan:   1
	-------------
	duration: 60s
	measuring latency
	gathering IOPS at intervals of 1000ms
	path: 't.dat'
		think time: 0ms
		software cache disabled
		hardware write cache disabled, writethrough on
		zeroing write buffers
		performing write test
		block size: 4096
		using random I/O (alignment: 4096)
		number of outstanding I/O operations: 8
		threads per file: 2

Results for timespan 1:
*******************************************************************************

actual test time:	60.00s
thread count:		2
proc count:		4

CPU |  Usage |  User  |  Kernel |  Idle
-------------------------------------------
   0|  10.00%|   2.00%|    8.00%|  90.00%
-------------------------------------------
avg.|  10.00%|   2.00%|    8.00%|  90.00%

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |       245760000 |        60000 |       3.91 |    1000.00 |   16.000 |      10.00 |     1.000 | t.dat (1024MiB)
------------------------------------------------------------------------------------------------------------------
total:         245760000 |        60000 |       3.91 |    1000.00 |   16.000 |      10.00 |     1.000

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |               0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A | t.dat (1024MiB)
------------------------------------------------------------------------------------------------------------------
total:                 0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |       245760000 |        60000 |       3.91 |    1000.00 |   16.000 |      10.00 |     1.000 | t.dat (1024MiB)
------------------------------------------------------------------------------------------------------------------
total:         245760000 |        60000 |       3.91 |    1000.00 |   16.000 |      10.00 |     1.000

total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |        N/A |      9.000 |      9.000
   50th |        N/A |     16.000 |     16.000
    max |        N/A |     40.000 |     40.000
";

const DD: &str = "\
$ dd if=/dev/zero of=/mnt/a bs=1M count=1000 oflag=direct conv=fsync
1000+0 records in
1000+0 records out
1048576000 bytes (1.0 GB, 1000 MiB) copied, 10.1 s, 104 MB/s
";

const IOPING: &str = "\
$ ioping -c 10 -D -S 64M /data
--- /data (ext4 /dev/sda1 100 GiB) ioping statistics ---
9 requests completed in 2.10 ms, 36 KiB read, 4.28 k iops, 16.7 MiB/s
min/avg/max/mdev = 180.1 us / 233.3 us / 301.0 us / 30.1 us
";

const IOZONE: &str = "\
# iozone -I -e -s 4g -r 1m -i 0 -i 1 -f /mnt/t
    kB  reclen    write  rewrite    read    reread
4194304    1024   281771   285100   501840   501930
";

const KBENCH: &str = "\
FIO Benchmark Summary
For: test_device
SIZE: 50G
IOPS (Read/Write)
        Random:          98,368 / 89,200
Latency in ns (Read/Write)
        Random:          97,222 / 44,548
";

const POSTED: [&str; 5] = [
    "Average writing speed: 4.90 MB/s\nData OK: 1.00 GB (2097152 sectors)\nData LOST: 0.00 Byte (0 sectors)\nAverage reading speed: 9.42 MB/s\n",
    "Report: GET (17750 reqs). Ran Duration: 1m58s, starting 20:36:20 IST\n * Objects per request: 1. Size: 5974694 bytes. Concurrency: 200.\n * Average: 836.27 MiB/s, 146.59 obj/s (118s)\n",
    "FIO test results:\nGlobal options - ioengine=libaio verify=0 direct=1\nJobName: a\n  blocksize=4K filesize=2G iodepth=64 rw=randread\nread:\n  IOPS=1068.18 BW(KiB/s)=4289\n",
    "Device  r/s  rkB/s r_await  w/s  wkB/s w_await %util\nsda  10.00 40.00 1.00 0.00 0.00 0.00 9.00\n",
    "Job: Nvme0n1 (Core Mask 0x1, workload: randread, depth: 128, IO size: 4096)\nNvme0n1 : 10.00 103938.83 406.01 0.00 0.00 1229.50 300.00 9000.00\n",
];

/// Documents, several of one format where it has several layouts.
const DOCUMENTS: &[&str] = &[
    FIO_TEXT,
    DISKSPD,
    DEFAULT,
    TWO_TARGETS_XML,
    FIO_JOBS,
    DD,
    IOPING,
    IOZONE,
    KBENCH,
    POSTED[0],
    POSTED[1],
    POSTED[2],
    POSTED[3],
    POSTED[4],
    include_str!("../../../../fuzz/seeds/import_sqlio/sample"),
    include_str!("../../../../fuzz/seeds/import_iometer/table"),
    include_str!("../../../../fuzz/seeds/import_script/whole"),
    include_str!("../../../../fuzz/seeds/import_bonnie/new"),
    seed!("crystaldiskmark"),
    seed!("elbencho"),
    seed!("fio_terse"),
    seed!("hdparm"),
    seed!("io500"),
    seed!("ior"),
    seed!("ior_json"),
    seed!("iozone"),
    seed!("kubernetes_dbench"),
    seed!("mdtest"),
    seed!("pg_test_fsync"),
    seed!("rados_bench"),
    seed!("spdk_perf"),
    seed!("sysbench"),
    seed!("vdbench"),
];

const HEAD: &str = "\
# Evidence of each format

What [findings](findings.md) can use of the results of each tool: `x` where a document of the tests gives it to the record of the
run. What a text does not contain is unknown, and a finding that needs it is silent. `context switches`, `device counters` and the command
line are only in texts that were pasted with them. This page is generated from the documents
(`UPDATE_EXPECT=1 cargo test -p tools --test imports evidence`).

";

#[test]
fn the_page_of_evidence_is_what_documents_give() {
    let mut page = HEAD.to_owned();
    let mut row = |cells: &[&str]| {
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    };
    let heads: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    row(&[&["format"], heads.as_slice()].concat());
    row(&vec!["---"; COLUMNS.len() + 1]);
    let read = |text: &&str| tools::imports::read("a.txt", text.as_bytes()).unwrap().runs;
    let runs: Vec<ImportedRun> = DOCUMENTS.iter().flat_map(read).collect();
    for format in ImportFormat::ALL {
        let of_format: Vec<&ImportedRun> =
            runs.iter().filter(|run| run.format == *format).collect();
        assert!(!of_format.is_empty(), "no document of {}", format.word());
        let cell = |(_, has): &Column| {
            if of_format.iter().any(|run| has(run)) {
                "x"
            } else {
                ""
            }
        };
        let cells: Vec<&str> = COLUMNS.iter().map(cell).collect();
        row(&[&[format.word()], cells.as_slice()].concat());
    }
    expect_file!["../../../../docs/import-evidence.md"].assert_eq(&page);
}
