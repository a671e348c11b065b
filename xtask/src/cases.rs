//! `cargo xtask cases`: the case files of the findings, with sensitivity and false alarms a rule.
//!
//! With `--drawn N` also N simulated devices per cause that are drawn by seed, and as many of each kind of healthy ones.
//! `--seed BASE` draws others: a base that no rule was fitted to shows what the rules are worth.
//!
//! Omitted: the cases themselves (`crates/cli/tests/cases`), and the draw (`crates/cli/tests/it/drawn.rs`).

use std::path::Path;
use std::process::Command;

/// Whether each cause is named and no innocent document accused. The table goes to the terminal.
pub(crate) fn run(root: &Path, options: &[String]) -> bool {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let files = || test(root, &["cases", "--", "--nocapture"], None);
    let drawn = |each, base| {
        let words = ["it", "--", "drawn::", "--nocapture"];
        files() && test(root, &words, Some((each, base)))
    };
    let number = |text: &str| text.parse::<u16>().is_ok();
    match options[..] {
        [] => files(),
        ["--drawn", each] if number(each) => drawn(each, "0"),
        ["--drawn", each, "--seed", base] if number(each) && base.parse::<u32>().is_ok() => {
            drawn(each, base)
        }
        _ => {
            eprintln!("cases: the only options are --drawn N and, after it, --seed BASE");
            false
        }
    }
}

fn test(root: &Path, words: &[&str], drawn: Option<(&str, &str)>) -> bool {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--quiet", "--package", "fathom", "--test"])
        .args(words);
    if let Some((each, base)) = drawn {
        command.env("FATHOM_DRAWN", each);
        command.env("FATHOM_DRAWN_BASE", base);
    }
    let status = command.current_dir(root).status();
    status.is_ok_and(|status| status.success())
}
