//! C3: the limit on the length of files (`ulimit -f`) killed the program with SIGXFSZ and left an empty file.

use crate::bench::{Bench, Said, answered};

/// The program where files may have 1 MiB.
fn limited(bench: &Bench, line: &str) -> Said {
    let script = "ulimit -f 2048 && exec \"$@\"";
    let mut words = vec!["-c", script, "sh", env!("CARGO_BIN_EXE_fathom")];
    words.extend(line.split_whitespace());
    answered(&words, |words| {
        let mut command = bench.command_of("/bin/sh".as_ref(), words);
        Said::from(command.output().unwrap())
    })
}

#[test]
fn a_file_that_would_be_too_long_is_refused_and_not_created() {
    let bench = Bench::new();
    for line in [
        "run f --create 8M -d 100ms --warmup 0s --no-store",
        "survey --create f --size 64M --budget 15s --no-store",
    ] {
        let said = limited(&bench, line);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("ulimit -f"), "{said:?}");
        assert!(!bench.path("f").exists(), "{line}");
    }
    limited(&bench, "run f --create 1M -d 100ms --warmup 0s --no-store").good();
}

#[test]
fn a_write_beyond_the_limit_is_an_error_and_no_kill() {
    let bench = Bench::new();
    bench.write("source", 4 << 20);
    for line in [
        "dd if=source of=copy bs=1M",
        "files --data 8M --files 0 --no-store .",
    ] {
        let said = limited(&bench, line);
        assert!(matches!(said.code, Some(1 | 2)), "{line}: {said:?}");
        let reported = said.err.clone() + &said.out;
        assert!(reported.contains("File too large"), "{line}: {said:?}");
    }
}
