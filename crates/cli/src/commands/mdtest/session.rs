//! One command line of mdtest: all is checked before anything is created; a stop ends the phases and leaves the results.

use super::phases::{End, Phases};
use crate::args::KeepArgs;
use crate::args::files::PATIENCE;
use crate::commands::dialect::{
    self, ResultFile, check_files, number_file, number_of, write_whole,
};
use crate::commands::files::room::{self, Need};
use crate::commands::{VERSION, answer};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::separate;
use crate::progress::Steps;
use crate::report::{self, FilesForm, Form};
use crate::run_context::RunContext;
use crate::{keep, output};
use engine::{MdtestBelow, MdtestPlace, Room, Stop};
use model::record::mdtest::{ITEMS_MAX, MdtestPhase, MdtestWork};
use model::{CommandError, FilesPlace, FilesRecord, FilesWork, Nanos, TargetFacts};
use session::{Hosts, Journal, clock};
use std::path::Path;
use std::rc::Rc;
use store::SessionOutcome;
use tools::mdtest::{Capacity, MdtestResults, Request, mdtest_text};
use views::{Zone, date_stamp};

/// A file takes at least a block of most file systems, and its own entry.
const FILE_BYTES_MIN: u64 = 4096;

/// A command line with what it means.
pub(super) struct Asked<'a> {
    pub(super) request: &'a Request,
    pub(super) args: &'a [String],
    /// As it was given.
    pub(super) echo: &'a str,
    pub(super) environment: &'a Environment,
}

/// Checks it, does it, stores it, prints it.
pub(super) fn run(
    asked: &Asked<'_>,
    ground: &RunContext,
    stop: &Stop,
    hosts: Option<&Rc<Hosts>>,
) -> Result<Ending, CommandError> {
    let request = asked.request;
    let (mut work, nodes) = work_of(request, hosts.map(|hosts| hosts.names()));
    if let Some(reached) = reached_before(request)? {
        work.shape.per_folder = reached;
    }
    let place = MdtestPlace {
        folder: request.folder.clone(),
        patience: PATIENCE.parse().unwrap_or(Nanos::seconds(120)),
    };
    let status = status_file(request);
    let stored = ground.place.as_ref().map(|place| place.path().as_path());
    check_files(status.as_slice(), &[request.folder.as_path()], stored)?;
    let facts = host::target_facts(&ground.root, looked_at(&request.folder));
    let room = must_serve(&place, &work)?;
    request.notes.iter().for_each(|note| output::tell(note));
    if request.output.dry_run {
        output::print(described(request, &work).as_bytes())?;
        return Ok(Ending::Good);
    }
    let store = keep::open(ground.place.as_ref())?;
    let began = clock::utc();
    let target = request.folder.display().to_string();
    let new = session::new_session(
        separate::FILES.stored(),
        dialect::command("mdtest", asked.args),
        target,
        began,
    );
    let journal = Journal::begin(store.as_ref(), new);
    let first = first_record(asked, &work, ground, &facts, began);
    let mut phases = Phases {
        place: &place,
        delay_s: request.delay_s,
        below: MdtestBelow {
            root: &ground.root,
            device: facts.chain.first().map(|device| device.name.as_str()),
            meeting: None, // the ranks', where there are any
        },
        stop,
        hosts,
        journal: &journal,
        progress: Steps::new(asked.environment),
        first,
        records: Vec::new(),
        reached: None,
    };
    let end = phases.all(request.tasks);
    phases.progress.finish();
    let reached = phases.reached;
    let records = phases.records;
    let differing: u64 = records.iter().map(|record| record.step.compared().1).sum();
    let ending = tell(&end).and(answer::finish(&journal, outcome(&end), None));
    let ending = ending.and(Ending::of_data(differing > 0));
    let ending = ending.and(keep_reached(status.as_ref(), reached));
    let page = match request.output.json {
        true => {
            let keep = KeepArgs::of_tool(&request.output.own);
            let form = Form::of_session(true, &journal, &keep, asked.environment);
            report::files(&records, FilesForm::Summary, form)
        }
        false => text(asked, &nodes, &room, &records),
    };
    output::print(&page)?;
    if !request.output.json {
        let warnings = analysis::files_report(&records).warnings.into_iter();
        warnings.for_each(|text| output::tell(&format!("warning: {text}")));
    }
    Ok(ending)
}

/// Where -W writes how many files each task created.
fn status_file(request: &Request) -> Option<ResultFile<'_>> {
    let path = request.status_file.as_deref()?;
    Some(number_file("-x", path)).filter(|_| request.work.wear_out.is_some())
}

fn keep_reached(file: Option<&ResultFile<'_>>, reached: Option<u64>) -> Ending {
    let number = reached.map(|reached| reached.to_string());
    match file.zip(number) {
        Some((file, number)) if !write_whole(file, number.as_bytes()) => Ending::Wrong,
        _ => Ending::Good,
    }
}

/// How many files a call with -W created, where this one does not create any.
fn reached_before(request: &Request) -> Result<Option<u64>, CommandError> {
    let creates = request.work.phases.contains(&MdtestPhase::FileCreation);
    let path = request.status_file.as_deref().filter(|_| !creates);
    let number = path.map(|path| number_of(&number_file("-x", path), ITEMS_MAX, "-W"));
    number.transpose()
}

