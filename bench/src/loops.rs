//! `loops`: the rate and the CPU time of fathom's loop, of bare loops and of fio, by place, threads and depth.

use crate::contender::{Who, Work};
use crate::error::BenchError;
use crate::options::Options;
use crate::place::{Place, Shop};
use crate::rounds::{Cell, median, take_turns};
use crate::table::{micros, rate, ratio};

/// On a target.
const ON_TARGET: &[Who] = &[
    Who::Fathom,
    Who::Ring,
    Who::RingStamps,
    Who::Fio,
    Who::FioBest,
    Who::FioBestReduced,
];
/// One I/O at a time, besides.
const ONE_AT_A_TIME: &[Who] = &[Who::FathomSync, Who::Vectors];
/// Without I/O: the ring's do nothing.
const ON_NOTHING: &[Who] = &[
    Who::Fathom,
    Who::Nothing,
    Who::Ring,
    Who::Fio,
    Who::FioBest,
    Who::FioBestReduced,
];
/// Depths that stand side by side.
const COLUMNS: usize = 4;

/// The cells of one place with so many threads, by depth.
struct Block<'a> {
    place: &'a Place,
    threads: u32,
    cells: Vec<(u32, Cell)>,
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut blocks = Vec::new();
    for place in &shop.places {
        for &threads in &options.threads {
            let mut cells = Vec::new();
            for &depth in &options.depths {
                let work = Work {
                    place,
                    depth,
                    threads,
                    time: options.time,
                };
                let who = contenders(place, depth);
                cells.push((depth, take_turns(&who, &work, options.rounds, shop)?));
            }
            blocks.push(Block {
                place,
                threads,
                cells,
            });
        }
    }
    let mut lines = answers(&blocks);
    lines.push(format!(
        "4 KiB random reads; medians of {} interleaved runs of {} s. k/s: thousand IOPS; is: fathom's",
        options.rounds,
        options.time.as_secs_f64()
    ));
    lines.push("rate as a multiple of this one; usr, sys: µs of CPU time for an I/O.".to_owned());
    lines.extend(shop.reported_skips());
    for block in &blocks {
        lines.extend(block.lines());
    }
    Ok(lines)
}

fn contenders(place: &Place, depth: u32) -> Vec<Who> {
    if place.path.is_none() {
        return ON_NOTHING.to_vec();
    }
    let more = if depth == 1 { ONE_AT_A_TIME } else { &[] };
    [ON_TARGET, more].concat()
}

/// The first line has the answer; those below have its parts, and the reliability of the machine.
fn answers(blocks: &[Block<'_>]) -> Vec<String> {
    let on_target = |block: &&Block<'_>| block.place.path.is_some();
    let against = |name: &str, above: Who, below: Who| {
        let mut all = Vec::new();
        for block in blocks.iter().filter(on_target) {
            all.extend(block.ratios(above, below));
        }
        let worst = all.iter().copied().reduce(f64::min)?;
        let middle = ratio(Some(median(all)));
        Some(format!("{middle} × {name} (least {})", ratio(Some(worst))))
    };
    let all = [
        against("the bare io_uring loop", Who::Fathom, Who::Ring),
        against("fio", Who::Fathom, Who::Fio),
        against("fio at its best", Who::Fathom, Who::FioBest),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    let mut lines = Vec::new();
    if !all.is_empty() {
        lines.push(format!("loops: fathom does {}", all.join(", ")));
    }
    if let Some(one) = against("the bare preadv2 loop", Who::FathomSync, Who::Vectors) {
        lines.push(format!(
            "one I/O at a time, fathom --engine sync does {one}"
        ));
    }
    let cpu = |cell: &Cell, who| {
        Some(cell.mean(who, |one| one.user_us)? + cell.mean(who, |one| one.system_us)?)
    };
    let cells = blocks
        .iter()
        .filter(on_target)
        .flat_map(|block| &block.cells);
    let costs = cells.filter_map(|(_, cell)| Some(cpu(cell, Who::Fathom)? / cpu(cell, Who::Ring)?));
    let costs: Vec<f64> = costs.filter(|cost| cost.is_finite()).collect();
    if !costs.is_empty() {
        lines.push(format!(
            "CPU time of an I/O, which other work moves less: {} × the bare io_uring loop's",
            ratio(Some(median(costs)))
        ));
    }
    let nothing = |block: &Block<'_>| {
        let median = |(depth, cell): &(u32, Cell)| {
            let rate = cell.median(Who::Fathom, |one| one.rate_per_s)?;
            Some(format!("{:.0} at depth {depth}", 1e9 / rate.max(1.0)))
        };
        block.cells.iter().filter_map(median).collect::<Vec<_>>()
    };
    let alone = |block: &&Block<'_>| block.place.path.is_none() && block.threads == 1;
    if let Some(block) = blocks.iter().find(alone) {
        lines.push(format!(
            "without I/O, one thread: ns for an I/O with its histogram: {}",
            nothing(block).join(", ")
        ));
    }
    let noise = blocks.iter().flat_map(|block| &block.cells);
    let noise: Vec<f64> = noise
        .filter_map(|(_, cell)| cell.noise(Who::Ring))
        .collect();
    if !noise.is_empty() {
        lines.push(format!(
            "noise: the bare loop is {:.0}% apart from itself between rounds (median of the cells)",
            median(noise) * 100.0
        ));
    }
    lines
}

impl Block<'_> {
    fn ratios(&self, above: Who, below: Who) -> impl Iterator<Item = f64> {
        let ratio = move |(_, cell): &(u32, Cell)| cell.ratio(above, below);
        self.cells.iter().filter_map(ratio)
    }

    fn lines(&self) -> Vec<String> {
        let threads = ["threads", "thread"][usize::from(self.threads == 1)];
        let mut lines = Vec::new();
        for cells in self.cells.chunks(COLUMNS) {
            lines.push(String::new());
            lines.push(format!("{}, {} {threads}", self.place.title, self.threads));
            let mut heads = [" ".repeat(16), " ".repeat(16)];
            for (depth, _) in cells {
                heads[0].push_str(&format!("{:<21}", format!("depth {depth}")));
                heads[1].push_str(&format!(
                    "{:>5} {:>4} {:>4} {:>4}  ",
                    "k/s", "is", "usr", "sys"
                ));
            }
            lines.extend(heads);
            let mut who: Vec<Who> = Vec::new();
            for (_, cell) in cells {
                who.extend(
                    cell.who()
                        .iter()
                        .filter(|one| !who.contains(one))
                        .collect::<Vec<_>>(),
                );
            }
            lines.extend(who.into_iter().map(|who| row(who, cells)));
        }
        lines
    }
}

fn row(who: Who, cells: &[(u32, Cell)]) -> String {
    let mut line = format!("{:<16}", who.name());
    for (_, cell) in cells {
        if !cell.who().contains(&who) {
            line.push_str(&" ".repeat(21));
            continue;
        }
        let cpu = |figure| cell.mean(who, figure).map_or("-".to_owned(), micros);
        line.push_str(&format!(
            "{:>5} {:>4} {:>4} {:>4}  ",
            rate(cell.median(who, |one| one.rate_per_s)),
            ratio(cell.ratio(Who::Fathom, who)),
            cpu(|one| one.user_us),
            cpu(|one| one.system_us),
        ));
    }
    line
}
