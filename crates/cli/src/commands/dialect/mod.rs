//! What the doors of other tools' dialects have in common: whose line it is, the files of the results, the database, and
//! what is informed of I/Os that went wrong.
//!
//! Deliberately absent: what one tool does in its own way; that is in `diskspd` and `sqlio`.

mod course;
mod files;
mod line;
mod place;
mod ranks;
mod saved;
#[cfg(test)]
pub(super) mod stored;
mod trouble;
mod unlink;

pub(crate) use course::{Course, Ran, Status, is_whole};
pub(crate) use files::{
    ResultFile, check_files, has, is_report, joined, number_file, number_of, text_of, write_whole,
};
pub(crate) use line::{Line, command};
pub(crate) use place::Place;
pub(crate) use ranks::{SpansOfRanks, records_of, results_of_ranks};
pub(crate) use saved::StoredSession;
pub(crate) use trouble::tell as tell_trouble;
pub(crate) use unlink::{Removal, check as check_removal, remove, remove_each};

use model::{Content, Location, TargetKind};
use session::Admission;
use std::path::Path;
use tools::fio::There;

/// Returns the report of each timespan below its title.
pub(crate) fn titled(titles: &[String], reports: Vec<Vec<u8>>) -> Vec<u8> {
    let mut page = Vec::new();
    for (title, report) in titles.iter().zip(reports) {
        if !page.is_empty() {
            page.push(b'\n');
        }
        page.extend(format!("{title}\n").into_bytes());
        page.extend(report);
    }
    page
}

/// Returns what is there under a name, as far as a dialect has to know.
pub(crate) fn look(gate: &Admission, path: &Path) -> Option<There> {
    let facts = gate.look(&Location::Path(path.to_owned()));
    let there = |device| There {
        bytes: facts.size.0,
        device,
        unfinished: facts.content == Content::FathomPartial,
    };
    match facts.kind {
        TargetKind::File => Some(there(false)),
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => Some(there(true)),
        _ => None,
    }
}
