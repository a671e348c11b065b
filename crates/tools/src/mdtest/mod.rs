//! mdtest's command line, version 4: many tasks that create, look up, read, rename and remove folders and files.
//!
//! Read in this order: the rows (every option: reading, help and the manual come from them), `settle` (what they mean together).
//! [`mdtest_text`] prints mdtest's tables from the records. Source: mdtest 4.1, its `mdtest.c` and what it prints. Omitted: folders
//! (`cli` and `engine`), and its output as a reader sees it (`readers`).

mod result;
mod settle;
#[cfg(test)]
mod tests;

pub use result::{Capacity, MdtestResults, mdtest_text};

use crate::OwnOptions;
use crate::operands::{Apply, Dialect, Row, row};
use crate::page;
use Apply::{Flag, Noted, Number, Refused, Text};
use model::record::mdtest::{MdtestCompares, MdtestWork};
use std::path::PathBuf;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder in which the test folders are created.
    pub folder: PathBuf,
    /// Of the first iteration.
    pub work: MdtestWork,
    /// Seconds before the folders and before the files of each iteration.
    pub delay_s: u64,
    /// How many files of a task `-W` created: written by it, read by later calls.
    pub status_file: Option<PathBuf>,
    /// Tables that are printed: of rates, of times.
    pub tables: [bool; 2],
    /// Tasks of one process.
    pub tasks: u32,
    /// What fathom's own options ask for.
    pub output: Output,
    /// What was taken and is different here.
    pub notes: Vec<String>,
}

/// Where the results go.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Where they are stored.
    pub own: OwnOptions,
    /// One JSON document in place of the tables.
    pub json: bool,
    /// Describe the work and do nothing.
    pub dry_run: bool,
}

/// What was given.
#[derive(Default)]
struct Settings {
    help: bool,
    output: Output,
    store: Option<PathBuf>,
    folder: Option<String>,
    tree: Tree,
    kinds: Kinds,
    phases: Phases,
    data: Data,
    order: Order,
    tables: Tables,
}

#[derive(Default)]
struct Tree {
    items: Option<u64>,
    per_folder: Option<u64>,
    depth: Option<u64>,
    branches: Option<u64>,
    leaves: bool,
    own: bool,
}

#[derive(Default)]
struct Data {
    write: Option<u64>,
    read: Option<u64>,
    sync_files: bool,
    sync_phases: bool,
    compares: MdtestCompares,
}

/// By whom, in which order and how often.
#[derive(Default)]
struct Order {
    tasks: Option<u64>,
    shift: Option<u64>,
    random: bool,
    random_seed: Option<u64>,
    iterations: Option<u64>,
    delay: Option<u64>,
    wear_out: Option<u64>,
    status: Option<PathBuf>,
}

#[derive(Default)]
struct Tables {
    time: bool,
    both: bool,
}

#[derive(Default)]
struct Kinds {
    folders: bool,
    files: bool,
}

#[derive(Default)]
struct Phases {
    create: bool,
    stat: bool,
    read: bool,
    rename: bool,
    remove: bool,
}

fn barriers(_: &mut Settings, value: &str) -> Result<(), String> {
    match number(value) {
        Some(0) => Ok(()),
        Some(_) => Err("phases do not overlap here: omit it".to_owned()),
        None => Err(
            "it has a value, 0 or 1, and takes the word behind it for that; phases do not overlap here: omit it".to_owned(),
        ),
    }
}

fn folder(settings: &mut Settings, value: &str) -> Result<(), String> {
    match value {
        "" => Err("must be a folder".to_owned()),
        value if value.contains('@') => {
            Err("one folder is used: run it for each of them".to_owned())
        }
        value => {
            settings.folder = Some(value.to_owned());
            Ok(())
        }
    }
}

fn api(_: &mut Settings, value: &str) -> Result<(), String> {
    match value.eq_ignore_ascii_case("posix") {
        true => Ok(()),
        false => Err("must be POSIX: no other way is used here".to_owned()),
    }
}

