//! What is remembered from run to run of the files that fathom wrote, so that content without block headers is known
//! again, and a large file need not be read whole before every run.
//!
//! The record is in the results database; with `--no-store` in an attribute of the file. It counts only for the very
//! file, of the very size and time of its last change, and is written only where no later write can leave these as they
//! are ([`host::ClosedFile`]). A record of a sealed file saves the proof when the file was closed two seconds ago or
//! more. Where that is not yet so, the rest is waited for if reading the file would take longer.
//!
//! Deliberately absent: the proof itself (`engine::prove_ours`), and what may be written (`model::check`).

use crate::admission::Admission;
use crate::proven_files::KnownContent;
use engine::{Filled, Observer, RunError, Stop};
use host::ClosedFile;
use model::{Bytes, Claim, Content, Flaw, Plan, PlannedTarget, TargetFacts, TargetKind};
use std::fs::File;
use std::path::Path;
use std::time::Duration;
use store::{FileProof, Store};

/// The content of a file whose every block has a header.
const BLOCKS: &str = "blocks";
/// How long a file has been closed whose record saves the proof.
const CLOSED_FOR: Duration = Duration::from_secs(2);
/// A file below this size is read in less time than it would be waited for.
const WORTH_WAITING: Bytes = Bytes::mib(256);

/// What was recorded of a file.
struct Record {
    /// `None` while it was written.
    closed: Option<ClosedFile>,
    content: String,
}

