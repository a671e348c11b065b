//! Whose command line it is: by the program's name, or by its first word.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A command line that is another tool's.
#[derive(Debug)]
pub(crate) struct Line {
    /// What was called: printed in the help.
    pub(crate) program: String,
    /// All words joined by blanks, program first, as some tools echo them.
    pub(crate) echo: String,
    /// What stands behind the program's name.
    words: Vec<OsString>,
}

impl Line {
    /// Of the whole command line, if it is this tool's. The tool is named alone, and as a command of fathom.
    pub(crate) fn of(all: &[OsString], name: &str) -> Option<Line> {
        let stem = |word: &OsString| Path::new(word).file_stem().map(OsStr::to_owned);
        let by_name = all.first().and_then(stem).is_some_and(|stem| stem == name);
        let by_word = all.get(1).is_some_and(|word| word == name);
        let (program, before) = match (by_name, by_word) {
            (true, _) => (name.to_owned(), 1),
            (false, true) => (format!("fathom {name}"), 2),
            (false, false) => return None,
        };
        let text: Vec<_> = all.iter().map(|word| word.to_string_lossy()).collect();
        Some(Line {
            program,
            echo: text.join(" "),
            words: all[before..].to_vec(),
        })
    }

    /// The words as text, or the reason why they are none.
    pub(crate) fn texts(&self) -> Result<Vec<String>, String> {
        let text = |word: &OsString| {
            word.to_str().map(str::to_owned).ok_or_else(|| {
                format!(
                    "{}: this argument is not UTF-8, and the results are Unicode: give the file another name, or a link \
                     with one",
                    word.to_string_lossy()
                )
            })
        };
        self.words.iter().map(text).collect()
    }
}

/// Returns the line that means the same to fathom, for the record.
pub(crate) fn command(tool: &str, args: &[String]) -> Vec<String> {
    let head = ["fathom", tool].map(str::to_owned);
    head.into_iter().chain(args.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Option<(String, String, usize)> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let line = Line::of(&words, "diskspd");
        line.map(|line| (line.program, line.echo, line.words.len()))
    }

    #[test]
    fn the_program_s_name_or_its_first_word_makes_it_another_tool_s() {
        let by_name = line(&["/usr/bin/diskspd", "-b4K", "f"]);
        assert_eq!(
            by_name,
            Some((
                "diskspd".to_owned(),
                "/usr/bin/diskspd -b4K f".to_owned(),
                2
            ))
        );
        assert_eq!(line(&["diskspd.exe"]).map(|line| line.2), Some(0));
        let by_word = line(&["./fathom", "diskspd", "--", "f"]);
        assert_eq!(
            by_word.map(|line| (line.0, line.2)),
            Some(("fathom diskspd".to_owned(), 2))
        );
        assert_eq!(line(&["fathom", "run", "diskspd"]), None);
        assert_eq!(line(&["sqlio", "f"]), None);
        assert_eq!(line(&[]), None);
    }
}
