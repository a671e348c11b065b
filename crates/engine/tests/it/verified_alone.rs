//! A file is read and checked without a run: whole blocks by run, zeros, foreign data, and damage with its place.

use crate::file_at::FileAt;
use engine::{Silent, Stop, VerifyJob, verify_target};
use gate::Pins;
use host::Root;
use model::block_header::{self, BLOCK, BLOCK_BYTES, BlockHeader};
use model::verified::{Stretch, VerifyWork};
use model::*;
use std::fs::File;
use std::path::PathBuf;
use tempfile::TempDir;

const BLOCKS: u64 = 1024;
const RUN: u64 = 0xF00D;

/// A file of one run, whose first block has this place.
fn written(first_place: u64) -> (TempDir, PathBuf, File) {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("f.dat");
    let file = File::options()
        .create_new(true)
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    write(&file, 0, BLOCKS, RUN, first_place);
    (folder, path, file)
}

fn write(file: &File, at: u64, blocks: u64, run: u64, place: u64) {
    let mut data = vec![0xA5; (blocks * BLOCK.0) as usize];
    let header = BlockHeader {
        run,
        block: place,
        generation: 3,
        serial: 1 << 48 | place,
        ..BlockHeader::default()
    };
    block_header::write_blocks(&mut data, &header);
    file.write_all_at(&data, at * BLOCK.0).unwrap();
}

fn verify(path: &std::path::Path, file: &File, from: u64) -> (VerifyWork, FilesStep) {
    file.sync_all().unwrap();
    let job = VerifyJob {
        path: path.to_owned(),
        pins: Pins::default(),
        device: None,
        from: Bytes(from),
        to: Bytes(file.metadata().unwrap().len()),
        evidence: false,
        promised: None,
    };
    let (work, step, outcome) = verify_target(&job, &Root::live(), &Silent, &Stop::new()).unwrap();
    assert_eq!(outcome, FilesOutcome::Complete);
    assert_eq!(work.done.0, job.to.0 - job.from.0);
    (work, step)
}

fn kinds(work: &VerifyWork) -> Vec<(CorruptKind, u64)> {
    let kinds = work.kinds.iter();
    kinds.map(|one| (one.kind, one.blocks)).collect()
}

#[test]
fn whole_blocks_are_counted_by_run_and_zeros_and_foreign_data_accuse_nobody() {
    let (_folder, path, file) = written(0);
    write(&file, 10, 4, 99, 10);
    file.write_all_at(&[0; 3 * BLOCK_BYTES], 20 * BLOCK.0)
        .unwrap();
    file.write_all_at(&[0x33; 2 * BLOCK_BYTES], 300 * BLOCK.0)
        .unwrap();
    file.write_all_at(&[0x33; 100], BLOCKS * BLOCK.0).unwrap();
    let (work, step) = verify(&path, &file, 0);
    assert_eq!(kinds(&work), []);
    assert_eq!(
        (work.blocks.whole, work.blocks.zeros, work.blocks.foreign),
        (BLOCKS - 5, 3, 3)
    );
    let runs: Vec<(u64, u64)> = work.runs.iter().map(|r| (r.header_run, r.blocks)).collect();
    assert_eq!(runs, [(RUN, BLOCKS - 9), (99, 4)]);
    assert_eq!(work.blocks_of(99), 4);
    let run = work.runs[1];
    assert_eq!((run.first, run.last), (Bytes(10 * 4096), Bytes(13 * 4096)));
    assert_eq!((run.version_max, run.displaced), (3, 0));
    let places: Vec<(u64, u64)> = work
        .stretches
        .iter()
        .map(|one| (one.from.0 / BLOCK.0, one.to.0 / BLOCK.0))
        .collect();
    assert_eq!(places, [(300, 302), (BLOCKS, BLOCKS + 1)]);
    assert_eq!(step.operations(), 5, "1 MiB each, and the odd end");
    assert_eq!(step.latency().count(), 5);
    let (half, _) = verify(&path, &file, 512 * BLOCK.0);
    assert_eq!((half.blocks.whole, half.blocks.foreign), (512, 1));
}

