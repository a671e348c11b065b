//! What the machine does not give: the limit is named with the command that lifts it, and a fallback is reported.

use crate::bench::{Bench, Said, answered};
use std::path::{Path, PathBuf};
use std::process::Child;

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
    // Root may lock all memory; who is not root stays who he is.
    let root = std::fs::metadata(&program).unwrap().uid() == 0;
    answered(&words, |words| {
        let mut command = bench.command_of("/bin/sh".as_ref(), words);
        if as_nobody && root {
            command.uid(NOBODY).gid(NOBODY);
        }
        Said::from(command.output().unwrap())
    })
}

fn with_a_file() -> Bench {
    let bench = Bench::of_everybody();
    bench.write("f", 1 << 20);
    bench
}

#[test]
fn too_few_open_files_are_refused_with_the_limit_and_the_command_that_lifts_it() {
    let bench = with_a_file();
    for (limit, engine) in [
        ("-n 30", "sync"),
        ("-n 30", "io_uring"),
        ("-n 30", "libaio"),
        ("-n 100", "io_uring"), // enough for the files, and not for the rings
    ] {
        let said = limited(&bench, limit, &["-t", "64", "--engine", engine], false);
        if said.err.contains("does not run here") {
            println!("skipped: {}", said.err);
            continue;
        }
        said.refused("raise the limit on open files (ulimit -n 65536)");
        let allowed = limit.replace("-n", "this process may have");
        assert!(said.err.contains(&allowed), "{said:?}");
    }
    let said = limited(&bench, "-n 200", &["-t", "64"], false);
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn too_little_address_space_is_refused_and_nothing_breaks_off() {
    let bench = with_a_file();
    for more in [["-t", "256"], ["-o", "32768"]] {
        let said = limited(&bench, "-v 150000", &more, false);
        said.refused("raise the limit (ulimit -v unlimited)");
        assert!(
            said.err.contains("this process may have 150000K"),
            "{said:?}"
        );
    }
    let said = limited(&bench, "-v 4000000", &["-t", "8"], false);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// None at all is not enough for a ring on some kernels; a little is enough for a ring and not for its buffers.
#[test]
fn memory_that_may_not_be_locked_is_reported_and_the_run_goes_on() {
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
    said.refused("poll queues");
}

#[test]
fn polling_and_an_engine_or_cache_without_it_contradict_each_other() {
    let bench = with_a_file();
    for (line, words) in [
        (
            "run f --poll --cache cached",
            "I/O through the system's cache",
        ),
        ("run f --poll --engine libaio", "omit --poll"),
        ("run --engine null --poll", "omit --poll"),
        ("run f --sqpoll --engine sync", "omit --sqpoll"),
        ("run f --sqpoll --engine libaio", "omit --sqpoll"),
    ] {
        bench.line(line).refused(words);
    }
}

/// On the cores 0 and 1, of which one is taken away.
const ON_TWO: &str = "run --engine null --no-store -d 200ms --warmup 0s --cores 0-1";

/// The program on two cores below a shell that first does this.
fn after(bench: &Bench, first: &str) -> Said {
    let script = format!("{first} && exec \"$@\"");
    let mut words = vec!["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom")];
    words.extend(ON_TWO.split_whitespace());
    answered(&words, |words| {
        let mut command = bench.command_of("/bin/sh".as_ref(), words);
        Said::from(command.output().unwrap())
    })
}

fn names_the_mask(said: &Said) {
    for words in [
        "core 1: this process may use 0;",
        "taskset -pc 1 $$",
        "cpuset.cpus",
    ] {
        said.refused(words);
    }
}

/// A control group with core 0 alone. Gone on drop.
struct OneCore {
    folder: PathBuf,
}

impl OneCore {
    /// Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst` and `cgroup-v1/cpusets.rst`.
    fn new() -> std::io::Result<Self> {
        let first = Path::new("/sys/fs/cgroup/cpuset");
        let is_first = first.is_dir();
        let top = if is_first {
            first
        } else {
            let second = Path::new("/sys/fs/cgroup");
            std::fs::write(second.join("cgroup.subtree_control"), "+cpuset")?;
            second
        };
        let folder = top.join(format!("fathom-one-core-{}", std::process::id()));
        std::fs::create_dir(&folder)?;
        let group = OneCore { folder };
        std::fs::write(group.folder.join("cpuset.cpus"), "0")?;
        if is_first {
            std::fs::write(group.folder.join("cpuset.mems"), "0")?;
        }
        Ok(group)
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}

#[test]
fn cores_outside_the_mask_or_the_cpuset_are_refused_with_what_widens_it() {
    let bench = Bench::new();
    if bench.line(ON_TWO).code != Some(0) {
        println!("skipped: this process may not use the cores 0 and 1");
        return;
    }
    let masked = after(&bench, "taskset -pc 0 $$ >&2");
    if masked.err.contains("not found") {
        println!("skipped: no taskset here");
    } else {
        // The output of taskset comes first.
        let from = masked.err.find("fathom: ").unwrap_or(0);
        let err = masked.err[from..].to_owned();
        names_the_mask(&Said { err, ..masked });
    }
    match OneCore::new() {
        Ok(group) => {
            let join = format!("echo $$ > {}/cgroup.procs", group.folder.display());
            names_the_mask(&after(&bench, &join));
        }
        Err(why) => println!("skipped: no cpuset can be created: {why}"),
    }
}

#[test]
fn a_core_that_is_not_there_is_called_so() {
    let bench = Bench::new();
    let line = "run --engine null --no-store -d 200ms --cores 8000";
    bench.line(line).refused("core 8000 is not online");
    let line = "run --engine null --no-store --cores 3-1";
    bench.line(line).refused("must be free");
}

#[test]
fn nothing_is_made_before_the_machine_has_what_is_asked() {
    let bench = Bench::new();
    let before = bench.snapshot();
    for (line, words) in [
        (
            "run f --create 1M --no-store --cores 8000",
            "core 8000 is not online",
        ),
        (
            "run f --create 1M --no-store --poll --engine sync",
            "cannot be polled",
        ),
        (
            "sqlio -s1 -a0x8000000000000000 --no-store f",
            "core 63 is not online",
        ),
        (
            "sqlio -s1 -kW -qnowhere --no-store f",
            "nowhere: the source of write data",
        ),
        (
            "sqlio -s1 --no-store f --text /proc/self/r",
            "cannot be created",
        ),
    ] {
        bench.line(line).refused(words);
        assert_eq!(bench.snapshot(), before, "{line}");
    }
}

#[test]
fn near_cores_are_reported() {
    let line = "run --engine null --no-store -d 200ms --warmup 0s --threads 3 --cores near --json";
    let reported = Bench::new().line(line).good().json();
    let engine = reported["engine"].to_string();
    assert!(
        engine.contains("bound to a core near its device"),
        "{engine}"
    );
}

/// Most of 256 threads with 256 outstanding each, in MiB: in addition to 4 KiB of buffer an I/O, which the null engine does not
/// have, a little for each thread.
#[test]
fn many_threads_with_many_outstanding_start_in_bounded_memory() {
    let bench = with_a_file();
    let line = "run --no-store -d 1s --warmup 0s -t 256 -o 256";
    let null = peak_mib(bench.start(&format!("{line} --engine null")));
    let file = peak_mib(bench.start(&format!("{line} --cache cached f")));
    println!("256 threads, 256 outstanding each: null {null} MiB, file {file} MiB");
    assert!(null <= 64, "{null} MiB");
    assert!(file <= 256 + 96, "{file} MiB"); // 307 to 326: more kinds of latencies on a busy machine
}

/// The most that it had in memory while it ran. Source: proc_pid_status(5).
fn peak_mib(mut child: Child) -> u64 {
    let path = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    loop {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let reported = line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
        peak_kib = peak_kib.max(reported.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return peak_kib / 1024;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_store_that_may_not_grow_names_the_limit_on_the_length_of_files() {
    let bench = with_a_file();
    let said = limited(&bench, "-f 20", &[], false);
    said.refused("ulimit -f unlimited");
    assert!(said.err.contains("10240 bytes"), "{said:?}");
}

/// The signal of the soft limit comes again after each second of processor time, and the second one ends the program.
#[test]
fn a_limit_on_processor_time_ends_a_run_and_keeps_what_was_measured() {
    let bench = Bench::new();
    let script = "ulimit -S -t 1 && exec \"$@\"";
    let mut words = vec!["-c", script, "sh", env!("CARGO_BIN_EXE_fathom")];
    words.extend("run --engine null -d 1h --warmup 0s".split_whitespace());
    let mut command = bench.command_of("/bin/sh".as_ref(), &words);
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    bench.line("show 1").good();
}
