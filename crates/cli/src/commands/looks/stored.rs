//! Sessions of `quick`, `layers`, `fit` and `ab` as they are shown: their runs, and their stored context.

use crate::kinds::separate::add_results;
use crate::kinds::stored::{Hints, Kind, Stored, nothing_below};
use crate::report;
use analysis::looks::{ab_report, fit_report};
use analysis::page::PageBuilder;
use analysis::{LooksContext, layers_report, quick_report};
use model::{CommandError, ResultRow, RunRecord};
use store::{Session, SessionOutcome, StoredRun};

/// The row of `fathom quick`.
pub(crate) static QUICK: Kind = Kind {
    word: "quick",
    described: "a quick look",
    hints: Hints::None,
    can_resume: false,
    show: |stored, form| {
        let (runs, context) = read(stored.load()?);
        Ok(report::quick(&runs, &context, form))
    },
    add_to_page: |stored, rows, page| {
        add(stored, rows, page, |runs, context, page| {
            page.quick(&quick_report(runs, context));
        })
    },
    below_run: nothing_below,
};

/// The row of `fathom layers`.
pub(crate) static LAYERS: Kind = Kind {
    word: "layers",
    described: "a scan of layers",
    hints: Hints::None,
    can_resume: false,
    show: |stored, form| {
        let (runs, context) = read(stored.load()?);
        Ok(report::layers(&runs, &context, form))
    },
    add_to_page: |stored, rows, page| {
        add(stored, rows, page, |runs, context, page| {
            page.layers(&layers_report(runs, context));
        })
    },
    below_run: nothing_below,
};

/// The row of `fathom fit`.
pub(crate) static FIT: Kind = Kind {
    word: "fit",
    described: "a decision whether storage is fast enough",
    hints: Hints::None,
    can_resume: false,
    show: |stored, form| {
        let (runs, context) = read(stored.load()?);
        Ok(report::fit(&runs, &context, form))
    },
    add_to_page: |stored, rows, page| {
        add(stored, rows, page, |runs, context, page| {
            page.fit(&fit_report(runs, context));
        })
    },
    below_run: nothing_below,
};

/// The row of `fathom ab`.
pub(crate) static AB: Kind = Kind {
    word: "ab",
    described: "a comparison of two in turns",
    hints: Hints::None,
    can_resume: false,
    show: |stored, form| {
        let (runs, context) = read(stored.load()?);
        Ok(report::ab(&runs, &context, form))
    },
    add_to_page: |stored, rows, page| {
        add(stored, rows, page, |runs, context, page| {
            page.ab(&ab_report(runs, context));
        })
    },
    below_run: nothing_below,
};

/// Adds the runs and, where the session can be read whole, the report on all of them.
fn add(
    stored: &Stored<'_>,
    rows: Vec<ResultRow>,
    page: &mut PageBuilder,
    report: fn(&[(String, RunRecord)], &LooksContext, &mut PageBuilder),
) -> Result<(), CommandError> {
    add_results(stored, rows, page)?;
    // A session that cannot be read whole keeps its runs, each with its own figures.
    if let Ok(session) = stored.load() {
        let (runs, context) = read(session);
        report(&runs, &context, page);
    }
    Ok(())
}

/// Returns the runs of a session and their stored context. One that was killed has no context.
fn read(session: Session) -> (Vec<(String, RunRecord)>, LooksContext) {
    let context = session.context.as_deref();
    let context = context.and_then(|text| serde_json::from_str(text).ok());
    let cut = || LooksContext {
        interrupted: session.summary.outcome != Some(SessionOutcome::Complete),
        ..LooksContext::default()
    };
    let context = context.unwrap_or_else(cut);
    let runs = session.runs.into_iter().filter_map(StoredRun::into_record);
    (runs.collect(), context)
}
