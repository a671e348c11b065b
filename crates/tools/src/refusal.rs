//! All that is wrong with a request, reported at once: the first thousand problems, and how many more there are.
//!
//! A hostile file has a problem on each of a million lines: no person reads that many, and they would take more memory than
//! the file.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};

/// Most problems that are kept of a request.
pub const PROBLEMS_MAX: usize = 1000;

/// Problems in the order found; those beyond [`PROBLEMS_MAX`] are only counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems<P> {
    kept: Vec<P>,
    more: usize,
}

impl<P> Problems<P> {
    /// Keeps one more, or counts it.
    pub fn push(&mut self, problem: P) {
        match self.kept.len() < PROBLEMS_MAX {
            true => self.kept.push(problem),
            false => self.more += 1,
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether further problems are only counted.
    pub fn is_full(&self) -> bool {
        self.kept.len() == PROBLEMS_MAX
    }

    /// Takes over all of another list.
    pub fn append(&mut self, other: Problems<P>) {
        self.extend(other.kept);
        self.more += other.more;
    }

    /// `Ok` when there are none; all that were kept otherwise, and as the last how many more there are.
    pub(crate) fn into_all(mut self, as_problem: impl FnOnce(String) -> P) -> Result<(), Vec<P>> {
        if self.more > 0 {
            self.kept.push(as_problem(more(self.more)));
        }
        match self.kept.is_empty() {
            true => Ok(()),
            false => Err(self.kept),
        }
    }

    /// Returns those that are kept.
    pub(crate) fn into_kept(self) -> Vec<P> {
        self.kept
    }

    /// Omits those for which the answer is no.
    pub fn retain(&mut self, keep: impl FnMut(&P) -> bool) {
        self.kept.retain(keep);
    }

    /// The same, and those that stay may be changed.
    pub(crate) fn retain_mut(&mut self, keep: impl FnMut(&mut P) -> bool) {
        self.kept.retain_mut(keep);
    }
}

impl<P> Default for Problems<P> {
    fn default() -> Self {
        Problems {
            kept: Vec::new(),
            more: 0,
        }
    }
}

impl<P> Extend<P> for Problems<P> {
    fn extend<I: IntoIterator<Item = P>>(&mut self, problems: I) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl<P> From<Vec<P>> for Problems<P> {
    fn from(problems: Vec<P>) -> Self {
        let mut all = Problems::default();
        all.extend(problems);
        all
    }
}

/// Everything that is wrong with the text of a request, in the order found. // never empty
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<P>(Problems<P>);

impl<P> Refusal<P> {
    /// `Ok` when there are no problems.
    ///
    /// # Errors
    /// All of them.
    pub fn none_or(problems: impl Into<Problems<P>>) -> Result<(), Refusal<P>> {
        let problems = problems.into();
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Refusal(problems)),
        }
    }

    /// Each that was kept, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.0.kept.iter()
    }

    /// How many more there are, in words.
    pub fn more(&self) -> Option<String> {
        let more = self.0.more;
        (more > 0).then(|| self::more(more))
    }
}

impl<P: fmt::Display> Refusal<P> {
    /// Each in words, and how many more there are.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.iter().map(ToString::to_string).chain(self.more())
    }
}

impl<P> From<P> for Refusal<P> {
    fn from(problem: P) -> Self {
        Refusal(vec![problem].into())
    }
}

/// A line a problem.
impl<P: fmt::Display> fmt::Display for Refusal<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.messages().collect();
        f.write_str(&lines.join("\n"))
    }
}

impl<P: fmt::Debug + fmt::Display> std::error::Error for Refusal<P> {}

impl<P: fmt::Display> From<Refusal<P>> for model::CommandError {
    fn from(refusal: Refusal<P>) -> Self {
        model::CommandError::refused_for(refusal.messages())
    }
}

fn more(number: usize) -> String {
    format!("{number} more problems like these are not shown")
}

/// What was reported already, by its hash: a long list of long texts is neither kept nor gone through again.
#[derive(Debug, Default)]
pub(crate) struct Once {
    state: RandomState,
    seen: HashSet<u64>,
}

impl Once {
    /// Whether this is the first time.
    pub(crate) fn is_new(&mut self, thing: &impl Hash) -> bool {
        self.seen.insert(self.state.hash_one(thing))
    }
}
