//! Folders in which a user other than root and oneself may place names: by an ACL, by a group, by their mount. What they place there
//! decides nothing, and folders of one's own stay as usable as they were.

use super::RUN;
use super::served::Served;
use super::tools::{Acl, foreign, is_root, own_file, set_acl, without};
use crate::bench::Bench;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

/// The user without rights of all distributions.
const NOBODY: u32 = 65534;
const WRITE: &str = "run --no-store -w 100 -d 20ms --warmup 0s";

/// A folder `open` with links to a file, to a name that is free and to a folder.
fn ground() -> Bench {
    let bench = Bench::new();
    bench.line(RUN).good();
    own_file(&bench, "own");
    fs::create_dir(bench.path("open")).unwrap();
    fs::create_dir(bench.path("pages")).unwrap();
    fs::write(
        bench.path("t.csv"),
        "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf close\n",
    )
    .unwrap();
    symlink("../own", bench.path("open/link")).unwrap();
    symlink("../free", bench.path("open/hanging")).unwrap();
    symlink("../pages", bench.path("open/pages")).unwrap();
    bench
}

/// Lines that would write behind these links.
const LINES: [&str; 9] = [
    "run --no-store -w 100 -d 20ms --warmup 0s --overwrite open/link",
    "dd if=/dev/zero of=open/link bs=4k count=1 --overwrite",
    "run --no-store --verify headers --create 64K -w 100 -d 20ms --warmup 0s --journal open/hanging new",
    "export --csv --out open/hanging",
    "report 1 -o open/hanging",
    "report 1 --force -o open/link",
    "man open/pages",
    "run --engine null -d 20ms --warmup 0s --store open/hanging",
    "trace t.csv --convert iotrace --out open/hanging",
];

fn refuses_all(bench: &Bench, what: &str) {
    let before = fs::read(bench.path("own")).unwrap();
    for line in LINES {
        let said = bench.line(line);
        assert_eq!(said.code, Some(2), "{what}: {line}: {said:?}");
        assert!(
            said.err.contains("another user"),
            "{what}: {line}: {said:?}"
        );
        assert!(!bench.path("free").exists(), "{what}: {line}");
    }
    assert!(fs::read(bench.path("own")).unwrap() == before, "{what}");
    assert_eq!(
        fs::read_dir(bench.path("pages")).unwrap().count(),
        0,
        "{what}"
    );
}

fn accepts(bench: &Bench, what: &str) {
    let said = bench.line(&format!("{WRITE} open/link"));
    assert_eq!(said.code, Some(0), "{what}: {said:?}");
    bench.line("export --csv --out open/hanging");
    assert!(bench.path("free").exists(), "{what}");
    fs::remove_file(bench.path("free")).unwrap();
}

#[test]
fn links_in_a_folder_whose_acl_lets_another_user_write_are_not_followed() {
    if !is_root() {
        return;
    }
    let bench = ground();
    let open = bench.path("open");
    let rights = [
        ("a user", Acl::of(7, 5, 5).user(NOBODY, 7)),
        ("only to place names", Acl::of(7, 5, 5).user(NOBODY, 3)),
        ("a group with members", Acl::of(7, 5, 5).group(NOBODY, 7)),
        ("a second user", Acl::of(7, 5, 5).user(0, 7).user(NOBODY, 7)),
    ];
    for (what, acl) in rights {
        if !set_acl(&open, &acl) {
            println!("skipped: no ACLs here");
            return;
        }
        refuses_all(&bench, what);
    }
}

#[test]
fn an_acl_that_lets_no_other_user_write_changes_nothing() {
    let bench = ground();
    let open = bench.path("open");
    let rights = [
        ("only the three entries of a mode", Acl::of(7, 5, 5)),
        ("reading", Acl::of(7, 5, 5).user(NOBODY, 5)),
        ("masked", Acl::of(7, 5, 5).user(NOBODY, 7).mask(5)),
        ("root", Acl::of(7, 5, 5).user(0, 7)),
    ];
    for (what, acl) in rights {
        if !set_acl(&open, &acl) {
            println!("skipped: no ACLs here");
            return;
        }
        accepts(&bench, what);
    }
}

