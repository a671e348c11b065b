//! A mixed workload: which component gives the next I/O, where it goes, and the result of each component.
//!
//! The stream of one thread is a function of seed and thread number alone, independent of timing. One position is
//! shared by all lines: an I/O that is not random goes on behind the one before, at the next multiple of its line's
//! alignment, and from the start of the range again where it would pass the end. Omitted: waiting for a pause, which is
//! the pacer's.

use crate::address::{Step, first_place};
use crate::rng::Rng;
use crate::skewed::Skewed;
use crate::thread_plan::TargetShare;
use crate::visited::Visited;
use model::{
    Bytes, LineCount, MixedAccess, MixedLine, Nanos, Operation, PlannedTarget, RangePart, Skew,
};

/// One thread's endless list of turns on one target.
#[derive(Debug)]
pub(crate) struct Mix {
    rng: Rng,
    lines: Box<[Line]>,
    shares: u64,                     // sum of all, above 0
    skewed: Option<(Skewed, u64)>,   // by this alignment
    visited: Option<(Visited, u64)>, // in places of this length
    base: u64,
    length: u64, // at least the largest block
    next: u64,   // where the last I/O ended, from the base
    line: u16,   // whose burst it is
    left: u32,   // of its burst
    counts: Box<[LineCount]>,
}

#[derive(Debug)]
struct Line {
    ends: u64, // where its part of the shares ends
    block: u32,
    write: u64,  // percent
    random: u64, // percent
    align: u64,
    start: u64,  // of the part of the range in which its random I/Os are, aligned
    places: u64, // aligned places there at which a block may begin, above 0
    burst: u32,
    pause: Nanos,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) step: Step,
    /// Bytes.
    pub(crate) length: u32,
    pub(crate) line: u16,
    /// How long nothing is issued after it.
    pub(crate) pause: Nanos,
}

impl Mix {
    /// For one seat; `stream` keeps the random numbers of all threads and targets apart.
    pub(crate) fn new(
        target: &PlannedTarget,
        mixed: &MixedAccess,
        seed: u64,
        seat: &TargetShare,
        stream: u64,
    ) -> Self {
        let length = target.length.0;
        let mut ends = 0;
        let lines: Box<[Line]> = mixed
            .lines
            .iter()
            .map(|line| {
                ends += u64::from(line.share);
                let (start, places) = places(line, length);
                Line {
                    start,
                    ends,
                    block: u32::try_from(line.block.0).expect("at most 1 GiB"),
                    write: u64::from(line.write.as_percent()),
                    random: u64::from(line.random.as_percent()),
                    align: line.align.0,
                    places,
                    burst: line.burst,
                    pause: line.pause,
                }
            })
            .collect();
        let count = |line: usize| LineCount {
            target: seat.target,
            line: line as u32,
            ..LineCount::default()
        };
        let (_, places) = places(
            &MixedLine {
                part: RangePart::WHOLE,
                ..mixed.lines[0]
            },
            length,
        );
        let align = lines[0].align;
        Mix {
            rng: Rng::new(seed, stream),
            counts: (0..lines.len()).map(count).collect(),
            skewed: mixed.skew.map(|skew| skewed(skew, &lines, length, seed)),
            visited: mixed.once.then(|| (Visited::new(length / align), align)),
            lines,
            shares: ends,
            base: target.base.0,
            length,
            next: align * first_place(places, seed, seat.index, seat.threads),
            line: 0,
            left: 0,
        }
    }

    /// The next turn: first the line, then the place, then the operation.
    #[inline]
    pub(crate) fn next(&mut self) -> Turn {
        if self.left == 0 {
            let drawn = if self.lines.len() == 1 {
                0
            } else {
                self.rng.below(self.shares)
            };
            let line = self.lines.iter().position(|line| drawn < line.ends);
            let line = line.expect("the last share ends with the sum");
            self.line = line as u16;
            self.left = self.lines[line].burst;
        }
        self.left -= 1;
        let line = &self.lines[usize::from(self.line)];
        if let Some((visited, unit)) = &mut self.visited {
            // As fio's random map: from the next free place up to the next that was visited.
            let first = visited.next_free(self.rng.below(self.length / *unit));
            let taken = visited.take(first, u64::from(line.block).div_ceil(*unit));
            let length = u64::from(line.block).min(taken * *unit);
            let place = first * *unit;
            return self.turn(place, length as u32);
        }
        let place = if says(&mut self.rng, line.random) {
            let number = match &mut self.skewed {
                None => self.rng.below(line.places),
                Some((skewed, unit)) => {
                    (skewed.next(&mut self.rng) * *unit / line.align).min(line.places - 1)
                }
            };
            line.start + line.align * number
        } else {
            let place = self.next.next_multiple_of(line.align);
            if place + u64::from(line.block) > self.length {
                0
            } else {
                place
            }
        };
        let length = line.block;
        self.turn(place, length)
    }

