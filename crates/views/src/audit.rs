//! The account of a program, and what programs wait for: the answer first, then what it is based on, on at most some fifteen lines.

use crate::foot::{self, Note, labelled};
use crate::number::NOTHING;
use crate::paper::{Paper, Stored};
use crate::text::{printable, wrapped};
use analysis::audit::{AuditReport, AuditedDevice, AuditedPlace};
use analysis::say;
use analysis::triage::TriageReport;
use model::record::audited::ProgramEnd;
use std::io::{self, Write};

/// Devices and files that are shown where not everything is.
const DEVICES_MAX: usize = 4;
const PLACES_MAX: usize = 2;

/// The account as text.
pub fn audit_summary(report: &AuditReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let all = paper.verbose;
    let shown = |most: usize| if all { usize::MAX } else { most };
    let sentence = printable(&report.sentence);
    let invalid_for = report
        .findings
        .first()
        .and_then(|one| one.invalid_for.as_ref());
    let invalid_for = invalid_for.map_or_else(String::new, |what| format!(" as {what}"));
    let first = match report.validity {
        Some(validity) => format!("{}{invalid_for}: {sentence}", validity.word()),
        None => sentence,
    };
    let mut lines = wrapped("", &first, paper);
    lines.extend(labelled("program", &program(report), paper));
    lines.extend(labelled("requests", &requests(report), paper));
    for device in report.devices.iter().take(shown(DEVICES_MAX)) {
        lines.extend(labelled(&format!("{} ", device.name), &did(device), paper));
    }
    lines.extend(
        memory(report)
            .iter()
            .flat_map(|text| labelled("memory", text, paper)),
    );
    for place in report.places.iter().take(shown(PLACES_MAX)) {
        lines.extend(labelled("file", &described(place), paper));
    }
    for note in &report.notes {
        lines.extend(labelled("note", &printable(note), paper));
    }
    let notes = report.findings.iter();
    let notes = notes.map(|finding| Note::of(finding, Some(&report.sentence)));
    lines.extend(foot::notes(notes.collect(), paper));
    lines.extend(foot::stored(paper));
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The account as one document, ending in a newline.
pub fn audit_json(
    report: &AuditReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    crate::json::document(report, stored, out)
}

fn program(report: &AuditReport) -> String {
    let words = report.program.command.join(" ");
    let ending = match report.program.ending {
        ProgramEnd::Exited(code) => format!("exit code {code}"),
        ProgramEnd::Killed(signal) => format!("ended by signal {signal}"),
        ProgramEnd::Running => "still running".to_owned(),
    };
    let processes = match report.requested.processes {
        0 | 1 => String::new(), // with all children that it waited for
        many => format!(
            ", {} processes that no other one waited for",
            say::count(many)
        ),
    };
    format!(
        "{}: {ending} after {}{processes}",
        crate::text::shorten(&printable(&words), 60),
        say::time(report.program.elapsed_ns as f64)
    )
}

fn requests(report: &AuditReport) -> String {
    let io = &report.requested;
    format!(
        "{} ({}), {} ({}); {} from storage, {} to storage",
        say::counted(io.syscr, "read call"),
        say::bytes(io.rchar.0),
        say::counted(io.syscw, "write call"),
        say::bytes(io.wchar.0),
        say::bytes(io.read_bytes.0),
        say::bytes(io.to_write().0)
    )
}

fn did(device: &AuditedDevice) -> String {
    let AuditedDevice {
        name: _,
        kind: _,
        reads,
        read_bytes,
        writes,
        write_bytes,
        merged,
        flushes,
        mean_ns,
        busy_share,
    } = device;
    let mean = mean_ns.map_or_else(String::new, |ns| format!(", mean {}", say::time(ns)));
    format!(
        "{} ({}), {} ({}), {merged} merged, {}{mean}, {} busy",
        say::counted(*reads, "read"),
        say::bytes(*read_bytes),
        say::counted(*writes, "write"),
        say::bytes(*write_bytes),
        say::counted(*flushes, "flush"),
        say::percent(*busy_share)
    )
}

fn memory(report: &AuditReport) -> Option<String> {
    let machine = &report.machine;
    let (before, after) = (machine.dirty_before_bytes?, machine.dirty_after_bytes?);
    let cpu = machine.cpu_share.map_or_else(String::new, |share| {
        format!("; processors {} busy", say::percent(share))
    });
    Some(format!(
        "{} not written before, {} after, on the whole machine{cpu}",
        say::bytes(before),
        say::bytes(after)
    ))
}

fn described(place: &AuditedPlace) -> String {
    let on = place.file_system.as_ref();
    let on = on.map_or_else(String::new, |kind| format!(" on {kind}"));
    let below = match place.devices.is_empty() {
        true => String::new(),
        false => format!(" on {}", place.devices.join(" on ")),
    };
    let size = place.size_bytes.map_or_else(String::new, |size| {
        let allocated = place.allocated_bytes.unwrap_or(size);
        match allocated < size {
            true => format!(
                ", {} ({} occupied)",
                say::bytes(size),
                say::bytes(allocated)
            ),
            false => format!(", {}", say::bytes(size)),
        }
    });
    let direct = if place.direct { ", direct I/O" } else { "" };
    format!("{}{on}{below}{size}{direct}", printable(&place.path))
}

/// What programs wait for, as text.
pub fn triage_summary(report: &TriageReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = wrapped("", &printable(&report.sentence), paper);
    for row in &report.evidence {
        let used = row
            .utilisation
            .map(|share| format!("{} busy", say::percent(share)));
        let used = used.unwrap_or_else(|| NOTHING.to_owned());
        let text = format!("{used}; {}", printable(&row.saturation));
        lines.extend(labelled(
            &format!("{} ", printable(&row.resource)),
            &text,
            paper,
        ));
    }
    let time = say::time(report.elapsed_ns as f64);
    let over = match &report.scope {
        Some(scope) => format!("{} over {time}", printable(scope)),
        None => format!("the whole machine over {time}"),
    };
    lines.extend(labelled("scope", &over, paper));
    lines.extend(labelled("next", &report.next, paper));
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The same as one document, ending in a newline.
pub fn triage_json(report: &TriageReport, out: &mut dyn Write) -> io::Result<()> {
    crate::json::versioned_json(report, out)
}
