//! Every `fathom` line of the README does what it says. Times and sizes are cut, nothing else is changed; the two
//! set-up lines run in CI.

use crate::bench::Bench;

const README: &str = include_str!("../../../../README.md");

/// The lines of its shell blocks, without their remarks.
fn lines() -> Vec<&'static str> {
    let shell = README
        .split("```")
        .filter_map(|block| block.strip_prefix("sh\n"));
    shell
        .flat_map(str::lines)
        .map(|line| line.split(" #").next().unwrap_or(line).trim())
        .filter(|line| !line.is_empty())
        .collect()
}

/// As a shell takes them apart: at spaces, but not within single quotes.
fn split(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(place, part)| match place % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// The words of a line, with a short time and a small file.
fn cut(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut given = split(line).into_iter().skip(1);
    while let Some(word) = given.next() {
        match word {
            "--duration" => drop(given.next()),
            "--create" => {
                given.next();
                words.extend(["--create", "128M"]); // read once around, it lasts longer than an I/O of a busy disk
            }
            _ => words.push(word),
        }
    }
    if words[0] == "run" {
        words.extend(["--duration", "300ms", "--warmup", "0s"]);
    }
    if words[0] == "files" {
        words.extend(["--files", "20", "--data", "64K"]);
    }
    if words[0] == "sweep" {
        words.extend(["--duration", "200ms", "--warmup", "0s"]); // long enough for an I/O under any load
    }
    if words[0] == "sqlio" {
        words.push("-s1"); // the last counts here too
    }
    if words[0] == "diskspd" {
        let target = words.pop(); // of a switch that is given twice the last counts
        words.extend(["-c16M", "-W0", "-d1"].into_iter().chain(target));
    }
    words
}

#[test]
fn every_line_runs() {
    let bench = Bench::new();
    let fathom: Vec<&str> = lines()
        .into_iter()
        .filter(|line| line.starts_with("fathom "))
        .collect();
    assert!(
        fathom.len() >= 8,
        "the README shows how to use it: {fathom:?}"
    );
    for line in fathom {
        let said = bench.say(&cut(line));
        // Whether a change of these short runs breaks a condition is theirs to say; that is no failure.
        let may_say_no = line.contains("--fail-if") && said.code == Some(3);
        assert!(may_say_no || said.code == Some(0), "`{line}`: {said:?}");
    }
}

#[test]
fn the_two_set_up_lines_come_first() {
    let first: Vec<&str> = lines().into_iter().take(2).collect();
    assert_eq!(first, ["cargo run --release -- survey", "cargo xtask test"]);
}
