//! fio's command line, and what fathom adds to it: main options, jobs by `--name`, and job files.

use super::Environment;
use super::jobs::{self, Jobs};
use super::number::{TIME_FORM, digits, time};
use super::problem::{Note, Place, Problem, Refusal, withhold};
use super::text::Sections;
use crate::OwnOptions;
use model::Nanos;
use std::collections::HashSet;
use std::path::PathBuf;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As `fathom run` prints them.
    #[default]
    Text,
    /// fio's text.
    Normal,
    /// fio's JSON.
    Json,
    /// The same with the histograms of the latencies.
    JsonPlus,
    /// fio's fields between `;`, in this version of theirs.
    Terse(u8),
}

/// The options that are no job's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// fathom's own.
    pub own: OwnOptions,
    /// `--output FILE`: results go there.
    pub output: Option<PathBuf>,
    /// `--output-format`; empty for the one that is usual.
    pub forms: Vec<Form>,
    terse_version: Option<u8>,
    /// `--readonly`: nothing is written.
    pub read_only: bool,
    /// `--status-interval`: results are printed as often while they are measured.
    pub status_every: Option<Nanos>,
    /// `--eta=never`: no progress is shown.
    pub no_progress: bool,
    appends: bool,
    jobs_max: Option<u64>,
    sections: Vec<String>,
    parse_only: bool,
    /// The help or the version is printed, and nothing else is done. Help is of this option or engine; of all where it is empty.
    prints: Option<(Action, String)>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Print the help.
    Usage,
    /// Print the version.
    Version,
    /// Print an option of jobs, or all.
    CommandHelp,
    /// Print the engines.
    EngineHelp,
    /// Print what the jobs mean and exit.
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
    pub(super) drawn_seed: u64,
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
            optional if optional.starts_with('[') => format!("{}{optional}", self.name),
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
        extra.prints = Some((Action::Usage, String::new()));
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
        "FORMS",
        "forms of the results, as fio's: normal, json, json+ (with histograms), terse; several with a comma between",
        |extra, text| {
            extra.forms.clear();
            for form in text.split(',') {
                extra.forms.push(match form {
                    "normal" => Form::Normal,
                    "json" => Form::Json,
                    "json+" => Form::JsonPlus,
                    "terse" | "minimal" => Form::Terse(TERSE),
                    _ => return Err("must be normal, json, json+ or terse".to_owned()),
                });
            }
            Ok(())
        },
    ),
    main(
        "minimal",
        "",
        "the same as --output-format=terse",
        |extra, _| {
            extra.forms = vec![Form::Terse(TERSE)];
            Ok(())
        },
    ),
    main(
        "terse-version",
        "VERSION",
        "3, 4 or 5: which fields terse has",
        |extra, text| {
            extra.terse_version = match text {
                "3" => Some(3),
                "4" => Some(4),
                "5" => Some(5),
                _ => return Err("must be 3, 4 or 5".to_owned()),
            };
            Ok(())
        },
    ),
    main(
        "append-terse",
        "",
        "terse besides the other forms",
        |extra, _| {
            extra.appends = true;
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
        "print what the jobs mean, and exit",
        |extra, _| {
            extra.parse_only = true;
            Ok(())
        },
    ),
    main("version", "", "print the version and leave", |extra, _| {
        let version = (Action::Version, String::new());
        extra.prints.get_or_insert(version);
        Ok(())
    }),
    main(
        "cmdhelp",
        "[=OPTION]",
        "print an option of jobs, or all of them, and leave",
        |extra, text| {
            extra.prints = Some((Action::CommandHelp, text.to_owned()));
            Ok(())
        },
    ),
    main(
        "enghelp",
        "[=ENGINE]",
        "print the engines and leave",
        |extra, text| {
            extra.prints = Some((Action::EngineHelp, text.to_owned()));
            Ok(())
        },
    ),
    main(
        "readonly",
        "",
        "refuse jobs that write, and create no file",
        |extra, _| {
            extra.read_only = true;
            Ok(())
        },
    ),
    main(
        "eta",
        "WHEN",
        "never: no progress; auto, always: progress on a terminal",
        |extra, text| {
            extra.no_progress = text == "never";
            match text {
                "never" | "auto" | "always" => Ok(()),
                _ => Err("must be always, never or auto".to_owned()),
            }
        },
    ),
    main(
        "eta-newline",
        "TIME",
        "no effect: progress is one line that changes",
        a_time,
    ),
    main(
        "eta-interval",
        "TIME",
        "no effect: progress changes five times per second",
        a_time,
    ),
    main(
        "status-interval",
        "TIME",
        "the results so far are printed as often as this; as fio's normal text where no form is specified",
        |extra, text| {
            let ns = time(text, 1_000_000_000).ok_or(TIME_FORM)?;
            if (1..STATUS_EVERY_MIN_NS).contains(&ns) {
                return Err("must be 100ms or more: each print copies what was counted".to_owned());
            }
            extra.status_every = Some(Nanos(ns)).filter(|every| every.0 > 0);
            Ok(())
        },
    ),
    main(
        "max-jobs",
        "COUNT",
        "refuse more threads than this",
        |extra, text| {
            extra.jobs_max = Some(digits(text, 10).ok_or("must be a whole number")?);
            Ok(())
        },
    ),
    main(
        "aux-path",
        "FOLDER",
        "no effect: fathom leaves no files of its state behind",
        |_, _| Ok(()),
    ),
    main(
        "alloc-size",
        "KIB",
        "no effect: memory is allocated as it is needed",
        |_, text| match digits(text, 10) {
            Some(_) => Ok(()),
            None => Err("must be a whole number".to_owned()),
        },
    ),
    main(
        "overwrite",
        "",
        "fathom's own: existing files that fathom did not create may be written",
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
        "fathom's own: where the runs are stored",
        |extra, text| {
            extra.own.store = Some(PathBuf::from(text));
            Ok(())
        },
    ),
    main(
        "no-store",
        "",
        "fathom's own: do not store the runs",
        |extra, _| {
            extra.own.no_store = true;
            Ok(())
        },
    ),
];

