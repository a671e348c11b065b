//! `cargo xtask quick` and `cargo xtask full`: the checks before a change is merged, in two parts.
//!
//! `quick` takes minutes and finds most defects; `full` is everything else, so that both together test all of it once.
//! `cargo xtask quick full` runs both, and its last line counts the tests of both. Omitted: what a check is
//! (`check.rs`, `tidy`) and how tests are counted (`test.rs`).

use crate::{check, setup, test};
use std::path::Path;
use std::time::Instant;

/// The tests next to the code; none calls a program that has to be installed.
const UNIT_TESTS: &[&str] = &["--workspace", "--lib", "--bins"];
const INTEGRATION_TESTS: &[&str] = &["--workspace", "--test", "*"];
/// Cargo does not run them together with any others.
const DOCUMENTATION_TESTS: &[&str] = &["--workspace", "--doc"];

/// One of the two.
struct Part {
    name: &'static str,
    checks: &'static [check::Step],
    tests: &'static [&'static [&'static str]], // arguments of cargo test, for each time it is run
    omits: &'static str,
}

const QUICK: Part = Part {
    name: "quick",
    checks: check::QUICK,
    tests: &[UNIT_TESTS],
    omits: "cargo deny, documentation and all tests but unit tests (cargo xtask full)",
};
const FULL: Part = Part {
    name: "full",
    checks: check::SLOW,
    tests: &[DOCUMENTATION_TESTS, INTEGRATION_TESTS],
    omits: "tidy, notices, formatting, clippy and unit tests (cargo xtask quick)",
};

/// Runs the parts in order, until one fails. Returns whether all passed.
pub(crate) fn run(root: &Path, parts: &[String]) -> bool {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let mut tests = test::Account::default();
    match parts[..] {
        ["quick"] => QUICK.run(root, &mut tests),
        ["full"] => setup_and_full(root, &mut tests),
        ["quick", "full"] => QUICK.run(root, &mut tests) && setup_and_full(root, &mut tests),
        _ => {
            eprintln!(
                "xtask: read `{}`; accepted: quick, full, quick full",
                parts.join(" ")
            );
            false
        }
    }
}

fn setup_and_full(root: &Path, tests: &mut test::Account) -> bool {
    setup::run();
    FULL.run(root, tests)
}

impl Part {
    /// Runs the checks, then the tests, unless a check failed. The last line counts the tests.
    #[allow(clippy::disallowed_methods, reason = "prints how long it took")]
    fn run(&self, root: &Path, tests: &mut test::Account) -> bool {
        let start = Instant::now();
        let checked = check::run(root, self.checks);
        if checked {
            self.run_tests(root, tests);
        }
        let seconds = start.elapsed().as_secs();
        println!("{}: {seconds} s; omitted: {}", self.name, self.omits);
        if checked {
            println!("{}", tests.report());
        } else {
            println!("{}: a check failed, so no test was run", self.name);
        }
        checked && tests.all_passed()
    }

    fn run_tests(&self, root: &Path, tests: &mut test::Account) {
        for arguments in self.tests {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            tests.add(test::count(root, &arguments, None));
        }
    }
}
