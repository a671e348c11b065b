//! `fathom quick`: in about ten seconds, what `hdparm -tT` and a pair of dd runs report, and the latency of a database.

use super::look::{Feedback, Look, Setting};
use super::{Turn, own_file, read_seed, read_size};
use crate::args::QuickArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::options;
use crate::report;
use crate::run_context::RunContext;
use crate::seed;
use crate::subcommand::{Group, Subcommand, parsed};
use analysis::{LooksContext, QuickStep};
use model::{
    Access, Bytes, CommandError, Location, Nanos, Phases, Profile, TargetFacts, TargetKind,
    Timespan,
};
use session::Admission;
use tools::Reader;

/// The row of `fathom quick`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<QuickArgs>(
    "quick",
    Group::Measure,
    "Measure in ten seconds what hdparm -tT and a pair of dd runs measure",
    |words, environment| {
        let mut args: QuickArgs = parsed(words)?;
        args.seed = Some(seed::chosen(args.seed.as_deref(), [args.target.as_path()]));
        quick(&args, environment)
    },
)
.often();

/// One turn: five of them, with what lies between, are ten seconds.
const TURN: Nanos = Nanos::millis(1700);
/// It has no warm-up in which a first burst could pass, such as a limit lets through, so it is longer.
const READ_AHEAD_TURN: Nanos = Nanos::millis(2400);
/// Memory is as fast at once as later.
const CACHED_TURN: Nanos = Nanos::millis(1000);
const WARMUP: Nanos = Nanos::millis(100);
/// What `hdparm -T` reads again and again.
const CACHED_BYTES: Bytes = Bytes::mib(2);
/// A read-ahead that begins at the beginning of what was just read with direct I/O finds nothing of it there.
const SEQUENTIAL_BLOCK: Bytes = Bytes::mib(1);
const RANDOM_BLOCK: Bytes = Bytes::kib(4);

/// Request.
struct Asked {
    location: Location,
    /// A folder was named: the file is created there and removed.
    in_folder: bool,
    write: bool,
    size: Bytes,
    seed: u64,
}

/// Checks the target, keeps every run, prints the result.
pub(crate) fn quick(args: &QuickArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let asked = read(args)?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        options: options::looks,
        ..ground.gate()
    };
    let before = gate.look(&asked.location);
    let length = length(&asked, &before)?;
    let look = Look {
        kind: &super::stored::QUICK,
        named: args.target.display().to_string(),
        all: profile(steps(&asked), &asked, length),
        reads: proves_late(&asked).then(|| profile(QuickStep::READS, &asked, length)),
        turns: steps(&asked)
            .map(|step| turn(step, &asked, length).into())
            .collect(),
        location: &asked.location,
        own_file: asked.in_folder,
        beside: Vec::new(),
        seed: asked.seed,
        context: LooksContext::default(),
        page: report::quick,
        feedback: Feedback::NONE,
    };
    let setting = Setting {
        environment,
        ground: &ground,
        gate: &gate,
        keep: &args.keep,
        json: args.json,
    };
    look.take(&setting)
}

fn read(args: &QuickArgs) -> Result<Asked, CommandError> {
    let QuickArgs {
        target,
        write,
        size,
        seed,
        consent: _,
        keep: _,
        json: _,
    } = args;
    let mut reader = Reader::default();
    reader.target(target);
    let in_folder = target.is_dir();
    let path = match in_folder {
        true => own_file::in_folder(target),
        false => target.clone(),
    };
    let asked = Asked {
        location: Location::Path(path),
        in_folder,
        write: *write,
        size: read_size(&mut reader, size),
        seed: read_seed(&mut reader, seed.as_deref()),
    };
    Ok(reader.finish(asked)?)
}

/// How much of the target is used: all of it, in whole blocks.
fn length(asked: &Asked, facts: &TargetFacts) -> Result<Bytes, CommandError> {
    if asked.in_folder {
        return Ok(asked.size);
    }
    let there = facts.size.floor_to(SEQUENTIAL_BLOCK);
    let small =
        matches!(facts.kind, TargetKind::File | TargetKind::BlockDevice) && there < super::SIZE_MIN;
    match small {
        true => Err(CommandError::refused(format!(
            "{}: it is smaller than {}, which is too little to measure: specify a larger file, or a folder in which to \
            create one",
            facts.path.display(),
            super::SIZE_MIN
        ))),
        false => Ok(there.max(super::SIZE_MIN)),
    }
}

fn profile(steps: impl IntoIterator<Item = QuickStep>, asked: &Asked, length: Bytes) -> Profile {
    let create = asked.in_folder.then_some(length);
    let steps = steps.into_iter();
    let spans = steps.map(|step| turn(step, asked, length).span(asked.seed, create));
    Profile {
        timespans: spans.collect::<Vec<Timespan>>(),
    }
}

/// Whether what is to be written is read whole after the reads. A file of our own is there before all of them.
fn proves_late(asked: &Asked) -> bool {
    asked.write && !asked.in_folder
}

fn steps(asked: &Asked) -> impl Iterator<Item = QuickStep> {
    let writes = QuickStep::WRITES.into_iter().filter(|_| asked.write);
    QuickStep::READS.into_iter().chain(writes)
}

fn turn(step: QuickStep, asked: &Asked, length: Bytes) -> Turn {
    let random = matches!(
        step,
        QuickStep::RandomRead | QuickStep::RandomReadDeep | QuickStep::FlushedWrite
    );
    Turn {
        label: step.label().to_owned(),
        location: asked.location.clone(),
        length: match step {
            QuickStep::CachedRead => CACHED_BYTES,
            _ => length,
        },
        block: match (step, random) {
            (QuickStep::CachedRead, _) => CACHED_BYTES,
            (_, true) => RANDOM_BLOCK,
            (_, false) => SEQUENTIAL_BLOCK,
        },
        depth: if step == QuickStep::RandomReadDeep {
            32
        } else {
            1
        },
        access: if random {
            Access::Random
        } else {
            Access::Sequential
        },
        write: QuickStep::WRITES.contains(&step),
        cached: step.cached(),
        flushed: step == QuickStep::FlushedWrite,
        cold: step == QuickStep::ReadAhead,
        once_around: step == QuickStep::ReadAhead,
        phases: Phases {
            // What is read without being counted would be in the cache afterwards.
            warmup: match step {
                QuickStep::ReadAhead => Nanos(0),
                _ => WARMUP,
            },
            measured: match step {
                QuickStep::ReadAhead => READ_AHEAD_TURN,
                QuickStep::CachedRead => CACHED_TURN,
                _ => TURN,
            },
            cooldown: Nanos(0),
        },
    }
}
