//! `fathom explain`: every id, the nearest one to a misspelt id, and its document.

use crate::bench::Bench;

#[test]
fn every_id_of_the_list_is_explained() {
    let bench = Bench::new();
    let all = bench.line("explain --json").good().json();
    let all = all["explanations"].as_array().unwrap();
    assert!(all.len() > 60, "{}", all.len());
    let list = bench.line("explain").good().out;
    for one in all {
        let id = one["id"].as_str().unwrap();
        assert!(list.contains(&format!("  {id} ")), "{id}");
    }
    let one = bench.line("explain iops-limit").good().out;
    for part in [
        "iops-limit (finding, limit)",
        "How it is found",
        "Evidence",
        "What to do",
        "Source",
    ] {
        assert!(one.contains(part), "{part}: {one}");
    }
}

#[test]
fn words_of_a_report_are_ids_too() {
    let bench = Bench::new();
    for (words, id) in [
        ("NOT CHECKED", "not-checked"),
        ("CAUTION", "caution"),
        ("not ready", "not-ready"),
    ] {
        let one = bench.line(&format!("explain {words} --json")).good().json();
        assert_eq!(one["explanations"][0]["id"], id);
    }
}

#[test]
fn an_unknown_id_is_refused_with_the_nearest() {
    let bench = Bench::new();
    bench
        .line("explain iops-limt")
        .refused("hint: fathom explain iops-limit");
    bench
        .line("explain NONSENSE")
        .refused("hint: fathom explain");
    bench
        .line("explain zzz")
        .refused("hint: fathom explain lists all ids");
}
