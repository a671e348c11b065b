//! Job files as text: sections, options with their places, comments, includes, environment and keywords.
//!
//! Source: fio's manual, "Job file format", and what `init.c` of 3.33 does where the manual is silent: a `;` or `#`
//! anywhere in a line begins a comment. Omitted: what any option means.

use super::Environment;
use super::problem::{Place, Problem};
use crate::refusal::Problems;
use std::collections::HashSet;
use std::sync::Arc;

/// Most bytes of a job file.
pub const FILE_MAX: u64 = 4 << 20;
/// Most files that one request reads, those that are included among them.
const FILES_MAX: usize = 16;
/// Deepest nesting of files that include others: each is kept while those below it are read.
const DEPTH_MAX: usize = 4;
/// Most sections of a request.
const SECTIONS_MAX: usize = 4096;
/// Most options of a request: a job repeats those of its globals.
const OPTIONS_MAX: usize = 65_536;
/// Longest value, with what represents its variables.
const VALUE_MAX: usize = 64 << 10;
/// Most bytes that variables and keywords represent in a request.
const MEANT_MAX: usize = 4 << 20;
/// `$pagesize`: of every machine that fathom is built for.
const PAGE: u64 = 4096;
/// Options in whose values quotes are part of the value.
const QUOTES_KEPT: &[&str] = &["buffer_pattern", "verify_pattern"];
/// Longest name of a section: files are named after it.
pub(super) const NAME_MAX: usize = 200;

/// One option as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) place: Place,
    pub(super) name: String,
    /// None where there is no `=`.
    pub(super) value: Option<String>,
}

impl Said {
    /// About the bytes that it takes.
    pub(super) fn length(&self) -> usize {
        const BESIDE: usize = 16;
        BESIDE + self.name.len() + self.value.as_ref().map_or(0, String::len)
    }

    /// Its value as one that the option does not take.
    pub(super) fn invalid(&self) -> String {
        match &self.value {
            Some(value) => format!("invalid value '{value}' for {}", self.name),
            None => format!("no value for {}", self.name),
        }
    }

