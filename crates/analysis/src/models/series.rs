//! Cells → their models, one set for each workload: what is the same but for block, depth and threads.
//!
//! I/Os in flight are threads × depth. Of cells that differ in threads and depth and have as many in flight, the one with
//! the highest rate represents all. Deliberately absent: cells that may not be used, and open loops, whose rate was asked.

use super::{AffineFit, Refused, RoofFit, UslFit, affine, kneedle, roof, usl};
use crate::say;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Both bends are reported as disagreeing from this factor on: half a step of a ladder of doublings more than a step.
const DISAGREE_MIN: f64 = 2.0;

/// A cell, as models need it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place in the matrix, from 1.
    pub cell: u64,
    /// What it shares with the cells of its series: `write=0 pattern=random`; empty where there is one series only.
    pub series: String,
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// Threads × depth. // at least 1
    pub in_flight: u64,
    /// IOPS. // above 0
    pub iops: f64,
    /// Mean latency in nanoseconds, where it is known.
    pub latency_mean_ns: Option<f64>,
}

/// A model or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Modelled<T> {
    /// Its text.
    pub fit: Option<T>,
    /// Why it has no text.
    pub refused: Option<String>,
}

/// The models of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesModels {
    /// Fields that its cells have in common; empty if there is one series only.
    pub series: String,
    /// Cells that it rests on.
    pub cells: u64,
    /// The models in a few sentences; those with too few points are omitted.
    pub sentences: Vec<String>,
    /// The two limits of all cells.
    pub roof: Modelled<RoofFit>,
    /// Time over size of one I/O alone.
    pub service: Modelled<AffineFit>,
    /// Where more I/Os in flight stop to pay, one a block size.
    pub knees: Vec<KneeModels>,
}

/// Where the curve of one block size bends, found in two ways. The knee that a report names is the lowest load with 95% of
/// the best rate ([`crate::survey::Reached`]); these are models of the curve next to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KneeModels {
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// I/Os in flight that were measured, rising.
    pub in_flight: Vec<u64>,
    /// By Kneedle: I/Os in flight, one of those measured.
    pub kneedle: Modelled<f64>,
    /// By the Universal Scalability Law.
    pub usl: Modelled<UslFit>,
    /// The larger knee over the smaller; none without both.
    pub apart: Option<f64>,
    /// The same in a sentence; none where there are too few depths for either.
    pub sentence: Option<String>,
}

impl<T> Modelled<T> {
    fn of(result: Result<T, Refused>) -> (Modelled<T>, Option<String>) {
        match result {
            Ok(fit) => (
                Modelled {
                    fit: Some(fit),
                    refused: None,
                },
                None,
            ),
            Err(refused) => {
                let said = match &refused {
                    Refused::NoFit(why) => Some(why.clone()),
                    Refused::TooFew(_) => None,
                };
                (
                    Modelled {
                        fit: None,
                        refused: Some(refused.why().to_owned()),
                    },
                    said,
                )
            }
        }
    }
}

/// The models of all cells, series by series, in the order met.
pub fn models(points: &[Point]) -> Vec<SeriesModels> {
    let names = model::distinct(points.iter().map(|point| point.series.as_str()));
    let of = |name: &&str| -> Vec<&Point> {
        points
            .iter()
            .filter(|point| point.series == **name)
            .collect()
    };
    names.iter().map(|name| series(name, &of(name))).collect()
}

fn series(name: &str, points: &[&Point]) -> SeriesModels {
    let cells: Vec<(u64, f64, f64, f64)> = points
        .iter()
        .map(|point| {
            (
                point.cell,
                point.block_bytes as f64,
                point.in_flight as f64,
                point.iops,
            )
        })
        .collect();
    let (roof, no_roof) = Modelled::of(roof(&cells));
    let (service, no_service) = Modelled::of(affine(&alone(points)));
    let knees = knees(points);
    let mut sentences: Vec<String> = Vec::new();
    sentences.extend(
        roof.fit
            .as_ref()
            .map(|fit| roof_in_words(fit, cells.len()))
            .or(no_roof),
    );
    sentences.extend(service.fit.as_ref().map(service_in_words).or(no_service));
    sentences.extend(knees_in_words(&knees));
    SeriesModels {
        series: name.to_owned(),
        cells: cells.len() as u64,
        sentences,
        roof,
        service,
        knees,
    }
}

