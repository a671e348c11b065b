//! What is replaced, what is refused, and what is left behind, in folders that the tests make.

use super::fixtures::{OWN, names};
use super::*;
use crate::part::{Part, Placed, remove_if_same};
use crate::system::mark::MARK;
use rustix::fs::{Mode, fgetxattr};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

#[test]
fn a_result_replaces_its_own_kind_and_keeps_the_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    write_output(&path, b"ours 1", OWN).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    write_output(&path, b"ours 2", OWN).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"ours 2");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    let kept = write_output(&path, b"ours 3", Replace::Nothing).unwrap_err();
    assert!(matches!(kept, OutputError::Exists { .. }), "{kept}");
    fs::write(&path, b"thesis").unwrap();
    let refused = write_output(&path, b"ours 3", OWN).unwrap_err();
    assert!(refused.is_refusal());
    // Its mark stays, where there are attributes.
    let is_kept = matches!(
        refused,
        OutputError::Edited { bytes: 6, .. } | OutputError::NotOurs { bytes: 6, .. }
    );
    assert!(is_kept, "{refused}");
    assert!(check_output(&path, OWN).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"thesis");
    let other = folder.path().join("other");
    fs::write(&other, b"thesis").unwrap();
    let refused = write_output(&other, b"ours 3", OWN).unwrap_err();
    assert!(matches!(refused, OutputError::NotOurs { bytes: 6, .. }));
    fs::remove_file(&other).unwrap();
    write_output(&path, b"ours 3", Replace::Anything).unwrap();
    fs::write(&path, b"").unwrap();
    check_output(&path, OWN).unwrap();
    write_output(&path, b"ours 4", OWN).unwrap();
    assert_eq!(names(folder.path()), ["r"]);
}

#[test]
fn a_result_that_grows_gets_its_name_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    drop(NewOutput::create(&path).unwrap());
    assert_eq!(names(folder.path()), [""; 0], "it was not published");
    let output = NewOutput::create(&path).unwrap();
    output.file().unwrap().write_all(b"whole").unwrap();
    assert!(!path.exists());
    output.publish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    let refused = NewOutput::create(&path).unwrap_err();
    assert!(matches!(refused, OutputError::Exists { .. }), "{refused}");
    let late = folder.path().join("late");
    let output = NewOutput::create(&late).unwrap();
    fs::write(&late, b"thesis").unwrap();
    assert!(output.publish().is_err());
    assert_eq!(fs::read(&late).unwrap(), b"thesis");
    assert_eq!(names(folder.path()), ["late", "r"]);
}

