//! Content of a request beyond the defaults, as words: the language of the table of cases.

use tools::diskspd::{
    Action, Batch, Cache, Content, Distribution, Environment, Flush, Processors, Profile, Refusal,
    Request, ResultFormat, Target, Throughput, TimeSpan, parse,
};

/// Reads a command line as a test writes it: blanks between arguments, no quoting.
pub(crate) fn read(line: &str) -> Result<Request, Refusal> {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    parse(
        &args,
        &Environment {
            uptime_ms: 77,
            ..Environment::BARE
        },
    )
}

/// The profile of a request that has one.
pub(crate) fn profile(line: &str) -> Profile {
    match read(line)
        .unwrap_or_else(|refusal| panic!("{line}: {refusal}"))
        .action
    {
        Action::Run(profile) | Action::Print(profile) => profile,
        other => panic!("{line}: {other:?}"),
    }
}

/// Everything that differs from a request without switches for the target `f`, in alphabetical order.
pub(crate) fn facts(action: &Action) -> String {
    let (profile, print) = match action {
        Action::Usage { .. } => return "usage".to_owned(),
        Action::Machine(format) => return format!("machine={format:?}"),
        Action::Signal { event } => return format!("signal={event}"),
        Action::Print(profile) => (profile, true),
        Action::Run(profile) => (profile, false),
    };
    let mut facts = Facts(Vec::new());
    facts.flag("profile only", print);
    of_profile(profile, &mut facts);
    let span = &profile.time_spans[0];
    of_span(span, &mut facts);
    let names: Vec<&str> = span
        .targets
        .iter()
        .map(|target| target.path.as_str())
        .collect();
    facts.value("targets", names.join(" "), "f".to_owned());
    of_access(&span.targets[0], &mut facts);
    of_target(&span.targets[0], &mut facts);
    facts.0.sort();
    if facts.0.is_empty() {
        "nothing".to_owned()
    } else {
        facts.0.join("; ")
    }
}

struct Facts(Vec<String>);

#[allow(clippy::needless_pass_by_value, reason = "calls read as a table")]
impl Facts {
    fn flag(&mut self, name: &str, given: bool) {
        if given {
            self.0.push(name.to_owned());
        }
    }

    fn value<T: ToString + PartialEq>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            self.0.push(format!("{name}={}", value.to_string()));
        }
    }
}

fn of_profile(profile: &Profile, facts: &mut Facts) {
    facts.value("progress", profile.progress, 0);
    facts.value("experiment flags", profile.experiment_flags, 0);
    facts.flag("format=xml", profile.result_format == ResultFormat::Xml);
    facts.flag("verbose", profile.verbose);
    facts.flag("verbose stats", profile.verbose_stats);
    facts.flag(
        "kernel events=PROCESS",
        profile.events.is_some_and(|events| events.process),
    );
}

fn of_span(span: &TimeSpan, facts: &mut Facts) {
    facts.value("duration", span.duration_s, 10);
    facts.value("warm-up", span.warmup_s, 5);
    facts.value("cool-down", span.cooldown_s, 0);
    facts.value("seed", span.seed, 0);
    facts.flag("per-IO random data", span.random_write_data);
    facts.value("pool threads", span.thread_count, 0);
    facts.value("pool requests", span.request_count, 0);
    let list: Vec<String> = span
        .affinity
        .processors
        .iter()
        .map(|item| match item {
            Processors::One { group, cpu } => format!("{group}/{cpu}"),
            Processors::Group { group } => format!("{group}/*"),
        })
        .collect();
    facts.value("affinity", list.join(" "), String::new());
    facts.flag("no affinity", span.affinity.disabled);
    let order = span.affinity.order;
    facts.flag("core first", order.core_first);
    facts.flag("span groups", order.span_groups);
    let class = order.efficiency.map(|class| format!("{class:?}"));
    facts.value("class", class.unwrap_or_default(), String::new());
    let ring = span.ring.map(|ring| {
        let batch = match ring.batch {
            Batch::Ios(ios) => ios.to_string(),
            Batch::Percent(share) => format!("{share}%"),
        };
        batch + if ring.registered { "" } else { " unregistered" }
    });
    facts.value("ring", ring.unwrap_or_default(), String::new());
    facts.value("completions", span.completions_max.unwrap_or(0), 0);
    let buffers = span.buffers.map(|buffers| format!("{buffers:?}"));
    facts.value("buffers", buffers.unwrap_or_default(), String::new());
    facts.flag("completion routines", span.completion_routines);
    facts.flag("latency", span.measure_latency);
    facts.flag("IOPS intervals", span.intervals.printed);
    facts.value("interval", span.intervals.length_ms, 1000);
}

