//! A small limit on the stack (`ulimit -s`): the kernel ended the program with a signal.

use crate::bench::{Bench, Said};

#[test]
fn a_small_limit_on_the_stack_ends_no_command() {
    let bench = Bench::new();
    for line in [
        "run --engine null -d 300ms --warmup 0s",
        "list",
        "show 1 --json",
        "run nowhere",
    ] {
        let script = "ulimit -s 100 && exec \"$@\"";
        let mut words = vec!["-c", script, "sh", env!("CARGO_BIN_EXE_fathom")];
        words.extend(line.split_whitespace());
        let said = Said::from(
            bench
                .command_of("/bin/sh".as_ref(), &words)
                .output()
                .unwrap(),
        );
        assert!(matches!(said.code, Some(0..=2)), "{line}: {said:?}");
    }
}
