//! In which order the cells of a sweep run, and how often.
//!
//! Devices drift while a sweep goes on: they warm up, fill their write caches, tidy up. In a given order that drift
//! lands on one end of an axis and looks like an effect of it; in a drawn order it is spread over all cells. So each
//! pass is drawn again, and a repetition of a cell stands in another pass than the one before it: a randomised block
//! design. Source: Montgomery, Design and Analysis of Experiments, chapter 4.
//!
//! Deliberately absent: chance. The order follows from the seed alone, so that a sweep that was cut short goes on in the
//! order in which it began.

/// How cells follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the matrix gives them, each with its repetitions at once.
    Given,
    /// Pass by pass, each pass in an order of its own, drawn from the seed.
    #[default]
    Shuffled,
    /// Pass by pass, each as the matrix gives it.
    Interleaved,
}

/// One turn: which cell, and the how manieth time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Turn {
    /// Its place in the matrix.
    pub cell: usize,
    /// From 1.
    pub repetition: u32,
}

/// Every turn that may come, in order.
pub fn turns(cells: usize, repetitions: u32, order: Order, seed: u64) -> Vec<Turn> {
    let all = 0..cells;
    if order == Order::Given {
        return all
            .flat_map(|cell| (1..=repetitions).map(move |repetition| Turn { cell, repetition }))
            .collect();
    }
    let pass = |repetition: u32| {
        let mut places: Vec<usize> = all.clone().collect();
        if order == Order::Shuffled {
            shuffle(&mut places, seed ^ u64::from(repetition).rotate_left(32));
        }
        places
            .into_iter()
            .map(move |cell| Turn { cell, repetition })
    };
    (1..=repetitions).flat_map(pass).collect()
}

/// Fisher and Yates' shuffle: every order equally likely. Source: Knuth, The Art of Computer Programming, volume 2,
/// algorithm 3.4.2P.
fn shuffle(places: &mut [usize], seed: u64) {
    let mut dice = SplitMix(seed);
    for last in (1..places.len()).rev() {
        places.swap(last, dice.below(last as u64 + 1) as usize);
    }
}

/// Steele, Lea and Flood's generator (OOPSLA 2014), whose constants are part of its definition.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// In [0, bound), equally likely: what would favour the small ones is drawn again. // bound at least 1
    fn below(&mut self, bound: u64) -> u64 {
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let drawn = self.next();
            if drawn < fair {
                return drawn % bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(order: Order, seed: u64) -> Vec<(usize, u32)> {
        let turns = turns(3, 2, order, seed);
        turns
            .iter()
            .map(|turn| (turn.cell, turn.repetition))
            .collect()
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut dice = SplitMix(1_234_567);
        assert_eq!(dice.next(), 6_457_827_717_110_365_317);
        assert_eq!(dice.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn repetitions_stand_together_or_pass_by_pass() {
        let given = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2)];
        assert_eq!(places(Order::Given, 0), given);
        let passes = [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)];
        assert_eq!(places(Order::Interleaved, 0), passes);
    }

    #[test]
    fn another_seed_is_another_order_and_so_is_another_pass() {
        let order = |seed| turns(50, 2, Order::Shuffled, seed);
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let cells = |turns: &[Turn]| -> Vec<usize> { turns.iter().map(|turn| turn.cell).collect() };
        let both = order(7);
        assert_ne!(cells(&both[..50]), cells(&both[50..]));
    }

    proptest! {
        #[test]
        fn every_turn_comes_once(cells in 0usize..40, repetitions in 1u32..4, seed: u64, which in 0usize..3) {
            let order = [Order::Given, Order::Shuffled, Order::Interleaved][which];
            let mut all = turns(cells, repetitions, order, seed);
            prop_assert_eq!(all.len(), cells * repetitions as usize);
            all.sort();
            all.dedup();
            prop_assert_eq!(all.len(), cells * repetitions as usize);
        }
    }
}
