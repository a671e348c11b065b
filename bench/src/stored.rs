//! `store`: what looking into a results database of 100,000 sessions takes, half of them surveys.
//!
//! Runs and surveys are measured here and stored again and again under other times, each with one record of real size. The
//! program is started for each figure, as a person would. Left out: surveys with all their points, for want of room.

use crate::error::{BenchError, doing};
use crate::options::Options;
use crate::place::{Shop, filled};
use crate::table::short;
use model::{Nanos, RunRecord};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use store::{NewSession, Session, SessionId, SessionKind, SessionOutcome, Store};

/// The least that a survey takes as its target.
const SURVEY_BYTES: u64 = 64 << 20;

/// What is timed, and in how many milliseconds it is to be done.
const COMMANDS: [(&str, f64); 13] = [
    ("list", 200.0),
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
    ("compare 500 70001", 200.0),
    ("compare 500.1 tag:rare", 200.0),
    ("tag 4711 --add again", 200.0),
    ("baseline check gold --last", 200.0),
    ("db check", 5000.0),
];

#[allow(
    clippy::disallowed_methods,
    reason = "times a database that is filled; no test holds this clock"
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
        format!("\n{:<66} {:>9} {:>9} {:>9}", "ms", "median", "most", "goal"),
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
        times.sort_by(f64::total_cmp);
        lines.push(format!(
            "{:<66} {:>9} {:>9} {:>9}",
            line.replace('|', " "),
            short(times[times.len() / 2]),
            short(times[times.len() - 1]),
            short(goal)
        ));
    }
    let full = tool.once("db check --full")?;
    let rate = bytes as f64 / 1e6 / (full / 1e3);
    lines.push(format!(
        "db check --full: {:.1} s, {rate:.0} MB/s",
        full / 1e3
    ));
    let copy = tool.once("db backup many.copy")?;
    lines.push(format!("db backup: {:.1} s", copy / 1e3));
    Ok(lines)
}

/// The program on one database.
struct Tool<'a> {
    shop: &'a Shop,
    path: &'a Path,
}

impl Tool<'_> {
    #[allow(
        clippy::disallowed_methods,
        reason = "times processes; no test holds this clock"
    )]
    /// Milliseconds from start to exit. `|` stands for a blank within a word.
    fn once(&self, line: &str) -> Result<f64, BenchError> {
        let words = line.split_whitespace().map(|word| word.replace('|', " "));
        let mut command = Command::new(&self.shop.fathom);
        command
            .args(words)
            .env("FATHOM_STORE", self.path)
            .current_dir(self.path.parent().unwrap_or(Path::new(".")))
            .stdin(Stdio::null());
        let begun = Instant::now();
        let output = command.output().map_err(doing("starting fathom"))?;
        let taken = begun.elapsed().as_secs_f64() * 1e3;
        match output.status.success() {
            true => Ok(taken),
            false => Err(BenchError::Failed {
                command: line.to_owned(),
                status: output.status.to_string(),
                said: String::from_utf8_lossy(&output.stderr).into_owned(),
            }),
        }
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
    let mut both = [records(SessionKind::Run), records(SessionKind::Survey)];
    if both.iter().any(Vec::is_empty) {
        return Err(BenchError::Unreadable {
            command: "survey".to_owned(),
            said: "no record".to_owned(),
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
            kind: seed.summary.kind,
            command: seed.summary.command.clone(),
            tool_version: seed.summary.tool_version.clone(),
            started_utc: record.started_utc,
            target: seed.summary.target.clone(),
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