/// The version of terse where none is specified.
const TERSE: u8 = 3;
/// From one print of results so far to the next, at least.
const STATUS_EVERY_MIN_NS: u64 = 100_000_000;

impl Extra {
    /// Returns of what help is printed; empty for all.
    pub fn subject(&self) -> &str {
        self.prints.as_ref().map_or("", |(_, subject)| subject)
    }

    /// The forms as they are to be printed.
    fn finish_forms(&mut self) {
        if self.appends {
            if self.forms.is_empty() {
                self.forms.push(Form::Normal);
            }
            self.forms.push(Form::Terse(TERSE));
        }
        for form in &mut self.forms {
            if let (Form::Terse(version), Some(asked)) = (form, self.terse_version) {
                *version = asked;
            }
        }
    }
}

fn a_time(_: &mut Extra, text: &str) -> Result<(), String> {
    match time(text, 1_000_000_000) {
        Some(_) => Ok(()),
        None => Err(TIME_FORM.to_owned()),
    }
}

/// Reads a command line, program omitted.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn parse(args: &[String], environment: &Environment<'_>) -> Result<Request, Refusal> {
    let mut extra = Extra::default();
    let mut sections = Sections::new(environment, |name| super::table::find(name).is_some());
    let here = Place::default();
    let mut rest = args.iter().peekable();
    let mut files = Vec::new();
    while let Some(arg) = rest.next() {
        // As getopt_long_only of fio does: one dash or two.
        let long = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
        let Some(long) = long.filter(|long| !long.is_empty()) else {
            files.push(arg.to_owned());
            continue;
        };
        let long = match long {
            "h" => "help",
            "v" => "version",
            long => long,
        };
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let name = match in_full(name) {
            Ok(name) => name,
            Err(why) => {
                sections.problems.push(wrong(arg, &why));
                continue;
            }
        };
        let own = MAIN.iter().find(|row| row.name == name);
        // `--overwrite=1` is fio's option of a job.
        match own.filter(|row| !row.argument.is_empty() || value.is_none()) {
            Some(row) => {
                let value = match (row.argument, value) {
                    ("", _) => Some(String::new()),
                    (optional, None) if optional.starts_with('[') => Some(String::new()),
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
    extra.finish_forms();
    for file in &files {
        sections.job_file(file, &here);
    }
    if let Some((action, _)) = extra.prints {
        return Ok(Request {
            action,
            notes: Vec::new(),
            extra,
            jobs: Jobs::default(),
            drawn_seed: environment.drawn_seed,
        });
    }
    finish(sections, extra, environment.drawn_seed)
}

/// The name of an option that is abbreviated to what no other one begins with, as getopt_long_only of fio accepts it.
fn in_full(name: &str) -> Result<&str, String> {
    let all = || MAIN.iter().map(|row| row.name).chain(jobs::names());
    if all().any(|known| known == name) {
        return Ok(name);
    }
    let mut longer: Vec<&str> = all().filter(|known| known.starts_with(name)).collect();
    longer.sort_unstable();
    longer.dedup();
    match longer[..] {
        [] => Ok(name),
        [one] => Ok(one),
        _ => Err(format!("ambiguous: specify one of {}", longer.join(", "))),
    }
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
    "wait_for_previous",
    "exitall",
    "exitall_on_error",
    "thread",
    "norandommap",
    "hipri",
    "zero_buffers",
    "fixedbufs",
    "registerfiles",
    "sqthread_poll",
];

fn wrong(what: &str, why: &str) -> Problem {
    Problem {
        place: Place::default(),
        what: what.to_owned(),
        why: why.to_owned(),
    }
}

fn finish(mut sections: Sections<'_>, extra: Extra, drawn_seed: u64) -> Result<Request, Refusal> {
    let job_files = sections.job_files();
    let Sections {
        all,
        mut problems,
        mut absent,
        ..
    } = sections;
    withhold(&mut absent, &job_files);
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
    let mut notes = Vec::new();
    match extra.parse_only {
        true => notes.extend(absent.into_kept().into_iter().map(Note::from)),
        false => problems.append(absent),
    }
    let unreadable = all.is_empty() && !problems.is_empty();
    let mut jobs = jobs::read(&all, &extra.sections);
    notes.append(&mut jobs.notes);
    if jobs.jobs.is_empty() && jobs.problems.is_empty() {
        match extra.parse_only && !all.is_empty() {
            true => notes.push(jobs::no_job().into()),
            false => jobs.problems.push(jobs::no_job()),
        }
    }
    if !unreadable {
        problems.append(std::mem::take(&mut jobs.problems));
    }
    let threads: u64 = jobs.jobs.iter().map(|job| job.jobs).sum();
    if let Some(most) = extra.jobs_max.filter(|most| threads > *most) {
        let why = format!("the jobs have {threads} threads: specify more, or fewer threads");
        problems.push(wrong(&format!("--max-jobs={most}"), &why));
    }
    if extra.read_only {
        for job in jobs.jobs.iter().filter(|job| job.pattern.writes) {
            problems.push(Problem {
                place: job.place.clone(),
                what: format!("[{}]", job.name),
                why: "--readonly: this job writes: omit --readonly, or specify rw=read or randread"
                    .to_owned(),
            });
        }
    }
    withhold(&mut problems, &job_files);
    Refusal::none_or(problems)?;
    let action = match extra.parse_only {
        true => Action::ParseOnly,
        false => Action::Run,
    };
    Ok(Request {
        action,
        notes,
        extra,
        jobs,
        drawn_seed,
    })
}
