//! The words of `fathom survey` as values, or everything that is wrong with them at once.

use super::page::PagePlace;
use super::workloads;
use crate::args::{SearchArgs, SurveyArgs, SurveyFileArgs};
use crate::commands::survey::size::SIZE_MIN;
use analysis::Goal;
use model::{Bytes, CacheMode, CommandError, EngineChoice, Location, Nanos, NullBehaviour, Ratio};
use std::path::{Path, PathBuf};
use sweep::SurveyOptions;
use tools::native::{self, CACHE_FORM, CACHE_MODES, NULL_SIZE};
use tools::{Problem, Reader};

/// Default target: a file in the current folder.
pub(crate) const TARGET: &str = "fathom.dat";

/// Default of `--depth-max`.
const DEPTH_MAX: u32 = 128;
const DEPTH_FORM: &str = "the deepest queue is a whole number from 1 to 128";
const SEED_FORM: &str = "must be a whole number from 0 to 18446744073709551615";
const THREADS_MAX: u32 = 8;
const THREADS_FORM: &str = "the most threads are a whole number from 1 to 8";
const PRECISION_FORM: &str = "must be a percentage from 1 to 50: 2%";
const GOAL_FORM: &str = "must be a latency above 0, such as 500us or 5ms";
/// The quantile of `--p99`.
const P99: f64 = 0.99;
const SIZE_FORM: &str = "must be a whole number of M, 64M or more: 1G, 1500M";

/// Request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    /// The file or device; with the engine null its simulated device.
    pub(crate) target: Location,
    pub(crate) size: Option<Bytes>,
    /// `None` is as deep as the engine can, up to [`DEPTH_MAX`].
    pub(crate) depth_max: Option<u32>,
    /// `None` is as many as there are cores, up to [`THREADS_MAX`].
    pub(crate) threads_max: Option<u32>,
    /// The device below the file, to be read too.
    pub(crate) raw: Option<Location>,
    /// The budget is for the whole survey, the filling of the file omitted; where one was named, all of it is used.
    pub(crate) options: SurveyOptions,
    /// A target that does not exist is created under any name.
    pub(crate) create: bool,
    pub(crate) remove: bool,
    pub(crate) page: PagePlace,
}

impl Asked {
    /// Returns the names of what is measured.
    pub(super) fn workloads(&self) -> Vec<String> {
        let wanted = self.options.wanted();
        wanted.map(|workload| workload.name.clone()).collect()
    }

    /// Reads all of it.
    #[allow(
        clippy::too_many_lines,
        reason = "one table of steps; parts would hide their order"
    )]
    pub(crate) fn read(args: &SurveyArgs) -> Result<Asked, CommandError> {
        let SurveyArgs {
            target,
            file: SurveyFileArgs { create, size, rm },
            resume: _, // its words are read instead of these
            search,
            seed,
            consent: _,
            known: _, // changes what is reported, not what is run
            hosts: _, // how many run it
            keep,
            page,
            screen: _, // how it is shown
        } = args;
        let SearchArgs {
            budget,
            depth_max,
            cache,
            workload,
            p99,
            precision,
            threads_max,
            exhaustive,
            cache_check,
            compare_raw,
            read_only,
            engine,
        } = search;
        let mut reader = Reader::default();
        let size = size
            .as_deref()
            .and_then(|text| read_size(text, &mut reader));
        let engine = reader.value("--engine", engine).unwrap_or_default();
        let cache = reader
            .word("--cache", cache, &CACHE_MODES, CACHE_FORM)
            .unwrap_or_default();
        let asked = Asked {
            target: read_target(target.as_ref(), engine, size, &mut reader),
            size,
            depth_max: depth_max
                .as_deref()
                .and_then(|text| read_depth(text, &mut reader)),
            threads_max: threads_max
                .as_deref()
                .and_then(|text| read_threads(text, &mut reader)),
            raw: compare_raw.as_ref().map(|path| reader.location(path)),
            options: SurveyOptions {
                cache,
                budget: match budget.as_deref() {
                    Some(text) => reader.value("--budget", text).unwrap_or_default(),
                    None => default_budget(*exhaustive, p99.is_some()),
                },
                workloads: workloads::read(workload, &mut reader),
                read_only: *read_only,
                seed: reader
                    .number("--seed", seed.as_deref().unwrap_or(native::SEED), SEED_FORM)
                    .unwrap_or_default(),
                engine,
                precision: read_precision(precision, &mut reader),
                grid_share: budget.is_none().then_some(sweep::GRID_SHARE_DEFAULT),
                goal: p99.as_deref().and_then(|text| read_goal(text, &mut reader)),
                exhaustive: *exhaustive,
                cache_check: *cache_check,
            },
            create: *create,
            remove: *rm,
            page: PagePlace::read(page.as_deref(), !keep.no_store, &mut reader),
        };
        if asked.options.exhaustive && asked.options.goal.is_some() {
            reader.refuse(Problem::Contradiction {
                option: "--exhaustive",
                why: "the rate within a latency needs a search, and the whole grid is none: omit one",
            });
        }
        if asked.raw.is_some() && asked.target.path().is_none() {
            reader.refuse(Problem::Contradiction {
                option: "--compare-raw",
                why: "the target is no file on a device: omit it, or specify a file",
            });
        }
        if engine == EngineChoice::Null {
            refuse_what_null_has_not(&asked, &mut reader);
        }
        Ok(reader.finish(asked)?)
    }

    /// The most threads, on a machine with so many cores.
    pub(crate) fn threads_max(&self, cores: usize, engine_max: u32) -> u32 {
        let cores = u32::try_from(cores).unwrap_or(THREADS_MAX);
        let cores = if engine_max == 1 { THREADS_MAX } else { cores };
        self.threads_max.unwrap_or(cores.clamp(1, THREADS_MAX))
    }

    /// The deepest queue of the ladder, on an engine that has at most so many outstanding.
    pub(crate) fn depth_max(&self, engine_max: u32) -> Result<u32, CommandError> {
        match self.depth_max {
            Some(asked) if asked > engine_max => Err(CommandError::refused(format!(
                "--depth-max: read {asked}; the engine that serves here has at most {engine_max} I/O outstanding a \
                thread: omit it, or specify --engine io_uring to learn why that does not run"
            ))),
            Some(asked) => Ok(asked),
            None => Ok(DEPTH_MAX.min(engine_max)),
        }
    }
}

