//! Lines that a run and a survey share: the target, the machine, the device's counts, the database.

use crate::number::{bytes, count};
use crate::paper::{Paper, Stored};
use crate::table::{Column, left, lines, table_width};
use crate::text::{printable, shorten, width, wrap};
use crate::time::write_time;
use analysis::{
    Agreement, Answer, CountComparison, DeviceCheck, DeviceDigest, Finding, GoalReport, HostDigest,
    RuleId, Severity, TargetDigest, Validity, Verdict,
};
use std::io::{self, Write};

/// `vda1 on vda (disk, 252 GiB, Model), scheduler none`.
fn chain(devices: &[DeviceDigest]) -> String {
    let mut reported = names(devices);
    if let Some(last) = devices.last() {
        let model = last
            .model
            .as_deref()
            .map(|model| format!(", {}", printable(model)));
        let turning = match last.rotational {
            Some(true) => ", rotational",
            Some(false) | None => "",
        };
        let size = bytes(last.size_bytes);
        reported.push_str(&format!(
            " ({}, {size}{}{turning})",
            last.kind,
            model.unwrap_or_default()
        ));
    }
    let scheduler = devices
        .iter()
        .rev()
        .find_map(|device| device.scheduler.as_deref());
    if let Some(scheduler) = scheduler {
        reported.push_str(&format!(", scheduler {}", printable(scheduler)));
    }
    reported
}

/// `md0 on sda and sdb`, `md0 on loop0 and loop1 on vda`: nothing is below a device of no other one, so what follows it is
/// next to it; loop devices below one that has members are its members.
fn names(devices: &[DeviceDigest]) -> String {
    let mut reported = String::new();
    let (mut above, mut has_members) = (None, false);
    for device in devices {
        let kind = device.kind.as_str();
        reported.push_str(match above {
            None => "",
            Some("loop") if kind == "loop" && has_members => " and ",
            Some("loop" | "partition" | "dm" | "md" | "bcache") => " on ",
            Some(_) => " and ",
        });
        reported.push_str(&printable(&device.name));
        has_members |= matches!(kind, "dm" | "md" | "bcache");
        above = Some(kind);
    }
    reported
}

/// An answer's name is rarely longer; a workload's may be.
const NAME_MAX: usize = 22;

/// The target, its size, and what it is on: `/data/a.dat, 8 GiB, ext4 on vda`.
pub(crate) fn place(facts: &TargetDigest, size: &str, paper: &Paper) -> String {
    let path = shorten(&printable(&facts.path), paper.room() / 2);
    let fs = facts.file_system.as_deref().map(printable);
    let chain = (!facts.chain.is_empty()).then(|| match paper.verbose {
        true => chain(&facts.chain),
        false => names(&facts.chain),
    });
    let on: Vec<String> = fs
        .into_iter()
        .chain(chain)
        .filter(|on| *on != path)
        .collect();
    match on.is_empty() {
        true => format!("{path}, {size}"),
        false => format!("{path}, {size}, {}", on.join(" on ")),
    }
}

/// What was measured, on which machine, by which engine: the first line of every result, and an empty one.
pub(crate) fn setting(
    target: String,
    machine: Option<&HostDigest>,
    engine: Option<&str>,
    paper: &Paper,
) -> Vec<String> {
    let machine = machine.map(|host| match paper.verbose {
        true => host_in_full(host),
        false => crate::foot::machine(host),
    });
    let parts = [Some(target), machine, engine.map(str::to_owned)];
    let text: Vec<String> = parts.into_iter().flatten().collect();
    let mut page = wrap("", &text.join("; "), paper.room(), usize::MAX);
    page.push(String::new());
    page
}

/// When it started, where everything is shown.
pub(crate) fn started(utc_ns: Option<u64>, paper: &Paper) -> Vec<String> {
    let started = utc_ns.filter(|_| paper.verbose);
    started.map_or_else(Vec::new, |ns| {
        labelled("started", &write_time(ns, &paper.zone), paper)
    })
}

/// The answer and the verdict, with an empty line after each. Of an invalid result the figures are no answer.
pub(crate) fn head(answer: Vec<String>, verdict: &Verdict, paper: &Paper) -> Vec<String> {
    let mut page = Vec::new();
    if !answer.is_empty() && verdict.validity != Validity::Invalid {
        page.extend(answer);
        page.push(String::new());
    }
    page.extend(wrap("", &verdict.sentence(), paper.room(), usize::MAX));
    page.push(String::new());
    page
}

