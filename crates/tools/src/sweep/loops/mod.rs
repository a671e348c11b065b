//! Loops around DISKSPD in scripts: batch files and PowerShell, read into the command lines that they would start.
//!
//! `batch` and `powershell` are small interpreters: they know variables, lists, ranges and loops, run nothing, open nothing,
//! and end after [`LINES_MAX`] lines. A line with DISKSPD that they cannot follow is listed with its number and the reason.
//! Omitted: functions, conditions, and what a program prints.

mod batch;
mod powershell;
mod scan;

use crate::diskspd::is_program;

/// Most command lines of one script: as many as a sweep may have cells.
const LINES_MAX: usize = 10_000;
/// Most steps that are followed: loops in loops that start nothing end, too.
const STEPS_MAX: usize = 200_000;
/// Most bytes of the value of a variable and of a command line: `set a=%a%%a%` doubles both.
const VALUE_BYTES_MAX: usize = 64 << 10;
const TOO_LONG: &str = "a value of more than 64 KiB";

/// What a script starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptLoops {
    /// Command lines of DISKSPD in the order of their start.
    pub lines: Vec<ScriptLine>,
    /// Lines that name DISKSPD and could not be followed, by number.
    pub unread: Vec<UnreadLine>,
    /// Its loops go on beyond what a sweep may have, or do not end.
    pub is_cut: bool,
}

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLine {
    /// Line of the script, from 1.
    pub number: usize,
    /// Switches and targets, without the program.
    pub words: Vec<String>,
}

/// A line that could not be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLine {
    /// Line of the script, from 1.
    pub number: usize,
    /// Why.
    pub why: String,
}

/// Reads a script: PowerShell where its name ends so, else a batch file.
pub fn read_script(name: &str, text: &str) -> ScriptLoops {
    let name = name.to_ascii_lowercase();
    let is_powershell = [".ps1", ".psm1"].iter().any(|end| name.ends_with(end));
    let mut found = Found::default();
    if is_powershell {
        powershell::read(text, &mut found);
    } else {
        batch::read(text, &mut found);
    }
    found.finish(text)
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    loops: ScriptLoops,
    steps: usize,
}

impl Found {
    /// Counts a step; whether the script may go on.
    fn goes_on(&mut self) -> bool {
        self.steps += 1;
        self.steps < STEPS_MAX && !self.loops.is_cut
    }

    fn line(&mut self, number: usize, words: Vec<String>) {
        // Without any word it prints its help.
        if words.is_empty() {
            return;
        }
        match self.loops.lines.len() < LINES_MAX {
            true => self.loops.lines.push(ScriptLine { number, words }),
            false => self.loops.is_cut = true,
        }
    }

    fn unread(&mut self, number: usize, why: impl Into<String>) {
        let known = self.loops.unread.iter().any(|line| line.number == number);
        if !known && self.loops.unread.len() < LINES_MAX {
            let why = why.into();
            self.loops.unread.push(UnreadLine { number, why });
        }
    }

    fn finish(mut self, text: &str) -> ScriptLoops {
        self.loops.is_cut = self.steps >= STEPS_MAX || self.loops.is_cut;
        if self.loops.lines.is_empty() {
            let lines = text.lines().zip(1..);
            for (_, number) in lines.filter(|(line, _)| seems_to_start(line)) {
                self.unread(number, "what runs this line is not followed");
            }
        }
        self.loops.unread.sort_by_key(|line| line.number);
        self.loops
    }
}

/// Whether a text names the program.
fn names_diskspd(text: &str) -> bool {
    text.to_ascii_lowercase().contains("diskspd")
}

/// The front of a text, for a message.
fn brief(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", text[..end].replace('\n', " ")),
        None => text.replace('\n', " "),
    }
}

/// Whether a line has DISKSPD and one of its switches with a value, and is no comment.
fn seems_to_start(line: &str) -> bool {
    let line = line.trim();
    let is_comment =
        line.starts_with('#') || line.starts_with("::") || scan::strip_word(line, "rem").is_some();
    let switch = |word: &str| {
        let mut letters = word.trim_matches(['"', '\'', '`']).chars();
        let is_named = letters.next() == Some('-')
            && letters
                .next()
                .is_some_and(|letter| "bcdotwW".contains(letter));
        is_named
            && letters
                .next()
                .is_some_and(|letter| letter.is_ascii_digit() || "${\"%".contains(letter))
    };
    let names = names_diskspd(line) || line.contains("&$") || line.contains("& $");
    !is_comment && names && line.split_whitespace().any(switch)
}

#[cfg(test)]
mod tests;
