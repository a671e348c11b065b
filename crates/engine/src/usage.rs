//! Processor time of the calling thread between two readings, and how long it waited for a processor.
//!
//! Omitted: how the system is asked (`system`).

pub(crate) use crate::system::usage::{major_faults_of_this_thread, of_this_thread, suspended};

use model::{Nanos, ThreadCpu};

/// How long it was ready and others had its processor, since it began; `None` where the system does not report it.
pub(crate) fn delay_of_this_thread() -> Option<Nanos> {
    host::thread_delay(&host::Root::live())
}

/// From one reading to a later one.
pub(crate) fn between(before: Option<ThreadCpu>, after: Option<ThreadCpu>) -> Option<ThreadCpu> {
    let (before, after) = (before?, after?);
    Some(ThreadCpu {
        user: after.user.minus(before.user),
        kernel: after.kernel.minus(before.kernel),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_has_used_processor_time() {
        let before = of_this_thread();
        let mut number = 0u64;
        let used = loop {
            (0..1_000_000u64).for_each(|n| number = std::hint::black_box(number ^ n));
            let used = between(before, of_this_thread()).expect("the system reports it");
            if used.user.0 + used.kernel.0 > 0 {
                break used;
            }
        };
        assert!(used.user.0 + used.kernel.0 < Nanos::seconds(3600).0);
    }
}
