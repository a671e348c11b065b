//! The results database's commands: finding, laying out, exporting, tagging, deleting, looking after the file.

use crate::bench::Bench;
use std::fs;

/// Four runs that differ in block size and threads; the sessions 1 to 4.
fn database() -> Bench {
    let bench = Bench::new();
    for (block, threads) in [("4K", 1), ("4K", 2), ("64K", 1), ("64K", 2)] {
        bench
            .line(&format!(
                "run --engine null --null-delay 2ms -b {block} -t {threads} -d 60ms --warmup 0s"
            ))
            .good();
    }
    bench
}

#[test]
fn the_questions_of_the_scripts_are_one_command_each() {
    let bench = database();
    let grid = bench.say(&["table", "--by", "block,threads"]).good().out;
    assert!(
        grid.starts_with("iops by block (down) and threads (across)\n"),
        "{grid}"
    );
    assert!(
        grid.contains("\n 4 KiB  ") && grid.contains("\n64 KiB  "),
        "{grid}"
    );
    let best = [
        "table",
        "--where",
        "latency_p50 < 500ms and block=64K",
        "--sort",
        "-iops",
        "--limit",
        "1",
        "--json",
    ];
    let best = bench.say(&best).good().json();
    assert_eq!(best.as_array().unwrap().len(), 1);
    assert_eq!(best[0]["block_bytes"], 65536);
    let all = bench.line("table --where block=64K --json").good().json();
    let rates = all.as_array().unwrap().iter();
    let most = rates.map(|row| row["iops"].as_f64().unwrap());
    assert_eq!(
        best[0]["iops"].as_f64(),
        most.max_by(f64::total_cmp),
        "{all}"
    );
    let flat = bench
        .line("table --columns threads,block,iops --sort -block,threads --csv")
        .good()
        .out;
    let lines: Vec<&str> = flat.lines().collect();
    assert_eq!(lines[0], "threads,block_bytes,iops");
    assert!(
        lines[1].starts_with("1,65536,") && lines[4].starts_with("2,4096,"),
        "{flat}"
    );
}

/// Reads one result's verdict, cause and findings from a document.
fn verdict_of(document: &serde_json::Value) -> [String; 3] {
    let text = |name: &str| document[name].as_str().unwrap_or("").to_owned();
    [
        text("verdict"),
        text("reason"),
        document["findings"].to_string(),
    ]
}

#[test]
fn exports_have_the_verdict_that_show_prints_also_where_none_is_stored() {
    let bench = Bench::new();
    for options in ["-d 2s", "-d 2s --rate 1000000", "-d 20ms"] {
        let line = format!("run sim:ssd --warmup 0s {options}");
        bench.line(&line).good();
    }
    let exported = bench.line("export --json").good().json();
    let shown = |number: usize| bench.line(&format!("show {number} --json")).good().json();
    for (number, row) in (1..).zip(exported.as_array().unwrap()) {
        let report = shown(number);
        let word = &report["verdict"]["validity"];
        assert_eq!(row["verdict"], *word, "{row}");
        let cause = &report["verdict"]["reasons"][0];
        assert_eq!(row["reason"] == *cause, *word != "VALID", "{row}");
        let ids = report["findings"].as_array().unwrap().iter();
        let mut ids: Vec<&str> = ids.map(|one| one["id"].as_str().unwrap()).collect();
        ids.dedup();
        assert_eq!(
            row["findings"].as_array().map_or(0, Vec::len),
            ids.len(),
            "{row}"
        );
    }
    assert_eq!(exported[1]["verdict"], "INVALID", "{exported}");
    let invalid = bench.say(&[
        "table",
        "--where",
        "verdict=INVALID",
        "--columns",
        "id",
        "--csv",
    ]);
    assert_eq!(invalid.good().out, "id\n2.1\n");
    bench
        .say(&["table", "--where", "verdict=BAD"])
        .refused("for verdict");
    let csv = bench
        .line("export --csv --columns verdict,reason,findings")
        .good()
        .out;
    assert!(csv.contains("\nINVALID,"), "{csv}");
    assert!(bench.line("table").good().out.contains("INVALID"));

    // A damaged answer is one that is not there.
    let path = bench.path("s.db");
    let bytes = fs::read(&path).unwrap();
    let reason = exported[1]["reason"].as_str().unwrap().as_bytes();
    let mut damaged = bytes.clone();
    for at in 0..bytes.len() - reason.len() {
        if bytes[at..].starts_with(reason) {
            damaged[at] ^= 1;
        }
    }
    assert_ne!(damaged, bytes);
    fs::write(&path, &damaged).unwrap();
    let again = bench.line("export 2 --json").good().json();
    assert_eq!(verdict_of(&again[0]), verdict_of(&exported[1]));
}

