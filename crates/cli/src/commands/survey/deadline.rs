//! The end of the budget, kept strictly: the survey is stopped at that moment, with any plan.

use engine::Stop;
use model::Nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

/// Sets the stop flag when its time has come; dropping it cancels that.
pub(crate) struct Deadline {
    struck: Arc<AtomicBool>,
    call_off: Option<Sender<()>>,
    waiter: Option<JoinHandle<()>>,
}

impl Deadline {
    /// `after` from now.
    pub(crate) fn set(after: Nanos, stop: &Stop) -> std::io::Result<Self> {
        let (call_off, called_off) = mpsc::channel();
        let (stop, struck) = (stop.clone(), Arc::new(AtomicBool::new(false)));
        let mark = Arc::clone(&struck);
        let waiter = thread::Builder::new()
            .name("deadline".to_owned())
            .spawn(move || {
                let waited = called_off.recv_timeout(after.as_duration());
                if waited == Err(RecvTimeoutError::Timeout) {
                    mark.store(true, Ordering::Relaxed);
                    stop.ask();
                }
            })?;
        Ok(Deadline {
            struck,
            call_off: Some(call_off),
            waiter: Some(waiter),
        })
    }

    /// Whether this set the flag.
    pub(crate) fn struck(&self) -> bool {
        self.struck.load(Ordering::Relaxed)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        drop(self.call_off.take());
        if let Some(waiter) = self.waiter.take() {
            let _ = waiter.join(); // it cannot panic; nothing depends on it
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_that_is_reached_says_the_word() {
        let stop = Stop::new();
        let deadline = Deadline::set(Nanos(0), &stop).unwrap();
        while !deadline.struck() {
            thread::yield_now();
        }
        drop(deadline);
        assert!(stop.asked());
    }

    #[test]
    fn a_deadline_that_is_called_off_says_nothing() {
        let stop = Stop::new();
        drop(Deadline::set(Nanos::seconds(3600), &stop).unwrap());
        assert!(!stop.asked());
    }
}
