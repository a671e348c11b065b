//! Which depth is best under a condition: of each workload the result with the highest rate that fits.
//!
//! A workload is what is the same but for depth and threads. Deliberately absent: a weight between rate and latency; the
//! reader sets the limit.

use super::{Filter, column};
use crate::say;
use model::{Origin, ResultRow};

/// What is the same in the results of one workload.
const SAME: [&str; 14] = [
    "block_bytes",
    "write_percent",
    "pattern",
    "random_percent",
    "cache",
    "write_through",
    "target_iops",
    "size_bytes",
    "engine",
    "target",
    "tool",
    "host",
    "source",
    "tool_version",
];

/// The best of each workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// In the order in which workloads are met.
    pub rows: Vec<ResultRow>,
    /// Workloads of which no result fits.
    pub without: u64,
    /// The answer, in one line.
    pub sentence: String,
}

/// A result with its IOPS.
type Rated<'a> = (f64, &'a ResultRow);

/// The best of these results under this condition.
pub fn best(rows: &[ResultRow], condition: &Filter) -> Best {
    let rate = |row: &ResultRow| (column("iops").expect("a field of the table").read)(row).number();
    let workload = |row: &ResultRow| -> Vec<String> {
        let fields = SAME.iter().filter_map(|name| column(name));
        fields
            .map(|field| format!("{:?}", (field.read)(row)))
            .collect()
    };
    let mut known: Vec<(Vec<String>, Option<Rated<'_>>)> = Vec::new();
    for row in rows.iter().filter(|row| row.origin != Origin::Missing) {
        let name = workload(row);
        let place = known
            .iter()
            .position(|(other, _)| *other == name)
            .unwrap_or_else(|| {
                known.push((name, None));
                known.len() - 1
            });
        let Some(rate) = rate(row).filter(|_| condition.fits(row)) else {
            continue;
        };
        // Of equals the first.
        if known[place].1.is_none_or(|(most, _)| rate > most) {
            known[place].1 = Some((rate, row));
        }
    }
    let found: Vec<Rated<'_>> = known.iter().filter_map(|(_, best)| *best).collect();
    let without = (known.len() - found.len()) as u64;
    Best {
        sentence: sentence(&found, known.len() as u64),
        rows: found.iter().map(|(_, row)| (*row).clone()).collect(),
        without,
    }
}

fn sentence(found: &[Rated<'_>], workloads: u64) -> String {
    let part = |(rate, row): &Rated<'_>| {
        let named = [
            ("depth", row.work.queue_depth),
            ("threads", row.work.threads),
        ];
        let asked = named
            .iter()
            .filter_map(|(name, value)| Some(format!("{name} {}", (*value)?)));
        let asked: Vec<String> = asked.collect();
        let p99 = row
            .total
            .latency
            .at(0.99)
            .map(|ns| format!(", p99 {}", say::time(ns.0 as f64)));
        let at = if asked.is_empty() {
            String::new()
        } else {
            format!(" at {}", asked.join(", "))
        };
        format!(
            "{} IOPS{at}{} ({})",
            say::rate(*rate),
            p99.unwrap_or_default(),
            row.name()
        )
    };
    match (found, workloads) {
        ([], 0) => "nothing was measured".to_owned(),
        ([], 1) => "no result fits".to_owned(),
        ([], many) => format!("no result of {many} workloads fits"),
        ([one], 1) => format!("best: {}", part(one)),
        (some, many) => {
            let first = some
                .iter()
                .max_by(|one, other| one.0.total_cmp(&other.0))
                .map(part);
            let part = if some.len() as u64 == many {
                String::new()
            } else {
                format!("{} of ", some.len())
            };
            format!(
                "best of {part}{many} workloads: {}",
                first.unwrap_or_default()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::cell;
    use super::*;

    #[test]
    fn the_highest_rate_that_fits_is_best_of_its_workload() {
        // p99 is as many ms as threads, the rate falls with them.
        let rows = [
            cell(1, 8, 1, 0),
            cell(2, 8, 4, 0),
            cell(3, 8, 16, 0),
            cell(4, 64, 16, 0),
        ];
        let found = best(&rows, &Filter::read("p99 >= 2ms").unwrap());
        let numbers: Vec<u32> = found.rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, [2, 4]);
        assert_eq!(
            found.sentence,
            "best of 2 workloads: 12.5k IOPS at threads 4, p99 4 ms (12.2)"
        );
        let found = best(&rows[..3], &Filter::read("latency_p99 < 4ms").unwrap());
        assert_eq!(
            found.sentence,
            "best: 50.0k IOPS at threads 1, p99 1 ms (12.1)"
        );
        let found = best(&rows, &Filter::read("latency_p99 < 1ms").unwrap());
        assert_eq!(
            (found.sentence.as_str(), found.without),
            ("no result of 2 workloads fits", 2)
        );
        assert_eq!(
            best(&[], &Filter::read("p99 < 1ms").unwrap()).sentence,
            "nothing was measured"
        );
    }
}
