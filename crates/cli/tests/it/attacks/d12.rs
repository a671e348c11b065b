//! `dd` writes through the same gate as everything else.

use super::tools::{foreign, own_file};
use crate::bench::Bench;
use std::fs;
use std::path::Path;

#[test]
fn two_names_of_one_file_are_refused_before_it_is_cut() {
    let bench = Bench::new();
    fs::write(bench.path("a"), foreign(8192)).unwrap();
    fs::hard_link(bench.path("a"), bench.path("b")).unwrap();
    let said = bench.line("dd if=a of=b --overwrite");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(fs::read(bench.path("a")).unwrap(), foreign(8192));
}

#[test]
fn the_results_database_is_refused_under_any_name() {
    let bench = Bench::new();
    bench.line("run --engine null -d 20ms --warmup 0s").good();
    fs::hard_link(bench.path("s.db"), bench.path("other")).unwrap();
    let before = fs::read(bench.path("s.db")).unwrap();
    let said = bench.line("dd if=/dev/zero of=other bs=4k count=1 --overwrite");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(fs::read(bench.path("s.db")).unwrap(), before);
}

#[test]
fn settings_of_the_kernel_and_new_names_among_devices_are_refused() {
    let bench = Bench::new();
    fs::write(bench.path("in"), b"attacked\n").unwrap();
    for output in ["/proc/sys/kernel/domainname", "/dev/fathom-nosuch"] {
        let before = fs::read(output).ok();
        let said = bench.line(&format!("dd if=in of={output} --overwrite"));
        assert_eq!(said.code, Some(2), "{output}: {said:?}");
        assert_eq!(fs::read(output).ok(), before);
        assert_eq!(Path::new(output).exists(), before.is_some());
    }
    for output in ["/dev/null", "/dev/full"] {
        let said = bench.line(&format!("dd if=in of={output} --no-store"));
        assert_ne!(said.code, Some(2), "{output}: {said:?}");
    }
}

#[test]
fn a_file_that_is_being_measured_is_not_cut() {
    let bench = Bench::new();
    own_file(&bench, "t");
    let mut running = bench.start("run --no-store -d 30s --warmup 0s t");
    let said = bench.line("dd if=/dev/zero of=t bs=4k count=1 --overwrite");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(fs::metadata(bench.path("t")).unwrap().len(), 1 << 20);
    running.kill().unwrap();
    running.wait().unwrap();
}
