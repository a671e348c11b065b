//! `cargo xtask coverage`: how often 95% intervals are printed and how often they miss the truth, where noise stays.
//!
//! The runs and the check are a test of `analysis` (`estimates::coverage`), in one process and in simulated time; here is only
//! how many runs each cell has, and the table in docs/statistics.md that they give. Without N the table is not written.

use std::path::Path;
use std::process::Command;

const TEST: &str = "estimates::coverage::intervals_of_noise_that_stays_are_true_or_not_known";
const PAGE: &str = "docs/statistics.md";
const BEGIN: &str = "<!-- coverage: written by cargo xtask coverage N -->";
const END: &str = "<!-- end of coverage -->";

/// Returns whether the intervals are what they have to be.
pub(crate) fn run(root: &Path, options: &[String]) -> bool {
    let runs = match options {
        [] => None,
        [runs] if runs.parse::<u32>().is_ok_and(|runs| runs > 0) => Some(runs.as_str()),
        _ => {
            eprintln!("coverage: the only option is N, the number of runs of each cell");
            return false;
        }
    };
    let mut command = Command::new("cargo");
    command
        .args([
            "test",
            "--quiet",
            "--workspace",
            "--lib",
            "--",
            "--exact",
            TEST,
            "--nocapture",
        ])
        .env("FATHOM_COVERAGE_RUNS", runs.unwrap_or("1"))
        .current_dir(root);
    let Ok(output) = command.output() else {
        eprintln!("coverage: cargo cannot be run");
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let is_row = |line: &&str| line.starts_with('|') || line.starts_with("cell ");
    let rows: Vec<&str> = text.lines().filter(is_row).collect();
    rows.iter().for_each(|row| println!("{row}"));
    let is_written = runs.is_none_or(|runs| write(root, runs, &rows));
    output.status.success() && is_written
}

/// Puts the table and what follows it between the marks of the page.
fn write(root: &Path, runs: &str, rows: &[&str]) -> bool {
    let page = root.join(PAGE);
    let Ok(text) = std::fs::read_to_string(&page) else {
        return false;
    };
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        eprintln!("coverage: {PAGE} lacks the marks of the table");
        return false;
    };
    let has_columns = |row: &&&str| row.starts_with('|') && row.matches('|').count() > 2;
    let table: Vec<&str> = rows.iter().filter(has_columns).copied().collect();
    let is_sum = |row: &&&str| row.starts_with('|') && row.matches('|').count() == 2;
    let sums = rows
        .iter()
        .filter(is_sum)
        .map(|row| format!("- {}", row.trim_matches(['|', ' '])));
    let sums: Vec<String> = sums.collect();
    let written = format!(
        "{}{BEGIN}\n{runs} runs of each cell.\n\n{}\n\n{}\n{}",
        &text[..begin],
        table.join("\n"),
        sums.join("\n"),
        &text[end..]
    );
    std::fs::write(&page, written).is_ok()
}
