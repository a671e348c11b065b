//! IOmeter's terms: each row of the dictionary in `docs/glossary.md` means the same in IOmeter's file, in DISKSPD's switch and
//! in fathom's field.

use model::{Access, Bytes, Nanos, Pacing, QueueDepth, Target, Timespan};
use std::path::Path;
use tools::iometer::{Config, Cycling, Line, Manager, Spec, Wishes, Worker, build};

/// What a row sets in IOmeter, the same as a DISKSPD line, and what both give.
struct Row {
    term: &'static str,
    set: fn(&mut Config),
    /// Without what every line has; none where DISKSPD has no such thing.
    diskspd: Option<&'static str>,
    holds: fn(&Timespan) -> bool,
}

fn config() -> Config {
    let line = Line {
        size: 4096,
        of_size: 100,
        reads: 100,
        random: 100,
        burst: 1,
        align: 4096,
        ..Line::default()
    };
    let worker = Worker {
        name: "Worker 1".to_owned(),
        kind: "DISK".to_owned(),
        outstanding: 1,
        sectors: 8192,
        specs: vec!["s".to_owned()],
        targets: vec!["/t".to_owned()],
        ..Worker::default()
    };
    Config {
        version: "1.1.0".to_owned(),
        run_s: 10,
        test_type: "NORMAL".to_owned(),
        specs: vec![Spec {
            name: "s".to_owned(),
            lines: vec![line],
            ..Spec::default()
        }],
        managers: vec![Manager {
            name: "HOST".to_owned(),
            workers: vec![worker],
        }],
        ..Config::default()
    }
}

fn line(config: &mut Config) -> &mut Line {
    &mut config.specs[0].lines[0]
}

fn worker(config: &mut Config) -> &mut Worker {
    &mut config.managers[0].workers[0]
}

fn first(span: &Timespan) -> &Target {
    &span.targets[0]
}

/// Random share of either form, in percent.
fn random(span: &Timespan) -> u8 {
    match &first(span).workload.access {
        Access::Random => 100,
        Access::Diskspd(walk) => walk.random.as_percent(),
        Access::Mixed(mixed) => mixed.random().as_percent(),
        _ => 0,
    }
}

fn align(span: &Timespan) -> Bytes {
    match &first(span).workload.access {
        Access::Diskspd(walk) => walk.align,
        Access::Mixed(mixed) => mixed.lines[0].align,
        _ => first(span).workload.block,
    }
}

/// I/Os of a burst and the pause after it.
fn burst(span: &Timespan) -> (u32, Nanos) {
    match (&first(span).workload.access, first(span).pacing) {
        (_, Pacing::Bursts { ios, pause }) => (ios, pause),
        (Access::Mixed(mixed), _) => (mixed.lines[0].burst, mixed.lines[0].pause),
        _ => (1, Nanos(0)),
    }
}

