//! A phase of a test → a timespan: on a shared file, each task has one run of blocks in each segment; with `-F` each has a
//! file.
//!
//! Tasks are threads with one I/O outstanding, of one process or of one process each. Omitted: which phase is next (`cli`).

use super::test::{HostTasks, Test};
use crate::fio::There;
use model::{
    Access, Active, Allocation, Bytes, CacheMode, EngineChoice, Fsync, Location, Nanos, OnError,
    PermutedAccess, Phases, Placement, Polling, QueueDepth, Ratio, Target, Timespan, Verify,
    VerifyLevel, Workload,
};
use std::path::{Path, PathBuf};

/// How long a phase runs at most.
pub const PHASE_TIME_MAX: Nanos = Nanos::seconds(6 * 3600);

/// A part of a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The writes.
    Write,
    /// Reads behind them, which are compared and not part of the results.
    CheckWrite,
    /// The reads.
    Read,
}

impl Phase {
    /// As IOR's table has it; none for what it omits.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Phase::Write => Some("write"),
            Phase::CheckWrite => None,
            Phase::Read => Some("read"),
        }
    }
}

impl Test {
    /// Returns the phases of one repetition, in their order.
    pub fn phases(&self) -> Vec<Phase> {
        let all = [
            (self.actions.write > 0, Phase::Write),
            (self.actions.check_write > 0, Phase::CheckWrite),
            (self.actions.read + self.actions.check_read > 0, Phase::Read),
        ];
        let wanted = all.into_iter().filter(|(is_wanted, _)| *is_wanted);
        wanted.map(|(_, phase)| phase).collect()
    }

    /// Returns how many tasks take part.
    pub fn task_count(&self) -> u32 {
        u32::try_from(self.tasks.max(1)).unwrap_or(u32::MAX)
    }

    /// Notes on which hosts its tasks are: those of the first processes.
    pub fn place(&mut self, names: &[String]) {
        self.hosts = Vec::new();
        for (rank, name) in names.iter().enumerate() {
            match self.hosts.iter_mut().find(|host| host.name == *name) {
                Some(host) => host.tasks += 1,
                None => self.hosts.push(HostTasks {
                    name: name.clone(),
                    tasks: 1,
                    in_a_row: names.get(rank + 1) == Some(name),
                }),
            }
        }
    }

    /// Returns how many hosts have a task.
    pub(super) fn host_count(&self) -> usize {
        self.hosts.len().max(1)
    }

    /// Returns the tasks of the first host.
    pub(super) fn tasks_per_host(&self) -> u32 {
        let all = self.task_count();
        self.hosts.first().map_or(all, |host| host.tasks.min(all))
    }

    /// Returns how many tasks further the one is whose data a task reads in this phase: those of one host with `-C`, or of `-Q`
    /// hosts, and one host more where IOR compares what it wrote.
    pub fn shift(&self, phase: Phase) -> u32 {
        let hosts = match phase {
            _ if self.order.constant == 0 => 0,
            Phase::Write => 0,
            Phase::Read => self.order.offset,
            Phase::CheckWrite => self.order.offset.saturating_add(1),
        };
        let of_host = match self.hosts.first() {
            Some(host) if host.in_a_row => u64::from(host.tasks),
            Some(_) => 1,
            None => 0,
        };
        let further = hosts.saturating_mul(of_host) % u64::from(self.task_count());
        u32::try_from(further).unwrap_or(0)
    }

    fn has_own_files(&self) -> bool {
        self.files.per_task > 0
    }
}

/// Returns the files of a repetition, by task where each has its own.
pub fn names(test: &Test, repetition: u64) -> Vec<PathBuf> {
    let files = &test.files;
    let given: Vec<&str> = files.name.split('@').collect();
    let of = |task: Option<u32>| {
        let mut name = match task {
            None => files.name.clone(),
            Some(task) => {
                let name = given[task as usize % given.len()];
                let name = match files.unique_dir > 0 {
                    true => in_folder_of(name, task),
                    false => name.to_owned(),
                };
                format!("{name}.{task:08}")
            }
        };
        if files.multi > 0 {
            name.push_str(&format!(".{repetition}"));
        }
        PathBuf::from(name)
    };
    match test.has_own_files() {
        true => (0..test.task_count()).map(|task| of(Some(task))).collect(),
        false => vec![of(None)],
    }
}

