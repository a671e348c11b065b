//! IOR's table, its summary, and its lines of commas, so that scripts that read IOR's output read this.
//!
//! Deliberately absent: lines on the removal of files, which is not timed, and figures of nodes that there are not.

use super::IOR_VERSION;
use super::build::Phase;
use super::test::Test;
use analysis::job::PhaseFigures;
use model::record::WearOut;
use std::io::{self, Write};

pub(super) const MIB: f64 = 1024.0 * 1024.0;

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub struct IorResults<'a> {
    /// Version of fathom.
    pub version: &'a str,
    /// The command line.
    pub command: &'a str,
    /// Operating system and host.
    pub machine: &'a str,
    /// When it began and ended, as IOR writes a moment.
    pub times: [&'a str; 2],
    /// In their order.
    pub tests: &'a [IorTest<'a>],
}

/// A test with its results.
#[derive(Clone, Debug)]
pub struct IorTest<'a> {
    /// Which.
    pub test: &'a Test,
    /// When it began.
    pub began: String,
    /// Its phases, in their order.
    pub runs: Vec<IorRun>,
}

/// A phase with its results.
#[derive(Clone, Copy, Debug)]
pub struct IorRun {
    /// Which.
    pub phase: Phase,
    /// Of which repetition, from 0.
    pub repetition: u64,
    /// Its results.
    pub figures: PhaseFigures,
}

impl IorTest<'_> {
    /// Returns the results of one phase over all repetitions.
    pub(super) fn of(&self, phase: Phase) -> Vec<PhaseFigures> {
        let runs = self.runs.iter().filter(|run| run.phase == phase);
        runs.map(|run| run.figures).collect()
    }

    /// Returns those phases that IOR's table has.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&'static str, &IorRun)> {
        let runs = self.runs.iter();
        runs.filter_map(|run| Some((run.phase.name()?, run)))
    }

    pub(super) fn options(&self) -> Vec<(&'static str, String)> {
        let test = self.test;
        let word = |is: bool, yes: &str, no: &str| if is { yes.to_owned() } else { no.to_owned() };
        let tasks = u64::from(test.task_count());
        let mut all = vec![
            ("api", test.storage.api.clone()),
            ("apiVersion", String::new()),
            ("test filename", test.files.name.clone()),
            (
                "access",
                word(
                    test.files.per_task > 0,
                    "file-per-process",
                    "single-shared-file",
                ),
            ),
            ("type", "independent".to_owned()),
            ("segments", test.layout.segments.to_string()),
            (
                "ordering in a file",
                word(test.layout.shuffled > 0, "random", "sequential"),
            ),
            (
                "ordering inter file",
                word(
                    test.order.constant > 0,
                    "constant task offset",
                    "no tasks offsets",
                ),
            ),
        ];
        if test.order.constant > 0 {
            all.push(("task offset", test.order.offset.to_string()));
        }
        all.extend([
            ("nodes", test.host_count().to_string()),
            ("tasks", tasks.to_string()),
            ("clients per node", test.tasks_per_host().to_string()),
            ("repetitions", test.course.repetitions.to_string()),
            ("xfersize", readable(test.layout.transfer)),
            ("blocksize", readable(test.layout.block)),
            (
                "aggregate filesize",
                readable(test.layout.of_task().saturating_mul(tasks)),
            ),
        ]);
        if test.course.deadline_s > 0 {
            all.push(("stonewallingTime", test.course.deadline_s.to_string()));
            let worn = u8::from(test.course.wear_out > 0);
            all.push(("stoneWallingWearOut", worn.to_string()));
        }
        all
    }
}

/// `262144 bytes`, `1 MiB`, `1.50 GiB`.
fn readable(bytes: u64) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} bytes"),
        Some((unit, name)) if bytes.is_multiple_of(*unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.2} {name}", bytes as f64 / *unit as f64),
    }
}

