//! Profile → document, in the order of the original.
//!
//! Unlike it, text is escaped and `RandomWriteData` is written, so that what is printed can be read again. What only 2.3 has
//! is written where it is specified, in any version.

use super::queue::{BYPASSES, SEPARATIONS, SPANS, TRAVERSALS};
use super::read::{FLUSHES, PRECREATE};
use super::{LOST, is_char};
use crate::diskspd::Compat;
use crate::diskspd::affinity::{EFFICIENCIES, Processors, ThreadAffinity};
use crate::diskspd::profile::{
    Batch, Cache, Content, Distribution, EventClasses, Profile, ResultFormat, Target, Throughput,
    TimeSpan,
};
use std::fmt::{Display, Write};

/// The whole profile in the form of a version, indented by `indent` blanks more than nothing; ends with a line feed.
pub fn write_xml(profile: &Profile, indent: usize, compat: Compat) -> String {
    let mut xml = Writer {
        text: String::new(),
        indent,
    };
    xml.inside("Profile", |xml| {
        xml.element("Progress", profile.progress);
        if profile.experiment_flags != 0 {
            xml.element("ExperimentFlags", profile.experiment_flags);
        }
        xml.element(
            "ResultFormat",
            match profile.result_format {
                ResultFormat::Text => "text",
                ResultFormat::Xml => "xml",
            },
        );
        xml.element("Verbose", profile.verbose);
        xml.when("VerboseStats", profile.verbose_stats);
        if let Some(name) = name_of(&PRECREATE, profile.precreate) {
            xml.element("PrecreateFiles", name);
        }
        if let Some(events) = &profile.events {
            xml.inside("ETW", |xml| write_events(events, xml));
        }
        xml.inside("TimeSpans", |xml| {
            for span in &profile.time_spans {
                xml.inside("TimeSpan", |xml| write_span(span, compat, xml));
            }
        });
    });
    xml.text
}

/// Text as it may stand inside an element or an attribute in double quotes. Blanks at either end, and control
/// characters, become references, because readers trim. The few characters that XML 1.0 has no spelling for, such as
/// U+0001, become [`LOST`]: such a name cannot be read back, and `-Rp` and `-Rxml` warn of it.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    let inner = start..start + trimmed.len();
    for (place, c) in text.char_indices() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if !is_char(c) => escaped.push(LOST),
            c if c.is_control() || !inner.contains(&place) => {
                write!(escaped, "&#{};", u32::from(c)).expect("a String takes it");
            }
            c => escaped.push(c),
        }
    }
    escaped
}

struct Writer {
    text: String,
    indent: usize,
}

impl Writer {
    fn line(&mut self, content: &str) {
        let indent = self.indent;
        writeln!(self.text, "{:indent$}{content}", "").expect("a String takes it");
    }

    fn element(&mut self, name: &str, value: impl Display) {
        self.line(&format!("<{name}>{value}</{name}>"));
    }

    fn when(&mut self, name: &str, value: bool) {
        if value {
            self.element(name, true);
        }
    }

    fn inside(&mut self, name: &str, write: impl FnOnce(&mut Writer)) {
        self.line(&format!("<{name}>"));
        self.indent += 2;
        write(self);
        self.indent -= 2;
        self.line(&format!("</{name}>"));
    }
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: Option<T>) -> Option<&'static str> {
    let value = value?;
    names
        .iter()
        .find(|(_, each)| *each == value)
        .map(|(name, _)| *name)
}

fn write_events(events: &EventClasses, xml: &mut Writer) {
    for (name, value) in [
        ("Process", events.process),
        ("Thread", events.thread),
        ("ImageLoad", events.image_load),
        ("DiskIO", events.disk_io),
        ("MemoryPageFaults", events.memory_page_faults),
        ("MemoryHardFaults", events.memory_hard_faults),
        ("Network", events.network),
        ("Registry", events.registry),
        ("UsePagedMemory", events.use_paged_memory),
        ("UsePerfTimer", events.use_perf_timer),
        ("UseSystemTimer", events.use_system_timer),
        ("UseCyclesCounter", events.use_cycles_counter),
    ] {
        xml.element(name, value);
    }
}

