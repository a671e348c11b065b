//! The eight tests: which parts each has, and the cells of each part. One function a test, one row in [`PtsTest::ALL`].
//!
//! Source: SNIA, Solid State Storage Performance Test Specification 2.0.2, as far as its pages and two implementations
//! (TKperf, block-storage) show it. The text itself was not available, so reports claim the method and not conformance.
//! Sizes and places of the composite load are those of JESD219. Omitted: which cell is next (`progress`, and the crate
//! `sweep`).

use model::{Bytes, MixedLine, Nanos, RangePart, Ratio};
use std::fmt;
use std::str::FromStr;

/// A test of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsTest {
    /// IOPS of block sizes and mixes.
    Iops,
    /// Throughput of sequential I/O.
    Tp,
    /// Latency of single I/Os.
    Lat,
    /// Writes from the purged drive until they are steady.
    Wsat,
    /// Recovery in idle times.
    Hir,
    /// Recovery from one kind of writes in another.
    Xsr,
    /// The composite load of block sizes at increasing demand.
    Cbw,
    /// One workload at increasing demand, with histograms of response times.
    Dirth,
}

impl PtsTest {
    /// Every test with its name and its title.
    pub const ALL: [(PtsTest, &str, &str); 8] = [
        (PtsTest::Iops, "iops", "IOPS"),
        (PtsTest::Tp, "tp", "Throughput"),
        (PtsTest::Lat, "lat", "Latency"),
        (PtsTest::Wsat, "wsat", "Write saturation"),
        (PtsTest::Hir, "hir", "Host idle recovery"),
        (PtsTest::Xsr, "xsr", "Cross stimulus recovery"),
        (PtsTest::Cbw, "cbw", "Composite block size workload"),
        (
            PtsTest::Dirth,
            "dirth",
            "Demand intensity and response time histogram",
        ),
    ];

    fn row(self) -> (PtsTest, &'static str, &'static str) {
        let row = Self::ALL.into_iter().find(|row| row.0 == self);
        row.expect("every test has its row in ALL")
    }

    /// As it is typed.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// As reports have it.
    pub fn title(self) -> &'static str {
        self.row().2
    }
}

impl fmt::Display for PtsTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PtsTest {
    type Err = model::UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let row = Self::ALL.into_iter().find(|row| row.1 == text);
        row.map(|row| row.0).ok_or_else(|| model::UnitError {
            read: text.to_owned(),
            accepted: "must be iops, tp, lat, wsat, hir, xsr, cbw or dirth",
        })
    }
}

/// What the operator chooses, and what the target allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtsLoad {
    /// Threads.
    pub threads: u32,
    /// Queue depth per thread.
    pub depth: u32,
    /// Bytes of one I/O of DIRTH.
    pub block: Bytes,
    /// Share of writes of DIRTH.
    pub write: Ratio,
    /// The smallest I/O that the target takes; smaller ones of a test are omitted.
    pub block_least: Bytes,
    /// Most rounds; without it 25, and as many long ones as 24 hours have.
    pub rounds_max: Option<u32>,
}

/// A test with all that is run in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsDefinition {
    /// Which test.
    pub test: PtsTest,
    /// In their order.
    pub parts: Vec<PtsPart>,
    /// Smaller I/Os than the target takes were omitted.
    pub omitted: Vec<String>,
}

/// A part of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsPart {
    /// What distinguishes it from others of its kind; empty without others.
    pub name: String,
    /// What it is.
    pub kind: PtsPartKind,
    /// The figure that is judged and shown.
    pub metric: PtsMetric,
    /// Its cells, or those of a round.
    pub cells: Vec<PtsCell>,
    /// Most rounds.
    pub rounds_max: u32,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsPartKind {
    /// Workload-independent preconditioning: twice the range, sequentially.
    Precondition,
    /// Rounds until steady state, which is the workload-dependent preconditioning too.
    Rounds,
    /// Each cell once.
    Once,
}

/// The figure of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsMetric {
    /// IOPS.
    Iops,
    /// IOPS in the last step of the time series.
    LastIops,
    /// Bytes per second.
    BytesPerS,
    /// Mean latency in nanoseconds.
    MeanLatency,
}

