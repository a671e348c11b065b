//! The case files: for each cause a composed document with the figures that it leaves, the finding that names it, and the
//! nearest innocent document, about which that finding is silent.
//!
//! A case is a file of `causes/`, a line a field: `cause`, `expect` (rule and severity), `figure` (name and value of the
//! evidence, within 2%), `line` (what the verdict line contains), `known` (hints of a person), `guilty` and `innocent`
//! (a line for `documents`, which makes the tool's text of it, or for `own`, which makes a record of fathom). They go the
//! whole way: text, reader, rules, verdict. Prints sensitivity and false alarms; `cargo xtask cases` shows them.
//! Deliberately absent: texts of others.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this is a test, helpers too; the table is its output"
)]

mod bad_input;
mod documents;
mod next;
mod own;
mod reference;

use analysis::{
    Finding, Known, Medium, Observed, Severity, imported_report_knowing, run_report_knowing,
    session_findings,
};
use expect_test::expect_file;
use model::ImportedRun;
use std::path::Path;

struct Case {
    name: String,
    cause: String,
    rule: String,
    severity: Severity,
    figures: Vec<(String, f64)>,
    line: Option<String>,
    known: Known,
    guilty: String,
    innocent: String,
}

impl Case {
    fn read(name: &str, text: &str) -> Case {
        let all = |field: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(": "));
            let of = lines.filter(|(name, _)| *name == field);
            of.map(|(_, value)| value.trim().to_owned())
                .collect::<Vec<_>>()
        };
        let one = |field: &str| {
            let mut found = all(field);
            assert_eq!(found.len(), 1, "{name}: one line `{field}: …`");
            found.remove(0)
        };
        let expect = one("expect");
        let (rule, severity) = expect.split_once(' ').expect("rule and severity");
        let figure = |text: String| {
            let (name, value) = text.split_once(' ').expect("name and value");
            (name.to_owned(), value.parse().expect("a number"))
        };
        Case {
            name: name.to_owned(),
            cause: one("cause"),
            rule: rule.to_owned(),
            severity: match severity {
                "note" => Severity::Note,
                "warning" => Severity::Warning,
                "error" => Severity::Error,
                other => panic!("{name}: {other} is no severity"),
            },
            figures: all("figure").into_iter().map(figure).collect(),
            line: all("line").pop(),
            known: known(&all("known")),
            guilty: one("guilty"),
            innocent: one("innocent"),
        }
    }

    /// What is wrong with the report of the guilty document.
    fn missed(&self, report: &Judged) -> Option<String> {
        let found = report
            .findings
            .iter()
            .find(|one| one.id.as_str() == self.rule);
        let reported = || {
            report
                .findings
                .iter()
                .map(|one| one.id.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let Some(finding) = found else {
            return Some(format!("not found; but {}", reported()));
        };
        if finding.severity != self.severity {
            return Some(format!("is {:?}", finding.severity));
        }
        if let Some(cause) = finding.because {
            return Some(format!("follows from {cause}"));
        }
        let off = self
            .figures
            .iter()
            .find(|(name, value)| !has_figure(finding, name, *value));
        if let Some((name, value)) = off {
            return Some(format!("{name} is not {value}: {:?}", finding.evidence));
        }
        let sentence = &report.sentence;
        let line = self
            .line
            .as_ref()
            .filter(|line| !sentence.contains(line.as_str()));
        line.map(|line| format!("`{line}` is not in `{sentence}`"))
    }
}

fn has_figure(finding: &Finding, name: &str, value: f64) -> bool {
    let near = |is: f64| (is - value).abs() <= 0.02 * value.abs();
    finding
        .evidence
        .iter()
        .any(|one| one.name == name && near(one.value))
}

fn known(lines: &[String]) -> Known {
    let mut known = Known::default();
    for line in lines {
        let (name, value) = line.split_once('=').expect("name=value");
        let number = || value.parse::<f64>().expect("a number");
        match name {
            "medium" => known.medium = Some(value.parse::<Medium>().expect("a medium")),
            "cap-iops" => known.cap_per_s = Some(number()),
            "cap-mibs" => known.cap_bytes_per_s = Some(number() * 1_048_576.0),
            "array-cache-gib" => {
                known.array_cache_bytes = Some((number() * 1_073_741_824.0) as u64);
            }
            "published" => known.caps = tools::published_caps(),
            other => panic!("{other} is no hint"),
        }
    }
    known
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/causes");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let case = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Case::read(&name, &std::fs::read_to_string(path).unwrap())
    };
    files.iter().map(case).collect()
}

/// Findings on a document or a record.
struct Judged {
    findings: Vec<Finding>,
    sentence: String,
}

fn report(case: &Case, line: &str) -> Judged {
    if let Some(figures) = line.strip_prefix("own ") {
        let report = run_report_knowing(&own::record(figures), &case.known);
        return Judged {
            sentence: report.verdict.sentence(),
            findings: report.findings,
        };
    }
    let text = documents::text(line);
    let reading = tools::imports::read("case.txt", &text)
        .unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name));
    assert_eq!(reading.broken, [], "{}: {text}", case.name);
    if reading.runs.len() > 1 {
        let runs: Vec<Observed> = reading.runs.iter().map(Observed::of_imported).collect();
        return together(&runs, &reading.runs, &case.known);
    }
    assert_eq!(reading.runs.len(), 1, "{}: {text}", case.name);
    let report = imported_report_knowing(&reading.runs[0], &case.known);
    Judged {
        sentence: report.verdict.sentence(),
        findings: report.findings,
    }
}

