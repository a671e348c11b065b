//! `cargo xtask test`, `quick` and `check`: which parts each runs, and in what order.
//!
//! `test` checks and compiles everything once, next to the set-up and the checks that need no processor for long; then it runs
//! the tests, which have the machine to themselves; the labs use what was compiled. Omitted: what a check is (`check.rs`, `tidy`)
//! and how tests are run and counted (`test.rs`).

use crate::load::Load;
use crate::parts::Parts;
use crate::test::{self, Account, Selection};
use crate::{bounds, check, lab, setup};
use std::path::Path;

/// How often `--busy` runs each test.
const BUSY_ROUNDS: usize = 3;

/// Arguments of `cargo xtask test` and `quick`.
#[derive(Default, Debug, PartialEq, Eq)]
struct Options {
    times: bool,
    busy: bool,
    filters: Vec<String>,
}

impl Options {
    /// Reads the words, of which only `accepted` and filters are allowed. The error contains what is accepted.
    fn read(words: &[String], accepted: &[&str]) -> Result<Self, String> {
        let mut options = Options::default();
        for word in words {
            match word.as_str() {
                "--times" if accepted.contains(&"--times") => options.times = true,
                "--busy" if accepted.contains(&"--busy") => options.busy = true,
                filter if !filter.starts_with('-') && accepted.contains(&"FILTER") => {
                    options.filters.push(word.clone());
                }
                _ => {
                    return Err(format!(
                        "invalid argument '{word}': accepted are {}",
                        accepted.join(", ")
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// Runs everything; with filters only the tests whose names contain one; with `--busy` the tests alone, three times, next
/// to a load on all processors. Returns whether all passed.
pub(crate) fn test(root: &Path, words: &[String]) -> bool {
    let options = match Options::read(words, &["--times", "--busy", "FILTER"]) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("xtask test: {why}");
            return false;
        }
    };
    let parts = Parts::default();
    let (checked, account) = match (options.busy, options.filters.is_empty()) {
        (true, _) => (true, busy(root, &options.filters, &parts)),
        (false, false) => (true, filtered(root, &options.filters, &parts)),
        (false, true) => everything(root, &parts),
    };
    close(&parts, &account, options.times);
    checked && account.all_passed()
}

/// Runs the checks that need no network and the unit tests. Returns whether all passed.
pub(crate) fn quick(root: &Path, words: &[String]) -> bool {
    let options = match Options::read(words, &["--times"]) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("xtask quick: {why}");
            return false;
        }
    };
    let parts = Parts::default();
    let mut account = Account::default();
    let checked = check::quick(root, &parts);
    parts.run("unit tests", || account.run(root, &Selection::units()));
    close(&parts, &account, options.times);
    checked && account.all_passed()
}

/// Runs all checks. Returns whether all passed.
pub(crate) fn check(root: &Path, _: &[String]) -> bool {
    let parts = Parts::default();
    let passed = check::run(root, check::LIGHT.iter().chain(check::COMPILED), &parts);
    print!("{}", parts.table());
    passed
}

fn everything(root: &Path, parts: &Parts) -> (bool, Account) {
    let mut account = Account::default();
    let (checked, compiled) = std::thread::scope(|scope| {
        let set_up = scope.spawn(|| parts.run("set-up", || setup::run(root)));
        let checks = scope.spawn(|| check::run(root, check::LIGHT, parts));
        // One after the other: each occupies all processors, and they share what cargo builds for both.
        let linted = check::run(root, check::COMPILED, parts);
        let compiled = parts.run("compilation", || test::compile(root));
        let _ = set_up.join(); // what is missing makes tests skip
        let checked = checks.join().is_ok_and(|passed| passed);
        (checked && linted, compiled)
    });
    if !compiled {
        account.add_failure();
        return (checked, account);
    }
    parts.run("tests", || account.run(root, &Selection::default()));
    let labs = lab::short(root, parts);
    let costs = parts.run("costs of readers and analyses, at small n", || {
        bounds::run(root, &["--small".to_owned()])
    });
    (checked && labs && costs, account)
}

fn filtered(root: &Path, filters: &[String], parts: &Parts) -> Account {
    let mut account = Account::default();
    parts.run("set-up", || setup::run(root));
    let selection = Selection::named(filters);
    parts.run("tests", || account.run(root, &selection));
    account
}

fn busy(root: &Path, filters: &[String], parts: &Parts) -> Account {
    let mut account = Account::default();
    parts.run("set-up", || setup::run(root));
    if !parts.run("compilation", || test::compile(root)) {
        account.add_failure();
        return account;
    }
    let load = Load::start();
    for _ in 0..BUSY_ROUNDS {
        let selection = Selection {
            once: true,
            ..Selection::named(filters)
        };
        parts.run("tests next to a load on all processors", || {
            account.run(root, &selection)
        });
    }
    drop(load);
    account
}

/// Prints the table of the parts, with `times` the slowest tests, and as the last line the figures of the tests.
fn close(parts: &Parts, account: &Account, times: bool) {
    if times {
        print!("{}", account.slowest());
    }
    print!("{}", parts.table());
    println!("{}", account.report());
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn read(words: &[&str]) -> Result<Options, String> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        Options::read(&words, &["--times", "FILTER"])
    }

    #[test]
    fn an_option_that_is_not_accepted_is_refused_with_those_that_are() {
        let why = read(&["--tims"]).unwrap_err();
        assert!(why.contains("--tims") && why.contains("--times") && why.contains("FILTER"));
        assert!(read(&["--busy"]).is_err());
    }

    #[test]
    fn other_words_are_parts_of_the_names_of_tests() {
        let options = read(&["net", "--times", "ior"]).unwrap();
        assert!(options.times && !options.busy);
        assert_eq!(options.filters, ["net", "ior"]);
    }
}
