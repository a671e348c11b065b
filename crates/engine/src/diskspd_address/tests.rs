//! The reference streams and offset cases of the DISKSPD specification, by id.

use super::*;
use crate::rehearsal::tests::planned;
use model::{Access, Bytes, Distribution, Ratio};
use proptest::prelude::*;

/// What a case sets: sizes in bytes.
#[derive(Clone)]
struct Case {
    size: u64,
    base: u64,
    block: u64,
    access: DiskspdAccess,
    write: u8,
    slots: u32,
}

fn case(size: u64, base: u64, align: u64, block: u64) -> Case {
    let access = DiskspdAccess {
        random: Ratio::NONE,
        align: Bytes(align),
        sequence: Sequence::PerThread,
        thread_stride: Bytes(0),
        distribution: Distribution::Uniform,
    };
    Case {
        size,
        base,
        block,
        access,
        write: 0,
        slots: 4,
    }
}

/// 4 KiB on 64 MiB, this percentage at random.
fn stream(random: u8, write: u8) -> Case {
    let mut case = case(64 << 20, 0, 4096, 4096);
    (case.access.random, case.write) = (Ratio::percent(random).unwrap(), write);
    case
}

impl Case {
    fn stride(mut self, bytes: u64) -> Self {
        self.access.thread_stride = Bytes(bytes);
        self
    }

    fn sequence(mut self, sequence: Sequence) -> Self {
        self.access.sequence = sequence;
        self
    }

    fn spread(mut self, distribution: Distribution) -> Self {
        self.access.distribution = distribution;
        self
    }

    /// The walk of a thread and its generator, with seed 0.
    fn thread(&self, index: u32, pointer: &Arc<SharedPointer>) -> (Walk, Jenkins) {
        let mut target = planned();
        (target.base, target.length) = (Bytes(self.base), Bytes(self.size - self.base));
        target.workload.block = Bytes(self.block);
        target.workload.write = Ratio::percent(self.write).unwrap();
        target.workload.access = Access::Diskspd(self.access.clone());
        let mut rng = Jenkins::new(u64::from(index));
        let stride = Stride {
            index,
            first_slot: 0,
            slots: self.slots,
        };
        let walk = Walk::new(&target, &self.access, stride, pointer, &mut rng);
        (walk, rng)
    }

    fn offsets(&self, index: u32, count: usize) -> Vec<u64> {
        let (mut walk, mut rng) = self.thread(index, &Arc::default());
        (0..count).map(|_| walk.next(&mut rng, 0).offset).collect()
    }

    /// As the specification writes streams: offset and R or W.
    fn steps(&self, count: usize) -> String {
        let (mut walk, mut rng) = self.thread(0, &Arc::default());
        let steps: Vec<String> = (0..count)
            .map(|_| {
                let step = walk.next(&mut rng, 0);
                format!(
                    "{}{}",
                    step.offset,
                    if step.operation == Operation::Read {
                        'R'
                    } else {
                        'W'
                    }
                )
            })
            .collect();
        steps.join(" ")
    }
}

#[test]
fn e001_sequential_goes_on_by_the_stride_and_wraps_to_the_base() {
    assert_eq!(
        case(3000, 1000, 500, 1000).offsets(0, 4),
        [1000, 1500, 2000, 1000]
    );
}

/// The offsets of fio 3.33 with rw=read:-8k and rw=read:-16k on 64 KiB.
#[test]
fn backwards_is_from_the_start_to_the_end_and_down() {
    let places = |stride: u64, count: usize| -> Vec<u64> {
        let case = case(64 << 10, 0, stride, 4096).sequence(Sequence::Backward);
        let offsets = case.offsets(0, count);
        offsets.iter().map(|offset| offset >> 12).collect()
    };
    let down: Vec<u64> = (0..=14).rev().collect();
    assert_eq!(places(4096, 17), [&[0], &down[..], &[14]].concat());
    assert_eq!(places(3 * 4096, 7), [0, 12, 9, 6, 3, 0, 12]);
}

