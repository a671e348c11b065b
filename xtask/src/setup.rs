//! What the tests need from the distribution: installs what is missing, mounts the tracing file system, and no more.
//!
//! On Debian and its kin, as root. Elsewhere it reports what is missing and continues; the tests that need it then
//! skip with the reason. Deliberately absent: kernel modules, users, and anything that the program needs to run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program that a test calls, or a file that it reads, and the Debian package that brings it.
struct Need {
    program: &'static str,
    package: &'static str,
}

const NEEDS: &[Need] = &[
    need("fio", "fio"),
    need("/usr/share/doc/fio/examples/aio-read.fio", "fio-examples"),
    need("mkfs.ext4", "e2fsprogs"),
    need("mkfs.xfs", "xfsprogs"),
    need("mkfs.btrfs", "btrfs-progs"),
    need("mkfs.vfat", "dosfstools"),
    need("mkfs.f2fs", "f2fs-tools"),
    need("mkfs.ntfs", "ntfs-3g"),
    need("mkfs.exfat", "exfatprogs"),
    need("mkreiserfs", "reiserfsprogs"),
    need("mkfs.jfs", "jfsutils"),
    need("mkudffs", "udftools"),
    need("make-bcache", "bcache-tools"),
    need("mksquashfs", "squashfs-tools"),
    need("mkfs.erofs", "erofs-utils"),
    need("genisoimage", "genisoimage"),
    need("mkswap", "util-linux"),
    need("losetup", "mount"),
    need("sfdisk", "fdisk"),
    need("mdadm", "mdadm"),
    need("pvcreate", "lvm2"),
    need("cryptsetup", "cryptsetup-bin"),
    need("bonnie++", "bonnie++"),
    need("hdparm", "hdparm"),
    need("dd", "coreutils"),
    need("ps", "procps"),
    need("tmux", "tmux"),
    need("mpirun.openmpi", "openmpi-bin"),
    need("mpirun.mpich", "mpich"),
    need("bwrap", "bubblewrap"),
    need("bindfs", "bindfs"),
    need("mergerfs", "mergerfs"),
    need("fuse2fs", "fuse2fs"),
    need("iostat", "sysstat"),
    need("unshare", "util-linux"),
    need("mount", "mount"),
    need("valgrind", "valgrind"),
    need("xmllint", "libxml2-utils"),
    need("fincore", "util-linux-extra"),
    need("node", "nodejs"),
    need("npm", "npm"),
    need("chromium", "chromium"),
    need("python3", "python3"),
    need("pip3", "python3-pip"),
    need("zsh", "zsh"),
    need("fish", "fish"),
    need("man", "man-db"),
    need("strip", "binutils"),
];

/// What a test asks whether it can read our results, from PyPI: fio-plot, without what it draws with.
const PLOT_READER: &str = "fio-plot";
/// Next to the build, where that test looks: `CARGO_TARGET_TMPDIR`.
const PLOT_FOLDER: &str = "tmp/fio-plot-reader";
/// Part of Debian's package prometheus.
const PROMTOOL_FOLDER: &str = "tmp/promtool";
/// A package index may be slow or away for a moment.
const FETCHES_MAX: u32 = 3;
const FETCH_PAUSE: Duration = Duration::from_secs(5);

/// The usual place of the kernel's tracepoints.
const TRACEFS: &str = "/sys/kernel/tracing";

/// Where programs for the administrator live; not in every user's search path.
const ADMIN_FOLDERS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

const fn need(program: &'static str, package: &'static str) -> Need {
    Need { program, package }
}

/// Installs what is missing, or prints why not. Returns true: a test that misses something skips.
pub(crate) fn run(root: &Path) -> bool {
    programs();
    tracefs();
    plot_reader(&target(root).join(PLOT_FOLDER));
    promtool(&target(root).join(PROMTOOL_FOLDER));
    true
}

/// Returns the folder of builds.
pub(crate) fn target(root: &Path) -> PathBuf {
    named("CARGO_TARGET_DIR").unwrap_or_else(|| root.join("target"))
}

/// Returns the folder of this user's caches.
pub(crate) fn caches() -> PathBuf {
    let home = || {
        named("HOME")
            .unwrap_or_else(std::env::temp_dir)
            .join(".cache")
    };
    named("XDG_CACHE_HOME").unwrap_or_else(home)
}

/// Returns a path that the environment specifies.
#[allow(
    clippy::disallowed_methods,
    reason = "the only place that reads the environment: where to build, and where programs are"
)]
pub(crate) fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

/// Mounts the tracing file system where programs expect it, as most distributions do at boot.
fn tracefs() {
    if !is_root() || Path::new(TRACEFS).join("instances").is_dir() {
        return;
    }
    let mut mount = Command::new("mount");
    mount.args(["-t", "tracefs", "tracefs", TRACEFS]);
    mount.stdin(Stdio::null()).stderr(Stdio::null());
    match mount.status().is_ok_and(|status| status.success()) {
        true => println!("setup: mounted: {TRACEFS}"),
        false => {
            println!("setup: {TRACEFS} cannot be mounted; tests of fathom learn --device skip");
        }
    }
}

