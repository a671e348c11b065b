//! What is compared: figures of a result that have a ratio, under the names that tables have for them.
//!
//! Deliberately absent: fields that are no measurement, and the largest and smallest latency: one I/O of millions, of
//! which no run has an error bound.

use crate::columns::{Column, column};
use model::{Operation, ResultRow};

/// One figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// As the field of a table is called.
    pub name: &'static str,
    pub(super) of: Option<Operation>,
    pub(super) kind: Kind,
}

/// What kind of figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// IOPS.
    Rate,
    /// Bytes a second.
    Flow,
    /// A mean time.
    Mean(Clock),
    /// The time at a quantile.
    At(Clock, f64),
}

/// From which moment a time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Latency,
    Response,
}

const fn of_all(name: &'static str, kind: Kind) -> Metric {
    Metric {
        name,
        of: None,
        kind,
    }
}

const fn of_reads(name: &'static str, kind: Kind) -> Metric {
    Metric {
        name,
        of: Some(Operation::Read),
        kind,
    }
}

const fn of_writes(name: &'static str, kind: Kind) -> Metric {
    Metric {
        name,
        of: Some(Operation::Write),
        kind,
    }
}

use Clock::{Latency, Response};
use Kind::{At, Flow, Mean, Rate};

/// All of them, in the order in which they are shown.
pub const METRICS: [Metric; 31] = [
    of_all("iops", Rate),
    of_all("bytes_per_s", Flow),
    of_all("latency_mean_ns", Mean(Latency)),
    of_all("latency_p50_ns", At(Latency, 0.5)),
    of_all("latency_p90_ns", At(Latency, 0.9)),
    of_all("latency_p95_ns", At(Latency, 0.95)),
    of_all("latency_p99_ns", At(Latency, 0.99)),
    of_all("latency_p999_ns", At(Latency, 0.999)),
    of_all("latency_p9999_ns", At(Latency, 0.9999)),
    of_all("response_mean_ns", Mean(Response)),
    of_all("response_p50_ns", At(Response, 0.5)),
    of_all("response_p99_ns", At(Response, 0.99)),
    of_all("response_p999_ns", At(Response, 0.999)),
    of_reads("read_iops", Rate),
    of_reads("read_bytes_per_s", Flow),
    of_reads("read_latency_mean_ns", Mean(Latency)),
    of_reads("read_latency_p50_ns", At(Latency, 0.5)),
    of_reads("read_latency_p90_ns", At(Latency, 0.9)),
    of_reads("read_latency_p95_ns", At(Latency, 0.95)),
    of_reads("read_latency_p99_ns", At(Latency, 0.99)),
    of_reads("read_latency_p999_ns", At(Latency, 0.999)),
    of_reads("read_latency_p9999_ns", At(Latency, 0.9999)),
    of_writes("write_iops", Rate),
    of_writes("write_bytes_per_s", Flow),
    of_writes("write_latency_mean_ns", Mean(Latency)),
    of_writes("write_latency_p50_ns", At(Latency, 0.5)),
    of_writes("write_latency_p90_ns", At(Latency, 0.9)),
    of_writes("write_latency_p95_ns", At(Latency, 0.95)),
    of_writes("write_latency_p99_ns", At(Latency, 0.99)),
    of_writes("write_latency_p999_ns", At(Latency, 0.999)),
    of_writes("write_latency_p9999_ns", At(Latency, 0.9999)),
];

impl Metric {
    /// The figure of this name, in any form that a field's name has: `iops`, `p99`, `read_latency_p99_ns`.
    pub fn named(name: &str) -> Option<&'static Metric> {
        Metric::of(column(name)?)
    }

    /// The figure that is this field.
    pub(super) fn of(column: &Column) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name == column.name)
    }

    /// Where it stands in tables.
    pub fn column(&self) -> &'static Column {
        column(self.name).expect("every figure is a field of the table")
    }

    /// The row's value; none if it has none.
    pub(crate) fn value(&self, row: &ResultRow) -> Option<f64> {
        (self.column().read)(row).number()
    }

    /// Whether more of it is better.
    pub(super) fn more_is_better(&self) -> bool {
        matches!(self.kind, Rate | Flow)
    }

    /// In sentences.
    pub fn short(&self) -> String {
        let name = self.column().short.replace("latency_", "");
        name.replace("iops", "IOPS")
            .replace("bytes_per_s", "bytes/s")
            .replace("p999", "p99.9")
            .replace('_', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_a_field_and_its_short_names_find_it() {
        for metric in &METRICS {
            assert_eq!(metric.column().name, metric.name);
            assert_eq!(Metric::named(metric.name), Some(metric));
        }
        for (short, name) in [
            ("latency_mean", "latency_mean_ns"),
            ("p99", "latency_p99_ns"),
            ("p99.9", "latency_p999_ns"),
            ("read_p99", "read_latency_p99_ns"),
        ] {
            assert_eq!(Metric::named(short).map(|m| m.name), Some(name), "{short}");
        }
        for (name, words) in [
            ("iops", "IOPS"),
            ("read_bytes_per_s", "read bytes/s"),
            ("read_p99", "read p99"),
            ("latency_p9999_ns", "p99.99"),
            ("response_p999", "response p99.9"),
        ] {
            assert_eq!(Metric::named(name).unwrap().short(), words);
        }
        for name in ["label", "rate", "mean"] {
            assert_eq!(Metric::named(name), None);
        }
    }
}