#[test]
fn e002_interlocked_threads_share_one_pointer() {
    let pointer = Arc::default();
    let case = case(3000, 1000, 500, 1000).sequence(Sequence::Interlocked);
    let mut threads = [case.thread(0, &pointer), case.thread(1, &pointer)];
    let offsets = [0, 0, 1, 0, 1].map(|thread: usize| {
        let (walk, rng) = &mut threads[thread];
        walk.next(rng, 0).offset
    });
    assert_eq!(offsets, [1000, 1500, 2000, 1000, 1500]);
}

#[test]
fn threads_that_share_a_pointer_meet_at_it_once_for_several_places() {
    // Places that a thread gets in a row before it meets the others again.
    for (slots, at_once) in [(1, 1), (7, 1), (8, 2), (32, 8), (64, 16), (256, 16)] {
        let pointer = Arc::default();
        let mut case = case(1 << 20, 0, 4096, 4096).sequence(Sequence::Interlocked);
        case.slots = slots;
        let mut threads = [case.thread(0, &pointer), case.thread(1, &pointer)];
        let mut seen = Vec::new();
        for thread in [0, 1, 1, 0] {
            let (walk, rng) = &mut threads[thread];
            let places = (0..at_once).map(|_| walk.next(rng, 0).offset / 4096);
            seen.extend(places);
        }
        let expected: Vec<u64> = (0..4 * at_once).collect();
        assert_eq!(seen, expected, "{slots} slots");
        assert_eq!(pointer.0.load(Ordering::Relaxed), 4 * at_once * 4096);
    }
}

#[test]
fn e004_to_e009_threads_return_to_their_start_modulo_the_stride() {
    type Row<'a> = (&'a str, u64, u64, u64, u32, &'a [u64]);
    let rows: [Row<'_>; 3] = [
        (
            "E004",
            250,
            500,
            1000,
            0,
            &[0, 500, 1000, 1500, 2000, 0, 500],
        ),
        ("E005", 250, 500, 1000, 1, &[250, 750, 1250, 1750, 250, 750]),
        (
            "E006",
            750,
            500,
            1000,
            1,
            &[750, 1250, 1750, 250, 750, 1250],
        ),
    ];
    for (id, thread_stride, stride, block, index, expected) in rows {
        let case = case(3000, 0, stride, block).stride(thread_stride);
        assert_eq!(case.offsets(index, expected.len()), expected, "{id}");
    }
    let case = case(3000, 0, 200, 200).stride(500);
    let mut expected: Vec<u64> = (0..15).map(|n| n * 200).chain([0]).collect();
    assert_eq!(case.offsets(0, 16), expected, "E008");
    expected = (0..12)
        .map(|n| 500 + n * 200)
        .chain([100, 300, 500])
        .collect();
    assert_eq!(case.offsets(1, 15), expected, "E009");
}

#[test]
fn e010_threads_start_a_thread_stride_apart() {
    let case = case(1 << 20, 1000, 500, 500).stride(5000);
    assert_eq!(
        [0, 1, 2].map(|index| case.offsets(index, 1)[0]),
        [1000, 6000, 11_000]
    );
}

#[test]
fn e012_random_reaches_every_aligned_place_and_no_other() {
    let mut case = case(3000, 1000, 500, 1000);
    case.access.random = Ratio::ALL;
    let mut seen = case.offsets(3, 500);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [1000, 1500, 2000]);
}

#[test]
fn e013_a_target_of_one_and_a_half_blocks_has_one_place() {
    assert_eq!(
        case(100 << 10, 0, 64 << 10, 64 << 10).offsets(0, 3),
        [0, 0, 0]
    );
}

#[test]
fn e016_random_stays_below_the_end_of_the_range() {
    let mut case = case(1 << 20, 0, 4096, 4096);
    case.access.random = Ratio::ALL;
    let highest = case.offsets(0, 20_000).into_iter().max();
    assert_eq!(highest, Some(1_044_480));
}

