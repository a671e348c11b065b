//! `fathom fio` with fio's logs of I/Os: those that it writes and those that it replays, compared with the calls that the
//! kernel saw of both programs. Also the traces that `fathom run` and `fathom replay` keep.

use crate::bench::{Bench, Said};
use crate::fio_verify::totals;

#[test]
fn a_log_of_fio_s_is_replayed_on_what_filename_names_and_on_nothing_else() {
    let bench = Bench::new();
    let log = "fio version 2 iolog\nother add\nother open\nother read 0 4096\nother write 8192 4096\nother sync 0 0\nother close\n";
    std::fs::write(bench.path("log"), log).unwrap();
    let job = "fio --no-store --output-format=json --name=j --read_iolog=log --size=1m";
    for target in [
        "--filename=f",
        "--replay_redirect=g --replay_time_scale=200",
    ] {
        let ran = bench.line(&format!("{job} {target}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(totals(&ran.out), [1, 1, 0]);
        let syncs = &ran.json()["jobs"][0]["sync"]["total_ios"];
        assert_eq!(*syncs, 1, "{target}");
    }
    let refused = bench.line(job);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("opens nothing"), "{}", refused.err);
    assert!(!bench.path("other").exists());
}

/// Operation, offset and length of a call.
type Called = (String, u64, u64);

/// The calls on `target` that strace saw of the thread that writes to it, in their order, and
/// how many syncs of any thread.
fn traced(bench: &Bench, target: &str, program: &[&str]) -> Option<(Vec<Called>, usize)> {
    let folder = tempfile::tempdir().unwrap();
    let calls = "trace=pread64,pwrite64,fsync,fdatasync";
    let mut strace = std::process::Command::new("strace");
    let strace = strace.args(["-ff", "-y", "-e", calls, "-o"]);
    let strace = strace.arg(folder.path().join("calls")).args(program);
    let strace = strace
        .current_dir(bench.path("."))
        .env("FATHOM_STORE", bench.path("s.db"));
    let ran = strace.output().ok()?;
    assert!(ran.status.success(), "{program:?}: {ran:?}");
    let line = |line: &str| {
        let (name, rest) = line.split_once('(')?;
        rest.contains(&format!("/{target}>")).then_some(())?;
        let numbers = line.rsplit_once(')')?.0.rsplit(", ").take(2);
        let mut numbers = numbers.filter_map(|number| number.parse::<u64>().ok());
        Some(match name {
            "pread64" | "pwrite64" => (name.to_owned(), numbers.next()?, numbers.next()?),
            _ => ("sync".to_owned(), 0, 0),
        })
    };
    let (mut found, mut syncs) = (Vec::new(), 0);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let its: Vec<_> = text.lines().filter_map(line).collect();
        syncs += its.iter().filter(|(name, ..)| name == "sync").count();
        if its.iter().any(|(name, ..)| name == "pwrite64") {
            found.extend(its.into_iter().filter(|(name, ..)| name != "sync"));
        }
    }
    Some((found, syncs))
}

/// Of the same log with the same options, by both programs, as the kernel saw them.
#[test]
fn a_log_s_ios_have_the_operations_and_places_that_they_have_in_fio() {
    let bench = Bench::new();
    let log = "fio version 2 iolog\ntheirs add\ntheirs open\ntheirs read 0 4096\ntheirs write 20480 4096\ntheirs read 40960 8192\ntheirs write 102400 4096\ntheirs sync 0 0\ntheirs read 999424 4096\ntheirs close\n";
    std::fs::write(bench.path("log"), log).unwrap();
    let job = "--name=j --read_iolog=log --ioengine=psync --size=2m";
    let of = |options: &str, target: &str| -> Vec<String> {
        let line = format!("{job} --filename={target} {options}");
        line.split_whitespace().map(str::to_owned).collect()
    };
    let created = bench.line(&format!("fio --no-store {}", of("", "ours").join(" ")));
    assert_eq!(created.code, Some(0), "{created:?}");
    for options in [
        "",
        "--replay_scale=2",
        "--replay_align=8k",
        "--replay_scale=4 --replay_align=8192",
        "--replay_no_stall=1",
    ] {
        let (theirs, ours) = (of(options, "theirs"), of(options, "ours"));
        let with = |program: &[&'static str], words: &[String]| -> Vec<String> {
            let program = program.iter().map(|word| (*word).to_owned());
            program.chain(words.iter().cloned()).collect()
        };
        let run = |target: &str, words: Vec<String>| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            traced(&bench, target, &words)
        };
        std::fs::write(bench.path("theirs"), vec![0; 2 << 20]).unwrap();
        let Some(theirs) = run("theirs", with(&["fio"], &theirs)) else {
            println!("skipped: strace is not installed");
            return;
        };
        let ours = run("ours", with(&[FATHOM, "fio", "--no-store"], &ours)).unwrap();
        assert_eq!((theirs.0.len(), theirs.1), (5, 1), "{theirs:?}");
        assert_eq!(ours, theirs, "{options}");
    }
}