/// Time of one I/O alone, by size.
fn alone(points: &[&Point]) -> Vec<(f64, f64)> {
    let mut found: BTreeMap<u64, f64> = BTreeMap::new();
    for point in points.iter().filter(|point| point.in_flight == 1) {
        if let Some(ns) = point.latency_mean_ns.filter(|ns| *ns > 0.0) {
            let known = found.entry(point.block_bytes).or_insert(ns);
            *known = known.min(ns);
        }
    }
    found
        .into_iter()
        .map(|(bytes, ns)| (bytes as f64, ns))
        .collect()
}

/// The knees of every block size, from the smallest.
pub fn knees(points: &[&Point]) -> Vec<KneeModels> {
    let mut curves: BTreeMap<u64, BTreeMap<u64, f64>> = BTreeMap::new();
    for point in points {
        let curve = curves.entry(point.block_bytes).or_default();
        let rate = curve.entry(point.in_flight).or_insert(point.iops);
        *rate = rate.max(point.iops);
    }
    curves
        .into_iter()
        .map(|(block, curve)| knee(block, &curve))
        .collect()
}

fn knee(block_bytes: u64, curve: &BTreeMap<u64, f64>) -> KneeModels {
    let points: Vec<(f64, f64)> = curve
        .iter()
        .map(|(depth, rate)| (*depth as f64, *rate))
        .collect();
    let (kneedle, no_kneedle) = Modelled::of(kneedle(&points));
    let (usl, no_usl) = Modelled::of(usl(&points));
    let law = usl.fit.as_ref().and_then(|fit| fit.knee_depth);
    let apart = kneedle
        .fit
        .zip(law)
        .map(|(one, other)| (one / other).max(other / one));
    let by_kneedle = kneedle
        .fit
        .map(|depth| {
            format!(
                "bends most at {} in flight (Kneedle)",
                say::count(depth as u64)
            )
        })
        .or(no_kneedle);
    let by_law = usl.fit.as_ref().map(law_in_words).or(no_usl);
    let parts: Vec<String> = by_kneedle.into_iter().chain(by_law).collect();
    let disagree = match apart {
        Some(apart) if apart > DISAGREE_MIN => ": they disagree, so both are only hints",
        _ => "",
    };
    KneeModels {
        block_bytes,
        in_flight: curve.keys().copied().collect(),
        apart,
        sentence: (!parts.is_empty()).then(|| {
            format!(
                "the curve of {} I/Os: {}{disagree}",
                say::bytes(block_bytes),
                parts.join("; ")
            )
        }),
        kneedle,
        usl,
    }
}

fn law_in_words(fit: &UslFit) -> String {
    let Some(knee) = fit.knee_depth else {
        return "no bend by the scalability law: the rate grows without bound".to_owned();
    };
    let peak = match (fit.peak_depth, fit.peak_measured) {
        (Some(depth), true) => format!(", peak at {}", say::digits(depth)),
        (Some(depth), false) => {
            format!(", peak at {}, deeper than was measured", say::digits(depth))
        }
        (None, _) => String::new(),
    };
    format!(
        "bends at {} by the scalability law{peak} (points lie {} off)",
        say::digits(knee),
        say::percent(fit.residual_share)
    )
}

fn roof_in_words(fit: &RoofFit, cells: usize) -> String {
    let ios = fit.iops_estimate.map(|roof| {
        format!(
            "{} IOPS ({})",
            say::rate(roof.value),
            say::counted(fit.on_ios.len() as u64, "cell")
        )
    });
    let bytes = fit.bytes_per_s_estimate.map(|roof| {
        format!(
            "{} MiB/s ({})",
            say::mib_per_s(roof.value),
            say::counted(fit.on_bytes.len() as u64, "cell")
        )
    });
    let roofs: Vec<String> = ios.into_iter().chain(bytes).collect();
    let off = say::percent(fit.residual_share);
    if roofs.is_empty() {
        return format!(
            "no ceiling was reached: all {cells} cells wait for too few I/Os in flight (cells lie {off} off)"
        );
    }
    let meet = fit.crossing_bytes.map_or_else(String::new, |at| {
        format!(", which meet at {}", say::bytes(at as u64))
    });
    format!(
        "roofs: {}{meet}; {} below (cells lie {off} off)",
        roofs.join(" and "),
        fit.below.len()
    )
}

