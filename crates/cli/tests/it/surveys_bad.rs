//! Surveys of what will not be surveyed: no room, targets that go away, devices too slow or too noisy, too little time.
//! Each reports what it measured and what not, and none hangs.

use crate::bench::{Bench, Said};
use crate::looped::Loop;
use crate::staged_ground::{Group, Mounted, PATH, number_of};
use std::io::Write;

/// A full file system of 64 MiB, in the folder `mnt`.
fn full(looped: &Loop, bench: &Bench) -> Option<Mounted> {
    let mounted = Mounted::ext4(looped, bench, "noatime")?;
    let mut file = std::fs::File::create(mounted.at.join("everything")).unwrap();
    let block = vec![7; 64 << 10];
    while file.write_all(&block).is_ok() {}
    // What is left below a block.
    while file.write_all(&[7; 512]).is_ok() {}
    let _ = file.sync_all();
    Some(mounted)
}

#[test]
fn without_room_there_is_no_file_and_no_page_but_a_survey() {
    let bench = Bench::new();
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let Some(_mounted) = full(&looped, &bench) else {
        return;
    };
    let said = bench.line("survey --create mnt/f --size 64M --json");
    assert_ne!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("mnt/f"), "{said:?}");

    let said = bench
        .line("survey sim:capped --workload backup --page mnt/page.html")
        .good();
    assert!(said.err.contains("the page is not there"), "{said:?}");
    assert!(said.err.contains("fathom report 1 -o FILE"), "{said:?}");
    assert!(!bench.path("mnt/page.html").exists());
    bench.line("show 1").good();
}

#[test]
fn all_that_is_wrong_with_a_page_is_said_at_once() {
    let bench = Bench::new();
    bench
        .line("survey sim:capped --workload backup -o none")
        .good();
    let said = bench.line("report 1 1.999 zz 77 -o missing/x.html");
    assert_eq!(said.code, Some(2), "{said:?}");
    for part in [
        "999",
        "'zz'",
        "77",
        "missing/x.html: its folder does not exist",
    ] {
        assert!(said.err.contains(part), "{part} in {said:?}");
    }
    bench
        .line("report 1 -o -")
        .refused("a page is written into a file");
    assert!(!bench.path("-").exists());
}

#[test]
fn a_page_is_written_and_nothing_but_a_page_is_replaced() {
    let bench = Bench::new();
    let line = "survey sim:capped --workload backup";
    let said = bench.line(line).good();
    assert!(
        said.err.contains("HTML report: fathom-survey-1.html"),
        "{said:?}"
    );
    let page = std::fs::read_to_string(bench.path("fathom-survey-1.html")).unwrap();
    assert!(page.contains("1M sequential read"));
    bench
        .line(&format!("{line} --page fathom-survey-1.html"))
        .good();
    bench.line(&format!("{line} -o none")).good();
    assert!(!bench.path("fathom-survey-3.html").exists());

    bench.write("thesis.html", 100);
    bench
        .line(&format!("{line} -o thesis.html"))
        .refused("is not a fathom report");
    bench
        .line(&format!("{line} -o missing/p.html"))
        .refused("its folder does not exist");
    bench
        .line(&format!("{line} -o p.html --no-store"))
        .refused("--no-store stores none");
}

#[test]
fn a_target_that_goes_away_ends_the_survey_with_what_was_measured() {
    let bench = Bench::new();
    bench
        .line("survey --size 64M --depth-max 1 --budget 3s --read-only -o none")
        .good();
    let child = bench.start("survey --budget 60s --read-only --json");
    std::fs::remove_file(bench.path("fathom.dat")).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    let report = said.json();
    let reasons = report["verdict"]["reasons"].to_string();
    assert!(reasons.contains("fathom.dat"), "{reasons}");
    assert!(said.err.contains("fathom.dat: "), "{}", said.err);
    assert!(!said.err.contains("--create"), "{}", said.err);
}

#[test]
fn a_device_of_which_one_io_outlasts_a_cell_is_said_to_have_reported_nothing() {
    let bench = Bench::new();
    let said = bench.line("survey sim:ssd,channels=1,service=30s,write-service=30s --json");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.json()["verdict"]["validity"], "INVALID", "{said:?}");
}

#[test]
fn a_device_that_lets_one_io_a_second_through_is_surveyed_as_far_as_the_time_goes() {
    let bench = Bench::new();
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let Some(group) = Group::of_io(number_of(&looped.device), "riops", 1) else {
        return;
    };
    let script = format!(
        "echo $$ > {}/cgroup.procs; exec \"$@\"",
        group.folder.display()
    );
    let mut command = bench.command_of(
        "/bin/sh".as_ref(),
        &["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom"), "survey"],
    );
    command.arg(&looped.device).env("PATH", PATH);
    command.args([
        "--read-only",
        "--budget",
        "10s",
        "--depth-max",
        "4",
        "--json",
    ]);
    let said = Said::from(command.output().unwrap());
    let report = said.json();
    assert_ne!(report["verdict"]["validity"], "VALID", "{said:?}");
    assert!(!report["verdict"]["reasons"].as_array().unwrap().is_empty());
}

#[test]
fn noise_that_no_interval_becomes_narrow_in_is_shown_and_ends() {
    let bench = Bench::new();
    let said = bench
        .line("survey sim:ssd,noise=150 --workload backup --no-store --json")
        .good();
    let report = said.json();
    let best = &report["rows"][0]["best"];
    let rate = &best["iops_estimate"];
    let limits = rate["high"].as_f64().zip(rate["low"].as_f64());
    let is_wide = |(high, low): (f64, f64)| (high - low) / best["iops"].as_f64().unwrap() > 0.1;
    assert!(limits.is_none_or(is_wide), "{rate}");
    let cells = report["cells"].as_array().unwrap();
    assert!(cells.len() < 60, "{}", cells.len());
}

#[test]
fn a_budget_for_nothing_is_refused_with_what_would_do() {
    let bench = Bench::new();
    bench
        .line("survey sim:ssd --budget 1s")
        .refused("specify --budget");
}

#[test]
fn caches_and_the_file_system_are_looked_at_where_that_was_asked() {
    let bench = Bench::new();
    let said = bench
        .line("survey sim:array --workload backup --cache-check --no-store --json")
        .good();
    let beside = said.json()["beside"].to_string();
    assert!(beside.contains("a cache of the device"), "{beside}");
    let Some(looped) = Loop::of(160 << 20, &[]) else {
        return;
    };
    let Some(_mounted) = Mounted::ext4(&looped, &bench, "noatime") else {
        return;
    };
    let device = looped.device.display();
    let line = "survey --create mnt/f --size 64M --cache-check --workload backup --budget 10s --json -o none";
    let said = bench.line(&format!("{line} --compare-raw {device}")).good();
    let beside = said.json()["beside"].to_string();
    for words in [
        "through it",
        "write-through",
        "1M sequential read at 1 in flight",
        "on the raw device",
    ] {
        assert!(beside.contains(words), "{words}: {beside}");
    }
    bench
        .line(&format!("survey sim:ssd --compare-raw {device}"))
        .refused("--compare-raw");
    bench
        .line("survey --compare-raw fathom.dat --size 64M")
        .refused("this is no block device");
}
