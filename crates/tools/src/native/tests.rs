//! Requests and what they mean; the messages are read here as prose.

use super::*;
use expect_test::expect;
use model::{
    Access, Bytes, CacheMode, EngineChoice, Location, Nanos, NullBehaviour, OnError, Phases,
    QueueDepth, Ratio, Target, Timespan, Workload,
};
use proptest::prelude::*;

fn asking(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = Request {
        targets: vec![PathBuf::from("a")],
        ..Request::default()
    };
    change(&mut request);
    request
}

fn refused(request: &Request) -> String {
    build(request).unwrap_err().to_string()
}

fn only_span(request: &Request) -> Timespan {
    let mut spans = build(request).unwrap().profile.timespans;
    assert_eq!(spans.len(), 1);
    spans.remove(0)
}

#[test]
fn a_target_alone_is_a_request() {
    let span = only_span(&asking(|_| {}));
    assert_eq!(span.phases.measured, Nanos::seconds(10));
    assert_eq!(span.phases.warmup, Nanos::seconds(2));
    assert_eq!(span.interval, Nanos::millis(200));
    assert_eq!(span.targets.len(), 1);
    assert_eq!(span.targets[0].workload.block, Bytes::kib(4));
    assert_eq!(span.targets[0].cache, CacheMode::Unbuffered);
}

