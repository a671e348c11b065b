//! The .deb of `cargo xtask dist`, installed and removed in a folder that is the root of nothing else; needs root and dpkg.
//! What `packaging` has next to it.

use crate::bench::Bench;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Programs whose names a package of this kind could hide.
const OTHER_TOOLS: [&str; 11] = [
    "fio", "dd", "diskspd", "sqlio", "ior", "mdtest", "iometer", "bonnie++", "lmdd", "sgp_dd",
    "xdd",
];

/// Each loads one shell's completion and prints what it offers.
const COMPLETION_SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/tests");

fn output(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn text(command: &mut Command) -> String {
    String::from_utf8(output(command).stdout).unwrap()
}

/// Packages the program of these tests. `None`, with the reason printed, where a tool for that is missing.
fn package(to: &Path) -> Option<PathBuf> {
    for tool in ["dpkg", "dpkg-deb", "strip", "objdump", "chroot", "ldd"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!("skipped: {tool} is not installed");
            return None;
        }
    }
    if text(Command::new("id").arg("-u")).trim() != "0" {
        println!("skipped: chroot needs root");
        return None;
    }
    let mut dist = Command::new(env!("CARGO"));
    dist.args(["run", "--quiet", "--package", "xtask", "--", "dist"]);
    dist.args(["--program", env!("CARGO_BIN_EXE_fathom"), "--to"])
        .arg(to);
    output(dist.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));
    let files = std::fs::read_dir(to)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let deb = files
        .into_iter()
        .find(|file| file.extension().is_some_and(|end| end == "deb"));
    Some(deb.unwrap())
}

/// A root with the libraries that the program loads, and an empty database of packages.
fn empty_root(root: &Path) {
    for folder in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "data", "usr"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let libraries = text(Command::new("ldd").arg(env!("CARGO_BIN_EXE_fathom")));
    for library in libraries
        .split_whitespace()
        .filter(|word| word.starts_with('/'))
    {
        let to = root.join(library.trim_start_matches('/'));
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(library, to).unwrap();
    }
}

/// Returns every file and link below a folder; none where there is no such folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    if !folder.exists() {
        return BTreeSet::new();
    }
    let listed = text(Command::new("find").arg(folder).args(["!", "-type", "d"]));
    listed.lines().map(PathBuf::from).collect()
}

fn dpkg(root: &Path) -> Command {
    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--root={}", root.display()))
        .arg("--force-depends");
    dpkg
}

fn fathom(root: &Path, line: &str) -> Output {
    let mut chroot = Command::new("chroot");
    chroot.arg(root).arg("/usr/bin/fathom");
    chroot.args(line.split_whitespace());
    chroot
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    chroot.output().unwrap()
}

#[test]
fn the_package_installs_works_and_is_removed_whole() {
    let bench = Bench::new();
    let Some(deb) = package(&bench.path("dist")) else {
        return;
    };
    let root = bench.path("root");
    empty_root(&root);
    let before = files(&root.join("usr"));
    output(dpkg(&root).arg("-i").arg(&deb));

    let bin: Vec<_> = std::fs::read_dir(root.join("usr/bin")).unwrap().collect();
    assert_eq!(bin.len(), 1, "{bin:?}"); // the program alone
    for tool in OTHER_TOOLS {
        for folder in ["bin", "sbin", "usr/bin", "usr/sbin", "usr/local/bin"] {
            assert!(!root.join(folder).join(tool).exists(), "{folder}/{tool}");
        }
    }
    let survey = fathom(&root, "survey sim:ssd --no-store --page none");
    assert!(survey.status.success(), "{survey:?}");
    let link = output(
        Command::new("chroot")
            .arg(&root)
            .args(["/usr/lib/fathom/bin/diskspd", "-?"]),
    );
    assert!(
        String::from_utf8_lossy(&link.stdout).contains("-b<"),
        "{link:?}"
    );
    reading_works_and_writing_is_refused(&root);
    completions_and_man_pages_are_found(&root);

    output(dpkg(&root).args(["-r", "fathom"]));
    assert_eq!(files(&root.join("usr")), before);
}

/// There is no /proc and no /sys in this root, so the users of a file cannot be found.
fn reading_works_and_writing_is_refused(root: &Path) {
    let data: Vec<u8> = (0..16_u32 << 20).map(|at| (at % 251) as u8).collect();
    std::fs::write(root.join("data/read.dat"), data).unwrap();
    let run = "--duration 200ms --warmup 0s --no-store";
    let read = fathom(root, &format!("run /data/read.dat --cache cached {run}"));
    assert!(read.status.success(), "{read:?}");
    let write = fathom(
        root,
        &format!("run --create 16M /data/new.dat {run} --write 50"),
    );
    assert_eq!(write.status.code(), Some(2), "{write:?}");
    assert!(!root.join("data/new.dat").exists());
}

/// Each shell completes a subcommand and an option, as after Tab; `man` formats the page.
fn completions_and_man_pages_are_found(root: &Path) {
    let share = root.join("usr/share");
    let shells: [(&[&str], &str, &str); 3] = [
        (&["bash"], "bash", "bash-completion/completions/fathom"),
        (&["zsh", "-f"], "zsh", "zsh/vendor-completions"),
        (
            &["fish", "--no-config"],
            "fish",
            "fish/vendor_completions.d/fathom.fish",
        ),
    ];
    for (command, shell, place) in shells {
        if Command::new(shell).arg("--version").output().is_err() {
            println!("skipped: {shell} is not installed");
            continue;
        }
        let script = format!("{COMPLETION_SCRIPTS}/complete.{shell}");
        let mut press_tab = Command::new("timeout");
        press_tab.arg("60").args(command).arg(script);
        let offered = text(press_tab.arg(share.join(place)).env("HOME", root));
        let words: Vec<&str> = offered.split_whitespace().collect();
        assert_eq!(words, ["survey", "--budget"], "{shell}");
    }
    if Command::new("man").arg("--version").output().is_err() {
        println!("skipped: man is not installed");
        return;
    }
    let mut man = Command::new("man");
    man.arg("-M").arg(share.join("man"));
    let page = text(man.arg("fathom-survey").env("MANWIDTH", "80"));
    assert!(page.contains("--budget"), "{page}");
}

/// The rules are valid, and each alert fires on its cause only.
#[test]
fn prometheus_accepts_the_alert_rules() {
    let fetched = Path::new(env!("CARGO_TARGET_TMPDIR")).join("promtool/usr/bin/promtool");
    let promtool = match fetched.is_file() {
        true => fetched,
        false => PathBuf::from("promtool"),
    };
    if Command::new(&promtool).arg("--version").output().is_err() {
        println!("skipped: promtool is not installed");
        return;
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/prometheus");
    for words in [
        ["check", "config", "scrape.yml"],
        ["check", "rules", "fathom.rules.yml"],
        ["test", "rules", "fathom.rules.test.yml"],
    ] {
        output(Command::new(&promtool).args(words).current_dir(folder));
    }
}
