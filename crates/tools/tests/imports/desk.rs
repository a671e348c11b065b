//! Texts to read, and short ways to read them.

use model::{Bytes, ImportedRun, Nanos, Ratio};
use tools::imports::{Reading, read};

pub(super) const SEED_000: &str = include_str!("texts/seed_000.txt");
pub(super) const SEED_001: &str = include_str!("texts/seed_001.txt");
pub(super) const SEED_002: &str = include_str!("texts/seed_002.txt");
pub(super) const DEFAULT: &str = include_str!("../../../tools/tests/results/diskspd/default.txt");
pub(super) const TWO_SPANS: &str =
    include_str!("../../../tools/tests/results/diskspd/two_spans.txt");
pub(super) const TWO_TARGETS: &str =
    include_str!("../../../tools/tests/results/diskspd/two_targets.txt");
pub(super) const TWO_TARGETS_XML: &str =
    include_str!("../../../tools/tests/results/diskspd/two_targets.xml");
pub(super) const FIO_JOBS: &str = include_str!("texts/fio_jobs.json");

/// A seed of the fuzzer of importers.
macro_rules! seed {
    ($name:literal) => {
        include_str!(concat!(
            "../../../../fuzz/seeds/import_others/",
            $name,
            ".txt"
        ))
    };
}
pub(super) use seed;

pub(super) const READ: Option<Ratio> = Some(Ratio::NONE);
pub(super) const WRITTEN: Option<Ratio> = Some(Ratio::ALL);

pub(super) fn reading(text: &str) -> Reading {
    read("a.txt", text.as_bytes()).expect("something in it is known")
}

/// All runs; nothing is broken.
pub(super) fn runs(text: &str) -> Vec<ImportedRun> {
    let reading = reading(text);
    assert_eq!(reading.broken, []);
    reading.runs
}

/// The only run.
pub(super) fn one(text: &str) -> ImportedRun {
    let mut runs = runs(text);
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// The only trouble: its line and its words.
pub(super) fn trouble(text: &str) -> (u32, String) {
    let mut reading = reading(text);
    assert_eq!(reading.broken.len(), 1, "{:?}", reading.broken);
    let broken = reading.broken.remove(0);
    (broken.line, broken.what)
}

pub(super) fn us(us: u64) -> Option<Nanos> {
    Some(Nanos::micros(us))
}

pub(super) fn mib(rate: f64) -> Option<f64> {
    Some(rate * 1_048_576.0)
}

pub(super) fn bytes(count: u64) -> Option<Bytes> {
    Some(Bytes(count))
}

/// The text without its first line that begins so.
pub(super) fn without(text: &str, line: &str) -> String {
    let kept = text.lines().filter(|l| !l.trim().starts_with(line));
    kept.map(|line| format!("{line}\n")).collect()
}
