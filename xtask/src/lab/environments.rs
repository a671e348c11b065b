//! `environments`: the program in the file systems, containers and limits that people run it in, on this machine's kernel.
//!
//! `environments.txt` is the table: environment, command, expected exit code and words. `environments.sh` sets up one
//! environment in a mount namespace of its own and runs one command there. What this kernel or machine lacks is skipped
//! with the reason. Writes only below folders of its own in /var/tmp. Omitted: limits on rates, which are those of the
//! moment, and other kernels.

use super::{Result, named};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const TABLE: &str = include_str!("environments.txt");
const PAGE: &str = "docs/environments.md";
const MARKS: [&str; 2] = [
    "<!-- generated: environments -->\n",
    "<!-- end of generated -->",
];
/// As the script exits where the machine lacks the environment.
pub(super) const LACKS: i32 = 77;
const SECONDS_MAX: &str = "120";
/// Of half a second nothing may be left on a disk that stalls.
const STALL: &str = "no I/O completed";
const USAGE: &str = "cargo xtask lab environments [short | accept | ENVIRONMENT…]";

/// One line of the table.
struct Expectation {
    is_short: bool,
    environment: &'static str,
    command: &'static str,
    codes: Vec<i32>,
    words: Vec<&'static str>,
}

/// The result of one.
pub(super) enum Outcome {
    /// With what was measured, where the command compares rates.
    Met(Option<String>),
    Missed(String),
    Lacking(String),
}

/// How many rows had which outcome.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) met: usize,
    pub(super) missed: usize,
    pub(super) lacking: usize,
}

impl Tally {
    /// Runs a row, up to three times where a disk that others use, too, stalled. Prints what was missed or is lacking.
    pub(super) fn take(
        &mut self,
        name: &str,
        run: impl Fn() -> Result<Outcome>,
    ) -> Result<Outcome> {
        let mut outcome = run()?;
        for _ in 0..2 {
            if matches!(&outcome, Outcome::Missed(why) if why.contains(STALL)) {
                outcome = run()?;
            }
        }
        match &outcome {
            Outcome::Met(_) => self.met += 1,
            Outcome::Missed(why) => {
                self.missed += 1;
                println!("bad: {name}: {why}");
            }
            Outcome::Lacking(why) => {
                self.lacking += 1;
                println!("skipped: {name}: {why}");
            }
        }
        Ok(outcome)
    }
}

/// Runs the rows that are asked for. Returns whether none was missed.
pub(super) fn run(root: &Path, words: &[String]) -> Result<bool> {
    let rows = rows()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let unknown = words.iter().find(|word| {
        !matches!(**word, "short" | "accept") && rows.iter().all(|row| row.environment != **word)
    });
    if let Some(unknown) = unknown {
        return Err(format!("read `{unknown}`; accepted: {USAGE}").into());
    }
    let wanted = |row: &&Expectation| match words[..] {
        [] | ["accept"] => true,
        ["short"] => row.is_short,
        _ => words.contains(&row.environment),
    };
    if !is_root() {
        println!("skipped: lab environments: mounts need root");
        return Ok(true);
    }
    let program = built(root, "fathom")?;
    let mut tally = Tally::default();
    let mut outcomes = Vec::new();
    for row in rows.iter().filter(wanted) {
        let name = format!("{} {}", row.environment, row.command);
        let outcome = tally.take(&name, || row.outcome(root, &program))?;
        if let Outcome::Met(Some(ratio)) = &outcome {
            println!("{name}: {ratio} of fio's IOPS");
        }
        outcomes.push((row, outcome));
    }
    let Tally {
        met,
        missed,
        lacking,
    } = tally;
    println!("lab environments: {met} good, {missed} bad, {lacking} skipped");
    if words == ["accept"] && missed == 0 {
        write_page(root, &outcomes)?;
    }
    Ok(missed == 0)
}

fn rows() -> Result<Vec<Expectation>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with(['#', '=']));
    lines.map(row).collect()
}

