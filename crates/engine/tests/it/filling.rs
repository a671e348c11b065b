//! Files are filled with real data, on the device, in every block; and removed again when that fails.

use crate::file_at::{FileAt, allocated};
use crate::jobs;
use engine::{Event, Observer, Silent, Stop, prepare, prove_ours};
use gate::Pins;
use model::*;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What was found to stand in the way of writing, if anything.
fn proven(path: &Path) -> Result<(), String> {
    prove_ours(path, &Pins::default(), &Silent, &Stop::new()).map_err(|error| error.to_string())
}

#[test]
fn only_what_is_ours_to_the_last_block_is_ours() {
    let folder = folder();
    let path = folder.path().join("ours.dat");
    fill(
        &path,
        Content::Unknown,
        Bytes::mib(8),
        &Silent,
        &Stop::new(),
    )
    .unwrap();
    assert_eq!(proven(&path), Ok(()));
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0; 4096], 4 << 20).unwrap();
    assert_eq!(proven(&path), Ok(()), "zeros contain no data");
    file.write_all_at(b"a person's words", (5 << 20) + 4096)
        .unwrap();
    let reported = proven(&path).unwrap_err();
    assert!(
        reported.contains("offset 5246976") && reported.contains("did not write"),
        "{reported}"
    );
    file.set_len(5 << 20).unwrap();
    assert_eq!(proven(&path), Ok(()));
    file.set_len((5 << 20) + 100).unwrap();
    assert_eq!(
        proven(&path),
        Ok(()),
        "zeros at the end contain no data either"
    );
    file.write_all_at(b"x", (5 << 20) + 99).unwrap();
    assert!(
        proven(&path).is_err(),
        "the last piece is shorter than a block"
    );
    file.set_len(5 << 20).unwrap();
    file.write_all_at(&[0; 4096], 0).unwrap();
    assert!(proven(&path).is_err(), "zeros at its start are user data");
}

/// D4: of each 4096 bytes only 8 were looked at.
#[test]
fn d4_one_foreign_byte_is_enough() {
    let folder = folder();
    let path = folder.path().join("ours.dat");
    let size = Bytes::mib(2);
    fill(&path, Content::Unknown, size, &Silent, &Stop::new()).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    let own = std::fs::read(&path).unwrap();
    let text = [b't'; 3584];
    for (at, bytes, block) in [
        (9, &b"x"[..], 0),
        (4096 * 7 + 9, b"x", 4096 * 7),
        (81 * 512, &text, 40960),
        (4096 * 300 + 4095, b"\n", 4096 * 300),
    ] {
        file.write_all_at(bytes, at as u64).unwrap();
        let reported = proven(&path).unwrap_err();
        assert!(reported.contains(&format!("offset {block} ")), "{reported}");
        file.write_all_at(&own[at..at + bytes.len()], at as u64)
            .unwrap();
        assert_eq!(proven(&path), Ok(()));
    }
}

/// D5: a picture with a gradient of 256 pixels counted as fathom's.
#[test]
fn d5_counting_bytes_are_somebodys() {
    let folder = folder();
    let path = folder.path().join("gradient.raw");
    let gradient: Vec<u8> = (0..4usize << 20).map(|at| at as u8).collect();
    std::fs::write(&path, &gradient).unwrap();
    assert!(proven(&path).unwrap_err().contains("offset 0 "));
    std::fs::remove_file(&path).unwrap();
    fill(
        &path,
        Content::Unknown,
        Bytes::mib(4),
        &Silent,
        &Stop::new(),
    )
    .unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&gradient[..1 << 20], 2 << 20).unwrap();
    assert!(proven(&path).unwrap_err().contains("offset 2097152 "));
}

