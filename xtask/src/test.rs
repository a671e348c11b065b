//! Compiles and runs the tests: the closing line is `N passed, N failed, N skipped`.
//!
//! cargo-nextest runs them, each in a process of its own; which may run side by side is in `.config/nextest.toml`. Where it
//! can neither be found nor installed, `cargo test` runs them, one program after the other. A test that cannot check what
//! it is for prints `skipped: ` and the reason; it is counted apart and each reason is printed at the end. Everything is
//! compiled for the whole workspace: a library has the features that all its users ask for, and is compiled once.

use crate::{check, setup, tools};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SKIPPED: &str = "skipped: ";
/// Where nextest writes its report, below the folder of builds; `.config/nextest.toml` asks for it.
const REPORT: &str = "nextest/default/junit.xml";
/// As many of the slowest tests `--times` prints.
const SLOWEST: usize = 40;

/// Which tests are run.
pub(crate) struct Selection {
    pub(crate) targets: &'static [&'static str], // arguments of cargo
    pub(crate) filters: Vec<String>,             // parts of names; all where there is none
    pub(crate) variable: Option<(&'static str, &'static str)>, // of the environment
    pub(crate) once: bool, // no test is tried again, also where `.config/nextest.toml` allows it
}

impl Default for Selection {
    fn default() -> Self {
        Selection::named(&[])
    }
}

impl Selection {
    /// Selects the tests whose names contain one of these.
    pub(crate) fn named(filters: &[String]) -> Self {
        Selection {
            targets: &["--workspace"],
            filters: filters.to_vec(),
            variable: None,
            once: false,
        }
    }

    /// Selects the tests next to the code.
    pub(crate) fn units() -> Self {
        Selection {
            targets: &["--workspace", "--lib", "--bins"],
            filters: Vec::new(),
            variable: None,
            once: false,
        }
    }
}

/// Compiles the programs of the workspace and all tests. Returns whether that succeeded.
pub(crate) fn compile(root: &Path) -> bool {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--workspace", "--bins", "--tests"]);
    check::succeeds(cargo.current_dir(root).stdin(Stdio::null()))
}

/// Runs the tests and prints the figures. Returns whether all passed.
pub(crate) fn run(root: &Path, selection: &Selection) -> bool {
    let mut account = Account::default();
    account.run(root, selection);
    println!("{}", account.report());
    account.all_passed()
}

/// What the tests that were run so far did.
#[derive(Default)]
pub(crate) struct Account {
    tests: Vec<Test>,
    failed_otherwise: u64, // builds and runs that ended without a failed test
}

#[derive(Debug, PartialEq)]
struct Test {
    name: String,
    seconds: f64,
    outcome: Outcome,
    second_try: bool, // it failed before it passed
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
}

impl Account {
    /// Runs the tests and adds what they did. Returns whether they passed.
    pub(crate) fn run(&mut self, root: &Path, selection: &Selection) -> bool {
        let before = self.failed();
        let report = setup::target(root).join(REPORT);
        let _ = std::fs::remove_file(&report); // there may be none
        let good = match tools::NEXTEST.find_or_install() {
            Ok(nextest) => {
                let good = check::succeeds(&mut with_nextest(root, &nextest, selection));
                self.read(&std::fs::read_to_string(&report).unwrap_or_default());
                good
            }
            Err(why) => {
                println!(
                    "setup: without cargo-nextest, tests run one program after the other: {why}"
                );
                self.with_cargo(root, selection)
            }
        };
        if !good && self.failed() == before {
            self.failed_otherwise += 1;
        }
        self.failed() == before
    }

    /// Counts a failure that no test reported.
    pub(crate) fn add_failure(&mut self) {
        self.failed_otherwise += 1;
    }

    pub(crate) fn all_passed(&self) -> bool {
        self.failed() == 0
    }

    fn failed(&self) -> u64 {
        let failed = self
            .tests
            .iter()
            .filter(|test| test.outcome == Outcome::Failed);
        failed.count() as u64 + self.failed_otherwise
    }

