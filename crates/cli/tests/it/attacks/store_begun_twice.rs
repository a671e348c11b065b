//! Two programs that begin one results database at the same moment: neither takes the other's half-written files for foreign.

use super::{RUN, attempts};
use crate::bench::{Bench, Said};
use std::fs;

#[test]
fn two_runs_at_once_begin_one_store_and_both_are_in_it() {
    for attempt in 0..attempts(150) {
        let bench = Bench::new();
        let both = [(); 2].map(|()| bench.spawn(RUN));
        for child in both {
            let said = Said::from(child.wait_with_output().unwrap());
            // A run of which no I/O completed on a busy machine is stored, too.
            assert!(matches!(said.code, Some(0 | 1)), "{attempt}: {said:?}");
        }
        let listed = bench.line("list --json").good().json();
        assert_eq!(listed["sessions"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn an_index_of_which_only_the_second_header_is_written_is_no_obstacle() {
    let bench = Bench::new();
    drop(store::Store::open(&bench.path("s.db")).unwrap());
    let mut index = vec![0u8; 32 << 10];
    index[48..52].copy_from_slice(&3_007_000_u32.to_ne_bytes());
    fs::write(bench.path("s.db-shm"), &index).unwrap();
    assert_ne!(bench.line(RUN).code, Some(2));
    let mut thesis = vec![0u8; 48];
    thesis.extend_from_slice(
        b"a thesis of many words, which took years to write, and is kept in one place only",
    );
    fs::write(bench.path("s.db-shm"), &thesis).unwrap();
    bench.line(RUN).refused("in the way");
    assert_eq!(fs::read(bench.path("s.db-shm")).unwrap(), thesis);
}