#[test]
fn old_marks_and_torn_writes_are_refused_by_their_names() {
    let folder = folder();
    let path = folder.path().join("f");
    let mut old = vec![0xA7; 1 << 20];
    for block in old.chunks_mut(4096) {
        block[..8].copy_from_slice(b"FATHOM\x01\n");
    }
    std::fs::write(&path, &old).unwrap();
    let reported = proven(&path).unwrap_err();
    assert!(
        reported.contains("older fathom") && reported.contains("hint: delete it, or --overwrite")
    );
    let header = |serial| block_header::BlockHeader {
        serial,
        run: 5,
        ..Default::default()
    };
    let (mut before, mut after) = (old.clone(), old);
    block_header::write_blocks(&mut before, &header(1));
    block_header::write_blocks(&mut after, &header(1 << 48));
    before[8192..8192 + 1536].copy_from_slice(&after[8192..8192 + 1536]);
    std::fs::write(&path, &before).unwrap();
    let reported = proven(&path).unwrap_err();
    assert!(
        reported.contains("offset 8192 ") && reported.contains("torn write of fathom"),
        "{reported}"
    );
}

#[test]
fn a_stop_removes_no_file_that_came_in_under_the_name() {
    struct Swap<'a>(&'a Path, &'a Stop);
    impl Observer for Swap<'_> {
        fn on(&self, event: Event<'_>) {
            if let Event::Filling { .. } = event
                && !self.1.asked()
            {
                std::fs::rename(self.0, self.0.with_extension("away")).unwrap();
                std::fs::write(self.0, "my only copy").unwrap();
                self.1.ask();
            }
        }
    }
    let folder = folder();
    let path = folder.path().join("mine.dat");
    let stop = Stop::new();
    let reported = fill(
        &path,
        Content::Unknown,
        Bytes::mib(64),
        &Swap(&path, &stop),
        &stop,
    )
    .unwrap_err();
    assert!(reported.contains("stays"), "{reported}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "my only copy");
}

fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn fill(
    path: &Path,
    content: Content,
    size: Bytes,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<u64, String> {
    let there = Bytes(std::fs::metadata(path).map_or(0, |meta| meta.len()));
    let mut job = jobs::file(path, there, content, EngineChoice::Sync, &|span| {
        span.targets[0].create = Some(size);
    });
    let filled = prepare(&mut job.plan, &job.targets, &job.pins, observer, stop)
        .map_err(|error| error.to_string())?;
    Ok(filled.iter().map(|file| file.bytes.0).sum())
}

#[test]
fn a_sparse_file_has_its_first_block_and_an_earlier_one_is_emptied_when_it_is_proven() {
    let folder = folder();
    let path = folder.path().join("sparse.dat");
    let size = Bytes::mib(64);
    let sparse = |content| {
        let there = Bytes(std::fs::metadata(&path).map_or(0, |meta| meta.len()));
        let mut job = jobs::file(&path, there, content, EngineChoice::Sync, &|span| {
            span.targets[0].create = Some(size);
            span.targets[0].allocation = Allocation::Emptied;
            span.targets[0].workload.write = Ratio::ALL;
        });
        prepare(
            &mut job.plan,
            &job.targets,
            &job.pins,
            &Silent,
            &Stop::new(),
        )
        .map(|filled| filled[0].bytes)
        .map_err(|error| error.to_string())
    };
    assert_eq!(sparse(Content::Unknown), Ok(Bytes(4096)));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), size.0);
    assert!(allocated(&path).is_none_or(|bytes| bytes < 1 << 20));
    assert!(block_header::is_whole(
        &std::fs::read(&path).unwrap()[..4096]
    ));
    fill(&path, Content::Fathom, size, &Silent, &Stop::new()).unwrap();
    assert_eq!(sparse(Content::Fathom), Ok(Bytes(4096)));
    assert!(allocated(&path).is_none_or(|bytes| bytes < 1 << 20));
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(b"a user's words", 5 << 20).unwrap();
    let reported = sparse(Content::FathomPartial).unwrap_err();
    assert!(reported.contains("did not write"), "{reported}");
    assert_eq!(
        std::fs::metadata(&path).unwrap().len(),
        size.0,
        "it is not emptied"
    );
}

