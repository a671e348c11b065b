//! `fathom import`: results of other tools onto the database. Each run is kept as it is read, all of them in one session.
//!
//! What can be read is imported even if something next to it cannot; that is reported with its file and line. A file
//! that is in the database already is recognised by its content and omitted. Of another results database each session is copied
//! as it is.

use super::command_line;
use crate::args;
use crate::args::ImportArgs;
use crate::commands::answer;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::kinds::separate::{IMPORT, PART_MAX};
use crate::report::{BrokenRun, Form, Imported, ImportedFile, RunVerdict, Source};
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{keep, output, report};
use analysis::{Finding, Known, Observed, imported_report_knowing, session_findings};
use gate::Input;
use host::Root;
use model::{Bytes, CommandError, ImportedRun};
use session::clock;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use store::{NewSession, RunName, SessionId, SessionOutcome, Store};
use tools::imports::{LENGTH_MAX, readers};

/// The row of `fathom import`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<ImportArgs>(
    "import",
    Group::OtherTools,
    "Import results of DISKSPD, SQLIO, fio, IOmeter, dd, bonnie++ and a dozen others, to \
     compare them with fathom's own",
    |words, environment| import(&parsed(words)?, environment),
)
.after_help(|| args::import::read().into())
.often();

/// Standard input, among the files.
const STDIN: &str = "-";
/// What a reader may take at most, as a multiple of the length of its file.
const MEMORY_PER_BYTE: u64 = 8;

/// Reads the files, stores their runs, reports them.
pub(crate) fn import(args: &ImportArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let known = args.known.read()?;
    if !args.known.goal.is_empty() {
        return Err(CommandError::refused(
            "--goal is for one result: import first, then fathom show ID --goal or fathom note ID --goal",
        ));
    }
    let store = store_of(args, environment)?;
    let mut gathered = Gathered {
        known,
        ..Gathered::default()
    };
    gathered.all(args, store.as_ref())?;
    let session = match &store {
        Some(store) if !args.dry_run && !gathered.fingerprints.is_empty() => {
            keep_them(store, args, &mut gathered)?
        }
        _ => {
            gathered.read(&mut |_| ());
            None
        }
    };
    gathered.files.iter().for_each(tell);
    let ending = gathered.ending()?;
    let store_path = session
        .and(store.as_ref())
        .map(|store| store.path().display().to_string());
    let findings = gathered.findings();
    let form = Form {
        known: Some(&gathered.known),
        kept: session.zip(store.as_ref()).map(|(session, store)| {
            let name = RunName { session, run: None };
            (name, store.path())
        }),
        place_named: args.store.store.is_some(),
        ..Form::of_list(args.json, environment)
    };
    let page = gathered.page(session.zip(store.as_ref()), form)?;
    let what = Imported {
        imported_runs: gathered.runs,
        dry_run: args.dry_run,
        session: session.map(|session| session.0),
        store: store_path,
        files: gathered.files,
        verdicts: gathered.verdicts,
        runs: gathered
            .sources
            .into_iter()
            .map(|(_, source)| source)
            .collect(),
        findings,
    };
    if args.json {
        output::stream(&mut |out| report::imported_document(&what, out))?;
    } else {
        let form = Form::of_list(false, environment);
        output::print(&report::imported(&what, page.as_deref(), form))?;
    }
    Ok(ending)
}

/// Opens the results database that the runs go into. A trial makes none, but knows what is in one.
fn store_of(args: &ImportArgs, environment: &Environment) -> Result<Option<Store>, CommandError> {
    let place = environment.store_place(args.store.store.as_ref());
    match (args.dry_run, &place) {
        (true, Some(place)) if place.path().exists() => {
            keep::look(args.store.store.as_ref(), environment)
        }
        (true, _) => Ok(None),
        (false, Some(_)) => keep::open(place.as_ref()),
        (false, None) => Err(CommandError::refused(keep::NOWHERE_TO_KEEP)),
    }
}

/// Most runs that are looked at together.
const TOGETHER_MAX: usize = 10_000;

/// Runs whose verdict is shown at once; `fathom show` has that of each.
const VERDICTS_MAX: usize = 20;
/// What is longer goes into the database without its log: that takes two more flushes, and saves writing all of it twice.
const LOG_BYTES_MAX: usize = 4 << 20;

/// Content of the files, so far.
#[derive(Default)]
struct Gathered {
    /// The user's hints on the target.
    known: Known,
    files: Vec<ImportedFile>,
    /// What of them the runs are read from, by the number of the file. A document reads them again: they are many times
    /// larger than their text.
    sources: Vec<(usize, Source)>,
    runs: usize,
    first: Option<ImportedRun>,
    /// Of the first [`VERDICTS_MAX`].
    verdicts: Vec<RunVerdict>,
    /// The first [`TOGETHER_MAX`].
    observed: Vec<Observed>,
    /// Of the sources.
    fingerprints: Vec<String>,
}

