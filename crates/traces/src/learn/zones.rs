//! Counts by parts of the address space, whose width grows with it: 1025 to 2048 zones once 8 MiB are used.
//!
//! Omitted: what is counted.

/// Most zones.
pub(crate) const ZONES_MAX: usize = 2048;
/// The first width: 4 KiB.
const SHIFT: u32 = 12;

/// Two counts a zone.
#[derive(Clone, Debug)]
pub(crate) struct Zones {
    pub(crate) shift: u32,
    pub(crate) counts: Vec<[u64; 2]>,
}

impl Default for Zones {
    fn default() -> Zones {
        Zones {
            shift: SHIFT,
            counts: vec![[0; 2]; ZONES_MAX],
        }
    }
}

impl Zones {
    /// Counts an I/O at this place.
    pub(crate) fn add(&mut self, offset: u64, which: usize) {
        self.cover(offset.saturating_add(1));
        self.counts[(offset >> self.shift) as usize][which] += 1;
    }

    /// Widens the zones until all of the range is in them.
    pub(crate) fn cover(&mut self, range: u64) {
        while range > (ZONES_MAX as u64) << self.shift {
            self.shift += 1;
            fold(&mut self.counts, |a, b| [a[0] + b[0], a[1] + b[1]]);
        }
    }

    /// Returns the share of each zone of a covered range that has no other weights.
    pub(crate) fn uniform(&self, range: u64) -> Vec<f64> {
        let width = (1u64 << self.shift) as f64;
        let range = range as f64;
        let share = |zone: usize| ((range - zone as f64 * width) / width).clamp(0.0, 1.0);
        (0..ZONES_MAX)
            .map(|zone| share(zone) * width / range)
            .collect()
    }
}

/// Adds neighbours; the second half becomes empty.
pub(crate) fn fold<T: Copy + Default>(values: &mut [T], sum: impl Fn(T, T) -> T) {
    let half = values.len() / 2;
    for place in 0..half {
        values[place] = sum(values[2 * place], values[2 * place + 1]);
    }
    values[half..].fill(T::default());
}

/// Half the sum of the differences of two distributions, from their counts.
pub(crate) fn total_variation(a: &[f64], b: &[f64]) -> f64 {
    let sums = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
    if sums.0 <= 0.0 || sums.1 <= 0.0 {
        return if sums.0 <= 0.0 && sums.1 <= 0.0 {
            0.0
        } else {
            1.0
        };
    }
    let differences = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a / sums.0 - b / sums.1).abs());
    differences.sum::<f64>() / 2.0
}