fn write_span(span: &TimeSpan, compat: Compat, xml: &mut Writer) {
    xml.element("CompletionRoutines", span.completion_routines);
    xml.element("MeasureLatency", span.measure_latency);
    xml.element("CalculateIopsStdDev", span.intervals.printed);
    if compat < Compat::V2_3 {
        xml.element("DisableAffinity", span.affinity.disabled);
    }
    xml.element("Duration", span.duration_s);
    xml.element("Warmup", span.warmup_s);
    xml.element("Cooldown", span.cooldown_s);
    xml.element("ThreadCount", span.thread_count);
    xml.element("RequestCount", span.request_count);
    xml.element("IoBucketDuration", span.intervals.length_ms);
    xml.element("RandSeed", span.seed);
    xml.when("RandomWriteData", span.random_write_data);
    if let Some(ring) = span.ring {
        xml.inside("IoRing", |xml| {
            let (size, percent) = match ring.batch {
                Batch::Ios(ios) => (ios, false),
                Batch::Percent(share) => (u32::from(share), true),
            };
            xml.line(&format!(
                r#"<IoRingBatchSize Percent="{percent}">{size}</IoRingBatchSize>"#
            ));
            xml.element("UseRegBuffer", ring.registered);
        });
    }
    if compat >= Compat::V2_3 {
        xml.element("DisableAffinity", span.affinity.disabled);
    }
    write_affinity(&span.affinity, compat, xml);
    if let Some(name) = name_of(&SEPARATIONS, span.buffers) {
        xml.element("BufferSeparation", name);
    }
    if let Some(most) = span.completions_max {
        xml.element("CompletionDepth", most);
    }
    xml.inside("Targets", |xml| {
        for target in &span.targets {
            xml.inside("Target", |xml| write_target(target, xml));
        }
    });
}