/// Where names can be added and none removed, since the part was created.
#[test]
fn a_part_that_cannot_be_removed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let change = |how: &str| {
        let mut chattr = std::process::Command::new("chattr");
        let status = chattr.arg(how).arg(folder.path()).status();
        status.is_ok_and(|status| status.success())
    };
    let path = folder.path().join("r");
    let output = NewOutput::create(&path).unwrap();
    output.file().unwrap().write_all(b"whole").unwrap();
    if !change("+a") {
        println!("skipped: no append-only folders here");
        return;
    }
    let reported = output.publish();
    let refused = write_output(&path, b"new", Replace::Anything);
    assert!(change("-a"));
    let Err(OutputError::Beside { left, .. }) = reported else {
        panic!("{reported:?}");
    };
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    assert_eq!(fs::read(left).unwrap(), b"whole");
    assert!(
        matches!(refused, Err(OutputError::AppendOnly { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_format_without_a_mark_is_known_by_the_checksum_of_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let unchanged = Replace::Own(&|existing| existing.unchanged);
    let long = vec![b'x'; 200_000];
    write_output(&path, &long, unchanged).unwrap();
    if fgetxattr(File::open(&path).unwrap(), MARK, &mut [0u8; 64][..]).is_err() {
        println!("skipped: no extended attributes here");
        return;
    }
    write_output(&path, &long, unchanged).unwrap();
    let mut edited = long.clone();
    edited[150_000] = b'y';
    fs::write(&path, &edited).unwrap(); // the attribute stays
    let refused = write_output(&path, &long, unchanged).unwrap_err();
    assert!(matches!(refused, OutputError::Edited { .. }), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), edited);
}

#[test]
fn a_link_is_followed_where_nobody_else_could_have_placed_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("other")).unwrap();
    symlink("other/r", at("link")).unwrap();
    for text in [b"ours 1", b"ours 2"] {
        write_output(&at("link"), text, OWN).unwrap();
        assert_eq!(fs::read(at("other/r")).unwrap(), text);
    }
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    fs::create_dir(at("open")).unwrap();
    fs::set_permissions(at("open"), fs::Permissions::from_mode(0o1777)).unwrap();
    symlink("../other/r", at("open/link")).unwrap();
    symlink("../other/new", at("open/hanging")).unwrap();
    for name in ["open/link", "open/hanging"] {
        let refused = write_output(&at(name), b"ours 3", Replace::Anything).unwrap_err();
        assert!(
            matches!(refused, OutputError::ForeignName { .. }),
            "{refused}"
        );
        assert!(create_new(&at(name), 0o600).is_err());
    }
    assert_eq!(names(&at("other")), ["r"]);
    assert_eq!(fs::read(at("other/r")).unwrap(), b"ours 2");
    assert!(create_new(&at("link"), 0o600).is_err());
    let held = Folder::open(folder.path()).unwrap();
    let name = Name::new("link").unwrap();
    assert!(write_output_in(&held, &name, &at("link"), b"x", Replace::Anything).is_err());
}

#[test]
fn folders_devices_and_sockets_are_refused_and_pipes_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refused = |path: &Path| {
        let error = write_output(path, b"x", Replace::Anything).unwrap_err();
        assert!(matches!(error, OutputError::NotAFile { .. }), "{error}");
    };
    refused(folder.path());
    let _socket = UnixListener::bind(at("socket")).unwrap();
    refused(&at("socket"));
    refused(Path::new("/dev/urandom"));
    refused(Path::new("/dev/nosuch"));
    write_output(Path::new("/dev/null"), b"x", OWN).unwrap();
    let pipe = at("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RWXU).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read(&pipe).unwrap());
        write_output(&pipe, b"ours", OWN).unwrap();
        assert_eq!(reader.join().unwrap(), b"ours");
    });
    assert_eq!(names(folder.path()), ["pipe", "socket"]);
}

#[test]
fn a_pipe_without_a_reader_is_an_error_and_no_wait() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RWXU).unwrap();
    let error = write_output(&pipe, b"x", OWN).unwrap_err();
    assert!(error.to_string().contains("no process reads"), "{error}");
}

#[test]
fn what_a_killed_run_left_is_removed_and_nothing_that_only_looks_like_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let name = Name::new("r").unwrap();
    let held = Folder::open(folder.path()).unwrap();
    let part_with = |content: &[u8]| {
        let mut part = Part::create(held.file(), &name, 0o600).unwrap();
        part.fill(content).unwrap();
        part
    };
    let left: Vec<String> = [&b""[..], b"ours", b"ours, of an earlier run"]
        .iter()
        .map(|content| part_with(content).leak())
        .collect();
    let foreign = part_with(b"thesis").leak();
    let alive = part_with(b"ours");
    let alike = [
        ".r.part-0123456789abcdef",
        ".r.part-x",
        ".s.part-0123456789abcdef",
    ];
    alike
        .iter()
        .for_each(|name| fs::write(at(name), b"").unwrap());
    let second = part_with(b"ours").leak();
    fs::hard_link(at(&second), at("second")).unwrap();
    write_output(&at("r"), b"ours, of an earlier run again", OWN).unwrap();
    let there = names(folder.path());
    assert!(left.iter().all(|name| !there.contains(name)), "{there:?}");
    assert!(
        there.contains(&foreign) && there.contains(&second),
        "{there:?}"
    );
    assert!(
        alike.iter().all(|name| there.contains(&(*name).to_owned())),
        "{there:?}"
    );
    assert_eq!(there.len(), 1 + 1 + 1 + alike.len() + 2);
    drop(alive);
    assert_eq!(names(folder.path()).len(), there.len() - 1);
}

