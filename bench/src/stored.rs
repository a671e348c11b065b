//! `store`: what looking into a results database of 100,000 sessions takes, half of them surveys.
//!
//! Runs and surveys are measured here and stored again and again under other times, each with one record of real size. The
//! program is started for each figure, as a person would, and processor time is what compares. Omitted: surveys with all
//! their points, for want of room.

use crate::child::{self, Cost};
use crate::error::{BenchError, doing};
use crate::options::Options;
use crate::place::{Shop, filled};
use crate::table::short;
use model::{Nanos, RunRecord};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use store::{NewSession, Session, SessionId, SessionKind, SessionOutcome, Store};

/// The least that a survey takes as its target.
const SURVEY_BYTES: u64 = 64 << 20;

/// Jobs of the fio file that is imported.
const JOBS: u64 = 300_000;

/// What is timed, and in how many milliseconds of processor time it is to be done.
const COMMANDS: [(&str, f64); 16] = [
    ("list", 200.0),
    ("list label", 200.0),
    ("list absent", 200.0),
    ("list --number 20", 200.0),
    ("list --kind survey --since 2026-11-21", 200.0),
    ("show 77777", 200.0),
    ("table --limit 20", 200.0),
    (
        "table --where latency_p99<5ms --sort -iops --limit 20",
        200.0,
    ),
    (
        "table --where block=4K|and|write=0 --sort latency_p99 --limit 20",
        200.0,
    ),
    ("table --columns id,iops --sort -iops", 200.0),
    ("table", 200.0),
    ("compare 500 70001", 200.0),
    ("compare 500.1 tag:rare", 200.0),
    ("tag 4711 --add again", 200.0),
    ("baseline check gold --last", 200.0),
    ("db check", 5000.0),
];

#[allow(
    clippy::disallowed_methods,
    reason = "times a database that is filled; no test controls this clock"
)]
pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let Some(place) = shop.cached().and_then(|place| place.path.clone()) else {
        return Ok(vec!["store: needs the place `cache`".to_owned()]);
    };
    let path = place.with_file_name("many.db");
    let seeds = seeds(shop, &place)?;
    let begun = Instant::now();
    fill(&path, &seeds, options.sessions, shop)?;
    let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
    let mut lines = vec![
        format!(
            "store: {} sessions, half of them surveys, {} MiB, written in {:.0} s",
            options.sessions,
            bytes >> 20,
            begun.elapsed().as_secs_f64()
        ),
        format!(
            "medians of {} starts; the file is in the page cache",
            options.rounds
        ),
        format!(
            "\n{:<64} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
            "ms", "user", "system", "both", "wall", "most", "goal"
        ),
    ];
    let tool = Tool { shop, path: &path };
    tool.once("tag 500 --add rare")?;
    tool.once("baseline set gold 600")?;
    for (line, goal) in COMMANDS {
        let mut times = Vec::new();
        for _ in 0..options.rounds {
            shop.stop.check()?;
            times.push(tool.once(line)?);
        }
        lines.push(row(line, &times, goal));
    }
    let full = tool.once("db check --full")?;
    let rate = bytes as f64 / 1e6 / processor(&full).as_secs_f64();
    lines.push(row("db check --full", &[full], bytes as f64 / 2e5));
    lines.push(format!("  {rate:.0} MB per second of processor time"));
    let copy = tool.once("db backup many.copy")?;
    lines.push(row("db backup", &[copy], f64::NAN));
    let jobs = place.with_file_name("jobs.json");
    write_jobs(&jobs).map_err(doing("a file of jobs"))?;
    let path = place.with_file_name("jobs.db");
    let tool = Tool { shop, path: &path };
    let read = tool.once("import --dry-run jobs.json")?;
    lines.push(row(
        "import --dry-run, 300000 jobs of fio",
        &[read],
        f64::NAN,
    ));
    let stored = tool.once("import jobs.json")?;
    lines.push(row("import, 300000 jobs of fio", &[stored], f64::NAN));
    Ok(lines)
}

fn processor(cost: &Cost) -> Duration {
    cost.user + cost.system
}

/// Processor time in user mode and in the kernel, wall time and its most, goal; medians in milliseconds.
fn row(line: &str, costs: &[Cost], goal: f64) -> String {
    let ms = |of: &dyn Fn(&Cost) -> Duration| {
        let mut all: Vec<f64> = costs
            .iter()
            .map(|cost| of(cost).as_secs_f64() * 1e3)
            .collect();
        all.sort_by(f64::total_cmp);
        (all[all.len() / 2], all[all.len() - 1])
    };
    let ((user, _), (system, _)) = (ms(&|cost| cost.user), ms(&|cost| cost.system));
    let ((both, _), (wall, most)) = (ms(&processor), ms(&|cost| cost.wall));
    let mut text = format!("{:<64}", line.replace('|', " "));
    for time in [user, system, both, wall, most] {
        text.push_str(&format!(" {:>7}", short(time)));
    }
    if goal.is_finite() {
        text.push_str(&format!(" {:>7}", short(goal)));
    }
    text
}

