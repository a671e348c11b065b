//! `--journal FILE`: where the journal of a run goes, and the journal of an earlier run as `fathom verify` reads it.
//!
//! A journal on the device that is measured would be lost with it, and its own flushes would make that device keep its
//! promises. Omitted: what is in it (`engine`).

use crate::{failure, output};
use engine::{JournalError, JournalScan, JournalSink, Promised};
use gate::open_growing;
use host::Root;
use model::verified::Durability;
use model::{Bytes, CommandError, HostRecord, TargetFacts, TargetKind};
use session::CheckedPlan;
use std::fs::File;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Standard output.
const STANDARD: &str = "-";

/// Whether the journal is standard output, so that the result is not.
pub(crate) fn is_standard_output(journal: Option<&PathBuf>) -> bool {
    journal.is_some_and(|path| path.as_os_str() == STANDARD)
}

/// Opens the journal of a run that may begin.
pub(crate) fn open(
    path: Option<&PathBuf>,
    checked: &[CheckedPlan],
    root: &Root,
) -> Result<Option<JournalSink>, CommandError> {
    let Some(path) = path else {
        return Ok(None);
    };
    let plans = checked.iter().flat_map(|one| &one.plan.targets);
    let facts: Vec<&TargetFacts> = checked.iter().flat_map(|one| &one.facts).collect();
    let refused = |why: String| {
        Err(CommandError::refused(format!(
            "--journal {}: {why}",
            path.display()
        )))
    };
    if !plans.clone().any(model::PlannedTarget::writes) {
        return refused("nothing is written, so nothing could be lost; hint: -w 50".to_owned());
    }
    if facts.iter().any(|one| one.kind == TargetKind::Simulated) {
        return refused(
            "a simulated device has no data after its run; hint: sim:ssd,data=64M,volatile=1M,cut-at=1s cuts its power".to_owned(),
        );
    }
    if is_standard_output(Some(path)) {
        return standard_output(path, facts.len()).map(Some);
    }
    let own = host::target_facts(root, path);
    let is_file = own.kind == TargetKind::Missing;
    let shares = |target: &TargetFacts| is_file && shares_storage(target, &own);
    let on_device = facts.iter().find(|one| is_device(one) && shares(one));
    if let Some(target) = on_device {
        let target = target.path.display();
        return refused(format!(
            "it would be on {target}, which is measured, and be lost with it; hint: a file on another device, a FIFO, or - for standard output"
        ));
    }
    let beside: Vec<bool> = facts.iter().map(|one| shares(one)).collect();
    for (target, _) in facts.iter().zip(&beside).filter(|(_, beside)| **beside) {
        output::tell(&format!(
            "warning: --journal {} is on the storage of {}: its own flushes reach that device, and a power cut may take it, too, so durability is not tested; hint: a file on another device, or -",
            path.display(),
            target.path.display()
        ));
    }
    let (file, is_file) = open_growing(path).map_err(|error| failure::of_output(&error))?;
    Ok(Some(JournalSink {
        file: Arc::new(file),
        path: path.clone(),
        is_file,
        beside,
    }))
}

fn standard_output(path: &Path, targets: usize) -> Result<JournalSink, CommandError> {
    if std::io::stdout().is_terminal() {
        return Err(CommandError::refused(
            "--journal -: standard output is a terminal; hint: | ssh HOST 'cat > run.journal'",
        ));
    }
    let file = gate::standard_output().map_err(|error| {
        CommandError::failed(format!("standard output: {}", model::errno_text(&error)))
    })?;
    let is_file = file.metadata().is_ok_and(|facts| facts.is_file());
    Ok(JournalSink {
        file: Arc::new(file),
        path: path.to_owned(),
        is_file,
        beside: vec![false; targets],
    })
}

fn is_device(facts: &TargetFacts) -> bool {
    matches!(
        facts.kind,
        TargetKind::BlockDevice | TargetKind::NvmeNamespace
    )
}

/// Whether two places have a device in common.
fn shares_storage(one: &TargetFacts, other: &TargetFacts) -> bool {
    let has = |name: &str| other.chain.iter().any(|device| device.name == name);
    let same_system = one.file_system.as_ref().zip(other.file_system.as_ref());
    one.chain.iter().any(|device| has(&device.name))
        || same_system.is_some_and(|(one, other)| one.mount_point == other.mount_point)
}

