//! `overhead`: what it costs to come in by another tool's options: `fathom diskspd` against `fathom run`.

use crate::contender::{Who, Work};
use crate::error::BenchError;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::{median, take_turns};
use crate::table::{micros, rate, ratio};
use std::time::Duration;

const WHO: &[Who] = &[Who::Fathom, Who::DiskspdLike, Who::Diskspd];
const DEPTHS: [u32; 3] = [1, 8, 32];

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    // DISKSPD has no target that does nothing, and counts whole seconds.
    let time = Duration::from_secs(options.time.as_secs_f64().ceil().max(1.0) as u64);
    for place in shop.places.iter().filter(|place| place.path.is_some()) {
        for depth in DEPTHS {
            let work = Work {
                place,
                depth,
                threads: 1,
                time,
            };
            let cell = take_turns(WHO, &work, options.rounds, shop)?;
            ratios.extend(cell.ratio(Who::DiskspdLike, Who::Fathom));
            for &who in WHO {
                let cpu = |figure| cell.mean(who, figure).map_or("-".to_owned(), micros);
                let noise = cell.noise(who).unwrap_or(0.0) * 100.0;
                rows.push(format!(
                    "{:<26} {depth:>5}  {:<15} {:>6} {:>7} {:>6} {:>6} {noise:>6.0}%",
                    place.title,
                    who.name(),
                    rate(cell.median(who, |one| one.rate_per_s)),
                    ratio(cell.ratio(who, Who::Fathom)),
                    cpu(|one| one.user_us),
                    cpu(|one| one.system_us),
                ));
            }
        }
    }
    if ratios.is_empty() {
        return Ok(vec!["overhead: no place to compare at".to_owned()]);
    }
    let least = ratios.iter().copied().reduce(f64::min);
    let mut lines = vec![
        format!(
            "overhead: `fathom diskspd -n -L` does {} × the rate of `fathom run` (least {})",
            ratio(Some(median(ratios))),
            ratio(least)
        ),
        format!(
            "4 KiB random reads, one thread; medians of {} interleaved runs of {} s; noise: its middle rounds apart",
            options.rounds,
            time.as_secs()
        ),
    ];
    lines.extend(shop.reported_skips());
    lines.push(format!(
        "\n{:<26} {:>5}  {:<15} {:>6} {:>7} {:>6} {:>6} {:>8}",
        "place", "depth", "", "k/s", "x run", "usr µs", "sys µs", "noise"
    ));
    lines.extend(rows);
    Ok(lines)
}
