//! Surveys of small files and of nothing at all.

use crate::bench::Bench;

/// Seven cells of a third of a second.
const SHORT: &str = "survey --depth-max 1 --budget 3s --json";

/// Workloads with a result; what time remains goes into a second run of some. A busy machine has no time for all.
fn measured(report: &serde_json::Value) -> usize {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().filter(|row| !row["best"].is_null()).count()
}

#[test]
fn a_survey_makes_its_file_keeps_it_and_uses_it_again() {
    let bench = Bench::new();
    let said = bench.line(&format!("{SHORT} --size 64M")).good();
    let report = said.json();
    assert_eq!(report["rows"].as_array().unwrap().len(), 7);
    assert!(measured(&report) > 0);
    assert!(
        said.err
            .contains("fathom.dat: created and filled with 64 MiB"),
        "{}",
        said.err
    );
    assert_eq!(
        std::fs::metadata(bench.path("fathom.dat")).unwrap().len(),
        64 << 20
    );

    let again = bench.line(&format!("{SHORT} --read-only")).good();
    assert!(
        again.err.contains("created earlier and used again"),
        "{}",
        again.err
    );
    assert_eq!(again.json()["rows"].as_array().unwrap().len(), 4);

    let shown = bench.line("show 2 --json").good();
    assert_eq!(shown.out, again.out);
    bench.line("show 1.3").good();
    bench.line("show 1.99").refused("it has 1.1 to 1.");
}

#[test]
fn a_survey_is_shown_again_as_it_was_printed() {
    let bench = Bench::new();
    let printed = bench
        .line("survey --size 64M --depth-max 1 --budget 3s")
        .good();
    let all = bench.line("show 1 --verbose").good().out;
    assert!(all.contains("filled 64 MiB in"), "{all}");
    assert_eq!(bench.line("show 1").good().out, printed.out);
}

#[test]
fn a_folder_is_surveyed_by_a_file_in_it_and_a_new_name_is_confirmed() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    let more = "--size 64M --depth-max 1 --budget 3s --page none";
    bench
        .line(&format!("survey nonexistent {more}"))
        .refused("nonexistent: there is no such file or device");
    assert!(!bench.path("nonexistent").exists());
    bench.line(&format!("survey d {more}")).good();
    assert!(bench.path("d/fathom.dat").exists());
    bench
        .line(&format!("survey new --create --rm {more}"))
        .good();
    assert!(!bench.path("new").exists());
}

#[test]
fn the_file_is_removed_when_that_was_asked() {
    let bench = Bench::new();
    let said = bench
        .line(&format!("{SHORT} --size 64M --rm --no-store --read-only"))
        .good();
    assert!(said.err.contains("fathom.dat: removed"), "{}", said.err);
    assert!(bench.snapshot().is_empty());
}

#[test]
fn the_imaginary_device_is_surveyed_without_a_file() {
    let bench = Bench::new();
    let report = bench
        .line(&format!("{SHORT} --engine null --no-store"))
        .good()
        .json();
    assert_eq!(report["rows"].as_array().unwrap().len(), 7);
    assert!(measured(&report) > 0);
    assert!(bench.snapshot().is_empty());
}
