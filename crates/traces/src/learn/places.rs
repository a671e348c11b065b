//! Where runs begin: the simplest law that fits.
//!
//! Places are counted twice, I/Os in turn, so that one half of the data ranks the places and the other measures them: a law
//! is taken if it is no farther from all the data than chance makes the halves from each other. In this order: uniform,
//! zones, Zipf, a table. Blocks are sampled by a hash of their place where there are many. Omitted: reuse over time; a
//! place that is used often at one time only is a place that is used often.

use super::zipf::Uses;
use super::zones::{ZONES_MAX, Zones, total_variation};
use crate::footprint::mix;
use crate::profile::{CLASS_ZONES, HOT_ZONES, PlaceClass, Places};
use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::Range;

/// So many blocks are counted at most.
const BLOCKS_MAX: usize = 1 << 18;
const BLOCK_SHIFT: u32 = 12;
/// With fewer I/Os, the places are those that were seen.
const IOS_MIN: u64 = 100;
/// Parts of a law of zones.
const SEGMENTS_MAX: usize = 5;
/// The distance of all data from the truth, in that of its halves: 1/2 if chance alone makes it, and what it varies by.
const CHANCE: f64 = 0.6;
const SLACK: f64 = 0.002;
/// Blocks are used evenly if both halves use the same ones at most by this share more often than chance makes it: a zone at
/// the edge of a segment is used in part.
const FLAT: f64 = 0.03;
/// Places of the most used blocks that are kept with a law of Zipf.
const HOT_MAX: usize = 1024;
/// So often a block was used whose place is kept.
const HOT_MIN: u64 = 8;
/// Classes of a table: by uses, in powers of two.
const CLASSES: usize = 32;

/// What was seen of one operation's places so far.
#[derive(Debug, Default)]
pub(crate) struct PlacesSeen {
    blocks: HashMap<u64, [u32; 2]>, // by block
    halvings: u32,
    zones: Zones,
    ios: u64,
}

impl PlacesSeen {
    /// Takes the place of the next I/O that begins a run.
    pub(crate) fn take(&mut self, offset: u64) {
        let half = (self.ios & 1) as usize;
        self.ios += 1;
        self.zones.add(offset, half);
        let block = offset >> BLOCK_SHIFT;
        if mix(block) & self.mask() != 0 {
            return;
        }
        self.blocks.entry(block).or_default()[half] += 1;
        if self.blocks.len() > BLOCKS_MAX {
            self.halvings += 1;
            let mask = self.mask();
            self.blocks.retain(|block, _| mix(*block) & mask == 0);
        }
    }

    const fn mask(&self) -> u64 {
        (1 << self.halvings) - 1
    }

    /// Returns the law; the places are multiples of `align` below `range`, of which all I/Os together may use more than
    /// this operation.
    pub(crate) fn law(&mut self, range: u64, align: u64) -> Places {
        self.zones.cover(range);
        let all: Vec<f64> = self
            .zones
            .counts
            .iter()
            .map(|two| (two[0] + two[1]) as f64)
            .collect();
        let uniform = self.zones.uniform(range);
        if self.ios < IOS_MIN {
            return zones_law(&all, &uniform, &segments_of_used(&all));
        }
        let halves = [0, 1].map(|half| {
            let its = self.zones.counts.iter().map(|two| two[half] as f64);
            its.collect::<Vec<f64>>()
        });
        let near = CHANCE * total_variation(&halves[0], &halves[1]) + SLACK;
        let unit = align.max(1 << BLOCK_SHIFT);
        let mut segments: Vec<Range<usize>> = Vec::from([Range {
            start: 0,
            end: ZONES_MAX,
        }]);
        let is_even = total_variation(&all, &uniform) <= near;
        if is_even && self.is_flat(&segments, range, unit) {
            return Places::Uniform;
        }
        if let Some(law) = self.zipf(range, unit) {
            return law;
        }
        for _ in 1..SEGMENTS_MAX {
            if !split(&mut segments, &all, &uniform) {
                break;
            }
            let fitted = flattened(&all, &uniform, &segments);
            if total_variation(&all, &fitted) <= near {
                if self.is_flat(&segments, range, unit) {
                    return zones_law(&all, &uniform, &segments);
                }
                break;
            }
        }
        self.table(range, unit)
    }

