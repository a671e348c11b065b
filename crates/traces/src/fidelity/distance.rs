//! How far two traces, or two halves of one, are from each other in each property.
//!
//! Methods: total variation of two distributions; the largest vertical distance of two cumulative ones (Kolmogorov and
//! Smirnov); the root of the mean square, relative to the mean; the largest logarithm to base 2 of a ratio. Omitted: what
//! a distance means, which depends on the distance of the original from itself (`compare`).

use super::properties::{Part, Properties};
use super::sums::{
    COUNTS, DEPTHS, FLUSHES, GAPS, JUMPS, LAGS, LENGTH, LONG_SERIES, NEXT, OPERATIONS, REUSE, RUNS,
    SCALE_SHIFT, SCALES, SHORT_SERIES, SIZES, Span, ZONES,
};
use crate::learn::{ZONES_MAX, total_variation};
use model::fidelity::TraceProperty;

/// Values of a distribution that allow a distance.
const VALUES_MIN: f64 = 20.0;
/// Windows from which a variance or an autocorrelation is computed.
const WINDOWS_MIN: f64 = 16.0;
/// The variance of counts that are constant but for their rounding, at most.
const ROUNDING: f64 = 0.25;
/// Points at which two curves are compared.
const POINTS: usize = 100;
/// The length of a second of these counts, in nanoseconds.
const SECOND: f64 = (1u64 << 30) as f64;
/// Zones of a comparison.
const ZONES_COMPARED: usize = 1024;
/// Ranges that differ by less than this are the same addresses.
const SAME_RANGE: f64 = 0.01;

/// Some parts of a trace together.
pub(super) struct Sum {
    row: Vec<f64>,
    uses: Vec<u32>,    // descending, without zeros
    seconds: Vec<f64>, // that have I/Os, descending
    all_seconds: usize,
    time: f64,
    range: u64,
    zone_shift: u32,
    timed: bool,
    has_latencies: bool,
}

impl Sum {
    /// Adds the parts of a trace that `of` chooses.
    pub(super) fn of(trace: &Properties, of: impl Fn(usize) -> bool) -> Sum {
        let mut row = vec![0.0; LENGTH];
        let mut uses = vec![0; trace.numbers];
        let (mut seconds, mut all_seconds) = (Vec::new(), 0);
        let mut time = 0.0;
        let chosen = trace
            .parts
            .iter()
            .enumerate()
            .filter(|(number, _)| of(*number));
        for (number, part) in chosen {
            let Part {
                row: its,
                uses: used,
                seconds: counts,
            } = part;
            row.iter_mut()
                .zip(its)
                .for_each(|(sum, value)| *sum += value);
            used.iter()
                .for_each(|(number, count)| uses[*number as usize] += count);
            let length = trace.part_length();
            let its = length
                .min(trace.last.0 as f64 - number as f64 * length)
                .max(0.0);
            time += its;
            let whole = (its / SECOND) as usize;
            all_seconds += whole;
            let end = (number as f64 * length / SECOND) as u64 + whole as u64;
            let counts = counts.iter().filter(|(second, _)| *second < end);
            seconds.extend(counts.map(|(_, ios)| ios));
        }
        uses.retain(|&count| count > 0);
        uses.sort_unstable_by(|a, b| b.cmp(a));
        seconds.sort_unstable_by(|a: &f64, b| b.total_cmp(a));
        Sum {
            row,
            uses,
            seconds,
            all_seconds,
            time,
            range: trace.end,
            zone_shift: trace.zone_shift,
            timed: trace.timed,
            has_latencies: trace.latencies * 100 >= trace.ios * 99,
        }
    }

    fn span(&self, span: Span) -> &[f64] {
        &self.row[span.range()]
    }

    /// Returns the weights of the zones of a range; parts of a wider zone have the same share of it.
    fn zones(&self, range: u64) -> Vec<f64> {
        let mut zones = vec![0.0; ZONES_COMPARED];
        let width = (1u64 << self.zone_shift) as f64;
        let each = range as f64 / ZONES_COMPARED as f64;
        for (number, weight) in self.span(ZONES).iter().enumerate().take(ZONES_MAX) {
            if *weight == 0.0 {
                continue;
            }
            let from = number as f64 * width / each;
            let to = ((number + 1) as f64 * width).min(range as f64) / each;
            let mut at = from;
            while at < to {
                let next = (at.floor() + 1.0).min(to);
                let zone = (at as usize).min(ZONES_COMPARED - 1);
                zones[zone] += weight * (next - at) / (to - from);
                at = next;
            }
        }
        zones
    }

    /// Returns which share of the uses falls on this share of the blocks, those that are used most.
    fn popularity(&self, share: f64, sums: &[f64]) -> f64 {
        let place = share * self.uses.len() as f64;
        let whole = (place as usize).min(self.uses.len() - 1);
        let part = (place - whole as f64) * f64::from(self.uses[whole]);
        (sums[whole] + part) / sums[self.uses.len()]
    }

    fn running(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let rest = self.uses.iter().map(|&uses| {
            sum += f64::from(uses);
            sum
        });
        std::iter::once(0.0).chain(rest).collect()
    }
}