/// A file as fio prints it, with few figures a job.
fn write_jobs(path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create_new(path)?);
    write!(
        out,
        r#"{{"fio version":"fio-3.33","timestamp":1763000000,"jobs":["#
    )?;
    for job in 0..JOBS {
        let ios = 1000 + job % 977;
        writeln!(out, "{}", if job == 0 { "" } else { "," })?;
        write!(
            out,
            r#"{{"jobname":"j{job}","groupid":0,"error":0,"elapsed":2,"job options":{{"rw":"randread","bs":"4k"}},"#
        )?;
        write!(
            out,
            r#""read":{{"io_bytes":{bytes},"bw_bytes":{bytes},"iops":{ios}.0,"runtime":1000,"total_ios":{ios},"#,
            bytes = ios * 4096
        )?;
        write!(
            out,
            r#""lat_ns":{{"min":1000,"max":{},"mean":20000.5}}}}}}"#,
            900_000 + job
        )?;
    }
    writeln!(out, "\n]}}")?;
    out.flush()
}

/// The program on one database.
struct Tool<'a> {
    shop: &'a Shop,
    path: &'a Path,
}

impl Tool<'_> {
    /// What one start cost. `|` means a blank within a word.
    fn once(&self, line: &str) -> Result<Cost, BenchError> {
        let words = line.split_whitespace().map(|word| word.replace('|', " "));
        let mut command = Command::new(&self.shop.fathom);
        command
            .args(words)
            .env("FATHOM_STORE", self.path)
            .current_dir(self.path.parent().unwrap_or(Path::new(".")));
        child::run(&mut command, &self.shop.stop)
    }
}

/// Sessions as the program stores them: five runs and a survey.
fn seeds(shop: &Shop, place: &Path) -> Result<Vec<Session>, BenchError> {
    let path = place.with_file_name("seeds.db");
    let tool = Tool { shop, path: &path };
    let target = place.display();
    for work in [
        "-b 4K -t 1 -o 32",
        "-b 4K -t 4 -o 8",
        "-b 64K -t 2 -o 4",
        "-b 1M -t 1 -o 2",
    ] {
        tool.once(&format!("run {target} {work} -d 5s --warmup 0s"))?;
    }
    let large = filled(place.with_file_name("survey.dat"), SURVEY_BYTES)?;
    let target = large.display();
    tool.once(&format!(
        "survey {target} --read-only --budget 20s --cache cached"
    ))?;
    let store = Store::open(&path).map_err(stored)?;
    let ids = (1..=5).map(SessionId);
    ids.map(|id| store.load(id))
        .collect::<Result<_, _>>()
        .map_err(stored)
}

fn stored(error: store::StoreError) -> BenchError {
    BenchError::Io {
        doing: "the results database".to_owned(),
        source: std::io::Error::other(error),
    }
}

fn fill(path: &Path, seeds: &[Session], sessions: u64, shop: &Shop) -> Result<(), BenchError> {
    let store = Store::open(path).map_err(stored)?;
    store.skip_flushes().map_err(stored)?;
    let records = |kind| -> Vec<(&Session, RunRecord)> {
        let of = seeds.iter().filter(|seed| seed.summary.kind == kind);
        of.flat_map(|seed| {
            seed.runs
                .iter()
                .filter_map(move |run| Some((seed, run.record()?.clone())))
        })
        .collect()
    };
    let mut both = [
        records(SessionKind::new("run")),
        records(SessionKind::new("survey")),
    ];
    if both.iter().any(Vec::is_empty) {
        return Err(BenchError::Unreadable {
            command: "survey".to_owned(),
            printed: "no record".to_owned(),
        });
    }
    for number in 0..sessions {
        if number % 1000 == 0 {
            shop.stop.check()?;
        }
        let some = &mut both[(number % 2) as usize];
        let at = (number / 2) as usize % some.len();
        let (seed, record) = &mut some[at];
        record.started_utc = Nanos(1_763_000_000_000_000_000 + number * 1_000_000_000);
        let session = NewSession {
            kind: seed.summary.kind.clone(),
            command: seed.summary.command.clone(),
            tool_version: seed.summary.tool_version.clone(),
            started_utc: record.started_utc,
            target: seed.summary.target.clone(),
            notes: Vec::new(),
        };
        let id = store.begin(&session).map_err(stored)?;
        store
            .save(id, &format!("label {}", number % 97), record)
            .map_err(stored)?;
        let context = seed.context.as_deref();
        store
            .finish(id, SessionOutcome::Complete, context)
            .map_err(stored)?;
    }
    Ok(())
}
