//! The results document: its form, its schema, and what it does with odd data.

use super::desk::{host, profile, record, results, tally, thread, xml};
use super::examples::{two_spans, two_targets};
use model::{Access, Bytes, DiskspdAccess, Distribution, Nanos, Ratio, RunRecord, Sequence, Tally};
use std::io::Write;
use std::process::{Command, Stdio};
use tools::diskspd::{Compat, read_xml, write_xml};

/// Skips where xmllint is not installed.
#[allow(clippy::print_stdout, reason = "a skip prints the reason")]
fn assert_valid(document: &str) {
    let schema = format!(
        "{}/../../docs/schema/diskspd-results.xsd",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut lint = Command::new("xmllint");
    lint.args(["--noout", "--schema", &schema, "-"]);
    let lint = lint.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut lint) = lint else {
        println!("skipped: xmllint is not installed (package libxml2-utils)");
        return;
    };
    lint.stdin
        .take()
        .unwrap()
        .write_all(document.as_bytes())
        .unwrap();
    let output = lint.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// 100 KiB, 4 KiB blocks, spread by percent.
fn spread() -> RunRecord {
    let mut run = record(Nanos::seconds(1), host(1), &[(0, 0); 4], &[100 << 10]);
    let planned = &mut run.plan.targets[0];
    (planned.base, planned.length) = (Bytes(0), Bytes::kib(100));
    planned.workload.block = Bytes::kib(4);
    planned.workload.access = Access::Diskspd(DiskspdAccess {
        random: Ratio::percent(100).unwrap(),
        align: Bytes::kib(4),
        sequence: Sequence::PerThread,
        thread_stride: Bytes(0),
        distribution: Distribution::Percent(vec![(10, 10), (10, 10), (0, 10), (80, 70)]),
    });
    run.threads = vec![thread(
        0,
        0,
        tally(&[(0, false, 10)], false),
        Tally::default(),
    )];
    run
}

#[test]
fn every_form_keeps_to_the_schema() {
    let (asked, run) = two_targets();
    assert_valid(&xml(&results(&asked, "", Compat::V2_2, &[&run])));
    let (asked, [first, second]) = two_spans();
    assert_valid(&xml(&results(&asked, "", Compat::V2_2, &[&first, &second])));
    assert_valid(&xml(&results(&asked, "", Compat::V2_2, &[&first])));
    assert_valid(&xml(&results(&asked, "", Compat::V2_2, &[])));
    let asked = profile(&["a&b <\"c\">"], |span, _| {
        (span.measure_latency, span.intervals.printed) = (true, true);
    });
    assert_valid(&xml(&results(&asked, "", Compat::V2_2, &[&spread()])));
}

/// Cases X058, X060 and X061.
#[test]
fn the_document_has_its_first_and_last_line_and_all_percentiles() {
    let asked = profile(&["a"], |span, _| {
        (span.measure_latency, span.intervals.printed) = (true, true);
    });
    let page = xml(&results(&asked, "", Compat::V2_2, &[&spread()]));
    assert!(
        page.starts_with("<Results>\n") && page.ends_with("</Results>"),
        "X058"
    );
    assert_eq!(page.matches("<Bucket>").count(), 108, "X060");
    let reported: Vec<&str> = page
        .lines()
        .filter(|line| line.contains("<Percentile>"))
        .map(str::trim)
        .collect();
    assert_eq!(
        reported[..2],
        ["<Percentile>0</Percentile>", "<Percentile>1</Percentile>"]
    );
    assert_eq!(reported[100], "<Percentile>99.9</Percentile>");
    assert_eq!(
        reported[106..],
        [
            "<Percentile>99.9999999</Percentile>",
            "<Percentile>100</Percentile>"
        ]
    );
    assert!(
        page.contains("<ReadIopsStdDev>") && !page.contains("<WriteIopsStdDev>"),
        "X061"
    );
    assert!(page.contains("Read=\"1\" Write=\"0\" Total=\"1\""), "X061");
    assert!(!page.contains("<WriteMilliseconds>"));
}

/// Case X064.
#[test]
fn an_interrupted_span_has_its_error_and_nothing_else() {
    let asked = profile(&["a"], |_, _| ());
    let page = xml(&results(&asked, "", Compat::V2_2, &[]));
    let error = "The test was interrupted before the measurements began. No results are displayed.";
    assert!(page.ends_with(&format!(
        "  <TimeSpan>\n    <Error>{error}</Error>\n  </TimeSpan>\n</Results>"
    )));
}

/// The `Bucket` lines of the first `Iops` element, which is that of all targets.
fn buckets(page: &str) -> Vec<&str> {
    let iops = page.split("<Iops>").nth(1).unwrap();
    let iops = iops.split("</Iops>").next().unwrap();
    iops.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("<Bucket"))
        .collect()
}

