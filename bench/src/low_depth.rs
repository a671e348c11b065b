//! `low-depth`: few I/Os in flight on devices that another thread or processor serves, where each I/O waits for a wake-up.
//!
//! fathom's ring against fio's and against a bare loop that submits and waits as fathom does; at depth 1 one system call
//! for each I/O as well. Omitted: devices that answer within the call, which are in `loops`.

use crate::contender::{Who, Work};
use crate::error::BenchError;
use crate::looped::{Looped, Mounted};
use crate::options::Options;
use crate::place::{Device, Place, Shop};
use crate::rounds::{Cell, Spread, median, take_turns};
use crate::table::{micros, rate, ratio};
use std::path::PathBuf;

const BYTES: u64 = 64 << 20;
const DEPTHS: [u32; 6] = [1, 2, 4, 8, 32, 128];
const RINGS: &[Who] = &[Who::FathomRing, Who::Fio, Who::RingEach];
const CALLS: &[Who] = &[Who::FathomSync, Who::FioSync, Who::Vectors];

/// What the places stand on, in the order in which it is taken down.
#[derive(Default)]
struct Made {
    mounted: Vec<Mounted>,
    looped: Vec<Looped>,
    devices: Vec<Device>,
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut made = Made::default();
    let (places, skipped) = places(shop, options, &mut made)?;
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for place in &places {
        for depth in DEPTHS {
            let work = Work {
                place,
                depth,
                threads: 1,
                time: options.time,
            };
            for who in [RINGS, CALLS].iter().take(1 + usize::from(depth == 1)) {
                let cell = take_turns(who, &work, options.rounds, shop)?;
                ratios.extend(cell.ratio(who[0], who[1]).filter(|_| depth <= 8));
                rows.push(row(place, depth, who, &cell));
            }
        }
    }
    let least = ratios.iter().copied().reduce(f64::min);
    let mut lines = vec![
        format!(
            "low-depth: up to depth 8 fathom does {} × fio (least {})",
            ratio((!ratios.is_empty()).then(|| median(ratios))),
            ratio(least)
        ),
        format!(
            "4 KiB random reads, one thread; medians of {} interleaved runs of {} s; in brackets the 95% interval of the",
            options.rounds,
            options.time.as_secs_f64()
        ),
        "median ratio; µs: from one I/O to the next, and CPU time (fathom, fio, bare loop)."
            .to_owned(),
    ];
    lines.extend(skipped.iter().map(|why| format!("skipped: {why}")));
    lines.push(format!(
        "\n{:<26} {:>5} {:<8} {:>6} {:>18} {:>18}  {:<17} {}",
        "place", "depth", "engine", "k/s", "× fio", "× bare loop", "µs", "CPU µs"
    ));
    lines.extend(rows);
    Ok(lines)
}

fn row(place: &Place, depth: u32, who: &[Who], cell: &Cell) -> String {
    let engine = if who[0] == Who::FathomSync {
        "sync"
    } else {
        "io_uring"
    };
    let spread = |below| {
        cell.ratio_spread(who[0], below)
            .map_or("-".to_owned(), interval_text)
    };
    let each = |figure: &dyn Fn(Who) -> Option<f64>| {
        let all = who
            .iter()
            .map(|&who| figure(who).map_or("-".to_owned(), micros));
        all.collect::<Vec<_>>().join(" ")
    };
    let gap = each(&|who| Some(1e6 / cell.median(who, |one| one.rate_per_s)?.max(1.0)));
    let cpu = each(&|who| cell.median(who, |one| one.user_us + one.system_us));
    format!(
        "{:<26} {depth:>5} {engine:<8} {:>6} {:>18} {:>18}  {gap:<17} {cpu}",
        place.title,
        rate(cell.median(who[0], |one| one.rate_per_s)),
        spread(who[1]),
        spread(who[2]),
    )
}

/// `0.98 [0.95, 1.01]`
fn interval_text(spread: Spread) -> String {
    format!(
        "{:.2} [{:.2}, {:.2}]",
        spread.median, spread.low, spread.high
    )
}

/// Each place that this machine has, and why it lacks the others.
fn places(
    shop: &Shop,
    options: &Options,
    made: &mut Made,
) -> Result<(Vec<Place>, Vec<String>), BenchError> {
    let mut places: Vec<Place> = shop
        .places
        .iter()
        .filter(|place| place.unbuffered)
        .cloned()
        .collect();
    places.retain(|place| place.title.contains("file") && options.wants("disk"));
    let mut skipped = Vec::new();
    for through_cache in [false, true].into_iter().filter(|_| options.wants("loop")) {
        let title = ["loop device, dio=1", "loop device, dio=0"][usize::from(through_cache)];
        match Looped::new(BYTES) {
            Ok(looped) => {
                looped.fill(BYTES)?;
                if through_cache && let Err(why) = looped.go_through_cache() {
                    skipped.push(format!("{title}: {why}"));
                    continue;
                }
                places.push(place(title, looped.device.clone()));
                made.looped.push(looped);
            }
            Err(why) => skipped.push(format!("{title}: {why}")),
        }
    }
    match options.wants("zram").then(Device::zram).transpose() {
        Ok(None) => {}
        Ok(Some(device)) => {
            crate::looped::filled(&device.path(), BYTES)?;
            places.push(place("zram device", device.path()));
            made.devices.push(device);
        }
        Err(why) => skipped.push(format!("zram device: {why}")),
    }
    let fuse = || Mounted::fuse2fs(&shop.folder().join("fuse.img"), 4 * BYTES);
    match options.wants("fuse").then(fuse).transpose() {
        Ok(None) => {}
        Ok(Some(mounted)) => {
            let path = mounted.folder().join("file.dat");
            crate::place::filled(path.clone(), BYTES)?;
            places.push(place("FUSE (fuse2fs)", path));
            made.mounted.push(mounted);
        }
        Err(why) => skipped.push(format!("FUSE: {why}")),
    }
    Ok((places, skipped))
}

fn place(title: &str, path: PathBuf) -> Place {
    Place {
        title: title.to_owned(),
        path: Some(path),
        unbuffered: true,
    }
}
