//! What one request prints: results so far, as often as `--status-interval` asks, and the results at the end.
//!
//! A file of results is written whole each time, so that it has all that was printed. Omitted: the layouts (`tools::fio`).

use crate::commands::VERSION;
use crate::commands::dialect::{Ran, ResultFile, titled, write_whole};
use crate::environment::Environment;
use crate::{output, report};
use model::{CommandError, RunRecord};
use std::sync::{Mutex, PoisonError};
use tools::fio::figures::{Job, disks, jobs};
use tools::fio::{Built, FioResults, Form, JobPart, fio_json, fio_normal, fio_terse};
use views::Zone;

/// The results of a request and where they go.
pub(super) struct Pages<'a> {
    pub(super) built: &'a Built,
    pub(super) notes: &'a [String],
    pub(super) titles: &'a [String],
    pub(super) forms: &'a [Form],
    /// Where they go instead of standard output.
    pub(super) file: Option<&'a ResultFile<'a>>,
    /// They are not kept.
    pub(super) nowhere: bool,
    pub(super) environment: &'a Environment,
    /// What was printed while the runs went on; none before the first.
    pub(super) printed: Mutex<Option<Vec<u8>>>,
}

impl Pages<'_> {
    /// Prints the results so far; those for a file are written to it with the last ones, because each time all of it would be
    /// written again, perhaps to the device that is measured.
    pub(super) fn show(&self, records: &[RunRecord]) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let head = printed.is_none();
        let forms = self.forms.iter();
        let page: Vec<u8> = forms
            .flat_map(|form| {
                let form = match form {
                    Form::Text => Form::Normal,
                    form => *form,
                };
                as_fio(self.built, self.notes, records, form, head)
            })
            .collect();
        let all = printed.get_or_insert_default();
        match self.file {
            _ if self.nowhere => {}
            Some(_) => all.extend(page),
            None => drop(output::print(&page)), // a failure is reported with those at the end
        }
    }

    /// Prints the results. Returns whether they are where they were to go.
    ///
    /// # Errors
    /// They could not be printed.
    pub(super) fn end(self, ran: &Ran) -> Result<bool, CommandError> {
        let records = &ran.records;
        let printed = self.printed.into_inner();
        let printed = printed.unwrap_or_else(PoisonError::into_inner);
        let head = printed.is_none();
        let last = self.forms.iter().flat_map(|form| match form {
            Form::Text => titled(self.titles, ran.reports(self.environment)),
            form => as_fio(self.built, self.notes, records, *form, head),
        });
        let page: Vec<u8> = printed.into_iter().flatten().chain(last).collect();
        match self.file {
            _ if self.nowhere => Ok(true),
            Some(file) if write_whole(file, &page) => Ok(true),
            // What was measured is not lost with its place.
            refused => output::print(&page).map(|()| refused.is_none()),
        }
    }
}

fn as_fio(
    built: &Built,
    notes: &[String],
    records: &[RunRecord],
    form: Form,
    head: bool,
) -> Vec<u8> {
    let with_jobs = |part: &'_ JobPart| -> Option<Vec<Job>> {
        let record = records.get(part.span)?;
        Some(jobs(record, &part.targets, part.grouped, &part.reporting))
    };
    let parts: Vec<(&JobPart, Vec<Job>)> = built
        .parts
        .iter()
        .filter_map(|part| Some((part, with_jobs(part)?)))
        .collect();
    let with_disks = parts.iter().any(|(part, _)| part.reporting.disks);
    let windows = records.iter().map(|record| &record.window);
    let windows: Vec<_> = windows.filter(|_| with_disks).collect();
    let last = records
        .last()
        .map_or(0, |record| record.started_utc.0 + record.phases.drained.0);
    report::written(|out| {
        let results = FioResults {
            version: VERSION,
            ended_utc_ns: last,
            ended_text: &views::write_time(last, &Zone::utc()),
            globals: &built.globals,
            notes,
            parts: &parts,
            disks: &disks(&windows),
            head,
            bins: form == Form::JsonPlus,
        };
        match form {
            Form::Terse(version) => fio_terse(&results, version, out),
            Form::Normal => fio_normal(&results, out),
            Form::Json | Form::JsonPlus | Form::Text => fio_json(&results, out),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::dialect::stored;
    use expect_test::expect_file;
    use tools::fio;

    #[test]
    fn stored_runs_are_printed_as_json() {
        let mut text = String::new();
        for line in stored::lines("fio") {
            let read = |name: &str| Ok(stored::input(&format!("it/jobs/{name}")));
            let surroundings = fio::Environment {
                read: &read,
                ..fio::Environment::BARE
            };
            let request = fio::parse(&line.args, &surroundings).unwrap();
            let built = fio::build(&request, &|_| None).unwrap();
            text += &line.head("JSON");
            let page = as_fio(&built, &[], &line.records(), Form::Json, true);
            let document = serde_json::from_slice(&page).unwrap();
            text += &stored::json_lines::json_lines(&document, 140);
            text += "\n";
        }
        expect_file!["../../../tests/net/tools/fio.txt"].assert_eq(&text);
    }
}
