//! D9: the lock file of a sweep truncated and deleted what had its name.

use crate::bench::Bench;
use std::fs;
use std::os::unix::fs::symlink;

const SWEEP: &str = "sweep --engine null --warmup 0s -d 20ms -o 1,2 --new";

#[test]
fn what_has_the_name_of_a_sweeps_lock_is_neither_truncated_nor_deleted() {
    let bench = Bench::new();
    bench.write("thesis", 5000);
    bench.write("s.db-sweep-2", 300);
    symlink("thesis", bench.path("s.db-sweep-1")).unwrap();
    let before = ["thesis", "s.db-sweep-1", "s.db-sweep-2"].map(|name| fs::read(bench.path(name)));
    for _ in 0..2 {
        let said = bench.line(SWEEP);
        assert_eq!(said.code, Some(2), "{said:?}");
    }
    let after = ["thesis", "s.db-sweep-1", "s.db-sweep-2"].map(|name| fs::read(bench.path(name)));
    assert_eq!(after.map(Result::unwrap), before.map(Result::unwrap));
    assert!(bench.path("s.db-sweep-1").is_symlink());
    fs::write(bench.path("s.db-sweep-3"), "").unwrap(); // empty, so nothing of it is known
    bench.line(SWEEP).good();
    assert!(bench.path("s.db-sweep-3").exists());
    bench.line(SWEEP).good();
    assert!(!bench.path("s.db-sweep-4").exists());
}
