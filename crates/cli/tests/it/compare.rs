//! `fathom compare` and `fathom baseline` as a person and a pipeline meet them.

use crate::bench::{Bench, Said};

/// A run in simulated time: what changes from one to another does not depend on this machine.
fn run(bench: &Bench, options: &str) {
    bench
        .line(&format!("run sim:ssd -d 5s --warmup 0s {options}"))
        .good();
}

fn words(bench: &Bench, words: &[&str]) -> Said {
    Said::from(bench.command(words).output().unwrap())
}

#[test]
fn the_same_result_twice_is_exactly_one() {
    let bench = Bench::new();
    run(&bench, "");
    let said = bench.line("compare 1 1").good();
    assert!(
        said.out
            .starts_with("both are the same results: the ratio is exactly 1\n"),
        "{said:?}"
    );
    let json = bench.line("compare 1 1.1 --json").good().json();
    assert_eq!(
        (&json["verdict"], &json["overall"][0]["ratio"]["low"]),
        (&"identical".into(), &1.0.into())
    );
    let held = words(
        &bench,
        &["compare", "1", "1", "--fail-if", "iops < -1%", "--strict"],
    );
    held.good();
}

#[test]
fn a_change_beyond_a_limit_ends_with_exit_code_3() {
    let bench = Bench::new();
    run(&bench, "");
    run(&bench, "--depth 8");
    bench
        .line("compare 1 2")
        .refused("1 and 2 are of different work: depth is 1 in A and 8 in B");
    let said = words(
        &bench,
        &[
            "compare",
            "1",
            "2",
            "--any-work",
            "--fail-if",
            "iops > +100%",
            "--fail-if",
            "iops < -5%",
        ],
    );
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(
        said.out.contains("FAIL     iops > +100%: IOPS "),
        "{said:?}"
    );
    assert!(
        said.out
            .replace('\n', " ")
            .contains("the work differs: depth 1 in A, 8 in B"),
        "{said:?}"
    );
    assert!(said.err.contains("--fail-if 'iops > +100%'"), "{said:?}");
    let other_way = words(
        &bench,
        &[
            "compare",
            "2",
            "1",
            "--any-work",
            "--fail-if",
            "iops > +100%",
            "--json",
        ],
    );
    assert_eq!(
        (
            other_way.code,
            other_way.json()["conditions"][0]["outcome"].as_str()
        ),
        (Some(0), Some("pass"))
    );
}