#[test]
fn every_block_is_marked_and_no_extent_is_unwritten() {
    let folder = folder();
    let path = folder.path().join("new.dat");
    let size = Bytes((8 << 20) + 4096);
    assert_eq!(
        fill(&path, Content::Unknown, size, &Silent, &Stop::new()),
        Ok(size.0)
    );
    let data = std::fs::read(&path).unwrap();
    assert_eq!(data.len() as u64, size.0);
    assert!(data.chunks(4096).all(block_header::is_whole));
    let mut blocks: Vec<&[u8]> = data.chunks(4096).collect();
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(
        blocks.len() as u64,
        size.0 / 4096,
        "no two blocks are equal"
    );
    match Command::new("filefrag").arg("-v").arg(&path).output() {
        Ok(reported) => assert!(!String::from_utf8_lossy(&reported.stdout).contains("unwritten")),
        Err(why) => println!("skipped: filefrag does not run here: {why}"),
    }
}

/// Of a file that is not filled only the first block is written, and it is fathom's own.
#[test]
fn a_file_that_is_not_filled_has_the_size_and_the_space_that_were_asked() {
    let folder = folder();
    let size = Bytes::mib(8);
    for (allocation, length, has_space) in [
        (Allocation::Reserved, size.0, true),
        (Allocation::ReservedBehindEnd, 4096, true),
        (Allocation::Sparse, size.0, false),
        (Allocation::Growing, 4096, false),
    ] {
        if cfg!(windows) && allocation == Allocation::ReservedBehindEnd {
            println!("skipped: Windows keeps no space behind the end of a file");
            continue;
        }
        let path = folder.path().join(format!("{allocation:?}.dat"));
        let unknown = Content::Unknown;
        let mut job = jobs::file(&path, Bytes(0), unknown, EngineChoice::Sync, &|span| {
            let target = &mut span.targets[0];
            (target.create, target.allocation) = (Some(size), allocation);
            target.workload.write = Ratio::ALL;
        });
        let stop = Stop::new();
        let filled = prepare(&mut job.plan, &job.targets, &job.pins, &Silent, &stop).unwrap();
        assert_eq!(filled[0].bytes, Bytes(4096));
        let there = std::fs::metadata(&path).unwrap();
        assert_eq!(there.len(), length, "{allocation:?}");
        let reserved = allocated(&path).map(|bytes| bytes >= size.0);
        assert!(
            reserved.is_none_or(|reserved| reserved == has_space),
            "{allocation:?}"
        );
        assert_eq!(proven(&path), Ok(()));
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.write_all_at(b"x", length - 1).unwrap();
        assert!(proven(&path).is_err(), "{allocation:?}");
    }
}

/// A stop while a large file is emptied leaves a file that fathom recognizes.
#[test]
fn a_file_that_is_not_filled_has_its_first_block_even_if_the_run_is_stopped() {
    struct Stopping<'a>(&'a Stop);
    impl Observer for Stopping<'_> {
        fn on(&self, event: Event<'_>) {
            if let Event::Filling { .. } = event {
                self.0.ask();
            }
        }
    }
    let folder = folder();
    let path = folder.path().join("own.dat");
    let size = Bytes::mib(8);
    fill(&path, Content::Unknown, size, &Silent, &Stop::new()).unwrap();
    let mut job = jobs::file(&path, size, Content::Fathom, EngineChoice::Sync, &|span| {
        let target = &mut span.targets[0];
        (target.create, target.allocation) = (Some(size), Allocation::Emptied);
        target.workload.write = Ratio::ALL;
    });
    let stop = Stop::new();
    let stopping = Stopping(&stop);
    let done = prepare(&mut job.plan, &job.targets, &job.pins, &stopping, &stop);
    assert!(done.is_err());
    let first = &std::fs::read(&path).unwrap()[..4096];
    assert!(block_header::is_whole(first));
}

