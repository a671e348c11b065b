//! Jobs to run, built through the same check as all others.

use engine::Job;
use model::*;
use std::path::Path;

/// What a test changes about a job.
pub(crate) type Change<'a> = &'a dyn Fn(&mut Timespan);

pub(crate) fn null(behaviour: NullBehaviour, change: Change<'_>) -> Job {
    let mut span = timespan(Location::Null(behaviour), EngineChoice::Null);
    change(&mut span);
    let facts = span
        .targets
        .iter()
        .map(|target| match &target.location {
            Location::Null(behaviour) => TargetFacts::null(behaviour),
            _ => unreachable!("null jobs have null targets"),
        })
        .collect();
    checked(span, facts)
}

/// Simulated devices by their words, each with the same work.
pub(crate) fn simulated(words: &[&str], change: Change<'_>) -> Job {
    let devices: Vec<SimulatedDevice> = words
        .iter()
        .map(|word| word.parse().expect("a simulated device"))
        .collect();
    let location = |device: &SimulatedDevice| Location::Simulated(Box::new(*device));
    let mut span = timespan(location(&devices[0]), EngineChoice::Auto);
    for device in &devices[1..] {
        span.targets.push(Target {
            location: location(device),
            ..span.targets[0].clone()
        });
    }
    change(&mut span);
    checked(span, devices.iter().map(TargetFacts::simulated).collect())
}

pub(crate) fn file(
    path: &Path,
    size: Bytes,
    content: Content,
    engine: EngineChoice,
    change: Change<'_>,
) -> Job {
    let mut span = timespan(Location::Path(path.to_owned()), engine);
    change(&mut span);
    let facts = file_facts(path, size, content);
    let facts = vec![facts; span.targets.len()];
    checked(span, facts)
}

/// Several files, all with the same work.
pub(crate) fn files(facts: Vec<TargetFacts>, change: Change<'_>) -> Job {
    let mut span = timespan(Location::Path(facts[0].path.clone()), EngineChoice::Auto);
    for other in &facts[1..] {
        let location = Location::Path(other.path.clone());
        span.targets.push(Target {
            location,
            ..span.targets[0].clone()
        });
    }
    change(&mut span);
    checked(span, facts)
}

/// A device as `host` found it. The caller created the device and may lose its contents.
#[allow(dead_code, reason = "only systems with loop devices test them")]
pub(crate) fn device(facts: TargetFacts, change: Change<'_>) -> Job {
    let mut span = timespan(Location::Path(facts.path.clone()), EngineChoice::Auto);
    change(&mut span);
    checked(span, vec![facts])
}

/// What `host` would find, in short: these tests are not about finding facts.
pub(crate) fn file_facts(path: &Path, size: Bytes, content: Content) -> TargetFacts {
    let there = std::fs::File::open(path).ok();
    let facts = there.and_then(|file| gate::file_facts(&file).ok());
    TargetFacts {
        path: path.to_owned(),
        kind: if facts.is_some() {
            TargetKind::File
        } else {
            TargetKind::Missing
        },
        size,
        identity: facts.map(|facts| facts.identity),
        writable: true,
        allocated: size,
        obstacle: None,
        direct_io: Some(DirectIo {
            memory: Bytes(512),
            offset: Bytes(4096),
        }),
        file_system: None,
        namespace: None,
        chain: Vec::new(),
        claims: Vec::new(),
        unchecked: Vec::new(),
        unasked: Vec::new(),
        foreign_name: None,
        content,
        layout: Layout::default(),
    }
}

fn timespan(location: Location, engine: EngineChoice) -> Timespan {
    Timespan {
        start_delay: model::Nanos(0),
        end_with_first: false,
        phases: Phases {
            warmup: Nanos(0),
            measured: Nanos::seconds(1),
            cooldown: Nanos(0),
        },
        interval: Nanos::millis(100),
        seed: 0,
        engine,
        on_error: OnError::Stop,
        pool: None,
        polling: model::Polling::default(),
        queueing: model::Queueing::default(),
        placement: Placement::Free,
        arrivals: None,
        targets: vec![Target::new(
            location,
            Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::NONE,
                access: Access::Random,
            },
        )],
    }
}

fn checked(span: Timespan, targets: Vec<TargetFacts>) -> Job {
    let host = HostRecord {
        ram_available: Bytes::gib(4),
        ..HostRecord::default()
    };
    let own = targets.iter().map(|facts| facts.path.clone()).collect();
    let consent = Consent {
        overwrite_files: false,
        destroy_devices: own,
    };
    let profile = Profile {
        timespans: vec![span],
    };
    let mut plans = check(&profile, &host, &targets, &consent).expect("a job that can be run");
    Job {
        journal: None,
        recording: None,
        io_log: None,
        meeting: None,
        plan: plans.remove(0),
        pins: gate::Pins::default(),
        host,
        targets,
        command: vec!["fathom".to_owned(), "test".to_owned()],
        tool_version: "0".to_owned(),
        started_utc: Nanos(0),
    }
}
