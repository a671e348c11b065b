//! `fathom trace`: its page, its document, and the files that it writes.

use crate::bench::Bench;
use expect_test::expect;
use serde_json::Value;

/// Two seconds of reads in pairs and a write, as blkparse prints them.
fn trace(bench: &Bench) {
    let mut text = String::new();
    for n in 0..2000u64 {
        let (s, ns) = (n / 1000, n % 1000 * 1_000_000);
        let (letters, sector) = if n % 4 == 3 {
            ("WS", n * 64)
        } else {
            ("R", n * 8)
        };
        for (action, late) in [("Q", 0), ("C", 250_000)] {
            let ns = ns + late;
            text += &format!(
                "  8,16   1  {n}  {s}.{ns:09}   697  {action}  {letters} {sector} + 8 [db]\n"
            );
        }
    }
    std::fs::write(bench.path("app.blkparse"), text).unwrap();
}

#[test]
fn a_trace_is_described() {
    let bench = Bench::new();
    trace(&bench);
    let page = bench.line("trace app.blkparse").good();
    expect![[r#"
        app.blkparse: 2000 I/Os in 2.00 s (1001 IOPS), 75% reads; 1 device; format blkparse

        operation  I/Os  share      data  sequential  sizes
        read       1500    75%  5.86 MiB       66.7%  4 KiB 100%
        write       500    25%  1.95 MiB          0%  4 KiB 100%

        busiest       1000 I/Os in 1 s from the start
        arrivals      gaps p50 1 ms, p99 1 ms, max 1 ms; variance/mean of counts 0 in 10 ms, - in 1 s
        latency       p50 250 µs, p99 250 µs, max 250 µs; 0.25 in flight on average
        working set   7.57 MiB (read 5.86 MiB, written 1.95 MiB); the most accessed tenth received 12.8% of the accesses
    "#]]
    .assert_eq(&page.out);
    let document = bench.line("trace app.blkparse --json").good();
    let document: Value = serde_json::from_str(&document.out).unwrap();
    assert_eq!(document["schema_version"], 2);
    assert_eq!(
        (&document["ios"], &document["format"]),
        (&2000.into(), &"blkparse".into())
    );
    assert_eq!(document["operations"][0]["ios"], 1500);
    assert_eq!(document["latency"]["max_ns"], 250_000);
}

#[test]
fn a_part_is_cut_out_and_converted_and_keeps_every_record() {
    let bench = Bench::new();
    trace(&bench);
    let said = bench.line("trace app.blkparse --window 1s.. --convert iotrace --out a.iotrace");
    assert_eq!(said.code, Some(0), "{said:?}");
    let direct = bench
        .line("trace app.blkparse --window 1s.. --convert csv")
        .good();
    let twice = bench.line("trace a.iotrace --convert csv").good();
    assert_eq!(direct.out, twice.out);
    assert_eq!(direct.out.lines().count(), 1001);
    let iolog = bench.line("trace a.iotrace --convert fio3").good();
    assert!(
        iolog
            .out
            .starts_with("fio version 3 iolog\n0 8:16 add\n0 8:16 open\n0 8:16 read "),
        "{}",
        iolog.out
    );
    std::fs::write(bench.path("b.iolog"), iolog.out).unwrap();
    let read = bench.line("trace b.iolog --json").good();
    let read: Value = serde_json::from_str(&read.out).unwrap();
    assert_eq!(
        (&read["ios"], &read["format"]),
        (&1000.into(), &"fio3".into())
    );
}

#[test]
fn what_is_wrong_is_refused_and_nothing_is_written() {
    let bench = Bench::new();
    trace(&bench);
    bench.write("letters", 100);
    std::fs::write(
        bench.path("cut"),
        "fio version 3 iolog\n0 f add\n10 f read 0\n",
    )
    .unwrap();
    std::fs::write(bench.path("empty"), "").unwrap();
    let before = bench.snapshot();
    for (line, message) in [
        (
            "trace letters",
            "letters:byte 0: unknown format, and its content is not printed: must begin as one of the formats",
        ),
        ("trace empty", "empty:byte 0: the file is empty"),
        (
            "trace nowhere",
            "nowhere: cannot be read: No such file or directory",
        ),
        (
            "trace cut --convert csv --out new",
            "cut:3: invalid value '' for LENGTH: must be a whole number",
        ),
        (
            "trace app.blkparse --convert csv --out letters",
            "letters: already exists",
        ),
        (
            "trace app.blkparse --convert parquet",
            "invalid value 'parquet' for --convert: must be iotrace, fio3, csv",
        ),
        (
            "trace app.blkparse --window 2s..1s",
            "invalid value '2s..1s' for --window: must end after it begins",
        ),
        (
            "trace app.blkparse --window 9s..",
            "the trace has no I/Os in this window",
        ),
        (
            "trace app.blkparse --format alibaba",
            "app.blkparse:1: this is not of the format alibaba",
        ),
    ] {
        bench.line(line).refused(message);
    }
    assert_eq!(bench.snapshot(), before);
}
