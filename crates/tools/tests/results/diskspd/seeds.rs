//! The old layout against what blogs show of it: the numbers that stand there, put in, give the same text.
//!
//! Web pages expand tabs and lose blanks at the start of lines; both are undone before comparing. Elisions ("...") and
//! the one header that lost a blank in its middle are skipped.

use super::desk::{self, STARTED, profile, results, text};
use super::examples::two_targets;
use model::Nanos;
use tools::diskspd::Compat;
use tools::diskspd::DiskspdResults;
use tools::diskspd::figures::{
    CpuPlace, CpuShares, CpuUse, DirectionFigures, Figures, Latency, LatencyPoint, Measured,
    PARTS_OF_WHOLE, Row, Span, System,
};

const SEED_000: &str = include_str!("seed_000.txt");
const SEED_001: &str = include_str!("seed_001.txt");

/// Numbers between the bars of a line, its first word omitted.
fn cells(line: &str) -> Vec<f64> {
    let cells = line.split('|').map(|cell| {
        cell.trim()
            .trim_end_matches('%')
            .trim_start_matches("total:")
            .trim()
    });
    cells.filter_map(|cell| cell.parse().ok()).collect()
}

fn shares(line: &str) -> CpuShares {
    let cells = cells(line);
    let [usage, user, kernel, idle] = cells[cells.len() - 4..].try_into().unwrap();
    CpuShares {
        usage,
        user,
        kernel,
        idle,
    }
}

/// Bytes, I/Os, MB/s, I/O per s and, where they stand there, mean and deviation in ms.
fn figures(cells: &[f64]) -> DirectionFigures {
    let mean = cells.get(4).map_or(0.0, |ms| ms * 1e6);
    DirectionFigures {
        bytes: cells[0] as u64,
        ios: cells[1] as u64,
        bytes_per_s: cells[2] * 1_048_576.0,
        rate_per_s: cells[3],
        iops_std_dev: 0.0,
        latency: Latency {
            mean_ns: mean,
            std_dev_ns: cells.get(5).map(|ms| ms * 1e6),
            ..Latency::default()
        },
    }
}

/// A table's rows and its sum.
fn table(page: &str, title: &str) -> (Vec<DirectionFigures>, DirectionFigures) {
    let lines = page.split(title).nth(1).unwrap().lines().skip(2);
    let rows = lines.clone().take_while(|line| !line.starts_with('-'));
    let total = lines
        .clone()
        .find(|line| line.starts_with("total:"))
        .unwrap();
    (
        rows.map(|line| figures(&cells(line)[1..])).collect(),
        figures(&cells(total)),
    )
}

fn measured(page: &str, time: Nanos, threads: u32) -> Measured {
    let row = |line: &str| line.contains('%') && cells(line).len() == 5;
    let used = |line: &str| CpuUse {
        place: CpuPlace {
            cpu: cells(line)[0] as u32,
            ..CpuPlace::default()
        },
        shares: shares(line),
    };
    let mut cpus: Vec<CpuUse> = page.lines().filter(|line| row(line)).map(used).collect();
    cpus.resize(32, CpuUse::default());
    let average = page.lines().find(|line| line.starts_with("avg.")).unwrap();
    Measured {
        time,
        threads,
        cpus,
        cpu_average: shares(average),
        ..Measured::default()
    }
}

fn page(path: &str, latency: bool, measured: Measured) -> String {
    let asked = profile(&[path], |span, _| span.measure_latency = latency);
    let system = System {
        started_utc: STARTED,
        ..System::default()
    };
    let spans = vec![Span::Measured(measured)];
    text(&DiskspdResults {
        profile: &asked,
        command_line: "",
        compat: Compat::V2_0,
        system,
        spans,
    })
}

/// As a web page shows it, with tab stops so far apart.
fn shown(text: &str, stops: usize) -> Vec<String> {
    let line = |line: &str| {
        let mut shown = String::new();
        for c in line.chars() {
            match c {
                '\t' => shown.push_str(&" ".repeat(stops - shown.len() % stops)),
                c => shown.push(c),
            }
        }
        shown
    };
    text.lines().map(line).collect()
}

fn assert_in_order<'a>(page: &[String], expected: impl Iterator<Item = &'a str>) {
    let mut left = page.iter();
    for line in expected {
        assert!(
            left.any(|found| found == line),
            "no line, in its place\n{line}\nin\n{}",
            page.join("\n")
        );
    }
}

