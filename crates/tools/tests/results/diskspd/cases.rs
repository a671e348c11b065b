//! Single lines of the pages, by their number in the list of compatibility cases.

use super::desk::{self, counted, host, profile, record, results, tally, text, thread};
use super::examples::two_spans;
use model::{Bytes, CpuFacts, HostRecord, LatencyHistogram, Nanos, Outcome, RunRecord, Tally};
use tools::diskspd::{Compat, Profile};

const BUSY: (u64, u64) = (300_000, 250_000);

/// 120 s, 6 reads of 4 MiB in all, 10 writes of 2 MiB in all, a file of 10 MiB.
fn run(cpus: &desk::Cpus, host: HostRecord) -> RunRecord {
    let mut run = record(Nanos::seconds(120), host, cpus, &[10 << 20]);
    run.threads = vec![thread(0, 0, counted(6, 4 << 20), counted(10, 2 << 20))];
    run
}

fn cores(cpus: u32, per_core: u32) -> HostRecord {
    let cpu = |cpu| CpuFacts {
        cpu,
        core: Some(cpu / per_core),
        ..CpuFacts::default()
    };
    HostRecord {
        cpus: (0..cpus).map(cpu).collect(),
        ..HostRecord::default()
    }
}

fn asked(latency: bool, intervals: bool) -> Profile {
    profile(&["testfile1.dat"], |span, _| {
        (span.measure_latency, span.intervals.printed) = (latency, intervals);
    })
}

fn page(profile: &Profile, run: &RunRecord) -> String {
    text(&results(profile, "", Compat::V2_2, &[run]))
}

fn has(page: &str, id: &str, line: &str) {
    assert!(
        page.lines().any(|found| found == line),
        "{id}: no line\n{line}\nin\n{page}"
    );
}

#[test]
fn rows_and_headers_follow_the_switches() {
    let run = run(&[BUSY], cores(1, 1));
    let start = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s ";
    let with_intervals = page(&asked(false, true), &run);
    has(
        &with_intervals,
        "T056",
        &format!("{start}| IopsStdDev |  file"),
    );
    has(&with_intervals, "T057", &"-".repeat(91));
    for (id, row) in [
        (
            "T058",
            "     0 |         6291456 |           16 |       0.05 |       0.13 |       0.00 | testfile1.dat (10MiB)",
        ),
        (
            "T060",
            "     0 |         4194304 |            6 |       0.03 |       0.05 |       0.00 | testfile1.dat (10MiB)",
        ),
        (
            "T061",
            "     0 |         2097152 |           10 |       0.02 |       0.08 |       0.00 | testfile1.dat (10MiB)",
        ),
    ] {
        has(&with_intervals, id, row);
    }
    has(
        &page(&asked(false, false), &run),
        "T062",
        &format!("{start}|  file"),
    );
    let with_latency = page(&asked(true, false), &run);
    has(
        &with_latency,
        "T064",
        &format!("{start}|  AvgLat  | LatStdDev |  file"),
    );
    has(&with_latency, "T065", &"-".repeat(101));
    let with_both = page(&asked(true, true), &run);
    has(
        &with_both,
        "T066",
        &format!("{start}|  AvgLat  | IopsStdDev | LatStdDev |  file"),
    );
}

