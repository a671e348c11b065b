//! Places by a law of a profile, on a range that may be shorter than the one that was learned.
//!
//! Ranks and members of a class are spread over their part of the range by a permutation, so that no two share a place.
//! Omitted: runs.

use super::rng::{Rng, Zipf};
use crate::profile::{CLASS_ZONES, HOT_ZONES, Places};

/// Draws units of the range.
#[derive(Clone, Debug)]
pub(super) enum PlaceDraw {
    Uniform {
        units: u64,
    },
    Zipf {
        zipf: Zipf,
        spread: Spread,
        hot: Vec<u64>,
    },
    Zones {
        ends: Vec<f64>,
        parts: Vec<(u64, u64)>,
    },
    Table {
        ends: Vec<f64>,
        classes: Vec<Class>,
    },
}

/// A class of a table.
#[derive(Clone, Debug)]
pub(super) struct Class {
    ends: Vec<f64>, // of its zones' shares
    zones: Vec<Part>,
}

/// Its members in a zone.
#[derive(Clone, Debug)]
struct Part {
    from: u64, // unit
    first: u64,
    members: u64,
    spread: Spread,
}

/// A permutation of so many numbers, as irregular as a hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    units: u64,
    bits: u32,
}

impl Spread {
    fn new(units: u64) -> Spread {
        let bits = u64::BITS - (units - 1).leading_zeros();
        Spread {
            units,
            bits: bits.max(1),
        }
    }

    /// Mixes within the next power of two, again and again until the number is one of them (Black and Rogaway, 2002).
    fn place(self, number: u64) -> u64 {
        let mask = u64::MAX >> (u64::BITS - self.bits);
        let mut place = number % self.units;
        loop {
            for factor in [
                0xbf58_476d_1ce4_e5b9,
                0x94d0_49bb_1331_11eb,
                0x9e37_79b9_7f4a_7c15,
            ] {
                place = (place ^ KEY).wrapping_mul(factor) & mask;
                place ^= place >> self.bits.div_ceil(2);
            }
            if place < self.units {
                return place;
            }
        }
    }
}

/// Without it, 0 would stay 0.
const KEY: u64 = 0x5555;

impl PlaceDraw {
    /// `units` are those of the range, `scale` is their share of those that were learned.
    pub(super) fn new(law: &Places, units: u64, scale: f64) -> PlaceDraw {
        match law {
            Places::Uniform => PlaceDraw::Uniform { units },
            Places::Zipf { theta, blocks, hot } => {
                let blocks = (*blocks as f64 * scale) as u64;
                // Each in its part of the range, at a place that no other of them has if there is room.
                let mut used = vec![0; HOT_ZONES as usize];
                let part = |zone: &u32| {
                    let at = |zone: u32| unit_at(f64::from(zone) / f64::from(HOT_ZONES), units);
                    let (from, to) = (at(*zone), at(zone + 1));
                    let number = used[*zone as usize];
                    used[*zone as usize] += 1;
                    (from + Spread::new((to - from).max(1)).place(number)).min(units - 1)
                };
                PlaceDraw::Zipf {
                    hot: hot.iter().map(part).collect(),
                    zipf: Zipf::new(*theta, blocks.clamp(1, units)),
                    spread: Spread::new(units),
                }
            }
            Places::Zones { zones } => {
                let sizes: f64 = zones.iter().map(|(size, _)| size).sum();
                let mut end = 0.0;
                let parts = zones.iter().map(|(size, _)| {
                    let from = unit_at(end / sizes, units);
                    end += size;
                    (from, unit_at(end / sizes, units).max(from + 1).min(units))
                });
                PlaceDraw::Zones {
                    parts: parts.collect(),
                    ends: ends(zones.iter().map(|(_, ios)| *ios)),
                }
            }
            Places::Table { classes } => {
                let mut first = vec![0; CLASS_ZONES as usize];
                let each = classes.iter().map(|class| {
                    let zones = match class.zones.is_empty() {
                        true => (0..CLASS_ZONES).map(|zone| (zone, 1.0)).collect(),
                        false => class.zones.clone(),
                    };
                    let blocks = class.blocks as f64 * scale;
                    Class::new(&zones, blocks, units, &mut first)
                });
                PlaceDraw::Table {
                    classes: each.collect(),
                    ends: ends(classes.iter().map(|class| class.share)),
                }
            }
        }
    }

    /// Draws a unit.
    pub(super) fn draw(&self, rng: &mut Rng) -> u64 {
        match self {
            PlaceDraw::Uniform { units } => rng.below(*units),
            PlaceDraw::Zipf { zipf, spread, hot } => {
                let rank = zipf.draw(rng);
                let known = hot.get(rank as usize).copied();
                known.unwrap_or_else(|| spread.place(rank))
            }
            PlaceDraw::Zones { ends, parts } => {
                let (from, to) = parts[chosen(ends, rng)];
                from + rng.below((to - from).max(1))
            }
            PlaceDraw::Table { ends, classes } => {
                let class = &classes[chosen(ends, rng)];
                let part = &class.zones[chosen(&class.ends, rng)];
                let number = part.first + rng.below(part.members);
                part.from + part.spread.place(number)
            }
        }
    }
}

impl Class {
    fn new(zones: &[(u32, f64)], blocks: f64, units: u64, first: &mut [u64]) -> Class {
        let total: f64 = zones.iter().map(|(_, share)| share).sum();
        let part = |&(zone, share): &(u32, f64)| {
            let at = |zone: u32| unit_at(f64::from(zone) / f64::from(CLASS_ZONES), units);
            let (from, to) = (at(zone), at(zone + 1));
            let members = ((blocks * share / total).round() as u64).max(1);
            let before = &mut first[zone as usize];
            let part = Part {
                from: from.min(units - 1),
                first: *before,
                members,
                spread: Spread::new((to - from).max(1)),
            };
            *before += members;
            part
        };
        Class {
            zones: zones.iter().map(part).collect(),
            ends: ends(zones.iter().map(|(_, share)| *share)),
        }
    }
}

fn unit_at(share: f64, units: u64) -> u64 {
    ((share * units as f64).round() as u64).min(units)
}

/// Where each share ends, of all together.
pub(super) fn ends(shares: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let mut ends: Vec<f64> = shares
        .map(|share| {
            sum += share;
            sum
        })
        .collect();
    ends.iter_mut().for_each(|end| *end /= sum);
    ends
}

/// Draws one of them.
pub(super) fn chosen(ends: &[f64], rng: &mut Rng) -> usize {
    let drawn = rng.unit();
    ends.partition_point(|&end| end <= drawn)
        .min(ends.len() - 1)
}
