//! The survey: each workload's service time, knee, peak and what it can keep, from as few cells as possible.
//!
//! # The order
//!
//! Reads run first, then the mix, then the writes: a device goes on tidying up after writes, and would serve
//! reads worse meanwhile. Every cell draws other offsets (its own seed), so that none finds in a cache what the
//! one before it brought there. When time gets short (cells cost more than expected), depth 1 of the
//! workloads that have nothing yet comes before any further climb, and climbs that do not fit are dropped. When all
//! workloads that write the same share are known, the peak of each is run once more: a run's own interval cannot show
//! how far the target, or the machine, changes from one minute to the next. Before the next kind, because writes change
//! what reads find. What time remains when all are known goes to the cells that the answer rests on and whose intervals are
//! too wide, the widest first.
//!
//! Read in this order: `workloads` (what is done), `load` (how hard), `row` (what is known of a workload), `climb` (the
//! next load of one), `wider` (the same with more threads), `again` (its peak again), `allowance` (how long all climbs may measure), `goal` (the next
//! arrival rate), `side` (requested extra checks), `skipped` (what was not run, and why).
//!
//! Deliberately absent: running (`engine`), checking against the machine (`model::check`), and judging.

mod again;
mod allowance;
mod climb;
mod goal;
mod load;
mod row;
mod side;
mod skipped;
mod wider;
mod workloads;

use crate::budget::{self, Purse};
use crate::{Measured, Point, Sweep};
use again::{FURTHER_PART, REPEATS_MAX, runs_again, waits_for_another};
use allowance::Allowance;
use analysis::{Goal, RunLoad};
use climb::Limits;
pub use climb::Why;
pub use load::Load;
use row::Row;
use side::Side;
pub use skipped::Skipped;
pub use workloads::{SETS, SurveyWorkload, WorkloadSet};

use model::{
    Arrivals, Bytes, CacheMode, EngineChoice, Location, Nanos, OnError, Phases, Placement,
    QueueDepth, Ratio, Spacing, Target, Timespan, Workload,
};

/// Deepest queue of a ladder.
const DEPTH_MAX: u32 = 128;
/// Most threads, independent of the machine.
const THREADS_MAX: u32 = 8;
/// Half of the 95% interval of a rate, as a share of it, at which a cell is known well enough.
pub const PRECISION_DEFAULT: f64 = 0.02;
/// Runs of one load, at most, to make its interval narrower.
const TIGHTEN_MAX: u32 = 3;
/// A cell that only shows the way may be known so many times less well: of two loads it shows which is faster by 10%. The
/// deepest, which is mostly the peak, is run as well as asked, and so is the peak in the end, wherever it is.
const ON_THE_WAY: f64 = 2.5;
/// What the cells of a survey share out among them, as a share of what the whole grid would measure: what is still loose
/// then stays so. With the least that each needs it is at most a tenth.
pub const GRID_SHARE_DEFAULT: f64 = 0.09;
/// An interval so many times wider than asked is worth another run.
const WORTH_IT: f64 = 1.25;
/// Cells that a climb is likely to take: for sharing out the time.
const CELLS_LIKELY: usize = 6;
/// Outstanding I/Os of an open loop, at most: enough that a slot is free unless the target cannot keep the rate.
const OPEN_DEPTH: u32 = 128;
/// A cell of the whole grid: long enough for a person to believe it.
const GRID_PHASES: Phases = Phases {
    warmup: Nanos::seconds(1),
    measured: Nanos::seconds(4),
    cooldown: Nanos(0),
};

/// What a survey is to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyRequest {
    /// On what. It must be there, with data in it: making the file is not part of the survey.
    pub target: Location,
    /// Length of the range, from the start of the target. // at least the largest block
    pub size: Bytes,
    /// Deepest queue allowed, for a small range or little memory. The ladder stops at 128 anyway. // at least 1
    pub queue_depth_max: u32,
    /// Most threads: no more than cores help. // at least 1
    pub threads_max: u32,
    /// The device below a file, on which the workloads that read are run too.
    pub raw: Option<Location>,
    /// The rest, which does not depend on target and machine.
    pub options: SurveyOptions,
}

