//! Laws at any death at any time: no wait without an end, no rank begins before all have agreed, no wrong sum.

use crate::world::{Death, GO, RUN, SCRIPT, TIMEOUT, World};
use job::{End, OperationSums, Sums, Tree};
use model::{LatencyHistogram, Nanos};
use std::collections::BTreeSet;

fn sums(rank: u32) -> Sums {
    let mut latency = LatencyHistogram::new();
    latency.record(Nanos(u64::from(rank) * 1000 + 1));
    let one = OperationSums {
        ios: u64::from(rank) + 1,
        bytes: 4096,
        errors: 0,
        latency,
    };
    Sums {
        ranks: 1,
        operations: [one, OperationSums::default()],
    }
}

/// Histograms with some hundred buckets, as those of a disk have.
fn many_buckets(rank: u32) -> Sums {
    let operation = |side: u64| {
        let mut latency = LatencyHistogram::new();
        (0..400u64).for_each(|at| {
            latency.record(Nanos(80_000 + at * 1_500 + side * 7 + u64::from(rank % 13)));
        });
        OperationSums {
            ios: 400,
            bytes: 400 * 4096,
            errors: 0,
            latency,
        }
    };
    Sums {
        ranks: 1,
        operations: [operation(0), operation(1)],
    }
}

fn trees(seed: u64) -> Tree {
    let size = 2 + u32::try_from(seed % 39).unwrap();
    let fan_out = [2, 3, 16, 64][usize::try_from(seed / 39 % 4).unwrap()];
    Tree { size, fan_out }
}

fn world(seed: u64) -> World {
    World::new(trees(seed), seed, Nanos::seconds(3), sums)
}

/// Every rank that lives has ended; each answer is counted once; the sums are those of the ranks that are listed.
fn check(world: &World, seed: u64) {
    for rank in 0..world.size() {
        let at = rank as usize;
        assert!(
            world.dead[at] || world.ends[at].is_some(),
            "seed {seed}: rank {rank} waits for ever"
        );
    }
    for reply in &world.replies {
        let ranks: BTreeSet<u32> = reply.items.iter().map(|item| item.rank).collect();
        assert_eq!(
            ranks.len(),
            reply.items.len(),
            "seed {seed}: an answer counts twice"
        );
        if let Some(found) = &reply.sums {
            let mut expected = Sums::default();
            ranks.iter().for_each(|&rank| expected.merge(&sums(rank)));
            assert_eq!(*found, expected, "seed {seed}: a wrong sum");
        }
    }
    for &(rank, kind, _, checked) in &world.performed {
        let began_alone = matches!(kind, GO | RUN) && checked < world.size();
        assert!(
            !began_alone,
            "seed {seed}: rank {rank} began before all had agreed"
        );
    }
    let silence = TIMEOUT.0 * 2 + 3_000_000_000;
    assert!(
        world.now < 4_000_000_000 + 8 * silence,
        "seed {seed}: it took {} ns",
        world.now
    );
}

#[test]
fn all_ranks_begin_at_one_moment_and_their_sums_are_whole() {
    for seed in 0..156 {
        let mut world = world(seed);
        world.run(None);
        check(&world, seed);
        assert_eq!(world.replies.len(), SCRIPT.len());
        assert!(
            world.ends.iter().all(|end| *end == Some(End::Finished)),
            "seed {seed}"
        );
        for reply in &world.replies {
            assert_eq!(reply.items.len(), world.size() as usize, "seed {seed}");
        }
        let truth = |rank: usize| -i64::try_from(world.skews[rank]).unwrap();
        for (rank, offset) in world.offsets.iter().enumerate() {
            let offset = offset.unwrap();
            let error = offset.offset_ns.abs_diff(truth(rank));
            assert!(
                error <= offset.uncertainty_ns,
                "seed {seed}, rank {rank}: {error} {offset:?}"
            );
        }
        let moments: Vec<i128> = world
            .performed
            .iter()
            .filter(|(_, kind, ..)| *kind == GO)
            .map(|&(rank, _, moment, _)| {
                i128::from(moment.unwrap()) - i128::from(world.skews[rank as usize])
            })
            .collect();
        let spread = moments.iter().max().unwrap() - moments.iter().min().unwrap();
        let widest = world
            .offsets
            .iter()
            .flatten()
            .map(|one| one.uncertainty_ns)
            .max()
            .unwrap();
        assert!(spread <= i128::from(2 * widest), "seed {seed}: {spread} ns");
    }
}

#[test]
fn a_death_at_any_step_leaves_no_hang_and_no_wrong_sum() {
    let mut deaths = [0u32; 3];
    for seed in 0..1000 {
        let mut whole = world(seed);
        whole.run(None);
        let mut mixed = seed.wrapping_mul(0xd1b5_4a32_d192_ed03) >> 20;
        let rank = u32::try_from(mixed % u64::from(whole.size())).unwrap();
        mixed /= 64;
        let death = Death {
            rank,
            at_event: mixed % whole.events,
            is_noticed: seed % 2 == 0,
        };
        let mut world = world(seed);
        world.run(Some(&death));
        check(&world, seed);
        deaths[match () {
            () if rank == 0 => 0,
            () if world.lost.is_empty() => 1,
            () => 2,
        }] += 1;
        if rank == 0 || world.ends[0].is_none() {
            continue;
        }
        assert!(
            world.lost.iter().all(|lost| lost.rank == rank),
            "seed {seed}: {:?}",
            world.lost
        );
        // The answers to the end are not asked for those whose parent was lost on it.
        let Some(last) = world.replies[..world.replies.len() - 1].last() else {
            continue;
        };
        for alive in (0..world.size()).filter(|alive| *alive != rank) {
            let answered = last.items.iter().any(|item| item.rank == alive);
            assert!(
                answered,
                "seed {seed}: rank {alive} lives and has no answer"
            );
        }
    }
    println!("deaths of rank 0, of ranks that were not missed any more, of others: {deaths:?}");
    assert!(deaths[2] > 500, "{deaths:?}");
}

#[test]
fn ten_thousand_ranks_agree_and_merge_within_a_second_of_simulated_time() {
    let tree = Tree {
        size: 10_000,
        fan_out: job::FAN_OUT,
    };
    let run = Nanos::seconds(3);
    let mut world = World::new(tree, 1, run, many_buckets);
    world.run(None);
    assert!(world.ends.iter().all(|end| *end == Some(End::Finished)));
    let gathered = &world.replies[SCRIPT.len() - 2];
    let sums = gathered.sums.as_ref().unwrap();
    assert_eq!((sums.ranks, sums.operations[0].ios), (10_000, 4_000_000));
    assert_eq!(sums.operations[1].latency.count(), 4_000_000);
    assert_eq!(gathered.items.len(), 10_000);
    let beside = world.now.saturating_sub(run.0);
    println!(
        "in addition to the run {:.3} s simulated; rank 0 {:.3} s of CPU; longest frame {} bytes; {} events",
        beside as f64 / 1e9,
        world.cpu_of_rank_0.as_secs_f64(),
        world.frame_max,
        world.events
    );
    // The last event is a sign of life that was no longer needed.
    assert!(beside < 2_000_000_000, "{beside} ns");
}
