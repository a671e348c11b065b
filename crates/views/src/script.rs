//! A matrix as a script for elsewhere: a batch file, a PowerShell script or a shell script that runs one command a line.
//!
//! Deliberately absent: what the commands mean, and any logic in the script: it can be read, cut and put together by
//! hand. Words are quoted for the shell that reads them.

use crate::time::waiting;
use std::io::{self, Write};

#[cfg(test)]
mod tests;

/// Who reads the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `cmd.exe`.
    Bat,
    /// PowerShell.
    Ps1,
    /// A POSIX shell.
    Sh,
}

impl Shell {
    /// Every shell with its name.
    pub const ALL: [(&'static str, Shell); 3] =
        [("bat", Shell::Bat), ("ps1", Shell::Ps1), ("sh", Shell::Sh)];
}

/// A line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLine {
    /// The command, program first.
    pub words: Vec<String>,
    /// Whether a new group begins with it.
    pub begins_group: bool,
}

/// A script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// For whom.
    pub shell: Shell,
    /// In order.
    pub lines: Vec<ScriptLine>,
    /// Load and rests of all commands, in nanoseconds; creating files is not counted, because its speed there is
    /// unknown.
    pub run_time_ns: u64,
    /// Pause between commands, in nanoseconds.
    pub rest_ns: u64,
    /// The file that all output is appended to.
    pub results: String,
}

impl Script {
    /// Writes it, with the line ends of its shell.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let end = match self.shell {
            Shell::Sh => "\n",
            Shell::Bat | Shell::Ps1 => "\r\n",
        };
        let mut lines = self.head();
        for (place, line) in self.lines.iter().enumerate() {
            if place > 0 && self.rest_ns > 0 {
                lines.push(self.rest());
            }
            if line.begins_group && place > 0 {
                lines.push(String::new());
            }
            lines.push(self.command(&line.words));
        }
        lines.iter().try_for_each(|line| write!(out, "{line}{end}"))
    }

    fn head(&self) -> Vec<String> {
        let mark = match self.shell {
            Shell::Bat => "REM",
            Shell::Ps1 | Shell::Sh => "#",
        };
        let seconds = self.run_time_ns / 1_000_000_000;
        let mut lines = Vec::new();
        lines.extend((self.shell == Shell::Sh).then(|| "#!/bin/sh".to_owned()));
        lines.push(format!(
            "{mark} Expected run time: {} Minutes == {:.1} Hours",
            seconds / 60,
            seconds as f64 / 3600.0
        ));
        lines.push(format!(
            "{mark} {} commands, {} of load and rests; creating files is extra. Output is appended to {}",
            self.lines.len(),
            waiting(self.run_time_ns),
            self.results
        ));
        lines
    }

    fn rest(&self) -> String {
        let millis = self.rest_ns.div_ceil(1_000_000);
        match self.shell {
            Shell::Bat => format!("timeout /t {} /nobreak > nul", millis.div_ceil(1000)),
            Shell::Ps1 => format!("Start-Sleep -Milliseconds {millis}"),
            Shell::Sh => format!("sleep {}", millis as f64 / 1000.0),
        }
    }

    fn command(&self, words: &[String]) -> String {
        let quoted: Vec<String> = words.iter().map(|word| self.quoted(word)).collect();
        let (line, results) = (quoted.join(" "), self.quoted(&self.results));
        match self.shell {
            // `>` of Windows PowerShell writes UTF-16; everybody reads UTF-8.
            Shell::Ps1 => format!("& {line} | Out-File -Append -Encoding utf8 {results}"),
            Shell::Bat | Shell::Sh => format!("{line} >> {results}"),
        }
    }

    fn quoted(&self, word: &str) -> String {
        let letters = match self.shell {
            Shell::Bat => r"-_./:\+@,#$~*",
            Shell::Ps1 => r"-_./:\+*",
            Shell::Sh => "-_./:=,+@%",
        };
        let plain = |letter: char| letter.is_alphanumeric() || letters.contains(letter);
        // PowerShell cuts `-a.b` and `-a:b` in two.
        let cut = self.shell == Shell::Ps1 && word.starts_with('-') && word.contains(['.', ':']);
        if !word.is_empty() && word.chars().all(plain) && !cut {
            return word.to_owned();
        }
        match self.shell {
            // In a batch file `%` begins a variable even within quotation marks.
            Shell::Bat => format!("\"{}\"", word.replace('%', "%%").replace('"', "\"\"")),
            Shell::Ps1 => format!("'{}'", word.replace('\'', "''")),
            Shell::Sh => format!("'{}'", word.replace('\'', r"'\''")),
        }
    }
}
