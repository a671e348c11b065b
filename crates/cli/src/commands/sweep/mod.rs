//! `fathom sweep`: a matrix of workloads, cell after cell. Everything that it may do is checked before anything is
//! touched, and reported before anything runs.
//!
//! Read in this order: the flow (here), `asked` (words → cells), `site` (what is checked and created once), `forecast`
//! (what will be done), `earlier` (the sweep to resume), `stored` (sessions and
//! keys), `walk` (cell after cell), `many` (on many hosts), `ranks` (their results), `shown` (from the store), `script`
//! (the same for elsewhere). Which combinations there are and in which order they run is `sweep`'s business.

mod asked;
mod earlier;
mod forecast;
mod many;
pub(super) mod ranks;
mod script;
pub(crate) mod shown;
mod site;
mod stored;
mod walk;

use super::command_line;
use crate::args;
use crate::args::{SweepArgs, known_by};
use crate::commands::{answer, hosts};
use crate::environment::{Environment, Screen};
use crate::failure::Ending;
use crate::report::Form;
use crate::run_context::RunContext;
use crate::signals::{self, Interrupt};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::sweep_progress::SweepProgress;
use crate::{keep, live, output, report};
use asked::Asked;
use engine::Stop;
use model::{CommandError, Note};
use session::{Admission, Hosts, Journal, ProvenFiles, Runner, clock};
use shown::KIND;
pub(super) use site::Site;
use std::rc::Rc;
use store::{SessionId, Store};
use stored::StoredSession;
use walk::Walk;
pub(super) use walk::rest;

/// The row of `fathom sweep`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<SweepArgs>(
    "sweep",
    Group::Measure,
    "Run every combination of a matrix of workloads; resume where it was interrupted",
    |words, environment| sweep(&parsed(words)?, environment),
)
.after_help(|| args::sweep::LISTS.into())
.often()
.often_options(&[
    "block",
    "depth",
    "threads",
    "write",
    "pattern",
    "duration",
    "create",
    "repeat",
    "resume",
    "dry_run",
    "overwrite",
    "json",
])
.with_ranks();

/// Sweeps, keeps every cell, prints the table.
pub(crate) fn sweep(args: &SweepArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let way = hosts::way(&args.hosts, environment)?;
    if let Some(shell) = &args.script.script {
        return match way {
            Some(way) => Err(hosts::refuse_in_job("--script", &way)),
            None => script::print(args, shell),
        };
    }
    args.known.read()?; // refused before anything runs
    if let Some(way) = way {
        return many::sweep(args, &way, environment);
    }
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let read = Read::of(args, environment)?;
    let gate = Admission {
        repeats: read.asked.repeats_targets,
        options: match read.asked.repeats_targets {
            true => tools::diskspd::option, // the line has them, in addition to the sweep's own
            false => tools::native::option,
        },
        ..ground.gate()
    };
    let site = Site::check(&read.asked.profile(), &gate)?;
    let on = Ground {
        args,
        context: &ground,
        gate: &gate,
        hosts: None,
        environment,
    };
    measure(read, site, &on, || {
        let stop = Stop::new();
        signals::listen(&stop).map(|interrupt| (stop, interrupt))
    })
}

/// What a sweep consists of, and the session that is resumed by its number.
struct Read {
    asked: Asked,
    resumed: Option<SessionId>,
}

impl Read {
    fn of(args: &SweepArgs, environment: &Environment) -> Result<Read, CommandError> {
        let resumed = args.matrix.resume.as_ref();
        let resumed = resumed.map(|id| earlier::resumed(id, args, &KIND, environment));
        let (resumed, words) = resumed.transpose()?.unzip();
        Ok(Read {
            asked: Asked::read(words.as_ref().unwrap_or(args))?,
            resumed,
        })
    }
}

/// Where a sweep runs, and with whom.
struct Ground<'a> {
    args: &'a SweepArgs,
    context: &'a RunContext,
    gate: &'a Admission<'a>,
    /// The other hosts; none of a sweep alone.
    hosts: Option<&'a Rc<Hosts>>,
    environment: &'a Environment,
}

