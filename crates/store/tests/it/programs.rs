//! Two programs on one results database at once, and a disk with no room: real processes, a real file system.

use crate::records::record;
use crate::sessions::new_session;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use store::*;

const CHILD: &str = "FATHOM_TEST_SHELF";
const CELLS: u64 = 25;

/// What the other program does; nothing where no other program asked for it.
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "how a test speaks to itself in another process"
)]
fn another_program_keeps_cells() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    let session = store.begin(&new_session()).unwrap();
    for seed in 0..CELLS {
        store
            .save_cell(session, "cell", &format!("key {seed}"), &record(seed))
            .unwrap();
        // Both want the same cell of the first session: one of them gets it.
        match store.save_cell(
            SessionId(1),
            "shared",
            &format!("key {seed}"),
            &record(seed),
        ) {
            Ok(_) | Err(StoreError::CellTwice { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(!store.rows(&[SessionId(1)]).unwrap().is_empty());
    }
    store
        .finish(session, SessionOutcome::Complete, None)
        .unwrap();
}

#[test]
fn two_programs_keep_cells_at_once_and_none_is_lost_or_doubled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let store = Store::open(&path).unwrap();
    let shared = store.begin(&new_session()).unwrap();
    let children: Vec<_> = (0..2)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "programs::another_program_keeps_cells"])
                .env(CHILD, &path)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    for (session, label) in [
        (shared, "shared"),
        (SessionId(2), "cell"),
        (SessionId(3), "cell"),
    ] {
        let loaded = store.load(session).unwrap();
        assert_eq!(loaded.runs.len() as u64, CELLS, "{label}");
        let mut keys: Vec<_> = loaded.runs.iter().map(|run| run.key.clone()).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len() as u64, CELLS, "{label}");
    }
    crate::killed::assert_whole(&store);
}

/// A file system of so few bytes; taken away at the end.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Option<Small> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Small(folder)),
            Ok(output) => {
                eprintln!(
                    "skipped: no small file system: {}",
                    String::from_utf8_lossy(&output.stderr).trim()
                );
                None
            }
            Err(error) => {
                eprintln!("skipped: no small file system: {error}");
                None
            }
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_is_reported_and_what_was_kept_stays_readable() {
    let Some(small) = Small::mount() else {
        return;
    };
    let path = small.0.path().join("s.sqlite");
    let store = Store::open(&path).unwrap();
    let session = store.begin(&new_session()).unwrap();
    let mut kept = 0;
    let error = loop {
        match store.save_cell(session, "cell", &format!("key {kept}"), &record(kept)) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 10_000, "it never filled");
    };
    let reported = format!(
        "{}: no space left to store this; earlier results are safe",
        path.display()
    );
    assert!(error.to_string().starts_with(&reported), "{error}");
    assert!(kept > 0);
    let one = store.keep(&new_session(), "run", &record(3), SessionOutcome::Complete);
    assert!(matches!(one, Err(StoreError::Full { .. })), "{one:?}");
    assert_eq!(store.load(session).unwrap().runs.len() as u64, kept);
    drop(store);
    let again = Store::look(&path).unwrap();
    assert_eq!(again.rows(&[session]).unwrap().len() as u64, kept);
    crate::killed::assert_whole(&again);
}

#[test]
fn a_store_on_a_disk_that_is_full_to_its_last_byte_is_read() {
    let Some(small) = Small::mount() else {
        return;
    };
    let path = small.0.path().join("s.sqlite");
    let store = Store::open(&path).unwrap();
    let kept = store.keep(&new_session(), "run", &record(3), SessionOutcome::Complete);
    let session = kept.unwrap();
    drop(store);
    let mut rest = std::fs::File::create(small.0.path().join("rest")).unwrap();
    while rest.write_all(&[1; 4096]).is_ok() {}
    // Not even SQLite's index of its log has room.
    let write = Store::open(&path).map(drop);
    assert!(matches!(write, Err(StoreError::Full { .. })), "{write:?}");
    let store = Store::look(&path).unwrap();
    assert_eq!(store.rows(&[session]).unwrap().len(), 1);
    crate::killed::assert_whole(&store);
    let write = store.delete(&[RunName { session, run: None }]);
    assert!(matches!(write, Err(StoreError::Full { .. })), "{write:?}");
}

#[test]
fn a_store_on_a_read_only_file_system_is_read_and_left_as_it_is() {
    let Some(small) = Small::mount() else {
        return;
    };
    let path = small.0.path().join("s.sqlite");
    let store = Store::open(&path).unwrap();
    let session = store.begin(&new_session()).unwrap();
    store.save(session, "a", &record(3)).unwrap();
    drop(store);
    let mut mount = Command::new("mount");
    mount.args(["-o", "remount,ro"]).arg(small.0.path());
    assert!(mount.status().unwrap().success());
    let store = Store::look(&path).unwrap();
    assert_eq!(store.listing().unwrap().sessions.len(), 1);
    assert_eq!(store.rows(&[session]).unwrap().len(), 1);
    assert!(store.begin(&new_session()).is_err());
}

/// There is no room for the copy that a migration makes first.
#[test]
fn an_old_store_on_a_full_disk_is_read_as_it_is() {
    let Some(small) = Small::mount() else {
        return;
    };
    let path = small.0.path().join("s.sqlite");
    let old = include_bytes!("../fixtures/v8.sqlite");
    std::fs::write(&path, old).unwrap();
    std::fs::write(small.0.path().join("rest"), vec![1; 300 << 10]).unwrap();
    let write = Store::open(&path).map(drop);
    assert!(matches!(write, Err(StoreError::Full { .. })), "{write:?}");
    let store = Store::look(&path).unwrap();
    assert_eq!(store.listing().unwrap().sessions.len(), 3);
    assert_eq!(std::fs::read(&path).unwrap(), old);
    let left = std::fs::read_dir(small.0.path()).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.contains("before")));
}