fn of_access(target: &Target, facts: &mut Facts) {
    facts.value("random", target.random_percent, 0);
    facts.value("align", target.align(), 65_536);
    facts.flag("interlocked", target.interlocked);
    facts.flag("parallel", target.parallel_async);
    facts.value("thread stride", target.thread_stride_bytes, 0);
    let list = |ranges: &[(u8, u64)]| -> String {
        let ranges: Vec<String> = ranges
            .iter()
            .map(|(io, part)| format!("{io}/{part}"))
            .collect();
        ranges.join(" ")
    };
    match &target.distribution {
        Distribution::Uniform => {}
        Distribution::Percent(ranges) => {
            let ranges: Vec<(u8, u64)> = ranges
                .iter()
                .map(|(io, part)| (*io, u64::from(*part)))
                .collect();
            facts.value("pct", list(&ranges), String::new());
        }
        Distribution::Absolute(ranges) => facts.value("abs", list(ranges), String::new()),
    }
}

fn of_target(target: &Target, facts: &mut Facts) {
    facts.value("block", target.block_bytes, 65_536);
    facts.value("base", target.base_bytes, 0);
    facts.value("max", target.max_bytes, 0);
    facts.value(
        "create",
        target
            .create_bytes
            .map_or(String::new(), |size| size.to_string()),
        String::new(),
    );
    let hints = [
        ("r", target.random_access_hint),
        ("s", target.sequential_scan_hint),
        ("t", target.temporary_hint),
    ];
    let hints: String = hints
        .iter()
        .filter(|(_, given)| *given)
        .map(|(name, _)| *name)
        .collect();
    facts.value("hints", hints, String::new());
    facts.flag("large pages", target.large_pages);
    facts.value("outstanding", target.request_count, 2);
    facts.flag("cache=os", target.cache == Cache::Unbuffered);
    facts.flag("cache=local", target.cache == Cache::LocalOff);
    facts.flag("write-through", target.write_through);
    let bypass = target.bypass.map(|bypass| format!("{bypass:?}"));
    facts.value("bypass", bypass.unwrap_or_default(), String::new());
    facts.flag("mmap", target.mapped.is_some());
    facts.flag("flush=v", target.mapped == Some(Flush::ViewOfFile));
    facts.flag("flush=n", target.mapped == Some(Flush::NonVolatileMemory));
    facts.flag(
        "flush=i",
        target.mapped == Some(Flush::NonVolatileMemoryNoDrain),
    );
    match &target.content {
        Content::Pattern => {}
        Content::Zero => facts.flag("zeros", true),
        Content::Source { bytes, file } => {
            facts.value("source size", *bytes, 0);
            facts.value(
                "source file",
                file.clone().unwrap_or_default(),
                String::new(),
            );
        }
    }
    facts.value("burst", target.burst_ios, 0);
    facts.value("think", target.think_ms, 0);
    match target.throughput {
        Throughput::Free => {}
        Throughput::BytesPerMs(bytes) => facts.value("rate B/ms", bytes, 0),
        Throughput::Iops(ios) => facts.value("rate IOPS", ios, 0),
    }
    facts.value("threads", target.threads, 1);
    facts.value("write", target.write_percent, 0);
    facts.value("priority", target.io_priority, 3);
}
