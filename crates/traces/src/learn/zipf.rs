//! Whether places are used by Zipf's law: two estimates of its exponent that see different things.
//!
//! The first is the likelihood of the most used blocks on their ranks; the second is the exponent that explains how many
//! different blocks were used. The usual likelihood over all ranks is up to 27% off, because rare blocks are ranked by
//! chance. Omitted: laws with other tails, which become tables.

/// A block is ranked by its uses if it has so many.
const RANKED: u64 = 20;
const RANKED_MIN: usize = 20;
const THETA: (f64, f64) = (0.05, 4.0);
/// The two estimates differ by less than this.
const AGREE: f64 = 0.05;
const ROUNDS: usize = 60;
/// So many ranks are summed one by one, then ever longer parts.
const EXACT: u64 = 2000;

/// What was counted of places.
pub(super) struct Uses<'a> {
    /// By block, the most used first, of a sample.
    pub(super) counts: &'a [u64],
    /// Share of the blocks in the sample.
    pub(super) rate: f64,
    /// I/Os, of all blocks.
    pub(super) ios: f64,
    /// Blocks of the range.
    pub(super) blocks: u64,
}

impl Uses<'_> {
    /// Returns the exponent if both estimates agree.
    pub(super) fn theta(&self) -> Option<f64> {
        let (head, distinct) = (self.head()?, self.distinct());
        let differ = (head - distinct).abs() / distinct;
        (differ < AGREE).then_some(distinct)
    }

    fn head(&self) -> Option<f64> {
        let ranked = self.counts.iter().take_while(|&&count| count >= RANKED);
        let ranked: Vec<f64> = ranked.map(|&count| count as f64).collect();
        if ranked.len() < RANKED_MIN {
            return None;
        }
        let shift = if self.rate < 1.0 { 0.5 } else { 1.0 };
        let logs: Vec<f64> = (0..ranked.len())
            .map(|rank| (rank as f64 + shift).ln())
            .collect();
        let sum: f64 = ranked.iter().sum();
        let seen = ranked.iter().zip(&logs).map(|(count, log)| count * log);
        let seen = seen.sum::<f64>() / sum;
        let expected = |theta: f64| {
            let (mut top, mut bottom) = (0.0, 0.0);
            for log in &logs {
                let weight = (-theta * log).exp();
                top += weight * log;
                bottom += weight;
            }
            top / bottom
        };
        Some(bisect(|theta| expected(theta) > seen))
    }

    fn distinct(&self) -> f64 {
        let seen = self.counts.len() as f64 / self.rate;
        bisect(|theta| expected_distinct(theta, self.blocks, self.ios) > seen)
    }
}

/// Returns how many different blocks so many I/Os use on average.
fn expected_distinct(theta: f64, blocks: u64, ios: f64) -> f64 {
    let cells = cells(blocks);
    let weight = |rank: f64| rank.powf(-theta);
    let total: f64 = cells
        .iter()
        .map(|(rank, count)| weight(*rank) * count)
        .sum();
    let each = cells.iter().map(|(rank, count)| {
        let mean = ios * weight(*rank) / total;
        count * (1.0 - (-mean).exp())
    });
    each.sum()
}

/// Ranks with how many ranks each represents.
fn cells(blocks: u64) -> Vec<(f64, f64)> {
    let exact = blocks.min(EXACT);
    let mut cells: Vec<(f64, f64)> = (1..=exact).map(|rank| (rank as f64, 1.0)).collect();
    let mut from = exact as f64 + 0.5;
    let end = blocks as f64 + 0.5;
    while from < end {
        let to = (from * 1.01).min(end);
        cells.push(((from * to).sqrt(), to - from));
        from = to;
    }
    cells
}

/// Returns the place from which on a condition is no longer true.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = THETA;
    for _ in 0..ROUNDS {
        let middle = (low + high) / 2.0;
        match holds(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}
