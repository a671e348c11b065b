//! Which places of a range were visited in this pass, for I/Os of several sizes that visit each place once.
//!
//! A tree of bits, 64 of which are one bit of the level above that is set when all of them are: the next free place is found in
//! as many steps as there are levels, at most six. All memory is allocated at the start. Called elsewhere: fio's axmap.

/// Bits of a word.
const WORD: u64 = u64::BITS as u64;

/// The places of a range, and which of them were visited.
#[derive(Debug)]
pub(crate) struct Visited {
    levels: Box<[Box<[u64]>]>, // the places, then the words above; the last level is one word
    places: u64,               // above 0
    free: u64,
}

impl Visited {
    /// None of so many places is visited.
    pub(crate) fn new(places: u64) -> Visited {
        assert!(places > 0, "a range has at least one place");
        let mut levels = Vec::new();
        let mut bits = places;
        loop {
            let words = bits.div_ceil(WORD);
            levels.push(vec![0; words as usize].into_boxed_slice());
            if words == 1 {
                break;
            }
            bits = words;
        }
        let mut visited = Visited {
            levels: levels.into(),
            places,
            free: places,
        };
        visited.clear();
        visited
    }

    /// Begins the next pass. What is behind the last place counts as visited.
    fn clear(&mut self) {
        let mut bits = self.places;
        for level in &mut self.levels {
            level.fill(0);
            let rest = bits % WORD;
            if rest > 0
                && let Some(last) = level.last_mut()
            {
                *last = u64::MAX << rest;
            }
            bits = bits.div_ceil(WORD);
        }
        self.free = self.places;
    }

    /// The first free place from this one on, or else from the start. Where all were visited the next pass begins.
    pub(crate) fn next_free(&mut self, from: u64) -> u64 {
        if self.free == 0 {
            self.clear();
        }
        let found = self.free_from(0, from).or_else(|| self.free_from(0, 0));
        found.expect("a pass with no free place has ended")
    }

    /// The first bit of a level from this one on that is not set.
    fn free_from(&self, level: usize, from: u64) -> Option<u64> {
        let bits = self.levels.get(level)?;
        let word = from / WORD;
        let after = !*bits.get(word as usize)? & u64::MAX << (from % WORD);
        if after != 0 {
            return Some(word * WORD + u64::from(after.trailing_zeros()));
        }
        let next = self.free_from(level + 1, word + 1)?;
        let free = !bits[next as usize];
        Some(next * WORD + u64::from(free.trailing_zeros()))
    }

    /// Marks up to so many places from a free one on. Returns how many were free, up to the first that was visited.
    pub(crate) fn take(&mut self, from: u64, most: u64) -> u64 {
        let mut taken = 0;
        while taken < most && from + taken < self.places && self.mark(from + taken) {
            taken += 1;
        }
        self.free -= taken;
        taken
    }

    /// Marks a place. Returns whether it was free.
    fn mark(&mut self, place: u64) -> bool {
        let mut bit = place;
        for (number, level) in self.levels.iter_mut().enumerate() {
            let word = &mut level[(bit / WORD) as usize];
            let mask = 1 << (bit % WORD);
            if *word & mask != 0 {
                return number > 0;
            }
            *word |= mask;
            if *word != u64::MAX {
                return true;
            }
            bit /= WORD;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_taken_up_to_the_next_visited_one_and_from_the_start_again() {
        let mut visited = Visited::new(130);
        assert_eq!(visited.next_free(64), 64);
        assert_eq!(visited.take(64, 3), 3);
        assert_eq!(visited.next_free(65), 67);
        assert_eq!(visited.take(60, 10), 4);
        assert_eq!(visited.next_free(60), 67);
        assert_eq!(visited.take(67, 1000), 63);
        assert_eq!(visited.next_free(100), 0, "from the start again");
        assert_eq!(visited.take(0, 1000), 60);
        assert_eq!(visited.next_free(7), 7, "the next pass begins");
    }

    proptest! {
        /// The same as a list of flags, in each pass.
        #[test]
        fn each_place_is_visited_once_a_pass(
            places in 1u64..9000,
            draws in prop::collection::vec((0u64..9000, 1u64..70), 1..400),
        ) {
            let mut visited = Visited::new(places);
            let mut flags = vec![false; places as usize];
            for (from, most) in draws {
                if flags.iter().all(|flag| *flag) {
                    flags.fill(false);
                }
                let from = from % places;
                let place = visited.next_free(from);
                let free = |flag: &bool| !*flag;
                let later = flags[from as usize..].iter().position(free).map(|at| at + from as usize);
                let expected = later.or_else(|| flags.iter().position(free)).unwrap();
                prop_assert_eq!(place, expected as u64);
                let taken = visited.take(place, most);
                let run = flags[expected..].iter().take(most as usize).take_while(|flag| !**flag).count();
                prop_assert_eq!(taken, run as u64);
                flags[expected..expected + run].fill(true);
            }
        }
    }
}
