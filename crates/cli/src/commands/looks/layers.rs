//! `fathom layers`: what the system's cache and a file system cost, compared with the device itself.
//!
//! Round after round every way has its turn, each round beginning with another one, so that neither a drift nor an order
//! is taken for a cost.

use super::look::{Feedback, Look, Setting};
use super::{Turn, own_file, read_seed, read_size};
use crate::args::LayersArgs;
use crate::commands::survey::site::lies_on;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::options;
use crate::report;
use crate::run_context::RunContext;
use crate::seed;
use crate::subcommand::{Group, Subcommand, parsed};
use analysis::{Layer, LayerStep, LayerWork, LooksContext};
use model::{
    Access, Bytes, CommandError, Consent, Location, Nanos, Phases, Profile, TargetFacts, TargetKind,
};
use session::Admission;
use std::path::PathBuf;
use tools::{Problem, Reader};

/// The row of `fathom layers`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<LayersArgs>(
    "layers",
    Group::Measure,
    "Compare a device with the file system on it: the cost of the page cache and the file system",
    |words, environment| {
        let mut args: LayersArgs = parsed(words)?;
        args.seed = Some(seed::chosen(args.seed.as_deref(), [args.device.as_path()]));
        layers(&args, environment)
    },
);

const ROUNDS_FORM: &str = "must be a whole number from 2 to 100";
const TIME_FORM: &str = "must be 20ms to 10m";
const ROUND_TIMES: (Nanos, Nanos) = (Nanos::millis(20), Nanos::seconds(600));

/// Request.
struct Asked {
    device: Location,
    file: PathBuf,
    folder: PathBuf,
    write: bool,
    /// The raw device too.
    write_raw: bool,
    size: Bytes,
    rounds: u64,
    turn: Nanos,
    seed: u64,
}