#[test]
fn all_problems_are_reported_at_once_with_what_was_read_and_what_is_accepted() {
    let request = asking(|request| {
        request.targets = vec![];
        request.work.block = "64Q".into();
        request.work.depth = "many".into();
        request.work.threads = "-1".into();
        request.work.write = "130".into();
        request.work.pattern = "rnd".into();
        request.place.base = "".into();
        request.place.length = Some("1.5G".into());
        request.place.create = Some("1GB".into());
        request.place.cache = "off".into();
        request.time.duration = "10".into();
        request.time.warmup = "1d".into();
        request.time.cooldown = "s".into();
        request.time.interval = Some("fast".into());
        request.time.rate = Some("50k".into());
        request.time.arrivals = Some("bursty".into());
        request.engine.engine = "posixaio".into();
        request.engine.seed = Some("0x1".into());
    });
    expect![[r#"
        invalid value 'posixaio' for --engine: must be auto, io_uring, libaio, sync, nvme, iocp (on Windows) or null
        invalid value '0x1' for --seed: must be a whole number from 0 to 18446744073709551615
        invalid value '10' for --duration: must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s
        invalid value '1d' for --warmup: must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s
        invalid value 's' for --cooldown: must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s
        invalid value 'fast' for --interval: must be a number with its unit: 500ms, 90s, 3m, 1h, or joined as in 1m30s
        invalid value '50k' for --rate: must be a whole number of IOPS over all threads, 1 to 1000000000: 5000 or 5000/s
        invalid value 'bursty' for --arrivals: arrivals are constant (at equal distances) or poisson (at random, as independent users come)
        invalid value 'many' for --depth: must be a whole number from 1 to 32768
        invalid value '130' for --write: must be a whole number from 0 to 100
        invalid value 'rnd' for --pattern: must be random, permuted (each block once a pass), zipf:THETA (above 0, not 1), pareto:SHARE (between 0 and 1), normal:PERCENT (0 to 100) or sequential
        invalid value '64Q' for --block: must be a whole number with K, M, G or T after it (4K = 4096 bytes), or plain bytes
        invalid value '-1' for --threads: threads are a whole number from 1 to 1024 for each target
        invalid value '' for --base: must be a whole number with K, M, G or T after it (4K = 4096 bytes), or plain bytes
        invalid value '1.5G' for --length: must be a whole number with K, M, G or T after it (4K = 4096 bytes), or plain bytes
        invalid value '1GB' for --create: KB, MB and GB mean 1000 to some and 1024 to others: write 4K or 4KiB for 4096, or plain bytes
        invalid value 'off' for --cache: must be unbuffered (past the system's cache) or cached (through the system's cache)
        no target: specify a file or a device at the end of the line"#]]
    .assert_eq(&refused(&request));
}

#[test]
fn the_engine_null_takes_no_target_and_nothing_that_needs_one() {
    let request = asking(|request| {
        request.engine.engine = "null".into();
        request.place.create = Some("1G".into());
        request.place.cache = "cached".into();
        request.place.write_through = true;
    });
    expect![[r#"
        a: the engine null moves no bytes, so it takes no target: omit the name, or specify another engine
        --create: the engine null has no file, no cache and no storage: omit it, or specify another engine
        --cache cached: the engine null has no file, no cache and no storage: omit it, or specify another engine
        --write-through: the engine null has no file, no cache and no storage: omit it, or specify another engine"#]]
    .assert_eq(&refused(&request));
}

#[test]
fn null_options_are_for_the_engine_null_only() {
    let request = asking(|request| {
        request.engine.null_size = Some("1G".into());
        request.engine.null_delay = Some("1ms".into());
        request.engine.null_error_every = Some("9".into());
    });
    expect![[r#"
        --null-size: this is for the engine null only: add --engine null, or omit it
        --null-delay: this is for the engine null only: add --engine null, or omit it
        --null-error-every: this is for the engine null only: add --engine null, or omit it"#]]
    .assert_eq(&refused(&request));
}

#[test]
fn a_name_is_given_once_and_is_text() {
    let twice = asking(|request| {
        request.targets = ["a", "b", "a", "a", ""].map(PathBuf::from).to_vec();
    });
    expect![[r#"
        a: given twice as a target: specify it once, and specify --threads for more load on it
        a target: read an empty name; specify a file or a device"#]]
    .assert_eq(&refused(&twice));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let name = std::ffi::OsString::from_vec(vec![b'a', 0xFF]);
    let request = asking(|request| request.targets = vec![name.into()]);
    assert!(refused(&request).contains("this name is not UTF-8"));
}

#[test]
fn a_short_run_still_has_fifty_steps() {
    for (duration, interval) in [
        ("1h", Nanos::seconds(1)),
        ("50s", Nanos::seconds(1)),
        ("49s", Nanos::millis(500)),
        ("10s", Nanos::millis(200)),
        ("1s", Nanos::millis(20)),
        ("15ms", Nanos::millis(1)),
        ("1ns", Nanos::millis(1)),
        ("0s", Nanos::millis(1)),
    ] {
        let span = only_span(&asking(|request| request.time.duration = duration.into()));
        assert_eq!(span.interval, interval, "{duration}");
    }
}

#[test]
fn what_changes_nothing_is_noted() {
    let request = asking(|request| {
        request.place.write_through = true;
        request.time.interval = Some("1m".into());
    });
    let notes: Vec<String> = build(&request)
        .unwrap()
        .notes
        .iter()
        .map(ToString::to_string)
        .collect();
    expect![[r#"
        note: --write-through: nothing is written (write 0), so this changes nothing
        note: --interval: it is longer than the duration, so the time series has one step"#]]
    .assert_eq(&notes.join("\n"));
}

#[test]
fn a_printed_line_says_every_value_and_guards_names_that_look_like_options() {
    let request = asking(|request| request.targets = ["a", "-b"].map(PathBuf::from).to_vec());
    let line = print(&only_span(&request)).unwrap().join(" ");
    expect!["fathom run -b 4K -o 1 -t 1 -w 0 --pattern random --base 0 --cache unbuffered -d 10s --warmup 2s --cooldown 0s --interval 200ms --engine auto --cores free --seed 0 -- a -b"]
        .assert_eq(&line);
}

#[test]
fn what_cannot_be_said_is_not_printed() {
    let mut span = only_span(&asking(|request| {
        request.targets = ["a", "b"].map(PathBuf::from).to_vec();
    }));
    span.targets[1].threads = 2;
    assert_eq!(print(&span), None);
    span.targets.clear();
    assert_eq!(print(&span), None);
}

#[test]
fn a_path_in_two_spellings_is_given_twice_so_there_is_no_line_for_it() {
    let mut span = only_span(&asking(|request| {
        request.targets = [" ", "a"].map(PathBuf::from).to_vec();
    }));
    assert!(print(&span).is_some());
    span.targets[1].location = Location::Path(" /".into());
    assert_eq!(print(&span), None);
}

fn some_target() -> impl Strategy<Value = Target> {
    let range = (
        any::<u64>(),
        proptest::option::of(any::<u64>()),
        proptest::option::of(any::<u64>()),
    );
    let opened = (any::<bool>(), any::<bool>(), any::<u32>());
    let work = (any::<u64>(), any::<u32>(), 0u8..=100, any::<bool>());
    let shape = proptest::option::of((0u8..=100, 0u8..=100));
    (range, opened, work, shape).prop_map(|(range, opened, work, shape)| Target {
        base: Bytes(range.0),
        length: range.1.map(Bytes),
        create: range.2.map(Bytes),
        cache: if opened.0 {
            CacheMode::Cached
        } else {
            CacheMode::Unbuffered
        },
        write_through: opened.1,
        content: shape.map_or(model::WriteContent::default(), |(compress, dedupe)| {
            let [compress, dedupe] = [compress, dedupe].map(|share| Ratio::percent(share).unwrap());
            model::WriteContent::Shaped { compress, dedupe }
        }),
        threads: opened.2,
        ..Target::new(
            Location::Path("a".into()),
            Workload {
                block: Bytes(work.0),
                queue_depth: QueueDepth(work.1),
                write: Ratio::percent(work.2).unwrap(),
                access: if work.3 {
                    Access::Random
                } else {
                    Access::Sequential
                },
            },
        )
    })
}

fn placed(number: u64) -> model::Placement {
    match number % 4 {
        0 => model::Placement::Near,
        1 => model::Placement::RoundRobin,
        2 => model::Placement::Cores(vec![3, 1, 4]),
        _ => model::Placement::Free,
    }
}

fn some_span() -> impl Strategy<Value = Timespan> {
    let times = [any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()];
    let name = "[-a-zà-ú ./]{1,12}".prop_map(PathBuf::from);
    let names = proptest::collection::hash_set(name, 1..4);
    let null = proptest::option::of((any::<u64>(), any::<u64>(), any::<u64>()));
    let means = (
        any::<u64>(),
        0usize..5,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    let spacing = prop_oneof![
        Just(model::Spacing::Constant),
        Just(model::Spacing::Poisson)
    ];
    let arrivals =
        (any::<u64>(), spacing).prop_map(|(per_s, spacing)| model::Arrivals { per_s, spacing });
    let means = (means, proptest::option::of(arrivals));
    (times, names, null, means, some_target()).prop_map(|(times, names, null, means, target)| {
        let (means, arrivals) = means;
        let place = |location| Target {
            location,
            ..target.clone()
        };
        let targets = match null {
            Some((size, delay, error_every)) => vec![Target {
                create: None,
                cache: CacheMode::Unbuffered,
                write_through: false,
                ..place(Location::Null(NullBehaviour {
                    size: Bytes(size),
                    delay: Nanos(delay),
                    error_every,
                    ..NullBehaviour::default()
                }))
            }],
            None => names
                .into_iter()
                .map(|name| place(Location::Path(name)))
                .collect(),
        };
        Timespan {
            start_delay: model::Nanos(0),
            end_with_first: false,
            phases: Phases {
                warmup: Nanos(times[0]),
                measured: Nanos(times[1]),
                cooldown: Nanos(times[2]),
            },
            interval: Nanos(times[3]),
            pool: None,
            queueing: model::Queueing::default(),
            polling: model::Polling {
                completions: means.3,
                submissions: means.4,
            },
            placement: placed(means.0),
            arrivals,
            seed: means.0,
            engine: match null {
                Some(_) => EngineChoice::Null,
                None => EngineChoice::ALL[means.1].0,
            },
            on_error: match means.2 {
                true => OnError::Continue,
                false => OnError::Stop,
            },
            targets,
        }
    })
}

#[test]
fn a_rate_is_a_number_with_or_without_its_unit() {
    let arrivals = |rate: &str, spacing: Option<&str>| {
        let span = only_span(&asking(|request| {
            request.time.rate = Some(rate.into());
            request.time.arrivals = spacing.map(str::to_owned);
        }));
        let arrivals = span.arrivals.unwrap();
        (arrivals.per_s, arrivals.spacing)
    };
    assert_eq!(arrivals("5000", None), (5000, model::Spacing::Constant));
    assert_eq!(
        arrivals("7/s", Some("poisson")),
        (7, model::Spacing::Poisson)
    );
    let alone = asking(|request| request.time.arrivals = Some("poisson".into()));
    expect!["--arrivals: this specifies the spacing of the I/Os of a rate, and no rate is requested: add --rate, or omit it"]
        .assert_eq(&refused(&alone));
}

proptest! {
    #[test]
    fn what_is_restated_means_the_same(span in some_span()) {
        let request = restate(&span);
        prop_assert!(request.is_some());
        prop_assert_eq!(only_span(&request.unwrap()), span);
    }

    #[test]
    fn no_text_makes_it_panic(texts in proptest::collection::vec(".{0,6}", 8)) {
        let request = asking(|request| {
            request.work.block = texts[0].clone();
            request.work.depth = texts[1].clone();
            request.work.write = texts[2].clone();
            request.time.duration = texts[3].clone();
            request.time.interval = Some(texts[4].clone());
            request.place.length = Some(texts[5].clone());
            request.engine.engine = texts[6].clone();
            request.targets.push(texts[7].clone().into());
        });
        let _ = build(&request);
    }
}
