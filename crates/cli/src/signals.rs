//! Ctrl-C, and what else asks a program to end: the first time is a word, the second time kills.
//!
//! Everything happens inside the signal handlers that `signal-hook` installs (atomic stores, and the default
//! action), so a stuck program is killed too.

use engine::Stop;
use host::Root;
use model::CommandError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Whether a person (or the system) has asked for the end. Not the same as the stop flag, which a deadline may
/// set too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

/// The interrupt that [`listen`] returned first, for what waits without a word of it.
static FIRST: OnceLock<Interrupt> = OnceLock::new();

/// Returns whether the user asked for the end. Before [`listen`] a signal ends the program itself.
pub(crate) fn is_ended() -> bool {
    FIRST.get().is_some_and(Interrupt::asked)
}

impl Interrupt {
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A write beyond the limit on the length of files (`ulimit -f`) fails with EFBIG from now on, instead of killing the
/// program and leaving half a file. The flag itself is never read: a handler is enough, and children do not inherit it.
pub(crate) fn outlive_file_size_limit() {
    // Where it fails, the signal kills as before.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// From now on the first signal sets `stop`; a second one has its default action, which ends the program.
pub(crate) fn listen(stop: &Stop) -> Result<Interrupt, CommandError> {
    let interrupt = Interrupt::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal == SIGHUP && host::hangup_is_ignored(&Root::live()) {
            continue;
        }
        // The order matters: the default action is taken only if the flag was set before this signal.
        flag::register_conditional_default(signal, Arc::clone(&interrupt.0))
            .and_then(|_| flag::register(signal, stop.flag()))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupt.0)))
            .map_err(|error| {
                CommandError::failed(format!("signal {signal} cannot be listened to: {error}"))
            })?;
    }
    let _ = FIRST.set(interrupt.clone());
    Ok(interrupt)
}
