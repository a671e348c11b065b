//! Signals that ask a program to end. Everything happens inside the handlers that `signal-hook` installs (atomic stores, and
//! the default action), so a stuck program is killed too.

use engine::Stop;
use host::Root;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A write beyond the limit on the length of files (`ulimit -f`) fails with EFBIG from now on, instead of killing the
/// program and leaving half a file. The flag itself is never read: a handler is enough, and children do not inherit it.
pub(crate) fn outlive_file_size_limit() {
    // Where it fails, the signal kills as before.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// From now on the first signal, also that of a limit on processor time (`ulimit -t`), sets `stop` and `interrupt`; a second one has its default action, which ends the program.
///
/// # Errors
/// Which signal cannot be listened to, and why.
pub(crate) fn listen_to(stop: &Stop, interrupt: &Arc<AtomicBool>) -> Result<(), String> {
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGXCPU] {
        if signal == SIGHUP && host::hangup_is_ignored(&Root::live()) {
            continue;
        }
        // The order matters: the default action is taken only if the flag was set before this signal.
        flag::register_conditional_default(signal, Arc::clone(interrupt))
            .and_then(|_| flag::register(signal, stop.flag()))
            .and_then(|_| flag::register(signal, Arc::clone(interrupt)))
            .map_err(|error| format!("signal {signal} cannot be listened to: {error}"))?;
    }
    Ok(())
}

/// Does what Ctrl-C does.
pub(crate) fn interrupt_self() {
    let _ = signal_hook::low_level::raise(SIGINT);
}
