//! DISKSPD's profile → `model::Profile`, one time span for one.
//!
//! Here is what Linux cannot do, refused with the nearest thing that it can. Each struct of the profile is taken apart
//! without `..`, so that a new field has to find its place. Deliberately absent: whether the machine can do it.

use super::problem::{Note, Problem, Refusal};
use super::profile::{
    Batch, BufferSeparation, Bypass, Cache, Content, Distribution, Flush, Profile, Target,
    Throughput, TimeSpan,
};
use super::validate::{Purpose, validate};
use super::{Extra, creation, targets};
use crate::names::Names;
use model::{
    Access, BeyondEnd, Bytes, CacheMode, CoreSet, DiskspdAccess, EngineChoice, Hint, Location,
    Nanos, OnError, Pacing, Phases, Placement, Pool, PoolDraw, Priority, QueueDepth, Queueing,
    Ratio, Sequence, SubmitBatch, Timespan, Workload, WriteContent,
};
use std::path::PathBuf;

/// `-:`: the one bit that 2.2 knows.
const EXACT_SLEEP: u32 = 1;
/// Most steps of a series that is not requested.
const QUIET_STEPS: u32 = 100_000;

/// What a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// One time span for each of the request's.
    pub profile: model::Profile,
    /// What was accepted and changes nothing on Linux.
    pub notes: Vec<Note>,
}

/// Turns a request that is to be run into what the engine understands. `extra` specifies the effect of a failed I/O.
///
/// # Errors
/// Every rule that it breaks, and everything that the system or fathom cannot do.
pub fn build(profile: &Profile, extra: &Extra) -> Result<Built, Refusal> {
    build_on(Names::own(), profile, extra)
}

fn build_on(on: Names, profile: &Profile, extra: &Extra) -> Result<Built, Refusal> {
    validate(profile, Purpose::Run)?;
    let mut problems = Vec::new();
    let mut notes = Vec::new();
    let on_error = if extra.continue_on_error {
        OnError::Continue
    } else {
        OnError::Stop
    };
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        refuse_foreign(on, target, &mut problems);
        tell_hints(target, &mut notes);
        tell_mapping(target, &mut notes);
        if target.bypass == Some(Bypass::Partial) {
            let what = "-Sy: Linux has no filters to pass by, so it is direct I/O as with -Su";
            notes.push(Note::new(&target.path, what));
        }
    }
    refuse_uncounted(profile, &mut problems);
    tell_other_ways(profile, &mut notes);
    let sizes = creation::sizes(profile);
    let timespans = profile
        .time_spans
        .iter()
        .zip(&sizes)
        .map(|(span, sizes)| located(on, span, timespan(span, sizes, on_error)))
        .collect();
    problems.dedup();
    notes.dedup();
    Refusal::none_or(problems)?;
    Ok(Built {
        profile: model::Profile { timespans },
        notes,
    })
}

/// Gives each target the path that its name leads to.
fn located(on: Names, span: &TimeSpan, mut built: model::Timespan) -> model::Timespan {
    for (target, named) in built.targets.iter_mut().zip(&span.targets) {
        target.location = Location::Path(targets::path(&named.path, on));
    }
    built
}

fn refuse_foreign(on: Names, target: &Target, problems: &mut Vec<Problem>) {
    let mut refuse = |why: String| {
        problems.push(Problem::Rule {
            place: target.path.clone(),
            why,
        });
    };
    if let Some(why) = targets::foreign(&target.path, on) {
        refuse(why);
    }
    if target.bypass == Some(Bypass::Full) {
        refuse(
            "-SY requires that all filters below the file system are passed by, which Linux reports of none; the nearest \
             is -Su (direct I/O), or the device itself as the target"
                .to_owned(),
        );
    }
    let letter = match target.mapped {
        Some(Flush::NonVolatileMemory) => 'n',
        Some(Flush::NonVolatileMemoryNoDrain) => 'i',
        _ => return,
    };
    refuse(format!(
        "-N{letter} flushes persistent memory from the program, which Linux leaves to the file system; the nearest is -Nv \
         (msync after each write)"
    ));
}

