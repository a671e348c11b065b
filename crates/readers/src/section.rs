//! A file in sections, each the output of one call of a tool.
//!
//! A section begins where a reader knows a line and ends where the next one begins; what stands before the first goes
//! with the first. So every byte of the file is in one section. Within a section each run has its own piece of the text.

use crate::{READERS, Reader};
use model::ImportedRun;

/// Whether a section begins on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Not here.
    No,
    /// Here.
    Here,
    /// Here, unless a section of the same format is open: the head of the output was left out.
    Orphan,
}

/// One section.
pub(crate) struct Section<'t> {
    /// Its text, what stands before the beginning included.
    pub(crate) text: &'t str,
    /// Where in `text` it begins.
    pub(crate) head: usize,
    /// Number of its first line in the file. // from 1
    first: u32,
}

/// A run, and where its piece of the section's text begins.
pub(crate) struct Draft {
    /// Byte in the section; pieces ascend.
    pub(crate) at: usize,
    pub(crate) run: ImportedRun,
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

    /// Which of its lines a byte is on. // from 0
    pub(crate) fn line_of(&self, at: usize) -> usize {
        line_at(self.text, at) as usize - 1
    }

    /// What stands before the beginning: warnings, prompts, prose.
    pub(crate) fn before(&self) -> &'t str {
        &self.text[..self.head]
    }

    /// The runs with their line and their text: from one run's beginning to the next one's; the first has what stands
    /// before it too, the last what comes after.
    pub(crate) fn fill(&self, drafts: Vec<Draft>) -> Vec<ImportedRun> {
        let places: Vec<usize> = drafts.iter().map(|draft| draft.at).collect();
        let mut runs = Vec::with_capacity(drafts.len());
        let (mut line, mut counted) = (0, 0);
        for (number, Draft { at, mut run }) in drafts.into_iter().enumerate() {
            let from = if number == 0 { 0 } else { at };
            let to = places.get(number + 1).copied().unwrap_or(self.text.len());
            line += self.text[counted..at].matches('\n').count();
            counted = at;
            run.line = self.line(line);
            run.text = self.text[from..to.max(from)].replace("\r\n", "\n");
            runs.push(run);
        }
        runs
    }
}

/// Line numbers within a section of ascending places, each byte looked at once.
pub(crate) struct Lines<'s, 't> {
    section: &'s Section<'t>,
    at: usize,
    line: usize,
}

impl<'s, 't> Lines<'s, 't> {
    pub(crate) fn new(section: &'s Section<'t>) -> Self {
        Lines {
            section,
            at: 0,
            line: 0,
        }
    }

    pub(crate) fn of(&mut self, at: usize) -> usize {
        if at >= self.at {
            self.line += self.section.text[self.at..at].matches('\n').count();
            self.at = at;
        }
        self.line
    }
}

/// Lines without their ends, each with its byte. `</Results>` ends a line too: DISKSPD writes none behind it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const END: &str = "</Results>";
    let mut at = 0;
    text.split_inclusive('\n').flat_map(move |whole| {
        let start = at;
        at += whole.len();
        let line = whole.trim_end_matches(['\n', '\r']);
        let cut = match line.find(END) {
            Some(place) if place + END.len() < line.len() => place + END.len(),
            _ => line.len(),
        };
        let rest = (cut < line.len()).then(|| (start + cut, &line[cut..]));
        std::iter::once((start, &line[..cut])).chain(rest)
    })
}

/// Cuts a file into sections, each with its reader.
pub(crate) fn cut(text: &str) -> Vec<(&'static Reader, Section<'_>)> {
    let mut beginnings: Vec<(usize, &'static Reader)> = Vec::new();
    for (at, line) in lines(text) {
        let open = beginnings.last().map(|(_, reader)| reader.format);
        let reader =
            READERS.iter().find(
                |reader| match (reader.begins)(line.trim_start(), &text[at..]) {
                    Start::No => false,
                    Start::Here => true,
                    Start::Orphan => open != Some(reader.format),
                },
            );
        if let Some(reader) = reader {
            beginnings.push((at, reader));
        }
    }
    let mut sections = Vec::with_capacity(beginnings.len());
    let (mut first, mut counted) = (1, 0);
    for (number, (at, reader)) in beginnings.iter().enumerate() {
        let from = if number == 0 { 0 } else { *at };
        let to = beginnings.get(number + 1).map_or(text.len(), |next| next.0);
        first += newlines(&text[counted..from]);
        counted = from;
        let section = Section {
            text: &text[from..to],
            head: at - from,
            first,
        };
        sections.push((*reader, section));
    }
    sections
}

fn newlines(text: &str) -> u32 {
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
