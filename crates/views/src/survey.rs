//! A survey on one page: the answer, one row a workload, what speaks for and against it. At most 40 lines, and twelve
//! more for what rows are doubted for.
//!
//! A row that is not valid carries a mark before its name, and its reason among the notes.

mod notes;

use crate::foot;
use crate::number::{
    NOTHING, bytes, count, half_width_percent, mib_per_s, percentile, rate, time,
    whole_time_or_nothing,
};
use crate::paper::Paper;
use crate::picture::picture;
use crate::table::{Column, fitting, left, left_out, lines, picked, right};
use crate::text::{printable, shorten, trust_footnote, wrap};
use crate::time::write_time;
use analysis::{Estimate, LadderEnd, Limit, Rank, SurveyReport, SurveyRow, Trust, say};
use std::io::{self, Write};

const LINES_MAX: usize = 40;
/// The survey has seven workloads; more come only from labels that nobody planned.
const ROWS_MAX: usize = 10;
const NAME_MAX: usize = 22;
/// Limits with figures of their own, at most.
const LIMITS_MAX: usize = 3;
/// Lines for the depths beyond which more does not pay.
const KNEE_LINES_MAX: usize = 3;

const COLUMNS: [Column; 10] = [
    left("  workload, best rate", 22),
    right("IOPS", 6),
    right(WIDTH, 4),
    right(DEPTH, 5),
    right(FLOW, 6),
    right(P50, 7),
    right(P99, 7),
    right(P999, 7),
    right("QD1 p50", 7),
    right(KNEE, 7),
];
const WIDTH: &str = "± %";
const FLOW: &str = "MiB/s";
const KNEE: &str = "95% at";
const P50: &str = "p50";
const P99: &str = "p99";
const P999: &str = "p99.9";
const DEPTH: &str = "depth";
/// On a narrow page these go first, in this order.
const DISPENSABLE: [&str; 7] = [KNEE, FLOW, P999, WIDTH, P99, P50, DEPTH];

/// Writes the page.
pub fn survey_summary(report: &SurveyReport, paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    let paper = &paper.narrowed();
    let mut page = wrap("", &report.headline(), paper.width(), paper.lines(2));
    page.extend(setting(report, paper));
    page.push(String::new());
    let rows: Vec<Vec<String>> = report.rows.iter().take(ROWS_MAX).map(cells).collect();
    let shown = fitting(&COLUMNS, &rows, &DISPENSABLE, paper.width());
    page.extend(table(report, &rows, &shown, paper));
    page.extend(footnote(report, &shown, paper));
    let beside_table = page.len();
    page.extend(limits(report, paper));
    page.extend(picture(report, paper));
    page.extend(kept_rates(report, paper));
    page.extend(beside(report, paper));
    page.push(String::new());
    page.extend(foot::device(&report.device_check, paper));
    page.extend(wrap(
        "spent   ",
        &spent(report, paper),
        paper.width(),
        paper.lines(2),
    ));
    let stored = foot::stored(paper);
    let room = paper
        .lines(LINES_MAX)
        .saturating_sub(page.len() + stored.len());
    let notes = notes::notes(report, room, paper);
    let knees = knees(report, paper); // findings go before them; the document of `--json` has them always
    if notes.len() + knees.len() <= room {
        page.splice(beside_table..beside_table, knees);
    }
    page.extend(notes);
    page.extend(stored);
    page.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn setting(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let mut page = Vec::new();
    if let Some(target) = &report.target {
        // Why this size stands in the document: here it would push the device off the page.
        let size = bytes(report.budget.size_bytes.unwrap_or(target.size_bytes));
        page.extend(foot::target(target, &size, paper));
    }
    if let (Some(host), Some(engine)) = (&report.host, &report.engine) {
        let told = format!("{}; engine {}", foot::host(host), engine.backend);
        page.extend(wrap("host    ", &told, paper.width(), paper.lines(2)));
    }
    page
}

fn table(
    report: &SurveyReport,
    rows: &[Vec<String>],
    shown: &[usize],
    paper: &Paper,
) -> Vec<String> {
    let heads: Vec<&Column> = shown.iter().map(|&place| &COLUMNS[place]).collect();
    let mut page = lines(&heads, &picked(rows, shown), paper.width());
    let more = report.rows.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        page.push(format!("  and {} more: see --json", count(more as u64)));
    }
    // Words instead of numbers for a workload without a result, as wide as the page allows.
    for (line, row) in page.iter_mut().skip(1).zip(&report.rows) {
        if row.best.is_none() {
            let head = format!("{:<22}  ", name(row));
            *line = shorten(
                &format!("{head}{}", printable(&row.ladder.reason)),
                paper.width(),
            );
        }
    }
    page
}

