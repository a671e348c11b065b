//! Records → report → bytes: which view serves which command. The only place where `cli` uses the views.
//!
//! Deliberately absent: any number and any layout of its own, but for the documents of devices and sessions.

mod baselines;
mod devices;
mod import;
mod rows;
mod sessions;

pub(crate) use baselines::baselines;
pub(crate) use devices::devices;
pub(crate) use import::{
    BrokenRun, Imported, ImportedFile, RunVerdict, Source, imported, imported_document,
};
pub(crate) use rows::{answer, export_of, fields, pivot, reported, rows};
pub(crate) use sessions::Sessions;

use crate::args::KeepArgs;
use crate::environment::{Environment, Screen};
use crate::failure::Ending;
use crate::{keep, output};
use analysis::audit::audit_report;
use analysis::page::PageDocument;
use analysis::pts::{PtsForecast, PtsReport};
use analysis::triage::TriageReport;
use analysis::{
    CompareReport, Explanation, Finding, GoalReport, History, HostsPreflight, Known, LooksContext,
    Preflight, SurveyContext, SweepCell, SweepContext, SweepForecast, WatchReport,
};
use analysis::{JobContext, JobPart, JobReport};
use model::CommandError;
use model::fidelity::Fidelity;
use model::trace::TraceSummary;
use model::{FilesRecord, ImportedRun, Note, RunRecord, WatchRecord};
use serde::Serialize;
use session::Journal;
use std::borrow::Borrow;
use std::io::{self, Write};
use std::path::Path;
use store::{RunName, Store};
use views::{Paper, Script, Stored, Zone};

/// How a result is to be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    /// As one JSON document.
    pub(crate) json: bool,
    /// Where it is kept, if it is.
    pub(crate) kept: Option<(RunName, &'a Path)>,
    /// The place was named on the command line.
    pub(crate) place_named: bool,
    /// Where the result goes.
    pub(crate) screen: Screen,
    /// Everything, not only the answer and what speaks against it.
    pub(crate) verbose: bool,
    /// The user's hints on the target; `None` where no finding is reported.
    pub(crate) known: Option<&'a Known>,
    /// The notes that are stored with it.
    pub(crate) notes: &'a [Note],
}

impl Form<'_> {
    /// Of something that is nowhere kept.
    pub(crate) fn of_list(json: bool, environment: &Environment) -> Self {
        Form {
            json,
            kept: None,
            place_named: false,
            screen: environment.screen,
            verbose: false,
            known: None,
            notes: &[],
        }
    }
}

impl<'a> Form<'a> {
    /// Of a session that was measured, in the database where it is stored.
    pub(crate) fn of_session<S: Borrow<Store>>(
        json: bool,
        journal: &'a Journal<S>,
        keep: &KeepArgs,
        environment: &Environment,
    ) -> Self {
        Form {
            kept: keep::kept(journal.store(), journal.name()),
            place_named: keep.store.is_some(),
            ..Form::of_list(json, environment)
        }
    }

    fn paper(&self) -> Paper {
        Paper {
            zone: Zone::system(),
            stored: self.stored(),
            columns: self.screen.columns,
            verbose: self.verbose,
        }
    }

    /// Puts a result together; a page for a terminal has colours.
    fn written(self, view: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
        let result = written(view);
        match self.screen.colours && !self.json {
            true => views::coloured(&result),
            false => result,
        }
    }

    fn known(&self) -> Known {
        self.known.cloned().unwrap_or_default()
    }

    fn stored(&self) -> Option<Stored> {
        self.kept.map(|(name, path)| Stored {
            session: name.session.0,
            run: name.run,
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            named: self.place_named,
            notes: self.notes.to_vec(),
        })
    }
}

/// One run.
pub(crate) fn run(record: &RunRecord, form: Form<'_>) -> Vec<u8> {
    let report = analysis::run_report_knowing(record, &form.known());
    form.written(|out| match form.json {
        true => views::run_json(&report, form.stored().as_ref(), out),
        false => views::run_summary(&report, &form.paper(), out),
    })
}

