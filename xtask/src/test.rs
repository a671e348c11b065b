//! Runs the tests and prints their results: the closing line is `N passed, N failed, N skipped`.
//!
//! A test that cannot check what it is for prints `skipped: ` and the reason. The test harness has no word for
//! that and calls it passed; here it is counted apart and each reason is shown at the end.

use crate::setup;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const SKIPPED: &str = "skipped: ";

/// Runs `cargo test` on the whole workspace, or with the given arguments. Whether all was well.
pub(crate) fn run(root: &Path, arguments: &[String]) -> bool {
    run_with(root, arguments, None)
}

/// The same with a variable of the environment.
pub(crate) fn run_with(root: &Path, arguments: &[String], variable: Option<(&str, &str)>) -> bool {
    let account = count(root, arguments, variable);
    println!("{}", account.report());
    account.all_passed()
}

/// Runs them and returns the count, for a caller that adds several.
pub(crate) fn count(root: &Path, arguments: &[String], variable: Option<(&str, &str)>) -> Account {
    let mut account = Account::default();
    let mut child = match cargo_test(root, arguments, variable).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("test: cargo could not be started: {error}");
            account.close(false);
            return account;
        }
    };
    let said = child.stdout.take().expect("standard output was asked for");
    for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if account.hear(&line) {
            println!("{line}");
        }
    }
    account.close(child.wait().is_ok_and(|status| status.success()));
    account
}

fn cargo_test(root: &Path, arguments: &[String], variable: Option<(&str, &str)>) -> Command {
    let mut command = Command::new("cargo");
    command.args(["test", "--no-fail-fast"]);
    if arguments.is_empty() {
        command.arg("--workspace");
    }
    command.args(arguments).args(["--", "--show-output"]);
    command
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .envs(variable);
    if let Ok(path) = std::env::join_paths(setup::search_path()) {
        command.env("PATH", path);
    }
    command
}

/// Output of the test binaries so far.
#[derive(Default)]
pub(crate) struct Account {
    passed: u64, // as the harness counts: skips are among them
    failed: u64,
    ignored: u64,
    skips: Vec<Skip>, // at most one a test
    section: Section,
    test: String,     // whose output is being read
    skip_heard: bool, // of that test
}

#[derive(Debug, PartialEq, Eq)]
struct Skip {
    test: String,
    reason: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Progress,
    Successes,
    Failures,
}

impl Account {
    /// Takes one line; returns whether it is shown. The output of tests that passed is not shown.
    fn hear(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.section = Section::Successes,
            "failures:" => self.section = Section::Failures,
            _ if line.starts_with("test result: ") => {
                self.section = Section::Progress;
                self.add_result(line);
                return true;
            }
            _ => {}
        }
        if self.section != Section::Successes {
            return true;
        }
        if let Some(name) = line
            .strip_prefix("---- ")
            .and_then(|l| l.strip_suffix(" stdout ----"))
        {
            name.clone_into(&mut self.test);
            self.skip_heard = false;
        } else if let Some(reason) = line.strip_prefix(SKIPPED)
            && !self.skip_heard
        {
            self.skip_heard = true;
            self.skips.push(Skip {
                test: self.test.clone(),
                reason: reason.to_owned(),
            });
        }
        false
    }

    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
    fn add_result(&mut self, line: &str) {
        let mut number = 0;
        for word in line.split([' ', ';']) {
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => number = word.parse().unwrap_or(number),
            }
        }
    }

    /// What broke without a word (a build, a crash) is a failure too.
    fn close(&mut self, good: bool) {
        if !good && self.failed == 0 {
            self.failed = 1;
        }
    }

    /// Adds what another run of cargo counted.
    pub(crate) fn add(&mut self, other: Account) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.skips.extend(other.skips);
    }

    pub(crate) fn all_passed(&self) -> bool {
        self.failed == 0
    }

    /// Returns each skip with its reason, then the line of figures.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        for skip in &self.skips {
            text.push_str(&format!("{SKIPPED}{}: {}\n", skip.test, skip.reason));
        }
        let skipped = self.skips.len() as u64;
        let passed = self.passed.saturating_sub(skipped);
        text.push_str(&format!(
            "{passed} passed, {} failed, {} skipped",
            self.failed,
            skipped + self.ignored
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
running 3 tests
test a ... ok
test b ... ok
test c ... FAILED

successes:

---- a stdout ----
setting up
skipped: no fio on this machine
skipped: and no zram

successes:
    a
    b

failures:

---- c stdout ----
skipped: not this one
boom

failures:
    c

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

    fn account(said: &str) -> (Account, Vec<&str>) {
        let mut account = Account::default();
        let shown = said.lines().filter(|line| account.hear(line)).collect();
        (account, shown)
    }

    #[test]
    fn a_test_that_skips_is_counted_once_and_not_as_passed() {
        let (account, _) = account(SAID);
        assert_eq!(
            account.report(),
            "skipped: a: no fio on this machine\n1 passed, 1 failed, 1 skipped"
        );
    }

    #[test]
    fn the_output_of_failed_tests_is_shown_and_that_of_passed_ones_is_not() {
        let (_, shown) = account(SAID);
        assert!(shown.contains(&"boom"));
        assert!(!shown.contains(&"setting up"));
    }

    #[test]
    fn two_binaries_are_summed_even_with_tests_of_one_name() {
        let (account, _) = account(&format!("{SAID}\n{SAID}"));
        assert!(account.report().ends_with("2 passed, 2 failed, 2 skipped"));
    }

    #[test]
    fn the_counts_of_two_runs_of_cargo_are_added_and_a_failure_of_either_remains() {
        let (mut sum, _) = account("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured");
        assert!(sum.all_passed());
        sum.add(account(SAID).0);
        assert!(!sum.all_passed());
        assert_eq!(
            sum.report(),
            "skipped: a: no fio on this machine\n4 passed, 1 failed, 2 skipped"
        );
    }

    #[test]
    fn a_build_that_fails_is_a_failure() {
        let mut account = Account::default();
        account.close(false);
        assert_eq!(account.report(), "0 passed, 1 failed, 0 skipped");
    }
}
