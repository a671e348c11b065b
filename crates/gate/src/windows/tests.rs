//! What the gate does with names, links, handles and lists of Windows, in folders that the tests create.

use super::folder::Folder;
use super::name::Name;
use super::{Owner, create_new, file_facts, look_up, names, openers, resolve, try_lock};
use crate::output::fixtures::{OWN, names as listed};
use crate::{
    Access, Existing, FileLock, Kind, NewOutput, NodeKind, Openers, OutputError, PartFile, Pin,
    Replace, Use, check_output, create_private_folders, database, write_output,
};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

#[test]
fn a_path_leads_to_a_folder_a_name_and_what_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("sub/file"), b"12345").unwrap();
    let found = resolve(&at("sub/../SUB/file")).unwrap();
    let facts = file_facts(found.node.as_ref().unwrap()).unwrap();
    assert_eq!(
        (facts.kind, facts.length, facts.names),
        (NodeKind::File, 5, 1)
    );
    assert_eq!(found.name, "file");
    let free = resolve(&at("sub/new")).unwrap();
    assert!(free.node.is_none());
    let sub = file_facts(&free.folder).unwrap();
    assert_eq!(sub.kind, NodeKind::Folder);
    assert_eq!(sub.identity, file_facts(&found.folder).unwrap().identity);
    assert_ne!(sub.identity, facts.identity);
    let kind = |path: &Path| resolve(path).unwrap_err().kind();
    assert_eq!(kind(&at("none/x")), ErrorKind::NotFound);
    assert_eq!(kind(&at("sub/file/x")), ErrorKind::NotADirectory);
    assert_eq!(kind(&at("sub/file/")), ErrorKind::NotADirectory);
}

#[test]
fn names_that_windows_would_change_are_refused_before_anything_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    for bad in [
        "t.dat. ", "t.", "t:stream", "con", "sub /t", "nul.txt", "a/Com1/t",
    ] {
        // A name with a drive in it would replace the folder.
        let path = PathBuf::from(format!("{}\\{bad}", folder.path().display()));
        let refused = resolve(&path).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{bad}: {refused}");
        assert!(create_new_at(&path).is_err(), "{bad}");
    }
    assert!(listed(folder.path()).is_empty());
    let pipe = resolve(Path::new(r"\\.\pipe\fathom")).unwrap_err();
    assert_eq!(pipe.kind(), ErrorKind::Unsupported);
}

fn create_new_at(path: &Path) -> Result<File, OutputError> {
    crate::create_new(path, 0o600)
}

#[test]
fn what_is_pinned_is_reopened_with_the_rights_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    fs::write(&path, b"own").unwrap();
    let pin = Pin::new(&path).unwrap();
    let mut file = pin.reopen(Access::READ).unwrap();
    assert!(file.write_all(b"x").is_err());
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "own");
    let mut end = pin.reopen(Access::WRITE.append(true)).unwrap();
    end.write_all(b"!").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"own!");
    let nothing = Pin::new(Path::new("nul")).unwrap();
    let mut sink = nothing.reopen(Access::WRITE).unwrap();
    sink.write_all(b"x").unwrap();
    for access in [
        Access::READ_WRITE.overlapped(true),
        Access::READ_WRITE.direct(true).data_sync(true),
        Access::READ.random(true),
    ] {
        pin.reopen(access).unwrap();
    }
    assert!(pin.has_its_name());
    drop((file, end));
    assert!(pin.remove().unwrap() && pin.node().is_none());
}

#[test]
fn what_has_the_name_of_a_pinned_file_is_never_opened_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("t"), b"own").unwrap();
    fs::write(at("u"), b"foreign").unwrap();
    let pin = Pin::new(&at("t")).unwrap();
    fs::rename(at("t"), at("gone")).unwrap();
    fs::rename(at("u"), at("t")).unwrap();
    // Wine opens by name, which is found.
    match pin.reopen(Access::READ_WRITE) {
        Ok(file) => assert_eq!(file.metadata().unwrap().len(), 3),
        Err(error) => assert!(crate::is_changed(&error), "{error}"),
    }
    assert!(!pin.has_its_name() && !pin.remove().unwrap());
    assert_eq!(fs::read(at("t")).unwrap(), b"foreign");
}

