//! Every `fathom` line in the `sh` blocks of the recipes does what it says. Times and sizes are cut, nothing else is
//! changed. What stands in blocks of text needs a device, or tells how to go on.

use crate::bench::Bench;

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
        "files" => &["--files", "20", "--data", "64K"],
        _ => &[],
    };
    words.extend(more.iter().map(|word| (*word).to_owned()));
    words
}

#[test]
fn every_line_runs() {
    let recipes = recipes();
    let lines: usize = recipes.iter().map(Vec::len).sum();
    assert!(lines >= 18, "{recipes:?}");
    for recipe in recipes {
        let bench = Bench::new();
        bench
            .line("run --create 16M --duration 10ms --warmup 0s test.dat --no-store")
            .good();
        for line in recipe {
            assert!(line.starts_with("fathom "), "{line}");
            let said = bench.say(&cut(line));
            assert_eq!(said.code, Some(0), "{line}: {said:?}");
        }
    }
}
