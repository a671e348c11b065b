//! Ctrl-C, and what else asks a program to end: the first time is a word, the second time kills.
//! Omitted: how a system asks (`system`).

use crate::system;
use engine::Stop;
use model::CommandError;
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

/// From now on the first Ctrl-C, or what else asks for the end, sets `stop`; the second one ends the program.
pub(crate) fn listen(stop: &Stop) -> Result<Interrupt, CommandError> {
    let interrupt = Interrupt::default();
    system::listen_to(stop, &interrupt.0).map_err(CommandError::failed)?;
    let _ = FIRST.set(interrupt.clone());
    Ok(interrupt)
}