/// The report of the ranks of a run on many hosts.
pub(crate) fn job_of(
    parts: &[JobPart<'_>],
    context: JobContext<'_>,
) -> Result<JobReport, CommandError> {
    analysis::job_report(parts, context).ok_or_else(|| CommandError::failed("no rank has a result"))
}

/// The same as a page or a document.
pub(crate) fn job(report: &JobReport, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::job_json(report, form.stored().as_ref(), out),
        false => views::job_summary(report, &form.paper(), out),
    })
}

/// A session of several results.
pub(crate) fn part(document: &PageDocument, form: Form<'_>) -> Vec<u8> {
    written(|out| views::part_summary(document, &form.paper(), out))
}

/// One run of another tool's.
pub(crate) fn imported_run(run: &ImportedRun, form: Form<'_>) -> Vec<u8> {
    let report = analysis::imported_report_knowing(run, &form.known());
    form.written(|out| match form.json {
        true => views::imported_json(&report, form.stored().as_ref(), out),
        false => views::imported_summary(&report, &form.paper(), out),
    })
}

/// The runs of one request that are nowhere named: one document of one run, or a list of them.
pub(crate) fn runs(records: &[&RunRecord]) -> Vec<u8> {
    let document = |record: &&RunRecord| {
        let report = analysis::run_report(record);
        written(|out| views::run_json(&report, None, out))
    };
    let documents: Vec<Vec<u8>> = records.iter().map(document).collect();
    match <[Vec<u8>; 1]>::try_from(documents) {
        Ok([one]) => one,
        Err(several) => [b"[\n".to_vec(), several.join(&b","[..]), b"]\n".to_vec()].concat(),
    }
}

/// How the steps of work with files are shown, where not as a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilesForm {
    /// fathom's own page.
    Summary,
    /// In the layout of bonnie++.
    Bonnie,
}

/// Steps of work with files.
pub(crate) fn files(records: &[FilesRecord], kind: FilesForm, form: Form<'_>) -> Vec<u8> {
    let report = analysis::files_report(records);
    form.written(|out| match (form.json, kind) {
        (true, _) => views::files_json(&report, form.stored().as_ref(), out),
        (false, FilesForm::Summary) => views::files_summary(&report, &form.paper(), out),
        (false, FilesForm::Bonnie) => tools::bonnie::files_bonnie(&report, out),
    })
}

/// What was seen of devices while they were watched, or the account of a program.
pub(crate) fn watch(records: &[&WatchRecord], form: Form<'_>) -> Vec<u8> {
    let audited = records.iter().find_map(|record| audit_report(record));
    if let Some(report) = audited {
        return form.written(|out| match form.json {
            true => views::audit_json(&report, form.stored().as_ref(), out),
            false => views::audit_summary(&report, &form.paper(), out),
        });
    }
    let reports = records.iter().map(|record| analysis::watch_report(record));
    let reports: Vec<WatchReport> = reports.collect();
    form.written(|out| match form.json {
        true => views::watch_json(&reports, form.stored().as_ref(), out),
        false => views::watch_summary(&reports, &form.paper(), out),
    })
}

/// What programs wait for.
pub(crate) fn triage(report: &TriageReport, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::triage_json(report, out),
        false => views::triage_summary(report, &form.paper(), out),
    })
}

/// What is to be put right before a target is measured.
pub(crate) fn preflight(report: &Preflight, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::preflight_json(report, out),
        false => views::preflight_summary(report, &form.paper(), out),
    })
}

/// The same of all hosts of a job.
pub(crate) fn hosts_preflight(report: &HostsPreflight, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::hosts_preflight_json(report, out),
        false => views::hosts_preflight_summary(report, &form.paper(), out),
    })
}

/// What a trace contains.
pub(crate) fn trace(name: &str, summary: &TraceSummary, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::trace_json(summary, out),
        false => views::trace_summary(name, summary, &form.paper(), out),
    })
}

/// What was learned.
pub(crate) fn learned(learned: &views::LearnedSummary) -> Vec<u8> {
    written(|out| views::learned_json(learned, out))
}

/// How like a trace is to an original.
pub(crate) fn fidelity(name: &str, found: &Fidelity, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::fidelity_json(found, out),
        false => views::fidelity_summary(name, found, &form.paper(), out),
    })
}

/// Explanations: the list of all, or one in full.
pub(crate) fn explanations(all: &[Explanation], is_list: bool, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match all {
        _ if form.json => views::explanations_json(all, out),
        [one] if !is_list => views::explanation_summary(one, &form.paper(), out),
        _ => views::explanations_summary(all, &form.paper(), out),
    })
}

