//! Work with files on one page: the answer, one row an operation with how far off its rate may be, and whose doing it is.
//!
//! What was not measured stands as words with its reason. Read in this order: the page (here), `bonnie` (the same in the
//! layout of bonnie++), `copy` (the last lines of dd).

use crate::foot::{self, Note};
use crate::json::document;
use crate::number::{NOTHING, bytes, mib_per_s, percentile, rate, time, whole_time_or_nothing};
use crate::paper::{Paper, Stored, trust_footnote};
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, shorten, wrap};
use analysis::{
    Estimate, FilesReport, FilesRow, MdtestDigest, RunBlocksReport, TargetDigest, VerifyDigest, say,
};
use std::io::{self, Write};

const COLUMNS: [Column; 9] = [
    left("operation", 30),
    right("/s", 6),
    right("±", 6),
    right("MiB/s", 6),
    right("p50", 7),
    right("p99", 8),
    right(P999, 8),
    right(MAX, 7),
    right(CPU, 5),
];
const P999: &str = "p99.9";
const MAX: &str = "max";
const CPU: &str = "CPU";
/// On a narrow page these go first, in this order.
const DISPENSABLE: [&str; 3] = [MAX, P999, CPU];

/// Writes the page.
pub fn files_summary(report: &FilesReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let mut page = setting(report, paper);
    let answer = foot::answer(&report.answers, paper);
    page.extend(foot::head(answer, &report.verdict, paper));
    page.extend(
        report
            .work
            .verify
            .iter()
            .flat_map(|found| content(found, paper)),
    );
    let (table, left_out) = table(report, paper);
    page.extend(table);
    page.extend(footnote(report, left_out, paper));
    page.push(String::new());
    page.extend(foot::notes(notes(report), paper));
    page.extend(foot::started(report.origin.started_utc_ns, paper));
    page.extend(foot::stored(paper));
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The whole report as one document, ending in a newline.
pub fn files_json(
    report: &FilesReport,
    stored: Option<&Stored>,
    out: &mut dyn Write,
) -> io::Result<()> {
    document(report, stored, out)
}

fn setting(report: &FilesReport, paper: &Paper) -> Vec<String> {
    let target = TargetDigest {
        path: report.paths.join(" to "),
        file_system: report.storage.file_system.clone(),
        chain: report.storage.chain.clone(),
        ..TargetDigest::default()
    };
    let target = foot::place(&target, &asked(report), paper);
    foot::setting(target, report.host.as_ref(), None, paper)
}

fn asked(report: &FilesReport) -> String {
    let tree = report.work.tree.as_ref().map(|tree| {
        let small = (tree.files > 0).then(|| {
            format!(
                "{} of {} in {}, {}",
                say::counted(tree.files, "file"),
                bytes(tree.file_bytes),
                say::counted(tree.folders, "folder"),
                say::counted(u64::from(tree.threads), "thread")
            )
        });
        let large = (tree.data_bytes > 0).then(|| {
            let block = bytes(tree.block_bytes);
            format!("a file of {} in blocks of {block}", bytes(tree.data_bytes))
        });
        let each = (!report.storage.hosts.is_empty()).then(|| {
            let ranks = say::counted(report.storage.hosts.len() as u64, "rank");
            format!("each of {ranks}")
        });
        each.into_iter()
            .chain(small)
            .chain(large)
            .collect::<Vec<String>>()
            .join("; ")
    });
    let tree = tree.or_else(|| report.work.mdtest.as_ref().map(tasks));
    let copy = report.work.copy.as_ref().map(|copy| {
        let (input, output) = (copy.input_block_bytes, copy.output_block_bytes);
        match input == output {
            true => format!("blocks of {}", bytes(input)),
            false => format!("reads of {}, writes of {}", bytes(input), bytes(output)),
        }
    });
    let range = report.work.verify.as_ref().map(|found| {
        let (from, to) = (found.from_bytes, found.to_bytes);
        format!("bytes {from} to {to}, {}", bytes(to - from))
    });
    tree.or(copy).or(range).unwrap_or_default()
}

/// `2 tasks with 9 files each in 2 trees of 3 folders`.
fn tasks(work: &MdtestDigest) -> String {
    let what = match (work.item_folders, work.item_files) {
        (true, true) => "folders and files",
        (true, false) => "folders",
        (false, _) => "files",
    };
    let trees = match work.trees {
        1 => "a tree".to_owned(),
        trees => say::counted(trees, "tree"),
    };
    format!(
        "{} with {} {what} each in {trees} of {}",
        say::counted(work.tasks, "task"),
        say::count(work.items),
        say::counted(work.tree_folders, "folder")
    )
}

/// Runs whose blocks are listed, and stretches; the others are in the document.
const LISTED: usize = 5;

/// What the blocks are, whose, and where those are that are not whole.
fn content(found: &VerifyDigest, paper: &Paper) -> Vec<String> {
    let mut page = Vec::new();
    let blocks = [
        (found.blocks.whole, "whole"),
        (found.blocks.displaced, "displaced"),
        (found.blocks.zeros, "zeros"),
        (found.blocks.foreign, "without a header of fathom"),
        (found.blocks.corrupt, "corrupt"),
    ];
    let blocks = blocks.iter().filter(|(count, _)| *count > 0);
    let blocks: Vec<String> = blocks
        .map(|(count, what)| format!("{} {what}", say::count(*count)))
        .collect();
    let blocks = format!("{} in {}", blocks.join(", "), bytes(found.done_bytes));
    page.extend(foot::labelled("blocks", &blocks, paper));
    for run in found.runs.iter().take(LISTED) {
        page.extend(foot::labelled("run", &run_text(run, found), paper));
    }
    let further = found.runs.iter().skip(LISTED).map(|run| run.blocks);
    let further = further.sum::<u64>() + found.further_run_blocks;
    if further > 0 {
        let text = format!("further runs: {}", say::counted(further, "block"));
        page.extend(foot::labelled("run", &text, paper));
    }
    for stretch in found.stretches.iter().take(LISTED) {
        let what = if stretch.corrupt {
            "corrupt"
        } else {
            "no header of fathom"
        };
        let (from, to) = (stretch.from_bytes, stretch.to_bytes);
        let text = format!("{from} to {to} ({}): {what}", bytes(to - from));
        page.extend(foot::labelled("bytes", &text, paper));
    }
    let further = found.stretch_count.saturating_sub(LISTED as u64);
    if further > 0 {
        let text = format!("{} further places (--json lists 64)", say::count(further));
        page.extend(foot::labelled("bytes", &text, paper));
    }
    page.push(String::new());
    page
}

/// `0123456789abcdef (run 3.1): 1024 blocks at 0 to 4190208, versions up to 7`.
fn run_text(run: &RunBlocksReport, found: &VerifyDigest) -> String {
    let expected = found.expected.as_ref();
    let name = expected
        .filter(|expected| expected.header_run == run.header_run)
        .map(|expected| format!(" (run {})", printable(&expected.run)));
    let target = (run.target > 0).then(|| format!(", target {}", run.target));
    let displaced = (run.displaced_blocks > 0)
        .then(|| format!(", {} displaced", say::count(run.displaced_blocks)));
    format!(
        "{}{}{}: {}{} at {} to {}, versions up to {}",
        run.header_run,
        name.unwrap_or_default(),
        target.unwrap_or_default(),
        say::counted(run.blocks, "block"),
        displaced.unwrap_or_default(),
        run.first_offset_bytes,
        run.last_offset_bytes,
        run.version_max
    )
}

/// Its lines, and which columns found no room.
fn table(report: &FilesReport, paper: &Paper) -> (Vec<String>, Option<String>) {
    let rows: Vec<Vec<String>> = report.rows.iter().map(cells).collect();
    let shown = fitting(&COLUMNS, &rows, &DISPENSABLE, paper.room());
    let heads: Vec<&Column> = shown.iter().map(|&place| &COLUMNS[place]).collect();
    let mut page = lines(&heads, &picked(&rows, &shown), paper.room());
    for (line, row) in page.iter_mut().skip(1).zip(&report.rows) {
        if let Some(why) = &row.unmeasured {
            let reported = format!(
                "{:<30}  not measured: {}",
                operation_name(row),
                printable(why)
            );
            *line = shorten(&reported, paper.room());
        }
    }
    (page, left_out(&COLUMNS, &shown, paper.room()))
}

/// Names the operation of a row, its order, and with a mark that it was cut short.
pub fn operation_name(row: &FilesRow) -> String {
    let mark = if row.cut && row.amount.planned.is_some() {
        " *"
    } else {
        ""
    };
    format!("{}, {}{mark}", printable(&row.operation), row.order)
}

fn cells(row: &FilesRow) -> Vec<String> {
    let at = |quantile| percentile(row.latency.at(quantile));
    let Some(found) = row.iops_estimate else {
        return vec![operation_name(row)];
    };
    vec![
        operation_name(row),
        rate(found.value),
        half_width(found),
        row.bytes_per_s_estimate
            .map_or_else(|| NOTHING.to_owned(), |flow| mib_per_s(flow.value)),
        at(0.5),
        at(0.99),
        at(0.999),
        whole_time_or_nothing(row.latency.max_ns),
        row.cpu_share
            .map_or_else(|| NOTHING.to_owned(), whole_percent),
    ]
}

/// As percent of the value.
fn half_width(found: Estimate) -> String {
    found
        .half_width_share()
        .map_or_else(|| NOTHING.to_owned(), say::percent)
}

fn whole_percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

fn footnote(report: &FilesReport, left_out: Option<String>, paper: &Paper) -> Vec<String> {
    let rows = || report.rows.iter().filter(|row| row.iops_estimate.is_some());
    let percentiles = || {
        rows()
            .flat_map(|row| &row.latency.percentiles)
            .filter(|p| p.quantile <= 0.999)
    };
    let mut parts = vec!["± half of the 95% interval of the rate".to_owned()];
    if rows().any(|row| row.cut && row.amount.planned.is_some()) {
        parts.push("* cut short".to_owned());
    }
    parts.extend(trust_footnote(percentiles()));
    parts.extend(left_out);
    match rows().next() {
        Some(_) => wrap("  ", &parts.join("; "), paper.room(), 3),
        None => Vec::new(),
    }
}

/// Warnings but that of the verdict, notes, and the time outside of the operations.
fn notes(report: &FilesReport) -> Vec<Note> {
    let named = report.verdict.reasons.first();
    let warnings = report.warnings.iter().filter(|one| Some(*one) != named);
    let flushed = report.rows.iter().filter_map(|row| {
        let flush = row
            .time
            .flush_ns
            .filter(|&flush| flush * 10 > row.time.elapsed_ns)?;
        Some(format!("{} of {}", time(flush as f64), row.operation))
    });
    let flushed: Vec<String> = flushed.collect();
    let flushed = (!flushed.is_empty()).then(|| {
        let steps = flushed.join(", ");
        format!("the rate includes the flush at the end: {steps}")
    });
    let skipped = report
        .work
        .tree
        .as_ref()
        .map(|tree| tree.skipped.join(", "))
        .filter(|skipped| !skipped.is_empty())
        .map(|skipped| format!("steps omitted on request: {skipped}"));
    let plain = report.notes.iter().cloned().chain(flushed).chain(skipped);
    let plain: Vec<String> = plain.collect();
    let plain = plain.iter().map(|note| Note::plain(note));
    let findings = report.findings.iter();
    findings
        .map(|finding| Note::of(finding, named))
        .chain(warnings.map(|one| Note::warning(one)))
        .chain(plain)
        .collect()
}