/// A group of the folder with other members, by its list or as the primary group of an account; with the files of accounts of a namespace of
/// its own. Source: group(5), passwd(5), nsswitch.conf(5), subgid(5).
#[test]
#[allow(clippy::too_many_lines, reason = "a table of accounts")]
fn a_folder_of_ones_group_is_trusted_only_without_other_members() {
    if !is_root() {
        return;
    }
    let bench = ground();
    fs::set_permissions(bench.path("open"), Permissions::from_mode(0o775)).unwrap();
    let own = "root:x:0:0::/:/bin/sh";
    let other = format!("{own}\nmallory:x:1001:1001::/:/bin/sh");
    let cases = [
        ("alone", own, "root:x:0:", "files", "", true),
        ("oneself", own, "root:x:0:root", "files", "", true),
        (
            "a member",
            &other,
            "root:x:0:root,mallory",
            "files",
            "",
            false,
        ),
        (
            "a second name of the group",
            &other,
            "root:x:0:\nstaff:x:0:mallory",
            "files",
            "",
            false,
        ),
        (
            "a name without an account",
            own,
            "root:x:0:mallory",
            "files",
            "",
            false,
        ),
        (
            "a primary group",
            "root:x:0:0::/:/bin/sh\nmallory:x:1001:0::/:/bin/sh",
            "root:x:0:",
            "files",
            "",
            false,
        ),
        (
            "a group that is not listed",
            own,
            "staff:x:50:",
            "files",
            "",
            false,
        ),
        (
            "a server that is not asked",
            own,
            "root:x:0:",
            "files sss",
            "",
            false,
        ),
        (
            "a range of a namespace",
            &other,
            "root:x:0:",
            "files",
            "mallory:0:10",
            false,
        ),
        (
            "a range of others",
            &other,
            "root:x:0:",
            "files",
            "mallory:100000:65536",
            true,
        ),
    ];
    for (what, passwd, group, switch, ranges, trusted) in cases {
        fs::create_dir_all(bench.path("etc")).unwrap();
        let switch = format!("passwd: {switch}\ngroup: {switch}");
        for (file, text) in [
            ("passwd", passwd),
            ("group", group),
            ("nsswitch.conf", &switch),
            ("subgid", ranges),
        ] {
            fs::write(bench.path("etc").join(file), format!("{text}\n")).unwrap();
        }
        let line = format!("{WRITE} open/link");
        let Some(said) = without(&bench, "mount --bind etc /etc", &line) else {
            return;
        };
        let code = if trusted { 0 } else { 2 };
        assert_eq!(said.code, Some(code), "{what}: {said:?}");
    }
}

/// A second name in a folder that others may write: they may have placed it (`protected_hardlinks` is off on some systems).
#[test]
fn a_second_name_of_a_file_is_not_written_where_another_user_could_have_placed_it() {
    let bench = Bench::new();
    let text = foreign(1 << 20);
    fs::write(bench.path("thesis"), &text).unwrap();
    own_file(&bench, "own");
    for (folder, mode) in [("open", 0o777), ("sticky", 0o1777), ("mine", 0o755)] {
        fs::create_dir(bench.path(folder)).unwrap();
        fs::set_permissions(bench.path(folder), Permissions::from_mode(mode)).unwrap();
        fs::hard_link(
            bench.path("thesis"),
            bench.path(&format!("{folder}/second")),
        )
        .unwrap();
        fs::hard_link(bench.path("own"), bench.path(&format!("{folder}/own"))).unwrap();
    }
    for folder in ["open", "sticky"] {
        for line in [
            format!("{WRITE} --overwrite {folder}/second"),
            format!("{WRITE} {folder}/own"),
            format!("dd if=/dev/zero of={folder}/second bs=4k count=1 --overwrite"),
            format!("fio --name=a --rw=write --bs=4k --filename={folder}/second --overwrite"),
            format!("report 1 --force -o {folder}/second"),
        ] {
            let said = bench.line(&line);
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
        }
    }
    assert!(fs::read(bench.path("thesis")).unwrap() == text);
    bench.line(&format!("{WRITE} mine/own")).good();
    fs::copy(bench.path("own"), bench.path("open/alone")).unwrap();
    bench.line(&format!("{WRITE} open/alone")).good();
}

/// The server of a file system in user space decides what every folder of it seems to be.
#[test]
fn a_folder_that_seems_roots_is_not_trusted_on_a_mount_of_another_user() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    own_file(&bench, "own");
    fs::create_dir(bench.path("served")).unwrap();
    let at = bench.path("served");
    for (user, code) in [(0, 0), (NOBODY, 2)] {
        let Some(_served) = Served::with_link(&at, &bench.path("own"), user) else {
            return;
        };
        let said = bench.line(&format!("{WRITE} served/link"));
        assert_eq!(said.code, Some(code), "of user {user}: {said:?}");
    }
}

/// What a program copies into it would be that user's to read.
#[test]
fn an_empty_file_of_another_user_is_written_only_when_that_is_confirmed() {
    if !is_root() {
        return;
    }
    let bench = ground();
    for mode in [0o777, 0o1777, 0o755] {
        fs::set_permissions(bench.path("open"), Permissions::from_mode(mode)).unwrap();
        for line in [
            "run --no-store -w 100 -d 20ms --warmup 0s --create 64K",
            "dd if=/etc/hostname --no-store of=",
            "ior -w -k -b 64k -t 4k --no-store -o",
        ] {
            let file = bench.path("open/planted");
            fs::write(&file, "").unwrap();
            chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
            let line = match line.ends_with('=') {
                true => format!("{line}open/planted"),
                false => format!("{line} open/planted"),
            };
            let said = bench.line(&line);
            let is_trusted = mode == 0o755;
            assert_eq!(said.code, Some(if is_trusted { 0 } else { 2 }), "{said:?}");
            assert_eq!(fs::metadata(&file).unwrap().len() > 0, is_trusted, "{line}");
            bench.line(&format!("{line} --overwrite")).good();
        }
    }
}
