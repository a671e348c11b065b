//! `--journal` of `fathom run` and `fathom verify`: what was durable is found again, or its loss is.

use crate::bench::{Bench, Said};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// A folder in memory, which is no storage of the target; none where the system has no such file system.
fn in_memory() -> Option<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").ok()
}

/// A file that an earlier run filled, and a run with a journal elsewhere, as session 1. Returns the file's earlier content.
fn journaled(bench: &Bench, journal: &str) -> Vec<u8> {
    let fill = "run f.dat --create 4M -w 100 -o 4 -d 50ms --warmup 0s --no-store --json";
    assert_eq!(bench.line(fill).code, Some(0));
    let before = std::fs::read(bench.path("f.dat")).unwrap();
    let line =
        "run f.dat -w 80 -o 4 -d 300ms --warmup 0s --verify full --fdatasync 8 --json --journal";
    let said = bench.line(&format!("{line} {journal}"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let written = &said.json()["verification"]["journal"];
    assert!(written["writes"].as_u64().unwrap() > 0, "{written}");
    assert!(written["flushes"].as_u64().unwrap() > 0, "{written}");
    assert_eq!(written["failed"], Value::Null);
    before
}

fn blocks(said: &Said) -> Value {
    said.json()["verify"]["durability"]["blocks"].clone()
}

fn put(bench: &Bench, data: &[u8], at: u64) {
    let file = File::options().write(true).open(bench.path("f.dat"));
    let file = file.unwrap();
    file.write_all_at(data, at).unwrap();
    file.sync_all().unwrap();
}

#[test]
fn what_was_durable_is_found_and_its_loss_is_exit_code_4() {
    let Some(folder) = in_memory() else {
        println!("skipped: there is no file system in memory");
        return;
    };
    let (bench, journal) = (Bench::new(), folder.path().join("j"));
    let journal = journal.display().to_string();
    let before = journaled(&bench, &journal);
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&journal).unwrap());
    assert_eq!(mode & 0o777, 0o600);

    let verify = format!("verify f.dat --json --journal {journal}");
    let clean = bench.line(&verify).good();
    assert_eq!(clean.json()["verdict"]["validity"], "VALID");
    let found = blocks(&clean);
    assert!(found["promised_blocks"].as_u64().unwrap() > 10, "{found}");
    assert_eq!(found["promised_blocks"], found["found_blocks"]);
    assert_eq!(clean.json()["verify"]["durability"]["ended"], true);

    // The device forgets: three places are as before the run.
    let after = std::fs::read(bench.path("f.dat")).unwrap();
    let changed =
        (0..1024usize).filter(|at| before[at * 4096..][..4096] != after[at * 4096..][..4096]);
    let changed: Vec<usize> = changed.take(3).collect();
    for at in &changed {
        put(&bench, &before[at * 4096..][..4096], *at as u64 * 4096);
    }
    let lost = bench.line(&verify);
    assert_eq!(lost.code, Some(4), "{lost:?}");
    assert_eq!(lost.json()["verdict"]["validity"], "INVALID");
    assert_eq!(lost.json()["findings"][0]["id"], "data-not-durable");
    assert_eq!(blocks(&lost)["lost_blocks"], 3);
    assert_eq!(
        lost.json()["verify"]["cases"][0]["offset_bytes"],
        changed[0] as u64 * 4096
    );
    let part = format!(
        "{verify} --range {}..{}",
        changed[0] * 4096,
        (changed[0] + 1) * 4096
    );
    assert_eq!(blocks(&bench.line(&part))["promised_blocks"], 1);

    // Of a run that was not there before nothing shows whether it came later.
    let again = "run f.dat -w 100 -o 4 -d 50ms --warmup 0s --no-store --json";
    assert_eq!(bench.line(again).code, Some(0));
    let replaced = blocks(&bench.line(&verify));
    assert!(
        replaced["replaced_blocks"].as_u64().unwrap() > 0,
        "{replaced}"
    );
}

#[test]
fn a_journal_that_is_cut_damaged_or_of_another_run_is_read_so_far_or_refused() {
    let Some(folder) = in_memory() else {
        println!("skipped: there is no file system in memory");
        return;
    };
    let (bench, journal) = (Bench::new(), folder.path().join("j"));
    journaled(&bench, &journal.display().to_string());
    let bytes = std::fs::read(&journal).unwrap();
    let with = |bytes: &[u8], target: &str| {
        std::fs::write(folder.path().join("part"), bytes).unwrap();
        let part = folder.path().join("part");
        bench.line(&format!(
            "verify {target} --no-store --json --journal '{}'",
            part.display()
        ))
    };
    assert!(bytes.len() > 4098, "a head and writes");
    for cut in [4096, 4097, 2048 + bytes.len() / 2, bytes.len() - 1] {
        let said = with(&bytes[..cut], "f.dat");
        assert_eq!(said.code, Some(0), "cut at {cut}: {said:?}");
        let found = &said.json()["verify"]["durability"];
        assert!(found["whole_bytes"].as_u64().unwrap() <= cut as u64);
        assert_eq!(blocks(&said)["lost_blocks"], 0);
        assert_eq!(
            said.err.contains("cut off or damaged"),
            cut > 4096,
            "{said:?}"
        );
    }
    let mut newer = bytes.clone();
    newer[8] = 9;
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    for (bad, reason) in [
        (&bytes[..4000], "damaged or cut off"),
        (&damaged, "damaged or cut off"),
        (&newer, "a later version"),
        (&before_any(&bench), "no journal"),
        (&[], "no journal"),
    ] {
        let refused = with(bad, "f.dat");
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(reason), "{reason}: {}", refused.err);
    }
    let other = "run other.dat --create 4M -w 100 -d 50ms --warmup 0s --no-store --json";
    assert_eq!(bench.line(other).code, Some(0));
    let refused = with(&bytes, "other.dat");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("another run"), "{}", refused.err);
}