    /// Runs them with `cargo test` and reads what it prints.
    fn with_cargo(&mut self, root: &Path, selection: &Selection) -> bool {
        let mut cargo = prepared(root, Path::new(env!("CARGO")), selection);
        cargo
            .args(["test", "--no-fail-fast"])
            .args(selection.targets);
        cargo.args(["--", "--show-output"]).args(&selection.filters);
        match cargo.stderr(Stdio::inherit()).output() {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout);
                print!("{text}");
                self.tests.extend(harness_tests(&text));
                output.status.success()
            }
            Err(why) => {
                eprintln!("xtask: cargo does not start: {why}");
                false
            }
        }
    }

    /// Reads nextest's report, in the format of JUnit.
    fn read(&mut self, report: &str) {
        for case in report.split("<testcase ").skip(1) {
            let (head, rest) = case.split_once('>').unwrap_or((case, ""));
            let binary = attribute(head, "classname");
            let name = format!("{binary} {}", attribute(head, "name"));
            let seconds = attribute(head, "time").parse().unwrap_or(0.0);
            let rest = if head.ends_with('/') { "" } else { rest };
            let rest = rest.split("</testcase>").next().unwrap_or(rest);
            let output = rest
                .split_once("<system-out>")
                .map_or("", |(_, output)| output);
            let output = output.split("</system-out>").next().unwrap_or(output);
            let outcome = match skip_reason(output) {
                _ if rest.contains("<failure") || rest.contains("<error") => Outcome::Failed,
                Some(reason) => Outcome::Skipped(unescaped(reason)),
                None => Outcome::Passed,
            };
            self.tests.push(Test {
                name,
                seconds,
                outcome,
                second_try: rest.contains("<flakyFailure") || rest.contains("<flakyError"),
            });
        }
    }

    /// Returns each skip with its reason and each test that passed only when it was tried again, then the line of figures.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        let mut skipped = 0;
        for test in &self.tests {
            if let Outcome::Skipped(reason) = &test.outcome {
                text.push_str(&format!("{SKIPPED}{}: {reason}\n", test.name));
                skipped += 1;
            }
            if test.second_try {
                text.push_str(&format!("passed at the second try: {}\n", test.name));
            }
        }
        let passed = self
            .tests
            .iter()
            .filter(|test| test.outcome == Outcome::Passed);
        let (passed, failed) = (passed.count(), self.failed());
        text.push_str(&format!(
            "{passed} passed, {failed} failed, {skipped} skipped"
        ));
        text
    }

    /// Returns a line for each of the slowest tests, the slowest first.
    pub(crate) fn slowest(&self) -> String {
        let mut tests: Vec<&Test> = self.tests.iter().collect();
        tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let lines = tests.iter().take(SLOWEST);
        let lines = lines.map(|test| format!("  {:7.2} s  {}\n", test.seconds, test.name));
        let sum: f64 = tests.iter().map(|test| test.seconds).sum();
        format!(
            "the {SLOWEST} slowest of {} tests, which took {sum:.0} s one after the other:\n{}",
            tests.len(),
            lines.collect::<String>()
        )
    }
}

fn with_nextest(root: &Path, nextest: &Path, selection: &Selection) -> Command {
    let mut command = prepared(root, nextest, selection);
    command.args(["nextest", "run", "--no-fail-fast"]);
    if selection.once {
        command.args(["--retries", "0"]);
    }
    command.args(selection.targets).args(&selection.filters);
    command
}

/// Returns a command in the tree, with the administrator's folders in the search path.
fn prepared(root: &Path, program: &Path, selection: &Selection) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).stdin(Stdio::null());
    command.envs(selection.variable);
    let folders: Vec<PathBuf> = setup::search_path();
    if let Ok(path) = std::env::join_paths(folders) {
        command.env("PATH", path);
    }
    command
}

/// Returns the first reason for a skip in the output of a test.
fn skip_reason(output: &str) -> Option<&str> {
    output.lines().find_map(|line| line.strip_prefix(SKIPPED))
}

/// Returns the value of an attribute, empty where it is missing.
fn attribute(head: &str, name: &str) -> String {
    let begin = format!("{name}=\"");
    let found = head
        .match_indices(&begin)
        .find(|(at, _)| *at == 0 || head[..*at].ends_with(' '));
    let value = found.map_or("", |(at, _)| &head[at + begin.len()..]);
    unescaped(value.split('"').next().unwrap_or(value))
}

