//! Sessions of single runs and of the jobs of other tools, as they are shown: one run, several, or all ranks of a job.

use crate::commands::ranks::Ranks;
use crate::kinds::page;
use crate::kinds::stored::{Hints, Kind, Stored, nothing_below, page_of};
use crate::report::{self, Form};
use analysis::page::PageBuilder;
use analysis::{JobContext, JobPart};
use model::{CommandError, RankRecord, ResultRow};
use store::{RunName, Session, StoredRun};

/// The row of `fathom run`.
pub(crate) static KIND: Kind = Kind {
    word: "run",
    described: "a run",
    hints: Hints::All,
    can_resume: false,
    show,
    add_to_page,
    below_run: nothing_below,
};

fn show(stored: &Stored<'_>, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    if let Some(page) = ranks(stored, form)? {
        return Ok(page);
    }
    if stored.summary.runs <= 1 {
        return stored.only(form);
    }
    let mut page = stored.several(add_to_page, form)?;
    if form.verbose {
        page.push(b'\n');
        page.extend(all(stored, &stored.load()?, form)?);
    }
    Ok(page)
}

/// Shows all ranks of a job on one page, or on one of each step; `None` of other sessions.
fn ranks(stored: &Stored<'_>, form: Form<'_>) -> Result<Option<Vec<u8>>, CommandError> {
    let id = stored.id();
    let Some(ranks) = Ranks::read(stored.store, id)? else {
        return Ok(None);
    };
    if let Some(report) = ranks.report(stored.store)? {
        return Ok(Some(report::job(&report, form)));
    }
    match &ranks.steps()[..] {
        [(RankRecord::ALONE, _)] => Ok(None), // it ended before all measured together
        steps if form.json => Err(CommandError::refused(format!(
            "session {id} has {} steps of {} runs, and a document shows one run: specify it, as {id}.1",
            steps.len(),
            ranks.rows.len()
        ))),
        _ if !form.verbose => stored.several(add_to_page, form).map(Some),
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

/// Shows every run, one page after another.
fn all(stored: &Stored<'_>, session: &Session, form: Form<'_>) -> Result<Vec<u8>, CommandError> {
    let id = stored.id();
    let page = |run: &StoredRun| {
        let name = RunName {
            session: id,
            run: Some(run.number),
        };
        let kept = form.kept.map(|(_, path)| (name, path));
        let notes = stored.store.notes(name).map_err(CommandError::refused)?;
        let known = stored.hints.over(&notes).read()?;
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

fn add_to_page(
    stored: &Stored<'_>,
    rows: Vec<ResultRow>,
    page: &mut PageBuilder,
) -> Result<(), CommandError> {
    let ranks = Ranks::read(stored.store, stored.id()).ok().flatten();
    let neighbours = ranks.as_ref().map(Ranks::neighbours).unwrap_or_default();
    page::each(stored.store, rows, &neighbours, page);
    // Each rank of a job has its own figures, and all together have one verdict.
    if let Some(ranks) = ranks
        && let Ok(steps) = ranks.reports(stored.store)
        && !steps.is_empty()
    {
        page.job(&steps);
    }
    Ok(())
}
