//! `cargo xtask coverage`: how often 95% intervals are printed and how often they miss the truth, where noise stays; and how often
//! two results of one device are called different.
//!
//! The runs and the checks are tests of `analysis` (`estimates::coverage`, `compare::agreement`), in one process and in simulated
//! time; here is only how many runs each cell has, with 20 pairs of runs and 2 pairs of sweeps for each, and the table in
//! docs/statistics.md that they give. Without N the table is not written. Omitted: surveys, which choose their own points.

use std::path::Path;
use std::process::Command;

const TESTS: [&str; 3] = [
    "estimates::coverage::intervals_of_noise_that_stays_are_true_or_not_known",
    "compare::agreement::two_runs_of_one_device_are_rarely_called_different",
    "compare::agreement::two_sweeps_of_one_device_rarely_have_a_cell_that_differs",
];
const PAGE: &str = "docs/statistics.md";
const BEGIN: &str = "<!-- coverage: written by cargo xtask coverage N -->";
const END: &str = "<!-- end of coverage -->";

/// Returns whether the intervals are what they have to be.
pub(crate) fn run(root: &Path, options: &[String]) -> bool {
    let count = |text: &String| text.parse::<u32>().ok().filter(|runs| *runs > 0);
    let runs = match options {
        [] => None,
        [runs] if count(runs).is_some() => count(runs),
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
            "--nocapture",
        ])
        .args(TESTS)
        .current_dir(root);
    for (name, each) in [("RUNS", 1), ("PAIRS", 20), ("SWEEPS", 2)] {
        let count = u64::from(runs.unwrap_or(1)) * each;
        command.env(format!("FATHOM_COVERAGE_{name}"), count.to_string());
    }
    let Ok(output) = command.output() else {
        eprintln!("coverage: cargo cannot be run");
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let is_row = |line: &&str| line.starts_with('|') || line.starts_with("cell ");
    // libtest puts a dot for each test that ended before the next line.
    let lines = text.lines().map(|line| line.trim_start_matches('.'));
    let rows: Vec<&str> = lines.filter(is_row).collect();
    rows.iter().for_each(|row| println!("{row}"));
    let is_written = runs.is_none_or(|runs| write(root, runs, &rows));
    output.status.success() && is_written
}

/// Puts the table and what follows it between the marks of the page.
fn write(root: &Path, runs: u32, rows: &[&str]) -> bool {
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
