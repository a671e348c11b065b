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
    of_all("throughput", Flow),
    of_all("latency_mean", Mean(Latency)),
    of_all("latency_p50", At(Latency, 0.5)),
    of_all("latency_p90", At(Latency, 0.9)),
    of_all("latency_p95", At(Latency, 0.95)),
    of_all("latency_p99", At(Latency, 0.99)),
    of_all("latency_p999", At(Latency, 0.999)),
    of_all("latency_p9999", At(Latency, 0.9999)),
    of_all("response_mean", Mean(Response)),
    of_all("response_p50", At(Response, 0.5)),
    of_all("response_p99", At(Response, 0.99)),
    of_all("response_p999", At(Response, 0.999)),
    of_reads("read_iops", Rate),
    of_reads("read_throughput", Flow),
    of_reads("read_latency_mean", Mean(Latency)),
    of_reads("read_latency_p50", At(Latency, 0.5)),
    of_reads("read_latency_p90", At(Latency, 0.9)),
    of_reads("read_latency_p95", At(Latency, 0.95)),
    of_reads("read_latency_p99", At(Latency, 0.99)),
    of_reads("read_latency_p999", At(Latency, 0.999)),
    of_reads("read_latency_p9999", At(Latency, 0.9999)),
    of_writes("write_iops", Rate),
    of_writes("write_throughput", Flow),
    of_writes("write_latency_mean", Mean(Latency)),
    of_writes("write_latency_p50", At(Latency, 0.5)),
    of_writes("write_latency_p90", At(Latency, 0.9)),
    of_writes("write_latency_p95", At(Latency, 0.95)),
    of_writes("write_latency_p99", At(Latency, 0.99)),
    of_writes("write_latency_p999", At(Latency, 0.999)),
    of_writes("write_latency_p9999", At(Latency, 0.9999)),
];

/// What people shorten: these words represent fields here, where a rate that was asked cannot be meant.
const SHORT: [(&str, &str); 3] = [
    ("rate", "iops"),
    ("bandwidth", "throughput"),
    ("mean", "latency_mean"),
];

impl Metric {
    /// The figure of this name: a field's, or a short one, as `rate`, `p99`, `read_p99`.
    pub fn named(name: &str) -> Option<&'static Metric> {
        let short = SHORT
            .iter()
            .find(|(short, _)| short.eq_ignore_ascii_case(name));
        let name = short.map_or(name, |(_, name)| name);
        let column = column(name)?;
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
        let name = self.name.replace("latency_", "");
        match name.as_str() {
            "iops" => "rate".to_owned(),
            "p999" => "p99.9".to_owned(),
            "p9999" => "p99.99".to_owned(),
            "response_p999" => "response p99.9".to_owned(),
            _ => name
                .replace('_', " ")
                .replace(" p9999", " p99.99")
                .replace(" p999", " p99.9"),
        }
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
            ("rate", "iops"),
            ("p99", "latency_p99"),
            ("mean", "latency_mean"),
            ("p99.9", "latency_p999"),
            ("read_p99", "read_latency_p99"),
        ] {
            assert_eq!(Metric::named(short).map(|m| m.name), Some(name), "{short}");
        }
        assert_eq!(Metric::named("label"), None);
        assert_eq!(
            Metric::named("read_latency_p99")
                .map(Metric::short)
                .as_deref(),
            Some("read p99")
        );
    }
}
