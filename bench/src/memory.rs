//! `memory`: the most memory that a process had, with a deep queue and with many threads.

use crate::contender::{Who, Work};
use crate::error::BenchError;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::{Cell, take_turns};
use crate::table::short;

const WHO: &[Who] = &[
    Who::Fathom,
    Who::FathomKept,
    Who::Diskspd,
    Who::Ring,
    Who::Fio,
];
/// Threads and depth.
const SHAPES: [(u32, u32); 2] = [(1, 128), (64, 64)];

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let Some(place) = shop.cached() else {
        return Ok(vec!["memory: needs the place `cache`".to_owned()]);
    };
    let mut cells = Vec::new();
    for (threads, depth) in SHAPES {
        let work = Work {
            place,
            depth,
            threads,
            time: options.time,
        };
        cells.push(take_turns(WHO, &work, options.rounds, shop)?);
    }
    let peak = |who: Who, cell: &Cell| {
        let median = cell.median(who, |one| one.peak_mib);
        median.map_or("-".to_owned(), short)
    };
    let both = |who| format!("{} and {}", peak(who, &cells[0]), peak(who, &cells[1]));
    let mut lines = vec![
        format!(
            "memory: fathom needs {} MiB at its peak; fio {}",
            both(Who::Fathom),
            both(Who::Fio)
        ),
        format!(
            "{}; the buffers alone are 0.5 and 16 MiB; medians of {} runs",
            place.title, options.rounds
        ),
        format!(
            "\n{:<16} {:>20} {:>22}",
            "peak MiB", "1 thread, depth 128", "64 threads, depth 64"
        ),
    ];
    for &who in cells[0].who() {
        let line = format!(
            "{:<16} {:>20} {:>22}",
            who.name(),
            peak(who, &cells[0]),
            peak(who, &cells[1])
        );
        lines.push(line);
    }
    Ok(lines)
}
