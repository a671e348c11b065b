//! Lines that a run and a survey share: the target, the machine, the device's counts, the shelf.

use crate::number::{bytes, count};
use crate::paper::Paper;
use crate::text::{printable, shorten, wrap};
use analysis::{
    CountComparison, DeviceCheck, DeviceDigest, Finding, FindingRank, HostDigest, TargetDigest,
};

/// `vda1 on vda (disk, 252 GiB, Model), scheduler none`.
fn chain(devices: &[DeviceDigest]) -> String {
    let names: Vec<String> = devices
        .iter()
        .map(|device| printable(&device.name))
        .collect();
    let mut told = names.join(" on ");
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
        told.push_str(&format!(
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
        told.push_str(&format!(", scheduler {}", printable(scheduler)));
    }
    told
}

/// The target, where it lies, and on what.
pub(crate) fn target(facts: &TargetDigest, size_note: &str, paper: &Paper) -> Vec<String> {
    let path = shorten(&printable(&facts.path), paper.width() / 2);
    let fs = facts.file_system.as_deref().map(printable);
    let place = match (fs, facts.chain.is_empty()) {
        (Some(fs), false) => format!("; {fs}, {}", chain(&facts.chain)),
        (Some(fs), true) => format!("; {fs}"),
        (None, false) => format!("; {}", chain(&facts.chain)),
        (None, true) => String::new(),
    };
    wrap(
        "target  ",
        &format!("{path}, {size_note}{place}"),
        paper.width(),
        3,
    )
}

/// The machine in one line.
pub(crate) fn host(host: &HostDigest) -> String {
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
    let told = |comparison, name: &str| {
        Some(of(comparison))
            .filter(|&n| n > 0)
            .map(|n| format!("{} {name}", bytes(n)))
    };
    let parts: Vec<String> = [told(&counts.read, "read"), told(&counts.write, "written")]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

/// What the device counted beside what fathom counted; or why there is nothing to compare.
pub(crate) fn device(check: &DeviceCheck, paper: &Paper) -> Vec<String> {
    let told = match (&check.device, &check.measured) {
        (Some(device), Some(counts)) => format!(
            "{} counted {}; fathom counted {}: {}",
            printable(device),
            both(counts, |of| of.device_bytes),
            both(counts, |of| of.tool_bytes),
            check.sentence
        ),
        _ => check.sentence.clone(),
    };
    wrap("device  ", &told, paper.width(), paper.lines(2))
}

/// Where the result is on the shelf, and the words that show it again.
pub(crate) fn stored(paper: &Paper) -> Vec<String> {
    let Some(stored) = &paper.stored else {
        return Vec::new();
    };
    let name = &stored.name();
    let whole = printable(&stored.path.to_string_lossy());
    let named = format!(
        "stored as {name}; again: fathom show {name} --store {}",
        model::shell_word(&stored.path)
    );
    if stored.named && crate::text::width(&named) <= paper.width() {
        return vec![named];
    }
    let place = if stored.named {
        " --store with that file"
    } else {
        ""
    };
    let around = format!("stored as {name} in ; again: fathom show {name}{place}");
    let room = paper
        .width()
        .saturating_sub(crate::text::width(&around))
        .max(12);
    let path = shorten(&whole, room);
    vec![format!(
        "stored as {name} in {path}; again: fathom show {name}{place}"
    )]
}

/// A finding as a note: how much it weighs, what to do, and where it is explained. Of one that the first line says
/// already, only what to do.
pub(crate) fn finding(finding: &Finding, first: Option<&String>) -> String {
    let weight = match finding.rank {
        FindingRank::Info => "",
        FindingRank::Warning => "weak: ",
        FindingRank::Critical => "invalid: ",
    };
    let (advice, see) = (&finding.advice, finding.see());
    if let Some(cause) = finding.because {
        return format!("follows from {cause}: {}", printable(&finding.sentence));
    }
    if first == Some(&finding.sentence) {
        format!("to do: {advice}; see {see}")
    } else {
        format!(
            "{weight}{}; {advice}; see {see}",
            printable(&finding.sentence)
        )
    }
}

/// Lines of one note: a finding with its numbers, its remedy and its place needs so many on a narrow page.
const NOTE_LINES_MAX: usize = 7;

/// At most so many lines of notes; how many notes were left out is said.
pub(crate) fn notes(notes: &[String], lines_max: usize, paper: &Paper) -> Vec<String> {
    notes_before(notes, 0, lines_max, paper).0
}

/// The same of notes that others would follow, and whether there is room for those: where it ends here, they are counted.
pub(crate) fn notes_before(
    notes: &[String],
    others: usize,
    lines_max: usize,
    paper: &Paper,
) -> (Vec<String>, bool) {
    let mut lines = Vec::new();
    for (place, note) in notes.iter().enumerate() {
        let left = notes.len() - place;
        let more = wrap("note    ", note, paper.width(), paper.lines(NOTE_LINES_MAX));
        let reserve = usize::from(left > 1);
        if lines.len() + more.len() + reserve > lines_max {
            if lines_max > lines.len() {
                lines.push(format!(
                    "note    and {} more: see --json",
                    count((left + others) as u64)
                ));
            }
            return (lines, false);
        }
        lines.extend(more);
    }
    (lines, true)
}
