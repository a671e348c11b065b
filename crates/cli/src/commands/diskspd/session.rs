//! The time spans of one request, one after another, and their results.
//!
//! All is checked before anything runs. Each time span after the first is checked again when its turn comes, because
//! the ones before it created files. A stop ends the measuring and leaves the results; a failed I/O ends the run, and
//! its time span has none.

use super::events::Signals;
use super::pages::{self, Pages};
use super::trace::{Trace, Wishes};
use super::{Asked, FAILED, GOOD, REFUSED};
use crate::commands::dialect::{self, Place, SpansOfRanks, StoredSession, records_of};
use crate::commands::hosts::{Member, refuse_alone, refuse_confirmations};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::{output, signals};
use engine::{Filled, Observer, Silent, Stop};
use model::{CommandError, ErrorKind, HostRecord, Nanos, Outcome, RunRecord};
use session::{Admission, CheckedPlan, ProvenFiles, Runner, Step, Timespans, Watcher, clock};
use tools::diskspd::{self, Note, Profile};

/// Runs it, keeps it, prints it.
pub(super) fn run(asked: &Asked, environment: &Environment, member: Option<&Member<'_>>) -> Ending {
    if let Some(member) = member {
        return at(asked, environment, &Place::of_ranks(member));
    }
    let ground = match RunContext::of_tool(&asked.extra.own, environment) {
        Ok(ground) => ground,
        Err(failure) => {
            crate::failure::say(&failure);
            asked
                .notes
                .iter()
                .for_each(|note| output::tell(&note.to_string()));
            return REFUSED;
        }
    };
    let gate = Admission {
        repeats: true,
        options: diskspd::option,
        ..ground.gate()
    };
    at(
        asked,
        environment,
        &Place::alone(&ground, &gate, &Stop::new()),
    )
}

fn at(asked: &Asked, environment: &Environment, place: &Place<'_>) -> Ending {
    let started_utc = clock::utc();
    let mut course = Course {
        notes: asked.notes.to_vec(),
        ..Course::default()
    };
    let failed = match measure(asked, environment, place, &mut course) {
        Ok(failed) => failed,
        Err(failure) => {
            crate::failure::say(&failure);
            course.tell_notes();
            if failure.kind() == ErrorKind::Refused && course.records.is_empty() {
                return REFUSED;
            }
            true
        }
    };
    let Course {
        stored,
        records,
        ranks,
        ..
    } = course;
    let kept = stored.is_none_or(|stored| match place.hosts {
        Some(hosts) => stored.close_of_job(&ranks, hosts),
        None => stored.close(&records),
    });
    let pages = Pages {
        asked,
        host: &place.ground.host,
        started_utc,
        records: &records,
    };
    let shown = pages.show();
    if failed {
        output::tell(match asked.document() {
            true => "\nError generating I/O requests",
            false => "Error generating I/O requests",
        });
    }
    if failed || !shown || !kept {
        FAILED
    } else {
        GOOD
    }
}

/// How far it came.
#[derive(Default)]
struct Course {
    /// Printed when the request is accepted; otherwise the answer comes first.
    notes: Vec<Note>,
    stored: Option<StoredSession>,
    records: Vec<RunRecord>,
    /// Of all ranks, where there are several.
    ranks: Vec<RunRecord>,
}

impl Course {
    fn tell_notes(&mut self) {
        self.notes.dedup();
        for note in self.notes.drain(..) {
            output::tell(&note.to_string());
        }
    }
}

/// Everything up to the results; whether it failed on the way. The error is what kept a time span from its first I/O.
fn measure(
    asked: &Asked,
    environment: &Environment,
    place: &Place<'_>,
    course: &mut Course,
) -> Result<bool, CommandError> {
    let built = diskspd::build(asked.profile, asked.extra)?;
    course.notes.extend(built.notes);
    let (gate, stop) = (place.gate, place.stop);
    if place.hosts.is_some() {
        refuse_confirmations(&asked.extra.own.consent)?;
        refuse_alone(&[("--json", asked.extra.json.is_some())])?;
    }
    pages::check_files(asked, gate.store)?;
    let first = place.check(&with_files_of_before(&built.profile))?;
    course.notes.extend(sizes(asked.profile, &first, gate.host));
    let spans = &built.profile.timespans;
    course.stored = Some(place.open(asked.new_session(), spans.len())?);
    course.tell_notes();
    let interrupt = signals::listen(stop)?;
    let signals = Signals::hold(asked.events)?;
    let stored = course.stored.as_ref().expect("it was opened just now");
    let proven = ProvenFiles::default();
    let mut runner = Runner::new(gate, proven, &stored.journal, asked.command(), stop);
    runner.hosts = place.hosts.cloned();
    let mut follower = Follower {
        wishes: asked.wishes(),
        environment,
        signals: &signals,
        stop,
        trace: None,
    };
    let report: &dyn Fn(&RunRecord) = match place.hosts {
        Some(_) => &|_| (), // of ranks each is reported
        None => &dialect::tell_trouble,
    };
    let mut schedule = Timespans::new(spans, &[], first, report);
    let ended = match place.hosts {
        Some(hosts) => {
            let mut schedule = SpansOfRanks::new(schedule, hosts);
            let ended = signals.watch(stop, || runner.run(&mut schedule, &mut follower));
            let results;
            (course.records, results) = schedule.into_records();
            course.ranks = results.iter().flat_map(|one| records_of(one)).collect();
            ended
        }
        None => {
            let ended = signals.watch(stop, || runner.run(&mut schedule, &mut follower));
            course.records = schedule.records;
            ended
        }
    };
    match ended {
        // Creating files may be stopped like measuring; then there is no record, and no failure either.
        Err(failure) if stop.asked() => crate::failure::say(&failure),
        ended => drop(ended?),
    }
    if interrupt.asked() {
        pages::tell_interrupted(asked.document());
    }
    let failed = |record: &RunRecord| matches!(record.outcome, Outcome::Failed(_));
    let has_all = stop.asked() || course.records.len() == spans.len();
    Ok(!has_all || course.records.iter().any(failed))
}

