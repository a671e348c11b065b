//! `fathom survey`: what a disk can do. Everything that it may do is checked before anything is touched.
//!
//! Read in this order: the flow (here), `request` (words → values), `site` and `size` (what it works on),
//! `walk` (cell after cell), `deadline` (the budget, kept hard), `context` (content of the report other than the
//! cells), `page` (the page that is left behind). Which cell comes next is `sweep`'s business.

pub(super) mod context;
mod deadline;
mod earlier;
mod page;
pub(super) mod request;
pub(super) mod site;
mod size;
pub(crate) mod stored;
mod walk;
mod workloads;

use super::command_line;
use crate::args::SurveyArgs;
use crate::commands::answer;
use crate::commands::dialect::Place;
use crate::commands::hosts::{Together, refuse_alone, refuse_confirmations, together, way};
use crate::commands::report::{Replace, may_write, write_page};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::options;
use crate::progress::Progress;
use crate::report::Form;
use crate::run_context::RunContext;
use crate::subcommand::{Group, Subcommand, parsed, read_line};
use crate::{keep, live, output, report, seed, signals};
use analysis::say;
use context::Surveyed;
use earlier::Earlier;
use engine::{Filled, Stop};
use model::{
    CommandError, EngineChoice, Location, Nanos, OnError, Phases, Placement, Profile, QueueDepth,
    Ratio, Target, TargetFacts, Timespan, Workload, shell_word,
};
use page::PagePlace;
use request::Asked;
pub(super) use request::TARGET;
use session::{Admission, CheckedPlan, Journal, ProvenFiles, Runner, clock};
use site::Site;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use store::{NewSession, Store};
use stored::KIND;
use sweep::{Survey, SurveyRequest};
use walk::Walk;

/// The row of `fathom survey`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<SurveyArgs>(
    "survey",
    Group::Measure,
    "Measure what a disk can do: seven workloads, each at increasing queue depths",
    |words, environment| {
        let mut args: SurveyArgs = parsed(words)?;
        args.seed = Some(seed::chosen(args.seed.as_deref(), args.target.as_deref()));
        survey(&args, environment)
    },
)
.often()
.often_options(&[
    "create",
    "size",
    "budget",
    "workload",
    "read_only",
    "p99",
    "precision",
    "rm",
    "resume",
    "page",
    "overwrite",
    "json",
])
.with_ranks();

/// Surveys the target, stores every cell, prints the result.
pub(crate) fn survey(args: &SurveyArgs, environment: &Environment) -> Result<Ending, CommandError> {
    if let Some(way) = way(&args.hosts, environment)? {
        let all = Together {
            options: options::survey,
            ..Together::new(&args.hosts, &args.keep, &KIND)
        };
        return together(&all, &way, environment, &|member| {
            refuse_confirmations(&args.consent.consent())?;
            refuse_alone(&[
                ("--rm", args.file.rm),
                ("--resume", args.resume.is_some()),
                ("--live", args.screen.live),
                ("--compare-raw", args.search.compare_raw.is_some()),
            ])?;
            run(args, &Place::of_ranks(member), environment)
        });
    }
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        options: options::survey,
        ..ground.gate()
    };
    run(
        args,
        &Place::alone(&ground, &gate, &Stop::new()),
        environment,
    )
}