/// The name with the mark of its rank.
fn name(row: &SurveyRow) -> String {
    let mark = match (row.rank, &row.best) {
        (_, None) | (Rank::Valid, _) => " ",
        (Rank::Weak | Rank::NotChecked, _) => "?",
        (Rank::Invalid, _) => "!",
    };
    format!(
        "{mark} {}",
        shorten(&printable(&row.workload), NAME_MAX - 1)
    )
}

fn cells(row: &SurveyRow) -> Vec<String> {
    let Some(best) = &row.best else {
        return vec![name(row)];
    };
    let at = |quantile| percentile(best.latency.at(quantile));
    vec![
        name(row),
        rate(best.rate_per_s),
        half_width_percent(best.rate.half_width_share()),
        count(best.queue_depth),
        mib_per_s(best.bytes_per_s),
        at(0.5),
        at(0.99),
        at(0.999),
        whole_time_or_nothing(row.depth_1_p50_ns),
        row.knee_depth.map_or_else(|| NOTHING.to_owned(), count),
    ]
}

/// What holds each workload where it is, those with the same limit together.
fn limits(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let limited = || {
        let rows = report.rows.iter();
        rows.filter_map(|row| Some((printable(&row.workload), row.limit.as_ref()?)))
    };
    let same = |one: &Limit, other: &Limit, whole: bool| {
        one.kind == other.kind && (!whole || one.sentence == other.sentence)
    };
    let groups = |whole: bool| {
        let mut groups: Vec<(&Limit, Vec<String>, bool)> = Vec::new();
        for (name, limit) in limited() {
            match groups
                .iter_mut()
                .find(|(first, ..)| same(first, limit, whole))
            {
                Some((first, names, alike)) => {
                    *alike &= first.sentence == limit.sentence;
                    names.push(name);
                }
                None => groups.push((limit, vec![name], true)),
            }
        }
        groups
    };
    // With the same figures if these are few lines; else the first of each kind speaks, by its name.
    let exact = groups(true);
    let told = if exact.len() <= LIMITS_MAX {
        exact
    } else {
        groups(false)
    };
    let lines = told.into_iter().flat_map(|(limit, names, alike)| {
        let why = printable(&limit.sentence);
        let of = if alike {
            String::new()
        } else {
            format!("{}: ", names[0])
        };
        let text = format!("{}: {} ({of}{why})", limit.kind.word(), names.join(", "));
        wrap("  limit ", &text, paper.width(), paper.lines(3))
    });
    lines.collect()
}

/// Where more depth stops to pay, by both methods, of the workloads that have either.
fn knees(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let said = |row: &SurveyRow| {
        let knee = row.knee.as_ref()?;
        let law = knee.usl.fit.as_ref().and_then(|fit| fit.knee_depth);
        if knee.kneedle.fit.is_none() && law.is_none() {
            return None;
        }
        let [one, other] = [knee.kneedle.fit, law]
            .map(|depth| depth.map_or_else(|| "none".to_owned(), analysis::say::digits));
        let apart = if knee.apart.is_some_and(|apart| apart > 2.0) {
            " (they disagree)"
        } else {
            ""
        };
        Some(format!(
            "{} {one} / {other}{apart}",
            printable(&row.workload)
        ))
    };
    let parts: Vec<String> = report.rows.iter().filter_map(said).collect();
    let lines = |shown: usize| {
        let left = match parts.len() - shown {
            0 => String::new(),
            left => format!("; and {left} more: see --json"),
        };
        let text = format!(
            "by Kneedle / by the scalability law: {}{left}",
            parts[..shown].join("; ")
        );
        wrap("  knees ", &text, paper.width(), usize::MAX)
    };
    let mut all = (1..=parts.len()).rev().map(lines);
    all.find(|lines| lines.len() <= paper.lines(KNEE_LINES_MAX))
        .unwrap_or_default()
}

/// What the marks in the table mean, where there are any.
fn footnote(report: &SurveyReport, shown: &[usize], paper: &Paper) -> Vec<String> {
    let percentiles = || {
        let best = report.rows.iter().filter_map(|row| row.best.as_ref());
        best.flat_map(|cell| &cell.latency.percentiles)
            .filter(|p| p.quantile <= 0.999)
    };
    let ranks = |rank| {
        report
            .rows
            .iter()
            .any(|row| row.rank == rank && row.best.is_some())
    };
    let mut parts = Vec::new();
    let knee = shown.iter().any(|&place| COLUMNS[place].head == KNEE);
    if knee && report.rows.iter().any(|row| row.best.is_some()) {
        parts.push("95% at: smallest depth with 95% of that rate".to_owned());
    }
    parts.extend(ranks(Rank::Weak).then(|| "? weak".to_owned()));
    parts.extend(ranks(Rank::Invalid).then(|| "! invalid".to_owned()));
    parts.extend(trust_footnote(
        percentiles().any(|p| p.trust == Trust::Weak),
        percentiles().any(|p| p.trust == Trust::None),
    ));
    parts.extend(left_out(&COLUMNS, shown, paper.width()));
    if parts.is_empty() {
        parts
    } else {
        wrap("  ", &parts.join("; "), paper.width(), paper.lines(2))
    }
}

