//! Slots keep apart; marked data is new each time; each content is as specified.
#![allow(unsafe_code, reason = "reads what a backend would write")]

use super::*;
use crate::rehearsal::tests::{plan, planned};
use model::{QueueDepth, Ratio, SimulatedDevice, SimulatedModel, block_header};

fn written(buffers: &mut Buffers, slot: u32, offset: u64) -> Vec<u8> {
    let block = buffers.parts[0].block;
    let memory = buffers.for_write(0, slot, at(offset, block), &mut Jenkins::new(offset));
    // SAFETY: nothing is in flight in this test, and the block lies inside the mapping.
    unsafe { std::slice::from_raw_parts(memory.start.as_ptr(), block) }.to_vec()
}

fn at(offset: u64, length: usize) -> Write {
    Write {
        offset: Bytes(offset),
        length,
        issued: Nanos(7),
    }
}

fn with(change: &dyn Fn(&mut PlannedTarget)) -> Buffers {
    let mut target = planned();
    change(&mut target);
    let plan = plan(&[target]);
    let sources = Source::all(&plan).unwrap();
    Buffers::new(&plan, &crate::thread_plan::places(&plan, 0)[0], &sources, 1).unwrap()
}

fn buffers(depth: u32, write: u8) -> Buffers {
    with(&|target| {
        target.workload.queue_depth = QueueDepth(depth);
        target.workload.write = Ratio::percent(write).unwrap();
    })
}

#[test]
fn writes_are_whole_blocks_and_never_the_same_twice() {
    let mut buffers = buffers(2, 100);
    let blocks: Vec<Vec<u8>> = (0..2000)
        .map(|i| written(&mut buffers, i % 2, u64::from(i) * 4096))
        .collect();
    assert!(blocks.iter().all(|block| block_header::is_whole(block)));
    let mut unique = blocks.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), blocks.len());
}

#[test]
fn slots_and_operations_do_not_share_memory() {
    let mut buffers = buffers(4, 30);
    let mut places: Vec<usize> = (0..4)
        .map(|slot| buffers.for_read(slot).start.as_ptr() as usize)
        .collect();
    places.extend((0..4).map(|slot| {
        buffers
            .for_write(0, slot, at(0, 4096), &mut Jenkins::new(0))
            .start
            .as_ptr() as usize
    }));
    places.sort_unstable();
    assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 4096));
    assert!(places.iter().all(|place| place.is_multiple_of(4096)));
}

#[test]
fn write_data_is_incompressible() {
    let mut buffers = buffers(1, 100);
    let mut counts = [0u32; 256];
    for i in 0..64 {
        for byte in written(&mut buffers, 0, i * 4096) {
            counts[byte as usize] += 1;
        }
    }
    let total = f64::from(counts.iter().sum::<u32>());
    let entropy: f64 = counts
        .iter()
        .map(|&c| f64::from(c) / total)
        .map(|p| if p > 0.0 { -p * p.log2() } else { 0.0 })
        .sum();
    assert!(entropy > 7.98, "{entropy} bits a byte");
}

#[test]
fn each_content_is_what_it_says() {
    let content = |content: WriteContent| {
        with(&move |target| {
            target.workload.queue_depth = QueueDepth(2);
            (target.workload.write, target.content) = (Ratio::ALL, content.clone());
        })
    };
    let mut pattern = content(WriteContent::Pattern);
    assert!(
        written(&mut pattern, 1, 0)
            .iter()
            .enumerate()
            .all(|(at, &byte)| byte == at as u8)
    );
    let mut repeated = content(WriteContent::Repeated(vec![1, 2, 3]));
    for slot in [0, 1] {
        assert_eq!(written(&mut repeated, slot, 0)[..4], [1, 2, 3, 1]);
    }
    let mut zero = content(WriteContent::Zero);
    assert!(written(&mut zero, 1, 0).iter().all(|&byte| byte == 0));
    let mut fresh = content(WriteContent::Fresh);
    let first = written(&mut fresh, 0, 4096);
    assert_ne!(first, written(&mut fresh, 0, 8192));
    assert!(block_header::is_whole(&first));
    let mut drawn = vec![0; 72];
    Jenkins::new(4096).fill(&mut drawn);
    assert_eq!(first[64..72], drawn[64..]);
}

#[test]
fn e065_a_file_that_is_shorter_than_its_source_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entropy.bin");
    let data: Vec<u8> = (0..=255).rev().collect();
    std::fs::write(&path, &data).unwrap();
    let mut buffers = with(&|target| {
        (target.workload.write, target.workload.block) = (Ratio::ALL, Bytes::mib(1));
        target.content = WriteContent::Source {
            bytes: Bytes::mib(1),
            file: Some(path.clone()),
        };
    });
    assert!(
        written(&mut buffers, 0, 0)
            .chunks(256)
            .all(|piece| piece == data)
    );
    assert_eq!(buffers.pieces().len(), 2);
}