/// The request with the files that its earlier time spans make, for the check before the first.
fn with_files_of_before(profile: &model::Profile) -> model::Profile {
    let mut whole = profile.clone();
    let mut made: Vec<(model::Location, model::Bytes)> = Vec::new();
    for span in &mut whole.timespans {
        for target in &mut span.targets {
            let before = made
                .iter()
                .rev()
                .find(|(place, _)| *place == target.location);
            match (target.create, before) {
                (Some(size), _) => made.push((target.location.clone(), size)),
                (None, Some((_, size))) => target.create = Some(*size),
                (None, None) => {}
            }
        }
    }
    whole
}

/// Problems of the request with the sizes of the targets.
fn sizes(profile: &Profile, passed: &[CheckedPlan], host: &HostRecord) -> Vec<Note> {
    let mut reported = Vec::new();
    for (span, passed) in profile.time_spans.iter().zip(passed) {
        let planned = passed.plan.targets.iter().zip(&passed.facts);
        for (target, (plan, facts)) in span.targets.iter().zip(planned) {
            let size = plan.create.unwrap_or(facts.size);
            let small = diskspd::smaller_than_memory(target, size, host.ram);
            let beyond = diskspd::beyond_end(target, size);
            reported.extend(small.into_iter().chain(beyond));
        }
    }
    reported
}

/// Follows the time spans, each with a trace of its own.
struct Follower<'a> {
    wishes: Wishes,
    environment: &'a Environment,
    signals: &'a Signals,
    stop: &'a Stop,
    trace: Option<Trace<'a>>,
}

impl Watcher for Follower<'_> {
    fn begin(&mut self, _step: &Step, planned: Nanos) {
        let trace = Trace::new(self.wishes, planned, self.environment, self.signals);
        self.trace = Some(trace);
    }

    fn observer(&self) -> &dyn Observer {
        self.trace.as_ref().map_or(&Silent, |trace| trace)
    }

    fn ready(&mut self, filled: &[Filled]) -> bool {
        if let Some(trace) = &self.trace {
            trace.filled(filled);
            if let Some(event) = &self.signals.wait {
                trace.say("waiting for a signal to start...");
                if event.wait(|| self.stop.asked()) {
                    trace.say("received signal to start");
                }
            }
        }
        !self.stop.asked()
    }

    fn end(&mut self) {
        self.trace.iter().for_each(Trace::finish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, Timespan};
    use tools::native;

    fn span(create: &[Option<u64>]) -> Timespan {
        let request = native::Request {
            targets: (0..create.len()).map(|n| format!("f{n}").into()).collect(),
            ..native::Request::default()
        };
        let mut span = native::build(&request).unwrap().profile.timespans.remove(0);
        for (target, create) in span.targets.iter_mut().zip(create) {
            target.create = create.map(Bytes);
        }
        span
    }

    #[test]
    fn a_file_that_an_earlier_time_span_makes_is_there_for_the_later_ones() {
        let asked = model::Profile {
            timespans: vec![
                span(&[Some(10), None]),
                span(&[None, None]),
                span(&[Some(20), Some(5)]),
                span(&[None, None]),
            ],
        };
        let whole = with_files_of_before(&asked);
        let sizes = |span: &Timespan| -> Vec<Option<u64>> {
            span.targets
                .iter()
                .map(|target| target.create.map(|size| size.0))
                .collect()
        };
        let all: Vec<_> = whole.timespans.iter().map(sizes).collect();
        assert_eq!(all[0], [Some(10), None]);
        assert_eq!(all[1], [Some(10), None]);
        assert_eq!(all[3], [Some(20), Some(5)]);
    }
}
