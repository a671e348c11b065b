//! `fathom diskspd`, and the program under the name `diskspd`: DISKSPD's command line, output and exit codes.
//!
//! The dialect's exit codes are its own: 0 results were printed, 1 the run failed, 3 the request was refused. Its
//! standard output is DISKSPD's too; whatever else there is to say goes to standard error. `session` runs the time
//! spans, `shelf` keeps them, `trace` is `-v` and `-P`, `pages` puts the results where they were asked for, `words` says
//! in DISKSPD's switches what stands against a request.
//! Deliberately absent: what any switch means (`dialects`), and any number or layout (`views`).

mod pages;
mod session;
mod shelf;
mod trace;
mod trouble;
mod words;

use crate::environment::{self, Environment};
use crate::failure::Ending;
use crate::output;
use dialects::diskspd::{self, Action, Compat, Profile, Request, ResultFormat};
use host::Root;
use session::Asked;
use std::ffi::{OsStr, OsString};
use std::path::Path;

const GOOD: Ending = Ending::Code(0);
const FAILED: Ending = Ending::Code(1);
const REFUSED: Ending = Ending::Code(diskspd::Refusal::EXIT_CODE);

/// The name that makes the program DISKSPD.
const NAME: &str = "diskspd";

/// A command line that is DISKSPD's.
#[derive(Debug)]
pub(crate) struct Line {
    /// What was called: printed in the help.
    program: &'static str,
    /// All words joined by blanks, program first, as DISKSPD echoes them.
    echo: String,
    /// What stands behind the program's name.
    words: Vec<OsString>,
}

impl Line {
    /// Of the whole command line, if it is DISKSPD's: by the program's name or by its first word.
    pub(crate) fn of(all: &[OsString]) -> Option<Line> {
        let stem = |name: &OsString| Path::new(name).file_stem().map(OsStr::to_owned);
        let by_name = all.first().and_then(stem).is_some_and(|stem| stem == NAME);
        let by_word = all.get(1).is_some_and(|word| word == NAME);
        let (program, before) = match (by_name, by_word) {
            (true, _) => (NAME, 1),
            (false, true) => ("fathom diskspd", 2),
            (false, false) => return None,
        };
        let text: Vec<_> = all.iter().map(|word| word.to_string_lossy()).collect();
        Some(Line {
            program,
            echo: text.join(" "),
            words: all[before..].to_vec(),
        })
    }
}

/// Does what the line asks for.
pub(crate) fn diskspd(line: &Line, environment: &Environment) -> Ending {
    let mut args = Vec::new();
    for word in &line.words {
        let Some(text) = word.to_str() else {
            let shown = word.to_string_lossy();
            output::tell(&format!(
                "{shown}: this argument is not UTF-8, and DISKSPD's profiles and results are Unicode: give the file \
                 another name, or a link with one"
            ));
            return REFUSED;
        };
        args.push(text.to_owned());
    }
    if args == ["--help"] {
        return usage(line, GOOD);
    }
    match read(&args) {
        Ok(request) => carry_out(line, &args, &request, environment),
        Err(refusal) => {
            for problem in refusal.iter() {
                let (text, below) = problem.message();
                output::tell_with(&text, &below);
            }
            REFUSED
        }
    }
}

fn read(args: &[String]) -> Result<Request, diskspd::Refusal> {
    let root = Root::live();
    let read = |path: &str| pages::profile_text(Path::new(path));
    diskspd::parse(
        args,
        &diskspd::Environment {
            uptime_ms: host::uptime_ms(&root),
            read: &read,
            exists: &|path| Path::new(path).exists(),
        },
    )
}

fn carry_out(line: &Line, args: &[String], request: &Request, environment: &Environment) -> Ending {
    if !matches!(request.action, Action::Run(_)) {
        let tell = |note: &diskspd::Note| output::tell(&note.to_string());
        request.notes.iter().for_each(tell); // a run tells them when it is clear that it runs
    }
    match &request.action {
        Action::Usage { asked } => usage(line, if *asked { GOOD } else { REFUSED }),
        Action::Print(profile) => print(&restated(profile, line, request.extra.compat)),
        Action::Signal { event } => signal(event),
        Action::Run(profile) => {
            let asked = Asked {
                profile,
                extra: &request.extra,
                events: &request.events,
                notes: &request.notes,
                echo: &line.echo,
                args,
            };
            session::run(&asked, environment)
        }
    }
}

fn usage(line: &Line, ending: Ending) -> Ending {
    match print(&diskspd::usage(line.program)) {
        GOOD => ending,
        other => other,
    }
}

/// `-Rp`.
fn restated(profile: &Profile, line: &Line, compat: Compat) -> String {
    match profile.result_format {
        ResultFormat::Text => diskspd::print_text(profile, &line.echo, compat),
        ResultFormat::Xml => diskspd::write_xml(profile, 0),
    }
}

/// `-ye`.
fn signal(name: &str) -> Ending {
    match host::set_event(environment::runtime_folder().as_deref(), name) {
        Ok(()) => print(&format!(
            "Succesfully set event: '{name}'\nNow exiting...\n" // the original's spelling
        )),
        Err(why) => {
            output::tell(&why);
            FAILED
        }
    }
}

fn print(text: &str) -> Ending {
    match output::print(text.as_bytes()) {
        Ok(()) => GOOD,
        Err(failure) => {
            failure.say();
            FAILED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Option<(&'static str, String, usize)> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Line::of(&words).map(|line| (line.program, line.echo, line.words.len()))
    }

    #[test]
    fn the_program_s_name_or_its_first_word_makes_it_diskspd() {
        let by_name = line(&["/usr/bin/diskspd", "-b4K", "f"]);
        assert_eq!(
            by_name,
            Some((NAME, "/usr/bin/diskspd -b4K f".to_owned(), 2))
        );
        assert_eq!(line(&["diskspd.exe"]).map(|line| line.2), Some(0));
        let by_word = line(&["./fathom", "diskspd", "--", "f"]);
        assert_eq!(
            by_word.map(|line| (line.0, line.2)),
            Some(("fathom diskspd", 2))
        );
        assert_eq!(line(&["fathom", "run", "diskspd"]), None);
        assert_eq!(line(&[]), None);
    }
}
