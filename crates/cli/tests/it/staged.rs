//! What an expert would notice, staged for real: limits, caches, others on the device, a full processor. As root, on
//! devices, files and control groups that the tests make; each asks that the right finding is there, or that none is.
//!
//! Deliberately absent: what the rules report on synthetic records, which is next to them in `analysis`.

use crate::bench::{Bench, Said};
use crate::looped::Loop;
use crate::staged_ground::{Group, Guest, PATH, number_of, without_limits_in_sight};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::{PoisonError, RwLock};

/// A rate limit lets I/Os through in bursts of a tenth of a second, so a run may catch one more or less than it should.
const TRIES: usize = 4;
const NEAR: f64 = 0.02;
const SHORT: &str = "-d 1600ms --warmup 300ms --json --no-store";

/// The finding of this name, wherever it stands in the document.
pub(crate) fn finding(document: &Value, id: &str) -> Option<Value> {
    match document {
        Value::Object(fields) => {
            let is_it = fields.get("id").and_then(Value::as_str) == Some(id);
            if is_it && fields.contains_key("sentence") {
                return Some(document.clone());
            }
            fields.values().find_map(|value| finding(value, id))
        }
        Value::Array(values) => values.iter().find_map(|value| finding(value, id)),
        _ => None,
    }
}

fn evidence(finding: &Value, name: &str) -> Option<f64> {
    let all = finding["evidence"].as_array()?;
    let one = all.iter().find(|one| one["name"] == name)?;
    one["value"].as_f64()
}

pub(crate) fn ids(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap();
    let ids = findings.iter().map(|finding| finding["id"].as_str());
    ids.map(Option::unwrap).collect()
}

fn run(bench: &Bench, words: &str, target: &Path) -> Value {
    let line = format!("run {words} {SHORT} '{}'", target.display());
    bench.line(&line).good().json()
}

/// The program in a control group; with its limits hidden, as in a container, where this can be done.
fn in_group(bench: &Bench, group: &Group, hidden: bool, line: &str) -> Option<Value> {
    let join = format!("echo $$ > {}/cgroup.procs", group.folder.display());
    let script = match hidden {
        true => format!("{join}; {}", without_limits_in_sight()?),
        false => format!("{join}; exec \"$@\""),
    };
    let mut words = vec!["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom")];
    let line = crate::bench::words(line);
    words.extend(line.iter().map(String::as_str));
    let mut command = bench.command_of("/bin/sh".as_ref(), &words);
    let said = Said::from(command.env("PATH", PATH).output().unwrap());
    Some(said.good().json())
}

fn near(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() <= NEAR
}

/// Whether one of the tries names the limit within 2%. Where the processors have something else to do, I/Os wait for
/// them and not for the limit: such a try shows nothing.
fn names_it(wanted: f64, mut try_once: impl FnMut() -> Tried) {
    let (mut seen, mut full) = (Vec::new(), 0);
    while seen.len() < TRIES && full < TRIES {
        match try_once() {
            Tried::Named(value, sentence) => {
                println!("{wanted}: {value:.1}, {sentence}");
                if near(value, wanted) {
                    return;
                }
                seen.push(Some(value));
            }
            Tried::Unnamed => seen.push(None),
            Tried::Full => full += 1,
        }
    }
    assert!(full == TRIES, "{wanted} was not named: {seen:?}");
    println!("skipped: the processors are full of something else");
}

/// The limit as one try reports it.
enum Tried {
    Named(f64, String),
    Unnamed,
    /// The processors were the limit.
    Full,
}

fn reported(document: &Value, id: &str, number: &str) -> Tried {
    if let Some(finding) = finding(document, id) {
        let sentence = finding["sentence"].as_str().unwrap_or_default().to_owned();
        return Tried::Named(evidence(&finding, number).unwrap(), sentence);
    }
    println!("no {id} among {:?}", ids(document));
    let is_full = ["cpu-bound", "fathom-cpu-bound"]
        .iter()
        .any(|id| finding(document, id).is_some());
    if is_full { Tried::Full } else { Tried::Unnamed }
}

