//! Requests and what stands against them; the messages are read here as prose, with each field by its noun.

mod writing;

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
        namespace: None,
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
        unchecked: Vec::new(),
        unasked: Vec::new(),
        foreign_name: None,
        content: Content::Fathom,
        layout: Layout::default(),
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

pub(super) fn profile(path: &str, change: impl FnOnce(&mut Timespan)) -> Profile {
    let mut span = Timespan {
        start_delay: Nanos(0),
        end_with_first: false,
        phases: Phases {
            warmup: Nanos(0),
            measured: Nanos::seconds(1),
            cooldown: Nanos(0),
        },
        interval: Nanos::seconds(1),
        seed: 0,
        engine: EngineChoice::Auto,
        on_error: OnError::Stop,
        pool: None,
        polling: crate::plan::Polling::default(),
        queueing: crate::plan::Queueing::default(),
        placement: Placement::Free,
        arrivals: None,
        targets: vec![Target::new(
            Location::Path(PathBuf::from(path)),
            Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::NONE,
                access: Access::Random,
            },
        )],
    };
    change(&mut span);
    Profile {
        timespans: vec![span],
    }
}

/// Every message, a line each.
pub(super) fn messages(problems: &Problems) -> String {
    let each = problems
        .iter()
        .map(|one| one.message(|field| Some(field.noun())));
    each.collect::<Vec<_>>().join("\n")
}

fn refused(profile: &Profile, facts: TargetFacts) -> String {
    messages(&check(profile, &host(), &[facts], &Consent::default()).unwrap_err())
}

