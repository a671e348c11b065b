//! The rows without a number: a result that could not be written to standard output gave exit code 0, and too many open
//! files were reported as missing permissions.

use crate::bench::{Bench, Said};

/// The program with this behind it in a shell; the code is the program's own.
fn shell(bench: &Bench, line: &str, rest: &str) -> Said {
    let script = format!("{{ \"$@\"; echo \"code $?\" >&2; }} {rest}");
    let mut words = vec!["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom")];
    words.extend(line.split_whitespace());
    Said::from(
        bench
            .command_of("/bin/sh".as_ref(), &words)
            .output()
            .unwrap(),
    )
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let bench = Bench::new();
    bench.line("run --engine null -d 100ms --warmup 0s").good();
    for line in [
        "list",
        "show 1",
        "run --engine null -d 100ms --warmup 0s",
        "--help",
    ] {
        for (rest, words) in [(">&-", "closed"), ("> /dev/full", "No space left")] {
            let said = shell(&bench, line, rest);
            assert!(said.err.contains("code 1"), "{line} {rest}: {said:?}");
            assert!(said.err.contains(words), "{line} {rest}: {said:?}");
        }
        let good = shell(&bench, line, "> /dev/null");
        assert!(good.err.contains("code 0"), "{line}: {good:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_not_reported_and_the_code_says_it() {
    let bench = Bench::new();
    bench.line("run --engine null -d 100ms --warmup 0s").good();
    for line in ["list", "show 1", "--help"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = bench.command(&words);
        let said = Said::from(command.stdout(writer).output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (Some(1), ""), "{line}");
    }
}

#[test]
fn too_many_open_files_are_no_missing_permission() {
    let bench = Bench::new();
    bench.line("run --engine null -d 100ms --warmup 0s").good();
    for limit in 4..8 {
        // What the caller of the tests left open would count.
        let closed = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-";
        let script = format!("{closed}; ulimit -n {limit}; exec \"$@\"");
        let words = ["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom"), "list"];
        let mut command = bench.command_of("/bin/sh".as_ref(), &words);
        let said = Said::from(command.output().unwrap());
        if said.code != Some(0) {
            assert_eq!(said.code, Some(2), "{limit}: {said:?}");
            assert!(said.err.contains("ulimit -n"), "{limit}: {said:?}");
            assert!(!said.err.contains("permission"), "{limit}: {said:?}");
        }
    }
}
