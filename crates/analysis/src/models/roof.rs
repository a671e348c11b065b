//! The two limits of a target, from all cells of a sweep in one fit: so many IOPS, so many bytes per second.
//!
//! `rate(b, n) = min(n / (a + s b), IOPS ceiling, bandwidth ceiling / b)` of block size b and n I/Os in flight. Each cell
//! lies on the lowest of the three; each part is fitted to the cells that lie on it, and cells are assigned again until
//! none changes, as in Lloyd's algorithm (IEEE Trans. Information Theory 28 (1982), page 129). Source of the picture:
//! Williams, Waterman and Patterson, "Roofline", CACM 52 (2009), page 65; of the slope, the asymptotic bounds of Lazowska
//! and others, Quantitative System Performance, chapter 5. Deliberately absent: caches, which make a target two.

use super::Refused;
use super::squares::least_squares;
use crate::student::t_point;
use crate::{Estimate, say};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const CELLS_MIN: usize = 6;
const SIZES_MIN: usize = 3;
/// One cell is a point and no ceiling.
const ON_ROOF_MIN: usize = 2;
/// Beyond this mean relative error the picture is not used.
const RESIDUAL_MAX: f64 = 0.25;
const ROUNDS_MAX: usize = 50;

/// The two limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoofFit {
    /// IOPS that are not exceeded; none where no cells lie on it.
    pub iops_estimate: Option<Estimate>,
    /// Bytes a second that are not exceeded; none where no cells lie on it.
    pub bytes_per_s_estimate: Option<Estimate>,
    /// The block size at which both limits meet, in bytes; none without both.
    pub crossing_bytes: Option<f64>,
    /// Cells on the limit of I/Os, by their place in the matrix.
    pub on_ios: Vec<u64>,
    /// Cells on the limit of bytes.
    pub on_bytes: Vec<u64>,
    /// Cells below both: too few I/Os in flight to reach either.
    pub below: Vec<u64>,
    /// How far cells lie from the picture: root of the mean square, as a share of the rate.
    pub residual_share: f64,
}

/// A cell: its place, bytes of one I/O, I/Os in flight, rate a second.
pub(super) type RoofCell = (u64, f64, f64, f64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Waiting,
    Ios,
    Bytes,
}

/// What is fitted.
#[derive(Clone, Copy, Debug)]
struct Shape {
    fixed_s: f64,
    per_byte_s: f64,
    ios: f64,
    bytes: f64,
}

impl Shape {
    fn parts(&self, (_, bytes, depth, _): RoofCell) -> [(Part, f64); 3] {
        [
            (
                Part::Waiting,
                depth / (self.fixed_s + self.per_byte_s * bytes),
            ),
            (Part::Ios, self.ios),
            (Part::Bytes, self.bytes / bytes),
        ]
    }

    fn of(&self, cell: RoofCell) -> (Part, f64) {
        let [first, rest @ ..] = self.parts(cell);
        rest.into_iter()
            .fold(first, |low, part| if part.1 < low.1 { part } else { low })
    }
}

/// Of cells of one workload over sizes and depths.
///
/// Errors: fewer than six cells or three sizes; cells that do not follow the picture.
pub(super) fn roof(cells: &[RoofCell]) -> Result<RoofFit, Refused> {
    let mut sizes: Vec<f64> = cells.iter().map(|cell| cell.1).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if cells.len() < CELLS_MIN || sizes.len() < SIZES_MIN {
        return Err(Refused::TooFew(format!(
            "roofs take six cells of three block sizes; there are {} of {}",
            cells.len(),
            sizes.len()
        )));
    }
    let mut shape = first(cells);
    let mut assigned: Vec<Part> = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let now: Vec<Part> = cells.iter().map(|cell| shape.of(*cell).0).collect();
        if now == assigned {
            break;
        }
        assigned = now;
        shape = refit(cells, &assigned, shape);
    }
    let squares: f64 = cells
        .iter()
        .map(|cell| (shape.of(*cell).1 / cell.3).ln().powi(2))
        .sum();
    let residual_share = (squares / cells.len() as f64).sqrt();
    if residual_share.is_nan() || residual_share > RESIDUAL_MAX {
        return Err(Refused::NoFit(format!(
            "the cells follow no pair of roofs: they lie {} off",
            say::percent(residual_share)
        )));
    }
    Ok(reported(cells, &assigned, residual_share))
}

