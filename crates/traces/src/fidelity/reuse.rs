//! How often each block is used, and how many others are used between two uses of it, in a sample of the blocks by hash.
//!
//! The distance is exact for the sampled blocks among each other, and times the sampling rate that of all (Waldspurger et
//! al., SHARDS, FAST 2015): a tree of sums over the order of the last uses (Fenwick 1994). Omitted: sizes of I/Os, which
//! are as many blocks as they touch.

use crate::footprint::mix;
use std::collections::HashMap;

/// So many blocks are followed at most.
const BLOCKS_MAX: usize = 1 << 17;
/// Uses before the order is numbered again.
const ORDER_MAX: usize = 1 << 19;

#[derive(Debug)]
pub(super) struct Reuse {
    blocks: HashMap<u64, Followed>,
    next_number: u32,
    pub(super) halvings: u32,
    tree: Vec<u32>,
    order: usize,
}

#[derive(Clone, Copy, Debug)]
struct Followed {
    number: u32,
    last: usize, // in the order of uses
}

/// A use of a block that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// Of the block.
    pub(super) number: u32,
    /// Different blocks since its last use; `None` for the first.
    pub(super) distance: Option<u64>,
}

impl Default for Reuse {
    fn default() -> Reuse {
        Reuse {
            blocks: HashMap::new(),
            next_number: 0,
            halvings: 0,
            tree: vec![0; ORDER_MAX + 1],
            order: 0,
        }
    }
}

impl Reuse {
    /// Takes a use of a block. `dropped` gets the numbers of blocks that are not followed any longer.
    pub(super) fn take(&mut self, block: u64, dropped: &mut dyn FnMut(&[u32])) -> Option<Use> {
        if mix(block) & self.mask() != 0 {
            return None;
        }
        if self.order == ORDER_MAX {
            self.number_again();
        }
        self.order += 1;
        let order = self.order;
        let before = self.blocks.get_mut(&block).map(|followed| {
            let last = std::mem::replace(&mut followed.last, order);
            (followed.number, last)
        });
        let found = match before {
            Some((number, last)) => {
                let between = self.sum(order - 1) - self.sum(last);
                self.add(last, false);
                Use {
                    number,
                    distance: Some(u64::from(between) << self.halvings),
                }
            }
            None => {
                let number = self.next_number;
                self.next_number += 1;
                let followed = Followed {
                    number,
                    last: order,
                };
                self.blocks.insert(block, followed);
                Use {
                    number,
                    distance: None,
                }
            }
        };
        self.add(order, true);
        if self.blocks.len() > BLOCKS_MAX {
            self.halve(dropped);
        }
        Some(found)
    }

    /// Returns the count of numbers that were given.
    pub(super) fn numbers(&self) -> usize {
        self.next_number as usize
    }

    const fn mask(&self) -> u64 {
        (1 << self.halvings) - 1
    }

    fn halve(&mut self, dropped: &mut dyn FnMut(&[u32])) {
        self.halvings += 1;
        let mask = self.mask();
        let mut gone = Vec::new();
        self.blocks.retain(|block, followed| {
            let stays = mix(*block) & mask == 0;
            if !stays {
                gone.push(followed.number);
            }
            stays
        });
        dropped(&gone);
        self.number_again();
    }

    /// Numbers the last uses from 1 on, in their order.
    fn number_again(&mut self) {
        let mut all: Vec<&mut Followed> = self.blocks.values_mut().collect();
        all.sort_unstable_by_key(|followed| followed.last);
        self.order = all.len();
        for (place, followed) in all.into_iter().enumerate() {
            followed.last = place + 1;
        }
        self.tree.fill(0);
        (1..=self.order).for_each(|place| self.add(place, true));
    }

    fn add(&mut self, place: usize, more: bool) {
        let mut at = place;
        while at <= ORDER_MAX {
            self.tree[at] = if more {
                self.tree[at] + 1
            } else {
                self.tree[at] - 1
            };
            at += at & at.wrapping_neg();
        }
    }

    fn sum(&self, place: usize) -> u32 {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.tree[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_a_list_of_last_uses() {
        let mut reuse = Reuse::default();
        let mut list: Vec<u64> = Vec::new();
        let mut state = 1;
        for _ in 0..ORDER_MAX + 5000 {
            state = mix(state + 1);
            let block = (state % 97) * (state >> 60) % 91;
            let place = list.iter().position(|&one| one == block);
            let expected = place.map(|place| (list.len() - 1 - place) as u64);
            place.map(|place| list.remove(place));
            list.push(block);
            let found = reuse.take(block, &mut |_| ()).unwrap();
            assert_eq!(found.distance, expected);
        }
    }

    #[test]
    fn too_many_blocks_become_a_sample() {
        let mut reuse = Reuse::default();
        let mut gone = 0;
        for _ in 0..2 {
            for block in 0..4 * BLOCKS_MAX as u64 {
                reuse.take(block, &mut |dropped| gone += dropped.len());
            }
        }
        assert!(reuse.halvings >= 2 && reuse.blocks.len() <= BLOCKS_MAX);
        assert_eq!(gone + reuse.blocks.len(), reuse.numbers());
    }
}
