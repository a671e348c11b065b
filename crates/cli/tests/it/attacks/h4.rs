//! H4: a file system whose server is gone was waited for without end: a path that leads there, a file that is opened, a read.
//!
//! The server is this test: it answers up to the given request and then takes no more from its queue, as a stopped one.

use crate::bench::Bench;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

// Requests of <linux/fuse.h>.
const LOOKUP: u32 = 1;
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const INIT: u32 = 26;

const FILE_BYTES: u64 = 64 << 20;

fn attributes(inode: u64, mode: u32, size: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for value in [inode, size, size / 512, 0, 0, 0] {
        out.extend(value.to_le_bytes());
    }
    for value in [0, 0, 0, mode, 1, 0, 0, 0, 4096, 0_u32] {
        out.extend(value.to_le_bytes());
    }
    out
}

/// The answer to a request; an error number where there is none.
fn answer(kind: u32, node: u64, body: &[u8]) -> Result<Vec<u8>, i32> {
    let of = |inode: u64| match inode {
        1 => attributes(1, 0o040_755, 0),
        _ => attributes(2, 0o100_666, FILE_BYTES),
    };
    let long = 1_000_000_u64.to_le_bytes();
    match kind {
        INIT => {
            let mut out = Vec::new();
            for value in [7, 31, 0, 0, 0, 1 << 17, 1, 0_u32] {
                out.extend(value.to_le_bytes());
            }
            out.resize(64, 0);
            Ok(out)
        }
        LOOKUP if body.starts_with(b"file\0") => {
            let mut out = [2_u64.to_le_bytes(), [0; 8], long, long, [0; 8]].concat();
            out.extend(of(2));
            Ok(out)
        }
        LOOKUP => Err(-2),
        GETATTR => Ok([&long[..], &[0; 8], &of(node)].concat()),
        // FOPEN_NOFLUSH: no last question at the end of the program, for which the kernel would wait.
        OPEN => Ok([[0; 8], 32_u64.to_le_bytes()].concat()),
        _ => Err(-38),
    }
}

fn serve(mut device: File, last: u32, end: &std::sync::mpsc::Receiver<()>) {
    let mut request = vec![0; 1 << 20];
    while let Ok(length) = device.read(&mut request) {
        let word = |at: usize| u32::from_le_bytes(request[at..at + 4].try_into().unwrap());
        let kind = word(4);
        let node = u64::from(word(16));
        if kind == 2 || kind == 42 {
            continue; // FORGET
        }
        let (error, data) = match answer(kind, node, &request[40..length]) {
            Ok(data) => (0, data),
            Err(error) => (error, Vec::new()),
        };
        let mut reply = (16 + data.len() as u32).to_le_bytes().to_vec();
        reply.extend(error.to_le_bytes());
        reply.extend(&request[8..16]);
        reply.extend(data);
        let _ = device.write_all(&reply);
        if kind == last {
            break;
        }
    }
    let _ = end.recv();
}

struct Silent {
    folder: PathBuf,
    _end: Sender<()>,
}

impl Silent {
    /// `None`, with a message, where this machine has no FUSE or this user may not mount.
    fn at(bench: &Bench, last: u32) -> Option<Silent> {
        let folder = bench.path("mount");
        std::fs::create_dir(&folder).unwrap();
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse");
        let mount = |device: &File| {
            let options = "fd=0,rootmode=40000,user_id=0,group_id=0";
            let mut mount = Command::new("mount");
            mount.args(["-i", "-t", "fuse", "-o", options, "silent"]);
            mount.arg(&folder).stderr(Stdio::null());
            let status = mount.stdin(device.try_clone().unwrap()).status();
            status.is_ok_and(|status| status.success())
        };
        let Some(device) = device.ok().filter(mount) else {
            println!("skipped: no FUSE, or no right to mount");
            return None;
        };
        let (ends, end) = channel();
        thread::spawn(move || serve(device, last, &end));
        Some(Silent { folder, _end: ends })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}

/// Far more than the program waits for one answer, and less than a person would call endless.
const TIME_MAX: Duration = Duration::from_secs(30);

fn ends_with(last: u32, line: &str, word: &str) {
    let bench = Bench::new();
    let Some(silent) = Silent::at(&bench, last) else {
        return;
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = bench.command(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    #[allow(clippy::disallowed_methods, reason = "a bound on the test")]
    let begun = Instant::now();
    let hung = loop {
        match child.try_wait().unwrap() {
            Some(_) => break false,
            None if begun.elapsed() > TIME_MAX => break true,
            None => thread::yield_now(),
        }
    };
    if hung {
        let _ = child.kill();
    }
    drop(silent);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!hung, "{line}: {said}");
    assert!(said.contains(word), "{line}: {said}");
}

#[test]
fn a_path_that_never_answers_is_given_up() {
    for line in [
        "quick mount/file",
        "run -d 20ms mount/file",
        "verify mount/file",
        "trace mount/file",
    ] {
        ends_with(INIT, line, "no answer within 8 s");
    }
}

#[test]
fn a_file_that_never_opens_is_given_up() {
    ends_with(
        LOOKUP,
        "run -d 20ms --no-store mount/file",
        "no answer within 8 s",
    );
}

#[test]
fn a_file_that_is_never_read_is_given_up() {
    ends_with(OPEN, "quick --no-store mount/file", "no answer within 8 s");
}