impl Gathered {
    /// Reads all files; `store` is where their runs go.
    fn all(&mut self, args: &ImportArgs, store: Option<&Store>) -> Result<(), CommandError> {
        for path in &args.files {
            if is_database(path) {
                let other = || Store::look(path);
                self.files.push(sessions_of(path, &other, store, args));
                continue;
            }
            match bytes_of(path) {
                Ok(document) if store::is_portable(&document) => {
                    let other = || Store::of_portable(path, &document);
                    self.files.push(sessions_of(path, &other, store, args));
                }
                bytes => self.file(path, bytes, store.filter(|_| !args.again))?,
            }
        }
        Ok(())
    }

    /// What `fathom show` prints of the only run, or of the session as it was stored; none of many.
    fn page(
        &self,
        kept: Option<(SessionId, &Store)>,
        form: Form<'_>,
    ) -> Result<Option<Vec<u8>>, CommandError> {
        Ok(match (&self.first, kept) {
            _ if form.json => None,
            (Some(only), _) if self.runs == 1 => Some(report::imported_run(only, form)),
            (_, Some((session, store))) if self.runs <= PART_MAX => {
                Some(report::part(&answer::document(store, session)?, form))
            }
            _ => None,
        })
    }

    /// Takes one file. `known` is where to look whether it was imported before.
    fn file(
        &mut self,
        path: &Path,
        bytes: Result<Vec<u8>, String>,
        known: Option<&Store>,
    ) -> Result<(), CommandError> {
        let mut file = ImportedFile {
            file: path.to_string_lossy().into_owned(),
            ..ImportedFile::default()
        };
        match bytes {
            Err(why) => file.refused = Some(why),
            Ok(bytes) => {
                let fingerprint = tools::imports::fingerprint(&bytes);
                let session = match known {
                    Some(store) => store
                        .find_import(&fingerprint)
                        .map_err(CommandError::failed)?,
                    None => None,
                };
                if let Some(session) = session {
                    file.already_in_session = Some(session.0);
                } else if self.fingerprints.contains(&fingerprint) {
                    file.notes.push(
                        "its content equals that of a file before it, so it is omitted".to_owned(),
                    );
                } else {
                    let name = path.file_name().filter(|_| path != Path::new(STDIN));
                    let name = name.map_or(STDIN.into(), |name| name.to_string_lossy());
                    let name = name.into_owned();
                    self.fingerprints.push(fingerprint);
                    self.sources
                        .push((self.files.len(), Source { name, bytes }));
                }
            }
        }
        self.files.push(file);
        Ok(())
    }

    /// Reads the sources and hands on each run. Of what brings none, nothing is remembered.
    fn read(&mut self, put: &mut dyn FnMut(&ImportedRun)) {
        let sources = std::mem::take(&mut self.sources);
        let fingerprints = std::mem::take(&mut self.fingerprints);
        for ((number, source), fingerprint) in sources.into_iter().zip(fingerprints) {
            let mut runs = BTreeMap::new();
            let rest = tools::imports::read_each(&source.name, &source.bytes, &mut |run| {
                *runs.entry(about(&run)).or_insert(0) += 1;
                put(&run);
                self.take(run);
            });
            if !runs.is_empty() {
                self.sources.push((number, source));
                self.fingerprints.push(fingerprint);
            }
            let file = &mut self.files[number];
            file.runs = runs;
            match rest {
                Err(error) => file.refused = Some(error.to_string()),
                Ok(rest) => {
                    let broken = rest.broken.into_iter().map(|broken| BrokenRun {
                        line: broken.line,
                        format: broken.format,
                        what: broken.what,
                    });
                    file.broken = broken.collect();
                    file.broken_count = rest.broken_count;
                    file.notes.extend(rest.notes);
                }
            }
        }
    }

    /// How long the sources are together.
    fn bytes(&self) -> usize {
        let lengths = self.sources.iter().map(|(_, source)| source.bytes.len());
        lengths.sum()
    }

    fn take(&mut self, mut run: ImportedRun) {
        self.runs += 1;
        if self.verdicts.len() < VERDICTS_MAX {
            let report = imported_report_knowing(&run, &self.known);
            self.verdicts.push(RunVerdict {
                name: run.name.clone(),
                validity: report.verdict.validity,
                sentence: report.verdict.sentence(),
            });
        }
        if self.observed.len() < TOGETHER_MAX {
            let mut observed = Observed::of_imported(&run);
            // No rule checks these of several runs.
            observed.printed.columns = Vec::new();
            observed.rows = Vec::new();
            self.observed.push(observed);
        }
        if self.runs == 1 {
            run.text = String::new();
            self.first = Some(run);
        }
    }

