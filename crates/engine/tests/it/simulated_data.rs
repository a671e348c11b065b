//! Simulated devices that damage their data: each fault is found and named, and nothing else is.

use crate::jobs;
use engine::{Silent, Stop, Store, run};
use host::Root;
use model::read_back::{ReadBack, ReadBackDelay};
use model::*;

/// Seeds per fault. `FATHOM_FAULT_SEEDS` sets another number for a long campaign.
const SEEDS: u64 = 8;

#[allow(clippy::disallowed_methods, reason = "a campaign asks for more seeds")]
fn seeds() -> u64 {
    let asked = std::env::var("FATHOM_FAULT_SEEDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(SEEDS)
}

/// A run with 50% writes on 256 blocks, 8 in flight on each of two threads.
fn verified(device: &str, seed: u64, change: jobs::Change<'_>) -> (RunRecord, Verification) {
    let record = recorded(device, seed, change);
    let verification = record.engine.verification.clone().unwrap();
    (record, verification)
}

fn recorded(device: &str, seed: u64, change: jobs::Change<'_>) -> RunRecord {
    let job = jobs::simulated(&[device], &|span| {
        span.seed = seed;
        span.phases.measured = Nanos::millis(100);
        span.on_error = OnError::Continue;
        let target = &mut span.targets[0];
        target.verify.level = VerifyLevel::Full;
        target.length = Some(Bytes::mib(1));
        (target.threads, target.workload.queue_depth) = (2, QueueDepth(8));
        target.workload.write = Ratio::percent(50).unwrap();
        change(span);
    });
    run(job, &Root::live(), &Silent, &Stop::new()).unwrap()
}

fn again(percent: u8, after: ReadBackDelay) -> ReadBack {
    let share = Ratio::percent(percent).unwrap();
    ReadBack { share, after }
}

/// Which names are right for an injected fault: the place of a misdirected write still has its older version, and a copy
/// whose original was written again cannot be distinguished from a misdirected one.
fn is_right(injected: CorruptKind, named: CorruptKind) -> bool {
    use CorruptKind::{Duplicated, Lost, Misdirected};
    injected == named || matches!((injected, named), (Lost | Duplicated, Misdirected))
}

#[test]
fn each_fault_is_named_rightly_and_nothing_else_is_accused() {
    let faults = [
        "lose",
        "tear",
        "tear-tail",
        "misdirect",
        "duplicate",
        "rot",
        "zero",
        "shift",
        "forge",
        "stale",
        "misread",
        "rot-read",
    ];
    for fault in faults {
        let (mut found, mut injected) = (0, 0);
        for seed in 0..seeds() {
            let device = format!("sim:ssd,data=1M,{fault}=1/150");
            // Every second run reads a share of its writes again, too.
            let again = (seed % 2 == 1).then(|| again(50, ReadBackDelay::Time(Nanos::millis(3))));
            let (_, verification) = verified(&device, seed, &|span| {
                span.targets[0].verify.read_back = again;
            });
            let what = format!("{device} seed {seed}");
            for case in &verification.cases {
                let explains = |one: &&InjectedFault| {
                    one.offset == case.offset && is_right(one.kind, case.kind)
                };
                let explained = verification.injected.iter().find(explains);
                assert!(explained.is_some(), "{what}: {case:?}");
            }
            let remaining = verification
                .injected
                .iter()
                .filter(|one| one.remains)
                .count() as u64;
            let pass = verification.pass.unwrap();
            assert_eq!(
                pass.counts.corrupt, remaining,
                "{what}: {:?}",
                verification.kinds
            );
            assert_eq!(pass.counts.undecided + pass.counts.unknown, 0, "{what}");
            found += verification.corrupt();
            injected += verification.injected.len();
        }
        assert!(
            injected > 0 && found > 0,
            "{fault}: {injected} faults, {found} found"
        );
    }
}

#[test]
fn a_sound_device_is_never_accused() {
    for seed in 0..seeds() {
        let (record, verification) = verified("sim:ssd,data=1M", seed, &|_| {});
        assert_eq!(
            (verification.corrupt(), verification.kinds.len()),
            (0, 0),
            "seed {seed}"
        );
        assert!(
            verification.reads.right > 1000 && verification.deferred > 0,
            "{verification:?}"
        );
        assert_eq!(record.outcome, Outcome::Complete);
    }
}

#[test]
fn a_fault_at_a_place_is_found_there_and_only_there() {
    for (fault, kind) in [
        ("lose=@40K", CorruptKind::Lost),
        ("zero=@40K", CorruptKind::Zeroed),
        ("eio=@40K", CorruptKind::Unreadable),
    ] {
        let (_, verification) = verified(&format!("sim:ssd,data=1M,{fault}"), 1, &|_| {});
        let kinds: Vec<CorruptKind> = verification.kinds.iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [kind], "{fault}");
        assert!(
            verification
                .cases
                .iter()
                .all(|case| case.offset == Bytes::kib(40))
        );
        assert_eq!(verification.pass.unwrap().counts.corrupt, 1, "{fault}");
    }
}