/// A number of the table, left-justified: six digits below 1, two below 3600, else none; a dash where there is none.
fn cell(number: Option<f64>) -> String {
    match number {
        None => "   -      ".to_owned(),
        Some(number) if number < 1.0 => format!("{number:<10.6}"),
        Some(number) if number < 3600.0 => format!("{number:<10.2}"),
        Some(number) => format!("{number:<10.0}"),
    }
}

fn key(out: &mut dyn Write, key: &str, value: &str) -> io::Result<()> {
    writeln!(out, "{key:<20}: {value}")
}

/// The text. Errors are those of `out`.
pub fn ior_text(results: &IorResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "IOR-{IOR_VERSION}: MPI Coordinated Test of Parallel I/O"
    )?;
    key(out, "Began", results.times[0])?;
    key(out, "Command line", results.command)?;
    key(out, "Machine", results.machine)?;
    key(out, "Measured by", &format!("fathom {}", results.version))?;
    for test in results.tests {
        key(out, "TestID", &test.test.id.to_string())?;
        key(out, "StartTime", &test.began)?;
        writeln!(out, "\nOptions: ")?;
        for (name, value) in test.options() {
            key(out, name, &value)?;
        }
        writeln!(out, "\nResults: \n")?;
        table(test, out)?;
        if test.test.storage.verbose > 0 {
            largest(test, out)?;
        }
    }
    summary(results, out)?;
    key(out, "Finished", results.times[1])
}

fn table(test: &IorTest<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter"
    )?;
    writeln!(
        out,
        "------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----"
    )?;
    for (name, run) in test.shown() {
        let figures = &run.figures;
        if let Some(met) = &figures.met {
            writeln!(out, "{}", pairs(met, test.test))?;
        }
        let kib = |bytes: u64| Some(bytes as f64 / 1024.0);
        let cells = [
            (Some(figures.bytes_per_s / MIB), " "),
            (Some(figures.ios_per_s), " "),
            (Some(figures.latency_s), "  "),
            (kib(test.test.layout.block), " "),
            (kib(test.test.layout.transfer), " "),
            (figures.open_s, " "),
            (Some(figures.io_s), " "),
            (figures.close_s, " "),
            (Some(figures.total_s), " "),
        ];
        let cells = cells.map(|(number, behind)| format!("{}{behind}", cell(number)));
        writeln!(out, "{name:<10}{}{:<4}", cells.concat(), run.repetition)?;
    }
    Ok(())
}

/// The largest rates, which IOR prints with `-v`.
fn largest(test: &IorTest<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (head, phase) in [("Max Write: ", Phase::Write), ("Max Read:  ", Phase::Read)] {
        let rates = test.of(phase).into_iter().map(|run| run.bytes_per_s);
        if let Some(most) = rates.reduce(f64::max) {
            writeln!(
                out,
                "{head}{:.2} MiB/sec ({:.2} MB/sec)",
                most / MIB,
                most / 1e6
            )?;
        }
    }
    Ok(())
}

/// Largest, smallest, mean and standard deviation of the repetitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) max: f64,
    pub(super) min: f64,
    pub(super) mean: f64,
    pub(super) sd: f64,
}

impl Spread {
    /// None of nothing. The deviation is that of the values themselves, divided by their number, as in IOR.
    pub(super) fn of(values: &[f64]) -> Option<Spread> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        Some(Spread {
            max: values.iter().copied().reduce(f64::max)?,
            min: values.iter().copied().reduce(f64::min)?,
            mean,
            sd: (squares / count).sqrt(),
        })
    }
}

/// What the summary has of one phase: bytes per second, transfers per second over the whole time, and that time.
pub(super) fn spreads(test: &IorTest<'_>, phase: Phase) -> Option<[Spread; 3]> {
    let runs = test.of(phase);
    let transfer = test.test.layout.transfer.max(1) as f64;
    let of = |value: &dyn Fn(&PhaseFigures) -> f64| {
        Spread::of(&runs.iter().map(value).collect::<Vec<f64>>())
    };
    Some([
        of(&|run| run.bytes_per_s)?,
        of(&|run| run.bytes_per_s / transfer)?,
        of(&|run| run.total_s)?,
    ])
}

