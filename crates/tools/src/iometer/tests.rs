//! Files of IOmeter's format, written for these tests.

use super::*;
use model::{Access, EngineChoice, Nanos};
use std::path::{Path, PathBuf};

fn worker(name: &str, target: &str) -> Worker {
    Worker {
        name: name.to_owned(),
        kind: "DISK".to_owned(),
        outstanding: 16,
        sectors: 2048,
        start: 8,
        pattern: Some(1),
        seed: Some(7),
        specs: vec!["small".to_owned(), "mix, of two".to_owned()],
        targets: vec![target.to_owned()],
        at: 0,
    }
}

fn sample() -> Config {
    let line = |size, of_size, reads, random| Line {
        size,
        of_size,
        reads,
        random,
        burst: 1,
        align: 4096,
        ..Line::default()
    };
    let spec = |name: &str, lines: Vec<Line>| Spec {
        name: name.to_owned(),
        assignment: "NONE".to_owned(),
        lines,
        at: 0,
    };
    Config {
        version: "1.1.0".to_owned(),
        description: "a test".to_owned(),
        run_s: 3725,
        ramp_s: 5,
        depths: Cycling::default(),
        test_type: "NORMAL".to_owned(),
        specs: vec![
            spec("small", vec![line(4096, 100, 70, 100)]),
            spec(
                "mix, of two",
                vec![
                    line(4096, 60, 100, 100),
                    Line {
                        delay_ms: 3,
                        burst: 4,
                        ..line(65536, 40, 0, 0)
                    },
                ],
            ),
        ],
        managers: vec![Manager {
            name: "HOST".to_owned(),
            workers: vec![worker("Worker 1", "C: \"System\"")],
        }],
    }
}

/// Without the places in the file.
fn bare(mut config: Config) -> Config {
    config.specs.iter_mut().for_each(|spec| spec.at = 0);
    config
        .managers
        .iter_mut()
        .flat_map(|manager| &mut manager.workers)
        .for_each(|worker| worker.at = 0);
    config
}

fn wishes(map: &[(&str, &str)]) -> Wishes {
    Wishes {
        map: map
            .iter()
            .map(|(from, to)| ((*from).to_owned(), PathBuf::from(to)))
            .collect(),
        size: None,
        duration: None,
        engine: EngineChoice::Auto,
    }
}

#[test]
fn what_is_printed_is_read_as_the_same() {
    assert_eq!(read(&print(&sample())).map(bare), Ok(sample()));
}

#[test]
fn every_encoding_of_windows_is_read() {
    let mut config = sample();
    config.description = "Prüfung".to_owned();
    let text = print(&config);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    let marked = [&[0xFF, 0xFE][..], &wide].concat();
    for bytes in [text.clone().into_bytes(), wide, marked, latin] {
        assert_eq!(read(&decode(&bytes)).map(bare), Ok(config.clone()));
    }
}

#[test]
fn a_file_of_another_age_is_reported_as_that_and_nothing_else_is_said_of_it() {
    let of =
        |version: &str| print(&sample()).replace("Version 1.1.0", &format!("Version {version}"));
    for old in ["1998.02.01", "3.26.97"] {
        let reported = read(&of(old)).unwrap_err();
        assert_eq!(reported.len(), 1, "{reported:?}");
        let start = format!("read version {old}; versions from 1998.05.21 to 1.1.0 are read");
        assert!(
            reported[0].line == 1 && reported[0].what.starts_with(&start),
            "{reported:?}"
        );
    }
    let without_end = of("1998.10.08")
        .replace("'END test setup\n", "")
        .replace("'END test setup\r\n", "");
    let early = read(&without_end).map(bare).unwrap();
    assert_eq!(
        (early.specs, early.managers),
        (sample().specs, sample().managers)
    );
    assert!(read(&without_end.replace("1998.10.08", "1.1.0")).is_err());
}

#[test]
fn line_ends_of_every_system_are_read() {
    let text = print(&sample()).replace("\r\n", "\n");
    for other in [
        text.replace('\n', "\r"),
        text.replace('\n', "\r\n") + "\u{1A}",
        text.replace('\n', " \r\r\n"),
    ] {
        assert_eq!(read(&other).map(bare), Ok(sample()));
    }
}