#[test]
fn addresses_that_wrap_around_are_named_so() {
    let (_, verification) = verified("sim:ssd,data=1M,alias=512K", 3, &|_| {});
    let kinds: Vec<CorruptKind> = verification.kinds.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [CorruptKind::Aliased]);
    let distance = |case: &CorruptBlock| case.found.unwrap().place.0.abs_diff(case.offset.0);
    assert!(
        verification
            .cases
            .iter()
            .all(|case| distance(case) == 512 << 10)
    );
}

#[test]
fn verification_changes_neither_the_order_of_the_ios_nor_simulated_time() {
    let counts = |level: VerifyLevel| {
        let record = recorded("sim:ssd,data=1M", 5, &|span| {
            let target = &mut span.targets[0];
            (target.threads, target.workload.queue_depth) = (1, QueueDepth(1));
            target.verify.level = level;
        });
        record
            .threads
            .into_iter()
            .map(|one| one.measured)
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(VerifyLevel::Full), counts(VerifyLevel::Off));
}

#[test]
fn a_rate_is_kept_and_verified() {
    let (record, verification) = verified("sim:ssd,data=1M", 2, &|span| {
        span.arrivals = Some(Arrivals {
            per_s: 10_000,
            spacing: Spacing::Constant,
        });
    });
    assert_eq!(verification.corrupt(), 0);
    assert!(verification.reads.right > 100);
    assert!(record.total().ios > 900, "{}", record.total().ios);
}

#[test]
fn writes_that_are_read_again_are_compared_and_are_in_no_rate() {
    let delays = [
        ReadBackDelay::Ios(0),
        ReadBackDelay::Ios(16),
        ReadBackDelay::Time(Nanos(0)),
        ReadBackDelay::Time(Nanos::millis(5)),
    ];
    for (after, seed) in delays.into_iter().zip(0..) {
        for percent in [100, 30] {
            let (record, verification) = verified("sim:ssd,data=1M", seed, &|span| {
                span.targets[0].workload.write = Ratio::ALL;
                span.targets[0].verify.read_back = Some(again(percent, after));
            });
            let what = format!("{after:?} {percent}%");
            let read_back = verification.read_back.unwrap();
            assert_eq!(
                (verification.corrupt(), verification.kinds.len()),
                (0, 0),
                "{what}"
            );
            assert_eq!(
                (read_back.skipped, read_back.blocks.unknown),
                (0, 0),
                "{what}"
            );
            assert_eq!(verification.reads, VerifyCounts::default(), "{what}");
            let all = record.total();
            assert_eq!(
                record
                    .threads
                    .iter()
                    .map(|one| one.lifetime[0].ios)
                    .sum::<u64>(),
                0,
                "{what}"
            );
            assert!(all.ios > 100, "{what}");
            let ios = verification.read_back_ios[0];
            assert_eq!(
                (ios.target, ios.all_bytes.0),
                (0, read_back.blocks.all() * 4096),
                "{what}"
            );
            assert!(
                ios.ios > 0 && ios.ios <= ios.all_ios && ios.waited.0 > 0,
                "{what}"
            );
            // Each write of the share was read again, is left, or was in flight when its thread ended.
            let share = verification.written * u64::from(percent) / 100;
            let done = read_back.blocks.all() + read_back.left;
            assert!(share.abs_diff(done) <= 16, "{what}: {share} {read_back:?}");
            assert!(read_back.blocks.right > 100, "{what}: {read_back:?}");
        }
    }
}

