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
use crate::environment::Environment;
use crate::failure::Ending;
use crate::progress::Steps;
use crate::report::{FilesForm, Form};
use crate::{keep, output, report, signals};
use engine::{FilesEnd, FilesError, FilesEvent, FilesJob, Stop};
use host::Root;
use model::{
    CommandError, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesWork, HostRecord, Nanos,
    TreeWork,
};
use request::Asked;
use session::{Journal, clock};
use store::{SessionKind, SessionOutcome, Store};

/// Works in the folder, keeps every step, prints the result.
pub(crate) fn files(args: &FilesArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let asked = Asked::read(args)?;
    room::must_serve(&asked)?;
    let root = Root::live();
    let facts = host::target_facts(&root, &asked.folder);
    let place = keep::place(&args.keep, environment)?;
    let store = keep::open(place.as_ref())?;
    let stop = Stop::new();
    signals::listen(&stop)?;

    let started_utc = clock::utc();
    let target = asked.folder.display().to_string();
    let new = session::new_session(SessionKind::Files, command_line(), target, started_utc);
    let journal = Journal::begin(store.as_ref(), new);
    let done = Done {
        host: host::host_record(&root),
        place: FilesPlace {
            paths: vec![asked.folder.clone()],
            file_system: facts.file_system.clone(),
            chain: facts.chain.clone(),
            hosts: Vec::new(),
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
    let (records, ended) = done.run(&job, &root, &stop);

    let ending = tell(&ended).and(answer::finish(&journal, outcome(&ended), None));
    let form = Form {
        json: args.json,
        kept: keep::kept(store.as_ref(), journal.name()),
        place_named: args.keep.store.is_some(),
        columns: environment.columns,
        verbose: false,
        known: None,
        notes: &[],
    };
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
    fn run(
        mut self,
        job: &FilesJob,
        root: &Root,
        stop: &Stop,
    ) -> (Vec<FilesRecord>, Result<FilesEnd, FilesError>) {
        let ended = engine::run_files(job, root, stop, &mut |event| self.hear(&event));
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
            FilesEvent::Ready(_) => {} // of work that begins together
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
