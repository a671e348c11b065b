//! Power cuts of simulated devices: an honest one is never accused, and a lost durable write is always found.

use crate::jobs;
use engine::{Silent, Stop, run};
use host::Root;
use model::verified::DurableCounts;
use model::*;

/// Cuts of each shape. `FATHOM_CUTS` sets another number for a long campaign: 10,000 in all.
const CUTS: u64 = 12;

#[allow(clippy::disallowed_methods, reason = "a campaign asks for more cuts")]
fn cuts() -> u64 {
    let asked = std::env::var("FATHOM_CUTS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(CUTS)
}

/// One load: threads, depth, bytes of a block, writes per flush (0: each write is durable at once), atomic unit.
#[derive(Clone, Copy, Debug)]
struct Shape {
    threads: u32,
    depth: u32,
    block: Bytes,
    flush_every: u32,
    atomic: Bytes,
    volatile: &'static str,
}

const SHAPES: [Shape; 8] = [
    shape([1, 8], 4, 16, 4096, "256K"),
    shape([1, 1], 4, 1, 4096, "16M"),
    shape([1, 8], 16, 5, 16384, "1M"),
    shape([1, 4], 16, 9, 4096, "64K"),
    shape([1, 8], 4, 0, 4096, "1M"),
    shape([3, 8], 4, 16, 512, "256K"),
    shape([4, 4], 8, 7, 1024, "128K"),
    shape([2, 8], 4, 0, 512, "1M"),
];

const fn shape(
    [threads, depth]: [u32; 2],
    block_kib: u64,
    flush_every: u32,
    atomic: u64,
    volatile: &'static str,
) -> Shape {
    Shape {
        threads,
        depth,
        block: Bytes::kib(block_kib),
        flush_every,
        atomic: Bytes(atomic),
        volatile,
    }
}

fn cut(shape: Shape, flush: &str, seed: u64) -> Verification {
    let at = 15_000 + seed * 7919 % 60_000;
    let device = format!(
        "sim:ssd,data=1M,volatile={},atomic={},cut-at={at}us,flush={flush}",
        shape.volatile, shape.atomic.0
    );
    let job = jobs::simulated(&[&device], &|span| {
        span.seed = seed;
        let target = &mut span.targets[0];
        target.verify.level = VerifyLevel::Full;
        target.length = Some(Bytes::mib(1));
        (target.threads, target.workload.queue_depth) = (shape.threads, QueueDepth(shape.depth));
        target.workload.block = shape.block;
        target.workload.write = Ratio::percent(80).unwrap();
        target.fsync.every = shape.flush_every;
        target.write_through = shape.flush_every == 0;
    });
    let record = run(job, &Root::live(), &Silent, &Stop::new()).unwrap();
    assert_eq!(record.outcome, Outcome::Complete);
    assert_eq!(record.phases.measured_to, Nanos::micros(at), "{device}");
    record.engine.verification.unwrap()
}

#[test]
fn an_honest_device_is_never_accused_after_a_cut() {
    let mut sum = DurableCounts::default();
    for shape in SHAPES {
        for seed in 0..cuts() {
            let found = cut(shape, "honest", seed);
            let what = format!("{shape:?} seed {seed}");
            assert_eq!((found.corrupt(), &found.kinds[..]), (0, &[][..]), "{what}");
            assert_eq!(found.injected, [], "{what}");
            let durable = found.durable.unwrap();
            assert_eq!(durable.lost + durable.replaced, 0, "{what}");
            let parts = durable.found + durable.interrupted;
            assert!(
                parts >= durable.promised && durable.found <= durable.promised,
                "{what}: {durable:?}"
            );
            sum.add(&durable);
        }
    }
    assert!(sum.found > 100 && sum.newer > 0, "{sum:?}");
}

#[test]
fn a_lost_durable_write_is_always_found_and_nothing_else_is_accused() {
    for law in ["ignored", "reordered"] {
        let (mut lost, mut out_of_order) = (0, 0);
        for shape in SHAPES {
            for seed in 0..cuts() {
                let found = cut(shape, law, seed);
                let what = format!("{law} {shape:?} seed {seed}");
                let truth = |at: Bytes| found.injected.iter().any(|one| one.offset == at);
                for case in &found.cases {
                    assert!(truth(case.offset), "{what}: {case:?}");
                }
                let kind = |kind| found.kinds.iter().find(|one| one.kind == kind);
                let named = kind(CorruptKind::NotDurable).map_or(0, |one| one.blocks);
                assert!(
                    found
                        .kinds
                        .iter()
                        .all(|one| one.kind == CorruptKind::NotDurable),
                    "{what}: {:?}",
                    found.kinds
                );
                let whole = found
                    .injected
                    .iter()
                    .filter(|one| one.kind == CorruptKind::NotDurable);
                // Of several threads the journal promises what each flushed of its own.
                if shape.threads == 1 || shape.flush_every == 0 {
                    assert!(named >= whole.count() as u64, "{what}: {found:?}");
                }
                let durable = found.durable.unwrap();
                assert_eq!(durable.lost, named, "{what}");
                lost += named;
                out_of_order += u64::from(durable.is_out_of_order());
            }
        }
        assert!(lost > 3 && out_of_order > 0, "{law}: {lost} {out_of_order}");
    }
}

#[test]
fn without_a_flush_nothing_is_promised() {
    let shape = Shape {
        flush_every: u32::MAX,
        ..SHAPES[0]
    };
    let found = cut(shape, "ignored", 1);
    let durable = found.durable.unwrap();
    assert_eq!((durable.promised, found.corrupt()), (0, 0));
    assert!(found.journal.unwrap().writes > 0);
}

#[test]
fn the_same_seed_gives_the_same_cut() {
    let one = cut(SHAPES[5], "ignored", 3);
    assert_eq!(one, cut(SHAPES[5], "ignored", 3));
}
