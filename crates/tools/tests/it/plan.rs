//! What a request becomes: each rule of the original that `build` keeps for the engine.

use crate::facts::profile;
use model::{BeyondEnd, Bytes, CacheMode, EngineChoice, Nanos, OnError, Pacing, WriteContent};
use tools::diskspd::{Built, Compat, Extra, Profile, build, read_xml};

pub(crate) fn plan(line: &str) -> model::Timespan {
    built(&profile(line)).profile.timespans.remove(0)
}

fn built(profile: &Profile) -> Built {
    build(profile, &Extra::default()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn refusal(profile: &Profile) -> String {
    let built = build(profile, &Extra::default());
    built.expect_err("it is refused").to_string()
}

fn document(root: &str, spans: &[&str]) -> Profile {
    let spans: String = spans
        .iter()
        .map(|span| format!("<TimeSpan>{span}</TimeSpan>"))
        .collect();
    read_xml(&format!(
        "<Profile>{root}<TimeSpans>{spans}</TimeSpans></Profile>"
    ))
    .expect("the document is good")
}

#[test]
fn the_range_ends_where_the_end_or_the_target_is() {
    for (line, base, length) in [
        ("f", 0, None),
        ("-B1M f", 1 << 20, None),
        ("-f4M f", 0, Some(4 << 20)),
        ("-B1M -f4M f", 1 << 20, Some(3 << 20)),
        ("-B1M:1M f", 1 << 20, Some(1 << 20)),
        ("-f0 f", 0, None),
    ] {
        let target = plan(line).targets.remove(0);
        assert_eq!(
            (target.base, target.length),
            (Bytes(base), length.map(Bytes)),
            "{line}"
        );
        assert_eq!(target.beyond_end, BeyondEnd::Clip, "{line}");
    }
}

#[test]
fn a_burst_is_shared_out_over_the_threads_and_has_one_io_at_least() {
    for (id, line, expected) in [
        ("E052", "-i10 -j100 -t1 f", 10),
        ("E053", "-i10 -j100 -t4 f", 2),
        ("E054", "-i2 -j100 -t4 f", 1),
        ("pool", "-i9 -j100 -F3 f g", 3),
    ] {
        let pause = Nanos::millis(100);
        assert_eq!(
            plan(line).targets[0].pacing,
            Pacing::Bursts {
                ios: expected,
                pause
            },
            "{id}"
        );
    }
    let rate = Pacing::Rate {
        bytes_per_s: 567_000,
    };
    assert_eq!(
        plan("-g567 -i9 -j5 f").targets[0].pacing,
        rate,
        "a rate makes bursts meaningless"
    );
}

#[test]
fn weights_mean_something_in_a_pool_with_shared_slots_only() {
    let target = "<Targets><Target><Path>f</Path><Weight>70</Weight></Target></Targets>";
    let weight = |pool: &str| {
        let profile = document("", &[&format!("{pool}{target}")]);
        built(&profile).profile.timespans[0].targets[0].weight
    };
    assert_eq!(
        weight("<ThreadCount>2</ThreadCount><RequestCount>8</RequestCount>"),
        70
    );
    assert_eq!(weight("<ThreadCount>2</ThreadCount>"), 1);
    assert_eq!(weight("<RequestCount>8</RequestCount>"), 1);
    assert_eq!(weight(""), 1);
}

#[test]
fn a_pool_counts_its_threads_once() {
    let pool = plan("-F4 f g");
    assert_eq!(
        pool.pool,
        Some(model::Pool {
            threads: 4,
            outstanding: None,
            draw: model::PoolDraw::ByWeight
        })
    );
    assert!(pool.targets.iter().all(|target| target.threads == 1));
    let shared = plan("-F4 -O8 f").pool;
    assert_eq!(
        shared,
        Some(model::Pool {
            threads: 4,
            outstanding: Some(8),
            draw: model::PoolDraw::ByWeight
        })
    );
    let alone = plan("-t4 -O8 f");
    assert_eq!(
        (alone.pool, alone.targets[0].threads),
        (None, 4),
        "-O alone changes nothing"
    );
}

#[test]
fn a_mapping_goes_through_the_cache_whatever_is_said_beside_it() {
    for (line, reported) in [
        ("-Sm -w10 f", None),
        ("-Smb f", None),
        ("-Smw -w10 f", Some("-Sw with -Sm")),
        ("-Smr f", Some("-Sr with -Sm")),
    ] {
        let Built { profile, notes } = built(&profile(line));
        let span = &profile.timespans[0];
        let target = &span.targets[0];
        assert_eq!(target.mapped, Some(model::Flush::Never), "{line}");
        assert_eq!(
            (target.cache, target.write_through),
            (CacheMode::Cached, false),
            "{line}"
        );
        assert_eq!(span.engine, EngineChoice::Auto, "{line}");
        let notes: Vec<_> = notes.iter().map(ToString::to_string).collect();
        match reported {
            Some(words) => assert!(notes.len() == 1 && notes[0].contains(words), "{notes:?}"),
            None => assert!(notes.is_empty(), "{notes:?}"),
        }
    }
}

#[test]
fn what_is_asked_of_the_cache_and_the_data_reaches_the_plan() {
    for (line, cache, write_through) in [
        ("f", CacheMode::Cached, false),
        ("-Sw f", CacheMode::Cached, true),
        ("-Su f", CacheMode::Unbuffered, false),
        ("-Sh f", CacheMode::Unbuffered, true),
        ("-Srw f", CacheMode::LocalOff, true),
    ] {
        let target = plan(line).targets.remove(0);
        assert_eq!(
            (target.cache, target.write_through),
            (cache, write_through),
            "{line}"
        );
    }
    let source = |file: Option<&str>| WriteContent::Source {
        bytes: Bytes(1 << 20),
        file: file.map(Into::into),
    };
    for (id, line, content) in [
        ("none", "f", WriteContent::Pattern),
        ("E064", "-Z f", WriteContent::Zero),
        ("E065", "-Z1m,/e f", source(Some("/e"))),
        ("E066", "-Z1m -Su f", source(None)),
        ("-Zr", "-Zr f", WriteContent::Fresh),
        ("-Zr is ignored with -Z", "-Zr -Z f", WriteContent::Zero),
        ("-Zr is ignored with a source", "-Zr -Z1m f", source(None)),
    ] {
        assert_eq!(plan(line).targets[0].content, content, "{id}");
    }
}

#[test]
fn files_are_made_where_a_size_is_given_and_devices_never() {
    let create = |line: &str| plan(line).targets[0].create;
    assert_eq!(create("f"), None);
    assert_eq!(create("-c0 f"), None);
    assert_eq!(create("-c1m f"), Some(Bytes(1 << 20)));
    assert_eq!(create("-c1m -W0 -d1 /dev/x"), None, "E057");
    let exactly = plan("-c1m f").targets[0].create_exactly;
    assert!(
        exactly,
        "E056: a larger file is created again with the requested size"
    );
}

#[test]
fn precreated_files_have_one_size_in_all_time_spans() {
    let span = |size: u32| {
        format!("<Targets><Target><Path>f</Path><FileSize>{size}</FileSize></Target></Targets>")
    };
    let spans = [span(65_536_000), span(131_072_000)];
    let spans: Vec<&str> = spans.iter().map(String::as_str).collect();
    let sizes = |root: &str| -> Vec<Option<Bytes>> {
        let profile = document(root, &spans);
        let timespans = built(&profile).profile.timespans;
        timespans
            .iter()
            .map(|span| span.targets[0].create)
            .collect()
    };
    let largest = Some(Bytes(131_072_000));
    let max = "<PrecreateFiles>UseMaxSize</PrecreateFiles>";
    assert_eq!(sizes(max), [largest; 2], "E058");
    let constant = "<PrecreateFiles>CreateOnlyFilesWithConstantSizes</PrecreateFiles>";
    assert_eq!(sizes(constant), [Some(Bytes(65_536_000)), largest], "E058");
    assert_eq!(sizes(""), [Some(Bytes(65_536_000)), largest]);
}

/// Case X065: the table is not available, so it is not omitted in silence.
#[test]
fn statistics_of_waiting_are_refused_and_their_profile_is_not() {
    let words = refusal(&profile("-vs f"));
    assert!(
        words.starts_with("-vs: ") && words.contains("omit -vs"),
        "{words}"
    );
    assert!(
        tools::diskspd::write_xml(&profile("-Rpxml -vs f"), 0, Compat::V2_2)
            .contains("VerboseStats")
    );
}

#[test]
fn experiment_bits_are_what_the_engine_does_or_said_to_mean_nothing() {
    let notes = |line: &str| -> Vec<String> {
        let notes = built(&profile(line)).notes;
        notes.iter().map(ToString::to_string).collect()
    };
    assert!(notes("-:0 f").is_empty());
    let one = notes("-:1 -g100 f");
    assert!(
        one.len() == 1 && one[0].contains("-:1: bit 0") && one[0].contains("always"),
        "{one:?}"
    );
    let both = notes("-:3 f");
    assert!(
        both.len() == 2 && both[1].contains("only bit 0 has a meaning"),
        "{both:?}"
    );
}

#[test]
fn intervals_are_as_asked_and_never_what_a_long_run_is_refused_for() {
    assert_eq!(plan("-D250 f").interval, Nanos::millis(250));
    assert_eq!(plan("f").interval, Nanos::seconds(1));
    assert_eq!(plan("-d2147483647 f").interval, Nanos::seconds(21_474));
    assert_eq!(plan("-D -d2147483647 f").interval, Nanos::seconds(1));
}

#[test]
fn a_failed_io_ends_the_run_unless_reported_otherwise() {
    let profile = profile("f");
    let go_on = Extra {
        continue_on_error: true,
        ..Extra::default()
    };
    let found = build(&profile, &go_on).unwrap().profile;
    assert_eq!(found.timespans[0].on_error, OnError::Continue);
    assert_eq!(built(&profile).profile.timespans[0].on_error, OnError::Stop);
}
