//! What dd and bonnie++ print, in the words of the fifth seed and of newer versions.

use super::desk::{bytes, one, runs, trouble};
use model::{Bytes, CacheMode, ImportFormat, Nanos, Ratio};

const DD: &str = include_str!("texts/seed_004_dd.txt");
const BONNIE: &str = include_str!("texts/seed_004_bonnie.txt");

#[test]
fn seed_004_four_calls_of_dd_with_their_sides() {
    let runs = runs(DD);
    assert_eq!(runs.len(), 4);
    let sides: Vec<_> = runs
        .iter()
        .map(|run| (run.workload.targets[0].as_str(), run.workload.write_percent))
        .collect();
    let (read, written) = (Some(Ratio::NONE), Some(Ratio::ALL));
    assert_eq!(
        sides,
        [
            ("/dev/sda", read),
            ("/dev/sda", written),
            ("/mnt/sda/testfile", written),
            ("/mnt/sda/testfile", read)
        ]
    );
    let write = &runs[1];
    assert_eq!(write.format, ImportFormat::DdText);
    assert_eq!(
        write.command.as_deref(),
        Some("dd if=/dev/zero of=/dev/sda bs=1M count=2048")
    );
    assert_eq!(write.workload.block, Some(Bytes::mib(1)));
    assert_eq!(write.workload.cache, Some(CacheMode::Cached));
    assert_eq!(write.workload.write_through, Some(false));
    assert_eq!(write.measured, Some(Nanos(28_278_700_000)));
    assert_eq!(write.figures.total.bytes, bytes(2_147_483_648));
    assert_eq!(write.figures.total.ios, Some(2048));
    assert_eq!(write.figures.total.bytes_per_s, Some(75.9e6));
    assert_eq!(write.figures.write, write.figures.total);
    assert_eq!(write.line, 7);
}

