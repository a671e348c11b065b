//! A configuration → the tests that it asks for: each access specification in turn, and each number of outstanding I/Os.
//!
//! Nothing is guessed: a target of another system has to be mapped to a file or device of this one. Omitted: whether any
//! of it may be written.

use super::Problem;
use super::config::{Config, Line, Spec, Worker};
use crate::refusal::{Once, PROBLEMS_MAX, Problems};
use model::{
    Access, Bytes, EngineChoice, Location, MixedLine, Nanos, OnError, Phases, Placement, Polling,
    Pool, PoolDraw, QueueDepth, RangePart, Ratio, Target, Timespan, Workload,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Most tests of one configuration.
const RUNS_MAX: usize = 10_000;
/// Most targets of all tests together, each with the lines of its access specification.
const TARGETS_MAX: usize = 100_000;
const SECTOR: u64 = 512;

/// Settings that the file lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// A target as the file names it, and what it is here.
    pub map: Vec<(String, PathBuf)>,
    /// Size of created files, if the file specifies no maximum size.
    pub size: Option<u64>,
    /// Run time, instead of the file's.
    pub duration: Option<Nanos>,
    /// What does the I/O.
    pub engine: EngineChoice,
}

/// What is under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct There {
    /// Its size.
    pub bytes: u64,
    /// A device.
    pub device: bool,
    /// What offsets have to be multiples of.
    pub sector: u64,
    /// A file of fathom whose filling was cut short.
    pub unfinished: bool,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The access specification of all workers; `multiple` where they differ.
    pub spec: String,
    /// Outstanding I/Os per target; none where workers differ.
    pub depth: Option<u32>,
    /// What it is.
    pub span: Timespan,
    /// For each worker its name and the numbers of its targets among those of the timespan, and the names of these.
    pub workers: Vec<(String, Vec<(u32, String)>)>,
}

/// All tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// In IOmeter's order.
    pub runs: Vec<Run>,
    /// What is different here.
    pub notes: Vec<String>,
}

/// Puts the tests together. `found` returns what is under a name.
///
/// # Errors
/// Everything that stands against it, at once.
pub fn build(
    config: &Config,
    wishes: &Wishes,
    found: &dyn Fn(&Path) -> Option<There>,
) -> Result<Built, Vec<Problem>> {
    let mut builder = Builder {
        config,
        wishes,
        found,
        specs: config
            .specs
            .iter()
            .map(|spec| (spec.name.as_str(), spec))
            .collect(),
        problems: Problems::default(),
        notes: Vec::new(),
        reported: Once::default(),
    };
    let workers = builder.workers();
    let depths = builder.depths();
    builder.times();
    let tests = workers
        .iter()
        .map(|worker| worker.specs.len())
        .max()
        .unwrap_or(0);
    let mut runs = Vec::new();
    let targets: usize = workers.iter().map(|worker| worker.targets.len()).sum();
    let all = tests.saturating_mul(depths.len());
    let lines = config.specs.iter().map(|spec| spec.lines.len()).max();
    let each = targets.saturating_mul(lines.unwrap_or(1).max(1));
    if all > RUNS_MAX || all.saturating_mul(each) > TARGETS_MAX {
        builder.refuse(
            0,
            format!("{all} tests on {targets} targets are too many with all their lines: cycle over fewer numbers, or use fewer workers"),
        );
    } else {
        for test in 0..tests {
            for depth in &depths {
                runs.extend(builder.run(&workers, test, *depth));
            }
        }
    }
    for name in builder.wishes.map.iter().map(|(name, _)| name) {
        let named = |target: &String| is_named(target, name);
        if !workers
            .iter()
            .any(|worker| worker.targets.iter().any(named))
        {
            builder.refuse(
                0,
                format!("--target-map {name}: no worker has a target of this name"),
            );
        }
    }
    let notes = builder.notes;
    builder
        .problems
        .into_all(|what| Problem { line: 0, what })?;
    Ok(Built { runs, notes })
}

/// `C:` names `C: "System"` too.
fn is_named(target: &str, name: &str) -> bool {
    let first = target.split([' ', '"', '[']).next().unwrap_or_default();
    target.eq_ignore_ascii_case(name) || first.eq_ignore_ascii_case(name)
}

struct Builder<'b> {
    config: &'b Config,
    wishes: &'b Wishes,
    found: &'b dyn Fn(&Path) -> Option<There>,
    specs: HashMap<&'b str, &'b Spec>,
    problems: Problems<Problem>,
    notes: Vec<String>,
    reported: Once,
}

impl<'b> Builder<'b> {
    fn refuse(&mut self, line: usize, what: impl Into<String>) {
        let problem = Problem {
            line,
            what: what.into(),
        };
        if self.reported.is_new(&problem) {
            self.problems.push(problem);
        }
    }

