//! A survey on one page.

use crate::pages::{cells, context, narrow_pages, survey, survey_page};
use analysis::{SurveyContext, survey_report};
use expect_test::expect;
use model::{Bytes, CacheMode, Failure, Operation, Outcome};

#[test]
fn a_sound_survey() {
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring

          4 KiB random      read 36.6k IOPS (QD64)  write 36.6k IOPS (QD64)  QD1 latency 175 / 175 µs
          1 MiB sequential  read 1462 MiB/s (QD64)  write 1462 MiB/s (QD64)  QD1 latency 4.37 / 4.37 ms

        VALID: 1528 MiB/s for every kind of I/O: a link, the medium, or a bandwidth limit; 7 workloads, no
        errors; the device's counters match fathom's

        workload              peak IOPS  95% CI    QD  QD@95%      p50      p99   QD1 p50  limited by
        4K random read            38.2k  ±0.01%   128      64  3.35 ms  3.76 ms    175 µs  IOPS ceiling
        4K random write           38.2k  ±0.01%   128      64  3.35 ms  3.76 ms    175 µs  IOPS ceiling
        8K random 70/30           38.2k  ±0.01%   128      64  3.35 ms  3.76 ms    175 µs  IOPS ceiling
        64K random read           24.5k  ±0.01%   128      64  5.23 ms  5.87 ms    274 µs  bandwidth
        512K sequential read       3056  ±0.06%   128      64  41.9 ms  47.0 ms   2.18 ms  bandwidth
        1M sequential read         1528  ±0.13%   128      64  83.5 ms  94.0 ms   4.37 ms  bandwidth
        1M sequential write        1528  ±0.13%   128      64  83.5 ms  94.0 ms   4.37 ms  bandwidth
        QD = I/Os in flight, all threads; QD@95% = lowest QD with 95% of the peak; omitted at 100 columns:
        MiB/s, p99.9; --json has all

        note     64 KiB random read saturates at QD64: QD128 adds 4.5% IOPS (23.4k to 24.5k) for 1.91× the
                 latency (2.73 ms to 5.23 ms); also saturated: 6 other workloads; use the smallest depth
                 that reaches the level: a deeper queue only adds latency           fathom explain saturated
        note     vda has a volatile write cache (write back): completed writes may not be durable
        note     virtual machine (kvm): the host cache may serve reads
        checks   vda1 counters match fathom's (the same to the byte); 56 points in 151 s; no I/O errors
        details  fathom show 12 --verbose; all data: fathom show 12 --json
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
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring

          4 KiB random  read 22.9k IOPS (QD8)  write 5714 IOPS (QD1)  QD1 latency 175 / 175 µs

        CAUTION: interrupted with 2 of 7 workloads measured

        workload              peak IOPS  95% CI    QD  QD@95%      p50      p99   QD1 p50  limited by
        4K random read            22.9k  ±0.01%     8       8   350 µs   393 µs    175 µs  queue depth
        4K random write           5714*  ±0.03%     1       1   175 µs   196 µs   175 µs*  queue depth
        8K random 70/30       not run: the survey was interrupted
        64K random read       not run: the survey was interrupted
        512K sequential read  not run: the survey was interrupted
        1M sequential read    not run: the survey was interrupted
        1M sequential write   not run: the survey was interrupted
        QD = I/Os in flight, all threads; QD@95% = lowest QD with 95% of the peak; * doubtful; omitted at
        100 columns: MiB/s, p99.9; --json has all

        warning  4K random write (QD1): interrupted after 2 s of 2 s              fathom explain interrupted
        note     vda has a volatile write cache (write back): completed writes may not be durable
        note     virtual machine (kvm): the host cache may serve reads
        checks   vda1 counters match fathom's (the same to the byte); 3 points in 151 s; no I/O errors
        details  fathom show 12 --verbose; all data: fathom show 12 --json
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
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring

          4 KiB random      read 29.1k IOPS (QD16)  write 16.0k IOPS (QD4)   QD1 latency 175 / 175 µs
          1 MiB sequential  read 1164 MiB/s (QD16)  write 1164 MiB/s (QD16)  QD1 latency 4.37 / 4.37 ms

        CAUTION: 4K random write: failed at depth 16: Input/output error; 2 of 7 workloads are CAUTION,
        marked *

        workload              peak IOPS  95% CI    QD  QD@95%      p50      p99   QD1 p50  limited by
        4K random read            29.1k  ±0.01%    16      16   550 µs   617 µs    175 µs  queue depth
        4K random write          16.0k*  ±0.01%     4       4   250 µs   280 µs    175 µs  queue depth
        8K random 70/30           29.1k  ±0.01%    16      16   550 µs   617 µs    175 µs  queue depth
        64K random read          18.6k*  ±0.01%    16      16   859 µs   964 µs         -  queue depth
        512K sequential read       2327  ±0.08%    16      16  6.86 ms  7.71 ms   2.18 ms  queue depth
        1M sequential read         1164  ±0.16%    16      16  13.7 ms  15.4 ms   4.37 ms  queue depth
        1M sequential write        1164  ±0.16%    16      16  13.7 ms  15.4 ms   4.37 ms  queue depth
        QD = I/Os in flight, all threads; QD@95% = lowest QD with 95% of the peak; * doubtful; omitted at
        100 columns: MiB/s, p99.9; --json has all

        warning  64K random read: failed at depth 1: Input/output error
        warning  still rising when the budget was used up: 4K random read, 8K random 70/30, 512K sequential
                 read, 1M sequential read, 1M sequential write
        note     vda has a volatile write cache (write back): completed writes may not be durable
        note     virtual machine (kvm): the host cache may serve reads
        checks   vda1 counters match fathom's (the same to the byte); 21 points in 151 s; no I/O errors
        details  fathom show 12 --verbose; all data: fathom show 12 --json
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
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring

        INVALID as a disk result: 4K random read: the page cache served 100% of the reads (QD16); 7 of 7
        workloads are INVALID, marked !

        workload              peak IOPS  95% CI  MiB/s    QD  QD@95%      p50      p99   QD1 p50  limited by
        4K random read           29.1k!  ±0.01%    114    16      16   550 µs   617 µs   175 µs!  page cache
        4K random write          29.1k!  ±0.01%    114    16      16   550 µs   617 µs   175 µs!  page cache
        8K random 70/30          29.1k!  ±0.01%    227    16      16   550 µs   617 µs   175 µs!  page cache
        64K random read          18.6k!  ±0.01%   1164    16      16   859 µs   964 µs   274 µs!  page cache
        512K sequential read      2327!  ±0.08%   1164    16      16  6.86 ms  7.71 ms  2.18 ms!  page cache
        1M sequential read        1164!  ±0.16%   1164    16      16  13.7 ms  15.4 ms  4.37 ms!  page cache
        1M sequential write       1164!  ±0.16%   1164    16      16  13.7 ms  15.4 ms  4.37 ms!  page cache
        QD = I/Os in flight, all threads; QD@95% = lowest QD with 95% of the peak; ! invalid; omitted at 100
        columns: p99.9; --json has all

        hint     use direct I/O to measure the device; also affected: 4K random write, 8K random 70/30, 64K
                 random read, 512K sequential read, 1M sequential read, 1M sequential write
                                                                                   fathom explain page-cache
        warning  still rising when the budget was used up: 4K random read, 4K random write, 8K random 70/30,
                 64K random read, 512K sequential read, 1M sequential read, 1M sequential write
        note     vda has a volatile write cache (write back): completed writes may not be durable
        note     virtual machine (kvm): the host cache may serve reads
        checks   vda1 counters: 100% apart: a cache above vda1 answered or absorbed the rest; 14 points in
                 151 s; no I/O errors
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&survey_page(&survey_report(&some, &context())));
}

