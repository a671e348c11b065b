//! mdtest: its summary of rates, versions 1.9 to 4: a run for each row.
//!
//! A row counts operations of a kind per second: the slowest task's rate times the tasks. The summary of times is left to the
//! text: its unit is not the printed one. Source: mdtest's `mdtest.c`, and what versions 1.9, 3.3 and 4.0 print. Deliberately
//! absent: rates of single tasks.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::printed;
use crate::imports::run::{after, unknown};
use crate::imports::section::{Found, Section, Start, short};
use model::{ImportFormat, ImportedRun};

/// Defines the row of mdtest.
pub(crate) const TOOL: Tool = Tool {
    name: "mdtest",
    option: None,
    readers: &[Reader {
        format: ImportFormat::MdtestText,
        name: "mdtest's text",
        about: "what mdtest prints, versions 1.9 to 4",
        begins,
        read,
    }],
};

/// Kinds of operations, as the rows name them.
const ROWS: [&str; 12] = [
    "Directory creation",
    "Directory stat",
    "Directory rename",
    "Directory removal",
    "Directory read",
    "File creation",
    "File stat",
    "File read",
    "File rename",
    "File removal",
    "Tree creation",
    "Tree removal",
];

/// The line on the launch, which all versions have.
fn begins(line: &str, _text: &str) -> Start {
    match line.starts_with("mdtest-") && line.contains("was launched with") {
        true => Start::Here,
        false => Start::No,
    }
}

/// What stands above the rows.
#[derive(Default)]
struct Head {
    version: Option<String>,
    command: Option<String>,
    tasks: Option<u32>,
    nodes: Option<u32>,
    items: Option<String>,
    path: Option<String>,
}

impl Head {
    fn take(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("mdtest-") {
            self.version = rest.split_whitespace().next().map(str::to_owned);
            let counts: Vec<u32> = rest
                .split_whitespace()
                .filter_map(|word| word.parse().ok())
                .collect();
            (self.tasks, self.nodes) = (counts.first().copied(), counts.get(1).copied());
        } else if let Some(command) = after(line, "Command line used:") {
            self.command = Some(command.to_owned());
        } else if let Some(path) =
            after(line, "Path").map(|rest| rest.trim_start_matches([':', ' ']))
        {
            self.path = Some(path.to_owned());
        } else if line.contains(" tasks, ") && line.starts_with(|c: char| c.is_ascii_digit()) {
            self.tasks = line.split(' ').next().and_then(|word| word.parse().ok());
            self.items = line
                .split_once(", ")
                .map(|(_, items)| items.trim().to_owned());
        }
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut head = Head::default();
    let mut iterations = None; // of the summary of rates that is open
    for (at, line) in section.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("SUMMARY") {
            iterations = (!rest.contains("time")).then(|| iterations_of(rest));
        } else if let Some(of) = &iterations
            && let Some(run) = row(line, &head, *of)
        {
            found.run(at, run);
        } else {
            head.take(line);
        }
    }
    if found.is_empty() {
        found.fault_at(section.head, "mdtest's output without a summary of rates");
    }
}

/// `rate: (of 3 iterations)`.
fn iterations_of(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("(of ")?;
    rest.split(' ').next()?.parse().ok()
}

fn row(line: &str, head: &Head, iterations: Option<u64>) -> Option<ImportedRun> {
    let name = ROWS.iter().find(|name| line.starts_with(*name))?;
    let numbers = line[name.len()..]
        .trim_start_matches([':', ' '])
        .split_whitespace();
    let numbers: Vec<Option<f64>> = numbers.map(printed).collect();
    // With rates of single tasks three columns stand before.
    let [.., max, min, mean, sd] = numbers[..] else {
        return None;
    };
    let mean = mean?;
    let mut run = unknown(ImportFormat::MdtestText);
    run.name = Some((*name).to_owned());
    run.tool_version.clone_from(&head.version);
    run.command.clone_from(&head.command);
    run.workload.threads = head.tasks;
    run.workload.targets = head.path.iter().cloned().collect();
    run.figures.total.ios_per_s = Some(mean);
    let counted = match *name {
        name if name.starts_with("Directory") => "folders",
        name if name.starts_with("Tree") => "trees",
        _ => "files",
    };
    run.notes.push(format!("its rate counts {counted}"));
    if let Some(items) = &head.items {
        run.notes.push(short(items));
    }
    if let Some(nodes) = head.nodes.filter(|nodes| *nodes > 1) {
        run.notes.push(format!("tasks on {nodes} nodes"));
    }
    if let (Some(count @ 2..), Some(max), Some(min), Some(sd)) = (iterations, max, min, sd) {
        run.notes.push(format!(
            "mean of {count} iterations: {min} to {max}, standard deviation {sd}"
        ));
    }
    Some(run)
}