/// The whole flow, on this machine or as rank 0.
#[allow(
    clippy::too_many_lines,
    reason = "one table of steps; parts would hide their order"
)]
fn run(
    args: &SurveyArgs,
    place: &Place<'_>,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let of_target = args.known.read()?;
    let resumed = earlier::named(args, &KIND, environment)?;
    let words = resumed.as_ref().map(|(_, words)| words);
    let mut asked = Asked::read(words.unwrap_or(args))?;
    asked.page = Asked::read(args)?.page;
    if let PagePlace::File(path) = &asked.page {
        may_write(path)?;
    }
    let (ground, gate, stop) = (place.ground, place.gate, place.stop);
    let store = match resumed {
        Some(_) => keep::open(ground.place.as_ref())?,
        None => None,
    };
    let resumed = resumed.map(|(session, _)| session).zip(store.as_ref());
    let mut lock = earlier::lock(store.as_ref(), resumed.map(|(session, _)| session))?;
    let earlier = resumed.map(|(session, store)| Earlier::read(store, session));
    let earlier = earlier.transpose()?;
    asked.size = earlier
        .as_ref()
        .and_then(|earlier| earlier.size)
        .or(asked.size);
    let host = gate.host;
    let own_target = place.own(&asked.target)?;
    let before = gate.look(&own_target);
    if asked.remove {
        site::may_remove(&before)?;
    }
    let site = site::choose(&asked, &before, host)?;
    let raw = asked.raw.as_ref().map(|raw| gate.look(raw));
    if let Some(raw) = &raw {
        site::may_be_read_raw(raw, &before, site.size)?;
    }
    let engine_max = engine::queue_depth_max(asked.options.engine)?;
    let depth_max = asked.depth_max(engine_max)?;
    let threads_max = asked.threads_max(host.cpus.len(), engine_max);
    let is_file = matches!(asked.target, Location::Path(_));
    if engine_max == 1 && is_file && asked.options.engine == EngineChoice::Auto {
        output::tell(&format!(
            "neither io_uring nor libaio runs here, so the queue depth comes from threads with one I/O each, {threads_max} \
             at most; hint: allow io_uring (sysctl kernel.io_uring_disabled, or the container's seccomp filter)"
        ));
    }
    let survey = plan_survey(&asked, &site, depth_max, threads_max)?;
    let fingerprint = earlier::fingerprint(&asked, &site, &before, host);
    if let Some((earlier, store)) = earlier.as_ref().zip(store.as_ref()) {
        earlier.must_be(store, &fingerprint)?;
    }
    let seen: Vec<TargetFacts> = std::iter::once(&before).chain(&raw).cloned().collect();
    let all = all_of_it(&asked, &site, depth_max, threads_max);
    let mut first = to_prepare(match place.hosts {
        Some(_) => place.check(&all)?,
        None => gate.check_again(&all, &seen)?,
    });
    site.words.iter().for_each(|words| output::tell(words));
    if let Some(hosts) = place.hosts {
        output::tell(&format!(
            "note: each load is run by {} ranks at once, and its result is theirs together",
            hosts.size()
        ));
    }
    if !matches!(
        before.kind,
        model::TargetKind::Null | model::TargetKind::Simulated
    ) {
        super::preflight::tell_preflight(gate.root, &before);
    }

    let interrupt = signals::listen(stop)?;
    let mut ours = ProvenFiles::default();
    if asked.remove {
        let plan = first.plan.clone();
        let proving = Progress::of_filling(environment);
        site::prove_removable(&before, &gate.pins, &mut first.plan, &proving, stop)?;
        proving.finish();
        ours.learn(&plan, &gate.pins);
    }
    let store = match store {
        None => keep::open(ground.place.as_ref())?,
        opened => opened,
    };
    let (filled, filling_took) = fill(place, &mut first, environment)?;
    ours.learn(&first.plan, &gate.pins);
    let known = match filled.is_empty() {
        true => first.facts.swap_remove(0),
        false => gate.look(&own_target),
    };

    let started_utc = clock::utc();
    let new = session::new_session(
        KIND.stored(),
        seed::recorded(command_line(), "survey", args.seed.as_deref()),
        asked.target.name(),
        started_utc,
    );
    let notes = args.known.notes();
    let new = NewSession {
        notes: notes.clone(),
        ..new
    };
    let journal = begin(store.as_ref(), new, earlier.as_ref(), &fingerprint)?;
    if lock.is_none() {
        lock = earlier::lock(store.as_ref(), journal.session())?;
    }
    let screen = live::screen(args.screen.live, environment, std::slice::from_ref(&known))?;
    let walk = Walk {
        survey: &survey,
        budget: asked.options.budget,
        known: &std::iter::once(known).chain(raw).collect::<Vec<_>>(),
        progress: &Progress::of_survey(environment, asked.options.budget).on_screen(screen),
        stop,
        interrupt: &interrupt,
        earlier,
    };
    let mut runner = Runner::new(gate, ours, &journal, command_line(), stop);
    runner.hosts = place.hosts.cloned();
    let walked = walk.walk(&mut runner);
    if asked.remove {
        clean_up(gate, &asked.target, &before, &filled);
    }
    let context = Surveyed {
        asked: &asked,
        site: &site,
        survey: &survey,
        depth_max,
        filled: filled.first().map(|filled| (filled.bytes, filling_took)),
        walked: &walked,
    }
    .context();
    let stored = serde_json::to_string(&context).expect("a context is plain data");
    let ending = walked.tell(journal.session()).and(answer::finish(
        &journal,
        walked.outcome(),
        Some(&stored),
    ));
    let form = Form {
        notes: &notes,
        verbose: args.screen.output.verbose,
        known: Some(&of_target),
        ..Form::of_session(args.screen.output.json, &journal, &args.keep, environment)
    };
    drop(lock);
    let cells = walked.cells();
    output::print(&report::survey(&cells, &context, form))?;
    let page = write_html(&asked.page, store.as_ref(), &journal);
    let created = filled.iter().filter(|one| one.made && !asked.remove);
    tell_left(page.as_ref(), created.map(|one| &one.path));
    Ok(ending.and(report::goals_of_survey(&cells, &context, &of_target)))
}