/// The reads and writes of a log, and how many syncs it has.
fn logged(bench: &Bench, log: &str) -> (Vec<Called>, usize) {
    let text = std::fs::read_to_string(bench.path(log)).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("fio version 3 iolog"));
    let (mut found, mut syncs, mut last) = (Vec::new(), 0, 0);
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let at: u64 = words[0].parse().unwrap();
        assert!(at >= last, "{line}");
        last = at;
        let number = |place: usize| words[place].parse::<u64>().unwrap();
        match words[2] {
            "read" | "write" => {
                let name = format!("p{}64", words[2]);
                found.push((name, number(3), number(4)));
            }
            "sync" => syncs += 1,
            act => assert!(["add", "open", "close"].contains(&act), "{line}"),
        }
    }
    (found, syncs)
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The words of a command line of the program.
fn ours(line: &str) -> Vec<&str> {
    [vec![FATHOM], words(line)].concat()
}

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

#[test]
fn a_log_of_a_job_has_its_calls_and_both_programs_make_them_again() {
    let bench = Bench::new();
    let job = "fio --no-store --name=j --filename=f --size=1m --bs=4k,8k --rw=randrw --fsync=16 --ioengine=psync";
    bench.line(&format!("{job} --write_iolog=first")).good();
    let issued = format!("{job} --write_iolog=log");
    let Some(issued) = traced(&bench, "f", &ours(&issued)) else {
        println!("skipped: strace is not installed");
        return;
    };
    let (issued, log) = (issued.0, logged(&bench, "log"));
    assert_eq!(log.0, issued);
    let writes = issued.iter().filter(|(name, ..)| name == "pwrite64");
    assert_eq!(log.1, writes.count() / 16);
    assert!(issued.len() > 150 && log.1 == 5, "{log:?}");
    // The seed is fixed, and so are the I/Os.
    assert_eq!(logged(&bench, "first"), log);

    let described = bench.line("trace log --json").good().json();
    assert_eq!(described["ios"], (log.0.len() + log.1) as u64);

    let again = "--name=k --read_iolog=log --filename=f --size=1m --ioengine=psync";
    let line = format!("fio --no-store {again} --write_iolog=none --output-format=json");
    let counted = bench.line(&line).good().json();
    assert_eq!(counted["jobs"][0]["sync"]["total_ios"], log.1);
    assert_eq!(traced(&bench, "f", &ours(&line)).unwrap().0, issued);
    assert!(!bench.path("none").exists(), "read_iolog overrides it");
    let theirs = format!("fio {again} --replay_redirect=f");
    assert_eq!(traced(&bench, "f", &words(&theirs)).unwrap(), log);
}

