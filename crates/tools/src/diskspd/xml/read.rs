//! Document → profile.
//!
//! Children come in any order and each at most once; unknown names are refused, so that a misspelt setting is not
//! lost. Rules between settings are in `validate`, except for those that a profile cannot express.

use super::XmlError;
use super::elements::Document;
use super::parts::{content, distribution, thread_targets, throughput};
use super::queue;
use super::tree::{self, Element};
use crate::diskspd::profile::{
    Cache, EventClasses, Flush, Precreate, Profile, ResultFormat, Target, TimeSpan,
};

const FORMATS: [(&str, ResultFormat); 2] =
    [("text", ResultFormat::Text), ("xml", ResultFormat::Xml)];
pub(super) const PRECREATE: [(&str, Precreate); 3] = [
    ("UseMaxSize", Precreate::UseMaxSize),
    (
        "CreateOnlyFilesWithConstantSizes",
        Precreate::OnlyFilesWithConstantSizes,
    ),
    (
        "CreateOnlyFilesWithConstantOrZeroSizes",
        Precreate::OnlyFilesWithConstantOrZeroSizes,
    ),
];
pub(super) const FLUSHES: [(&str, Flush); 3] = [
    ("ViewOfFile", Flush::ViewOfFile),
    ("NonVolatileMemory", Flush::NonVolatileMemory),
    ("NonVolatileMemoryNoDrain", Flush::NonVolatileMemoryNoDrain),
];

/// Reads a profile, or the one inside a results document.
///
/// # Errors
/// The first thing that is wrong, with its line and column. At most 64 MiB and 100000 elements are read, nested 16
/// deep; document types are refused.
pub fn read_xml(text: &str) -> Result<Profile, XmlError> {
    let root = tree::parse(text)?;
    let document = Document { source: text };
    match root.name.as_str() {
        "Profile" => profile(&document, &root),
        "Results" => {
            let inside = root.children.iter().find(|child| child.name == "Profile");
            let inside = inside.ok_or_else(|| {
                document.error(
                    &root,
                    "contains no Profile; specify a profile, or results with one",
                )
            })?;
            profile(&document, inside)
        }
        _ => Err(document.error(&root, "is not a profile; a document begins with <Profile>")),
    }
}

fn profile(document: &Document, element: &Element) -> Result<Profile, XmlError> {
    document.each_once(element)?;
    let mut profile = Profile::default();
    let mut spans = None;
    for child in &element.children {
        match child.name.as_str() {
            "TimeSpans" => spans = Some(document.list(child, "TimeSpan")?),
            "Verbose" => profile.verbose = document.bool(child)?,
            "VerboseStats" => profile.verbose_stats = document.bool(child)?,
            "Progress" => profile.progress = document.u32(child)?,
            "ExperimentFlags" => profile.experiment_flags = document.u32(child)?,
            "ResultFormat" => profile.result_format = document.word(child, &FORMATS)?,
            "PrecreateFiles" => profile.precreate = Some(document.word(child, &PRECREATE)?),
            "ETW" => profile.events = events(document, child)?,
            _ => return Err(document.unexpected(child, element)),
        }
    }
    let spans = spans.ok_or_else(|| {
        document.error(
            element,
            "has no TimeSpans; there is at least one TimeSpan in it",
        )
    })?;
    profile.time_spans = spans
        .iter()
        .map(|span| time_span(document, span))
        .collect::<Result<_, _>>()?;
    Ok(profile)
}