fn row(line: &'static str) -> Result<Expectation> {
    let (is_short, rest) = match line.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let fields: Vec<&str> = rest.splitn(4, '|').map(str::trim).collect();
    let [environment, command, codes, words] = fields[..] else {
        return Err(format!("environments.txt: read `{line}`").into());
    };
    let codes = codes
        .split(',')
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()?;
    Ok(Expectation {
        is_short,
        environment,
        command,
        codes,
        words: words
            .split(" & ")
            .filter(|words| !words.is_empty())
            .collect(),
    })
}

impl Expectation {
    fn outcome(&self, root: &Path, program: &Path) -> Result<Outcome> {
        let ran = script(root, program, self.environment, self.command).output()?;
        let (out, err) = (
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr),
        );
        // Sentences go over several lines.
        let output = format!("{err} {out}");
        let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
        let code = ran.status.code().unwrap_or(-1);
        if let Some((_, why)) = output.split_once("lacks: ").filter(|_| code == LACKS) {
            return Ok(Outcome::Lacking(why.to_owned()));
        }
        let lacks = |words: &&&str| match words.strip_prefix("not ") {
            Some(words) => output.contains(words),
            None => !output.contains(**words),
        };
        let what = match self.words.iter().find(lacks) {
            _ if !self.codes.contains(&code) => format!("exit code {code}"),
            Some(words) => format!("`{words}` is expected"),
            None => return Ok(Outcome::Met(measured(&output))),
        };
        let output: String = output.chars().take(1500).collect();
        Ok(Outcome::Missed(format!("{what}; the output: {output}")))
    }
}

/// The command that sets up an environment and runs a command there.
pub(super) fn script(root: &Path, program: &Path, environment: &str, command: &str) -> Command {
    let mut script = Command::new("timeout");
    let apart = ["unshare", "--mount", "--propagation", "private", "bash"];
    script.arg(SECONDS_MAX).args(apart);
    script.arg(root.join("xtask/src/lab/environments.sh"));
    script.arg(program).args([environment, command]);
    script
}

/// The ratio after `compared with fio: `.
fn measured(output: &str) -> Option<String> {
    let (_, rest) = output.split_once("compared with fio: ")?;
    rest.split(' ').next().map(str::to_owned)
}

/// Builds a package for debugging, as tests have it, and returns its program, which has this name.
pub(super) fn built(root: &Path, package: &str) -> Result<PathBuf> {
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--package", package]);
    if !build.current_dir(root).status()?.success() {
        return Err(format!("{package} could not be built").into());
    }
    let target = named("CARGO_TARGET_DIR").unwrap_or_else(|| root.join("target"));
    Ok(target.join("debug").join(package))
}

pub(super) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Puts the rows between the marks of the page, with their outcome here.
fn write_page(root: &Path, outcomes: &[(&Expectation, Outcome)]) -> Result<()> {
    let about = |name: &str| {
        let mut lines = TABLE
            .lines()
            .filter_map(|line| line.strip_prefix("= ")?.split_once(" | "));
        lines
            .find(|(known, _)| *known == name)
            .map_or("", |(_, about)| about)
    };
    let mut table =
        String::from("| environment | command | exit code | output |\n|---|---|---|---|\n");
    let mut last = "";
    for (row, outcome) in outcomes {
        let environment = match row.environment {
            same if same == last => String::new(),
            new => format!("`{new}`: {}", about(new)),
        };
        last = row.environment;
        let codes: Vec<String> = row.codes.iter().map(ToString::to_string).collect();
        let words = match outcome {
            Outcome::Lacking(why) => format!("not run: {why}"),
            _ => row.words.join("; "),
        };
        let (command, codes) = (row.command, codes.join(" or "));
        writeln!(table, "| {environment} | {command} | {codes} | {words} |")?;
    }
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    let parts = page.split_once(MARKS[0]);
    let parts = parts.and_then(|(head, rest)| Some((head, rest.split_once(MARKS[1])?.1)));
    let (head, foot) = parts.ok_or_else(|| format!("{PAGE} has no marks"))?;
    std::fs::write(path, format!("{head}{}{table}{}{foot}", MARKS[0], MARKS[1]))?;
    Ok(())
}
