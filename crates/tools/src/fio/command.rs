//! fio's command line, and what fathom adds to it: main options, jobs by `--name`, and job files.

use super::Environment;
use super::jobs::{self, Jobs};
use super::problem::{Note, Place, Problem, Refusal};
use super::text::Sections;
use crate::OwnOptions;
use std::collections::HashSet;
use std::path::PathBuf;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As `fathom run` prints them.
    #[default]
    Text,
    /// fio's JSON.
    Json,
}

/// The options that are no job's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// fathom's own.
    pub own: OwnOptions,
    /// `--output FILE`: results go there.
    pub output: Option<PathBuf>,
    /// `--output-format`.
    pub form: Form,
    sections: Vec<String>,
    parse_only: bool,
    help: bool,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Print the help.
    Usage,
    /// Say what the jobs mean and leave.
    ParseOnly,
    /// Measure.
    Run,
}

/// A request as read.
pub struct Request {
    /// What is to be done.
    pub action: Action,
    /// What was taken and is different here.
    pub notes: Vec<Note>,
    /// The options that are no job's.
    pub extra: Extra,
    pub(super) jobs: Jobs,
}

/// An option of the command line that is no job's.
pub struct Main {
    /// Behind the two dashes.
    pub name: &'static str,
    /// What belongs to it; empty where nothing does.
    pub argument: &'static str,
    /// What it does.
    pub doc: &'static str,
    read: fn(&mut Extra, &str) -> Result<(), String>,
}

impl Main {
    /// With what belongs to it.
    pub fn shown(&self) -> String {
        match self.argument {
            "" => self.name.to_owned(),
            argument => format!("{}={argument}", self.name),
        }
    }
}

const fn main(
    name: &'static str,
    argument: &'static str,
    doc: &'static str,
    read: fn(&mut Extra, &str) -> Result<(), String>,
) -> Main {
    Main {
        name,
        argument,
        doc,
        read,
    }
}

/// All of them.
pub const MAIN: &[Main] = &[
    main("help", "", "print this and leave", |extra, _| {
        extra.help = true;
        Ok(())
    }),
    main(
        "output",
        "FILE",
        "results go to this file",
        |extra, text| {
            extra.output = Some(PathBuf::from(text));
            Ok(())
        },
    ),
    main(
        "output-format",
        "normal or json",
        "form of the results; json is fio's own",
        |extra, text| {
            extra.form = match text {
                "normal" => Form::Text,
                "json" | "json+" => Form::Json,
                _ => return Err("must be normal or json: fathom has no terse output".to_owned()),
            };
            Ok(())
        },
    ),
    main(
        "section",
        "NAME",
        "only this job of the files; again for more",
        |extra, text| {
            extra.sections.push(text.to_owned());
            Ok(())
        },
    ),
    main(
        "parse-only",
        "",
        "say what the jobs mean, and leave",
        |extra, _| {
            extra.parse_only = true;
            Ok(())
        },
    ),
    main(
        "overwrite",
        "",
        "fathom's own: existing files that fathom did not make may be written",
        |extra, _| {
            extra.own.consent.overwrite_files = true;
            Ok(())
        },
    ),
    main(
        "destroy",
        "DEVICE",
        "fathom's own: this device may be written and what is on it lost",
        |extra, text| {
            extra.own.consent.destroy_devices.push(PathBuf::from(text));
            Ok(())
        },
    ),
    main(
        "store",
        "PATH",
        "fathom's own: where the runs are kept",
        |extra, text| {
            extra.own.store = Some(PathBuf::from(text));
            Ok(())
        },
    ),
    main(
        "no-store",
        "",
        "fathom's own: do not keep the runs",
        |extra, _| {
            extra.own.no_store = true;
            Ok(())
        },
    ),
];

