//! A file system in user space with one link in it, as a user mounts one: its server decides what every folder of it seems to be.
//!
//! Source: the kernel's `include/uapi/linux/fuse.h`, protocol 7.31.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

/// The file system's root.
const ROOT: u64 = 1;
/// The link in it.
const LINK: u64 = 2;
const NO_ENTRY: i32 = 2;
const NO_CALL: i32 = 38;
/// More than a request without data.
const REQUEST_MAX: usize = 1 << 17;

/// Mounted; unmounted with the value.
pub(super) struct Served {
    at: PathBuf,
    server: Option<JoinHandle<()>>,
}

impl Served {
    /// A folder that seems to be root's, mode 0755, with `link`, in a mount of this user. `None`, with a message, where
    /// there is no FUSE.
    pub(super) fn with_link(at: &Path, target: &Path, user: u32) -> Option<Served> {
        let skipped = || println!("skipped: no file system in user space can be mounted");
        let mut options = File::options();
        let Ok(device) = options.read(true).write(true).open("/dev/fuse") else {
            skipped();
            return None;
        };
        let how = format!("fd=0,rootmode=40000,user_id={user},group_id={user},allow_other");
        let mut mount = Command::new("mount");
        mount
            .args(["-i", "-t", "fuse", "-o", &how, "served"])
            .arg(at);
        mount
            .stdin(Stdio::from(device.try_clone().unwrap()))
            .stderr(Stdio::null());
        if !mount.status().is_ok_and(|status| status.success()) {
            skipped();
            return None;
        }
        let target = target.as_os_str().as_bytes().to_vec();
        let server = std::thread::spawn(move || serve(device, &target));
        Some(Served {
            at: at.to_owned(),
            server: Some(server),
        })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.at).status();
        if unmounted.is_ok_and(|status| status.success())
            && let Some(server) = self.server.take()
        {
            let _ = server.join(); // a panic there was printed
        }
    }
}

/// Answers until the file system is unmounted.
fn serve(mut device: File, target: &[u8]) {
    let mut request = vec![0; REQUEST_MAX];
    while let Ok(length) = device.read(&mut request) {
        let word = |at: usize| u32::from_ne_bytes(request[at..at + 4].try_into().unwrap());
        let long = |at: usize| u64::from_ne_bytes(request[at..at + 8].try_into().unwrap());
        let (call, number, node) = (word(4), long(8), long(16));
        let answer = match call {
            1 if &request[40..length] == b"link\0" => Ok(entry()),
            1 => Err(NO_ENTRY),
            2 | 36 | 42 => continue, // nothing is answered
            3 => Ok([vec![0; 16], attributes(node)].concat()),
            5 => Ok(target.to_vec()),
            17 => Ok(vec![0; 80]),
            26 => Ok(initial()),
            27 => Ok(vec![0; 16]),
            _ => Err(NO_CALL),
        };
        let (error, body) = match answer {
            Ok(body) => (0, body),
            Err(error) => (-error, Vec::new()),
        };
        let mut reply = (16 + body.len() as u32).to_ne_bytes().to_vec();
        reply.extend(error.to_ne_bytes());
        reply.extend(number.to_ne_bytes());
        reply.extend(body);
        let _ = device.write_all(&reply); // the caller may be gone
    }
}

fn initial() -> Vec<u8> {
    let mut words = [0u32; 16];
    (words[0], words[1], words[5]) = (7, 31, 4096); // the version, and the most that is written
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn entry() -> Vec<u8> {
    [LINK.to_ne_bytes().to_vec(), vec![0; 32], attributes(LINK)].concat()
}

/// Of the root folder or of the link: both seem to be root's.
fn attributes(node: u64) -> Vec<u8> {
    let mode: u32 = match node {
        ROOT => 0o040_755,
        _ => 0o120_777,
    };
    let mut bytes = node.to_ne_bytes().to_vec();
    bytes.extend([0; 52]); // length, blocks and times
    for word in [mode, 1, 0, 0, 0, 4096, 0] {
        bytes.extend(word.to_ne_bytes());
    }
    bytes
}
