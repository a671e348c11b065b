//! What was found in a section → runs, and what is missing of them.

use super::chart::Chart;
use super::request::Request;
use super::table::{Kind, Odd, Table};
use super::walk::{Results, Walk};
use crate::Fault;
use crate::run::unknown;
use crate::section::{Draft, Section};
use model::{Bytes, ImportFormat, ImportedRow, ImportedRun};
use std::collections::HashMap;

pub(super) fn finish(section: &Section, mut walk: Walk) -> (Vec<Draft>, Vec<Fault>) {
    let (mut drafts, mut faults) = (Vec::new(), Vec::new());
    let found = std::mem::take(&mut walk.results);
    if found.is_empty() {
        faults.push(Fault {
            line: section.line_of(section.head),
            what: "DISKSPD's output begins here and ends before any results".to_owned(),
        });
        return (drafts, faults);
    }
    let numbers: Vec<Option<u32>> = found.iter().map(|results| results.number).collect();
    for (order, results) in found.into_iter().enumerate() {
        let at = results.at;
        match run(&walk, order, results) {
            Ok(run) => drafts.push(Draft { at, run }),
            Err(fault) => faults.push(fault),
        }
    }
    for request in &walk.requests {
        let missing = walk.requests.len() > 1 && !numbers.contains(&Some(request.number));
        if missing && numbers.iter().all(Option::is_some) {
            faults.push(Fault {
                line: section.line_of(section.head),
                what: format!("time span {} of this output has no results", request.number),
            });
        }
    }
    // The first run begins with the parameters of all.
    if let Some(first) = drafts.first_mut() {
        first.at = section.head;
    }
    (drafts, faults)
}

/// One time span as a run.
fn run(walk: &Walk, order: usize, mut results: Results) -> Result<ImportedRun, Fault> {
    results.tables.iter_mut().for_each(Table::close);
    if let Some(what) = broken(&results) {
        let line = results.last_line;
        return Err(Fault { line, what });
    }
    let request = match results.number {
        Some(number) => walk
            .requests
            .iter()
            .find(|request| request.number == number),
        None => walk.requests.get(order),
    };
    let mut run = unknown(ImportFormat::DiskspdText);
    run.tool_version = walk
        .layout
        .version(!walk.requests.is_empty())
        .map(str::to_owned);
    run.host.clone_from(&walk.host);
    run.started_utc = walk.started_utc;
    run.command.clone_from(&walk.command);
    run.name = results
        .number
        .filter(|_| walk.requests.len() > 1)
        .map(|number| format!("time span {number}"));
    run.measured = results.measured;
    run.cpu = results.cpu.map(|mut cpu| {
        cpu.processors = walk.processors(&results);
        cpu
    });
    run.notes = missing(&results, request);
    if let Some(request) = request {
        run.workload = request.workload(results.threads);
    }
    run.workload.threads = run.workload.threads.or(results.threads);
    let mut odd = std::mem::take(&mut results.odd);
    lay_tables(&mut run, results.tables, &mut odd);
    lay_charts(&mut run, results.charts, &mut odd);
    run.workload.size = sizes(&run.rows);
    if run.workload.targets.is_empty() {
        run.workload.targets = names(&run.rows);
    }
    notes(&mut run.notes, &odd);
    Ok(run)
}

/// Why there is nothing to keep, if so: the text ends too early, or holds no figures.
fn broken(results: &Results) -> Option<String> {
    if results.interrupted {
        return Some(
            "the run was interrupted before it measured anything; there is nothing to keep"
                .to_owned(),
        );
    }
    if let Some(table) = results.tables.iter().find(|table| table.total.is_none()) {
        let title = table.kind.title();
        return Some(format!(
            "the text breaks off: the table `{title}` has no line `total:`"
        ));
    }
    if let Some(chart) = results.charts.iter().find(|chart| !chart.whole) {
        let title = crate::section::short(&chart.title);
        return Some(format!(
            "the text breaks off: the latencies under `{title}` have no row `max`"
        ));
    }
    let Some(total) = results
        .tables
        .iter()
        .find(|table| table.kind == Kind::Total)
    else {
        return Some("the text breaks off: there is no table `Total IO`".to_owned());
    };
    total.strange.clone()
}