#[test]
fn latencies_are_shown_where_there_are_samples() {
    let mut run = run(&[BUSY], cores(1, 1));
    let mut latency = LatencyHistogram::new();
    [100, 300]
        .into_iter()
        .for_each(|us| latency.record(Nanos::micros(us)));
    run.threads[0].measured[0].latency = latency;
    let page = page(&asked(true, false), &run);
    for (id, row) in [
        (
            "T068",
            "     0 |         4194304 |            6 |       0.03 |       0.05 |    0.200 |     0.100 | testfile1.dat (10MiB)",
        ),
        (
            "T069",
            "     0 |         2097152 |           10 |       0.02 |       0.08 |    0.000 |       N/A | testfile1.dat (10MiB)",
        ),
    ] {
        has(&page, id, row);
    }
    let chart: Vec<&str> = page
        .split("Total latency distribution:\n")
        .nth(1)
        .unwrap()
        .lines()
        .collect();
    assert_eq!(
        chart[0], "  %-ile |  Read (ms) | Write (ms) | Total (ms)",
        "T070"
    );
    assert_eq!(
        chart[2], "    min |      0.100 |        N/A |      0.100",
        "T072"
    );
    assert_eq!(
        chart[4], "   50th |      0.100 |        N/A |      0.100",
        "T073"
    );
    assert_eq!(
        chart[8], "   99th |      0.300 |        N/A |      0.300",
        "T074"
    );
    assert_eq!(chart.len(), 17);
}

/// Case S005.
#[test]
fn a_chart_of_nothing_has_zeros_and_gaps() {
    let nothing = run(&[BUSY], cores(1, 1));
    has(
        &page(&asked(true, false), &nothing),
        "S005",
        "    max |        N/A |        N/A |      0.000",
    );
}

#[test]
fn processors_show_the_columns_that_tell_them_apart() {
    let plain = page(&asked(false, false), &run(&[BUSY], cores(1, 1)));
    has(&plain, "T076", "CPU |  Usage |  User  | Kernel |  Idle");
    has(&plain, "T077", &"-".repeat(40));
    has(&plain, "T078", "   0|  55.00%|  30.00%|  25.00%|  45.00%");
    let pair = page(&asked(false, false), &run(&[BUSY, (0, 0)], cores(2, 2)));
    has(
        &pair,
        "T080",
        "Core | CPU |  Usage |  User  | Kernel |  Idle",
    );
    has(
        &pair,
        "T081",
        "    0|    0|  55.00%|  30.00%|  25.00%|  45.00%",
    );
    has(
        &pair,
        "T082",
        "       avg.|  27.50%|  15.00%|  12.50%|  72.50%",
    );
}

#[test]
fn a_large_machine_shows_all_columns_and_numbers_within_groups() {
    let cpu = |cpu| CpuFacts {
        cpu,
        core: Some(cpu / 2),
        socket: Some(cpu / 64),
        node: Some(cpu / 64),
        governor: None,
        efficiency_class: None,
    };
    let host = HostRecord {
        cpus: (0..66).map(cpu).collect(),
        ..HostRecord::default()
    };
    let page = page(&asked(false, false), &run(&[BUSY; 66], host));
    let title = "Socket | Node | Group | Core | CPU |  Usage |  User  | Kernel |  Idle";
    has(&page, "topology", title);
    has(&page, "topology", &"-".repeat(71));
    has(
        &page,
        "topology",
        "      1|     1|      1|     0|    1|  55.00%|  30.00%|  25.00%|  45.00%",
    );
    has(
        &page,
        "topology",
        &format!("{:31}avg.|  55.00%|  30.00%|  25.00%|  45.00%", ""),
    );
    has(&page, "topology", "\tgroup count:\t\t2");
    has(&page, "topology", "\tactive power scheme:\t<unknown>");
}

#[test]
fn totals_follow_several_time_spans_and_leave_interrupted_ones_out() {
    let (asked, [first, second]) = two_spans();
    let both = text(&results(&asked, "", Compat::V2_2, &[&first, &second]));
    let totals: Vec<&str> = both
        .split("\n\nTotals:\n")
        .nth(1)
        .unwrap()
        .lines()
        .collect();
    assert_eq!(
        totals[2], "type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s",
        "T084"
    );
    assert_eq!(
        totals[4], "write  |      2929541120 |       100820 |     279.10 |   10071.93",
        "T085"
    );
    assert_eq!(
        totals[5], "read   |       574013440 |       140140 |      54.69 |   14000.00",
        "T086"
    );
    assert_eq!(totals[9], "total test time:\t10.01s", "T088");
    let one = text(&results(&asked, "", Compat::V2_2, &[&first]));
    has(&one, "E072", "total test time:\t5.00s");
    has(
        &one,
        "T090",
        "The test was interrupted before the measurements began. No results are displayed.",
    );
}

