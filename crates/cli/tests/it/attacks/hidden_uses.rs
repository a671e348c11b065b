//! Files in use that no device shows: mounted without a loop device, hidden by a file system that passes on files of another one, or open in
//! another program.

use super::tools::{Loop, foreign, is_root, own_file, tool};
use super::{RUN, names};
use crate::bench::{Bench, Said, until};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const WRITE: &str = "run --no-store -w 100 -d 20ms --warmup 0s";

/// Unmounted with the value.
struct Mounted(PathBuf);

impl Mounted {
    /// By the system call, where mount(8) would set up a loop device for a file.
    fn file(image: &Path, at: &Path) -> Option<Self> {
        const CALL: &str =
            "my ($s, $a, $k) = (@ARGV, 'erofs'); syscall(NUMBER, $s, $a, $k, 1, 0) == 0 or exit 1";
        let number = if cfg!(target_arch = "x86_64") {
            "165"
        } else {
            "40"
        };
        let mut perl = Command::new("perl");
        perl.args(["-e", &CALL.replace("NUMBER", number)])
            .args([image, at]);
        Mounted::by(perl, at)
    }

    fn at(source: &str, at: &Path, kind: &str, options: &str) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", kind, "-o", options, source]).arg(at);
        Mounted::by(mount, at)
    }

    fn by(mut command: Command, at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let status = command.stderr(Stdio::null()).status();
        let done = status.is_ok_and(|status| status.success());
        if !done {
            println!("skipped: cannot be mounted here: {command:?}");
        }
        done.then(|| Mounted(at.to_owned()))
    }

    /// A folder `ov` that shows `up` over `low`.
    fn overlay(bench: &Bench) -> Option<Self> {
        for folder in ["low", "up", "work"] {
            fs::create_dir(bench.path(folder)).unwrap();
        }
        let at = |name: &str| bench.path(name).display().to_string();
        let options = format!(
            "lowerdir={},upperdir={},workdir={}",
            at("low"),
            at("up"),
            at("work")
        );
        Mounted::at("overlay", &bench.path("ov"), "overlay", &options)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        tool("umount", &["-l", self.0.to_str().unwrap()]);
    }
}

/// The smallest EROFS: a superblock and an empty folder. Source: the kernel's `fs/erofs/erofs_fs.h`.
fn erofs(length: usize) -> Vec<u8> {
    let mut image = vec![0; length];
    let mut put = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    put(1024, &0xe0f5_e1e2_u32.to_le_bytes());
    put(1024 + 12, &[12]); // blocks of 4096 bytes
    put(1024 + 14, &36u16.to_le_bytes()); // the root is 36 times 32 bytes from the start
    put(1024 + 16, &1u64.to_le_bytes());
    put(1024 + 36, &((length / 4096) as u32).to_le_bytes());
    let root = 36 * 32;
    put(root, &4u16.to_le_bytes()); // its names follow it
    put(root + 4, &0o40_755_u16.to_le_bytes());
    put(root + 6, &2u16.to_le_bytes());
    put(root + 8, &27u32.to_le_bytes());
    for (number, name_at) in [(0, 24u16), (1, 25)] {
        let entry = root + 32 + number * 12;
        put(entry, &36u64.to_le_bytes());
        put(entry + 8, &name_at.to_le_bytes());
        put(entry + 10, &[2]);
    }
    put(root + 32 + 24, b"...");
    image
}

fn stays(bench: &Bench, file: &str, before: &[u8], line: &str, words: &str) {
    let said = bench.line(line);
    assert_eq!(said.code, Some(2), "{line}: {said:?}");
    assert!(said.err.contains(words), "{line}: {words} in {said:?}");
    assert!(fs::read(bench.path(file)).unwrap() == before, "{line}");
}

#[test]
fn a_file_that_is_mounted_without_a_loop_device_is_in_use() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let image = erofs(1 << 20);
    fs::write(bench.path("img"), &image).unwrap();
    let Some(mounted) = Mounted::file(&bench.path("img"), &bench.path("mnt")) else {
        return;
    };
    bench.line(RUN).good();
    fs::hard_link(bench.path("img"), bench.path("second")).unwrap();
    for file in ["img", "second"] {
        stays(
            &bench,
            "img",
            &image,
            &format!("{WRITE} --overwrite {file}"),
            "is mounted at",
        );
        stays(
            &bench,
            "img",
            &image,
            &format!("report 1 --force -o {file}"),
            "is mounted at",
        );
        stays(
            &bench,
            "img",
            &image,
            &format!("dd if=/dev/zero of={file} bs=4k count=1 --overwrite"),
            "is mounted at",
        );
    }
    let line = "fio --name=a --rw=read --bs=4k --size=64k --filename=img --unlink=1 --overwrite";
    stays(&bench, "img", &image, line, "is mounted at");
    if let Some(device) = Loop::over(&bench.path("img")) {
        let name = device.name();
        let line = format!("{WRITE} --destroy {name} {name}");
        stays(&bench, "img", &image, &line, "is mounted at");
    }
    fs::rename(bench.path("img"), bench.path("moved")).unwrap();
    fs::remove_file(bench.path("second")).unwrap();
    stays(
        &bench,
        "moved",
        &image,
        &format!("{WRITE} --overwrite moved"),
        "mounted at",
    );
    own_file(&bench, "own");
    bench.line(&format!("{WRITE} own")).good();
    drop(mounted);
    bench.line(&format!("{WRITE} --overwrite moved")).good();
}

