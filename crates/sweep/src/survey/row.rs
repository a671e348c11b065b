//! What is known so far of one workload: each load with its rate, repeats taken together.

use super::load::Load;
use crate::Measured;
use analysis::{Estimate, RunLoad};
use model::RunResult;

/// One load of a workload, all its runs together, as the report joins them ([`Estimate::together`]).
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) load: Load,
    /// IOPS over all runs. // above 0
    pub(crate) rate: f64,
    /// Half of the 95% interval as a share of the rate; `None` where the runs do not give it.
    pub(crate) half_width: Option<f64>,
    /// Mean latency of all I/Os in seconds.
    pub(crate) latency_s: f64,
    /// The tool, and not the target, was its limit.
    pub(crate) tool_bound: bool,
    /// I/Os of all runs.
    ios: f64,
    /// Measured nanoseconds and rate of each run.
    each: Vec<(f64, Estimate)>,
}

/// One workload.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// In the order of the in-flight counts, one a load.
    pub(crate) cells: Vec<Cell>,
    /// A run failed, was stopped, or moved nothing: nothing more is asked of this workload.
    pub(crate) spoilt: bool,
    /// The noise of a run lasts as long as it.
    pub(crate) lasting: bool,
}

impl Row {
    /// The closed-loop cells of a workload among all that was done.
    pub(crate) fn of(label: &str, done: &[Measured]) -> Row {
        let mut row = Row::default();
        let mine = done
            .iter()
            .filter(|cell| cell.label == label && cell.record.plan.arrivals.is_none());
        for measured in mine {
            match Cell::of(measured) {
                Some(cell) => row.add(cell),
                None => row.spoilt = true,
            }
            row.lasting |= measured.rate.is_lasting();
        }
        for cell in &mut row.cells {
            cell.settle(row.lasting);
        }
        row
    }

    fn add(&mut self, cell: Cell) {
        match self.cells.iter_mut().find(|known| known.load == cell.load) {
            Some(known) => known.join(cell),
            None => {
                let key = |cell: &Cell| (cell.load.in_flight(), cell.load.threads);
                let place = self.cells.partition_point(|other| key(other) < key(&cell));
                self.cells.insert(place, cell);
            }
        }
    }

    pub(crate) fn at(&self, load: Load) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.load == load)
    }

    /// The one that surely reaches the most: of many cells that are identical, the one with the highest rate would be the
    /// luckiest.
    pub(crate) fn best(&self) -> Option<&Cell> {
        self.cells
            .iter()
            .max_by(|a, b| a.at_least().total_cmp(&b.at_least()))
    }

    /// The one that the report will call the peak: of those that are identical the one in the middle.
    pub(crate) fn peak(&self) -> Option<&Cell> {
        let known: Vec<_> = self
            .cells
            .iter()
            .map(|cell| RunLoad {
                rate: cell.rate,
                half_width: cell.half_width,
                in_flight: u64::from(cell.load.in_flight()),
                runs: cell.each.len(),
            })
            .collect();
        self.cells.get(RunLoad::peak_of(&known, self.lasting)?)
    }

    /// Where noise lasts, a peak that is run again is settled: each further run would show another one.
    pub(crate) fn is_run_afresh(&self) -> bool {
        self.lasting && self.peak().is_some_and(|peak| peak.runs() > 1)
    }

    /// How often the peak is run: again where runs have intervals of their own, until repeats give one where noise lasts.
    pub(crate) fn runs_of_peak(&self) -> u32 {
        match self.lasting {
            true => RunLoad::FRESH as u32 + 1,
            false => 2,
        }
    }

    /// Nothing of it was run.
    pub(crate) fn is_new(&self) -> bool {
        self.cells.is_empty() && !self.spoilt
    }

    /// Runs in all.
    pub(crate) fn runs(&self) -> u32 {
        self.cells.iter().map(Cell::runs).sum()
    }
}

impl Cell {
    /// `None` for a run that did not end as planned or moved nothing.
    fn of(measured: &Measured) -> Option<Cell> {
        let record = &measured.record;
        let latency_s = measured.latency_s?;
        let usable = record.result() == RunResult::Usable && measured.rate.value > 0.0;
        let measured_ns = record.phases.measured().0 as f64;
        usable.then(|| Cell {
            load: Load::of(record),
            rate: measured.rate.value,
            half_width: measured.rate.half_width_share(),
            latency_s,
            tool_bound: measured.tool_bound,
            ios: measured.ios as f64,
            each: vec![(measured_ns, measured.rate)],
        })
    }

    /// How often it was run.
    pub(crate) fn runs(&self) -> u32 {
        u32::try_from(self.each.len()).unwrap_or(u32::MAX)
    }

    /// What it reaches by [`analysis::surely`].
    pub(crate) fn at_least(&self) -> f64 {
        analysis::surely(self.rate, self.half_width)
    }

    /// Puts the rate of its runs together.
    fn settle(&mut self, lasting: bool) {
        if self.each.len() > 1 {
            let rate = RunLoad::rate_of(&self.each, lasting);
            (self.rate, self.half_width) = (rate.value, rate.half_width_share());
        }
    }

    /// Adds another run of the same load.
    fn join(&mut self, other: Cell) {
        self.each.extend(other.each);
        let ios = self.ios + other.ios;
        self.latency_s = (self.latency_s * self.ios + other.latency_s * other.ios) / ios;
        self.ios = ios;
        self.tool_bound &= other.tool_bound;
    }
}

#[cfg(test)]
impl Cell {
    /// One run of so many IOPS.
    pub(crate) fn sample(load: Load, rate: f64, half_width: f64, tool_bound: bool) -> Cell {
        let width = rate * half_width;
        let estimate = Estimate {
            low: Some(rate - width),
            high: Some(rate + width),
            ..Estimate::bare(rate, 10.0)
        };
        Cell {
            load,
            rate,
            half_width: Some(half_width),
            latency_s: 1e-4,
            tool_bound,
            ios: rate,
            each: vec![(1e9, estimate)],
        }
    }
}