/// The work with its hosts, and how many tasks each has. Where ranks of a host follow one another on several hosts, the shift is by
/// hosts, as in mdtest.
fn work_of(request: &Request, names: Option<Vec<String>>) -> (MdtestWork, Vec<u32>) {
    let mut work = request.work.clone();
    let names = names.unwrap_or_default();
    let mut nodes: Vec<(&String, u32)> = Vec::new();
    for name in &names {
        match nodes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, tasks)) => *tasks += request.tasks,
            None => nodes.push((name, request.tasks)),
        }
    }
    let tasks: Vec<u32> = nodes.iter().map(|(_, tasks)| *tasks).collect();
    if let [first, _, ..] = tasks[..]
        && names.len() > 1
        && (names[0] == names[1] || first == request.tasks)
    {
        work.shift = work.shift.saturating_mul(first);
        work.shape.trees_shift = work.shape.trees_shift.saturating_mul(first);
    }
    work.hosts = names;
    match tasks.is_empty() {
        true => (work, vec![request.tasks]),
        false => (work, tasks),
    }
}

/// The folder, or the one in which it would be created.
fn looked_at(folder: &Path) -> &Path {
    if folder.symlink_metadata().is_ok() {
        return folder;
    }
    let above = folder.parent().filter(|path| !path.as_os_str().is_empty());
    above.unwrap_or(Path::new("."))
}

/// Refuses a folder that cannot be worked in, before anything is created. Returns its room.
fn must_serve(place: &MdtestPlace, work: &MdtestWork) -> Result<Room, CommandError> {
    let folder = &place.folder;
    let looked = looked_at(folder);
    let is_there = looked == folder;
    if !is_there && work.uses_earlier() {
        return Err(CommandError::refused(format!(
            "-d {}: there is no such folder, so there is no tree in it; hint: create one with -C",
            folder.display()
        )));
    }
    let room = engine::room_of(looked, place.patience.min(Nanos::seconds(30)));
    let room = room.map_err(CommandError::refused)?;
    let names = work.shape.names();
    let files = match work.shape.files {
        true => work
            .shape
            .items()
            .saturating_mul(u64::from(work.shape.tasks)),
        false => 0,
    };
    let size = work.shape.file_size.0.next_multiple_of(FILE_BYTES_MIN);
    let bytes = files
        .saturating_mul(size)
        .saturating_add(names.saturating_mul(512));
    // Folders that stay are there for each iteration.
    let times = match work.leaves_tree() {
        true => u64::from(work.iterations),
        false => 1,
    };
    let need = match work.uses_earlier() {
        true => Need::default(),
        false => Need {
            bytes: model::Bytes(bytes.saturating_mul(times)),
            names: names.saturating_mul(times).saturating_add(3),
            fewer: "fewer items (-n, -I)",
        },
    };
    let mut problems: Vec<String> = room::against(&room, &need)
        .iter()
        .map(|why| format!("-d {}: {why}", looked.display()))
        .collect();
    if is_there && room.is_folder {
        problems.extend(place.problems(work).map_err(CommandError::refused)?);
    }
    match problems.is_empty() {
        true => Ok(room),
        false => Err(CommandError::refused_for(problems)),
    }
}

/// A record of which each phase has its own step.
fn first_record(
    asked: &Asked<'_>,
    work: &MdtestWork,
    ground: &RunContext,
    facts: &TargetFacts,
    began: Nanos,
) -> FilesRecord {
    FilesRecord {
        tool_version: VERSION.to_owned(),
        command: dialect::command("mdtest", asked.args),
        started_utc: began,
        host: ground.host.clone(),
        place: FilesPlace {
            paths: vec![asked.request.folder.clone()],
            file_system: facts.file_system.clone(),
            chain: facts.chain.clone(),
            hosts: Vec::new(),
        },
        work: FilesWork::Mdtest(Box::new(work.clone())),
        step: model::FilesStep::default(),
        outcome: model::FilesOutcome::Complete,
    }
}

fn text(asked: &Asked<'_>, nodes: &[u32], room: &Room, records: &[FilesRecord]) -> Vec<u8> {
    let zone = Zone::system();
    let began = records
        .first()
        .map_or_else(clock::utc, |record| record.started_utc);
    let stamp = |at: Nanos| date_stamp(at.0, &zone);
    let results = MdtestResults {
        version: VERSION,
        command: asked.echo,
        times: [&stamp(began), &stamp(clock::utc())],
        request: asked.request,
        hosts: nodes,
        capacity: Capacity {
            bytes: room.bytes,
            files: room.files,
        },
        records,
    };
    report::written(|out| mdtest_text(&results, out))
}

/// What would be done.
fn described(request: &Request, work: &MdtestWork) -> String {
    let shape = &work.shape;
    let mut page = format!(
        "{}: {} tasks, {} items each, {} folders in a tree, {} of them with items, {} names in all, {} iterations\n",
        request.folder.display(),
        shape.tasks,
        shape.items(),
        shape.tree_folders().unwrap_or(0),
        shape.folders_with_items(),
        shape.names(),
        work.iterations
    );
    for phase in &work.phases {
        page.push_str(&format!("{}\n", phase.name()));
    }
    page
}

fn outcome(end: &End) -> SessionOutcome {
    match end {
        End::Complete | End::Left(_) => SessionOutcome::Complete,
        End::Interrupted => SessionOutcome::Interrupted,
        End::Failed(_) => SessionOutcome::Failed,
    }
}

/// Reports what a program that reads only the exit code and standard error needs.
fn tell(end: &End) -> Ending {
    match end {
        End::Complete => return Ending::Good,
        End::Interrupted => output::tell(
            "interrupted: the result covers the phases that were complete; it cannot be resumed: run it again",
        ),
        End::Failed(why) | End::Left(why) => output::tell(why),
    }
    Ending::Wrong
}