/// The journal of an earlier run, and what it promises of a target.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    scan: JournalScan,
    length: u64,
    target: u16,
    /// What it promises of the range that is read.
    pub(crate) promised: Arc<Promised>,
}

/// A journal whose target is known.
pub(crate) struct Opened {
    path: PathBuf,
    file: File,
    scan: JournalScan,
    length: u64,
    target: u16,
}

impl Opened {
    /// Opens a journal, and finds which of its targets this is.
    pub(crate) fn open(path: &Path, facts: &TargetFacts) -> Result<Opened, CommandError> {
        let refused =
            |why: String| CommandError::refused(format!("--journal {}: {why}", path.display()));
        let opened =
            gate::Input::open(path).and_then(|input| Ok((input.metadata()?, input.into_file())));
        let (meta, mut file) = opened.map_err(|error| refused(model::errno_text(&error)))?;
        if !meta.is_file() {
            return Err(refused(
                "this is no file; hint: store the journal in a file first".to_owned(),
            ));
        }
        let scan = JournalScan::read(&mut file).map_err(|error| refused(error.to_string()))?;
        let target = target_of(&scan, facts).ok_or_else(|| {
            let known = scan
                .head
                .targets
                .iter()
                .map(|one| one.path.display().to_string());
            let known: Vec<String> = known.collect();
            refused(format!(
                "its run had the targets {}, and none of them is {}",
                known.join(", "),
                facts.path.display()
            ))
        })?;
        Ok(Opened {
            path: path.to_owned(),
            file,
            scan,
            length: meta.len(),
            target,
        })
    }

    /// The range of the run.
    pub(crate) fn range(&self) -> Range<u64> {
        let target = &self.scan.head.targets[usize::from(self.target)];
        target.base.0..target.base.0.saturating_add(target.length.0)
    }

    /// Reads what it promises of a range.
    pub(crate) fn promised(
        mut self,
        range: Range<u64>,
        host: &HostRecord,
    ) -> Result<Journal, CommandError> {
        let memory = match host.ram_available.0 {
            0 => u64::MAX,
            available => available / 4,
        };
        let promised = self
            .scan
            .promised(&mut self.file, self.target, range, memory);
        let promised = promised.map_err(|error: JournalError| {
            CommandError::refused(format!("--journal {}: {error}", self.path.display()))
        })?;
        Ok(Journal {
            path: self.path,
            scan: self.scan,
            length: self.length,
            target: self.target,
            promised: Arc::new(promised),
        })
    }
}

/// The target of a journal by its identity, its path, or because there is no other.
fn target_of(scan: &JournalScan, facts: &TargetFacts) -> Option<u16> {
    let targets = &scan.head.targets;
    let same = targets
        .iter()
        .position(|one| one.identity.is_some() && one.identity == facts.identity);
    let absolute = |path: &Path| std::path::absolute(path).ok();
    let named = || {
        targets
            .iter()
            .position(|one| absolute(&one.path) == absolute(&facts.path))
    };
    let only = || (targets.len() == 1).then_some(0);
    let number = same.or_else(named).or_else(only)?;
    u16::try_from(number).ok()
}

impl Journal {
    /// The random number in the block headers of its run.
    pub(crate) fn header_run(&self) -> u64 {
        self.scan.head.run
    }

    /// Device and inode number of its target.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        self.scan.head.targets[usize::from(self.target)].identity
    }

    /// What is known of it, without the blocks.
    pub(crate) fn facts(&self) -> Durability {
        let target = &self.scan.head.targets[usize::from(self.target)];
        Durability {
            journal: self.path.clone(),
            header_run: self.header_run(),
            whole: Bytes(self.scan.whole_bytes),
            length: Bytes(self.length),
            ended: self.scan.ended,
            beside: target.beside,
            last: self.scan.last,
            ..Durability::default()
        }
    }

    /// Reports how far it could be read.
    pub(crate) fn tell(&self, now: model::Nanos) {
        let path = self.path.display();
        if self.scan.whole_bytes < self.length {
            output::tell(&format!(
                "--journal {path}: it is cut off or damaged at byte {}: read up to its last whole frame, and what follows promises nothing",
                self.scan.whole_bytes
            ));
        }
        if self.scan.head.started_utc > now {
            output::tell(&format!(
                "warning: --journal {path}: its run began later than it is now by this machine's clock: it is of a machine with another time, or of another run"
            ));
        }
    }
}
