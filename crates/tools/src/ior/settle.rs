//! What of a test contradicts itself, and what cannot be done, each with the nearest thing that can.
//!
//! Omitted: what only the machine shows (`model::check`).

use super::build::PHASE_TIME_MAX;
use super::test::{Layout, Order, Test};
use crate::fio::{Note, Place, Problem};
use crate::refusal::Problems;

/// IOR compares words of this length.
const WORD: u64 = 8;
/// fathom compares blocks of this length, by their headers.
const COMPARED: u64 = 4096;
/// Most tasks, as threads of one target.
const TASKS_MAX: u64 = 1024;
/// Most tasks, as processes.
const RANKS_MAX: u64 = 1 << 14;
/// Most repetitions.
const REPETITIONS_MAX: u64 = 100_000;

/// Fills in what follows from the rest, and reports what cannot be. With several `ranks` each is a task.
pub(super) fn settle(
    test: &mut Test,
    ranks: u32,
    notes: &mut Vec<Note>,
    problems: &mut Problems<Problem>,
) {
    let actions = &mut test.actions;
    if actions.write + actions.read + actions.check_write + actions.check_read == 0 {
        (actions.write, actions.read) = (1, 1);
    }
    let (wanted, ranks) = (test.tasks, u64::from(ranks));
    if ranks > 1 && (wanted == 0 || wanted > ranks) {
        test.tasks = ranks;
    }
    for (what, why) in noted(test, ranks, wanted) {
        notes.push(Note {
            place: Place::default(),
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }
    let found = amounts(test, ranks)
        .into_iter()
        .chain(ways(test))
        .chain(orders(test));
    for (what, why) in found {
        problems.push(Problem {
            place: Place::default(),
            what: what.to_owned(),
            why,
        });
    }
}

type Found = Vec<(&'static str, String)>;

fn noted(test: &Test, ranks: u64, wanted: u64) -> Vec<(&'static str, &'static str)> {
    let api = test.storage.api.to_ascii_uppercase();
    let all = [
        (
            api == "MPIIO",
            "-a MPIIO",
            "independent I/O of MPI-IO is done by the calls of POSIX",
        ),
        (
            api == "POSIX" && test.storage.collective > 0,
            "-c",
            "it changes nothing with POSIX, as in IOR",
        ),
        (
            ranks > 1 && wanted > ranks,
            "-N",
            "there are fewer processes, and all of them take part, as in IOR",
        ),
        (
            test.order.constant > 0 && ranks == 1,
            "-C",
            "all tasks are on this host, so each reads what it wrote, as in IOR with one host",
        ),
        (
            test.order.constant == 0 && test.order.offset != Order::default().offset,
            "-Q",
            "it changes nothing without -C",
        ),
        (
            test.layout.shuffled == 0 && test.layout.seed != Layout::default().seed,
            "random-offset-seed",
            "it changes nothing without -z",
        ),
        (
            test.files.keep_corrupt > 0 && test.actions.check_read + test.actions.check_write == 0,
            "-K",
            "it changes nothing, because nothing is compared: add -R or -W",
        ),
        (
            test.storage.fsync > 0 && test.actions.write == 0,
            "-e",
            "it is for writes, and nothing is written",
        ),
    ];
    let given = all.into_iter().filter(|(is, ..)| *is);
    given.map(|(_, what, why)| (what, why)).collect()
}

/// Sizes and counts.
fn amounts(test: &Test, ranks: u64) -> Found {
    let layout = &test.layout;
    let mut found = Found::new();
    let mut refuse = |what, why: &str| found.push((what, why.to_owned()));
    for (what, size) in [("-b", layout.block), ("-t", layout.transfer)] {
        if size == 0 || !size.is_multiple_of(WORD) {
            refuse(what, "must be a multiple of 8, above 0");
        }
    }
    if layout.transfer > 0 && !layout.block.is_multiple_of(layout.transfer) {
        refuse("-b", "must be a multiple of the transfer size (-t)");
    }
    if layout.transfer > 1 << 30 {
        refuse("-t", "must be 1g at most");
    }
    if layout.segments == 0 {
        refuse("-s", "must be at least 1");
    }
    let tasks = test.tasks.max(1);
    if layout
        .of_task()
        .checked_mul(tasks)
        .is_none_or(|all| all >= 1 << 62)
    {
        refuse("-b, -s", "all tasks together move at most 4 EiB");
    }
    if test.course.repetitions == 0 || test.course.repetitions > REPETITIONS_MAX {
        refuse("-i", "must be from 1 to 100000");
    }
    let compares = test.actions.check_write + test.actions.check_read > 0;
    if compares && !test.layout.transfer.is_multiple_of(COMPARED) {
        refuse(
            "-W, -R",
            "data is compared in blocks of 4096 bytes: specify a transfer size (-t) that is a multiple of them",
        );
    }
    if ranks == 1 && test.tasks > TASKS_MAX {
        refuse(
            "-N",
            "must be 1024 at most: each task is a thread of this process",
        );
    } else if test.tasks > RANKS_MAX {
        refuse("-N", "must be 16384 at most: specify fewer tasks");
    }
    if test.course.deadline_s > PHASE_TIME_MAX.0 / 1_000_000_000 {
        refuse(
            "-D",
            "must be 21600 seconds at most: a phase ends after 6 h",
        );
    }
    if test.course.delay_s > 1_000_000 {
        refuse("-d", "must be 1000000 seconds at most");
    }
    found
}

/// How it gets to the storage.
fn ways(test: &Test) -> Found {
    let mut found = Found::new();
    let mut refuse = |what, why: String| found.push((what, why));
    let api = test.storage.api.to_ascii_uppercase();
    match api.as_str() {
        "POSIX" => {}
        "MPIIO" if test.storage.collective > 0 => refuse(
            "-a MPIIO -c",
            "collective I/O is done by the library of MPI, and fathom issues each transfer itself: omit -c".to_owned(),
        ),
        "MPIIO" => {}
        _ => refuse(
            "-a",
            format!("{} is not done here: specify POSIX", model::printable(&test.storage.api)),
        ),
    }
    if test.course.wear_out > 0 && test.course.deadline_s == 0 {
        refuse("stoneWallingWearOut", "it needs a deadline: -D".to_owned());
    }
    if test.course.status.is_some() {
        let reasons = [
            (
                test.files.keep == 0,
                "it is for reads of a later call, so the file has to stay: add -k",
            ),
            (
                test.actions.write > 0 && test.course.wear_out == 0,
                "the tasks write different amounts: add -O stoneWallingWearOut=1",
            ),
        ];
        let wrong = reasons.into_iter().filter(|(is_wrong, _)| *is_wrong);
        wrong.for_each(|(_, why)| refuse("stoneWallingStatusFile", why.to_owned()));
    }
    let names = test.files.name.split('@').count();
    if names > 1 && test.files.per_task == 0 {
        refuse(
            "-o",
            "several names with @ between are for a file of each task: add -F".to_owned(),
        );
    }
    if test.files.unique_dir > 0 && test.files.per_task == 0 {
        refuse(
            "-u",
            "a folder of each task is for a file of each task: add -F".to_owned(),
        );
    }
    if test.files.name.split('@').any(str::is_empty) {
        refuse("-o", "a name is empty".to_owned());
    }
    found
}

/// In which order, and who reads what.
fn orders(test: &Test) -> Found {
    let mut found = Found::new();
    let mut refuse = |what, why: &str| found.push((what, why.to_owned()));
    let layout = &test.layout;
    match (test.order.constant > 0, test.order.random > 0) {
        (true, true) => refuse("-C, -Z", "a task reads in one of both orders: omit one"),
        (false, true) => refuse(
            "-Z",
            "which task reads what would be left to chance; hint: -C -Q reads what a task of another host wrote",
        ),
        _ => {}
    }
    match (layout.shuffled, test.files.per_task > 0) {
        (0, _) => {}
        (1, true) if layout.block == layout.transfer => refuse(
            "-z",
            "a random order needs several transfers: specify a block (-b) above the transfer size (-t)",
        ),
        (1, true) => {}
        (1, false) => refuse(
            "-z",
            "on a shared file IOR deals transfers out by chance, so that tasks get unequal shares: add -F",
        ),
        _ => refuse(
            "-z -z",
            "random transfers with repeats need a filled file, and IOR fails on a new one; hint: fathom run --pattern random",
        ),
    }
    found
}
