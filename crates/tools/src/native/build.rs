//! Request → profile, or every problem at once.
//!
//! Each part of the request is taken apart without `..`, so that a new option cannot be forgotten here.
//! Deliberately absent: whether the machine can do it.

use super::{
    EngineText, NULL_DELAY, NULL_ERROR_EVERY, NULL_SIZE, PlaceText, Request, SEED, TimeText,
    WorkText, lines,
};
use crate::problem::{Note, Problem, Refusal};
use crate::read::Reader;
use model::{
    Access, Arrivals, Bytes, CacheMode, EngineChoice, Fsync, Location, MixedLine, Nanos,
    NullBehaviour, OnError, PermutedAccess, Phases, Placement, Polling, Profile, QueueDepth, Ratio,
    Skew, Spacing, Target, Timespan, Workload, WriteContent,
};
use std::path::PathBuf;

/// What a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// One timespan with all targets.
    pub profile: Profile,
    /// What was accepted and changes nothing.
    pub notes: Vec<Note>,
}

/// The words of `--cache`.
pub const CACHE_MODES: [(&str, CacheMode); 2] = [
    ("unbuffered", CacheMode::Unbuffered),
    ("cached", CacheMode::Cached),
];
/// What `--cache` accepts, in a sentence.
pub const CACHE_FORM: &str =
    "must be unbuffered (past the system's cache) or cached (through the system's cache)";

const PATTERNS: [(&str, Access); 3] = [
    ("random", Access::Random),
    ("permuted", Access::Permuted(PermutedAccess::Shared)),
    ("sequential", Access::Sequential),
];
const PATTERN_FORM: &str = "must be random, permuted (each block once a pass), zipf:THETA (above 0, not 1), pareto:SHARE (between 0 and 1), normal:PERCENT (0 to 100) or sequential";
const WRITES_FORM: &str = "must be a whole number of writes from 0 to 4294967295";
const DEPTH_FORM: &str = "must be a whole number from 1 to 32768";
const THREADS_FORM: &str = "threads are a whole number from 1 to 1024 for each target";
const RATE_FORM: &str =
    "must be a whole number of IOPS over all threads, 1 to 1000000000: 5000 or 5000/s";
const SPACING_FORM: &str =
    "arrivals are constant (at equal distances) or poisson (at random, as independent users come)";
const SEED_FORM: &str = "must be a whole number from 0 to 18446744073709551615";
const EVERY_FORM: &str = "must be a whole number: 100 makes one I/O of every hundred fail, 0 none";

/// Reads the whole request. Nothing on the machine is touched.
pub fn build(request: &Request) -> Result<Built, Refusal> {
    let Request {
        targets,
        work,
        place,
        verify,
        time,
        engine,
    } = request;
    let mut reader = Reader::default();
    let means = read_means(engine, &mut reader);
    let times = read_times(time, &mut reader);
    let job = read_work(work, &mut reader);
    let spot = read_place(place, &mut reader);
    let verify = super::verify::read(verify, &mut reader);
    let locations = read_locations(targets, &means, &mut reader);
    if means.null.is_some() {
        refuse_what_null_has_not(place, &mut reader);
    }
    let targets = locations
        .into_iter()
        .map(|location| Target {
            verify,
            ..target(location, &job, &spot)
        })
        .collect();
    let timespan = Timespan {
        start_delay: model::Nanos(0),
        end_with_first: false,
        phases: times.phases,
        interval: times.interval,
        seed: means.seed,
        engine: means.engine,
        on_error: means.on_error,
        pool: None,
        polling: means.polling,
        queueing: model::Queueing::default(),
        placement: means.placement,
        arrivals: times.arrivals,
        targets,
    };
    let notes = notes(&job, &spot, &times);
    let profile = Profile {
        timespans: vec![timespan],
    };
    reader.finish(Built { profile, notes })
}

struct Means {
    engine: EngineChoice,
    polling: Polling,
    placement: Placement,
    seed: u64,
    on_error: OnError,
    null: Option<NullBehaviour>,
}

struct Times {
    phases: Phases,
    interval: Nanos,
    arrivals: Option<Arrivals>,
}

struct Job {
    threads: u32,
    workload: Workload,
    content: WriteContent,
}

struct Spot {
    base: Bytes,
    length: Option<Bytes>,
    create: Option<Bytes>,
    cache: CacheMode,
    drop_cache: bool,
    write_through: bool,
    fsync: Fsync,
}

fn target(location: Location, job: &Job, spot: &Spot) -> Target {
    Target {
        base: spot.base,
        length: spot.length,
        create: spot.create,
        cache: spot.cache,
        drop_cache: spot.drop_cache,
        write_through: spot.write_through,
        fsync: spot.fsync,
        threads: job.threads,
        content: job.content.clone(),
        ..Target::new(location, job.workload.clone())
    }
}

