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

/// `0-3, 8`.
pub(crate) fn list(cores: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &core in cores {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == core => *last = core,
            _ => runs.push((core, core)),
        }
    }
    let words: Vec<String> = runs
        .iter()
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_thread_may_use_its_core_only() {
        let core = *allowed().unwrap().last().unwrap();
        let seen = std::thread::spawn(move || {
            bind(&[core]).unwrap();
            allowed().unwrap()
        });
        assert_eq!(seen.join().unwrap(), [core]);
    }

    #[test]
    fn a_thread_may_have_several_cores() {
        let allowed = allowed().unwrap();
        let two = vec![allowed[0], *allowed.last().unwrap()];
        let mut own = two.clone();
        own.dedup();
        let seen = std::thread::spawn(move || {
            bind(&two).unwrap();
            super::allowed().unwrap()
        });
        assert_eq!(seen.join().unwrap(), own);
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(list(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }
}
