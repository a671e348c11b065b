//! Values of a plan that follow from one job or a few: content, hint, cache, step of the time series. Omitted: the plan
//! (`build`).

use super::job::{Amount, Job, Rates, Sizes, USUAL};
use model::{
    Access, Allocation, Bounds, Bytes, CacheMode, EngineChoice, Hint, Nanos, Ratio, StridedZones,
    Target, Workload, WriteContent,
};
use std::collections::HashMap;
use std::path::PathBuf;

/// Returns what each thread of a job moves in one of its loops, of files of `whole` bytes.
pub(super) fn pass(job: &Job, whole: u64, block: u64) -> u64 {
    let bytes = match job.io_size {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(share)) => (u128::from(whole) * u128::from(share) / 100) as u64,
        None if job.pattern.step > 0 => once(whole, block, job),
        None => whole,
    };
    let most = job.number_ios.map(|ios| ios.saturating_mul(block));
    most.map_or(bytes, |most| most.min(bytes))
}

/// Returns the length of the range of a job whose loops each begin again at its start; none where it is all of it.
pub(super) fn restart(job: &Job, pass: u64, whole: u64, block: u64) -> Option<u64> {
    let in_order = !job.pattern.random && job.pattern.step == 0 && !job.zoned.strided;
    let alone = job.file_count == 1 && job.files.len() <= 1;
    let length = pass.max(1).next_multiple_of(block.max(1));
    (job.loops > 1 && in_order && alone && length < whole).then_some(length)
}

/// Returns what is moved from the start of a range to its end with a step between the I/Os: as in fio, that is all.
fn once(whole: u64, block: u64, job: &Job) -> u64 {
    let stride = job.stride(block).unsigned_abs().max(1);
    let ios = whole.saturating_sub(block) / stride + 1;
    ios.saturating_mul(block)
}

/// Returns after how many bytes of a file each thread drops the file's pages again, where it does. fio does so when it opens a file
/// for the next loop, and with time_based when its map of random blocks is full or a sequential position begins again. It has
/// neither without the map, with a step or with zones: there the pages are dropped once. With random and sequential
/// blocks mixed, its positions begin again after the length of the file on average. Seen with strace of fio 3.33.
pub(super) fn dropped_every(job: &Job, workload: &Workload, file: u64, pass: u64) -> Option<Bytes> {
    let goes_round = job.pattern.step == 0 && !job.zoned.strided;
    if !job.invalidate || cache(job) != CacheMode::Cached || !goes_round {
        return None;
    }
    let all_random = job.pattern.random && job.percentage_random == (100, 100);
    let has_map = match &workload.access {
        Access::Permuted(_) => true,
        Access::Mixed(mixed) => mixed.once,
        _ => false,
    };
    let begins_again = match job.time_based {
        true => !all_random || has_map,
        false => !job.pattern.random || has_map,
    };
    let bytes = if job.time_based { file } else { pass.min(file) };
    let bytes = Bytes(bytes).floor_to(workload.block);
    (begins_again && bytes > Bytes(0)).then_some(bytes)
}

/// Its own options, and what it does by default where it was not specified: readers of results look for these four.
pub(super) fn completed(job: &Job) -> Vec<(String, String)> {
    let kind = match (job.pattern.random, job.pattern.reads, job.pattern.writes) {
        (false, true, true) => "rw",
        (true, true, true) => "randrw",
        (false, true, false) => "read",
        (true, true, false) => "randread",
        (false, false, _) => "write",
        (true, false, _) => "randwrite",
    };
    let block = match (&job.reads, job.pattern.reads) {
        (Sizes::Fixed(block), true) => Some(*block),
        (_, false) => match &job.write_sizes {
            Sizes::Fixed(block) => Some(*block),
            _ => None,
        },
        _ => None,
    };
    let usual = [
        Some(kind.to_owned()),
        block.map(|block| Bytes(block).to_string().to_lowercase()),
        Some(job.depth.to_string()),
        Some(job.jobs.to_string()),
    ];
    let mut options = job.own.clone();
    for (name, value) in USUAL.into_iter().zip(usual) {
        if let Some(value) = value.filter(|_| !job.said.contains(&name)) {
            options.push((name.to_owned(), value));
        }
    }
    options
}

