//! Facts in, remarks out.

use super::*;
use model::{
    BlockDevice, Bytes, Counters, CpuFacts, CpuTimes, DeviceCounters, FileSystem, HealthState,
    IoLimit, Nanos, TargetKind,
};

/// Everything that a check uses.
struct Seen {
    host: HostRecord,
    target: TargetFacts,
    health: Vec<DeviceHealth>,
    time_source: Option<&'static str>,
    refused: Vec<String>,
    starts_read_only: bool,
    window: CounterWindow,
}

impl Seen {
    /// A quiet machine with a file on an SSD.
    fn quiet() -> Self {
        let mut sample = crate::sample::Sample::default().build();
        let mut target = sample.targets.swap_remove(0);
        target.kind = TargetKind::File;
        target.chain = vec![BlockDevice {
            name: "sda".to_owned(),
            number: (8, 0),
            rotational: Some(false),
            counted: Some(true),
            ..BlockDevice::default()
        }];
        target.file_system = Some(FileSystem {
            kind: "ext4".to_owned(),
            mount_point: "/data".into(),
            source: "/dev/sda".to_owned(),
            options: "rw,relatime".to_owned(),
            size: Bytes::gib(100),
            free: Bytes::gib(50),
            ..FileSystem::default()
        });
        let host = HostRecord {
            cpus: vec![CpuFacts::default(); 4],
            ..HostRecord::default()
        };
        let mut seen = Seen {
            host,
            target,
            health: Vec::new(),
            time_source: Some("tsc"),
            refused: Vec::new(),
            starts_read_only: false,
            window: CounterWindow::default(),
        };
        seen.window = window(0, Nanos(0), 2, 98);
        seen
    }

    fn checked(&self) -> Preflight {
        preflight(&Facts {
            host: &self.host,
            target: &self.target,
            refused: &self.refused,
            starts_read_only: self.starts_read_only,
            health: &self.health,
            time_source: self.time_source,
            window: &self.window,
        })
    }

    /// The answer and what calls for something.
    fn reported(&self) -> (Answer, Vec<&'static str>) {
        let report = self.checked();
        (
            report.answer,
            report.calling().map(|remark| remark.topic).collect(),
        )
    }
}

/// A second with so many reads, so busy a device, and cores that worked and idled in this proportion.
fn window(reads: u64, busy: Nanos, worked: u64, idle: u64) -> CounterWindow {
    let reading = |at: Nanos, times: u64| Counters {
        begun: at,
        ended: at,
        cpus: vec![CpuTimes {
            user: Nanos(worked * times),
            idle: Nanos(idle * times),
            ..CpuTimes::default()
        }],
        devices: vec![DeviceCounters {
            name: "sda".to_owned(),
            reads: reads * times,
            busy: Nanos(busy.0 * times),
            ..DeviceCounters::default()
        }],
        interrupts: None,
        process: None,
        own_read_bytes: None,
        quotas: Vec::new(),
    };
    CounterWindow {
        before: reading(Nanos(0), 0),
        after: reading(Nanos::seconds(1), 1),
    }
}

#[test]
fn a_quiet_machine_is_ready() {
    let report = Seen::quiet().checked();
    assert_eq!(report.calling().count(), 0, "{report:?}");
    assert_eq!(
        (report.answer, report.observed_ns),
        (Answer::Ready, 1_000_000_000)
    );
}

#[test]
fn other_load_is_reported_and_much_of_it_stops() {
    let mut seen = Seen::quiet();
    seen.window = window(500, Nanos::millis(100), 2, 98);
    assert_eq!(seen.reported(), (Answer::Caution, vec!["other load"]));
    seen.window = window(500, Nanos::millis(600), 2, 98);
    assert_eq!(seen.reported(), (Answer::NotReady, vec!["other load"]));
    seen.window = window(0, Nanos(0), 30, 70);
    assert_eq!(seen.reported(), (Answer::Caution, vec!["processors"]));
    seen.window = window(0, Nanos(0), 80, 20);
    assert_eq!(seen.reported(), (Answer::NotReady, vec!["processors"]));
    seen.window = window(0, Nanos(0), 2, 98);
    seen.window.after.cpus[0].steal = Nanos(100);
    assert_eq!(seen.reported().1, ["hypervisor"]);
}