/// What is chosen of a survey, on any target and machine.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyOptions {
    /// Caches between the I/O and the device.
    pub cache: CacheMode,
    /// For all cells together, [`crate::BUDGET_DEFAULT`] unless asked otherwise. // above 0
    pub budget: Nanos,
    /// What is done, in the order of display. // at least one
    pub workloads: Vec<SurveyWorkload>,
    /// Omit the workloads that write.
    pub read_only: bool,
    /// Same seed and same results, same cells.
    pub seed: u64,
    /// Which backend; `sync` climbs by threads.
    pub engine: EngineChoice,
    /// Half of the 95% interval of a rate, as a share of it, at which a cell ends. // above 0
    pub precision: f64,
    /// The time that the cells of all climbs may measure together, as a share of what the whole grid would measure; none
    /// where all of the budget may go into them. // above 0
    pub grid_share: Option<f64>,
    /// A latency to be kept by arrivals in an open loop.
    pub goal: Option<Goal>,
    /// Every depth with every number of threads, each cell for the same time.
    pub exhaustive: bool,
    /// Also look whether caches are honest.
    pub cache_check: bool,
}

impl SurveyOptions {
    /// The workloads that are run: all, or those that only read.
    pub fn wanted(&self) -> impl Iterator<Item = &SurveyWorkload> {
        let reads = |workload: &&SurveyWorkload| !self.read_only || workload.write == Ratio::NONE;
        self.workloads.iter().filter(reads)
    }
}

/// A survey that cannot be done as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurveyError {
    /// Not every cell that may come would get the least time that gives a result.
    #[error(
        "budget: read {read}; {cells} cells need at least {needed}: specify --budget {needed} or more"
    )]
    Budget {
        /// As it was given.
        read: Nanos,
        /// The least that works.
        needed: Nanos,
        /// How many cells come.
        cells: usize,
    },
    /// The range contains no block of the largest workload.
    #[error(
        "size: read {read}; a survey needs at least {least}, and is inaccurate below 1G: use --size 1G"
    )]
    Size {
        /// As it was given.
        read: Bytes,
        /// The least that works.
        least: Bytes,
    },
    /// No queue at all.
    #[error("queue depth: read 0; a survey needs at least 1")]
    QueueDepth,
    /// Nothing is left to be done.
    #[error(
        "--read-only: every workload of this survey writes: omit it, or take workloads that read"
    )]
    NothingToRead,
}

/// Workloads on one target within one budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    request: SurveyRequest,
    order: Vec<SurveyWorkload>, // in the order of running
    limits: Limits,
}

/// What is to be run next, and why.
enum Ask {
    Closed(Load, Why),
    Open(u64, Why),
    Beside(Side),
}

impl Survey {
    /// Checks that the request can be met; see [`SurveyError`].
    pub fn new(request: SurveyRequest) -> Result<Survey, SurveyError> {
        let mut order: Vec<_> = request.options.wanted().cloned().collect();
        let Some(least) = order.iter().map(|w| w.block).max() else {
            return Err(SurveyError::NothingToRead);
        };
        if request.size < least {
            return Err(SurveyError::Size {
                read: request.size,
                least,
            });
        }
        if request.queue_depth_max == 0 {
            return Err(SurveyError::QueueDepth);
        }
        order.sort_by_key(|w| w.write); // stable: reads, the mix, writes, each as displayed
        let threads_max = request.threads_max.clamp(1, THREADS_MAX);
        let depth_max = request.queue_depth_max.min(DEPTH_MAX);
        let survey = Survey {
            limits: Limits {
                ladder: load::ladder(request.options.engine, depth_max, threads_max),
                threads_max,
                in_flight_max: u32::MAX,
            },
            order,
            request,
        };
        survey.affordable()?;
        Ok(survey)
    }

    /// One cell a workload is the least that a survey is.
    fn affordable(&self) -> Result<(), SurveyError> {
        let (cells, needed) = match self.request.options.exhaustive {
            true => {
                let cells = self.order.len() * self.grid().len();
                (cells, budget::for_cells(cells, GRID_PHASES.total()))
            }
            false => {
                let cells = self.order.len() * CELLS_LIKELY.min(self.limits.ladder.len());
                (cells, budget::least(cells))
            }
        };
        if self.request.options.budget < needed {
            return Err(SurveyError::Budget {
                read: self.request.options.budget,
                needed,
                cells,
            });
        }
        Ok(())
    }

    /// The workloads that are run, in the order of display.
    pub fn workloads(&self) -> impl Iterator<Item = &SurveyWorkload> {
        self.request
            .options
            .workloads
            .iter()
            .filter(|workload| self.order.contains(workload))
    }