#[test]
fn times_have_two_decimals_and_no_time_has_no_results() {
    let mut run = run(&[BUSY], cores(1, 1));
    run.phases.measured_to = Nanos::millis(3456);
    has(
        &page(&asked(false, false), &run),
        "T089",
        "actual test time:\t3.46s",
    );
    run.phases.measured_to = run.phases.measured_from;
    let interrupted =
        "The test was interrupted before the measurements began. No results are displayed.";
    assert!(
        page(&asked(false, false), &run).ends_with(&format!("*\n{interrupted}\n")),
        "T090"
    );
    let failed = model::Failure {
        operation: model::Operation::Read,
        target: 0,
        offset: Bytes(0),
        length: Bytes(4096),
        errno: 5,
        message: "EIO".to_owned(),
    };
    run.phases.measured_to = Nanos::seconds(1);
    run.outcome = Outcome::Failed(failed);
    assert!(
        page(&asked(true, true), &run).ends_with(&format!("*\n{interrupted}\n")),
        "E073"
    );
}

/// Cases E069 and E070: asked for 10 s after 5 s of warm-up, stopped at 3 s and at 8 s.
#[test]
fn a_stop_in_the_warm_up_leaves_no_results_and_a_later_one_those_until_then() {
    let mut run = run(&[BUSY], cores(1, 1));
    run.plan.phases.measured = Nanos::seconds(10);
    run.outcome = Outcome::Interrupted;
    run.phases.measured_from = Nanos::seconds(5);
    run.phases.measured_to = Nanos::seconds(5);
    let none = page(&asked(true, true), &run);
    has(
        &none,
        "E069",
        "The test was interrupted before the measurements began. No results are displayed.",
    );
    assert!(!none.contains("Total IO"), "E069");
    run.phases.measured_to = Nanos::seconds(8);
    let some = page(&asked(true, true), &run);
    has(&some, "E070", "actual test time:\t3.00s");
    let row = "     0 |         6291456 |           16 |       2.00 |       5.33 |    0.000 |       0.00 |       N/A | testfile1.dat (10MiB)";
    has(&some, "E070", row);
}

/// Case S020 as the table and the document show it: three processors, of which one is busy.
#[test]
fn averages_are_plain_means_over_processors() {
    let run = run(&[BUSY, (0, 0), (0, 0)], cores(3, 1));
    let asked = asked(false, false);
    let text = page(&asked, &run);
    has(&text, "S018", "   1|   0.00%|   0.00%|   0.00%| 100.00%");
    has(&text, "S020", "avg.|  18.33%|  10.00%|   8.33%|  81.67%");
    let document = desk::xml(&results(&asked, "", Compat::V2_2, &[&run]));
    let average = "<UsagePercent>18.33</UsagePercent>\n        <UserPercent>10.00</UserPercent>\n        \
                   <KernelPercent>8.33</KernelPercent>\n        <IdlePercent>81.67</IdlePercent>\n      </Average>";
    assert!(document.contains(average), "S020: {document}");
}

/// Paths that appear in several targets share a chart; one path needs none of its own.
#[test]
fn a_path_of_several_targets_has_one_chart() {
    let mut run = record(Nanos::seconds(1), host(1), &[BUSY; 4], &[1 << 20; 3]);
    let one = || tally(&[(0, false, 100)], false);
    run.threads = (0..3)
        .map(|n| thread(n, n, one(), Tally::default()))
        .collect();
    let latency = |paths: &[&str]| {
        let asked = profile(paths, |span, _| span.measure_latency = true);
        let page = page(&asked, &run);
        page.matches("\nLatency distribution: ").count()
    };
    assert_eq!(latency(&["a", "b", "a"]), 2);
    assert_eq!(latency(&["a", "a", "a"]), 0);
}
