//! One clock for all ranks: that of rank 0.
//!
//! An edge of the tree is measured by exchanges; that with the shortest round trip counts. The other side's stamp was taken
//! somewhere within it, so the offset is known to half of it at any asymmetry. Down the tree offsets and uncertainties
//! add. Source: Cristian, Probabilistic clock synchronization, Distributed Computing 3 (1989). Omitted: when it is measured.

use crate::reply::Item;
use serde::{Deserialize, Serialize};

/// Exchanges over each edge.
pub(crate) const EXCHANGES: usize = 40;

/// By how much the clock of rank 0 is ahead of a rank's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offset {
    /// Nanoseconds to add to the rank's clock.
    pub offset_ns: i64,
    /// It is within this, either way.
    pub uncertainty_ns: u64,
}

/// What was found on one edge of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeClock {
    /// The other end.
    pub parent: u32,
    /// By how much its clock is ahead.
    pub offset: Offset,
    /// The shortest exchange.
    pub shortest_ns: u64,
    /// The median of all.
    pub median_ns: u64,
}

/// The exchanges of one edge so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchanges {
    trips: Vec<u64>,
    best: Option<Offset>,
}

impl Exchanges {
    /// Takes one: sent and received on this clock, answered on the parent's.
    pub(crate) fn take(&mut self, sent: u64, answered: u64, received: u64) {
        let trip = received.saturating_sub(sent);
        let middle = sent + trip / 2;
        let one = Offset {
            offset_ns: answered.wrapping_sub(middle).cast_signed(),
            uncertainty_ns: trip.div_ceil(2),
        };
        self.trips.push(trip);
        match self.best {
            Some(best) if best.uncertainty_ns <= one.uncertainty_ns => {}
            _ => self.best = Some(one),
        }
    }

    /// Returns what was found when there were enough.
    pub(crate) fn found(&self, parent: u32) -> Option<EdgeClock> {
        if self.trips.len() < EXCHANGES {
            return None;
        }
        let mut trips = self.trips.clone();
        trips.sort_unstable();
        Some(EdgeClock {
            parent,
            offset: self.best?,
            shortest_ns: trips[0],
            median_ns: trips[trips.len() / 2],
        })
    }
}

/// Adds the edges of the answers to a clock order along the tree: for each of `size` ranks its offset and its own edge.
/// A rank without an unbroken way to rank 0 has none.
pub fn compose(items: &[Item], size: u32) -> Vec<Option<(Offset, EdgeClock)>> {
    let mut edges: Vec<Option<EdgeClock>> = vec![None; size as usize];
    for item in items {
        if let Some(edge) = edges.get_mut(item.rank as usize) {
            *edge = serde_json::from_slice(&item.body).ok();
        }
    }
    let sum = |rank: u32| {
        let own = edges[rank as usize]?;
        let (mut sum, mut above) = (own.offset, own.parent);
        for _ in 0..size {
            if above == 0 {
                return Some((sum, own));
            }
            let edge = edges.get(above as usize).copied().flatten()?;
            sum.offset_ns = sum.offset_ns.wrapping_add(edge.offset.offset_ns);
            sum.uncertainty_ns = sum
                .uncertainty_ns
                .saturating_add(edge.offset.uncertainty_ns);
            above = edge.parent;
        }
        None
    };
    let first = Some((Offset::default(), EdgeClock::default()));
    (0..size)
        .map(|rank| if rank == 0 { first } else { sum(rank) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item(rank: u32, parent: u32, offset_ns: i64, uncertainty_ns: u64) -> Item {
        let offset = Offset {
            offset_ns,
            uncertainty_ns,
        };
        let edge = EdgeClock {
            parent,
            offset,
            ..EdgeClock::default()
        };
        Item {
            rank,
            body: serde_json::to_vec(&edge).unwrap(),
        }
    }

    #[test]
    fn offsets_and_uncertainties_add_down_the_tree() {
        let items = [
            item(1, 0, 5, 2),
            item(2, 1, -7, 3),
            item(3, 9, 1, 1),
            Item {
                rank: 0,
                body: vec![],
            },
        ];
        let composed = compose(&items, 4);
        let sums: Vec<Option<(i64, u64)>> = composed
            .iter()
            .map(|one| one.map(|(sum, _)| (sum.offset_ns, sum.uncertainty_ns)))
            .collect();
        assert_eq!(sums, [Some((0, 0)), Some((5, 2)), Some((-2, 5)), None]);
    }

    #[test]
    fn ranks_that_are_each_other_s_parents_have_no_offset() {
        let composed = compose(&[item(1, 2, 0, 0), item(2, 1, 0, 0)], 3);
        assert_eq!((composed[1], composed[2]), (None, None));
    }

    proptest! {
        #[test]
        fn the_true_offset_is_within_the_uncertainty(
            offset in -1_000_000_000_000i64..1_000_000_000_000,
            ways in proptest::collection::vec((100u64..200_000, 100u64..200_000), EXCHANGES),
        ) {
            let mut exchanges = Exchanges::default();
            let mut now = 2_000_000_000_000u64;
            for (there, back) in ways {
                let answered = (now + there).wrapping_add_signed(offset);
                exchanges.take(now, answered, now + there + back);
                now += there + back;
            }
            let found = exchanges.found(0).unwrap().offset;
            let error = found.offset_ns.abs_diff(offset);
            prop_assert!(error <= found.uncertainty_ns, "{error} {found:?}");
        }
    }
}
