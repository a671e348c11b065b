//! What programs use now, and what this process may use. Omitted: what Windows does not count (programs that want a core, paging,
//! what a process moved to and from devices).

use super::process_calls::{own_handles, own_memory, processes, times_of};
use crate::reported::{Activity, Allowance};
use crate::root::Root;
use model::Bytes;
use model::record::OtherProgram;
use std::collections::BTreeMap;

/// As of now. Windows reports none of it in a call.
pub fn activity(_: &Root) -> Activity {
    Activity::default()
}

/// Of this process: a handle limit does not exist, and of address space there is more than memory.
pub fn allowance(_: &Root) -> Allowance {
    Allowance {
        open_files: None,
        files_open: own_handles().unwrap_or(0),
        address_space: None,
        mapped: Bytes(own_memory().unwrap_or(0)),
        file_size: None,
    }
}

/// Returns the number of the process that started this one; none if it is gone.
pub fn parent_of(root: &Root, process: u32) -> Option<u32> {
    let all = if root.is_live() {
        processes()
    } else {
        Vec::new()
    };
    let found = all.into_iter().find(|one| one.process == process)?;
    Some(found.parent)
}

/// Returns all programs whose times may be asked, by number and start. The system's own idle process is none.
pub(crate) fn programs(root: &Root) -> BTreeMap<(u32, u64), OtherProgram> {
    if !root.is_live() {
        return BTreeMap::new();
    }
    let of = |one: super::process_calls::Listed| {
        let times = times_of(one.process).filter(|_| one.process != 0)?;
        let program = OtherProgram {
            process: one.process,
            name: one.name,
            cpu: times.cpu.total(),
            ..OtherProgram::default()
        };
        Some(((one.process, times.began), program))
    };
    processes().into_iter().filter_map(of).collect()
}
