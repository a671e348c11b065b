//! Runs a program as if it were run without fathom: its streams, its signals, its exit code. Reads what every descendant
//! requested before the kernel forgets it.
//!
//! fathom is the reaper of descendants whose parent has ended (PR_SET_CHILD_SUBREAPER), so their counts can be read while they
//! are zombies. A process whose parent ignores SIGCHLD is reaped by the kernel and is not counted. Signals that a process sends
//! are passed on; those of a terminal reach the whole process group anyway. Sources: prctl(2), waitid(2), sigaction(2),
//! pidfd_open(2). Omitted: what the counts mean, and printing.
#![allow(unsafe_code)]

use super::account::{descendants, program_io};
use crate::reported::{EndedProgram, StartError, TakeOutput};
use crate::root::Root;
use libc::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGXCPU};
use model::record::audited::{ProgramEnd, ProgramIo};
use std::ffi::OsString;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time between two samples, at the start and at most.
const FIRST_MS: u32 = 1;
const LAST_MS: u32 = 250;
/// How long output is awaited of descendants that still run.
const OUTPUT_WAIT: Duration = Duration::from_millis(200);
const CHUNK_BYTES: usize = 64 << 10;

/// Runs a program until it ends. `sample` is called with the processes that run, often at the start and then four times per second.
/// With `take` the program's standard output is a pipe, and each part of it is passed on until `take` returns false.
///
/// # Errors
/// It could not be started.
pub fn run_program(
    root: &Root,
    words: &[OsString],
    take: Option<TakeOutput>,
    sample: &mut dyn FnMut(&[u32]),
) -> Result<EndedProgram, StartError> {
    let (program, arguments) = words.split_first().ok_or(StartError::NotFound)?;
    reap_descendants();
    let signals = Signals::catch().map_err(StartError::Other)?;
    let mut command = Command::new(program);
    command.args(arguments);
    if take.is_some() {
        command.stdout(Stdio::piped());
    }
    let mut child = command.spawn().map_err(of_start)?;
    let output = child.stdout.take().zip(take);
    let output = output.map(|(output, take)| passed_on(output, take));
    let mut io = ProgramIo::default();
    let ending = until_ended(root, &child, &signals, &mut |event| match event {
        Event::Ended(counts) => io = io.and(counts),
        Event::Running => sample(&descendants(root, std::process::id())),
    });
    while let Some(ended) = zombie() {
        io = io.and(counted(root, ended.process));
        reap(ended.process);
    }
    let running = descendants(root, std::process::id());
    for process in &running {
        io = io.and(counted(root, *process));
    }
    io.still_running = running.len() as u64;
    if let Some(done) = output {
        let _ = match running.is_empty() {
            true => done.recv().is_ok(),
            false => done.recv_timeout(OUTPUT_WAIT).is_ok(),
        };
    }
    Ok(EndedProgram {
        ending,
        io,
        running,
    })
}

fn of_start(error: io::Error) -> StartError {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => StartError::NotFound,
        Some(libc::EACCES | libc::EPERM | libc::ENOEXEC | libc::EISDIR | libc::ETXTBSY) => {
            StartError::NotExecutable(error)
        }
        _ => StartError::Other(error),
    }
}

/// What happens while a program runs.
enum Event {
    /// A process has ended with these counts.
    Ended(ProgramIo),
    /// It is time for a sample.
    Running,
}

fn until_ended(
    root: &Root,
    child: &Child,
    signals: &Signals,
    event: &mut dyn FnMut(Event),
) -> ProgramEnd {
    let ends = end_of(child);
    let mut wait_ms = FIRST_MS;
    loop {
        signals.pass_on(child);
        while let Some(ended) = zombie() {
            event(Event::Ended(counted(root, ended.process)));
            reap(ended.process);
            if ended.process == child.id() {
                return ended.ending;
            }
        }
        event(Event::Running);
        signals.wait(ends.as_ref(), wait_ms);
        wait_ms = (wait_ms * 2).min(LAST_MS);
    }
}

fn counted(root: &Root, process: u32) -> ProgramIo {
    program_io(root, process).unwrap_or(ProgramIo {
        unread: 1,
        ..ProgramIo::default()
    })
}

/// Passes output on in a thread of its own, because the program waits where its pipe is full.
fn passed_on(mut output: ChildStdout, mut take: TakeOutput) -> Receiver<()> {
    let (done, ended) = channel();
    std::thread::spawn(move || {
        let mut part = vec![0; CHUNK_BYTES];
        loop {
            match output.read(&mut part) {
                Ok(length) if length > 0 && take(&part[..length]) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => break, // its end, or a reader that has gone
            }
        }
        drop(output);
        let _ = done.send(());
    });
    ended
}