#[test]
fn a_file_that_another_namespace_has_mounted_is_in_use() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let image = erofs(1 << 20);
    fs::write(bench.path("img"), &image).unwrap();
    if Mounted::file(&bench.path("img"), &bench.path("mnt")).is_none() {
        return;
    }
    // A process in a namespace of its own, in which the file is mounted by moving a mount into it.
    let script = "mount --make-rprivate / && mount --bind mnt mnt2 && echo ready && exec sleep 60";
    let mounted = Mounted::file(&bench.path("img"), &bench.path("mnt")).unwrap();
    fs::create_dir(bench.path("mnt2")).unwrap();
    let mut elsewhere = Command::new("unshare")
        .args(["--mount", "sh", "-c", script])
        .current_dir(bench.path("."))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut word = [0; 5];
    let ready = std::io::Read::read_exact(elsewhere.stdout.as_mut().unwrap(), &mut word);
    drop(mounted);
    if ready.is_ok() {
        stays(
            &bench,
            "img",
            &image,
            &format!("{WRITE} --overwrite img"),
            "mounted at",
        );
    }
    elsewhere.kill().unwrap();
    elsewhere.wait().unwrap();
    assert!(ready.is_ok());
    // Namespaces that other tests created meanwhile have a copy of the mount for as long as they exist.
    until(|| bench.line(&format!("{WRITE} --overwrite img")).code == Some(0));
}

/// One file has other numbers through an overlay.
#[test]
fn an_image_that_an_overlay_hides_from_its_loop_device_is_not_written() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let Some(_overlay) = Mounted::overlay(&bench) else {
        return;
    };
    let image = foreign(3 << 20);
    for (behind, written) in [("ov/img", "up/img"), ("up/img", "ov/img")] {
        fs::write(bench.path("up/img"), &image).unwrap();
        let Some(_first) = Loop::over(&bench.path(behind)) else {
            return;
        };
        for line in [
            format!("{WRITE} --overwrite {written}"),
            format!("dd if=/dev/zero of={written} bs=4k count=1 --overwrite"),
            format!(
                "fio --name=a --rw=read --bs=4k --size=64k --filename={written} --unlink=1 --overwrite"
            ),
        ] {
            let said = bench.line(&line);
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
        }
        let second = Loop::over(&bench.path(written)).unwrap();
        let name = second.name();
        let said = bench.line(&format!("{WRITE} --destroy {name} {name}"));
        assert_eq!(said.code, Some(2), "{behind}: {said:?}");
        assert!(fs::read(bench.path("up/img")).unwrap() == image, "{behind}");
        // Of another length, it is none of these.
        fs::write(bench.path("ov/other"), foreign(2 << 20)).unwrap();
        bench.line(&format!("{WRITE} --overwrite ov/other")).good();
    }
}

#[test]
fn the_results_database_is_no_target_through_an_overlay() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let Some(_overlay) = Mounted::overlay(&bench) else {
        return;
    };
    bench.line(&format!("{RUN} --store up/s.db")).good();
    for (store, target) in [("up/s.db", "ov/s.db"), ("ov/s.db", "up/s.db")] {
        for line in [
            format!("run -w 100 -d 20ms --warmup 0s --overwrite --store {store} {target}"),
            format!("dd if=/dev/zero of={target} bs=4k count=1 --overwrite --store {store}"),
        ] {
            let said = bench.line(&line);
            assert_eq!(said.code, Some(2), "{line}: {said:?}");
        }
        bench.line(&format!("list --store {store}")).good();
    }
}

