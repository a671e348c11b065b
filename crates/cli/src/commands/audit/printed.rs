//! Figures that a command printed: in a file that `--result` names, in one that an option of the command names, or on its standard
//! output with `--tee`. Only what it wrote while it ran is read.

use crate::args::AuditArgs;
use crate::commands::import::bytes_of;
use host::TakeOutput;
use model::ImportedRun;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Runs that are kept.
const RUNS_MAX: usize = 24;
/// Output that is kept; the rest is passed on.
const OUTPUT_BYTES_MAX: usize = 32 << 20;
/// Options of commands that name their output. Source: fio(1), sysbench(1), elbencho.
const OPTIONS: [&str; 3] = ["--output", "-o", "--csvfile"];

/// Files in which figures may be, as they were before.
pub(super) struct Printed {
    named: Option<Candidate>,
    found: Vec<Candidate>,
}

struct Candidate {
    path: PathBuf,
    before: Option<(u64, SystemTime)>,
}

impl Candidate {
    fn of(path: PathBuf) -> Candidate {
        Candidate {
            before: state(&path),
            path,
        }
    }

    /// Reads the file if it was written since.
    fn read(&self) -> Result<Vec<ImportedRun>, String> {
        match state(&self.path) {
            None => Err("it is no file".to_owned()),
            now if now == self.before => Err("the command did not write it".to_owned()),
            Some(_) => runs_of(&self.path.to_string_lossy(), &bytes_of(&self.path)?),
        }
    }
}

fn state(path: &Path) -> Option<(u64, SystemTime)> {
    let facts = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((facts.len(), facts.modified().ok()?))
}

fn runs_of(name: &str, bytes: &[u8]) -> Result<Vec<ImportedRun>, String> {
    let found = tools::imports::read(name, bytes).map_err(|error| error.to_string())?;
    let runs = found.runs.into_iter().take(RUNS_MAX);
    let runs = runs.map(|run| ImportedRun {
        text: String::new(),
        ..run
    });
    Ok(runs.collect())
}

impl Printed {
    /// Reads the state of the files before the command starts.
    pub(super) fn before(args: &AuditArgs) -> Printed {
        let mut words = args.command.iter().map(|word| word.to_string_lossy());
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            let (option, value) = word.split_once('=').unwrap_or((&word, ""));
            if OPTIONS.contains(&option) {
                let value = Some(value.to_owned()).filter(|value| !value.is_empty());
                let value = value.or_else(|| words.next().map(Cow::into_owned));
                found.extend(value.map(|path| Candidate::of(path.into())));
            }
        }
        Printed {
            named: args.result.clone().map(Candidate::of),
            found,
        }
    }

    /// Reads the figures after the command has ended. Why there are none where they were requested is a note.
    pub(super) fn after(&self, tee: &Tee, notes: &mut Vec<String>) -> Vec<ImportedRun> {
        if let Some(named) = &self.named {
            match named.read() {
                Ok(runs) => return runs,
                Err(why) => notes.push(format!("{}: no figures: {why}", named.path.display())),
            }
        }
        let mut written = self.found.iter().filter_map(|one| one.read().ok());
        if let Some(runs) = written.find(|runs| !runs.is_empty()) {
            return runs;
        }
        let output = tee.0.lock().unwrap_or_else(PoisonError::into_inner);
        match runs_of("-", &output) {
            Ok(runs) => runs,
            Err(why) if !output.is_empty() => {
                notes.push(format!("standard output: no figures: {why}"));
                Vec::new()
            }
            Err(_) => Vec::new(),
        }
    }
}

/// What was read of standard output.
#[derive(Clone, Default)]
pub(super) struct Tee(Arc<Mutex<Vec<u8>>>);

impl Tee {
    /// Returns what passes each part on and keeps it.
    pub(super) fn take(&self) -> TakeOutput {
        let kept = Arc::clone(&self.0);
        Box::new(move |part| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let room = OUTPUT_BYTES_MAX.saturating_sub(kept.len());
            kept.extend_from_slice(&part[..part.len().min(room)]);
            drop(kept);
            let mut out = io::stdout().lock();
            out.write_all(part).and_then(|()| out.flush()).is_ok()
        })
    }
}