impl PtsMetric {
    /// As JSON has it.
    pub const fn name(self) -> &'static str {
        match self {
            PtsMetric::Iops | PtsMetric::LastIops => "iops",
            PtsMetric::BytesPerS => "bytes_per_s",
            PtsMetric::MeanLatency => "latency_mean_ns",
        }
    }
}

/// One run of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsCell {
    /// Its row in the table: `4K`.
    pub row: String,
    /// Its column in the table, as reads/writes: `65/35`.
    pub column: String,
    /// What it does.
    pub work: PtsWork,
    /// Threads.
    pub threads: u32,
    /// Queue depth per thread.
    pub depth: u32,
    /// How long.
    pub time: Nanos,
    /// How long nothing is done before.
    pub idle: Nanos,
    /// What it is for.
    pub role: PtsRole,
}

/// What one run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtsWork {
    /// Bytes of one I/O; of the largest in the composite load.
    pub block: Bytes,
    /// Share of writes.
    pub write: Ratio,
    /// Where.
    pub order: PtsOrder,
}

/// Where I/Os go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsOrder {
    /// Anywhere.
    Random,
    /// One after another.
    Sequential,
    /// Many sizes at unequally likely places.
    Composite,
}

/// What a cell is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsRole {
    /// Its figures are reported.
    Measured,
    /// They decide about steady state, too.
    Tracked,
    /// It restores the state of the drive between two others.
    Between,
    /// Its load is the one whose IOPS are in the middle between least and most demand.
    MiddleDemand,
    /// Its load is the one with the most IOPS.
    MostDemand,
}

impl PtsCell {
    /// Its name: `4K 65/35`.
    pub fn name(&self) -> String {
        format!("{} {}", self.row, self.column).trim().to_owned()
    }

    /// The length of a step of its time series.
    pub fn step(&self) -> Nanos {
        match self.time > MINUTE {
            true => MINUTE,
            false => Nanos::seconds(1),
        }
    }

    /// Whether its figures stand in the table.
    pub fn is_shown(&self) -> bool {
        self.role != PtsRole::Between
    }
}

const MINUTE: Nanos = Nanos::seconds(60);
/// A step of the time series, in which the IOPS of a long run are judged.
const LONG_ROUND: Nanos = Nanos::seconds(31 * 60);
/// Most rounds of the specification.
const ROUNDS_MAX: u32 = 25;
/// As many long rounds as 24 hours have.
const LONG_ROUNDS_MAX: u32 = 46;
/// The loads of increasing demand.
const DEMAND: [u32; 6] = [1, 2, 4, 8, 16, 32];

impl PtsDefinition {
    /// The parts of a test.
    pub fn of(test: PtsTest, load: &PtsLoad) -> PtsDefinition {
        let parts = match test {
            PtsTest::Iops => vec![fill(Bytes::kib(128), "", load), iops(load)],
            PtsTest::Tp => throughput(load),
            PtsTest::Lat => vec![fill(Bytes::kib(128), "", load), latency(load)],
            PtsTest::Wsat => vec![saturation(load)],
            PtsTest::Hir => idle_recovery(load),
            PtsTest::Xsr => vec![cross_stimulus(load)],
            PtsTest::Cbw => composite(load),
            PtsTest::Dirth => demand(load),
        };
        let mut definition = PtsDefinition {
            test,
            parts,
            omitted: Vec::new(),
        };
        definition.omit_small(load.block_least);
        definition
    }

    /// Omits what the target cannot do. In the composite load smaller I/Os are omitted where it is run ([`composite_lines`]).
    fn omit_small(&mut self, least: Bytes) {
        for part in &mut self.parts {
            let fits = |cell: &PtsCell| cell.work.block >= least;
            for cell in part.cells.iter().filter(|cell| !fits(cell)) {
                if !self.omitted.contains(&cell.row) {
                    self.omitted.push(cell.row.clone());
                }
            }
            part.cells.retain(fits);
        }
        if self.test == PtsTest::Cbw && least > Bytes(512) {
            self.omitted.push(format!("sizes below {least}"));
        }
    }
}

fn percent(percent: u8) -> Ratio {
    Ratio::percent(percent).expect("a constant up to 100")
}