/// A file that several jobs of a timespan use is created once, as large as any of them needs it, and filled with data if one of
/// them reads it. Jobs that do not agree on its allocation fill it, too.
pub(super) fn same_size(targets: &mut [Target]) {
    let mut creations: HashMap<PathBuf, (Option<Bytes>, Allocation)> = HashMap::new();
    for target in &*targets {
        if let Some(path) = target.location.path() {
            let asked = (target.create, target.allocation);
            let (most, allocation) = creations.entry(path.to_owned()).or_insert(asked);
            *most = target.create.max(*most);
            if *allocation != target.allocation {
                *allocation = Allocation::Written;
            }
        }
    }
    for target in targets {
        let creation = target.location.path().and_then(|path| creations.get(path));
        let (create, allocation) = creation.copied().unwrap_or_default();
        target.create = create;
        target.allocation = create.map_or_else(Allocation::default, |_| allocation);
    }
}

/// The step of the time series. Logs without a step have short ones, because in fio they have a line per I/O.
pub(super) fn interval(jobs: &[&Job], measured: Nanos) -> Nanos {
    const SHORT: Nanos = Nanos::millis(100);
    let tenth = Nanos(measured.0 / 10 / 1_000_000 * 1_000_000);
    let usual = tenth.clamp(Nanos::millis(1), Nanos::seconds(1));
    let short = measured <= Nanos::seconds(3600) && jobs.iter().any(|job| job.logs.any());
    match jobs[0].interval_ns {
        Some(ns) => Nanos(ns),
        None if short => usual.min(SHORT),
        None => usual,
    }
}

/// What each thread has to reach. Reads and writes of a mix are taken together, and the longer latency is accepted of both.
pub(super) fn bounds(job: &Job) -> Bounds {
    let least = |rates: Rates| match job.writes_percent() {
        0 => rates.0,
        100 => rates.1,
        _ => Some(rates.0.unwrap_or(0).saturating_add(rates.1.unwrap_or(0))),
    };
    let latency_max = match (job.writes_percent(), job.least.latencies_ns) {
        (0, (reads, _)) => reads,
        (100, (_, writes)) => writes,
        (_, (reads, writes)) => reads
            .max(writes)
            .filter(|_| reads.is_some() == writes.is_some()),
    };
    Bounds {
        bytes_per_s_min: least(job.least.rates).unwrap_or(0),
        iops_min: least(job.least.rates_iops).unwrap_or(0),
        cycle: Nanos(job.least.cycle_ns),
        latency_max: Nanos(latency_max.unwrap_or(0)),
    }
}

/// Zones of the range, with zonemode=strided.
pub(super) fn zones(job: &Job) -> Option<StridedZones> {
    let zoned = &job.zoned;
    let length = if zoned.range > 0 {
        zoned.range
    } else {
        zoned.size
    };
    (zoned.strided && zoned.size > 0).then_some(StridedZones {
        moved: Bytes(zoned.size),
        length: Bytes(length),
        gap: Bytes(zoned.skip),
    })
}

pub(super) fn cache(job: &Job) -> CacheMode {
    match job.direct && !job.mapped || job.engine == EngineChoice::Null {
        true => CacheMode::Unbuffered,
        false => CacheMode::Cached,
    }
}

/// fio's hint on buffered I/O: by the pattern, unless the job asks for another one or none.
pub(super) fn hint(job: &Job) -> Hint {
    let by_pattern = match job.pattern.random {
        true => Hint::Random,
        false => Hint::Sequential,
    };
    match job.hint {
        _ if cache(job) == CacheMode::Unbuffered || job.mapped => Hint::None,
        Some(Hint::None) => by_pattern,
        Some(hint) => hint,
        None => Hint::None,
    }
}

