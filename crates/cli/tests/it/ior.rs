//! `fathom ior`: exit codes, output, files and stops, on real files.
//!
//! What an option means is tested in `tools`, where the I/Os go in `engine`.

use crate::bench::{Bench, Said, send, until};
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Small, and through the page cache, which every file system has.
const SHORT: &str = "ior -b 1m -t 256k";

/// The columns of the line of this phase and repetition.
pub(crate) fn row(said: &Said, access: &str, repetition: &str) -> Vec<f64> {
    let lines = said
        .out
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut lines =
        lines.filter(|words| words.len() == 11 && words[0] == access && words[10] == repetition);
    let words = lines
        .next()
        .unwrap_or_else(|| panic!("{access} in {said:?}"));
    words[1..10]
        .iter()
        .map(|word| word.parse().unwrap())
        .collect()
}

#[test]
fn a_shared_file_is_written_and_read_by_tasks_printed_stored_and_removed() {
    let bench = Bench::new();
    let said = bench
        .line(&format!("{SHORT} -w -r -s 2 -N 2 -i 2 -o f -v"))
        .good();
    assert!(
        said.out
            .starts_with("IOR-4.1.0: MPI Coordinated Test of Parallel I/O\n")
    );
    for access in ["write", "read"] {
        for repetition in ["0", "1"] {
            let columns = row(&said, access, repetition);
            let [mib_s, .., total] = columns[..] else {
                panic!("{said:?}")
            };
            // 4 MiB over the total time, as far as the printed digits go.
            let most = 4.0 / (total - 5e-7);
            assert!(mib_s <= most.max(4.0 / total) * 1.01 + 1.0, "{said:?}");
            assert_eq!((columns[3], columns[4]), (1024.0, 256.0));
        }
    }
    assert!(said.out.contains("\nMax Write: ") && said.out.contains("\nMax Read:  "));
    let summary: Vec<&str> = said.out.split("Summary of all tests:").collect();
    let line = summary[1]
        .lines()
        .find(|line| line.starts_with("write "))
        .unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words.len(), 27, "{line}");
    assert_eq!(
        (words[12], words[13], words[14], words[15]),
        ("0", "2", "2", "2"),
        "{line}"
    );
    assert_eq!((words[24], words[25]), ("4.0", "POSIX"), "{line}");
    assert!(!bench.path("f").exists());
    let kept = bench.line("show 1.1 --json").good().json();
    assert_eq!(kept["operations"][0]["ios"], 16);
}

#[test]
fn threads_meet_behind_a_deadline_and_write_as_much_as_the_one_that_wrote_most() {
    let bench = Bench::new();
    // More than they write in a second, at any speed.
    let line = "ior -b 1g -t 64 -w -F -k -N 3 -D 1 -O stoneWallingWearOut=1 -o f";
    let said = bench.line(line).good();
    let met = said.out.split("max: ").nth(1).unwrap();
    let most: u64 = met.split(' ').next().unwrap().parse().unwrap();
    assert!(most < 1 << 24, "{said:?}");
    let kept = bench.line("show 1.1 --json").good().json();
    assert_eq!(kept["operations"][0]["ios"], 3 * most, "{said:?}");
}

#[test]
fn each_task_has_a_file_that_stays_and_is_read_and_compared_later() {
    let bench = Bench::new();
    bench
        .line(&format!("{SHORT} -w -F -k -N 3 -o f --no-store"))
        .good();
    for task in 0..3 {
        let there = fs::metadata(bench.path(&format!("f.{task:08}"))).unwrap();
        assert_eq!(there.len(), 1 << 20);
    }
    let read = bench
        .line(&format!("{SHORT} -r -R -F -k -N 3 -o f --no-store"))
        .good();
    row(&read, "read", "0");
    // The same file again, as IOR empties it, without a word.
    bench
        .line(&format!("{SHORT} -w -W -F -N 3 -o f --no-store"))
        .good();
    assert!(!bench.path("f.00000000").exists());
}