fn programs() {
    let folders = search_path();
    let missing = packages(|program| is_there(&folders, program));
    if missing.is_empty() {
        println!("setup: everything that the tests call is there");
        return;
    }
    let list = missing.join(" ");
    if !is_there(&folders, "apt-get") {
        println!("setup: missing: {list}; there is no apt-get here, so tests that need these skip");
    } else if !is_root() {
        println!(
            "setup: missing: {list}; not root, so tests that need these skip. To have them:\n\
             \x20   sudo apt-get install --no-install-recommends {list}"
        );
    } else if install(&missing) {
        println!("setup: installed: {list}");
    } else {
        println!("setup: not everything of {list} could be installed; tests that need it skip");
    }
}

/// Installs what a static build needs in addition to cargo: the standard library of the target and a C compiler for it.
/// Returns whether both are there.
pub(crate) fn static_builds(target: &str) -> bool {
    let is_compiler_there = || is_there(&search_path(), "musl-gcc");
    if !is_compiler_there() && is_root() && is_there(&search_path(), "apt-get") {
        install(&["musl-tools"]);
    }
    let mut rustup = Command::new("rustup");
    rustup
        .args(["--quiet", "target", "add", target])
        .stdin(Stdio::null());
    is_compiler_there() && rustup.status().is_ok_and(|status| status.success())
}

/// The search path with the administrator's folders at its end: tests call `mkfs.ext4` and `losetup`.
pub(crate) fn search_path() -> Vec<PathBuf> {
    let path = named("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    for folder in ADMIN_FOLDERS.map(PathBuf::from) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The packages of the programs that are not there, each once.
fn packages(is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let mut missing: Vec<&str> = Vec::new();
    for need in NEEDS.iter().filter(|need| !is_there(need.program)) {
        if !missing.contains(&need.package) {
            missing.push(need.package);
        }
    }
    missing
}

fn is_there(folders: &[PathBuf], program: &str) -> bool {
    folders
        .iter()
        .any(|folder: &PathBuf| Path::is_file(&folder.join(program)))
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|said| said.stdout.trim_ascii() == b"0")
}

/// Installs packages, where this is root on a system with apt-get. Returns whether all are there.
pub(crate) fn installs(packages: &[&str]) -> bool {
    is_root() && is_there(&search_path(), "apt-get") && install(packages)
}

fn install(packages: &[&str]) -> bool {
    // A stale list is no reason to give up: what it names may still be there.
    if !apt_get(&["update", "--quiet=2"]) {
        println!(
            "setup: the package lists could not be refreshed; trying with those that are there"
        );
    }
    let get = |packages: &[&str]| {
        let mut arguments = vec!["install", "--quiet=2", "--yes", "--no-install-recommends"];
        arguments.extend(packages);
        apt_get(&arguments)
    };
    // One that this release does not have must not keep the others away.
    get(packages) || packages.iter().filter(|package| !get(&[package])).count() == 0
}

/// Into a folder of its own: nothing of the system's Python is touched.
fn plot_reader(folder: &Path) {
    if folder.join("fio_plot").is_dir() {
        return;
    }
    for attempt in 1..=FETCHES_MAX {
        if fetched(folder) {
            println!("setup: installed: {PLOT_READER}, for one test");
            return;
        }
        println!("setup: {PLOT_READER} could not be fetched, try {attempt} of {FETCHES_MAX}");
        std::thread::sleep(FETCH_PAUSE);
    }
    println!("setup: the test that needs {PLOT_READER} skips");
}

/// Unpacked next to the build: to install the package would start a server.
fn promtool(folder: &Path) {
    if folder.join("usr/bin/promtool").is_file() || is_there(&search_path(), "promtool") {
        return;
    }
    let unpack = "apt-get download --quiet=2 prometheus && dpkg-deb --extract prometheus_*.deb . && rm prometheus_*.deb";
    let unpacked = std::fs::create_dir_all(folder).is_ok()
        && Command::new("sh")
            .args(["-c", unpack])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    if unpacked {
        println!("setup: installed: promtool, for one test");
    } else {
        println!("setup: promtool could not be fetched; the test that needs it skips");
    }
}

fn fetched(folder: &Path) -> bool {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]);
    let status = pip
        .arg(folder)
        .arg(PLOT_READER)
        .stdin(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

fn apt_get(arguments: &[&str]) -> bool {
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_asked_for() {
        assert!(packages(|_| true).is_empty());
        assert_eq!(packages(|program| program != "pvcreate"), ["lvm2"]);
        let all = packages(|_| false);
        assert!(NEEDS.iter().all(|need| all.contains(&need.package)));
    }

    #[test]
    fn the_administrators_folders_are_searched_too() {
        assert!(search_path().contains(&PathBuf::from("/usr/sbin")));
    }
}