/// Returns the distance in one property; `None` where one of both has too little of it.
pub(super) fn distance(property: TraceProperty, a: &Sum, b: &Sum) -> Option<f64> {
    let both = |span| (a.span(span), b.span(span));
    let variation = |span| {
        let (a, b) = both(span);
        enough(a, b).then(|| total_variation(a, b))
    };
    let largest = |span| {
        let (a, b) = both(span);
        enough(a, b).then(|| vertical(a, b))
    };
    let timed = a.timed && b.timed;
    match property {
        TraceProperty::Reads => variation(OPERATIONS),
        TraceProperty::Sizes => variation(SIZES),
        TraceProperty::NextOperation => variation(NEXT),
        TraceProperty::Jumps => variation(JUMPS),
        TraceProperty::Zones => {
            let near = (a.range as f64 / b.range as f64 - 1.0).abs() < SAME_RANGE;
            let range = a.range.max(b.range);
            let zones = match near {
                true => (a.zones(range), b.zones(range)),
                false => (a.zones(a.range), b.zones(b.range)),
            };
            enough(&zones.0, &zones.1).then(|| total_variation(&zones.0, &zones.1))
        }
        TraceProperty::Popularity => popularity(a, b),
        TraceProperty::Reuse => largest(REUSE),
        TraceProperty::Runs => largest(RUNS),
        TraceProperty::Gaps => largest(GAPS).filter(|_| timed),
        TraceProperty::Seconds => seconds(a, b).filter(|_| timed),
        TraceProperty::Bursts => bursts(a, b).filter(|_| timed),
        TraceProperty::Autocorrelation => autocorrelation(a, b).filter(|_| timed),
        TraceProperty::InFlight => {
            largest(DEPTHS).filter(|_| timed && a.has_latencies && b.has_latencies)
        }
        TraceProperty::Flushes => {
            let (a, b) = both(FLUSHES);
            let (few, none) = (VALUES_MIN, 0.0);
            match (a.iter().sum::<f64>(), b.iter().sum::<f64>()) {
                (a, b) if (a >= few && b == none) || (b >= few && a == none) => Some(1.0),
                _ => enough(a, b).then(|| vertical(a, b)),
            }
        }
    }
}

fn enough(a: &[f64], b: &[f64]) -> bool {
    a.iter().sum::<f64>() >= VALUES_MIN && b.iter().sum::<f64>() >= VALUES_MIN
}

/// The largest difference of two cumulative distributions.
fn vertical(a: &[f64], b: &[f64]) -> f64 {
    let sums = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
    let (mut left, mut right, mut most) = (0.0, 0.0, 0.0f64);
    for (a, b) in a.iter().zip(b) {
        left += a / sums.0;
        right += b / sums.1;
        most = most.max((left - right).abs());
    }
    most
}

fn popularity(a: &Sum, b: &Sum) -> Option<f64> {
    if (a.uses.len().min(b.uses.len()) as f64) < VALUES_MIN {
        return None;
    }
    let sums = (a.running(), b.running());
    // As many points near the most used as elsewhere.
    let points = (0..=POINTS).map(|point| (1e4f64).powf(point as f64 / POINTS as f64 - 1.0));
    let each = points.map(|at| (a.popularity(at, &sums.0) - b.popularity(at, &sums.1)).abs());
    each.reduce(f64::max)
}

/// The root of the mean square of the differences of two sorted series, relative to the mean of the first.
fn seconds(a: &Sum, b: &Sum) -> Option<f64> {
    if a.all_seconds < 2 || b.all_seconds < 2 {
        return None;
    }
    let mean = a.seconds.iter().sum::<f64>() / a.all_seconds as f64;
    let at = |sum: &Sum, point: usize| {
        let place = (point as f64 + 0.5) / POINTS as f64 * sum.all_seconds as f64;
        sum.seconds.get(place as usize).copied().unwrap_or(0.0)
    };
    let squares = (0..POINTS).map(|point| (at(a, point) - at(b, point)).powi(2));
    Some((squares.sum::<f64>() / POINTS as f64).sqrt() / mean)
}

/// The largest difference of variance over mean at ten scales, as a logarithm to base 2.
fn bursts(a: &Sum, b: &Sum) -> Option<f64> {
    let dispersion = |sum: &Sum, scale: usize| {
        let windows = (sum.time / (1u64 << (SCALE_SHIFT as usize + scale)) as f64).floor();
        let row = sum.span(COUNTS);
        let (ios, squares) = (row[2 * scale], row[2 * scale + 1]);
        let mean = ios / windows;
        let variance = squares / windows - mean * mean;
        let enough = windows >= WINDOWS_MIN && ios >= VALUES_MIN;
        enough.then_some((variance.max(0.0) + ROUNDING) / mean)
    };
    let scales = (0..SCALES).filter_map(|scale| {
        let (a, b) = (dispersion(a, scale)?, dispersion(b, scale)?);
        Some((a / b).log2().abs())
    });
    scales.reduce(f64::max)
}

fn autocorrelation(a: &Sum, b: &Sum) -> Option<f64> {
    let of = |sum: &Sum, span: Span| {
        let row = sum.span(span);
        let (windows, mean) = (row[0], row[1] / row[0]);
        let variance = row[2] / windows - mean * mean;
        let lags = (0..LAGS).map(|lag| match variance > ROUNDING {
            true => (row[3 + lag] / windows - mean * mean) / variance,
            false => 0.0,
        });
        (windows >= WINDOWS_MIN * 4.0).then(|| lags.collect::<Vec<f64>>())
    };
    let spans = [SHORT_SERIES, LONG_SERIES].into_iter().filter_map(|span| {
        let (a, b) = (of(a, span)?, of(b, span)?);
        let each = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
        each.reduce(f64::max)
    });
    spans.reduce(f64::max)
}
