//! Copies between files that the tests make; dd itself is asked in the tests of the program.

use super::*;
use std::fs;
use std::path::Path;

fn end(path: &Path, block: u64) -> CopyEnd {
    CopyEnd {
        path: path.to_owned(),
        block: Bytes(block),
        ..CopyEnd::default()
    }
}

fn job(folder: &Path, input_block: u64, output_block: u64) -> CopyJob {
    CopyJob {
        input: end(&folder.join("in"), input_block),
        output: end(&folder.join("out"), output_block),
        reads: CopyReads {
            joins: input_block != output_block,
            ..CopyReads::default()
        },
        ..CopyJob::default()
    }
}

fn made(bytes: usize) -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let content: Vec<u8> = (0..bytes).map(|n| (n % 251) as u8).collect();
    fs::write(folder.path().join("in"), &content).unwrap();
    (folder, content)
}

fn run(job: &CopyJob) -> (Copied, FilesOutcome) {
    copy(job, &Root::live(), &Stop::new(), &mut |_, _| {}).unwrap()
}

#[test]
fn what_comes_out_is_what_went_in_and_records_are_counted_as_dd_counts() {
    for (input, output, records_in, records_out) in [
        (512, 512, (19, 1), (19, 1)),
        (1000, 1000, (10, 0), (10, 0)),
        (4096, 512, (2, 1), (19, 1)),
        (512, 4096, (19, 1), (2, 1)),
        (20_000, 20_000, (0, 1), (0, 1)),
    ] {
        let (folder, content) = made(10_000);
        let (copied, outcome) = run(&job(folder.path(), input, output));
        assert_eq!(outcome, FilesOutcome::Complete);
        assert_eq!(
            (copied.records_in, copied.records_out),
            (records_in, records_out)
        );
        assert_eq!(copied.bytes, Bytes(10_000));
        assert_eq!(fs::read(folder.path().join("out")).unwrap(), content);
        assert_eq!(copied.read.operations(), records_in.0 + records_in.1);
        assert_eq!(copied.write.bytes(), Bytes(10_000));
        assert!(copied.elapsed >= copied.read.elapsed);
    }
}

#[test]
fn places_lengths_and_padding_are_those_of_dd() {
    let (folder, content) = made(1000);
    let out = folder.path().join("out");
    let mut part = job(folder.path(), 100, 100);
    (part.input.offset, part.output.offset) = (Bytes(200), Bytes(50));
    part.count = Some(3);
    run(&part);
    let mut wanted = vec![0; 50];
    wanted.extend(&content[200..500]);
    assert_eq!(fs::read(&out).unwrap(), wanted);

    let mut over = job(folder.path(), 300, 300);
    (over.keeps_length, over.reads.pads) = (true, true);
    (over.count, over.count_bytes) = (None, Some(Bytes(10)));
    let (copied, _) = run(&over);
    assert_eq!(copied.bytes, Bytes(300), "filled up");
    let mut wanted: Vec<u8> = content[..10].to_vec();
    wanted.extend(vec![0; 290]);
    let now = fs::read(&out).unwrap();
    assert_eq!((now.len(), &now[..300]), (350, &wanted[..]));
}

#[test]
fn what_was_not_checked_is_left_alone() {
    let (folder, _) = made(10);
    let out = folder.path().join("out");
    let late = job(folder.path(), 10, 10);
    late.pins.pin(&out).unwrap(); // nothing is there when it is checked
    fs::write(&out, b"letters").unwrap();
    let copy_it = |job: &CopyJob| copy(job, &Root::live(), &Stop::new(), &mut |_, _| {});
    assert!(matches!(copy_it(&late), Err(CopyError::Output { .. })));
    assert_eq!(fs::read(&out).unwrap(), b"letters");
    let swapped = job(folder.path(), 10, 10);
    swapped.pins.pin(&out).unwrap();
    fs::rename(&out, folder.path().join("checked")).unwrap();
    fs::write(&out, b"others").unwrap();
    match copy_it(&swapped) {
        Ok(_) => {}
        // Wine reopens by the former name, and refuses what it finds there.
        Err(CopyError::Changed { .. }) if cfg!(windows) => {}
        Err(error) => panic!("{error}"),
    }
    assert_eq!(fs::read(&out).unwrap(), b"others");
    let locked = job(folder.path(), 10, 10);
    let other = Pins::default();
    assert!(other.lock(&other.pin(&out).unwrap(), false));
    assert!(matches!(copy_it(&locked), Err(CopyError::Locked { .. })));
    assert_eq!(fs::read(&out).unwrap(), b"others");
}

