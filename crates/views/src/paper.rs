//! What a text view is written on: its width, the zone of its times, and what stands at its foot.

use crate::time::Zone;
use std::path::PathBuf;

/// The page of a text view.
#[derive(Clone, Debug)]
pub struct Paper {
    /// No line is longer. // at least 80; less is taken as 80
    pub columns: usize,
    /// Local times are shown in this zone, beside UTC.
    pub zone: Zone,
    /// Where the result is on the shelf; `None` where it is not.
    pub stored: Option<Stored>,
}

/// Where a result is on the shelf.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its session: `12`.
    pub session: u64,
    /// The run in it, where one is meant: the 3 of `12.3`.
    pub run: Option<u32>,
    /// The store's file.
    pub path: PathBuf,
    /// It was named on the command line, so it has to be named again.
    pub named: bool,
}

impl Stored {
    /// How a person names it: `12` or `12.3`.
    pub(crate) fn name(&self) -> String {
        match self.run {
            Some(run) => format!("{}.{run}", self.session),
            None => self.session.to_string(),
        }
    }
}

/// What goes to no terminal is as wide as a mail or an issue. Below this tables do not fit; terminals this narrow wrap them
/// themselves.
const COLUMNS_MIN: usize = 80;

impl Default for Paper {
    fn default() -> Self {
        Paper {
            columns: COLUMNS_MIN,
            zone: Zone::utc(),
            stored: None,
        }
    }
}

impl Paper {
    pub(crate) fn width(&self) -> usize {
        self.columns.max(COLUMNS_MIN)
    }
}
