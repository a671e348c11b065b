//! `fathom mdtest`: phases, trees that stay, refusals, stops, and ranks of a launcher, on real folders.
//!
//! What an option means is tested in `tools`, and the arithmetic of trees in `model`.

use crate::bench::{Bench, Said, send, until};
use crate::many_hosts::with_one;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything below a folder, as paths from it.
fn below(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut left: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            all.push(path.strip_prefix(folder).unwrap().display().to_string());
            if path.is_dir() {
                left.push(path);
            }
        }
    }
    all.sort();
    all
}

/// The figures of a row: max, min, mean and deviation.
fn row(said: &Said, name: &str) -> Vec<f64> {
    let found = said
        .out
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(name));
    let words = found
        .unwrap_or_else(|| panic!("{name} in {said:?}"))
        .split_whitespace();
    words.map(|word| word.parse().unwrap()).collect()
}

fn rows(document: &Value) -> Vec<(String, u64)> {
    let rows = document["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        let name = row["operation"].as_str().unwrap().to_owned();
        (name, row["operations"].as_u64().unwrap())
    })
    .collect()
}

#[test]
fn all_phases_are_done_by_tasks_printed_stored_and_removed() {
    let bench = Bench::new();
    let line = "mdtest -n 21 -z 1 -b 2 -w 100 -e 50 -i 2 -P -R -y --tasks 2 -d md";
    let said = bench.line(line).good();
    assert!(
        said.out.contains("\n2 tasks, 42 files/directories\n"),
        "{said:?}"
    );
    for name in [
        "Directory creation",
        "Directory rename",
        "File read",
        "Tree removal",
    ] {
        let figures = row(&said, name);
        assert_eq!(figures.len(), 4);
        assert!(
            figures[0] >= figures[2] && figures[2] >= figures[1] && figures[1] > 0.0,
            "{name}: {figures:?}"
        );
    }
    assert!(
        said.out
            .contains("\nSUMMARY time (in ms/op): (of 2 iterations)\n")
    );
    assert!(!bench.path("md").exists());
    let shown = bench.line("show 1 --json").good().json();
    assert_eq!(shown["mdtest"]["tree_folders"], 3);
    let rows = rows(&shown);
    assert_eq!(rows.len(), 20);
    for (name, operations) in &rows {
        let expected = if name.starts_with("tree") { 3 } else { 42 };
        assert_eq!(*operations, expected, "{name}");
    }
    let read = shown["rows"].as_array().unwrap().iter();
    let read: Vec<&Value> = read
        .filter(|row| row["operation"] == "file read 1 of 2")
        .collect();
    assert_eq!(
        (&read[0]["bytes"], &read[0]["order"]),
        (&Value::from(2100), &Value::from("random"))
    );
    assert!(bench.line("list").good().out.contains("md"));
    bench.line("export --json 1").good();
    let text = bench.path("out.txt");
    fs::write(&text, &said.out).unwrap();
    let imported = bench.line("import out.txt").good();
    assert!(imported.out.contains("Tree creation"), "{imported:?}");
    bench.line("compare 1 1").good();
}

