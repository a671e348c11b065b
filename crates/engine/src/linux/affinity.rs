//! The scheduler's masks: what this process may use, and binding a thread to a core.
//!
//! Omitted: which core a thread gets, which is in `cores`.
#![allow(unsafe_code, reason = "reads and sets the scheduler's masks")]

use crate::RunError;
use std::io;

/// Binds the calling thread to these cores. // not empty
pub(crate) fn bind(cores: &[u32]) -> Result<(), RunError> {
    // SAFETY: a mask is plain numbers, and all zeros is the empty one.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &core in cores {
        // SAFETY: the core came from such a mask, so it lies within this one.
        unsafe { libc::CPU_SET(core as usize, &mut mask) };
    }
    // SAFETY: the kernel reads a mask of the size that is passed.
    let refused = unsafe { libc::sched_setaffinity(0, size_of_val(&mask), &raw const mask) } != 0;
    if refused {
        Err(RunError::Affinity {
            source: io::Error::last_os_error(),
        })
    } else {
        Ok(())
    }
}

/// Cores that this process may use, in ascending order.
pub(crate) fn allowed() -> io::Result<Vec<u32>> {
    // SAFETY: a mask is plain numbers, and all zeros is the empty one.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes a mask of at most the size that is passed.
    let refused = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), &raw mut mask) } != 0;
    if refused {
        return Err(io::Error::last_os_error());
    }
    let is_set = |core: &u32| {
        // SAFETY: the core lies within the mask.
        unsafe { libc::CPU_ISSET(*core as usize, &mask) }
    };
    Ok((0..libc::CPU_SETSIZE as u32).filter(is_set).collect())
}