/// What was to be reached, a line each; before the table.
pub(crate) fn goals(goals: &[GoalReport], paper: &Paper) -> Vec<String> {
    let line = |goal: &GoalReport| {
        let (sign, word) = if goal.met {
            ("✔", "met")
        } else {
            ("✘", "missed")
        };
        let text = format!(
            "{sign} {}: {word}, {}",
            printable(&goal.goal),
            printable(&goal.sentence)
        );
        labelled("goal", &text, paper)
    };
    let mut page: Vec<String> = goals.iter().flat_map(line).collect();
    page.extend((!page.is_empty()).then(String::new));
    page
}

/// The lines of an answer: in columns where they fit, else with the details below their figures.
pub(crate) fn answer(answers: &[Answer], paper: &Paper) -> Vec<String> {
    let figures = |answer: &Answer| -> Vec<String> {
        let name = format!("  {}", shorten(&printable(&answer.name), NAME_MAX));
        let figures = answer.figures.iter().map(|figure| printable(figure));
        std::iter::once(name).chain(figures).collect()
    };
    let rows: Vec<Vec<String>> = answers.iter().map(figures).collect();
    let details = || {
        answers
            .iter()
            .map(|answer| answer.detail.as_deref().map(printable))
    };
    let wide: Vec<Vec<String>> = rows
        .iter()
        .zip(details())
        .map(|(row, detail)| row.iter().cloned().chain(detail).collect())
        .collect();
    if let Some(lines) = in_columns(&wide, paper) {
        return lines;
    }
    let lines = in_columns(&rows, paper);
    let lines = lines.unwrap_or_else(|| rows.iter().map(|row| in_a_line(row)).collect());
    let indent = rows.iter().map(|row| width(&row[0])).max().unwrap_or(0) + 2;
    let both = lines.into_iter().zip(details()).flat_map(|(line, detail)| {
        let below = detail.map(|text| format!("{}{text}", " ".repeat(indent)));
        std::iter::once(line).chain(below)
    });
    both.flat_map(|line| match width(&line) <= paper.room() {
        true => vec![line],
        false => wrap("  ", line.trim_start(), paper.room(), usize::MAX),
    })
    .collect()
}

/// `small files: create 46.1k/s, read 98.0k/s`.
fn in_a_line(row: &[String]) -> String {
    match row.split_first() {
        Some((name, figures)) => format!("{name}: {}", figures.join(", ")),
        None => String::new(),
    }
}

/// None where there is nothing or it does not fit.
fn in_columns(rows: &[Vec<String>], paper: &Paper) -> Option<Vec<String>> {
    let most = rows.iter().map(Vec::len).max()?;
    let columns: Vec<Column<'_>> = (0..most).map(|_| left("", 0)).collect();
    let heads: Vec<&Column<'_>> = columns.iter().collect();
    let fits = table_width(&heads, rows) <= paper.room();
    fits.then(|| lines(&heads, rows, paper.room()).split_off(1))
}

/// The machine in a few words: `VM (kvm), 2 cores`.
pub(crate) fn machine(host: &HostDigest) -> String {
    let cores = crate::number::counted(host.cores, "core");
    match host.virtualization.as_deref() {
        Some(name) => format!("VM ({}), {cores}", printable(name)),
        None => cores,
    }
}

/// The machine in one line.
pub(crate) fn host_in_full(host: &HostDigest) -> String {
    let cores = crate::number::counted(host.cores, "core");
    let virtualization = host
        .virtualization
        .as_deref()
        .map(|name| format!(", {name}"));
    let ram = bytes(host.ram_bytes);
    format!(
        "{}, {cores}, {ram} RAM{}",
        host.kernel,
        virtualization.unwrap_or_default()
    )
}

