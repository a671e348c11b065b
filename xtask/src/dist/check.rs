//! `cargo xtask dist --check`: the packages where nothing else is installed. Needs root; the .deb also debootstrap.
//!
//! The static program runs in a root without any other file, the .deb in a fresh Debian. The test of the program
//! (`packages.rs`) installs the .deb in a root without dependencies. Omitted: other distributions and architectures.

use super::{LINKS, MUSL, make_folder, output, run_command};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What the test of the installed package calls other than the package.
const INCLUDED: &str = "--include=man-db,zsh,fish,bash-completion";
const SURVEY: [&str; 5] = ["survey", "sim:ssd", "--no-store", "--page", "none"];
const RUN: [&str; 5] = ["--duration", "200ms", "--warmup", "0s", "--no-store"];
const MIB: usize = 1 << 20;

/// Checks what was written to a folder. Prints each check that passed and each that was skipped.
pub(super) fn run(root: &Path, to: &Path, written: &[PathBuf]) -> Result<(), String> {
    if output(Command::new("id").arg("-u"))?.trim_ascii() != b"0" {
        println!("skipped: checks of the packages: chroot needs root");
        return Ok(());
    }
    let scratch = to.join("check");
    let checked = check(root, &scratch, written);
    let removed = fs::remove_dir_all(&scratch).map_err(|why| format!("check: {why}"));
    checked.and(removed)
}

fn check(root: &Path, scratch: &Path, written: &[PathBuf]) -> Result<(), String> {
    let find = |end: &str| {
        let mut files = written.iter();
        files.find(|file| file.to_string_lossy().ends_with(end))
    };
    if let Some(tarball) = find("static.tar.gz") {
        static_program(&scratch.join("static"), tarball)?;
        image(root, &scratch.join("image"), tarball)?;
    }
    let deb = find(".deb").ok_or("no .deb was written")?;
    if output(Command::new("debootstrap").arg("--version")).is_err() {
        println!("skipped: the .deb in a fresh Debian: `apt-get install debootstrap`");
        return Ok(());
    }
    fresh_debian(root, &scratch.join("debian"), deb)
}

/// Without /proc and /sys the users of a file are unknown: reads work, writes are refused. With them writes work.
fn static_program(root: &Path, tarball: &Path) -> Result<(), String> {
    for folder in ["data", "proc", "sys"] {
        make_folder(&root.join(folder))?;
    }
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(tarball).arg("-C").arg(root);
    run_command(tar.args(["--strip-components=3", "--wildcards", "*/usr/bin/fathom"]))?;
    let linked = output(Command::new("ldd").arg(root.join("fathom")));
    if linked.is_ok_and(|text| String::from_utf8_lossy(&text).contains("=>")) {
        return Err(format!("the program for {MUSL} loads libraries"));
    }
    let data: Vec<u8> = (0..16 * MIB).map(|at| (at % 251) as u8).collect();
    fs::write(root.join("data/read.dat"), data).map_err(|why| format!("read.dat: {why}"))?;
    let buffered = ["run", "/data/read.dat", "--cache", "cached"];
    let create = ["run", "--create", "16M", "/data/new.dat", "--write", "50"];

    expect(&chroot(root, &["/fathom", "--help"], &[])?, 0, "survey")?;
    expect(&chroot(root, &["/fathom"], &SURVEY)?, 0, "sim:ssd")?;
    expect(
        &chroot(root, &["/fathom"], &[&buffered[..], &RUN].concat())?,
        0,
        "IOPS",
    )?;
    let refused = chroot(root, &["/fathom"], &[&create[..], &RUN].concat())?;
    if refused.status.code() != Some(2) || root.join("data/new.dat").exists() {
        return Err(format!(
            "a write without /proc was not refused: {refused:?}"
        ));
    }
    let mounts = format!(
        "mount -t proc proc {0}/proc && mount --rbind /sys {0}/sys && exec chroot {0} /fathom {1}",
        root.display(),
        [&create[..], &RUN].concat().join(" ")
    );
    let mut unshare = Command::new("unshare");
    expect(
        &any_output(unshare.args(["--mount", "sh", "-c", &mounts]))?,
        0,
        "IOPS",
    )?;
    println!(
        "dist: checked: the static program alone in a root: help, survey, read; a write with /proc and /sys only"
    );
    Ok(())
}

/// Builds the image of the recipe and runs it as its user, where buildah is.
fn image(root: &Path, scratch: &Path, tarball: &Path) -> Result<(), String> {
    let mut buildah = Command::new("buildah");
    if output(buildah.arg("--version")).is_err() {
        println!("skipped: the container image: `apt-get install buildah`");
        return Ok(());
    }
    make_folder(scratch)?;
    let name = tarball.file_name().unwrap_or_default().to_string_lossy();
    let version = name.split('-').nth(1).ok_or("the tarball has no version")?;
    let script = format!(
        "tar -xf {tarball} -C {scratch} && \
         alias b='buildah --storage-driver vfs --root {scratch}/images --runroot {scratch}/running'\n\
         b bud --isolation chroot --pull-never -f {recipe} --build-arg VERSION={version} -t fathom {scratch} && \
         container=$(b from fathom) && mounted=$(b mount $container) && \
         user=$(b inspect --format '{{{{.OCIv1.Config.User}}}}' $container) && \
         chroot --userspec=$user $mounted /fathom {survey} && echo user $user; code=$?; b umount -a; exit $code",
        tarball = tarball.display(),
        scratch = scratch.display(),
        recipe = root.join("packaging/Containerfile").display(),
        survey = SURVEY.join(" "),
    );
    let built = any_output(Command::new("sh").args(["-c", &script]))?;
    expect(&built, 0, "sim:ssd")?;
    expect(&built, 0, "user 65534:65534")?;
    println!("dist: checked: the container image: built, and a survey as its user");
    Ok(())
}

