//! I/O priorities: Windows takes them by handle. Source: `FILE_IO_PRIORITY_HINT_INFO`.
#![allow(unsafe_code, reason = "a system call")]

use crate::RunError;
use gate::Descriptor;
use model::Priority;
use std::io;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_IO_PRIORITY_HINT_INFO, FileIoPriorityHintInfo, IoPriorityHintLow, IoPriorityHintVeryLow,
    SetFileInformationByHandle,
};

/// The number of a priority; 0 is the system's own choice.
pub(crate) const fn number(priority: Priority) -> u16 {
    match priority {
        Priority::VeryLow => 2,
        Priority::Low => 1,
        Priority::Normal => 0,
    }
}

/// Sets the priority of what is done by one handle; a normal one is what each has.
pub(super) fn set(file: Descriptor, priority: Priority) -> Result<(), RunError> {
    let hint = match priority {
        Priority::Normal => return Ok(()),
        Priority::Low => IoPriorityHintLow,
        Priority::VeryLow => IoPriorityHintVeryLow,
    };
    let hint = FILE_IO_PRIORITY_HINT_INFO { PriorityHint: hint };
    // SAFETY: the system reads one such structure, whose size is passed.
    let done = unsafe {
        SetFileInformationByHandle(
            file.raw(),
            FileIoPriorityHintInfo,
            (&raw const hint).cast(),
            size_of_val(&hint) as u32,
        )
    };
    match done {
        0 => Err(RunError::Priority {
            source: io::Error::last_os_error(),
        }),
        _ => Ok(()),
    }
}

/// The priority of a thread's own I/O, such as page faults, which is always normal.
#[derive(Debug, Default)]
pub(crate) struct ThreadPriority;

impl ThreadPriority {
    /// Refuses any but the normal one: Windows has no priority for the page faults of one thread but "background", which
    /// changes its processor time, too.
    #[inline]
    pub(crate) fn take_on(&mut self, wanted: u16) -> Result<(), RunError> {
        match wanted {
            0 => Ok(()),
            _ => Err(RunError::Priority {
                source: io::ErrorKind::Unsupported.into(),
            }),
        }
    }
}
