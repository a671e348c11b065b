//! Extra cells on request: whether caches are honest, and what a file system costs.
//!
//! The cache check runs the same small I/O one at a time over the whole range and over a part so small that any cache
//! contains it, with direct and with buffered I/O, with and without write-through. The comparison with the raw device
//! runs each workload that reads at two loads that were run on the file. Deliberately absent: what follows from them,
//! which is `analysis`'s.

use super::load::Load;
use super::row::Row;
use super::{SurveyRequest, SurveyWorkload};
use crate::Measured;
use analysis::{CacheLook, raw_label};
use model::{Access, Bytes, CacheMode, Location, Ratio};

/// Fits into any useful cache, and larger than what a drive reads at once.
const SMALL: Bytes = Bytes::mib(8);
const BLOCK: Bytes = Bytes::kib(4);

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) work: SurveyWorkload, // by the label of the cell
    pub(crate) load: Load,
    pub(crate) target: Location,
    pub(crate) length: Bytes,
    pub(crate) cache: CacheMode,
    pub(crate) write_through: bool,
}

/// All that were asked for and are not done; those on the raw device once the workload's own cells are there.
pub(crate) fn wanted(
    request: &SurveyRequest,
    order: &[SurveyWorkload],
    done: &[Measured],
) -> Vec<Side> {
    let mut sides = Vec::new();
    if request.options.cache_check {
        let looks = CacheLook::ALL.into_iter();
        let looks = looks.filter(|look| look.runs_on(&request.target, request.options.read_only));
        sides.extend(looks.map(|look| of_cache(look, request)));
    }
    if let Some(raw) = &request.raw {
        let reads = order
            .iter()
            .filter(|workload| workload.write == Ratio::NONE);
        sides.extend(reads.flat_map(|workload| of_raw(workload, request, raw, done)));
    }
    sides.retain(|side| {
        let is_it =
            |cell: &&Measured| cell.label == side.work.name && Load::of(&cell.record) == side.load;
        !done.iter().any(|cell| is_it(&cell))
    });
    sides
}

fn of_cache(look: CacheLook, request: &SurveyRequest) -> Side {
    Side {
        work: SurveyWorkload {
            name: look.label().to_owned(),
            block: BLOCK,
            write: if look.writes() {
                Ratio::ALL
            } else {
                Ratio::NONE
            },
            access: Access::Random,
        },
        load: Load::ONE,
        target: request.target.clone(),
        length: if look.small() {
            SMALL.min(request.size)
        } else {
            request.size
        },
        cache: if look.cached() {
            CacheMode::Cached
        } else {
            CacheMode::Unbuffered
        },
        write_through: look.write_through(),
    }
}

fn of_raw(
    workload: &SurveyWorkload,
    request: &SurveyRequest,
    raw: &Location,
    done: &[Measured],
) -> Vec<Side> {
    let row = Row::of(&workload.name, done);
    let best = row.best().map(|cell| cell.load);
    let first = row.cells.first().map(|cell| cell.load);
    let mut loads: Vec<Load> = first.into_iter().chain(best).collect();
    loads.dedup();
    let side = |load| Side {
        work: SurveyWorkload {
            name: raw_label(&workload.name),
            ..workload.clone()
        },
        load,
        target: raw.clone(),
        length: request.size,
        cache: request.options.cache,
        write_through: false,
    };
    loads.into_iter().map(side).collect()
}
