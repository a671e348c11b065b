//! Requests that cannot be run: the message has the value, the accepted values and the remedy; code 2; nothing
//! is written, nothing is lost.

use crate::bench::{Bench, Said};
use std::os::unix::process::CommandExt;

/// Each line of the table: the words, and what the message has to contain.
fn all_are_refused(bench: &Bench, table: &[(&str, &str)]) {
    let before = bench.snapshot();
    for (line, words) in table {
        bench.line(line).refused(words);
        assert!(bench.snapshot() == before, "`{line}` wrote something");
    }
}

#[test]
fn values_that_cannot_be_read_or_be_right() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    all_are_refused(
        &bench,
        &[
            ("run -b 64Q f", "'64Q' for --block: must be"),
            ("run -b 4KB f", "1000 to some"),
            (
                "run -b 1000 f",
                "'1000' for --block: must be a multiple of 512",
            ),
            ("run -b 0 f", "'0' for --block"),
            ("run -o 0 f", "'0' for --depth"),
            ("run -o 99999 f", "'99999' for --depth"),
            ("run -o 99999999999 f", "'99999999999' for --depth"),
            ("run -t 0 f", "'0' for --threads"),
            ("run -t 1025 f", "'1025' for --threads"),
            ("run -w 101 f", "'101' for --write: must be"),
            (
                "run --pattern zipf f",
                "'zipf' for --pattern: must be random, permuted",
            ),
            ("run --cache off f", "'off' for --cache"),
            (
                "run -d 10 f",
                "'10' for --duration: must be a number with its unit",
            ),
            ("run -d 0s f", "'0s' for --duration"),
            ("run --interval 1us f", "'1us' for --interval"),
            ("run --seed x f", "'x' for --seed"),
            (
                "run --engine posixaio f",
                "'posixaio' for --engine: must be",
            ),
            ("run --base 100 f", "'100' for --base"),
            ("run --length 2M f", "goes beyond the end at 1M"),
            ("run -b 2M f", "contain no whole block"),
            ("survey --size 1M", "'1M' for --size: must be"),
            ("survey --size 100000001", "'100000001' for --size"),
            ("survey --budget 1s", "cells need at least"),
            ("survey --budget soon", "'soon' for --budget"),
            ("survey --depth-max 0", "'0' for --depth-max"),
            ("survey --depth-max 256", "from 1 to 128"),
            ("list --number 0", "'0' for --number"),
            ("run -b -1 f", "'-1' for --block: must be"),
            ("run -b --json f", "'--json' for --block: must be"),
            ("run -w -5 f", "'-5' for --write: must be"),
            ("run -d -5s f", "'-5s' for --duration"),
            ("run --seed -1 f", "'-1' for --seed"),
            ("survey --size -64M", "'-64M' for --size"),
            ("list --number few", "'few' for --number"),
            ("show x", "must be the number of a session"),
        ],
    );
}

#[test]
fn options_that_contradict_each_other() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    all_are_refused(
        &bench,
        &[
            (
                "run --engine null f",
                "f: the engine null moves no bytes, so it takes no target",
            ),
            (
                "run --null-size 1G f",
                "--null-size: this is for the engine null only",
            ),
            (
                "run --engine null --create 1G",
                "--create: the engine null has no file",
            ),
            (
                "run --engine null --write-through",
                "--write-through: the engine null",
            ),
            ("run --engine sync -o 8 f", "'8' for --depth"),
            (
                "run --engine null --overwrite",
                "--overwrite: the engine null and simulated devices have no file",
            ),
            (
                "survey --engine null --overwrite",
                "--overwrite: the engine null and simulated devices have no file",
            ),
            ("run f f", "f: given twice"),
            ("run f ./f", "./f: the same as f"),
            (
                "run --destroy /dev/none f",
                "--destroy /dev/none: this is no target of this request",
            ),
            (
                "survey --engine sync --depth-max 2 f",
                "--depth-max: read 2",
            ),
            (
                "survey --engine null --rm",
                "--rm: the engine null has no file",
            ),
            ("survey --engine null f", "takes no target"),
        ],
    );
}

#[test]
fn what_the_parser_refuses_is_refused_with_the_same_code() {
    let bench = Bench::new();
    for (line, words) in [
        ("run --blok 4K f", "unexpected argument '--blok'"),
        ("run -b", "a value is required"),
        ("run -b 4K -b 8K f", "cannot be used multiple times"),
        ("run --store a --no-store f", "cannot be used with"),
        ("delete", "<ID>"),
        ("explore", "unrecognized subcommand"),
        ("completions tcsh", "invalid value"),
    ] {
        let said = bench.line(line);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains(words), "{words} in {said:?}");
    }
    assert!(bench.snapshot().is_empty());
}

#[test]
fn all_that_is_wrong_is_reported_at_once() {
    let bench = Bench::new();
    let said = bench.line("run -b 64Q -w 200 -d 10 --pattern zipf");
    said.refused("--block");
    assert_eq!(said.err.lines().count(), 5, "{said:?}");
}

