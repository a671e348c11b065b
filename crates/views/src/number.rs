//! Numbers as cells of a table: what `analysis::say` says, and what is said when there is nothing.
//!
//! The only place of this crate where a number becomes text. A percentile that rests on fewer than ten I/Os
//! carries a `~`, one that the count does not reach is a `-`: a footnote in the view explains both.

pub(crate) use analysis::say::{bytes, count, counted, digits, mib_per_s, rate, time};
use analysis::{Percentile, Trust};

/// Stands where there is no number.
pub(crate) const NOTHING: &str = "-";

/// A time that may not be there, from nanoseconds.
pub(crate) fn time_or_nothing(ns: Option<f64>) -> String {
    ns.map_or_else(|| NOTHING.to_owned(), time)
}

/// The same from whole nanoseconds.
pub(crate) fn whole_time_or_nothing(ns: Option<u64>) -> String {
    time_or_nothing(ns.map(|ns| ns as f64))
}

/// A percentile with its mark of trust.
pub(crate) fn percentile(percentile: Option<&Percentile>) -> String {
    match percentile.and_then(|p| Some((p.latency_ns?, p.trust))) {
        None | Some((_, Trust::None)) => NOTHING.to_owned(),
        Some((ns, Trust::Weak)) => format!("~{}", time(ns as f64)),
        Some((ns, Trust::Trusted)) => time(ns as f64),
    }
}
