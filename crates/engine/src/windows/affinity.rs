//! The cores that this process may use, and binding a thread to some. A core's number is 64 times its processor group and
//! its bit in it. Sources: `GetThreadGroupAffinity`, `SetThreadGroupAffinity`.
//!
//! Omitted: which core a thread gets, which is in `cores`.
#![allow(unsafe_code, reason = "reads and sets the scheduler's masks")]

use crate::RunError;
use std::io;
use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
use windows_sys::Win32::System::Threading::{
    GetActiveProcessorCount, GetActiveProcessorGroupCount, GetCurrentThread,
    GetThreadGroupAffinity, SetThreadGroupAffinity,
};

/// Processors of a group.
const GROUP: u32 = 64;

/// Binds the calling thread to these cores. // not empty
pub(crate) fn bind(cores: &[u32]) -> Result<(), RunError> {
    let refused = |source| RunError::Affinity { source };
    let group = cores.first().map_or(0, |core| core / GROUP);
    if cores.iter().any(|core| core / GROUP != group) {
        let several = "the cores of a thread are in several processor groups";
        return Err(refused(io::Error::new(
            io::ErrorKind::InvalidInput,
            several,
        )));
    }
    let bits = cores.iter().map(|core| 1usize << (core % GROUP));
    let mask = GROUP_AFFINITY {
        Mask: bits.fold(0, |all, bit| all | bit),
        Group: u16::try_from(group).unwrap_or(u16::MAX),
        Reserved: [0; 3],
    };
    // SAFETY: a handle that needs no closing.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: the system reads one such structure; the former mask is not wanted.
    let bound = unsafe { SetThreadGroupAffinity(thread, &raw const mask, std::ptr::null_mut()) };
    match bound {
        0 => Err(refused(io::Error::last_os_error())),
        _ => Ok(()),
    }
}

/// Cores that the calling thread may use, in ascending order. An unbound thread may use those of all groups.
pub(crate) fn allowed() -> io::Result<Vec<u32>> {
    let own = own_mask()?;
    // SAFETY: asks for a number.
    let groups = u32::from(unsafe { GetActiveProcessorGroupCount() });
    let of_own = bits(u32::from(own.Group), own.Mask);
    if groups < 2 || own.Mask.count_ones() < active(u32::from(own.Group)) {
        return Ok(of_own);
    }
    let all = (0..groups).flat_map(|group| (0..active(group)).map(move |bit| group * GROUP + bit));
    Ok(all.collect())
}

fn own_mask() -> io::Result<GROUP_AFFINITY> {
    let mut own = GROUP_AFFINITY::default();
    // SAFETY: a handle that needs no closing.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: the system writes one such structure where the pointer shows.
    let answered = unsafe { GetThreadGroupAffinity(thread, &raw mut own) };
    match answered {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(own),
    }
}

fn active(group: u32) -> u32 {
    // SAFETY: asks for a number.
    unsafe { GetActiveProcessorCount(u16::try_from(group).unwrap_or(u16::MAX)) }
}

fn bits(group: u32, mask: usize) -> Vec<u32> {
    let is_set = |bit: &u32| mask >> bit & 1 == 1;
    let set = (0..GROUP).filter(is_set);
    set.map(|bit| group * GROUP + bit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_group_and_the_bit() {
        assert_eq!(bits(0, 0b1011), [0, 1, 3]);
        assert_eq!(bits(2, 1 << 63), [191]);
    }

    #[test]
    fn a_thread_has_cores_of_one_group() {
        let refused = bind(&[0, 64]).unwrap_err().to_string();
        assert!(refused.contains("several processor groups"), "{refused}");
    }
}
