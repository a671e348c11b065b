//! What a sweep works on: checked once for all cells, proven and created once before the first.
//!
//! Deliberately absent: what may be written, which the gate decides, before the sweep and again before each cell.

use crate::environment::Environment;
use crate::progress::Progress;
use engine::Stop;
use model::{Bytes, CommandError, Plan, Profile, TargetFacts, TargetKind};
use session::{Admission, CheckedPlan, ProvenFiles};
use std::path::{Path, PathBuf};

/// The targets of a sweep; of one on many hosts, those of rank 0.
#[derive(Default)]
pub(crate) struct Site {
    /// One for each set of targets that has to be created or proven; the largest requirement comes first.
    chores: Vec<CheckedPlan>,
    /// Every target as it was looked at last.
    known: Vec<TargetFacts>,
    /// Which of them any cell writes to.
    written: Vec<PathBuf>,
}

impl Site {
    /// Checks every cell. Nothing is refused on the way that could have been refused here.
    pub(crate) fn check(profile: &Profile, gate: &Admission<'_>) -> Result<Self, CommandError> {
        let passed = gate.check(profile)?;
        let mut site = Site::default();
        for one in passed {
            site.take(one);
        }
        // ProofRecords first: what is proven for a cell that writes is known for one that only completes the file.
        let proves = |one: &CheckedPlan| one.plan.targets.iter().any(|target| target.prove_ours);
        site.chores.sort_by_key(|one| !proves(one));
        Ok(site)
    }

    /// Takes a cell that was checked.
    pub(super) fn take(&mut self, passed: CheckedPlan) {
        for (target, facts) in passed.plan.targets.iter().zip(&passed.facts) {
            if target.workload.write.as_percent() > 0 && !self.written.contains(&facts.path) {
                self.written.push(facts.path.clone());
            }
            if self.known(&facts.path).is_none() {
                self.known.push(facts.clone());
            }
        }
        let fresh = |target: &model::PlannedTarget| {
            let path = target.location.path();
            let covered = self.chores.iter().flat_map(|one| &one.plan.targets);
            let mut same = covered.filter(|other| other.location.path() == path);
            let asks = target.create.is_some() || target.prove_ours;
            let more = |other: &model::PlannedTarget| {
                (target.create.is_none() || other.create.is_some())
                    && (!target.prove_ours || other.prove_ours)
            };
            asks && !same.any(more)
        };
        if passed.plan.targets.iter().any(fresh) {
            self.chores.push(passed);
        }
    }

    /// A target as it was looked at last.
    pub(crate) fn known(&self, path: &Path) -> Option<&TargetFacts> {
        self.known.iter().find(|facts| facts.path == path)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[TargetFacts] {
        &self.known
    }

    /// Every target with whether it is written.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (&TargetFacts, bool)> {
        self.known
            .iter()
            .map(|facts| (facts, self.written.contains(&facts.path)))
    }

    /// What is written to a target first, and whether it is read whole first.
    pub(crate) fn chore(&self, facts: &TargetFacts) -> (Bytes, bool) {
        let targets = self.chores.iter().flat_map(|one| &one.plan.targets);
        let its: Vec<_> = targets
            .filter(|target| target.location.path() == Some(&facts.path))
            .collect();
        let size = its.iter().filter_map(|target| target.create).max();
        let there = match facts.kind {
            TargetKind::File if facts.content == model::Content::Fathom => facts.size,
            _ => Bytes(0),
        };
        let fill = size.map_or(0, |size| size.0.saturating_sub(there.0));
        (Bytes(fill), its.iter().any(|target| target.prove_ours))
    }

    /// Proves and makes what the cells need.
    pub(crate) fn prepare(
        &mut self,
        gate: &Admission<'_>,
        ours: &mut ProvenFiles,
        environment: &Environment,
        stop: &Stop,
    ) -> Result<(), CommandError> {
        for mut chore in std::mem::take(&mut self.chores) {
            ours.spare(&mut chore.plan, &gate.pins);
            self.forget_made(&mut chore.plan);
            let progress = Progress::of_filling(environment);
            let filled = gate.prepare(&mut chore.plan, &chore.facts, &progress, stop);
            let filled = filled.inspect_err(|_| progress.finish())?;
            progress.filled(&filled);
            progress.finish();
            ours.learn(&chore.plan, &gate.pins);
            for done in &filled {
                self.look_again(gate, &done.path);
            }
        }
        Ok(())
    }

    /// A file that an earlier chore created is there; a cell that needs another size creates it in its turn.
    fn forget_made(&self, plan: &mut Plan) {
        for target in &mut plan.targets {
            let known = target.location.path().and_then(|path| self.known(path));
            if known.is_some_and(|facts| facts.identity != target.identity) {
                target.create = None;
                target.prove_ours = false;
            }
        }
    }

    /// Facts are those before the run, not those before the filling.
    pub(crate) fn look_again(&mut self, gate: &Admission<'_>, path: &Path) {
        let found = gate.look(&model::Location::Path(path.to_owned()));
        self.known.retain(|facts| facts.path != path);
        self.known.push(found);
    }
}