    /// As it was given.
    pub(super) fn shown(&self) -> String {
        match &self.value {
            Some(value) => format!("{}={value}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A section: `[global]`, or a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) options: Vec<Said>,
    /// Number of the file of the command line that it came from, with what that includes; 0 for the command line itself.
    pub(super) source: usize,
}

/// Whether fio has an option of this name, and the files with such an option: they are job files.
type Known = (fn(&str) -> bool, HashSet<Arc<str>>);

/// Puts sections together, regardless of their source.
pub(super) struct Sections<'e> {
    environment: &'e Environment<'e>,
    pub(super) all: Vec<Section>,
    pub(super) problems: Problems<Problem>,
    /// Files that are included and missing: fio reports them, and runs the jobs without their options.
    pub(super) absent: Problems<Problem>,
    known: Known,
    /// The open section has lost what such a file would have specified.
    is_cut: bool,
    files: usize,
    depth: usize,
    options: usize,
    sections: usize,
    meant: usize,
    source: usize,
}

impl<'e> Sections<'e> {
    pub(super) fn new(environment: &'e Environment<'e>, is_option: fn(&str) -> bool) -> Self {
        Sections {
            environment,
            all: Vec::new(),
            problems: Problems::default(),
            absent: Problems::default(),
            known: (is_option, HashSet::new()),
            is_cut: false,
            files: 0,
            depth: 0,
            options: 0,
            sections: 0,
            meant: 0,
            source: 0,
        }
    }

    fn refuse(&mut self, place: &Place, what: &str, why: impl Into<String>) {
        self.problems.push(Problem {
            place: place.clone(),
            what: shown(what),
            why: why.into(),
        });
    }

    /// Reads a file of the command line.
    pub(super) fn job_file(&mut self, path: &str, from: &Place) {
        self.source += 1;
        self.file(path, from);
    }

    /// Reads a file, and what it includes.
    fn file(&mut self, path: &str, from: &Place) {
        self.files += 1;
        if self.files > FILES_MAX {
            if self.files == FILES_MAX + 1 {
                self.refuse(
                    from,
                    path,
                    format!("more than {FILES_MAX} files: put them into fewer"),
                );
            }
            return;
        }
        if self.depth == DEPTH_MAX {
            let why = format!("files include each other more than {DEPTH_MAX} deep");
            return self.refuse(from, path, why);
        }
        match (self.environment.read)(path) {
            Ok(text) => {
                self.depth += 1;
                self.lines(path, &text);
                self.depth -= 1;
            }
            Err(why) => {
                let problem = Problem {
                    place: from.clone(),
                    what: shown(path),
                    why: format!("cannot be read: {why}"),
                };
                // What a line of a job file names is included.
                match from.line {
                    0 => self.problems.push(problem),
                    _ => self.absent.push(problem),
                }
                self.is_cut = from.line > 0;
            }
        }
    }

    /// Returns the names of the job files. Any other file may be one that only the user who runs fathom can read, named by the
    /// line of another user's job: nothing of its content is in a message.
    pub(super) fn job_files(&mut self) -> HashSet<Arc<str>> {
        std::mem::take(&mut self.known.1)
    }

    fn lines(&mut self, path: &str, text: &str) {
        let file: Arc<str> = path.into();
        for (line, number) in text.lines().zip(1..) {
            let place = Place {
                file: file.clone(),
                line: number,
            };
            let line = line.split([';', '#']).next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if line.contains('\0') {
                self.refuse(
                    &place,
                    line,
                    "this is no text: a job file is UTF-8 or UTF-16",
                );
                return;
            }
            if let Some(name) = line.strip_prefix('[') {
                // As in fio, the bracket behind the name may be missing.
                let end = name.find(']').unwrap_or(name.len());
                self.section(&place, &name[..end]);
            } else if let Some(other) = line.strip_prefix("include ") {
                self.include(path, other.trim(), &place);
            } else {
                self.option(&place, line);
            }
        }
    }

    /// A name is searched in the folder of the file that includes it, as fio does where it is not found as it stands.
    fn include(&mut self, from: &str, name: &str, place: &Place) {
        self.go_on();
        if self.files >= FILES_MAX {
            return self.file(name, place); // reports it, and reads nothing
        }
        let folder = std::path::Path::new(from).parent();
        let beside = folder.map(|folder| folder.join(name));
        let beside = beside.and_then(|path| path.to_str().map(str::to_owned));
        let plain = (self.environment.read)(name).is_ok();
        let path = beside.filter(|_| !plain).unwrap_or_else(|| name.to_owned());
        self.file(&path, place);
    }

    /// As in fio, a section that goes on behind a missing file is wrong.
    fn go_on(&mut self) {
        if std::mem::take(&mut self.is_cut) {
            self.problems.append(std::mem::take(&mut self.absent));
        }
    }

    /// Opens a section.
    pub(super) fn section(&mut self, place: &Place, name: &str) {
        self.is_cut = false;
        self.sections += 1;
        if self.sections == SECTIONS_MAX + 1 {
            self.refuse(place, name, format!("more than {SECTIONS_MAX} sections"));
        }
        if name.len() > NAME_MAX {
            return self.refuse(
                place,
                name,
                format!("the name is longer than {NAME_MAX} bytes"),
            );
        }
        if self.sections <= SECTIONS_MAX {
            self.all.push(Section {
                place: place.clone(),
                name: name.trim().to_owned(),
                options: Vec::new(),
                source: self.source,
            });
        }
    }

    /// `name`, or `name=value`, in the section that is open.
    pub(super) fn option(&mut self, place: &Place, text: &str) {
        self.go_on();
        self.options += 1;
        if self.options > OPTIONS_MAX {
            if self.options == OPTIONS_MAX + 1 {
                self.refuse(place, text, format!("more than {OPTIONS_MAX} options"));
            }
            return;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if QUOTES_KEPT.contains(&name.trim()) => {
                (name.trim(), Some(value.trim()))
            }
            Some((name, value)) => (name.trim(), Some(unquoted(value.trim()))),
            None => (text.trim(), None),
        };
        if !self.known.1.contains(&place.file) && (self.known.0)(name) {
            self.known.1.insert(place.file.clone());
        }
        let value = match value.map(|value| self.meant(value)).transpose() {
            Ok(value) => value,
            Err(why) => return self.refuse(place, text, why),
        };
        let said = Said {
            place: place.clone(),
            name: name.to_owned(),
            value,
        };
        match self.all.last_mut() {
            Some(section) => section.options.push(said),
            None => self.refuse(
                place,
                text,
                "this is before any section: begin with [global] or a job's name",
            ),
        }
    }

    /// `${NAME}` from the environment; `$ncpus` and `$mb_memory` of this machine.
    fn meant(&mut self, value: &str) -> Result<String, String> {
        let too_long = || format!("the value is longer than {} KiB", VALUE_MAX >> 10);
        if value.len() > VALUE_MAX {
            return Err(too_long());
        }
        if !value.contains('$') {
            return Ok(value.to_owned());
        }
        let mut out = String::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let (name, behind) = after.split_once('}').ok_or("`${` without its `}`")?;
            let found = (self.environment.variable)(name);
            out.push_str(&found.ok_or_else(|| format!("the environment has no variable {name}"))?);
            rest = behind;
            if out.len() > VALUE_MAX {
                return Err(too_long());
            }
        }
        out.push_str(rest);
        let keywords = [
            ("$pagesize", PAGE),
            ("$mb_memory", self.environment.mib_memory),
            ("$ncpus", u64::from(self.environment.processors)),
        ];
        for (word, number) in keywords {
            if out.contains(word) {
                out = out.replace(word, &number.to_string());
            }
        }
        self.meant += out.len();
        match out.len() > VALUE_MAX || self.meant > MEANT_MAX {
            true => Err(too_long()),
            false => Ok(out),
        }
    }
}

fn unquoted(value: &str) -> &str {
    let inner = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    inner.unwrap_or(value)
}

/// Short enough for a message.
fn shown(text: &str) -> String {
    const SHOWN_MAX: usize = 80;
    let mut short: String = text.chars().take(SHOWN_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
