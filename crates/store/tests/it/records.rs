//! Rich records drawn from a seed: every list of any length, every option in both states.

use model::*;
use std::path::PathBuf;

/// The splitmix64 generator. Source: Steele, Lea and Flood, OOPSLA 2014, "Fast splittable pseudorandom number generators".
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }
    /// Any magnitude that sums of a few still fit in.
    fn count(&mut self) -> u64 {
        let shift = 6 + self.below(58);
        self.roll() >> shift
    }
    fn small(&mut self) -> u32 {
        self.below(200) as u32
    }
    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }
    fn bytes(&mut self) -> Bytes {
        Bytes(self.count())
    }
    fn nanos(&mut self) -> Nanos {
        Nanos(self.count())
    }
    fn word(&mut self) -> String {
        const WORDS: [&str; 6] = [
            "",
            "fathom.dat",
            "quoted ' \" \\",
            "Größe µs",
            "a\nb\0c",
            "/dev/sdb",
        ];
        WORDS[self.below(6) as usize].to_owned()
    }
    fn maybe<T>(&mut self, of: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.yes().then(|| of(self))
    }
    fn list<T>(&mut self, mut of: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| of(self)).collect()
    }
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// The same seed, the same record, for good: stored files of all versions are compared with it.
pub(crate) fn record(seed: u64) -> RunRecord {
    let dice = &mut Dice(seed);
    RunRecord {
        tool_version: dice.word(),
        command: dice.list(Dice::word),
        started_utc: dice.nanos(),
        plan: plan(dice),
        host: host(dice),
        targets: dice.list(target_facts),
        engine: EngineRecord {
            backend: dice.word(),
            features: dice.list(Dice::word),
            notes: dice.list(Dice::word),
            clock: ClockRecord {
                source: dice.word(),
                cost: dice.nanos(),
                drift: dice.nanos(),
            },
            ..EngineRecord::default() // came later, and takes no draw of its own
        },
        phases: PhaseTimes {
            measured_from: dice.nanos(),
            measured_to: dice.nanos(),
            drained: dice.nanos(),
        },
        threads: dice.list(thread),
        window: window(dice),
        lifetime: window(dice),
        series: model::Series::default(), // came later, as above
        outcome: outcome(dice),
    }
}

/// A record of a pool as DISKSPD has them: each thread on each target, every new field of the plan in use.
pub(crate) fn pool_record(seed: u64) -> RunRecord {
    let dice = &mut Dice(seed);
    let mut record = record(seed);
    record.plan.pool = Some(Pool {
        threads: 3,
        outstanding: dice.maybe(Dice::small),
        draw: PoolDraw::ByWeight,
    });
    record.plan.placement = Placement::Cores(vec![0, dice.small()]);
    for target in &mut record.plan.targets {
        target.mapped = dice.maybe(|d| d.one(&[Flush::Never, Flush::View]));
        target.content = match dice.below(5) {
            0 => WriteContent::Pattern,
            1 => WriteContent::Zero,
            2 => WriteContent::Fresh,
            3 => WriteContent::Source {
                bytes: dice.bytes(),
                file: None,
            },
            _ => WriteContent::Source {
                bytes: dice.bytes(),
                file: Some(PathBuf::from(dice.word())),
            },
        };
        target.pacing = match dice.yes() {
            true => Pacing::Rate {
                bytes_per_s: dice.count(),
            },
            false => Pacing::Bursts {
                ios: dice.small(),
                pause: dice.nanos(),
            },
        };
        target.priority = dice.one(&[Priority::VeryLow, Priority::Low, Priority::Normal]);
        target.hint = dice.one(&[Hint::None, Hint::Sequential, Hint::Random]);
        (target.large_pages, target.weight) = (dice.yes(), dice.small());
        target.pool_threads = dice.list(|d| (d.small(), d.small()));
        target.cache = CacheMode::LocalOff;
        target.workload.access = Access::Diskspd(walk(dice));
    }
    let targets = record.plan.targets.len() as u32;
    record.threads = (0..3 * targets)
        .map(|place| ThreadRecord {
            thread: place / targets,
            target: place % targets,
            ..thread(dice)
        })
        .collect();
    record
}

