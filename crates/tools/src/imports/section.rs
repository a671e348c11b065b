//! A file in sections, each the output of one call of a tool.
//!
//! A section begins where a reader knows a line and ends where the next one begins; what stands before the first goes
//! with the first. So every byte of the file is in one section. Within a section each run has its own piece of the text.

use memchr::memmem;
use model::{ImportFormat, ImportedRun};

/// A format that results are read from.
pub struct Reader {
    /// Its name in the record.
    pub format: ImportFormat,
    /// Its name, for people.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// Whether a section of it begins on a line; the text goes on to the end of the file.
    pub(crate) begins: fn(line: &str, text: &str) -> Start,
    /// Runs out of a section, and what is wrong with it.
    pub(crate) read: fn(&Section, &mut Found),
}

/// What is wrong with a section, before its place in the file is known.
pub(crate) struct Fault {
    /// Line within the section. // from 0
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// Whether a section begins on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Not here.
    No,
    /// Here.
    Here,
    /// Here, unless a section of the same format is open: the head of the output was omitted.
    Orphan,
    /// Here, unless a section of the same format or of this one is open.
    Beside(ImportFormat),
}

/// One section.
pub(crate) struct Section<'t> {
    /// Its text, what stands before the beginning included.
    pub(crate) text: &'t str,
    /// Where in `text` it begins.
    pub(crate) head: usize,
    /// Number of its first line in the file. // from 1
    pub(crate) first: u32,
}

impl<'t> Section<'t> {
    /// Lines without their ends, each with its byte; of the section's beginning and after.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &'t str)> {
        let head = self.head;
        lines(&self.text[head..]).map(move |(at, line)| (at + head, line))
    }

    /// The number in the file of one of its lines. // `line` from 0
    pub(crate) fn line(&self, line: usize) -> u32 {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.first.saturating_add(line)
    }

    /// Which of its lines its head is. For other bytes, [`Found::fault_at`]: to count lines for each of them would take the square
    /// of the length. // from 0
    pub(crate) fn head_line(&self) -> usize {
        line_at(self.text, self.head) as usize - 1
    }

    /// Lines that the tool wrote as warnings, the first few.
    pub(crate) fn warnings(&self) -> Vec<String> {
        const WARNINGS_MAX: usize = 8;
        const LENGTH_MAX: usize = 160;
        let is_one = |line: &str| {
            let words: [&[u8]; 3] = [b"WARNING", b"fio: ", b"No space left"];
            words
                .iter()
                .any(|words| memmem::find(line.as_bytes(), words).is_some())
        };
        if !is_one(self.text) {
            return Vec::new();
        }
        let all = self.text.lines().map(str::trim).filter(|line| is_one(line));
        let short = |line: &str| line.chars().take(LENGTH_MAX).collect();
        all.map(short).take(WARNINGS_MAX).collect()
    }

    /// What stands before the beginning: warnings, prompts, prose.
    pub(crate) fn before(&self) -> &'t str {
        &self.text[..self.head]
    }
}

/// Takes what a reader finds in a section. A run goes on as soon as its piece of the text is known, so that no more than
/// two are in memory.
pub(crate) struct Found<'f, 't> {
    section: &'f Section<'t>,
    /// The last run, and where its piece begins.
    open: Option<(usize, ImportedRun)>,
    runs: usize,
    faults: usize,
    run_lines: Lines,
    fault_lines: Lines,
    take: &'f mut dyn FnMut(ImportedRun),
    tell: &'f mut dyn FnMut(Fault),
}

impl<'f, 't> Found<'f, 't> {
    pub(crate) fn new(
        section: &'f Section<'t>,
        take: &'f mut dyn FnMut(ImportedRun),
        tell: &'f mut dyn FnMut(Fault),
    ) -> Self {
        Found {
            section,
            open: None,
            runs: 0,
            faults: 0,
            run_lines: Lines::default(),
            fault_lines: Lines::default(),
            take,
            tell,
        }
    }

    /// Takes a run whose piece of the text begins at a byte of the section. // ascending
    pub(crate) fn run(&mut self, at: usize, mut run: ImportedRun) {
        self.close(at);
        run.line = self.section.line(self.run_lines.of(self.section.text, at));
        self.open = Some((at, run));
    }