    /// What it was asked.
    pub const fn request(&self) -> &SurveyRequest {
        &self.request
    }

    /// An estimate for a person who waits: the rest of the budget, or less where the cells that may still
    /// come cannot use it up. It falls faster than the clock whenever a climb ends early.
    pub fn time_left(&self, done: &[Measured]) -> Nanos {
        let cells = self.cells_left_max(done);
        if cells == 0 {
            return Nanos(0);
        }
        let purse = Purse::after(done, self.request.options.budget);
        let by_budget = purse.time_for(cells);
        // Goals and extra checks are not of the allowance.
        let only_climbs = !self.request.options.exhaustive && self.request.options.goal.is_none();
        match self.allowance(done) {
            Allowance::UNBOUNDED => by_budget,
            allowance if only_climbs => {
                by_budget.min(allowance.time_for(self.cells_likely(done), &purse))
            }
            _ => by_budget,
        }
    }

    /// What was not run, and why; one entry a workload that left something out.
    pub fn skipped(&self, done: &[Measured]) -> Vec<Skipped> {
        let (grid, rows) = (self.grid(), self.rows(done));
        let climbs = self.climbs(&rows);
        let each = self.order.iter().zip(rows.iter().zip(&climbs));
        each.filter_map(|(workload, (row, next))| {
            Skipped::of(&workload.name, &grid, row, next.is_none())
        })
        .collect()
    }

    /// The workloads whose knee and peak are known.
    pub fn settled(&self, done: &[Measured]) -> Vec<String> {
        let rows = self.rows(done);
        let climbs = self.climbs(&rows);
        let known = self.order.iter().zip(climbs.iter().zip(&rows));
        known
            .filter(|(_, (next, row))| next.is_none() && !row.spoilt && !row.is_new())
            .map(|(workload, _)| workload.name.clone())
            .collect()
    }

    /// Every load of the whole grid: the ladder with one thread, two, four, …
    fn grid(&self) -> Vec<Load> {
        let mut grid: Vec<Load> = Vec::new();
        let widths = (0..=self.limits.threads_max.ilog2()).map(|step| 1u32 << step);
        for threads in widths {
            let wide = self.limits.ladder.iter().map(|load| Load {
                threads: load.threads.max(threads),
                depth: load.depth,
            });
            grid.extend(wide);
        }
        grid.sort_by_key(|load| (load.threads, load.depth));
        grid.dedup();
        grid
    }

    fn rows(&self, done: &[Measured]) -> Vec<Row> {
        let names = self.order.iter().map(|workload| &workload.name);
        names.map(|name| Row::of(name, done)).collect()
    }

    /// The next load of each workload in turn; `None` for one that is known.
    fn climbs(&self, rows: &[Row]) -> Vec<Option<(Load, Why)>> {
        let mut known: Vec<(&SurveyWorkload, f64)> = Vec::new();
        let mut climbs = Vec::with_capacity(rows.len());
        for (workload, row) in self.order.iter().zip(rows) {
            let next = wider::next(row, &self.limits, roof(workload, &known));
            if let (None, Some(best)) = (&next, row.best()) {
                known.push((workload, best.rate));
            }
            climbs.push(next);
        }
        climbs
    }

    /// What is to be run next, of which workload.
    fn choose(&self, done: &[Measured], purse: &Purse) -> Option<(usize, Ask)> {
        if purse.remaining == Nanos(0) {
            return None;
        }
        let rows = self.rows(done);
        if self.request.options.exhaustive {
            return self.of_the_grid(&rows).or_else(|| self.beside(done));
        }
        let waiting = rows.iter().filter(|row| row.is_new()).count() as u64;
        let least = purse.least_cell().0;
        let fits = purse.remaining.0 >= least.saturating_mul(waiting + 1);
        let new = || {
            let place = rows.iter().position(Row::is_new)?;
            Some((place, Ask::Closed(Load::ONE, Why::ServiceTime)))
        };
        let climbs = self.climbs(&rows);
        let climbing = climbs.iter().position(Option::is_some);
        if fits
            && self.leaves_time(done, &rows, purse)
            && self.allowance(done).for_again().is_some()
        {
            let again = self.again(&rows, climbing);
            if again.is_some() {
                return again;
            }
        }
        if let Some(place) = climbing
            && let Some((load, why)) = climbs[place]
        {
            let may = rows[place].is_new() || fits;
            return if may {
                Some((place, Ask::Closed(load, why)))
            } else {
                new()
            };
        }
        if purse.remaining.0 < least {
            return None;
        }
        let allowed = self.allowance(done).left >= budget::MEASURED_MIN;
        self.beside(done)
            .or_else(|| self.of_the_goal(done, &rows))
            .or_else(|| self.loosest(&rows).filter(|_| allowed))
    }