#[test]
fn damage_is_found_and_is_exit_code_4() {
    let bench = Bench::new();
    bench.line(&format!("{SHORT} -w -k -o f --no-store")).good();
    let path = bench.path("f");
    let mut content = fs::read(&path).unwrap();
    content[300_000] ^= 1;
    fs::write(&path, content).unwrap();
    let said = bench.line(&format!("{SHORT} -r -R -k -o f --no-store"));
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.err.contains("1 block is not what was written"),
        "{said:?}"
    );
}

/// Case 38, and what IOR would delete.
#[test]
fn foreign_files_are_refused_with_what_would_be_lost() {
    let bench = Bench::new();
    bench.write("notes", 100_000);
    let before = bench.snapshot();
    for line in [
        "ior -w -o notes",
        "ior -w -E -o notes",
        "ior -r -b 64k -t 4k -o notes", // IOR removes it at the end
        "ior -w -F -o no/such/folder",
        "ior -w -o .",
        "ior -r -k -o missing",
    ] {
        let said = bench.line(line);
        assert_eq!(
            (said.code, said.out.as_str()),
            (Some(2), ""),
            "{line}: {said:?}"
        );
    }
    assert!(bench.line("ior -w -o notes").err.contains("--overwrite"));
    bench
        .line("ior -w -o f -O summaryFile=notes")
        .refused("would be lost");
    bench.line("ior -w -o f -O summaryFile=f").refused("target");
    bench.line("ior -w -o f -o").refused("value is missing");
    let after = bench.snapshot();
    let same = |all: &[(std::path::PathBuf, Vec<u8>)]| {
        all.iter()
            .filter(|(path, _)| !path.ends_with("s.db"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(same(&before), same(&after));
    bench
        .line("ior -r -k -b 64k -t 4k -o notes --no-store")
        .good();
    bench
        .line("ior -w -k -b 64k -t 4k -o notes --overwrite --no-store")
        .good();
    assert_eq!(fs::metadata(bench.path("notes")).unwrap().len(), 64 << 10);
}

#[test]
fn a_file_that_fathom_wrote_and_somebody_changed_is_refused() {
    let bench = Bench::new();
    bench.line(&format!("{SHORT} -w -k -o f --no-store")).good();
    let mut content = fs::read(bench.path("f")).unwrap();
    content[700_000..700_010].copy_from_slice(b"user bytes");
    fs::write(bench.path("f"), content).unwrap();
    let said = bench.line(&format!("{SHORT} -w -o f --no-store"));
    assert_ne!(said.code, Some(0), "{said:?}");
    assert!(bench.path("f").exists());
}

#[test]
fn odd_transfers_go_through_the_cache_and_are_refused_without_it() {
    let bench = Bench::new();
    let said = bench
        .line("ior -w -r -t 47008 -b 47008 -s 3 -N 2 -o f --no-store")
        .good();
    row(&said, "read", "0");
    let direct = bench.line("ior -w -t 47008 -b 47008 -s 3 -o g --posix.odirect --no-store");
    assert_eq!(direct.code, Some(2), "{direct:?}");
    assert!(direct.err.contains("-t"), "{direct:?}");
}

#[test]
fn a_deadline_ends_the_writes_and_reads_end_where_they_ended() {
    let bench = Bench::new();
    let said = bench
        .line("ior -w -r -D 1 -b 1t -t 1m -k -o f --no-store")
        .good();
    let (write, read) = (row(&said, "write", "0"), row(&said, "read", "0"));
    assert!(write[6] >= 1.0, "{said:?}");
    let there = fs::metadata(bench.path("f")).unwrap();
    assert_eq!(there.len(), 1 << 40);
    let summary = said.out.split("Summary of all tests:").nth(1).unwrap();
    let moved = |name: &str| -> f64 {
        let line = summary.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(24).unwrap().parse().unwrap()
    };
    assert!(moved("read ") <= moved("write "), "{said:?}");
    assert!(read[0] > 0.0 && there.blocks() * 512 <= 2 << 40);
}

#[test]
fn json_and_csv_have_what_programs_read() {
    let bench = Bench::new();
    let line = format!("{SHORT} -w -r -i 2 -o f --no-store -O summaryFormat=JSON");
    let document = bench.line(&line).good().json();
    let results = document["tests"][0]["Results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    assert!(
        results
            .iter()
            .all(|one| one["bwMiB"].as_f64().unwrap() > 0.0)
    );
    assert!(results[0]["openTime"].is_number() && results[0]["closeTime"].is_number());
    let summary = document["summary"].as_array().unwrap();
    assert_eq!(
        (summary.len(), &summary[0]["operation"]),
        (2, &"write".into())
    );
    assert_eq!(
        document["tests"][0]["Parameters"]["transferSize"],
        256 << 10
    );
    let file = format!("{SHORT} -w -o f --no-store -O summaryFormat=CSV,summaryFile=r.csv");
    bench.line(&file).done();
    bench.line(&file).done(); // over its own earlier one
    let text = fs::read_to_string(bench.path("r.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines.iter().all(|line| line.split(',').count() == 12),
        "{text}"
    );
}

#[test]
fn a_script_has_several_tests() {
    let bench = Bench::new();
    let script = "IOR START\napi=POSIX\ntestFile=g\nblockSize=256k,transferSize=64k\nwriteFile=1,keepFile=1\nRUN\n\
                  writeFile=0,readFile=1\nRUN\nRUN\nIOR STOP\n";
    fs::write(bench.path("s"), script).unwrap();
    let said = bench.line("ior -f s --no-store").good();
    let ids: Vec<&str> = said
        .out
        .lines()
        .filter(|line| line.starts_with("TestID"))
        .collect();
    assert_eq!(ids.len(), 3, "{said:?}");
    assert!(bench.path("g").exists());
}

#[test]
fn the_name_makes_it_ior_and_help_and_dry_runs_do_nothing() {
    let bench = Bench::new();
    let program = bench.copy_of_program();
    let link = bench.path("ior");
    std::os::unix::fs::symlink(program, &link).unwrap();
    let words = ["-w", "-b", "64k", "-t", "4k", "-o", "f", "--no-store"];
    Said::from(bench.command_of(&link, &words).output().unwrap()).good();
    let help = Said::from(bench.command_of(&link, &["--help"]).output().unwrap());
    assert!(help.out.starts_with("usage: ior "), "{help:?}");
    let before = bench.snapshot();
    let dry = bench
        .line("ior -w -r -F -N 2 -o f --dryRun --no-store")
        .good();
    assert!(dry.out.contains("f.00000001"), "{dry:?}");
    assert_eq!(before, bench.snapshot());
}

#[test]
fn a_stop_prints_what_was_measured_and_stores_it() {
    let bench = Bench::new();
    let child = bench.start("ior -w -D 3600 -b 1t -t 4k -o f --posix.odirect");
    until(|| std::fs::metadata(bench.path("f")).map_or(0, |file| file.blocks()) >= 1024);
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(!bench.path("f").exists(), "{said:?}");
    assert!(said.out.contains("\nwrite "), "{said:?}");
    let stored = bench.line("show 1 --json").json();
    assert!(stored["operations"][0]["ios"].as_u64().unwrap() > 0);
}

#[test]
fn a_phase_that_cannot_be_done_is_refused_before_the_first() {
    let bench = Bench::new();
    for check in ["-W", "-R"] {
        let line = format!("ior -w -r {check} -t 1k -b 4k -o f --no-store");
        bench.line(&line).refused("-t");
        assert!(!bench.path("f").exists());
    }
    bench.line("ior -w -D 30000 -o f --no-store").refused("6 h");
}
