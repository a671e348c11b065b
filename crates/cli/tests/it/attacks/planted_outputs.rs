//! Results in folders where another user placed something under their name first, in place of files with rights of their own, under names that
//! belong to a database, and where nothing can be removed.

use super::tools::{ACL, Acl, foreign, is_root, set_acl, tool};
use super::{RUN, names};
use crate::bench::Bench;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

/// The user without rights of all distributions.
const NOBODY: u32 = 65534;
const FIO: &str = "fio --name=a --filename=f --size=64k --rw=randread --runtime=1 --time_based --no-store --output-format=json";

/// A session that can be reported, and a folder with this mode.
fn ground(mode: u32) -> Bench {
    let bench = Bench::new();
    bench.line(RUN).good();
    fs::create_dir(bench.path("open")).unwrap();
    fs::set_permissions(bench.path("open"), Permissions::from_mode(mode)).unwrap();
    bench
}

#[test]
fn a_result_does_not_become_the_file_of_another_user() {
    if !is_root() {
        return;
    }
    let bench = ground(0o1777);
    for (name, text) in [("empty", ""), ("page", "<!-- fathom report -->")] {
        let planted = bench.path(&format!("open/{name}"));
        fs::write(&planted, text).unwrap();
        fs::set_permissions(&planted, Permissions::from_mode(0o666)).unwrap();
        chown(&planted, Some(NOBODY), Some(NOBODY)).unwrap();
        for line in [
            format!("report 1 -o open/{name}"),
            format!("report 1 --force -o open/{name}"),
            format!("{FIO} --create --output=open/{name}").replace(" --create", ""),
        ] {
            bench.line(&line).refused("user 65534");
            assert_eq!(fs::read(&planted).unwrap(), text.as_bytes(), "{line}");
            assert_eq!(fs::metadata(&planted).unwrap().uid(), NOBODY, "{line}");
        }
    }
}

/// What is written to it goes to its reader.
#[test]
fn a_result_is_not_written_to_the_pipe_of_another_user() {
    if !is_root() {
        return;
    }
    let bench = ground(0o1777);
    let pipe = bench.path("open/pipe");
    assert!(tool("mkfifo", &[pipe.to_str().unwrap()]));
    chown(&pipe, Some(NOBODY), Some(NOBODY)).unwrap();
    let _reader = fs::File::options()
        .read(true)
        .write(true)
        .open(&pipe)
        .unwrap();
    bench.line("report 1 -o open/pipe").refused("user 65534");
    bench
        .line(
            "run --verify headers --create 64K --no-store -w 100 -d 20ms --warmup 0s --journal open/pipe new",
        )
        .refused("user 65534");
    chown(&pipe, Some(0), None).unwrap();
    bench.line("export --csv --out open/pipe").done();
}

