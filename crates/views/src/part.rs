//! A session of several results as text: the verdict, a line for each result, what is wrong, and one thing to do.
//!
//! It is what the HTML report has of the session, so that both have one figure for one thing. Omitted: figures of single
//! results, which have pages of their own.

use crate::foot;
use crate::number::{self, NOTHING};
use crate::paper::Paper;
use crate::table::{Column, fitted, left, right};
use crate::text::{printable, shorten, wrap};
use analysis::columns::Unit;
use analysis::page::{PageCell, PageDocument, PageFigure, PageFinding, PageTable, PageValue};
use analysis::{Severity, say};
use std::io::{self, Write};

/// Longest name of a result in the table.
const NAME_MAX: usize = 40;
/// What goes first on a narrow page.
const DISPENSABLE: [&str; 5] = ["p99.9", "95% CI", "max", "mean", "p50"];
/// Warnings that are printed, one for each rule.
const WARNINGS_MAX: usize = 5;

/// Writes the first part of a document.
pub fn part_summary(document: &PageDocument, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let Some(part) = document.parts.first() else {
        return Ok(());
    };
    let mut page = wrap("", &printable(&part.target), paper.room(), usize::MAX);
    page.push(String::new());
    page.extend(wrap(
        "",
        &printable(&part.verdict.headline),
        paper.room(),
        usize::MAX,
    ));
    page.push(String::new());
    if let Some(table) = &part.table {
        page.extend(rows(table, &document.cells, paper));
        page.push(String::new());
    }
    page.extend(foot::goals(&part.goals, paper));
    let advice = part.verdict.advice.as_ref();
    page.extend(
        advice
            .into_iter()
            .flat_map(|advice| foot::labelled("hint", advice, paper)),
    );
    let cause = &part.verdict.cause;
    let found = document.findings.iter().filter(|finding| {
        finding.severity > Severity::Note
            && finding.because.is_none()
            && !cause.contains(&finding.sentence)
    });
    let found: Vec<&PageFinding> = found.collect();
    let shown = if paper.verbose {
        found.len()
    } else {
        WARNINGS_MAX.min(found.len())
    };
    for finding in &found[..shown] {
        page.extend(warning(finding, &document.cells, paper));
    }
    if shown < found.len() {
        let more = format!(
            "{} more with --verbose",
            say::count((found.len() - shown) as u64)
        );
        page.extend(foot::labelled("warning", &more, paper));
    }
    for note in &part.notes {
        page.extend(foot::labelled("note", &printable(note), paper));
    }
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn warning(finding: &PageFinding, cells: &[PageCell], paper: &Paper) -> Vec<String> {
    let label = match finding.severity {
        Severity::Error => "error",
        _ => "warning",
    };
    let first = finding.cells.first().and_then(|place| cells.get(*place));
    let of = first.map_or_else(String::new, |cell| match finding.cells.len() {
        1 => format!("{}: ", cell.id),
        many => format!("{} and {} more: ", cell.id, say::count(many as u64 - 1)),
    });
    let text = format!(
        "{of}{}; fathom explain {}",
        printable(&finding.sentence),
        finding.id
    );
    foot::labelled(label, &text, paper)
}

fn rows(table: &PageTable, cells: &[PageCell], paper: &Paper) -> Vec<String> {
    let heads = table.heads.iter().map(|head| match head.unit {
        Unit::Text => left(&head.label, 0),
        _ => right(&head.label, 5),
    });
    let columns: Vec<Column<'_>> = std::iter::once(left("", 8)).chain(heads).collect();
    let lines: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| {
            let cell = row.cell.and_then(|place| cells.get(place));
            let name = match cell {
                Some(cell) if row.name.is_empty() => {
                    format!("{}, {}", cell.id, printable(&cell.label))
                }
                Some(cell) => format!("{}, {}", cell.id, printable(&row.name)),
                None => printable(&row.name),
            };
            let figures = table.heads.iter().enumerate();
            let figures = figures.map(|(place, head)| match row.figures.get(place) {
                Some(figure) => written(figure, head.unit),
                None => NOTHING.to_owned(),
            });
            std::iter::once(format!("  {}", shorten(&name, NAME_MAX)))
                .chain(figures)
                .collect()
        })
        .collect();
    let mut page = fitted(&columns, &lines, &DISPENSABLE, paper);
    for row in &table.rows {
        let cell = row.cell.and_then(|place| cells.get(place));
        if let (Some(why), Some(cell)) = (&row.gap, cell) {
            page.extend(wrap(
                "  ",
                &format!("{}: no result: {}", cell.id, printable(why)),
                paper.room(),
                2,
            ));
        }
    }
    if !table.note.is_empty() {
        page.extend(wrap("  ", &table.note, paper.room(), usize::MAX));
    }
    page
}

fn written(figure: &PageFigure, unit: Unit) -> String {
    let value = match &figure.value {
        PageValue::Nothing => return NOTHING.to_owned(),
        PageValue::Whole(value) => *value as f64,
        PageValue::Real(value) => *value,
        PageValue::Truth(is) => return if *is { "yes" } else { "no" }.to_owned(),
        PageValue::Text(text) => return printable(text),
    };
    let text = match unit {
        Unit::Time => number::time(value),
        Unit::SizePerSecond => number::mib_per_s(value),
        Unit::Percent => format!("±{}", say::percent(value / 100.0)),
        Unit::Count => number::count(value.round() as u64),
        _ => number::rate(value),
    };
    format!("{text}{}", figure.mark)
}