#[test]
fn a_file_that_takes_the_name_between_the_look_and_the_exchange_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (held, name) = (
        Folder::open(folder.path()).unwrap(),
        Name::new("r").unwrap(),
    );
    fs::write(at("r"), b"ours").unwrap();
    let judged = Judged {
        facts: held.look_up(&name).unwrap(),
        rights: Rights::of(&File::open(at("r")).unwrap()).unwrap(),
    };
    fs::write(at("thesis"), b"thesis").unwrap();
    fs::rename(at("thesis"), at("r")).unwrap();
    let mut part = Part::create(held.file(), &name, 0o600).unwrap();
    part.fill(b"new").unwrap();
    for moves_aside in [false, true] {
        let placed = match moves_aside {
            true => part.move_aside(&judged, b"new"),
            false => part.exchange(&judged, b"new"),
        };
        assert!(matches!(placed.unwrap(), Placed::Raced));
        assert_eq!(fs::read(at("r")).unwrap(), b"thesis");
    }
    assert!(matches!(part.put(b"new", None).unwrap(), Placed::Raced));
    assert!(matches!(
        part.write_directly(b"new", None).unwrap(),
        Placed::Raced
    ));
    fs::remove_file(at("r")).unwrap();
    assert!(matches!(
        part.exchange(&judged, b"new").unwrap(),
        Placed::Raced
    ));
    assert!(matches!(
        part.write_directly(b"new", None).unwrap(),
        Placed::There
    ));
    let judged = Judged {
        facts: held.look_up(&name).unwrap(),
        rights: Rights::of(&File::open(at("r")).unwrap()).unwrap(),
    };
    assert!(matches!(
        part.move_aside(&judged, b"new").unwrap(),
        Placed::There
    ));
    drop(part);
    assert_eq!(names(folder.path()), ["r"]);
}

#[test]
fn only_the_file_that_is_meant_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), b"x").unwrap();
    fs::write(at("b"), b"y").unwrap();
    symlink("a", at("link")).unwrap();
    let held = Folder::open(folder.path()).unwrap();
    let name = |text: &str| Name::new(text).unwrap();
    let meant = held.look_up(&name("a")).unwrap();
    let remove = |text: &str| remove_if_same(held.file(), &name(text), &meant).unwrap();
    assert!(!remove("b") && !remove("link"));
    assert_eq!(names(folder.path()), ["a", "b", "link"]);
    assert!(remove("a"));
    assert_eq!(names(folder.path()), ["b", "link"]);
}

#[test]
fn a_lock_leaves_what_it_did_not_create() {
    use crate::FileLock;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mark = "a lock of fathom\n";
    let held = FileLock::take(&at("lock"), mark).unwrap().unwrap();
    assert!(FileLock::take(&at("lock"), mark).unwrap().is_none());
    drop(held);
    assert!(names(folder.path()).is_empty());
    fs::write(at("lock"), mark).unwrap(); // of a run that was killed
    drop(FileLock::take(&at("lock"), mark).unwrap().unwrap());
    assert!(names(folder.path()).is_empty());
    fs::write(at("thesis"), b"thesis").unwrap();
    symlink("thesis", at("link")).unwrap();
    fs::write(at("empty"), b"").unwrap();
    assert!(FileLock::take(&at("thesis"), mark).is_err());
    assert!(FileLock::take(&at("link"), mark).is_err());
    drop(FileLock::take(&at("empty"), mark).unwrap().unwrap());
    assert_eq!(names(folder.path()), ["empty", "link", "thesis"]);
    assert_eq!(fs::read(at("thesis")).unwrap(), b"thesis");
    assert_eq!(fs::read(at("empty")).unwrap(), b"");
}
