//! The ranks of a sweep on many hosts: how many, and each over all cells. Of many, those with the smallest share are shown.

use crate::job::shared;
use crate::number::NOTHING;
use crate::paper::Paper;
use crate::table::{Column, fitted, left, right};
use crate::text::{printable, wrap};
use analysis::{SweepHost, SweepReport};

/// Ranks that are shown where there are more of them, unless all are asked for.
const ROWS_MAX: usize = 12;

static COLUMNS: [Column; 6] = [
    left("rank", 4),
    left("host", 4),
    right("of median", 6),
    right("lowest", 6),
    right("in cell", 4),
    left("differs in", 0),
];
const DISPENSABLE: [&str; 2] = ["differs in", "in cell"];

/// Nothing of a sweep alone.
pub(super) fn ranks(report: &SweepReport, paper: &Paper) -> Vec<String> {
    let Some(job) = &report.ranks.job else {
        return Vec::new();
    };
    let hosts = report.ranks.hosts.iter().map(|host| host.host.as_str());
    let mut page = vec![String::new()];
    page.extend(wrap(
        "ranks   ",
        &shared(job, hosts),
        paper.room(),
        usize::MAX,
    ));
    let mut shown: Vec<&SweepHost> = report.ranks.hosts.iter().collect();
    let many = shown.len() > ROWS_MAX && !paper.verbose;
    if many {
        let share = |host: &SweepHost| host.lowest.unwrap_or(0.0);
        shown.sort_by(|a, b| share(a).total_cmp(&share(b)));
        shown.truncate(ROWS_MAX);
        shown.sort_by_key(|host| host.rank);
    }
    let rows: Vec<Vec<String>> = shown.into_iter().map(cells).collect();
    page.extend(fitted(&COLUMNS, &rows, &DISPENSABLE, paper));
    if many {
        let omitted = report.ranks.hosts.len() - ROWS_MAX;
        page.push(format!(
            "  {omitted} more ranks have the same share or a larger one; all with --json"
        ));
    }
    page
}

fn cells(host: &SweepHost) -> Vec<String> {
    let share = |share: Option<f64>| {
        share.map_or_else(|| NOTHING.to_owned(), |share| format!("{share:.2}"))
    };
    vec![
        format!("  {}", host.rank),
        printable(&host.host),
        share(host.of_median),
        share(host.lowest),
        host.lowest_cell
            .map_or_else(|| NOTHING.to_owned(), |cell| cell.to_string()),
        printable(&host.differs_in.join(", ")),
    ]
}
