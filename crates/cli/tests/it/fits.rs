//! `fathom fit`: which side of a limit a device is on, and what decides nothing.

use crate::bench::Bench;
use serde_json::Value;

/// A demand for `total p99` of one 4 KiB read at a time, below this.
fn demand(bench: &Bench, limit: &str) {
    let text = format!(
        "[[demand]]\nid = 'own'\ntitle = 'a test'\nworkload = '--block 4K'\nsize = '16M'\nfigure = 'total p99'\n\
         limit = '{limit}'\nmissed = 'nothing'\nsource = 'this test'\n"
    );
    std::fs::write(bench.path("own.toml"), text).unwrap();
}

/// Each I/O of this device takes about 1 ms.
const DEVICE: &str = "sim:ssd,law=constant,service=1ms";

#[test]
fn a_device_on_either_side_of_a_limit_passes_or_fails_and_so_does_its_stored_session() {
    let bench = Bench::new();
    for (limit, decision, code) in [("2ms", "pass", 0), ("500us", "fail", 3)] {
        demand(&bench, limit);
        let line = format!("fit own {DEVICE} --demands own.toml --rounds 3 --round-time 1s");
        let said = bench.line(&line);
        assert_eq!(said.code, Some(code), "{limit}: {said:?}");
        assert!(said.out.starts_with(&decision.to_uppercase()), "{said:?}");
        let session = if decision == "pass" { "1" } else { "2" };
        let stored = bench.line(&format!("show {session} --json")).good().json();
        assert_eq!(stored["decision"], decision);
        let figure = &stored["figure"];
        let of = |name: &str| figure[name].as_f64().unwrap();
        assert!(of("low") <= of("value") && of("value") <= of("high"));
        assert!((0.9e6..1.3e6).contains(&of("value")), "{figure}");
        assert_eq!(stored["rows"].as_array().map(Vec::len), Some(3));
        let shown = bench.line(&format!("show {session}")).good().out;
        assert_eq!(shown.lines().next(), said.out.lines().next());
        let page = bench
            .line(&format!("report {session} --json"))
            .good()
            .json();
        assert!(page["parts"][0]["table"] != Value::Null);
    }
}

#[test]
fn memory_decides_nothing() {
    let bench = Bench::new();
    demand(&bench, "1s");
    let fast = "sim:ssd,page-cache=100%";
    let line = format!("fit own {fast} --demands own.toml --rounds 3 --round-time 1s");
    let said = bench.line(&line).good();
    assert!(said.out.starts_with("INCONCLUSIVE"), "{said:?}");
    let strict = bench.line(&format!("{line} --strict"));
    assert_eq!(strict.code, Some(3), "{strict:?}");
}

#[test]
fn what_is_no_demand_is_refused_and_nothing_is_created() {
    let bench = Bench::new();
    bench.line("fit etdc .").refused("must be etcd");
    bench.line("fit").refused("DEMAND is missing: must be etcd");
    bench.line("fit").refused("\nhint: fathom fit --list");
    bench.line("fit etcd . --rounds 2").refused("--rounds");
    bench
        .line("fit etcd . --demands none.toml")
        .refused("none.toml");
    let text = "[[demand]]\nid = 'x'\ntitle = 't'\nworkload = '--overwrite'\n";
    std::fs::write(bench.path("half.toml"), text).unwrap();
    bench
        .line("fit x . --demands half.toml")
        .refused("missing field");
    demand(&bench, "1s");
    let text = std::fs::read_to_string(bench.path("own.toml")).unwrap();
    std::fs::write(
        bench.path("own.toml"),
        text.replace("4K'", "4K --duration 1h'"),
    )
    .unwrap();
    let timed = bench.line("fit own . --demands own.toml");
    timed.refused("--duration cannot be set here");
    bench.write("short", 100);
    let short = bench.line("fit sql-data short");
    short.refused("no whole block of 8K");
    assert!(
        !short.err.contains("--size"),
        "there is no such option: {short:?}"
    );
    let plan = bench.line("fit k8s . --dry-run").good().out;
    assert!(
        plan.contains("--fdatasync 1") && plan.contains("below 10"),
        "{plan}"
    );
    let list = bench.line("fit --list").good().out;
    assert!(list.lines().count() >= 10, "{list}");
    bench.write("letter", 17 << 20);
    let before = bench.snapshot();
    bench.line("fit etcd letter").refused("--overwrite");
    assert_eq!(bench.snapshot(), before);
}
