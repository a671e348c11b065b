//! A survey on one page.

use crate::pages::{cells, context, narrow_pages, survey, survey_page};
use analysis::{SurveyContext, survey_report};
use expect_test::expect;
use model::{Bytes, CacheMode, Failure, Operation, Outcome};

#[test]
fn a_sound_survey() {
    expect![[r#"
        VALID: up to 38.2k random reads/s, 38.2k random writes/s, 1.49 GiB/s reading, 1.49 GiB/s writing;
        175 µs a read at depth 1
        target  /data/fathom.dat, 8 GiB; ext4, vda1 on vda (disk, 252 GiB), scheduler none
        host    Linux 6.18.44, 2 cores, 8 GiB RAM, kvm; engine io_uring

          workload, best rate     IOPS   ± %  depth   MiB/s      p50      p99     p99.9  QD1 p50   95% at
          4K random read         38.2k  <0.1    128     149  3.35 ms  3.76 ms   3.76 ms   175 µs       64
          4K random write        38.2k  <0.1    128     149  3.35 ms  3.76 ms   3.76 ms   175 µs       64
          8K random 70/30        38.2k  <0.1    128     299  3.35 ms  3.76 ms   3.76 ms   175 µs       64
          64K random read        24.5k  <0.1    128    1528  5.23 ms  5.87 ms   5.87 ms   274 µs       64
          512K sequential read    3056   0.1    128    1528  41.9 ms  47.0 ms  ~47.0 ms  2.18 ms       64
          1M sequential read      1528   0.1    128    1528  83.5 ms  94.0 ms  ~94.0 ms  4.37 ms       64
          1M sequential write     1528   0.1    128    1528  83.5 ms  94.0 ms  ~94.0 ms  4.37 ms       64
          95% at: smallest depth with 95% of that rate; ~ fewer than 10 independent I/Os beyond it
          limit IOPS: 4K random read, 4K random write, 8K random 70/30 (38.2k IOPS whatever the kind of I/O:
                a limit on I/Os, or what each costs the device)
          limit bytes/s: 64K random read, 512K sequential read, 1M sequential read, 1M sequential write
                (1528 MiB/s whatever the kind of I/O: a link, the medium, or a limit on bandwidth)

          4K random read: in flight, IOPS, median latency
              1  ███████▌                                              5714   175 µs
              4  █████████████████████                                16.0k   250 µs
              8  ██████████████████████████████                       22.9k   350 µs
             16  ██████████████████████████████████████               29.1k   550 µs
             32  ████████████████████████████████████████████         33.7k   949 µs
             64  ████████████████████████████████████████████████     36.6k  1.75 ms  knee
            128  ██████████████████████████████████████████████████   38.2k  3.35 ms

        device  vda1 counted 48.5 GiB read, 17.4 GiB written; fathom counted 48.5 GiB read, 17.4 GiB
                written: the same to the byte
        spent   151 s of 180 s; 56 cells; filled 8 GiB in 9.40 s; 2026-11-21 11:05:17 UTC (12:05:17 +01)
        note    7 workloads, no errors; the device counted what fathom counted
        note    64 KiB random reads are at their end at 64 in flight: from there to 128 the rate goes 23.4k
                to 24.5k IOPS (+4.5%) and the latency 2.73 ms to 5.23 ms, 1.91 times; likewise 6 other kinds
                of work; use the smallest depth that reaches the level: more only adds waiting; see
                docs/findings.md#saturated
        note    writes may rest in vda's volatile write cache (write back): not proven durable
        note    virtual machine (kvm): the host's cache may serve reads
        stored as 12 in /data/admin/.local/share/fathom/fathom.db; again: fathom show 12
    "#]].assert_eq(&survey_page(&survey(&[1, 2, 4, 8, 16, 32, 64, 128])));
}

#[test]
fn an_interrupted_survey() {
    let mut some = cells(&[1, 8]);
    some.truncate(3);
    some[2].1.outcome = Outcome::Interrupted;
    let context = SurveyContext {
        interrupted: true,
        cells_left: Some(48),
        ..context()
    };
    expect![[r#"
        WEAK (6 of 7 workloads): up to 22.9k random reads/s, 5714 random writes/s, 89.3 MiB/s reading,
        22.3 MiB/s writing; 175 µs a read at depth 1
        target  /data/fathom.dat, 8 GiB; ext4, vda1 on vda (disk, 252 GiB), scheduler none
        host    Linux 6.18.44, 2 cores, 8 GiB RAM, kvm; engine io_uring

          workload, best rate     IOPS   ± %  depth   MiB/s      p50      p99    p99.9  QD1 p50   95% at
          4K random read         22.9k  <0.1      8    89.3   350 µs   393 µs   393 µs   175 µs        8
        ? 4K random write         5714  <0.1      1    22.3   175 µs   196 µs   196 µs   175 µs        1
          8K random 70/30       not run: the survey was interrupted
          64K random read       not run: the survey was interrupted
          512K sequential read  not run: the survey was interrupted
          1M sequential read    not run: the survey was interrupted
          1M sequential write   not run: the survey was interrupted
          95% at: smallest depth with 95% of that rate; ? weak
          limit depth: 4K random read (not reached: the rate may rise beyond 8 in flight)
          limit depth: 4K random write (not reached: the rate may rise beyond 1 in flight)

        device  vda1 counted 223 MiB read, 44.6 MiB written; fathom counted 223 MiB read, 44.6 MiB written:
                the same to the byte
        spent   151 s of 180 s; 3 cells, 1 interrupted, up to 48 left; filled 8 GiB in 9.40 s; 2026-11-21
                11:05:17 UTC (12:05:17 +01)
        note    interrupted with 2 of 7 workloads measured
        note    5 of 7 workloads have no result, first 8K random 70/30: not run: the survey was interrupted
        note    4K random write: interrupted after 2 s of 2 s (depth 1)
        note    writes may rest in vda's volatile write cache (write back): not proven durable
        note    virtual machine (kvm): the host's cache may serve reads
        stored as 12 in /data/admin/.local/share/fathom/fathom.db; again: fathom show 12
    "#]].assert_eq(&survey_page(&survey_report(&some, &context)));
}

#[test]
fn a_survey_with_a_failed_cell() {
    let mut some = cells(&[1, 4, 16]);
    for place in [5, 9] {
        some[place].1.outcome = Outcome::Failed(Failure {
            operation: Operation::Write,
            target: 0,
            offset: Bytes(0),
            length: Bytes(4096),
            errno: 5,
            message: "Input/output error".to_owned(),
        });
    }
    expect![[r#"
        WEAK (2 of 7 workloads): up to 29.1k random reads/s, 16.0k random writes/s, 1.14 GiB/s reading,
        1.14 GiB/s writing; 175 µs a read at depth 1
        target  /data/fathom.dat, 8 GiB; ext4, vda1 on vda (disk, 252 GiB), scheduler none
        host    Linux 6.18.44, 2 cores, 8 GiB RAM, kvm; engine io_uring

          workload, best rate     IOPS   ± %  depth   MiB/s      p50      p99     p99.9  QD1 p50   95% at
          4K random read         29.1k  <0.1     16     114   550 µs   617 µs    617 µs   175 µs       16
        ? 4K random write        16.0k  <0.1      4    62.5   250 µs   280 µs    280 µs   175 µs        4
          8K random 70/30        29.1k  <0.1     16     227   550 µs   617 µs    617 µs   175 µs       16
        ? 64K random read        18.6k  <0.1     16    1164   859 µs   964 µs    964 µs        -       16
          512K sequential read    2327   0.1     16    1164  6.86 ms  7.71 ms  ~7.71 ms  2.18 ms       16
          1M sequential read      1164   0.1     16    1164  13.7 ms  15.4 ms  ~15.4 ms  4.37 ms       16
          1M sequential write     1164   0.1     16    1164  13.7 ms  15.4 ms  ~15.4 ms  4.37 ms       16
          95% at: smallest depth with 95% of that rate; ? weak; ~ fewer than 10 independent I/Os beyond it
          limit depth: 4K random read, 8K random 70/30, 64K random read, 512K sequential read, 1M sequential
                read, 1M sequential write (not reached: the rate may rise beyond 16 in flight)
          limit depth: 4K random write (not reached: the rate may rise beyond 4 in flight)

          4K random read: in flight, IOPS, median latency
              1  ██████████                                            5714   175 µs
              4  ███████████████████████████▌                         16.0k   250 µs
             16  ██████████████████████████████████████████████████   29.1k   550 µs

        device  vda1 counted 12.8 GiB read, 4.59 GiB written; fathom counted 12.8 GiB read, 4.59 GiB
                written: the same to the byte
        spent   151 s of 180 s; 21 cells, 2 failed; filled 8 GiB in 9.40 s; 2026-11-21 11:05:17 UTC
                (12:05:17 +01)
        note    4K random write: failed at depth 16: Input/output error
        note    64K random read: failed at depth 1: Input/output error
        note    still gaining when the time was used up: 4K random read, 8K random 70/30, 512K sequential
                read, 1M sequential read, 1M sequential write
        note    writes may rest in vda's volatile write cache (write back): not proven durable
        note    virtual machine (kvm): the host's cache may serve reads
        stored as 12 in /data/admin/.local/share/fathom/fathom.db; again: fathom show 12
    "#]].assert_eq(&survey_page(&survey_report(&some, &context())));
}

#[test]
fn a_survey_of_the_page_cache() {
    let mut some = cells(&[1, 16]);
    for (_, record) in &mut some {
        record.plan.targets[0].cache = CacheMode::Cached;
        record.window.after.devices = record.window.before.devices.clone();
        record.lifetime.after.devices = record.lifetime.before.devices.clone();
    }
    expect![[r#"
        INVALID as a disk result: the page cache served 100% of the reads (depth 16); 7 of 7 workloads are
        invalid, first 4K random read
        target  /data/fathom.dat, 8 GiB; ext4, vda1 on vda (disk, 252 GiB), scheduler none
        host    Linux 6.18.44, 2 cores, 8 GiB RAM, kvm; engine io_uring

          workload, best rate     IOPS   ± %  depth   MiB/s      p50      p99     p99.9  QD1 p50   95% at
        ! 4K random read         29.1k  <0.1     16     114   550 µs   617 µs    617 µs   175 µs       16
        ! 4K random write        29.1k  <0.1     16     114   550 µs   617 µs    617 µs   175 µs       16
        ! 8K random 70/30        29.1k  <0.1     16     227   550 µs   617 µs    617 µs   175 µs       16
        ! 64K random read        18.6k  <0.1     16    1164   859 µs   964 µs    964 µs   274 µs       16
        ! 512K sequential read    2327   0.1     16    1164  6.86 ms  7.71 ms  ~7.71 ms  2.18 ms       16
        ! 1M sequential read      1164   0.1     16    1164  13.7 ms  15.4 ms  ~15.4 ms  4.37 ms       16
        ! 1M sequential write     1164   0.1     16    1164  13.7 ms  15.4 ms  ~15.4 ms  4.37 ms       16
          95% at: smallest depth with 95% of that rate; ! invalid; ~ fewer than 10 independent I/Os beyond
          it
          limit cache: 4K random read, 64K random read, 512K sequential read, 1M sequential read (the page
                cache served 100% of the reads)
          limit cache: 4K random write, 1M sequential write (the page cache still held 100% of the written
                bytes at the end)
          limit cache: 8K random 70/30 (the page cache served 100% of the reads and still held 100% of the
                writes)

        device  vda1 counted nothing; fathom counted 8.79 GiB read, 3.14 GiB written: 100% apart: something
                above vda1 answered or kept the rest
        spent   151 s of 180 s; 14 cells; filled 8 GiB in 9.40 s; 2026-11-21 11:05:17 UTC (12:05:17 +01)
        note    4K random write: the page cache still held 100% of the written bytes at the end (depth 16)
        note    8K random 70/30: the page cache served 100% of the reads and still held 100% of the writes
                (depth 16)
        note    64K random read: the page cache served 100% of the reads (depth 16)
        note    512K sequential read: the page cache served 100% of the reads (depth 16)
        note    1M sequential read: the page cache served 100% of the reads (depth 16)
        note    1M sequential write: the page cache still held 100% of the written bytes at the end (depth
                16)
        note    still gaining when the time was used up: 4K random read, 4K random write, 8K random 70/30,
                64K random read, 512K sequential read, 1M sequential read, 1M sequential write
        note    writes may rest in vda's volatile write cache (write back): not proven durable
        note    virtual machine (kvm): the host's cache may serve reads
        stored as 12 in /data/admin/.local/share/fathom/fathom.db; again: fathom show 12
    "#]].assert_eq(&survey_page(&survey_report(&some, &context())));
}

#[test]
fn a_survey_of_which_only_the_records_are_left() {
    let some = cells(&[1, 2, 4]);
    expect![[r#"
        VALID: up to 16.0k random reads/s, 16.0k random writes/s, 640 MiB/s reading, 640 MiB/s writing;
        175 µs a read at depth 1
        target  /data/fathom.dat, 8 GiB; ext4, vda1 on vda (disk, 252 GiB), scheduler none
        host    Linux 6.18.44, 2 cores, 8 GiB RAM, kvm; engine io_uring

          workload, best rate     IOPS   ± %  depth   MiB/s      p50      p99     p99.9  QD1 p50   95% at
          4K random read         16.0k  <0.1      4    62.5   250 µs   280 µs    280 µs   175 µs        4
          4K random write        16.0k  <0.1      4    62.5   250 µs   280 µs    280 µs   175 µs        4
          8K random 70/30        16.0k  <0.1      4     125   250 µs   280 µs    280 µs   175 µs        4
          64K random read        10.2k  <0.1      4     640   391 µs   438 µs    438 µs   274 µs        4
          512K sequential read    1280  <0.1      4     640  3.11 ms  3.50 ms  ~3.50 ms  2.18 ms        4
          1M sequential read       640   0.1      4     640  6.22 ms  7.00 ms  ~7.00 ms  4.37 ms        4
          1M sequential write      640   0.1      4     640  6.22 ms  7.00 ms  ~7.00 ms  4.37 ms        4
          95% at: smallest depth with 95% of that rate; ~ fewer than 10 independent I/Os beyond it
          limit depth: 4K random read, 4K random write, 8K random 70/30, 64K random read, 512K sequential
                read, 1M sequential read, 1M sequential write (not reached: the rate may rise beyond 4 in
                flight)

          4K random read: in flight, IOPS, median latency
              1  ██████████████████                                    5714   175 µs
              2  ███████████████████████████████▌                     10.0k   200 µs
              4  ██████████████████████████████████████████████████   16.0k   250 µs

        device  vda1 counted 8.01 GiB read, 2.86 GiB written; fathom counted 8.01 GiB read, 2.86 GiB
                written: the same to the byte
        spent   21 cells; 2026-11-21 11:05:17 UTC (12:05:17 +01)
        note    7 workloads, no errors; the device counted what fathom counted
        note    still gaining when the time was used up: 4K random read, 4K random write, 8K random 70/30,
                64K random read, 512K sequential read, 1M sequential read, 1M sequential write
        note    writes may rest in vda's volatile write cache (write back): not proven durable
        note    virtual machine (kvm): the host's cache may serve reads
        stored as 12 in /data/admin/.local/share/fathom/fathom.db; again: fathom show 12
    "#]].assert_eq(&survey_page(&survey_report(
        &some,
        &SurveyContext::default(),
    )));
}

#[test]
fn a_survey_without_any_cell() {
    expect![[r#"
        INVALID: nothing was measured

          workload, best rate     IOPS   ± %  depth   MiB/s      p50      p99    p99.9  QD1 p50   95% at
          4K random read        not run: the time that was left held no further cell
          4K random write       not run: the time that was left held no further cell
          8K random 70/30       not run: the time that was left held no further cell
          64K random read       not run: the time that was left held no further cell
          512K sequential read  not run: the time that was left held no further cell
          1M sequential read    not run: the time that was left held no further cell
          1M sequential write   not run: the time that was left held no further cell

        device  nothing was measured
        spent   151 s of 180 s; 0 cells; filled 8 GiB in 9.40 s
        stored as 12 in /data/admin/.local/share/fathom/fathom.db; again: fathom show 12
    "#]]
    .assert_eq(&survey_page(&survey_report(&[], &context())));
}

#[test]
fn many_unplanned_labels_still_fit_the_page() {
    let mut some = cells(&[1, 2]);
    for (number, (label, _)) in some.iter_mut().enumerate() {
        *label = format!("workload number {number} with a name that is much too long\n");
    }
    let page = survey_page(&survey_report(&some, &context()));
    assert!(page.contains("more: see --json"), "{page}");
}

#[test]
fn at_eighty_columns_no_number_is_cut() {
    let report = survey(&[1, 2, 4, 8, 16, 32, 64, 128]);
    let [run, survey] = narrow_pages(&cells(&[1])[2].1, &report);
    for page in [&run, &survey] {
        let table = page.lines().skip_while(|line| !line.contains("IOPS  "));
        let table: Vec<&str> = table.take_while(|line| !line.is_empty()).collect();
        assert!(table.len() > 3, "{page}");
        assert!(table.iter().all(|line| !line.contains('…')), "{page}");
    }
    assert!(
        survey.contains("QD1 p50") && !survey.contains("95% at:"),
        "{survey}"
    );
    let words = survey.split_whitespace().collect::<Vec<_>>().join(" ");
    let left_out = "left out at 80 columns: MiB/s, 95% at; --json has all";
    assert!(words.contains(left_out), "{survey}");
}

#[test]
fn a_narrow_terminal_gets_whole_lines() {
    let report = survey(&[1, 8, 64]);
    for columns in [40, 60, 72] {
        let page = narrowed(&report, columns);
        for line in page.lines().filter(|line| !line.starts_with("stored as")) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        let told = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.starts_with(&report.headline()), "{page}");
        assert!(
            told.contains(&format!("left out at {columns} columns:")),
            "{page}"
        );
    }
}

fn narrowed(report: &analysis::SurveyReport, columns: usize) -> String {
    let paper = views::Paper {
        columns,
        ..views::Paper::default()
    };
    let mut page = Vec::new();
    views::survey_summary(report, &paper, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}
