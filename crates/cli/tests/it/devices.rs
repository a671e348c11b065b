//! Devices and the words that allow writing them. As root, on loop devices that the test makes itself.

use crate::bench::Bench;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

const SHORT: &str = "-d 300ms --warmup 0s";

/// A device over a file of the bench; gone with the value.
struct Loop {
    name: String,
}

impl Loop {
    /// `None`, with the reason printed, where that cannot be done.
    fn new(bench: &Bench) -> Option<Self> {
        Self::of(bench, 128 << 20)
    }

    /// The same of so many bytes.
    fn of(bench: &Bench, bytes: u64) -> Option<Self> {
        let image = bench.path("image");
        let file = std::fs::File::create(&image).unwrap();
        file.set_len(bytes).unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(&image)
            .output();
        let name = match made {
            Ok(output) if output.status.success() => String::from_utf8(output.stdout).unwrap(),
            _ => {
                eprintln!("skipped: a loop device needs root, losetup and a free one");
                return None;
            }
        };
        let name = name.trim().to_owned();
        assert!(name.starts_with("/dev/loop"), "{name}");
        Some(Loop { name })
    }

    /// Contains zeros again, and nothing of it is in memory.
    fn wipe(&self, bench: &Bench) {
        let image = std::fs::OpenOptions::new()
            .write(true)
            .open(bench.path("image"));
        let image = image.unwrap();
        image.set_len(0).unwrap();
        image.set_len(128 << 20).unwrap();
        let dropped = Command::new("blockdev")
            .args(["--flushbufs", &self.name])
            .status();
        assert!(dropped.unwrap().success());
    }

    /// As the kernel counts, since its creation.
    fn bytes_read(&self) -> u64 {
        let name = self.name.trim_start_matches("/dev/");
        let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let sectors: u64 = text.split_whitespace().nth(2).unwrap().parse().unwrap();
        sectors * 512
    }

    /// `false`, with the reason printed, where that cannot be done.
    fn format(&self) -> bool {
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", &self.name])
            .status();
        let done = made.is_ok_and(|status| status.success());
        if !done {
            eprintln!("skipped: no mkfs.ext4 here");
        }
        done
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let status = Command::new("losetup")
            .args(["--detach", &self.name])
            .status();
        assert!(status.unwrap().success());
    }
}

#[test]
fn a_device_that_holds_something_is_written_only_with_its_name_said() {
    let bench = Bench::new();
    // So small that all of it is examined in time on a machine that others use.
    let Some(device) = Loop::of(&bench, 64 << 20) else {
        return;
    };
    let name = &device.name;
    bench.line(&format!("run {SHORT} -w 100 {name}")).good(); // it is empty
    if !device.format() {
        return;
    }
    bench.line(&format!("run {SHORT} {name}")).good(); // reads need no word
    let words = format!("use --destroy {name} to write it anyway");
    for line in [
        format!("run {SHORT} -w 1 {name}"),
        format!("run {SHORT} -w 1 --overwrite {name}"),
        format!("survey {name}"),
    ] {
        let said = bench.line(&line);
        said.refused(&words);
        said.refused("ext4 file system");
    }
    bench
        .line(&format!("survey --rm --destroy {name} {name}"))
        .refused("a device cannot be removed");
    bench
        .line(&format!("run --create 1M --destroy {name} {name}"))
        .refused("omit --create");
    bench
        .line(&format!("run {SHORT} -w 100 --destroy {name} {name}"))
        .good();
}

#[test]
fn a_device_is_read_whole_only_where_it_is_written_and_no_word_allows_that() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench) else {
        return;
    };
    let name = &device.name;
    let read_by = |words: &str| {
        let before = device.bytes_read();
        let line = format!("run {SHORT} --rate 100 {words} {name}");
        bench.line(&line).good();
        device.bytes_read() - before
    };
    let whole = 128 << 20;
    for words in ["", &format!("-w 100 --destroy {name}")] {
        let read = read_by(words);
        assert!(read < whole / 4, "{words}: {read}");
    }
    device.wipe(&bench);
    let read = read_by("-w 100");
    assert!(read >= whole - (4 << 20), "{read}"); // what the sample had just read may be in memory
}

/// What the kernel had counted as read from the device when each run of a session began and when it ended, from the first
/// session on.
fn read_around_runs(bench: &Bench, device: &Loop, session: u32) -> Vec<(u64, u64)> {
    let query =
        format!("SELECT lifetime_json FROM runs WHERE session_id = {session} ORDER BY number");
    let rows = bench.say(&["db", "sql", "--json", &query]).good().json();
    let name = device.name.trim_start_matches("/dev/");
    let runs = rows.as_array().unwrap();
    let counted = |run: &serde_json::Value, edge: &str| {
        let text = run["lifetime_json"].as_str().unwrap();
        let counters: serde_json::Value = serde_json::from_str(text).unwrap();
        let devices = counters[edge]["devices"].as_array().unwrap().clone();
        let own = devices.into_iter().find(|device| device["name"] == name);
        own.unwrap()["read_bytes"].as_u64().unwrap()
    };
    let around = |run| (counted(run, "before"), counted(run, "after"));
    runs.iter().map(around).collect()
}