    /// Nothing at all is a refusal, unless it is all there already; something lost is reported by the exit code.
    fn ending(&self) -> Result<Ending, CommandError> {
        let lossy = self.files.iter().any(ImportedFile::has_losses);
        let copied = self.files.iter().any(|file| !file.sessions.is_empty());
        if self.runs == 0 && lossy && !copied {
            return Err(CommandError::refused(
                "nothing was imported: the errors of each file are above",
            ));
        }
        Ok(if lossy { Ending::Wrong } else { Ending::Good })
    }

    /// Findings on the runs: one run by itself, several together.
    fn findings(&self) -> Vec<Finding> {
        let known = &self.known;
        match &self.first {
            Some(only) if self.runs == 1 => imported_report_knowing(only, known).findings,
            _ if self.runs > TOGETHER_MAX => {
                output::tell(&format!(
                    "no findings over several runs: they are searched in at most {TOGETHER_MAX} runs"
                ));
                Vec::new()
            }
            _ => session_findings(&self.observed, known),
        }
    }
}

/// What a run was read as, for people.
fn about(run: &ImportedRun) -> &'static str {
    let reader = readers().find(|reader| reader.format == run.format);
    reader.map_or("", |reader| reader.name)
}

/// Opens what `fathom import` accepts as a database of its own: a results database as it is, all else in memory.
pub(super) fn opened(path: &Path) -> Result<Store, CommandError> {
    if is_database(path) {
        return Store::look(path).map_err(CommandError::refused);
    }
    let name = path.display();
    let refused = |why: String| CommandError::refused(format!("{name}: {why}"));
    let bytes = bytes_of(path).map_err(refused)?;
    if store::is_portable(&bytes) {
        return Store::of_portable(path, &bytes).map_err(CommandError::refused);
    }
    let store = Store::in_memory(path).map_err(CommandError::failed)?;
    let new = session::new_session(
        IMPORT.stored(),
        command_line(),
        name.to_string(),
        clock::utc(),
    );
    let (mut refusal, mut broken) = (None, 0);
    let imported = store.import(&new, |put| {
        match tools::imports::read_each(&name.to_string(), &bytes, &mut |run| put(&run)) {
            Ok(rest) => broken = rest.broken_count,
            Err(error) => refusal = Some(error.to_string()),
        }
    });
    let session = imported.map_err(CommandError::failed)?;
    if broken > 0 {
        output::tell(&format!(
            "{name}: {broken} runs cannot be read; fathom import reports each"
        ));
    }
    match session {
        Some(session) => {
            let ended = store.finish(session, SessionOutcome::Complete, None);
            ended.map_err(CommandError::failed)?;
            Ok(store)
        }
        None => Err(refused(
            refusal.unwrap_or_else(|| "it has no result".to_owned()),
        )),
    }
}

/// Whether a file begins as a results database does.
pub(super) fn is_database(path: &Path) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut first = [0; MAGIC.len()];
    let is_file = path != Path::new(STDIN) && path.metadata().is_ok_and(|it| it.is_file());
    let read = is_file.then(|| File::open(path).and_then(|mut file| file.read_exact(&mut first)));
    matches!(read, Some(Ok(()))) && first == *MAGIC
}

/// Copies the sessions of another results database or of a document, each whole. `store` is where they go; of those that are
/// there already nothing is copied.
fn sessions_of(
    path: &Path,
    other: &dyn Fn() -> Result<Store, store::StoreError>,
    store: Option<&Store>,
    args: &ImportArgs,
) -> ImportedFile {
    let mut file = ImportedFile {
        file: path.to_string_lossy().into_owned(),
        ..ImportedFile::default()
    };
    let mut damaged = Vec::new();
    let mut copy = || -> Result<(), store::StoreError> {
        let other = other()?;
        if store.is_some_and(|store| store.is_same(&other)) {
            file.refused = Some("this is the store that it would be added to".to_owned());
            return Ok(());
        }
        for session in other.oldest_first()? {
            let known = match store.filter(|_| !args.again) {
                Some(store) => store.find_copy(&other, session.id)?,
                None => None,
            };
            if let Some(known) = known {
                file.already_in_session = Some(known.0);
                continue;
            }
            let number = match store.filter(|_| !args.dry_run) {
                Some(store) => {
                    let session = match store.copy_from(&other, session.id) {
                        Ok(session) => session,
                        // The others are whole.
                        Err(why @ store::StoreError::Damaged { .. }) => {
                            damaged.push(format!("session {}: {why}", session.id));
                            continue;
                        }
                        Err(why) => return Err(why),
                    };
                    let name = RunName { session, run: None };
                    store.tag(&[name], &args.tag, &[])?;
                    store.note(&[name], &args.known.notes(), &[])?;
                    answer::store(store, session);
                    session
                }
                None => session.id,
            };
            file.sessions.push(number.0);
        }
        Ok(())
    };
    if let Err(why) = copy() {
        let name = format!("{}: ", path.display());
        let why = why.to_string();
        damaged.push(why.strip_prefix(&name).unwrap_or(&why).to_owned());
    }
    if !damaged.is_empty() {
        file.refused = Some(damaged.join("; "));
    }
    file
}