/// Measures all ways in rounds, keeps every run, prints the result.
pub(crate) fn layers(args: &LayersArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let mut asked = read(args)?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        options: options::looks,
        ..ground.gate()
    };
    let consent = gate.consent;
    let device = gate.look(&asked.device);
    must_serve(
        &asked,
        &device,
        &host::pinned_facts(gate.root, &gate.pins, &asked.folder),
    )?;
    asked.write_raw = asked.write && consent.destroy_devices.contains(&device.path);
    asked.size = asked.size.min(device.size.floor_to(Bytes::mib(1)));
    let file = Location::Path(asked.file.clone());
    let look = Look {
        kind: &super::stored::LAYERS,
        named: format!("{} {}", args.device.display(), args.mount.display()),
        all: all(&asked),
        reads: None,
        turns: turns(&asked).into_iter().map(Into::into).collect(),
        location: &file,
        own_file: true,
        beside: vec![device],
        seed: asked.seed,
        context: context(&asked, consent),
        page: report::layers,
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

fn read(args: &LayersArgs) -> Result<Asked, CommandError> {
    let LayersArgs {
        device,
        mount,
        write,
        size,
        rounds,
        round_time,
        seed,
        consent: _,
        keep: _,
        json: _,
    } = args;
    let mut reader = Reader::default();
    reader.target(device);
    reader.target(mount);
    let count: Option<u64> = reader.number("--rounds", rounds, ROUNDS_FORM);
    let turn: Option<Nanos> = reader.value("--round-time", round_time);
    let wrong = [
        (
            count.is_some_and(|count| !(2..=100).contains(&count)),
            "--rounds",
            rounds,
            ROUNDS_FORM,
        ),
        (
            turn.is_some_and(|turn| turn < ROUND_TIMES.0 || turn > ROUND_TIMES.1),
            "--round-time",
            round_time,
            TIME_FORM,
        ),
    ];
    for (_, option, read, accepted) in wrong.iter().filter(|(wrong, ..)| *wrong) {
        reader.refuse(Problem::Value {
            option,
            read: (*read).clone(),
            accepted,
        });
    }
    let asked = Asked {
        device: Location::Path(device.clone()),
        file: own_file::in_folder(mount),
        folder: mount.clone(),
        write: *write,
        write_raw: false,
        size: read_size(&mut reader, size),
        rounds: count.unwrap_or_default(),
        turn: turn.unwrap_or_default(),
        seed: read_seed(&mut reader, seed.as_deref()),
    };
    Ok(reader.finish(asked)?)
}

/// What `gate` does not ask: that the one is a device, and the other a folder.
fn must_serve(
    asked: &Asked,
    device: &TargetFacts,
    folder: &TargetFacts,
) -> Result<(), CommandError> {
    let mut reported = Vec::new();
    if device.kind != TargetKind::BlockDevice {
        let what = match device.kind {
            TargetKind::Missing | TargetKind::MissingFolder => "there is nothing under this name",
            _ => "this is no block device",
        };
        reported.push(format!(
            "{}: {what}: specify the device that the file system is on (fathom devices lists them)",
            device.path.display()
        ));
    }
    if folder.kind != TargetKind::Folder {
        reported.push(format!(
            "--mount {}: this is no folder: specify one on the file system to measure",
            asked.folder.display()
        ));
    }
    if reported.is_empty() && !lies_on(folder, device) {
        reported.push(format!(
            "--mount {}: it does not lie on {}, so nothing of it can be compared with that device; hint: specify the \
            device that it lies on (fathom devices lists them)",
            asked.folder.display(),
            device.path.display()
        ));
    }
    if device.kind == TargetKind::BlockDevice && device.size < super::SIZE_MIN {
        reported.push(format!(
            "{}: it is smaller than {}",
            device.path.display(),
            super::SIZE_MIN
        ));
    }
    match reported.is_empty() {
        true => Ok(()),
        false => Err(CommandError::refused_for(reported)),
    }
}

fn context(asked: &Asked, consent: &Consent) -> LooksContext {
    let mut notes = Vec::new();
    if asked.write && !asked.write_raw {
        let others = if consent.destroy_devices.is_empty() {
            ""
        } else {
            " with its own name"
        };
        notes.push(format!(
            "the raw device was not written, so the cost of writes is not known: --destroy{others} allows it, on a device \
             that is not in use"
        ));
    }
    LooksContext {
        notes,
        ..LooksContext::default()
    }
}

fn steps(asked: &Asked) -> Vec<LayerStep> {
    let works = LayerWork::ALL.into_iter();
    let steps = works.flat_map(|work| Layer::ALL.map(|layer| LayerStep { layer, work }));
    let writes = |step: &LayerStep| step.work == LayerWork::SequentialWrite;
    steps
        .filter(|step| !writes(step) || asked.write && (step.layer.of_file() || asked.write_raw))
        .collect()
}

fn all(asked: &Asked) -> Profile {
    let spans = steps(asked).into_iter().map(|step| {
        let create = step.layer.of_file().then_some(asked.size);
        turn(step, asked).span(asked.seed, create)
    });
    Profile {
        timespans: spans.collect(),
    }
}

fn turns(asked: &Asked) -> Vec<Turn> {
    let steps = steps(asked);
    let round = |round: u64| {
        let mut order = steps.clone();
        order.rotate_left(usize::try_from(round).unwrap_or(0) % steps.len());
        order
    };
    let all = (0..asked.rounds).flat_map(round);
    all.map(|step| turn(step, asked)).collect()
}

fn turn(step: LayerStep, asked: &Asked) -> Turn {
    let random = step.work == LayerWork::RandomRead;
    let write = step.work == LayerWork::SequentialWrite;
    Turn {
        label: step.label(),
        location: match step.layer.of_file() {
            true => Location::Path(asked.file.clone()),
            false => asked.device.clone(),
        },
        length: asked.size,
        block: if random { Bytes::kib(4) } else { Bytes::mib(1) },
        depth: 1,
        access: if random {
            Access::Random
        } else {
            Access::Sequential
        },
        write,
        cached: step.layer.cached(),
        flushed: false,
        cold: step.layer.cached(),
        once_around: step.layer.cached() && !write,
        phases: Phases {
            warmup: Nanos(0),
            measured: asked.turn,
            cooldown: Nanos(0),
        },
    }
}
