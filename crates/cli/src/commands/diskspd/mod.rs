//! `fathom diskspd`, and the program under the name `diskspd`: DISKSPD's command line, output and exit codes.
//!
//! The dialect's exit codes are its own: 0 results were printed, 1 the run failed, 3 the request was refused. Its
//! standard output is DISKSPD's too; all other messages go to standard error. `session` runs the time
//! spans, `events` is `-y`, `trace` is `-v` and `-P`, `pages` puts the results where they were asked for.
//! Deliberately absent: what any switch means (`dialects`), and any number or layout (`views`).

mod events;
mod pages;
mod session;
mod trace;

use super::VERSION;
use super::dialect::Line;
use super::hosts::{Member, Together, Way, read_line, together};
use crate::args::{HostsArgs, KeepArgs};
use crate::commands::run::stored::KIND;
use crate::environment::{self, Environment};
use crate::failure::Ending;
use crate::output;
use crate::subcommand::Subcommand;
use ::session::clock;
use host::Root;
use model::{CommandError, ErrorKind};
use std::path::Path;
use store::NewSession;
use tools::diskspd::{self, Action, Compat, Events, Extra, Note, Profile, Request, ResultFormat};
use trace::Wishes;

/// The row of `fathom diskspd`.
pub(crate) static COMMAND: Subcommand = Subcommand::dialect(
    "diskspd",
    "Run a command line or an XML profile of DISKSPD, up to 2.3, and print its output; \
     `fathom diskspd -?` lists its switches",
    |line, environment| Ok(diskspd(line, environment)),
)
.with_ranks();

/// What is to be run, as it was asked for.
struct Asked<'a> {
    profile: &'a Profile,
    extra: &'a Extra,
    events: &'a Events,
    /// What was accepted and may not mean what was meant.
    notes: &'a [Note],
    echo: &'a str,
    args: &'a [String],
}

impl Asked<'_> {
    /// Whether standard output gets a document, which nothing else may break.
    fn document(&self) -> bool {
        self.profile.result_format == ResultFormat::Xml
    }

    /// The line that means the same to fathom, for the record.
    fn command(&self) -> Vec<String> {
        let head = ["fathom", "diskspd"].map(str::to_owned);
        head.into_iter().chain(self.args.iter().cloned()).collect()
    }

    fn wishes(&self) -> Wishes {
        Wishes {
            verbose: self.profile.verbose,
            dot_every: self.profile.progress,
            document: self.document(),
        }
    }

    /// Its entry in the database.
    fn new_session(&self) -> NewSession {
        let spans = self.profile.time_spans.iter();
        let targets = spans.flat_map(|span| &span.targets);
        let targets = model::distinct(targets.map(|target| target.path.as_str()));
        ::session::new_session(
            KIND.stored(),
            self.command(),
            targets.join(" "),
            clock::utc(),
        )
    }
}

const GOOD: Ending = Ending::Code(0);
const FAILED: Ending = Ending::Code(1);
const REFUSED: Ending = Ending::Code(diskspd::Refusal::EXIT_CODE);

/// Does what the line asks for.
pub(crate) fn diskspd(line: &Line, environment: &Environment) -> Ending {
    let args = line.texts().map_err(CommandError::refused);
    let read_line = args.and_then(|mut args| {
        let (hosts, way) = read_line(&mut args, environment)?;
        Ok((args, hosts, way))
    });
    let (args, hosts, way) = match read_line {
        Ok(read_line) => read_line,
        Err(failure) => {
            crate::failure::say(&failure);
            return REFUSED;
        }
    };
    if args == ["--help"] {
        return usage(line, GOOD);
    }
    let request = read(&args);
    let given = Given {
        line,
        args: &args,
        environment,
        member: None,
    };
    match (way, &request) {
        (Some(way), request) if runs(request) => {
            let own = request.as_ref().map(|request| &request.extra.own);
            let keep = own.map_or_else(|_| KeepArgs::default(), KeepArgs::of_tool);
            let all = Together {
                options: diskspd::option,
                repeats: true,
                ..Together::new(&hosts, &keep, &KIND)
            };
            let ended = together(&all, &way, environment, &|member| {
                let given = Given {
                    member: Some(member),
                    ..given
                };
                Ok(answer(&given, request))
            });
            ended.unwrap_or_else(|failure| {
                crate::failure::say(&failure);
                match failure.kind() {
                    ErrorKind::Failed => FAILED,
                    ErrorKind::Refused | ErrorKind::Unfit => REFUSED,
                }
            })
        }
        // Rank 0 does it once for all.
        (Some(Way::Launched(launch)), _) if launch.rank > 0 => GOOD,
        (_, request) => answer(&given, request),
    }
}

/// Whether all processes of a job work on it. Rank 0 reports a wrong request when all others can hear that it ends.
fn runs(request: &Result<Request, diskspd::Refusal>) -> bool {
    let is_run = |request: &Request| matches!(request.action, Action::Run(_));
    request.as_ref().map_or(true, is_run)
}

/// A command line, and how this process carries it out.
#[derive(Clone, Copy)]
struct Given<'a> {
    line: &'a Line,
    args: &'a [String],
    environment: &'a Environment,
    /// As rank 0 of several.
    member: Option<&'a Member<'a>>,
}

fn answer(given: &Given<'_>, request: &Result<Request, diskspd::Refusal>) -> Ending {
    match request {
        Ok(request) => carry_out(given, request),
        Err(refusal) => {
            for problem in refusal.iter() {
                let (text, below) = problem.message();
                output::tell_with(&text, &below);
            }
            refusal.more().iter().for_each(|more| output::tell(more));
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

fn carry_out(given: &Given<'_>, request: &Request) -> Ending {
    let Given {
        line,
        args,
        environment,
        member,
    } = *given;
    if !matches!(request.action, Action::Run(_)) {
        let tell = |note: &diskspd::Note| output::tell(&note.to_string());
        request.notes.iter().for_each(tell); // a run prints them when the request is accepted
    }
    match &request.action {
        Action::Usage { asked } => usage(line, if *asked { GOOD } else { REFUSED }),
        Action::Print(profile) => print(&restated(profile, line, request.extra.compat)),
        Action::Machine(format) => print(&machine(*format, request.extra.compat)),
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
            session::run(&asked, environment, member)
        }
    }
}

fn usage(line: &Line, ending: Ending) -> Ending {
    let usage = diskspd::usage(&line.program) + HostsArgs::OF_TOOL;
    match printed(output::print_usage(&usage)) {
        GOOD => ending,
        other => other,
    }
}

/// `-Rp`.
fn restated(profile: &Profile, line: &Line, compat: Compat) -> String {
    match profile.result_format {
        ResultFormat::Text => diskspd::print_text(profile, &line.echo, compat),
        ResultFormat::Xml => diskspd::write_xml(profile, 0, compat),
    }
}

/// `-Rs`.
fn machine(format: ResultFormat, compat: Compat) -> String {
    let host = host::host_record(&Root::live());
    let system = diskspd::figures::system(&host, clock::utc(), VERSION);
    match format {
        ResultFormat::Text => diskspd::machine_text(&system),
        ResultFormat::Xml => diskspd::machine_xml(&system, compat),
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
    printed(output::print(text.as_bytes()))
}

fn printed(outcome: Result<(), model::CommandError>) -> Ending {
    match outcome {
        Ok(()) => GOOD,
        Err(failure) => {
            crate::failure::say(&failure);
            FAILED
        }
    }
}