/// Results without a table that was asked for would be read as if there had been nothing to count.
fn refuse_uncounted(profile: &Profile, problems: &mut Vec<Problem>) {
    if profile.verbose_stats {
        let why = "the statistics count how often DISKSPD's own loop waited and looked aside, and this engine has no such \
                   loop; omit -vs (VerboseStats). The nearest is --json, which has rates and latencies by interval";
        problems.push(Problem::Rule {
            place: "-vs".to_owned(),
            why: why.to_owned(),
        });
    }
}

fn tell_other_ways(profile: &Profile, notes: &mut Vec<Note>) {
    if profile.events.is_some() {
        let what = "Linux has no such kernel events, so none are counted; the counters of processor and \
                    device are kept with the run";
        notes.push(Note::new("-e", what));
    }
    let flags = profile.experiment_flags;
    if flags & EXACT_SLEEP != 0 {
        let what =
            "bit 0 requests computed throttle sleeps; here they always are, to the nanosecond";
        notes.push(Note::new(format!("-:{flags}"), what));
    }
    if flags & !EXACT_SLEEP != 0 {
        let what =
            "only bit 0 has a meaning in 2.2; the others are printed back and change nothing";
        notes.push(Note::new(format!("-:{flags}"), what));
    }
    if profile
        .time_spans
        .iter()
        .any(|span| span.completion_routines)
    {
        let what = "Linux has one way to wait for many I/Os at once, so the same engine runs with and \
                    without it";
        notes.push(Note::new("-x", what));
    }
    let apart_in_large = |span: &TimeSpan| {
        let large = span.targets.iter().any(|target| target.large_pages);
        large && span.buffers == Some(BufferSeparation::Apart)
    };
    if profile.time_spans.iter().any(apart_in_large) {
        let what = "with -l the I/O memory of a thread begins at a large page, not at a multiple of 16 MiB";
        notes.push(Note::new("-bsp", what));
    }
}

fn tell_hints(target: &Target, notes: &mut Vec<Note>) {
    let mut note = |what: &str| notes.push(Note::new(&target.path, what));
    if target.temporary_hint {
        note("-ft: Linux has no hint for temporary files, so it changes nothing");
    }
    if target.random_access_hint && target.sequential_scan_hint {
        note("-frs: Linux accepts one hint, so the hint is sequential access");
    }
}

/// A mapping goes through the system's cache, and the file's own switches do not reach it, here as on Windows.
fn tell_mapping(target: &Target, notes: &mut Vec<Note>) {
    if target.mapped.is_none() {
        return;
    }
    let mut note = |what: &str| notes.push(Note::new(&target.path, what));
    if target.write_through {
        note(
            "-Sw with -Sm: a mapping has no write-through of its own; -Nv flushes each write to the disk (msync)",
        );
    }
    if target.cache == Cache::LocalOff {
        note("-Sr with -Sm: a mapping goes through the local cache, so it changes nothing");
    }
}

/// A warning where the part of a cached target that is used fits into memory. `size` is that of the target,
/// `memory` what the machine has.
pub fn smaller_than_memory(target: &Target, size: Bytes, memory: Bytes) -> Option<Note> {
    let end = if target.max_bytes == 0 {
        size.0
    } else {
        target.max_bytes.min(size.0)
    };
    let used = Bytes(end.saturating_sub(target.base_bytes));
    let cached = target.cache == Cache::Cached;
    (cached && used < memory).then(|| {
        let what = format!(
            "{} are used through the system's cache and the machine has {} of memory, so memory may be \
             measured; -Su uses direct I/O",
            used.about(),
            memory.about()
        );
        Note::new(&target.path, what)
    })
}

/// A warning where the end that is asked for lies beyond the target, whose size is given.
pub fn beyond_end(target: &Target, size: Bytes) -> Option<Note> {
    (target.max_bytes > size.0).then(|| {
        let asked = Bytes(target.max_bytes);
        let what = format!("the end {asked} is beyond its {size}, so all of it is used");
        Note::new(&target.path, what)
    })
}