fn status(settings: &mut Settings, value: &str) -> Result<(), String> {
    settings.order.status = Some(value.into());
    Ok(())
}

fn store(settings: &mut Settings, value: &str) -> Result<(), String> {
    settings.store = Some(value.into());
    Ok(())
}

const ONE_COUNT: &str =
    "one number of tasks is run: run it for each of them with --tasks or mpirun -n";
const COMMANDS: &str =
    "no command is run between phases: run the phases by calls of their own (-C, -T, -E, -r)";
const PER_TASK: &str = "the record has every task: omit it; hint: fathom show --json";

#[rustfmt::skip]
const ROWS: &[Row<Settings>] = &[
    row("a", "API", "how files are reached: POSIX", Text(api)),
    row("b", "N", "folders in each folder of the tree (1)", Number(|s| &mut s.tree.branches)),
    row("B", "0|1", "no barriers between phases; 0 is honoured", Text(barriers)),
    row("c", "", "task 0 creates the items of all", Refused("each task creates its own items: omit it")),
    row("C", "", "create", Flag(|s| &mut s.phases.create)),
    row("d", "DIR", "folder for the test folders (./out)", Text(folder)),
    row("D", "", "items are folders only", Flag(|s| &mut s.kinds.folders)),
    row("e", "SIZE", "bytes that are read of each file (0: it is opened and closed)", Number(|s| &mut s.data.read)),
    row("E", "", "read", Flag(|s| &mut s.phases.read)),
    row("f", "N", "first number of tasks", Refused(ONE_COUNT)),
    row("F", "", "items are files only", Flag(|s| &mut s.kinds.files)),
    row("g", "", "Lustre's default layout for folders", Refused("layouts are set by the file system's own tools before the run")),
    row("G", "N", "what the content begins with", Noted("the content follows from a fixed seed, and no two files have the same")),
    row("i", "N", "iterations (1)", Number(|s| &mut s.order.iterations)),
    row("I", "N", "items of a task in each folder of the tree", Number(|s| &mut s.tree.per_folder)),
    row("k", "", "mknod in place of open", Refused("files are created by open(2): omit it")),
    row("l", "N", "last number of tasks", Refused(ONE_COUNT)),
    row("L", "", "items only in the lowest folders of the tree", Flag(|s| &mut s.tree.leaves)),
    row("n", "N", "items of a task, of each kind", Number(|s| &mut s.tree.items)),
    row("N", "N", "a task works on what the task N further created; on several hosts N times the tasks of a host (0)", Number(|s| &mut s.order.shift)),
    row("p", "SECONDS", "pause before the folders and before the files of an iteration (0)", Number(|s| &mut s.order.delay)),
    row("P", "", "print rates and times", Flag(|s| &mut s.tables.both)),
    row("r", "", "remove", Flag(|s| &mut s.phases.remove)),
    row("R", "", "stat and read in random order", Flag(|s| &mut s.order.random)),
    row("s", "N", "steps of the number of tasks", Refused(ONE_COUNT)),
    row("S", "", "all tasks use one file", Refused("each task has files of its own: omit it; hint: fathom ior")),
    row("t", "", "the time to enter a task's own folder counts", Noted("it is in the time, as in mdtest 3 and later")),
    row("T", "", "stat", Flag(|s| &mut s.phases.stat)),
    row("u", "", "a tree of each task", Flag(|s| &mut s.tree.own)),
    row("U", "", "rename (folders)", Flag(|s| &mut s.phases.rename)),
    row("v", "", "print more", Noted("the record has more: fathom show")),
    row("V", "N", "print more", Noted("the record has more: fathom show")),
    row("w", "SIZE", "bytes that are written to each file (0)", Number(|s| &mut s.data.write)),
    row("W", "SECONDS", "files are created for this time, and all tasks go on to as many as the fastest", Number(|s| &mut s.order.wear_out)),
    row("x", "FILE", "how many files of a task -W created: it writes this number, and calls without -C read it", Text(status)),
    row("X", "", "compare what is read", Flag(|s| &mut s.data.compares.reads)),
    row("y", "", "fsync of each file that is written", Flag(|s| &mut s.data.sync_files)),
    row("Y", "", "sync(2) after each phase, within its time", Flag(|s| &mut s.data.sync_phases)),
    row("z", "N", "levels of the tree below its root (0)", Number(|s| &mut s.tree.depth)),
    row("Z", "", "print times", Flag(|s| &mut s.tables.time)),
    row("random-seed", "N", "seed of the random order; it implies -R", Number(|s| &mut s.order.random_seed)),
    row("verify-read", "", "compare what is read", Flag(|s| &mut s.data.compares.reads)),
    row("verify-write", "", "read each file behind its write, and compare it", Flag(|s| &mut s.data.compares.writes)),
    row("dataPacketType", "TYPE", "what is written", Noted("random data is written")),
    row("run-cmd-before-phase", "COMMAND", "a command before each phase", Refused(COMMANDS)),
    row("run-cmd-after-phase", "COMMAND", "a command after each phase", Refused(COMMANDS)),
    row("allocateBufferOnGPU", "N", "memory of a GPU", Refused("files are written from this machine's memory")),
    row("GPUid", "N", "which GPU", Refused("files are written from this machine's memory")),
    row("gpuDirect", "", "I/O of a GPU", Refused("files are written from this machine's memory")),
    row("warningAsErrors", "", "a warning ends the run", Noted("what fails ends the run")),
    row("print-all-procs", "", "figures of each task", Refused(PER_TASK)),
    row("showRankStatistics", "", "figures of each task", Refused(PER_TASK)),
    row("saveRankPerformanceDetails", "FILE", "a file with figures of each task", Refused(PER_TASK)),
    row("savePerOpDataCSV", "FILE", "a file with a line of each operation", Refused("records have no single operations; hint: fathom show --json has the percentiles")),
    row("tasks", "N", "fathom's own: tasks of this process, as threads (1)", Number(|s| &mut s.order.tasks)),
    row("json", "", "fathom's own: print one JSON document", Flag(|s| &mut s.output.json)),
    row("dry-run", "", "fathom's own: describe the work and do nothing", Flag(|s| &mut s.output.dry_run)),
    row("store", "PATH", "fathom's own: the results database", Text(store)),
    row("no-store", "", "fathom's own: store nothing", Flag(|s| &mut s.output.own.no_store)),
    row("h", "", "print this", Flag(|s| &mut s.help)),
    row("help", "", "print this", Flag(|s| &mut s.help)),
];

