//! The survey: seven workloads, each climbed from queue depth 1 until more depth brings nothing.
//!
//! # Why these seven
//!
//! A person first looks for four numbers: the best random rate and the best bandwidth, for reads and for
//! writes (Seastar's iotune measures exactly these; CrystalDiskMark shows them as its rows). They are the 4K
//! random and the 1M sequential pairs. The other three are what databases do: 8K random with 30 % writes is
//! the usual picture of transactions, 64K random reads are index and extent reads, and 512K sequential
//! reads are a table scan with read-ahead. Five block sizes also give the line "time = a + b × size" at
//! depth 1, which parts what positioning costs from what the link carries.
//!
//! # The ladder
//!
//! Depth doubles from 1 to at most 128 on one thread. The climb ends when two doublings brought nothing, by the
//! rule of [`analysis::gain_has_ended`]. A run that was interrupted, failed or moved nothing ends its ladder too.
//!
//! # The order
//!
//! Reads run first, then the mix, then the writes: a device goes on tidying up after writes, and would serve
//! reads worse meanwhile. Every cell draws other offsets (its own seed), so that none finds in a cache what the
//! one before it brought there. When time gets short (cells cost more than expected), depth 1 of the
//! workloads that have nothing yet comes before any further climb, and climbs that do not fit are dropped.
//!
//! Deliberately absent: running (`engine`), checking against the machine (`model::check`), and judging.

use crate::budget::{self, Purse};
use crate::{Measured, Point, Sweep};
use model::{
    Access, Bytes, CacheMode, EngineChoice, Location, Nanos, OnError, Outcome, Placement,
    QueueDepth, Ratio, RunRecord, Target, Timespan, Workload,
};

/// Deepest queue of a ladder.
const DEPTH_MAX: u32 = 128;

/// One of the seven: what is done, at any depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyWorkload {
    /// As reports call it.
    pub name: &'static str,
    /// Bytes of one I/O.
    pub block: Bytes,
    /// Share of I/Os that are writes.
    pub write: Ratio,
    /// Where the next I/O goes.
    pub access: Access,
}

const fn workload(name: &'static str, kib: u64, write: Ratio, access: Access) -> SurveyWorkload {
    SurveyWorkload {
        name,
        block: Bytes::kib(kib),
        write,
        access,
    }
}

const OLTP: Ratio = Ratio::percent(30).expect("30 is a percentage");

/// In the order in which reports show them.
static WORKLOADS: [SurveyWorkload; 7] = [
    workload("4K random read", 4, Ratio::NONE, Access::Random),
    workload("4K random write", 4, Ratio::ALL, Access::Random),
    workload("8K random 70/30", 8, OLTP, Access::Random),
    workload("64K random read", 64, Ratio::NONE, Access::Random),
    workload("512K sequential read", 512, Ratio::NONE, Access::Sequential),
    workload("1M sequential read", 1024, Ratio::NONE, Access::Sequential),
    workload("1M sequential write", 1024, Ratio::ALL, Access::Sequential),
];

/// What a survey is to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyRequest {
    /// On what. It must be there, with data in it: making the file is not part of the survey.
    pub target: Location,
    /// Length of the range, from the start of the target. // at least 1 MiB
    pub size: Bytes,
    /// What stands between the I/O and the device.
    pub cache: CacheMode,
    /// For all cells together, [`crate::BUDGET_DEFAULT`] unless asked otherwise.
    pub budget: Nanos,
    /// Leave out the workloads that write.
    pub read_only: bool,
    /// Same seed and same results, same cells.
    pub seed: u64,
    /// Which backend; `sync` has only depth 1.
    pub engine: EngineChoice,
    /// Deepest queue allowed, for a small range or little memory. The ladder stops at 128 anyway. // at least 1
    pub queue_depth_max: u32,
}

/// A survey that cannot be done as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurveyError {
    /// Not every cell that may come would get the least time that tells anything.
    #[error(
        "budget: read {read}; up to {cells} cells need at least {needed}: say --budget {needed} or more"
    )]
    Budget {
        /// As it was given.
        read: Nanos,
        /// The least that works.
        needed: Nanos,
        /// How many cells may come.
        cells: usize,
    },
    /// The range holds no block of the largest workload.
    #[error(
        "size: read {read}; a survey needs at least {least}, and tells little below 1G: say --size 1G"
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
}

/// The seven workloads on one target within one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    request: SurveyRequest,
    order: Vec<SurveyWorkload>, // in the order of running
    steps: usize,               // rungs of a full ladder // at least 1
}

impl Survey {
    /// Checks that the request can be met; see [`SurveyError`].
    pub fn new(request: SurveyRequest) -> Result<Survey, SurveyError> {
        let least = WORKLOADS.iter().map(|w| w.block).max();
        let least = least.expect("there are workloads");
        if request.size < least {
            return Err(SurveyError::Size {
                read: request.size,
                least,
            });
        }
        if request.queue_depth_max == 0 {
            return Err(SurveyError::QueueDepth);
        }
        let depth_max = match request.engine {
            EngineChoice::Sync => 1,
            EngineChoice::Auto
            | EngineChoice::IoUring
            | EngineChoice::Libaio
            | EngineChoice::Nvme
            | EngineChoice::Null => request.queue_depth_max.min(DEPTH_MAX),
        };
        let mut order: Vec<_> = WORKLOADS
            .iter()
            .filter(|w| !request.read_only || w.write == Ratio::NONE)
            .cloned()
            .collect();
        order.sort_by_key(|w| w.write); // stable: reads, the mix, writes, each as displayed
        let survey = Survey {
            request,
            order,
            steps: depth_max.ilog2() as usize + 1,
        };
        let cells = survey.order.len() * survey.steps;
        let needed = budget::least(cells);
        if survey.request.budget < needed {
            return Err(SurveyError::Budget {
                read: survey.request.budget,
                needed,
                cells,
            });
        }
        Ok(survey)
    }