#[test]
fn a_degraded_array_stops_whatever_else_is_said() {
    let mut seen = Seen::quiet();
    seen.time_source = Some("hpet");
    seen.health = vec![DeviceHealth {
        device: "md0".to_owned(),
        state: HealthState::Degraded,
        words: "1 of 2 members missing".to_owned(),
    }];
    assert_eq!(seen.reported(), (Answer::NotReady, vec!["health", "clock"]));
}

#[test]
fn settings_that_change_the_numbers_are_reported() {
    let reported = |change: fn(&mut Seen)| {
        let mut seen = Seen::quiet();
        change(&mut seen);
        seen.reported()
    };
    let on = |seen: &mut Seen, change: fn(&mut FileSystem)| {
        change(seen.target.file_system.as_mut().unwrap());
    };
    let careful = |topic| (Answer::Caution, vec![topic]);
    assert_eq!(
        reported(|seen| seen.host.cpus[0].governor = Some("powersave".to_owned())),
        careful("governor")
    );
    assert_eq!(
        reported(|seen| seen.host.limits.cpu_millicores = Some(500)),
        careful("quota")
    );
    assert_eq!(
        reported(|seen| seen.target.chain[0].scheduler = Some("bfq".to_owned())),
        careful("scheduler")
    );
    let limit = |seen: &mut Seen| {
        seen.host.limits.io = vec![IoLimit {
            device: (8, 0),
            read_ios_per_s: Some(1920),
            ..IoLimit::default()
        }];
    };
    assert_eq!(reported(limit), careful("throttle"));
    let mut seen = Seen::quiet();
    on(&mut seen, |on| on.free = Bytes::gib(1));
    assert_eq!(seen.reported(), careful("free space"));
    seen.target.kind = TargetKind::Missing;
    on(&mut seen, |on| on.free = Bytes::mib(10));
    assert_eq!(seen.reported(), (Answer::NotReady, vec!["free space"]));
    let mut seen = Seen::quiet();
    on(&mut seen, |on| on.options = "rw,compress=zstd".to_owned());
    assert_eq!(seen.reported(), careful("mount"));
    on(&mut seen, |on| {
        (on.kind, on.options) = ("nfs4".to_owned(), "rw".to_owned());
    });
    assert_eq!(seen.reported(), careful("shared"));
}

#[test]
fn what_is_not_there_cannot_be_measured() {
    for kind in [
        TargetKind::MissingFolder,
        TargetKind::Forbidden,
        TargetKind::Other,
    ] {
        let mut seen = Seen::quiet();
        seen.target.kind = kind;
        assert_eq!(seen.reported().0, Answer::NotReady, "{kind:?}");
    }
}

#[test]
fn where_no_file_can_be_made_there_is_nothing_to_measure() {
    let mut seen = Seen::quiet();
    for kind in [TargetKind::Folder, TargetKind::Missing] {
        (seen.target.kind, seen.target.writable) = (kind, true);
        assert_eq!(seen.reported(), (Answer::Ready, vec![]), "{kind:?}");
        seen.target.writable = false;
        assert_eq!(
            seen.reported(),
            (Answer::NotReady, vec!["target"]),
            "{kind:?}"
        );
    }
    (seen.target.kind, seen.target.writable) = (TargetKind::Missing, true);
    let on = seen.target.file_system.as_mut().unwrap();
    (on.kind, on.free) = ("devtmpfs".to_owned(), Bytes(0));
    let report = seen.checked();
    let reported: Vec<&str> = report
        .calling()
        .map(|remark| remark.found.as_str())
        .collect();
    assert_eq!(reported, ["there is no device of this name"]);
}

#[test]
fn a_file_that_any_cache_holds_calls_for_care() {
    let mut seen = Seen::quiet();
    seen.target.size = Bytes(1000);
    assert_eq!(seen.reported(), (Answer::Caution, vec!["target"]));
}

#[test]
fn what_a_survey_would_refuse_is_not_ready_or_care_where_reads_start() {
    let mut seen = Seen::quiet();
    let path = seen.target.path.display().to_string();
    seen.refused = vec![format!(
        "{path}: no direct I/O (O_DIRECT): why; hint: use --cache cached"
    )];
    let found = seen.checked();
    let first = &found.remarks[0];
    assert_eq!((found.answer, first.topic), (Answer::NotReady, "start"));
    assert_eq!(first.found, "no direct I/O (O_DIRECT): why");
    assert_eq!(first.remedy.as_deref(), Some("use --cache cached"));
    seen.starts_read_only = true;
    let found = seen.checked();
    assert_eq!(
        (found.answer, found.remarks[0].topic),
        (Answer::Caution, "start")
    );
}