#[test]
fn a_survey_of_which_only_the_records_are_left() {
    let some = cells(&[1, 2, 4]);
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring

          4 KiB random      read 16.0k IOPS (QD4)  write 16.0k IOPS (QD4)  QD1 latency 175 / 175 µs
          1 MiB sequential  read 640 MiB/s (QD4)   write 640 MiB/s (QD4)   QD1 latency 4.37 / 4.37 ms

        VALID: 7 workloads, no errors; the device's counters match fathom's

        workload              peak IOPS  95% CI    QD  QD@95%      p50      p99   QD1 p50  limited by
        4K random read            16.0k  ±0.01%     4       4   250 µs   280 µs    175 µs  queue depth
        4K random write           16.0k  ±0.01%     4       4   250 µs   280 µs    175 µs  queue depth
        8K random 70/30           16.0k  ±0.01%     4       4   250 µs   280 µs    175 µs  queue depth
        64K random read           10.2k  ±0.01%     4       4   391 µs   438 µs    274 µs  queue depth
        512K sequential read       1280  ±0.04%     4       4  3.11 ms  3.50 ms   2.18 ms  queue depth
        1M sequential read          640  ±0.08%     4       4  6.22 ms  7.00 ms   4.37 ms  queue depth
        1M sequential write         640  ±0.08%     4       4  6.22 ms  7.00 ms   4.37 ms  queue depth
        QD = I/Os in flight, all threads; QD@95% = lowest QD with 95% of the peak; omitted at 100 columns:
        MiB/s, p99.9; --json has all

        warning  still rising when the budget was used up: 4K random read, 4K random write, 8K random 70/30,
                 64K random read, 512K sequential read, 1M sequential read, 1M sequential write
        note     vda has a volatile write cache (write back): completed writes may not be durable
        note     virtual machine (kvm): the host cache may serve reads
        checks   vda1 counters match fathom's (the same to the byte); 21 points; no I/O errors
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&survey_page(&survey_report(
        &some,
        &SurveyContext::default(),
    )));
}