#[test]
fn jobs_that_run_together_share_a_log_and_others_do_not() {
    let bench = Bench::new();
    let jobs = "[global]\nsize=256k\nbs=4k\nrw=randwrite\n[a]\nwrite_iolog=both\nnumjobs=2\n[b]\nwrite_iolog=both\n[c]\nwrite_iolog=third\n[d]\n";
    std::fs::write(bench.path("jobs.fio"), jobs).unwrap();
    let ran = bench.line("fio --no-store jobs.fio");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(logged(&bench, "both").0.len(), 3 * 64);
    let devices = bench.line("trace both --json").good().json();
    let names = devices["devices"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "{devices}");
    assert_eq!(logged(&bench, "third").0.len(), 64);

    let alone = jobs.replace("[b]", "[b]\nstonewall");
    std::fs::write(bench.path("apart.fio"), alone).unwrap();
    let ran = bench.line("fio --no-store apart.fio");
    assert_eq!(ran.code, Some(2));
    let why = "write_iolog: [a] has the file both, too";
    assert!(ran.err.contains(why), "{}", ran.err);
}

#[test]
fn a_log_replaces_nothing_and_one_that_is_cut_short_is_not_kept() {
    let bench = Bench::new();
    let job = "fio --no-store --name=j --filename=f --size=1m --bs=512 --rw=randread";
    bench.line(&format!("{job} --write_iolog=log")).good();
    let before = bench.snapshot();
    for taken in ["log", "f", "."] {
        let refused = bench.line(&format!("{job} --write_iolog={taken}"));
        assert_eq!(refused.code, Some(2), "{taken}: {refused:?}");
        let refused = bench.line(&format!("run --no-store f -d 1s --keep-trace {taken}"));
        assert_eq!(refused.code, Some(2), "{taken}: {refused:?}");
    }
    let script = format!("trap '' XFSZ; ulimit -f 8; exec '{FATHOM}' {job} --write_iolog=cut");
    let mut shell = std::process::Command::new("sh");
    let shell = shell.args(["-c", &script]).current_dir(bench.path("."));
    let cut = Said::from(shell.output().unwrap());
    assert_eq!(cut.code, Some(1), "{cut:?}");
    assert!(cut.err.contains("cut: cannot be written: "), "{}", cut.err);
    assert!(
        cut.out.contains("random"),
        "the results are printed: {cut:?}"
    );
    assert_eq!(bench.snapshot(), before);
}

/// Operation, offset and length of the I/Os of a trace in their order.
pub(crate) fn ios(bench: &Bench, trace: &str) -> Vec<[String; 3]> {
    let csv = bench
        .line(&format!("trace {trace} --convert csv"))
        .good()
        .out;
    let column = |line: &str, number: usize| line.split(',').nth(number).unwrap().to_owned();
    let lines = csv.lines().skip(1);
    lines
        .map(|line| [2, 3, 4].map(|number| column(line, number)))
        .collect()
}

#[test]
fn a_kept_trace_is_issued_again_to_the_last_io() {
    let bench = Bench::new();
    for (line, expected) in [
        (
            "run sim:ssd -d 1s --warmup 0s -w 30 --rate 2000 --depth 8 --keep-trace a",
            1900..2100,
        ),
        (
            "run f --create 1M -d 1s --warmup 0s -w 30 --depth 4 --rate 500 -t 2 --keep-trace a",
            400..600,
        ),
        (
            "run f -d 1s --warmup 0s -w 100 --depth 4 --rate 500 --verify full --keep-trace a",
            400..600,
        ),
    ] {
        let ran = bench.line(&format!("{line} --no-store --json"));
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        let issued = ios(&bench, "a");
        assert!(expected.contains(&issued.len()), "{line}: {}", issued.len());
        let target = line.split(' ').nth(1).unwrap();
        for timing in ["recorded", "fast"] {
            let again = bench.line(&format!(
                "replay a {target} --timing {timing} --no-store --keep-trace b"
            ));
            assert_eq!(again.code, Some(0), "{again:?}");
            assert_eq!(ios(&bench, "b"), issued, "{line}, {timing}");
            std::fs::remove_file(bench.path("b")).unwrap();
        }
        std::fs::remove_file(bench.path("a")).unwrap();
    }
}

