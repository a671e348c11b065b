//! What an import brought: the answer in a few lines, and the document.

use super::Form;
use analysis::{Finding, Validity};
use model::{ImportFormat, ImportedRun};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};
use views::printable;

/// What an import brought.
#[derive(Debug, Serialize)]
pub(crate) struct Imported {
    /// How many runs were imported; with a dry run, would be.
    pub(crate) imported_runs: usize,
    /// Nothing was kept.
    pub(crate) dry_run: bool,
    /// Number of the session that contains them; none if nothing was stored.
    pub(crate) session: Option<u64>,
    /// The store's file; none if nothing was stored.
    pub(crate) store: Option<String>,
    /// Each file, as it was named.
    pub(crate) files: Vec<ImportedFile>,
    /// Whether each of the first runs may be used, and why or why not.
    pub(crate) verdicts: Vec<RunVerdict>,
    /// The runs, in the order of the session, without their text.
    #[serde(serialize_with = "runs")]
    pub(crate) runs: Vec<Source>,
    /// Findings: one run by itself, several together.
    pub(crate) findings: Vec<Finding>,
}

/// Whether a run may be used.
#[derive(Debug, Serialize)]
pub(crate) struct RunVerdict {
    /// What the run is called in its file.
    pub(crate) name: Option<String>,
    /// How far it may be used.
    pub(crate) validity: Validity,
    /// The verdict line.
    pub(crate) sentence: String,
}

/// What a file brought.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ImportedFile {
    /// Its name, as it was given.
    pub(crate) file: String,
    /// Runs in it that were imported, by what they were read as.
    pub(crate) runs: BTreeMap<&'static str, usize>,
    /// What looked like a run and could not be kept: the first thousand.
    pub(crate) broken: Vec<BrokenRun>,
    /// How many there are.
    pub(crate) broken_count: usize,
    /// What a person should know about the file.
    pub(crate) notes: Vec<String>,
    /// Why nothing of it was imported, where that is so.
    pub(crate) refused: Option<String>,
    /// The session that contains it already, and why it was omitted.
    pub(crate) already_in_session: Option<u64>,
    /// Of another results database: the sessions that its own became; with a dry run, its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sessions: Vec<u64>,
}

/// A file that runs are read from.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its name for the record.
    pub(crate) name: String,
    /// What is in it.
    pub(crate) bytes: Vec<u8>,
}

impl Source {
    /// Hands on its runs, one by one.
    pub(crate) fn each_run(&self, take: &mut dyn FnMut(ImportedRun)) {
        // It was read before, or it would not be here.
        let _ = tools::imports::read_each(&self.name, &self.bytes, take);
    }
}

/// The runs of the sources without their text, one by one.
fn runs<S: Serializer>(sources: &[Source], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(None)?;
    let mut failed = None;
    for source in sources {
        source.each_run(&mut |mut run| {
            run.text = String::new();
            if failed.is_none() {
                failed = list.serialize_element(&run).err();
            }
        });
    }
    match failed {
        Some(error) => Err(error),
        None => list.end(),
    }
}

/// A run that could not be kept.
#[derive(Debug, Serialize)]
pub(crate) struct BrokenRun {
    /// From 1.
    pub(crate) line: u32,
    /// What it was read as.
    pub(crate) format: ImportFormat,
    /// What was read, and what was expected.
    pub(crate) what: String,
}

impl ImportedFile {
    fn count(&self) -> usize {
        self.runs.values().sum()
    }

    /// Whether something in it was not imported, other than what is there already.
    pub(crate) fn has_losses(&self) -> bool {
        self.refused.is_some() || !self.broken.is_empty()
    }
}

/// The document, written as it grows: it is many times larger than what was read.
pub(crate) fn imported_document(what: &Imported, out: &mut dyn Write) -> io::Result<()> {
    views::versioned_json(what, out)
}

/// What was brought, and the answer: `page` is what `fathom show` prints of it; none of very many runs.
pub(crate) fn imported(what: &Imported, page: Option<&[u8]>, form: Form<'_>) -> Vec<u8> {
    let findings = super::findings(&what.findings, form);
    form.written(|out| text(what, page, form, &findings, out))
}