#[test]
fn a_nameless_file_is_gone_when_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let pin = Pin::new(&folder.path().join("new")).unwrap();
    let mut file = pin.nameless(false).unwrap();
    file.write_all(b"x").unwrap();
    drop(file);
    assert!(listed(folder.path()).is_empty());
}

#[test]
fn a_folder_reaches_what_is_in_it_by_single_names() {
    let outside = tempfile::tempdir().unwrap();
    let at = |name: &str| outside.path().join(name);
    let top = Folder::open(outside.path()).unwrap();
    let work = top.create_private(&name("work")).unwrap();
    assert!(top.create_private(&name("WORK")).is_err());
    work.create_new(&name("file"), 0o666).unwrap();
    assert!(top.is_at(&name("work"), &work));
    let mut file = work.open_file(&name("file"), Use::Append).unwrap();
    file.write_all(b"ours").unwrap();
    drop(file);
    work.create_folder(&name("sub")).unwrap();
    assert!(work.remove_file(&name("sub")).is_err());
    assert!(work.remove_folder(&name("file")).is_err());
    let mut seen = Vec::new();
    let each = work.each(|name, kind| {
        seen.push((name.as_os_str().to_owned(), kind));
        Ok(())
    });
    each.unwrap();
    seen.sort();
    let kinds: Vec<Kind> = seen.iter().map(|(_, kind)| *kind).collect();
    assert_eq!(kinds, [Kind::File, Kind::Folder], "{seen:?}");
    work.rename(&name("file"), &name("renamed")).unwrap();
    assert_eq!(fs::read(at("work/renamed")).unwrap(), b"ours");
    let sub = work.enter(&name("sub")).unwrap();
    assert_eq!(sub.owner(), Owner::own());
    drop(sub);
    work.move_to(&name("sub"), &top, &name("moved")).unwrap();
    assert!(at("moved").is_dir());
    work.remove_file(&name("renamed")).unwrap();
    assert!(listed(&at("work")).is_empty());
    drop(work);
    top.remove_folder(&name("work")).unwrap();
    assert_eq!(listed(outside.path()), ["moved"]);
}

#[test]
fn a_link_is_followed_in_a_path_and_refused_under_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).unwrap();
    fs::write(at("real/file"), b"x").unwrap();
    let created = std::os::windows::fs::symlink_dir(at("real"), at("link"));
    if created.is_err() || fs::symlink_metadata(at("link")).is_err() {
        println!("skipped: no right to create links, or a system (Wine 8) without them");
        return;
    }
    let open = File::open(at("real/file")).unwrap();
    let there = file_facts(&open).unwrap().identity;
    let found = resolve(&at("link/file")).unwrap();
    let by_link = file_facts(found.node.as_ref().unwrap()).unwrap().identity;
    assert_eq!(by_link, there);
    let top = Folder::open(folder.path()).unwrap();
    if top.look_up(&name("link")).unwrap().kind != NodeKind::Link {
        println!("skipped: this system shows links as what they lead to");
        return;
    }
    assert!(top.enter(&name("link")).is_err());
}

#[test]
fn a_result_replaces_its_own_kind_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_output(&at("r"), b"ours 1", OWN).unwrap();
    write_output(&at("r"), b"ours 2", OWN).unwrap();
    assert_eq!(fs::read(at("r")).unwrap(), b"ours 2");
    let kept = write_output(&at("r"), b"ours 3", Replace::Nothing).unwrap_err();
    assert!(matches!(kept, OutputError::Exists { .. }), "{kept}");
    fs::write(at("thesis"), b"thesis").unwrap();
    let refused = write_output(&at("thesis"), b"ours 3", OWN).unwrap_err();
    assert!(refused.is_refusal(), "{refused}");
    assert!(check_output(&at("thesis"), OWN).is_err());
    check_output(&at("free"), OWN).unwrap();
    let writer = File::options().write(true).open(at("thesis")).unwrap();
    let refused = write_output(&at("thesis"), b"x", Replace::Anything).unwrap_err();
    assert!(
        matches!(refused, OutputError::OpenForWriting { .. }),
        "{refused}"
    );
    drop(writer);
    assert_eq!(fs::read(at("thesis")).unwrap(), b"thesis");
    write_output(&at("thesis"), b"x", Replace::Anything).unwrap();
    write_output(Path::new("NUL"), b"x", OWN).unwrap();
    assert!(write_output(folder.path(), b"x", Replace::Anything).is_err());
    assert_eq!(listed(folder.path()), ["r", "thesis"]);
}