pub(super) fn content(job: &Job) -> WriteContent {
    let share = |percent| Ratio::percent(percent).unwrap_or_default();
    match (job.zeros, job.compress, job.dedupe, &job.content) {
        (true, ..) => WriteContent::Zero,
        (_, 0, _, Some(bytes)) => WriteContent::Repeated(bytes.clone()),
        (_, 0, 0, None) => WriteContent::Marked,
        (_, compress, dedupe, _) => WriteContent::Shaped {
            compress: share(compress),
            dedupe: share(dedupe),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::fio::tests::read;
    use model::Bytes;

    /// Each row was seen with strace of fio 3.33: the bytes of a file between two drops of its pages.
    #[test]
    fn pages_are_dropped_where_fio_drops_them() {
        let mib = 1 << 20;
        let timed = |options: &str| options.replace("timed", "time_based\nruntime=1");
        for (options, every) in [
            ("rw=read\ntimed", Some(4 * mib)),
            ("rw=randwrite\ntimed", Some(4 * mib)),
            ("rw=read\nnorandommap\ntimed", Some(4 * mib)),
            ("rw=randread\npercentage_random=50\ntimed", Some(4 * mib)),
            ("rw=randread\nbsrange=64k-128k\ntimed", Some(4 * mib)),
            ("rw=randread\nnrfiles=4\ntimed", Some(mib)),
            ("rw=randread\nio_size=1m\ntimed", Some(4 * mib)),
            ("rw=read\nloops=3", Some(4 * mib)),
            (
                "rw=randread\nloops=3\nioengine=libaio\niodepth=8",
                Some(4 * mib),
            ),
            ("rw=randread\nio_size=10m", Some(4 * mib)),
            ("rw=randread\nloops=3\nnumber_ios=16", Some(mib)),
            ("rw=randread\nnrfiles=4\nio_size=10m", Some(mib)),
            ("rw=randread", None),
            ("rw=read\nio_size=1m", None),
            ("rw=randread\nnorandommap\ntimed", None),
            ("rw=randwrite\nnorandommap\nloops=3", None),
            ("rw=randread\nrandom_distribution=zipf:1.2\ntimed", None),
            ("rw=randread\nblockalign=4k\ntimed", None),
            ("rw=randread\npercentage_random=50\nloops=2", None),
            ("rw=read:64k\ntimed", None),
            (
                "rw=read\nzonemode=strided\nzonesize=128k\nzoneskip=128k\nloops=2",
                None,
            ),
            ("rw=read\ninvalidate=0\nloops=3", None),
            ("rw=read\ndirect=1\nloops=3", None),
        ] {
            let text = format!("[a]\nsize=4m\nbs=64k\n{}\n", timed(options));
            let profile = read(&text).unwrap().profile;
            let target = &profile.timespans[0].targets[0];
            assert_eq!(target.drop_cache_every, every.map(Bytes), "{text}");
        }
    }

    /// fio 3.33 reads 48 blocks in each case; `io_size` above `size` with loops ends after another whole pass there.
    #[test]
    fn loops_repeat_what_a_pass_moves() {
        for (options, bytes) in [
            ("io_size=1m", 3 << 20),
            ("number_ios=16", 3 << 20),
            ("number_ios=100", 12 << 20),
            ("rw=randread\nio_size=1m", 3 << 20),
        ] {
            let text = format!("[a]\nsize=4m\nbs=64k\nloops=3\n{options}\n");
            let profile = read(&text).unwrap().profile;
            assert_eq!(
                profile.timespans[0].targets[0].amount,
                Some(Bytes(bytes)),
                "{text}"
            );
        }
        let again = read("[a]\nsize=4m\nbs=64k\nloops=3\nio_size=1m\n")
            .unwrap()
            .profile;
        assert_eq!(
            again.timespans[0].targets[0].length,
            Some(Bytes(1 << 20)),
            "from the start each time"
        );
        assert!(
            read("[a]\nsize=4m\nloops=3\nio_size=8m\n")
                .unwrap_err()
                .contains("loops:")
        );
    }
}