#[test]
fn each_damage_is_named_with_its_place_although_nothing_is_known_of_the_run() {
    let (_folder, path, file) = written(0);
    let block = |at: u64| {
        let mut block = [0; BLOCK_BYTES];
        file.read_exact_at(&mut block, at * BLOCK.0).unwrap();
        block
    };
    let put = |at: u64, data: &[u8]| file.write_all_at(data, at * BLOCK.0).unwrap();
    let mut rot = block(5);
    rot[1234] ^= 1;
    put(5, &rot);
    let mut headless = block(6);
    headless[20] ^= 1;
    put(6, &headless);
    let mut torn = block(7);
    let mut other = vec![0x5A; BLOCK_BYTES];
    let header = BlockHeader {
        run: RUN,
        block: 7,
        serial: 77,
        ..BlockHeader::default()
    };
    block_header::write_blocks(&mut other, &header);
    torn[2560..].copy_from_slice(&other[2560..]);
    put(7, &torn);
    let late = block(8);
    put(8, &[&[0; 512][..], &late[..3584]].concat());
    put(9, &block(700)); // and 700 has it, too
    let (work, _) = verify(&path, &file, 0);
    assert_eq!(
        kinds(&work),
        [
            (CorruptKind::Torn, 1),
            (CorruptKind::Duplicated, 1),
            (CorruptKind::BitRot, 2),
            (CorruptKind::Shifted, 1)
        ]
    );
    assert_eq!(work.corrupt(), 5);
    let places: Vec<u64> = work
        .cases
        .iter()
        .map(|one| one.offset.0 / BLOCK.0)
        .collect();
    assert_eq!(places, [5, 6, 7, 8, 9]);
    assert!(work.cases.iter().all(|case| case.readings.len() == 2));
    assert!(work.cases.iter().all(|case| !case.readings.contains(&None)));
    let of_all: Vec<Stretch> = work.stretches;
    let one = Stretch {
        from: Bytes(5 * BLOCK.0),
        to: Bytes(10 * BLOCK.0),
        corrupt: true,
    };
    assert_eq!((of_all, work.stretch_count), (vec![one], 1));
}

#[test]
fn a_copy_at_another_place_is_no_damage_and_one_block_at_another_place_is() {
    let (_folder, path, file) = written(256);
    let (work, _) = verify(&path, &file, 0);
    assert_eq!(kinds(&work), []);
    assert_eq!((work.blocks.displaced, work.blocks.whole), (BLOCKS, 0));
    assert_eq!((work.runs[0].blocks, work.runs[0].displaced), (0, BLOCKS));
    let by = -(256 * BLOCK.0.cast_signed());
    assert_eq!(work.runs[0].displaced_by, Some(by));

    // Every second stripe of 16 blocks is elsewhere, as on a member of an array.
    let (_folder, path, file) = written(0);
    for stripe in (1..64).step_by(2) {
        write(&file, stripe * 16, 16, RUN, stripe * 32);
    }
    let (work, _) = verify(&path, &file, 0);
    assert_eq!(kinds(&work), []);
    assert_eq!((work.blocks.displaced, work.blocks.whole), (512, 512));
    assert_eq!(work.runs[0].displaced_by, None);

    let (_folder, path, file) = written(0);
    write(&file, 5, 1, RUN, 2000);
    let (work, _) = verify(&path, &file, 0);
    assert_eq!(kinds(&work), [(CorruptKind::Misdirected, 1)]);
    assert_eq!(work.blocks.displaced, 0);
    assert_eq!(work.cases[0].found.unwrap().place, Bytes(2000 * BLOCK.0));
    assert_eq!(work.stretch_count, 1);
}

#[test]
fn more_damage_than_is_described_is_counted() {
    let (_folder, path, file) = written(0);
    for at in (0..BLOCKS).step_by(2) {
        file.write_all_at(&[0xFF; 8], at * BLOCK.0 + 1000).unwrap();
    }
    let (work, _) = verify(&path, &file, 0);
    assert_eq!(kinds(&work), [(CorruptKind::BitRot, BLOCKS / 2)]);
    assert_eq!((work.cases.len(), work.stretches.len()), (64, 64));
    assert_eq!(work.stretch_count, BLOCKS / 2);
    let last = work.cases.last().unwrap();
    assert_eq!(
        last.offset,
        Bytes(126 * BLOCK.0),
        "the first places are kept"
    );
    let bytes = work.cases.iter().filter(|case| case.bytes.is_some());
    assert_eq!(bytes.count(), 16);
}

#[test]
fn an_interrupted_pass_has_what_it_read() {
    let (_folder, path, file) = written(0);
    file.sync_all().unwrap();
    let stop = Stop::new();
    stop.ask();
    let job = VerifyJob {
        path,
        pins: Pins::default(),
        device: None,
        from: Bytes(0),
        to: Bytes(BLOCKS * BLOCK.0),
        evidence: false,
        promised: None,
    };
    let (work, _, outcome) = verify_target(&job, &Root::live(), &Silent, &stop).unwrap();
    assert_eq!(outcome, FilesOutcome::Interrupted);
    assert_eq!((work.done, work.blocks.whole), (Bytes(0), 0));
}
