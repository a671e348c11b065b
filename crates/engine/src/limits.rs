//! Whether a plan fits into what this process may have of open files, of address space and of the length of a file.
//!
//! Checked before anything is created: a thread whose memory is refused takes the whole program with it, and one that
//! finds no descriptor left does so when others have begun. Omitted: memory that is there but taken by others, and the
//! limit on locked memory, without which a run only costs more.

use crate::RunError;
use crate::buffer;
use crate::heat;
use crate::system::arenas;
use crate::thread_plan::{ThreadPlan, places};
use host::Allowance;
use model::{Bytes, EngineChoice, Operation, Plan};

/// Files of the run itself, however many threads it has: counters, the database, and what is looked at on the way.
const FILES_BESIDE: u64 = 16;
/// Address space of a thread before it does anything: its stack, as Rust makes it, and a guard page.
const STACK: u64 = (2 << 20) + 4096;
/// Rings, queues and lists of one thread, beyond what grows with the depth.
const THREAD: u64 = 256 << 10;
/// Of a slot, without its memory.
const SLOT: u64 = 512;
/// What one [`model::LatencyHistogram`] takes, and one step of the time series.
const HISTOGRAM: u64 = 72 << 10;
const STEP: u64 = 64;
/// What is drawn up after the run.
const BESIDE: u64 = 16 << 20;

/// Refuses a plan that needs more than this process may have.
pub(crate) fn hold(plan: &Plan, allowed: &Allowance) -> Result<(), RunError> {
    let places = places(plan, 0);
    let open = allowed.files_open;
    let needed = files(plan, &places) + open;
    if let Some(limit) = allowed.open_files.filter(|&limit| needed > limit) {
        return Err(RunError::OpenFiles {
            needed,
            open,
            limit,
        });
    }
    longest_file(plan, allowed.file_size)?;
    let Some(limit) = allowed.address_space else {
        return Ok(());
    };
    arenas::share_one();
    let needed = address_space(plan, &places) + allowed.mapped.0;
    let needed = Bytes(needed.next_multiple_of(1 << 20));
    if needed > limit {
        return Err(RunError::AddressSpace { needed, limit });
    }
    Ok(())
}

/// A write beyond the limit on the length of files fails, whether the file is that long already or not. Source:
/// setrlimit(2), RLIMIT_FSIZE. Devices have no such limit.
fn longest_file(plan: &Plan, limit: Option<Bytes>) -> Result<(), RunError> {
    let Some(limit) = limit else { return Ok(()) };
    for target in plan.targets.iter().filter(|target| !target.exclusive) {
        let Some(path) = target.location.path() else {
            continue;
        };
        let end = Bytes(target.base.0.saturating_add(target.length.0));
        let written = target.writes().then_some(end).max(target.create);
        if let Some(needed) = written.filter(|&needed| needed > limit) {
            let path = path.to_owned();
            return Err(RunError::FileSize {
                path,
                needed,
                limit,
            });
        }
    }
    Ok(())
}

/// Each thread opens its targets for itself, and its ring where it has one; each target is opened once more.
fn files(plan: &Plan, places: &[ThreadPlan]) -> u64 {
    let on_files = |place: &ThreadPlan| {
        let seats = place.seats.iter();
        let paths = seats.filter(|seat| {
            let location = &plan.targets[seat.target as usize].location;
            location.path().is_some()
        });
        paths.count() as u64
    };
    let has_ring = |place: &&ThreadPlan| match place.engine(plan).unwrap_or(plan.engine) {
        EngineChoice::Auto | EngineChoice::IoUring | EngineChoice::Nvme | EngineChoice::Iocp => {
            true
        }
        EngineChoice::Libaio | EngineChoice::Sync | EngineChoice::Null => false,
    };
    let rings = places.iter().filter(has_ring).count() as u64;
    let targets = plan.targets.iter();
    let held = targets.filter(|target| target.location.path().is_some());
    places.iter().map(on_files).sum::<u64>() + rings + held.count() as u64 + FILES_BESIDE
}

/// An estimate: what is certain to be mapped, rounded up.
fn address_space(plan: &Plan, places: &[ThreadPlan]) -> u64 {
    let steps = heat::steps(plan) as u64;
    let kinds = if plan.arrivals.is_some() { 2 } else { 1 };
    let tally = Operation::ALL.len() as u64 * (kinds * HISTOGRAM + steps * STEP);
    let each = places.iter().map(|place| {
        let seats = place.seats.iter().map(|seat| {
            let target = &plan.targets[seat.target as usize];
            let mapped = target.mapped.map_or(0, |_| target.length.0);
            tally + mapped + buffer::most(target, seat.slots).0
        });
        STACK + THREAD + u64::from(place.slots) * SLOT + seats.sum::<u64>()
    });
    each.sum::<u64>() + heat::MEMORY_MAX as u64 + BESIDE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::{plan, planned};
    use model::Location;

    fn of(threads: u32) -> Plan {
        let mut target = planned();
        target.location = Location::Path("/f".into());
        target.threads = threads;
        let mut plan = plan(&[target]);
        plan.engine = EngineChoice::Auto;
        plan
    }

    fn allowed(open_files: u64, address_space: u64) -> Allowance {
        Allowance {
            open_files: Some(open_files),
            files_open: 4,
            address_space: Some(Bytes(address_space)),
            mapped: Bytes(10 << 20),
            file_size: None,
        }
    }

    #[test]
    fn files_of_every_thread_its_ring_and_the_target_itself_are_needed() {
        let mut plan = of(64);
        let needed = 64 * 2 + 1 + FILES_BESIDE + 4;
        assert!(hold(&plan, &allowed(needed, u64::MAX)).is_ok());
        let refused = hold(&plan, &allowed(needed - 1, u64::MAX)).unwrap_err();
        let reported = refused.to_string();
        assert!(
            reported.contains("149 open files are needed, 4 of them"),
            "{reported}"
        );
        assert!(
            reported.contains("may have 148: raise the limit on open files (ulimit -n"),
            "{reported}"
        );
        plan.engine = EngineChoice::Sync;
        assert!(hold(&plan, &allowed(needed - 64, u64::MAX)).is_ok());
    }

    #[test]
    fn writes_beyond_the_longest_file_are_refused_and_reads_are_not() {
        let limit = |mib| Allowance {
            file_size: Some(Bytes::mib(mib)),
            ..Allowance::default()
        };
        let mut plan = of(1);
        (plan.targets[0].base, plan.targets[0].length) = (Bytes::mib(1), Bytes::mib(1));
        assert!(hold(&plan, &limit(1)).is_ok());
        plan.targets[0].workload.write = model::Ratio::percent(1).unwrap();
        assert!(hold(&plan, &limit(2)).is_ok());
        let reported = hold(&plan, &limit(1)).unwrap_err().to_string();
        assert!(
            reported.contains("2M long") && reported.contains("limit is 1M"),
            "{reported}"
        );
        plan.targets[0].exclusive = true; // a device
        assert!(hold(&plan, &limit(1)).is_ok());
    }

    #[test]
    fn a_plan_that_does_not_fit_into_the_address_space_is_refused() {
        let gib = |count: u64| allowed(1 << 20, count << 30);
        assert!(hold(&of(1), &gib(1)).is_ok());
        let reported = hold(&of(1024), &gib(1)).unwrap_err().to_string();
        assert!(
            reported.contains("may have 1G: raise the limit"),
            "{reported}"
        );
        assert!(hold(&of(256), &gib(1)).is_ok());
        assert!(hold(&of(256), &Allowance::default()).is_ok());
    }
}
