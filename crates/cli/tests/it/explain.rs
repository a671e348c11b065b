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
fn other_words_are_searched_in_texts_and_in_the_glossary() {
    let bench = Bench::new();
    for (line, part) in [
        ("p99", "percentile: the latency that"),
        ("latency", "I/O latency: from submission to completion"),
        ("limited by", "limited by: what keeps"),
        ("slow", "fathom explain ID explains one of them."),
        ("queue", "queue-not-full"),
    ] {
        let found = bench.line(&format!("explain {line}")).good().out;
        assert!(found.contains(part), "{line}: {found}");
    }
    let found = bench.line("explain slow --json").good().json();
    assert!(found["explanations"].as_array().unwrap().len() > 2);
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
