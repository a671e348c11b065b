//! `fathom note`: hints that are stored with a result, given when it was measured or later, and what is judged by them.

use crate::bench::Bench;
use serde_json::Value;

const SEED_001: &str = include_str!("../../../tools/tests/imports/texts/seed_001.txt");
const SEED_003: &str = include_str!("../../../tools/tests/imports/texts/seed_003.txt");

fn imported(text: &str) -> Bench {
    let bench = Bench::new();
    std::fs::write(bench.path("page.txt"), text).unwrap();
    bench.line("import page.txt").good();
    bench
}

fn ids(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_hint_that_is_added_later_is_judged_by_everywhere() {
    let bench = imported(SEED_001);
    let found = || ids(&bench.line("show 1 --json").good().json());
    let impossible = "impossible-for-medium".to_owned();
    assert!(!found().contains(&impossible));
    let noted = bench.line("note 1 --medium hdd:2 --json").good().json();
    let notes = serde_json::json!([{"field": "medium", "value": "hdd:2"}]);
    assert_eq!(noted["noted"][0]["notes"], notes);
    assert!(found().contains(&impossible));
    // The result in it, the page, and an option that outranks the hint.
    let own = bench.line("show 1.1 --json").good().json();
    assert!(ids(&own).contains(&impossible));
    assert_eq!(own["stored"]["notes"], notes);
    let page = bench.line("report 1 --json").good().json();
    assert!(ids(&page).contains(&impossible));
    assert!(
        page["parts"][0]["notes"][0]
            .as_str()
            .unwrap()
            .contains("--medium hdd:2")
    );
    let given = bench.line("show 1 --json --medium nvme").good().json();
    assert!(!ids(&given).contains(&impossible));
    // In lists and exports.
    let list = bench.line("list --json").good().json();
    assert_eq!(list["sessions"][0]["notes"], notes);
    let row = bench.line("export 1 --json").good().json();
    assert_eq!(row[0]["notes"], serde_json::json!(["medium=hdd:2"]));
    let filtered = bench.line("list hdd:2 --json").good().json();
    assert_eq!(filtered["sessions"].as_array().unwrap().len(), 1);
    bench.line("note 1 --clear medium").good();
    assert!(!found().contains(&impossible));
}

#[test]
fn hints_given_when_it_is_measured_are_stored() {
    let bench = Bench::new();
    let lines = [
        "run sim:capped,cap-iops=1920 -o 32 -d 5s --cap-iops 1920 --medium nvme --json",
        "survey sim:capped,cap-iops=1920 --read-only --cap-iops 1920 --medium nvme --page none --json",
        "sweep sim:capped,cap-iops=1920 -b 4K,8K -o 32 -d 2s --cap-iops 1920 --medium nvme --json",
    ];
    let notes = serde_json::json!([
        {"field": "cap-iops", "value": "1920"},
        {"field": "medium", "value": "nvme"},
    ]);
    for (number, line) in (1..).zip(lines) {
        let printed = bench.line(line).good().json();
        assert_eq!(printed["stored"]["notes"], notes, "{line}");
        let shown = bench.line(&format!("show {number} --json")).good().json();
        assert_eq!(shown["findings"], printed["findings"], "{line}");
        assert_eq!(shown["verdict"], printed["verdict"], "{line}");
    }
    let limit = bench.line("show 1 --json").good().json();
    let limit = limit["findings"].as_array().unwrap().iter();
    let mut limit = limit.filter(|finding| finding["id"] == "iops-limit");
    assert!(limit.next().unwrap().to_string().contains("1920"));

    let bench = imported(SEED_003);
    bench.line("import page.txt --again --cap-iops 1920").good();
    assert_eq!(
        bench.line("show 2 --json").good().json()["stored"]["notes"][0]["value"],
        "1920"
    );
}

#[test]
fn a_comparison_judges_each_side_with_its_hints() {
    let bench = Bench::new();
    for _ in 0..2 {
        bench.line("run sim:ssd -o 32 -d 2s").good();
    }
    let rank = |line: &str| bench.line(line).good().json();
    let before = rank("compare 1 2 --json");
    bench.line("note 2 --medium hdd --comment other").good();
    let after = rank("compare 1 2 --json");
    assert_ne!(before, after, "an SSD's IOPS cannot be a rotating disk's");
    assert!(after.to_string().contains("rotating"), "{after}");
}

#[test]
fn a_comment_is_printed_and_listed_and_any_session_can_have_one() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("tree")).unwrap();
    bench
        .line("files tree --files 20 --folders 1 --data 1M")
        .good();
    let said = bench
        .say(&["note", "1", "--comment", "firmware 1.2, it's new"])
        .good();
    assert_eq!(said.out, "1:\n  comment  firmware 1.2, it's new\n");
    assert!(bench.line("show 1").good().out.contains("firmware 1.2"));
    let listed = bench.line("list firmware --json").good().json();
    assert_eq!(listed["sessions"][0]["notes"][0]["field"], "comment");
    let refused = bench.line("note 1 --medium hdd");
    refused
        .refused("1: hints have no effect on a session of fathom files; --comment can be stored");
    let cleared = bench.line("note 1 --clear all").good();
    assert_eq!(cleared.out, "1: no notes\n");
}

#[test]
fn what_is_wrong_is_refused_at_once_and_changes_nothing() {
    let bench = imported(SEED_001);
    let refused = |line: &str, parts: &[&str]| {
        let said = bench.line(line);
        parts.iter().for_each(|part| said.refused(part));
    };
    refused("note 1", &["no note is given: specify --cap-iops"]);
    refused("note 7 --medium hdd", &["session 7"]);
    refused("note 1.7 --medium hdd", &["1.7: session 1 has"]);
    refused(
        "note x --medium tape --cap-iops -1",
        &["'x': must be", "'tape' for --medium", "'-1' for --cap-iops"],
    );
    refused(
        "note 1 --medium hdd --clear medium",
        &["--medium cannot be combined with --clear medium"],
    );
    refused(
        "note 1 --clear nonsense",
        &["invalid value 'nonsense' for --clear: must be cap-iops"],
    );
    assert_eq!(bench.line("note").code, Some(2));
    let long = "x".repeat(501);
    for text in ["", " ", "two\nlines", long.as_str()] {
        bench
            .say(&["note", "1", "--comment", text])
            .refused("--comment");
    }
    bench.line("note 1 9 --medium hdd").refused("session 9");
    let list = bench.line("list --json").good().json();
    assert_eq!(list["sessions"][0]["notes"], serde_json::json!([]));
}