/// The ceilings begin at the largest that was seen, the slope at the cells with the fewest I/Os in flight.
fn first(cells: &[RoofCell]) -> Shape {
    let most = |of: fn(&RoofCell) -> f64| cells.iter().map(of).fold(0.0, f64::max);
    let fewest = cells
        .iter()
        .map(|cell| cell.2)
        .fold(f64::INFINITY, f64::min);
    let shallow: Vec<&RoofCell> = cells.iter().filter(|cell| cell.2 <= fewest).collect();
    let start = Shape {
        fixed_s: 1e-9,
        per_byte_s: 0.0,
        ios: most(|cell| cell.3),
        bytes: most(|cell| cell.3 * cell.1),
    };
    slope(&shallow).map_or(start, |(fixed_s, per_byte_s)| Shape {
        fixed_s,
        per_byte_s,
        ..start
    })
}

/// `n / rate = a + s b`, both at least 0.
fn slope(cells: &[&RoofCell]) -> Option<(f64, f64)> {
    let rows = |two: bool| -> Vec<(Vec<f64>, f64, f64)> {
        cells
            .iter()
            .map(|(_, bytes, depth, rate)| {
                let time = depth / rate;
                (
                    if two { vec![1.0, *bytes] } else { vec![1.0] },
                    time,
                    1.0 / (time * time),
                )
            })
            .collect()
    };
    if let Some(solved) = least_squares(&rows(true))
        && solved.values.iter().all(|value| *value >= 0.0)
    {
        return Some((solved.values[0].max(1e-12), solved.values[1]));
    }
    least_squares(&rows(false)).map(|solved| (solved.values[0].max(1e-12), 0.0))
}

fn on<'a>(cells: &'a [RoofCell], assigned: &[Part], part: Part) -> Vec<&'a RoofCell> {
    cells
        .iter()
        .zip(assigned)
        .filter(|(_, its)| **its == part)
        .map(|(cell, _)| cell)
        .collect()
}