fn timespan(span: &TimeSpan, sizes: &[Option<u64>], on_error: OnError) -> model::Timespan {
    let TimeSpan {
        duration_s,
        warmup_s,
        cooldown_s,
        seed,
        random_write_data: _, // with each target's content
        thread_count,
        request_count,
        affinity: _,            // in `placement`
        completion_routines: _, // one engine for both; reported when it is read
        ring,                   // and in `queueing`
        completions_max: _,     // in `queueing`
        buffers: _,             // in `queueing`
        measure_latency: _,     // always measured; decides what is shown
        intervals: _,           // in `interval`
        targets,
    } = span;
    Timespan {
        start_delay: model::Nanos(0),
        end_with_first: false,
        phases: Phases {
            warmup: Nanos::seconds(u64::from(*warmup_s)),
            measured: Nanos::seconds(u64::from(*duration_s)),
            cooldown: Nanos::seconds(u64::from(*cooldown_s)),
        },
        interval: interval(span),
        seed: u64::from(*seed),
        engine: match ring {
            Some(_) => EngineChoice::IoUring,
            None => EngineChoice::Auto,
        },
        on_error,
        pool: (*thread_count > 0).then(|| Pool {
            threads: *thread_count,
            outstanding: (*request_count > 0).then_some(*request_count),
            draw: PoolDraw::ByWeight,
        }),
        polling: model::Polling::default(),
        queueing: queueing(span),
        placement: placement(span),
        arrivals: None,
        targets: targets
            .iter()
            .zip(sizes)
            .map(|(each, size)| target(span, each, *size))
            .collect(),
    }
}

/// Bytes from the I/O memory of one thread to the next.
const APART: Bytes = Bytes(16 << 20);

fn queueing(span: &TimeSpan) -> Queueing {
    let batch = |batch| match batch {
        Batch::Ios(ios) => SubmitBatch::Ios(ios),
        Batch::Percent(share) => SubmitBatch::Percent(share),
    };
    Queueing {
        submit: span.ring.map(|ring| batch(ring.batch)),
        completions_max: span.completions_max.map(u32::from),
        unregistered: span.ring.is_some_and(|ring| !ring.registered),
        buffers_apart: (span.buffers == Some(BufferSeparation::Apart)).then_some(APART),
    }
}

/// The series is always kept. Without `-D` it is not printed, and a run of months must not be refused for its length.
fn interval(span: &TimeSpan) -> Nanos {
    let asked = Nanos::millis(u64::from(span.intervals.length_ms));
    let least = Nanos::seconds(u64::from(span.duration_s / QUIET_STEPS));
    if span.intervals.printed {
        asked
    } else {
        asked.max(least)
    }
}

/// Group *g* represents the processors 64*g* to 64*g* + 63, so that lines from hosts with one group mean the same.
fn placement(span: &TimeSpan) -> Placement {
    if span.affinity.disabled {
        Placement::Free
    } else if span.affinity.is_of_2_3() {
        Placement::Ordered(span.affinity.core_order())
    } else if span.affinity.processors.is_empty() {
        Placement::RoundRobin
    } else {
        let one = |set: CoreSet| match set {
            CoreSet::One(core) | CoreSet::Group(core) => core,
        };
        let order = span.affinity.core_order();
        Placement::Cores(order.cores.into_iter().map(one).collect())
    }
}