#[test]
fn a_drive_letter_is_never_guessed() {
    let reported = build(&sample(), &wishes(&[]), &|_: &Path| None).unwrap_err();
    assert!(
        reported[0]
            .what
            .contains("--target-map 'C:=/PATH/iobw.tst'"),
        "{reported:?}"
    );
    let reported = build(
        &sample(),
        &wishes(&[("C:", "/x"), ("D:", "/y")]),
        &|_: &Path| None,
    )
    .unwrap_err();
    assert!(
        reported
            .iter()
            .any(|one| one.what.contains("--target-map D:")),
        "{reported:?}"
    );
}

#[test]
fn each_access_specification_is_a_test_and_its_lines_are_lines() {
    let built = build(&sample(), &wishes(&[("c:", "/x")]), &|_: &Path| None).unwrap();
    let names: Vec<&str> = built.runs.iter().map(|run| run.spec.as_str()).collect();
    assert_eq!(names, ["small", "mix, of two"]);
    let span = &built.runs[0].span;
    assert_eq!(
        (span.phases.warmup, span.phases.measured, span.seed),
        (Nanos::seconds(5), Nanos::seconds(3725), 7)
    );
    let target = &built.runs[1].span.targets[0];
    let Access::Mixed(mixed) = &target.workload.access else {
        panic!("{target:?}");
    };
    let line = mixed.lines[1];
    assert_eq!(
        (line.burst, line.pause, line.align.0),
        (4, Nanos::millis(3), 4096)
    );
    assert_eq!(
        (
            target.base.0,
            target.length.map(|length| length.0),
            target.create.map(|size| size.0)
        ),
        (4096, Some(1 << 20), Some((1 << 20) + 4096))
    );
}

#[test]
fn outstanding_ios_are_cycled_and_several_targets_make_a_pool() {
    let mut config = sample();
    config.test_type = "CYCLE_OUTSTANDING_IOS".to_owned();
    config.managers[0].workers[0].targets.push("/y".to_owned());
    let built = build(&config, &wishes(&[("C:", "/x")]), &|_: &Path| None).unwrap();
    let depths: Vec<Option<u32>> = built.runs.iter().take(6).map(|run| run.depth).collect();
    assert_eq!(depths, [1, 2, 4, 8, 16, 32].map(Some));
    assert_eq!(built.runs[0].span.pool.map(|pool| pool.threads), Some(1));
    assert_eq!(built.runs[0].span.targets[1].pool_threads, [(0, 0)]);
}

#[test]
fn what_is_wrong_is_reported_with_its_line() {
    let text = print(&sample());
    let wrong = |from: &str, to: &str| {
        let reported = read(&text.replace(from, to)).unwrap_err();
        (reported[0].line, reported[0].what.clone())
    };
    let line_of = |part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    assert_eq!(wrong("4096,100,70", "4096,90,70").0, line_of("small,NONE"));
    assert_eq!(
        wrong("4096,100,70", "4096,101,70").0,
        line_of("4096,100,70")
    );
    assert_eq!(wrong("'Ramp Up", "'Lamp Up").0, line_of("'Ramp Up"));
    let cut = read(&text[..text.len() / 2]).unwrap_err();
    assert!(
        cut.iter().any(|one| one.what.contains("cut short")),
        "{cut:?}"
    );
    assert!(read("").unwrap_err()[0].what.contains("empty"));
    assert!(
        read("GIF89a").unwrap_err()[0]
            .what
            .contains("no configuration")
    );
}

#[test]
fn a_run_of_fathom_s_own_becomes_a_file_and_is_read_back_as_the_same_work() {
    let built = build(&sample(), &wishes(&[("C:", "/x")]), &|_: &Path| None).unwrap();
    for run in &built.runs {
        let config = restate(&run.span).unwrap();
        let again = build(
            &read(&print(&config)).unwrap(),
            &Wishes::default(),
            &|_: &Path| None,
        )
        .unwrap();
        let (one, two) = (&run.span, &again.runs[0].span);
        assert_eq!(
            (&one.targets, one.phases, one.seed),
            (&two.targets, two.phases, two.seed)
        );
    }
}
