//! Texts as people paste them: quoted, cut, behind prompts, without heads, in columns, in a log. Each has the same figures as the
//! text that the tool printed.

use super::desk::{READ, WRITTEN, mib, one, runs, trouble};
use model::imported_evidence::ImportedPace;
use model::{Bytes, CacheMode, ImportedRun, Nanos, Ratio};

const FIO: &str = "\
$ fio --name=a --filename=/dev/sdb --rw=randread --bs=4k --ioengine=libaio --iodepth=32 --direct=1
a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
fio-3.28
Starting 1 process
a: (groupid=0, jobs=1): err= 0: pid=1: Tue May  3 10:11:12 2022
  read: IOPS=2000, BW=8000KiB/s (8192kB/s)(469MiB/60001msec)
    slat (usec): min=2, max=90, avg= 5.10, stdev= 2.21
    clat (usec): min=90, max=90000, avg=15990.10, stdev=900.20
     lat (usec): min=95, max=90000, avg=15995.20, stdev=900.20
    clat percentiles (usec):
     |  1.00th=[12000],  5.00th=[13000], 50.00th=[16000], 95.00th=[18000],
     | 99.00th=[19000]
  cpu          : usr=1.00%, sys=3.00%, ctx=120001, majf=0, minf=12
     issued rwts: total=120000,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=32
Disk stats (read/write):
  sdb: ios=119900/0, merge=0/0, ticks=1/0, in_queue=1, util=99.00%
";

fn each_line(text: &str, of: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| of(line) + "\n").collect()
}

fn same(pasted: &str) {
    let mut read = one(pasted);
    let mut expected = one(FIO);
    for run in [&mut read, &mut expected] {
        run.text.clear();
        run.line = 1;
        run.notes.clear();
    }
    assert_eq!(read, expected, "{pasted}");
}

#[test]
fn marks_around_the_lines_change_no_figure() {
    same(&each_line(FIO, |line| format!("> {line}")));
    same(&each_line(FIO, |line| format!("> > {line}")));
    same(&each_line(FIO, |line| {
        format!("12:06:53 DEBUG| [stdout] {line}")
    }));
    same(&each_line(FIO, |line| {
        format!("May  3 12:06:53 host bench[12]: {line}")
    }));
    same(&format!("<pre>\n{}</pre>\n", FIO.replace('>', "&gt;")));
    same(&each_line(FIO, |line| format!("    {line}")));
    same(&FIO.replace(
        "a: (groupid",
        "Jobs: 1 (f=1): [r(1)][50.0%]\rJobs: 1 (f=1)\ra: (groupid",
    ));
    same(&FIO.replace(
        " 95.00th=[18000],\n     | 99",
        "\n95.00th=[18000],\n     | 99",
    ));
}

#[test]
fn a_cut_text_has_its_whole_figures_and_no_half_ones() {
    let cut = &FIO[..FIO.find("50.00th=[16000]").unwrap() + "50.00th=[160".len()];
    let read = one(cut);
    let points: Vec<f64> = read
        .figures
        .read
        .latency
        .percentiles
        .iter()
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(points, [0.01, 0.05]);
    assert_eq!(read.figures.read.ios_per_s, Some(2000.0));
    let cut = &FIO[..FIO.find("avg=15990.10").unwrap() + "avg=159".len()];
    assert_eq!(one(cut).figures.read.latency.mean, None);
    assert_eq!(one(cut).figures.read.latency.max, Some(Nanos::millis(90)));
}

#[test]
fn the_depth_is_known_without_the_line_of_options() {
    let bare = &FIO[FIO.find("a: (groupid").unwrap()..];
    assert_eq!(one(bare).workload.queue_depth, Some(32));
    assert_eq!(one(bare).evidence.context_switches, Some(120_001));
    let levels = bare.replace(
        "     latency   : target=0, window=0, percentile=100.00%, depth=32",
        "  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=99.5%, >=64=0.0%",
    );
    assert_eq!(
        one(&levels).workload.queue_depth,
        Some(32),
        "and Little's law confirms it"
    );
    let other = levels.replace("avg=15995.20", "avg=25995.20");
    assert_eq!(one(&other).workload.queue_depth, None, "at least 32");
}