/// `d/a` → `d/3/a`.
fn in_folder_of(name: &str, task: u32) -> String {
    match name.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{task}/{name}"),
        None => format!("{task}/{name}"),
    }
}

/// Returns the timespan of a phase. `found` reports what is under a name; `written` is how much each task wrote in this
/// repetition, where it wrote at all.
pub fn timespan(
    test: &Test,
    phase: Phase,
    repetition: u64,
    found: &dyn Fn(&Path) -> Option<There>,
    written: Option<u64>,
) -> Timespan {
    let files = names(test, repetition);
    let target = |path: PathBuf| target(test, phase, path, found, written);
    let targets: Vec<Target> = files.into_iter().map(target).collect();
    Timespan {
        phases: Phases {
            warmup: Nanos(0),
            measured: PHASE_TIME_MAX,
            cooldown: Nanos(0),
        },
        interval: Nanos::seconds(1),
        seed: test.layout.seed,
        engine: EngineChoice::Sync,
        polling: Polling::default(),
        queueing: model::Queueing::default(),
        on_error: OnError::Stop,
        pool: None,
        placement: Placement::Free,
        arrivals: None,
        start_delay: match phase {
            Phase::CheckWrite => Nanos(0),
            Phase::Write | Phase::Read => Nanos::seconds(test.course.delay_s),
        },
        end_with_first: false,
        targets,
    }
}

fn target(
    test: &Test,
    phase: Phase,
    path: PathBuf,
    found: &dyn Fn(&Path) -> Option<There>,
    written: Option<u64>,
) -> Target {
    let writes = phase == Phase::Write;
    let tasks = match test.has_own_files() {
        true => 1,
        false => test.task_count(),
    };
    let bytes = test.layout.of_task().saturating_mul(u64::from(tasks));
    let there = found(&path);
    let (create, allocation) = match (writes, there) {
        (true, Some(there)) if there.device => (None, Allocation::Written),
        (true, Some(_)) if test.files.existing > 0 => (Some(Bytes(bytes)), Allocation::Written),
        (true, _) => (Some(Bytes(bytes)), Allocation::Emptied),
        (false, _) => (None, Allocation::Written),
    };
    let deadline = Some(test.course.deadline_s).filter(|seconds| *seconds > 0);
    let amount = written.unwrap_or(u64::MAX).min(test.layout.of_task());
    Target {
        length: Some(Bytes(bytes)),
        create,
        allocation,
        cache: match test.storage.direct > 0 {
            true => CacheMode::Unbuffered,
            false => CacheMode::Cached,
        },
        fsync: Fsync {
            at_end: writes && test.storage.fsync > 0,
            ..Fsync::default()
        },
        active: Active {
            after: Nanos(0),
            length: deadline
                .filter(|_| phase != Phase::CheckWrite)
                .map(Nanos::seconds),
            wear_out: test.course.wear_out > 0 && phase != Phase::CheckWrite,
        },
        verify: verify(test, phase),
        threads: tasks,
        amount: Some(Bytes(amount)),
        ..Target::new(Location::Path(path), workload(test, writes, tasks))
    }
}

fn workload(test: &Test, writes: bool, tasks: u32) -> Workload {
    let transfer = test.layout.transfer.max(1);
    let access = match (test.layout.shuffled > 0, test.has_own_files()) {
        (true, _) => Access::Permuted(PermutedAccess::Each),
        (false, true) => Access::Runs {
            run: test.layout.of_task() / transfer,
            columns: 1,
            first: 0,
        },
        (false, false) => Access::Runs {
            run: test.layout.block / transfer,
            columns: tasks,
            first: 0,
        },
    };
    Workload {
        block: Bytes(transfer),
        queue_depth: QueueDepth(1),
        write: match writes {
            true => Ratio::ALL,
            false => Ratio::NONE,
        },
        access,
    }
}

fn verify(test: &Test, phase: Phase) -> Verify {
    let compared = match phase {
        Phase::Write => false,
        Phase::CheckWrite => true,
        Phase::Read => test.actions.check_read > 0,
    };
    Verify {
        level: match compared {
            true => VerifyLevel::Full,
            false => VerifyLevel::Off,
        },
        end_pass: false,
        ..Verify::default()
    }
}
