//! What an expert would notice, staged for real: limits, caches, others on the device, a full processor. As root, on
//! devices, files and control groups that the tests make; each asks that the right finding is there, or that none is.
//!
//! Deliberately absent: what the rules say of records that are made up, which stands beside them in `analysis`.

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
fn finding(document: &Value, id: &str) -> Option<Value> {
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

fn ids(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap();
    let ids = findings.iter().map(|finding| finding["id"].as_str());
    ids.map(Option::unwrap).collect()
}

fn run(bench: &Bench, words: &str, target: &Path) -> Value {
    let line = format!("run {words} {SHORT} {}", target.display());
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
    words.extend(line.split_whitespace());
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

/// What one try says of the limit.
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

/// Those who make the machine busy do not run beside those who need it quiet.
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
            reported(&document, "iops-limit", "rate_per_s")
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
            .filter_map(|row| row["figures"]["rate_per_s"].as_f64())
            .collect();
        rates.sort_by(f64::total_cmp);
        match rates.len() {
            2.. => Tried::Named(rates[rates.len() / 2], why),
            _ if why.contains("cores were at 100%") => Tried::Full,
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
    let cached = run(&bench, "--cache cached -o 4", &file);
    let cached = match finding(&cached, "page-cache") {
        Some(_) => cached,
        None => run(&bench, "--cache cached -o 4", &file), // by now all of it is in memory
    };
    assert_eq!(
        cached["verdict"]["validity"],
        "invalid",
        "{:?}",
        ids(&cached)
    );
    assert!(finding(&cached, "page-cache").is_some());
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
    assert_eq!(document["verdict"]["validity"], "invalid");
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
    // As the kernel counts; 1.6 s are sixteen of its periods.
    assert!(
        evidence(&found, "throttled_periods") >= Some(8.0),
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
