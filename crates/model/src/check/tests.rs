//! Requests and what stands against them; the messages are read here as prose.

use super::*;
use crate::plan::*;
use crate::record::*;
use crate::units::{Nanos, Ratio};
use std::path::PathBuf;

fn host() -> HostRecord {
    HostRecord {
        ram: Bytes::gib(16),
        ram_available: Bytes::gib(8),
        ..HostRecord::default()
    }
}

fn file(size: Bytes) -> TargetFacts {
    TargetFacts {
        path: PathBuf::from("/data/t"),
        kind: TargetKind::File,
        size,
        identity: Some((1, 2)),
        writable: true,
        allocated: size,
        obstacle: None,
        direct_io: Some(DirectIo {
            memory: Bytes(512),
            offset: Bytes(512),
        }),
        file_system: None,
        chain: vec![],
        claims: vec![],
        content: Content::Fathom,
    }
}

fn device(claims: Vec<Claim>, content: Content) -> TargetFacts {
    TargetFacts {
        path: PathBuf::from("/dev/sdb"),
        kind: TargetKind::BlockDevice,
        claims,
        content,
        ..file(Bytes::gib(1))
    }
}

fn profile(path: &str, change: impl FnOnce(&mut Timespan)) -> Profile {
    let mut span = Timespan {
        phases: Phases {
            warmup: Nanos(0),
            measured: Nanos::seconds(1),
            cooldown: Nanos(0),
        },
        interval: Nanos::seconds(1),
        seed: 0,
        engine: EngineChoice::Auto,
        on_error: OnError::Stop,
        targets: vec![Target {
            location: Location::Path(PathBuf::from(path)),
            base: Bytes(0),
            length: None,
            create: None,
            cache: CacheMode::Unbuffered,
            write_through: false,
            threads: 1,
            workload: Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::NONE,
                access: Access::Random,
            },
        }],
    };
    change(&mut span);
    Profile {
        timespans: vec![span],
    }
}

fn refused(profile: &Profile, facts: TargetFacts) -> String {
    check(profile, &host(), &[facts], &Consent::default())
        .unwrap_err()
        .to_string()
}

fn writing(span: &mut Timespan) {
    span.targets[0].workload.write = Ratio::ALL;
}

#[test]
fn a_plain_request_becomes_a_plan_of_whole_blocks() {
    let facts = file(Bytes(4096 * 10 + 17));
    let plans = check(
        &profile("/data/t", |_| {}),
        &host(),
        &[facts],
        &Consent::default(),
    )
    .unwrap();
    assert_eq!(plans.len(), 1);
    assert_eq!(plans[0].targets[0].length, Bytes(40960));
    assert_eq!(plans[0].outstanding_max(), 1);
}

#[test]
fn all_problems_are_told_at_once() {
    let asked = profile("/data/t", |span| {
        span.phases.measured = Nanos(0);
        span.targets[0].workload.block = Bytes(1000);
        span.targets[0].workload.queue_depth = QueueDepth(0);
        span.targets[0].threads = 0;
    });
    let told = refused(&asked, file(Bytes::gib(1)));
    for word in [
        "duration: read 0s",
        "block size: read 1000",
        "queue depth: read 0",
        "threads: read 0",
    ] {
        assert!(told.contains(word), "{word} in:\n{told}");
    }
}

#[test]
fn reads_never_need_consent() {
    let claims = vec![Claim::Mounted {
        device: "/dev/sdb".into(),
        at: "/mnt".into(),
    }];
    let facts = device(claims, Content::Foreign);
    assert!(
        check(
            &profile("/dev/sdb", |_| {}),
            &host(),
            &[facts],
            &Consent::default()
        )
        .is_ok()
    );
}

#[test]
fn a_foreign_file_is_written_only_with_the_word() {
    let asked = profile("/data/t", writing);
    let facts = TargetFacts {
        content: Content::Foreign,
        ..file(Bytes::gib(1))
    };
    assert_eq!(
        refused(&asked, facts.clone()),
        "/data/t: fathom did not make this file, so it is not written: the 1G that it holds would be lost. \
         To allow it, add: --overwrite"
    );
    let consent = Consent {
        overwrite_files: true,
        ..Consent::default()
    };
    assert!(check(&asked, &host(), &[facts], &consent).is_ok());
}