#[cfg(target_os = "linux")]
#[test]
fn a_word_to_stop_ends_it_with_what_was_copied() {
    let (folder, _) = made(10);
    let stop = Stop::new();
    stop.ask();
    let endless = CopyJob {
        input: end(Path::new("/dev/zero"), 4096),
        ..job(folder.path(), 4096, 4096)
    };
    let (copied, outcome) = copy(&endless, &Root::live(), &stop, &mut |_, _| {}).unwrap();
    assert_eq!(
        (copied.bytes, outcome),
        (Bytes(0), FilesOutcome::Interrupted)
    );
    assert!(copied.write.unmeasured.is_some());
}

fn moved(job: CopyJob, work: model::record::copied::CopyTransfers) -> (Copied, FilesOutcome) {
    let transfers = Some(work);
    run(&CopyJob { transfers, ..job })
}

#[test]
fn threads_take_transfers_in_order_and_copy_every_byte_once() {
    for (bytes, block, threads) in [
        (10_000, 512, 4),
        (0, 512, 3),
        (512, 512, 8),
        (70_001, 4096, 2),
    ] {
        let (folder, content) = made(bytes);
        let work = model::record::copied::CopyTransfers {
            threads,
            ..Default::default()
        };
        let (copied, outcome) = moved(job(folder.path(), block, block), work);
        assert_eq!(outcome, FilesOutcome::Complete);
        assert_eq!(fs::read(folder.path().join("out")).unwrap(), content);
        let whole = bytes as u64 / block;
        let rest = u64::from(!(bytes as u64).is_multiple_of(block));
        assert_eq!(
            (copied.records_in, copied.records_out),
            ((whole, rest), (whole, rest))
        );
        assert_eq!(
            (copied.bytes, copied.read.bytes()),
            (Bytes(bytes as u64), Bytes(bytes as u64))
        );
        assert_eq!(copied.read.threads.len() as u32, threads);
        assert!(copied.read.elapsed <= copied.elapsed && copied.write.elapsed <= copied.elapsed);
    }
}

#[test]
fn random_transfers_stay_in_their_range_and_follow_from_the_seed() {
    let (folder, _) = made(1 << 16);
    let random = |seed, ends| model::record::copied::CopyTransfers {
        threads: 1,
        no_input: true,
        random: Some(model::record::copied::CopyRandom {
            start: Bytes(1000),
            length: Bytes(64 * 512),
            ends,
            seed,
        }),
        ..Default::default()
    };
    let written = |seed, ends| {
        let mut part = job(folder.path(), 512, 512);
        (part.count, part.output.offset) = (Some(40), Bytes(512));
        let (copied, _) = moved(part, random(seed, ends));
        assert_eq!(
            (copied.bytes, copied.records_out),
            (Bytes(40 * 512), (40, 0))
        );
        assert!(copied.read.unmeasured.is_some() && copied.write.unmeasured.is_none());
        assert_eq!(copied.write.order, FilesOrder::Random);
        fs::metadata(folder.path().join("out")).unwrap().len()
    };
    let ends = written(1, None);
    assert_eq!(ends, written(1, None));
    // 512 before it, the start rounded up to 1024, 64 blocks.
    assert!(ends > 512 + 1024 && ends <= 512 + 1024 + 64 * 512);
    assert_eq!(written(1, Some(Bytes(512))), 512 + 1024 + 64 * 512);
}

#[cfg(target_os = "linux")]
#[test]
fn a_time_limit_a_stop_and_an_error_end_all_threads() {
    let (folder, _) = made(10);
    let endless = CopyJob {
        input: end(Path::new("/dev/zero"), 4096),
        output: end(Path::new("/dev/full"), 4096),
        ..CopyJob::default()
    };
    let work = |limit| model::record::copied::CopyTransfers {
        threads: 4,
        time_limit: Some(Nanos(limit)),
        no_output: limit > 0,
        ..Default::default()
    };
    let (copied, outcome) = moved(endless.clone(), work(1_000_000));
    assert_eq!(outcome, FilesOutcome::Complete);
    assert!(copied.write.unmeasured.is_some());
    let (_, outcome) = moved(endless.clone(), work(0));
    assert_eq!(outcome, FilesOutcome::Complete, "no transfer begins");
    let full = model::record::copied::CopyTransfers {
        threads: 4,
        ..Default::default()
    };
    let (copied, outcome) = moved(endless, full);
    assert!(matches!(outcome, FilesOutcome::Failed(_)) && copied.bytes == Bytes(0));
    let stop = Stop::new();
    stop.ask();
    let endless = model::record::copied::CopyTransfers {
        threads: 2,
        ..Default::default()
    };
    let stopped = CopyJob {
        transfers: Some(endless),
        ..job(folder.path(), 4096, 4096)
    };
    let (copied, outcome) = copy(&stopped, &Root::live(), &stop, &mut |_, _| {}).unwrap();
    assert_eq!(
        (copied.bytes, outcome),
        (Bytes(0), FilesOutcome::Interrupted)
    );
}
