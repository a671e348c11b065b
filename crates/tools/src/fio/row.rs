//! One option of fio's: its names, what it is here, and whether it is done. Omitted: which there are (`table`, `refused`).

use super::job::Job;
use super::read::OptionRead;

/// Whether an option is done, and how.
#[derive(Clone, Copy)]
pub(super) enum Fate {
    /// It is honoured.
    Read(fn(&mut Job, Option<&str>) -> OptionRead),
    /// It is taken, and a note states what is different.
    Note,
    /// It is refused, with the nearest thing.
    Refuse,
}

/// One option, or several that share a fate.
pub struct Row {
    /// Its names, the usual one first.
    pub names: &'static [&'static str],
    /// What it is here.
    pub linux: &'static str,
    pub(super) fate: Fate,
}

impl Row {
    /// As the manual states it: honoured, noted or refused.
    pub fn fate(&self) -> &'static str {
        match self.fate {
            Fate::Read(_) => "honoured",
            Fate::Note => "changes nothing",
            Fate::Refuse => "refused",
        }
    }
}