    /// The turn of the line at a place.
    #[inline]
    fn turn(&mut self, place: u64, length: u32) -> Turn {
        let line = &self.lines[usize::from(self.line)];
        self.next = place + u64::from(length);
        let operation = match says(&mut self.rng, line.write) {
            true => Operation::Write,
            false => Operation::Read,
        };
        Turn {
            step: Step {
                offset: self.base + place,
                operation,
            },
            length,
            line: self.line,
            pause: if self.left == 0 { line.pause } else { Nanos(0) },
        }
    }

    /// Counts an I/O of the measured phase that completed.
    #[inline]
    pub(crate) fn count(&mut self, line: u16, operation: Operation, bytes: u64, latency: Nanos) {
        let count = &mut self.counts[usize::from(line)];
        let which = operation.index();
        count.ios[which] += 1;
        count.bytes[which] = Bytes(count.bytes[which].0 + bytes);
        count.latency_sum[which] = count.latency_sum[which].plus(latency);
        count.latency_max[which] = count.latency_max[which].max(latency);
    }

    /// The result of each component.
    pub(crate) fn counts(&self) -> &[LineCount] {
        &self.counts
    }
}

/// Places of the smallest alignment, at which the smallest block may begin.
fn skewed(skew: Skew, lines: &[Line], length: u64, seed: u64) -> (Skewed, u64) {
    let unit = lines.iter().map(|line| line.align).min().unwrap_or(1);
    (Skewed::new(skew, (length / unit).max(2), seed), unit)
}

/// Returns the first aligned place of a line's part of the range, and how many there are at which a block may begin. A part that
/// is shorter than a block has one.
fn places(line: &MixedLine, length: u64) -> (u64, u64) {
    let (block, align) = (line.block.0, line.align.0);
    let last = (length - block) / align; // of the whole range
    let (from, to) = line.part.of(length);
    let first = from.div_ceil(align).min(last);
    let end = (to.max(block) - block) / align;
    (first * align, end.clamp(first, last) - first + 1)
}

