//! `environments`: the program in the file systems, containers and limits that people run it in, on this machine's kernel
//! and in a virtual machine.
//!
//! `environments.txt` is the table: environment, command, expected exit code and words. `environments.sh` sets up one
//! environment in a mount namespace of its own and runs one command there. Environments of modules, which this machine's
//! kernel may lack, are set up in the virtual machine of `guest`, which is started once. What is missing is skipped with
//! the reason. Writes only below folders of its own in /var/tmp. Omitted: limits on rates, which are those of the moment.

use super::Result;
use super::guest::{self, Job, Programs, Ran};
use crate::{setup, test};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const TABLE: &str = include_str!("environments.txt");
const PAGE: &str = "docs/lab/environments.md";
/// Begins the line of an environment that is set up in the virtual machine.
const IN_MACHINE: &str = "=*";
const MARKS: [&str; 2] = [
    "<!-- generated: environments -->\n",
    "<!-- end of generated -->",
];
const SECONDS_MAX: &str = "120";
/// Of half a second nothing may be left on a disk that stalls.
const STALL: &str = "no I/O completed";
pub(super) const USAGE: &str =
    "cargo xtask lab environments [accept] [short | here | machine | ENVIRONMENT…]";

/// One line of the table.
struct Expectation {
    is_short: bool,
    is_in_machine: bool,
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
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let accepts = words.first() == Some(&"accept");
    words.drain(..usize::from(accepts));
    let unknown = words.iter().find(|word| {
        !(words.len() == 1 && matches!(**word, "short" | "here" | "machine"))
            && rows.iter().all(|row| row.environment != **word)
    });
    if let Some(unknown) = unknown {
        return Err(format!("read `{unknown}`; accepted: {USAGE}").into());
    }
    let wanted = |row: &&Expectation| match words[..] {
        [] => true,
        ["short"] => row.is_short,
        ["here"] => !row.is_in_machine,
        ["machine"] => row.is_in_machine,
        _ => words.contains(&row.environment),
    };
    if !is_root() {
        println!("skipped: lab environments: mounts need root");
        return Ok(true);
    }
    let program = built(root, "fathom")?;
    let all = &rows;
    let rows: Vec<&Expectation> = all.iter().filter(wanted).collect();
    let programs = Programs {
        fathom: &program,
        faultfs: None,
    };
    let jobs: Vec<Option<Job<'_>>> = rows.iter().map(|row| row.job()).collect();
    let ran = guest::split(root, &programs, &jobs)?;
    let mut tally = Tally::default();
    let mut outcomes = Vec::new();
    for (row, ran) in rows.into_iter().zip(ran) {
        let name = format!("{} {}", row.environment, row.command);
        let outcome = tally.take(&name, || match &ran {
            None => row.outcome(root, &program),
            Some(Ok(ran)) => Ok(row.judged(ran)),
            Some(Err(why)) => Ok(Outcome::Lacking(why.clone())),
        })?;
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
    if accepts && missed == 0 {
        write_page(root, all, &outcomes)?;
    }
    Ok(missed == 0)
}

fn rows() -> Result<Vec<Expectation>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with(['#', '=']));
    let mut rows = lines.map(row).collect::<Result<Vec<_>>>()?;
    for row in &mut rows {
        row.is_in_machine = about(row.environment).is_some_and(|(mark, _)| mark == IN_MACHINE);
    }
    Ok(rows)
}

