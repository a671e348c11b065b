//! `fathom watch --for TIME --pid N` and `--cgroup PATH`: the account of processes that run already, as `fathom audit` reports it.
//!
//! A child that ends is in the counts of the parent that waits for it; what it had done before the watch is subtracted again.
//! Omitted: orphans that end meanwhile, whose counts the kernel drops.

use super::{Request, place};
use crate::args::WatchArgs;
use crate::commands::answer;
use crate::commands::audit::observer::Observer;
use crate::commands::command_line;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::separate::AUDIT;
use crate::report::{self, Form};
use crate::{keep, output, signals};
use engine::Stop;
use host::{EndedProgram, Root};
use model::record::audited::{ProgramEnd, ProgramIo};
use model::{CommandError, Nanos};
use session::Journal;
use session::clock::{self, Stopwatch};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use store::SessionOutcome;

/// Between two readings of the processes.
const STEP: Nanos = Nanos::millis(250);

/// The processes that are observed.
pub(super) enum Processes {
    Tree(u32),
    Group(PathBuf),
}

impl Processes {
    /// Returns those that the options name; none of a watch of devices.
    pub(super) fn of(args: &WatchArgs, root: &Root) -> Result<Option<Processes>, CommandError> {
        if let Some(process) = args.account.pid {
            let form = match host::program_io(root, process) {
                Ok(_) => return Ok(Some(Processes::Tree(process))),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    "must be the number of a process that runs".to_owned()
                }
                Err(error) => format!(
                    "must be a process whose counts may be read: {}; hint: run as its user or as root",
                    model::errno_text(&error)
                ),
            };
            let value = format!("invalid value '{process}' for --pid: {form}");
            return Err(CommandError::refused(value));
        }
        let Some(group) = &args.account.cgroup else {
            return Ok(None);
        };
        let folder = host::group_folder(root, group).ok_or_else(|| {
            CommandError::refused(format!(
                "invalid value '{}' for --cgroup: must be a control group of version 2, by its path below the mount",
                group.display()
            ))
        })?;
        Ok(Some(Processes::Group(folder)))
    }

    fn running(&self, root: &Root) -> Vec<u32> {
        match self {
            Processes::Tree(process) => {
                let mut all = host::descendants(root, *process);
                all.push(*process);
                all
            }
            Processes::Group(folder) => host::processes_of_group(folder),
        }
    }

    fn name(&self, root: &Root) -> String {
        match self {
            Processes::Tree(process) => {
                let name = host::process_wait(root, *process).map(|wait| wait.name);
                format!("{} (process {process})", name.unwrap_or_default())
            }
            Processes::Group(folder) => folder.display().to_string(),
        }
    }
}

/// Observes the processes for the requested time and reports them.
pub(super) fn account(
    args: &WatchArgs,
    request: &Request,
    processes: &Processes,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let root = Root::live();
    let time = request.time.unwrap_or(request.interval);
    let store = keep::open(place(args, environment)?.as_ref())?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let name = processes.name(&root);
    let mut observer = Observer::start(&root, &[])?;
    let started_utc = clock::utc();
    observer.begin(&root);
    let since = Stopwatch::start();
    let mut counts = Counts::default();
    loop {
        let running = processes.running(&root);
        observer.sample(&running);
        counts.read(&root, &running);
        if since.elapsed() >= time || stop.asked() {
            break;
        }
        std::thread::sleep(STEP.min(time.minus(since.elapsed())).as_duration());
    }
    let ended = EndedProgram {
        ending: ProgramEnd::Running,
        io: counts.sum(),
        running: processes.running(&root),
    };
    let mut record = observer.record(&root, &ended);
    record.started_utc = started_utc;
    if let Some(audit) = &mut record.audit {
        audit.program = vec![name];
    }
    let new = session::new_session(AUDIT.stored(), command_line(), record.target(), started_utc);
    let journal = Journal::new(store, new);
    journal.save_watch(&record);
    let ending = answer::finish(&journal, SessionOutcome::Complete, None);
    let form = Form {
        kept: keep::kept(journal.store(), journal.name()),
        place_named: args.store.is_some(),
        ..Form::of_list(args.json, environment)
    };
    output::print(&report::watch(&[&record], form))?;
    Ok(ending)
}

/// Counts of processes at the first reading and at the last.
#[derive(Default)]
struct Counts {
    first: Option<HashMap<u32, ProgramIo>>,
    last: HashMap<u32, ProgramIo>,
    unread: u64,
}

impl Counts {
    fn read(&mut self, root: &Root, processes: &[u32]) {
        let read = processes.iter();
        let read = read.map(|process| (*process, host::program_io(root, *process).ok()));
        let (mut found, mut unread) = (HashMap::new(), 0);
        for (process, io) in read {
            match io {
                Some(io) => drop(found.insert(process, io)),
                None => unread += 1,
            }
        }
        self.first.get_or_insert_with(|| found.clone());
        (self.last, self.unread) = (found, unread);
    }

    fn sum(&self) -> ProgramIo {
        let none = HashMap::new();
        let first = self.first.as_ref().unwrap_or(&none);
        let before = |process: &u32| first.get(process).copied().unwrap_or_default();
        let each = self
            .last
            .iter()
            .map(|(process, io)| io.since(before(process)));
        let sum = each.fold(ProgramIo::default(), ProgramIo::and);
        let ended = first
            .iter()
            .filter(|(process, _)| !self.last.contains_key(process));
        let ended = ended.fold(ProgramIo::default(), |sum, (_, io)| sum.and(*io));
        ProgramIo {
            unread: self.unread,
            ..sum.since(ended)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;

    #[test]
    fn what_an_ended_child_had_done_before_is_not_counted() {
        let io = |bytes: u64| ProgramIo {
            processes: 1,
            write_bytes: Bytes(bytes),
            ..ProgramIo::default()
        };
        let counts = Counts {
            first: Some(HashMap::from([(1, io(10)), (2, io(1000))])),
            last: HashMap::from([(1, io(1060)), (3, io(7))]),
            unread: 0,
        };
        assert_eq!(counts.sum().write_bytes, Bytes(57));
    }
}