#[test]
fn a_result_that_grows_gets_its_name_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    drop(NewOutput::create(&path).unwrap());
    assert!(listed(folder.path()).is_empty());
    let output = NewOutput::create(&path).unwrap();
    output.file().unwrap().write_all(b"whole").unwrap();
    assert!(!path.exists());
    output.publish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    let late = folder.path().join("late");
    let output = NewOutput::create(&late).unwrap();
    fs::write(&late, b"thesis").unwrap();
    assert!(output.publish().is_err());
    assert_eq!(fs::read(&late).unwrap(), b"thesis");
    assert_eq!(listed(folder.path()), ["late", "r"]);
}

#[test]
fn a_database_gets_its_name_only_where_that_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("copy");
    let ours = |first: &[u8]| first.is_empty() || first.starts_with(b"ours");
    let part = PartFile::create(&to, ours).unwrap();
    fs::write(part.path(), b"ours, whole").unwrap();
    part.publish().unwrap();
    assert_eq!(fs::read(&to).unwrap(), b"ours, whole");
    assert!(PartFile::create(&to, ours).is_err());
    let mut place = database(&folder.path().join("s.db")).unwrap();
    place.create().unwrap();
    place.still_there().unwrap();
    place.check_side_files().unwrap();
    fs::write(folder.path().join("s.db-wal"), b"a thesis").unwrap();
    assert!(place.check_side_files().is_err());
    let below = folder.path().join("a/b/s.db");
    create_private_folders(&below).unwrap();
    database(&below).unwrap().create().unwrap();
}

#[test]
fn a_lock_keeps_others_out_and_not_from_reading() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mark = "a lock of fathom\n";
    let held = FileLock::take(&at("lock"), mark).unwrap().unwrap();
    assert!(FileLock::take(&at("lock"), mark).unwrap().is_none());
    assert_eq!(fs::read(at("lock")).unwrap(), mark.as_bytes());
    drop(held);
    assert!(listed(folder.path()).is_empty());
    fs::write(at("thesis"), b"thesis").unwrap();
    assert!(FileLock::take(&at("thesis"), mark).is_err());
    let open = || {
        File::options()
            .read(true)
            .write(true)
            .open(at("thesis"))
            .unwrap()
    };
    let (one, other) = (open(), open());
    assert!(try_lock(&one, false).unwrap() && try_lock(&other, false).unwrap());
    assert!(!try_lock(&one, true).unwrap());
    drop(other);
    assert!(try_lock(&one, true).unwrap());
}

#[test]
fn a_writer_shows_and_a_reader_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, b"one").unwrap();
    let reading = File::open(&path).unwrap();
    let _second = File::open(&path).unwrap();
    assert_eq!(openers(&reading), Openers::NoWriter);
    let writer = File::options().append(true).open(&path).unwrap();
    assert_eq!(openers(&reading), Openers::Writer);
    drop(writer);
    assert_eq!(openers(&reading), Openers::NoWriter);
}

#[test]
fn only_the_file_that_is_meant_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let open = resolve(folder.path()).unwrap().node.unwrap();
    for text in ["a", "b"] {
        create_new(&open, &name(text), 0o600).unwrap();
    }
    let meant = look_up(&open, &name("a")).unwrap();
    assert!(!crate::part::remove_if_same(&open, &name("b"), &meant).unwrap());
    assert!(crate::part::remove_if_same(&open, &name("a"), &meant).unwrap());
    assert_eq!(names(&open).unwrap(), [name("b")]);
}
