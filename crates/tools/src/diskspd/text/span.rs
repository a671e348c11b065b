//! The lines of one time span, before its targets.
//!
//! What only 2.3 has is printed as 2.3 prints it, in every version: always in 2.3, and elsewhere where it is specified.

use super::{Indent, line};
use crate::diskspd::Compat;
use crate::diskspd::affinity::{Processors, ThreadAffinity};
use crate::diskspd::number::size_text;
use crate::diskspd::profile::{Batch, BufferSeparation, TimeSpan};
use model::EfficiencyOrder;

/// Bytes from one thread's I/O memory to the next with `-bsp`.
const APART: u64 = 16 << 20;

pub(super) fn print(span: &TimeSpan, compat: Compat, text: &mut String) {
    let indent = Indent::of(compat).span;
    let mut tell = |content: &str| line(text, &format!("{indent}{content}"));
    tell(&format!("duration: {}s", span.duration_s));
    tell(&format!("warm up time: {}s", span.warmup_s));
    tell(&format!("cool down time: {}s", span.cooldown_s));
    if span.affinity.disabled && compat < Compat::V2_3 {
        tell("affinity disabled");
    }
    if span.measure_latency {
        tell("measuring latency");
    }
    if span.intervals.printed {
        tell(&format!(
            "gathering IOPS at intervals of {}ms",
            span.intervals.length_ms
        ));
    }
    tell(&format!("random seed: {}", span.seed));
    if span.thread_count > 0 {
        tell(&format!("thread pool with {} threads", span.thread_count));
        tell(&format!(
            "number of outstanding I/O operations per thread: {}",
            span.request_count
        ));
    }
    print_ring(span, &mut tell);
    if span.affinity.disabled && compat >= Compat::V2_3 {
        tell("affinity disabled");
    }
    print_affinity(&span.affinity, compat, &mut tell);
    match span.buffers {
        None => {}
        Some(BufferSeparation::SystemDefault) => tell("buffer separation: system default"),
        Some(BufferSeparation::Apart) => {
            let apart = size_text(APART, 0);
            tell(&format!("buffer separation: thread optimized ({apart})"));
        }
    }
    if let Some(most) = span.completions_max {
        tell(&format!("completion depth: {most}"));
    }
    if span.random_write_data {
        tell("generating random data for each write IO");
        tell("  WARNING: this increases the CPU cost of issuing writes and should only");
        tell("           be compared to other results using the -Zr flag");
    }
}

fn print_ring(span: &TimeSpan, tell: &mut dyn FnMut(&str)) {
    let Some(ring) = span.ring else { return };
    let batch = match ring.batch {
        Batch::Ios(ios) => ios.to_string(),
        Batch::Percent(share) => format!("{share}%"),
    };
    let registered = if ring.registered {
        " with registered buffers"
    } else {
        ""
    };
    tell(&format!("using IoRing (batch size: {batch}){registered}"));
}

fn print_affinity(affinity: &ThreadAffinity, compat: Compat, tell: &mut dyn FnMut(&str)) {
    let order = affinity.order;
    if order.is_given() {
        let traversal = if order.core_first {
            "core-aware"
        } else {
            "cpu order"
        };
        let groups = if order.span_groups { "span" } else { "fill" };
        let class = match order.efficiency {
            Some(EfficiencyOrder::PerformanceFirst) => "P-cores first",
            Some(EfficiencyOrder::FillPerformance) => "fill P-cores first",
            Some(EfficiencyOrder::EfficientFirst) => "E-cores first",
            Some(EfficiencyOrder::FillEfficient) => "fill E-cores first",
            Some(EfficiencyOrder::Unordered) | None => "no P/E order",
        };
        tell(&format!(
            "affinity assignment: {traversal}, {groups} groups, {class}"
        ));
    }
    if affinity.processors.is_empty() {
        return;
    }
    if compat >= Compat::V2_3 {
        let masks = affinity.masks();
        let several = masks.iter().any(|mask| mask.group > 0);
        let (name, list) = if several {
            let each = masks
                .iter()
                .map(|mask| format!("{}/{}", mask.group, mask.ranges()));
            ("group/cpu", each.collect::<Vec<_>>())
        } else {
            ("cpu", masks.iter().map(|mask| mask.ranges()).collect())
        };
        return tell(&format!("affinity ({name}): {}", list.join(" ")));
    }
    let each = |item: &Processors| match item {
        Processors::One { group, cpu } => format!("{group}/{cpu}"),
        Processors::Group { group } => format!("{group}/*"),
    };
    let list: Vec<String> = affinity.processors.iter().map(each).collect();
    tell(&format!(
        "advanced affinity round robin (group/core): {}",
        list.join(", ")
    ));
}
