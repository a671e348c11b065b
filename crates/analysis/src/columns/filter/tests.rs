//! What filters find, and what is informed of those that are none.

use super::super::tests::{cell, missing};
use super::literal::CLOSED;
use super::*;
use crate::columns::column;
use proptest::prelude::*;

fn fitting(filter: &str) -> Vec<u32> {
    let rows = [
        cell(1, 8, 4, 0),
        cell(2, 64, 8, 30),
        cell(3, 8, 16, 100),
        missing(4),
    ];
    let filter = Filter::read(filter).unwrap_or_else(|problems| panic!("{problems:?}"));
    rows.iter()
        .filter(|row| filter.fits(row))
        .map(|row| row.number)
        .collect()
}

#[test]
fn units_are_understood_and_words_bind_as_expected() {
    for (filter, numbers) in [
        ("block=8K", vec![1, 3]),
        ("block=8K and write=0", vec![1]),
        ("block=64K or write=100%", vec![2, 3]),
        ("block=64K or block=8K and write=0", vec![1, 2]),
        ("(block=64K or block=8K) and not write=0", vec![2, 3]),
        ("latency_p99 < 5ms", vec![1]),
        ("latency_p99_ns >= 8000us", vec![2, 3]),
        ("iops > 6.2k", vec![1, 2]),
        ("bytes_per_s > 300M", vec![2]),
        ("threads != 4", vec![2, 3]),
        ("reason ~ SPACE", vec![4]),
        ("reason = -", vec![1, 2, 3]),
        ("tags = Baseline", vec![1, 2, 3]),
        ("tags != baseline", vec![4]),
        ("tags !~ base", vec![4]),
        ("tags != other and tags = -", vec![4]),
        ("BLOCK=64k AND Write_Percent=30", vec![2]),
        ("not latency_p99 < 5ms", vec![2, 3, 4]), // what is not known is not below
        ("latency_p99 != 4ms", vec![2, 3]),
        ("label = '8/4'", vec![1]),
        ("started = 2026-11-21", vec![1, 2, 3]),
        ("started < 2026-11-21T10:30", vec![1, 2, 3]),
        ("started > 2026-11-20", vec![1, 2, 3]),
        ("started > 2026-11-21", vec![]),
        ("id <= 12.2", vec![1, 2]),
        ("NOT (origin=missing)", vec![1, 2, 3]),
    ] {
        assert_eq!(fitting(filter), numbers, "{filter}");
    }
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let reported: Vec<String> =
        Filter::read("blok=8K and write=300 and latency_p99 < 5 and host < 3")
            .unwrap_err()
            .iter()
            .map(ToString::to_string)
            .collect();
    assert_eq!(reported.len(), 4, "{reported:#?}");
    assert!(
        reported[0].starts_with("unknown field 'blok': did you mean 'block_bytes'?"),
        "{}",
        reported[0]
    );
    assert_eq!(
        reported[1],
        "invalid value '300' for write_percent: must be from 0 to 100"
    );
    assert_eq!(
        reported[2],
        "invalid value '5' for latency_p99_ns: must be a time with its unit: 1.5us, 5ms, 2s"
    );
    assert!(reported[3].starts_with("invalid value '3' for host: words compare with"));
}

#[test]
fn a_word_that_no_result_can_have_is_reported_instead_of_finding_nothing() {
    for (filter, reported) in [
        (
            "cache=off",
            "invalid value 'off' for cache: unbuffered, cached, local_off",
        ),
        (
            "pattern != rand",
            "invalid value 'rand' for pattern: random, sequential, mixed, stripe, permuted, zipf, pareto, normal, interleaved, trace",
        ),
    ] {
        assert_eq!(Filter::read(filter).unwrap_err()[0].to_string(), reported);
    }
    assert_eq!(fitting("pattern ~ rand and cache = -"), [1, 2, 3]);
    for (field, words) in CLOSED {
        let about = column(field).unwrap().about;
        assert!(words.iter().all(|word| about.contains(word)), "{about}");
    }
}

#[test]
fn what_is_no_filter_is_reported_with_its_place() {
    for (filter, reported) in [
        ("", "at the end: here a field is named, as in `block=8K`"),
        (
            "block",
            "at the end: after a field comes = != < <= > >= ~ (contains) or !~",
        ),
        (
            "block=",
            "at the end: after the operator comes a value, in quotes where it has spaces",
        ),
        (
            "block=8K write=0",
            "at character 10, 'write': the filter ends here, or continues with `and` or `or`",
        ),
        ("(block=8K", "at the end: a parenthesis is not closed"),
        ("label='x", "at character 7, ''x': a quote ' is not closed"),
    ] {
        let problems = Filter::read(filter).unwrap_err();
        assert_eq!(problems[0].to_string(), reported);
    }
    assert!(Filter::read(&"(".repeat(1000)).is_err());
}

#[test]
fn days_are_counted_as_the_calendar_does() {
    for (text, seconds) in [
        ("1970-01-01", 0),
        ("2000-03-01", 951_868_800),
        ("2026-11-21T10:30", 1_795_257_000),
    ] {
        assert_eq!(
            moment_span(text).unwrap().0,
            seconds * 1_000_000_000,
            "{text}"
        );
    }
    for text in [
        "2026-02-29",
        "2026-13-01",
        "2026-1-1",
        "1969-12-31",
        "2026-11-21T24",
        "21.11.2026",
        "",
    ] {
        assert_eq!(moment_span(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_filter_panic(text in ".{0,60}", words in prop::collection::vec(
        prop::sample::select(vec!["(", ")", "not", "and", "or", "block", "=", "<", "8K", "'", "-", "started"]), 0..12)) {
        let _ = Filter::read(&text);
        let _ = Filter::read(&words.join(" "));
    }
}