/// Reads a command line, program omitted.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn parse(args: &[String], environment: &Environment<'_>) -> Result<Request, Refusal> {
    let mut extra = Extra::default();
    let mut sections = Sections::new(environment);
    let here = Place::default();
    let mut rest = args.iter().peekable();
    let mut files = Vec::new();
    while let Some(arg) = rest.next() {
        let Some(long) = arg.strip_prefix("--").filter(|long| !long.is_empty()) else {
            match arg.as_str() {
                "-h" => extra.help = true,
                short if short.starts_with('-') && short.len() > 1 => {
                    sections.problems.push(wrong(
                        arg,
                        "there is no such switch: specify --help for those there are",
                    ));
                }
                file => files.push(file.to_owned()),
            }
            continue;
        };
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let own = MAIN.iter().find(|row| row.name == name);
        // `--overwrite=1` is fio's option of a job.
        match own.filter(|row| !row.argument.is_empty() || value.is_none()) {
            Some(row) => {
                let value = match (row.argument, value) {
                    ("", _) => Some(String::new()),
                    (_, None) => rest.next().cloned(),
                    (_, value) => value,
                };
                let reported = match value {
                    Some(value) => (row.read)(&mut extra, &value),
                    None => Err(format!("{} belongs to it", row.argument)),
                };
                if let Err(why) = reported {
                    sections.problems.push(wrong(arg, &why));
                }
            }
            None => job_option(&mut sections, &here, name, value, &mut rest),
        }
    }
    for file in &files {
        sections.job_file(file, &here);
    }
    if extra.help {
        return Ok(Request {
            action: Action::Usage,
            notes: Vec::new(),
            extra,
            jobs: Jobs::default(),
        });
    }
    finish(sections, extra)
}

/// An option of a job: `--name` begins one, and what stands before the first is for all.
fn job_option<'a>(
    sections: &mut Sections<'_>,
    here: &Place,
    name: &str,
    value: Option<String>,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'a String>>,
) {
    let behind = || -> Option<String> { None };
    let value = value.or_else(behind);
    if name == "name" {
        let value = value.or_else(|| rest.next().cloned()).unwrap_or_default();
        sections.section(here, &value);
        return;
    }
    if sections.all.is_empty() {
        sections.section(here, "global");
    }
    // `--rw randread` is the same as `--rw=randread`.
    let follows =
        |next: &&&String| !next.starts_with('-') && jobs::names().any(|known| known == name);
    let value = match value {
        None if TAKES_NONE.contains(&name) => None,
        None => rest
            .peek()
            .filter(follows)
            .is_some()
            .then(|| rest.next().cloned())
            .flatten(),
        value => value,
    };
    let text = match value {
        Some(value) => format!("{name}={value}"),
        None => name.to_owned(),
    };
    sections.option(here, &text);
}

/// Options that stand alone more often than not: a job file may follow them.
const TAKES_NONE: &[&str] = &[
    "stonewall",
    "time_based",
    "group_reporting",
    "new_group",
    "thread",
    "norandommap",
    "hipri",
    "zero_buffers",
    "refill_buffers",
    "fixedbufs",
    "registerfiles",
    "sqthread_poll",
    "gtod_reduce",
    "direct",
];

fn wrong(what: &str, why: &str) -> Problem {
    Problem {
        place: Place::default(),
        what: what.to_owned(),
        why: why.to_owned(),
    }
}

fn finish(sections: Sections<'_>, extra: Extra) -> Result<Request, Refusal> {
    let Sections {
        all, mut problems, ..
    } = sections;
    let names: HashSet<&str> = all.iter().map(|section| section.name.as_str()).collect();
    for name in extra
        .sections
        .iter()
        .filter(|name| !names.contains(name.as_str()))
    {
        problems.push(wrong(
            &format!("--section={name}"),
            "there is no such section",
        ));
    }
    let unreadable = all.is_empty() && !problems.is_empty();
    let mut jobs = jobs::read(&all, &extra.sections);
    if !unreadable {
        problems.append(std::mem::take(&mut jobs.problems));
    }
    Refusal::none_or(problems)?;
    let action = match extra.parse_only {
        true => Action::ParseOnly,
        false => Action::Run,
    };
    Ok(Request {
        action,
        notes: std::mem::take(&mut jobs.notes),
        extra,
        jobs,
    })
}
