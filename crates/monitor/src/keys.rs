//! What a person does while a screen is up: keys, and another size of the window.

use crossterm::event::{Event, KeyEvent, poll, read};
use std::io;
use std::time::Duration;

/// Something that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(KeyEvent),
    /// The window has another size, or its content was lost.
    Size,
}

impl Input {
    /// What it leads to: a key is `press`'s business, another size wants a new picture.
    pub fn change<T>(
        self,
        watch: &mut T,
        press: fn(&mut T, KeyEvent) -> crate::watch::Next,
    ) -> crate::watch::Next {
        match self {
            Input::Key(key) => press(watch, key),
            Input::Size => crate::watch::Next::Draw,
        }
    }
}

/// Waits for the next one, at most so long.
///
/// # Errors
/// Where the terminal has gone.
pub fn key_or_size(most: Duration) -> io::Result<Option<Input>> {
    // Waiting is not crossterm's: on a terminal that has gone it never comes back. But it may have keys that came
    // together.
    host::wait_for_keys(Duration::ZERO)?;
    if !poll(Duration::ZERO)? {
        host::wait_for_keys(most)?;
        if !poll(Duration::ZERO)? {
            return Ok(None);
        }
    }
    Ok(match read()? {
        Event::Key(key) => Some(Input::Key(key)),
        Event::Resize(..) => Some(Input::Size),
        _ => None,
    })
}