fn write_affinity(affinity: &ThreadAffinity, compat: Compat, xml: &mut Writer) {
    let order = affinity.order;
    if order.is_given() {
        let named = |value, names: &[(&'static str, bool)]| name_of(names, Some(value));
        let traversal = named(order.core_first, &TRAVERSALS).unwrap_or_default();
        let group = named(order.span_groups, &SPANS).unwrap_or_default();
        let efficiency = name_of(&EFFICIENCIES, order.efficiency);
        let efficiency = efficiency.map(|name| format!(r#" Efficiency="{name}""#));
        xml.line(&format!(
            r#"<AffinityTraversal Group="{group}"{}>{traversal}</AffinityTraversal>"#,
            efficiency.unwrap_or_default()
        ));
    }
    if affinity.processors.is_empty() {
        return;
    }
    let whole = |item: &Processors| matches!(item, Processors::Group { .. });
    if compat >= Compat::V2_3 || affinity.processors.iter().any(whole) {
        xml.inside("Affinity", |xml| {
            for mask in affinity.masks() {
                let (group, mask) = (mask.group, mask.mask);
                xml.line(&format!(r#"<Group Group="{group}" Mask="{mask:#x}"/>"#));
            }
        });
        return;
    }
    xml.inside("Affinity", |xml| {
        for item in &affinity.processors {
            if let Processors::One { group, cpu } = item {
                xml.line(&format!(
                    r#"<AffinityGroupAssignment Group="{group}" Processor="{cpu}"/>"#
                ));
            }
        }
    });
}

fn write_target(target: &Target, xml: &mut Writer) {
    xml.element("Path", escape(&target.path));
    xml.element("BlockSize", target.block_bytes);
    xml.element("BaseFileOffset", target.base_bytes);
    xml.element("SequentialScan", target.sequential_scan_hint);
    xml.element("RandomAccess", target.random_access_hint);
    xml.element("TemporaryFile", target.temporary_hint);
    xml.element("UseLargePages", target.large_pages);
    write_cache(target, xml);
    xml.inside("WriteBufferContent", |xml| {
        write_content(&target.content, xml);
    });
    xml.element("ParallelAsyncIO", target.parallel_async);
    if target.burst_ios > 0 {
        xml.element("BurstSize", target.burst_ios);
    }
    if target.think_ms > 0 {
        xml.element("ThinkTime", target.think_ms);
    }
    if let Some(bytes) = target.create_bytes {
        xml.element("FileSize", bytes);
    }
    write_access(target, xml);
    xml.element("ThreadStride", target.thread_stride_bytes);
    xml.element("MaxFileSize", target.max_bytes);
    xml.element("RequestCount", target.request_count);
    xml.element("WriteRatio", target.write_percent);
    match target.throughput {
        Throughput::Free => xml.element("Throughput", 0),
        Throughput::BytesPerMs(bytes) => xml.element("Throughput", bytes),
        Throughput::Iops(ios) => {
            xml.line(&format!(r#"<Throughput unit="IOPS">{ios}</Throughput>"#));
        }
    }
    xml.element("ThreadsPerFile", target.threads);
    xml.element("IOPriority", target.io_priority);
    xml.element("Weight", target.weight);
    write_thread_targets(&target.thread_targets, xml);
}

fn write_cache(target: &Target, xml: &mut Writer) {
    match target.cache {
        Cache::Cached => {}
        Cache::LocalOff => xml.element("DisableLocalCache", true),
        Cache::Unbuffered => xml.element("DisableOSCache", true),
    }
    xml.when("WriteThrough", target.write_through);
    xml.when("MemoryMappedIo", target.mapped.is_some());
    if let Some(name) = name_of(&FLUSHES, target.mapped) {
        xml.element("FlushType", name);
    }
    if let Some(name) = name_of(&BYPASSES, target.bypass) {
        xml.element("BypassIO", name);
    }
}

fn write_content(content: &Content, xml: &mut Writer) {
    match content {
        Content::Pattern => xml.element("Pattern", "sequential"),
        Content::Zero => xml.element("Pattern", "zero"),
        Content::Source { bytes, file } => {
            xml.element("Pattern", "random");
            xml.inside("RandomDataSource", |xml| {
                xml.element("SizeInBytes", bytes);
                if let Some(file) = file {
                    xml.element("FilePath", escape(file));
                }
            });
        }
    }
}

fn write_access(target: &Target, xml: &mut Writer) {
    if target.random_percent == 0 {
        xml.element("StrideSize", target.align());
        xml.element("InterlockedSequential", target.interlocked);
        return;
    }
    xml.element("Random", target.align());
    if target.random_percent != 100 {
        xml.element("RandomRatio", target.random_percent);
    }
    let (kind, ranges): (&str, Vec<(u8, u64)>) = match &target.distribution {
        Distribution::Uniform => return,
        Distribution::Percent(ranges) => (
            "Percent",
            ranges
                .iter()
                .map(|(io, part)| (*io, u64::from(*part)))
                .collect(),
        ),
        Distribution::Absolute(ranges) => ("Absolute", ranges.clone()),
    };
    xml.inside("Distribution", |xml| {
        xml.inside(kind, |xml| {
            for (io, length) in ranges {
                xml.line(&format!(r#"<Range IO="{io}">{length}</Range>"#));
            }
        });
    });
}

fn write_thread_targets(threads: &[(u32, u32)], xml: &mut Writer) {
    if threads.is_empty() {
        return;
    }
    xml.inside("ThreadTargets", |xml| {
        for (thread, weight) in threads {
            xml.inside("ThreadTarget", |xml| {
                xml.element("Thread", thread);
                if *weight > 0 {
                    xml.element("Weight", weight);
                }
            });
        }
    });
}
