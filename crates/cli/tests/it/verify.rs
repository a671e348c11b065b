//! `fathom verify`: what it counts and finds, what it refuses, and its sessions among the others.

use crate::bench::{Bench, Said, send};
use serde_json::{Value, json};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A file of 4 MiB that a verified run wrote, as session 1.
fn written() -> Bench {
    let bench = Bench::new();
    let line = "run f.dat --create 4M -w 50 -o 4 -d 100ms --warmup 0s --verify full --json";
    assert_eq!(bench.line(line).code, Some(0));
    bench
}

fn damage(bench: &Bench, data: &[u8], at: u64) {
    let file = File::options().write(true).open(bench.path("f.dat"));
    let file = file.unwrap();
    file.write_all_at(data, at).unwrap();
    file.sync_all().unwrap();
}

fn ids(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().into_iter().flatten();
    findings.map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn whole_blocks_are_counted_by_run_and_damage_is_found_with_exit_code_4() {
    let bench = written();
    let before = std::fs::read(bench.path("f.dat")).unwrap();
    let clean = bench.line("verify f.dat --run 1 --json").good().json();
    assert_eq!(clean["verdict"]["validity"], "VALID");
    let found = &clean["verify"];
    assert_eq!(found["done_bytes"], 4 << 20);
    assert_eq!(found["blocks"]["whole"], 1024);
    assert_eq!(
        found["expected"]["left_blocks"],
        found["expected"]["found_blocks"]
    );
    let by_run = found["runs"].as_array().unwrap();
    let of = |run: &Value| run["blocks"].as_u64().unwrap();
    assert_eq!(by_run.iter().map(of).sum::<u64>(), 1024);
    assert!(
        by_run
            .iter()
            .any(|run| run["header_run"] == found["expected"]["header_run"])
    );
    assert_eq!(std::fs::read(bench.path("f.dat")).unwrap(), before);

    damage(&bench, &[0xFF], 5 * 4096 + 99);
    damage(&bench, &[0; 4096], 9 * 4096);
    damage(&bench, &[7; 8192], 20 * 4096);
    let damaged = bench.line("verify f.dat --json");
    assert_eq!(damaged.code, Some(4), "{damaged:?}");
    let document = damaged.json();
    assert_eq!(document["verdict"]["validity"], "INVALID");
    assert_eq!(ids(&document), ["data-bit-rot"]);
    let found = &document["verify"];
    assert_eq!(found["cases"][0]["offset_bytes"], 5 * 4096);
    assert_eq!(
        (&found["blocks"]["zeros"], &found["blocks"]["foreign"]),
        (&json!(1), &json!(2))
    );
    let places = |corrupt: bool| -> Vec<(u64, u64)> {
        let all = found["stretches"].as_array().unwrap().iter();
        let wanted = all.filter(|one| one["corrupt"] == corrupt);
        let at = |one: &Value, field: &str| one[field].as_u64().unwrap() / 4096;
        wanted
            .map(|one| (at(one, "from_bytes"), at(one, "to_bytes")))
            .collect()
    };
    assert_eq!(
        (places(true), places(false)),
        (vec![(5, 6)], vec![(20, 22)])
    );

    let missing = bench.line("verify f.dat --run 1 --range 8K..1M --json");
    assert_eq!(missing.code, Some(4), "{missing:?}");
    assert_eq!(missing.json()["verify"]["from_bytes"], 8192);
}

#[test]
fn a_part_without_damage_is_good_and_foreign_data_is_a_warning() {
    let bench = written();
    damage(&bench, &[7; 8192], 20 * 4096);
    let part = bench.line("verify f.dat --range 1M.. --json").good().json();
    assert_eq!(part["verdict"]["validity"], "VALID");
    assert_eq!(part["verify"]["done_bytes"], 3 << 20);
    let all = bench.line("verify f.dat --json").good().json();
    assert_eq!(all["verdict"]["validity"], "CAUTION");
    assert_eq!(all["verify"]["blocks"]["foreign"], 2);
    let page = bench.line("verify f.dat").good().out;
    assert!(
        page.contains("1022 whole, 2 without a header of fathom"),
        "{page}"
    );
}

#[test]
fn its_sessions_are_listed_shown_compared_exported_and_reported() {
    let bench = written();
    damage(&bench, &[0xFF], 5 * 4096 + 99);
    let said = bench.line("verify f.dat");
    assert_eq!(said.code, Some(4), "{said:?}");
    let listed = bench.line("list --kind verify").good().out;
    assert!(listed.contains("INVALID"), "{listed}");
    let shown = bench.line("show 2").good().out;
    assert_eq!(shown, said.out);
    assert!(shown.contains("fathom explain data-bit-rot"), "{shown}");
    let rows = bench.line("export --json 2").good().json();
    assert_eq!(
        rows[0]["session_kind"]
            .as_str()
            .or(rows[0]["kind"].as_str()),
        Some("verify")
    );
    assert_eq!(bench.line("verify f.dat --range 1M.. ").code, Some(0));
    bench.line("compare 2 3 --any-work").good();
    bench.line("report 2 --out r.html").good();
    let page = std::fs::read_to_string(bench.path("r.html")).unwrap();
    assert!(page.contains("data-bit-rot"));
    for session in ["2", "3"] {
        let page = bench
            .line(&format!("report {session} --json"))
            .good()
            .json();
        let verdict = &page["parts"][0]["verdict"]["validity"];
        assert!(
            verdict.is_string() && page["cells"][0]["validity"] == *verdict,
            "{page}"
        );
    }
    bench.line("note 2 --comment checked").good();
    bench
        .line("delete 2")
        .refused("a verification with 1 result");
    bench.line("db check").good();
}

#[test]
fn what_cannot_be_verified_is_refused_and_nothing_is_stored() {
    let bench = written();
    std::fs::write(bench.path("other"), vec![7; 1 << 20]).unwrap();
    std::fs::create_dir(bench.path("folder")).unwrap();
    for (words, why) in [
        ("other", "nothing to verify"),
        ("other --range 0..", "nothing to verify"),
        ("folder", "folder"),
        ("missing", "no such file"),
        ("sim:ssd", "simulated"),
        ("f.dat --range 5", "'5' for --range"),
        ("f.dat --range 1G..", "it ends at"),
        ("f.dat --run 7", "session 7"),
        ("other --run 1", "did not measure"),
        ("/dev/null", "neither a file nor a block device"),
    ] {
        let refused = bench.line(&format!("verify {words}"));
        assert_eq!(refused.code, Some(2), "{words}: {refused:?}");
        assert!(refused.err.contains(why), "{words}: {}", refused.err);
    }
    let dry = bench.line("verify f.dat --dry-run").good();
    assert!(dry.out.contains("would read 4 MiB"), "{dry:?}");
    assert!(!bench.line("list").good().out.contains("verify"));
}

#[test]
fn a_file_that_a_run_is_writing_is_refused() {
    let bench = written();
    let run = bench.start("run f.dat -w 100 -d 1h --warmup 0s --no-store");
    let refused = loop {
        let said = bench.line("verify f.dat --no-store");
        if said.code == Some(2) {
            break said;
        }
    };
    send("-INT", &run);
    assert_eq!(Said::from(run.wait_with_output().unwrap()).code, Some(1));
    assert!(refused.err.contains("f.dat"), "{refused:?}");
}

#[test]
fn evidence_has_the_bytes_of_each_corrupt_block_and_replaces_no_file() {
    let bench = written();
    damage(&bench, &[0xFF], 5 * 4096 + 99);
    damage(&bench, &[0xEE; 8], 7 * 4096); // the magic is gone: kept because it is asked for
    let refused = bench.line("verify f.dat --evidence there");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    std::fs::create_dir(bench.path("there")).unwrap();
    let said = bench.line("verify f.dat --evidence there");
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.err.contains("evidence of 2 corrupt blocks"),
        "{said:?}"
    );
    let read = |name: &str| std::fs::read(bench.path("there").join(name)).unwrap();
    let all = std::fs::read(bench.path("f.dat")).unwrap();
    for block in [5, 7] {
        let name = format!("block-0-{:012x}", block * 4096);
        assert_eq!(read(&format!("{name}.bin")), all[block * 4096..][..4096]);
        let text = String::from_utf8(read(&format!("{name}.txt"))).unwrap();
        assert!(text.contains("data-bit-rot"), "{text}");
        assert!(text.contains(&format!("offset {}", block * 4096)), "{text}");
    }
    assert_eq!(
        String::from_utf8(read("evidence.txt"))
            .unwrap()
            .lines()
            .count(),
        2
    );
    let again = bench.line("verify f.dat --evidence there");
    assert_eq!(again.code, Some(2), "{again:?}");

    std::fs::create_dir(bench.path("run")).unwrap();
    let line = "run f.dat -d 100ms --warmup 0s --evidence run";
    assert_eq!(bench.line(line).code, Some(2), "without --verify");
    let found = bench.line(&format!("{line} --verify full"));
    assert_eq!(found.code, Some(4), "{found:?}");
    let bytes = std::fs::read(bench.path("run").join("block-0-000000005000.bin")).unwrap();
    assert_eq!(bytes, all[5 * 4096..][..4096]);
}