#[test]
fn e018_slots_share_the_threads_pointer_and_with_p_have_their_own() {
    let shared = case(1 << 20, 0, 65536, 65536);
    let (mut walk, mut rng) = shared.thread(0, &Arc::default());
    let offsets = [0, 1, 0].map(|slot| walk.next(&mut rng, slot).offset);
    assert_eq!(offsets, [0, 65536, 131_072]);
    let (mut walk, mut rng) = shared
        .sequence(Sequence::PerSlot)
        .thread(0, &Arc::default());
    let offsets = [0, 1, 1, 0].map(|slot| walk.next(&mut rng, slot).offset);
    assert_eq!(offsets, [0, 0, 65536, 65536]);
}

#[test]
fn e022_random_offsets_are_diskspds() {
    let expected = [
        59_752_448, 25_374_720, 16_928_768, 21_401_600, 32_972_800, 13_721_600,
    ];
    assert_eq!(stream(100, 0).offsets(0, 6), expected);
    assert_eq!(
        stream(100, 0).offsets(1, 4),
        [17_170_432, 5_648_384, 44_224_512, 1_294_336]
    );
}

#[test]
fn e024_a_mix_draws_its_operation_after_the_offset() {
    assert_eq!(
        stream(100, 30).steps(8),
        "25374720R 21401600W 13721600R 39227392R 49598464R 12570624W 11141120R 65429504W"
    );
}

#[test]
fn e025_sequential_runs_keep_their_operation() {
    assert_eq!(
        stream(50, 30).steps(10),
        "59752448R 32972800R 39227392R 17457152R 11141120R 11145216R 66351104R 55742464R 43388928W 43393024W"
    );
}

#[test]
fn e026_a_distribution_draws_its_range_after_the_place() {
    let case = stream(100, 0).spread(Distribution::Percent(vec![(90, 10), (10, 90)]));
    let expected = [
        1_458_176, 3_461_120, 32_391_168, 2_060_288, 2_310_144, 516_096,
    ];
    assert_eq!(case.offsets(0, 6), expected);
}

#[test]
fn runs_of_a_mixed_walk_are_geometric() {
    let (mut walk, mut rng) = stream(20, 0).thread(0, &Arc::default());
    let offsets: Vec<u64> = (0..50_000).map(|_| walk.next(&mut rng, 0).offset).collect();
    let goes_on = offsets
        .windows(2)
        .filter(|pair| pair[1] == pair[0] + 4096)
        .count();
    // 80% of the steps go on; five standard deviations of a binomial: sqrt(50 000 × 0.8 × 0.2) = 89.
    assert!(goes_on.abs_diff(40_000) < 450, "{goes_on}");
}

proptest! {
    #[test]
    fn no_block_passes_the_end_and_every_place_is_aligned(
        (blocks, tail, sectors) in (1u64..60, 0u64..512, 1u64..9),
        (random, write) in (0u8..=100, 0u8..=100),
        parts in prop::collection::vec((1u8..30, 0u64..40), 1..4),
        shape in 0u8..5,
        index in 0u32..3,
    ) {
        let (block, align) = (sectors * 512, 512);
        let mut case = case(blocks * block + tail + 4096, 4096, align, block);
        (case.access.random, case.write) = (Ratio::percent(random).unwrap(), write);
        let absolute: Vec<(u8, u64)> = parts.iter().map(|&(io, n)| (io, block + n * 512)).collect();
        match shape {
            0 => case.access.random = Ratio::NONE,
            1 => (case.access.random, case.access.sequence) = (Ratio::NONE, Sequence::Interlocked),
            2 => (case.access.random, case.access.sequence) = (Ratio::NONE, Sequence::PerSlot),
            3 => case = case.spread(Distribution::Absolute(absolute)),
            _ => case = case.spread(Distribution::Percent(vec![(50, 3), (0, 60), (50, 37)])),
        }
        let (mut walk, mut rng) = case.thread(index, &Arc::default());
        for at in 0..300 {
            let offset = walk.next(&mut rng, at % 4).offset;
            prop_assert!(offset >= 4096 && offset + block <= case.size, "{offset}");
            prop_assert!((offset - 4096).is_multiple_of(align));
        }
    }
}