/// Parts that this layout has, and the text has not.
fn missing(results: &Results, request: Option<&Request>) -> Vec<String> {
    let mut notes = Vec::new();
    let has = |kind| results.tables.iter().any(|table| table.kind == kind);
    if !has(Kind::Read) || !has(Kind::Write) {
        notes.push("the tables `Read IO` and `Write IO` are not both in the text".to_owned());
    }
    if request.is_some_and(|request| request.latency) && results.charts.is_empty() {
        notes.push("latency was measured, but its percentiles are not in the text".to_owned());
    }
    match request {
        None => notes.push("the input parameters are not in the text".to_owned()),
        Some(request) => {
            let differences = request.differences();
            if !differences.is_empty() {
                let names = differences.join(", ");
                notes.push(format!("the targets differ in: {names}; see the text"));
            }
        }
    }
    notes
}

fn lay_tables(run: &mut ImportedRun, tables: Vec<Table>, odd: &mut Odd) {
    for table in tables {
        let Table {
            kind,
            rows,
            total,
            odd: theirs,
            ..
        } = table;
        odd.merge(theirs);
        let figures = total.unwrap_or_default();
        match kind {
            Kind::Total => run.figures.total = figures,
            Kind::Read => run.figures.read = figures,
            Kind::Write => run.figures.write = figures,
        }
        if run.rows.is_empty() {
            run.rows = rows;
            continue;
        }
        for (mine, theirs) in run.rows.iter_mut().zip(rows) {
            if mine.thread != theirs.thread || mine.target != theirs.target {
                run.notes.push(format!(
                    "the rows of `{}` are not those of the table before it",
                    kind.title()
                ));
                break;
            }
            match kind {
                Kind::Total => mine.figures.total = theirs.figures.total,
                Kind::Read => mine.figures.read = theirs.figures.read,
                Kind::Write => mine.figures.write = theirs.figures.write,
            }
        }
    }
}

/// The last chart is that of all; those before it are one a target, and become rows without a thread.
fn lay_charts(run: &mut ImportedRun, mut charts: Vec<Chart>, odd: &mut Odd) {
    let last = charts.pop();
    for mut chart in charts {
        odd.merge(std::mem::take(&mut chart.odd));
        let title = chart
            .title
            .trim_start_matches("Latency distribution:")
            .trim();
        let mut row = ImportedRow {
            target: title.to_owned(),
            ..ImportedRow::default()
        };
        chart.lay_over(&mut row.figures);
        run.rows.push(row);
    }
    if let Some(mut chart) = last {
        odd.merge(std::mem::take(&mut chart.odd));
        chart.lay_over(&mut run.figures);
    }
}

/// The targets of the rows, each once.
fn distinct(rows: &[ImportedRow]) -> Vec<&ImportedRow> {
    let mut seen = HashMap::new();
    let threads = rows.iter().filter(|row| row.thread.is_some());
    threads
        .filter(|row| seen.insert(row.target.as_str(), ()).is_none())
        .collect()
}

fn names(rows: &[ImportedRow]) -> Vec<String> {
    distinct(rows)
        .iter()
        .map(|row| row.target.clone())
        .collect()
}

fn sizes(rows: &[ImportedRow]) -> Option<Bytes> {
    let sizes: Option<Vec<Bytes>> = distinct(rows).iter().map(|row| row.size).collect();
    let sizes = sizes.filter(|sizes| !sizes.is_empty())?;
    let sum = sizes
        .iter()
        .try_fold(0u64, |sum, size| sum.checked_add(size.0));
    sum.map(Bytes)
}

fn notes(notes: &mut Vec<String>, odd: &Odd) {
    if odd.commas {
        notes.push("decimal commas are read as points".to_owned());
    }
    if let Some(text) = &odd.not_a_number {
        notes.push(format!("`{text}` stands for a number: it is left unknown"));
    }
    if let Some(text) = &odd.strange {
        notes.push(format!("`{text}` is no number: it is left unknown"));
    }
}
