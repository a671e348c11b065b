//! Damaged files: reported with the file and what is damaged, read around where that can be, and left as they are.

use crate::database::imported;
use crate::records::record;
use crate::sessions::new_session;
use std::path::{Path, PathBuf};
use store::*;
use tempfile::TempDir;

const SESSIONS: u64 = 6;

/// A results database with measured, missing and imported results, all of it in one file.
fn whole() -> (TempDir, PathBuf, Vec<Session>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let store = Store::open(&path).unwrap();
    for seed in 0..SESSIONS {
        let session = store.begin(&new_session()).unwrap();
        store.save(session, "measured", &record(seed)).unwrap();
        store
            .save_cell(session, "cell", "key", &record(seed + 50))
            .unwrap();
        store
            .save_missing(session, "gone", "other key", "no space")
            .unwrap();
        store
            .finish(session, SessionOutcome::Complete, Some("{}"))
            .unwrap();
        store
            .import(&new_session(), |put| {
                [imported(1), imported(2)].iter().for_each(put);
            })
            .unwrap();
    }
    let loaded = (1..=2 * SESSIONS)
        .map(|id| store.load(SessionId(id)).unwrap())
        .collect();
    drop(store);
    (folder, path, loaded)
}

/// What the file gives: each session as it was or an error with the file's name. Answers how many are as they were.
fn read_around(path: &Path, before: &[Session]) -> usize {
    let reported = |error: &StoreError| {
        let text = error.to_string();
        assert!(text.starts_with(&path.display().to_string()), "{text}");
        assert!(!text.contains("no store"), "{text}");
    };
    let store = match Store::look(path) {
        Ok(store) => store,
        Err(error) => {
            reported(&error);
            return 0;
        }
    };
    match store.listing() {
        Ok(listing) => {
            for session in &listing.sessions {
                let as_it_was = before.iter().find(|one| one.summary.id == session.id);
                assert_eq!(Some(session), as_it_was.map(|one| &one.summary));
            }
            let known = listing.sessions.len() + listing.damaged.len();
            assert!(
                known >= before.len()
                    || !store
                        .check(Depth::Full, &mut |_, _| ())
                        .unwrap()
                        .findings
                        .is_empty(),
                "{listing:?}"
            );
        }
        Err(error) => reported(&error),
    }
    let mut good = 0;
    for session in before {
        let id = session.summary.id;
        match store.load(id) {
            Ok(loaded) => {
                assert_eq!(&loaded, session);
                good += 1;
            }
            Err(StoreError::NoSession { .. }) => {
                assert!(
                    !store
                        .check(Depth::Full, &mut |_, _| ())
                        .unwrap()
                        .findings
                        .is_empty(),
                    "session {id} vanished"
                );
            }
            Err(error) => reported(&error),
        }
        if let Ok(rows) = store.rows(&[id]) {
            assert_eq!(rows.len(), session.runs.len());
        }
    }
    good
}

#[test]
fn a_flipped_byte_is_found_or_changes_nothing() {
    let (_folder, path, before) = whole();
    assert_eq!(read_around(&path, &before), before.len());
    let bytes = std::fs::read(&path).unwrap();
    let (mut at, mut untouched, mut partly) = (17u64, 0, 0);
    for _ in 0..400 {
        at = at
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let place = (at >> 20) as usize % bytes.len();
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << ((at >> 8) % 8);
        std::fs::write(&path, &damaged).unwrap();
        match read_around(&path, &before) {
            good if good == before.len() => untouched += 1,
            good => partly += usize::from(good > 0),
        }
        assert_eq!(
            std::fs::read(&path).unwrap(),
            damaged,
            "it was changed at {place}"
        );
    }
    assert!(
        untouched > 0 && partly > 100,
        "{untouched} untouched, {partly} readable in part"
    );
}

#[test]
fn a_zeroed_page_costs_no_more_than_what_was_in_it() {
    let (_folder, path, before) = whole();
    let bytes = std::fs::read(&path).unwrap();
    let mut good = 0;
    let pages = bytes.len() / 4096;
    for page in 0..pages {
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0);
        std::fs::write(&path, &damaged).unwrap();
        good += read_around(&path, &before);
    }
    assert!(good > pages, "only {good} sessions in {pages} files");
    std::fs::write(&path, [vec![0; 4096], bytes[4096..].to_vec()].concat()).unwrap();
    let reported = Store::open(&path).err().unwrap().to_string();
    assert!(
        reported.contains("the store is damaged: its first bytes are zeros"),
        "{reported}"
    );
}

#[test]
fn a_file_that_ends_early_is_read_as_far_as_it_goes() {
    let (_folder, path, before) = whole();
    let bytes = std::fs::read(&path).unwrap();
    for length in (1..bytes.len()).step_by(3001) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        read_around(&path, &before);
        assert_eq!(
            std::fs::read(&path).unwrap(),
            &bytes[..length],
            "it was changed at {length}"
        );
    }
}

#[test]
fn a_label_that_was_changed_is_not_read_back() {
    let (_folder, path, _) = whole();
    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch("UPDATE headlines SET label = 'x' WHERE session_id = 3 AND number = 1")
        .unwrap();
    drop(other);
    let store = Store::open(&path).unwrap();
    assert!(matches!(
        store.load(SessionId(3)),
        Err(StoreError::Damaged { .. })
    ));
    assert!(store.load_one(SessionId(3), 2).is_ok());
}

#[test]
fn a_check_names_what_is_damaged() {
    let (_folder, path, _) = whole();
    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch(
            "UPDATE runs SET plan_json = replace(plan_json, '0', '1') WHERE session_id = 3 AND number = 1;
             UPDATE imported SET document_json = replace(document_json, '80000', '90000')
              WHERE headline_id = (SELECT id FROM headlines WHERE session_id = 4 AND number = 2);
             UPDATE figures SET ios = ios + 1
              WHERE headline_id = (SELECT id FROM headlines WHERE session_id = 6 AND number = 2);
             UPDATE sessions SET target = 'x' WHERE id = 7;
             DELETE FROM headlines WHERE session_id = 9 AND number = 3;",
        )
        .unwrap();
    drop(other);
    let store = Store::open(&path).unwrap();
    let findings = store
        .check(Depth::Full, &mut |_, _| ())
        .unwrap()
        .findings
        .join("\n");
    for reported in [
        "run 3.1: ",
        "run 4.2: its checksum does not match",
        "result 6.2: the checksum of its line does not match",
        "session 7: its checksum does not match",
        "session 9: it had 3 results, and 2 are found",
        "session 9: a summary is damaged or missing",
    ] {
        assert!(findings.contains(reported), "{reported}\n{findings}");
    }
    assert!(!findings.contains("session 1"), "{findings}");
    // Its summary is whole and gives what was stored.
    let listing = store.listing().unwrap();
    assert_eq!((listing.sessions.len(), listing.damaged.len()), (12, 0));
    assert_eq!(listing.sessions[5].target, "fathom.dat");
    assert_eq!(
        store.load_one(SessionId(3), 2).unwrap().runs.len(),
        1,
        "its neighbour is whole"
    );
}
