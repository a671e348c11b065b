//! D5: a file whose blocks began with counting bytes, as DISKSPD writes them, counted as fathom's.

use super::d4::own_file_with;
use crate::bench::Bench;

fn counting(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| at as u8).collect()
}

#[test]
fn a_picture_with_a_gradient_is_not_overwritten() {
    let bench = Bench::new();
    let picture = counting(4 << 20);
    std::fs::write(bench.path("f"), &picture).unwrap();
    let said = bench.line("run -b 4K -w 100 -d 20ms --warmup 0s f");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(std::fs::read(bench.path("f")).unwrap() == picture);
}

#[test]
fn a_gradient_behind_blocks_of_fathoms_is_not_overwritten() {
    let bench = Bench::new();
    let before = own_file_with(&bench, "4M", 1 << 20, &counting(1 << 20));
    let said = bench.line("run -b 4K -w 100 -d 20ms --warmup 0s f");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(std::fs::read(bench.path("f")).unwrap() == before);
}
