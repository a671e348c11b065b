//! The command line or job file that people post with fio's text: what was asked for, which the text itself does not print.
//!
//! Options before the first `--name` and those of `[global]` apply to all jobs. Lines are fed one by one, so that a later
//! command replaces an earlier one. Omitted: what options mean (`reader`), and a command line that names only a job file.

use super::reader::Options;
use std::collections::BTreeMap;

/// Options that show that a line is fio's and no prose about it.
const KNOWN: [&str; 7] = [
    "rw",
    "readwrite",
    "bs",
    "ioengine",
    "iodepth",
    "direct",
    "filename",
];
const OPTIONS_MAX: usize = 128;
const VALUE_MAX: usize = 256;

/// What was posted so far.
#[derive(Default)]
pub(super) struct Posted {
    global: Options,
    jobs: BTreeMap<String, Options>,
    /// The command line, its pieces joined.
    command: Option<String>,
    open: Open,
    /// Of the last line.
    last_length: usize,
}

/// What a line may continue.
#[derive(Default)]
enum Open {
    #[default]
    Nothing,
    /// A command line, and the job whose options follow.
    Command(Option<String>),
    /// A section of a job file.
    Section(String),
}

impl Posted {
    /// Takes the next line of the text.
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim_start_matches(['>', ' ', '\t']).trim_end();
        let length = std::mem::replace(&mut self.last_length, line.len());
        if let Some(words) = command(line) {
            *self = Posted {
                last_length: line.len(),
                ..Posted::default()
            };
            self.words(words, None);
        } else if let Some(name) = section(line) {
            self.section(name);
        } else {
            match std::mem::take(&mut self.open) {
                Open::Command(job) if line.starts_with('-') => self.words(line, job),
                Open::Command(_) if is_broken(length, line) => self.rejoin(line),
                Open::Section(name) => self.entry(line, name),
                Open::Command(_) | Open::Nothing => {}
            }
        }
    }

    /// Joins the two halves of a word, and reads the whole command again.
    fn rejoin(&mut self, line: &str) {
        let whole = self.command.take().unwrap_or_default() + line;
        *self = Posted {
            last_length: line.len(),
            ..Posted::default()
        };
        self.words(&whole, None);
    }

    /// The options of a job, those of all jobs included; `None` where they were not posted.
    pub(super) fn of(&self, job: &str) -> Option<Options> {
        let own = self.jobs.get(job)?;
        let known = |options: &Options| KNOWN.iter().any(|name| options.contains_key(*name));
        if !known(own) && !known(&self.global) {
            return None;
        }
        let mut all = self.global.clone();
        all.extend(own.clone());
        Some(all)
    }

    /// Those of the one job that was posted; `None` where there are several.
    pub(super) fn only(&self) -> Option<Options> {
        let mut names = self.jobs.keys();
        let name = names.next().filter(|_| self.jobs.len() == 1)?;
        self.of(name)
    }

    pub(super) fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }

    /// `--rw=read --bs 4k`, `-rw=read`; a job's own behind its name.
    fn words(&mut self, line: &str, mut job: Option<String>) {
        let whole = self.command.get_or_insert_default();
        let bare = line.trim_end_matches('\\').trim();
        if whole.len() + bare.len() < 4 * VALUE_MAX {
            whole.push_str(if whole.is_empty() { "" } else { " " });
            whole.push_str(bare);
        }
        let mut words = bare.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix('-') else {
                continue;
            };
            let option = option.trim_start_matches('-');
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, value),
                None => (
                    option,
                    words.next_if(|next| !next.starts_with('-')).unwrap_or("1"),
                ),
            };
            let value = value.trim_matches(['"', '\'', '`']);
            if name == "name" {
                job = Some(value.to_owned());
                if self.jobs.len() < OPTIONS_MAX {
                    self.jobs.entry(value.to_owned()).or_default();
                }
            }
            self.put(job.as_deref(), name, value);
        }
        self.open = Open::Command(job);
    }

    fn section(&mut self, name: &str) {
        if !matches!(self.open, Open::Section(_)) && name == "global" {
            *self = Posted::default();
        }
        if name != "global" && self.jobs.len() < OPTIONS_MAX {
            self.jobs.entry(name.to_owned()).or_default();
        }
        self.open = Open::Section(name.to_owned());
    }

    /// `rw=randread`, a bare `stonewall`, a comment or an empty line of a job file.
    fn entry(&mut self, line: &str, section: String) {
        let (name, value) = line.split_once('=').unwrap_or((line, "1"));
        let (name, value) = (name.trim(), value.trim());
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_comment = line.is_empty() || line.starts_with([';', '#']);
        if !is_comment && !(name.chars().all(is_name)) {
            return;
        }
        if !is_comment {
            let job = (section != "global").then_some(section.as_str());
            self.put(job, name, value);
        }
        self.open = Open::Section(section);
    }

    fn put(&mut self, job: Option<&str>, name: &str, value: &str) {
        let of = match job {
            Some(job) => self.jobs.get_mut(job),
            None => Some(&mut self.global),
        };
        let fits = name.len() <= VALUE_MAX && value.len() <= VALUE_MAX;
        if let Some(of) = of.filter(|of| fits && of.len() < OPTIONS_MAX) {
            of.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// Returns whether a line continues a command that the edge of a terminal or a mail broke within a word: behind a line of this
/// length.
fn is_broken(length: usize, line: &str) -> bool {
    const EDGE_MIN: usize = 70;
    let first = line.split_whitespace().next();
    let is_option = first.is_some_and(|word| word.contains('='));
    length >= EDGE_MIN && is_option && !line.contains("(g=") && !line.contains(": ")
}

/// `fio` behind any prompt, with an option: the line from there.
fn command(line: &str) -> Option<&str> {
    memchr::memmem::find(line.as_bytes(), b"fio ")?;
    let mut at = 0;
    for word in line.split(' ') {
        let name = word.trim_start_matches(['`', '(', '"']);
        if name == "fio" || name.ends_with("/fio") || name.ends_with("fio.exe") {
            let mut rest = line[at + word.len()..].split_whitespace();
            return rest
                .any(|word| word.starts_with('-') && word.contains(['=', '-']))
                .then_some(&line[at..]);
        }
        at += word.len() + 1;
    }
    None
}

/// `[global]`, `[job1]`.
fn section(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.strip_suffix(']')?;
    let plain = !name.is_empty() && name.len() <= VALUE_MAX && !name.contains(['[', ']', '%']);
    plain.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, job: &str) -> Option<Options> {
        let mut posted = Posted::default();
        text.lines().for_each(|line| posted.line(line));
        posted.of(job)
    }

    fn get<'o>(options: &'o Options, name: &str) -> &'o str {
        options.get(name).map_or("", String::as_str)
    }

    #[test]
    fn a_command_line_is_read_in_both_spellings_and_over_several_lines() {
        let text = "$ sudo /usr/bin/fio --direct=1 --name=a --rw=read \\\n  --bs 4k --group_reporting --iodepth=8\n";
        let options = of(text, "a").unwrap();
        for (name, value) in [("direct", "1"), ("bs", "4k"), ("iodepth", "8")] {
            assert_eq!(get(&options, name), value);
        }
        let short = of("fio -name=t -filename=/dev/vdb -rw=read -iodepth=2", "t").unwrap();
        assert_eq!(get(&short, "filename"), "/dev/vdb");
        assert_eq!(of(text, "b"), None, "of another job");
    }

    #[test]
    fn options_after_a_name_are_of_that_job_alone() {
        let text = "fio --direct=1 --name=a --rw=read --name=b --rw=write --fsync=1";
        assert_eq!(get(&of(text, "a").unwrap(), "fsync"), "");
        let second = of(text, "b").unwrap();
        assert_eq!((get(&second, "fsync"), get(&second, "direct")), ("1", "1"));
    }

    #[test]
    fn a_job_file_is_read_section_by_section() {
        let text = "[global]\nioengine=libaio\n; note\n\ndirect=1\n[w]\nrw=randwrite\nstonewall\n\nThat was it.\nrw=read";
        let options = of(text, "w").unwrap();
        for (name, value) in [("direct", "1"), ("rw", "randwrite"), ("stonewall", "1")] {
            assert_eq!(get(&options, name), value);
        }
    }

    #[test]
    fn prose_and_a_name_alone_are_no_options() {
        assert_eq!(of("I ran fio twice - and it was slow --name=a", "a"), None);
        assert_eq!(of("fio --name=a job.fio", "a"), None);
        assert_eq!(of("fio job.fio", "a"), None);
    }
}
