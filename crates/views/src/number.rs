//! Numbers as cells of a table: the text of `analysis::say`, and the text for no value.
//!
//! The only place of this crate where a number becomes text. A percentile that rests on fewer than ten I/Os
//! carries a `~`, one that the count does not reach is `max`: a footnote in the view explains both.

pub(crate) use analysis::say::{bytes, count, counted, digits, mib_per_s, rate, time};
use analysis::{Estimate, Percentile, TailSamples};

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

/// A percentile with its mark of trust; `max` where there are I/Os, but too few to distinguish it from their largest.
pub(crate) fn percentile(percentile: Option<&Percentile>) -> String {
    let Some(percentile) = percentile.filter(|percentile| percentile.effective_ios > 0.0) else {
        return NOTHING.to_owned();
    };
    match (percentile.latency_ns, percentile.tail_samples) {
        (None, _) | (_, TailSamples::None) => "max".to_owned(),
        (Some(ns), TailSamples::Few) => format!("~{}", time(ns as f64)),
        (Some(ns), TailSamples::Enough) => time(ns as f64),
    }
}

/// Half a 95% interval as a share of its value, in two digits: `0.42%`, `2.1%`, `12%`. Beyond the value
/// itself nothing is known of it but that.
pub(crate) fn half_width(share: Option<f64>) -> String {
    share.map_or_else(
        || NOTHING.to_owned(),
        |share| match share * 100.0 {
            percent if percent > 100.0 => ">100%".to_owned(),
            percent if percent >= 9.95 => format!("{}%", count(percent.round() as u64)),
            percent if percent >= 0.995 => format!("{percent:.1}%"),
            percent if percent >= 0.005 => format!("{percent:.2}%"),
            _ => "0.01%".to_owned(), // at most that
        },
    )
}

/// Of an estimate.
pub(crate) fn half_width_of(estimate: &Estimate) -> String {
    half_width(estimate.half_width_share())
}
