//! `fathom show ID`: a result again, as it was printed when it was measured.

use super::answer;
use super::noted::ONE_RESULT;
use super::ranks::Ranks;
use super::restated::command_of;
use super::survey::context;
use super::sweep::shown;
use crate::args::{KnownArgs, ShowArgs};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::{FilesForm, Form};
use crate::{keep, output, report};
use analysis::columns::{Selection, columns, usual};
use analysis::{JobContext, JobPart, Known, Observed, session_findings};
use model::{CommandError, FilesRecord, RankRecord, RunRecord};
use std::path::PathBuf;
use store::{
    Name, RunName, Session, SessionId, SessionKind, SessionOutcome, Store, StoredResult, StoredRun,
};

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
            let mut page = several(&store, name.session, form)?;
            if form.verbose {
                page.push(b'\n');
                page.extend(all(&store, &session, &args.known, form)?);
            }
            page
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

/// Results of an import that are shown with a verdict on all of them; more are a table of rows.
pub(super) const PART_MAX: usize = 24;

/// A session of several results: one verdict, a line for each, one thing to do.
fn several(store: &Store, session: SessionId, form: Form) -> Result<Vec<u8>, CommandError> {
    if form.json {
        return Err(CommandError::refused(format!(
            "session {session} has several runs, and a document shows one: specify it, as {session}.1"
        )));
    }
    Ok(report::part(&answer::document(store, session)?, form))
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
            let rows = store
                .judged_rows(name.session)
                .map_err(CommandError::refused)?;
            let selection = match form.json {
                true => Selection::of(columns().collect(), &rows),
                false => usual(&rows),
            };
            let export = report::export_of(false, form.json);
            let few = summary.runs as usize <= PART_MAX;
            let mut page = match form.json || !few {
                true => report::rows(&selection, export, form),
                false => several(store, name.session, form)?,
            };
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
        _ if !form.verbose => several(store, id, form).map(Some),
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