/// Installs with all dependencies, as a user does; the man page and completions work; nothing is left.
fn fresh_debian(root: &Path, debian: &Path, deb: &Path) -> Result<(), String> {
    let suite = suite()?;
    let mut bootstrap = Command::new("debootstrap");
    bootstrap
        .args(["--variant=minbase", INCLUDED, &suite])
        .arg(debian);
    run_command(&mut bootstrap)?;
    let before = files(debian)?;
    let copy = |from: &Path, name: &str| {
        let copied = fs::copy(from, debian.join("tmp").join(name));
        copied.map(|_| ()).map_err(|why| format!("{name}: {why}"))
    };
    copy(deb, "fathom.deb")?;
    let shells: [&[&str]; 3] = [&["bash"], &["zsh", "-f"], &["fish", "--no-config"]];
    for shell in shells {
        let name = format!("complete.{}", shell[0]);
        copy(&root.join("packaging/tests").join(&name), &name)?;
    }

    expect(
        &chroot(debian, &["dpkg", "-i"], &["/tmp/fathom.deb"])?,
        0,
        "",
    )?;
    expect(&chroot(debian, &["fathom"], &SURVEY)?, 0, "sim:ssd")?;
    expect(
        &chroot(debian, &["man", "fathom-survey"], &[])?,
        0,
        "--budget",
    )?;
    for name in LINKS {
        let found = chroot(debian, &["sh", "-c"], &[&format!("command -v {name}")])?;
        if found.status.success() {
            return Err(format!("the package puts {name} into PATH"));
        }
    }
    let places = [
        "/usr/share/bash-completion/completions/fathom",
        "/usr/share/zsh/vendor-completions",
        "/usr/share/fish/vendor_completions.d/fathom.fish",
    ];
    for (shell, place) in shells.into_iter().zip(places) {
        let script = format!("/tmp/complete.{}", shell[0]);
        // zsh opens a pseudo terminal of this root.
        let press_tab = format!(
            "mount -t devpts devpts {0}/dev/pts && HOME=/root exec timeout 60 chroot {0} {1} {script} {place}",
            debian.display(),
            shell.join(" ")
        );
        let mut unshare = Command::new("unshare");
        let offered = any_output(unshare.args(["--mount", "sh", "-c", &press_tab]))?;
        expect(&offered, 0, "survey\n--budget\n")?;
    }
    expect(&chroot(debian, &["dpkg", "-r"], &["fathom"])?, 0, "")?;
    let left: Vec<String> = files(debian)?
        .into_iter()
        .filter(|name| name.contains("fathom") && !before.contains(name))
        .filter(|name| !name.contains("/var/cache/man/")) // man(1) writes that, not the package
        .collect();
    if !left.is_empty() {
        return Err(format!("left by dpkg -r: {left:?}"));
    }
    println!(
        "dist: checked: the .deb in a fresh Debian {suite}: dpkg -i, survey, man, completions in bash, zsh and fish, dpkg -r"
    );
    Ok(())
}

/// Returns the name of the release that runs here, whose libraries the program was linked with.
fn suite() -> Result<String, String> {
    let release =
        fs::read_to_string("/etc/os-release").map_err(|why| format!("os-release: {why}"))?;
    let mut names = release
        .lines()
        .filter_map(|line| line.strip_prefix("VERSION_CODENAME="));
    Ok(names.next().ok_or("os-release: no code name")?.to_owned())
}

/// Returns the names of all files of an installation. What the check itself copied lies in /tmp.
fn files(root: &Path) -> Result<Vec<String>, String> {
    let mut find = Command::new("find");
    let listed = output(
        find.arg(root)
            .args(["-path", "*/tmp", "-prune", "-o", "-print"]),
    )?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    Ok(listed.lines().map(str::to_owned).collect())
}

fn chroot(root: &Path, program: &[&str], words: &[&str]) -> Result<Output, String> {
    let mut chroot = Command::new("chroot");
    chroot.arg(root).args(program).args(words).env_clear();
    chroot.env(
        "PATH",
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    );
    chroot
        .env("HOME", "/root")
        .env("LC_ALL", "C.UTF-8")
        .env("MANWIDTH", "80");
    any_output(&mut chroot)
}

fn any_output(command: &mut Command) -> Result<Output, String> {
    let output = command.stdin(Stdio::null()).output();
    output.map_err(|why| format!("{command:?}: {why}"))
}

fn expect(output: &Output, code: i32, text: &str) -> Result<(), String> {
    if output.status.code() == Some(code) && String::from_utf8_lossy(&output.stdout).contains(text)
    {
        return Ok(());
    }
    Err(format!(
        "expected exit code {code} and {text:?}: {output:?}"
    ))
}
