//! Named events: one process sets one, others wait for it. They are the system's own, by the same names as DISKSPD's. Source:
//! CreateEventW.
//!
//! Once set, an event stays set as long as a process has it.

use super::calls::wait;
use super::process_calls::{create_event, open_event};
use std::io;
use std::os::windows::io::OwnedHandle;
use std::path::Path;
use std::time::Duration;

/// How long each wait for an event is at most.
const WAIT: Duration = Duration::from_millis(5);

/// An event that this process has open.
#[derive(Debug)]
pub struct Event {
    event: OwnedHandle,
}

impl Event {
    /// Takes part in an event; it is created if no process has it.
    ///
    /// # Errors
    /// A sentence with the reason and the remedy.
    pub fn hold(_: Option<&Path>, name: &str) -> Result<Event, String> {
        let event = create_event(name).map_err(|error| {
            format!("the event {name} cannot be created: {error}; specify another name")
        })?;
        Ok(Event { event })
    }

    /// Sets it, for everybody who waits now or later.
    pub fn set(&self) {
        let _ = super::process_calls::set_event(&self.event); // it is open for that
    }

    /// Returns whether any process has set it.
    pub fn is_set(&self) -> bool {
        super::calls::is_signalled(&self.event)
    }

    /// Waits until it is set or `given_up`; whether it is set.
    pub fn wait(&self, given_up: impl Fn() -> bool) -> bool {
        while !self.is_set() {
            if given_up() || !wait(&self.event, WAIT) {
                return false;
            }
        }
        true
    }
}

/// Sets an event that another process has.
///
/// # Errors
/// A sentence with the reason and the remedy.
pub fn set_event(_: Option<&Path>, name: &str) -> Result<(), String> {
    let set = open_event(name).and_then(|event| super::process_calls::set_event(&event));
    set.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!(
            "{name}: no process of this session waits for or owns an event of this name: start that one first, and \
             check the spelling"
        ),
        _ => format!("the event {name} cannot be set: {error}; specify another name"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_there_while_it_is_held_and_stays_set() {
        let name = format!("fathom-test-{}", std::process::id());
        assert!(set_event(None, &name).unwrap_err().contains("no process"));
        let (one, other) = (Event::hold(None, &name), Event::hold(None, &name));
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!(!one.wait(|| true));
        set_event(None, &name).unwrap();
        assert!(one.wait(|| true) && other.is_set());
        drop(one);
        assert!(Event::hold(None, &name).unwrap().is_set());
        drop(other);
        assert!(!Event::hold(None, &name).unwrap().is_set());
    }

    #[test]
    fn a_name_of_another_object_is_no_event() {
        assert!(Event::hold(None, r"Nowhere\go").is_err());
    }
}