#[test]
fn newer_words_flags_and_a_missing_command_are_read_too() {
    let run = one(
        "$ sudo dd if=/dev/urandom of=/dev/loop0 oflag=direct,dsync bs=4k count=10\n10+0 records in\n\
                   10+0 records out\n40960 bytes (41 kB, 40 KiB) copied, 0,0182 s, 2,3 MB/s\n",
    );
    assert_eq!(run.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(run.workload.write_through, Some(true));
    assert_eq!(run.workload.block, Some(Bytes::kib(4)));
    assert_eq!(run.figures.total.bytes_per_s, Some(40_960.0 / 0.0182));
    let short = "dd if=/dev/zero of=x bs=512 count=100 oflag=dsync\n51200 bytes (51 kB) copied, 3.74 s, 13.7 kB/s\n";
    let without_records = one(short);
    assert_eq!(without_records.figures.total.ios, Some(100));
    let bare =
        one("8+0 records in\n8+0 records out\n4096 bytes (4.1 kB) copied, 0.5 s, 8.2 kB/s\n");
    assert_eq!(bare.workload.write_percent, None);
    assert!(bare.notes[0].contains("command line is not in the text"));
    let (line, what) =
        trouble("dd if=a of=b\n1+0 records in\n1+0 records out\n512 bytes copied, soon\n");
    assert_eq!(line, 4);
    assert!(what.contains("expected is"), "{what}");
    assert!(
        trouble("dd if=/dev/sda of=/dev/null\n")
            .1
            .contains("dd was called, but")
    );
}

#[test]
fn bsd_busybox_and_the_time_of_the_shell_are_read() {
    let bsd = one(
        "% dd if=/dev/zero of=/tmp/f bs=1m count=1024\n1024+0 records in\n1024+0 records out\n\
                   1073741824 bytes transferred in 5.120000 secs (209715200 bytes/sec)\n",
    );
    assert_eq!(bsd.figures.write.bytes_per_s, Some(209_715_200.0));
    assert_eq!(bsd.measured, Some(Nanos(5_120_000_000)));
    let busybox = one(
        "# dd if=/dev/mtd0 of=/dev/null bs=1M\n4+0 records in\n4+0 records out\n\
                       4194304 bytes (4.0MB) copied, 0.400000 seconds, 10.0MB/s\n",
    );
    assert_eq!(busybox.figures.read.bytes_per_s, Some(10.0 * 1_048_576.0));
    let timed = one(
        "$ time dd if=/dev/zero of=f bs=8k count=1000\n1000+0 records in\n1000+0 records out\n\n\
                     real\t1m23.000s\nuser\t0m0.01s\nsys\t0m0.5s\n",
    );
    assert_eq!(timed.figures.write.bytes, bytes(8_192_000));
    assert_eq!(timed.measured, Some(Nanos::seconds(83)));
    let at_once =
        "$ time dd if=/dev/zero of=f count=1\n1+0 records in\n1+0 records out\nreal\t0m0.000s\n";
    assert!(trouble(at_once).1.contains("dd was called, but"));
}

#[test]
fn the_caches_that_a_text_empties_are_empty_for_the_next_call_only() {
    let call = |of: &str| {
        format!(
            "$ dd if=f of={of} bs=1M\n10+0 records in\n10+0 records out\n10485760 bytes (10 MB) copied, 1.0 s, 10.5 MB/s\n"
        )
    };
    let text = format!(
        "# echo 3 > /proc/sys/vm/drop_caches\n{}{}# sync; echo 3 > /proc/sys/vm/drop_caches; dd if=f of=/dev/null bs=1M\n\
         10+0 records in\n10+0 records out\n10485760 bytes (10 MB) copied, 1.0 s, 10.5 MB/s\n",
        call("/dev/null"),
        call("/dev/null")
    );
    let dropped: Vec<bool> = runs(&text)
        .iter()
        .map(|run| run.evidence.flush.is_some())
        .collect();
    assert_eq!(dropped, [true, false, true]);
}

#[test]
fn seed_004_each_test_of_bonnie_is_a_run_and_what_was_not_timed_says_so() {
    let runs = runs(BONNIE);
    let reported: Vec<_> = runs.iter().map(|run| run.name.clone().unwrap()).collect();
    assert_eq!(
        reported[..4],
        ["block writes", "rewrites", "block reads", "random seeks"]
    );
    assert_eq!(reported.len(), 10);
    assert_eq!(runs[0].figures.write.bytes_per_s, Some(63_934.0 * 1024.0));
    assert_eq!(runs[2].figures.read.bytes_per_s, Some(73_307.0 * 1024.0));
    assert_eq!(runs[3].figures.total.ios_per_s, Some(203.4));
    assert_eq!(runs[0].host.as_deref(), Some("sif"));
    assert_eq!(runs[0].workload.size, Some(Bytes::gib(2)));
    assert!(runs[0].notes[0].starts_with("a comma is missing"));
    for run in &runs[4..] {
        assert_eq!(run.figures.total.ios_per_s, None);
        assert!(run.notes[0].contains("printed +++++"), "{:?}", run.notes);
    }
}

#[test]
fn the_layout_of_1_96_is_read_and_a_later_one_is_named() {
    let new = "1.96,1.97,host,1,1380203520,4G,,786,99,63934,10,31543,5,2190,98,73307,5,203.4,7,16,,,,,1200,5,+++++,+++,\
               1300,6,1100,5,+++++,+++,900,4,10us,20ms,30ms,9us,8ms,7ms,6us,5us,4us,3us,2us,1us";
    let runs = runs(new);
    assert_eq!(runs.len(), 12);
    assert_eq!(runs[0].name.as_deref(), Some("writes by character"));
    assert_eq!(runs[0].tool_version.as_deref(), Some("1.97"));
    assert_eq!(runs[6].figures.total.ios_per_s, Some(1200.0));
    let (_, what) = trouble(&new.replacen("1.96", "1.98", 1));
    assert!(what.contains("1.03, 1.96 and 1.97 are read"), "{what}");
}