/// Bytes that are no journal.
fn before_any(bench: &Bench) -> Vec<u8> {
    std::fs::read(bench.path("f.dat")).unwrap()
}

#[test]
fn a_journal_next_to_its_target_is_a_warning_and_tests_no_durability() {
    let bench = Bench::new();
    let line = "run f.dat --create 4M -w 80 -d 100ms --warmup 0s --verify full --fdatasync 8 --json --journal j";
    let said = bench.line(line);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains("--journal j is on the storage"),
        "{}",
        said.err
    );
    let found = bench.line("verify f.dat --journal j --json").json();
    assert_eq!(found["verify"]["durability"]["beside"], true);
    assert_eq!(found["verdict"]["validity"], "CAUTION");
    assert_eq!(found["verify"]["durability"]["blocks"]["lost_blocks"], 0);
}

#[test]
fn a_journal_goes_to_a_pipe_or_to_standard_output() {
    let bench = Bench::new();
    let fifo = bench.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let line = "run f.dat --create 4M -w 80 -d 100ms --warmup 0s --verify full --fdatasync 8 --no-store --json --journal";
    let refused = bench.line(&format!("{line} pipe"));
    assert_ne!(refused.code, Some(0), "a pipe without a reader");
    let reader = std::thread::spawn({
        let fifo: PathBuf = fifo.clone();
        move || {
            let mut bytes = Vec::new();
            File::open(fifo).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        }
    });
    let written = loop {
        let said = bench.line(&format!("{line} pipe"));
        if said.code == Some(0) {
            break said;
        }
    };
    let bytes = reader.join().unwrap();
    let counted = written.json()["verification"]["journal"]["bytes"].clone();
    assert_eq!(counted, bytes.len());

    let line = "run f.dat -w 80 -d 100ms --warmup 0s --verify full --write-through --journal -";
    let words: Vec<&str> = line.split(' ').collect();
    let output = bench.command(&words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.starts_with(b"FATHOMJ"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("write"));
    std::fs::write(bench.path("j"), output.stdout).unwrap();
    let found = blocks(&bench.line("verify f.dat --journal j --json"));
    assert!(found["found_blocks"].as_u64().unwrap() > 0, "{found}");
    assert_eq!(found["lost_blocks"], 0);
}

#[test]
fn journals_without_sense_are_refused() {
    let bench = Bench::new();
    let fill = "run f.dat --create 1M -w 100 -d 50ms --warmup 0s --no-store --json";
    assert_eq!(bench.line(fill).code, Some(0));
    std::fs::write(bench.path("there"), "x").unwrap();
    for (line, reason) in [
        ("run f.dat -w 50 --journal j", "--verify"),
        ("run f.dat --verify full --journal j", "nothing is written"),
        ("run f.dat -w 50 --verify full --json --journal -", "--json"),
        (
            "run f.dat -w 50 --verify full --journal there",
            "already exists",
        ),
        (
            "run sim:ssd,data=64M -w 50 --length 8M --verify full --journal j",
            "simulated",
        ),
        ("verify f.dat --journal none", "No such file"),
    ] {
        let refused = bench.line(line);
        assert_eq!(refused.code, Some(2), "{line}: {refused:?}");
        assert!(refused.err.contains(reason), "{line}: {}", refused.err);
    }
}

#[test]
fn a_simulated_power_cut_finds_a_device_that_ignores_flushes() {
    let bench = Bench::new();
    let line = |flush: &str| {
        format!(
            "run sim:ssd,data=8M,volatile=1M,cut-at=200ms,flush={flush} -w 80 -o 8 --fdatasync 16 --length 8M -d 1s --warmup 0s \
             --verify full --json"
        )
    };
    let honest = bench.line(&line("honest"));
    assert_eq!(honest.code, Some(0), "{honest:?}");
    let durable = honest.json()["verification"]["durable"].clone();
    assert!(durable["promised_blocks"].as_u64().unwrap() > 0);
    assert_eq!(durable["lost_blocks"], 0);
    let ignored = bench.line(&line("ignored"));
    assert_eq!(ignored.code, Some(4), "{ignored:?}");
    let document = ignored.json();
    let ids = document["findings"].as_array().unwrap().iter();
    assert!(
        ids.clone().any(|one| one["id"] == "data-not-durable"),
        "{document}"
    );
    assert!(
        document["verification"]["durable"]["lost_blocks"]
            .as_u64()
            .unwrap()
            > 0
    );
}