impl Admission<'_> {
    /// Corrects the result of a file's sample by the record of the file.
    pub fn judge_by_record(&self, facts: &mut TargetFacts) {
        let in_question = !matches!(
            facts.content,
            Content::Fathom | Content::FathomPartial | Content::Empty
        );
        if facts.kind != TargetKind::File || !in_question {
            return;
        }
        let Some((file, now)) =
            ClosedFile::open(&facts.path).filter(|(_, now)| Some(now.identity) == facts.identity)
        else {
            return;
        };
        let Some(record) = self.record(&file, &now) else {
            return;
        };
        let flaw = |flaw| Content::Flawed {
            offset: Bytes(0),
            flaw,
        };
        facts.content = match record.closed {
            None => flaw(Flaw::Unfinished),
            Some(closed) if closed == now => {
                let lost = |claim: &Claim| matches!(claim, Claim::Signature { .. });
                facts.claims.retain(|claim| !lost(claim)); // what fathom wrote may look like anything
                Content::Fathom
            }
            Some(_) if record.content != BLOCKS => flaw(Flaw::Changed),
            Some(_) => facts.content,
        };
    }

    /// Proves and makes what the plan needs, where it is not remembered, and records what is about to be written without
    /// block headers.
    pub fn prepare(
        &self,
        plan: &mut Plan,
        facts: &[TargetFacts],
        observer: &dyn Observer,
        stop: &Stop,
    ) -> Result<Vec<Filled>, RunError> {
        let asked: Vec<bool> = plan
            .targets
            .iter()
            .map(|target| target.prove_ours)
            .collect();
        for target in plan.targets.iter_mut().filter(|target| target.writes()) {
            target.prove_ours &= !self.is_remembered(target);
        }
        let filled = engine::prepare(plan, facts, &self.pins, observer, stop)?;
        for (target, facts) in plan.targets.iter().zip(facts) {
            let made = filled
                .iter()
                .any(|done| Some(done.identity) == target.identity);
            let anew = made && facts.content != Content::Fathom;
            if anew || target.prove_ours {
                let content = match anew {
                    true => target.fill_unsealed().map_or(BLOCKS, |kind| kind.name()),
                    false => BLOCKS,
                };
                self.know(target, content);
            }
        }
        for target in &plan.targets {
            match target.unsealed() {
                Some(kind) => self.begin(target, kind.name()),
                // What a run will write is recorded after it.
                None if target.fill_unsealed().is_some() || !target.writes() => self.close(target),
                None => {}
            }
        }
        // What is remembered counts as proven from now on.
        for (target, asked) in plan.targets.iter_mut().zip(asked) {
            target.prove_ours = asked;
        }
        Ok(filled)
    }

    /// Records the files that a run has written and closed.
    pub fn closed(&self, plan: &Plan) {
        let mut done: Vec<&Path> = Vec::new();
        for target in plan.targets.iter().filter(|target| target.writes()) {
            if let Some(path) = target.location.path().filter(|path| !done.contains(path)) {
                done.push(path);
                self.close(target);
            }
        }
    }

    /// Whether a record saves the proof of this target.
    fn is_remembered(&self, target: &PlannedTarget) -> bool {
        let record = self
            .file_of(target)
            .and_then(|(file, now)| self.record_in_force(&file, now, target.prove_ours));
        if let Some(record) = &record {
            self.know(target, &record.content);
        }
        record.is_some()
    }

    /// Proves that a file contains nothing but what fathom wrote: by what is recorded of it, or by reading all of it.
    ///
    /// # Errors
    /// Those of [`engine::prove_ours`]; the file was exchanged since the facts were taken.
    pub fn prove_own(
        &self,
        facts: &TargetFacts,
        observer: &dyn Observer,
        stop: &Stop,
    ) -> Result<(), RunError> {
        let recorded = ClosedFile::open(&facts.path)
            .filter(|(_, now)| Some(now.identity) == facts.identity)
            .and_then(|(file, now)| self.record_in_force(&file, now, true));
        let is_empty = facts.content == Content::Empty && facts.size.0 == 0;
        match recorded.is_some() || is_empty {
            true => Ok(()),
            false => engine::prove_ours(&facts.path, &self.pins, observer, stop),
        }
    }

    /// Returns the record of a file that is as it was when it was recorded. A record of blocks with headers counts only
    /// some time after the file was closed, which is waited for if `waits` and the file is large.
    fn record_in_force(&self, file: &File, now: ClosedFile, waits: bool) -> Option<Record> {
        let record = self
            .record(file, &now)
            .filter(|record| record.closed == Some(now))?;
        let age = now.age()?;
        if record.content == BLOCKS && age < CLOSED_FOR {
            if !waits || now.size < WORTH_WAITING.0 {
                return None;
            }
            std::thread::sleep(CLOSED_FOR - age);
        }
        (ClosedFile::of(file) == Some(now)).then_some(record)
    }

    fn know(&self, target: &PlannedTarget, content: &str) {
        let Some(identity) = target.identity.filter(|_| !target.exclusive) else {
            return;
        };
        let mut known = self.proofs.known.borrow_mut();
        known.retain(|one| one.identity != identity);
        known.push(KnownContent {
            identity,
            content: content.to_owned(),
        });
    }

    /// Before the first write of content without block headers.
    fn begin(&self, target: &PlannedTarget, content: &str) {
        let mut known = self.proofs.known.borrow_mut();
        let its = known
            .iter_mut()
            .find(|one| Some(one.identity) == target.identity);
        let (Some(known), Some((file, now))) = (its, self.file_of(target)) else {
            return; // what is overwritten with the person's word stays the person's
        };
        known.content = content.to_owned();
        match self.records() {
            Some(store) => {
                if let Err(why) = store.record_proof(&proof(&now, None, content)) {
                    (self.note)(&format!("what is written cannot be recorded: {why}"));
                }
            }
            None => drop(ClosedFile::begin_attribute(
                &file,
                &format!("{content}-begun"),
            )),
        }
    }

    /// After the last write, where the file is known to contain nothing else than what fathom wrote.
    fn close(&self, target: &PlannedTarget) {
        let known = self.proofs.known.borrow();
        let its = known
            .iter()
            .find(|one| Some(one.identity) == target.identity);
        let (Some(known), Some((file, _))) = (its, self.file_of(target)) else {
            return;
        };
        let recorded = match self.records() {
            Some(store) => ClosedFile::settled(&file).is_some_and(|state| {
                let proof = proof(&state, Some(state.changed_ns), &known.content);
                store.record_proof(&proof).is_ok()
            }),
            None => ClosedFile::end_attribute(&file, &known.content),
        };
        if !recorded && known.content != BLOCKS {
            let path = target.location.path().unwrap_or(Path::new(""));
            (self.note)(&format!(
                "note: {}: contains data without block headers ({}), and its state could not be recorded; another process has it open, or the file system is not ext4, xfs, btrfs or tmpfs: to write it again, add --overwrite",
                path.display(),
                known.content
            ));
        }
    }

    /// The file behind a target, if it is the one that was checked.
    fn file_of(&self, target: &PlannedTarget) -> Option<(File, ClosedFile)> {
        let path = target.location.path()?;
        ClosedFile::open(path).filter(|(_, now)| Some(now.identity) == target.identity)
    }

    fn record(&self, file: &File, now: &ClosedFile) -> Option<Record> {
        let Some(store) = self.records() else {
            let (state, content) = ClosedFile::attribute(file)?;
            let begun = content.ends_with("-begun");
            let its = (state.identity, state.generation) == (now.identity, now.generation);
            return its.then_some(Record {
                closed: (!begun).then_some(state),
                content,
            });
        };
        let (device, inode) = now.identity;
        let proof = store.proof_of(device, inode).ok()??;
        (proof.generation == now.generation).then(|| Record {
            closed: proof.changed_ns.map(|changed_ns| ClosedFile {
                size: proof.size,
                changed_ns,
                ..*now
            }),
            content: proof.content,
        })
    }

    /// The results database, where results are kept and it is there.
    fn records(&self) -> Option<&Store> {
        let path = self.store?;
        if let Some(opened) = self.proofs.store.get() {
            return opened.as_ref();
        }
        // Where it is not there yet it is not created here, and is requested again later.
        let opened = path.is_file().then(|| Store::open(path).ok())?;
        self.proofs.store.get_or_init(|| opened).as_ref()
    }
}

fn proof(state: &ClosedFile, changed_ns: Option<i64>, content: &str) -> FileProof {
    FileProof {
        identity: state.identity,
        generation: state.generation,
        size: state.size,
        changed_ns,
        content: content.to_owned(),
    }
}