    /// Returns whether the blocks of each segment are used as evenly as chance makes them: by how often both halves of the
    /// data use the same block.
    fn is_flat(&self, segments: &[Range<usize>], range: u64, unit: u64) -> bool {
        let rate = 1.0 / (1u64 << self.halvings) as f64;
        let sum =
            |zones: &[[u64; 2]], half: usize| zones.iter().map(|two| two[half]).sum::<u64>() as f64;
        let mut expected = 0.0;
        for segment in segments {
            let zones = &self.zones.counts[segment.clone()];
            let (from, to) = self.bytes(segment, range);
            let blocks = ((to - from) / unit).max(1) as f64;
            expected += sum(zones, 0) * sum(zones, 1) / blocks * rate;
        }
        let seen = self.blocks.values();
        let seen: f64 = seen.map(|two| f64::from(two[0]) * f64::from(two[1])).sum();
        seen <= expected * (1.0 + FLAT) + 4.0 * expected.sqrt() + 3.0
    }

    fn bytes(&self, segment: &Range<usize>, range: u64) -> (u64, u64) {
        let at = |zone: usize| ((zone as u64) << self.zones.shift).min(range);
        (at(segment.start), at(segment.end))
    }

    fn zipf(&self, range: u64, unit: u64) -> Option<Places> {
        let mut counts: Vec<(u64, u64)> = self
            .blocks
            .iter()
            .map(|(&block, two)| (u64::from(two[0]) + u64::from(two[1]), block))
            .collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let only: Vec<u64> = counts.iter().map(|(count, _)| *count).collect();
        let blocks = (range / unit).max(1);
        let uses = Uses {
            counts: &only,
            rate: 1.0 / (1u64 << self.halvings) as f64,
            ios: self.ios as f64,
            blocks,
        };
        let theta = uses.theta()?;
        // The most used are all over the range, as a hash of their rank places them.
        let mut parts = [0.0; 16];
        let head = counts.iter().take(256);
        head.for_each(|(_, block)| {
            let part = (block << BLOCK_SHIFT) as f64 / range as f64 * 16.0;
            parts[(part as usize).min(15)] += 1.0;
        });
        let part = |block: u64| {
            let place =
                u128::from(block << BLOCK_SHIFT) * u128::from(HOT_ZONES) / u128::from(range);
            (place as u32).min(HOT_ZONES - 1)
        };
        let hot = counts
            .iter()
            .take_while(|(count, _)| *count >= HOT_MIN)
            .take(HOT_MAX);
        let hot = match self.halvings {
            0 => hot.map(|(_, block)| part(*block)).collect(),
            _ => Vec::new(), // the most used may not be in the sample
        };
        let is_scattered = total_variation(&parts, &[1.0; 16]) < 0.35;
        is_scattered.then_some(Places::Zipf { theta, blocks, hot })
    }

    /// Classes of blocks by how often they are used. One half of the data puts each block into a class, the other measures
    /// the class, and the other way round.
    fn table(&self, range: u64, unit: u64) -> Places {
        let rate = 1.0 / (1u64 << self.halvings) as f64;
        let mut shares = [0.0; CLASSES];
        let mut blocks = [0.0; CLASSES];
        let mut zones = vec![[0.0; CLASS_ZONES as usize]; CLASSES];
        for (block, two) in &self.blocks {
            let part =
                (u128::from(block << BLOCK_SHIFT) * u128::from(CLASS_ZONES)) / u128::from(range);
            let part = (part as usize).min(CLASS_ZONES as usize - 1);
            for (rank, measured) in [(two[0], two[1]), (two[1], two[0])] {
                let class = class_of(rank);
                shares[class] += f64::from(measured);
                blocks[class] += if rank > 0 { 0.5 } else { 0.0 };
                zones[class][part] += f64::from(measured);
            }
        }
        let total: f64 = shares.iter().sum();
        let seen = self.blocks.len() as f64 / rate;
        let capacity = (range / unit).max(1) as f64;
        let mut known = 0.0;
        let mut expected = 0.0;
        for class in 1..CLASSES {
            blocks[class] = (blocks[class] / rate).min(capacity);
            if shares[class] > 0.0 {
                known += blocks[class];
                expected += distinct(blocks[class], self.ios as f64 * shares[class] / total);
            }
        }
        let rare = self.ios as f64 * shares[0] / total.max(1.0);
        blocks[0] = blocks_for(
            rare,
            (seen - expected).max(1.0),
            (capacity - known).max(1.0),
        );
        let even = [1.0 / f64::from(CLASS_ZONES); CLASS_ZONES as usize];
        let class = |class: usize| {
            let its = &zones[class];
            let count: f64 = its.iter().sum();
            // By chance, the distance from an even distribution is about √(2 · zones / (π · count)) / 2.
            let chance = (2.0 * f64::from(CLASS_ZONES) / (PI * count)).sqrt() / 2.0;
            let is_even = total_variation(its, &even) <= 1.3 * chance;
            PlaceClass {
                share: shares[class] / total * 100.0,
                blocks: (blocks[class].round() as u64).max(1),
                zones: match is_even {
                    true => Vec::new(),
                    false => percents(its),
                },
            }
        };
        let used = (0..CLASSES).filter(|&class| shares[class] > 0.0);
        Places::Table {
            classes: used.map(class).collect(),
        }
    }
}