/// Innocent neighbours: what is one's own, wherever it is, and what root placed for others in a folder of root's.
#[test]
fn ones_own_file_in_an_open_folder_and_anothers_in_a_folder_of_roots_are_replaced() {
    let bench = ground(0o1777);
    for name in ["open/mine", "theirs"] {
        fs::write(bench.path(name), "").unwrap();
        if name == "theirs" && is_root() {
            chown(bench.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let before = fs::metadata(bench.path(name)).unwrap();
        bench.line(&format!("report 1 -o {name}")).good();
        let after = fs::metadata(bench.path(name)).unwrap();
        assert!(after.len() > 1000, "{name}");
        assert_eq!(
            (before.uid(), before.mode()),
            (after.uid(), after.mode()),
            "{name}"
        );
    }
}

fn acl(path: &Path) -> Option<Vec<u8>> {
    let mut list = vec![0; 1000];
    let length = rustix::fs::getxattr(path, ACL, &mut list[..]).ok()?;
    Some(list[..length].to_vec())
}

/// Who was denied is denied afterwards, and no user gains what the folder's default entries would give.
#[test]
fn a_result_that_is_replaced_keeps_its_acl_and_gets_no_other() {
    let bench = ground(0o755);
    bench.line("report 1 -o open/page").good();
    let page = bench.path("open/page");
    let denies = Acl::of(6, 4, 4).user(NOBODY, 0);
    if !set_acl(&page, &denies) {
        println!("skipped: no ACLs here");
        return;
    }
    let before = (acl(&page), fs::metadata(&page).unwrap().mode());
    bench.line("report 1 -o open/page").good();
    assert_eq!((acl(&page), fs::metadata(&page).unwrap().mode()), before);
    let flags = rustix::fs::XattrFlags::empty();
    let grants = Acl::of(7, 5, 0).user(NOBODY, 7);
    rustix::fs::setxattr(
        bench.path("open"),
        "system.posix_acl_default",
        &grants.bytes(),
        flags,
    )
    .unwrap();
    let plain = bench.path("open/plain");
    bench.line("report 1 -o plain").good();
    fs::rename(bench.path("plain"), &plain).unwrap();
    fs::set_permissions(&plain, Permissions::from_mode(0o640)).unwrap();
    assert_eq!(acl(&plain), None);
    bench.line("report 1 -o open/plain").good();
    assert_eq!(
        acl(&plain),
        None,
        "the group's bits would be the mask of the folder's entries"
    );
    assert_eq!(fs::metadata(&plain).unwrap().mode() & 0o777, 0o640);
}

#[test]
fn no_result_takes_a_name_next_to_a_database() {
    let bench = Bench::new();
    let text = foreign(100);
    bench.line(&format!("{RUN} --store z.db")).good();
    bench.line(RUN).good();
    fs::write(bench.path("notes"), &text).unwrap();
    fs::write(
        bench.path("t.csv"),
        "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf close\n",
    )
    .unwrap();
    let before = bench.snapshot();
    for side in ["-wal", "-shm", "-journal", "-WAL", "-sweep-7"] {
        for line in [
            format!("report 1 -o z.db{side}"),
            format!("report 1 --force -o ./z.db{side}"),
            format!("export --csv --out z.db{side}"),
            format!("db backup z.db{side}"),
            format!("trace t.csv --convert iotrace --out z.db{side}"),
            format!("{FIO} --output=z.db{side}"),
            format!("{RUN} --store z.db{side}"),
        ] {
            let said = bench.line(&line);
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
            assert!(said.err.contains("z.db"), "{line}: {said:?}");
        }
    }
    assert!(bench.snapshot() == before);
    for innocent in ["notes-wal", "z.db.html", "none-shm"] {
        bench.line(&format!("report 1 -o {innocent}")).good();
    }
    bench.line("list --store z.db").good();
}

/// Before there is one, the database of this command is known by its name.
#[test]
fn no_result_takes_a_name_next_to_the_database_that_the_command_creates() {
    let bench = Bench::new();
    bench
        .line("run -w 100 --create 64K -d 20ms --warmup 0s --no-store f")
        .good();
    let line = FIO.replace(" --no-store", "");
    for side in ["-wal", "-journal", "-sweep-1"] {
        let said = bench.line(&format!("{line} --output=s.db{side}"));
        assert_eq!(said.code, Some(2), "{said:?}");
        assert_eq!(names(&bench.path(".")), ["f"]);
    }
}

/// Gives a folder the attribute; takes it away with the value.
struct AppendOnly(std::path::PathBuf);

impl AppendOnly {
    fn folder(path: &Path) -> Option<Self> {
        let set = tool("chattr", &["+a", path.to_str().unwrap()]);
        if !set {
            println!("skipped: no append-only folders here");
        }
        set.then(|| AppendOnly(path.to_owned()))
    }
}

impl Drop for AppendOnly {
    fn drop(&mut self) {
        tool("chattr", &["-a", self.0.to_str().unwrap()]);
    }
}

/// Names can be added there, and none is changed or removed: what is reported is what was done, and nothing is left over.
#[test]
fn in_an_append_only_folder_new_results_are_whole_and_all_others_are_refused_before() {
    let bench = ground(0o755);
    bench.line("report 1 -o open/page").good();
    let page = fs::read(bench.path("open/page")).unwrap();
    fs::write(
        bench.path("t.csv"),
        "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf close\n",
    )
    .unwrap();
    let Some(_append_only) = AppendOnly::folder(&bench.path("open")) else {
        return;
    };
    bench.line("report 1 -o open/new").good();
    bench.line("export --csv --out open/rows").done();
    for line in [
        "report 1 -o open/page",
        "report 1 --force -o open/page",
        "db backup open/copy",
        "trace t.csv --convert iotrace --out open/t",
    ] {
        let said = bench.line(line);
        assert_eq!(said.code, Some(2), "{line}: {said:?}");
        assert!(said.err.contains("chattr +a"), "{line}: {said:?}");
    }
    assert_eq!(names(&bench.path("open")), ["new", "page", "rows"]);
    assert!(fs::read(bench.path("open/page")).unwrap() == page);
    assert!(fs::metadata(bench.path("open/new")).unwrap().len() > 1000);
}