    fn note(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.reported.is_new(&what) && self.notes.len() < PROBLEMS_MAX {
            self.notes.push(what);
        }
    }

    /// The workers that do anything.
    fn workers(&mut self) -> Vec<Worker> {
        let managers = &self.config.managers;
        if managers.len() > 1 {
            let names: Vec<&str> = managers
                .iter()
                .map(|manager| manager.name.as_str())
                .collect();
            self.refuse(
                0,
                format!(
                    "managers {}: fathom measures this machine alone: take a file with one of them",
                    names.join(", ")
                ),
            );
        }
        let mut workers = Vec::new();
        for worker in managers.iter().flat_map(|manager| &manager.workers) {
            if worker.kind != "DISK" {
                self.refuse(
                    worker.at,
                    format!(
                        "[{}]: a worker of the type {}: fathom measures disks alone",
                        worker.name, worker.kind
                    ),
                );
            } else if worker.targets.is_empty() || worker.specs.is_empty() {
                self.note(format!(
                    "[{}]: it has no target, or no access specification, so it does nothing",
                    worker.name
                ));
            } else {
                workers.push(worker.clone());
            }
        }
        if workers.is_empty() && self.problems.is_empty() {
            self.refuse(0, "no worker has a target and an access specification, so nothing would run: assign them in IOmeter first");
        }
        workers
    }

    /// Numbers of outstanding I/Os to go through; `None` is the setting of each worker.
    fn depths(&mut self) -> Vec<Option<u32>> {
        match self.config.test_type.as_str() {
            "NORMAL" | "" => vec![None],
            "CYCLE_OUTSTANDING_IOS" => self.config.depths.values().into_iter().map(Some).collect(),
            other => {
                self.refuse(0, format!(
                    "test type {other}: fathom cycles numbers of outstanding I/Os, not workers or targets: take NORMAL or \
                     CYCLE_OUTSTANDING_IOS, and a file for each set of workers"
                ));
                vec![None]
            }
        }
    }

    fn times(&mut self) {
        if self.config.run_s == 0 && self.wishes.duration.is_none() {
            self.refuse(0, "run time: read 0, which is until the user stops it: specify --duration 60s, or a run \
                           time in the file");
        }
    }