#[test]
fn files_of_several_jobs_are_added_up() {
    let laid = "a: Laying out IO file (1 file / 512MiB)\n".repeat(8);
    let text = FIO.replace(
        "--filename=/dev/sdb",
        "--size=512M --numjobs=8 --group_reporting",
    );
    let text = text.replace("jobs=1", "jobs=8");
    let text = text.replace(
        "Starting 1 process\n",
        &format!("Starting 8 processes\n{laid}"),
    );
    assert_eq!(one(&text).workload.size, Some(Bytes::gib(4)));
    assert_eq!(
        one(&text.replace(&laid, "")).workload.size,
        Some(Bytes::gib(4))
    );
    let shared = text
        .replace(&laid, "")
        .replace("--size", "--filename=f --size");
    assert_eq!(one(&shared).workload.size, Some(Bytes::mib(512)));
}

#[test]
fn a_command_that_an_edge_broke_within_a_word_is_joined() {
    let broken = "$ fio --name=a --filename=/dev/sdb --size=10G --rw=randread --bs=4k --iodep\nth=32 --direct=1 --ioengine=libaio\n";
    let text = FIO.replace(FIO.lines().next().unwrap(), broken.trim_end());
    let read = one(&text);
    assert_eq!(read.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(read.workload.targets, ["/dev/sdb"]);
}

#[test]
fn dd_is_read_behind_any_prompt_and_without_its_progress() {
    let result = "1000+0 records in\n1000+0 records out\n1048576000 bytes (1.0 GB, 1000 MiB) copied, 10.1 s, 104 MB/s\n";
    for prompt in [
        "$",
        "root@h:~#",
        "❯ ",
        "PS /mnt> sudo ",
        "$ sync; ",
        "I ran `",
    ] {
        let text = format!("{prompt}dd if=/dev/sda of=/dev/null bs=1M iflag=direct\n{result}");
        let read = one(&text);
        assert_eq!(read.workload.targets, ["/dev/sda"], "{prompt}");
        assert_eq!(read.workload.cache, Some(CacheMode::Unbuffered));
    }
    let progress = "900000000 bytes (900 MB, 858 MiB) copied, 9 s, 100 MB/s\r1000000000 bytes (1.0 GB, 954 MiB) copied, 10 s, 100 MB/s\n";
    let command = "$ dd if=/dev/sda of=/dev/null bs=1M status=progress\n";
    let all = runs(&format!("{command}{progress}{result}"));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].figures.read.bytes, Some(Bytes(1_048_576_000)));
    assert_eq!(all[0].workload.write_percent, READ);
    let cut = one(&format!("{command}{progress}1000+0 records in\n"));
    assert_eq!(cut.figures.read.bytes_per_s, Some(1e8));
    assert!(
        cut.notes.iter().any(|note| note.contains("progress")),
        "{:?}",
        cut.notes
    );
}

#[test]
fn dd_into_a_pipe_has_the_pipe_as_its_target() {
    let text = "dd if=/dev/zero bs=1M count=10 | nc h 5001\n10+0 records in\n10+0 records out\n10485760 bytes (10 MB) copied, 1.5 s, 7.0 MB/s\n";
    assert_eq!(one(text).workload.targets, ["| nc h 5001"]);
    let read = text.replace("/dev/zero", "/dev/sdb");
    assert_eq!(one(&read).workload.targets, ["/dev/sdb"]);
    assert_eq!(one(&read).workload.write_percent, READ);
}

#[test]
fn a_sentence_with_a_command_expects_no_result() {
    let text = "I tried it with dd if=/dev/zero of=x bs=1M as well.\n$ dd if=a of=/dev/null bs=1M\n5242880 bytes (5.2 MB) copied, 1.5 s, 3.5 MB/s\n";
    assert_eq!(one(text).workload.targets, ["a"]);
}