/// Findings on several runs, and on each of them. They have no verdict: its line is that of the first finding.
fn together(observed: &[Observed], runs: &[ImportedRun], known: &Known) -> Judged {
    let mut findings = session_findings(observed, known);
    let first = findings.first();
    let sentence = first.map_or_else(String::new, |first| first.sentence.clone());
    for run in runs {
        findings.extend(imported_report_knowing(run, known).findings);
    }
    Judged { findings, sentence }
}

/// What to do next about the guilty document of a case.
fn advice(case: &Case) -> String {
    let report = report(case, &case.guilty);
    let found = report
        .findings
        .iter()
        .find(|one| one.id.as_str() == case.rule);
    found.map_or_else(String::new, |finding| finding.advice.clone())
}

#[test]
fn each_cause_is_named_and_its_innocent_neighbour_is_not_accused() {
    let cases = cases();
    let (mut missed, mut alarms) = (Vec::new(), Vec::new());
    for case in &cases {
        if let Some(why) = case.missed(&report(case, &case.guilty)) {
            missed.push(format!(
                "{} ({}): {} {why}",
                case.name, case.cause, case.rule
            ));
        }
        let innocent = report(case, &case.innocent);
        if let Some(alarm) = innocent
            .findings
            .iter()
            .find(|one| one.id.as_str() == case.rule)
        {
            alarms.push(format!("{}: {}", case.name, alarm.sentence));
        }
    }
    let of = |wrong: usize| format!("{wrong} of {}", cases.len());
    println!("cases: {}", cases.len());
    println!(
        "missed: {} (sensitivity {:.1}%)",
        of(missed.len()),
        share(cases.len() - missed.len(), cases.len())
    );
    println!(
        "false alarms: {} ({:.1}%)",
        of(alarms.len()),
        share(alarms.len(), cases.len())
    );
    println!(
        "{:<24} {:>6} {:>7} {:>7}",
        "rule", "cases", "missed", "alarms"
    );
    let mut rules: Vec<&str> = cases.iter().map(|case| case.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    for rule in rules {
        let count = |names: &[String]| {
            let mine = cases.iter().filter(|case| case.rule == rule);
            mine.filter(|case| names.iter().any(|name| name.starts_with(&case.name)))
                .count()
        };
        let all = cases.iter().filter(|case| case.rule == rule).count();
        println!(
            "{rule:<24} {all:>6} {:>7} {:>7}",
            count(&missed),
            count(&alarms)
        );
    }
    assert!(
        missed.is_empty() && alarms.is_empty(),
        "missed:\n{}\nfalse alarms:\n{}",
        missed.join("\n"),
        alarms.join("\n")
    );
}

/// The page of all causes is the table of cases.
#[test]
fn the_page_of_recognised_causes_is_the_table_of_cases() {
    let mut page = String::from(RECOGNISED_HEAD);
    let cases = cases();
    for one in analysis::explanations() {
        let of_rule = cases.iter().filter(|case| case.rule == one.id);
        let next = |case: &Case| {
            let command = next::command(&case.rule, &case.guilty);
            (advice(case), command, case.cause.clone())
        };
        let mut causes: Vec<(String, String, String)> = of_rule.map(next).collect();
        causes.sort_unstable();
        causes.dedup();
        if causes.is_empty() {
            continue;
        }
        page += &format!("\n## {}\n\n", one.id);
        let mut before = "";
        for (advice, command, cause) in &causes {
            if advice != before {
                let end = if before.is_empty() { "" } else { "```\n\n" };
                page += &format!("{end}Next: {advice}\n\n```text\n");
            }
            page += &format!("{command:<55} # {cause}\n");
            before = advice;
        }
        page += "```\n";
        page += &format!("\n**Evidence needed.** {}\n", one.method);
        page += &format!(
            "\n**In general.** {} [More](findings/{}.md)\n",
            one.advice, one.id
        );
    }
    page += STAGED;
    expect_file!["../../../../docs/recognised.md"].assert_eq(&page);
}

const RECOGNISED_HEAD: &str = "\
# What fathom recognises

Each cause below is named by the finding of its heading, with its figure in the verdict line. `cargo xtask cases` shows it: a
document or record with the evidence must be accused, and the nearest innocent one must not be. Most are causes in imported
results; runs of fathom are judged by the same rules with more evidence ([findings](findings.md)). Above the causes is what
decides next, before each the command for it; TARGET is what was measured.

Two further tests draw what they judge. `cargo xtask campaign` (as root) lets fio write 300 honest documents on devices that it
creates, and lists each finding that is not true of its document (`--seed N`, `--keep FOLDER`). `cargo xtask cases --drawn 100`
judges simulated devices with one known fault or none; `--seed BASE` draws devices that no rule was fitted to.

This page is generated from the case files (`UPDATE_EXPECT=1 cargo test -p fathom --test cases`).
";

const STAGED: &str = "
## Staged live

Tests make these causes on the machine that they run on, as root, and are skipped with the reason elsewhere
(`cargo test -p fathom --test it -- staged:: --nocapture`).

| staged | finding |
|---|---|
| control group of 777 IOPS and of 61 MiB/s on the disk below a file; of 600 to 4000 IOPS and 48 MiB/s on a loop device | `cgroup-io-limit`, the limit within 2% |
| the same with the control groups hidden, as in a container | `iops-limit`, `bandwidth-limit`, within 2% |
| reads through the page cache | `page-cache` |
| a loop device over the page cache | `loop-page-cache` |
| a file that was reserved and never written; a file of holes | `unwritten-extents` |
| another program that reads the device | `noisy-neighbour` |
| a core at 100% CPU; a CPU quota | `cpu-bound` or `fathom-cpu-bound`; `cgroup-cpu-limit` |
| buffered reads with libaio | `synchronous-submission` |
| durable writes one at a time | `commit-latency` |
| a discarded device; a file system mounted with sync | `zero-data`; `mount-options` |
";

fn share(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}
