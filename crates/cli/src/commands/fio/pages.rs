//! What one request prints: results so far, as often as `--status-interval` asks, and the results at the end.
//!
//! A file of results is written whole each time, so that it has all that was printed. Omitted: the layouts (`tools::fio`).

use super::session::{as_fio, text};
use crate::commands::dialect::{ResultFile, write_whole};
use crate::environment::Environment;
use crate::output;
use model::{CommandError, RunRecord};
use std::sync::{Mutex, PoisonError};
use tools::fio::{Built, Form};

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
    /// Prints the results so far. A failure is reported with those at the end.
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
            Some(file) => {
                all.extend(page);
                write_whole(file, all);
            }
            None => drop(output::print(&page)),
        }
    }

    /// Prints the results. Returns whether they are where they were to go.
    ///
    /// # Errors
    /// They could not be printed.
    pub(super) fn end(self, records: &[RunRecord]) -> Result<bool, CommandError> {
        let printed = self.printed.into_inner();
        let printed = printed.unwrap_or_else(PoisonError::into_inner);
        let head = printed.is_none();
        let last = self.forms.iter().flat_map(|form| match form {
            Form::Text => text(self.titles, records, self.environment),
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