/// `4K`, `0.5K`.
fn size_name(block: Bytes) -> String {
    match block.0 {
        512 => "0.5K".to_owned(),
        _ => format!("{}K", block.0 / 1024),
    }
}

fn fill(block: Bytes, name: &str, load: &PtsLoad) -> PtsPart {
    let work = PtsWork {
        block,
        write: Ratio::ALL,
        order: PtsOrder::Sequential,
    };
    PtsPart {
        name: name.to_owned(),
        kind: PtsPartKind::Precondition,
        metric: PtsMetric::BytesPerS,
        cells: vec![PtsCell {
            row: size_name(block),
            column: "0/100".to_owned(),
            work,
            threads: load.threads,
            depth: load.depth,
            time: Nanos(0),
            idle: Nanos(0),
            role: PtsRole::Measured,
        }],
        rounds_max: 1,
    }
}

/// A cell of a minute, with the operator's threads and depth.
fn cell(block: Bytes, write: u8, order: PtsOrder, load: &PtsLoad) -> PtsCell {
    PtsCell {
        row: size_name(block),
        column: format!("{}/{write}", 100 - write),
        work: PtsWork {
            block,
            write: percent(write),
            order,
        },
        threads: load.threads,
        depth: load.depth,
        time: MINUTE,
        idle: Nanos(0),
        role: PtsRole::Measured,
    }
}

fn rounds(metric: PtsMetric, cells: Vec<PtsCell>, load: &PtsLoad) -> PtsPart {
    PtsPart {
        name: String::new(),
        kind: PtsPartKind::Rounds,
        metric,
        cells,
        rounds_max: load.rounds_max.unwrap_or(ROUNDS_MAX),
    }
}

fn tracked(cell: PtsCell, is_tracked: bool) -> PtsCell {
    let role = if is_tracked {
        PtsRole::Tracked
    } else {
        cell.role
    };
    PtsCell { role, ..cell }
}

fn iops(load: &PtsLoad) -> PtsPart {
    let sizes = [1024, 128, 64, 32, 16, 8, 4].map(Bytes::kib);
    let mixes = [0, 5, 35, 50, 65, 95, 100];
    let of_mix = |write: u8| {
        let sizes = sizes.into_iter().chain([Bytes(512)]);
        sizes.map(move |block| {
            let plain = cell(block, write, PtsOrder::Random, load);
            tracked(plain, block == Bytes::kib(4) && write == 100)
        })
    };
    rounds(
        PtsMetric::Iops,
        mixes.into_iter().flat_map(of_mix).collect(),
        load,
    )
}

fn throughput(load: &PtsLoad) -> Vec<PtsPart> {
    let of_size = |block: Bytes| {
        let name = size_name(block);
        let cells = [0, 100].map(|write| {
            let plain = cell(block, write, PtsOrder::Sequential, load);
            tracked(plain, true)
        });
        let measured = PtsPart {
            name: name.clone(),
            ..rounds(PtsMetric::BytesPerS, cells.to_vec(), load)
        };
        [fill(block, &name, load), measured]
    };
    [128, 1024]
        .map(Bytes::kib)
        .into_iter()
        .flat_map(of_size)
        .collect()
}

fn latency(load: &PtsLoad) -> PtsPart {
    let of_mix = |write: u8| {
        [Bytes::kib(8), Bytes::kib(4), Bytes(512)].map(move |block| {
            let alone = PtsCell {
                threads: 1,
                depth: 1,
                ..cell(block, write, PtsOrder::Random, load)
            };
            tracked(alone, block == Bytes::kib(4) && write == 100)
        })
    };
    let cells = [0, 35, 100].into_iter().flat_map(of_mix).collect();
    rounds(PtsMetric::MeanLatency, cells, load)
}

fn saturation(load: &PtsLoad) -> PtsPart {
    let writes = PtsCell {
        time: LONG_ROUND,
        role: PtsRole::Tracked,
        ..cell(Bytes::kib(4), 100, PtsOrder::Random, load)
    };
    PtsPart {
        rounds_max: load.rounds_max.unwrap_or(LONG_ROUNDS_MAX),
        ..rounds(PtsMetric::LastIops, vec![writes], load)
    }
}