fn read_size(text: &str, reader: &mut Reader) -> Option<Bytes> {
    let size: Bytes = reader.value("--size", text)?;
    if size < SIZE_MIN || !size.is_multiple_of(Bytes::mib(1)) {
        reader.refuse(Problem::Value {
            option: "--size",
            read: text.to_owned(),
            accepted: SIZE_FORM,
        });
    }
    Some(size)
}

/// A survey that tries arrival rates takes about twice as long; the whole grid takes what it takes.
fn default_budget(exhaustive: bool, goal: bool) -> Nanos {
    match (exhaustive, goal) {
        (true, _) => Nanos::MAX,
        (false, true) => Nanos(2 * sweep::BUDGET_DEFAULT.0),
        (false, false) => sweep::BUDGET_DEFAULT,
    }
}

fn read_threads(text: &str, reader: &mut Reader) -> Option<u32> {
    let threads = reader.number("--threads-max", text, THREADS_FORM)?;
    if !(1..=THREADS_MAX).contains(&threads) {
        reader.refuse(Problem::Value {
            option: "--threads-max",
            read: text.to_owned(),
            accepted: THREADS_FORM,
        });
    }
    Some(threads)
}

fn read_goal(text: &str, reader: &mut Reader) -> Option<Goal> {
    let latency: Nanos = reader.value("--p99", text)?;
    if latency == Nanos(0) {
        reader.refuse(Problem::Value {
            option: "--p99",
            read: text.to_owned(),
            accepted: GOAL_FORM,
        });
    }
    Some(Goal {
        quantile: P99,
        latency,
    })
}

/// Reads a precision as a share.
pub(in crate::commands) fn read_precision(text: &str, reader: &mut Reader) -> f64 {
    let percent = text
        .parse()
        .ok()
        .map(Ratio::as_percent)
        .filter(|percent| (1..=50).contains(percent));
    if percent.is_none() {
        reader.refuse(Problem::Value {
            option: "--precision",
            read: text.to_owned(),
            accepted: PRECISION_FORM,
        });
    }
    f64::from(percent.unwrap_or(1)) / 100.0
}

fn read_depth(text: &str, reader: &mut Reader) -> Option<u32> {
    let depth = reader.number("--depth-max", text, DEPTH_FORM)?;
    if !(1..=DEPTH_MAX).contains(&depth) {
        reader.refuse(Problem::Value {
            option: "--depth-max",
            read: text.to_owned(),
            accepted: DEPTH_FORM,
        });
    }
    Some(depth)
}

fn read_target(
    target: Option<&PathBuf>,
    engine: EngineChoice,
    size: Option<Bytes>,
    reader: &mut Reader,
) -> Location {
    if engine == EngineChoice::Null {
        if let Some(path) = target {
            reader.refuse(Problem::TargetOfNull { path: path.clone() });
        }
        let usual = NULL_SIZE.parse().expect("the dialect's default is a size");
        return Location::Null(NullBehaviour {
            size: size.unwrap_or(usual),
            delay: Nanos(0),
            error_every: 0,
            ..NullBehaviour::default()
        });
    }
    match target {
        None => reader.location(Path::new(TARGET)),
        Some(folder) if folder.is_dir() => reader.location(&folder.join(TARGET)),
        Some(path) => reader.location(path),
    }
}

fn refuse_what_null_has_not(asked: &Asked, reader: &mut Reader) {
    let said = [
        (asked.create, "--create"),
        (asked.remove, "--rm"),
        (asked.options.cache == CacheMode::Cached, "--cache cached"),
    ];
    for (_, option) in said.iter().filter(|(said, _)| *said) {
        reader.refuse(Problem::Contradiction {
            option,
            why: "the engine null has no file and no cache: omit it, or specify another engine",
        });
    }
}
