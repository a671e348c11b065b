//! The parts of a check: each runs once, prints how it ended and how long it took, and is a row of the closing table.
//!
//! Parts may run at the same time in several threads. Omitted: which parts there are (`ci.rs`).

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A part that has ended.
struct Ended {
    name: &'static str,
    took: Duration,
    passed: bool,
}

/// The parts so far, in the order in which they ended.
#[derive(Default)]
pub(crate) struct Parts(Mutex<Vec<Ended>>);

impl Parts {
    /// Runs a part. Returns whether it passed.
    #[allow(clippy::disallowed_methods, reason = "prints how long it took")]
    pub(crate) fn run(&self, name: &'static str, part: impl FnOnce() -> bool) -> bool {
        let start = Instant::now();
        let passed = part();
        let took = start.elapsed();
        println!("{}: {name}, {:.1} s", word(passed), took.as_secs_f64());
        let mut ended = self.0.lock().expect("no part panics with the lock");
        ended.push(Ended { name, took, passed });
        passed
    }

    /// Returns the table of all parts, and the names of those that failed.
    pub(crate) fn table(&self) -> String {
        let ended = self.0.lock().expect("no part panics with the lock");
        let rows = ended.iter().map(|part| {
            let seconds = part.took.as_secs_f64();
            format!(
                "  {:<44} {seconds:7.1} s  {}\n",
                part.name,
                word(part.passed)
            )
        });
        rows.collect()
    }
}

fn word(passed: bool) -> &'static str {
    if passed { "passed" } else { "FAILED" }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn a_part_that_failed_is_in_the_table_with_those_that_passed() {
        let parts = Parts::default();
        assert!(parts.run("good", || true));
        assert!(!parts.run("bad", || false));
        let table = parts.table();
        assert_eq!(table.matches("passed").count(), 1);
        assert_eq!(table.matches("FAILED").count(), 1);
    }
}
