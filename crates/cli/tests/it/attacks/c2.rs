//! C2: a file of newlines took seventy times its length of memory to import.

use crate::bench::{Bench, Said};
use std::process::Command;

/// Every reader's cost is measured at other lengths by `cargo xtask bounds`.
const LENGTH: usize = 12_000_000;
/// Eight times the file, and what the program takes for itself.
const ADDRESS_SPACE_KIB: usize = 8 * LENGTH / 1024 + (128 << 10);

/// The program with no more address space than that: what it asks for beyond fails.
fn bounded(bench: &Bench, words: &str) -> Said {
    let program = env!("CARGO_BIN_EXE_fathom");
    let line = format!("ulimit -v {ADDRESS_SPACE_KIB} && exec '{program}' {words}");
    let command = bench.command(&[""; 0]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line).current_dir(bench.path(""));
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    Said::from(shell.output().unwrap())
}

#[test]
fn c2_twelve_megabytes_of_newlines_are_imported_within_eight_times_their_length() {
    let bench = Bench::new();
    let mut text = b"Param -b4k, -t1, -o1, 9735.28 iops\n".to_vec();
    text.resize(LENGTH, b'\n');
    std::fs::write(bench.path("behind"), &text).unwrap();
    let said = bounded(&bench, "import behind").good();
    assert!(
        said.out.starts_with("imported 1 run from behind"),
        "{said:?}"
    );
    text.rotate_left(35);
    std::fs::write(bench.path("before"), &text).unwrap();
    let said = bounded(&bench, "import --json before").good();
    assert_eq!(said.json()["imported_runs"], 1);
    text.fill(b'\n');
    std::fs::write(bench.path("alone"), &text).unwrap();
    assert_eq!(bounded(&bench, "import alone").code, Some(2));
}