fn events(document: &Document, element: &Element) -> Result<Option<EventClasses>, XmlError> {
    document.each_once(element)?;
    let mut events = EventClasses::default();
    for child in &element.children {
        let place = match child.name.as_str() {
            "Process" => &mut events.process,
            "Thread" => &mut events.thread,
            "ImageLoad" => &mut events.image_load,
            "DiskIO" => &mut events.disk_io,
            "MemoryPageFaults" => &mut events.memory_page_faults,
            "MemoryHardFaults" => &mut events.memory_hard_faults,
            "Network" => &mut events.network,
            "Registry" => &mut events.registry,
            "UsePagedMemory" => &mut events.use_paged_memory,
            "UsePerfTimer" => &mut events.use_perf_timer,
            "UseSystemTimer" => &mut events.use_system_timer,
            "UseCyclesCounter" => &mut events.use_cycles_counter,
            _ => return Err(document.unexpected(child, element)),
        };
        *place = document.bool(child)?;
    }
    Ok((!element.children.is_empty()).then_some(events))
}

fn time_span(document: &Document, element: &Element) -> Result<TimeSpan, XmlError> {
    document.each_once(element)?;
    let mut span = TimeSpan::default();
    let mut targets = None;
    for child in &element.children {
        match child.name.as_str() {
            "Targets" => targets = Some(document.list(child, "Target")?),
            "Duration" => span.duration_s = document.u32(child)?,
            "Warmup" => span.warmup_s = document.u32(child)?,
            "Cooldown" => span.cooldown_s = document.u32(child)?,
            "RandSeed" => span.seed = document.u32(child)?,
            "RandomWriteData" => span.random_write_data = document.bool(child)?,
            "ThreadCount" => span.thread_count = document.u32(child)?,
            "RequestCount" => span.request_count = document.u32(child)?,
            "GroupAffinity" => _ = document.bool(child)?, // old profiles; it has no effect
            "Affinity" => span.affinity.processors = queue::affinity(document, child)?,
            "AffinityTraversal" => span.affinity.order = queue::order(document, child)?,
            "IoRing" => span.ring = Some(queue::ring(document, child)?),
            "BufferSeparation" => {
                span.buffers = Some(document.word(child, &queue::SEPARATIONS)?);
            }
            "CompletionDepth" => span.completions_max = Some(document.percent(child, 1..=16)?),
            "DisableAffinity" => span.affinity.disabled = document.bool(child)?,
            "CompletionRoutines" => span.completion_routines = document.bool(child)?,
            "MeasureLatency" => span.measure_latency = document.bool(child)?,
            "CalculateIopsStdDev" => span.intervals.printed = document.bool(child)?,
            "IoBucketDuration" => {
                let ms = document.number(child, 1..=u64::from(u32::MAX))?;
                span.intervals.length_ms = u32::try_from(ms).expect("within the range");
            }
            _ => return Err(document.unexpected(child, element)),
        }
    }
    let targets = targets.ok_or_else(|| {
        document.error(
            element,
            "has no Targets; there is at least one Target in it",
        )
    })?;
    span.targets = targets
        .iter()
        .map(|each| target(document, each))
        .collect::<Result<_, _>>()?;
    Ok(span)
}

/// What cannot be put into a target before all its elements are read.
#[derive(Default)]
struct Loose {
    path: bool,
    stride: Option<u64>,
    random: Option<u64>,
    ratio: Option<u8>,
    os_cache_off: bool,
    all_cache_off: bool,
    local_cache_off: bool,
    mapped: bool,
    flush: Option<Flush>,
}

fn target(document: &Document, element: &Element) -> Result<Target, XmlError> {
    document.each_once(element)?;
    let mut target = Target::default();
    let mut loose = Loose::default();
    for child in &element.children {
        let known = place(document, child, &mut target)?
            || work(document, child, &mut target)?
            || loosely(document, child, &mut target, &mut loose)?;
        if !known {
            return Err(document.unexpected(child, element));
        }
    }
    fasten(document, element, &mut target, &loose)?;
    Ok(target)
}