#[test]
fn hdparm_is_read_where_line_ends_were_lost_and_knows_its_old_words() {
    let joined = " # hdparm -Tt /dev/hda /dev/hda: Timing buffer-cache reads:   384 MB in  2.01 seconds = 191.04 MB/sec Timing buffered disk reads:   66 MB in  3.06 seconds =  21.57 MB/sec \n";
    let all = runs(joined);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].workload.cache, Some(CacheMode::Cached));
    assert_eq!(
        (all[1].workload.cache, all[1].figures.read.bytes_per_s),
        (None, mib(21.57))
    );
    assert_eq!(all[1].workload.targets, ["/dev/hda"]);
    assert_eq!(
        trouble("/dev/sda:\n Timing buffered disk reads: 528 MB in 2.01 seconds = 262.\n").0,
        2
    );
}

const CRYSTAL: &str = "\
[Read]
  SEQ    1MiB (Q=  8, T= 1):   550.100 MB/s [    524.6 IOPS] < 15200.00 us>
  RND    4KiB (Q=  1, T= 1):    30.100 MB/s [   7348.6 IOPS] <   135.00 us>

[Write]
  SEQ    1MiB (Q=  8, T= 1):   510.100 MB/s [    486.5 IOPS] < 16400.00 us>
";

#[test]
fn crystaldiskmark_needs_no_banner_and_has_its_columns_and_its_disks() {
    let all = runs(CRYSTAL);
    assert_eq!(all.len(), 3);
    assert_eq!(all[2].workload.write_percent, WRITTEN);
    assert!(all.iter().all(|run| run.workload.targets.is_empty()));
    let beside = "[Read]   *one*   *two*\nSequential 1MiB (Q=  8, T= 1):   160.5 MB/s [    153.1 IOPS]   283.0 MB/s [    269.9 IOPS]\n";
    let all = runs(beside);
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].figures.read.bytes_per_s, Some(283e6));
    assert_eq!(all[1].figures.read.ios_per_s, Some(269.9));
    assert_ne!(all[0].workload.targets, all[1].workload.targets);
    let sides = "[Read]                                   [Write]\nSEQ 1MiB (Q= 8, T= 1): 550.1 MB/s   510.1 MB/s\n";
    let all = runs(sides);
    let writes: Vec<Option<Ratio>> = all.iter().map(|run| run.workload.write_percent).collect();
    assert_eq!(writes, [READ, WRITTEN]);
    let two = runs(&format!("Disk A\n\n{CRYSTAL}\nDisk B\n\n{CRYSTAL}"));
    assert_eq!(two.len(), 6);
    let of_second = |run: &ImportedRun| run.workload.targets == ["Disk B"];
    assert_eq!(two.iter().filter(|run| of_second(run)).count(), 3);
}

#[test]
fn pg_test_fsync_has_decimal_commas_and_other_languages() {
    let german = "\
Vergleich von Datei-Sync-Methoden bei einem 8-kB-Write:
        open_datasync                       250,110 Op./s     3998 µs/Op.
        fsync                              1000,125 Op./s     1000 µs/Op.
";
    let all = runs(german);
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].figures.write.ios_per_s, Some(1000.125));
    assert_eq!(all[1].figures.write.latency.mean, Some(Nanos::millis(1)));
    assert_eq!(all[0].evidence.commit_min, Some(Nanos::millis(1)));
    assert_eq!(
        runs("        fsync      1000.125 ops/sec    1000 usecs/op\n").len(),
        1
    );
}