#[test]
fn a_fathom_file_that_is_too_short_is_only_completed() {
    let folder = folder();
    let path = folder.path().join("grown.dat");
    fill(
        &path,
        Content::Unknown,
        Bytes::mib(4),
        &Silent,
        &Stop::new(),
    )
    .unwrap();
    let before = std::fs::read(&path).unwrap();
    let written = fill(&path, Content::Fathom, Bytes::mib(6), &Silent, &Stop::new());
    assert_eq!(written, Ok(2 << 20));
    let after = std::fs::read(&path).unwrap();
    assert_eq!(&after[..before.len()], &before);
    assert!(after.chunks(4096).all(block_header::is_whole) && after.len() == 6 << 20);
}

#[test]
fn a_filling_that_was_cut_short_is_done_again() {
    let folder = folder();
    let path = folder.path().join("partial.dat");
    let mut data = vec![0; 3 << 20];
    block_header::write_blocks(&mut data[..4096], &Default::default());
    std::fs::write(&path, data).unwrap();
    assert_eq!(
        fill(
            &path,
            Content::FathomPartial,
            Bytes::mib(2),
            &Silent,
            &Stop::new()
        ),
        Ok(2 << 20)
    );
    let data = std::fs::read(&path).unwrap();
    assert!(data.len() == 2 << 20 && data.chunks(4096).all(block_header::is_whole));
}

#[test]
fn a_stop_removes_what_was_made_and_keeps_what_was_there() {
    let folder = folder();
    let stop = Stop::new();
    stop.ask();
    let new = folder.path().join("new.dat");
    let reported = fill(&new, Content::Unknown, Bytes::mib(4), &Silent, &stop).unwrap_err();
    assert!(
        reported.contains("the unfinished file was removed"),
        "{reported}"
    );
    assert!(!new.exists());
    let old = folder.path().join("old.dat");
    std::fs::write(&old, vec![0; 4096]).unwrap();
    fill(&old, Content::FathomPartial, Bytes::mib(4), &Silent, &stop).unwrap_err();
    assert!(old.exists());
}

#[test]
fn a_name_that_was_taken_meanwhile_is_left_alone() {
    let folder = folder();
    let path = folder.path().join("taken.dat");
    let mut job = jobs::file(
        &path,
        Bytes(0),
        Content::Unknown,
        EngineChoice::Sync,
        &|span| {
            span.targets[0].create = Some(Bytes::mib(1));
        },
    );
    std::fs::write(&path, "precious").unwrap();
    let reported = prepare(
        &mut job.plan,
        &job.targets,
        &job.pins,
        &Silent,
        &Stop::new(),
    )
    .unwrap_err()
    .to_string();
    assert!(reported.contains("exists"), "{reported}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn onlookers_receive_the_progress() {
    struct Last(std::sync::Mutex<(u64, u64)>);
    impl Observer for Last {
        fn on(&self, event: Event<'_>) {
            if let Event::Filling { done, total, .. } = event {
                *self.0.lock().unwrap() = (done.0, total.0);
            }
        }
    }
    let folder = folder();
    let last = Last(std::sync::Mutex::new((0, 0)));
    fill(
        &folder.path().join("reported.dat"),
        Content::Unknown,
        Bytes::mib(3),
        &last,
        &Stop::new(),
    )
    .unwrap();
    assert_eq!(*last.0.lock().unwrap(), (3 << 20, 3 << 20));
}

#[test]
fn a_missing_file_under_two_names_is_made_once() {
    let folder = folder();
    let names = [
        folder.path().join("new.dat"),
        folder.path().join("./new.dat"),
    ];
    let facts = names.map(|name| jobs::file_facts(&name, Bytes(0), Content::Unknown));
    let mut job = jobs::files(facts.to_vec(), &|span| {
        for target in &mut span.targets {
            target.create = Some(Bytes::mib(1));
        }
    });
    let filled = prepare(
        &mut job.plan,
        &job.targets,
        &job.pins,
        &Silent,
        &Stop::new(),
    )
    .unwrap();
    assert_eq!(filled.len(), 1);
    let reported: Vec<_> = job.plan.targets.iter().map(|t| t.identity).collect();
    assert_eq!(reported, [Some(filled[0].identity); 2]);
}
