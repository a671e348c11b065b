//! What the doors of other tools' dialects have in common: whose line it is, the files of the results, the database, and
//! what is informed of I/Os that went wrong.
//!
//! Deliberately absent: what one tool does in its own way; that is in `diskspd` and `sqlio`.

mod course;
mod files;
mod line;
mod saved;
#[cfg(test)]
pub(super) mod stored;
mod trouble;

pub(crate) use course::Course;
pub(crate) use files::{ResultFile, check_files, has, is_report, joined, text_of, write_whole};
pub(crate) use line::Line;
pub(crate) use saved::StoredSession;
pub(crate) use trouble::tell as tell_trouble;
