//! What is written to and never replaced: pipes, terminals, `/dev/null`, and this process's own standard output under the
//! names that `/dev/stdout` leads to. Omitted: every other device, because what is written to it may be lost on it.

use super::file_facts;
use super::name::Name;
use super::walk::resolve;
use rustix::fs::{FileType, Mode, OFlags, fcntl_getfl, fcntl_setfl, fstat, major, minor, open};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::time::Duration;

/// Character devices that keep nothing: `/dev/null`, `/dev/zero`, `/dev/full`. // devices.txt of the kernel
const SINKS: [(u32, u32); 3] = [(1, 3), (1, 5), (1, 7)];
/// Terminals, consoles and pseudo-terminals. // devices.txt of the kernel
const TERMINALS: [std::ops::RangeInclusive<u32>; 2] = [4..=5, 136..=143];

/// How often a pipe is tried until it has a reader, and the time between: 5 s together.
const READER_TRIES: u32 = 100;
const READER_PAUSE: Duration = Duration::from_millis(50);
const NO_READER: &str = "no process reads from this pipe";

/// Which of the standard streams a name in `/proc/self/fd` is.
fn standard(folder: &File, name: &Name) -> Option<u32> {
    let number = match name.as_os_str().to_str() {
        Some("1") => 1,
        Some("2") => 2,
        _ => return None,
    };
    let own = resolve(Path::new("/proc/self/fd")).ok()?;
    let same = file_facts(&own.node?).ok()?.identity == file_facts(folder).ok()?.identity;
    same.then_some(number)
}

/// Whether a result is written to it.
pub(crate) fn is_one(folder: &File, name: &Name, node: &File) -> bool {
    let Ok(facts) = fstat(node) else {
        return false;
    };
    let device = (major(facts.st_rdev), minor(facts.st_rdev));
    let terminal = TERMINALS.iter().any(|range| range.contains(&device.0));
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::Fifo => true,
        FileType::CharacterDevice if SINKS.contains(&device) || terminal => true,
        FileType::RegularFile | FileType::Socket => standard(folder, name).is_some(),
        _ => false,
    }
}

/// Returns a descriptor of standard output of its own.
///
/// # Errors
/// Those of dup(2).
pub fn standard_output() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// Opens a pipe that has a reader.
///
/// # Errors
/// `ENXIO` where it has none: an open that waits could not be interrupted.
pub(crate) fn open_pipe(node: &File) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", node.as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    let pipe = open(path, flags | OFlags::NONBLOCK, Mode::empty())?;
    fcntl_setfl(&pipe, OFlags::empty())?; // writes wait for the reader
    Ok(pipe.into())
}

/// Writes to it.
pub(crate) fn write(folder: &File, name: &Name, node: &File, bytes: &[u8]) -> io::Result<()> {
    // Opened again it would have a place of its own, and write over what was printed before.
    match standard(folder, name) {
        Some(1) => {
            let mut out = io::stdout().lock();
            return out.write_all(bytes).and_then(|()| out.flush());
        }
        Some(_) => return io::stderr().lock().write_all(bytes),
        None => {}
    }
    let path = format!("/proc/self/fd/{}", node.as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    // A terminal without a process behind it gives the same error as a pipe without a reader.
    let is_pipe = FileType::from_raw_mode(fstat(node)?.st_mode) == FileType::Fifo;
    let mut left = READER_TRIES;
    let stream = loop {
        match open(&path, flags, Mode::empty()) {
            // A pipe without a reader: its reader may be started just after this program.
            Err(Errno::NXIO) if is_pipe && left > 0 => left -= 1,
            Err(Errno::NXIO) if is_pipe => return Err(io::Error::other(NO_READER)),
            Err(Errno::NOENT) => return Err(io::Error::other("/proc is missing")),
            opened => break opened?,
        }
        std::thread::sleep(READER_PAUSE);
    };
    fcntl_setfl(&stream, fcntl_getfl(&stream)? - OFlags::NONBLOCK)?;
    File::from(stream).write_all(bytes)
}