const DIALECT: Dialect<Settings> = Dialect {
    tool: "mdtest",
    rows: ROWS,
    number,
    form: "a whole number: 8, 4k, 2m (k, m, g, t and p are powers of 1024)",
    dashes: true,
};

/// IOR's numbers, of which mdtest's are.
fn number(text: &str) -> Option<u64> {
    let read = crate::ior::number::number(text).ok()?;
    read.dropped.is_none().then_some(read.value)
}

/// Reads a command line; `None` where it asks for the help. `ranks` is how many processes work together.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn read(words: &[String], ranks: u32) -> Result<Option<Request>, Vec<String>> {
    let mut settings = Settings::default();
    let found = DIALECT.read_options(words, &mut settings);
    match settings.help {
        true => Ok(None),
        false => settle::request(settings, found, ranks).map(Some),
    }
}

/// The help, for a program of this name.
pub fn usage(program: &str) -> String {
    let mut text = format!("usage: {program} [option...]\n\n");
    let about = "Creates, looks up, reads, renames and removes items in test folders of fathom's own below DIR; without -C, -T, -E, -r and -U \
                 all of it. -C without -r leaves the test folders for later calls with the same options. Nothing that fathom did not \
                 create is changed.";
    page::paragraph(&mut text, about);
    text.push('\n');
    DIALECT.entries(&mut text);
    text
}

/// The table of the manual, in Markdown.
pub fn option_table() -> String {
    DIALECT.table()
}
