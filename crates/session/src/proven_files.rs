//! The files and devices that this process has proven to be fathom's or has created, so that their blocks are not all
//! read again before each run of one command.
//!
//! The proof is valid for the same file or device, of the same size, that no other process wrote since: a file's times
//! of change are those after our own last run. A device has no such times; the engine takes it exclusively for each
//! run, and the gate asks each time who uses it. While a run goes on files are locked against other fathoms.

use gate::Pins;
use host::{FileState, file_state};
use model::{Location, Plan, TargetFacts};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use store::Store;

/// What one command knows of its files.
#[derive(Default)]
pub struct ProofRecords {
    pub(crate) store: OnceCell<Option<Store>>,
    /// Files of this session that contain nothing but what fathom wrote.
    pub(crate) known: RefCell<Vec<KnownContent>>,
    /// Targets whose content could not be determined: another attempt would take as long.
    pub(crate) unknown: RefCell<Vec<TargetFacts>>,
}

/// A file and what it contains.
pub(crate) struct KnownContent {
    pub(crate) identity: (u64, u64),
    pub(crate) content: String,
}

/// What is known to be ours.
#[derive(Default)]
pub struct ProvenFiles(Vec<Known>);

struct Known {
    path: PathBuf,
    identity: (u64, u64),
    /// `None` for a device.
    state: Option<FileState>,
}

impl ProvenFiles {
    /// Removes from the plan the proofs that are done.
    pub fn spare(&self, plan: &mut Plan, pins: &Pins) {
        for target in plan.targets.iter_mut().filter(|target| target.prove_ours) {
            let Some(path) = target.location.path() else {
                continue;
            };
            let known = |one: &Known| {
                one.path == path
                    && target.identity == Some(one.identity)
                    && one.state == state(pins, path)
            };
            target.prove_ours = !self.0.iter().any(known);
        }
    }

    /// Everything that the plan requires is proven, and every file that it requires exists.
    pub fn learn(&mut self, plan: &Plan, pins: &Pins) {
        for target in &plan.targets {
            if let (Location::Path(path), Some(identity)) = (&target.location, target.identity)
                && (target.prove_ours || target.create.is_some())
            {
                self.0.retain(|one| one.path != *path);
                self.0.push(Known {
                    path: path.clone(),
                    identity,
                    state: state(pins, path),
                });
            }
        }
    }

    /// Our own run has ended: what it wrote to, we changed. What it only read is unchanged, or another process changed
    /// it.
    pub fn ran(&mut self, plan: &Plan, pins: &Pins) {
        let wrote = |path: &Path| {
            let mut targets = plan.targets.iter().filter(|target| target.writes());
            targets.any(|target| target.location.path() == Some(path))
        };
        for one in self.0.iter_mut().filter(|one| wrote(&one.path)) {
            one.state = state(pins, &one.path);
        }
    }
}

fn state(pins: &Pins, path: &Path) -> Option<FileState> {
    file_state(&*pins.pin(path).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(path: &Path, write: model::Ratio) -> Plan {
        let facts = host::target_facts(&host::Root::live(), path);
        let workload = model::Workload {
            block: model::Bytes::kib(4),
            queue_depth: model::QueueDepth(1),
            write,
            access: model::Access::Random,
        };
        let span = model::Timespan {
            start_delay: model::Nanos(0),
            end_with_first: false,
            phases: model::Phases {
                warmup: model::Nanos(0),
                measured: model::Nanos::seconds(1),
                cooldown: model::Nanos(0),
            },
            interval: model::Nanos::seconds(1),
            seed: 0,
            engine: model::EngineChoice::Sync,
            polling: model::Polling::default(),
            queueing: model::Queueing::default(),
            on_error: model::OnError::Stop,
            pool: None,
            placement: model::Placement::Free,
            arrivals: None,
            targets: vec![model::Target {
                cache: model::CacheMode::Cached,
                ..model::Target::new(Location::Path(path.to_owned()), workload)
            }],
        };
        let consent = model::Consent {
            overwrite_files: true,
            ..model::Consent::default()
        };
        let host = host::host_record(&host::Root::live());
        let profile = model::Profile {
            timespans: vec![span],
        };
        let mut plan = model::check(&profile, &host, &[facts], &consent)
            .unwrap()
            .remove(0);
        plan.targets[0].prove_ours = true;
        plan
    }

    #[test]
    fn what_was_proven_is_spared_until_somebody_else_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![0; 8192]).unwrap();
        let mut ours = ProvenFiles::default();
        let asks = |ours: &ProvenFiles| {
            let mut plan = plan(&path, model::Ratio::ALL);
            ours.spare(&mut plan, &Pins::default());
            plan.targets[0].prove_ours
        };
        assert!(asks(&ours));
        ours.learn(&plan(&path, model::Ratio::ALL), &Pins::default());
        assert!(!asks(&ours));
        // Another length, so that the clock of the file system need not have gone on.
        std::fs::write(&path, vec![1; 4096]).unwrap();
        assert!(asks(&ours));
        ours.ran(&plan(&path, model::Ratio::NONE), &Pins::default());
        assert!(asks(&ours), "a run that only read did not write that");
        ours.ran(&plan(&path, model::Ratio::ALL), &Pins::default());
        assert!(!asks(&ours));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(folder.path().join("other"), b"x").unwrap();
        std::fs::write(&path, vec![1; 4096]).unwrap();
        assert!(asks(&ours));
    }
}
