//! Laws of all requests: documents lose nothing, and no text makes a reader panic.

use crate::facts::read;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use tools::diskspd::{
    Action, AffinityOrder, Batch, BufferSeparation, Bypass, Cache, Compat, Content, Distribution,
    EventClasses, Extra, FLAGS, Flush, Intervals, IoRing, Precreate, Processors, Profile, Purpose,
    ResultFormat, Target, ThreadAffinity, Throughput, TimeSpan, build, print_text, read_xml,
    validate, write_xml,
};

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~é/&<>\"']{0,20}",
        1 => "[ \u{9}\u{a}\u{d}\u{85}\u{a0}\u{3000}\u{fffd}]{0,3}[a-z]{0,3}[ \u{9}\u{a}\u{d}\u{85}\u{a0}\u{3000}]{0,3}",
        1 => "\\PC{0,12}",
        1 => proptest::sample::select(vec!["*1", "#1", "E:\\f", "]]>", "<![CDATA[", "<!--", "&amp;", "&#65;", "/dev/x"])
            .prop_map(str::to_owned),
    ]
}

/// Shares of I/O and what they get; the rest to 100 % is the tail, as both readers leave it.
fn ranges<T: std::fmt::Debug>(
    part: impl Strategy<Value = T> + 'static,
    tail: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Vec<(u8, T)>> {
    (proptest::collection::vec((0u8..=60, part), 0..5), tail).prop_map(|(mut ranges, tail)| {
        let given: u32 = ranges.iter().map(|(io, _)| u32::from(*io)).sum();
        if let Some(left @ 1..) = 100u32.checked_sub(given) {
            ranges.push((u8::try_from(left).expect("at most 100"), tail));
        }
        ranges
    })
}

fn distribution() -> impl Strategy<Value = Distribution> {
    let percent = ranges(1u8..=100, 1u8..=100).prop_map(Distribution::Percent);
    let absolute = ranges(any::<u64>(), Just(0)).prop_map(Distribution::Absolute);
    prop_oneof![2 => Just(Distribution::Uniform), 1 => percent, 1 => absolute]
}

fn content() -> impl Strategy<Value = Content> {
    let file = path().prop_filter("no name is no file", |name| !name.is_empty());
    let source = (1u64.., proptest::option::of(file));
    prop_oneof![
        Just(Content::Pattern),
        Just(Content::Zero),
        source.prop_map(|(bytes, file)| Content::Source { bytes, file }),
    ]
}

fn cache() -> impl Strategy<Value = (Cache, bool, Option<Flush>)> {
    use Flush::{NonVolatileMemory, NonVolatileMemoryNoDrain, ViewOfFile};
    let cache = proptest::sample::select(vec![Cache::Cached, Cache::Unbuffered, Cache::LocalOff]);
    let flush = vec![
        Flush::None,
        ViewOfFile,
        NonVolatileMemory,
        NonVolatileMemoryNoDrain,
    ];
    (
        cache,
        any::<bool>(),
        proptest::option::of(proptest::sample::select(flush)),
    )
}

fn pace() -> impl Strategy<Value = (Throughput, u32, u32)> {
    let rate = prop_oneof![
        Just(Throughput::Free),
        (1u32..).prop_map(Throughput::BytesPerMs),
        (1u32..).prop_map(Throughput::Iops),
    ];
    (rate, 0u32..100, 0u32..100)
}

/// Numbers within a group, as 2.3 has them.
fn affinity() -> impl Strategy<Value = ThreadAffinity> {
    use model::EfficiencyOrder::{
        EfficientFirst, FillEfficient, FillPerformance, PerformanceFirst, Unordered,
    };
    let item = prop_oneof![
        3 => (any::<u16>(), 0u8..64).prop_map(|(group, cpu)| Processors::One { group, cpu }),
        1 => any::<u16>().prop_map(|group| Processors::Group { group }),
    ];
    let classes = vec![
        EfficientFirst,
        FillEfficient,
        FillPerformance,
        PerformanceFirst,
        Unordered,
    ];
    let efficiency = proptest::option::of(proptest::sample::select(classes));
    let order = (any::<bool>(), any::<bool>(), efficiency).prop_map(|order| AffinityOrder {
        core_first: order.0,
        span_groups: order.1,
        efficiency: order.2,
    });
    let items = proptest::collection::vec(item, 0..4);
    (items, order, any::<bool>()).prop_map(|(processors, order, disabled)| ThreadAffinity {
        processors,
        order,
        disabled,
    })
}

type Queue = (Option<IoRing>, Option<u8>, Option<BufferSeparation>);

fn queue() -> impl Strategy<Value = Queue> {
    let batch = prop_oneof![
        (1u32..=65_536).prop_map(Batch::Ios),
        (1u8..=100).prop_map(Batch::Percent),
    ];
    let ring = (batch, any::<bool>()).prop_map(|(batch, registered)| IoRing { batch, registered });
    let buffers = vec![BufferSeparation::SystemDefault, BufferSeparation::Apart];
    (
        proptest::option::of(ring),
        proptest::option::of(1u8..=16),
        proptest::option::of(proptest::sample::select(buffers)),
    )
}

prop_compose! {
    fn target()(
        path in path(),
        (block_bytes, align_bytes) in (1u32..10_000_000, any::<u64>()),
        (random_percent, spread, interlocked) in (0u8..=100, distribution(), any::<bool>()),
        (parallel_async, thread_stride_bytes) in (any::<bool>(), any::<u64>()),
        (base_bytes, max_bytes, create_bytes) in (any::<u64>(), any::<u64>(), any::<Option<u64>>()),
        hints in any::<[bool; 4]>(),
        (cache, write_through, mapped) in cache(),
        bypass in proptest::option::of(proptest::sample::select(vec![Bypass::Partial, Bypass::Full])),
        content in content(),
        (throughput, burst_ios, think_ms) in pace(),
        (request_count, threads, weight) in any::<(u32, u32, u32)>(),
        (write_percent, io_priority) in (0u8..=100, 1u8..=3),
        thread_targets in proptest::collection::vec(any::<(u32, u32)>(), 0..3),
    ) -> Target {
        let [sequential_scan_hint, random_access_hint, temporary_hint, large_pages] = hints;
        let random = random_percent > 0;
        let mut target = Target {
            path, block_bytes, random_percent, align_bytes, parallel_async,
            interlocked: interlocked && !random,
            distribution: if random { spread } else { Distribution::Uniform },
            base_bytes, max_bytes, create_bytes,
            sequential_scan_hint, random_access_hint, temporary_hint, large_pages,
            request_count, cache, write_through, mapped, bypass, content, burst_ios, think_ms, throughput,
            threads, write_percent, thread_stride_bytes, io_priority, weight, thread_targets,
        };
        target.canonical();
        target
    }
}

prop_compose! {
    fn span()(
        (duration_s, warmup_s, cooldown_s, seed) in any::<(u32, u32, u32, u32)>(),
        flags in any::<[bool; 4]>(),
        (thread_count, request_count, length_ms) in (any::<u32>(), any::<u32>(), 1u32..),
        affinity in affinity(),
        (ring, completions_max, buffers) in queue(),
        targets in proptest::collection::vec(target(), 1..4),
    ) -> TimeSpan {
        let [random_write_data, completion_routines, measure_latency, printed] = flags;
        TimeSpan {
            duration_s, warmup_s, cooldown_s, seed, random_write_data, thread_count, request_count,
            affinity, ring, completions_max, buffers,
            completion_routines, measure_latency, intervals: Intervals { printed, length_ms }, targets,
        }
    }
}

fn event_classes(set: [bool; 12]) -> EventClasses {
    let [
        process,
        thread,
        image_load,
        disk_io,
        memory_page_faults,
        memory_hard_faults,
        network,
        registry,
        use_paged_memory,
        use_perf_timer,
        use_system_timer,
        use_cycles_counter,
    ] = set;
    EventClasses {
        process,
        thread,
        image_load,
        disk_io,
        memory_page_faults,
        memory_hard_faults,
        network,
        registry,
        use_paged_memory,
        use_perf_timer,
        use_system_timer,
        use_cycles_counter,
    }
}

prop_compose! {
    fn any_profile()(
        (progress, experiment_flags, verbose, verbose_stats) in any::<(u32, u32, bool, bool)>(),
        result_format in proptest::sample::select(vec![ResultFormat::Text, ResultFormat::Xml]),
        precreate in proptest::option::of(proptest::sample::select(vec![
            Precreate::UseMaxSize,
            Precreate::OnlyFilesWithConstantSizes,
            Precreate::OnlyFilesWithConstantOrZeroSizes,
        ])),
        events in proptest::option::of(any::<[bool; 12]>()),
        time_spans in proptest::collection::vec(span(), 1..3),
    ) -> Profile {
        let events = events.map(event_classes);
        Profile { progress, experiment_flags, result_format, verbose, verbose_stats, precreate, events, time_spans }
    }
}

/// For other tests: profiles of every shape.
pub(crate) fn profiles() -> impl Strategy<Value = Profile> {
    any_profile()
}

/// Switches that exclude each other stand in one row; at most one of each row is drawn, so that most lines are good.
const ROWS: [&[&str]; 23] = [
    &["-b4K", "-b512", "-b64k", "-b1M", "-b3000"],
    &[
        "-r",
        "-r8k",
        "-rs30",
        "-rs70 -r16k",
        "-r4K -rs100",
        "-s64K",
        "-s",
        "-s1b",
        "-si -t2",
        "-si4K -t8",
        "-p -o4",
        "-T64K -t2",
        "-r -rdpct90/10",
        "-rs50 -rdabs10/1G:5/2G",
        "-r -rdpct10/10:0/20:60/30",
        "-r -rdabs0/1G:100/4G",
    ],
    &["-w0", "-w50", "-w100"],
    &[
        "-Sh", "-Su", "-S", "-h", "-Sb", "-Sw", "-Sbw", "-Sr", "-Srw", "-Sm", "-Smw", "-Smr",
        "-Sm -Nv", "-Sm -Nn", "-Sm -Ni",
    ],
    &["-Z", "-Zr", "-Z1M", "-Z2M,/data/e&f", "-Zr -Z4M"],
    &["-c1G", "-c0", "-c23"],
    &["-f4G", "-B4K", "-B1M:1M", "-B1G -f6G"],
    &["-fr", "-fs", "-ft", "-frst"],
    &["-i3 -j4", "-g1024", "-g10i", "-g100000i"],
    &["-t8", "-F2", "-F2 -O4", "-O4"],
    &["-o1", "-o16"],
    &[
        "-a0,1",
        "-ag0,0,1,g1,2",
        "-a",
        "-n",
        "-a0-3,8 -acsE",
        "-ag1 -ag0 -aup",
        "-aP",
    ],
    &["-u", "-un8", "-u50p", "-oc4"],
    &["-bsn", "-bsp"],
    &["-d1", "-d60 -W0", "-C2", "-W3 -C1 -d5"],
    &["-L", "-D", "-D250", "-L -D100"],
    &["-I1", "-I2", "-I3"],
    &["-z5", "-z", "-z4294967295"],
    &["-:1", "-:0", "-:-1"],
    &["-v", "-vs", "-v -vs"],
    &["-P", "-P345"],
    &[
        "-eDISK_IO",
        "-ePROCESS -eq",
        "-eTHREAD -eIMAGE_LOAD -eMEMORY_PAGE_FAULTS -eMEMORY_HARD_FAULTS -eNETWORK -eREGISTRY -ec -es -ep",
    ],
    &[
        "-x",
        "-l",
        "-Rxml",
        "-Rtext",
        "-yrgo",
        "-ysa -yfb -ypc",
        "-Rpxml",
        "-Rp",
    ],
];

fn switches() -> impl Strategy<Value = String> {
    let row = |row: &'static [&str]| prop_oneof![2 => Just(""), 1 => proptest::sample::select(row)];
    let shuffled = ROWS.map(row).prop_map(Vec::from).prop_shuffle();
    shuffled.prop_map(|words| words.join(" "))
}

#[test]
fn every_switch_is_among_those_drawn_and_most_lines_are_good() {
    for flag in FLAGS
        .iter()
        .filter(|flag| !flag.long && !["?", "X"].contains(&flag.name))
    {
        let words = ROWS
            .iter()
            .flat_map(|row| *row)
            .flat_map(|entry| entry.split(' '));
        let named = |word: &str| word[1..].starts_with(flag.name);
        assert!(words.into_iter().any(named), "-{}", flag.name);
    }
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let lines: Vec<String> = (0..200)
        .map(|_| switches().new_tree(&mut runner).unwrap().current())
        .collect();
    let good = lines
        .iter()
        .filter(|line| read(&format!("{line} f")).is_ok())
        .count();
    assert!(good >= 80, "{good} of {} lines are read", lines.len());
}

proptest! {
    #[test]
    fn a_profile_written_and_read_is_the_same(profile in any_profile(), indent in 0usize..4) {
        for compat in [Compat::V2_2, Compat::V2_3] {
            let xml = write_xml(&profile, indent, compat);
            let again = read_xml(&xml).map_err(|error| TestCaseError::fail(format!("{error}\n{xml}")))?;
            prop_assert_eq!(&again, &profile);
            prop_assert_eq!(write_xml(&again, indent, compat), xml);
        }
    }

    #[test]
    fn a_command_line_written_and_read_is_the_same(line in switches()) {
        let Ok(request) = read(&format!("{line} /data/f &x")) else { return Ok(()) };
        let (Action::Run(profile) | Action::Print(profile)) = request.action else { return Ok(()) };
        let again = read_xml(&write_xml(&profile, 0, Compat::V2_2)).unwrap();
        prop_assert_eq!(&again, &profile);
        let extra = Extra::default();
        prop_assert_eq!(build(&again, &extra), build(&profile, &extra));
    }

    #[test]
    fn what_is_valid_is_built_or_refused_and_always_printed(profile in any_profile()) {
        let _ = validate(&profile, Purpose::Run);
        let _ = build(&profile, &Extra::default());
        for compat in [Compat::V2_0, Compat::V2_0_21, Compat::V2_1, Compat::V2_2, Compat::V2_3] {
            print_text(&profile, "diskspd", compat);
        }
    }

    #[test]
    fn no_arguments_make_the_reader_panic(words in proptest::collection::vec("[-/\u{2013}]?[a-zA-Z:?]{0,3}[0-9a-z,:/*#é]{0,8}", 0..6)) {
        let _ = read(&words.join(" "));
    }

    #[test]
    fn no_text_makes_the_reader_of_documents_panic(text in "[<>/&;!a-zA-Z =\"\\n]{0,60}|\\PC{0,40}") {
        let _ = read_xml(&text);
        let _ = read_xml(&format!("<Profile><TimeSpans><TimeSpan>{text}</TimeSpan></TimeSpans></Profile>"));
    }
}
