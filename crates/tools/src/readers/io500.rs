//! IO500: its summary of results, the shapes of 2019 to now, and its `result.txt`: a run for each phase.
//!
//! A phase that was not valid keeps that word, and the score is compared with the phases of which it consists. Source: IO500's
//! `result_summary.txt` and `result.txt`. Deliberately absent: IO500 itself, whose score needs its own code.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::number::{nanos, printed};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of IO500.
pub(crate) const TOOL: Tool = Tool {
    name: "IO500",
    option: None,
    readers: &[Reader {
        format: ImportFormat::Io500Text,
        name: "IO500's results",
        about: "result_summary.txt and result.txt of IO500",
        begins,
        read,
    }],
};

/// Phases whose bandwidth is the base of the score.
const BANDWIDTHS: [&str; 4] = [
    "ior-easy-write",
    "ior-hard-write",
    "ior-easy-read",
    "ior-hard-read",
];
/// A score may differ so much from that of the printed phases, which are rounded.
const ROUNDING: f64 = 0.005;

fn begins(line: &str, text: &str) -> Start {
    let summary = line.starts_with("IO500 version ") || line.starts_with("[RESULT");
    let next = || text.lines().nth(1).unwrap_or_default();
    let ini = line == "[run]" && (next().starts_with("procs") || next().starts_with("version"));
    match (line.starts_with("IO500 version ") || ini, summary) {
        (true, _) => Start::Here,
        (false, true) => Start::Orphan,
        (false, false) => Start::No,
    }
}

/// What stands around the phases.
#[derive(Default)]
struct Head {
    version: Option<String>,
    tasks: Option<u32>,
}

/// A phase, or the score.
#[derive(Default)]
struct Phase {
    name: String,
    value: Option<f64>,
    unit: String,
    seconds: Option<f64>,
    invalid: bool,
    command: Option<String>,
}

impl Phase {
    fn is_bandwidth(&self) -> bool {
        self.unit.ends_with("B/s")
    }

    fn run(&self, head: &Head) -> Option<ImportedRun> {
        let value = self.value?;
        let mut run = unknown(ImportFormat::Io500Text);
        run.name = Some(self.name.clone());
        run.tool_version.clone_from(&head.version);
        run.workload.threads = head.tasks;
        run.command.clone_from(&self.command);
        run.measured = self
            .seconds
            .and_then(|seconds| nanos(seconds, Nanos::seconds(1)));
        let mut figures = ImportedOperation::default();
        if self.is_bandwidth() {
            let name = &self.name;
            run.workload.write_percent = match () {
                () if name.ends_with("write") => Some(Ratio::ALL),
                () if name.ends_with("read") => Some(Ratio::NONE),
                () => None,
            };
            figures.bytes_per_s = Some(value * f64::from(1 << 30));
            if self.unit == "GB/s" {
                run.notes.push(
                    "printed as GB/s and counted in GiB/s, as IO500 did until 2020".to_owned(),
                );
            }
        } else {
            figures.ios_per_s = Some(value * 1000.0);
            run.notes
                .push("its rate counts operations on files and folders".to_owned());
        }
        if self.invalid {
            run.notes.push("INVALID: IO500 marked it so".to_owned());
        }
        run.figures = of_side(run.workload.write_percent, figures);
        Some(run)
    }
}