fn both(counts: &CountComparison, of: fn(&analysis::OperationComparison) -> u64) -> String {
    let reported = |comparison, name: &str| {
        Some(of(comparison))
            .filter(|&n| n > 0)
            .map(|n| format!("{} {name}", bytes(n)))
    };
    let parts: Vec<String> = [
        reported(&counts.read, "read"),
        reported(&counts.write, "written"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

/// The device's counts compared with fathom's; or why there is nothing to compare.
pub(crate) fn device(check: &DeviceCheck, paper: &Paper) -> Vec<String> {
    let reported = match (&check.device, &check.measured) {
        (Some(device), Some(counts)) => format!(
            "{} counted {}; fathom counted {}: {}",
            printable(device),
            both(counts, |of| of.device_bytes),
            both(counts, |of| of.tool_bytes),
            check.sentence
        ),
        _ => check.sentence.clone(),
    };
    labelled("device", &reported, paper)
}

/// Whether the device's counters match, in a few words.
pub(crate) fn counters(check: &DeviceCheck) -> String {
    match (&check.device, check.agreement) {
        (Some(device), Agreement::Agrees) => {
            format!(
                "{} counters match fathom's ({})",
                printable(device),
                check.sentence
            )
        }
        (Some(device), _) => format!("{} counters: {}", printable(device), check.sentence),
        (None, _) => check.sentence.clone(),
    }
}

/// Returns what people added to a result: hints as the options that give them, and a comment.
fn notes_of<'n>(notes: impl Iterator<Item = &'n model::Note>, paper: &Paper) -> Vec<String> {
    let (comments, hints): (Vec<&model::Note>, Vec<&model::Note>) =
        notes.partition(|note| note.field == COMMENT);
    let option =
        |note: &model::Note, value| format!("--{} {}", note.field, model::shell_word(value));
    let hints: Vec<String> = hints
        .iter()
        .flat_map(|note| note.values().into_iter().map(|value| option(note, value)))
        .collect();
    let mut lines = Vec::new();
    if !hints.is_empty() {
        lines.extend(labelled("hints", &hints.join(" "), paper));
    }
    for comment in comments {
        lines.extend(labelled("comment", &printable(&comment.value), paper));
    }
    lines
}

/// Writes the notes of sessions and results, each under its name.
pub fn notes_summary(noted: &[Stored], paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    for stored in noted {
        let lines = notes_of(stored.notes.iter(), paper);
        match lines.is_empty() {
            true => writeln!(out, "{}: no notes", stored.name())?,
            false => writeln!(out, "{}:", stored.name())?,
        }
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// The field of a note that is free text.
const COMMENT: &str = "comment";

/// Names the commands that show the result again, in full and as JSON; where it is stored only if all is shown.
pub(crate) fn stored(paper: &Paper) -> Vec<String> {
    let Some(stored) = &paper.stored else {
        return Vec::new();
    };
    let store = match stored.named {
        true => format!(" --store {}", model::shell_word(&stored.path)),
        false => String::new(),
    };
    let show = format!("fathom show {}{store}", stored.name());
    let mut text = match paper.verbose {
        true => format!("{show}; all data: {show} --json"),
        false => format!("{show} --verbose; all data: {show} --json"),
    };
    if !store.is_empty() && LABEL + width(&text) > paper.room() {
        let name = stored.name();
        text = format!("fathom show {name} --verbose, or --json, each with the same --store");
    }
    let goals_omitted = stored
        .notes
        .iter()
        .filter(|note| note.field != model::Note::GOALS); // each has a line of its own
    let mut lines = notes_of(goals_omitted, paper);
    lines.extend(labelled("details", &text, paper));
    if paper.verbose {
        let path = stored.path.to_string_lossy();
        lines.extend(labelled(
            "stored",
            &format!("{} in {path}", stored.name()),
            paper,
        ));
    }
    lines
}

/// The width of a label and the gap behind it.
const LABEL: usize = 9;

/// A line with a label, on as many lines as it takes.
pub(crate) fn labelled(label: &str, text: &str, paper: &Paper) -> Vec<String> {
    wrap(&format!("{label:<LABEL$}"), text, paper.room(), usize::MAX)
}

/// Notes on the figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Note {
    validity: Severity,
    text: String,
    id: Option<RuleId>,
    /// It contains only the remedy for the verdict's cause.
    is_hint: bool,
}

impl Note {
    /// A note of no rule.
    pub(crate) fn plain(text: &str) -> Note {
        Note {
            validity: Severity::Note,
            text: text.to_owned(),
            id: None,
            is_hint: false,
        }
    }

    /// A warning of no rule.
    pub(crate) fn warning(text: &str) -> Note {
        Note {
            validity: Severity::Warning,
            ..Note::plain(text)
        }
    }

    /// What a rule found, and what to do. Of one that the verdict names already, only what to do.
    pub(crate) fn of(finding: &Finding, verdict: Option<&String>) -> Note {
        let sentence = printable(&finding.sentence);
        let (validity, text) = match finding.because {
            Some(cause) => (Severity::Note, format!("follows from {cause}: {sentence}")),
            None if verdict == Some(&finding.sentence) => return Note::hint(finding),
            None => (finding.severity, format!("{sentence}; {}", finding.advice)),
        };
        Note {
            validity,
            text,
            id: Some(finding.id),
            is_hint: false,
        }
    }

    /// What to do about the finding that the verdict names.
    pub(crate) fn hint(finding: &Finding) -> Note {
        Note {
            validity: finding.severity,
            text: finding.advice.clone(),
            id: Some(finding.id),
            is_hint: true,
        }
    }

    /// The same rule's finding in several workloads: `text` lists them.
    pub(crate) fn with_text(self, text: String) -> Note {
        Note { text, ..self }
    }

    fn label(&self) -> &'static str {
        match self.validity {
            _ if self.is_hint => "hint",
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    fn lines(&self, paper: &Paper) -> Vec<String> {
        let mut lines = labelled(self.label(), &self.text, paper);
        let Some(id) = self.id else {
            return lines;
        };
        let explain = format!("fathom explain {id}");
        let (wide, page) = (width(&explain), paper.width());
        let last = lines.last_mut().expect("a label is a line");
        match width(last) + 2 + wide <= paper.room() {
            true => {
                let gap = page.saturating_sub(wide + width(last)).max(2);
                last.push_str(&format!("{}{explain}", " ".repeat(gap)));
            }
            false => lines.push(format!("{explain:>page$}")),
        }
        lines
    }
}

/// What a rule found in one of several results.
pub(crate) struct Found<'a> {
    /// The result: `4K random read`.
    pub(crate) of: &'a str,
    /// Where in it: `4K random read (QD1)`.
    pub(crate) at: String,
    pub(crate) finding: &'a Finding,
}

/// Returns a note for each rule: its finding where it weighs most, and which other results it was found in. Of a finding
/// that the verdict names, only the advice.
pub(crate) fn by_rule(found: Vec<Found<'_>>, verdict: Option<&String>) -> Vec<Note> {
    let mut rules: Vec<Vec<Found<'_>>> = Vec::new();
    for one in found {
        let known = rules
            .iter_mut()
            .find(|rule| rule[0].finding.id == one.finding.id);
        match known {
            Some(rule) => rule.push(one),
            None => rules.push(vec![one]),
        }
    }
    rules
        .iter()
        .filter_map(|rule| of_rule(rule, verdict))
        .collect()
}

fn of_rule(rule: &[Found<'_>], verdict: Option<&String>) -> Option<Note> {
    let heaviest = rule.iter().rev().max_by_key(|one| one.finding.severity)?;
    let finding = heaviest.finding;
    let mut others: Vec<String> = Vec::new();
    for Found { of, .. } in rule {
        let name = printable(of);
        if *of != heaviest.of && !others.contains(&name) {
            others.push(name);
        }
    }
    let also = match others.is_empty() {
        true => String::new(),
        false => format!("; also affected: {}", others.join(", ")),
    };
    let sentence = printable(&finding.sentence);
    let is_named = verdict.is_some_and(|verdict| verdict.contains(&finding.sentence));
    Some(match is_named {
        true => Note::hint(finding).with_text(format!("{}{also}", finding.advice)),
        false => {
            let text = format!("{}: {sentence}{also}", printable(&heaviest.at));
            Note::of(finding, None).with_text(text)
        }
    })
}

/// Notes that are shown where not everything is; errors and warnings always are.
const NOTES_MAX: usize = 5;

/// The lines of all errors and warnings, and of the first notes: at most five in all unless everything is shown.
pub(crate) fn notes(mut notes: Vec<Note>, paper: &Paper) -> Vec<String> {
    notes.sort_by_key(|note| std::cmp::Reverse(note.validity));
    let urgent = notes
        .iter()
        .filter(|note| note.validity > Severity::Note)
        .count();
    // Only a result that is stored can be shown again with all of them.
    let shown = match paper.verbose || paper.stored.is_none() {
        true => notes.len(),
        false => notes.len().min(NOTES_MAX.max(urgent)),
    };
    let mut lines: Vec<String> = notes[..shown]
        .iter()
        .flat_map(|note| note.lines(paper))
        .collect();
    if shown < notes.len() {
        let more = count((notes.len() - shown) as u64);
        lines.extend(labelled(
            "note",
            &format!("{more} more with --verbose"),
            paper,
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_an_array_are_next_to_each_other() {
        let device = |(name, kind): &(&str, &str)| DeviceDigest {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            ..DeviceDigest::default()
        };
        let printed = |chain: &[(&str, &str)]| {
            let chain: Vec<DeviceDigest> = chain.iter().map(device).collect();
            names(&chain)
        };
        let partition = [
            ("md0", "md"),
            ("sda1", "partition"),
            ("sda", "disk"),
            ("sdb", "disk"),
        ];
        assert_eq!(printed(&partition), "md0 on sda1 on sda and sdb");
        let loops = [
            ("md0", "md"),
            ("loop0", "loop"),
            ("loop1", "loop"),
            ("vda", "disk"),
        ];
        assert_eq!(printed(&loops), "md0 on loop0 and loop1 on vda");
        assert_eq!(printed(&loops[1..]), "loop0 on loop1 on vda");
    }
}
