//! A power cut of simulated devices, in the middle of a run, and the comparison after it.
//!
//! Until the cut the journal of the run is written in memory, a group every 10 ms; what is not in a group by then is lost with
//! the host. Then the journal is read as any other, and every block is compared with what it promises. Omitted: which
//! writes the devices lose (`volatile`).

use super::store::{SharedStore, StoreMedium};
use crate::RunError;
use crate::backend::Simulated;
use crate::target_state::Shared;
use crate::thread_plan::ThreadPlan;
use crate::timespan::Job;
use crate::verify;
use crate::verify::journal::{Journal, JournalOf};
use crate::verify::promised::Scan;
use crate::word_rings::TAKE_EVERY;
use crate::worker::{self, Work};
use model::verified::{DurableCounts, VerifyWork};
use model::{Location, Nanos, Plan, Verification, VerifyCounts, VerifyPass};
use std::io::Cursor;
use std::sync::PoisonError;

/// When the power of a plan's devices is cut: that of the first one; they are of one host.
pub(super) fn at(plan: &Plan) -> Option<Nanos> {
    let moments = plan
        .targets
        .iter()
        .filter_map(|target| match &target.location {
            Location::Simulated(device) => Some(device.cut.at).filter(|at| at.0 > 0),
            Location::Path(_) | Location::Null(_) => None,
        });
    moments.min()
}

/// Adds a journal in memory.
pub(super) fn journaled(
    shared: Shared,
    job: &Job,
    places: &[ThreadPlan],
) -> Result<Shared, RunError> {
    let of = JournalOf {
        plan: &job.plan,
        facts: &job.targets,
        started_utc: job.started_utc,
        sink: None,
    };
    shared.with_journal(&of, places)
}

/// The power of all devices.
pub(super) struct Power<'a> {
    cut_at: Nanos, // `MAX` for never
    group_at: Nanos,
    journal: Option<&'a Journal>,
    stores: &'a [Option<SharedStore>],
    is_cut: bool,
}

impl<'a> Power<'a> {
    pub(super) fn new(
        cut_at: Option<Nanos>,
        journal: Option<&'a Journal>,
        stores: &'a [Option<SharedStore>],
    ) -> Power<'a> {
        Power {
            cut_at: cut_at.unwrap_or(Nanos::MAX),
            group_at: TAKE_EVERY,
            journal,
            stores,
            is_cut: false,
        }
    }

    pub(super) fn moment(&self) -> Nanos {
        self.cut_at
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether it is cut before the next moment; until then the journal is written.
    pub(super) fn is_due(&mut self, next: Nanos) -> bool {
        if let Some(journal) = self.journal
            && self.group_at <= next.min(self.cut_at)
        {
            journal.write_group();
            self.each(super::store::Store::journaled);
            self.group_at = next.plus(TAKE_EVERY);
        }
        self.cut_at <= next
    }

    pub(super) fn cut<'w, C: 'w>(
        &mut self,
        threads: impl Iterator<Item = (&'w mut Work<C>, &'w mut Simulated)>,
    ) {
        for (work, backend) in threads {
            worker::power_cut(work);
            backend.cut();
        }
        self.each(super::store::Store::cut);
        self.is_cut = true;
    }

    fn each(&self, act: impl Fn(&mut super::store::Store)) {
        for store in self.stores.iter().flatten() {
            act(&mut store.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// What verification found, with the pass after the cut.
pub(super) fn verification(
    shared: &Shared,
    plan: &Plan,
    stores: &[Option<SharedStore>],
) -> Result<Option<Verification>, RunError> {
    let (Some(verifier), Some(journal)) = (&shared.verifier, &shared.journal) else {
        return Ok(None);
    };
    let (bytes, counts) = journal.cut();
    let mut found = verifier.result(None);
    found.journal = Some(counts);
    let mut durable = DurableCounts::default();
    let mut pass = VerifyPass::default();
    let broken = |error: verify::promised::JournalError| RunError::Journal {
        path: "in memory".into(),
        why: error.to_string(),
    };
    let scan = Scan::read(&mut Cursor::new(&bytes)).map_err(broken)?;
    for (number, (target, store)) in (0u16..).zip(plan.targets.iter().zip(stores)) {
        let Some(store) = store else {
            continue;
        };
        let range = target.base.0..target.base.0 + target.length.0;
        let mut journal = Cursor::new(&bytes);
        let promised = scan.promised(&mut journal, number, range.clone(), u64::MAX);
        let promised = promised.map_err(broken)?;
        let medium = StoreMedium(store.clone());
        let evidence = found.request.evidence;
        let (work, blocks) = verify::after_cut(&medium, &promised, range, evidence);
        durable.add(&blocks);
        pass.counts.add(&counted(&work, &blocks, shared.run));
        pass.total.0 += target.length.0;
        add(&mut found, work);
        let store = store.lock().unwrap_or_else(PoisonError::into_inner);
        found.injected.extend(store.injected());
    }
    pass.done = pass.total;
    found.pass = Some(pass);
    found.durable = Some(durable);
    Ok(Some(found))
}

fn counted(work: &VerifyWork, blocks: &DurableCounts, run: u64) -> VerifyCounts {
    let right = work.blocks_of(run);
    VerifyCounts {
        right,
        older_data: (work.blocks.whole + work.blocks.displaced).saturating_sub(right),
        zeros: work.blocks.zeros,
        undecided: blocks.interrupted,
        unknown: work.blocks.foreign,
        corrupt: work.corrupt(),
    }
}

fn add(found: &mut Verification, work: VerifyWork) {
    for one in work.kinds {
        match found.kinds.iter_mut().find(|other| other.kind == one.kind) {
            Some(other) => other.blocks += one.blocks,
            None => found.kinds.push(one),
        }
    }
    found.cases.extend(work.cases);
    found.cases.truncate(64);
}