#[test]
fn damage_that_shows_late_is_found_by_a_late_reading_alone() {
    // Each block is written once, so that nothing hides what was lost.
    let once = |device: &str, after, end_pass| {
        let (_, verification) = verified(device, 7, &|span| {
            span.phases.measured = Nanos::millis(100);
            let target = &mut span.targets[0];
            (target.threads, target.workload.queue_depth) = (1, QueueDepth(8));
            target.length = Some(Bytes::mib(96));
            target.workload.access = Access::Sequential;
            target.workload.write = Ratio::ALL;
            target.verify.read_back = Some(again(100, after));
            target.verify.end_pass = end_pass;
        });
        verification
    };
    for fault in ["lose", "tear", "rot", "zero", "shift", "forge"] {
        let device = format!("sim:ssd,data=96M,late=20ms,{fault}=1/50");
        let early = once(&device, ReadBackDelay::Ios(0), false);
        assert!(early.injected.len() > 20, "{fault}");
        assert_eq!(early.corrupt(), 0, "{fault}: {:?}", early.cases);
        let late = once(&device, ReadBackDelay::Time(Nanos::millis(25)), true);
        let (read_back, pass) = (late.read_back.unwrap(), late.pass.unwrap());
        let injected = late.injected.len() as u64;
        let found = read_back.blocks.corrupt;
        assert!(
            found > 20 && found <= injected,
            "{fault}: {found} of {injected}"
        );
        assert!(
            found + read_back.left + 8 >= injected,
            "{fault}: {read_back:?} of {injected}"
        );
        assert_eq!(pass.counts.corrupt, injected, "{fault}");
        for case in &late.cases {
            let explains =
                |one: &&InjectedFault| one.offset == case.offset && is_right(one.kind, case.kind);
            assert!(
                late.injected.iter().any(|one| explains(&one)),
                "{fault}: {case:?}"
            );
        }
    }
}

#[test]
fn what_was_lost_and_written_over_is_found_only_by_reading_it_again_in_time() {
    let found = |read_back| {
        let (_, verification) = verified("sim:ssd,data=1M,lose=1/100", 11, &|span| {
            span.targets[0].workload.write = Ratio::ALL;
            span.targets[0].verify.read_back = read_back;
        });
        verification
    };
    let (without, with) = (found(None), found(Some(again(100, ReadBackDelay::Ios(0)))));
    assert!(
        with.corrupt() > without.corrupt() * 3,
        "{} {}",
        with.corrupt(),
        without.corrupt()
    );
    assert_eq!(
        with.kinds.iter().map(|one| one.kind).collect::<Vec<_>>(),
        [CorruptKind::Lost]
    );
}

#[test]
fn damage_stays_where_a_write_went_elsewhere() {
    let device = |fault| format!("sim:ssd,data=1M,{fault}=@40K").parse::<SimulatedDevice>();
    let zero = device("zero").unwrap();
    let mut store = Store::new(&zero, Bytes(0)..Bytes::mib(1), 1).unwrap();
    store.write(40 << 10, &[1; 4096], false);
    store.set_faults(device("misdirect").unwrap().data_faults);
    store.write(40 << 10, &[2; 4096], false);
    let injected = store.injected();
    let there = |one: &&InjectedFault| one.offset == Bytes::kib(40) && one.remains;
    let kinds = injected.iter().filter(there).map(|one| one.kind);
    assert_eq!(kinds.collect::<Vec<_>>(), [CorruptKind::Zeroed]);

    let mut block = [1; 4096];
    store.read(40 << 10, &mut block).unwrap();
    assert_eq!(block, [0; 4096]);
    assert!(store.was_read_damaged(Bytes::kib(40)) && !store.was_read_damaged(Bytes(0)));
}