fn refit(cells: &[RoofCell], assigned: &[Part], old: Shape) -> Shape {
    let level = |part: Part, of: fn(&RoofCell) -> f64, old: f64| {
        let logs: Vec<f64> = on(cells, assigned, part)
            .into_iter()
            .map(|cell| of(cell).ln())
            .collect();
        match logs.is_empty() {
            true => old,
            false => (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
        }
    };
    let waiting = slope(&on(cells, assigned, Part::Waiting));
    let (fixed_s, per_byte_s) = waiting.unwrap_or((old.fixed_s, old.per_byte_s));
    Shape {
        fixed_s,
        per_byte_s,
        ios: level(Part::Ios, |cell| cell.3, old.ios),
        bytes: level(Part::Bytes, |cell| cell.3 * cell.1, old.bytes),
    }
}

fn reported(cells: &[RoofCell], assigned: &[Part], residual_share: f64) -> RoofFit {
    let numbers = |part| {
        on(cells, assigned, part)
            .into_iter()
            .map(|cell| cell.0)
            .collect::<Vec<u64>>()
    };
    let level = |part, of: fn(&RoofCell) -> f64| {
        let logs: Vec<f64> = on(cells, assigned, part)
            .into_iter()
            .map(|cell| of(cell).ln())
            .collect();
        (logs.len() >= ON_ROOF_MIN).then(|| estimate(&logs))
    };
    let ios = level(Part::Ios, |cell| cell.3);
    let bytes = level(Part::Bytes, |cell| cell.3 * cell.1);
    let mut below = numbers(Part::Waiting);
    let mut kept = |part, is: bool| {
        let numbers = numbers(part);
        if is {
            return numbers;
        }
        below.extend(numbers); // one cell makes no ceiling
        Vec::new()
    };
    let (on_ios, on_bytes) = (
        kept(Part::Ios, ios.is_some()),
        kept(Part::Bytes, bytes.is_some()),
    );
    below.sort_unstable();
    RoofFit {
        crossing_bytes: ios.zip(bytes).map(|(ios, bytes)| bytes.value / ios.value),
        iops_estimate: ios,
        bytes_per_s_estimate: bytes,
        on_ios,
        on_bytes,
        below,
        residual_share,
    }
}

/// The geometric mean with Student's interval. // at least two
fn estimate(logs: &[f64]) -> Estimate {
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let reach = t_point(0.05, count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    Estimate {
        value: mean.exp(),
        low: Some((mean - reach).exp()),
        high: Some((mean + reach).exp()).filter(|high| high.is_finite()),
        samples: count,
        not_known: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 80 µs and 3 GB/s alone, at most 100000 I/Os and 2 GB a second; with 2% of noise.
    fn cells() -> Vec<RoofCell> {
        let mut cells = Vec::new();
        for power in 12..21 {
            for depth in 0..8 {
                let (bytes, depth) = (f64::from(1u32 << power), f64::from(1u32 << depth));
                let rate = (depth / (80e-6 + bytes / 3e9)).min(100e3).min(2e9 / bytes);
                let number = cells.len() as u64 + 1;
                cells.push((
                    number,
                    bytes,
                    depth,
                    rate * (1.0 + 0.02 * ((number * 7 % 5) as f64 - 2.0) / 2.0),
                ));
            }
        }
        cells
    }

    #[test]
    fn both_roofs_and_the_cells_on_them_come_back() {
        let fit = roof(&cells()).unwrap();
        let (ios, bytes) = (
            fit.iops_estimate.unwrap(),
            fit.bytes_per_s_estimate.unwrap(),
        );
        assert!((ios.value / 100e3 - 1.0).abs() < 0.02, "{ios:?}");
        assert!((bytes.value / 2e9 - 1.0).abs() < 0.02, "{bytes:?}");
        assert!((fit.crossing_bytes.unwrap() / 20e3 - 1.0).abs() < 0.05);
        assert!(fit.residual_share < 0.03, "{}", fit.residual_share);
        assert_eq!(fit.on_ios.len() + fit.on_bytes.len() + fit.below.len(), 72);
        assert!(
            fit.below.contains(&1) && fit.on_ios.contains(&8) && fit.on_bytes.contains(&72),
            "{fit:?}"
        );
    }

    #[test]
    fn what_has_no_roof_is_said_to_have_none() {
        let alone: Vec<RoofCell> = cells().into_iter().filter(|cell| cell.2 < 1.5).collect();
        let fit = roof(&alone).unwrap();
        assert!(fit.on_ios.is_empty() && fit.on_bytes.len() <= 2, "{fit:?}");
        assert!(matches!(roof(&cells()[..5]), Err(Refused::TooFew(_))));
        let wild: Vec<RoofCell> = cells()
            .iter()
            .map(|(n, b, d, r)| (*n, *b, *d, if n % 2 == 0 { r * 9.0 } else { *r }))
            .collect();
        assert!(matches!(roof(&wild), Err(Refused::NoFit(_))));
    }

    #[test]
    fn cells_may_lie_a_quarter_off() {
        let zigzag = |off: f64| {
            let cells = cells().into_iter().map(|(n, bytes, depth, rate)| {
                let way = if n % 2 == 0 { off } else { -off };
                (n, bytes, depth, rate * way.exp())
            });
            roof(&cells.collect::<Vec<_>>())
        };
        assert!(zigzag(0.15).is_ok());
        assert!(matches!(zigzag(0.4), Err(Refused::NoFit(_))));
    }
}