#[test]
fn a_tree_that_was_left_is_used_by_later_calls_with_its_options_only() {
    let bench = Bench::new();
    fs::create_dir(bench.path("md")).unwrap();
    fs::write(bench.path("md/letter"), b"mine").unwrap();
    let tree = "mdtest -F -n 10 -w 64 -u -N 1 --tasks 2 -d md";
    bench.line(&format!("{tree} -C")).good();
    let names = below(&bench.path("md"));
    for name in [
        "mdtest_tree.0.0/file.mdtest.1.9",
        "mdtest_tree.1.0/file.mdtest.0.0",
    ] {
        let name = format!("test-dir.0-0/{name}");
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let again = bench.line(&format!("{tree} -C"));
    again.refused("2 tasks, -I 10 -w 64 -N 1 -F -u");
    for (other, part) in [
        (
            "mdtest -F -n 11 -w 64 -u -N 1 --tasks 2 -d md -T",
            "it was created with",
        ),
        (
            "mdtest -D -n 10 -u -N 1 --tasks 2 -d md -T",
            "it was created with",
        ),
        (
            "mdtest -F -n 10 -w 64 -e 65 -u -N 1 --tasks 2 -d md -E",
            "-e 65: ",
        ),
        (
            "mdtest -F -n 10 -w 64 -u -N 1 --tasks 2 -d md -T -i 2",
            "test-dir.1-0",
        ),
        ("mdtest -F -n 10 -d gone -r", "there is no such folder"),
    ] {
        bench.line(other).refused(part);
    }
    let read = bench
        .line(&format!("{tree} -T -E -e 64 --json"))
        .good()
        .json();
    assert_eq!(
        rows(&read),
        [("file stat".to_owned(), 20), ("file read".to_owned(), 20)]
    );
    assert_eq!(below(&bench.path("md")), names);
    bench.line(&format!("{tree} -r")).good();
    assert_eq!(below(&bench.path("md")), ["letter"]);
}

#[test]
fn data_that_is_not_what_was_written_is_counted_and_makes_the_result_invalid() {
    let bench = Bench::new();
    let tree = "mdtest -F -n 5 -w 64 --tasks 2 -d md";
    let written = bench
        .line(&format!("{tree} -C --verify-write --json"))
        .good();
    assert_eq!(written.json()["findings"], Value::Null);
    let read = format!("{tree} -E -e 64 -X");
    let good = bench.line(&read).good();
    assert!(!good.out.contains("ERROR"), "{good:?}");
    let file = bench.path("md/test-dir.0-0/mdtest_tree.0/file.mdtest.1.3");
    let mut content = fs::read(&file).unwrap();
    content[63] ^= 1;
    fs::write(&file, content).unwrap();
    let bad = bench.line(&read);
    assert_eq!(bad.code, Some(4), "{bad:?}");
    assert!(
        bad.out
            .contains("\nERROR: verifying the data on read (1 errors)!"),
        "{bad:?}"
    );
    let shown = bench.line("show 3 --json").json();
    assert_eq!(shown["findings"][0]["id"], "differing-files");
    assert_eq!(shown["verdict"]["validity"], "INVALID");
    assert_eq!(rows(&shown), [("file read".to_owned(), 10)]);
}

#[test]
fn files_are_created_for_a_time_and_all_tasks_go_on_to_as_many() {
    let bench = Bench::new();
    let tree = "mdtest -F -n 200000 --tasks 2 -d md";
    let said = bench
        .line(&format!("{tree} -C -W 1 -x number --json"))
        .good();
    let reached: u64 = fs::read_to_string(bench.path("number"))
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=200_000).contains(&reached), "{said:?}");
    assert_eq!(
        rows(&said.json()),
        [
            ("tree creation".to_owned(), 1),
            ("file creation".to_owned(), 2 * reached)
        ]
    );
    let names = below(&bench.path("md"));
    assert_eq!(
        names
            .iter()
            .filter(|name| name.contains("file.mdtest"))
            .count() as u64,
        2 * reached
    );
    let read = bench
        .line(&format!("{tree} -T -x number --json"))
        .good()
        .json();
    assert_eq!(rows(&read), [("file stat".to_owned(), 2 * reached)]);
    if reached < 200_000 {
        bench
            .line(&format!("{tree} -T"))
            .refused("it was created with");
    }
    fs::write(bench.path("number"), "many").unwrap();
    bench
        .line(&format!("{tree} -T -x number"))
        .refused("-x number: ");
    bench
        .line(&format!("{tree} -C -W 1 -x number"))
        .refused("-x number");
    bench
        .line(&format!("mdtest -F -n {reached} --tasks 2 -d md -r"))
        .good();
    assert!(!bench.path("md/test-dir.0-0").exists());
}

#[test]
fn what_fathom_did_not_create_is_neither_used_nor_removed() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("md/test-dir.0-0/mdtest_tree.0")).unwrap();
    fs::write(
        bench.path("md/test-dir.0-0/mdtest_tree.0/file.mdtest.0.0"),
        b"mine",
    )
    .unwrap();
    let before = below(&bench.path("md"));
    for line in [
        "mdtest -n 1 -d md",
        "mdtest -F -n 1 -r -d md",
        "mdtest -F -n 1 -T -d md",
    ] {
        bench.line(line).refused("did not create this folder");
    }
    fs::remove_dir_all(bench.path("md/test-dir.0-0")).unwrap();
    bench.line("mdtest -F -n 4 -C -d md").good();
    fs::write(bench.path("md/test-dir.0-0/mdtest_tree.0/thesis"), b"mine").unwrap();
    let said = bench.line("mdtest -F -n 4 -r -d md");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("test-dir.0-0"), "{said:?}");
    let after = below(&bench.path("md"));
    assert!(
        after.contains(&"test-dir.0-0/mdtest_tree.0/thesis".to_owned()),
        "{after:?}"
    );
    assert!(
        !after.iter().any(|name| name.contains("file.mdtest")),
        "{after:?}"
    );
    assert_ne!(before, after);
}