/// A file of blktrace: 4 KiB writes that are queued at these milliseconds, each at a place of its own from `first` on, and the
/// completion of the last 5 ms later.
fn blktrace(first: u64, queued_ms: &[u64]) -> Vec<u8> {
    const MAGIC: u32 = 0x6561_7407;
    const QUEUED: u32 = 1 | 2 << 16;
    const COMPLETED: u32 = 8 | 2 << 16;
    let mut bytes = Vec::new();
    let mut event = |action: u32, ms: u64, block: u64| {
        bytes.extend(MAGIC.to_ne_bytes());
        bytes.extend(0u32.to_ne_bytes());
        bytes.extend((ms * 1_000_000).to_ne_bytes());
        bytes.extend((block * 8).to_ne_bytes());
        // Bytes, action, process, device 8:0, processor; error and further data.
        for word in [4096, action, 1, 8 << 20, 0, 0] {
            bytes.extend(u32::to_ne_bytes(word));
        }
    };
    for (number, ms) in queued_ms.iter().enumerate() {
        event(QUEUED, *ms, first + number as u64);
    }
    let last = queued_ms.len() - 1;
    event(COMPLETED, queued_ms[last] + 5, first + last as u64);
    bytes
}

/// The places of two traces in the order in which fio merges them: `(time + round × length) × percent / 100`, the length that of
/// the last event. Source: `read_trace` in `blktrace.c` of fio 3.42.
fn merged(files: [(u64, &[u64]); 2], percents: [u64; 2], rounds: [u64; 2]) -> Vec<u64> {
    let mut all = Vec::new();
    for (file, (first, queued)) in files.into_iter().enumerate() {
        let length = queued[queued.len() - 1] + 5;
        for round in 0..rounds[file] {
            for (number, ms) in queued.iter().enumerate() {
                let at = (ms + round * length) * percents[file];
                all.push((at, file, (first + number as u64) * 4096));
            }
        }
    }
    all.sort();
    all.into_iter().map(|(.., place)| place).collect()
}

#[test]
fn several_traces_are_merged_as_fio_merges_them() {
    let bench = Bench::new();
    let (a, b) = ([0, 10, 20], [1, 6, 11, 13, 18, 23]);
    std::fs::write(bench.path("a"), blktrace(0, &a)).unwrap();
    std::fs::write(bench.path("b"), blktrace(100, &b)).unwrap();
    let job = "--name=j --read_iolog=a:b --ioengine=psync --size=2m --filename=f";
    bench
        .line("fio --no-store --name=c --filename=f --size=2m --rw=write --bs=64k")
        .good();
    for (options, percents, rounds) in [
        ("", [100, 100], [1, 1]),
        (
            "--merge_blktrace_scalars=50:100 --merge_blktrace_iters=2:1",
            [50, 100],
            [2, 1],
        ),
        ("--merge_blktrace_scalars=100:300", [100, 300], [1, 1]),
        ("--merge_blktrace_iters=3:2", [100, 100], [3, 2]),
    ] {
        let options = format!("{job} --merge_blktrace_file=merged {options}");
        let line = format!("fio --no-store {options}");
        let Some(ours) = traced(&bench, "f", &ours(&line)) else {
            println!("skipped: strace is not installed");
            return;
        };
        let places: Vec<u64> = ours.0.iter().map(|(_, offset, _)| *offset).collect();
        let expected = merged([(0, &a), (100, &b)], percents, rounds);
        assert_eq!(places, expected, "{options}");
        assert!(!bench.path("merged").exists());
    }
    for (options, why) in [
        ("", "with merge_blktrace_file only"),
        (
            "--merge_blktrace_file=m --merge_blktrace_iters=1",
            "one number per file",
        ),
        (
            "--merge_blktrace_file=m --merge_blktrace_iters=1:0",
            "must be numbers",
        ),
        ("--merge_blktrace_scalars=1:2", "must come with read_iolog"),
    ] {
        let refused = bench.line(&format!("fio --no-store {job} {options}"));
        assert_eq!(refused.code, Some(2), "{options}: {refused:?}");
        assert!(refused.err.contains(why), "{options}: {}", refused.err);
    }
}
