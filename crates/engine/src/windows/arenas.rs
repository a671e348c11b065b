//! How much address space the system's allocator sets aside for threads: on Windows one heap serves all of them.

/// Does nothing: all threads of a process share its heap. Source: `GetProcessHeap`.
pub(crate) fn share_one() {}
