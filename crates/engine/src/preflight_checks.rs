//! What a run would be refused for by the machine, found out before anything is created or written.
//!
//! The check of the model knows the request; here the system is asked: the backend, poll queues, the cores, the file with
//! the write data, the limits on open files and address space. [`crate::run`] asks again, because it may have changed.
//! Deliberately absent: what only taking it shows (memory, threads), and the trial reads, which need the file.

use crate::RunError;
use crate::buffer::Source;
use crate::thread_plan::places;
use crate::{cores, dispatch, limits, simulated, trial};
use host::Root;
use model::{HostRecord, Plan, TargetFacts};

/// Files that are opened between this check and the run: the results database with its log and index, counters, signals.
const OPENED_LATER: u64 = 8;

/// Whether this machine can run the plan, as far as can be checked while its files may not exist.
///
/// # Errors
/// The errors of [`crate::run`] for the same reason: nothing was created, written or measured.
pub fn foresee(
    plan: &Plan,
    host: &HostRecord,
    targets: &[TargetFacts],
    root: &Root,
) -> Result<(), RunError> {
    if simulated::is_meant(plan) {
        return Source::can_be_read(plan); // nothing of this machine is used
    }
    trial::polls_as_planned(root, plan, targets)?;
    dispatch::runs_here(plan)?;
    let mut allowed = host::allowance(root);
    allowed.files_open += OPENED_LATER;
    limits::hold(plan, &allowed)?;
    cores::assign(&plan.placement, &places(plan, 0), &host.cpus, targets)?;
    Source::can_be_read(plan)
}