fn walk(dice: &mut Dice) -> DiskspdAccess {
    DiskspdAccess {
        random: Ratio::percent(dice.one(&[0, 50, 100])).expect("percentages"),
        align: dice.bytes(),
        sequence: dice.one(&[
            Sequence::PerThread,
            Sequence::Interlocked,
            Sequence::PerSlot,
        ]),
        thread_stride: dice.bytes(),
        distribution: match dice.below(3) {
            0 => Distribution::Uniform,
            1 => Distribution::Percent(dice.list(|d| (d.small() as u8, d.small() as u8))),
            _ => Distribution::Absolute(dice.list(|d| (d.small() as u8, d.count()))),
        },
    }
}

fn plan(dice: &mut Dice) -> Plan {
    let phases = Phases {
        warmup: dice.nanos(),
        measured: dice.nanos(),
        cooldown: dice.nanos(),
    };
    let mut targets = dice.list(planned_target);
    targets.push(planned_target(dice));
    // Those of the first versions, in their order: stored files are compared with what is drawn here.
    let engine = dice.one(&[
        EngineChoice::Auto,
        EngineChoice::IoUring,
        EngineChoice::Sync,
        EngineChoice::Null,
    ]);
    let on_error = dice.one(&[OnError::Stop, OnError::Continue]);
    serde_json::from_value(serde_json::json!({
        "phases": phases, "interval": dice.nanos(), "seed": dice.roll(), "engine": engine,
        "on_error": on_error, "targets": targets, "checked": null,
    }))
    .expect("a plan's document")
}

fn planned_target(dice: &mut Dice) -> PlannedTarget {
    let null = NullBehaviour {
        size: dice.bytes(),
        delay: dice.nanos(),
        error_every: dice.roll(),
        ..NullBehaviour::default()
    };
    PlannedTarget {
        amount: None,
        prove_ours: false, // came later: the stored file has none
        location: match dice.yes() {
            true => Location::Path(PathBuf::from(dice.word())),
            false => Location::Null(null),
        },
        base: dice.bytes(),
        length: dice.bytes(),
        create: dice.maybe(Dice::bytes),
        allocation: model::Allocation::default(), // came later
        cache: dice.one(&[CacheMode::Cached, CacheMode::Unbuffered]),
        fsync: model::Fsync::default(), // came later
        drop_cache: false,              // came later
        drop_cache_every: None,         // came later
        write_through: dice.yes(),
        exclusive: dice.yes(),
        mapped: None,
        engine: None,
        content: WriteContent::Marked,
        pacing: Pacing::Free,
        priority: Priority::Normal,
        hint: Hint::None,
        large_pages: false,
        bounds: model::Bounds::default(), // came later
        zones: None,                      // came later
        active: model::Active::default(), // came later
        weight: 1,
        pool_threads: Vec::new(),
        verify: model::Verify::default(),
        threads: dice.small(),
        workload: Workload {
            block: Bytes::kib(dice.one(&[4, 8])),
            queue_depth: QueueDepth(dice.one(&[1, 32])),
            write: Ratio::percent(dice.one(&[0, 30, 100])).expect("percentages"),
            access: if dice.yes() {
                Access::Random
            } else {
                Access::Sequential
            },
        },
        namespace: None, // came later too
        alignment: dice.bytes(),
        identity: dice.maybe(|d| (d.roll(), d.roll())),
    }
}

fn host(dice: &mut Dice) -> HostRecord {
    HostRecord {
        hostname: dice.word(),
        kernel: dice.word(),
        distribution: dice.maybe(Dice::word),
        cpu_model: dice.maybe(Dice::word),
        cpus: dice.list(|d| CpuFacts {
            cpu: d.small(),
            core: d.maybe(Dice::small),
            socket: d.maybe(Dice::small),
            node: d.maybe(Dice::small),
            governor: d.maybe(Dice::word),
            efficiency_class: None, // came later; the stored file has none
        }),
        ram: dice.bytes(),
        ram_available: dice.bytes(),
        virtualization: dice.maybe(Dice::word),
        limits: Limits::default(),
        boot_id: None, // came later; the stored file has none
    }
}