/// Writes the HTML report from the results database, and reports where it is or why it is missing. Returns the file that was written.
/// A page that cannot be written takes nothing from the survey, which is stored.
fn write_html(
    place: &PagePlace,
    store: Option<&Store>,
    journal: &Journal<&Store>,
) -> Option<PathBuf> {
    let (store, name) = (store?, journal.name()?);
    let path = place.path(name)?;
    match write_page(store, &[name], &path, Replace::Pages) {
        Ok(written) => {
            output::tell(&format!(
                "HTML report: {} ({})",
                path.display(),
                say::bytes(written.bytes)
            ));
            Some(path)
        }
        Err(failure) => {
            output::tell(&format!("note: the page is not there: {failure}"));
            output::tell(&format!(
                "the survey itself is stored: fathom report {name} -o FILE writes its page elsewhere"
            ));
            None
        }
    }
}

/// Reports how to remove what a survey leaves: its HTML report, and a file that it created.
fn tell_left<'a>(page: Option<&'a PathBuf>, created: impl Iterator<Item = &'a PathBuf>) {
    let created: Vec<&PathBuf> = created.collect();
    let options = match (page, created.is_empty()) {
        (None, true) => return,
        (Some(_), true) => "--page none writes none",
        (None, false) => "--rm does so at the end",
        (Some(_), false) => "--page none and --rm leave nothing",
    };
    let left = page.into_iter().chain(created);
    let left: Vec<String> = left.map(shell_word).collect();
    output::tell(&format!(
        "hint: rm -- {} removes what this survey leaves; {options}",
        left.join(" ")
    ));
}

/// Begins the session, or resumes the one that was interrupted.
fn begin<'a>(
    store: Option<&'a Store>,
    new: NewSession,
    earlier: Option<&Earlier>,
    fingerprint: &str,
) -> Result<Journal<&'a Store>, CommandError> {
    if let (Some(earlier), Some(store)) = (earlier, store) {
        earlier.drop_partial(store)?;
        return Journal::reopened(store, new, earlier.session);
    }
    let journal = Journal::begin(store, new);
    if let (Some(store), Some(session)) = (store, journal.session()) {
        let marked = store.set_fingerprint(session, fingerprint);
        marked.map_err(CommandError::failed)?;
    }
    Ok(journal)
}

/// Whether a survey of this target with these options would be refused before it creates, writes or measures anything.
pub(super) fn would_start(
    target: &Path,
    more: &[&str],
    environment: &Environment,
) -> Result<(), CommandError> {
    let words = ["fathom", "survey", "--no-store", "--page", "none"]
        .iter()
        .chain(more);
    let words = words
        .map(OsStr::new)
        .chain([OsStr::new("--"), target.as_os_str()]);
    let args: SurveyArgs = read_line("survey", words).map_err(CommandError::refused)?;
    let asked = Asked::read(&args)?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        options: options::survey,
        ..ground.gate()
    };
    let site = site::choose(&asked, &gate.look(&asked.target), gate.host)?;
    let engine_max = engine::queue_depth_max(asked.options.engine)?;
    let depth_max = asked.depth_max(engine_max)?;
    let threads_max = asked.threads_max(gate.host.cpus.len(), engine_max);
    plan_survey(&asked, &site, depth_max, threads_max)?;
    gate.check_before_proof(&all_of_it(&asked, &site, depth_max, threads_max))
}