fn read(section: &Section, found: &mut Found) {
    let mut head = Head::default();
    let mut phases: Vec<Phase> = Vec::new();
    let mut open: Option<(usize, Phase)> = None;
    for (at, line) in section.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("IO500 version ") {
            head.version = rest.split_whitespace().next().map(str::to_owned);
        } else if line.starts_with("[SCORE") && line.contains(':') {
            check_score(line, &phases, at, found);
        } else if let Some(phase) = of_summary(line) {
            if let Some((at, phase)) = open.take() {
                take(at, phase, &head, &mut phases, found);
            }
            take(at, phase, &head, &mut phases, found);
        } else if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            if let Some((at, phase)) = open.take() {
                take(at, phase, &head, &mut phases, found);
            }
            open = Some((
                at,
                Phase {
                    name: name.trim().to_owned(),
                    ..Phase::default()
                },
            ));
        } else if let Some((key, value)) = line.split_once('=') {
            key_of(
                key.trim(),
                value.trim(),
                &mut head,
                open.as_mut().map(|(_, phase)| phase),
            );
        }
    }
    if let Some((at, phase)) = open {
        take(at, phase, &head, &mut phases, found);
    }
    if found.is_empty() {
        found.fault_at(
            section.head,
            "IO500's results without a phase that has a figure",
        );
    }
}

fn take(at: usize, phase: Phase, head: &Head, phases: &mut Vec<Phase>, found: &mut Found) {
    if phase.name == "SCORE" {
        return;
    }
    if let Some(run) = phase.run(head) {
        found.run(at, run);
        if phases.len() < 64 {
            phases.push(phase);
        }
    }
}

/// `[RESULT] ior-easy-write 2.5 GiB/s : time 300.1 seconds [INVALID]`; 2019 `[RESULT] BW phase 1 ior_easy_write 2.5 GB/s : …`.
fn of_summary(line: &str) -> Option<Phase> {
    let rest = line.strip_prefix("[RESULT")?;
    let (mark, rest) = rest.split_once(']')?;
    let (figure, time) = rest.split_once(':')?;
    let mut words: Vec<&str> = figure.split_whitespace().collect();
    if words.get(1) == Some(&"phase") {
        words.drain(..3.min(words.len()));
    }
    let [name, value, unit] = words[..] else {
        return None;
    };
    let seconds = time.split_whitespace().find_map(printed);
    Some(Phase {
        name: name.replace('_', "-"),
        value: printed(value),
        unit: unit.to_owned(),
        seconds,
        invalid: mark.contains("nvalid") || mark.contains("NVALID") || time.contains("INVALID"),
        command: None,
    })
}

/// A line of `result.txt`.
fn key_of(key: &str, value: &str, head: &mut Head, phase: Option<&mut Phase>) {
    let Some(phase) = phase else {
        return;
    };
    match key {
        "procs" => head.tasks = value.parse().ok(),
        "version" => head.version = Some(value.to_owned()),
        "score" => {
            phase.value = printed(value);
            let is_bandwidth = phase.name.starts_with("ior");
            phase.unit = if is_bandwidth { "GiB/s" } else { "kIOPS" }.to_owned();
        }
        "exe" => phase.command = Some(value.trim_matches('"').to_owned()),
        "t_delta" => phase.seconds = printed(value),
        "valid" => phase.invalid = value.eq_ignore_ascii_case("false") || value == "0",
        _ => {}
    }
}

/// `[SCORE ] Bandwidth 1.5 GiB/s : IOPS 10.2 kiops : TOTAL 3.9`: the geometric mean of its parts, or it is a fault.
fn check_score(line: &str, phases: &[Phase], at: usize, found: &mut Found) {
    let printed_score = line
        .split_whitespace()
        .skip_while(|word| *word != "Bandwidth")
        .nth(1);
    let Some(score) = printed_score.and_then(printed) else {
        return;
    };
    let parts: Vec<f64> = phases
        .iter()
        .filter(|phase| BANDWIDTHS.contains(&phase.name.as_str()))
        .filter_map(|phase| phase.value)
        .collect();
    if parts.len() != BANDWIDTHS.len() || parts.iter().any(|part| *part <= 0.0) {
        return;
    }
    let mean = parts.iter().map(|part| part.ln()).sum::<f64>() / parts.len() as f64;
    let mean = mean.exp();
    if (mean / score.max(f64::MIN_POSITIVE) - 1.0).abs() > ROUNDING {
        found.fault_at(
            at,
            format!("does not add up: a bandwidth of {score} is printed, and the four phases give {mean:.6}"),
        );
    }
}
