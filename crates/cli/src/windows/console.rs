//! The console: Ctrl-C, its closing, and whether it shows colours. Windows calls a handler on a thread of its own.
//! Source: SetConsoleCtrlHandler, HandlerRoutine, SetConsoleMode.
#![allow(unsafe_code, reason = "calls on the console")]

use engine::Stop;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use windows_sys::Win32::Foundation::{HANDLE, STATUS_CONTROL_C_EXIT};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode,
    GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE, STD_OUTPUT_HANDLE, SetConsoleCtrlHandler,
    SetConsoleMode,
};

/// Windows ends the process so long after its console was closed, or when the handler returns.
const CLOSING: Duration = Duration::from_millis(4800);

/// The flags of one call of [`listen_to`].
type Flags = (Arc<AtomicBool>, Arc<AtomicBool>);

static LISTENING: Mutex<Vec<Flags>> = Mutex::new(Vec::new());

/// From now on the first Ctrl-C, Ctrl-Break or end of the console sets `stop` and `interrupt`; a second one ends the program.
///
/// # Errors
/// Why the console cannot be listened to.
pub(crate) fn listen_to(stop: &Stop, interrupt: &Arc<AtomicBool>) -> Result<(), String> {
    let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    if listening.is_empty() {
        // SAFETY: the handler is a function that is there as long as the program.
        let good = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
        if good == 0 {
            let error = io::Error::last_os_error();
            return Err(format!("Ctrl-C cannot be listened to: {error}"));
        }
    }
    listening.push((stop.flag(), Arc::clone(interrupt)));
    Ok(())
}

/// Returns 1 where the event needs nothing else; 0 leaves it to Windows, which ends the program.
extern "system" fn handle(event: u32) -> i32 {
    let is_first = set_flags();
    match event {
        CTRL_C_EVENT | CTRL_BREAK_EVENT => i32::from(is_first),
        _ => {
            // The console is closed, or the user logs off: what was measured is stored meanwhile.
            std::thread::sleep(CLOSING);
            1
        }
    }
}

/// Sets all flags; whether none was set before.
fn set_flags() -> bool {
    let listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_first = true;
    for (stop, interrupt) in listening.iter() {
        is_first &= !interrupt.swap(true, SeqCst);
        stop.store(true, SeqCst);
    }
    is_first
}

/// Does what Ctrl-C does.
pub(crate) fn interrupt_self() {
    if !set_flags() {
        std::process::exit(STATUS_CONTROL_C_EXIT);
    }
}

/// Whether the consoles that results and messages go to show colours; switched on where they do not yet.
pub(crate) fn shows_colours() -> bool {
    let shows = |which: STD_HANDLE| {
        // SAFETY: asks for a handle of this process, which may be none.
        let console = unsafe { GetStdHandle(which) };
        mode_of(console).is_none_or(|mode| {
            let mode = mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
            // SAFETY: a handle that was just asked for a mode, and a number.
            unsafe { SetConsoleMode(console, mode) != 0 }
        })
    };
    [STD_OUTPUT_HANDLE, STD_ERROR_HANDLE].into_iter().all(shows)
}

/// The mode of a console; `None` for anything else.
fn mode_of(console: HANDLE) -> Option<u32> {
    let mut mode = 0;
    // SAFETY: an invalid handle is an error; the result outlives the call.
    let good = unsafe { GetConsoleMode(console, &raw mut mode) };
    (good != 0).then_some(mode)
}