/// Cases S008 and S016, in ms: many I/Os of a thread in a step, and a thread that has none in it.
#[test]
fn an_interval_has_its_extremes_and_its_deviation_over_all_threads() {
    let mut run = record(Nanos::seconds(2), host(1), &[(0, 0); 4], &[1 << 30]);
    run.plan.interval = Nanos::seconds(1);
    let first = [
        (0, false, 2000),
        (0, false, 4000),
        (0, false, 4000),
        (0, false, 4000),
        (1, false, 110_000),
    ];
    let second = [
        (0, false, 5000),
        (0, false, 5000),
        (0, false, 7000),
        (0, false, 9000),
    ];
    run.threads = vec![
        thread(0, 0, tally(&first, false), Tally::default()),
        thread(1, 0, tally(&second, false), Tally::default()),
    ];
    let asked = profile(&["a"], |span, _| span.intervals.printed = true);
    let page = xml(&results(&asked, "", Compat::V2_2, &[&run]));
    let nothing = "WriteMinLatencyMilliseconds=\"0.000\" WriteMaxLatencyMilliseconds=\"0.000\" \
                   WriteAvgLatencyMilliseconds=\"0.000\" WriteLatencyStdDev=\"0.000\"/>";
    let expected = [
        "<Bucket SampleMillisecond=\"1000\" Read=\"8\" Write=\"0\" Total=\"8\" \
         ReadMinLatencyMilliseconds=\"2.000\" ReadMaxLatencyMilliseconds=\"9.000\" \
         ReadAvgLatencyMilliseconds=\"5.000\" ReadLatencyStdDev=\"2.000\"",
        "<Bucket SampleMillisecond=\"2000\" Read=\"1\" Write=\"0\" Total=\"1\" \
         ReadMinLatencyMilliseconds=\"110.000\" ReadMaxLatencyMilliseconds=\"110.000\" \
         ReadAvgLatencyMilliseconds=\"110.000\" ReadLatencyStdDev=\"0.000\"",
    ];
    assert_eq!(
        buckets(&page),
        expected.map(|bucket| format!("{bucket} {nothing}"))
    );
    assert_valid(&page);
}

/// A run of a store of version 1: what was not counted is omitted, and is not shown as 0.
#[test]
fn what_an_old_record_does_not_hold_is_left_out_of_its_intervals() {
    let (asked, mut run) = two_targets();
    let tallies = run.threads.iter_mut().flat_map(|t| &mut t.measured);
    for step in tallies.flat_map(|tally| &mut tally.intervals) {
        step.latency_spread = None;
    }
    let page = xml(&results(&asked, "", Compat::V2_2, &[&run]));
    let bucket = "<Bucket SampleMillisecond=\"2000\" Read=\"4\" Write=\"0\" Total=\"4\" \
                  ReadMaxLatencyMilliseconds=\"0.230\" ReadAvgLatencyMilliseconds=\"0.180\" \
                  WriteMinLatencyMilliseconds=\"0.000\" WriteMaxLatencyMilliseconds=\"0.000\" \
                  WriteAvgLatencyMilliseconds=\"0.000\" WriteLatencyStdDev=\"0.000\"/>";
    assert_eq!(buckets(&page)[3], bucket);
    assert_valid(&page);
}

/// Case X068, the document's part: nothing is before it or after it, with any other output.
#[test]
fn a_verbose_run_has_the_same_pure_document() {
    let (mut asked, run) = two_targets();
    (asked.verbose, asked.progress) = (true, 1);
    let page = xml(&results(&asked, "", Compat::V2_2, &[&run]));
    assert!(page.starts_with("<Results>\n") && page.ends_with("</Results>"));
    assert_valid(&page);
}

/// Cases X044 and X057: the document contains the profile that was run, and reads back as one.
#[test]
fn the_results_are_a_profile_to_run_again() {
    let (two_targets, run) = two_targets();
    let (two_spans, [first, second]) = two_spans();
    for (asked, records) in [
        (two_targets, vec![&run]),
        (two_spans, vec![&first, &second]),
    ] {
        let page = xml(&results(&asked, "", Compat::V2_2, &records));
        let again = read_xml(&page).unwrap();
        assert_eq!(
            write_xml(&again, 0, Compat::V2_2),
            write_xml(&asked, 0, Compat::V2_2)
        ); // an alignment of 0 comes back as the block
    }
}

/// Case X066, and the same in the text.
#[test]
fn an_effective_distribution_stands_at_its_target_with_its_holes() {
    let asked = profile(&["a"], |_, _| ());
    let page = results(&asked, "", Compat::V2_2, &[&spread()]);
    let ranges: Vec<String> = xml(&page)
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("<Range IO=\"")?
                .strip_suffix("</Range>")
        })
        .map(|range| range.replace("\">", ":"))
        .collect();
    assert_eq!(ranges, ["10:8192", "10:12288", "0:8192", "80:73728"]);
    let text = super::desk::text(&page);
    assert!(text.contains(
        "\n\nEffective IO Distributions\n--------------------------\ntarget: a [thread: 0]\n    \
         10% of IO => [     0    -      8KiB)\n    10% of IO => [     8KiB -     20KiB)\n    \
         80% of IO => [    28KiB -    100KiB)\n\nTotal IO\n"
    ));
}
