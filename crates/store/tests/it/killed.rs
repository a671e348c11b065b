//! Killed at any moment: what was stored is there, a migration is done or not begun, and a copy of the old file is whole.

use crate::records::record;
use crate::sessions::new_session;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use store::*;

const SAVES: &str = "FATHOM_TEST_SAVES";
const MIGRATES: &str = "FATHOM_TEST_MIGRATES";
const V8: &[u8] = include_bytes!("../fixtures/v8.sqlite");

/// Fails if the full check finds anything.
pub(crate) fn assert_whole(store: &Store) {
    let check = store.check(Depth::Full, &mut |_, _| ()).unwrap();
    assert_eq!(check.findings, Vec::<String>::new());
}

#[cfg(target_os = "linux")]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).unwrap().mode() & 0o7777 == 0o600
}

/// Wine keeps no permissions that could be read back.
#[cfg(windows)]
fn is_private(path: &Path) -> bool {
    path.exists()
}

fn child(test: &str, variable: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(variable, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What is killed; nothing where no other program asked for it.
#[test]
#[allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "how a test speaks to itself in another process"
)]
fn another_program_saves_until_it_is_killed() {
    let Some(path) = std::env::var_os(SAVES) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    let session = store.begin(&new_session()).unwrap();
    for seed in 0.. {
        let number = store.save(session, "a", &record(seed)).unwrap();
        println!("saved {session}.{number}");
        let kept = store.keep(&new_session(), "b", &record(seed), SessionOutcome::Complete);
        println!("saved {}.1", kept.unwrap());
    }
}

#[test]
fn what_was_stored_before_a_kill_is_there_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let mut saved = Vec::new();
    for round in 0..25u64 {
        let mut child = child(
            "killed::another_program_saves_until_it_is_killed",
            SAVES,
            &path,
        );
        std::thread::sleep(Duration::from_millis(10 + round * 13 % 90));
        child.kill().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let names = lines.filter_map(|line| Some(line.ok()?.strip_prefix("saved ")?.to_owned()));
        saved.extend(names);
        child.wait().unwrap();
        if path.exists() {
            let store = Store::open(&path).unwrap();
            let names: Vec<RunName> = saved.iter().map(|name| name.parse().unwrap()).collect();
            assert!(names.is_empty() || store.count(&names).unwrap() == names.len() as u64);
            assert_whole(&store);
        }
    }
    assert!(!saved.is_empty(), "nothing was saved before the kills");
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "how a test speaks to itself in another process"
)]
fn another_program_migrates_until_it_is_killed() {
    if let Some(path) = std::env::var_os(MIGRATES) {
        Store::open(Path::new(&path)).unwrap();
    }
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the kills are spread over the time that it takes; no figure is judged"
)]
fn a_killed_migration_is_done_or_not_begun() {
    let (mut old, mut new) = (0, 0);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.sqlite"), V8).unwrap();
    let begun = std::time::Instant::now();
    let name = "killed::another_program_migrates_until_it_is_killed";
    child(name, MIGRATES, &folder.path().join("s.sqlite"))
        .wait()
        .unwrap();
    let whole_time = begun.elapsed();
    for round in 0..25u32 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sqlite");
        std::fs::write(&path, V8).unwrap();
        let mut child = child(name, MIGRATES, &path);
        std::thread::sleep(whole_time * round / 20);
        child.kill().unwrap();
        child.wait().unwrap();
        let copy = kept_copy(folder.path());
        match version(&path) {
            8 => old += 1,
            SCHEMA_VERSION => {
                new += 1;
                assert!(copy.exists(), "migrated without a copy");
            }
            other => panic!("version {other}"),
        }
        let store = Store::open(&path).unwrap();
        assert_whole(&store);
        assert_eq!(store.listing().unwrap().sessions.len(), 3);
        let parts = std::fs::read_dir(folder.path()).unwrap();
        for name in parts.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
            if name.contains("before") && !name.contains(".part-") {
                assert_eq!(version(&folder.path().join(&name)), 8, "{name}");
            }
        }
    }
    eprintln!("killed before {old} migrations, after {new}");
}

/// The copy of the old file that a migration leaves next to the new one.
fn kept_copy(folder: &Path) -> std::path::PathBuf {
    folder.join(format!("s.sqlite.before-v{SCHEMA_VERSION}"))
}

/// As the file's own header and log have it.
fn version(path: &Path) -> u32 {
    let plain = rusqlite::Connection::open(path).unwrap();
    let integrity: String = plain
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(integrity, "ok", "{}", path.display());
    plain
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[test]
fn a_migration_keeps_the_old_file_and_reports_what_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    std::fs::write(&path, V8).unwrap();
    let mut notices = Vec::new();
    let store = Store::open_with(&path, &mut |notice| notices.push(notice)).unwrap();
    let copy = kept_copy(folder.path());
    assert!(
        notices.contains(&Notice::KeptOld {
            path: copy.clone(),
            version: 8
        }),
        "{notices:?}"
    );
    assert!(
        notices.contains(&Notice::Migrating {
            done: 3,
            sessions: 3
        }),
        "{notices:?}"
    );
    assert!(is_private(&copy));
    assert_eq!(version(&copy), 8);
    drop(store);
    // The copy is a store of its own, and is brought up to date as one.
    assert_eq!(
        Store::open(&copy)
            .unwrap()
            .listing()
            .unwrap()
            .sessions
            .len(),
        3
    );
    // A second file of that version next to it gets another name for its copy.
    std::fs::write(&path, V8).unwrap();
    Store::open(&path).unwrap();
    let second = format!("s.sqlite.before-v{SCHEMA_VERSION}-2");
    assert!(folder.path().join(second).exists());
}

#[test]
fn many_programs_begin_one_store_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let name = "killed::another_program_migrates_until_it_is_killed";
    let children: Vec<Child> = (0..8).map(|_| child(name, MIGRATES, &path)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_whole(&Store::open(&path).unwrap());
}
