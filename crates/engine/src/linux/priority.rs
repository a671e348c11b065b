//! I/O priorities as the kernel counts them. Source: `ioprio_set(2)`.
#![allow(unsafe_code, reason = "a system call")]

use crate::RunError;
use model::Priority;
use std::io;

/// Of one process or thread, by its number.
const WHO_PROCESS: i32 = 1;
const CLASS_SHIFT: u16 = 13;
const BEST_EFFORT: u16 = 2;
const IDLE: u16 = 3;
const LOWEST_LEVEL: u16 = 7;

/// The number of a priority; 0 is the system's own choice.
pub(crate) const fn number(priority: Priority) -> u16 {
    match priority {
        Priority::VeryLow => IDLE << CLASS_SHIFT,
        Priority::Low => (BEST_EFFORT << CLASS_SHIFT) | LOWEST_LEVEL,
        Priority::Normal => 0,
    }
}

/// The calling thread's priority, for calls that have none of their own.
#[derive(Debug, Default)]
pub(crate) struct ThreadPriority(u16);

impl ThreadPriority {
    /// Takes on `wanted`; a system call only where it changes, which in most runs is once.
    #[inline]
    pub(crate) fn take_on(&mut self, wanted: u16) -> Result<(), RunError> {
        if self.0 == wanted {
            Ok(())
        } else {
            self.change(wanted)
        }
    }

    #[cold]
    fn change(&mut self, wanted: u16) -> Result<(), RunError> {
        // SAFETY: plain numbers about the calling thread.
        let refused =
            unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, i32::from(wanted)) } != 0;
        if refused {
            return Err(RunError::Priority {
                source: io::Error::last_os_error(),
            });
        }
        self.0 = wanted;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_takes_on_each_priority_and_goes_back() {
        std::thread::spawn(|| {
            let mut thread = ThreadPriority::default();
            for priority in [
                Priority::VeryLow,
                Priority::Low,
                Priority::Low,
                Priority::Normal,
            ] {
                thread.take_on(number(priority)).unwrap();
                // SAFETY: plain numbers about the calling thread.
                let found = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, 0) };
                let class = found >> CLASS_SHIFT;
                assert_eq!(
                    class == i64::from(IDLE),
                    priority == Priority::VeryLow,
                    "{priority:?}: {found}"
                );
            }
        })
        .join()
        .unwrap();
    }
}