fn once(name: &str, cells: Vec<PtsCell>) -> PtsPart {
    PtsPart {
        name: name.to_owned(),
        kind: PtsPartKind::Once,
        metric: PtsMetric::Iops,
        cells,
        rounds_max: 1,
    }
}

fn idle_recovery(load: &PtsLoad) -> Vec<PtsPart> {
    const CYCLES: u32 = 360;
    let writes = cell(Bytes::kib(4), 100, PtsOrder::Random, load);
    let of_idle = |seconds: u64| {
        let cycle = |number: u32| PtsCell {
            row: format!("write {number}"),
            column: format!("of {CYCLES}"),
            time: Nanos::seconds(5),
            idle: Nanos::seconds(seconds),
            ..writes.clone()
        };
        let after = PtsCell {
            row: "writes".to_owned(),
            column: "without idle times".to_owned(),
            time: Nanos::seconds(30 * 60),
            ..writes.clone()
        };
        let cells = (1..=CYCLES).map(cycle).chain([after]);
        once(&format!("idle {seconds}s"), cells.collect())
    };
    let steady = saturation(load);
    std::iter::once(steady)
        .chain([5, 10, 15, 25, 50].map(of_idle))
        .collect()
}

fn cross_stimulus(load: &PtsLoad) -> PtsPart {
    let segments = |block: Bytes, order: PtsOrder, name: &'static str, count: u32| {
        (1..=count).map(move |number| PtsCell {
            row: name.to_owned(),
            column: format!("half hour {number} of {count}"),
            time: Nanos::seconds(30 * 60),
            ..cell(block, 100, order, load)
        })
    };
    let large = Bytes::kib(1024);
    let cells = segments(large, PtsOrder::Sequential, "1024K sequential before", 16)
        .chain(segments(Bytes::kib(8), PtsOrder::Random, "8K random", 12))
        .chain(segments(
            large,
            PtsOrder::Sequential,
            "1024K sequential after",
            16,
        ));
    PtsPart {
        metric: PtsMetric::BytesPerS,
        ..once("", cells.collect())
    }
}

/// A minute of writes, then a minute of the load, at every demand from most to least.
fn demands(work: PtsWork, writes: PtsWork, load: &PtsLoad) -> PtsPart {
    let most = *DEMAND.last().expect("a constant that is not empty");
    let loads = DEMAND
        .iter()
        .rev()
        .flat_map(|threads| DEMAND.iter().rev().map(move |depth| (*threads, *depth)));
    let pair = |(threads, depth): (u32, u32)| {
        let measured = PtsCell {
            row: format!("T{threads}"),
            column: format!("QD{depth}"),
            work,
            threads,
            depth,
            ..cell(work.block, 100, work.order, load)
        };
        let between = PtsCell {
            row: "writes before".to_owned(),
            column: measured.name(),
            work: writes,
            threads: most,
            depth: most,
            role: PtsRole::Between,
            ..measured.clone()
        };
        [between, tracked(measured, threads == most && depth == most)]
    };
    rounds(PtsMetric::Iops, loads.flat_map(pair).collect(), load)
}

fn composite(load: &PtsLoad) -> Vec<PtsPart> {
    let work = |write: u8| PtsWork {
        block: Bytes::kib(64),
        write: percent(write),
        order: PtsOrder::Composite,
    };
    vec![
        fill(Bytes::kib(128), "", load),
        demands(work(60), work(100), load),
    ]
}

fn demand(load: &PtsLoad) -> Vec<PtsPart> {
    let work = PtsWork {
        block: load.block,
        write: load.write,
        order: PtsOrder::Random,
    };
    let writes = PtsWork {
        write: Ratio::ALL,
        ..work
    };
    let histogram = |name: &str, role| PtsCell {
        row: name.to_owned(),
        column: String::new(),
        work,
        time: Nanos::seconds(10 * 60),
        role,
        ..cell(work.block, 100, work.order, load)
    };
    let histograms = vec![
        histogram("middle demand", PtsRole::MiddleDemand),
        histogram("most demand", PtsRole::MostDemand),
    ];
    vec![
        fill(Bytes::kib(128), "", load),
        demands(work, writes, load),
        once("histograms", histograms),
    ]
}

