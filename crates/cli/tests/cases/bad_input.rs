//! Documents whose figures are missing, zero, negative, no number or beyond all bounds, for every reader: each number of
//! each document is replaced in turn. With any content read, no finding may have a figure that is none.

use crate::documents;
use analysis::imported_report;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a number becomes.
const FIGURES: [&str; 9] = [
    "",
    "0",
    "-1",
    "-0.5",
    "nan",
    "NaN",
    "inf",
    "1e999",
    "99999999999999999999999",
];
/// Numbers of a document that are replaced; those of a longer one are spread evenly.
const NUMBERS_MAX: usize = 60;
/// No more than the beginning of long documents.
const BYTES_MAX: usize = 40_000;

fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../tools/tests/imports/texts", "tests/net/tools"].map(|one| root.join(one));
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let text = |path: PathBuf| {
        let text = String::from_utf8(std::fs::read(&path).ok()?).ok()?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        (text.len() < BYTES_MAX).then_some((name, text))
    };
    files.into_iter().filter_map(text).collect()
}

fn made() -> Vec<(String, String)> {
    let lines = [
        "fio iops=6000 iodepth=64",
        "fio ioengine=psync iodepth=1 rw=write iops=200 sync=4900 opt.fdatasync=1",
        "diskspd t=2 o=8 iops=5000",
        "sqlio iops=2000",
        "dd bs=1M count=1000 of=/dev/sdb oflag=direct",
    ];
    let made = lines.map(|line| {
        let tried = std::panic::catch_unwind(|| documents::text(line));
        (line.to_owned(), tried.unwrap_or_default())
    });
    made.into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// Where the numbers of a text are.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_part = |place: usize| {
            bytes
                .get(place)
                .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
        };
        let begins =
            bytes[at].is_ascii_digit() && !(at > 0 && bytes[at - 1].is_ascii_alphanumeric());
        if !begins {
            at += 1;
            continue;
        }
        let end = (at..).find(|place| !is_part(*place)).unwrap_or(bytes.len());
        found.push(at..end);
        at = end;
    }
    let step = found.len().div_ceil(NUMBERS_MAX).max(1);
    found.into_iter().step_by(step).collect()
}

#[test]
fn no_finding_is_built_on_a_figure_that_is_none() {
    let (mut documents, mut read, mut refused) = (0, 0, 0);
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    for (name, text) in files().into_iter().chain(made()) {
        for place in numbers(&text) {
            for figure in FIGURES {
                let bent = format!("{}{figure}{}", &text[..place.start], &text[place.end..]);
                documents += 1;
                let Ok(reading) = tools::imports::read(&name, &bent) else {
                    refused += 1;
                    continue;
                };
                for run in reading.runs.iter().take(2) {
                    *formats.entry(format!("{:?}", run.format)).or_default() += 1;
                    let report = imported_report(run);
                    read += 1;
                    let bent = || format!("{name}: `{}` is `{figure}`", &text[place.clone()]);
                    for finding in &report.findings {
                        for evidence in &finding.evidence {
                            let value = evidence.value;
                            assert!(value.is_finite(), "{}: {finding:?}", bent());
                        }
                        let words = [&finding.sentence, &finding.advice];
                        let is_none = |text: &&String| {
                            let mut words = text.split(|c: char| !c.is_alphanumeric());
                            words.any(|word| ["NaN", "nan", "inf"].contains(&word))
                        };
                        assert!(!words.iter().any(is_none), "{}: {words:?}", bent());
                    }
                }
            }
        }
    }
    println!("bad input: {documents} documents, {refused} refused, {read} runs read: {formats:?}");
    assert!(
        documents > 3000 && read > 1000 && formats.len() >= 6,
        "{formats:?}"
    );
}
