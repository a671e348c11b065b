//! What the machine does not give: the limit is named with the command that lifts it, and a fallback is told.

use crate::bench::{Bench, Said};

const NOBODY: u32 = 65534;
const SHORT: &[&str] = &[
    "run", "f", "-d", "200ms", "--warmup", "0s", "--cache", "cached",
];

/// The program below a shell that first takes this limit.
fn limited(bench: &Bench, limit: &str, more: &[&str], as_nobody: bool) -> Said {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let program = bench.copy_of_program();
    let script = format!("ulimit {limit} && exec \"$@\"");
    let mut words = vec!["-c", &script, "sh", program.to_str().unwrap()];
    words.extend(SHORT);
    words.extend(more);
    let mut command = bench.command_of("/bin/sh".as_ref(), &words);
    // Root may lock all memory; who is not root stays who he is.
    let root = std::fs::metadata(&program).unwrap().uid() == 0;
    if as_nobody && root {
        command.uid(NOBODY).gid(NOBODY);
    }
    Said::from(command.output().unwrap())
}

fn with_a_file() -> Bench {
    let bench = Bench::of_everybody();
    bench.write("f", 1 << 20);
    bench
}

#[test]
fn too_few_open_files_name_the_limit_and_the_command_that_lifts_it() {
    let bench = with_a_file();
    for engine in ["sync", "io_uring", "libaio"] {
        let said = limited(&bench, "-n 30", &["-t", "64", "--engine", engine], false);
        if said.err.contains("does not run here") {
            println!("skipped: {}", said.err);
            continue;
        }
        assert_eq!(
            (said.code == Some(0), said.out.as_str()),
            (false, ""),
            "{said:?}"
        );
        let words = "raise the limit on open files (ulimit -n 65536)";
        assert!(said.err.contains(words), "{said:?}");
    }
}

/// None at all is not enough for a ring on some kernels; a little is enough for a ring and not for its buffers.
#[test]
fn memory_that_may_not_be_locked_is_told_and_the_run_goes_on() {
    let bench = with_a_file();
    for limit in ["-l 0", "-l 64"] {
        let said = limited(&bench, limit, &["-o", "64", "--json"], true);
        assert_eq!(said.code, Some(0), "{said:?}");
        let engine = &said.json()["engine"];
        if engine["backend"] != "io_uring" && engine.to_string().contains("Operation not permitted")
        {
            println!("skipped: io_uring does not run here");
            return;
        }
        let text = engine.to_string();
        assert!(text.contains("ulimit -l unlimited"), "{limit}: {text}");
    }
}

#[test]
fn polling_that_the_device_does_not_offer_is_refused_with_what_would_make_it() {
    let bench = with_a_file();
    let words = ["run", "f", "-d", "200ms", "--poll"];
    let said = bench.say(&words);
    if said.code == Some(0) {
        println!("skipped: the device below this folder can be polled");
        return;
    }
    said.refused("--poll");
}

#[test]
fn polling_and_an_engine_or_cache_without_it_contradict_each_other() {
    let bench = with_a_file();
    for (line, words) in [
        (
            "run f --poll --cache cached",
            "I/O through the system's cache",
        ),
        (
            "run f --poll --engine libaio",
            "polled completion (--poll) cannot be had",
        ),
        (
            "run --engine null --poll",
            "polled completion (--poll) cannot be had",
        ),
        (
            "run f --sqpoll --engine sync",
            "submission-queue polling (--sqpoll) cannot be had",
        ),
        (
            "run f --sqpoll --engine libaio",
            "submission-queue polling (--sqpoll) cannot be had",
        ),
    ] {
        bench.line(line).refused(words);
    }
}