/// Runs what was checked. `listen` gives the stop flag, which signals set from then on.
fn measure(
    read: Read,
    mut site: Site,
    on: &Ground<'_>,
    listen: impl FnOnce() -> Result<(Stop, Interrupt), CommandError>,
) -> Result<Ending, CommandError> {
    let Ground {
        args,
        gate,
        environment,
        ..
    } = *on;
    let (asked, wanted) = (read.asked, read.resumed);
    let fingerprint = asked.fingerprint(gate.host, site.all());
    let place = on.context.place.as_ref();
    let is_job = on.hosts.is_some();
    if args.matrix.dry_run {
        let earlier = earlier::look(place, &fingerprint, wanted, args)?;
        let forecast = forecast::forecast(&asked, &site, place, is_job, earlier.as_ref());
        let page = report::sweep_forecast(&forecast, args.json, environment.screen);
        return output::print(&page).map(|()| Ending::Good);
    }
    let store = keep::open(place)?;
    let mut stored = StoredSession::open(store.as_ref(), &asked, &fingerprint, wanted, args)?;
    let forecast = forecast::forecast(&asked, &site, place, is_job, stored.earlier());
    tell_forecast(&asked, &forecast);
    let pace = forecast::pace(&site, is_job);

    let (stop, interrupt) = listen()?;
    let watch = clock::Stopwatch::start();
    let mut ours = ProvenFiles::default();
    if on.hosts.is_none() {
        site.prepare(gate, &mut ours, environment, &stop)?;
    }
    let journal = stored.begin(&KIND, &asked, &fingerprint, &args.known)?;
    let notes = notes_of(&journal, args)?;
    let known = known_by(&notes)?;
    let screen = live::screen(args.live, environment, site.all())?;
    let progress = SweepProgress::new(environment, &forecast, pace).on_screen(screen);
    let walk = Walk {
        asked: &asked,
        site: &site,
        progress: &progress,
        stop: &stop,
        interrupt: &interrupt,
        fail_fast: args.matrix.fail_fast,
        known: &known,
        hosts: on.hosts,
    };
    let mut runner = Runner::new(gate, ours, &journal, command_line(), &stop);
    runner.hosts = on.hosts.cloned();
    let walked = walk.walk(&mut runner, &mut stored);
    progress.finish();
    let (cells, context) = stored.result(&asked, &walked, gate.host, watch.elapsed());
    let finished = answer::finish(&journal, stored.outcome(&walked), None);
    let ending = walked.tell(&resume_of(&journal)).and(finished);
    let form = Form {
        known: Some(&known),
        notes: &notes,
        ..Form::of_session(args.json, &journal, &args.keep, environment)
    };
    output::print(&report::sweep(&cells, &context, form))?;
    Ok(ending.and(report::goals_of_sweep(&cells, &context, &known)))
}

/// How to continue, where that can be.
fn resume_of(journal: &Journal<&Store>) -> String {
    match (journal.command_to_add(), journal.session()) {
        (Some(_), _) => "with these results added, the same command continues it".to_owned(),
        (None, Some(id)) => {
            format!("the same command continues it, or: fathom sweep --resume {id}")
        }
        (None, None) => "nothing of it was stored, so it would begin again".to_owned(),
    }
}

/// The hints that were given, and those stored with a session that is resumed.
fn notes_of(journal: &Journal<&Store>, args: &SweepArgs) -> Result<Vec<Note>, CommandError> {
    match (journal.store(), journal.name()) {
        (Some(store), Some(name)) => store.notes(name).map_err(CommandError::failed),
        _ => Ok(args.known.notes()),
    }
}

/// What was accepted and changes nothing, then what will be done.
fn tell_forecast(asked: &Asked, forecast: &analysis::SweepForecast) {
    asked.notes.iter().for_each(|note| output::tell(note));
    let page = report::sweep_forecast(forecast, false, Screen::of_messages(output::room()));
    String::from_utf8_lossy(&page)
        .lines()
        .for_each(output::tell);
}