#[test]
fn a_rule_that_holds_for_root_too_is_told_apart_from_missing_permission() {
    let facts = |obstacle: Option<&str>| TargetFacts {
        kind: TargetKind::Forbidden,
        obstacle: obstacle.map(str::to_owned),
        ..file(Bytes::gib(1))
    };
    let refused = |obstacle| refused(&profile("/data/t", |_| ()), facts(obstacle));
    assert!(refused(None).ends_with("or run as root"));
    let ruled = refused(Some("it is permitted to no user here (EPERM)"));
    assert_eq!(
        ruled,
        "/data/t: it is permitted to no user here (EPERM): allow it there (docker run --device), or specify another \
         target"
    );
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
fn all_problems_are_reported_at_once() {
    let asked = profile("/data/t", |span| {
        span.phases.measured = Nanos(0);
        span.targets[0].workload.block = Bytes(1000);
        span.targets[0].workload.queue_depth = QueueDepth(0);
        span.targets[0].threads = 0;
    });
    let reported = refused(&asked, file(Bytes::gib(1)));
    for word in [
        "value '0s' for duration",
        "value '1000' for block size",
        "value '0' for queue depth",
        "value '0' for number of threads",
    ] {
        assert!(reported.contains(word), "{word} in:\n{reported}");
    }
}

#[test]
fn what_a_backend_cannot_honour_is_refused() {
    let sync = profile("/data/t", |span| {
        span.engine = EngineChoice::Sync;
        span.targets[0].workload.queue_depth = QueueDepth(8);
    });
    assert!(refused(&sync, file(Bytes::gib(1))).contains("must be 1 with the engine sync"));
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
    assert!(refused(&asked, big).contains("a multiple of 4K for unbuffered I/O on /data/t"));
    let none = TargetFacts {
        direct_io: None,
        ..file(Bytes::gib(1))
    };
    assert!(refused(&asked, none).contains("use buffered I/O"));
}

#[test]
fn long_series_of_many_threads_count_as_memory() {
    let asked = profile("/data/t", |span| {
        (span.phases.measured, span.interval) = (Nanos::seconds(1000), Nanos::millis(1));
        span.targets[0].threads = 128;
    });
    assert!(refused(&asked, file(Bytes::gib(1))).contains("use a larger interval"));
}

#[test]
fn each_kind_of_wrong_name_has_its_word() {
    for (kind, word) in [
        (TargetKind::Missing, "use creation of a file"),
        (TargetKind::MissingFolder, "its folder does not exist"),
        (TargetKind::Folder, "/data/t/fathom.dat"),
        (TargetKind::Other, "stores nothing"),
        (TargetKind::Forbidden, "permission denied"),
    ] {
        let facts = TargetFacts {
            kind,
            ..file(Bytes(0))
        };
        let reported = refused(&profile("/data/t", |_| {}), facts);
        assert!(reported.contains(word), "{reported}");
        assert_eq!(reported.lines().count(), 1, "{reported}");
    }
}

#[test]
fn ranges_stay_inside_the_target() {
    let small = refused(&profile("/data/t", |_| {}), file(Bytes(4095)));
    assert!(small.contains("contain no whole block"), "{small}");
    let beyond = profile("/data/t", |span| {
        span.targets[0].length = Some(Bytes::gib(2));
    });
    assert!(refused(&beyond, file(Bytes::gib(1))).contains("goes beyond the end at 1G"));
    let crowd = profile("/data/t", |span| span.targets[0].threads = 11);
    assert!(refused(&crowd, file(Bytes(40960))).contains("11 threads would share 10 blocks"));
}

#[test]
fn what_refuses_direct_io_is_named() {
    let asked = profile("/data/t", |_| {});
    let on = |kind: &str, options: &str, layer: Option<&str>| TargetFacts {
        direct_io: None,
        file_system: Some(FileSystem {
            kind: kind.to_owned(),
            options: options.to_owned(),
            layer: layer.map(str::to_owned),
            ..FileSystem::default()
        }),
        ..file(Bytes::gib(1))
    };
    for (facts, cause) in [
        (on("tmpfs", "rw", None), "tmpfs keeps files in memory"),
        (
            on("overlay", "rw", Some("tmpfs")),
            "in memory (tmpfs below overlay)",
        ),
        (
            on("ext4", "rw,data=journal", None),
            "ext4 is mounted with data=journal",
        ),
        (
            on("ext4", "rw", None),
            "the file system ext4 refused it (EINVAL)",
        ),
    ] {
        assert!(refused(&asked, facts).contains(cause), "{cause}");
    }
}

#[test]
fn creation_needs_room_and_reuses_what_fits() {
    let asked = profile("/data/t", |span| {
        span.targets[0].create = Some(Bytes::gib(2));
    });
    let fs = FileSystem {
        free: Bytes::gib(1),
        size: Bytes::gib(4),
        mount_point: "/data".into(),
        ..FileSystem::default()
    };
    let missing = TargetFacts {
        kind: TargetKind::Missing,
        content: Content::Unknown,
        file_system: Some(fs),
        ..file(Bytes(0))
    };
    let full = refused(&asked, missing.clone());
    assert!(full.contains("2G more are needed and 1G are free on /data: make room"));
    let mut made_up = missing;
    made_up.file_system = made_up.file_system.map(|fs| FileSystem {
        free: Bytes(0),
        size: Bytes(0),
        ..fs
    });
    assert!(refused(&asked, made_up).contains("it keeps no files"));
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

#[test]
fn buffers_beyond_the_memory_of_a_control_group_are_refused() {
    let asked = profile("/data/t", |span| {
        span.targets[0].threads = 64;
        span.targets[0].workload.block = Bytes::kib(64);
        span.targets[0].workload.queue_depth = QueueDepth(64);
    });
    let limited = |limit| {
        let mut limited = host();
        limited.limits.memory = Some(crate::record::MemoryLimit {
            group: "/sys/fs/cgroup/a".into(),
            limit,
            used: Bytes::mib(8),
        });
        check(
            &asked,
            &limited,
            &[file(Bytes::gib(64))],
            &Consent::default(),
        )
    };
    let refused = limited(Bytes::mib(128)).unwrap_err();
    assert!(refused.iter().all(Problem::is_of_the_machine));
    let reported = messages(&refused);
    for words in ["/sys/fs/cgroup/a allows 128M", "8M are in use"] {
        assert!(reported.contains(words), "{reported}");
    }
    assert!(limited(Bytes::gib(1)).is_ok());
}

fn walk(change: impl FnOnce(&mut DiskspdAccess)) -> Access {
    let mut access = DiskspdAccess {
        random: Ratio::NONE,
        align: Bytes::kib(4),
        sequence: Sequence::PerThread,
        thread_stride: Bytes(0),
        distribution: Distribution::Uniform,
    };
    change(&mut access);
    Access::Diskspd(access)
}

/// What is informed of a request that is changed so.
fn reported(change: impl FnOnce(&mut Timespan)) -> String {
    refused(&profile("/data/t", change), file(Bytes::gib(1)))
}

#[test]
fn e014_a_thread_that_starts_too_late_is_refused() {
    let asked = profile("/data/t", |span| {
        let target = &mut span.targets[0];
        (target.cache, target.threads, target.workload.block) = (CacheMode::Cached, 2, Bytes(1000));
        target.workload.access = walk(|access| access.thread_stride = Bytes(2500));
    });
    let reported = refused(&asked, file(Bytes(3000)));
    assert!(
        reported.contains("thread 1 would start 2500 into a range of 3000"),
        "{reported}"
    );
}

#[test]
fn e017_a_range_beyond_the_end_is_clipped_where_that_is_asked() {
    let asked = |beyond_end| {
        profile("/data/t", |span| {
            let target = &mut span.targets[0];
            (target.length, target.beyond_end) = (Some(Bytes::mib(20)), beyond_end);
            (target.cache, target.workload.access) = (CacheMode::Cached, walk(|_| {}));
        })
    };
    let size = Bytes((10 << 20) + 17);
    let plans = check(
        &asked(BeyondEnd::Clip),
        &host(),
        &[file(size)],
        &Consent::default(),
    )
    .unwrap();
    assert_eq!(plans[0].targets[0].length, size, "a walk keeps the odd end");
    assert!(refused(&asked(BeyondEnd::Refuse), file(size)).contains("beyond the end"));
}

#[test]
fn what_a_walk_contradicts_itself_in_is_refused() {
    let of = |change: &dyn Fn(&mut DiskspdAccess)| {
        reported(|span| span.targets[0].workload.access = walk(|access| change(access)))
    };
    assert!(of(&|a| a.align = Bytes(0)).contains("goes nowhere"));
    assert!(
        of(&|a| (a.random, a.sequence) = (Ratio::ALL, Sequence::Interlocked))
            .contains("sequential I/O")
    );
    assert!(
        of(&|a| a.distribution = Distribution::Percent(vec![(100, 100)])).contains("random I/O")
    );
    let spread = |distribution: Distribution| {
        of(&|a| (a.random, a.distribution) = (Ratio::ALL, distribution.clone()))
    };
    assert!(spread(Distribution::Percent(vec![(90, 10)])).contains("100% of the I/Os"));
    assert!(spread(Distribution::Percent(vec![(100, 10)])).contains("100% of the target"));
    assert!(spread(Distribution::Absolute(vec![(10, 0), (10, 1 << 30)])).contains("only the last"));
    assert!(
        spread(Distribution::Absolute(vec![(0, 1 << 40), (100, 1 << 30)])).contains("no range")
    );
    assert!(of(&|a| a.align = Bytes(100)).contains("a multiple of 512"));
}

#[test]
fn nothing_is_accepted_and_then_ignored() {
    let target = |change: &dyn Fn(&mut Target)| reported(|span| change(&mut span.targets[0]));
    let mapped = |change: &dyn Fn(&mut Target)| {
        target(&|t| {
            (t.cache, t.mapped) = (CacheMode::Cached, Some(Flush::Never));
            change(t);
        })
    };
    assert!(mapped(&|t| t.write_through = true).contains("flushed after each write"));
    assert!(mapped(&|t| t.cache = CacheMode::Unbuffered).contains("past the system's cache"));
    assert!(target(&|t| t.cache = CacheMode::LocalOff).contains("only a network file system"));
    assert!(target(&|t| t.weight = 2).contains("weights belong to a pool"));
    assert!(target(&|t| t.pacing = Pacing::Rate { bytes_per_s: 0 }).contains("no pace"));
    let small = WriteContent::Source {
        bytes: Bytes(1),
        file: None,
    };
    assert!(target(&|t| t.content = small.clone()).contains("at least one block of 4K"));
    assert!(
        reported(|span| span.placement = Placement::Cores(vec![])).contains("no core is named")
    );
    assert!(
        reported(|span| span.placement = Placement::Masks(vec![])).contains("no core is named")
    );
    let asked = profile("/dev/sdb", |span| {
        let t = &mut span.targets[0];
        (t.cache, t.mapped) = (CacheMode::Cached, Some(Flush::Never));
    });
    assert!(refused(&asked, device(vec![], Content::Empty)).contains("is for files"));
}

#[test]
fn pools_say_what_they_cannot_do() {
    let pool = |outstanding, change: &dyn Fn(&mut Timespan)| {
        reported(|span| {
            span.pool = Some(Pool {
                threads: 2,
                outstanding,
                draw: PoolDraw::ByWeight,
            });
            change(span);
        })
    };
    assert!(pool(None, &|s| s.targets[0].threads = 4).contains("counted once"));
    assert!(
        pool(None, &|s| s.targets[0].pool_threads = vec![(1, 0)])
            .contains("thread 0 has no target")
    );
    assert!(pool(None, &|s| s.targets[0].pool_threads = vec![(2, 0)]).contains("read thread 2"));
    assert!(pool(Some(4), &|s| s.targets[0].weight = 0).contains("a weight of 0"));
    let pacing = Pacing::Rate { bytes_per_s: 1 };
    assert!(pool(Some(4), &|s| s.targets[0].pacing = pacing).contains("a pace of each target"));
    assert!(pool(Some(0), &|_| {}).contains("value '0' for queue depth"));
}

#[test]
fn targets_take_turns_only_where_their_slots_are_shared_and_no_weight_says_otherwise() {
    let turns = |outstanding, weight| {
        reported(|span| {
            span.pool = Some(Pool {
                threads: 2,
                outstanding,
                draw: PoolDraw::InTurn,
            });
            span.targets[0].weight = weight;
        })
    };
    assert!(turns(None, 1).contains("take turns"));
    assert!(turns(Some(1), 3).contains("take turns"));
    let differs = profile("/data/t", |span| {
        span.pool = Some(Pool {
            threads: 1,
            outstanding: Some(1),
            draw: PoolDraw::InTurn,
        });
        span.targets.push(span.targets[0].clone());
        span.targets[1].pacing = Pacing::Rate { bytes_per_s: 1 };
    });
    let facts = [file(Bytes::gib(1)), file(Bytes::gib(1))];
    let differs = messages(&check(&differs, &host(), &facts, &Consent::default()).unwrap_err());
    assert!(differs.contains("a pace of each target"), "{differs}");
}

#[test]
fn a_stripe_is_as_long_as_its_range_and_has_a_column_for_each_thread() {
    let stripe = |columns, rows, length: Option<Bytes>, threads| {
        reported(|span| {
            let target = &mut span.targets[0];
            target.workload.access = Access::Stripe(StripeAccess { columns, rows });
            (target.length, target.threads) = (length, threads);
            target.workload.queue_depth = QueueDepth(0); // so that there is always a problem to report
        })
    };
    let fits = stripe(4, 2, Some(Bytes::kib(4 * 8)), 4);
    assert!(!fits.contains("stripe"), "{fits}");
    assert!(stripe(4, 2, None, 1).contains("just that length"));
    assert!(stripe(4, 2, Some(Bytes::kib(4)), 1).contains("just that length"));
    assert!(stripe(0, 2, Some(Bytes(0)), 1).contains("at least one column"));
    let reported = stripe(4, 2, Some(Bytes::kib(4 * 8)), 5);
    assert!(
        reported.contains("read 4 blocks for 5 threads"),
        "{reported}"
    );
}

#[test]
fn runs_are_whole_rows_with_a_column_for_each_thread() {
    let runs = |columns, length, threads| {
        reported(|span| {
            let target = &mut span.targets[0];
            target.workload.access = Access::Runs {
                run: 2,
                columns,
                first: 0,
            };
            (target.length, target.threads) = (length, threads);
            target.workload.queue_depth = QueueDepth(0); // so that there is always a problem to report
        })
    };
    let row = Some(Bytes::kib(4 * 2 * 3));
    let fits = runs(3, row, 3);
    assert!(!fits.contains("runs"), "{fits}");
    assert!(runs(3, None, 1).contains("whole rows"));
    assert!(runs(3, Some(Bytes::kib(4)), 1).contains("whole rows"));
    assert!(runs(0, row, 1).contains("one column"));
    assert!(runs(3, row, 4).contains("a column of runs of its own"));
}

#[test]
fn a_rate_is_of_the_whole_run_and_alone_says_when_ios_start() {
    let rate = |per_s| {
        move |span: &mut Timespan| {
            let spacing = Spacing::Constant;
            span.arrivals = Some(Arrivals { per_s, spacing });
        }
    };
    let refusal = |change: &dyn Fn(&mut Timespan)| {
        refused(
            &profile("/data/t", |span| change(span)),
            file(Bytes::gib(1)),
        )
    };
    assert_eq!(
        refusal(&rate(0)),
        "invalid value '0' for rate: must be from 1 to 1000000000 I/Os per second over all threads"
    );
    let reported = refusal(&|span| {
        rate(5)(span);
        span.targets[0].pacing = Pacing::Rate { bytes_per_s: 1 };
    });
    assert_eq!(
        reported,
        "rate: I/Os that start at moments of their own cannot have a pace of each target as well: omit one of the two"
    );
    let reported = refusal(&|span| {
        rate(5)(span);
        span.pool = Some(Pool {
            threads: 1,
            outstanding: None,
            draw: PoolDraw::ByWeight,
        });
    });
    assert!(
        reported.contains("cannot have a pool of threads"),
        "{reported}"
    );
}

#[test]
fn a_target_that_was_there_before_is_gone_or_shrunk() {
    let earlier = [file(Bytes::gib(1))];
    let missing = Problem::Missing {
        path: "/data/t".into(),
    };
    let gone = Problem::Gone {
        path: "/data/t".into(),
    };
    assert_eq!(missing.since(&earlier), gone);
    assert_eq!(missing.since(&[]), missing);
    let beyond = |size| {
        let path = "/data/t".into();
        Problem::value(Field::Base, size, Rule::BelowEnd { path, size })
    };
    let shrunk = Problem::Shrunk {
        path: "/data/t".into(),
    };
    assert_eq!(beyond(Bytes::mib(1)).since(&earlier), shrunk);
    assert_eq!(beyond(Bytes::gib(1)).since(&earlier), beyond(Bytes::gib(1)));
}

/// An option in a rule's own text would reach users of every tool.
#[test]
fn rules_name_fields_and_no_options() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/check");
    let sources = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for path in sources.filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let options = ["--", " -b", " -o", " -t", " -S", "DISKSPD "];
            let named = options.iter().any(|option| line.contains(option));
            let of_system = [
                "mount -o remount,rw",
                "blockdev --setrw",
                "docker run --device",
            ];
            let known = of_system.iter().any(|command| line.contains(command));
            assert!(!named || known, "{}: {line}", path.display());
        }
    }
}