/// Those who make the machine busy do not run at the same time as those who need it quiet, where all are threads of one
/// process; with nextest the group `measured` of `.config/nextest.toml` has the same effect.
static MACHINE: RwLock<()> = RwLock::new(());

fn quietly() -> impl Drop {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}

fn loudly() -> impl Drop {
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_limit_of_ios_is_named_within_2_percent_where_it_shows_and_where_it_is_hidden() {
    let _held = quietly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let bench = Bench::new();
    let line = format!("run -o 8 {SHORT} {}", looped.device.display());
    let longer = line.replace("1600ms", "3s");
    for limit in [700, 1920, 4000] {
        let Some(group) = Group::of_io(number_of(&looped.device), "riops", limit) else {
            return;
        };
        let wanted = limit as f64;
        names_it(wanted, || {
            let document = in_group(&bench, &group, false, &line).unwrap();
            reported(&document, "cgroup-io-limit", "cap_per_s")
        });
        if without_limits_in_sight().is_none() {
            println!("skipped: nothing here hides control groups");
            continue;
        }
        names_it(wanted, || {
            let document = in_group(&bench, &group, true, &longer).unwrap();
            assert_eq!(finding(&document, "cgroup-io-limit"), None);
            reported(&document, "iops-limit", "iops")
        });
    }
}

/// The rate limit counts what the kernel makes of them: several for one.
#[test]
fn a_limit_of_ios_is_named_of_large_ios_that_count_for_several() {
    let _held = quietly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let limit = 600;
    let Some(group) = Group::of_io(number_of(&looped.device), "riops", limit) else {
        return;
    };
    let bench = Bench::new();
    for engine in ["io_uring", "sync"] {
        let line = format!(
            "run -t 4 -b 1M --engine {engine} {SHORT} {}",
            looped.device.display()
        );
        names_it(limit as f64, || {
            let document = in_group(&bench, &group, false, &line).unwrap();
            reported(&document, "cgroup-io-limit", "cap_per_s")
        });
    }
}

/// B1: the kernel charges for what io_uring tries of an I/O that the device splits, so it ran at half of the limit.
#[test]
fn a_limit_of_bytes_is_reached_with_large_ios_and_named_with_io_uring() {
    let _held = quietly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let limit = 37 << 20;
    let Some(group) = Group::of_io(number_of(&looped.device), "rbps", limit) else {
        return;
    };
    let bench = Bench::new();
    for (engine, used) in [("auto", "libaio"), ("io_uring", "io_uring")] {
        let device = looped.device.display();
        let line = format!("run -o 8 -b 1M --engine {engine} {SHORT} {device}");
        names_it(limit as f64, || {
            let document = in_group(&bench, &group, false, &line).unwrap();
            assert_eq!(document["engine"]["backend"], used);
            let named = reported(&document, "cgroup-io-limit", "cap_bytes_per_s");
            let found = finding(&document, "cgroup-io-limit");
            let share = found.and_then(|found| evidence(&found, "reached_share"));
            match share {
                Some(share) if engine == "auto" && share < 0.97 => Tried::Unnamed,
                _ => named,
            }
        });
    }
}

#[test]
fn a_limit_is_named_over_the_depths_of_a_sweep() {
    let _held = quietly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let limit = 1920;
    let Some(group) = Group::of_io(number_of(&looped.device), "riops", limit) else {
        return;
    };
    if without_limits_in_sight().is_none() {
        println!("skipped: nothing here hides control groups");
        return;
    }
    let bench = Bench::new();
    let device = looped.device.display();
    let line = format!("sweep --axis depth=8,16,32 -d 2s --warmup 200ms --json --new {device}");
    names_it(limit as f64, || {
        let document = in_group(&bench, &group, true, &line).unwrap();
        let why = document["verdict"]["reasons"].to_string();
        let is_held = |row: &&Value| {
            let reasons = row["figures"]["reasons"].as_array();
            let mut words = reasons.into_iter().flatten().filter_map(Value::as_str);
            words.any(|why| why.contains("limited to") && !why.contains("bandwidth limited"))
        };
        let rows = document["rows"].as_array().unwrap().iter().filter(is_held);
        let mut rates: Vec<f64> = rows
            .filter_map(|row| row["figures"]["iops"].as_f64())
            .collect();
        rates.sort_by(f64::total_cmp);
        match rates.len() {
            2.. => Tried::Named(rates[rates.len() / 2], why),
            _ if ["cores were at 100%", "busy with other programs"]
                .iter()
                .any(|words| why.contains(words)) =>
            {
                Tried::Full
            }
            _ => Tried::Unnamed,
        }
    });
}

#[test]
fn a_limit_of_bytes_is_named_within_2_percent_where_it_shows_and_where_it_is_hidden() {
    let _held = quietly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let limit = 48 << 20;
    let Some(group) = Group::of_io(number_of(&looped.device), "rbps", limit) else {
        return;
    };
    let bench = Bench::new();
    let line = format!("run -o 8 -b 64K {SHORT} {}", looped.device.display());
    names_it(limit as f64, || {
        let document = in_group(&bench, &group, false, &line).unwrap();
        reported(&document, "cgroup-io-limit", "cap_bytes_per_s")
    });
    if without_limits_in_sight().is_some() {
        names_it(limit as f64, || {
            let document = in_group(&bench, &group, true, &line.replace("1600ms", "3s")).unwrap();
            reported(&document, "bandwidth-limit", "bytes_per_s")
        });
    }
}

#[test]
fn memory_that_answers_is_reported_of_a_run_through_it_and_not_of_one_past_it() {
    let bench = Bench::new();
    let made = bench.line(&format!("run --create 64M {SHORT} f"));
    if made.err.contains("no direct I/O") {
        println!("skipped: {}", made.err.trim());
        return;
    }
    made.good();
    let file = bench.path("f");
    // At first not all of it is in memory, and a run that was kept waiting shows nothing of what served it.
    let found = (0..TRIES).find_map(|_| {
        let cached = run(&bench, "--cache cached -o 4", &file);
        println!("{:?}", ids(&cached));
        finding(&cached, "page-cache").map(|_| cached)
    });
    let cached = found.expect("page-cache");
    assert_eq!(cached["verdict"]["validity"], "INVALID");
    let past = run(&bench, "-o 4", &file);
    for id in [
        "page-cache",
        "working-set-fits-cache",
        "unwritten-extents",
        "zero-data",
    ] {
        assert_eq!(finding(&past, id), None);
    }
}

#[test]
fn a_file_that_was_reserved_and_never_written_is_no_disk_result() {
    let bench = Bench::new();
    let file = bench.path("f");
    let mut reserve = Command::new("fallocate");
    let reserved = reserve.args(["-l", "64M"]).arg(&file).status();
    if !reserved.is_ok_and(|status| status.success()) {
        println!("skipped: space cannot be reserved in {}", file.display());
        return;
    }
    let said = bench.line(&format!("run -o 4 {SHORT} f"));
    if said.err.contains("no direct I/O") {
        println!("skipped: {}", said.err.trim());
        return;
    }
    let document = said.good().json();
    let reported = finding(&document, "unwritten-extents").unwrap();
    assert_eq!(reported["severity"], "error");
    assert_eq!(document["verdict"]["validity"], "INVALID");
    assert_eq!(evidence(&reported, "unbacked_share"), Some(1.0));
}

#[test]
fn others_on_the_device_are_reported_and_a_quiet_one_is_not() {
    let _held = loudly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let bench = Bench::new();
    let quiet = run(&bench, "-o 4", &looped.device);
    for id in [
        "noisy-neighbour",
        "page-cache",
        "zero-data",
        "compressible-data",
        "cgroup-io-limit",
        "iops-limit",
        "bandwidth-limit",
        "misaligned",
        "requests-split",
        "requests-merged",
        "impossible-for-medium",
        "queued-in-kernel",
    ] {
        assert_eq!(finding(&quiet, id), None);
    }
    let device = looped.device.display();
    let again = format!("while dd if={device} of=/dev/null bs=1M iflag=direct; do :; done");
    let _others = Guest::start(&["/bin/sh", "-c", &again]);
    let noisy = run(&bench, "-o 4", &looped.device);
    assert!(
        finding(&noisy, "noisy-neighbour").is_some(),
        "{:?}",
        ids(&noisy)
    );
}

#[test]
fn a_core_that_is_full_of_something_else_is_reported() {
    let _held = loudly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let busy = "while :; do :; done";
    let Some(_busy) = Guest::start(&["taskset", "-c", "0", "/bin/sh", "-c", busy]) else {
        println!("skipped: no taskset here");
        return;
    };
    let bench = Bench::new();
    let document = run(&bench, "-o 4 --cores 0", &looped.device);
    let found = finding(&document, "cpu-bound").or_else(|| finding(&document, "fathom-cpu-bound"));
    let found = found.unwrap_or_else(|| panic!("{:?}", ids(&document)));
    assert_eq!(found["severity"], "warning", "{found}");
}

/// E2: what the scheduler leaves to a program of low priority is as even as a limit, and the device is idle meanwhile.
#[test]
fn a_program_that_others_leave_no_processor_is_not_behind_a_limit() {
    let _held = loudly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let busy = || Guest::start(&["/bin/sh", "-c", "while :; do :; done"]);
    let _busy: Vec<_> = (0..4).map(|_| busy()).collect();
    let bench = Bench::new();
    let mut nice = Command::new("nice");
    nice.args(["-n", "19", env!("CARGO_BIN_EXE_fathom"), "run", "-o", "64"])
        .args(SHORT.replace("1600ms", "3s").split(' '))
        .arg(&looped.device)
        .current_dir(bench.path(""));
    let document = Said::from(nice.output().unwrap()).good().json();
    for limit in ["iops-limit", "bandwidth-limit"] {
        assert_eq!(finding(&document, limit), None, "{:?}", ids(&document));
    }
    assert!(
        finding(&document, "cpu-bound").is_some(),
        "{:?}",
        ids(&document)
    );
}

#[test]
fn a_quota_of_processor_time_is_reported() {
    let _held = quietly();
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let Some(group) = Group::of_processor(50) else {
        return;
    };
    let bench = Bench::new();
    let line = format!("run -o 16 {SHORT} {}", looped.device.display());
    let document = in_group(&bench, &group, false, &line).unwrap();
    let found =
        finding(&document, "cgroup-cpu-limit").unwrap_or_else(|| panic!("{:?}", ids(&document)));
    println!("{found}");
    assert_eq!(evidence(&found, "quota_cores"), Some(0.05));
    // As the kernel counts. On a busy machine the quota is not used up in each of its sixteen periods.
    assert!(
        evidence(&found, "throttled_periods") >= Some(1.0),
        "{found}"
    );
    let own = document["cpu"]["own_cores"].as_f64();
    assert_eq!(own, evidence(&found, "used_cores"));
}

#[test]
fn a_device_that_was_never_written_and_a_file_system_that_waits_are_reported() {
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let bench = Bench::new();
    let discarded = Command::new("blkdiscard").arg(&looped.device).output();
    if discarded.is_ok_and(|made| made.status.success()) {
        let zeros = run(&bench, "-o 4", &looped.device);
        assert!(finding(&zeros, "zero-data").is_some(), "{:?}", ids(&zeros));
    } else {
        println!("skipped: nothing can be discarded here");
    }
    let Some(mounted) = crate::staged_ground::Mounted::ext4(&looped, &bench, "sync") else {
        return;
    };
    let file = mounted.at.join("f");
    let document = run(&bench, "-w 100 --create 8M", &file);
    let reported =
        finding(&document, "mount-options").unwrap_or_else(|| panic!("{:?}", ids(&document)));
    let sentence = reported["sentence"].as_str().unwrap();
    assert!(sentence.contains("mounted with sync"), "{sentence}");
}

/// A file on the disk of this machine: what most people measure. Both limits by their figures in the verdict line.
#[test]
fn a_limit_on_the_disk_below_a_file_is_named_in_the_verdict() {
    let _held = quietly();
    let bench = Bench::new();
    let made = bench.line(&format!("run --create 64M {SHORT} f"));
    if made.code != Some(0) {
        println!("skipped: {}", made.err.trim());
        return;
    }
    let facts = host::target_facts(&host::Root::live(), &bench.path("f"));
    let Some(disk) = facts.chain.iter().find(|device| device.kind == "disk") else {
        println!("skipped: no disk is below the temporary folder");
        return;
    };
    for (what, limit, options, figure, words) in [
        ("riops", 777, "-o 8", "cap_per_s", "777 IOPS"),
        (
            "rbps",
            61 << 20,
            "-o 8 -b 64K",
            "cap_bytes_per_s",
            "61.0 MiB/s",
        ),
    ] {
        let Some(group) = Group::of_io(disk.number, what, limit) else {
            return;
        };
        let line = format!("run {options} {SHORT} '{}'", bench.path("f").display());
        names_it(limit as f64, || {
            let document = in_group(&bench, &group, false, &line).unwrap();
            let named = reported(&document, "cgroup-io-limit", figure);
            let rate = document["operations"].as_array().unwrap().iter();
            let total = rate.last().unwrap();
            println!(
                "{what} {limit}: {} IOPS, {}",
                total["iops_estimate"]["value"], total["bytes_per_s_estimate"]["value"]
            );
            // Other programs on the disk are a cause of their own.
            let noisy = finding(&document, "noisy-neighbour").is_some();
            if let (Tried::Named(..), false) = (&named, noisy) {
                let why = document["verdict"]["reasons"][0].as_str().unwrap();
                assert!(why.contains(words), "{why}");
            }
            named
        });
        // A limit on bytes that cannot be seen is not named here yet: blkio's slices make its windows uneven.
        if what == "rbps" {
            continue;
        }
        if without_limits_in_sight().is_none() {
            println!("skipped: nothing here hides control groups");
            continue;
        }
        let longer = line.replace("1600ms", "4s");
        names_it(limit as f64, || {
            let document = in_group(&bench, &group, true, &longer).unwrap();
            reported(&document, "iops-limit", "iops")
        });
    }
}

#[test]
fn a_file_of_holes_is_no_disk_result() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("f")).unwrap();
    file.set_len(64 << 20).unwrap();
    let said = bench.line(&format!("run -o 4 {SHORT} f"));
    if said.err.contains("no direct I/O") {
        println!("skipped: {}", said.err.trim());
        return;
    }
    let document = said.good().json();
    let reported = finding(&document, "unwritten-extents").unwrap();
    assert_eq!(evidence(&reported, "unbacked_share"), Some(1.0));
    assert_eq!(document["verdict"]["validity"], "INVALID");
}

