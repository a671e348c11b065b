//! What `fathom list` shows of a session's report: it is what the page answers, and it follows every change of the session.

use crate::bench::Bench;
use serde_json::Value;

const IMPORTED: &str = include_str!("../../../tools/tests/imports/texts/seed_001.txt");

fn sessions(bench: &Bench) -> Vec<Value> {
    let list = bench.line("list --json").good().json();
    list["sessions"].as_array().unwrap().clone()
}

#[test]
fn the_list_has_the_verdict_and_the_answer_of_each_report() {
    let bench = Bench::new();
    bench.line("survey sim:ssd --budget 60s").good();
    bench
        .line("run sim:ssd,pause=500ms,pause-every=5s -d 20s")
        .good();
    std::fs::write(bench.path("page.txt"), IMPORTED).unwrap();
    bench.line("import page.txt").good();
    for session in sessions(&bench) {
        let page = bench
            .line(&format!("report {} --json", session["session"]))
            .good()
            .json();
        let verdict = &page["parts"][0]["verdict"];
        let word = session["validity"].as_str().unwrap();
        assert_eq!(word, verdict["validity"].as_str().unwrap());
        let headline = session["headline"].as_str().unwrap();
        let first = verdict["sentences"][0].as_str().unwrap();
        assert!(!headline.is_empty());
        assert_eq!(headline, first.trim_end_matches('.'));
    }
    let text = bench.line("list").good();
    assert!(
        text.out.contains("VALID") && text.out.contains("IOPS"),
        "{}",
        text.out
    );
}

#[test]
fn an_answer_follows_notes_and_deleted_results() {
    let bench = Bench::new();
    bench.line("run sim:ssd -d 5s").good();
    let validity = || sessions(&bench)[0]["validity"].clone();
    assert_eq!(validity(), "VALID");
    bench.line("note 1 --medium hdd").good();
    assert_eq!(validity(), "INVALID");
    bench.line("note 1 --clear all").good();
    assert_eq!(validity(), "VALID");
    bench.line("survey sim:ssd --budget 60s").good();
    let of_random_reads = "4 KiB random read 4";
    let headline = || sessions(&bench)[0]["headline"].as_str().unwrap().to_owned();
    assert!(headline().starts_with(of_random_reads), "{}", headline());
    let survey = bench.line("table 2 --where block=4K --json").good().json();
    let rows = survey.as_array().unwrap().iter();
    let names: Vec<String> = rows
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    let lose = format!("{} results", names.len());
    let mut words = vec!["delete", "--lose", &lose];
    words.extend(names.iter().map(String::as_str));
    bench.say(&words).done();
    assert!(!headline().contains(of_random_reads), "{}", headline());
}
