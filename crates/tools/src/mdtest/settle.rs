//! What the options mean together, and what contradicts itself: all of it at once.

use super::{Request, Settings};
use crate::operands::Findings;
use model::record::mdtest::{DEPTH_MAX, ITEMS_MAX, MdtestPhase, MdtestShape, MdtestWork};
use model::{Bytes, Nanos};
use std::path::PathBuf;

/// Bytes of a file at most: each task has a buffer of as many.
const FILE_MAX: u64 = 64 << 20;
/// Tasks of all processes at most.
const TASKS_MAX: u64 = 1 << 20;
/// Tasks of one process at most.
const THREADS_MAX: u64 = 1024;
/// Where the random order is asked for without a seed.
const SEED: u64 = 1;

pub(super) fn request(
    mut settings: Settings,
    mut found: Findings,
    ranks: u32,
) -> Result<Request, Vec<String>> {
    let threads = settings.order.tasks.unwrap_or(1);
    let tasks = threads.saturating_mul(u64::from(ranks.max(1)));
    let shape = shape(&settings, tasks.min(TASKS_MAX));
    let phases = phases(&settings, &shape);
    contradictions(&settings, &phases, tasks, &mut found);
    worn(&settings, &phases, &mut found);
    let shape = tree(&settings, shape, &mut found);
    notes(&settings, &phases, &shape, &mut found);
    settings.output.own.store = settings.store.take();
    if !found.problems.is_empty() {
        return Err(found.problems);
    }
    Ok(Request {
        folder: PathBuf::from(settings.folder.as_deref().unwrap_or("./out")),
        delay_s: settings.order.delay.unwrap_or(0),
        status_file: settings.order.status.take(),
        tables: [
            !settings.tables.time || settings.tables.both,
            settings.tables.time || settings.tables.both,
        ],
        tasks: u32::try_from(threads).unwrap_or(u32::MAX),
        work: MdtestWork {
            shape,
            phases,
            read: Bytes(settings.data.read.unwrap_or(0)),
            syncs_files: settings.data.sync_files,
            syncs_phases: settings.data.sync_phases,
            wear_out: wear_out(&settings).map(Nanos::seconds),
            compares: settings.data.compares,
            shift: u32::try_from(settings.order.shift.unwrap_or(0)).unwrap_or(u32::MAX),
            random_seed: seed(&settings),
            iteration: 0,
            iterations: u32::try_from(settings.order.iterations.unwrap_or(1)).unwrap_or(u32::MAX),
            hosts: Vec::new(),
        },
        output: settings.output,
        notes: found.notes,
    })
}

fn seed(settings: &Settings) -> Option<u64> {
    let given = settings.order.random_seed.filter(|seed| *seed > 0);
    given.or(settings.order.random.then_some(SEED))
}

fn wear_out(settings: &Settings) -> Option<u64> {
    settings.order.wear_out.filter(|seconds| *seconds > 0)
}

/// The tree but for its items.
fn shape(settings: &Settings, tasks: u64) -> MdtestShape {
    let both = settings.kinds.folders == settings.kinds.files;
    let shift = settings.order.shift.unwrap_or(0);
    MdtestShape {
        tasks: u32::try_from(tasks).unwrap_or(u32::MAX),
        depth: u32::try_from(settings.tree.depth.unwrap_or(0)).unwrap_or(u32::MAX),
        branches: settings.tree.branches.unwrap_or(1),
        per_folder: 0,
        leaves_only: settings.tree.leaves,
        own_trees: settings.tree.own,
        trees_shift: match settings.tree.own {
            true => u32::try_from(shift).unwrap_or(u32::MAX),
            false => 0,
        },
        folders: both || settings.kinds.folders,
        files: both || settings.kinds.files,
        file_size: match both || settings.kinds.files {
            true => Bytes(settings.data.write.unwrap_or(0)),
            false => Bytes(0),
        },
    }
}

/// What is done, in mdtest's order.
fn phases(settings: &Settings, shape: &MdtestShape) -> Vec<MdtestPhase> {
    let asked = &settings.phases;
    let given = asked.create || asked.stat || asked.read || asked.rename || asked.remove;
    let wanted = |phase: &MdtestPhase| {
        let is_wanted = match phase {
            MdtestPhase::TreeCreation
            | MdtestPhase::DirectoryCreation
            | MdtestPhase::FileCreation => asked.create,
            MdtestPhase::DirectoryStat | MdtestPhase::FileStat => asked.stat,
            MdtestPhase::DirectoryRename => asked.rename,
            MdtestPhase::FileRead => asked.read,
            MdtestPhase::DirectoryRemoval | MdtestPhase::FileRemoval | MdtestPhase::TreeRemoval => {
                asked.remove
            }
        };
        let is_there = phase.is_of_trees()
            || if phase.is_of_files() {
                shape.files
            } else {
                shape.folders
            };
        (is_wanted || !given) && is_there
    };
    MdtestPhase::ALL.into_iter().filter(wanted).collect()
}

