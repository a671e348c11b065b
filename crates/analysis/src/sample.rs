//! Prepared records for tests, here and in `views`: a plain run whose counts all fit together, to be modified.
//!
//! Deliberately simple: I/Os are spread evenly over the time series, and latencies follow a fixed pattern
//! with one slow I/O in a thousand.

use model::*;
use std::path::PathBuf;

/// A run on `/data/fathom.dat`, ext4 on vda1 of vda, whose counters agree with the tool's exactly.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Bytes of one I/O.
    pub block: Bytes,
    /// Most I/Os outstanding, of one thread.
    pub depth: u32,
    /// Share of writes as asked.
    pub write: Ratio,
    /// Where I/Os go.
    pub access: Access,
    /// Caches between the I/O and the device.
    pub cache: CacheMode,
    /// Measured phase as asked.
    pub planned: Nanos,
    /// Measured phase as it was.
    pub measured: Nanos,
    /// Reads completed.
    pub reads: u64,
    /// Writes completed.
    pub writes: u64,
    /// Latency of most I/Os; `None` takes what Little's law asks for this rate and depth.
    pub latency: Option<Nanos>,
    /// What the device counted, in percent of what the tool did.
    pub device_percent: u64,
    /// How it ended.
    pub outcome: Outcome,
}

impl Default for Sample {
    fn default() -> Self {
        Sample {
            block: Bytes::kib(4),
            depth: 1,
            write: Ratio::NONE,
            access: Access::Random,
            cache: CacheMode::Unbuffered,
            planned: Nanos::seconds(10),
            measured: Nanos::seconds(10),
            reads: 20_000,
            writes: 0,
            latency: None,
            device_percent: 100,
            outcome: Outcome::Complete,
        }
    }
}

impl Sample {
    /// The record.
    pub fn build(&self) -> RunRecord {
        let facts = target_facts();
        let plan = self.plan(&facts);
        let measured = [self.tally(self.reads), self.tally(self.writes)];
        let lifetime = [0, 1].map(|operation: usize| LifetimeCount {
            ios: measured[operation].ios,
            bytes: measured[operation].bytes,
        });
        let from = plan.phases.warmup;
        let to = from.plus(self.measured);
        RunRecord {
            tool_version: "0.1.0".to_owned(),
            command: vec![
                "fathom".to_owned(),
                "run".to_owned(),
                "/data/fathom.dat".to_owned(),
            ],
            started_utc: Nanos::seconds(1_795_259_117),
            host: host(),
            targets: vec![facts],
            engine: EngineRecord {
                backend: "io_uring".to_owned(),
                features: vec!["single_issuer".to_owned(), "defer_taskrun".to_owned()],
                notes: vec![],
                clock: ClockRecord {
                    source: "tsc".to_owned(),
                    cost: Nanos(12),
                    drift: Nanos(900),
                },
                ..EngineRecord::default()
            },
            phases: PhaseTimes {
                measured_from: from,
                measured_to: to,
                drained: to,
            },
            threads: vec![ThreadRecord {
                thread: 0,
                target: 0,
                measured,
                lifetime,
                abandoned: 0,
            }],
            window: self.window(from, to),
            lifetime: self.window(Nanos(0), to),
            series: model::Series::default(),
            outcome: self.outcome.clone(),
            plan,
        }
    }

    fn plan(&self, facts: &TargetFacts) -> Plan {
        let profile = Profile {
            timespans: vec![Timespan {
                start_delay: model::Nanos(0),
                end_with_first: false,
                phases: Phases {
                    warmup: Nanos(0),
                    measured: self.planned,
                    cooldown: Nanos(0),
                },
                interval: Nanos(self.planned.0 / 10),
                seed: 1,
                engine: EngineChoice::Auto,
                on_error: OnError::Stop,
                pool: None,
                polling: model::Polling::default(),
                queueing: model::Queueing::default(),
                placement: Placement::Free,
                arrivals: None,
                targets: vec![Target {
                    cache: self.cache,
                    ..Target::new(
                        Location::Path(facts.path.clone()),
                        Workload {
                            block: self.block,
                            queue_depth: QueueDepth(self.depth),
                            write: self.write,
                            access: self.access.clone(),
                        },
                    )
                }],
            }],
        };
        let consent = Consent::default();
        let mut plans = check(&profile, &host(), std::slice::from_ref(facts), &consent)
            .expect("a sample asks for what its machine can do");
        plans.remove(0)
    }

    /// Latency of most I/Os.
    fn typical(&self) -> Nanos {
        let all = (self.reads + self.writes).max(1);
        let even = Nanos(self.measured.0 / all * u64::from(self.depth));
        self.latency.unwrap_or(even)
    }

