//! `fathom ior` under a launcher of MPI: its processes are the tasks, on one file or a file of each.

use crate::bench::{Bench, Said};
use crate::ior::row;
use crate::many_hosts::with_one;
use serde_json::Value;
use std::fs;

/// Small, and through the page cache, which every file system has.
const SHORT: &str = "ior -b 1m -t 256k";

fn stored(bench: &Bench, name: &str) -> Value {
    let store = bench.path("hosts.db");
    let line = format!("show {name} --json --store '{}'", store.display());
    bench.line(&line).good().json()
}

fn names(bench: &Bench) -> Vec<String> {
    let all = fs::read_dir(bench.path("")).unwrap();
    let names = all.map(|one| one.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with('f')).collect();
    names.sort();
    names
}

fn summary<'a>(said: &'a Said, access: &str) -> Vec<&'a str> {
    let summary = said.out.split("Summary of all tests:").nth(1).unwrap();
    let line = summary.lines().find(|line| line.starts_with(access));
    line.unwrap().split_whitespace().collect()
}

#[test]
fn each_rank_has_its_blocks_of_each_segment_and_the_table_has_their_sum() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line = format!("{SHORT} -w -r -s 2 -i 2 -k -o f");
        let said = launcher.run(&bench, 3, &line).good();
        for access in ["write", "read"] {
            for repetition in ["0", "1"] {
                let columns = row(&said, access, repetition);
                let [mib_s, .., total] = columns[..] else {
                    panic!("{said:?}")
                };
                // 6 MiB over the total time, as far as the printed digits go.
                let most = 6.0 / (total - 5e-7);
                assert!(mib_s <= most.max(6.0 / total) * 1.01 + 1.0, "{said:?}");
            }
        }
        let words = summary(&said, "write ");
        assert_eq!((words[13], words[14]), ("3", "3"), "{words:?}");
        assert_eq!(words[24], "6.0", "{words:?}");
        // Four phases of three ranks, rank 0 first.
        for run in 1..=12u64 {
            let own = stored(&bench, &format!("1.{run}"));
            assert_eq!(own["operations"][0]["bytes"], 2 << 20, "{run}: {own}");
            let runs = &own["targets"][0]["work"]["access"]["runs"];
            let first = runs["first"].as_u64().unwrap_or(0);
            assert_eq!((first, &runs["columns"]), ((run - 1) % 3, &3.into()));
        }
        // One aggregate: that of the table, in the list and in what is shown.
        let shown = bench.line("show 1 --store hosts.db").good();
        assert!(
            shown.out.contains("warning") || shown.out.contains("hint"),
            "{shown:?}"
        );
        let listed = bench.line("list --json --store hosts.db").good().json();
        let headline = listed["sessions"][0]["headline"].as_str().unwrap();
        for step in ["write 0", "read 0", "write 1", "read 1"] {
            assert!(shown.out.contains(&format!("\n  {step} ")), "{shown:?}");
            let (access, repetition) = step.split_once(' ').unwrap();
            let printed = row(&said, access, repetition)[0];
            let after = headline.to_lowercase();
            let after = after.split(&format!("{step}: ")).nth(1).unwrap();
            let both = after.split(" of 3 ranks").next().unwrap();
            let mib_s = both.split(" and ").nth(1).unwrap();
            let mib_s: f64 = mib_s.trim_end_matches(" mib/s").parse().unwrap();
            assert!(
                (mib_s / printed - 1.0).abs() < 0.01,
                "{step}: {printed}: {headline}"
            );
        }
        let whole = bench.line("show 1 --verbose --store hosts.db").good();
        assert!(whole.out.contains("1, write 0:"), "{whole:?}");
        // Where another program wrote to the device meanwhile, its counters do not show what the cache kept.
        let cached = (1..=12u64).any(|run| {
            let own = stored(&bench, &format!("1.{run}"));
            let findings = own["findings"].as_array().unwrap().iter();
            let mut findings = findings.filter(|one| one["severity"] != "note");
            (run - 1) / 3 % 2 == 0 && findings.any(|one| one["id"] == "page-cache")
        });
        assert_eq!(
            cached,
            said.err.contains("warning: write "),
            "{said:?} {shown:?}"
        );
        // The headers of all blocks are those of their places: a call alone reads and compares the whole file.
        let line = format!("{SHORT} -r -R -s 2 -N 3 -k -o f --no-store");
        bench.line(&line).good();
        assert_eq!(fs::metadata(bench.path("f")).unwrap().len(), 6 << 20);
        // Later calls write it again and remove it.
        launcher
            .run(&bench, 3, &format!("{SHORT} -w -s 2 -o f"))
            .good();
        assert!(names(&bench).is_empty());
    });
}

