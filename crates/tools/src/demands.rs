//! What programs require of their storage: `docs/demands.toml`, compiled in, and files of the same form.
//!
//! Omitted: how a demand is measured (`fathom fit`) and decided (`analysis`).

use analysis::looks::{Demand, DemandFigure, DemandStatistic};
use model::{Bytes, Nanos};
use serde::Deserialize;

/// The table, as in the documentation.
const TABLE: &str = include_str!("../../../docs/demands.toml");
/// Longest file that is read, in bytes.
pub const DEMANDS_LENGTH_MAX: usize = 256 << 10;
const FIGURE_FORM: &str =
    "must be read, write, sync or total, then mean, p50, p99, p99.9, iops or MiB/s: sync p99";
const LIMIT_FORM: &str = "must be a time for a latency (10ms), a number above 0 for others (800)";
const SIZE_FORM: &str = "must be 1M or more: 64M, 1G";

/// A demand, the other names that it has, and the size of the file that its workload uses.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandRow {
    /// What is required.
    pub demand: Demand,
    /// Other names: `kubernetes`.
    pub names: Vec<String>,
    /// Size of the file.
    pub size: Bytes,
}

impl DemandRow {
    /// Returns whether this is one of its names.
    pub fn has_name(&self, name: &str) -> bool {
        let mut names = self.names.iter().chain([&self.demand.id]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    demand: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    #[serde(default)]
    names: String,
    title: String,
    workload: String,
    size: String,
    figure: String,
    limit: String,
    missed: String,
    source: String,
    /// When the source was read; for people.
    #[serde(default, rename = "read")]
    _read: String,
}

/// Returns the demands that fathom knows.
pub fn known_demands() -> Vec<DemandRow> {
    demands_of(TABLE).expect("a test reads the table")
}

/// Reads a file of demands.
///
/// # Errors
/// Everything that is wrong with its rows, each in a sentence; of a file that is no such TOML, the first thing.
pub fn demands_of(text: &str) -> Result<Vec<DemandRow>, Vec<String>> {
    if text.len() > DEMANDS_LENGTH_MAX {
        let what = format!("it is longer than {DEMANDS_LENGTH_MAX} bytes");
        return Err(vec![what]);
    }
    let table: Table = toml::from_str(text).map_err(|error| {
        let before = error.span().map_or("", |span| &text[..span.start]);
        let line = before.matches('\n').count() + 1;
        vec![format!("line {line}: {}", error.message())]
    })?;
    let mut problems = Vec::new();
    let rows: Vec<Row> = table.demand;
    let read = rows.into_iter().filter_map(|row| read(row, &mut problems));
    let read: Vec<DemandRow> = read.collect();
    match problems.is_empty() {
        true => Ok(read),
        false => Err(problems),
    }
}

fn read(row: Row, problems: &mut Vec<String>) -> Option<DemandRow> {
    let mut refuse = |field: &str, value: &str, form: &str| {
        problems.push(format!(
            "demand '{}': invalid value '{value}' for {field}: {form}",
            row.id
        ));
    };
    let figure = DemandFigure::read(&row.figure);
    if figure.is_none() {
        refuse("figure", &row.figure, FIGURE_FORM);
    }
    let limit = figure.and_then(|figure| limit(figure, &row.limit));
    if figure.is_some() && limit.is_none() {
        refuse("limit", &row.limit, LIMIT_FORM);
    }
    let size: Option<Bytes> = row.size.parse().ok().filter(|size| *size >= Bytes::mib(1));
    if size.is_none() {
        refuse("size", &row.size, SIZE_FORM);
    }
    for (field, value) in [("id", &row.id), ("source", &row.source)] {
        if value.trim().is_empty() {
            refuse(field, value, "must not be empty");
        }
    }
    Some(DemandRow {
        demand: Demand {
            figure: figure?,
            limit: limit?,
            id: row.id,
            title: row.title,
            workload: row.workload,
            missed: row.missed,
            source: row.source,
        },
        names: (row.names.split(','))
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect(),
        size: size?,
    })
}

/// Reads a limit, in nanoseconds or per second.
fn limit(figure: DemandFigure, text: &str) -> Option<f64> {
    let limit = match figure.is_latency() {
        true => text.parse::<Nanos>().ok()?.0 as f64,
        false => text.parse::<f64>().ok()?,
    };
    let scale = match figure.statistic {
        DemandStatistic::BytesPerS => 1_048_576.0,
        _ => 1.0,
    };
    (limit.is_finite() && limit > 0.0).then_some(limit * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_has_a_name_of_its_own() {
        let rows = known_demands();
        assert!(rows.iter().any(|row| row.has_name("Kubernetes")));
        for (place, row) in rows.iter().enumerate() {
            let names = row.names.iter().chain([&row.demand.id]);
            for name in names {
                let others = rows.iter().enumerate();
                let mut others = others.filter(|(other, _)| *other != place);
                assert!(others.all(|(_, other)| !other.has_name(name)), "{name}");
            }
        }
    }

    #[test]
    fn all_that_is_wrong_with_rows_is_reported_at_once() {
        let row = "[[demand]]\nid = 'x'\ntitle = 't'\nworkload = ''\nsize = '1K'\nfigure = 'sync p98'\nlimit = '1'\nmissed = ''\nsource = ''\n";
        let problems = demands_of(row).unwrap_err().join("\n");
        for field in ["figure", "size", "source"] {
            assert!(problems.contains(&format!("for {field}")), "{problems}");
        }
        let unknown = row.replace("title", "titel");
        assert!(demands_of(&unknown).unwrap_err()[0].starts_with("line "));
        for limit in ["0", "-1", "inf", "5", "x"] {
            let text = row
                .replace("p98", "p99")
                .replace("limit = '1'", &format!("limit = '{limit}'"));
            let problems = demands_of(&text).unwrap_err().join("\n");
            assert!(problems.contains("for limit"), "{limit}: {problems}");
        }
    }
}
