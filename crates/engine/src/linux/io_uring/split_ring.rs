//! A ring with its two queues in hand, so that they are not looked up again for each I/O, and with the kernel's short name
//! of it, which belongs to the part that enters the kernel.
//!
//! Omitted: what is put into the queues, and when the kernel is entered.
#![allow(unsafe_code, reason = "the parts point into the ring next to them")]

use io_uring::{CompletionQueue, IoUring as Ring, SubmissionQueue, Submitter};
use std::ptr::NonNull;

/// The parts of a ring. They go in the order in which they stand here, what they point into last.
pub(super) struct SplitRing {
    pub(super) kernel: Submitter<'static>,
    pub(super) staged: SubmissionQueue<'static>,
    pub(super) landed: CompletionQueue<'static>,
    /// Whether a wait may be given its length: Linux 5.11.
    pub(super) waits_for_a_time: bool,
    _whole: OwnedRing,
}

/// The ring itself, reached only by its parts.
struct OwnedRing(NonNull<Ring>);

impl SplitRing {
    pub(super) fn of(ring: Ring) -> SplitRing {
        let waits_for_a_time = ring.params().is_feature_ext_arg();
        let mut whole = NonNull::from(Box::leak(Box::new(ring)));
        // SAFETY: the box is leaked and no other code has its address; it lives until `OwnedRing` goes, after the
        // parts, none of which can be moved out of a `SplitRing` that is dropped.
        let (kernel, staged, landed) = unsafe { whole.as_mut() }.split();
        SplitRing {
            kernel,
            staged,
            landed,
            waits_for_a_time,
            _whole: OwnedRing(whole),
        }
    }
}

impl Drop for OwnedRing {
    fn drop(&mut self) {
        // SAFETY: it comes from a box, in `SplitRing::of`, and the parts that pointed into it are gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