/// A loop device that goes through the page cache of its file, and one that does not.
fn cached_and_direct(bench: &Bench) -> Option<[Loop; 2]> {
    let folder = bench.path(".");
    let of = |options: &[&str]| Loop::within(&folder, 64 << 20, options);
    Some([of(&[])?, of(&["--direct-io=on"])?])
}

/// Without direct I/O of its own, a loop device reads its file through the page cache.
#[test]
fn a_loop_device_over_the_page_cache_is_reported_and_a_direct_one_is_not() {
    let _held = quietly();
    let bench = Bench::new();
    let Some([cached, direct]) = cached_and_direct(&bench) else {
        return;
    };
    let mut missing = None;
    for _ in 0..TRIES {
        let document = run(&bench, "-o 4", &cached.device);
        // Reads of other programs on the disk below count as those of the device.
        if finding(&document, "noisy-neighbour").is_some() {
            println!("other I/O on the disk");
            continue;
        }
        let reported = finding(&document, "loop-page-cache");
        // A core that other programs use may leave the disk nothing to do.
        let Some(reported) = reported else {
            missing = Some(ids(&document).join(", "));
            continue;
        };
        println!("{}", reported["sentence"]);
        assert!(evidence(&reported, "not_on_bottom_share") >= Some(0.1));
        let document = run(&bench, "-o 4", &direct.device);
        assert_eq!(finding(&document, "loop-page-cache"), None);
        return;
    }
    assert_eq!(missing, None);
    println!("skipped: the disk below has other I/O");
}

