//! What was found in a section → runs, and what is missing of them.

use super::chart::Chart;
use super::posted;
use super::request::Request;
use super::table::{Kind, Odd, Row, Table};
use super::walk::{Results, Walk};
use crate::imports::run::unknown;
use crate::imports::section::{Found, Section, rows_max};
use model::{Bytes, ImportFormat, ImportedFigures, ImportedOperation, ImportedRow, ImportedRun};
use std::collections::{HashMap, HashSet};

pub(super) fn finish(section: &Section, mut walk: Walk, found: &mut Found) {
    let results = std::mem::take(&mut walk.results);
    if walk.is_full() {
        let what =
            "more time spans, targets, tables or rows than DISKSPD prints in a text of this length";
        found.fault(section.head_line(), what);
        return;
    }
    if results.is_empty() {
        let is_chart = section.text[section.head..]
            .trim_start()
            .starts_with("%-ile");
        let what = match is_chart {
            true => "the percentiles of DISKSPD without the tables of its rates",
            false => "DISKSPD's output begins here and ends before any results",
        };
        found.fault(section.head_line(), what);
        return;
    }
    let numbers: HashSet<Option<u32>> = results.iter().map(|results| results.number).collect();
    let mut by_number: HashMap<u32, &Request> = HashMap::new();
    for request in &walk.requests {
        by_number.entry(request.number).or_insert(request);
    }
    for (order, results) in results.into_iter().enumerate() {
        let request = match results.number {
            Some(number) => by_number.get(&number).copied(),
            None => walk.requests.get(order),
        };
        let posted = request
            .is_none()
            .then_some(results.posted.as_deref())
            .flatten();
        let of_posted = posted.and_then(posted::request);
        let request = request.or(of_posted.as_ref());
        // The first run begins with the parameters of all.
        let at = match found.has_no_run() {
            true => section.head,
            false => results.at,
        };
        match run(&walk, section, request, results) {
            Ok(run) => found.run(at, run),
            Err((line, what)) => found.fault(line, what),
        }
    }
    if walk.requests.len() < 2 || numbers.contains(&None) {
        return;
    }
    let head = section.head_line();
    for request in &walk.requests {
        if !numbers.contains(&Some(request.number)) {
            let number = request.number;
            found.fault(
                head,
                format!("time span {number} of this output has no results"),
            );
        }
    }
}

/// One time span as a run, or the line on which it is broken and why.
fn run(
    walk: &Walk,
    section: &Section,
    request: Option<&Request>,
    mut results: Results,
) -> Result<ImportedRun, (usize, String)> {
    results.tables.iter_mut().for_each(Table::close);
    if let Some(what) = broken(&results) {
        return Err((results.last_line, what));
    }
    let cut = without_cut(&mut results);
    let mut run = unknown(ImportFormat::DiskspdText);
    run.tool_version = walk
        .layout
        .version(!walk.requests.is_empty())
        .map(str::to_owned);
    run.host.clone_from(&walk.host);
    run.started_utc = walk.started_utc;
    run.command.clone_from(&walk.command);
    run.command = run.command.take().or_else(|| results.posted.take());
    run.name = results
        .number
        .filter(|_| walk.requests.len() > 1)
        .map(|number| format!("time span {number}"));
    run.measured = results.measured;
    run.cpu = results.cpu.average.map(|mut cpu| {
        cpu.processors = walk.processors(&results);
        cpu
    });
    run.notes = cut;
    run.notes.extend(missing(&results, request));
    let order = request.and_then(|request| request.order.as_deref());
    let buffers = request.and_then(|request| request.buffers.as_deref());
    run.notes.extend(defaults_of_2_3(order, buffers));
    if let Some(request) = request {
        run.workload = request.workload(results.threads);
        run.evidence = request.evidence(run.command.as_deref());
    }
    run.workload.threads = run.workload.threads.or(results.threads);
    let mut odd = std::mem::take(&mut results.odd);
    lay_tables(
        &mut run,
        results.tables,
        &mut odd,
        rows_max(section.text.len()),
    );
    lay_charts(&mut run, results.charts, &mut odd);
    run.workload.size = sizes(&run.rows);
    if run.workload.targets.is_empty() {
        run.workload.targets = names(&run.rows);
    }
    notes(&mut run.notes, &odd);
    Ok(run)
}