#[test]
fn what_cannot_be_reported_passes_unless_it_must_not() {
    let bench = Bench::new();
    for _ in 0..2 {
        bench
            .line("run --engine null --null-delay 1ms -d 60ms --interval 30ms --warmup 0s")
            .good();
    }
    let condition = ["compare", "1", "2", "--fail-if", "iops < -5%"];
    let passed = words(&bench, &condition);
    assert_eq!(passed.code, Some(0), "{passed:?}");
    assert!(
        passed.err.contains("unclear, and passed without --strict"),
        "{passed:?}"
    );
    let strict = words(&bench, &[&condition[..], &["--strict"]].concat());
    assert_eq!(strict.code, Some(3), "{strict:?}");
    assert!(strict.out.starts_with("inconclusive: "), "{strict:?}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_to_do() {
    let bench = Bench::new();
    run(&bench, "");
    for (line, reported) in [
        (&["compare", "1", "9"][..], "session 9: "),
        (
            &["compare", "1", "1.7"],
            "1.7: session 1 has one result, 1.1",
        ),
        (
            &["compare", "1", "fast"],
            "invalid value 'fast': must be a session or result",
        ),
        (
            &["compare", "1", "baseline:gold"],
            "baseline `gold`: there is none of that name: none was set yet",
        ),
        (
            &["compare", "1", "1", "--fail-if", "p99 > 5ms"],
            "`5ms` is no change in percent",
        ),
        (
            &["compare", "1", "1", "--fail-if", "label > 5%"],
            "`label` is no figure that is compared",
        ),
        (
            &["compare", "1", ""],
            "invalid value '': must be the number of a session",
        ),
    ] {
        words(&bench, line).refused(reported);
    }
    let strict = bench.line("compare 1 1 --strict");
    assert_eq!((strict.code, strict.out.as_str()), (Some(2), ""));
    assert!(strict.err.contains("--fail-if"), "{strict:?}");
    bench
        .line("sweep --engine null -o 1,2 -d 30ms --warmup 0s")
        .good();
    bench
        .line("sweep --engine null -o 4,8 -d 30ms --warmup 0s")
        .good();
    let nothing = bench.line("compare 2 3");
    assert!(nothing.err.contains("depth 4 and 8"), "{nothing:?}");
    nothing.refused("2 and 3 have no work in common");
}

#[test]
fn tags_and_sweeps_are_compared_cell_by_cell() {
    let bench = Bench::new();
    for tag in ["before", "after"] {
        let id = if tag == "before" { "1" } else { "2" };
        bench.line("sweep --new --engine null --null-delay 1ms -o 1,2,4 -d 100ms --interval 5ms --warmup 0s").good();
        bench.line(&format!("tag {id} --add {tag}")).done();
    }
    let json = bench.line("compare before tag:after --json").good().json();
    assert_eq!(
        (json["cells"].as_array().map(Vec::len), &json["fields"]),
        (Some(3), &serde_json::json!(["queue_depth"]))
    );
    let text = bench.line("compare 1 2").good();
    assert!(
        text.out.contains(" 3 cells") && !text.out.contains("mean over"),
        "{text:?}"
    );
    let one = bench.line("compare 1.2 2").good();
    assert!(one.out.contains("only in B: 2 results"), "{one:?}");
}

#[test]
fn a_baseline_is_set_listed_checked_and_kept_from_being_deleted() {
    let bench = Bench::new();
    run(&bench, "--depth 8");
    bench.line("baseline set gold 1").done();
    bench
        .line("baseline check gold")
        .refused("no complete run of sim:ssd is newer than the baseline gold (1)");
    run(&bench, "");
    let listed = bench.line("baseline list").good();
    assert!(listed.out.contains("gold"), "{listed:?}");
    let json = bench.line("baseline list --json").good().json();
    assert_eq!(
        (
            &json["baselines"][0]["name"],
            &json["baselines"][0]["session"]
        ),
        (&"gold".into(), &1.into())
    );
    let broken = words(
        &bench,
        &[
            "baseline",
            "check",
            "gold",
            "--any-work",
            "--fail-if",
            "iops < -20%",
        ],
    );
    assert_eq!(broken.code, Some(3), "{broken:?}");
    assert!(broken.out.starts_with("B is slower: IOPS "), "{broken:?}");
    bench.line("baseline check gold 1").good();
    bench.line("baseline check gold --last --any-work").good();
    words(&bench, &["delete", "1", "--lose", "1 result"]).refused("fathom baseline remove gold");
    let moved = bench.line("baseline set gold 2").done();
    assert!(moved.err.contains("gold was 1, and is 2 now"), "{moved:?}");
    bench.line("baseline remove gold").done();
    bench
        .line("baseline remove gold")
        .refused("baseline `gold`: there is none of that name");
    words(&bench, &["baseline", "set", "two words", "1"]).refused("its name is one word");
    words(&bench, &["delete", "1", "--lose", "1 result"]).done();
}

#[test]
fn the_best_depth_under_a_limit_is_said_first() {
    let bench = Bench::new();
    bench
        .line("sweep --engine null --null-delay 1ms -o 1,8 -d 60ms --warmup 0s")
        .good();
    let said = words(&bench, &["table", "1", "--best", "latency_p50 <= 10s"]).good();
    assert!(
        said.out.starts_with("best: ") && said.out.contains(" at depth 8, threads 1"),
        "{said:?}"
    );
    let none = words(&bench, &["table", "1", "--best", "p50 < 1us"]).good();
    assert_eq!(none.out, "no result fits\n");
    words(&bench, &["table", "1", "--best", "p98 < 1us"]).refused("--best: unknown field 'p98'");
}
