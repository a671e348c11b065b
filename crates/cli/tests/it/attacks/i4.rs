//! The results database contains host names, command lines and mounts: it is its user's alone.

use super::RUN;
use crate::bench::{Bench, Said};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// Runs a line of the shell in which `$F` is the program.
fn shell(bench: &Bench, line: &str) -> Said {
    let mut command = bench.command(&["--version"]);
    let program = command.get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", line])
        .current_dir(bench.path(""))
        .env_clear()
        .env("F", program);
    command = shell;
    command.env("PATH", "/usr/bin:/bin");
    Said::from(command.output().unwrap())
}

#[test]
fn what_is_created_belongs_to_its_user_alone_whatever_the_umask() {
    for umask in ["000", "022", "077", "777"] {
        let bench = Bench::new();
        let line = format!("umask {umask}; HOME=$PWD/home exec \"$F\" {RUN}");
        fs::create_dir(bench.path("home")).unwrap();
        shell(&bench, &line).good();
        let folder = bench.path("home/.local/share/fathom");
        assert_eq!(mode(&folder.join("fathom.db")), 0o600, "{umask}");
        for folder in [
            &folder,
            folder.parent().unwrap(),
            &bench.path("home/.local"),
        ] {
            assert_eq!(mode(folder), 0o700, "{umask} {}", folder.display());
        }
    }
}

/// While it runs, its log and the log's index are there, too.
#[test]
fn the_files_next_to_it_are_as_private() {
    let bench = Bench::new();
    let open = store::Store::open(&bench.path("s.db")).unwrap();
    open.listing().unwrap(); // from here on it has the log open
    bench.line(RUN).good();
    for name in ["s.db", "s.db-wal", "s.db-shm"] {
        assert_eq!(mode(&bench.path(name)), 0o600, "{name}");
    }
    drop(open);
    bench.line("db backup copy").done();
    assert_eq!(mode(&bench.path("copy")), 0o600);
}

#[test]
fn an_open_one_is_closed_to_others_and_that_is_said() {
    let bench = Bench::new();
    bench.line(RUN).good();
    let path = bench.path("s.db");
    for (wide, private) in [(0o644, 0o600), (0o666, 0o600), (0o440, 0o400)] {
        fs::set_permissions(&path, Permissions::from_mode(wide)).unwrap();
        let said = bench.line("list").good();
        assert!(said.err.contains(&format!("mode {wide:04o}")), "{said:?}");
        assert_eq!(mode(&path), private);
        assert_eq!(bench.line("list").good().err, "");
    }
}

#[test]
fn one_of_another_user_is_not_opened() {
    let bench = Bench::new();
    bench.line(RUN).good();
    let path = bench.path("s.db");
    if chown(&path, Some(65534), Some(65534)).is_err() {
        eprintln!("skipped: only root gives files away");
        return;
    }
    let before = bench.snapshot();
    for line in [RUN, "list", "db check"] {
        bench.line(line).refused("65534");
    }
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_link_of_another_user_is_not_followed() {
    let bench = Bench::new();
    bench.line(RUN).good();
    let open = bench.path("open");
    fs::create_dir(&open).unwrap();
    for (name, to) in [("there", bench.path("s.db")), ("new", bench.path("new.db"))] {
        symlink(to, open.join(name)).unwrap();
    }
    fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
    let before = bench.snapshot();
    for name in ["there", "new"] {
        for line in [RUN, "db check"] {
            let said = bench.line(&format!("{line} --store open/{name}"));
            assert_eq!(said.code, Some(2), "{said:?}");
        }
        bench
            .line(&format!("{RUN} --store open/{name}"))
            .refused("link");
        bench
            .line(&format!("db backup open/{name}"))
            .refused("link");
    }
    assert_eq!(bench.snapshot(), before);
    // The user's own links lead where they lead.
    symlink("s.db", bench.path("own")).unwrap();
    bench.line("list --store own").good();
}

#[test]
fn what_is_not_a_regular_file_is_not_opened() {
    let bench = Bench::new();
    fs::create_dir(bench.path("folder")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(bench.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    for name in ["folder", "pipe", "/dev/null", "/dev/zero"] {
        for line in [RUN, "list"] {
            bench.line(&format!("{line} --store {name}")).refused(name);
        }
    }
}
