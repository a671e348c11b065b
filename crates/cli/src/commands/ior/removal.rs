//! Removes the files of a request behind it, as IOR does: in a job each task removes its own, which may be on another host.
//!
//! Omitted: which files these are (`session`), and when a file may be removed (`dialect`).

use crate::commands::dialect::{self, Removal};
use crate::commands::hosts::answer_to;
use crate::output;
use model::CommandError;
use serde::{Deserialize, Serialize};
use session::{Admission, Hosts};
use std::path::PathBuf;
use std::rc::Rc;

/// Files with the task that owns each.
type Owned = [(usize, PathBuf)];

/// An order to all ranks.
#[derive(Serialize, Deserialize)]
struct Order {
    files: Vec<(usize, PathBuf)>,
    /// They are removed now, and not only checked.
    removes: bool,
}

/// The words for it.
pub(super) fn of_ior(overwrite: bool) -> Removal {
    Removal {
        option: "ior",
        kept: "with -k",
        overwrite,
    }
}

/// Refuses what cannot be removed later, before anything is run.
///
/// # Errors
/// A sentence for each file.
pub(super) fn check(
    files: &Owned,
    gate: &Admission<'_>,
    removal: Removal,
    hosts: Option<&Rc<Hosts>>,
) -> Result<(), CommandError> {
    let Some(hosts) = hosts else {
        return dialect::check_removal(&all(files), gate, removal);
    };
    let problems = order(files, false, gate, hosts)?;
    match problems.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(problems)),
    }
}

/// Removes them. Returns whether all are gone; each that stays is reported.
///
/// # Errors
/// Signals cannot be listened to, or the job has ended.
pub(super) fn remove(
    files: &Owned,
    gate: &Admission<'_>,
    removal: Removal,
    hosts: Option<&Rc<Hosts>>,
) -> Result<bool, CommandError> {
    let Some(hosts) = hosts else {
        return dialect::remove(&all(files), gate, removal);
    };
    let stay = order(files, true, gate, hosts)?;
    stay.iter().for_each(|why| output::tell(why));
    Ok(stay.is_empty())
}

fn all(files: &Owned) -> Vec<PathBuf> {
    files.iter().map(|(_, path)| path.clone()).collect()
}

fn order(
    files: &Owned,
    removes: bool,
    gate: &Admission<'_>,
    hosts: &Rc<Hosts>,
) -> Result<Vec<String>, CommandError> {
    let order = Order {
        files: files.to_vec(),
        removes,
    };
    hosts.each(&order, || order.carry_out(gate, 0))
}

/// Does the part of a rank.
pub(super) fn perform(gate: &Admission<'_>, body: &[u8], rank: u32) -> Vec<u8> {
    answer_to(body, |order: Order| order.carry_out(gate, rank as usize))
}

impl Order {
    fn carry_out(&self, gate: &Admission<'_>, rank: usize) -> Vec<String> {
        let own = self.files.iter().filter(|(task, _)| *task == rank);
        let own: Vec<PathBuf> = own.map(|(_, path)| path.clone()).collect();
        let removal = of_ior(false); // in a job nothing confirms a loss
        let done = match self.removes {
            true => dialect::remove_each(&own, gate, removal),
            false => dialect::check_removal(&own, gate, removal).map(|()| Vec::new()),
        };
        done.unwrap_or_else(|error| error.messages().to_vec())
    }
}
