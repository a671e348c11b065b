//! The percentile charts: one a target, and one of all as the last.

use super::table::Odd;
use crate::imports::number::{nanos, quantile};
use model::{ImportedFigures, ImportedLatency, Nanos};

/// A chart that is being read.
#[derive(Debug)]
pub(super) struct Chart {
    /// The last line before it that was not empty.
    pub(super) title: String,
    /// Read, write, total, in the order of its columns.
    columns: [ImportedLatency; 3],
    /// Whether its last row was seen.
    pub(super) whole: bool,
    pub(super) odd: Odd,
}

/// Most percentiles of a chart: the original prints 13 at most.
const ROWS_MAX: usize = 128;

enum Row {
    Min,
    Quantile(f64),
    Max,
}

impl Chart {
    /// If the line is the head of one.
    pub(super) fn begin(title: &str, line: &str) -> Option<Chart> {
        let is_head = line.starts_with("%-ile") && line.contains('|');
        is_head.then(|| Chart {
            title: title.to_owned(),
            columns: Default::default(),
            whole: false,
            odd: Odd::default(),
        })
    }

    /// Takes a line below the head. Whether it belonged to the chart.
    pub(super) fn line(&mut self, line: &str) -> bool {
        if !line.is_empty() && line.bytes().all(|byte| byte == b'-') {
            return !self.whole;
        }
        let mut cells = line.split('|').map(str::trim);
        let Some(row) = cells.next().and_then(row).filter(|_| !self.whole) else {
            return false;
        };
        for (column, text) in self.columns.iter_mut().zip(cells) {
            let value = self.odd.number(text, 3);
            let Some(value) = value.and_then(|value| nanos(value, Nanos::millis(1))) else {
                continue;
            };
            column.resolution = Some(Nanos::micros(1));
            match row {
                Row::Min => column.min = Some(value),
                Row::Quantile(quantile) if column.percentiles.len() < ROWS_MAX => {
                    column.percentiles.push((quantile, value));
                }
                Row::Quantile(_) => {}
                Row::Max => column.max = Some(value),
            }
        }
        self.whole |= matches!(row, Row::Max);
        true
    }

    /// Lays it over figures that have means already. Without I/Os the total is printed as 0.000: that is no latency.
    pub(super) fn lay_over(self, figures: &mut ImportedFigures) {
        let [read, write, total] = self.columns;
        let lay = |under: &mut ImportedLatency, over: ImportedLatency| {
            *under = ImportedLatency {
                mean: under.mean,
                sd: under.sd,
                resolution: over.resolution.or(under.resolution),
                ..over
            };
        };
        let empty = read.max.is_none() && write.max.is_none();
        lay(&mut figures.read.latency, read);
        lay(&mut figures.write.latency, write);
        if !empty {
            lay(&mut figures.total.latency, total);
        }
    }
}

/// `25th`, `3-nines`, `min`, `max`.
fn row(text: &str) -> Option<Row> {
    const NINES: [f64; 7] = [
        0.999,
        0.9999,
        0.999_99,
        0.999_999,
        0.999_999_9,
        0.999_999_99,
        0.999_999_999,
    ];
    match text {
        "min" => return Some(Row::Min),
        "max" => return Some(Row::Max),
        _ => {}
    }
    if let Some(nines) = text.strip_suffix("-nines") {
        let nines: usize = nines.parse().ok()?;
        return NINES.get(nines.checked_sub(3)?).copied().map(Row::Quantile);
    }
    let percent: u8 = text.strip_suffix("th")?.parse().ok()?;
    (1..=99)
        .contains(&percent)
        .then(|| Row::Quantile(quantile(f64::from(percent))))
}
