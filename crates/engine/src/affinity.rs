//! On which cores threads run: what this process may use, and binding a thread to one of them.
//!
//! A core outside the process's mask is refused with what is allowed, never silently replaced: the mask is how
//! containers and `taskset` give cores out. Memory nodes are left to the system.
#![allow(unsafe_code, reason = "reads and sets the scheduler's masks")]

use crate::RunError;
use model::Placement;
use std::io;

/// The core of each of `threads` threads; `None` where the system decides.
pub(crate) fn assign(placement: &Placement, threads: usize) -> Result<Vec<Option<u32>>, RunError> {
    if *placement == Placement::Free {
        return Ok(vec![None; threads]);
    }
    let allowed = allowed().map_err(|source| RunError::Affinity { source })?;
    let cores = match placement {
        Placement::Free | Placement::RoundRobin => allowed,
        Placement::Cores(asked) => {
            if let Some(&read) = asked.iter().find(|core| !allowed.contains(core)) {
                return Err(RunError::Core {
                    read,
                    allowed: list(&allowed),
                });
            }
            asked.clone()
        }
    };
    Ok(cores
        .iter()
        .cycle()
        .take(threads)
        .map(|&core| Some(core))
        .collect())
}

/// Binds the calling thread.
pub(crate) fn bind(core: u32) -> Result<(), RunError> {
    // SAFETY: a mask is plain numbers, and all zeros is the empty one.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the core came from such a mask, so it lies within this one.
    unsafe { libc::CPU_SET(core as usize, &mut mask) };
    // SAFETY: the kernel reads a mask of the size that it is told.
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
fn allowed() -> io::Result<Vec<u32>> {
    // SAFETY: a mask is plain numbers, and all zeros is the empty one.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes a mask of at most the size that it is told.
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
fn list(cores: &[u32]) -> String {
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
    fn threads_take_cores_round_robin_and_only_allowed_ones() {
        let allowed = allowed().unwrap();
        assert_eq!(assign(&Placement::Free, 3).unwrap(), [None; 3]);
        let dealt = assign(&Placement::RoundRobin, allowed.len() + 1).unwrap();
        assert_eq!(
            (dealt[0], dealt[allowed.len()]),
            (Some(allowed[0]), Some(allowed[0]))
        );
        let told = assign(&Placement::Cores(vec![allowed[0], 1023]), 1)
            .unwrap_err()
            .to_string();
        assert!(
            told.starts_with("core 1023: this process may use"),
            "{told}"
        );
    }

    #[test]
    fn a_bound_thread_may_use_its_core_only() {
        let core = *allowed().unwrap().last().unwrap();
        let seen = std::thread::spawn(move || {
            bind(core).unwrap();
            allowed().unwrap()
        });
        assert_eq!(seen.join().unwrap(), [core]);
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(list(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }
}
