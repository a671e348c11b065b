//! The terminal while a screen is drawn on it, and as it was before as soon as that ends: at the end, on an error, in a
//! panic.
//!
//! Deliberately absent: what is drawn, and which keys mean what.

use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where it is drawn.
pub type Screen = Terminal<CrosstermBackend<Box<dyn Write + Send>>>;

/// A screen is up. The panic's hook has to know, so it is no argument.
static UP: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Gives the terminal back when it goes.
#[derive(Debug)]
pub(crate) struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Takes the terminal, draws in `work` and gives it back, in any case.
///
/// # Errors
/// Those of the terminal, and of `work`.
pub fn screen<T>(
    out: Box<dyn Write + Send>,
    work: impl FnOnce(&mut Screen) -> io::Result<T>,
) -> io::Result<T> {
    let (mut screen, guard) = take(out)?;
    let done = work(&mut screen);
    drop(guard);
    done
}

/// The same in two halves, for a screen that another thread draws.
pub(crate) fn take(mut out: Box<dyn Write + Send>) -> io::Result<(Screen, Guard)> {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |what| {
            give_back();
            before(what);
        }));
    });
    enable_raw_mode()?;
    UP.store(true, Ordering::SeqCst);
    let guard = Guard(());
    execute!(out, EnterAlternateScreen)?;
    let mut screen = Terminal::new(CrosstermBackend::new(out))?;
    screen.hide_cursor()?;
    Ok((screen, guard))
}

/// Once for each time it was taken. Both outputs are restored: only one of them need be the terminal, and which one was
/// drawn on is not known in a panic. An output that is none gets nothing.
fn give_back() {
    if !UP.swap(false, Ordering::SeqCst) {
        return;
    }
    use std::io::IsTerminal;
    if io::stdout().is_terminal() {
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
    } else if io::stderr().is_terminal() {
        let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
    }
    let _ = disable_raw_mode();
}