    /// The best load of a workload a second time, where all that write as much are known.
    fn again(&self, rows: &[Row], climbing: Option<usize>) -> Option<(usize, Ask)> {
        let known = match climbing {
            Some(place) => {
                let kind = self.order[place].write;
                self.order.partition_point(|workload| workload.write < kind)
            }
            None => rows.len(),
        };
        let waiting = rows[..known].iter().enumerate().filter_map(|(place, row)| {
            let load = waits_for_another(row)?;
            Some((place, load, row.at(load)?.runs()))
        });
        // The runs of one load stand apart in time, those of others between them.
        let (place, load, _) = waiting.min_by_key(|(_, _, runs)| *runs)?;
        Some((place, Ask::Closed(load, Why::Again)))
    }

    /// Whether the climbs that are likely to come and the requested extra checks still fit after one cell more.
    fn leaves_time(&self, done: &[Measured], rows: &[Row], purse: &Purse) -> bool {
        let checks = side::wanted(&self.request, &self.order, done).len();
        let cells = (self.climbs_likely(rows) + checks) as u64 + 1;
        purse.remaining.0 >= purse.least_cell().0.saturating_mul(cells)
    }

    /// Requested extra checks.
    fn beside(&self, done: &[Measured]) -> Option<(usize, Ask)> {
        let side = side::wanted(&self.request, &self.order, done)
            .into_iter()
            .next()?;
        Some((0, Ask::Beside(side)))
    }

    fn of_the_grid(&self, rows: &[Row]) -> Option<(usize, Ask)> {
        let grid = self.grid();
        rows.iter().enumerate().find_map(|(place, row)| {
            let open = |load: &&Load| !row.spoilt && row.at(**load).is_none();
            let load = grid.iter().find(open)?;
            Some((place, Ask::Closed(*load, Why::Grid)))
        })
    }

    fn of_the_goal(&self, done: &[Measured], rows: &[Row]) -> Option<(usize, Ask)> {
        let goal = self.request.options.goal?;
        rows.iter().enumerate().find_map(|(place, row)| {
            let best = row.best().filter(|_| !row.spoilt)?.rate;
            let tries = goal::tries(&self.order[place].name, &goal, done);
            let (rate, why) = goal::next(&goal, best, &tries)?;
            Some((place, Ask::Open(rate, why)))
        })
    }

    /// Of the cells that the answer rests on, the one whose interval is the widest.
    fn loosest(&self, rows: &[Row]) -> Option<(usize, Ask)> {
        let ladder_start = *self.limits.ladder.first()?;
        let asked = self.request.options.precision;
        let candidates = rows.iter().enumerate().flat_map(|(place, row)| {
            let keys = [
                (row.at(ladder_start), ON_THE_WAY * asked),
                (row.peak(), asked),
            ];
            let known = keys
                .into_iter()
                .filter_map(|(cell, wanted)| Some((cell?, wanted)));
            known.map(move |(cell, wanted)| (place, row, cell, wanted))
        });
        let loose = candidates.filter(|(_, row, cell, wanted)| {
            let wide = cell
                .half_width
                .is_none_or(|width| width > WORTH_IT * *wanted);
            wide && !row.spoilt && cell.runs() < TIGHTEN_MAX
        });
        let width = |cell: &row::Cell| cell.half_width.unwrap_or(f64::INFINITY);
        let (place, _, cell, _) = loose.max_by(|a, b| width(a.2).total_cmp(&width(b.2)))?;
        Some((place, Ask::Closed(cell.load, Why::Precision)))
    }

    /// Cells that are likely to come: what the time is shared among.
    fn cells_likely(&self, done: &[Measured]) -> usize {
        let rows = self.rows(done);
        if self.request.options.exhaustive {
            return self.left_of_grid(&rows);
        }
        let goals = match self.request.options.goal {
            Some(goal) => self.tries_likely(&goal, done),
            None => 0,
        };
        let sides = side::wanted(&self.request, &self.order, done).len();
        let again = runs_again(&rows);
        (self.climbs_likely(&rows) + again + goals + sides).max(1)
    }