#[test]
fn names_that_lead_to_nothing_that_can_be_measured() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    std::os::unix::fs::symlink("nothing", bench.path("dangling")).unwrap();
    bench.write("empty", 0);
    bench.write("small", 100);
    all_are_refused(
        &bench,
        &[
            ("run", "no target"),
            ("run missing", "missing: there is nothing under this name"),
            ("run no/where", "its folder does not exist"),
            ("run --create 1M no/where", "its folder does not exist"),
            ("run folder", "this is a folder"),
            ("run empty", "contain no whole block"),
            ("run small", "contain no whole block"),
            ("run /dev/null", "neither a regular file nor a block device"),
            (
                "run --create 1M dangling",
                "a symbolic link to something that is not there",
            ),
            (
                "survey missing --size 64M",
                "--create creates a file of this name",
            ),
            ("survey no/where", "its folder does not exist"),
            ("survey /dev/null", "neither a regular file"),
            ("survey --read-only small", "a survey needs 64 MiB"),
        ],
    );
}

#[test]
fn what_fathom_did_not_make_is_not_written() {
    let bench = Bench::new();
    bench.write("letters", 1 << 20);
    std::os::unix::fs::symlink("letters", bench.path("link")).unwrap();
    let words = "fathom did not create this file, so it is not written";
    all_are_refused(
        &bench,
        &[
            ("run -w 1 letters", words),
            ("run -w 100 link", words),
            ("run --create 2M letters", words),
            ("survey letters", words),
            (
                "survey --size 64M letters",
                "hint: use --read-only to only read, or use --overwrite",
            ),
            ("run -w 1 --destroy letters letters", words),
            (
                "survey --rm --read-only letters",
                "so it does not remove it",
            ),
            (
                "survey --rm --overwrite letters",
                "so it does not remove it",
            ),
            ("survey --rm link", "a symbolic link is not removed"),
        ],
    );
}

#[test]
fn the_file_that_keeps_the_results_is_no_target() {
    let bench = Bench::new();
    bench.line("run --engine null -d 300ms --warmup 0s").good();
    let words = "the results are stored in this file";
    all_are_refused(
        &bench,
        &[
            ("run s.db", words),
            ("run -w 100 --overwrite s.db", words),
            ("run --create 1M --overwrite ./s.db", words),
            ("survey --overwrite --size 64M s.db", words),
        ],
    );
    let fresh = Bench::new();
    all_are_refused(&fresh, &[("run --create 1M s.db", words)]);
}

#[test]
fn a_store_that_cannot_keep_is_refused_before_anything_is_measured() {
    let bench = Bench::new();
    bench.write("letters", 1 << 20);
    let before = bench.snapshot();
    for (store, words) in [("letters", "not a fathom store"), (".", "this is a folder")] {
        let line = format!("run --engine null -d 1h --store {store}");
        bench.line(&line).refused(words);
        bench.line(&format!("list --store {store}")).refused(words);
    }
    bench
        .line("run --engine null -d 1h --store no/where.db")
        .refused("its folder does not exist");
    bench
        .line("list --store none")
        .refused("nothing is stored there yet");
    bench
        .line("show 1 --store none")
        .refused("nothing is stored there yet");
    assert!(bench.snapshot() == before);
}

#[test]
fn a_name_with_a_line_end_stays_on_its_line() {
    let bench = Bench::new();
    let said = bench.say(&["run", "a\nfathom: all is well"]);
    said.refused("a\\nfathom: all is well: there is nothing under this name");
    assert_eq!(
        said.err.lines().count(),
        2,
        "the message, and its hint: {said:?}"
    );
}

#[test]
fn what_the_parser_does_not_know_cannot_steer_the_terminal_either() {
    let bench = Bench::new();
    for words in [
        &["run", "--a\nfathom: all is well\u{1b}[2J"][..],
        &["a\nfathom: all is well\u{1b}[2J"],
        &["list", "--kind=a\nfathom: all is well\u{1b}[2J"],
        &["show", "1", "a\nfathom: all is well\u{1b}[2J"],
        &["completions", "a\nfathom: all is well\u{1b}[2J"],
        &["run", "--json=a\nfathom: all is well\u{1b}[2J"],
    ] {
        let said = bench.say(words);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(
            said.err.contains("a\\nfathom: all is well\\u{1b}[2J"),
            "{said:?}"
        );
        let plain = |letter: char| letter == '\n' || !letter.is_control();
        assert!(said.err.chars().all(plain), "{said:?}");
    }
}

#[test]
fn a_name_that_is_not_text_is_refused_before_the_run() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new();
    let name = std::ffi::OsStr::from_bytes(b"f\xFF");
    std::fs::write(bench.path("").join(name), vec![0; 8192]).unwrap();
    let words = [std::ffi::OsStr::new("run"), name];
    bench.say(&words).refused("this name is not UTF-8");
}

/// Root may write everything, so the user nobody runs it: in a folder where that user may go, with a copy of the program.
#[test]
fn a_file_without_write_permission_is_read_only_to_others_than_root() {
    const NOBODY: u32 = 65534;
    let bench = Bench::of_everybody();
    bench
        .line("run --create 1M own -d 300ms --warmup 0s --cache cached")
        .good();
    let mut permissions = std::fs::metadata(bench.path("own")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(bench.path("own"), permissions).unwrap();
    let mut command = bench.command(&["run", "-w", "100", "--cache", "cached", "own"]);
    let opened = std::fs::OpenOptions::new()
        .write(true)
        .open(bench.path("own"));
    if opened.is_ok() {
        let program = bench.copy_of_program();
        command = bench.command_of(&program, &["run", "-w", "100", "--cache", "cached", "own"]);
        command.uid(NOBODY).gid(NOBODY);
    }
    Said::from(command.output().unwrap()).refused("no permission to write it");
}