/// What was not measured of them, a sentence each.
pub(crate) fn files_unmeasured(records: &[FilesRecord]) -> Vec<String> {
    tools::bonnie::unmeasured_words(&analysis::files_report(records))
}

/// A quick look, whole or not.
pub(crate) fn quick(
    runs: &[(String, RunRecord)],
    context: &LooksContext,
    form: Form<'_>,
) -> Vec<u8> {
    let report = analysis::quick_report(runs, context);
    form.written(|out| match form.json {
        true => views::look_json(&report, form.stored().as_ref(), out),
        false => views::quick_summary(&report, &form.paper(), out),
    })
}

/// Writes which of two is faster, whole or not.
pub(crate) fn ab(runs: &[(String, RunRecord)], context: &LooksContext, form: Form<'_>) -> Vec<u8> {
    let report = analysis::looks::ab_report(runs, context);
    form.written(|out| match form.json {
        true => views::look_json(&report, form.stored().as_ref(), out),
        false => views::ab_summary(&report, &form.paper(), out),
    })
}

/// Writes whether storage is fast enough, whole or not.
pub(crate) fn fit(runs: &[(String, RunRecord)], context: &LooksContext, form: Form<'_>) -> Vec<u8> {
    let report = analysis::looks::fit_report(runs, context);
    form.written(|out| match form.json {
        true => views::look_json(&report, form.stored().as_ref(), out),
        false => views::fit_summary(&report, &form.paper(), out),
    })
}

/// What layers cost, whole or not.
pub(crate) fn layers(
    runs: &[(String, RunRecord)],
    context: &LooksContext,
    form: Form<'_>,
) -> Vec<u8> {
    let report = analysis::layers_report(runs, context);
    form.written(|out| match form.json {
        true => views::look_json(&report, form.stored().as_ref(), out),
        false => views::layers_summary(&report, &form.paper(), out),
    })
}

/// What was copied.
pub(crate) fn copy_digest(records: &[FilesRecord]) -> Option<analysis::CopyDigest> {
    analysis::files_report(records).work.copy
}

/// dd's own last lines.
pub(crate) fn copy_lines(records: &[FilesRecord], counts: bool, transfer: bool) -> Vec<String> {
    copy_digest(records).map_or_else(Vec::new, |copy| {
        tools::dd::copy_lines(&copy, counts, transfer)
    })
}

/// dd's line meanwhile.
pub(crate) fn copy_progress(bytes: model::Bytes, elapsed: model::Nanos) -> String {
    let seconds = elapsed.as_seconds().max(1e-9);
    let copy = analysis::CopyDigest {
        copied_bytes: bytes.0,
        elapsed_ns: elapsed.0,
        bytes_per_s: bytes.0 as f64 / seconds,
        ..analysis::CopyDigest::default()
    };
    tools::dd::copy_lines(&copy, false, true).concat()
}

/// A survey, whole or not.
pub(crate) fn survey(
    cells: &[(String, RunRecord)],
    context: &SurveyContext,
    form: Form<'_>,
) -> Vec<u8> {
    let report = analysis::survey_report_knowing(cells, context, &form.known());
    form.written(|out| match form.json {
        true => views::survey_json(&report, form.stored().as_ref(), out),
        false => views::survey_summary(&report, &form.paper(), out),
    })
}

/// Whether a run reaches its goals; what it misses is reported.
pub(crate) fn goals_of_run(record: &RunRecord, known: &Known) -> Ending {
    match known.goals.is_empty() {
        true => Ending::Good,
        false => goals(&analysis::run_report_knowing(record, known).goals),
    }
}

/// The same of a survey.
pub(crate) fn goals_of_survey(
    cells: &[(String, RunRecord)],
    context: &SurveyContext,
    known: &Known,
) -> Ending {
    match known.goals.is_empty() {
        true => Ending::Good,
        false => goals(
            &analysis::survey_report_knowing(cells, context, known)
                .remarks
                .goals,
        ),
    }
}

/// The same of a sweep, and whether what its runs read is what was written.
pub(crate) fn goals_of_sweep(cells: &[SweepCell], context: &SweepContext, known: &Known) -> Ending {
    let data = Ending::of_data(cells.iter().any(SweepCell::is_corrupt));
    goals(&analysis::sweep_report_knowing(cells, context, known).goals).and(data)
}

