//! `fathom files`: what a folder's file system does with names and bytes.
//!
//! Read in this order: the flow (here), `request` (words → values), `skip` (which steps are omitted), `room` (what is
//! refused before anything is created).

mod request;
pub(crate) mod room;
mod skip;

use super::{VERSION, command_line};
use crate::args::FilesArgs;
use crate::commands::answer;
use crate::commands::hosts::{Member, Together, answer_to, together, way};
use crate::environment::{Environment, StorePlace};
use crate::failure::Ending;
use crate::kinds::separate;
use crate::progress::Steps;
use crate::report::{FilesForm, Form};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, report, signals};
use engine::{FilesEnd, FilesError, FilesEvent, FilesJob, Stop};
use host::Root;
use model::{
    CommandError, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesWork, HostRecord, Nanos,
    TreeWork,
};
use request::Asked;
use session::{Admission, FilesOrder, HostAnswer, Hosts, Journal, TargetKey, clock, target_key};
use std::rc::Rc;
use store::{SessionOutcome, Store};

/// The row of `fathom files`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<FilesArgs>(
    "files",
    Group::Measure,
    "Measure a file system: create, stat, rename, delete, fsync, stream",
    |words, environment| files(&parsed(words)?, environment),
)
.with_ranks();

/// Works in the folder, keeps every step, prints the result.
pub(crate) fn files(args: &FilesArgs, environment: &Environment) -> Result<Ending, CommandError> {
    if let Some(way) = way(&args.hosts, environment)? {
        let all = Together {
            perform: |gate, body, rank| {
                answer_to(body, |order: FilesOrder| checked(&order, gate, rank))
            },
            ..Together::new(&args.hosts, &args.keep, &separate::FILES)
        };
        return together(&all, &way, environment, &|member| {
            of_ranks(args, member, environment)
        });
    }
    let asked = Asked::read(args)?;
    room::must_serve(&asked)?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let site = Site {
        asked,
        place: keep::place(&args.keep, environment)?,
        root: Root::live(),
        stop: &stop,
        hosts: None,
    };
    work(args, site, environment)
}

/// Rank 0: the same with all ranks, each in a folder of its own.
fn of_ranks(
    args: &FilesArgs,
    member: &Member<'_>,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    if args
        .hosts
        .layout
        .as_deref()
        .is_some_and(|layout| layout != "own")
    {
        return Err(CommandError::refused(
            "--layout: each rank works in a folder of its own; hint: omit it",
        ));
    }
    let asked = Asked::read(args)?;
    let hosts = member.hosts;
    let order = asked.order();
    let answers = hosts.ask(&order, || checked(&order, member.gate, 0))?;
    let mut problems = Vec::new();
    let mut folders = Vec::new();
    for HostAnswer { rank, host, answer } in answers {
        match answer {
            Ok(answer) => folders.push(HostAnswer { rank, host, answer }),
            Err(whys) => {
                let named = whys
                    .iter()
                    .map(|why| format!("rank {rank} ({host}): {why}"));
                problems.extend(named);
            }
        }
    }
    problems.extend(hosts.unfit_targets(&folders));
    if !problems.is_empty() {
        return Err(CommandError::refused_for(problems));
    }
    let site = Site {
        asked,
        place: member.ground.place.clone(),
        root: member.ground.root.clone(),
        stop: member.stop,
        hosts: Some(hosts),
    };
    work(args, site, environment)
}

/// Whether a rank can work in its folder, and which one that is.
fn checked(order: &FilesOrder, gate: &Admission<'_>, rank: u32) -> Result<TargetKey, Vec<String>> {
    let folder = order.folder_of(rank, &gate.host.hostname);
    let asked = folder.and_then(|folder| {
        let asked = Asked {
            folder,
            work: order.work.clone(),
            patience: order.patience,
        };
        room::must_serve(&asked)?;
        Ok(asked)
    });
    let asked = asked.map_err(|error| error.messages().to_vec())?;
    let facts = host::target_facts(gate.root, &asked.folder);
    Ok(target_key(&facts, gate.root))
}

/// Where the work is done, and by whom.
struct Site<'a> {
    asked: Asked,
    place: Option<StorePlace>,
    root: Root,
    stop: &'a Stop,
    /// The processes of the job, where there are several.
    hosts: Option<&'a Rc<Hosts>>,
}