/// The one whose making and proving serves all: a workload that writes asks for more than one that only reads.
fn to_prepare(mut passed: Vec<CheckedPlan>) -> CheckedPlan {
    let proves = |one: &CheckedPlan| one.plan.targets.iter().any(|target| target.prove_ours);
    let place = passed.iter().position(proves).unwrap_or(0);
    passed.swap_remove(place) // a survey has workloads
}

/// Creates the file if one is needed. How long that took is no part of the budget.
fn fill(
    place: &Place<'_>,
    first: &mut CheckedPlan,
    environment: &Environment,
) -> Result<(Vec<Filled>, Nanos), CommandError> {
    let filling = Progress::of_filling(environment);
    let filled = place
        .gate
        .prepare(&mut first.plan, &first.facts, &filling, place.stop);
    let filled = match place.hosts {
        Some(hosts) => hosts.prepared(filled.map_err(CommandError::from))?,
        None => filled?,
    };
    let took = filling.filled(&filled);
    // A bar that is still there when the result is printed would wipe out its last line.
    filling.finish();
    Ok((filled, took))
}

/// Every workload at its deepest, with the making of the file, and the raw device: so that nothing is refused on the way
/// that could have been refused at the start.
fn all_of_it(asked: &Asked, site: &Site, depth_max: u32, threads_max: u32) -> Profile {
    // The depth is that of all threads together.
    let depth_max = (depth_max / threads_max.max(1)).max(1);
    let on_site = |workload| Target {
        length: Some(site.size),
        create: site.create,
        cache: asked.options.cache,
        threads: threads_max,
        ..Target::new(asked.target.clone(), at_depth(workload, depth_max))
    };
    let raw = asked.raw.as_ref().zip(
        asked
            .options
            .wanted()
            .find(|workload| workload.write == Ratio::NONE),
    );
    let on_raw = raw.map(|(raw, workload)| Target {
        length: Some(site.size),
        cache: asked.options.cache,
        ..Target::new(raw.clone(), at_depth(workload, depth_max))
    });
    let targets = asked.options.wanted().map(on_site).chain(on_raw);
    Profile {
        timespans: targets.map(|target| one_second(asked, target)).collect(),
    }
}

fn one_second(asked: &Asked, target: Target) -> Timespan {
    let second = Nanos::seconds(1);
    Timespan {
        start_delay: model::Nanos(0),
        end_with_first: false,
        phases: Phases {
            warmup: Nanos(0),
            measured: second,
            cooldown: Nanos(0),
        },
        interval: second,
        seed: asked.options.seed,
        engine: asked.options.engine,
        on_error: OnError::Stop,
        pool: None,
        polling: model::Polling::default(),
        queueing: model::Queueing::default(),
        placement: Placement::default(),
        arrivals: None,
        targets: vec![target],
    }
}

fn at_depth(workload: &sweep::SurveyWorkload, depth: u32) -> Workload {
    Workload {
        block: workload.block,
        queue_depth: QueueDepth(depth),
        write: workload.write,
        access: workload.access.clone(),
    }
}

fn plan_survey(
    asked: &Asked,
    site: &Site,
    depth_max: u32,
    threads_max: u32,
) -> Result<Survey, CommandError> {
    let request = SurveyRequest {
        target: asked.target.clone(),
        size: site.size,
        queue_depth_max: depth_max,
        threads_max,
        raw: asked.raw.clone(),
        options: asked.options.clone(),
    };
    Survey::new(request).map_err(CommandError::refused)
}

/// Removes the file, if it is still the one that was used.
fn clean_up(gate: &Admission<'_>, target: &Location, before: &TargetFacts, filled: &[Filled]) {
    let Some(path) = target.path() else {
        return;
    };
    let used = filled
        .first()
        .map(|filled| filled.identity)
        .or(before.identity);
    match site::remove(&gate.pins, used, &gate.look(target)) {
        Ok(()) => output::tell(&format!("{}: removed", path.display())),
        Err(why) => output::tell(&why),
    }
}

#[cfg(test)]
mod tests {

    use crate::args::PRECISION;
    use model::Ratio;

    #[test]
    fn the_precision_is_what_the_sweep_recommends() {
        let percent = PRECISION.parse().map(Ratio::as_percent);
        assert_eq!(percent, Ok((sweep::PRECISION_DEFAULT * 100.0) as u8));
    }
}
