//! The lines of one target, in the layout of a version.
//!
//! Those before 2.1 differ in three things: sizes are plain byte counts, the outstanding I/Os are not "per thread", and
//! the distance between threads is always printed. What a version did not have is printed as a later one does.

use super::{Indent, RangeLine, line, range_line};
use crate::diskspd::Compat;
use crate::diskspd::number::size_text;
use crate::diskspd::profile::{
    Bypass, Cache, Content, Distribution, Flush, Target, Throughput, TimeSpan,
};

struct Lines<'a> {
    text: &'a mut String,
    compat: Compat,
}

impl Lines<'_> {
    fn tell(&mut self, content: &str) {
        let indent = Indent::of(self.compat).target;
        line(self.text, &format!("{indent}{content}"));
    }

    /// Before sizes had units.
    fn is_old(&self) -> bool {
        self.compat < Compat::V2_1
    }

    fn size(&self, bytes: u64) -> String {
        if self.is_old() {
            bytes.to_string()
        } else {
            size_text(bytes, 0)
        }
    }
}

pub(super) fn print(span: &TimeSpan, target: &Target, compat: Compat, text: &mut String) {
    let indent = Indent::of(compat).span;
    match target.path.strip_prefix('*') {
        Some(number) => line(text, &format!("{indent}path: template target '{number}'")),
        None => line(text, &format!("{indent}path: '{}'", target.path)),
    }
    let mut lines = Lines { text, compat };
    lines.tell(&format!("think time: {}ms", target.think_ms));
    lines.tell(&format!("burst size: {}", target.burst_ios));
    print_cache(target, &mut lines);
    print_content(target, &mut lines);
    print_work(target, &mut lines);
    print_load(span, target, &mut lines);
    print_place(span, target, &mut lines);
    print_rest(target, &mut lines);
}

