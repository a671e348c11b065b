//! `start`: what a run takes beyond the time that was asked for, from the start of the program to its exit.

use crate::contender::{Who, Work};
use crate::error::BenchError;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::take_turns;
use crate::table::short;
use std::time::Duration;

const WHO: &[Who] = &[
    Who::Fathom,
    Who::FathomKept,
    Who::Diskspd,
    Who::Ring,
    Who::Fio,
];

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let Some(place) = shop.cached() else {
        return Ok(vec!["start: needs the place `cache`".to_owned()]);
    };
    let work = Work {
        place,
        depth: 32,
        threads: 1,
        time: Duration::from_secs(1),
    };
    let cell = take_turns(WHO, &work, options.rounds, shop)?;
    let beyond = |who| {
        cell.median(who, |one| one.beyond_ms)
            .map_or("-".to_owned(), short)
    };
    let mut lines = vec![
        format!(
            "start: fathom takes {} ms beyond the second asked, {} ms when it keeps the run; fio {} ms",
            beyond(Who::Fathom),
            beyond(Who::FathomKept),
            beyond(Who::Fio)
        ),
        format!(
            "{}, which is there already; depth 32, {} interleaved runs",
            place.title, options.rounds
        ),
        format!(
            "\n{:<16} {:>9} {:>9} {:>9}",
            "ms beyond 1 s", "median", "least", "most"
        ),
    ];
    for &who in cell.who() {
        let (least, most) = cell.extremes(who, |one| one.beyond_ms).unwrap_or_default();
        lines.push(format!(
            "{:<16} {:>9} {:>9} {:>9}",
            who.name(),
            beyond(who),
            short(least),
            short(most)
        ));
    }
    Ok(lines)
}
