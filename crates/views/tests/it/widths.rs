//! Tables are as wide as their page, 80 columns by default, and report what they omitted.

use analysis::columns::{columns_of, pivot};
use analysis::{
    Estimate, Latency, Layer, LayerCost, LayerRow, LayerWork, LayersReport, QuickReport, QuickRow,
    Verdict, WatchFigures, WatchReport, files_report,
};
use model::{
    Bytes, FilesOrder, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesThread, FilesWork,
    HostRecord, LatencyHistogram, Nanos, ResultRow, RowFigures, RowWork, TreeStep, TreeWork,
};
use std::io;
use views::{Paper, files_summary, layers_summary, pivot_table, quick_summary, watch_summary};

/// The page at 80 columns and at 200.
fn both(write: impl Fn(&Paper, &mut dyn io::Write) -> io::Result<()>) -> [String; 2] {
    [80, 200].map(|columns| {
        let paper = Paper {
            columns: Some(columns),
            ..Paper::default()
        };
        let mut page = Vec::new();
        write(&paper, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let widest = page.lines().map(|line| line.chars().count()).max();
        assert!(widest.unwrap() <= columns, "{page}");
        page
    })
}

#[test]
fn without_a_terminal_a_sentence_is_one_line_and_a_table_has_all_columns() {
    let piped = |write: &dyn Fn(&Paper, &mut dyn io::Write) -> io::Result<()>| {
        let mut page = Vec::new();
        write(&Paper::default(), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    };
    for one in analysis::explanations() {
        let page = piped(&|paper, out| views::explanation_summary(&one, paper, out));
        let meaning = page.lines().find(|line| line.starts_with("Meaning"));
        assert!(meaning.unwrap().ends_with(one.meaning), "{page}");
    }
    let report = files_report(&files());
    let page = piped(&|paper, out| files_summary(&report, paper, out));
    let head = page.lines().find(|line| line.contains("p50"));
    for column in ["p99.9", "max"] {
        assert!(head.unwrap().contains(column), "{page}");
    }
    assert!(!page.contains("omitted at"), "{page}");
}

fn words(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn files() -> Vec<FilesRecord> {
    let mut latency = LatencyHistogram::new();
    (0..2000).for_each(|n| latency.record(Nanos::micros(10 + n)));
    let thread = FilesThread {
        operations: 2000,
        bytes: Bytes::mib(400),
        latency,
        batch_operations: 50,
        batch_ends: (1..=40).map(|n| Nanos::millis(n * 25 + n % 3)).collect(),
        ended: Nanos::seconds(1),
        cpu: Some(Nanos::millis(437)),
        ..FilesThread::default()
    };
    let record = |name: &str| FilesRecord {
        tool_version: "0".to_owned(),
        command: vec!["fathom".to_owned()],
        started_utc: Nanos(0),
        host: HostRecord::default(),
        place: FilesPlace {
            paths: vec!["/data".into()],
            ..FilesPlace::default()
        },
        work: FilesWork::Tree(TreeWork {
            files: 2000,
            data: Bytes::mib(400),
            skipped: vec![TreeStep::Rename, TreeStep::AppendAndFsync],
            ..TreeWork::default()
        }),
        step: FilesStep {
            name: name.to_owned(),
            order: FilesOrder::Sequential,
            planned: Some(2000),
            block: Some(Bytes::kib(204)),
            elapsed: Nanos::seconds(1),
            threads: vec![thread.clone()],
            ..FilesStep::default()
        },
        outcome: FilesOutcome::Complete,
    };
    ["create", "append"].map(record).to_vec()
}

#[test]
fn steps_of_work_with_files() {
    let report = files_report(&files());
    let [narrow, wide] = both(|paper, out| files_summary(&report, paper, out));
    let reported = "omitted at 80 columns: p99.9, max; --json has all";
    assert!(words(&narrow).contains(reported), "{narrow}");
    assert!(
        narrow.contains("CPU") && !wide.contains("omitted at"),
        "{narrow}"
    );
    for page in [narrow, wide] {
        assert!(
            words(&page).contains("steps omitted on request: rename, append and fsync"),
            "{page}"
        );
    }
}

#[test]
fn what_was_watched() {
    let figures = WatchFigures {
        at_ns: 12_000_000_000,
        read_iops: 123_456.0,
        write_iops: 123_456.0,
        read_bytes_per_s: 5e8,
        write_bytes_per_s: 5e8,
        read_latency_mean_ns: Some(1_234_567.0),
        write_latency_mean_ns: Some(1_234_567.0),
        latency_p50_ns: None,
        latency_p99_ns: Some(12_345_678),
        in_flight_mean: 31.9,
        busy_share: 1.0,
    };
    let report = WatchReport {
        device: "nvme0n1".to_owned(),
        started_utc_ns: 0,
        host: "a-server-with-a-long-name.storage.example".to_owned(),
        interval_ns: 1_000_000_000,
        watched_ns: 60_000_000_000,
        traced: true,
        mean: figures,
        busiest: Some(figures),
        slowest: Some(figures),
        moments: vec![figures],
    };
    let reports = [report];
    let [narrow, wide] = both(|paper, out| watch_summary(&reports, paper, out));
    assert!(narrow.contains("omitted at 80 columns: "), "{narrow}");
    assert!(
        wide.contains("after") && wide.contains("  12 s\n"),
        "{wide}"
    );
}

#[test]
fn what_layers_cost_and_a_quick_look() {
    let estimate = |value| Estimate {
        value,
        low: Some(value * 0.9),
        high: Some(value * 1.1),
        samples: 5.0,
        not_known: None,
    };
    let row = |layer| LayerRow {
        work: LayerWork::RandomRead,
        layer,
        iops_estimate: estimate(123_456.0),
        bytes_per_s_estimate: estimate(5e9),
        cost: Some(LayerCost {
            bytes_per_s: -5e9,
            share: estimate(-0.123_45),
        }),
        device_share: None,
    };
    let layers = LayersReport {
        answers: Vec::new(),
        verdict: Verdict::default(),
        findings: Vec::new(),
        rows: [Layer::Raw, Layer::FileCached].map(row).to_vec(),
        rounds: 5,
        place: None,
        notes: Vec::new(),
        complete: true,
    };
    let [narrow, wide] = both(|paper, out| layers_summary(&layers, paper, out));
    assert!(narrow.contains("omitted at 80 columns: ±"), "{narrow}");
    assert!(!wide.contains("omitted"), "{wide}");

    let row = |label: &str| QuickRow {
        label: label.to_owned(),
        what: "one reader that waits".to_owned(),
        iops_estimate: estimate(123_456.0),
        bytes_per_s_estimate: estimate(5e9),
        latency: Latency::default(),
        device_share: None,
        measured_ns: 1,
    };
    let quick = QuickReport {
        answers: Vec::new(),
        verdict: Verdict::default(),
        findings: Vec::new(),
        rows: vec![row("random read, 4K, depth 1")],
        place: None,
        notes: Vec::new(),
        complete: true,
    };
    let [narrow, wide] = both(|paper, out| quick_summary(&quick, paper, out));
    assert!(
        words(&narrow).contains("omitted at 80 columns: what each row means; --json has it"),
        "{narrow}"
    );
    assert!(wide.contains("one reader that waits"), "{wide}");
}

/// There is no other form of it, so nothing is omitted: it goes on below.
#[test]
fn a_field_by_others_goes_on_below_with_all_its_cells() {
    let row = |number: u32| ResultRow {
        session: 1,
        number,
        work: RowWork {
            block: Some(Bytes::kib(4 << (number % 3))),
            queue_depth: Some(number),
            ..RowWork::default()
        },
        measured: Some(Nanos::seconds(1)),
        total: RowFigures {
            ios: Some(100_000 + u64::from(number)),
            ..RowFigures::default()
        },
        ..ResultRow::default()
    };
    let rows: Vec<ResultRow> = (200..240).map(row).collect();
    let fields = columns_of("iops,block,queue_depth").unwrap();
    let grid = pivot(&rows, fields[0], fields[1], Some(fields[2]));
    let [narrow, wide] = both(|paper, out| pivot_table(&grid, paper, out));
    for depth in 200..240 {
        let head = |page: &str| {
            page.split_whitespace()
                .filter(|word| **word == depth.to_string())
                .count()
        };
        assert_eq!((head(&narrow), head(&wide)), (1, 1), "{narrow}");
    }
    let blocks = |page: &str| {
        page.lines()
            .filter(|line| line.trim_start().starts_with("block "))
            .count()
    };
    assert!(
        blocks(&narrow) > blocks(&wide) && blocks(&wide) > 1,
        "{narrow}"
    );
    assert_eq!(narrow.matches("0k").count(), 40, "{narrow}");
}