    /// All seven, in the order in which reports show them.
    pub const fn workloads() -> &'static [SurveyWorkload; 7] {
        &WORKLOADS
    }

    /// An estimate for a person who waits: the rest of the budget, or less where the cells that may still
    /// come cannot use it up. It falls faster than the clock whenever a ladder ends early.
    pub fn time_left(&self, done: &[Measured]) -> Nanos {
        match self.cells_left_max(done) {
            0 => Nanos(0),
            cells => Purse::after(done, self.request.budget).time_for(cells),
        }
    }

    /// Each workload with the number of rungs that it has behind it, and may have ahead.
    fn ladders(&self, done: &[Measured]) -> Vec<Ladder> {
        let ladder = |workload: &SurveyWorkload| {
            let rates: Vec<Option<f64>> = done
                .iter()
                .filter(|cell| cell.label == workload.name)
                .map(|cell| rate(&cell.record))
                .collect();
            let ended = has_ended(&rates) || rates.len() >= self.steps;
            Ladder {
                workload: workload.clone(),
                climbed: rates.len(),
                ahead: if ended { 0 } else { self.steps - rates.len() },
            }
        };
        self.order.iter().map(ladder).collect()
    }

    /// The ladder whose next rung is to be run.
    fn choose(&self, ladders: &[Ladder], purse: &Purse) -> Option<Ladder> {
        if purse.remaining == Nanos(0) {
            return None;
        }
        let first = ladders.iter().find(|l| l.climbed == 0).cloned();
        let waiting = ladders.iter().filter(|l| l.climbed == 0).count() as u64;
        let least = purse.least_cell().0;
        let climb_fits = purse.remaining.0 >= least.saturating_mul(waiting + 1);
        match ladders.iter().find(|l| l.ahead > 0).cloned() {
            Some(next) if next.climbed == 0 || climb_fits => Some(next),
            _ => first,
        }
    }

    fn point(&self, ladder: &Ladder, purse: &Purse, cells: usize) -> Point {
        let SurveyRequest {
            target,
            size,
            cache,
            budget: _,
            read_only: _,
            seed,
            engine,
            queue_depth_max: _,
        } = &self.request;
        let SurveyWorkload {
            name,
            block,
            write,
            access,
        } = ladder.workload.clone();
        let phases = purse.phases(cells);
        let queue_depth = QueueDepth(1 << ladder.climbed);
        Point {
            label: name.to_owned(),
            queue_depth,
            timespan: Timespan {
                phases,
                interval: budget::interval(phases.measured),
                seed: cell_seed(*seed, name, queue_depth),
                engine: *engine,
                on_error: OnError::Stop,
                pool: None,
                polling: model::Polling::default(),
                placement: Placement::Free,
                arrivals: None,
                targets: vec![Target {
                    length: Some(*size),
                    cache: *cache,
                    ..Target::new(
                        target.clone(),
                        Workload {
                            block,
                            queue_depth,
                            write,
                            access,
                        },
                    )
                }],
            },
        }
    }
}

impl Sweep for Survey {
    fn next(&self, done: &[Measured]) -> Option<Point> {
        let purse = Purse::after(done, self.request.budget);
        let ladders = self.ladders(done);
        let ladder = self.choose(&ladders, &purse)?;
        let cells = ladders.iter().map(|ladder| ladder.ahead).sum();
        Some(self.point(&ladder, &purse, cells))
    }

    fn cells_left_max(&self, done: &[Measured]) -> usize {
        let purse = Purse::after(done, self.request.budget);
        let ladders = self.ladders(done);
        match self.choose(&ladders, &purse) {
            Some(_) => ladders.iter().map(|ladder| ladder.ahead).sum(),
            None => 0,
        }
    }
}

/// How far a workload has come.
#[derive(Clone)]
struct Ladder {
    workload: SurveyWorkload,
    climbed: usize,
    ahead: usize, // rungs that may still come
}

/// I/Os a second of a run that ended as planned and moved something.
fn rate(record: &RunRecord) -> Option<f64> {
    let tallies = record.threads.iter().flat_map(|thread| &thread.measured);
    let ios: u64 = tallies.map(|tally| tally.ios).sum();
    let measured = record.phases.measured();
    let usable = record.outcome == Outcome::Complete && ios > 0 && measured > Nanos(0);
    usable.then(|| ios as f64 / measured.as_seconds())
}

/// The rule of the ladder; `None` is a rung without a usable rate.
fn has_ended(rates: &[Option<f64>]) -> bool {
    let usable = rates.iter().copied().collect::<Option<Vec<f64>>>();
    usable.is_none_or(|rates| analysis::gain_has_ended(&rates))
}

/// The FNV-1a hash of the cell over the survey's seed. Source: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn cell_seed(seed: u64, name: &str, depth: QueueDepth) -> u64 {
    let bytes = name.bytes().chain(depth.0.to_le_bytes());
    bytes.fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