fn goals(goals: &[GoalReport]) -> Ending {
    let missed = goals.iter().filter(|goal| !goal.met);
    missed.fold(Ending::Good, |_, goal| {
        output::tell(&format!("goal missed: {}: {}", goal.goal, goal.sentence));
        Ending::Denied
    })
}

/// A sweep, whole or not.
pub(crate) fn sweep(cells: &[SweepCell], context: &SweepContext, form: Form<'_>) -> Vec<u8> {
    let report = analysis::sweep_report_knowing(cells, context, &form.known());
    form.written(|out| match form.json {
        true => views::sweep_json(&report, form.stored().as_ref(), out),
        false => views::sweep_summary(&report, &form.paper(), out),
    })
}

/// A test of SNIA's PTS, whole or not.
pub(crate) fn pts(report: &PtsReport, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::pts_json(report, form.stored().as_ref(), out),
        false => views::pts_summary(report, &form.paper(), out),
    })
}

/// What such a test will do.
pub(crate) fn pts_forecast(forecast: &PtsForecast, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::pts_forecast_json(forecast, out),
        false => views::pts_forecast(forecast, &form.paper(), out),
    })
}

/// Findings on all runs of a session together.
pub(crate) fn findings(findings: &[Finding], form: Form<'_>) -> Vec<u8> {
    form.written(|out| views::findings_summary(findings, &form.paper(), out))
}

/// Two sides compared with each other.
pub(crate) fn compare(report: &CompareReport, form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::compare_json(report, out),
        false => views::compare_summary(report, &form.paper(), out),
    })
}

/// The notes of sessions and results.
pub(crate) fn notes(noted: &[Stored], form: Form<'_>) -> Vec<u8> {
    form.written(|out| match form.json {
        true => views::notes_json(noted, out),
        false => views::notes_summary(noted, &form.paper(), out),
    })
}

/// What a sweep will do.
pub(crate) fn sweep_forecast(forecast: &SweepForecast, json: bool, screen: Screen) -> Vec<u8> {
    let form = Form {
        screen,
        ..Form::of_list(json, &Environment::default())
    };
    form.written(|out| match json {
        true => views::sweep_forecast_json(forecast, out),
        false => views::sweep_forecast(forecast, &form.paper(), out),
    })
}

/// A sweep for elsewhere.
pub(crate) fn script(script: &Script) -> Vec<u8> {
    written(|out| script.write(out))
}

/// The day where the reader is, as names of files have it.
pub(crate) fn today(utc: model::Nanos) -> String {
    views::local_day(utc.0, &Zone::system())
}

/// A document of `cli` itself, ending in a newline.
fn document(content: &impl Serialize) -> Vec<u8> {
    written(|out| views::versioned_json(content, out))
}

/// A result is put together in memory, so that it goes out whole or not at all.
pub(crate) fn written(view: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    view(&mut bytes).expect("memory takes every byte, and a report has only text keys");
    bytes
}

/// A page, whole.
pub(crate) fn page(document: &PageDocument) -> Vec<u8> {
    written(|out| views::page_html(document, out))
}

/// The data of a page.
pub(crate) fn page_document(page: &PageDocument) -> Vec<u8> {
    written(|out| views::pretty_json(page, out))
}

/// The index of all sessions, whole.
pub(crate) fn history_page(history: &History) -> Vec<u8> {
    written(|out| views::history_html(history, &Zone::system(), out))
}

/// The data of that index.
pub(crate) fn history_document(history: &History) -> Vec<u8> {
    written(|out| views::versioned_json(history, out))
}

/// What stands in the page, and where that is.
pub(crate) fn page_written(to: &Path, bytes: u64, headlines: &[String], form: Form<'_>) -> Vec<u8> {
    let paper = form.paper();
    let mut lines = headlines
        .iter()
        .flat_map(|headline| views::wrapped("", headline, &paper));
    form.written(|out| {
        lines.try_for_each(|line| writeln!(out, "{line}"))?;
        let to = to.display().to_string();
        let size = analysis::say::bytes(bytes);
        writeln!(out, "HTML report: {} ({size})", views::printable(&to))
    })
}
