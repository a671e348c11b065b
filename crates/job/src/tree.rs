//! From whom to whom frames travel: a tree over the numbers of the ranks. Omitted: who is still there (`node`).

/// Children of a rank where any rank may send to any other. Four levels reach 10,000 ranks.
pub const FAN_OUT: u32 = 16;

/// The tree over so many ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// How many ranks there are. // above 0
    pub size: u32,
    /// Children of a rank. // above 0
    pub fan_out: u32,
}

impl Tree {
    /// Returns the rank above; `None` for rank 0.
    pub const fn parent(self, rank: u32) -> Option<u32> {
        match rank {
            0 => None,
            _ => Some((rank - 1) / self.fan_out),
        }
    }

    /// Returns the ranks directly below.
    pub fn children(self, rank: u32) -> impl Iterator<Item = u32> {
        let first = u64::from(rank) * u64::from(self.fan_out) + 1;
        let beyond = (first + u64::from(self.fan_out)).min(u64::from(self.size));
        (first..beyond.max(first)).map(|child| u32::try_from(child).expect("below the size"))
    }

    /// Returns all ranks above, the nearest first.
    pub fn ancestors(self, rank: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.parent(rank), move |&above| self.parent(above))
    }

    /// Returns how many levels are below rank 0.
    pub fn depth(self) -> u32 {
        let last = self.ancestors(self.size - 1).count();
        u32::try_from(last).expect("at most 32 levels")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_is_the_child_of_its_parent_and_of_nobody_else() {
        for (size, fan_out) in [(1, 16), (2, 16), (40, 3), (10_000, 16), (300, 299)] {
            let tree = Tree { size, fan_out };
            let mut seen = vec![0; size as usize];
            for rank in 0..size {
                for child in tree.children(rank) {
                    assert_eq!(tree.parent(child), Some(rank));
                    seen[child as usize] += 1;
                }
            }
            assert_eq!(
                (seen[0], seen[1..].iter().all(|&count| count == 1)),
                (0, true)
            );
        }
    }

    #[test]
    fn ten_thousand_ranks_are_four_levels_deep() {
        let tree = Tree {
            size: 10_000,
            fan_out: FAN_OUT,
        };
        assert_eq!((tree.depth(), tree.children(0).count()), (4, 16));
    }
}
