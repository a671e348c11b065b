//! How much address space the system's allocator sets aside for threads.
//!
//! Omitted: whether a run fits into what there is, which is in `limits`.
#![allow(unsafe_code, reason = "configures the system's allocator")]

/// Lets all threads of this process allocate from one arena, for good. glibc would set 64 MiB aside for each of many
/// threads, of which fathom's use some hundred KiB: where address space is limited, nothing would be left for the stacks
/// of the others. Nothing is allocated while anything is measured, so sharing costs no time. Source: mallopt(3),
/// `M_ARENA_MAX`.
pub(crate) fn share_one() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes two numbers, and may be called while other threads allocate.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