#[test]
fn e066_writes_begin_somewhere_in_the_source_at_aligned_places() {
    let mut buffers = with(&|target| {
        target.workload.write = Ratio::ALL;
        target.content = WriteContent::Source {
            bytes: Bytes::mib(20),
            file: None,
        };
    });
    let (start, bytes) = buffers.pieces()[1];
    let mut rng = Jenkins::new(0);
    let mut places: Vec<usize> = (0..500)
        .map(|_| {
            let memory = buffers.for_write(0, 0, at(0, 4096), &mut rng);
            assert_eq!(memory.area, 1);
            memory.start.as_ptr() as usize - start.as_ptr() as usize
        })
        .collect();
    assert!(
        places
            .iter()
            .all(|place| place.is_multiple_of(512) && place + 4096 <= bytes)
    );
    places.sort_unstable();
    places.dedup();
    assert!(places.len() > 450, "{} places", places.len());
}

#[test]
fn shaped_data_has_its_zeros_and_its_twins() {
    let percent = |value| Ratio::percent(value).unwrap();
    let mut buffers = with(&|target| {
        target.workload.write = percent(100);
        target.content = WriteContent::Shaped {
            compress: percent(50),
            dedupe: percent(30),
        };
    });
    let blocks: Vec<Vec<u8>> = (0..1000)
        .map(|i| written(&mut buffers, 0, i * 4096))
        .collect();
    assert!(
        blocks
            .iter()
            .all(|block| block[2048..].iter().all(|&byte| byte == 0))
    );
    assert!(
        blocks
            .iter()
            .all(|block| block[16..2048].iter().filter(|&&byte| byte == 0).count() < 100)
    );
    let mut unique = blocks.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 701, "700 of their own and the twin");
}

#[test]
fn compressible_blocks_are_whole_and_their_tags_stand_in_the_zeros() {
    for compress in [0, 50, 100] {
        let mut buffers = with(&|target| {
            target.workload.block = Bytes::kib(16);
            target.workload.write = Ratio::ALL;
            target.content = WriteContent::Shaped {
                compress: Ratio::percent(compress).unwrap(),
                dedupe: Ratio::NONE,
            };
        });
        for i in 0..200 {
            let data = written(&mut buffers, 0, i * 16384);
            for block in data.chunks(4096) {
                assert!(block_header::is_whole(block));
                let zeros = block[64..].iter().filter(|&&byte| byte == 0).count();
                let asked = 4096 * usize::from(compress) / 100;
                assert!(zeros + 64 + 56 >= asked && zeros <= asked + 100, "{zeros}");
            }
        }
    }
}

/// Offsets or sizes that are not multiples of 4096 make content without headers, which is another one each time too.
#[test]
fn small_and_odd_writes_carry_no_headers() {
    for (block, base) in [(512, 0), (6144, 0), (4096, 512)] {
        let mut buffers = with(&|target| {
            (target.workload.block, target.base) = (Bytes(block), Bytes(base));
            target.workload.write = Ratio::ALL;
        });
        let mut all: Vec<_> = (0..20_000)
            .map(|i| written(&mut buffers, 0, base + i * block))
            .inspect(|data| assert!(!data.starts_with(b"FATHOM")))
            .map(|data| data[..512].to_vec())
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 20_000);
    }
}

/// Decision 0006: huge pages would make large I/Os faster than any program's.
#[cfg(target_os = "linux")]
#[test]
fn the_system_is_asked_for_large_pages_only_when_the_plan_asks() {
    let buffers = with(&|target| target.workload.block = Bytes::mib(8));
    let start = buffers.pieces()[0].0.as_ptr() as usize;
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let holds = |line: &str| {
        let ends = line.split(' ').next().and_then(|ends| ends.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).ok();
        ends.and_then(|(from, to)| Some((number(from)?..number(to)?).contains(&start)))
    };
    let mut lines = maps.lines().skip_while(|line| holds(line) != Some(true));
    let flags = lines.find_map(|line| line.strip_prefix("VmFlags:"));
    let mut flags = flags.unwrap().split_whitespace();
    assert!(flags.all(|flag| flag != "hg" && flag != "ht"));
}

#[test]
fn a_simulated_device_without_data_is_given_no_content() {
    let device = SimulatedModel::Ssd.device();
    for (data, is_made) in [(Bytes(0), false), (Bytes::mib(1), true)] {
        let mut buffers = with(&|target| {
            target.location = Location::Simulated(Box::new(SimulatedDevice { data, ..device }));
            target.workload.write = Ratio::ALL;
        });
        let content = written(&mut buffers, 0, 4096);
        assert_eq!(content.iter().any(|byte| *byte != 0), is_made, "{data:?}");
    }
}
