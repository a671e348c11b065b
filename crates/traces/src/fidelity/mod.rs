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
    let own = own_distances(original);
    let all = |trace| Sum::of(trace, |_| true);
    let (a, b) = (all(original), all(other));
    let mut own = own.into_iter();
    let properties = TraceProperty::ALL.map(|property| {
        let its = distance(property, &a, &b);
        let own = own.next().flatten();
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

/// The distance of each property between halves of the original, split at random. One split is in memory at a time: each has the
/// uses of all blocks.
fn own_distances(original: &Properties) -> [Option<f64>; TraceProperty::ALL.len()] {
    let mut distances = TraceProperty::ALL.map(|_| Vec::new());
    let parts = original.parts.len();
    let splits = if parts < PARTS_MIN { 0 } else { SPLITS };
    for split in 0..splits {
        let mut order: Vec<usize> = (0..parts).collect();
        order.sort_by_key(|&part| mix(((split as u64) << 32) | part as u64));
        let mut first = vec![false; parts];
        order[..parts / 2]
            .iter()
            .for_each(|&part| first[part] = true);
        let half = |wanted: bool| Sum::of(original, |part| first[part] == wanted);
        let (a, b) = (half(true), half(false));
        for (property, all) in TraceProperty::ALL.into_iter().zip(&mut distances) {
            all.extend(distance(property, &a, &b));
        }
    }
    distances.map(|mut distances| {
        distances.sort_unstable_by(f64::total_cmp);
        let place = (OWN * distances.len() as f64) as usize;
        let last = distances.len().checked_sub(1)?;
        distances.get(place.min(last)).copied()
    })
}
