//! Every `fathom` line of the recipes does what it says. Times and sizes are cut, and a device of the test's own stands in
//! for `/dev/sdb`; nothing else is changed.

use crate::bench::Bench;
use crate::mounted::Mounted;

const RECIPES: &str = include_str!("../../../../docs/recipes.md");

/// Each recipe's lines, without their remarks.
fn recipes() -> Vec<Vec<&'static str>> {
    let parts = RECIPES.split("\n## ").skip(1);
    parts
        .map(|part| {
            let blocks = part
                .split("```")
                .filter_map(|block| block.strip_prefix("sh\n"));
            let lines = blocks.flat_map(str::lines);
            let lines = lines.map(|line| line.split(" #").next().unwrap_or(line).trim());
            lines.filter(|line| !line.is_empty()).collect()
        })
        .collect()
}

/// As a shell takes them apart: at spaces, but not within single quotes.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The words of a line, with a short time and small files.
fn cut(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut given = split(line).into_iter().skip(1);
    while let Some(word) = given.next() {
        let short = match word.as_str() {
            "--duration" | "--size" => None,
            "--create" => Some("16M"),
            "--length" => Some("8M"),
            _ => {
                words.push(word);
                continue;
            }
        };
        given.next();
        words.extend(
            short
                .map(|short| [word, short.to_owned()])
                .into_iter()
                .flatten(),
        );
    }
    let more: &[&str] = match words[0].as_str() {
        "run" => &["--duration", "200ms", "--warmup", "0s"],
        "sweep" => &["--duration", "50ms", "--warmup", "0s"],
        "survey" => &[
            "--budget",
            "3s",
            "--depth-max",
            "1",
            "--size",
            "64M",
            "--page",
            "none",
        ],
        "layers" => &["--rounds", "2", "--round-time", "200ms", "--size", "16M"],
        "watch" => &["--count", "1", "--interval", "100ms"],
        "check" => &["--duration", "1s"],
        "files" => &["--files", "20", "--data", "64K"],
        _ => &[],
    };
    words.extend(more.iter().map(|word| (*word).to_owned()));
    words
}

/// A machine may have no loop devices; everything else of the recipe runs all the same.
fn on_a_device(line: &str, mounted: Option<&Mounted>) -> Option<String> {
    if !line.contains("/dev/sdb") {
        return Some(line.to_owned());
    }
    let mounted = mounted?;
    let (device, folder) = (mounted.device.display(), mounted.folder.display());
    let line = line.replace("/dev/sdb", &device.to_string());
    Some(line.replace("/mnt/sdb", &folder.to_string()))
}

#[test]
fn no_line_stands_where_it_is_not_tried() {
    let blocks = RECIPES.split("```").skip(1).step_by(2);
    let untried: Vec<&str> = blocks.filter(|block| !block.starts_with("sh\n")).collect();
    assert_eq!(untried, [""; 0]);
}

#[test]
fn every_line_runs() {
    let recipes = recipes();
    let lines: usize = recipes.iter().map(Vec::len).sum();
    assert!(lines >= 29, "{lines}: {recipes:?}");
    for recipe in recipes {
        let bench = Bench::new();
        bench
            .line("run --create 128M --duration 200ms --warmup 0s test.dat --no-store")
            .good();
        let needs_device = recipe.iter().any(|line| line.contains("/dev/sdb"));
        let mounted = needs_device.then(|| Mounted::ext4(&bench, &[])).flatten();
        for line in recipe {
            assert!(line.starts_with("fathom "), "{line}");
            let Some(line) = on_a_device(line, mounted.as_ref()) else {
                continue; // the reason was printed
            };
            let said = bench.say(&cut(&line));
            // Whether this machine is quiet, and whether two short runs differ, is not what is tried here.
            let may_say_no = line.contains("--fail-if") || line.starts_with("fathom check ");
            let good = said.code == Some(0) || may_say_no && said.code == Some(3);
            assert!(good, "{line}: {said:?}");
        }
    }
}