const ROWS: [Row; 15] = [
    Row {
        term: "Transfer Request Size",
        set: |config| (line(config).size, line(config).align) = (65536, 65536),
        diskspd: Some("-b64K -r"),
        holds: |span| first(span).workload.block == Bytes::kib(64),
    },
    Row {
        term: "Percent Read/Write Distribution",
        set: |config| line(config).reads = 70,
        diskspd: Some("-b4K -r -w30"),
        holds: |span| first(span).workload.write.as_percent() == 30,
    },
    Row {
        term: "Percent Random/Sequential Distribution",
        set: |config| line(config).random = 40,
        diskspd: Some("-b4K -rs40"),
        holds: |span| random(span) == 40,
    },
    Row {
        term: "# of Outstanding I/Os",
        set: |config| worker(config).outstanding = 16,
        diskspd: Some("-b4K -r -o16"),
        holds: |span| first(span).workload.queue_depth == QueueDepth(16),
    },
    Row {
        term: "Align I/Os on",
        set: |config| line(config).align = 8192,
        diskspd: Some("-b4K -r8K"),
        holds: |span| align(span) == Bytes::kib(8),
    },
    Row {
        term: "Burst Length",
        set: |config| (line(config).burst, line(config).delay_ms) = (8, 5),
        diskspd: Some("-b4K -r -i8 -j5"),
        holds: |span| burst(span).0 == 8,
    },
    Row {
        term: "Transfer Delay",
        set: |config| (line(config).burst, line(config).delay_ms) = (8, 5),
        diskspd: Some("-b4K -r -i8 -j5"),
        holds: |span| burst(span).1 == Nanos::millis(5),
    },
    Row {
        term: "Percent of Access Specification",
        set: |config| {
            line(config).of_size = 60;
            let other = Line {
                size: 65536,
                of_size: 40,
                ..*line(config)
            };
            config.specs[0].lines.push(other);
        },
        diskspd: None,
        holds: |span| match &first(span).workload.access {
            Access::Mixed(mixed) => mixed.lines.iter().map(|line| line.share).eq([60, 40]),
            _ => false,
        },
    },
    Row {
        term: "Worker",
        set: |config| {
            let more = worker(config).clone();
            config.managers[0].workers.push(more);
        },
        diskspd: Some("-b4K -r -t2"),
        holds: |span| {
            span.targets
                .iter()
                .map(|target| target.threads)
                .sum::<u32>()
                == 2
        },
    },
    Row {
        term: "Starting Disk Sector",
        set: |config| worker(config).start = 8,
        diskspd: Some("-b4K -r -B4K"),
        holds: |span| first(span).base == Bytes::kib(4),
    },
    Row {
        term: "Maximum Disk Size",
        set: |config| worker(config).sectors = 2048,
        diskspd: Some("-b4K -r -f1M"),
        holds: |span| first(span).length == Some(Bytes::mib(1)),
    },
    Row {
        term: "Run Time",
        set: |config| config.run_s = 60,
        diskspd: Some("-b4K -r -d60"),
        holds: |span| span.phases.measured == Nanos::seconds(60),
    },
    Row {
        term: "Ramp Up Time",
        set: |config| config.ramp_s = 7,
        diskspd: Some("-b4K -r -W7"),
        holds: |span| span.phases.warmup == Nanos::seconds(7),
    },
    Row {
        term: "Fixed Seed",
        set: |config| worker(config).seed = Some(9),
        diskspd: Some("-b4K -r -z9"),
        holds: |span| span.seed == 9,
    },
    Row {
        term: "Cycling Options, # Outstanding I/Os",
        set: |config| {
            config.test_type = "CYCLE_OUTSTANDING_IOS".to_owned();
            config.depths = Cycling {
                start: 2,
                end: 2,
                step: 2,
                exponential: true,
            };
        },
        diskspd: None,
        holds: |span| first(span).workload.queue_depth == QueueDepth(2),
    },
];

fn by_iometer(row: &Row) -> Timespan {
    let mut config = config();
    (row.set)(&mut config);
    let built =
        build(&config, &Wishes::default(), &|_: &Path| None).expect("the configuration is whole");
    built.runs[0].span.clone()
}

fn by_diskspd(line: &str) -> Timespan {
    let args: Vec<String> = line
        .split(' ')
        .chain(["-c4M", "/t"])
        .map(str::to_owned)
        .collect();
    super::plan::plan(&args.join(" "))
}

#[test]
fn every_term_means_the_same_in_both_tools() {
    for row in &ROWS {
        assert!((row.holds)(&by_iometer(row)), "{}", row.term);
        if let Some(line) = row.diskspd {
            assert!((row.holds)(&by_diskspd(line)), "{}: {line}", row.term);
        }
    }
}

#[test]
fn the_manual_has_these_rows_and_no_others() {
    let page = include_str!("../../../../docs/glossary.md");
    let (_, behind) = page
        .split_once("<!-- iometer dictionary: each row is a test -->")
        .unwrap();
    let (table, _) = behind
        .split_once("<!-- end of iometer dictionary -->")
        .unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let terms: Vec<&str> = rows
        .map(|line| line.split('|').nth(1).unwrap().trim())
        .collect();
    let tested: Vec<&str> = ROWS.iter().map(|row| row.term).collect();
    assert_eq!(terms, tested);
}
