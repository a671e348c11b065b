//! What is not stored is not called stored.

use super::RUN;
use crate::bench::Bench;

#[test]
fn a_run_is_not_stored_in_memory_that_goes_away() {
    let bench = Bench::new();
    let said = bench.line(&format!("{RUN} --store :memory:"));
    said.refused(":memory:");
    assert!(!said.err.contains("stored as"), "{said:?}");
    assert!(bench.snapshot().is_empty());
}