/// Reads a file that is neither a results database nor a report.
pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = whole_file(path)?;
    match is_report(&bytes) {
        false => Ok(bytes),
        true => Err(
            "this is a report of fathom, which does not contain the whole results; hint: fathom export ID --sessions writes \
             what can be imported"
                .to_owned(),
        ),
    }
}

/// Whether it begins as the documents of `fathom show --json`, `run --json` and others do.
fn is_report(bytes: &[u8]) -> bool {
    let first = bytes.trim_ascii_start().strip_prefix(b"{");
    first.is_some_and(|first| first.trim_ascii_start().starts_with(b"\"schema_version\""))
}

fn whole_file(path: &Path) -> Result<Vec<u8>, String> {
    let room = host::memory_room(&Root::live());
    let fits = room.map_or(LENGTH_MAX, |room| {
        (room.0 / MEMORY_PER_BYTE).min(LENGTH_MAX)
    });
    // One more than is read at once, so that the reader can report that there is more.
    let limit = fits + 1;
    let mut bytes = Vec::new();
    let mut read = || -> io::Result<usize> {
        let input = match path == Path::new(STDIN) {
            true => Input::standard()?,
            false => Input::open(path)?,
        };
        // Room for all of it at once: a list that grows by doubling takes three times as much.
        let length = input.metadata()?.len().min(limit);
        bytes.try_reserve_exact(usize::try_from(length).unwrap_or(0) + 1)?;
        input.take(limit).read_to_end(&mut bytes)
    };
    match read() {
        Ok(length) if length as u64 > fits && fits < LENGTH_MAX => Err(format!(
            "it is longer than {}: importing it takes up to {MEMORY_PER_BYTE} times its length of memory, and {} are \
            free for this process (MemAvailable, memory.max); hint: split the file, or raise the limit",
            Bytes(fits).about(),
            room.unwrap_or_default().about()
        )),
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("cannot be read: {}", model::errno_text(&error))),
    }
}

/// To people: what is odd about a file, and what of it is not imported.
fn tell(file: &ImportedFile) {
    const BROKEN_MAX: usize = 20;
    let name = &file.file;
    for note in &file.notes {
        output::tell(&format!("{name}: {note}"));
    }
    if let Some(why) = &file.refused {
        output::tell(&format!("{name}: {why}"));
    }
    if let Some(session) = file.already_in_session {
        output::tell(&format!(
            "{name}: imported before, as session {session}, and omitted; --again imports it once more"
        ));
    }
    for broken in file.broken.iter().take(BROKEN_MAX) {
        output::tell(&format!("{name}: line {}: {}", broken.line, broken.what));
    }
    if let Some(more) = file
        .broken_count
        .checked_sub(BROKEN_MAX)
        .filter(|more| *more > 0)
    {
        output::tell(&format!(
            "{name}: and {more} more that cannot be imported: --json names the first {}",
            tools::imports::BROKEN_MAX
        ));
    }
}

/// Keeps the runs as they are read; `None` where there is none.
fn keep_them(
    store: &Store,
    args: &ImportArgs,
    gathered: &mut Gathered,
) -> Result<Option<SessionId>, CommandError> {
    let target = match gathered.sources.as_slice() {
        [(number, _)] => gathered.files[*number].file.clone(),
        several => format!("{} files", several.len()),
    };
    let new = NewSession {
        notes: args.known.notes(),
        ..session::new_session(IMPORT.stored(), command_line(), target, clock::utc())
    };
    // A word that cannot be given is found before anything is kept.
    store
        .tag(&[], &args.tag, &[])
        .map_err(CommandError::refused)?;
    let mut keep = || -> Result<Option<SessionId>, store::StoreError> {
        let is_large = gathered.bytes() > LOG_BYTES_MAX;
        let mut import = || store.import(&new, |put| gathered.read(put));
        let session = match is_large {
            true => store.without_log(import)?,
            false => import()?,
        };
        let Some(session) = session else {
            return Ok(None);
        };
        store.tag(&[RunName { session, run: None }], &args.tag, &[])?;
        store.set_fingerprint(session, &gathered.fingerprints.join(" "))?;
        store.finish(session, SessionOutcome::Complete, None)?;
        answer::store(store, session);
        Ok(Some(session))
    };
    keep().map_err(CommandError::failed)
}
