//! The words of `fathom survey` as values, or everything that is wrong with them at once.

use crate::args::SurveyArgs;
use crate::commands::survey::size::SIZE_MIN;
use crate::failure::Failure;
use dialects::native::{CACHE_FORM, CACHE_MODES, NULL_SIZE};
use dialects::{Problem, Reader};
use model::{Bytes, CacheMode, EngineChoice, Location, Nanos, NullBehaviour};
use std::path::PathBuf;

/// Default of `--depth-max`.
const DEPTH_MAX: u32 = 128;
const DEPTH_FORM: &str = "the deepest queue is a whole number from 1 to 128";
const SEED_FORM: &str = "a seed is a whole number from 0 to 18446744073709551615";
const SIZE_FORM: &str = "a survey's size is a whole number of M, 64M or more: 1G, 1500M";

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The file or device; with the engine null its imaginary device.
    pub(crate) target: Location,
    pub(crate) size: Option<Bytes>,
    /// For the whole survey, the filling of the file left out. // above 0
    pub(crate) budget: Nanos,
    /// `None` is as deep as the engine can, up to [`DEPTH_MAX`].
    pub(crate) depth_max: Option<u32>,
    pub(crate) cache: CacheMode,
    pub(crate) read_only: bool,
    pub(crate) remove: bool,
    pub(crate) engine: EngineChoice,
    pub(crate) seed: u64,
}

impl Asked {
    /// Reads all of it.
    pub(crate) fn read(args: &SurveyArgs) -> Result<Asked, Failure> {
        let SurveyArgs {
            target,
            size,
            budget,
            depth_max,
            cache,
            read_only,
            rm,
            engine,
            seed,
            consent: _,
            keep: _,
            json: _,
        } = args;
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
            budget: reader.value("--budget", budget).unwrap_or_default(),
            depth_max: depth_max
                .as_deref()
                .and_then(|text| read_depth(text, &mut reader)),
            cache,
            read_only: *read_only,
            remove: *rm,
            engine,
            seed: reader.number("--seed", seed, SEED_FORM).unwrap_or_default(),
        };
        if engine == EngineChoice::Null {
            refuse_what_null_has_not(&asked, &mut reader);
        }
        Ok(reader.finish(asked)?)
    }

    /// The deepest queue of the ladder, on an engine that has at most so many outstanding.
    pub(crate) fn depth_max(&self, engine_max: u32) -> Result<u32, Failure> {
        match self.depth_max {
            Some(asked) if asked > engine_max => Err(Failure::refused(format!(
                "--depth-max: read {asked}; the engine that serves here has at most {engine_max} I/O \
                 outstanding a thread: leave it away, or say --engine io_uring to learn why that does not run"
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
    let path = target
        .cloned()
        .unwrap_or_else(|| PathBuf::from(super::TARGET));
    reader.target(&path);
    Location::Path(path)
}

fn refuse_what_null_has_not(asked: &Asked, reader: &mut Reader) {
    let said = [
        (asked.remove, "--rm"),
        (asked.cache == CacheMode::Cached, "--cache cached"),
    ];
    for (_, option) in said.iter().filter(|(said, _)| *said) {
        reader.refuse(Problem::Contradiction {
            option,
            why: "the engine null has no file and no cache: leave it away, or say another engine",
        });
    }
}