/// The mark of an environment and what it is.
fn about(environment: &str) -> Option<(&'static str, &'static str)> {
    let mut lines = TABLE.lines().filter_map(|line| {
        let (head, about) = line.split_once(" | ")?;
        let (mark, name) = head.split_once(' ')?;
        (mark.starts_with('=') && name == environment).then_some((mark, about))
    });
    lines.next()
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
        is_in_machine: false,
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
        Ok(self.judged(&Ran::of(&ran)))
    }

    fn job(&self) -> Option<Job<'_>> {
        self.is_in_machine.then_some(Job {
            environment: self.environment,
            command: self.command,
            options: "",
        })
    }

    fn judged(&self, ran: &Ran) -> Outcome {
        // Sentences go over several lines.
        let output = format!("{} {}", ran.err, ran.out);
        let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(why) = ran.lacking() {
            return Outcome::Lacking(why);
        }
        let lacks = |words: &&&str| match words.strip_prefix("not ") {
            Some(words) => output.contains(words),
            None => !output.contains(**words),
        };
        let code = ran.code;
        let what = match self.words.iter().find(lacks) {
            _ if !self.codes.contains(&code) => format!("exit code {code}"),
            Some(words) => format!("`{words}` is expected"),
            None => return Outcome::Met(measured(&output)),
        };
        let output: String = output.chars().take(1500).collect();
        Outcome::Missed(format!("{what}; the output: {output}"))
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
/// Returns the path of a program of the workspace, compiled as for the tests.
pub(super) fn built(root: &Path, program: &str) -> Result<PathBuf> {
    if !test::compile(root) {
        return Err(format!("{program} could not be compiled").into());
    }
    Ok(setup::target(root).join("debug").join(program))
}

pub(super) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Puts all rows between the marks of the page, with their outcome here; those that were not run as the page has them.
fn write_page(
    root: &Path,
    rows: &[Expectation],
    outcomes: &[(&Expectation, Outcome)],
) -> Result<()> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    let parts = page.split_once(MARKS[0]);
    let parts = parts.and_then(|(head, rest)| Some((head, rest.split_once(MARKS[1])?)));
    let (head, (before, foot)) = parts.ok_or_else(|| format!("{PAGE} has no marks"))?;
    let before = cells(before);
    let of_now = |row: &Expectation| {
        let mut run = outcomes.iter().filter(|(one, _)| std::ptr::eq(*one, row));
        run.next().map(|(_, outcome)| match outcome {
            Outcome::Lacking(why) => format!("not run: {why}"),
            _ => row.words.join("; "),
        })
    };
    let mut table =
        String::from("| environment | command | exit code | output |\n|---|---|---|---|\n");
    let mut last = "";
    for row in rows {
        let environment = match row.environment {
            same if same == last => String::new(),
            new => format!("`{new}`: {}", about(new).map_or("", |(_, about)| about)),
        };
        last = row.environment;
        let codes: Vec<String> = row.codes.iter().map(ToString::to_string).collect();
        let (command, codes) = (row.command, codes.join(" or "));
        let known = || {
            before
                .get(&(row.environment, command))
                .map(|&words| words.to_owned())
        };
        let words = of_now(row).or_else(known);
        let words = words.unwrap_or_else(|| "not run".to_owned());
        writeln!(table, "| {environment} | {command} | {codes} | {words} |")?;
    }
    std::fs::write(path, format!("{head}{}{table}{}{foot}", MARKS[0], MARKS[1]))?;
    Ok(())
}

/// The last cell of each row of the table, by environment and command.
fn cells(table: &str) -> BTreeMap<(&str, &str), &str> {
    let mut environment = "";
    let mut cells = BTreeMap::new();
    for line in table.lines() {
        let parts: Vec<&str> = line.splitn(5, '|').map(str::trim).collect();
        let [_, first, command, _, words] = parts[..] else {
            continue;
        };
        if let Some((name, _)) = first
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'))
        {
            environment = name;
        }
        let words = words.strip_suffix('|').unwrap_or(words).trim();
        cells.insert((environment, command), words);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{cells, rows};

    #[test]
    fn a_page_is_read_as_it_is_written() {
        let table = "| environment | command | exit code | output |\n|---|---|---|---|\n| `nfs`: NFS | run | 0 | a; b |\n\
                     |  | write | 0 or 3 |  |\n";
        let found = cells(table);
        assert_eq!(found[&("nfs", "run")], "a; b");
        assert_eq!(found[&("nfs", "write")], "");
    }

    #[test]
    fn environments_of_the_virtual_machine_have_no_short_rows() {
        let rows = rows().unwrap();
        assert!(rows.iter().any(|row| row.is_in_machine));
        assert!(rows.iter().all(|row| !(row.is_in_machine && row.is_short)));
    }
}