#[test]
fn options_on_the_line_of_the_prompt_are_those_of_the_run() {
    let table = "    kB  reclen    write  rewrite    read    reread\n4194304    1024   281771   285100   501840   501930\n";
    let all = runs(&format!(
        "root@h:~# iozone -I -e -s 4g -r 1m -i 0 -i 1 -f /mnt/t\n{table}"
    ));
    assert_eq!(all[0].workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(all[0].workload.targets, ["/mnt/t"]);
    assert_eq!(runs(table)[0].workload.cache, Some(CacheMode::Cached));
    let statistics = "--- /data (ext4 /dev/sda1 100 GiB) ioping statistics ---\n9 requests completed in 2.10 ms, 36 KiB read, 4.28 k iops, 16.7 MiB/s\nmin/avg/max/mdev = 180.1 us / 233.3 us / 301.0 us / 30.1 us\n";
    let paced = one(&format!("$ ioping -c 10 -D -S 64M /data\n{statistics}"));
    assert_eq!(
        (paced.workload.size, paced.workload.cache),
        (Some(Bytes::mib(64)), Some(CacheMode::Unbuffered))
    );
    assert_eq!(paced.evidence.pace, Some(ImportedPace::Pauses));
    assert!(
        !one(&format!("$ ioping -R /data\n{statistics}"))
            .evidence
            .paced
    );
}

const TABLES: &str = "\
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |    120000000000 |       457764 |     190.73 |     762.94 |   83.880 |    41.172 | #2 (894GiB)
-----------------------------------------------------------------------------------------------------
total:      120000000000 |       457764 |     190.73 |     762.94 |   83.880 |    41.172
";

#[test]
fn diskspd_is_read_from_its_command_line_and_as_far_as_its_text_goes() {
    let command = "I used diskspd.exe -b256K -t1 -w100 -o64 -Swu -r -d600 -Z20M -L #2\n";
    let cut = format!(
        "{command}{TABLES}\nRead IO\nthread |       bytes     |     I/Os     |    MiB/s\n--------\n     0 |   0 |"
    );
    let read = one(&cut);
    assert_eq!(read.workload.block, Some(Bytes::kib(256)));
    assert_eq!(
        (read.workload.queue_depth, read.workload.threads),
        (Some(64), Some(1))
    );
    assert_eq!(read.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(read.figures.total.ios_per_s, Some(762.94));
    assert!(
        read.notes.iter().any(|note| note.contains("breaks off")),
        "{:?}",
        read.notes
    );
    let untitled = TABLES.split_once('\n').unwrap().1;
    assert_eq!(one(untitled).figures.total.ios, Some(457_764));
    let no_total = &untitled[..untitled.rfind("total:").unwrap() + 20];
    assert!(trouble(no_total).1.contains("breaks off"));
}

#[test]
fn kbench_has_a_run_of_each_figure_and_of_each_volume() {
    let summary = "\
=====================
FIO Benchmark Summary
For: test_device
SIZE: 50G
QUICK MODE: DISABLED
=====================
IOPS (Read/Write)
        Random:            98,368 / 89,200
    Sequential:          108513 / 107636
  CPU Idleness:                      68%

Bandwidth in KiB/sec (Read/Write)
        Random:          542447 / 514487

Latency in ns (Read/Write)
        Random:            97222 / 44548
";
    let all = runs(summary);
    assert_eq!(all.len(), 8);
    assert_eq!(all[0].figures.read.ios_per_s, Some(98_368.0));
    assert_eq!(all[0].workload.random_percent, WRITTEN);
    assert_eq!(all[0].workload.size, Some(Bytes::gib(50)));
    assert_eq!(all[5].figures.write.bytes_per_s, Some(514_487.0 * 1024.0));
    assert_eq!(all[6].figures.read.latency.mean, Some(Nanos(97_222)));
    let comments = each_line(summary, |line| format!("# {line}"));
    assert_eq!(runs(&comments).len(), 8);
    let two = "FIO Benchmark Comparsion Summary\nFor: raw vs ext4\nIOPS (Read/Write)\n  Random:  96,735 / 89,565   vs   98,135 / 88,990    :   1.45% / -0.64%\n";
    let all = runs(two);
    assert_eq!(all.len(), 4);
    assert_eq!(
        (
            all[3].workload.targets[0].as_str(),
            all[3].figures.write.ios_per_s
        ),
        ("ext4", Some(88_990.0))
    );
}
