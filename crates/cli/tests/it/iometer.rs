//! `fathom iometer`: configurations run test by test, results are IOmeter's CSV, and a run becomes a configuration.

use crate::bench::Bench;
use serde_json::Value;

const FILES: [(&str, &[u8]); 2] = [
    ("two-specs.icf", include_bytes!("iometer/two-specs.icf")),
    ("cycled.icf", include_bytes!("iometer/cycled.icf")),
];

fn bench() -> Bench {
    let bench = Bench::new();
    for (name, bytes) in FILES {
        std::fs::write(bench.path(name), bytes).unwrap();
    }
    bench
}

#[test]
fn each_access_specification_is_a_run_and_the_csv_is_read_back_as_the_same() {
    let bench = bench();
    let reported =
        bench.line("iometer two-specs.icf r.csv --target-map C:=iobw.tst --duration 300ms");
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    assert!(
        reported.out.contains("[mail server] 4 outstanding")
            && reported.out.contains("[backup] 4 outstanding"),
        "{}",
        reported.out
    );
    assert!(
        reported.out.contains("4 KiB (27%), 64 KiB (73%)"),
        "bursts give more I/Os: {}",
        reported.out
    );
    let reported = bench.line("import r.csv");
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    for number in [1, 2] {
        let [ours, theirs] = [format!("1.{number}"), format!("2.{number}")].map(|run| {
            let said = bench.line(&format!("show {run} --json"));
            serde_json::from_str::<Value>(&said.out).unwrap_or_else(|_| panic!("{}", said.err))
        });
        let ios = ours["operations"].as_array().unwrap().last().unwrap()["ios"]
            .as_u64()
            .unwrap();
        assert!(
            theirs.to_string().contains(&format!("\"ios\":{ios}")),
            "{ios} in {theirs}"
        );
    }
}

#[test]
fn outstanding_ios_are_cycled_one_run_after_another() {
    let bench = bench();
    let line =
        "iometer cycled.icf --target-map C:=one.dat --target-map D:=two.dat --duration 200ms";
    let reported = bench.line(line);
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    for depth in [1, 2, 4] {
        assert!(
            reported
                .out
                .contains(&format!("[mail server] {depth} outstanding")),
            "{}",
            reported.out
        );
    }
    assert!(bench.path("one.dat").exists() && bench.path("two.dat").exists());
}

#[test]
fn a_target_of_windows_is_refused_with_the_words_that_name_it() {
    let bench = bench();
    let before = bench.snapshot();
    let reported = bench.line("iometer cycled.icf --target-map C:=one.dat");
    assert_eq!(reported.code, Some(2));
    assert!(
        reported.err.contains("line ") && reported.err.contains("--target-map 'D:=/PATH/iobw.tst'"),
        "{}",
        reported.err
    );
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_file_of_somebody_else_is_not_written_over() {
    let bench = bench();
    bench.write("mine", 8 << 20);
    let before = bench.snapshot();
    let reported = bench.line("iometer two-specs.icf --target-map C:=mine --duration 1s");
    assert_eq!(reported.code, Some(2));
    assert!(reported.err.contains("--overwrite"), "{}", reported.err);
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_cut_or_foreign_file_is_refused_with_its_line() {
    let bench = bench();
    let whole = FILES[0].1;
    for (name, bytes) in [
        ("cut", &whole[..whole.len() / 2]),
        ("none", b"" as &[u8]),
        ("png", b"\x89PNG\r\n\x1a\n\0\0"),
    ] {
        std::fs::write(bench.path(name), bytes).unwrap();
        let reported = bench.line(&format!("iometer {name} --target-map C:=x"));
        assert_eq!(reported.code, Some(2), "{name}");
        assert!(reported.err.contains("line "), "{name}: {}", reported.err);
    }
}

#[test]
fn a_run_becomes_a_configuration_that_runs() {
    let bench = Bench::new();
    let line = "run -b 4K:60,64K:40:write=100 -o 2 --create 4M -d 1s --warmup 0s f";
    assert_eq!(bench.line(line).code, Some(0));
    let reported = bench.line("iometer 1 --write-icf out.icf");
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    let text = std::fs::read_to_string(bench.path("out.icf")).unwrap();
    assert!(
        text.contains("\t4096,60,100,100,0,1,4096,0\r\n\t65536,40,0,100,0,1,65536,0\r\n"),
        "{text}"
    );
    let reported = bench.line("iometer out.icf --duration 200ms");
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    let reported = bench.line("run --engine null -d 1s --warmup 0s");
    assert_eq!(reported.code, Some(0));
    let reported = bench.line("iometer 3 --write-icf null.icf");
    assert_eq!(reported.code, Some(2));
    assert!(
        reported.err.contains("IOmeter cannot express this run"),
        "{}",
        reported.err
    );
}