#[test]
fn nothing_is_done_in_a_dry_run_and_all_problems_come_at_once() {
    let bench = Bench::new();
    let said = bench.line("mdtest -n 9 -z 1 -b 2 --dry-run -d md").good();
    assert!(
        said.out.contains("9 items each, 3 folders in a tree"),
        "{said:?}"
    );
    let said = bench.line("mdtest -S -c -B -n 9");
    for part in ["-S: ", "-c: ", "for -B: "] {
        said.refused(part);
    }
    assert!(
        bench
            .line("mdtest -h")
            .good()
            .out
            .starts_with("usage: fathom mdtest ")
    );
    assert!(!bench.path("md").exists());
}

#[test]
fn a_stop_ends_the_phases_removes_the_tree_and_keeps_what_was_measured() {
    let bench = Bench::new();
    let child = bench.start("mdtest -F -n 4 -p 60 -d md");
    until(|| {
        let shown = bench.line("show 1 --json");
        shown.code == Some(0) && shown.json()["rows"][0]["operation"] == "tree creation"
    });
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("interrupted"), "{said:?}");
    assert!(!bench.path("md").exists());
    let shown = bench.line("show 1 --json").json();
    assert_eq!(shown["rows"][0]["operation"], "tree creation");
}

#[test]
fn a_killed_call_leaves_a_tree_that_the_next_one_removes() {
    let bench = Bench::new();
    // Its threads end before the pause, so they are not waited for.
    let mut child = bench.spawn("mdtest -F -n 4 -p 60 -d md");
    let tree = bench.path("md/test-dir.0-0/mdtest_tree.0");
    while !tree.exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let busy = bench.line("mdtest -F -n 4 -d md");
    busy.refused("another fathom mdtest works in it");
    child.kill().unwrap();
    child.wait().unwrap();
    let said = bench.line("mdtest -F -n 4 -d md --no-store").good();
    assert!(said.err.contains("removed"), "{said:?}");
    assert_eq!(below(&bench.path("md")), [""; 0]);
}

#[test]
fn ranks_of_a_launcher_are_tasks_of_one_tree() {
    with_one(|launcher| {
        let bench = Bench::new();
        let line = "mdtest -n 30 -w 10 -e 10 -N 1 --tasks 2 -d md";
        let said = launcher.run(&bench, 3, line).good();
        assert!(
            said.out.contains("\n6 tasks, 180 files/directories\n"),
            "{said:?}"
        );
        assert!(row(&said, "File read")[0] > 0.0);
        assert!(!bench.path("md").exists());
        let store = "--store hosts.db";
        let shown = bench.line(&format!("show 1 --json {store}")).good().json();
        for (name, operations) in rows(&shown) {
            let expected = if name.starts_with("tree") { 1 } else { 180 };
            assert_eq!(operations, expected, "{name}");
        }
        assert_eq!(shown["mdtest"]["hosts"].as_array().unwrap().len(), 3);
        let refused = launcher.run(&bench, 3, "mdtest -S -n 3 -d md");
        assert_eq!(refused.err.matches("-S: ").count(), 1, "{refused:?}");
    });
}

#[test]
fn ranks_of_a_launcher_meet_behind_the_time_and_go_on_to_as_many() {
    with_one(|launcher| {
        let bench = Bench::new();
        let store = "--store hosts.db";
        let tree = "mdtest -F -n 200000 -d md";
        let line = format!("{tree} -C -W 1 -x number");
        launcher.run(&bench, 3, &line).good();
        let number = fs::read_to_string(bench.path("number")).unwrap();
        let reached: u64 = number.parse().unwrap();
        assert!((1..=200_000).contains(&reached), "{number}");
        let created = bench.line(&format!("show 1 --json {store}")).good().json();
        let each = ("file creation".to_owned(), 3 * reached);
        assert_eq!(rows(&created)[1], each, "{created}");
        // The number is for all ranks of a later call, and the phases behind it in the same one.
        let later = format!("{tree} -T -r -x number");
        launcher.run(&bench, 3, &later).good();
        let shown = bench.line(&format!("show 2 --json {store}")).good().json();
        assert_eq!(rows(&shown)[0], ("file stat".to_owned(), 3 * reached));
        let all = launcher
            .run(&bench, 2, "mdtest -F -n 200000 -d md -W 1 --json")
            .good()
            .json();
        let done = rows(&all);
        assert_eq!(done[1].1 % 2, 0, "{done:?}");
        let [creation, stat] = ["file creation", "file stat"]
            .map(|name| done.iter().find(|row| row.0 == name).unwrap().1);
        assert_eq!(creation, stat);
        assert!(!bench.path("md/test-dir.0-0").exists());
    });
}
