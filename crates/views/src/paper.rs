//! What a text view is written on: its width, the zone of its times, and what stands at its foot.

use crate::time::Zone;
use analysis::{NotKnown, Percentile, TailSamples};
use model::Note;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The page of a text view.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The width of the terminal; `None` where the output goes to none: a sentence is one line there, which `grep` finds whole.
    pub columns: Option<usize>, // at least 40; less is taken as that
    /// Everything is written, not only the answer and what speaks against it.
    pub verbose: bool,
    /// Local times are shown in this zone, next to UTC.
    pub zone: Zone,
    /// Where the result is in the database; `None` where it is not.
    pub stored: Option<Stored>,
}

/// Where a result is in the database.
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
    /// The notes that people added to it.
    pub notes: Vec<Note>,
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

/// Pictures, and what stands at the right, are on a page as wide as a mail or an issue where there is no terminal.
const COLUMNS: usize = 80;
/// A terminal that is narrower breaks the lines itself.
const COLUMNS_MIN: usize = 40;

impl Default for Paper {
    fn default() -> Self {
        Paper {
            columns: None,
            verbose: false,
            zone: Zone::utc(),
            stored: None,
        }
    }
}

impl Paper {
    /// Returns the width of pictures.
    pub(crate) fn width(&self) -> usize {
        self.columns.unwrap_or(COLUMNS).max(COLUMNS_MIN)
    }

    /// Returns the width at which sentences are broken, names in them shortened and columns of tables omitted; without a terminal
    /// they are not.
    pub(crate) fn room(&self) -> usize {
        self.columns.map_or(usize::MAX, |_| self.width())
    }

    /// Number of lines for the content of `lines` lines of 80 columns.
    pub(crate) fn lines(&self, lines: usize) -> usize {
        let narrow = self.width().min(COLUMNS);
        (lines * COLUMNS).div_ceil(narrow)
    }
}

/// Legend of the marks next to percentiles, where there are any: each reason once.
pub(crate) fn trust_footnote<'a>(shown: impl Iterator<Item = &'a Percentile>) -> Vec<String> {
    let (mut reasons, mut missing) = (BTreeSet::new(), false);
    for percentile in shown {
        reasons.extend(percentile.doubt());
        missing |= percentile.tail_samples == TailSamples::None;
    }
    let marks = reasons.into_iter().map(NotKnown::mark);
    let max = missing.then_some("max: too few I/Os for that percentile");
    let reported: Vec<&str> = marks.chain(max).collect();
    let some = !reported.is_empty();
    some.then(|| reported.join("; ")).into_iter().collect()
}