fn target(span: &TimeSpan, target: &Target, size: Option<u64>) -> model::Target {
    let Target {
        path,
        block_bytes: _,    // in `workload`
        random_percent: _, // in `workload`
        align_bytes: _,    // in `workload`
        interlocked: _,    // in `workload`
        parallel_async: _, // in `workload`
        distribution: _,   // in `workload`
        base_bytes,
        max_bytes,
        create_bytes: _, // in `size`
        sequential_scan_hint,
        random_access_hint,
        temporary_hint: _, // reported in a note
        large_pages,
        request_count: _, // in `workload`
        cache,
        write_through,
        mapped,
        bypass: _,     // reported, or refused
        content: _,    // in `content`
        burst_ios: _,  // in `pacing`
        think_ms: _,   // in `pacing`
        throughput: _, // in `pacing`
        threads,
        write_percent: _,       // in `workload`
        thread_stride_bytes: _, // in `workload`
        io_priority,
        weight,
        thread_targets,
    } = target;
    let pool = span.thread_count > 0;
    let shared = pool && span.request_count > 0; // as in the original, a weight means nothing elsewhere
    model::Target {
        base: Bytes(*base_bytes),
        length: (*max_bytes > 0).then(|| Bytes(max_bytes - base_bytes)),
        create: size.map(Bytes),
        create_exactly: true,
        cache: match cache {
            _ if mapped.is_some() => CacheMode::Cached,
            Cache::Cached => CacheMode::Cached,
            Cache::Unbuffered => CacheMode::Unbuffered,
            Cache::LocalOff => CacheMode::LocalOff,
        },
        write_through: *write_through && mapped.is_none(),
        beyond_end: BeyondEnd::Clip,
        mapped: mapped.map(|flush| match flush {
            Flush::None => model::Flush::Never,
            _ => model::Flush::View,
        }),
        content: content(span, target),
        pacing: pacing(span, target),
        priority: match io_priority {
            1 => Priority::VeryLow,
            2 => Priority::Low,
            _ => Priority::Normal,
        },
        hint: match (sequential_scan_hint, random_access_hint) {
            (true, _) => Hint::Sequential,
            (false, true) => Hint::Random,
            (false, false) => Hint::None,
        },
        large_pages: *large_pages,
        weight: if shared { *weight } else { 1 },
        pool_threads: thread_targets.clone(), // validated: empty unless shared
        threads: if pool { 1 } else { *threads },
        ..model::Target::new(Location::Path(PathBuf::from(path)), workload(target))
    }
}

fn content(span: &TimeSpan, target: &Target) -> WriteContent {
    match &target.content {
        Content::Zero => WriteContent::Zero,
        Content::Source { bytes, file } => WriteContent::Source {
            bytes: Bytes(*bytes),
            file: file.as_ref().map(PathBuf::from),
        },
        Content::Pattern if span.random_write_data => WriteContent::Fresh,
        Content::Pattern => WriteContent::Pattern,
    }
}

/// A burst is shared out over the threads of the target; a rate makes bursts meaningless, as in the original.
fn pacing(span: &TimeSpan, target: &Target) -> Pacing {
    let bytes_per_s = match target.throughput {
        Throughput::BytesPerMs(bytes) => u64::from(bytes) * 1000,
        Throughput::Iops(ios) => u64::from(ios) * u64::from(target.block_bytes),
        Throughput::Free => 0,
    };
    if bytes_per_s > 0 {
        return Pacing::Rate { bytes_per_s };
    }
    if target.burst_ios == 0 {
        return Pacing::Free;
    }
    let listed = u32::try_from(target.thread_targets.len()).unwrap_or(u32::MAX);
    let threads = match (span.thread_count, listed) {
        (0, _) => target.threads,
        (pool, 0) => pool,
        (_, listed) => listed,
    };
    Pacing::Bursts {
        ios: (target.burst_ios / threads.max(1)).max(1),
        pause: Nanos::millis(u64::from(target.think_ms)),
    }
}

fn workload(target: &Target) -> Workload {
    let percent = |value: u8| Ratio::percent(value).expect("validated: at most 100");
    let access = DiskspdAccess {
        random: percent(target.random_percent),
        align: Bytes(target.align()),
        sequence: match (target.interlocked, target.parallel_async) {
            (true, _) => Sequence::Interlocked,
            (false, true) => Sequence::PerSlot,
            (false, false) => Sequence::PerThread,
        },
        thread_stride: Bytes(target.thread_stride_bytes),
        distribution: match &target.distribution {
            Distribution::Uniform => model::Distribution::Uniform,
            Distribution::Percent(ranges) => model::Distribution::Percent(ranges.clone()),
            Distribution::Absolute(ranges) => model::Distribution::Absolute(ranges.clone()),
        },
    };
    Workload {
        block: Bytes(u64::from(target.block_bytes)),
        queue_depth: QueueDepth(target.request_count),
        write: percent(target.write_percent),
        access: Access::Diskspd(access),
    }
}
