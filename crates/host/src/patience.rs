//! How long checks of a target may take. Reads are done by a thread of their own, which is left behind where one of them does
//! not return in time. Omitted: what is read.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Longest scan of a target that was named: a spinning disk that others use gives a gibibyte, or some hundred blocks,
/// in that time, and what fathom wrote is not refused only because the machine is busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest scan of each device of a list.
const PATIENCE_OF_LISTS: Duration = Duration::from_secs(2);
/// How long all checks of one target may take together: at its ends, its partitions, its data. Begins with the first.
#[derive(Clone)]
pub(crate) struct Patience {
    began: Instant,
    whole: Duration,
}

impl Patience {
    /// Of a target that was named.
    pub(crate) fn begin() -> Self {
        Self::begun(Duration::ZERO)
    }

    /// Of one device of a list.
    pub(crate) fn of_list() -> Self {
        Patience {
            whole: PATIENCE_OF_LISTS,
            ..Self::begin()
        }
    }

    /// As if it had begun so long ago.
    #[allow(
        clippy::disallowed_methods,
        reason = "a limit, not a measurement: no number depends on it"
    )]
    pub(crate) fn begun(ago: Duration) -> Self {
        Patience {
            began: Instant::now() - ago,
            whole: PATIENCE,
        }
    }

    /// With none left from the start.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self::begun(PATIENCE)
    }

    pub(crate) fn left(&self) -> Duration {
        self.whole.saturating_sub(self.began.elapsed())
    }

    pub(crate) fn lasts(&self) -> bool {
        !self.left().is_zero()
    }

    /// Does work that reads in a thread of its own; `None` where it does not return in time. Then the thread is left to a
    /// read that may never return.
    pub(crate) fn wait_for<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, done) = mpsc::channel();
        let read = move || {
            let _ = sender.send(work()); // the receiver may be gone
        };
        let reader = thread::Builder::new().name("look".to_owned());
        reader.spawn(read).ok()?;
        done.recv_timeout(self.left()).ok()
    }

    /// How long ago it began.
    pub(crate) fn spent(&self) -> Duration {
        self.began.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H3: a read that does not return is waited for as long as the patience lasts, and not longer.
    #[test]
    fn a_read_that_hangs_is_left_behind() {
        let (release, hung) = mpsc::channel::<()>();
        let nearly_over = Patience::begun(PATIENCE - Duration::from_millis(20));
        assert_eq!(nearly_over.wait_for(move || hung.recv().is_ok()), None);
        assert!(!nearly_over.lasts());
        drop(release);
        assert_eq!(Patience::begin().wait_for(|| 7), Some(7));
    }

    #[test]
    fn a_list_waits_for_each_device_a_shorter_time() {
        let lasts = |whole: Duration, ago: Duration| {
            let patience = Patience {
                whole,
                ..Patience::begun(ago)
            };
            patience.lasts()
        };
        assert!(lasts(PATIENCE, PATIENCE_OF_LISTS));
        assert!(!lasts(PATIENCE, PATIENCE) && !lasts(PATIENCE_OF_LISTS, PATIENCE_OF_LISTS));
        assert_eq!(Patience::of_list().whole, PATIENCE_OF_LISTS);
    }
}