/// The lines of the composite load: each size in each of three parts of the range. I/Os below `least` are omitted.
pub fn composite_lines(write: Ratio, least: Bytes) -> Vec<MixedLine> {
    const SIZES: [(u64, u32); 12] = [
        (512, 4),
        (1024, 1),
        (1536, 1),
        (2048, 1),
        (2560, 1),
        (3072, 1),
        (3584, 1),
        (4096, 67),
        (8192, 10),
        (16_384, 7),
        (32_768, 3),
        (65_536, 3),
    ];
    const PLACES: [(u8, u8, u32); 3] = [(0, 5, 50), (5, 20, 30), (20, 100, 20)];
    let sizes = SIZES.into_iter().filter(|(size, _)| Bytes(*size) >= least);
    let of_size = |(size, share): (u64, u32)| {
        PLACES.map(|(from, to, weight)| MixedLine {
            share: share * weight,
            write,
            part: RangePart {
                from: percent(from),
                to: percent(to),
            },
            ..MixedLine::new(Bytes(size))
        })
    };
    sizes.flat_map(of_size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(test: PtsTest, block_least: u64) -> PtsDefinition {
        let load = PtsLoad {
            threads: 4,
            depth: 32,
            block: Bytes::kib(4),
            write: Ratio::ALL,
            block_least: Bytes(block_least),
            rounds_max: None,
        };
        PtsDefinition::of(test, &load)
    }

    /// Minutes of a round of the first part that has rounds, or of all cells of the only part.
    fn minutes(test: PtsTest) -> u64 {
        let definition = definition(test, 512);
        let parts = definition.parts.iter();
        let part = parts
            .clone()
            .find(|part| part.kind == PtsPartKind::Rounds)
            .or(parts.last())
            .unwrap();
        part.cells.iter().map(|cell| cell.time.0).sum::<u64>() / MINUTE.0
    }

    #[test]
    fn a_round_of_each_test_takes_what_the_specification_says() {
        let all = PtsTest::ALL.map(|row| (row.1, minutes(row.0)));
        let expected = [
            ("iops", 56),
            ("tp", 2),
            ("lat", 9),
            ("wsat", 31),
            ("hir", 31),
            ("xsr", 22 * 60),
            ("cbw", 72),
            ("dirth", 72),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn each_round_has_what_decides_about_steady_state() {
        for (test, ..) in PtsTest::ALL {
            for part in definition(test, 512).parts {
                let tracked = part
                    .cells
                    .iter()
                    .filter(|cell| cell.role == PtsRole::Tracked);
                let wanted = match (part.kind, test) {
                    (PtsPartKind::Rounds, PtsTest::Tp) => 2,
                    (PtsPartKind::Rounds, _) => 1,
                    _ => 0,
                };
                assert_eq!(tracked.count(), wanted, "{test} {}", part.name);
            }
        }
    }

    #[test]
    fn what_a_target_cannot_do_is_omitted_and_named() {
        let iops = definition(PtsTest::Iops, 4096);
        assert_eq!(iops.parts[1].cells.len(), 49);
        assert_eq!(iops.omitted, ["0.5K"]);
        assert_eq!(definition(PtsTest::Lat, 4096).parts[1].cells.len(), 6);
        assert_eq!(definition(PtsTest::Iops, 512).omitted, [""; 0]);
    }

    #[test]
    fn the_composite_load_has_the_shares_of_its_source() {
        let lines = composite_lines(Ratio::ALL, Bytes(512));
        let all: u32 = lines.iter().map(|line| line.share).sum();
        let of = |wanted: &dyn Fn(&MixedLine) -> bool| -> f64 {
            let shares = lines.iter().filter(|line| wanted(line));
            f64::from(shares.map(|line| line.share).sum::<u32>()) / f64::from(all)
        };
        assert_eq!(all, 100 * 100);
        assert_eq!(of(&|line| line.block == Bytes::kib(4)), 0.67);
        assert_eq!(of(&|line| line.part.to == percent(5)), 0.5);
        assert_eq!(composite_lines(Ratio::ALL, Bytes(4096)).len(), 15);
    }
}