#[test]
fn everything_wrong_with_a_table_is_reported_at_once() {
    let bench = database();
    let said = bench.say(&[
        "table",
        "x",
        "--where",
        "blok=4K",
        "--sort",
        "nothing",
        "--columns",
        "iops,y",
        "--limit",
        "0",
    ]);
    for reported in [
        "invalid value 'x': must be the number of a session",
        "--where: unknown field 'blok'",
        "--sort: unknown field 'nothing'",
        "--columns: unknown field 'y'",
        "invalid value '0' for --limit",
    ] {
        assert!(said.err.contains(reported), "{reported}: {said:?}");
    }
    said.refused("did you mean 'block_bytes'?");
    bench.line("table 9").refused("session 9");
    bench
        .line("table 1.2")
        .refused("1.2: session 1 has one result, 1.1");
    bench
        .line("table --by block,threads,write")
        .refused("invalid value 'block,threads,write' for --by: must be one field, or two");
}

#[test]
fn sessions_are_named_from_the_newest() {
    let bench = Bench::new();
    for seed in [1, 2, 3] {
        let line = format!("run sim:ssd -d 1s --warmup 0s --seed {seed}");
        bench.line(&line).good();
    }
    let of = |line: &str| bench.line(line).good().out;
    for (name, line) in [
        ("show 3", "show"),
        ("show 3", "show last"),
        ("show 3 --verbose", "show --verbose"),
        ("show 2", "show -2"),
        ("show 1.1", "show -3.1"),
        ("table 2", "table -2"),
        ("export 3 --csv", "export last --csv"),
    ] {
        assert_eq!(of(name), of(line), "{line}");
    }
    let compared = bench.line("compare -2 -1 --json").good().json();
    assert_eq!(compared["b"]["results"], 1, "{compared}");
    let page = bench.line("report --json").good().json();
    assert_eq!(page["parts"][0]["name"], "3");
    assert_eq!(bench.line("tag -1 --add newest").code, Some(0));
    assert!(of("list").lines().nth(1).unwrap().contains("[newest]"));
    bench
        .line("show -4")
        .refused("-4: there are not so many sessions");
    bench
        .line("show -0")
        .refused("must be the number of a session");
    bench
        .line("delete last")
        .refused("must be the number of a session");
    assert_eq!(of("list --json").matches("\"session\"").count(), 3);
}

