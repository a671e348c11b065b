//! How similar two traces are: fourteen properties, each next to the distance of the original from itself.
//!
//! The original's parts of time are split 200 times at random into two halves; 95% of the distances between these are at
//! most the original's own distance. A property is the same if the other trace is no farther away, similar up to twice
//! that. Latency is no property: it is what the target does. Read in this order: `properties`, `distance`, this.

mod distance;
mod properties;
mod reuse;
mod sums;

pub use properties::Properties;

use crate::footprint::mix;
use distance::{Sum, distance};
use model::fidelity::{Fidelity, PropertyDistance, PropertyVerdict, TraceProperty};

/// Random splits of the original.
const SPLITS: usize = 200;
/// Parts of time that can be split.
const PARTS_MIN: usize = 4;
/// Differences below this are none.
const NONE: f64 = 0.01;
/// A similar property is at most so many times the original's own distance away.
const SIMILAR: f64 = 2.0;
/// The place of the own distance among those of the splits.
const OWN: f64 = 0.95;

/// Compares a trace with the original.
pub fn fidelity(original: &Properties, other: &Properties) -> Fidelity {
    let halves = splits(original);
    let all = |trace| Sum::of(trace, |_| true);
    let (a, b) = (all(original), all(other));
    let properties = TraceProperty::ALL.map(|property| {
        let its = distance(property, &a, &b);
        let own = own_distance(property, &halves);
        let verdict = match (its, own) {
            (Some(its), Some(own)) => judge(its, own),
            // What is in one of both only differs, however little there is to split.
            (Some(its), None) if its >= 1.0 => PropertyVerdict::Differs,
            _ => PropertyVerdict::NotCompared,
        };
        PropertyDistance {
            property,
            distance: its,
            own_distance: own,
            verdict,
        }
    });
    Fidelity::of(properties.into(), original.ios, other.ios)
}

fn judge(distance: f64, own: f64) -> PropertyVerdict {
    let near = own.max(NONE);
    if distance <= near {
        PropertyVerdict::Same
    } else if distance <= SIMILAR * near {
        PropertyVerdict::Similar
    } else {
        PropertyVerdict::Differs
    }
}

/// The halves of the original, split at random.
fn splits(original: &Properties) -> Vec<(Sum, Sum)> {
    let parts = original.parts.len();
    if parts < PARTS_MIN {
        return Vec::new();
    }
    let one = |split: usize| {
        let mut order: Vec<usize> = (0..parts).collect();
        order.sort_by_key(|&part| mix(((split as u64) << 32) | part as u64));
        let mut first = vec![false; parts];
        order[..parts / 2]
            .iter()
            .for_each(|&part| first[part] = true);
        let half = |wanted: bool| Sum::of(original, |part| first[part] == wanted);
        (half(true), half(false))
    };
    (0..SPLITS).map(one).collect()
}

fn own_distance(property: TraceProperty, halves: &[(Sum, Sum)]) -> Option<f64> {
    let each = halves.iter().filter_map(|(a, b)| distance(property, a, b));
    let mut distances: Vec<f64> = each.collect();
    distances.sort_unstable_by(f64::total_cmp);
    let place = (OWN * distances.len() as f64) as usize;
    distances
        .get(place.min(distances.len().checked_sub(1)?))
        .copied()
}