    /// Those of the climbs that have not ended; as many as one that did took, if that were more than usual.
    fn climbs_likely(&self, rows: &[Row]) -> usize {
        let climbs = self.climbs(rows);
        let ended = climbs.iter().zip(rows).filter(|(next, _)| next.is_none());
        let took = ended.map(|(_, row)| row.cells.len()).max().unwrap_or(0);
        let likely = took.max(CELLS_LIKELY).min(self.grid().len());
        let climbing = climbs.iter().zip(rows).filter(|(next, _)| next.is_some());
        let cells = climbing.map(|(_, row)| likely.saturating_sub(row.runs() as usize).max(1));
        cells.sum()
    }

    /// Arrival rates that are likely to be tried, of the workloads whose answer is not known.
    fn tries_likely(&self, goal: &Goal, done: &[Measured]) -> usize {
        let left = self.order.iter().map(|workload| {
            let tries = goal::tries(&workload.name, goal, done);
            match goal::is_sure(goal, &tries) {
                true => 0,
                false => goal::TRIES_LIKELY.saturating_sub(tries.len()).max(1),
            }
        });
        left.sum()
    }

    /// What the climbs may still measure.
    fn allowance(&self, done: &[Measured]) -> Allowance {
        let Some(share) = self.request.options.grid_share else {
            return Allowance::UNBOUNDED;
        };
        let cells = self.order.len() * self.grid().len();
        let whole = GRID_PHASES.measured.0.saturating_mul(cells as u64);
        Allowance::of(
            Nanos((whole as f64 * share) as u64),
            self.order.len(),
            done.iter().filter(|cell| self.is_of_a_climb(cell)),
        )
    }

    /// What a peak that was run so often may measure once more. Where noise lasts, several short runs show more than a long
    /// one.
    fn share_of_again(&self, runs: u32, done: &[Measured]) -> Nanos {
        let share = self.allowance(done).for_again();
        let share = share.unwrap_or(budget::MEASURED_MIN);
        match runs {
            0 | 1 => share,
            _ => Nanos(share.0 / FURTHER_PART),
        }
    }

    /// What a cell of a climb may measure.
    fn share_of_climbs(&self, why: Why, done: &[Measured]) -> Nanos {
        let (allowance, rows) = (self.allowance(done), self.rows(done));
        let cells = self.climbs_likely(&rows).max(1);
        let again = runs_again(&rows);
        allowance.without(again).share(why, cells)
    }

    fn is_of_a_climb(&self, cell: &Measured) -> bool {
        let closed = cell.record.plan.arrivals.is_none();
        closed && self.order.iter().any(|one| one.name == cell.label)
    }

    fn left_of_grid(&self, rows: &[Row]) -> usize {
        let grid = self.grid();
        let left = |row: &Row| grid.iter().filter(|load| row.at(**load).is_none()).count();
        rows.iter().filter(|row| !row.spoilt).map(left).sum()
    }

    fn point(&self, workload: &SurveyWorkload, ask: &Ask, phases: Phases) -> Point {
        let request = &self.request;
        let (load, arrivals, why) = match ask {
            Ask::Closed(load, why) => (*load, None, *why),
            Ask::Open(per_s, why) => {
                let spacing = Spacing::Poisson;
                let depth = OPEN_DEPTH.min(request.queue_depth_max);
                let load = Load { threads: 1, depth };
                (
                    load,
                    Some(Arrivals {
                        per_s: *per_s,
                        spacing,
                    }),
                    *why,
                )
            }
            Ask::Beside(side) => (side.load, None, Why::Beside),
        };
        let workload = match ask {
            Ask::Beside(side) => &side.work,
            Ask::Closed(..) | Ask::Open(..) => workload,
        };
        let times_rate = arrivals.map_or(0, |arrivals| arrivals.per_s);
        let tight = match why {
            Why::Precision | Why::Top | Why::Again => request.options.precision,
            _ => ON_THE_WAY * request.options.precision,
        };
        Point {
            label: workload.name.clone(),
            load,
            why,
            precision: (!request.options.exhaustive && arrivals.is_none()).then_some(tight),
            timespan: Timespan {
                start_delay: model::Nanos(0),
                end_with_first: false,
                phases,
                interval: budget::interval(phases.measured),
                seed: cell_seed(request.options.seed, &workload.name, load, times_rate),
                engine: request.options.engine,
                on_error: OnError::Stop,
                pool: None,
                polling: model::Polling::default(),
                queueing: model::Queueing::default(),
                placement: Placement::Free,
                arrivals,
                targets: vec![self.target(workload, load, ask)],
            },
        }
    }

