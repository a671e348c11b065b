//! `fathom pts`: a test of SNIA's Solid State Storage Performance Test Specification. Everything that it may do is checked
//! before anything is touched, and reported before anything runs.
//!
//! Read in this order: the flow (here), `request` (words → plan), `walk` (run after run), `stored` (sessions). Which run is
//! next is `sweep`'s business, what a test consists of `analysis::pts`'s.

mod request;
pub(crate) mod stored;
mod walk;

use super::command_line;
use super::sweep::Site;
use crate::args;
use crate::args::PtsArgs;
use crate::commands::answer;
use crate::commands::resumed::Lock;
use crate::environment::{Environment, Screen};
use crate::failure::Ending;
use crate::progress::Progress;
use crate::report::Form;
use crate::run_context::RunContext;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, options, output, report, signals};
use analysis::pts::{PtsContext, PtsForecast, pts_forecast};
use engine::Stop;
use model::{CommandError, Profile, TargetFacts};
use request::{Asked, Planned};
use session::{Admission, Journal, ProvenFiles, Runner, clock};
use store::{SessionId, Store};
use stored::KIND;
use stored::Runs;
use walk::{Walk, Walked};

/// The row of `fathom pts`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<PtsArgs>(
    "pts",
    Group::Measure,
    "Run a test of SNIA's Solid State Storage Performance Test Specification (PTS)",
    |words, environment| pts(&parsed(words)?, environment),
)
.after_help(|| args::pts::TESTS.into());

/// Runs a test, stores every run, prints the report.
pub(crate) fn pts(args: &PtsArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let named = args.course.resume.as_ref();
    let named = named
        .map(|id| stored::named(id, args, environment))
        .transpose()?;
    let (words, wanted) = match &named {
        Some((id, words)) => (words, Some(*id)),
        None => (args, None),
    };
    let asked = Asked::read(words)?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        options: options::pts,
        ..ground.gate()
    };
    let before = gate.look(&asked.location);
    let planned = asked.planned(&before)?;
    let profile = Profile {
        timespans: planned.pts.all(),
    };
    let mut site = Site::check(&profile, &gate)?;
    let fingerprint = planned.fingerprint(gate.host, &before);
    let place = ground.place.as_ref();
    let mut forecast = forecast(&planned, &before);
    if args.course.dry_run {
        forecast.resumes = stored::look(place, &fingerprint, wanted, args)?.map(|id| id.0);
        let form = Form::of_list(args.output.json, environment);
        return output::print(&report::pts_forecast(&forecast, form)).map(|()| Ending::Good);
    }

    let store = keep::open(place)?;
    let mut session = Session::open(store.as_ref(), &fingerprint, wanted, args)?;
    forecast.resumes = session.earlier.map(|id| id.0);
    tell_forecast(&forecast);
    let stop = Stop::new();
    let interrupt = signals::listen(&stop)?;
    let mut ours = ProvenFiles::default();
    site.prepare(&gate, &mut ours, environment, &stop)?;
    let journal = session.begin(&fingerprint, &asked)?;
    let from = planned.pts.resumed(&session.runs.runs, session.runs.rest());
    let progress = Progress::of_survey(environment, model::Nanos(forecast.duration_ns.least));
    let walk = Walk {
        planned: &planned,
        forecast: &forecast,
        known: site.all(),
        progress: &progress,
        stop: &stop,
        interrupt: &interrupt,
    };
    let mut runner = Runner::new(&gate, ours, &journal, command_line(), &stop);
    let walked = walk.walk(&mut runner, &mut session.runs, from);
    let finished = answer::finish(&journal, walked.outcome(), None);
    walk::tell(&walked, &journal);
    let context = context_of(&planned, &walked);
    let form = Form {
        verbose: args.output.verbose,
        ..Form::of_session(args.output.json, &journal, &args.keep, environment)
    };
    let shown = session.runs.report(&planned, &context);
    output::print(&report::pts(&shown, form))?;
    let ending = match walked.failure.is_some() || walked.interrupted {
        true => Ending::Wrong,
        false => Ending::Good,
    };
    Ok(ending.and(finished))
}

fn context_of(planned: &Planned, walked: &Walked) -> PtsContext {
    PtsContext {
        interrupted: walked.interrupted,
        failure: walked.failure.clone(),
        ..planned.context.clone()
    }
}

fn forecast(planned: &Planned, facts: &TargetFacts) -> PtsForecast {
    let guess = sweep::FILL_GUESS_BYTES_PER_S;
    let mut forecast = pts_forecast(&planned.pts.definition, &planned.context, guess);
    forecast.target.path = facts.path.display().to_string();
    match planned.create {
        Some(size) => forecast.with_file(size.0),
        None => forecast,
    }
}

fn tell_forecast(forecast: &PtsForecast) {
    let form = Form {
        screen: Screen::of_messages(output::room()),
        ..Form::of_list(false, &Environment::default())
    };
    let page = report::pts_forecast(forecast, form);
    String::from_utf8_lossy(&page)
        .lines()
        .for_each(output::tell);
}

/// The session of a test: a new one, or one that is resumed.
struct Session<'a> {
    store: Option<&'a Store>,
    earlier: Option<SessionId>,
    runs: Runs,
    /// While the test runs, so that the same command started twice does not run it twice.
    lock: Option<Lock>,
}

impl<'a> Session<'a> {
    fn open(
        store: Option<&'a Store>,
        fingerprint: &str,
        wanted: Option<SessionId>,
        args: &PtsArgs,
    ) -> Result<Session<'a>, CommandError> {
        let mut session = Session {
            store,
            earlier: None,
            runs: Runs::default(),
            lock: None,
        };
        let Some(store) = store else {
            return Ok(session);
        };
        if let Some(earlier) = stored::unfinished(store, fingerprint, wanted, args)? {
            session.lock = Some(Lock::take(store.path(), earlier)?);
            session.runs = Runs::read(store, earlier)?;
            session.earlier = Some(earlier);
        }
        Ok(session)
    }

    fn begin(
        &mut self,
        fingerprint: &str,
        asked: &Asked,
    ) -> Result<Journal<&'a Store>, CommandError> {
        let target = asked.location.name();
        let new = session::new_session(KIND.stored(), command_line(), target, clock::utc());
        let journal = Journal::resumable(self.store, new, self.earlier)?;
        if let (Some(store), Some(id), None) = (self.store, journal.session(), self.earlier) {
            self.lock = Some(Lock::take(store.path(), id)?);
            let marked = store.set_fingerprint(id, fingerprint);
            marked.map_err(CommandError::failed)?;
        }
        Ok(journal)
    }
}
