//! D13: a file to which the program's own output goes was a target: `fathom run f > f` wrote its report over what it had
//! measured, and `fio --unlink` over `/proc/self/fd/1` blocks into a report.

use crate::bench::{Bench, Said};

#[test]
fn a_file_that_takes_the_output_is_no_target() {
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_fathom");
    for (line, stream) in [
        (
            "run -w 100 -d 20ms --warmup 0s --create 64K out",
            "standard output",
        ),
        (
            "run -w 100 -d 20ms --warmup 0s --create 64K /proc/self/fd/1",
            "standard output",
        ),
        (
            "fio --name=a --rw=write --bs=4k --size=64k --filename=out",
            "standard output",
        ),
        ("run -d 20ms --warmup 0s err", "standard error"),
    ] {
        let script = format!("'{program}' {line} >out 2>err");
        let mut command = bench.command_of("/bin/sh".as_ref(), &["-c", &script]);
        let said = Said::from(command.output().unwrap());
        assert_eq!(said.code, Some(2), "{line}");
        let reported = std::fs::read_to_string(bench.path("err")).unwrap();
        assert!(reported.contains(stream), "{line}: {reported}");
        let out = std::fs::read(bench.path("out")).unwrap();
        assert!(!out.windows(6).any(|bytes| bytes == b"FATHOM"), "{line}");
    }
}