    fn target(&self, workload: &SurveyWorkload, load: Load, ask: &Ask) -> Target {
        let request = &self.request;
        let work = Workload {
            block: workload.block,
            queue_depth: QueueDepth(load.depth),
            write: workload.write,
            access: workload.access.clone(),
        };
        match ask {
            Ask::Beside(side) => Target {
                length: Some(side.length),
                cache: side.cache,
                write_through: side.write_through,
                threads: load.threads,
                ..Target::new(side.target.clone(), work)
            },
            Ask::Closed(..) | Ask::Open(..) => Target {
                length: Some(request.size),
                cache: request.options.cache,
                threads: load.threads,
                ..Target::new(request.target.clone(), work)
            },
        }
    }
}

impl Sweep for Survey {
    fn next(&self, done: &[Measured]) -> Option<Point> {
        let purse = Purse::after(done, self.request.options.budget);
        let (place, ask) = self.choose(done, &purse)?;
        let phases = match (&ask, self.request.options.exhaustive) {
            (_, true) => GRID_PHASES,
            (Ask::Open(..), _) => purse.phases_of_goal(self.cells_likely(done)),
            (Ask::Closed(load, why), _) => {
                let most = match why {
                    Why::Again => {
                        let rows = self.rows(done);
                        let runs = rows[place].at(*load).map_or(0, row::Cell::runs);
                        self.share_of_again(runs, done)
                    }
                    _ => self.share_of_climbs(*why, done),
                };
                purse.phases(self.cells_likely(done), most)
            }
            (Ask::Beside(_), _) => purse.phases(self.cells_likely(done), Nanos::MAX),
        };
        let mut point = self.point(&self.order[place], &ask, phases);
        // A repeat draws other offsets than the run that it is to confirm.
        let again = done.iter().filter(|cell| cell.label == point.label);
        let again = again
            .filter(|cell| Load::of(&cell.record) == point.load)
            .count();
        point.timespan.seed = point.timespan.seed.wrapping_add(again as u64);
        Some(point)
    }

    fn cells_left_max(&self, done: &[Measured]) -> usize {
        let purse = Purse::after(done, self.request.options.budget);
        if self.choose(done, &purse).is_none() {
            return 0;
        }
        let rows = self.rows(done);
        let sides = side::wanted(&self.request, &self.order, done).len();
        if self.request.options.exhaustive {
            return self.left_of_grid(&rows) + sides;
        }
        let widths = self.limits.threads_max.ilog2() as usize * wider::LOADS_MAX;
        let most =
            self.limits.ladder.len() * TIGHTEN_MAX as usize + widths + RunLoad::FRESH * REPEATS_MAX;
        let goals = self
            .request
            .options
            .goal
            .map_or(0, |_| self.order.len() * goal::TRIES_MAX);
        let closed = rows.iter().filter(|row| !row.spoilt);
        let closed = closed.map(|row| most.saturating_sub(row.runs() as usize));
        (closed.sum::<usize>() + goals + sides).max(1)
    }
}

/// The peak that others of its kind foretell: as many I/Os as the fastest of them did, and no more bytes than one of at
/// least its own size did. Smaller blocks do not predict the bytes that larger ones can carry.
fn roof(workload: &SurveyWorkload, known: &[(&SurveyWorkload, f64)]) -> Option<f64> {
    let alike = known
        .iter()
        .filter(|(other, _)| other.access == workload.access && other.write == workload.write);
    let (rate, flow) = alike.fold((0.0f64, None), |(rate, flow), (other, its)| {
        let bytes = its * other.block.0 as f64;
        let larger = (other.block >= workload.block).then_some(bytes);
        (
            rate.max(*its),
            flow.into_iter().chain(larger).reduce(f64::max),
        )
    });
    let carried = flow.map_or(f64::INFINITY, |flow: f64| flow / workload.block.0 as f64);
    (rate > 0.0).then(|| rate.min(carried))
}

/// The FNV-1a hash of the cell over the survey's seed. Source: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn cell_seed(seed: u64, name: &str, load: Load, rate: u64) -> u64 {
    let bytes = name
        .bytes()
        .chain(load.depth.to_le_bytes())
        .chain(load.threads.to_le_bytes())
        .chain(rate.to_le_bytes());
    bytes.fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