/// Where and how it is opened.
fn place(document: &Document, child: &Element, target: &mut Target) -> Result<bool, XmlError> {
    match child.name.as_str() {
        "BaseFileOffset" => target.base_bytes = document.u64(child)?,
        "MaxFileSize" => target.max_bytes = document.u64(child)?,
        "FileSize" => target.create_bytes = Some(document.u64(child)?),
        "SequentialScan" => target.sequential_scan_hint = document.bool(child)?,
        "RandomAccess" => target.random_access_hint = document.bool(child)?,
        "TemporaryFile" => target.temporary_hint = document.bool(child)?,
        "UseLargePages" => target.large_pages = document.bool(child)?,
        "WriteThrough" => target.write_through = document.bool(child)?,
        "BypassIO" => target.bypass = Some(document.word(child, &queue::BYPASSES)?),
        "WriteBufferContent" => target.content = content(document, child)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What is done to it.
fn work(document: &Document, child: &Element, target: &mut Target) -> Result<bool, XmlError> {
    match child.name.as_str() {
        "BlockSize" => target.block_bytes = document.u32(child)?,
        "InterlockedSequential" => target.interlocked = document.bool(child)?,
        "Distribution" => target.distribution = distribution(document, child)?,
        "RequestCount" => target.request_count = document.u32(child)?,
        "BurstSize" => target.burst_ios = document.u32(child)?,
        "ThinkTime" => target.think_ms = document.u32(child)?,
        "Throughput" => target.throughput = throughput(document, child)?,
        "ThreadsPerFile" => target.threads = document.u32(child)?,
        "WriteRatio" => target.write_percent = document.percent(child, 0..=100)?,
        "ParallelAsyncIO" => target.parallel_async = document.bool(child)?,
        "ThreadStride" => target.thread_stride_bytes = document.u64(child)?,
        "IOPriority" => target.io_priority = document.percent(child, 1..=3)?,
        "Weight" => target.weight = document.u32(child)?,
        "ThreadTargets" => target.thread_targets = thread_targets(document, child)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn loosely(
    document: &Document,
    child: &Element,
    target: &mut Target,
    loose: &mut Loose,
) -> Result<bool, XmlError> {
    match child.name.as_str() {
        "Path" => {
            target.path = document.text(child)?;
            loose.path = true;
        }
        "StrideSize" => loose.stride = Some(document.u64(child)?),
        "Random" => loose.random = Some(document.u64(child)?),
        "RandomRatio" => loose.ratio = Some(document.percent(child, 1..=99)?),
        "DisableOSCache" => loose.os_cache_off = document.bool(child)?,
        "DisableAllCache" => loose.all_cache_off = document.bool(child)?,
        "DisableLocalCache" => loose.local_cache_off = document.bool(child)?,
        "MemoryMappedIo" => loose.mapped = document.bool(child)?,
        "FlushType" => loose.flush = Some(document.word(child, &FLUSHES)?),
        _ => return Ok(false),
    }
    Ok(true)
}

fn fasten(
    document: &Document,
    element: &Element,
    target: &mut Target,
    loose: &Loose,
) -> Result<(), XmlError> {
    if !loose.path {
        return Err(document.error(
            element,
            "has no Path; specify a file, a device or a template as *1",
        ));
    }
    if loose.stride.is_some() && (loose.random.is_some() || loose.ratio.is_some()) {
        return Err(document.error(
            element,
            "StrideSize is sequential, Random and RandomRatio are not; use one",
        ));
    }
    target.align_bytes = loose.stride.or(loose.random).unwrap_or(0);
    target.random_percent = loose
        .ratio
        .unwrap_or(if loose.random.is_some() { 100 } else { 0 });
    if loose.os_cache_off || loose.all_cache_off {
        target.cache = Cache::Unbuffered;
    }
    if loose.local_cache_off {
        target.cache = Cache::LocalOff;
    }
    target.write_through |= loose.all_cache_off;
    if loose.flush.is_some() && !loose.mapped {
        return Err(document.error(
            element,
            "FlushType flushes mapped writes; set MemoryMappedIo, or omit it",
        ));
    }
    target.mapped = loose.mapped.then(|| loose.flush.unwrap_or(Flush::None));
    target.canonical();
    Ok(())
}