    /// Takes what is wrong on a line of the section. // from 0
    pub(crate) fn fault(&mut self, line: usize, what: impl Into<String>) {
        self.faults += 1;
        let what = what.into();
        (self.tell)(Fault { line, what });
    }

    /// Takes what is wrong at a byte of the section; bytes that ascend cost one pass.
    pub(crate) fn fault_at(&mut self, at: usize, what: impl Into<String>) {
        let line = self.fault_lines.of(self.section.text, at);
        self.fault(line, what);
    }

    /// Whether there is neither a run nor a fault yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs == 0 && self.open.is_none() && self.faults == 0
    }

    /// Whether there is no run yet.
    pub(crate) fn has_no_run(&self) -> bool {
        self.runs == 0 && self.open.is_none()
    }

    /// The last run goes on: its text ends with the section.
    pub(crate) fn end(&mut self) {
        self.close(self.section.text.len());
    }

    fn close(&mut self, to: usize) {
        let Some((at, mut run)) = self.open.take() else {
            return;
        };
        let text = self.section.text;
        // The first run has what stands before it, too.
        let from = if self.runs == 0 { 0 } else { at };
        let whole = &text[from..to.max(from)];
        let kept = match fits(whole) {
            true => whole,
            false => front(&text[at..to.max(at)]),
        };
        if kept.len() < whole.len() {
            run.notes.push(format!(
                "of its {} bytes of text the first {} are stored",
                whole.len(),
                kept.len()
            ));
        }
        run.text = kept.replace("\r\n", "\n");
        self.runs += 1;
        (self.take)(run);
    }
}

/// Most rows of a run from a text of this length: every tool prints far more than 256 bytes a row, over all its tables.
pub(crate) fn rows_max(length: usize) -> usize {
    8192 + length / 256
}

/// Most text that is stored with a run, as JSON has it: the longest documents of DISKSPD have a few MiB.
const TEXT_MAX: usize = 16 << 20;

/// Bytes of a character as JSON writes it.
fn escaped(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\x08' | '\x0c' => 2,
        c if c < ' ' => 6,
        c => c.len_utf8(),
    }
}

fn fits(text: &str) -> bool {
    const LONGEST: usize = 6;
    text.len() <= TEXT_MAX / LONGEST || text.chars().map(escaped).sum::<usize>() <= TEXT_MAX
}

/// As much of the front as fits.
fn front(text: &str) -> &str {
    let mut length = 0;
    let end = text.char_indices().find(|(_, c)| {
        length += escaped(*c);
        length > TEXT_MAX
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Line numbers of places in a text, from 0. Each byte of ascending places is counted once.
#[derive(Default)]
struct Lines {
    at: usize,
    line: usize,
}

impl Lines {
    fn of(&mut self, text: &str, at: usize) -> usize {
        if at < self.at {
            *self = Lines::default();
        }
        self.line += newlines(&text[self.at..at]) as usize;
        self.at = at;
        self.line
    }
}

/// Lines without their ends, each with its byte. `</Results>` ends a line too: DISKSPD writes none behind it.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const END: &str = "</Results>";
    let mut at = 0;
    text.split_inclusive('\n').flat_map(move |whole| {
        let start = at;
        at += whole.len();
        let line = whole.trim_end_matches(['\n', '\r']);
        // Most lines of a hostile file are shorter, and a search that finds nothing costs more than they do.
        let found = match line.len() > END.len() {
            true => memmem::find(line.as_bytes(), END.as_bytes()),
            false => None,
        };
        let cut = found.map_or(line.len(), |place| place + END.len());
        let rest = (cut < line.len()).then(|| (start + cut, &line[cut..]));
        std::iter::once((start, &line[..cut])).chain(rest)
    })
}

pub(crate) fn newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The line of a byte. // from 1
pub(crate) fn line_at(text: &str, at: usize) -> u32 {
    newlines(&text[..at.min(text.len())]).saturating_add(1)
}

/// The front of a text, for a message.
pub(crate) fn short(text: &str) -> String {
    const LENGTH: usize = 60;
    let text = text.trim();
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