/// `findings` are before the last line, which names the command for more.
fn text(
    what: &Imported,
    page: Option<&[u8]>,
    form: Form<'_>,
    findings: &[u8],
    out: &mut dyn Write,
) -> io::Result<()> {
    const FILES_MAX: usize = 20;
    let runs = counted(what.imported_runs, "run");
    let brought: Vec<&ImportedFile> = what.files.iter().filter(|file| file.count() > 0).collect();
    let from = match brought.as_slice() {
        [] => "nothing new".to_owned(),
        [one] => printable(&one.file),
        several => counted(several.len(), "file"),
    };
    let copied = sessions(what, out)?;
    match (brought.is_empty(), what.dry_run, what.session) {
        (true, ..) if copied => {}
        (true, ..) => writeln!(out, "imported nothing")?,
        (false, true, _) => writeln!(out, "would import {runs} from {from}; nothing was stored")?,
        (false, false, Some(session)) => {
            writeln!(out, "imported {runs} from {from} as session {session}")?;
        }
        (false, false, None) => writeln!(out, "imported {runs} from {from}")?,
    }
    for file in brought.iter().take(FILES_MAX) {
        let kinds = file.runs.iter();
        let kinds: Vec<String> = kinds
            .map(|(kind, count)| format!("{} of {kind}", counted(*count, "run")))
            .collect();
        writeln!(out, "  {}: {}", printable(&file.file), kinds.join(", "))?;
    }
    if brought.len() > FILES_MAX {
        writeln!(out, "  and {} more files", brought.len() - FILES_MAX)?;
    }
    let losses: usize = what.files.iter().map(|file| file.broken_count).sum();
    if losses > 0 {
        writeln!(
            out,
            "  omitted: {}, named above with their lines",
            counted(losses, "broken run")
        )?;
    }
    if let Some(page) = page {
        writeln!(out)?;
        out.write_all(page)?;
        return match what.imported_runs {
            1 => Ok(()), // its findings are on its page
            _ => out.write_all(findings),
        };
    }
    verdicts(what, form, out)?;
    out.write_all(findings)?;
    let Some(session) = what.session else {
        return Ok(());
    };
    if what.imported_runs == 1 {
        writeln!(out, "show it: fathom show {session}")
    } else {
        writeln!(
            out,
            "show them: fathom table {session}; one of them: fathom show {session}.1"
        )
    }
}

/// The sessions of other results databases. Returns whether there are any.
fn sessions(what: &Imported, out: &mut dyn Write) -> io::Result<bool> {
    let mut copied = false;
    for file in what.files.iter().filter(|file| !file.sessions.is_empty()) {
        copied = true;
        let (name, count) = (
            printable(&file.file),
            counted(file.sessions.len(), "session"),
        );
        let numbers: Vec<String> = file.sessions.iter().map(u64::to_string).collect();
        match what.dry_run {
            true => writeln!(out, "would import {count} from {name}; nothing was stored")?,
            false => writeln!(
                out,
                "imported {count} from {name} as {}",
                numbers.join(", ")
            )?,
        }
        if let ([number], false) = (file.sessions.as_slice(), what.dry_run) {
            writeln!(out, "show it: fathom show {number}")?;
        }
    }
    Ok(copied)
}

/// The verdict of each run, the worst first, equal ones once. Of one run it is the line alone.
fn verdicts(what: &Imported, form: Form<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    let mut all: Vec<(usize, &RunVerdict)> = what.verdicts.iter().enumerate().collect();
    all.sort_by_key(|(_, verdict)| std::cmp::Reverse(verdict.validity)); // stable
    let paper = form.paper();
    let mut put = |first: &str, line: &str| -> io::Result<()> {
        let mut lines = views::wrapped(first, line, &paper).into_iter();
        lines.try_for_each(|line| writeln!(out, "{line}"))
    };
    for (place, verdict) in all {
        let name = verdict
            .name
            .as_deref()
            .map(|name| format!(" ({})", printable(name)));
        let who = format!("{}{}", place + 1, name.unwrap_or_default());
        match lines.iter_mut().find(|(line, _)| *line == verdict.sentence) {
            Some((_, of)) => of.push(who),
            None => lines.push((&verdict.sentence, vec![who])),
        }
    }
    for (line, of) in lines {
        put("", &printable(line))?;
        if what.imported_runs > 1 {
            put("  run ", &of.join(", "))?;
        }
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    analysis::say::counted(count as u64, what)
}
