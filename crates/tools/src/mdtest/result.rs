//! mdtest's text: its head, and the tables of rates and times over the iterations.
//!
//! A rate is the items of all tasks by the time of the phase; of trees, the folders of one tree. The table of times has the whole
//! phase in seconds, although its head names milliseconds: as in mdtest. Omitted: figures of single tasks, which the record has.

use super::Request;
use crate::ior::IOR_VERSION;
use model::record::mdtest::MdtestPhase;
use model::{FilesOutcome, FilesRecord, FilesWork};
use std::io::{self, Write};

/// What a file system has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes, and how many of them are free.
    pub bytes: [u64; 2],
    /// Files, and how many more may be created.
    pub files: [u64; 2],
}

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub struct MdtestResults<'a> {
    /// Of fathom.
    pub version: &'a str,
    /// The command line as it was given.
    pub command: &'a str,
    /// When it began and ended: `MM/DD/YYYY HH:MM:SS`.
    pub times: [&'a str; 2],
    /// The request.
    pub request: &'a Request,
    /// Tasks of each host; one entry where there is one host.
    pub hosts: &'a [u32],
    /// Of the file system.
    pub capacity: Capacity,
    /// All phases of all iterations.
    pub records: &'a [FilesRecord],
}

/// Prints all of it.
///
/// # Errors
/// Those of `out`.
pub fn mdtest_text(results: &MdtestResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    head(results, out)?;
    let differing = results.records.iter();
    let differing: u64 = differing.map(|record| record.step.compared().1).sum();
    if differing > 0 {
        writeln!(
            out,
            "\nERROR: verifying the data on read ({differing} errors)! Take the performance values with care!"
        )?;
    }
    let [rate, time] = results.request.tables;
    if rate {
        table(results, false, out)?;
    }
    if time {
        table(results, true, out)?;
    }
    writeln!(out, "-- finished at {} --\n", results.times[1])
}

fn head(results: &MdtestResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let work = &results.request.work;
    let tasks = work.shape.tasks;
    let [bytes, bytes_free] = results.capacity.bytes;
    let [files, files_free] = results.capacity.files;
    let used = |all: u64, free: u64| (1.0 - free as f64 / all as f64) * 100.0;
    let (size, unit) = match bytes > 1 << 50 {
        true => (bytes as f64 / (1u64 << 40) as f64, "TiB"),
        false => (bytes as f64 / (1u64 << 30) as f64, "GiB"),
    };
    writeln!(out, "-- started at {} --\n", results.times[0])?;
    writeln!(
        out,
        "mdtest-{IOR_VERSION} was launched with {tasks} total task(s) on {} node(s)",
        results.hosts.len()
    )?;
    writeln!(out, "Command line used: {}", results.command)?;
    writeln!(out, "{:<20}: fathom {}", "Measured by", results.version)?;
    writeln!(out, "{:<20}: {}", "Path", results.request.folder.display())?;
    writeln!(
        out,
        "{:<20}: {size:.1} {unit}   Used FS: {:.1}%   Inodes: {:.1} Mi   Used Inodes: {:.1}%",
        "FS",
        used(bytes, bytes_free),
        files as f64 / (1u64 << 20) as f64,
        if files == 0 {
            0.0
        } else {
            used(files, files_free)
        }
    )?;
    if let Some(seed) = work.random_seed {
        writeln!(out, "random seed: {seed}")?;
    }
    let what = match (work.shape.folders, work.shape.files) {
        (true, true) => "files/directories",
        (true, false) => "directories",
        (false, _) => "files",
    };
    writeln!(
        out,
        "{tasks} tasks, {} {what}",
        work.shape.items() * u64::from(tasks)
    )
}

/// Phases in the order of mdtest's rows.
const ROWS: [(MdtestPhase, &str); 10] = [
    (MdtestPhase::DirectoryCreation, "Directory creation"),
    (MdtestPhase::DirectoryStat, "Directory stat"),
    (MdtestPhase::DirectoryRename, "Directory rename"),
    (MdtestPhase::DirectoryRemoval, "Directory removal"),
    (MdtestPhase::FileCreation, "File creation"),
    (MdtestPhase::FileStat, "File stat"),
    (MdtestPhase::FileRead, "File read"),
    (MdtestPhase::FileRemoval, "File removal"),
    (MdtestPhase::TreeCreation, "Tree creation"),
    (MdtestPhase::TreeRemoval, "Tree removal"),
];

fn table(results: &MdtestResults<'_>, times: bool, out: &mut dyn Write) -> io::Result<()> {
    let work = &results.request.work;
    let title = if times {
        "time (in ms/op)"
    } else {
        "rate (in ops/sec)"
    };
    writeln!(
        out,
        "\nSUMMARY {title}: (of {} iterations)",
        work.iterations
    )?;
    writeln!(
        out,
        "   Operation                     Max            Min           Mean        Std Dev"
    )?;
    writeln!(
        out,
        "   ---------                     ---            ---           ----        -------"
    )?;
    for (phase, name) in ROWS {
        let is_of_folders = !phase.is_of_trees() && !phase.is_of_files();
        if is_of_folders && !work.shape.folders || phase.is_of_files() && !work.shape.files {
            continue;
        }
        let values = results
            .records
            .iter()
            .filter_map(|record| value(record, phase, times));
        let [max, min, mean, deviation] = summary(&values.collect::<Vec<f64>>());
        writeln!(
            out,
            "   {name:<22} {max:14.3} {min:14.3} {mean:14.3} {deviation:14.3}"
        )?;
    }
    Ok(())
}

/// The figure of one iteration; `None` for another phase, and for one that was not done whole.
fn value(record: &FilesRecord, phase: MdtestPhase, times: bool) -> Option<f64> {
    let FilesWork::Mdtest(work) = &record.work else {
        return None;
    };
    let step = &record.step;
    let is_whole = record.outcome == FilesOutcome::Complete && step.unmeasured.is_none();
    if !is_whole || step.name != work.step_name(phase) {
        return None;
    }
    let seconds = step.elapsed.as_seconds();
    Some(if times {
        seconds
    } else {
        record.counted() as f64 / seconds
    })
}

/// Largest, smallest, mean and standard deviation of a sample; zeros of nothing.
fn summary(values: &[f64]) -> [f64; 4] {
    if values.is_empty() {
        return [0.0; 4];
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = match values.len() {
        1 => 0.0,
        count => (squares / (count - 1) as f64).sqrt(),
    };
    let max = values.iter().copied().fold(f64::MIN, f64::max);
    let min = values.iter().copied().fold(f64::MAX, f64::min);
    [max, min, mean, deviation]
}