/// Orphans among the descendants become children of this process. Where that is not supported, they are not counted.
fn reap_descendants() {
    // SAFETY: sets a flag of this process by numbers. // prctl(2)
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Returns a descriptor that can be read once the child has ended; none before Linux 5.3. // pidfd_open(2)
fn end_of(child: &Child) -> Option<OwnedFd> {
    // SAFETY: takes numbers; the child has not been waited for, so its number is its own.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id(), 0) };
    let descriptor = i32::try_from(descriptor).ok().filter(|&found| found >= 0)?;
    // SAFETY: the kernel has just returned this descriptor, and nothing else owns it.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// A child that has ended and is not reaped yet.
struct Zombie {
    process: u32,
    ending: ProgramEnd,
}

/// Returns one of them and leaves it as it is.
fn zombie() -> Option<Zombie> {
    let mut facts = MaybeUninit::<libc::siginfo_t>::zeroed();
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the kernel fills one siginfo_t, which outlives the call.
    let code = unsafe { libc::waitid(libc::P_ALL, 0, facts.as_mut_ptr(), how) };
    if code != 0 {
        return None;
    }
    // SAFETY: it was zeroed, and every bit pattern of its integers is a value.
    let facts = unsafe { facts.assume_init() };
    // SAFETY: the field that waitid(2) fills; zero where no child has ended.
    let process = unsafe { facts.si_pid() };
    // SAFETY: as above.
    let status = unsafe { facts.si_status() };
    let number = (status & 0xff) as u8;
    (process != 0).then(|| Zombie {
        process: process.unsigned_abs(),
        ending: match facts.si_code {
            libc::CLD_EXITED => ProgramEnd::Exited(number),
            _ => ProgramEnd::Killed(number),
        },
    })
}

fn reap(process: u32) {
    let mut facts = MaybeUninit::<libc::siginfo_t>::zeroed();
    let how = libc::WEXITED | libc::WNOHANG;
    // SAFETY: the kernel fills one siginfo_t, which outlives the call.
    unsafe { libc::waitid(libc::P_PID, process, facts.as_mut_ptr(), how) };
}

/// Signals that are passed on: all that end a program or that programs use between themselves.
const PASSED: [i32; 9] = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGXCPU,
];

/// A bit for each signal that another process has sent.
static SENT: AtomicU64 = AtomicU64::new(0);
/// Where the handler writes a byte, so that a wait ends.
static WAKE: AtomicI32 = AtomicI32::new(-1);

extern "C" fn caught(signal: i32, facts: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes the facts of this signal, which outlive the handler.
    let code = unsafe { (*facts).si_code };
    // The kernel's own codes are above 0: of a terminal, which signals the whole process group. // sigaction(2)
    if code <= 0 {
        SENT.fetch_or(1 << signal, Ordering::Relaxed);
        let wake = WAKE.load(Ordering::Relaxed);
        // SAFETY: the place of this thread's error number.
        let error = unsafe { libc::__errno_location() };
        // SAFETY: it is valid as long as the thread.
        let before = unsafe { *error };
        // SAFETY: writes one byte that outlives the call; a full pipe fails, and then a byte is in it.
        unsafe { libc::write(wake, [0u8].as_ptr().cast(), 1) };
        // SAFETY: as above.
        unsafe { *error = before };
    }
}

/// The signals of this process, caught from now on until it ends.
struct Signals {
    wake: [OwnedFd; 2],
}

impl Signals {
    /// A signal that is ignored stays so, also for the program.
    fn catch() -> io::Result<Signals> {
        let mut ends = [0; 2];
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
        // SAFETY: the kernel writes two descriptors into the array.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), flags) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just returned them, and nothing else owns them.
        let wake = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        WAKE.store(wake[1].as_raw_fd(), Ordering::Relaxed);
        PASSED.into_iter().for_each(catch_one);
        // SAFETY: sets the default action, so that children that have ended wait for this process.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
        Ok(Signals { wake })
    }

    /// Sends on what was sent to this process.
    fn pass_on(&self, child: &Child) {
        let sent = SENT.swap(0, Ordering::Relaxed);
        for signal in PASSED
            .into_iter()
            .filter(|signal| sent & (1 << signal) != 0)
        {
            // SAFETY: takes numbers; the child has not been waited for, so its number is its own.
            unsafe { libc::kill(child.id().cast_signed(), signal) };
        }
    }

    /// Waits until the child has ended or a signal was caught, at most so long.
    fn wait(&self, ends: Option<&OwnedFd>, most_ms: u32) {
        const WITHOUT_END_MS: u32 = 10;
        let watched = |descriptor: i32| libc::pollfd {
            fd: descriptor, // a negative one is ignored
            events: libc::POLLIN,
            revents: 0,
        };
        let ending = ends.map_or(-1, AsRawFd::as_raw_fd);
        let mut both = [watched(self.wake[0].as_raw_fd()), watched(ending)];
        let most_ms = match ends {
            Some(_) => most_ms,
            None => most_ms.min(WITHOUT_END_MS),
        };
        // SAFETY: two entries are passed and two exist; they outlive the call, and so do the descriptors in them.
        unsafe { libc::poll(both.as_mut_ptr(), 2, most_ms.cast_signed()) };
        let mut bytes = [0u8; 64];
        // SAFETY: the buffer has the given length and outlives the call; an empty pipe fails at once.
        unsafe { libc::read(self.wake[0].as_raw_fd(), bytes.as_mut_ptr().cast(), 64) };
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        WAKE.store(-1, Ordering::Relaxed);
    }
}

fn catch_one(signal: i32) {
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks for the present action, which the kernel writes into a structure that outlives the call.
    unsafe { libc::sigaction(signal, std::ptr::null(), before.as_mut_ptr()) };
    // SAFETY: it was zeroed, and every bit pattern of its integers is a value.
    let before = unsafe { before.assume_init() };
    if before.sa_sigaction == libc::SIG_IGN {
        return;
    }
    let mut action = before;
    action.sa_sigaction = caught as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler makes only calls that signal-safety(7) lists and has the form that SA_SIGINFO demands.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}
