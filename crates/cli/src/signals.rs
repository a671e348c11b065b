//! Ctrl-C, and what else asks a program to end: the first time is a word, the second time kills.
//!
//! Everything happens inside the signal handlers that `signal-hook` installs (atomic stores, and the default
//! action), so a stuck program is killed too.

use crate::failure::Failure;
use engine::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a person (or the system) has asked for the end. Not the same as the stop word, which a deadline may
/// say too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From now on the first signal says `stop`; a second one has its default action, which ends the program.
pub(crate) fn listen(stop: &Stop) -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal == SIGHUP && hangup_is_ignored() {
            continue;
        }
        // The order matters: the default action is taken only if the word was said before this signal.
        flag::register_conditional_default(signal, Arc::clone(&interrupt.0))
            .and_then(|_| flag::register(signal, stop.flag()))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupt.0)))
            .map_err(|error| {
                Failure::failed(format!("signal {signal} cannot be listened to: {error}"))
            })?;
    }
    Ok(interrupt)
}

/// Whoever starts a program under `nohup` wants it to outlive the terminal. Source: proc_pid_status(5),
/// `SigIgn`: a hexadecimal mask, lowest bit for signal 1. Where that cannot be read, hanging up ends the run.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored_mask(&status).is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

fn ignored_mask(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read_as_the_kernel_writes_it() {
        let status = "Name:\tfathom\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored_mask(status), Some(0x1001));
        assert_eq!(ignored_mask("Name:\tfathom\n"), None);
    }
}