fn read_means(text: &EngineText, reader: &mut Reader) -> Means {
    let EngineText {
        engine,
        poll,
        sqpoll,
        cores,
        seed,
        continue_on_error,
        null_size,
        null_delay,
        null_error_every,
    } = text;
    let choice: Option<EngineChoice> = reader.value("--engine", engine);
    let is_null = choice == Some(EngineChoice::Null);
    if choice.is_some() && !is_null {
        let asked = [
            ("--null-size", null_size),
            ("--null-delay", null_delay),
            ("--null-error-every", null_error_every),
        ];
        for (option, _) in asked.iter().filter(|(_, text)| text.is_some()) {
            reader.refuse(Problem::Contradiction {
                option,
                why: "this is for the engine null only: add --engine null, or omit it",
            });
        }
    }
    let size = null_size.as_deref().unwrap_or(NULL_SIZE);
    let delay = null_delay.as_deref().unwrap_or(NULL_DELAY);
    let every = null_error_every.as_deref().unwrap_or(NULL_ERROR_EVERY);
    let behaviour = NullBehaviour {
        size: reader.value("--null-size", size).unwrap_or_default(),
        delay: reader.value("--null-delay", delay).unwrap_or_default(),
        error_every: reader
            .number("--null-error-every", every, EVERY_FORM)
            .unwrap_or_default(),
        ..NullBehaviour::default()
    };
    Means {
        engine: choice.unwrap_or_default(),
        polling: Polling {
            completions: *poll,
            submissions: *sqpoll,
        },
        placement: reader.value("--cores", cores).unwrap_or_default(),
        seed: reader
            .number("--seed", seed.as_deref().unwrap_or(SEED), SEED_FORM)
            .unwrap_or_default(),
        on_error: if *continue_on_error {
            OnError::Continue
        } else {
            OnError::Stop
        },
        null: is_null.then_some(behaviour),
    }
}

fn read_times(text: &TimeText, reader: &mut Reader) -> Times {
    let TimeText {
        duration,
        warmup,
        cooldown,
        interval,
        rate,
        arrivals,
    } = text;
    let measured = reader.value("--duration", duration).unwrap_or_default();
    let phases = Phases {
        warmup: reader.value("--warmup", warmup).unwrap_or_default(),
        measured,
        cooldown: reader.value("--cooldown", cooldown).unwrap_or_default(),
    };
    let interval = match interval {
        Some(text) => reader.value("--interval", text).unwrap_or_default(),
        None => interval_for(measured),
    };
    let arrivals = read_arrivals(rate.as_deref(), arrivals.as_deref(), reader);
    Times {
        phases,
        interval,
        arrivals,
    }
}

fn read_arrivals(
    rate: Option<&str>,
    spacing: Option<&str>,
    reader: &mut Reader,
) -> Option<Arrivals> {
    let per_s = rate.map(|text| read_rate(text, reader));
    let spacing = spacing.map(|text| reader.word("--arrivals", text, &Spacing::ALL, SPACING_FORM));
    if per_s.is_none() && spacing.is_some() {
        reader.refuse(Problem::Contradiction {
            option: "--arrivals",
            why: "this specifies the spacing of the I/Os of a rate, and no rate is requested: add --rate, or omit it",
        });
    }
    Some(Arrivals {
        per_s: per_s?.unwrap_or_default(),
        spacing: spacing.flatten().unwrap_or_default(),
    })
}

/// `5000` or `5000/s`.
fn read_rate(text: &str, reader: &mut Reader) -> Option<u64> {
    let number = text.strip_suffix("/s").unwrap_or(text);
    match number.parse() {
        Ok(per_s) if number.bytes().all(|byte| byte.is_ascii_digit()) => Some(per_s),
        _ => {
            let (option, read) = ("--rate", text.to_owned());
            reader.refuse(Problem::Value {
                option,
                read,
                accepted: RATE_FORM,
            });
            None
        }
    }
}

/// The longest of 1, 2, 5, 10 … 500 ms and a second of which the duration has at least fifty: then a step is a round
/// number, and a warm-up cut and an interval can be reported of every run of 50 ms or more. Finer steps cost a cache line
/// each, and nothing an I/O. // in [1ms, 1s]
fn interval_for(measured: Nanos) -> Nanos {
    const STEPS_MIN: u64 = 50;
    const LENGTHS_MS: [u64; 10] = [1000, 500, 200, 100, 50, 20, 10, 5, 2, 1];
    let fits = |length: &Nanos| measured.0 / length.0 >= STEPS_MIN;
    let longest = LENGTHS_MS.into_iter().map(Nanos::millis).find(fits);
    longest.unwrap_or(Nanos::millis(1))
}