#[test]
fn seed_000_comes_out_as_it_stands_there() {
    let mut run = measured(SEED_000, Nanos::seconds(120), 16);
    let (rows, total) = table(SEED_000, "Total IO\n");
    let row = |(thread, total): (u32, DirectionFigures)| Row {
        thread,
        path: "E:\\iotest.dat".to_owned(),
        size_bytes: 440 << 30,
        figures: Figures {
            total,
            ..Figures::default()
        },
        ..Row::default()
    };
    run.rows = (0..).zip(rows).map(row).collect();
    let chart: Vec<Vec<f64>> = SEED_000
        .split("~~~\n")
        .nth(2)
        .unwrap()
        .lines()
        .skip(2)
        .map(cells)
        .collect();
    let parts = [
        0,
        250_000_000,
        500_000_000,
        750_000_000,
        900_000_000,
        950_000_000,
        990_000_000,
        999_000_000,
        999_900_000,
        999_990_000,
        999_999_000,
        999_999_900,
        999_999_990,
        999_999_999,
        PARTS_OF_WHOLE,
    ];
    let points = |column: usize| -> Vec<LatencyPoint> {
        let point = |(parts, row): (u64, &Vec<f64>)| LatencyPoint {
            parts,
            ns: (row[column] * 1e6).round() as u64,
        };
        parts.into_iter().zip(&chart).map(point).collect()
    };
    run.total.total = total;
    run.total.read.latency.points = points(0);
    run.total.write.latency.points = points(1);
    run.total.total.latency.points = points(2);
    let page = shown(&page("E:\\iotest.dat", true, run), 4);
    let expected = SEED_000
        .lines()
        .filter(|line| !matches!(*line, "~~~" | " ..."));
    assert_in_order(&page, expected.filter(|line| !line.is_empty()));
    assert_eq!(page.iter().filter(|line| line.contains("MB/s")).count(), 3);
}

#[test]
fn seed_001_comes_out_as_it_stands_there() {
    let mut run = measured(SEED_001, Nanos(10_092_800_000), 1);
    let mut sides = ["Total IO\n", "Read IO\n", "Write IO\n"].map(|title| table(SEED_001, title));
    let [total, read, write] = &mut sides;
    run.total = Figures {
        total: total.1.clone(),
        read: read.1.clone(),
        write: write.1.clone(),
        ..Figures::default()
    };
    let figures = Figures {
        total: total.0.remove(0),
        read: read.0.remove(0),
        write: write.0.remove(0),
        ..Figures::default()
    };
    run.rows = vec![Row {
        path: "test.dat".to_owned(),
        size_bytes: 1 << 30,
        figures,
        ..Row::default()
    }];
    let page = shown(&page("test.dat", false, run), 8).join("\n");
    let results = &page[page.find("Results for timespan 1:").unwrap()..];
    let trimmed = |text: &str| -> Vec<String> {
        let whole = text.replace("bytes    |", "bytes     |");
        whole
            .trim_end()
            .lines()
            .map(|line| line.trim_start().to_owned())
            .collect()
    };
    assert_eq!(trimmed(results), trimmed(SEED_001));
}

/// What the script of seed 001 reads: the first line like `total:*` split at bars, fields 2, 3 and 4, and the first like
/// `avg.*`, field 1. Pattern matching there ignores case.
#[test]
fn the_powershell_of_seed_001_reads_the_right_numbers() {
    for (compat, processors) in [(Compat::V2_2, 1), (Compat::V2_0, 2)] {
        let (asked, mut run) = two_targets();
        run.host = desk::host(processors);
        let page = text(&results(&asked, "diskspd", compat, &[&run]));
        let first = |start: &str| {
            page.lines()
                .find(|line| line.to_lowercase().starts_with(start))
                .unwrap()
        };
        let field = |line: &str, number: usize| {
            line.split('|').nth(number).unwrap().trim().replace('%', "")
        };
        let total = first("total:");
        assert_eq!(
            [2, 3, 4].map(|number| field(total, number)),
            ["0.03", "7.50", "0.211"]
        );
        assert_eq!(field(first("avg."), 1), "7.50");
    }
}

/// The old layout's lines around the results.
#[test]
fn the_old_layout_has_no_machine_and_no_titles_above_charts() {
    let (asked, run) = two_targets();
    let page = text(&results(&asked, "diskspd", Compat::V2_0, &[&run]));
    assert!(!page.contains("System information") && !page.contains("Latency distribution"));
    assert!(page.contains("\n\n\nResults for timespan 1:\n"));
    assert!(page.contains("\nproc count:\t\t4\n\nCPU |  Usage |  User  |  Kernel |  Idle\n"));
    assert!(page.contains("    0.350 |       0.94 |     0.061\n\n\n  %-ile |  Read (ms) | Write"));
}