#[test]
fn a_survey_without_any_cell() {
    expect![[r#"

        INVALID: nothing was measured

        workload              peak IOPS  95% CI  MiB/s    QD  QD@95%      p50      p99   QD1 p50  limited by
        4K random read        not run: the remaining time was too short for another cell
        4K random write       not run: the remaining time was too short for another cell
        8K random 70/30       not run: the remaining time was too short for another cell
        64K random read       not run: the remaining time was too short for another cell
        512K sequential read  not run: the remaining time was too short for another cell
        1M sequential read    not run: the remaining time was too short for another cell
        1M sequential write   not run: the remaining time was too short for another cell

        checks   nothing was measured; 0 points in 151 s; no I/O errors
        details  fathom show 12 --verbose; all data: fathom show 12 --json
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
        survey.contains("QD1 p50") && !survey.contains("QD@95%  "),
        "{survey}"
    );
    let words = survey.split_whitespace().collect::<Vec<_>>().join(" ");
    let left_out = "omitted at 80 columns: MiB/s, QD@95%, p99.9, limited by; --json has all";
    assert!(words.contains(left_out), "{survey}");
}

#[test]
fn a_narrow_terminal_gets_whole_lines() {
    let report = survey(&[1, 8, 64]);
    for columns in [40, 60, 72] {
        let page = narrowed(&report, columns);
        for line in page.lines().filter(|line| !line.starts_with("details")) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        let reported = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(reported.contains(&report.verdict.sentence()), "{page}");
        assert!(
            reported.contains(&format!("omitted at {columns} columns:")),
            "{page}"
        );
    }
}

fn narrowed(report: &analysis::SurveyReport, columns: usize) -> String {
    let paper = views::Paper {
        columns: Some(columns),
        ..views::Paper::default()
    };
    let mut page = Vec::new();
    views::survey_summary(report, &paper, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}
