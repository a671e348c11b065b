//! `fathom ab`: which of two is faster, when it ends, and what is refused.

use crate::bench::Bench;
use serde_json::Value;

/// A device whose I/Os take about so many microseconds, with noise.
fn device(us: u32) -> String {
    format!("sim:ssd,service={us}us")
}

fn compared(bench: &Bench, line: &str) -> (String, Value) {
    let said = bench.line(line).good();
    let session = bench.line("list --json").good().json();
    let sessions = session["sessions"].as_array().unwrap().len();
    let stored = bench.line(&format!("show {sessions} --json")).good();
    let shown = bench.line(&format!("show {sessions}")).good().out;
    assert_eq!(shown.lines().next(), said.out.lines().next());
    (said.out, stored.json())
}

#[test]
fn a_device_that_is_faster_is_found_and_by_how_much() {
    let bench = Bench::new();
    let line = format!("ab {} {} --budget 2m", device(100), device(80));
    let (text, report) = compared(&bench, &line);
    assert!(
        text.starts_with("B is ") && text.contains("faster"),
        "{text}"
    );
    assert_eq!(report["decision"], "faster");
    let ratio = &report["figures"][0]["ratio"];
    let of = |name: &str| ratio[name].as_f64().unwrap();
    assert!(
        of("high") / of("low") <= 1.02 / 0.98,
        "as narrow as requested: {ratio}"
    );
    // 100 µs and 80 µs, with what both have in common.
    assert!(1.2 < of("low") && of("high") < 1.3, "{ratio}");
    assert!(
        report["pairs"].as_u64().unwrap() < 50,
        "it ends when it is known"
    );
}

#[test]
fn two_of_the_same_do_not_differ() {
    let bench = Bench::new();
    let line = format!(
        "ab {} --a '--engine auto' --b '--engine auto' --budget 1m",
        device(100)
    );
    let (text, report) = compared(&bench, &line);
    assert!(text.starts_with("no difference above 2%"), "{text}");
    assert_eq!(report["decision"], "no_difference");
    let page = bench.line("report 1 --json").good().json();
    assert!(page["parts"][0]["table"] != Value::Null);
}

#[test]
fn options_of_one_side_replace_those_of_both() {
    let bench = Bench::new();
    let line = format!(
        "ab {} -o 4 -b 8K --b '--depth 1' --budget 20s --json",
        device(100)
    );
    let report = bench.line(&line).good().json();
    assert_eq!(report["decision"], "slower");
    let blocks = bench.line("table 1 --columns depth,block --csv").good().out;
    assert!(
        blocks.contains("4,8192") && blocks.contains("1,8192"),
        "{blocks}"
    );
}

#[test]
fn what_compares_nothing_is_refused() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    std::os::unix::fs::symlink("f", bench.path("g")).unwrap();
    let before = bench.snapshot();
    bench.line("ab f f").refused("the same file");
    bench.line("ab f g").refused("the same file");
    bench.line("ab f").refused("the same file");
    bench.line("ab f sim:ssd --budget 2s").refused("--budget");
    bench
        .line("ab sim:ssd sim:array --precision 0")
        .refused("--precision");
    bench.line("ab f --a '--dept 1'").refused("--dept");
    for other in ["--overwrite", "--store x", "--json", "g"] {
        let word = other.split(' ').next().unwrap();
        bench
            .line(&format!("ab f --a '-w 100 {other}'"))
            .refused(word);
    }
    bench
        .line("ab f --a '-w 100' --b '-w 50'")
        .refused("--overwrite");
    let plan = bench.line("ab sim:ssd sim:array --dry-run").good().out;
    assert!(plan.contains("6 to 125 pairs"), "{plan}");
    let longer = "ab sim:ssd --a '--cooldown 5s' --b '--depth 2' --dry-run";
    let plan = bench.line(longer).good().out;
    assert!(plan.contains("6 to 40 pairs"), "{plan}");
    let seeded = "ab sim:ssd --seed 1 --a '--seed 3' --b '-o 2'";
    bench.line(seeded).refused("--seed cannot be set here");
    assert_eq!(bench.snapshot(), before);
}
