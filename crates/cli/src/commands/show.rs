//! `fathom show ID`: a result again, as it was printed when it was measured.

use super::noted::ONE_RESULT;
use super::survey::context;
use super::sweep::shown;
use crate::args::{self, Command, KnownArgs, ShowArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::{FilesForm, Form};
use crate::{keep, output, report};
use analysis::columns::{Selection, columns, usual};
use analysis::{JobContext, JobPart, JobReport, Known, Observed, RankLabel, session_findings};
use host::file_identity;
use model::{
    Allocation, BeyondEnd, Bytes, CommandError, FilesRecord, Location, Nanos, RankRecord,
    ResultRow, RunRecord, Target, TargetFacts, TargetKind, Timespan, shell_word,
};
use std::path::PathBuf;
use store::{
    Name, RunName, Session, SessionId, SessionKind, SessionOutcome, Store, StoredResult, StoredRun,
};
use tools::native::{self, Request, TimeText};

/// Prints a session, or one run of it.
pub(crate) fn show(args: &ShowArgs, environment: &Environment) -> Result<Ending, CommandError> {
    args.known.read()?; // or it is refused before the database is opened
    let name: Name = args.id.parse().map_err(CommandError::refused)?;
    let store = keep::look(args.store.store.as_ref(), environment)?;
    let store = store.ok_or_else(|| {
        CommandError::refused(format!(
            "{}: nothing is stored yet: measure something first (fathom survey)",
            args.id
        ))
    })?;
    let name = store.resolve(name).map_err(CommandError::refused)?;
    let notes = store.notes(name).map_err(CommandError::refused)?;
    let known = args.known.over(&notes).read()?;
    let form = Form {
        json: args.output.json,
        kept: Some((name, store.path())),
        place_named: args.store.store.is_some(),
        screen: environment.screen,
        verbose: args.output.verbose,
        known: Some(&known),
        notes: &notes,
    };
    if name.run.is_none() && !args.output.json {
        tell_resumable(&store, name.session)?;
    }
    if let Some(page) = as_rows(&store, name, form, &known)? {
        output::print(&page)?;
        return Ok(Ending::Good);
    }
    let session = load(&store, name)?;
    let result = match (session.summary.kind, name.run) {
        (SessionKind::Survey, None) => {
            let context = context::from_store(&session);
            let runs = session.runs.into_iter();
            let cells: Vec<(String, RunRecord)> = runs.filter_map(StoredRun::into_record).collect();
            report::survey(&cells, &context, form)
        }
        (SessionKind::Quick, None) => super::looks::quick_again(session, form),
        (SessionKind::Layers, None) => super::looks::layers_again(session, form),
        (SessionKind::Files | SessionKind::Dd | SessionKind::Verify, None) => files(&session, form),
        (SessionKind::Watch, None) => watched(&session, form),
        (SessionKind::Run, None) if session.runs.len() > 1 => {
            all(&store, &session, &args.known, form)?
        }
        (kind, _) => {
            let run = pick(&session, name)?;
            let mut page = page_of(run, form)?;
            if let Some(record) = run
                .record()
                .filter(|_| kind == SessionKind::Survey && !args.output.json)
            {
                page.extend(alone(record).into_bytes());
            }
            page
        }
    };
    output::print(&result)?;
    Ok(Ending::Good)
}

/// Reports how a session goes on that did not come to its end.
fn tell_resumable(store: &Store, session: SessionId) -> Result<(), CommandError> {
    let summary = store.summary_of(session).map_err(CommandError::refused)?;
    let is_over = summary.outcome == Some(SessionOutcome::Complete);
    let can_resume = matches!(
        summary.kind,
        SessionKind::Survey | SessionKind::Sweep | SessionKind::Pts
    );
    if can_resume && !is_over {
        let kind = summary.kind.name();
        output::tell(&format!(
            "session {session} is not complete; hint: fathom {kind} --resume {session} continues it"
        ));
    }
    Ok(())
}

/// The record of a run in the database, for other programs.
pub(crate) fn run_named(
    text: &str,
    store: Option<&PathBuf>,
    environment: &Environment,
) -> Result<RunRecord, CommandError> {
    let name: Name = text.parse().map_err(CommandError::refused)?;
    let store = keep::look(store, environment)?;
    let store = store.ok_or_else(|| {
        CommandError::refused(format!(
            "{text}: nothing is stored yet: measure something first"
        ))
    })?;
    let name = store.resolve(name).map_err(CommandError::refused)?;
    let session = load(&store, name)?;
    let record = pick(&session, name)?.record().cloned();
    record.ok_or_else(|| {
        CommandError::refused(format!(
            "{name}: this was not measured by fathom, so its command is unknown"
        ))
    })
}

/// Sessions of many results are shown without reading each record whole; `None` for all others.
fn as_rows(
    store: &Store,
    name: RunName,
    form: Form,
    known: &Known,
) -> Result<Option<Vec<u8>>, CommandError> {
    if name.run.is_some() {
        return Ok(None);
    }
    let summary = store
        .summary_of(name.session)
        .map_err(CommandError::refused)?;
    match summary.kind {
        SessionKind::Sweep => Ok(Some(shown::shown(store, &summary, form)?)),
        SessionKind::Pts => Ok(Some(super::pts::stored::shown(store, &summary, form)?)),
        SessionKind::Run => ranks(store, name.session, form),
        SessionKind::Import if summary.runs != 1 && !known.goals.is_empty() => Err(
            CommandError::refused(format!("{name}: {ONE_RESULT}, as {name}.1")),
        ),
        SessionKind::Import if summary.runs != 1 => {
            let rows = store.rows(&[name.session]).map_err(CommandError::refused)?;
            let selection = match form.json {
                true => Selection::of(columns().collect(), &rows),
                false => usual(&rows),
            };
            let export = report::export_of(false, form.json);
            let mut page = report::rows(&selection, export, form);
            if !form.json {
                let observed: Vec<Observed> = rows.iter().map(Observed::of_row).collect();
                let findings = session_findings(&observed, known);
                page.extend(report::findings(&findings, form));
            }
            Ok(Some(page))
        }
        _ => Ok(None),
    }
}

/// Only what is shown is read: other parts of the session may be damaged.
fn load(store: &Store, name: RunName) -> Result<Session, CommandError> {
    let Some(number) = name.run else {
        return store.load(name.session).map_err(CommandError::refused);
    };
    let session = store
        .load_one(name.session, number)
        .map_err(CommandError::refused)?;
    if session.runs.is_empty() {
        return store.load(name.session).map_err(CommandError::refused); // to list the existing ones
    }
    Ok(session)
}

/// All steps of work with files on one page; one that was killed has those that were done.
fn files(session: &Session, form: Form) -> Vec<u8> {
    let steps = session.runs.iter().filter_map(|run| match &run.result {
        StoredResult::Files(record) => Some((**record).clone()),
        _ => None,
    });
    let steps: Vec<FilesRecord> = steps.collect();
    report::files(&steps, FilesForm::Summary, form)
}

/// Every device and stretch of a watch on one page.
fn watched(session: &Session, form: Form) -> Vec<u8> {
    let records = session.runs.iter().filter_map(|run| match &run.result {
        StoredResult::Watch(record) => Some(&**record),
        _ => None,
    });
    report::watch(&records.collect::<Vec<_>>(), form)
}

/// All ranks of a job on one page, or on one of each step; `None` of other sessions.
fn ranks(store: &Store, id: SessionId, form: Form) -> Result<Option<Vec<u8>>, CommandError> {
    let Some(ranks) = Ranks::read(store, id)? else {
        return Ok(None);
    };
    if let Some(report) = ranks.report(store)? {
        return Ok(Some(report::job(&report, form)));
    }
    match &ranks.steps()[..] {
        [(RankRecord::ALONE, _)] => Ok(None), // it ended before all measured together
        steps if form.json => Err(CommandError::refused(format!(
            "session {id} has {} steps of {} runs, and a document shows one run: specify it, as {id}.1",
            steps.len(),
            ranks.rows.len()
        ))),
        steps => {
            let page = |(step, parts): &(&str, Vec<JobPart<'_>>)| {
                let mut page = format!("{id}, {step}:\n").into_bytes();
                let report = report::job_of(parts, JobContext::default())?;
                page.extend(report::job(&report, Form { kept: None, ..form }));
                Ok(page)
            };
            let pages: Result<Vec<Vec<u8>>, CommandError> = steps.iter().map(page).collect();
            Ok(Some(pages?.join(&b"\n"[..])))
        }
    }
}

/// The results of a session of ranks only. A rank that cannot be read is one without a result.
pub(super) struct Ranks {
    id: SessionId,
    rows: Vec<ResultRow>,
    results: Vec<Result<RunRecord, String>>, // of each row
}

impl Ranks {
    /// `None` of a session with other results.
    pub(super) fn read(store: &Store, id: SessionId) -> Result<Option<Ranks>, CommandError> {
        let rows = store.rows(&[id]).map_err(CommandError::refused)?;
        let of_rank = |row: &ResultRow| RankLabel::of(&row.label).is_some();
        if rows.is_empty() || !rows.iter().all(of_rank) {
            return Ok(None);
        }
        let results = rows.iter().map(|row| result_of(store, id, row)).collect();
        Ok(Some(Ranks { id, rows, results }))
    }

    fn steps(&self) -> Vec<(&str, Vec<JobPart<'_>>)> {
        let mut steps: Vec<(&str, Vec<JobPart<'_>>)> = Vec::new();
        for (row, result) in self.rows.iter().zip(&self.results) {
            let Some(label) = RankLabel::of(&row.label) else {
                continue;
            };
            let part = JobPart {
                rank: label.rank,
                host: label.host,
                run: Some(row.number),
                outcome: result.as_ref().map_err(String::as_str),
            };
            match steps.last_mut() {
                Some((step, parts)) if *step == label.cell => parts.push(part),
                _ => steps.push((label.cell, vec![part])),
            }
        }
        steps
    }

    /// The report of the one run of all ranks; `None` where there are several, or only runs of single ranks.
    pub(super) fn report(&self, store: &Store) -> Result<Option<JobReport>, CommandError> {
        let steps = self.steps();
        let (alone, parts): (&[JobPart<'_>], _) = match &steps[..] {
            [(RankRecord::ALONE, _)] => return Ok(None),
            [(_, parts)] => (&[], parts),
            [(RankRecord::ALONE, alone), ("", parts)] => (alone, parts),
            _ => return Ok(None),
        };
        let owners = owners(store, self.id)?;
        let context = JobContext {
            alone,
            owners: &owners,
        };
        report::job_of(parts, context).map(Some)
    }
}

/// Hosts that the command of a session named as owners of its target.
fn owners(store: &Store, id: SessionId) -> Result<Vec<String>, CommandError> {
    let summary = store.summary_of(id).map_err(CommandError::refused)?;
    match args::stored(&summary.command) {
        Some(Command::Run(run)) => run.hosts.owners(),
        _ => Ok(Vec::new()),
    }
}

/// The record of one rank, or why there is none.
fn result_of(store: &Store, id: SessionId, row: &ResultRow) -> Result<RunRecord, String> {
    if let Some(reason) = &row.reason {
        return Err(reason.clone());
    }
    let session = store.load_one(id, row.number);
    let session = session.map_err(|error| format!("it cannot be read: {error}"))?;
    let record = session.runs.into_iter().find_map(StoredRun::into_record);
    record.map_or_else(
        || Err("it is not there".to_owned()),
        |(_, record)| Ok(record),
    )
}

/// Every run of a session of several, one page after another.
fn all(
    store: &Store,
    session: &Session,
    hints: &KnownArgs,
    form: Form,
) -> Result<Vec<u8>, CommandError> {
    let id = session.summary.id;
    if form.json {
        return Err(CommandError::refused(format!(
            "session {id} has {} runs, and a document shows one: specify it, as {id}.1",
            session.runs.len()
        )));
    }
    let page = |run: &StoredRun| {
        let name = RunName {
            session: id,
            run: Some(run.number),
        };
        let kept = form.kept.map(|(_, path)| (name, path));
        let notes = store.notes(name).map_err(CommandError::refused)?;
        let known = hints.over(&notes).read()?;
        let form = Form {
            kept,
            notes: &notes,
            known: Some(&known),
            ..form
        };
        let mut page = format!("{id}.{}, {}:\n", run.number, run.label).into_bytes();
        page.extend(page_of(run, form)?);
        Ok(page)
    };
    let pages: Result<Vec<Vec<u8>>, CommandError> = session.runs.iter().map(page).collect();
    Ok(pages?.join(&b"\n"[..]))
}

/// One result: measured here, or imported.
fn page_of(run: &StoredRun, form: Form) -> Result<Vec<u8>, CommandError> {
    match &run.result {
        StoredResult::Run(record) => Ok(report::run(record, form)),
        StoredResult::Files(record) => Ok(report::files(
            std::slice::from_ref(record),
            FilesForm::Summary,
            form,
        )),
        StoredResult::Watch(record) => Ok(report::watch(&[record], form)),
        StoredResult::Imported(imported) => Ok(report::imported_run(imported, form)),
        StoredResult::Missing(why) => Err(CommandError::refused(format!(
            "{} has no result: {why}",
            run.label
        ))),
    }
}

/// The run that is named; else the first there is, because a session of `fathom run` has one. Numbers begin anywhere and
/// have gaps where results were deleted.
fn pick(session: &Session, name: RunName) -> Result<&StoredRun, CommandError> {
    let (id, runs) = (session.summary.id, &session.runs);
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return Err(CommandError::refused(format!(
            "session {id} has no run: its first is still running or was not completed, or all were deleted"
        )));
    };
    let number = name.run.unwrap_or(first.number);
    let run = runs.iter().find(|run| run.number == number);
    run.ok_or_else(|| {
        let (first, last) = (first.number, last.number);
        CommandError::refused(match runs.len() {
            1 => format!("session {id} has no run {number}: it has one, {id}.{first}"),
            count if count as u64 == u64::from(last - first) + 1 => {
                format!("session {id} has no run {number}: it has {id}.{first} to {id}.{last}")
            }
            count => format!(
                "session {id} has no run {number}: of {id}.{first} to {id}.{last} it has {count}"
            ),
        })
    })
}

/// The line that runs one cell of a survey by itself, from any folder.
fn alone(record: &RunRecord) -> String {
    command_of(record).map_or_else(String::new, |line| format!("this cell alone: {line}\n"))
}

/// The same line bare, as a POSIX shell reads it; `None` if our options cannot express the run.
pub(crate) fn command_of(record: &RunRecord) -> Option<String> {
    let words = native::restate(&as_asked(record)).and_then(|request| {
        let span = as_asked(record);
        let unsaid = Request {
            time: TimeText {
                interval: None,
                ..request.time.clone()
            },
            ..request
        };
        let built = native::build(&unsaid).ok()?.profile;
        let words = native::print(&span)?;
        let usual_interval = built.timespans == [span];
        Some(without_usual(words, usual_interval))
    })?;
    let words: Vec<String> = words.iter().map(shell_word).collect();
    Some(words.join(" "))
}

/// Omits an option with its default value.
fn without_usual(words: Vec<String>, usual_interval: bool) -> Vec<String> {
    const USUAL: [(&str, &str); 15] = [
        ("-b", native::BLOCK),
        ("-o", native::DEPTH),
        ("-t", native::THREADS),
        ("-w", native::WRITE),
        ("--pattern", native::PATTERN),
        ("--base", native::BASE),
        ("--cache", native::CACHE),
        ("-d", native::DURATION),
        ("--warmup", native::WARMUP),
        ("--cooldown", native::COOLDOWN),
        ("--engine", native::ENGINE),
        ("--seed", native::SEED),
        ("--null-size", native::NULL_SIZE),
        ("--null-delay", native::NULL_DELAY),
        ("--null-error-every", native::NULL_ERROR_EVERY),
    ];
    let mut kept: Vec<String> = Vec::new();
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.next() {
        let usual = |value: &String| {
            let default = USUAL.contains(&(word.as_str(), value.as_str()));
            default || (word == "--interval" && usual_interval)
        };
        // What follows this word is a name, in any form.
        if word == "--" {
            kept.push(word);
            kept.extend(rest);
            break;
        }
        if rest.next_if(usual).is_none() {
            kept.push(word);
        }
    }
    kept
}

/// The request that this run came from, as far as it still matters: its files are there.
pub(crate) fn as_asked(record: &RunRecord) -> Timespan {
    let plan = &record.plan;
    let targets = plan.targets.iter().zip(&record.targets);
    let targets = targets.map(|(planned, facts)| {
        let to_the_end = Bytes(facts.size.0.saturating_sub(planned.base.0));
        let whole = to_the_end.floor_to(planned.workload.block) == planned.length;
        Target {
            location: absolute(&planned.location, facts),
            base: planned.base,
            length: (!whole).then_some(planned.length),
            create: None,
            create_exactly: false,
            allocation: Allocation::default(),
            cache: planned.cache,
            fsync: planned.fsync,
            drop_cache: planned.drop_cache,
            write_through: planned.write_through,
            beyond_end: BeyondEnd::default(),
            mapped: planned.mapped,
            engine: planned.engine,
            content: planned.content.clone(),
            pacing: planned.pacing,
            bounds: planned.bounds,
            zones: planned.zones,
            active: planned.active,
            priority: planned.priority,
            hint: planned.hint,
            large_pages: planned.large_pages,
            weight: planned.weight,
            pool_threads: planned.pool_threads.clone(),
            verify: planned.verify,
            amount: planned.amount,
            threads: planned.threads,
            workload: planned.workload.clone(),
        }
    });
    Timespan {
        start_delay: Nanos(0),
        end_with_first: plan.end_with_first,
        phases: plan.phases,
        interval: plan.interval,
        seed: plan.seed,
        engine: plan.engine,
        on_error: plan.on_error,
        pool: plan.pool,
        placement: plan.placement.clone(),
        arrivals: plan.arrivals,
        polling: plan.polling,
        targets: targets.collect(),
    }
}

/// A name that was given from the folder of the run means another file in the folder of the caller: it stays as it was
/// given unless it still leads to what was measured.
fn absolute(location: &Location, measured: &TargetFacts) -> Location {
    match location {
        Location::Path(path) => {
            let there = || {
                std::fs::metadata(path)
                    .ok()
                    .map(|there| file_identity(&there))
            };
            let another = measured.kind == TargetKind::File && there() != measured.identity;
            Location::Path(match another {
                true => path.clone(),
                false => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            })
        }
        Location::Null(_) | Location::Simulated(_) => location.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_is_not_said() {
        let words =
            |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
        let line =
            "fathom run -b 4K -o 8 -d 10s --interval 100ms --write-through --seed 0 -- -b 4K";
        assert_eq!(
            without_usual(words(line), false),
            words("fathom run -o 8 --interval 100ms --write-through -- -b 4K")
        );
        assert_eq!(
            without_usual(words("fathom run --interval 1s f"), true),
            words("fathom run f")
        );
    }

    #[test]
    fn a_name_that_leads_elsewhere_by_now_stays_as_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "x").unwrap();
        let mut facts = host::target_facts(&host::Root::live(), &path);
        assert_eq!(facts.kind, TargetKind::File);
        let given = Location::Path("f".into());
        assert_eq!(absolute(&given, &facts), given, "no such file here");
        let whole = Location::Path(path);
        assert_eq!(absolute(&whole, &facts), whole);
        facts.kind = TargetKind::Missing; // the run created it
        assert!(matches!(absolute(&given, &facts), Location::Path(path) if path.is_absolute()));
    }
}