    #[allow(
        clippy::too_many_lines,
        reason = "one table of steps; parts would hide their order"
    )]
    fn run(&mut self, workers: &[Worker], test: usize, depth: Option<u32>) -> Option<Run> {
        let mut targets: Vec<Target> = Vec::new();
        let mut places = Vec::new();
        let mut specs: Vec<String> = Vec::new();
        let mut depths: Vec<u32> = Vec::new();
        let active = workers.iter().filter(|worker| test < worker.specs.len());
        let active: Vec<&Worker> = active.collect();
        let pool = active.iter().any(|worker| worker.targets.len() > 1);
        for (number, worker) in (0u32..).zip(&active) {
            let name = &worker.specs[test];
            let outstanding = depth.unwrap_or(worker.outstanding);
            let Some(spec) = self.specs.get(name.as_str()).copied() else {
                self.refuse(
                    worker.at,
                    format!("[{}]: there is no access specification {name}", worker.name),
                );
                continue;
            };
            // Whether there is one or are several is all that is asked of these.
            if specs.len() < 2 && !specs.contains(name) {
                specs.push(name.clone());
            }
            if depths.len() < 2 && !depths.contains(&outstanding) {
                depths.push(outstanding);
            }
            let mut mine = Vec::new();
            for target in &worker.targets {
                let Some(mut one) = self.target(worker, spec, target, outstanding) else {
                    continue;
                };
                if pool {
                    one.pool_threads = vec![(number, 0)];
                }
                mine.push((targets.len() as u32, target.clone()));
                targets.push(one);
            }
            places.push((worker.name.clone(), mine));
        }
        if targets.is_empty() {
            return None;
        }
        let seed = active.iter().find_map(|worker| worker.seed);
        let measured = self
            .wishes
            .duration
            .unwrap_or(Nanos::seconds(self.config.run_s));
        Some(Run {
            spec: match specs.as_slice() {
                [one] => one.clone(),
                _ => "multiple".to_owned(),
            },
            depth: Some(depths[0]).filter(|_| depths.len() == 1),
            span: Timespan {
                start_delay: model::Nanos(0),
                end_with_first: false,
                phases: Phases {
                    warmup: Nanos::seconds(self.config.ramp_s),
                    measured,
                    cooldown: Nanos(0),
                },
                interval: Nanos(measured.0 / 10 / 1_000_000 * 1_000_000)
                    .clamp(Nanos::millis(1), Nanos::seconds(1)),
                seed: seed.unwrap_or(0),
                engine: self.wishes.engine,
                polling: Polling::default(),
                queueing: model::Queueing::default(),
                on_error: OnError::Continue,
                pool: pool.then(|| Pool {
                    threads: active.len() as u32,
                    outstanding: None,
                    draw: PoolDraw::default(),
                }),
                placement: Placement::Free,
                arrivals: None,
                targets,
            },
            workers: places,
        })
    }

    fn target(
        &mut self,
        worker: &Worker,
        spec: &Spec,
        name: &str,
        outstanding: u32,
    ) -> Option<Target> {
        let path = self.path(worker, name)?;
        let there = (self.found)(&path);
        let base = worker.start * SECTOR;
        let length = (worker.sectors > 0).then_some(worker.sectors * SECTOR);
        let size = length
            .map(|length| base.saturating_add(length))
            .or(self.wishes.size);
        let create = match (there, size) {
            (Some(there), _) if there.device => None,
            (Some(there), size)
                if !there.unfinished && size.is_none_or(|size| size <= there.bytes) =>
            {
                None
            }
            (_, Some(size)) => Some(
                size.checked_next_multiple_of(4096)
                    .unwrap_or(u64::MAX / 4096 * 4096),
            ),
            (_, None) => {
                self.refuse(worker.at, format!(
                    "[{}]: {} is not there, and the file specifies no maximum size: specify --size 8G, or create it first",
                    worker.name, path.display()
                ));
                return None;
            }
        };
        let sector = there.map_or(4096, |there| there.sector.max(SECTOR));
        let lines: Option<Vec<MixedLine>> = spec
            .lines
            .iter()
            .map(|line| self.line(spec, line, sector))
            .collect();
        if worker.pattern.is_some_and(|pattern| pattern == 0)
            && spec.lines.iter().any(|line| line.reads < 100)
        {
            self.note("write data pattern: IOmeter writes the same byte again and again, which devices can make smaller; \
                       fathom writes random bytes");
        }
        Some(Target {
            base: Bytes(base),
            length: length.map(Bytes),
            create: create.map(Bytes),
            ..Target::new(
                Location::Path(path),
                workload(lines?, QueueDepth(outstanding)),
            )
        })
    }

    fn path(&mut self, worker: &Worker, name: &str) -> Option<PathBuf> {
        let mapped = self
            .wishes
            .map
            .iter()
            .find(|(from, _)| is_named(name, from));
        if let Some((_, path)) = mapped {
            return Some(path.clone());
        }
        if name.starts_with('/') {
            return Some(PathBuf::from(name));
        }
        let first = name.split([' ', '"', '[']).next().unwrap_or(name);
        let example = match first.strip_suffix(':').filter(|letter| letter.len() == 1) {
            Some(_) => format!(
                "IOmeter tests a volume by its file iobw.tst: specify --target-map '{first}=/PATH/iobw.tst'"
            ),
            None => format!("must be --target-map '{first}=/dev/DEVICE', or a file"),
        };
        self.refuse(
            worker.at,
            format!(
                "[{}]: the target {name} is of another machine, and nothing is guessed: {example}",
                worker.name
            ),
        );
        None
    }

    fn line(&mut self, spec: &Spec, line: &Line, sector: u64) -> Option<MixedLine> {
        if line.size == 0 {
            self.refuse(
                spec.at,
                format!(
                    "[{}]: a transfer request of 0 bytes moves nothing",
                    spec.name
                ),
            );
            return None;
        }
        if line.of_size == 0 {
            self.refuse(
                spec.at,
                format!("[{}]: a line of 0 % has no effect: remove it", spec.name),
            );
            return None;
        }
        if line.reply > 0 {
            self.note(format!(
                "[{}]: reply sizes are for networks, and change nothing here",
                spec.name
            ));
        }
        Some(MixedLine {
            share: line.of_size,
            block: Bytes(line.size),
            write: Ratio::percent(100 - line.reads)?,
            random: Ratio::percent(line.random)?,
            align: Bytes(if line.align == 0 { sector } else { line.align }),
            burst: line.burst.max(1),
            pause: Nanos(line.delay_ms.saturating_mul(1_000_000)),
            part: RangePart::WHOLE,
        })
    }
}

/// Random I/O of one size that is aligned to it is what fathom calls random; all else are lines.
fn workload(lines: Vec<MixedLine>, queue_depth: QueueDepth) -> Workload {
    match lines.as_slice() {
        [line] if line.random == Ratio::ALL && line.align == line.block && line.pause.0 == 0 => {
            Workload {
                block: line.block,
                queue_depth,
                write: line.write,
                access: Access::Random,
            }
        }
        _ => Workload::mixed(lines, queue_depth),
    }
}