/// Seconds until all tasks met behind the deadline, and MiB/s of a task until then, over the repetitions.
pub(super) fn stonewall(test: &IorTest<'_>, phase: Phase) -> Option<[f64; 2]> {
    let met: Vec<WearOut> = test.of(phase).iter().filter_map(|run| run.met).collect();
    let time_s: f64 = met.iter().map(|met| met.after.as_seconds()).sum();
    let tasks = f64::from(test.test.task_count());
    let bytes: f64 = met.iter().map(|met| met.all.0 as f64 / tasks).sum();
    (time_s > 0.0).then(|| [time_s / met.len() as f64, bytes / time_s / MIB])
}

/// How far the tasks were when they met.
fn pairs(met: &WearOut, test: &Test) -> String {
    let gib = |bytes: f64| bytes / (1u64 << 30) as f64;
    let transfer = test.layout.transfer.max(1);
    format!(
        "stonewalling pairs accessed min: {} max: {} -- min data: {:.1} GiB mean data: {:.1} GiB time: {:.1}s",
        met.least.0 / transfer,
        met.most.0 / transfer,
        gib(met.least.0 as f64),
        gib(met.all.0 as f64 / f64::from(test.task_count())),
        met.after.as_seconds()
    )
}

fn summary(results: &IorResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nSummary of all tests:")?;
    write!(
        out,
        "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     StdDev    Mean(s) "
    )?;
    write!(
        out,
        "Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff "
    )?;
    writeln!(
        out,
        "reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum"
    )?;
    for test in results.tests {
        for (name, phase) in [("write", Phase::Write), ("read", Phase::Read)] {
            let Some([rate, ops, time]) = spreads(test, phase) else {
                continue;
            };
            let figures = [
                rate.max / MIB,
                rate.min / MIB,
                rate.mean / MIB,
                rate.sd / MIB,
                ops.max,
                ops.min,
                ops.mean,
                ops.sd,
            ];
            let figures = figures.map(|figure| format!("{figure:>10.2} "));
            let moved = test.of(phase).first().map_or(0, |run| run.bytes);
            let asked = test.test;
            let stonewall = stonewall(test, phase).map_or_else(
                || ["NA", "NA"].map(str::to_owned),
                |figures| figures.map(|figure| format!("{figure:.2}")),
            );
            let (tasks, per_host) = (asked.task_count(), asked.tasks_per_host());
            writeln!(
                out,
                "{name:<9} {}{:>10.5} {:>10} {:>13} {:>5} {tasks:>6} {per_host:>3} {:>4} {:>3} {:>5} {:>8} {:>9} {:>4} {:>6} {:>8} \
                 {:>8} {:>9.1} {:>3} {:>6}",
                figures.concat(),
                time.mean,
                stonewall[0],
                stonewall[1],
                asked.id,
                asked.course.repetitions,
                u8::from(asked.files.per_task > 0),
                u8::from(asked.order.constant > 0),
                asked.order.offset,
                0,
                0,
                asked.layout.segments,
                asked.layout.block,
                asked.layout.transfer,
                moved as f64 / MIB,
                asked.storage.api,
                asked.reference,
            )?;
        }
    }
    Ok(())
}

/// A line of commas for each phase. Errors are those of `out`.
pub fn ior_csv(results: &IorResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter"
    )?;
    for test in results.tests {
        for (name, run) in test.shown() {
            let figures = &run.figures;
            let layout = &test.test.layout;
            let numbers = [
                Some(figures.bytes_per_s / MIB),
                Some(figures.ios_per_s),
                Some(figures.latency_s),
                Some(layout.block as f64 / 1024.0),
                Some(layout.transfer as f64 / 1024.0),
                figures.open_s,
                Some(figures.io_s),
                figures.close_s,
                Some(figures.total_s),
            ];
            let numbers = numbers
                .map(|number| number.map_or_else(String::new, |number| format!("{number:.4}")));
            writeln!(
                out,
                "{name},{},{},{}",
                numbers.join(","),
                test.test.task_count(),
                run.repetition
            )?;
        }
    }
    Ok(())
}