#[test]
fn a_fathom_file_with_a_file_system_in_it_is_foreign() {
    let claims = vec![Claim::Signature {
        device: "/data/t".into(),
        what: "ext4 file system".into(),
    }];
    let facts = TargetFacts {
        claims,
        ..file(Bytes::gib(1))
    };
    assert!(refused(&profile("/data/t", writing), facts).contains("ext4 file system on /data/t"));
}

#[test]
fn a_mounted_device_is_refused_whatever_is_said() {
    let asked = profile("/dev/sdb", writing);
    let claims = vec![Claim::Mounted {
        device: "/dev/sdb1".into(),
        at: "/mnt".into(),
    }];
    let consent = Consent {
        overwrite_files: true,
        destroy_devices: vec!["/dev/sdb".into()],
    };
    let facts = device(claims, Content::Foreign);
    let told = check(&asked, &host(), &[facts], &consent)
        .unwrap_err()
        .to_string();
    assert_eq!(
        told,
        "/dev/sdb: in use, so it is not written: /dev/sdb1 is mounted at /mnt; what is mounted there would \
         be lost: end that first (umount /mnt)"
    );
}

#[test]
fn a_device_with_a_signature_needs_its_own_name() {
    let asked = profile("/dev/sdb", writing);
    let claims = vec![Claim::Signature {
        device: "/dev/sdb".into(),
        what: "xfs file system".into(),
    }];
    let facts = device(claims, Content::Foreign);
    assert_eq!(
        refused(&asked, facts.clone()),
        "/dev/sdb: this device is not empty, so it is not written: the 1G that it holds would be lost \
         (xfs file system on /dev/sdb). To allow it, add: --destroy /dev/sdb"
    );
    let other = Consent {
        destroy_devices: vec!["/dev/sdc".into()],
        overwrite_files: true,
    };
    assert!(check(&asked, &host(), std::slice::from_ref(&facts), &other).is_err());
    let named = Consent {
        destroy_devices: vec!["/dev/sdb".into()],
        ..Consent::default()
    };
    let plans = check(&asked, &host(), &[facts], &named).unwrap();
    assert!(plans[0].targets[0].exclusive);
}

#[test]
fn an_empty_device_needs_no_word_and_unknown_data_does() {
    let asked = profile("/dev/sdb", writing);
    let empty = device(vec![], Content::Empty);
    assert!(check(&asked, &host(), &[empty], &Consent::default()).is_ok());
    assert!(refused(&asked, device(vec![], Content::Foreign)).contains("not zeros either"));
    assert!(refused(&asked, device(vec![], Content::Unknown)).contains("could not be read"));
}

#[test]
fn what_a_backend_cannot_honour_is_refused() {
    let sync = profile("/data/t", |span| {
        span.engine = EngineChoice::Sync;
        span.targets[0].workload.queue_depth = QueueDepth(8);
    });
    assert!(refused(&sync, file(Bytes::gib(1))).contains("one I/O outstanding a thread"));
    let null = profile("/data/t", |span| span.engine = EngineChoice::Null);
    assert!(refused(&null, file(Bytes::gib(1))).contains("moves no bytes"));
}

#[test]
fn unbuffered_needs_alignment_and_a_file_system_that_can() {
    let asked = profile("/data/t", |span| {
        span.targets[0].workload.block = Bytes(512);
    });
    let big = TargetFacts {
        direct_io: Some(DirectIo {
            memory: Bytes(512),
            offset: Bytes(4096),
        }),
        ..file(Bytes::gib(1))
    };
    assert!(refused(&asked, big).contains("needs multiples of 4K"));
    let none = TargetFacts {
        direct_io: None,
        ..file(Bytes::gib(1))
    };
    assert!(refused(&asked, none).contains("--cache cached"));
}

