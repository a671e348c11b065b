//! Which peaks are run again, and how often that is still to come.
//!
//! Once where runs have intervals of their own, [`analysis::RunLoad::FRESH`] times where the noise lasts as long as a run.
//! Deliberately absent: which load is the peak, which the report decides as well (`analysis`), and when there is time for it.

use super::load::Load;
use super::row::{Cell, Row};

/// Loads near the peak that are run again, at most: where a second run leaves another load the peak, that one wants its
/// second run too.
pub(super) const REPEATS_MAX: usize = 3;
/// The third run of a peak and those after it take this part of the second one's time.
pub(super) const FURTHER_PART: u64 = 2;

/// The load that will be called the peak, where it was not run often enough.
pub(super) fn waits_for_another(row: &Row) -> Option<Load> {
    let peak = row.peak().filter(|peak| peak.runs() < row.runs_of_peak())?;
    let near = row.cells.iter().filter(|cell| {
        let is_near = cell.rate >= analysis::KNEE_SHARE * peak.rate;
        is_near && cell.runs() >= row.runs_of_peak()
    });
    (!row.spoilt && near.count() < REPEATS_MAX).then_some(peak.load)
}

/// Runs of peaks that are likely to come, also of workloads that were not run at all, in the time of a second run.
pub(super) fn runs_again(rows: &[Row]) -> usize {
    let likely = rows.iter().map(Row::runs_of_peak).max().unwrap_or(2);
    let left = rows.iter().map(|row| match waits_for_another(row) {
        Some(load) => row.runs_of_peak() - row.at(load).map_or(0, Cell::runs),
        None if row.is_new() => likely - 1,
        None => 0,
    });
    let times = left.map(|runs| u64::from(runs).div_ceil(FURTHER_PART));
    times.sum::<u64>() as usize
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Device, FAST, play, survey};
    use crate::survey::row::Row;
    use model::Nanos;

    /// The hardest case of a peak: noise that stays about as long as a run, and five loads of one rate.
    #[test]
    fn the_peak_of_a_target_with_noise_that_lasts_is_not_the_luckiest_run() {
        for lasting in [0.03, 0.1] {
            let noisy = Device { lasting, ..FAST };
            let (mut bias, mut missed) = (0.0, 0);
            let surveys = 200;
            for seed in 0..surveys {
                let survey = survey(|r| {
                    r.options.seed = seed;
                    r.options.workloads.truncate(1);
                });
                let done = play(&survey, |point| noisy.run(point, Nanos::millis(30)));
                let row = Row::of("4K random read", &done);
                let peak = row.peak().unwrap();
                let reach = peak.half_width.map(|width| width * peak.rate);
                missed += u32::from(reach.is_none_or(|reach| (peak.rate - FAST.cap).abs() > reach));
                bias += (peak.rate / FAST.cap - 1.0) / surveys as f64;
            }
            assert!(
                missed <= surveys as u32 * 75 / 1000,
                "{lasting}: {missed}, {bias}"
            );
            assert!(bias.abs() < 0.01, "{lasting}: {bias}");
        }
    }
}
