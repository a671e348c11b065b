//! `fathom watch`: what the devices of this machine do now, on a screen, as lines, in the database and for a collector.
//!
//! Read in this order: the flow (here), `shown` (screen or lines), `recording` (the results database). Deliberately absent:
//! taking and drawing readings, which is `monitor`'s; writing to any device.

mod account;
mod recording;
mod shown;

use crate::args::WatchArgs;
use crate::environment::{Environment, StorePlace};
use crate::failure::Ending;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, signals};
use engine::Stop;
use host::Root;
use model::{BlockDevice, CommandError, Nanos};
use monitor::{Asked, Chosen, Sampler, Server};
use recording::Recording;
use session::clock::Stopwatch;
use shown::{Show, Shown};
use std::io::IsTerminal;
use std::path::Path;

/// The row of `fathom watch`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<WatchArgs>(
    "watch",
    Group::Measure,
    "Show IOPS, latency and queue of devices every second",
    |words, environment| watch(&parsed(words)?, environment),
)
.often();

/// A refresh more often costs more than it shows: the kernel counts times in whole milliseconds.
const INTERVAL_MIN: Nanos = Nanos::millis(100);
const INTERVAL_MAX: Nanos = Nanos::seconds(3600);

/// What was asked, as values.
struct Request {
    devices: Vec<BlockDevice>,
    interval: Nanos,
    time: Option<Nanos>,
    count: Option<u64>,
    show: Show,
}

/// Watches until a stop is requested.
pub(crate) fn watch(args: &WatchArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let root = Root::live();
    let request = request(args, &root)?;
    if let Some(processes) = account::Processes::of(args, &root)? {
        return account::account(args, &request, &processes, environment);
    }
    let place = place(args, environment)?;
    let server = match &args.openmetrics {
        Some(at) => Some(serve(at, &args.metrics_host)?),
        None => None,
    };
    let store = keep::open(place.as_ref())?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let since = Stopwatch::start();
    let clock = move || since.elapsed();
    let asked = Asked {
        trace: !args.no_trace,
        processes: request.show != Show::Plain,
    };
    let sampler = Sampler::start(root.clone(), request.devices.clone(), asked, &clock);
    let recording = store
        .as_ref()
        .map(|store| Recording::begin(store, &root, &sampler, request.interval));
    let mut shown = Shown {
        sampler,
        clock: &clock,
        interval: request.interval,
        count: request.count,
        stop: &stop,
        server,
        recording,
        colours: environment.colours,
        zone: views::Zone::system(),
    };
    shown.run(request.show)?;
    let Some(recording) = shown.recording else {
        return Ok(Ending::Good);
    };
    Ok(recording.finish())
}

/// Everything that is wrong with the words, at once.
fn request(args: &WatchArgs, root: &Root) -> Result<Request, CommandError> {
    let mut problems = Vec::new();
    let interval = args.interval.parse::<Nanos>().ok();
    let interval = interval.filter(|time| (INTERVAL_MIN..=INTERVAL_MAX).contains(time));
    if interval.is_none() {
        problems.push(format!(
            "invalid value '{}' for --interval: must be 100ms to 1h",
            args.interval
        ));
    }
    if args.count == Some(0) {
        problems.push("--count: read 0; accepted are numbers from 1 on".to_owned());
    }
    let time = args.time.as_ref().map(|text| {
        let time = text
            .parse::<Nanos>()
            .ok()
            .filter(|time| *time >= INTERVAL_MIN);
        time.ok_or_else(|| format!("invalid value '{text}' for --for: must be 100ms or more"))
    });
    let time = time.transpose().unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    let chosen = devices(&args.devices, root);
    problems.extend(chosen.unknown.iter().map(|word| {
        format!("{word}: no block device of this machine: `fathom devices` lists them")
    }));
    if chosen.devices.is_empty() && chosen.unknown.is_empty() {
        problems.push("this machine shows no block device that counts its I/Os".to_owned());
    }
    match interval.filter(|_| problems.is_empty()) {
        Some(interval) => Ok(Request {
            devices: chosen.devices,
            interval,
            time,
            count: args.count.or(time.map(|time| time.0.div_ceil(interval.0))),
            show: show(args),
        }),
        None => Err(CommandError::refused_for(problems)),
    }
}

fn devices(words: &[String], root: &Root) -> Chosen {
    let listed = host::devices(root);
    let all: Vec<(BlockDevice, &Path)> = listed
        .iter()
        .map(|listing| (listing.device.clone(), listing.path.as_path()))
        .collect();
    monitor::choose(&all, words, &|path| host::device_number(path))
}

/// A screen needs a terminal for it and one for the keys.
fn show(args: &WatchArgs) -> Show {
    if args.json {
        return Show::Json;
    }
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if terminal && !args.plain {
        Show::Screen
    } else {
        Show::Plain
    }
}

fn place(args: &WatchArgs, environment: &Environment) -> Result<Option<StorePlace>, CommandError> {
    if !args.record {
        return Ok(None);
    }
    let place = environment.store_place(args.store.as_ref());
    place
        .map(Some)
        .ok_or_else(|| CommandError::refused(keep::NOWHERE_TO_KEEP))
}

fn serve(text: &str, names: &[String]) -> Result<Server, CommandError> {
    let at = monitor::address(text).map_err(CommandError::refused)?;
    let server = Server::start(at, names.to_vec()).map_err(|error| {
        CommandError::refused(format!(
            "--openmetrics: {at} cannot be listened to: {}: specify another port",
            model::errno_text(&error)
        ))
    })?;
    output::tell(&format!("serving http://{}/metrics", server.at()));
    Ok(server)
}