/// E1: the device itself counts all of them.
#[test]
fn writes_that_a_loop_device_keeps_in_memory_are_reported_and_direct_ones_are_not() {
    let _held = quietly();
    let bench = Bench::new();
    let Some([cached, direct]) = cached_and_direct(&bench) else {
        return;
    };
    let written = |device: &Path| {
        let words = format!("-o 4 -b 1M -w 100 --destroy {}", device.display());
        run(&bench, &words, device)
    };
    let document = written(&cached.device);
    let reported = finding(&document, "loop-page-cache");
    let reported = reported.unwrap_or_else(|| panic!("{:?}", ids(&document)));
    assert!(evidence(&reported, "writes_not_on_bottom_share") >= Some(0.1));
    assert_eq!(document["verdict"]["validity"], "INVALID");
    let document = written(&direct.device);
    assert_eq!(finding(&document, "loop-page-cache"), None);
}

/// libaio carries out buffered reads in the call, one after the other.
#[test]
fn buffered_libaio_is_synchronous_and_direct_is_not() {
    let _held = quietly();
    let bench = Bench::new();
    let made = bench.line(&format!("run --create 256M {SHORT} f"));
    if made.code != Some(0) {
        println!("skipped: {}", made.err.trim());
        return;
    }
    let file = bench.path("f");
    let with = |cache: &str| {
        run(
            &bench,
            &format!("--engine libaio -o 16 --cache {cache}"),
            &file,
        )
    };
    for _ in 0..TRIES {
        let of = format!("of={}", file.display());
        let drop_cache = [
            of.as_str(),
            "oflag=nocache",
            "conv=notrunc,fdatasync",
            "count=0",
        ];
        let _ = Command::new("dd").args(drop_cache).output();
        let document = with("cached");
        println!("{}", document["workers"][0]);
        if let Some(reported) = finding(&document, "synchronous-submission") {
            println!("{}", reported["sentence"]);
            assert_eq!(evidence(&reported, "queue_depth"), Some(16.0));
            assert_eq!(finding(&with("unbuffered"), "synchronous-submission"), None);
            return;
        }
        let others = [
            "cpu-bound",
            "fathom-cpu-bound",
            "noisy-neighbour",
            "page-cache",
        ];
        let other = others.iter().any(|id| finding(&document, id).is_some());
        assert!(other, "{:?}", ids(&document));
    }
    println!("skipped: processors, disk or page cache were the limit");
}

/// One durable write after the other: the figure is the latency of a commit.
#[test]
fn durable_writes_one_at_a_time_are_commits() {
    let bench = Bench::new();
    let line = |through: &str| format!("run -w 100 --create 16M {through} {SHORT} f");
    let said = bench.line(&line("--write-through"));
    if said.code != Some(0) {
        println!("skipped: {}", said.err.trim());
        return;
    }
    let document = said.json();
    let reported = finding(&document, "commit-latency").unwrap();
    println!("{}", reported["sentence"]);
    let mean_ns = evidence(&reported, "commit_mean_ns").unwrap();
    let per_s = evidence(&reported, "commits_per_s").unwrap();
    assert!(near(mean_ns * per_s, 1e9), "{reported}");
    let free = bench.line(&line("")).good().json();
    let of_turn = finding(&free, "commit-latency");
    assert!(of_turn.is_none_or(|found| evidence(&found, "rotations_per_minute").is_some()));
}
