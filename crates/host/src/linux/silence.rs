//! Notices where a file system never answers: its server is gone, or its device hangs.
//!
//! A question about a path has no time limit in the kernel, and no signal that is handled interrupts it. So a thread of its own
//! compares every second where the main thread is, and reports it after [`ANSWER_S`] in one and the same system call that
//! only looks. Omitted: reads and writes, which the engine gives up by itself; waits for the other end of a pipe; what
//! follows from it (`cli`).

use std::fs;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// How long a file system may take for one answer: a disk that has to spin up takes less.
const ANSWER_S: u32 = 8;
const STEP: Duration = Duration::from_secs(1);
/// Where a thread waits for the other end of a pipe that it opens. // fs/pipe.c of the kernel
const PIPE: &str = "wait_for_partner";
/// Longest name that a message repeats.
const NAME_BYTES: u64 = 1024;

/// Where the names of a system call are among its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// A descriptor, and a name below it; an empty one is the descriptor's own.
    Below,
    /// A name alone.
    Alone,
    /// A descriptor alone.
    Open,
}

/// The calls that look. // syscalls(2)
const LOOKS: [(libc::c_long, Named); 15] = [
    (libc::SYS_openat, Named::Below),
    (libc::SYS_openat2, Named::Below),
    (libc::SYS_statx, Named::Below),
    (libc::SYS_newfstatat, Named::Below),
    (libc::SYS_readlinkat, Named::Below),
    (libc::SYS_faccessat, Named::Below),
    (libc::SYS_faccessat2, Named::Below),
    (libc::SYS_getxattr, Named::Alone),
    (libc::SYS_lgetxattr, Named::Alone),
    (libc::SYS_statfs, Named::Alone),
    (libc::SYS_fgetxattr, Named::Open),
    (libc::SYS_fstatfs, Named::Open),
    (libc::SYS_fstat, Named::Open),
    (libc::SYS_lseek, Named::Open),
    (libc::SYS_getdents64, Named::Open),
];

/// Returns the limit on the stack of the first thread, in bytes; `None` without one. Source: proc_pid_limits(5).
pub fn stack_limit() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let stack = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max stack size"))?;
    stack.split_whitespace().next()?.parse().ok()
}

/// Begins to watch the main thread. `report` gets a sentence on what never answered, once. Where no thread can be started,
/// or without /proc, nothing is watched.
pub fn watch_for_silence(report: fn(&str)) {
    let watched = format!("/proc/self/task/{}", std::process::id()); // the main thread has the process's number
    let watch = move || {
        let (mut before, mut seconds) = (String::new(), 0);
        loop {
            thread::sleep(STEP);
            let Some(now) = place(&watched) else {
                return;
            };
            seconds = if now == before { seconds + 1 } else { 0 };
            before = now;
            if seconds >= ANSWER_S
                && let Some(name) = looked_at(&before, &watched)
            {
                report(&format!(
                    "{name}: no answer within {ANSWER_S} s: its file system or device hangs; hint: see the system's log (dmesg)"
                ));
                return;
            }
        }
    };
    let _ = thread::Builder::new()
        .name("silence".to_owned())
        .spawn(watch);
}

/// The system call of a thread with its arguments, and how often the thread has waited; equal while it is in one call.
fn place(task: &str) -> Option<String> {
    let call = fs::read_to_string(format!("{task}/syscall")).ok()?;
    let status = fs::read_to_string(format!("{task}/status")).ok()?;
    let waits = |line: &&str| line.starts_with("voluntary_ctxt_switches");
    Some(call + status.lines().find(waits)?)
}

/// The path that a call asks about; `None` where it does something else. Source: proc_pid_syscall(5).
fn looked_at(place: &str, task: &str) -> Option<String> {
    let mut words = place.split_whitespace();
    let number: libc::c_long = words.next()?.parse().ok()?;
    let arguments: Vec<u64> = words
        .map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
        .collect();
    let (_, named) = LOOKS.iter().find(|(look, _)| *look == number)?;
    let waits = fs::read_to_string(format!("{task}/wchan")).unwrap_or_default();
    if waits.contains(PIPE) {
        return None;
    }
    let open = |at: usize| descriptor(*arguments.get(at)?);
    let name = |at: usize| text_at(*arguments.get(at)?).filter(|name| !name.is_empty());
    let found = match named {
        Named::Open => open(0),
        Named::Alone => name(0).map(linked),
        Named::Below => match name(1) {
            Some(name) if name.starts_with('/') => Some(linked(name)),
            Some(name) => Some(open(0).map_or(PathBuf::from(&name), |folder| folder.join(&name))),
            None => open(0),
        },
    };
    Some(found.map_or_else(|| "a file".to_owned(), |path| path.display().to_string()))
}

fn descriptor(number: u64) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", number as u32 as i32)).ok()
}

/// The name behind a name of an open descriptor, which is no name of a person's.
fn linked(name: String) -> PathBuf {
    let own = name
        .starts_with("/proc/self/fd/")
        .then(|| fs::read_link(&name).ok());
    own.flatten().unwrap_or_else(|| PathBuf::from(name))
}

/// A text of this process, by its address. The thread that uses it waits, so that it stays.
fn text_at(address: u64) -> Option<String> {
    let mut memory = fs::File::open("/proc/self/mem").ok()?;
    memory.seek(SeekFrom::Start(address)).ok()?;
    let mut bytes = Vec::new();
    // What is behind the text may not be mapped: a read ends there, and the next one fails.
    for byte in BufReader::new(memory.take(NAME_BYTES)).bytes() {
        match byte {
            Ok(0) => return String::from_utf8(bytes).ok(),
            Ok(byte) => bytes.push(byte),
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_looks_is_named_by_what_it_looks_at() {
        let task = format!("/proc/self/task/{}", std::process::id());
        let name = c"/no/such/name";
        let call = |number: libc::c_long| {
            format!(
                "{number} 0xffffff9c {:#x} 0x0 0x0 0x7ffd 0x7f\nvoluntary_ctxt_switches:\t7",
                name.as_ptr() as u64
            )
        };
        assert_eq!(
            looked_at(&call(libc::SYS_openat), &task).as_deref(),
            Some("/no/such/name")
        );
        assert_eq!(looked_at(&call(libc::SYS_futex), &task), None);
        assert_eq!(looked_at("running\n", &task), None);
        assert!(place(&task).is_some());
    }
}
