//! Which pass is next: as many as were asked for, or as many as the run's time allows.
//!
//! Omitted: what a pass does (`tools::xdd`).

use crate::commands::dialect::{look, tell_trouble};
use crate::output;
use model::{CommandError, Nanos, Outcome, RunRecord};
use session::{Admission, Ran, Schedule, Step, clock};
use std::path::{Path, PathBuf};
use tools::xdd::{self, Request};

/// Passes that a run with a time limit may have.
const PASSES_MAX: u64 = 100_000;

/// All passes of a request.
pub(super) struct Passes<'a> {
    request: &'a Request,
    gate: &'a Admission<'a>,
    next: u64,
    /// When the run's time is over.
    end: Option<Nanos>,
    pub(super) records: Vec<RunRecord>,
}

impl<'a> Passes<'a> {
    pub(super) fn new(request: &'a Request, gate: &'a Admission<'a>) -> Self {
        Passes {
            request,
            gate,
            next: 0,
            end: None,
            records: Vec::new(),
        }
    }

    /// How many there are; one where the time decides.
    pub(super) fn count(&self) -> usize {
        match self.request.run_time_ns {
            Some(_) => 1,
            None => usize::try_from(self.request.passes).unwrap_or(usize::MAX),
        }
    }

    /// What is left of the run's time; `None` where it has no limit.
    fn left(&mut self) -> Option<Nanos> {
        let (all, now) = (self.request.run_time_ns?, clock::utc());
        let end = *self.end.get_or_insert(now.plus(Nanos(all)));
        Some(end.minus(now))
    }
}

impl Schedule for Passes<'_> {
    fn next(&mut self) -> Result<Option<Step>, CommandError> {
        let left = self.left();
        let is_over = match left {
            Some(left) => left == Nanos(0) || self.next >= PASSES_MAX,
            None => self.next >= self.request.passes,
        };
        if is_over {
            return Ok(None);
        }
        let found = |path: &Path| look(self.gate, path);
        let span = xdd::timespan(self.request, self.next, left, &found);
        self.next += 1;
        Ok(Some(Step::new(format!("pass {}", self.next), span)))
    }

    fn take(&mut self, _step: Step, ran: Ran) -> bool {
        let Ok(record) = ran.outcome else {
            return false;
        };
        tell_trouble(&record);
        let is_cut = record.phases.measured_to >= xdd::PASS_TIME_MAX;
        if is_cut {
            output::tell(&format!(
                "pass {}: ended after 6 h, before its amount was moved: specify a smaller -numreqs, or a -timelimit",
                self.next
            ));
        }
        let failed = is_cut || matches!(record.outcome, Outcome::Failed(_));
        self.records.push(record);
        !failed
    }
}

/// Files that are removed at the end.
pub(super) fn removed(request: &Request, gate: &Admission) -> Vec<PathBuf> {
    let targets = request.targets.iter().filter(|target| target.delete);
    let mut all: Vec<_> = targets.map(xdd::XddTarget::path).collect();
    all.sort();
    all.dedup();
    all.retain(|path| look(gate, path).is_none_or(|there| !there.device));
    all
}
