//! `--goal`: what a result has to reach, on the terminal, in the document, on the page, and as an exit code.

use crate::bench::Bench;
use serde_json::Value;

fn goals(document: &Value) -> Vec<(String, bool)> {
    let all = document["goals"].as_array().unwrap().iter();
    let each = all.map(|goal| {
        (
            goal["goal"].as_str().unwrap().to_owned(),
            goal["met"] == true,
        )
    });
    each.collect()
}

#[test]
fn a_missed_goal_is_named_everywhere_and_ends_with_3() {
    let bench = Bench::new();
    let run = [
        "run",
        "sim:ssd",
        "-o",
        "32",
        "-d",
        "2s",
        "--goal",
        "p99 < 5ms",
    ];
    let met = bench.say(&run).good();
    assert!(met.out.contains("✔ p99 < 5ms: met, p99 "), "{}", met.out);
    let missed = bench.say(&[&run[..], &["--goal", "iops > 60k"]].concat());
    assert_eq!(missed.code, Some(3), "{}", missed.err);
    assert!(
        missed.err.contains("goal missed: iops > 60k: iops "),
        "{}",
        missed.err
    );
    // Both are stored, and judged again.
    let both = [
        ("p99 < 5ms".to_owned(), true),
        ("iops > 60k".to_owned(), false),
    ];
    assert_eq!(goals(&bench.line("show 2 --json").good().json()), both);
    let page = bench.line("report 2 --json").good().json();
    assert_eq!(goals(&page["parts"][0]), both);
    bench.line("note 2 --clear goal").good();
    assert!(
        bench
            .line("show 2 --json")
            .good()
            .json()
            .get("goals")
            .is_none()
    );
}

#[test]
fn goals_of_a_survey_and_a_sweep_hold_for_the_results_that_they_are_for() {
    let bench = Bench::new();
    let survey = [
        "survey", "sim:ssd", "--page", "none", "--budget", "30s", "--json", "--goal",
    ];
    let judged = |goal: &str| bench.say(&[&survey[..], &[goal]].concat());
    let all = judged("p99 < 5ms");
    assert_eq!((all.code, goals(&all.json())[0].1), (Some(3), false));
    let random = judged("iops > 10k where pattern=random");
    assert_eq!(
        (random.code, goals(&random.json())[0].1),
        (Some(0), true),
        "{}",
        random.err
    );
    let sweep = [
        "sweep",
        "sim:array",
        "--axis",
        "depth=1,4",
        "--json",
        "--goal",
    ];
    let swept = bench.say(&[&sweep[..], &["iops > 1000"]].concat());
    assert_eq!(swept.code, Some(3), "{}", swept.err);
    assert!(
        swept.json()["goals"][0]["sentence"]
            .as_str()
            .unwrap()
            .starts_with("1 of 2 results, first depth=1")
    );
}

#[test]
fn a_goal_that_cannot_be_judged_is_refused_before_anything_runs() {
    let bench = Bench::new();
    for goal in ["queue_depth < 3", "p99 < fast", "p99", "target_iops > 10k"] {
        bench
            .say(&["run", "sim:ssd", "--goal", goal])
            .refused("--goal");
    }
    bench
        .say(&["import", "x", "--goal", "iops > 1"])
        .refused("import first");
}