fn contradictions(settings: &Settings, phases: &[MdtestPhase], tasks: u64, found: &mut Findings) {
    let within = |value: Option<u64>, most: u64| value.unwrap_or(0) <= most;
    let creates = phases.contains(&MdtestPhase::FileCreation);
    let reads = phases.contains(&MdtestPhase::FileRead);
    let (read, write) = (
        settings.data.read.unwrap_or(0),
        settings.data.write.unwrap_or(0),
    );
    let reported = [
        (
            phases.is_empty(),
            "-D, -F: nothing is left to do: folders are not read, and files not renamed",
        ),
        (
            creates && reads && read > write,
            "-e: it reads more than -w writes: make it smaller",
        ),
        (
            read > FILE_MAX || write > FILE_MAX,
            "-w, -e: must be at most 64m",
        ),
        (settings.tree.branches == Some(0), "-b: must be at least 1"),
        (
            settings.order.iterations == Some(0),
            "-i: must be at least 1",
        ),
        (
            !within(settings.order.iterations, 10_000),
            "-i: must be at most 10000",
        ),
        (
            !within(settings.order.delay, 86_400),
            "-p: must be at most 86400 s",
        ),
        (
            !within(settings.tree.depth, u64::from(DEPTH_MAX)),
            "-z: must be at most 100",
        ),
        (
            !within(settings.order.shift, u64::from(u32::MAX)),
            "-N: must be below 4g",
        ),
        (
            !(1..=THREADS_MAX).contains(&settings.order.tasks.unwrap_or(1)) || tasks > TASKS_MAX,
            "--tasks: must be 1 to 1024, and at most 1m on all hosts together",
        ),
        (
            settings.tree.items.unwrap_or(0) > 0 && settings.tree.per_folder.unwrap_or(0) > 0,
            "-I: it cannot be combined with -n: specify the items of each folder, or those of a task",
        ),
        (
            settings.tree.items.unwrap_or(0) == 0 && settings.tree.per_folder.unwrap_or(0) == 0,
            "-n: no items, so there is nothing to do: specify how many, or -I",
        ),
        (
            settings.output.own.no_store && settings.store.is_some(),
            "--no-store: it contradicts --store: specify one of them",
        ),
    ];
    let wrong = reported.into_iter().filter(|(wrong, _)| *wrong);
    found.problems.extend(wrong.map(|(_, why)| why.to_owned()));
}

/// What -W and -x contradict.
fn worn(settings: &Settings, phases: &[MdtestPhase], found: &mut Findings) {
    let Some(seconds) = wear_out(settings) else {
        if settings.order.status.is_some() && phases.contains(&MdtestPhase::FileCreation) {
            found
                .notes
                .push("-x: it is not written, because -W is missing".to_owned());
        }
        return;
    };
    let leaves = !phases.contains(&MdtestPhase::TreeRemoval);
    let reported = [
        (seconds > 86_400, "-W: must be at most 86400 s"),
        (
            settings.tree.depth.unwrap_or(0) > 0,
            "-W: a tree of one folder is needed: omit -z",
        ),
        (
            leaves && phases.contains(&MdtestPhase::DirectoryCreation),
            "-W: a tree that stays has files only: add -F",
        ),
    ];
    let wrong = reported.into_iter().filter(|(wrong, _)| *wrong);
    found.problems.extend(wrong.map(|(_, why)| why.to_owned()));
    if !phases.contains(&MdtestPhase::FileCreation) {
        found.notes.push("-W: no file is created".to_owned());
    }
}

/// The tree with its items, cut to a multiple of its folders as mdtest does.
fn tree(settings: &Settings, shape: MdtestShape, found: &mut Findings) -> MdtestShape {
    if shape.depth > DEPTH_MAX || shape.branches == 0 {
        return shape;
    }
    let Some(all) = shape.tree_folders() else {
        let problem = format!("-z, -b: a tree must have at most {ITEMS_MAX} folders");
        found.problems.push(problem);
        return shape;
    };
    let folders = shape.folders_with_items();
    let items = settings.tree.items.unwrap_or(0);
    let per_folder = match settings.tree.per_folder.unwrap_or(0) {
        0 => items / folders,
        per_folder => per_folder,
    };
    let shape = MdtestShape {
        per_folder,
        ..shape
    };
    let most = u64::from(shape.tasks).saturating_mul(shape.items().max(all));
    if most > ITEMS_MAX {
        let problem =
            format!("-n, -I, -z, -b: all tasks together must have at most {ITEMS_MAX} items");
        found.problems.push(problem);
    }
    if items > 0 && per_folder == 0 {
        found.problems.push(format!(
            "-n {items}: the items of a task are divided among {folders} folders: specify at least {folders}, or -I"
        ));
    } else if items > shape.items() && settings.tree.per_folder.unwrap_or(0) == 0 {
        found.notes.push(format!(
            "-n {items}: cut to {}, as in mdtest: {per_folder} in each of {folders} folders",
            shape.items()
        ));
    }
    shape
}

fn notes(settings: &Settings, phases: &[MdtestPhase], shape: &MdtestShape, found: &mut Findings) {
    let reads = phases.contains(&MdtestPhase::FileRead);
    let creates = phases.contains(&MdtestPhase::FileCreation);
    let read = settings.data.read.unwrap_or(0);
    let reported = [
        (
            reads && read == 0,
            "-e is 0: a read opens and closes the file",
        ),
        (!reads && read > 0, "-e: no file is read"),
        (
            settings.data.compares.reads && (!reads || read == 0),
            "-X: no data is read, so none is compared",
        ),
        (
            settings.data.compares.writes && (!creates || shape.file_size == Bytes(0)),
            "--verify-write: no data is written, so none is compared",
        ),
        (
            !shape.files && settings.data.write.unwrap_or(0) > 0,
            "-w: no file is written",
        ),
        (
            settings.data.sync_files && shape.file_size == Bytes(0),
            "-y: files without content are not flushed, as in mdtest",
        ),
        (
            settings.order.shift.unwrap_or(0) > 0 && shape.tasks == 1,
            "-N: there is one task, which works on its own items",
        ),
        (
            phases.contains(&MdtestPhase::DirectoryRename) && shape.items() == 1,
            "-U: one folder is not renamed, as in mdtest",
        ),
    ];
    let noted = reported.into_iter().filter(|(is_noted, _)| *is_noted);
    found.notes.extend(noted.map(|(_, why)| why.to_owned()));
}