#[test]
fn what_a_sample_cannot_prove_is_proven_or_refused() {
    let asked = profile("/data/t", writing);
    let ours = file(Bytes::gib(1));
    let plans = check(
        &asked,
        &host(),
        std::slice::from_ref(&ours),
        &Consent::default(),
    )
    .unwrap();
    assert!(plans[0].targets[0].prove_ours);
    let consent = Consent {
        overwrite_files: true,
        ..Consent::default()
    };
    let plans = check(&asked, &host(), std::slice::from_ref(&ours), &consent).unwrap();
    assert!(!plans[0].targets[0].prove_ours);
    for content in [Content::Empty, Content::Unproven, Content::Unknown] {
        let zeros = TargetFacts {
            content,
            ..file(Bytes::gib(1))
        };
        assert!(
            refused(&asked, zeros).contains("--overwrite"),
            "{content:?}"
        );
    }
    let disk = profile("/dev/sdb", writing);
    assert!(refused(&disk, device(vec![], Content::Unproven)).contains("did not look everywhere"));
}

#[test]
fn long_series_of_many_threads_count_as_memory() {
    let asked = profile("/data/t", |span| {
        (span.phases.measured, span.interval) = (Nanos::seconds(1000), Nanos::millis(1));
        span.targets[0].threads = 128;
    });
    assert!(refused(&asked, file(Bytes::gib(1))).contains("a longer interval"));
}

#[test]
fn each_kind_of_wrong_name_has_its_word() {
    for (kind, word) in [
        (TargetKind::Missing, "--create SIZE"),
        (TargetKind::MissingFolder, "its folder does not exist"),
        (TargetKind::Folder, "/data/t/fathom.dat"),
        (TargetKind::Other, "stores nothing"),
        (TargetKind::Forbidden, "permission denied"),
    ] {
        let facts = TargetFacts {
            kind,
            ..file(Bytes(0))
        };
        let told = refused(&profile("/data/t", |_| {}), facts);
        assert!(told.contains(word), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn ranges_stay_inside_the_target() {
    let small = refused(&profile("/data/t", |_| {}), file(Bytes(4095)));
    assert!(small.contains("hold no whole block"), "{small}");
    let beyond = profile("/data/t", |span| {
        span.targets[0].length = Some(Bytes::gib(2));
    });
    assert!(refused(&beyond, file(Bytes::gib(1))).contains("goes beyond the end at 1G"));
    let crowd = profile("/data/t", |span| span.targets[0].threads = 11);
    assert!(refused(&crowd, file(Bytes(40960))).contains("11 threads would share 10 blocks"));
}

#[test]
fn creation_needs_room_and_reuses_what_fits() {
    let asked = profile("/data/t", |span| {
        span.targets[0].create = Some(Bytes::gib(2));
    });
    let fs = FileSystem {
        free: Bytes::gib(1),
        mount_point: "/data".into(),
        ..FileSystem::default()
    };
    let missing = TargetFacts {
        kind: TargetKind::Missing,
        content: Content::Unknown,
        file_system: Some(fs),
        ..file(Bytes(0))
    };
    assert!(refused(&asked, missing).contains("2G more are needed and 1G are free on /data"));
    let fits = file(Bytes::gib(2));
    let plans = check(&asked, &host(), &[fits], &Consent::default()).unwrap();
    assert_eq!(plans[0].targets[0].create, None);
    let smaller = file(Bytes::gib(1));
    let plans = check(&asked, &host(), &[smaller], &Consent::default()).unwrap();
    assert_eq!(plans[0].targets[0].create, Some(Bytes::gib(2)));
}

#[test]
fn buffers_beyond_the_memory_are_refused() {
    let asked = profile("/data/t", |span| {
        span.targets[0].workload.block = Bytes::gib(1);
        span.targets[0].workload.queue_depth = QueueDepth(8);
    });
    assert!(refused(&asked, file(Bytes::gib(64))).contains("the threads need 8G of memory"));
}