/// True so many times of a hundred; nothing is drawn where it is always or never.
#[inline]
fn says(rng: &mut Rng, percent: u64) -> bool {
    match percent {
        0 => false,
        100 => true,
        percent => rng.below(100) < percent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::planned;
    use model::{QueueDepth, Ratio, Workload};
    use proptest::prelude::*;

    fn mix(lines: Vec<MixedLine>, length: u64) -> Mix {
        let mut target = planned();
        (target.base, target.length) = (Bytes(8192), Bytes(length));
        target.workload = Workload::mixed(lines.clone(), QueueDepth(1));
        let seat = TargetShare {
            target: 0,
            index: 0,
            threads: 1,
            weight: 1,
            first_slot: 0,
            slots: 1,
        };
        Mix::new(
            &target,
            &MixedAccess {
                lines,
                skew: None,
                once: false,
            },
            0,
            &seat,
            0,
        )
    }

    fn sequential(kib: u64) -> MixedLine {
        MixedLine {
            random: Ratio::NONE,
            ..MixedLine::new(Bytes::kib(kib))
        }
    }

    /// 30% of the I/Os in the first tenth, aligned, each place of it.
    #[test]
    fn random_ios_of_a_line_stay_in_its_part_of_the_range() {
        let part = |from: u8, to: u8| RangePart {
            from: Ratio::percent(from).unwrap(),
            to: Ratio::percent(to).unwrap(),
        };
        let line = |kib: u64, share: u32, part: RangePart| MixedLine {
            share,
            part,
            ..MixedLine::new(Bytes::kib(kib))
        };
        let lines = vec![line(4, 30, part(0, 10)), line(8, 70, part(10, 100))];
        let mut mix = mix(lines, 1 << 20);
        let mut first = std::collections::BTreeMap::new();
        for _ in 0..10_000 {
            let turn = mix.next();
            let place = turn.step.offset - 8192;
            assert!(place + u64::from(turn.length) <= 1 << 20);
            assert_eq!(turn.line == 0, place < 104_857, "{turn:?}");
            if turn.line == 0 {
                *first.entry(place / 4096).or_insert(0u32) += 1;
            }
        }
        assert_eq!(first.len(), 25); // whole blocks in the first tenth
        assert!((2800..3200).contains(&first.values().sum::<u32>()));
        let tiny = places(&line(64, 1, part(0, 1)), 1 << 20);
        assert_eq!(tiny, (0, 1));
        let end = places(&line(64, 1, part(99, 100)), 1 << 20);
        assert_eq!(end, (15 << 16, 1));
    }

    /// Zipf over 4096 places: the most frequent one gets many I/Os of both sizes, wherever it is, and the larger ones are aligned.
    #[test]
    fn sizes_share_the_frequent_places() {
        let lines = vec![
            MixedLine::new(Bytes::kib(4)),
            MixedLine::new(Bytes::kib(16)),
        ];
        let mut target = planned();
        (target.base, target.length) = (Bytes(0), Bytes(16 << 20));
        target.workload = Workload::mixed(lines.clone(), QueueDepth(1));
        let seat = TargetShare {
            target: 0,
            index: 0,
            threads: 1,
            weight: 1,
            first_slot: 0,
            slots: 1,
        };
        let skew = Skew::read("zipf:1.2");
        let mut mix = Mix::new(
            &target,
            &MixedAccess {
                lines,
                skew,
                once: false,
            },
            0,
            &seat,
            0,
        );
        let mut places: [std::collections::BTreeMap<u64, u32>; 2] = Default::default();
        for _ in 0..20_000 {
            let turn = mix.next();
            assert_eq!(turn.step.offset % u64::from(turn.length), 0);
            assert!(turn.step.offset + u64::from(turn.length) <= 16 << 20);
            *places[usize::from(turn.line)]
                .entry(turn.step.offset)
                .or_default() += 1;
        }
        let most = places.map(|counts| counts.into_iter().max_by_key(|(_, count)| *count).unwrap());
        assert_eq!(most[0].0 / 16384, most[1].0 / 16384);
        assert!(most.iter().all(|(_, count)| *count > 1500), "{most:?}"); // 21% and more of 10,000
    }

    /// Sizes of 4 to 64 KiB over 16 MiB: the first pass visits each 4 KiB once, so that its I/Os are smaller than those drawn.
    #[test]
    fn with_each_place_once_ios_end_before_what_was_visited() {
        let lines: Vec<MixedLine> = (1..=16)
            .map(|number| MixedLine {
                align: Bytes::kib(4),
                write: Ratio::ALL,
                ..MixedLine::new(Bytes::kib(4 * number))
            })
            .collect();
        let mut mix = mix(lines, 16 << 20);
        mix.visited = Some((Visited::new(4096), 4096));
        for _pass in 0..2 {
            let (mut times, mut moved, mut ios) = (vec![0; 4096], 0, 0);
            while moved < 16 << 20 {
                let turn = mix.next();
                let first = (turn.step.offset - 8192) / 4096;
                for block in first..first + u64::from(turn.length) / 4096 {
                    times[block as usize] += 1;
                }
                moved += u64::from(turn.length);
                ios += 1;
            }
            assert!(times.iter().all(|times| *times == 1));
            assert!((500..800).contains(&ios), "{ios}"); // 482 of the mean size that is drawn
        }
    }

    #[test]
    fn sequential_ios_of_one_line_go_on_and_begin_again() {
        let mut mix = mix(vec![sequential(4)], 3 * 4096);
        let offsets: Vec<u64> = (0..4).map(|_| mix.next().step.offset - 8192).collect();
        assert_eq!(offsets, [0, 4096, 8192, 0]);
    }

    #[test]
    fn shares_come_out_near_what_was_asked() {
        let lines = vec![
            MixedLine {
                share: 60,
                ..MixedLine::new(Bytes::kib(4))
            },
            MixedLine {
                share: 40,
                write: Ratio::ALL,
                ..MixedLine::new(Bytes::kib(64))
            },
        ];
        let mut mix = mix(lines, 1 << 24);
        let turns: Vec<Turn> = (0..100_000).map(|_| mix.next()).collect();
        let small = turns.iter().filter(|turn| turn.length == 4096).count();
        // Five standard deviations of a binomial: sqrt(100 000 × 0.6 × 0.4) = 155.
        assert!(small.abs_diff(60_000) < 775, "{small}");
        let writes = |turn: &&Turn| turn.step.operation == Operation::Write;
        assert_eq!(turns.iter().filter(writes).count(), 100_000 - small);
    }

    #[test]
    fn a_burst_stays_with_its_line_and_ends_with_its_pause() {
        let line = MixedLine {
            burst: 3,
            pause: Nanos::millis(5),
            ..MixedLine::new(Bytes::kib(8))
        };
        let mut mix = mix(vec![MixedLine::new(Bytes::kib(4)), line], 1 << 20);
        for _ in 0..1000 {
            let turn = mix.next();
            if turn.line == 1 {
                let rest = [mix.next(), mix.next()];
                assert!(rest.iter().all(|turn| turn.line == 1));
                let pauses = [turn, rest[0], rest[1]].map(|turn| turn.pause.0);
                assert_eq!(pauses, [0, 0, 5_000_000]);
            } else {
                assert_eq!(turn.pause, Nanos(0));
            }
        }
    }

    proptest! {
        #[test]
        fn every_turn_is_aligned_and_inside_the_range(
            sizes in prop::collection::vec((1u64..64, 1u64..64, 0u8..=100, 0u8..=100, 1u32..5), 1..6),
            spare in 0u64..100,
        ) {
            let lines: Vec<MixedLine> = sizes.iter().map(|&(block, align, random, write, burst)| MixedLine {
                align: Bytes(align * 512),
                random: Ratio::percent(random).unwrap(),
                write: Ratio::percent(write).unwrap(),
                burst,
                ..MixedLine::new(Bytes(block * 512))
            }).collect();
            let largest = lines.iter().map(|line| line.block.0).max().unwrap();
            let length = largest + spare * 512;
            let mut mix = mix(lines.clone(), length);
            for _ in 0..300 {
                let turn = mix.next();
                let (line, place) = (&lines[usize::from(turn.line)], turn.step.offset - 8192);
                prop_assert_eq!(u64::from(turn.length), line.block.0);
                prop_assert!(place.is_multiple_of(line.align.0) && place + line.block.0 <= length);
            }
        }
    }
}