fn work(
    args: &FilesArgs,
    site: Site<'_>,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let Site {
        asked,
        place,
        root,
        stop,
        hosts,
    } = site;
    let host = host::host_record(&root);
    let folder = match hosts {
        Some(_) => asked.order().folder_of(0, &host.hostname)?,
        None => asked.folder.clone(),
    };
    let facts = host::target_facts(&root, &folder);
    let store = keep::open(place.as_ref())?;
    let started_utc = clock::utc();
    let target = asked.folder.display().to_string();
    let new = session::new_session(
        separate::FILES.stored(),
        command_line(),
        target,
        started_utc,
    );
    let journal = Journal::begin(store.as_ref(), new);
    let done = Done {
        host,
        place: FilesPlace {
            paths: vec![asked.folder.clone()],
            file_system: facts.file_system.clone(),
            chain: facts.chain.clone(),
            hosts: hosts.map(|hosts| hosts.names()).unwrap_or_default(),
        },
        work: asked.work.clone(),
        started_utc,
        journal: &journal,
        progress: Steps::new(environment),
        records: Vec::new(),
    };
    let job = FilesJob {
        folder: asked.folder.clone(),
        work: asked.work.clone(),
        device: facts.chain.first().map(|device| device.name.clone()),
        patience: asked.patience,
        together: false,
    };
    let (records, ended) = match hosts {
        Some(hosts) => done.run(&|tell| hosts.files(&asked.order(), &root, stop, tell)),
        None => done.run(&|tell| engine::run_files(&job, &root, stop, tell)),
    };

    let ending = tell(&ended).and(answer::finish(&journal, outcome(&ended), None));
    let form = Form::of_session(args.json, &journal, &args.keep, environment);
    let kind = if args.bonnie {
        FilesForm::Bonnie
    } else {
        FilesForm::Summary
    };
    if args.bonnie {
        report::files_unmeasured(&records)
            .iter()
            .for_each(|words| output::tell(words));
    }
    output::print(&report::files(&records, kind, form))?;
    Ok(ending)
}

/// Does all steps and reports what happens.
type RunFiles<'a> = dyn Fn(&mut dyn FnMut(FilesEvent<'_>)) -> Result<FilesEnd, FilesError> + 'a;

/// What is done as the steps come.
struct Done<'a> {
    host: HostRecord,
    place: FilesPlace,
    work: TreeWork,
    started_utc: Nanos,
    journal: &'a Journal<&'a Store>,
    progress: Steps,
    records: Vec<FilesRecord>,
}

impl Done<'_> {
    fn run(mut self, run: &RunFiles<'_>) -> (Vec<FilesRecord>, Result<FilesEnd, FilesError>) {
        let ended = run(&mut |event| self.hear(&event));
        self.progress.finish();
        (self.records, ended)
    }

    fn hear(&mut self, event: &FilesEvent<'_>) {
        match event {
            FilesEvent::Removed(path) => self.progress.tell(&format!(
                "{}: an earlier fathom files was ended before it could remove this; removed",
                path.display()
            )),
            FilesEvent::LeftAlone(path) => self.progress.tell(&format!(
                "{}: an earlier fathom files left this, and it contains something that fathom did not create: check it, \
                 and remove it yourself",
                path.display()
            )),
            FilesEvent::Begins(label) => self.progress.doing(label),
            FilesEvent::Ready(_) => {} // of ranks, which has been taken
            FilesEvent::Ended(step, outcome) => {
                let record = self.record((*step).clone(), (*outcome).clone());
                self.journal.save_files(&record);
                self.records.push(record);
            }
        }
    }

    fn record(&self, step: FilesStep, outcome: FilesOutcome) -> FilesRecord {
        FilesRecord {
            tool_version: VERSION.to_owned(),
            command: command_line(),
            started_utc: self.started_utc,
            host: self.host.clone(),
            place: self.place.clone(),
            work: FilesWork::Tree(self.work.clone()),
            step,
            outcome,
        }
    }
}

fn outcome(ended: &Result<FilesEnd, FilesError>) -> SessionOutcome {
    match ended {
        Ok(FilesEnd::Complete | FilesEnd::Left(..)) => SessionOutcome::Complete,
        Ok(FilesEnd::Interrupted) => SessionOutcome::Interrupted,
        Ok(FilesEnd::Failed(_)) | Err(_) => SessionOutcome::Failed,
    }
}

/// Reports what a program that reads only the exit code and standard error needs.
fn tell(ended: &Result<FilesEnd, FilesError>) -> Ending {
    let words = match ended {
        Ok(FilesEnd::Complete) => return Ending::Good,
        Ok(FilesEnd::Interrupted) => {
            "interrupted: the files that it created are removed, and the result covers what was measured until then".to_owned()
        }
        Ok(FilesEnd::Failed(why)) => format!(
            "{why}; the files that it created are removed, and the result covers what was measured until then"
        ),
        Ok(FilesEnd::Left(path, why)) => format!(
            "{}: the files that fathom created could not be removed ({why}); remove them yourself, or run fathom files there again",
            path.display()
        ),
        Err(error) => error.to_string(),
    };
    output::tell(&words);
    Ending::Wrong
}