fn read_work(text: &WorkText, reader: &mut Reader) -> Job {
    let WorkText {
        block,
        depth,
        threads,
        write,
        pattern,
        compress,
        dedupe,
    } = text;
    let depth = reader.number("--depth", depth, DEPTH_FORM);
    let queue_depth = QueueDepth(depth.unwrap_or_default());
    let write = reader.value("--write", write).unwrap_or(Ratio::NONE);
    let access = match Skew::read(pattern) {
        Some(skew) => Access::Skewed(skew),
        None => reader
            .word("--pattern", pattern, &PATTERNS, PATTERN_FORM)
            .unwrap_or(Access::Random),
    };
    let workload = if lines::is_mixed(block) {
        let random = match access {
            Access::Random => Ratio::ALL,
            Access::Permuted(_) | Access::Skewed(_) => {
                reader.refuse(Problem::Contradiction {
                    option: "--pattern",
                    why: "this pattern is for blocks of one size: specify one for --block, or --pattern random",
                });
                Ratio::ALL
            }
            _ => Ratio::NONE,
        };
        let usual = MixedLine {
            write,
            random,
            ..MixedLine::new(Bytes(1))
        };
        let lines = lines::read("--block", block, &usual, reader);
        Workload::mixed(lines, queue_depth)
    } else {
        Workload {
            block: reader.value("--block", block).unwrap_or_default(),
            queue_depth,
            write,
            access,
        }
    };
    let threads = reader
        .number("--threads", threads, THREADS_FORM)
        .unwrap_or_default();
    let mut share = |option, text: &Option<String>| {
        let value = text.as_deref().map(|text| reader.value(option, text));
        value.map(Option::unwrap_or_default)
    };
    let content = match (share("--compress", compress), share("--dedupe", dedupe)) {
        (None, None) => WriteContent::default(),
        (compress, dedupe) => WriteContent::Shaped {
            compress: compress.unwrap_or_default(),
            dedupe: dedupe.unwrap_or_default(),
        },
    };
    Job {
        threads,
        workload,
        content,
    }
}

fn read_place(text: &PlaceText, reader: &mut Reader) -> Spot {
    let PlaceText {
        base,
        length,
        create,
        cache,
        drop_cache,
        write_through,
        fsync,
        fdatasync,
        end_fsync,
    } = text;
    let mut writes = |option, text: &Option<String>| {
        let number = text
            .as_deref()
            .map(|text| reader.number(option, text, WRITES_FORM));
        number.map(Option::unwrap_or_default)
    };
    let (all, data) = (writes("--fsync", fsync), writes("--fdatasync", fdatasync));
    if all.is_some() && data.is_some() {
        reader.refuse(Problem::Contradiction {
            option: "--fdatasync",
            why: "fsync does what fdatasync does, and more: specify one of them",
        });
    }
    Spot {
        fsync: Fsync {
            every: all.or(data).unwrap_or_default(),
            data_only: data.is_some(),
            at_end: *end_fsync,
        },
        drop_cache: *drop_cache,
        base: reader.value("--base", base).unwrap_or_default(),
        length: length
            .as_deref()
            .and_then(|text| reader.value("--length", text)),
        create: create
            .as_deref()
            .and_then(|text| reader.value("--create", text)),
        cache: reader
            .word("--cache", cache, &CACHE_MODES, CACHE_FORM)
            .unwrap_or_default(),
        write_through: *write_through,
    }
}

fn read_locations(targets: &[PathBuf], means: &Means, reader: &mut Reader) -> Vec<Location> {
    if let Some(behaviour) = means.null {
        for path in targets {
            reader.refuse(Problem::TargetOfNull { path: path.clone() });
        }
        return vec![Location::Null(behaviour)];
    }
    if targets.is_empty() {
        reader.refuse(Problem::NoTarget);
    }
    let mut locations = Vec::new();
    for (place, path) in targets.iter().enumerate() {
        locations.push(reader.location(path));
        let before = &targets[..place];
        // Reported once, however often it is given.
        if before.iter().filter(|other| *other == path).count() == 1 {
            reader.refuse(Problem::TargetTwice { path: path.clone() });
        }
    }
    locations
}

fn refuse_what_null_has_not(place: &PlaceText, reader: &mut Reader) {
    let asked = [
        (place.create.is_some(), "--create"),
        (place.cache == "cached", "--cache cached"),
        (place.drop_cache, "--drop-cache"),
        (place.write_through, "--write-through"),
        (place.fsync.is_some(), "--fsync"),
        (place.fdatasync.is_some(), "--fdatasync"),
        (place.end_fsync, "--end-fsync"),
    ];
    for (_, option) in asked.iter().filter(|(asked, _)| *asked) {
        reader.refuse(Problem::Contradiction {
            option,
            why: "the engine null has no file, no cache and no storage: omit it, or specify another engine",
        });
    }
}

fn notes(job: &Job, spot: &Spot, times: &Times) -> Vec<Note> {
    let mut notes = Vec::new();
    if !spot.fsync.is_never() && job.workload.write == Ratio::NONE {
        notes.push(Note {
            option: "--fsync, --fdatasync, --end-fsync",
            why: "nothing is written (write 0), so this changes nothing",
        });
    }
    if spot.write_through && job.workload.write == Ratio::NONE {
        notes.push(Note {
            option: "--write-through",
            why: "nothing is written (write 0), so this changes nothing",
        });
    }
    let writes = job.workload.write > Ratio::NONE || spot.create.is_some();
    if !writes && job.content != WriteContent::default() {
        notes.push(Note {
            option: "--compress, --dedupe",
            why: "nothing is written (write 0, and no file is created), so this changes nothing",
        });
    }
    if times.interval > times.phases.measured {
        notes.push(Note {
            option: "--interval",
            why: "it is longer than the duration, so the time series has one step",
        });
    }
    notes
}