#[test]
fn results_are_exported_whole_and_into_new_files_only() {
    let bench = database();
    bench.line("export --parquet --out r.parquet").done();
    let bytes = fs::read(bench.path("r.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    bench
        .line("export 1 --csv --out r.parquet")
        .refused("already exists");
    assert_eq!(fs::read(bench.path("r.parquet")).unwrap(), bytes);
    let csv = bench.line("export 1 2 1.1 --csv").good().out;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let list = bench.line("export --json").good().json();
    assert_eq!(list.as_array().unwrap().len(), 4);
    assert_eq!(
        list[0]["latency_p9999_ns"],
        serde_json::Value::Null,
        "no deeper than the count"
    );
    let said = bench.line("export 1");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err.contains("<--csv|--json|--parquet|--sessions>"),
        "{said:?}"
    );
}

#[test]
fn sessions_are_found_by_what_they_are() {
    let bench = database();
    bench.line("tag 2 3.1 --add baseline --add q3").done();
    let ids = |line: &str| -> Vec<u64> {
        let list = bench.line(&format!("list {line} --json")).good().json();
        list["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["session"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(ids("--tag baseline"), [3, 2]);
    assert_eq!(ids("64K"), [4, 3]);
    assert_eq!(ids("64K q3"), [3]);
    assert_eq!(ids("--kind survey"), [] as [u64; 0]);
    assert_eq!(
        ids("--kind run --tool fathom --target NULL --since 2020-01-01 -n 2"),
        [4, 3]
    );
    assert_eq!(ids("--until 2020-01-01"), [] as [u64; 0]);
    bench.line("tag 2 --remove baseline").done();
    assert_eq!(ids("--tag baseline"), [3]);
    assert!(bench.line("list").good().out.contains("null [q3]"));
    assert_eq!(
        bench.line("list nosuchword").good().out,
        "no session fits; without words and filters all are listed\n"
    );
    bench
        .line("list --kind test --since yesterday")
        .refused("invalid value 'yesterday' for --since");
    bench.line("tag 2 --add a,b").refused("a tag is one word");
}

#[test]
fn nothing_is_deleted_without_the_exact_words() {
    let bench = database();
    bench
        .line("delete 1 3.1")
        .refused("to delete it, add: --lose '2 results'");
    bench
        .say(&["delete", "1", "--lose", "2 results"])
        .refused("what would be lost is `1 result`: 1 (a run with 1 result");
    let list = bench.line("list --json").good().json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 4);
    bench
        .say(&["delete", "1", "3.1", "--lose", "2 results"])
        .done();
    bench.line("show 1").refused("session 1");
    bench.line("show 3").refused("has no run");
    bench.line("show 2").good();
    bench.line("db check").good();
}

#[test]
fn the_file_is_looked_after() {
    let bench = database();
    let path = bench.path("s.db");
    assert_eq!(
        bench.line("db path").good().out.trim(),
        path.to_str().unwrap()
    );
    assert!(
        bench
            .line("db check")
            .good()
            .out
            .contains("4 sessions and 4 results, all whole")
    );
    bench.line("db backup copy.db").done();
    assert_eq!(
        bench.line("list --store copy.db").good().out,
        bench.line("list").good().out
    );
    bench.line("db backup copy.db").refused("copy.db");
    let sql = "SELECT id, threads FROM results WHERE block_bytes = 65536 ORDER BY threads";
    let answer = bench.say(&["db", "sql", sql, "--csv"]).good().out;
    assert_eq!(answer, "id,threads\n3.1,1\n4.1,2\n");
    bench.say(&["db", "sql", "select(1)"]).good();
    bench
        .say(&["db", "sql", "DELETE FROM runs"])
        .refused("must begin with SELECT");
}

#[test]
fn a_damaged_answer_of_a_session_is_computed_again() {
    let bench = database();
    let path = bench.path("s.db");
    let listed = ["list", "list --json"].map(|line| bench.line(line).good().out);
    let document: serde_json::Value = serde_json::from_str(&listed[1]).unwrap();
    let headline = document["sessions"][0]["headline"].as_str().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let mut windows = bytes.windows(headline.len());
    let at = windows.position(|window| window == headline.as_bytes());
    bytes[at.expect("the answer is in the file")] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let again = ["list", "list --json"].map(|line| bench.line(line).good().out);
    assert_eq!(again, listed);
}

#[test]
fn a_damaged_store_is_named_and_its_other_results_are_shown() {
    let bench = database();
    let path = bench.path("s.db");
    let mut bytes = fs::read(&path).unwrap();
    let command = b"\"-b\",\"64K\"";
    let mut windows = bytes.windows(command.len());
    let at = windows.position(|window| window == command).unwrap();
    bytes[at + 6] = b'5';
    fs::write(&path, &bytes).unwrap();
    let check = bench.line("db check");
    assert_eq!(check.code, Some(1), "{check:?}");
    assert!(
        check.out.contains("s.db: damaged;") && check.out.contains("its checksum does not match"),
        "{check:?}"
    );
    let listed = bench.line("list");
    assert_eq!(
        listed.code,
        if listed.err.is_empty() {
            Some(0)
        } else {
            Some(1)
        },
        "{listed:?}"
    );
    bench.line("show 1").good();
    assert_eq!(fs::read(&path).unwrap(), bytes, "it was changed");
}