/// An innocent neighbour: an overlay over which nothing is mounted, as the root of a container is.
#[test]
fn files_on_an_overlay_of_which_nothing_else_is_used_are_written() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let Some(_overlay) = Mounted::overlay(&bench) else {
        return;
    };
    bench.line(&format!("{WRITE} --create 1M ov/own")).good();
    bench.line(&format!("{WRITE} ov/own")).good();
    fs::write(bench.path("up/theirs"), foreign(1 << 20)).unwrap();
    let said = bench.line(&format!("{WRITE} --overwrite ov/theirs")).good();
    assert!(
        said.err.contains("not asked"),
        "an overlay does not know all writers: {said:?}"
    );
}

/// Virtual machines and databases have their files open, and lock them in ways of their own, if at all.
#[test]
fn a_file_that_another_program_has_open_for_writing_is_in_use() {
    let bench = Bench::new();
    let text = foreign(1 << 20);
    fs::write(bench.path("img"), &text).unwrap();
    own_file(&bench, "own");
    let opened = |name: &str| {
        File::options()
            .read(true)
            .append(true)
            .open(bench.path(name))
    };
    for name in ["img", "own"] {
        let before = fs::read(bench.path(name)).unwrap();
        let mut writer = opened(name).unwrap();
        for line in [
            format!("{WRITE} --overwrite {name}"),
            format!("dd if=/dev/zero of={name} bs=4k count=1 --overwrite"),
            format!(
                "fio --name=a --rw=read --bs=4k --size=64k --filename={name} --unlink=1 --overwrite"
            ),
        ] {
            stays(&bench, name, &before, &line, "open for writing");
        }
        bench.line(&format!("run --no-store -d 20ms --warmup 0s {name}"));
        writer.flush().unwrap();
        drop(writer);
        let reader = File::open(bench.path(name)).unwrap();
        bench.line(&format!("{WRITE} --overwrite {name}")).good();
        drop(reader);
    }
}

/// The lease that shows writers is given back at once: who opens the file meanwhile neither waits nor is it killed, and this program neither.
#[test]
fn a_program_that_opens_the_file_meanwhile_harms_nobody() {
    let bench = Bench::new();
    own_file(&bench, "own");
    let script = "i=0; while [ $i -lt 3000 ]; do : >>own; i=$((i+1)); done";
    let mut opens = Command::new("sh")
        .args(["-c", script])
        .current_dir(bench.path("."))
        .spawn()
        .unwrap();
    for _ in 0..5 {
        let said = bench.line(&format!("{WRITE} own"));
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    }
    assert!(opens.wait().unwrap().success());
}

/// What is measured stays the file that was checked; that its path leads elsewhere is part of the result.
#[test]
fn a_file_that_is_replaced_while_it_is_measured_is_a_warning() {
    for how in ["replaced", "renamed", "mounted over"] {
        let bench = Bench::new();
        fs::create_dir(bench.path("d")).unwrap();
        bench.write("d/f", 128 << 10);
        let before = fs::read(bench.path("d/f")).unwrap();
        let line =
            "run d/f -b 64K -d 2s --warmup 0s --no-store --json --cache cached --engine sync";
        let child = bench.start(line);
        crate::attacks::wait_for_reads(&child, 4 << 20);
        let mut _mounted = None;
        match how {
            "replaced" => {
                fs::copy(bench.path("d/f"), bench.path("d/g")).unwrap();
                fs::rename(bench.path("d/g"), bench.path("d/f")).unwrap();
            }
            "renamed" => fs::rename(bench.path("d"), bench.path("e")).unwrap(),
            _ => {
                _mounted = Mounted::at("none", &bench.path("d"), "tmpfs", "size=1m");
            }
        }
        let said = Said::from(child.wait_with_output().unwrap());
        if how == "mounted over" && _mounted.is_none() {
            return;
        }
        assert_eq!(said.code, Some(0), "{how}: {said:?}");
        let findings = said.json()["findings"].to_string();
        assert!(findings.contains("target-changed"), "{how}: {findings}");
        drop(_mounted);
        let now = if how == "renamed" { "e/f" } else { "d/f" };
        assert!(fs::read(bench.path(now)).unwrap() == before);
        assert!(names(&bench.path(".")).len() == 1);
    }
}

/// Nothing that something else uses is replaced by a man page either.
#[test]
fn a_man_page_replaces_no_file_in_use() {
    let bench = Bench::new();
    fs::create_dir(bench.path("man")).unwrap();
    let image = foreign(1 << 20);
    let Some(_device) = Loop::over_new(&bench.path("man/fathom.1"), &image) else {
        return;
    };
    bench
        .line("man man --overwrite")
        .refused("has it open for writing");
    assert!(fs::read(bench.path("man/fathom.1")).unwrap() == image);
    assert!(tool("true", &[]) && names(&bench.path("man")) == ["fathom.1"]);
}