fn unescaped(text: &str) -> String {
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    signs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Reads the output of libtest, with that of tests that passed.
fn harness_tests(text: &str) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    let mut output_of = None;
    for line in text.lines() {
        let ended = line
            .strip_prefix("test ")
            .and_then(|line| line.rsplit_once(" ... "));
        if let Some((name, outcome)) = ended {
            let outcome = match outcome {
                "ok" => Outcome::Passed,
                "FAILED" => Outcome::Failed,
                other => Outcome::Skipped(other.to_owned()),
            };
            tests.push(Test {
                name: name.to_owned(),
                seconds: 0.0,
                outcome,
                second_try: false,
            });
        } else if let Some(name) = line.strip_prefix("---- ") {
            let name = name.strip_suffix(" stdout ----").unwrap_or(name);
            output_of = tests.iter().rposition(|test| test.name == name);
        } else if let (Some(reason), Some(at)) = (line.strip_prefix(SKIPPED), output_of)
            && tests[at].outcome == Outcome::Passed
        {
            tests[at].outcome = Outcome::Skipped(reason.to_owned());
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    const JUNIT: &str = r#"<testsuites name="nextest-run" tests="3">
    <testsuite name="fathom::it" tests="3">
        <testcase name="a::skips" classname="fathom::it" timestamp="2026" time="0.250">
            <system-out>
running 1 test
skipped: no fio &amp; no zram
skipped: and no root
test a::skips ... ok
</system-out>
        </testcase>
        <testcase name="a::fails" classname="fathom::it" time="2.5">
            <failure message="skipped: not this one">boom</failure>
            <system-out>skipped: not this one</system-out>
        </testcase>
        <testcase name="a::passes" classname="fathom::it" time="1.5"/>
    </testsuite>
</testsuites>"#;

    const HARNESS: &str = "\
running 3 tests
test a ... ok
test b ... ok
test c ... FAILED

successes:

---- a stdout ----
setting up
skipped: no fio on this machine
skipped: and no zram

failures:

---- c stdout ----
skipped: not this one
boom

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

    fn account(report: &str) -> Account {
        let mut account = Account::default();
        account.read(report);
        account
    }

    #[test]
    fn a_test_that_skips_is_counted_once_and_not_as_passed() {
        assert_eq!(
            account(JUNIT).report(),
            "skipped: fathom::it a::skips: no fio & no zram\n1 passed, 1 failed, 1 skipped"
        );
    }

    #[test]
    fn a_second_try_that_passes_is_printed() {
        let report = JUNIT.replace(
            "time=\"1.5\"/>",
            "time=\"1.5\"><flakyFailure message=\"boom\"/></testcase>",
        );
        let report = account(&report).report();
        let line = "passed at the second try: fathom::it a::passes\n";
        assert!(report.contains(line), "{report}");
        assert!(report.ends_with("1 passed, 1 failed, 1 skipped"));
    }

    #[test]
    fn two_runs_are_summed() {
        let mut account = account(JUNIT);
        account.read(JUNIT);
        assert!(account.report().ends_with("2 passed, 2 failed, 2 skipped"));
    }

    #[test]
    fn the_slowest_test_is_the_first() {
        let slowest = account(JUNIT).slowest();
        let places = ["a::fails", "a::passes", "a::skips"].map(|name| slowest.find(name).unwrap());
        assert!(places.is_sorted(), "{slowest}");
    }

    #[test]
    fn the_output_of_cargo_test_is_counted_alike() {
        let account = Account {
            tests: harness_tests(HARNESS),
            failed_otherwise: 0,
        };
        assert_eq!(
            account.report(),
            "skipped: a: no fio on this machine\n1 passed, 1 failed, 1 skipped"
        );
    }

    #[test]
    fn a_build_that_fails_is_a_failure() {
        let mut account = Account::default();
        assert!(account.all_passed());
        account.add_failure();
        assert_eq!(account.report(), "0 passed, 1 failed, 0 skipped");
    }
}