#[test]
fn the_first_ranks_have_a_file_each_and_the_others_wait() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line = format!("{SHORT} -w -W -r -R -F -z -N 2 -k -o f");
        let said = launcher.run(&bench, 3, &line).good();
        assert_eq!(summary(&said, "read ")[13], "2");
        assert_eq!(names(&bench), ["f.00000000", "f.00000001"]);
        assert_eq!(stored(&bench, "1.6")["operations"][0]["bytes"], 1 << 20);
        let line = format!("{SHORT} -r -F -o f -O summaryFormat=JSON");
        let document = launcher.run(&bench, 2, &line).good().json();
        let parameters = &document["tests"][0]["Parameters"];
        assert_eq!(
            (&parameters["nodes"], &parameters["tasksPerNode"]),
            (&1.into(), &2.into())
        );
        assert_eq!(document["summary"][0]["xsizeMiB"], 2.0);
        assert!(names(&bench).is_empty());
        let script = "IOR START\ntestFile=f\nblockSize=256k,transferSize=64k\nkeepFile=1\nwriteFile=1\nnumTasks=2\nRUN\n\
                      writeFile=0,readFile=1\nRUN\nfilePerProc=1,writeFile=1,readFile=0,numTasks=3\nRUN\nIOR STOP\n";
        fs::write(bench.path("script"), script).unwrap();
        let said = launcher.run(&bench, 3, "ior -f script --no-store").good();
        assert_eq!(said.out.matches("TestID").count(), 3, "{said:?}");
        assert_eq!(
            names(&bench),
            ["f", "f.00000000", "f.00000001", "f.00000002"]
        );
    });
}

#[test]
fn behind_a_deadline_all_tasks_go_on_to_as_much_as_the_one_that_did_most() {
    with_one(|launcher| {
        let bench = Bench::new();
        let tasks = "ior -b 1g -t 64 -k -o f";
        let line =
            format!("{tasks} -w -r -D 1 -O stoneWallingWearOut=1 -O stoneWallingStatusFile=number");
        let said = launcher.run(&bench, 3, &line).good();
        let number = fs::read_to_string(bench.path("number")).unwrap();
        let each = 64 * number.parse::<u64>().unwrap();
        assert!((64..1 << 30).contains(&each), "{number}");
        let met: Vec<&str> = said
            .out
            .lines()
            .filter(|line| line.starts_with("stonewalling pairs"))
            .collect();
        assert_eq!(met.len(), 2, "{said:?}"); // the reads moved as much, or met, too
        assert!(met[0].contains(&format!("max: {number} --")), "{met:?}");
        for run in 1..=3 {
            let own = stored(&bench, &format!("1.{run}"));
            assert_eq!(own["operations"][1]["bytes"], each, "{run}: {own}");
        }
        let words = summary(&said, "write ");
        assert!(words[10].parse::<f64>().unwrap() >= 1.0, "{words:?}");
        // A later call reads as far as that one wrote.
        let later = format!("{tasks} -r -O stoneWallingStatusFile=number --store later.db");
        launcher.run(&bench, 3, &later).good();
        let line = "show 1.2 --json --store later.db";
        assert_eq!(
            bench.line(line).good().json()["operations"][0]["bytes"],
            each
        );
        fs::write(bench.path("number"), "many").unwrap();
        let refused = launcher.run(
            &bench,
            2,
            &format!("{tasks} -r -O stoneWallingStatusFile=number"),
        );
        assert!(
            refused.err.contains("stoneWallingStatusFile number: "),
            "{refused:?}"
        );
    });
}

#[test]
fn damage_that_any_rank_finds_is_exit_code_4() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line = format!("{SHORT} -w -k -o f --no-store");
        launcher.run(&bench, 3, &line).good();
        let mut content = fs::read(bench.path("f")).unwrap();
        content[2_300_000] ^= 1; // the third rank's
        fs::write(bench.path("f"), content).unwrap();
        let line = format!("{SHORT} -r -R -k -o f --no-store");
        let said = launcher.run(&bench, 3, &line);
        assert_eq!(said.code, Some(4), "{said:?}");
        assert!(said.err.contains("1 block is not what"), "{said:?}");
        row(&said, "read", "0");
    });
}

#[test]
fn what_fathom_did_not_write_is_refused_on_any_rank_before_anything_is_created() {
    with_one(|launcher| {
        let bench = Bench::new();
        fs::write(bench.path("f.00000001"), b"a thesis").unwrap();
        fs::write(bench.path("found"), b"a thesis").unwrap();
        for (line, part) in [
            ("ior -w -F -o f", "rank 1"),
            ("ior -w -o found", "8 bytes would be lost"),
            ("ior -r -b 8 -t 8 -N 1 -o found", "with -k"),
            ("ior -w -o found --overwrite", "on every host"),
            ("ior -w -F -u -o f", "folder"),
            ("ior -w -Y -o f", "-Y"),
        ] {
            let said = launcher.run(&bench, 2, &format!("{line} --no-store"));
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
            assert!(said.err.contains(part), "{line}: {said:?}");
            assert_eq!(names(&bench), ["f.00000001", "found"], "{line}");
        }
        let thesis = |name| fs::read(bench.path(name)).unwrap() == b"a thesis";
        assert!(thesis("found") && thesis("f.00000001"));
        let dry = launcher.run(&bench, 2, "ior -w -o f --dryRun --no-store");
        assert_eq!(dry.good().out.matches("test 0").count(), 1);
    });
}

/// Transfers of IO500's ior-hard: the file has no block headers, and its record makes it known when all have written.
#[test]
fn odd_transfers_of_all_ranks_are_written_again_and_removed() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line = "ior -w -r -t 47008 -b 47008 -s 3 -o f";
        for line in [&format!("{line} -k"), &format!("{line} -k"), line] {
            launcher.run(&bench, 3, line).good();
        }
        assert!(names(&bench).is_empty());
        assert_eq!(stored(&bench, "3.6")["operations"][0]["bytes"], 3 * 47008);
    });
}