fn print_cache(target: &Target, lines: &mut Lines) {
    lines.tell(match target.cache {
        Cache::Cached => "using software cache",
        Cache::LocalOff => "local software cache disabled, remote cache enabled",
        Cache::Unbuffered => "software cache disabled",
    });
    lines.tell(match (target.write_through, target.cache) {
        (false, _) => "using hardware write cache, writethrough off",
        (true, Cache::Unbuffered) => "hardware write cache disabled, writethrough on",
        (true, _) => "hardware and software write caches disabled, writethrough on",
    });
    if let Some(flush) = target.mapped {
        let mode = match flush {
            Flush::None => "",
            Flush::ViewOfFile => ", flush mode: FlushViewOfFile",
            Flush::NonVolatileMemory => ", flush mode: FlushNonVolatileMemory",
            Flush::NonVolatileMemoryNoDrain => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        lines.tell(&format!("memory mapped I/O enabled{mode}"));
    }
    match target.bypass {
        None => {}
        Some(Bypass::Partial) => lines.tell("using BypassIO (allow partial)"),
        Some(Bypass::Full) => lines.tell("using BypassIO (full bypass)"),
    }
}

fn print_content(target: &Target, lines: &mut Lines) {
    match &target.content {
        Content::Pattern => {}
        Content::Zero => lines.tell("zeroing write buffers"),
        Content::Source { bytes, file } => {
            lines.tell(&format!("write buffer size: {}", lines.size(*bytes)));
            match file {
                Some(file) => lines.tell(&format!("write buffer source: '{file}'")),
                None if lines.is_old() => {}
                None => lines.tell("write buffer source: random fill"),
            }
        }
    }
    if target.parallel_async {
        lines.tell("using parallel async I/O");
    }
}

fn print_work(target: &Target, lines: &mut Lines) {
    match target.write_percent {
        0 => lines.tell("performing read test"),
        100 => lines.tell("performing write test"),
        writes => {
            let reads = 100u8.saturating_sub(writes);
            lines.tell(&format!(
                "performing mix test (read/write ratio: {reads}/{writes})"
            ));
        }
    }
    lines.tell(&format!(
        "block size: {}",
        lines.size(u64::from(target.block_bytes))
    ));
    let align = lines.size(target.align());
    match (target.random_percent, target.interlocked) {
        (100, _) => lines.tell(&format!("using random I/O (alignment: {align})")),
        (0, false) => lines.tell(&format!("using sequential I/O (stride: {align})")),
        (0, true) => lines.tell(&format!(
            "using interlocked sequential I/O (stride: {align})"
        )),
        (percent, _) => lines.tell(&format!(
            "using mixed random/sequential I/O ({percent}% random) (alignment/stride: {align})"
        )),
    }
}

fn print_load(span: &TimeSpan, target: &Target, lines: &mut Lines) {
    let outstanding = target.request_count;
    let shared = span.thread_count > 0 && span.request_count > 0;
    match (shared, lines.is_old()) {
        (true, _) => lines.tell(&format!(
            "relative IO weight in thread pool: {}",
            target.weight
        )),
        (false, false) => {
            lines.tell(&format!(
                "number of outstanding I/O operations per thread: {outstanding}"
            ));
        }
        (false, true) => lines.tell(&format!(
            "number of outstanding I/O operations: {outstanding}"
        )),
    }
}

fn print_place(span: &TimeSpan, target: &Target, lines: &mut Lines) {
    let always = lines.is_old();
    for (name, bytes, always) in [
        ("base file offset", target.base_bytes, false),
        ("max file size", target.max_bytes, false),
        ("thread stride size", target.thread_stride_bytes, always),
    ] {
        if bytes != 0 || always {
            lines.tell(&format!("{name}: {}", lines.size(bytes)));
        }
    }
    for (given, hint) in [
        (
            target.sequential_scan_hint,
            "using FILE_FLAG_SEQUENTIAL_SCAN hint",
        ),
        (
            target.random_access_hint,
            "using FILE_FLAG_RANDOM_ACCESS hint",
        ),
        (target.temporary_hint, "using FILE_ATTRIBUTE_TEMPORARY hint"),
    ] {
        if given {
            lines.tell(hint);
        }
    }
    if span.thread_count > 0 {
        return;
    }
    lines.tell(&format!("threads per file: {}", target.threads));
    if target.request_count > 1 && span.ring.is_none() {
        lines.tell(if span.completion_routines {
            "using completion routines (ReadFileEx/WriteFileEx)"
        } else {
            "using I/O Completion Ports"
        });
    }
}

fn print_rest(target: &Target, lines: &mut Lines) {
    lines.tell(match target.io_priority {
        1 => "IO priority: very low",
        2 => "IO priority: low",
        _ => "IO priority: normal",
    });
    match target.throughput {
        Throughput::Free => {}
        Throughput::Iops(ios) => lines.tell(&format!("throughput rate-limited to {ios} IOPS")),
        Throughput::BytesPerMs(bytes) => {
            lines.tell(&format!("throughput rate-limited to {bytes} B/ms"));
        }
    }
    let ranges: Vec<String> = match &target.distribution {
        Distribution::Uniform => return,
        Distribution::Percent(ranges) => percent_lines(ranges),
        Distribution::Absolute(ranges) => absolute_lines(ranges),
    };
    lines.tell("IO Distribution:");
    for range in ranges {
        lines.tell(&range);
    }
}

fn percent_lines(ranges: &[(u8, u8)]) -> Vec<String> {
    let mut from = 0u32;
    let mut lines = Vec::new();
    for (io, part) in ranges {
        let to = from + u32::from(*part);
        lines.push(format!(
            "   {io:>3}% of IO => [{from:>2}% - {to:>3}%) of target"
        ));
        from = to;
    }
    lines
}

fn absolute_lines(ranges: &[(u8, u64)]) -> Vec<String> {
    let io_of = ranges.iter().map(|(io, _)| u32::from(*io)).sum();
    let mut from = 0u64;
    let mut lines = Vec::new();
    for (io, length) in ranges {
        let to = from.saturating_add(*length);
        lines.push(range_line(&RangeLine {
            io: u32::from(*io),
            io_of,
            from,
            to: (*length > 0).then_some(to),
        }));
        from = to;
    }
    lines
}
