//! The results, where they were asked for: on standard output, and in the files of `--text`, `--xml` and `--json`.
//!
//! Deliberately absent: whether a file may be written, and how; that is the same for all dialects (`dialect`).

use super::Asked;
use crate::commands::VERSION;
use crate::commands::dialect::{self, ResultFile, is_report, text_of, write_whole};
use crate::{output, report};
use model::{CommandError, HostRecord, Nanos, RunRecord};
use std::path::Path;
use tools::diskspd::figures::system;
use tools::diskspd::{DiskspdResults, ResultFormat, diskspd_text, diskspd_xml};

/// So much of a profile is read: one byte more than the dialect takes, so that it reports the error.
const PROFILE_MAX: u64 = (64 << 20) + 1;

/// What was measured, ready to be shown.
pub(super) struct Pages<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) host: &'a HostRecord,
    pub(super) started_utc: Nanos,
    /// One a time span that ran, in order.
    pub(super) records: &'a [RunRecord],
}

/// The forms of a result, each with its switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Xml,
    Json,
}

fn files<'a>(asked: &'a Asked) -> impl Iterator<Item = (Form, ResultFile<'a>)> {
    let extra = asked.extra;
    let is_text: fn(&[u8]) -> bool = |start| start.starts_with(b"\nCommand Line: ");
    let is_xml: fn(&[u8]) -> bool = |start| start.starts_with(b"<Results>");
    let all = [
        (Form::Text, "--text", extra.text.as_ref(), is_text),
        (Form::Xml, "--xml", extra.xml.as_ref(), is_xml),
        (Form::Json, "--json", extra.json.as_ref(), is_report),
    ];
    all.into_iter().filter_map(|(form, switch, path, is_one)| {
        let path = path?;
        Some((
            form,
            ResultFile {
                switch,
                path,
                is_one,
                word: match form {
                    Form::Text => None,
                    Form::Xml => Some("<Implementation>fathom "),
                    Form::Json => Some("\"schema_version\""),
                },
            },
        ))
    })
}

/// Whether the files of the results may be written, before anything is measured.
pub(super) fn check_files(asked: &Asked, store: Option<&Path>) -> Result<(), CommandError> {
    let spans = asked.profile.time_spans.iter();
    let targets: Vec<&Path> = spans
        .flat_map(|span| &span.targets)
        .map(|target| Path::new(&target.path))
        .collect();
    let files: Vec<ResultFile> = files(asked).map(|(_, file)| file).collect();
    dialect::check_files(&files, &targets, store)
}

impl Pages<'_> {
    /// Shows all that was asked for; whether that could be done.
    pub(super) fn show(&self) -> bool {
        let form = match self.asked.profile.result_format {
            ResultFormat::Text => Form::Text,
            ResultFormat::Xml => Form::Xml,
        };
        let mut good = true;
        if let Err(failure) = output::print(&self.bytes(form)) {
            crate::failure::say(&failure);
            good = false;
        }
        for (form, file) in files(self.asked) {
            good &= write_whole(&file, &self.bytes(form));
        }
        good
    }

    fn bytes(&self, form: Form) -> Vec<u8> {
        let records: Vec<&RunRecord> = self.records.iter().collect();
        let results = || {
            DiskspdResults::of(
                self.asked.profile,
                self.asked.echo,
                self.asked.extra.compat,
                system(self.host, self.started_utc, VERSION),
                &records,
            )
        };
        match form {
            Form::Text => report::written(|out| diskspd_text(&results(), out)),
            Form::Xml => report::written(|out| diskspd_xml(&results(), out)),
            Form::Json => report::runs(&records),
        }
    }
}

/// The text of a profile, or the system's error.
pub(super) fn profile_text(path: &Path) -> Result<String, String> {
    text_of(path, PROFILE_MAX)
}

/// As the original prints it; next to a document, if it does not break it.
pub(super) fn tell_interrupted(document: bool) {
    const WORDS: &str = "\n*** Interrupted by Ctrl-C. Stopping I/O Request Generator. ***\n";
    if document {
        output::tell(WORDS.trim());
    } else {
        let _ = output::print(WORDS.as_bytes()); // a closed output is no failure here
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::dialect::stored;
    use expect_test::expect_file;
    use tools::diskspd::{self, Action, Environment};

    /// The page with each percentile of a latency on one line.
    fn in_a_line(page: &str) -> String {
        let mut text = String::new();
        let mut joined = false;
        for line in page.split_inclusive('\n') {
            joined |= line.trim() == "<Bucket>";
            text += if joined { line.trim() } else { line };
            if joined && line.trim() == "</Bucket>" {
                text += "\n";
                joined = false;
            }
        }
        text
    }

    #[test]
    fn stored_runs_are_printed_as_text_and_xml() {
        let mut text = String::new();
        for line in stored::lines("diskspd") {
            let read = |name: &str| Ok(stored::input(&format!("net/{name}")));
            let surroundings = Environment {
                read: &read,
                ..Environment::BARE
            };
            let request = diskspd::parse(&line.args, &surroundings).unwrap();
            let Action::Run(profile) = &request.action else {
                panic!("{:?}", line.args);
            };
            let records = line.records();
            let asked = Asked {
                profile,
                extra: &request.extra,
                events: &request.events,
                notes: &request.notes,
                echo: "diskspd",
                args: &line.args,
            };
            let pages = Pages {
                asked: &asked,
                host: &records[0].host,
                started_utc: records[0].started_utc,
                records: &records,
            };
            for (name, form) in [("text", Form::Text), ("XML", Form::Xml)] {
                text += &line.head(name);
                text += &in_a_line(&String::from_utf8(pages.bytes(form)).unwrap());
            }
        }
        expect_file!["../../../tests/net/tools/diskspd.txt"].assert_eq(&text);
    }
}