#[test]
fn a_quick_look_reads_before_it_proves_and_proves_before_it_writes() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench) else {
        return;
    };
    let whole = 128 << 20;
    // It is empty at first, and contains what fathom wrote afterwards: both have to be proven, on every block.
    for session in [1, 2] {
        let before = device.bytes_read();
        let line = format!("quick --write {}", device.name);
        bench.line(&line).good();
        let runs = read_around_runs(&bench, &device, session);
        assert_eq!(runs.len(), 8, "five that read, three that write");
        let looked = runs[0].0 - before;
        assert!(looked < whole / 8, "{looked} before the first run");
        let proven = runs[5].0 - runs[4].1;
        // While the session keeps the device open, what its reads brought into the page cache stays there: half of it.
        assert!(proven >= whole / 4, "{proven} before the first write");
        assert!(runs[6].0 - runs[5].1 < whole / 8, "once is enough");
    }
}

#[test]
fn a_quick_look_that_may_not_write_leaves_nothing_behind() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench) else {
        return;
    };
    let name = &device.name;
    bench.line(&format!("quick {name} --json")).good();
    let file = std::fs::OpenOptions::new().write(true).open(name).unwrap();
    let at = (100 << 20) + 5 * 4096; // between the blocks of the sample
    file.write_all_at(b"precious", at).unwrap();
    file.sync_all().unwrap();
    drop(file);
    let said = bench.line(&format!("quick --write {name}"));
    said.refused(&format!("use --destroy {name} to write it anyway"));
    said.refused("the reads before are not stored");
    let kept = bench.line("list --json").good().json();
    assert_eq!(kept["sessions"].as_array().unwrap().len(), 1, "{kept}");
    // What a sample shows is refused before anything is read.
    let file = std::fs::OpenOptions::new().write(true).open(name).unwrap();
    file.write_all_at(b"precious", 0).unwrap();
    file.sync_all().unwrap();
    drop(file);
    let before = device.bytes_read();
    let said = bench.line(&format!("quick --write {name}"));
    said.refused(&format!("use --destroy {name} to write it anyway"));
    assert!(!said.err.contains("read before"), "{said:?}");
    assert!(device.bytes_read() - before < 16 << 20);
}

#[test]
fn zeros_with_somebody_s_data_between_them_are_not_written() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench) else {
        return;
    };
    let name = &device.name;
    let at = (100 << 20) + 5 * 4096; // between the blocks of the sample
    let open = || {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).open(name).unwrap()
    };
    let file = open();
    file.write_all_at(b"precious", at).unwrap();
    file.sync_all().unwrap();
    drop(file);
    let words = format!("use --destroy {name} to write it anyway");
    for line in [
        format!("run {SHORT} -w 1 {name}"),
        format!("quick --write {name}"),
        format!("survey {name}"),
        format!("dd if=/dev/zero of={name} bs=1M count=1"),
    ] {
        bench.line(&line).refused(&words);
    }
    let original = bench.line(&format!("diskspd -d1 -W0 -w100 {name}"));
    assert_eq!(original.code, Some(3), "{original:?}"); // as that program has it
    assert!(original.err.contains(&words), "{original:?}");
    bench.line(&format!("run {SHORT} {name}")).good();
    let mut there = [0; 8];
    open().read_exact_at(&mut there, at).unwrap();
    assert_eq!(&there, b"precious");
}

#[test]
fn every_turn_that_writes_knows_that_the_device_was_empty_before_the_first() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench) else {
        return;
    };
    let name = &device.name;
    let said = bench.line(&format!("quick --write {name} --json")).good();
    let rows = said.json()["rows"].as_array().unwrap().clone();
    let wrote = |row: &&serde_json::Value| row["label"].as_str().unwrap().contains("write");
    assert_eq!(rows.iter().filter(wrote).count(), 3, "{said:?}");
    device.wipe(&bench);
    let sweep = format!("sweep {name} -d 100ms --warmup 0s -w 0,100");
    bench.line(&sweep).good();
}

#[test]
fn a_device_in_use_is_not_written_whatever_is_said() {
    let bench = Bench::new();
    let Some(device) = Loop::new(&bench).filter(Loop::format) else {
        return;
    };
    let at = bench.path("mnt");
    std::fs::create_dir(&at).unwrap();
    assert!(mount(&device.name, &at));
    let line = format!("run {SHORT} -w 100 --destroy {0} {0}", device.name);
    let said = bench.line(&line);
    let listed = bench.line("devices").good();
    assert!(
        Command::new("umount")
            .arg("-l")
            .arg(&at)
            .status()
            .unwrap()
            .success()
    );
    said.refused("in use, so it is not written");
    said.refused("umount");
    let kernel_name = device.name.trim_start_matches("/dev/");
    assert!(listed.out.contains(kernel_name), "{listed:?}");
}

fn mount(device: &str, at: &Path) -> bool {
    let status = Command::new("mount").arg(device).arg(at).status();
    status.is_ok_and(|status| status.success())
}