/// The cache check and the raw device.
fn beside(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let gap = (!report.beside.is_empty()).then(String::new);
    let said = report.beside.iter();
    let said =
        said.flat_map(|said| wrap("  beside ", &printable(said), paper.width(), paper.lines(2)));
    gap.into_iter().chain(said).collect()
}

/// The arrival rates that keep the latency asked for, one line a workload; nothing where none was asked.
fn kept_rates(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let asked = report.rows.iter().find_map(|row| row.goal.as_ref());
    let Some(asked) = asked else {
        return Vec::new();
    };
    let percent = say::percent(asked.quantile);
    let wanted = time(asked.latency_ns as f64);
    let head =
        format!("Arrivals (Poisson) whose response stays within {wanted} for {percent} of them:");
    let measured = report.rows.iter().filter(|row| row.best.is_some());
    let rows = measured.filter_map(|row| {
        let told = kept_rate(row.goal.as_ref()?.rate.as_ref());
        Some(format!(
            "  {:<22}{told}",
            shorten(&printable(&row.workload), NAME_MAX - 1)
        ))
    });
    let mut page = vec![String::new()];
    page.extend(wrap("", &head, paper.width(), paper.lines(2)));
    page.extend(rows.map(|row| shorten(&row, paper.width())));
    page
}

fn kept_rate(found: Option<&Estimate>) -> String {
    let Some(found) = found else {
        return "not tried: the time was used up".to_owned();
    };
    match (found.low, found.high) {
        (_, Some(high)) if found.value == 0.0 => {
            format!(
                "none: {} IOPS, the lowest tried, are already too many",
                rate(high)
            )
        }
        (Some(low), Some(high)) => {
            format!(
                "{} IOPS ({} … {})",
                rate(found.value),
                rate(low),
                rate(high)
            )
        }
        _ => format!("{} IOPS and more", rate(found.value)),
    }
}

fn spent(report: &SurveyReport, paper: &Paper) -> String {
    let budget = &report.budget;
    let counts = &report.cell_counts;
    let mut parts = Vec::new();
    let whole = |ns: Option<u64>| ns.map(|ns| time(ns as f64));
    match (whole(budget.elapsed_ns), whole(budget.budget_ns)) {
        (Some(spent), Some(given)) => parts.push(format!("{spent} of {given}")),
        (Some(spent), None) => parts.push(spent),
        (None, Some(given)) => parts.push(format!("{given} given")),
        (None, None) => {}
    }
    let ran = counts.done + counts.interrupted + counts.failed;
    let mut cells = crate::number::counted(ran, "cell");
    for (number, what) in [
        (counts.failed, "failed"),
        (counts.interrupted, "interrupted"),
    ] {
        if number > 0 {
            cells.push_str(&format!(", {} {what}", count(number)));
        }
    }
    if let Some(left) = counts.left.filter(|&left| left > 0) {
        cells.push_str(&format!(", up to {} left", count(left)));
    }
    parts.push(cells);
    parts.extend(skipped(report));
    if let Some(filled) = &budget.filled {
        let (size, took) = (bytes(filled.bytes), time(filled.elapsed_ns as f64));
        parts.push(format!("filled {size} in {took}"));
    }
    let begun = report.started_utc_ns.map(|ns| write_time(ns, &paper.zone));
    parts.extend(begun);
    parts.join("; ")
}

/// Loads of the grid that were not run: of what is known, they would tell nothing new.
fn skipped(report: &SurveyReport) -> Option<String> {
    let is_known = |name: &str| {
        let row = report.rows.iter().find(|row| row.workload == name);
        row.is_none_or(|row| matches!(row.ladder.end, LadderEnd::GainEnded | LadderEnd::MaxDepth))
    };
    let (mut known, mut others) = (0, 0);
    for left in &report.left_out {
        match is_known(&left.workload) {
            true => known += left.loads,
            false => others += left.loads,
        }
    }
    let told = [
        (known, "skipped, they would tell nothing new"),
        (others, "not reached"),
    ];
    let told = told.into_iter().filter(|(loads, _)| *loads > 0);
    let told: Vec<String> = told
        .map(|(loads, what)| format!("{} of the grid {what}", count(loads)))
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}