/// The class of a block that was used so often.
fn class_of(uses: u32) -> usize {
    match uses {
        0 => 0,
        uses => 1 + uses.ilog2() as usize,
    }
    .min(CLASSES - 1)
}

/// Returns how many of so many blocks are used by so many I/Os on average.
fn distinct(blocks: f64, ios: f64) -> f64 {
    blocks * (1.0 - (-ios / blocks).exp())
}

/// Returns of how many blocks so many I/Os use so many different ones.
fn blocks_for(ios: f64, used: f64, most: f64) -> f64 {
    let (mut low, mut high) = (used.min(most), most);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match distinct(middle, ios) < used {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

fn percents(counts: &[f64]) -> Vec<(u32, f64)> {
    let sum: f64 = counts.iter().sum();
    let zones = (0u32..).zip(counts).filter(|(_, count)| **count > 0.0);
    zones
        .map(|(zone, count)| (zone, count / sum * 100.0))
        .collect()
}

/// Each used zone and each gap between used zones is a segment.
fn segments_of_used(all: &[f64]) -> Vec<Range<usize>> {
    let mut segments: Vec<Range<usize>> = Vec::new();
    for (zone, count) in all.iter().enumerate() {
        match segments.last_mut() {
            Some(last) if *count == 0.0 && all[last.start] == 0.0 => last.end = zone + 1,
            _ => segments.push(zone..zone + 1),
        }
    }
    segments
}

/// Splits the segment whose split explains most.
fn split(segments: &mut Vec<Range<usize>>, all: &[f64], uniform: &[f64]) -> bool {
    let likelihood = |ios: f64, size: f64| match ios > 0.0 && size > 0.0 {
        true => ios * (ios / size).ln(),
        false => 0.0,
    };
    let mut best: Option<(f64, usize, usize)> = None;
    for (number, segment) in segments.iter().enumerate() {
        let total: f64 = all[segment.clone()].iter().sum();
        let size: f64 = uniform[segment.clone()].iter().sum();
        let (mut left, mut left_size) = (0.0, 0.0);
        for cut in segment.start + 1..segment.end {
            left += all[cut - 1];
            left_size += uniform[cut - 1];
            let gain = likelihood(left, left_size) + likelihood(total - left, size - left_size)
                - likelihood(total, size);
            if best.is_none_or(|(most, ..)| gain > most) && size - left_size > 0.0 {
                best = Some((gain, number, cut));
            }
        }
    }
    let Some((_, number, cut)) = best else {
        return false;
    };
    let segment = segments[number].clone();
    segments.splice(number..=number, [segment.start..cut, cut..segment.end]);
    true
}

/// The same counts, spread evenly within each segment.
fn flattened(all: &[f64], uniform: &[f64], segments: &[Range<usize>]) -> Vec<f64> {
    let mut flat = vec![0.0; all.len()];
    for segment in segments {
        let ios: f64 = all[segment.clone()].iter().sum();
        let size: f64 = uniform[segment.clone()].iter().sum();
        for zone in segment.clone() {
            flat[zone] = if size > 0.0 {
                ios * uniform[zone] / size
            } else {
                0.0
            };
        }
    }
    flat
}

fn zones_law(all: &[f64], uniform: &[f64], segments: &[Range<usize>]) -> Places {
    let total: f64 = all.iter().sum();
    let each = segments.iter().filter_map(|segment| {
        let ios: f64 = all[segment.clone()].iter().sum();
        let size: f64 = uniform[segment.clone()].iter().sum();
        (size > 0.0).then_some((size * 100.0, ios / total.max(1.0) * 100.0))
    });
    Places::Zones {
        zones: each.collect(),
    }
}