    fn tally(&self, ios: u64) -> Tally {
        let typical = self.typical().0;
        let mut tally = Tally {
            ios,
            bytes: Bytes(ios * self.block.0),
            ..Tally::default()
        };
        let step = (self.planned.0 / 10).max(1);
        let steps = self.measured.0.div_ceil(step);
        tally.intervals = vec![Interval::default(); steps as usize];
        for number in 0..ios {
            let slow = if number % 1000 == 999 { typical * 3 } else { 0 };
            let latency = Nanos(typical - typical / 8 + number * 37 % 64 * (typical / 256) + slow);
            tally.latency.record(latency);
            let at = (number as f64 + 0.5) / ios as f64 * self.measured.0 as f64;
            tally.intervals[(at as u64 / step) as usize].record(self.block, latency);
        }
        tally
    }

    fn window(&self, from: Nanos, to: Nanos) -> CounterWindow {
        let counted = |ios: u64| ios * self.device_percent / 100;
        // Each I/O was in the device for as long as it was in flight.
        let time = |ios: u64| Nanos(counted(ios).saturating_mul(self.typical().0));
        let span = to.minus(from).0;
        let after = |name: &str| DeviceCounters {
            name: name.to_owned(),
            reads: counted(self.reads),
            read_bytes: Bytes(counted(self.reads) * self.block.0),
            read_time: time(self.reads),
            writes: counted(self.writes),
            write_bytes: Bytes(counted(self.writes) * self.block.0),
            write_time: time(self.writes),
            busy: Nanos(span),
            ..DeviceCounters::default()
        };
        let before = |name: &str| DeviceCounters {
            name: name.to_owned(),
            ..DeviceCounters::default()
        };
        let cpu = |cpu: u32, share: u64| CpuTimes {
            cpu,
            user: Nanos(span / 100 * share / 4),
            kernel: Nanos(span / 100 * share / 4 * 3),
            idle: Nanos(span / 100 * (100 - share)),
            ..CpuTimes::default()
        };
        let idle = |cpu: u32| CpuTimes {
            cpu,
            ..CpuTimes::default()
        };
        CounterWindow {
            before: Counters {
                begun: from,
                ended: from,
                cpus: vec![idle(0), idle(1)],
                devices: vec![before("vda1"), before("vda")],
                interrupts: None,
                process: None,
                own_read_bytes: None,
                quotas: Vec::new(),
            },
            after: Counters {
                begun: to,
                ended: to,
                cpus: vec![cpu(0, 40), cpu(1, 4)],
                devices: vec![after("vda1"), after("vda")],
                interrupts: None,
                process: None,
                own_read_bytes: None,
                quotas: Vec::new(),
            },
        }
    }
}

/// A small virtual machine.
pub fn host() -> HostRecord {
    let core = |cpu| CpuFacts {
        cpu,
        ..CpuFacts::default()
    };
    HostRecord {
        hostname: "lab".to_owned(),
        kernel: "Linux 6.18.44".to_owned(),
        distribution: Some("Debian GNU/Linux 12 (bookworm)".to_owned()),
        cpu_model: Some("Example CPU".to_owned()),
        cpus: vec![core(0), core(1)],
        ram: Bytes::gib(8),
        ram_available: Bytes::gib(6),
        virtualization: Some("kvm".to_owned()),
        limits: Limits::default(),
        boot_id: None,
    }
}

/// An 8 GiB file of fathom.
pub fn target_facts() -> TargetFacts {
    let device = |name: &str, kind: &str| BlockDevice {
        name: name.to_owned(),
        kind: kind.to_owned(),
        size: Bytes::gib(252),
        scheduler: Some("none".to_owned()),
        write_cache: Some("write back".to_owned()),
        rotational: Some(false),
        ..BlockDevice::default()
    };
    TargetFacts {
        path: PathBuf::from("/data/fathom.dat"),
        kind: TargetKind::File,
        size: Bytes::gib(8),
        namespace: None,
        identity: Some((1, 2)),
        allocated: Bytes(0),
        obstacle: None,
        writable: true,
        direct_io: Some(DirectIo {
            memory: Bytes(512),
            offset: Bytes(512),
        }),
        file_system: Some(FileSystem {
            kind: "ext4".to_owned(),
            mount_point: PathBuf::from("/data"),
            source: "/dev/vda1".to_owned(),
            options: "rw,relatime".to_owned(),
            read_only: false,
            size: Bytes::gib(252),
            free: Bytes::gib(80),
            layer: None,
        }),
        chain: vec![device("vda1", "partition"), device("vda", "disk")],
        unchecked: Vec::new(),
        unasked: Vec::new(),
        foreign_name: None,
        claims: vec![],
        content: Content::Fathom,
        layout: Layout::default(),
    }
}