/// Why there is nothing to store, if so: the text ends too early, or contains no figures.
fn broken(results: &Results) -> Option<String> {
    if results.interrupted {
        return Some(
            "the run was interrupted before it measured anything; there is nothing to keep"
                .to_owned(),
        );
    }
    let all = |table: &&Table| table.kind == Kind::Total;
    if results
        .tables
        .iter()
        .find(all)
        .is_some_and(|table| table.total.is_none())
    {
        let title = Kind::Total.title();
        return Some(format!(
            "the text breaks off: the table `{title}` has no line `total:`"
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

/// Takes away what the text breaks off in, behind the table of all I/Os, and returns what is missing.
fn without_cut(results: &mut Results) -> Vec<String> {
    let mut notes = Vec::new();
    for table in results.tables.iter().filter(|table| table.total.is_none()) {
        let title = table.kind.title();
        notes.push(format!(
            "the text breaks off: the table `{title}` has no line `total:`, and is not read"
        ));
    }
    for chart in results.charts.iter().filter(|chart| !chart.whole) {
        let title = crate::imports::section::short(&chart.title);
        notes.push(format!(
            "the text breaks off: the latencies under `{title}` have no row `max`, and are not read"
        ));
    }
    results.tables.retain(|table| table.total.is_some());
    results.charts.retain(|chart| chart.whole);
    notes
}

/// Names what 2.3 has by default and 2.2 has not, as far as it is printed.
pub(in crate::diskspd) fn defaults_of_2_3(
    order: Option<&str>,
    buffers: Option<&str>,
) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(order.map(|order| format!("affinity assignment {order}")));
    parts.extend(buffers.map(|buffers| format!("buffer separation {buffers}")));
    (!parts.is_empty()).then(|| {
        let parts = parts.join("; ");
        format!("{parts}. Versions before 2.3 have neither; -aup -bsn request their way")
    })
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

fn lay_tables(run: &mut ImportedRun, tables: Vec<Table>, odd: &mut Odd, rows_max: usize) {
    let most = tables.iter().map(|table| table.rows.len()).max();
    if most.is_some_and(|most| most > rows_max) {
        run.notes.push(format!(
            "of its rows the first {rows_max} are read; the text has all of them"
        ));
    }
    for table in tables {
        let Table {
            kind,
            rows,
            total,
            odd: theirs,
            ..
        } = table;
        odd.merge(theirs);
        *side(&mut run.figures, kind) = total.unwrap_or_default();
        if run.rows.is_empty() {
            run.rows = rows
                .into_iter()
                .take(rows_max)
                .map(|row| new_row(row, kind))
                .collect();
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
            *side(&mut mine.figures, kind) = theirs.figures;
        }
    }
}

fn side(figures: &mut ImportedFigures, kind: Kind) -> &mut ImportedOperation {
    match kind {
        Kind::Total => &mut figures.total,
        Kind::Read => &mut figures.read,
        Kind::Write => &mut figures.write,
    }
}

fn new_row(row: Row, kind: Kind) -> ImportedRow {
    let mut new = ImportedRow {
        thread: row.thread,
        target: row.target,
        size: row.size,
        ..ImportedRow::default()
    };
    *side(&mut new.figures, kind) = row.figures;
    new
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
        notes.push(format!("`{text}` is no number: it is left unknown"));
    }
    if let Some(text) = &odd.strange {
        notes.push(format!("`{text}` is no number: it is left unknown"));
    }
}