fn service_in_words(fit: &AffineFit) -> String {
    let ends = |low: Option<f64>, high: Option<f64>, say: fn(f64) -> String| {
        low.zip(high).map_or_else(String::new, |(low, high)| {
            format!(" ({} … {})", say(low), say(high))
        })
    };
    let fixed = fit.fixed_ns;
    let rate = fit.bytes_per_s_estimate.map_or_else(
        || "no more for larger blocks".to_owned(),
        |rate| {
            format!(
                "its bytes at {} MiB/s{}",
                say::mib_per_s(rate.value),
                ends(rate.low, rate.high, say::mib_per_s)
            )
        },
    );
    format!(
        "one I/O alone: {}{} and {rate} (points lie {} off)",
        say::time(fixed.value),
        ends(fixed.low, fixed.high, say::time),
        say::percent(fit.residual_share)
    )
}

/// Of one block size its sentence, of several the range. None of them is called a knee: that is one, and has one rule.
fn knees_in_words(knees: &[KneeModels]) -> Option<String> {
    let said: Vec<&KneeModels> = knees
        .iter()
        .filter(|knee| knee.sentence.is_some())
        .collect();
    match said.as_slice() {
        [] => None,
        [one] => one.sentence.clone(),
        many => {
            let range = |of: &dyn Fn(&KneeModels) -> Option<f64>, name: &str| {
                let found: Vec<f64> = many.iter().filter_map(|knee| of(knee)).collect();
                let (least, most) = (
                    found.iter().copied().reduce(f64::min)?,
                    found.iter().copied().reduce(f64::max)?,
                );
                Some(format!(
                    "{} … {} by {name} ({} of {})",
                    say::digits(least),
                    say::digits(most),
                    found.len(),
                    many.len()
                ))
            };
            let kneedle = range(&|knee| knee.kneedle.fit, "Kneedle");
            let law = range(
                &|knee| knee.usl.fit.as_ref()?.knee_depth,
                "the scalability law",
            );
            let parts: Vec<String> = kneedle.into_iter().chain(law).collect();
            let apart = many
                .iter()
                .filter(|knee| knee.apart.is_some_and(|apart| apart > DISAGREE_MIN))
                .count();
            let disagree = if apart > 0 {
                format!("; they disagree at {}", say::counted(apart as u64, "size"))
            } else {
                String::new()
            };
            let reported = match parts.is_empty() {
                true => "none was found".to_owned(),
                false => parts.join(", "),
            };
            Some(format!(
                "bends of the curves of {} block sizes: {reported}{disagree}",
                many.len()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Point> {
        let mut points = Vec::new();
        for power in [12, 14, 16, 18, 20] {
            for depth in 0..8 {
                let (block_bytes, in_flight) = (1u64 << power, 1u64 << depth);
                let alone = 80e-6 + block_bytes as f64 / 3e9;
                let law = in_flight as f64 / alone / (1.0 + 0.05 * (in_flight as f64 - 1.0));
                let iops = law.min(100e3).min(2e9 / block_bytes as f64);
                points.push(Point {
                    cell: points.len() as u64 + 1,
                    series: String::new(),
                    block_bytes,
                    in_flight,
                    iops,
                    latency_mean_ns: Some(in_flight as f64 / iops * 1e9),
                });
            }
        }
        points
    }

    #[test]
    fn a_sweep_is_said_in_three_sentences() {
        let found = models(&points());
        assert_eq!(found.len(), 1);
        let said = &found[0].sentences;
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("roofs: "), "{said:?}");
        assert!(said[1].starts_with("one I/O alone: "), "{said:?}");
        assert!(
            said[2].starts_with("bends of the curves of 5 block sizes: "),
            "{said:?}"
        );
    }

    #[test]
    fn too_few_cells_say_nothing_and_the_document_says_why() {
        let few = &points()[..2];
        let found = models(few);
        assert!(found[0].sentences.is_empty(), "{found:?}");
        assert!(found[0].roof.refused.is_some() && found[0].service.refused.is_some());
        assert!(models(&[]).is_empty());
    }
}