fn target_facts(dice: &mut Dice) -> TargetFacts {
    TargetFacts {
        allocated: Bytes(0), // these came later; the stored file has none of them
        obstacle: None,
        namespace: None,
        unchecked: Vec::new(),
        unasked: Vec::new(),
        foreign_name: None,
        path: PathBuf::from(dice.word()),
        kind: dice.one(&[TargetKind::File, TargetKind::BlockDevice, TargetKind::Null]),
        size: dice.bytes(),
        identity: dice.maybe(|d| (d.roll(), d.roll())),
        writable: dice.yes(),
        direct_io: dice.maybe(|d| DirectIo {
            memory: d.bytes(),
            offset: d.bytes(),
        }),
        file_system: dice.maybe(|d| FileSystem {
            kind: d.word(),
            source: d.word(),
            free: d.bytes(),
            ..FileSystem::default()
        }),
        chain: dice.list(|d| BlockDevice {
            name: d.word(),
            number: (d.small(), d.small()),
            model: d.maybe(Dice::word),
            rotational: d.maybe(Dice::yes),
            request_max: d.maybe(Dice::bytes),
            detail: d.maybe(Dice::word),
            ..BlockDevice::default()
        }),
        claims: dice.list(|d| match d.yes() {
            true => Claim::Mounted {
                device: d.word(),
                at: PathBuf::from(d.word()),
            },
            false => Claim::Signature {
                device: d.word(),
                what: d.word(),
            },
        }),
        content: dice.one(&[Content::Fathom, Content::Foreign, Content::Unknown]),
        layout: Layout::default(),
    }
}

fn thread(dice: &mut Dice) -> ThreadRecord {
    let count = |dice: &mut Dice| LifetimeCount {
        ios: dice.count(),
        bytes: dice.bytes(),
    };
    ThreadRecord {
        thread: dice.small(),
        target: dice.small(),
        measured: [tally(dice), tally(dice)],
        lifetime: [count(dice), count(dice)],
        abandoned: dice.small(),
    }
}

fn tally(dice: &mut Dice) -> Tally {
    let mut latency = LatencyHistogram::new();
    for _ in 0..dice.below(40) {
        latency.record(dice.nanos());
    }
    Tally {
        ios: dice.count(),
        bytes: dice.bytes(),
        short_ios: dice.count(),
        errors: dice.list(|d| ErrorCount {
            errno: d.small() as i32 - 100,
            count: d.count(),
        }),
        latency,
        response: None, // came later, and takes no draw of its own
        intervals: dice.list(interval),
    }
}

/// The spread came later, so it takes no draw of its own.
fn interval(dice: &mut Dice) -> Interval {
    let (ios, bytes) = (dice.roll(), Bytes(dice.roll()));
    let (latency_sum, latency_max) = (Nanos(dice.count()), Nanos(dice.roll()));
    let spread = LatencySpread {
        min: Nanos(latency_max.0 >> (ios % 64)),
        squares_ns2: u128::from(ios) * u128::from(latency_max.0),
    };
    Interval {
        ios,
        bytes,
        latency_sum,
        latency_max,
        latency_spread: (ios % 4 > 0).then_some(spread),
    }
}

/// As it comes from a file of version 1, which keeps no spread of a step.
pub(crate) fn without_spread(mut record: RunRecord) -> RunRecord {
    let tallies = record.threads.iter_mut().flat_map(|t| &mut t.measured);
    for step in tallies.flat_map(|tally| &mut tally.intervals) {
        step.latency_spread = None;
    }
    record
}

fn window(dice: &mut Dice) -> CounterWindow {
    let mut counters = || Counters {
        begun: dice.nanos(),
        ended: dice.nanos(),
        cpus: dice.list(|d| CpuTimes {
            cpu: d.small(),
            user: d.nanos(),
            steal: Nanos(d.roll()),
            ..CpuTimes::default()
        }),
        devices: dice.list(|d| DeviceCounters {
            name: d.word(),
            reads: d.roll(),
            write_bytes: d.bytes(),
            in_flight: d.below(128),
            ..DeviceCounters::default()
        }),
        interrupts: None, // these came later, and take no draw of their own
        process: None,
        own_read_bytes: None,
        quotas: Vec::new(),
    };
    CounterWindow {
        before: counters(),
        after: counters(),
    }
}

fn outcome(dice: &mut Dice) -> Outcome {
    match dice.below(3) {
        0 => Outcome::Complete,
        1 => Outcome::Interrupted,
        _ => Outcome::Failed(Failure {
            operation: dice.one(&Operation::ALL),
            target: dice.small(),
            offset: dice.bytes(),
            length: dice.bytes(),
            errno: dice.small() as i32,
            message: dice.word(),
        }),
    }
}
