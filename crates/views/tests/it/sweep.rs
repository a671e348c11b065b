//! The page and the documents of a sweep, whole, with gaps, and before it ran.

use analysis::sample::Sample;
use analysis::{
    AxisForecast, ForecastTime, SweepCell, SweepContext, SweepForecast, SweepReport, SweepResult,
    SweepRun, TargetForecast, sweep_report,
};
use expect_test::expect;
use views::{Paper, sweep_forecast, sweep_forecast_json, sweep_json, sweep_summary};

fn cell(number: u64, depth: u32, results: Vec<Result<u64, &str>>) -> SweepCell {
    let run = |(stored, result): (u32, Result<u64, &str>)| SweepRun {
        stored: Some(stored),
        result: result
            .map(|reads| {
                let sample = Sample {
                    reads,
                    depth,
                    ..Sample::default()
                };
                SweepResult::of(&sample.build(), &analysis::Known::default())
            })
            .map_err(str::to_owned),
    };
    SweepCell {
        number,
        group: None,
        values: vec![
            ("block".into(), "4K".into()),
            ("depth".into(), depth.to_string()),
        ],
        runs: (1u32..).zip(results).map(run).collect(),
    }
}

fn report() -> SweepReport {
    let cells = [
        cell(1, 1, vec![Ok(20_000)]),
        cell(2, 8, vec![Ok(90_000), Ok(92_000), Ok(91_000)]),
        cell(3, 32, vec![Err("the target went away")]),
        cell(4, 64, vec![]),
    ];
    let context = SweepContext {
        axes: vec!["block".into(), "depth".into()],
        cells_planned: Some(4),
        order: Some("shuffled".into()),
        interrupted: true,
        target: "/data/fathom.dat".into(),
        elapsed_ns: Some(75_000_000_000),
        started_utc_ns: Some(1_795_259_117_000_000_000),
        ..SweepContext::default()
    };
    sweep_report(&cells, &context)
}

fn forecast() -> SweepForecast {
    SweepForecast {
        cells: 441,
        cells_done: 41,
        runs_least: 400,
        runs_most: 400,
        order: "shuffled".into(),
        shuffle_seed: Some(7),
        axes: vec![AxisForecast {
            field: "depth".into(),
            values: vec!["1".into(), "2".into()],
        }],
        time: ForecastTime {
            duration_least_ns: 6_804_000_000_000,
            duration_most_ns: 6_804_000_000_000,
            phases_ns: 6_000_000_000_000,
            load_ns: 6_000_000_000_000,
            rest_ns: 798_000_000_000,
            around_ns: 6_000_000_000,
            ends_least_utc_ns: 1_795_259_117_000_000_000,
            ends_most_utc_ns: 1_795_259_117_000_000_000,
            ..ForecastTime::default()
        },
        targets: vec![TargetForecast {
            path: "/data/fathom.dat".into(),
            written: true,
            proven: true,
            ..TargetForecast::default()
        }],
        store: Some("/home/u/fathom.db".into()),
        goes_on_with: Some(12),
    }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn wide() -> Paper {
    Paper {
        columns: Some(100),
        ..Paper::default()
    }
}

#[test]
fn the_answer_comes_first_then_every_cell() {
    let page = text(|out| sweep_summary(&report(), &wide(), out));
    expect![[r#"
        /data/fathom.dat

          most IOPS and MiB/s  9100 IOPS, 35.5 MiB/s  p99 986 µs  block=4K depth=8
          lowest p99           2000 IOPS              p99 560 µs  block=4K depth=1

        CAUTION: 1 of 4 cells still to come

           block  depth     IOPS     ±    MiB/s     mean      p50      p99    p99.9  run  best in
              4K      1     2000     -     7.81   501 µs   500 µs   560 µs   560 µs    1  p99
              4K      8     9100  2.7%     35.5   880 µs   880 µs   986 µs   986 µs    3  IOPS, MiB/s
              4K     32  NA: the target went away
              4K     64        -     -        -        -        -        -        -    -
          IOPS and MiB/s are means of a cell's runs, ± half the 95% interval of the mean, latencies those of
          its middle run; omitted at 100 columns: max; --json has all

        note     it was interrupted; the same command, or --resume, continues it
        note     1 cell without a result; the first, block=4K depth=32: the target went away
        spent    1 min 15 s; 2 of 4 cells, 1 NA, 1 left, 5 runs; order shuffled; 2026-11-21 11:05:17 UTC
    "#]].assert_eq(&page);
}

#[test]
fn no_line_is_wider_than_its_page() {
    let paper = Paper {
        columns: Some(80),
        ..Paper::default()
    };
    let page = text(|out| sweep_summary(&report(), &paper, out));
    assert!(
        page.lines().all(|line| line.chars().count() <= 80),
        "{page}"
    );
    assert!(page.contains("omitted at 80 columns: "), "{page}");
}

#[test]
fn what_will_be_done_is_said_in_a_few_lines() {
    let page = text(|out| sweep_forecast(&forecast(), &wide(), out));
    expect![[r#"
        about 1 h 53 min for 400 cells that are left of 441, 41 are there, shuffled by seed 7
        cells   depth 1,2
        takes   1 h 40 min of load, 13 min 18 s of rest, 6 s of starting and keeping (15 ms a run, a guess
                until one ran)
        ends    about 2026-11-21 11:05:17 UTC, if it begins now
        writes  /data/fathom.dat: is read whole first, to prove that it contains only what fathom wrote;
                cells write to it
        keeps   each cell as soon as it is done, in session 12 of /home/u/fathom.db
    "#]].assert_eq(&page);
}

#[test]
fn simulated_load_takes_less_than_its_time_and_a_complete_sweep_takes_none() {
    let mut simulated = forecast();
    simulated.time.load_ns = 60_000_000_000;
    let page = text(|out| sweep_forecast(&simulated, &Paper::default(), out));
    let takes = "takes   1 min 00 s for 1 h 40 min of simulated load (a guess until one ran), ";
    assert!(page.contains(takes), "{page}");
    simulated.runs_least = 0;
    let page = text(|out| sweep_forecast(&simulated, &Paper::default(), out));
    assert!(
        page.contains("takes   nothing: all cells are there"),
        "{page}"
    );
}

#[test]
fn real_documents_keep_to_their_schemas() {
    let documents = [
        ("sweep-report", text(|out| sweep_json(&report(), None, out))),
        (
            "sweep-forecast",
            text(|out| sweep_forecast_json(&forecast(), out)),
        ),
    ];
    for (name, document) in documents {
        let validator = crate::schema::validator(name);
        let document = serde_json::from_str(&document).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(errors, [""; 0], "{name}");
    }
}
