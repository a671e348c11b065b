//! Runs a program to its end and reports its cost: wall time, CPU time and peak memory, as the kernel counts them.
#![allow(
    unsafe_code,
    reason = "wait4 reports the cost, and std does not call it"
)]

use crate::error::{BenchError, doing};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a program printed and cost, from its start to its exit.
pub(crate) struct Cost {
    pub(crate) out: String,
    pub(crate) wall: Duration,
    pub(crate) user: Duration,
    pub(crate) system: Duration,
    /// At least this program's own size at the moment of the start, about 3 MiB: the kernel counts from there.
    pub(crate) peak_bytes: u64,
}

/// Set when the person stops everything.
#[derive(Clone)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From here on a signal that ends programs sets the word instead.
    pub(crate) fn listen() -> Result<Stop, BenchError> {
        let word = Arc::new(AtomicBool::new(false));
        for &signal in signal_hook::consts::TERM_SIGNALS {
            signal_hook::flag::register(signal, Arc::clone(&word)).map_err(doing("signals"))?;
        }
        Ok(Stop(word))
    }

    /// An error once the person stops everything.
    pub(crate) fn check(&self) -> Result<(), BenchError> {
        match self.asked() {
            true => Err(BenchError::Stopped),
            false => Ok(()),
        }
    }

    fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `command`; an exit code other than 0 is an error with the program's last words.
#[allow(
    clippy::disallowed_methods,
    reason = "times processes; there is no loop here whose clock a test could control"
)]
pub(crate) fn run(command: &mut Command, stop: &Stop) -> Result<Cost, BenchError> {
    let line = words(command);
    let errors = tempfile::tempfile().map_err(doing("a file for messages"))?;
    let for_child = errors.try_clone().map_err(doing("a file for messages"))?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(for_child);
    let started = Instant::now();
    let mut child = command.spawn().map_err(doing(line.clone()))?;
    let mut out = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut out).map_err(doing(line.clone()))?;
    }
    let (status, usage) = wait(child.id()).map_err(doing(line.clone()))?;
    let wall = started.elapsed();
    if stop.asked() {
        return Err(BenchError::Stopped);
    }
    if status != 0 {
        return Err(BenchError::Failed {
            command: line,
            status: described(status),
            printed: last_words(errors),
        });
    }
    Ok(Cost {
        out,
        wall,
        user: span(usage.ru_utime),
        system: span(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    })
}

/// The command as a person would write it.
pub(crate) fn words(command: &Command) -> String {
    let all = std::iter::once(command.get_program()).chain(command.get_args());
    let all: Vec<_> = all.map(|word| word.to_string_lossy()).collect();
    all.join(" ")
}

fn wait(process: u32) -> std::io::Result<(i32, libc::rusage)> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both places are ours and live; the process is our child and no other code waits for it.
        let got =
            unsafe { libc::wait4(process as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) };
        if got >= 0 {
            // SAFETY: all bytes were set, first to zero and then by the kernel; any value is a valid one.
            return Ok((status, unsafe { usage.assume_init() }));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn described(status: i32) -> String {
    if libc::WIFEXITED(status) {
        format!("exit code {}", libc::WEXITSTATUS(status))
    } else {
        format!("signal {}", libc::WTERMSIG(status))
    }
}

fn span(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

fn last_words(mut errors: std::fs::File) -> String {
    let mut said = Vec::new();
    let _ = std::io::Seek::rewind(&mut errors);
    let _ = errors.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    said.lines().last().unwrap_or("no message").to_owned()
}
