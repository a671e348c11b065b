//! One job as its options mean it, before files are looked at.
//!
//! Left out: what several jobs mean together, which `build` says.

use super::number::Base;
use super::problem::{Note, Place, Problem};
use super::table::{self, Fate, ROWS};
use super::text::{Said, Section};
use crate::refusal::{Once, PROBLEMS_MAX, Problems};
use model::{EngineChoice, Polling, Spacing};

/// Sizes of one direction's I/Os.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    Fixed(u64),
    Range(u64, u64),
    Split(Vec<(u64, u32)>),
}

/// A size, or a share of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Bytes(u64),
    Percent(u8),
}

/// What is read and written, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) random: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// Where random I/Os fall, where that is not anywhere alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Zones {
    Percent(Vec<(u8, u8)>),
    Bytes(Vec<(u8, u64)>),
}

/// A job with all its options, defaults too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) base: Base,
    pub(super) files: Vec<String>,
    pub(super) directory: Option<String>,
    pub(super) file_count: u64,
    pub(super) pattern: Pattern,
    pub(super) write_percent: u8, // of a mix
    pub(super) percentage_random: u8,
    pub(super) zones: Option<Zones>,
    pub(super) reads: Sizes,
    pub(super) write_sizes: Sizes,
    pub(super) align: Option<u64>,
    pub(super) engine: EngineChoice,
    pub(super) engine_name: String,
    pub(super) mapped: bool,
    pub(super) polling: Polling,
    pub(super) depth: u64,
    pub(super) jobs: u64,
    pub(super) size: Option<Amount>,
    pub(super) io_size: Option<Amount>,
    pub(super) file_size: Option<u64>,
    pub(super) offset: Option<Amount>,
    pub(super) loops: u64,
    pub(super) runtime_ns: Option<u64>,
    pub(super) time_based: bool,
    pub(super) ramp_ns: u64,
    pub(super) interval_ns: Option<u64>,
    pub(super) think_ns: u64,
    pub(super) think_blocks: u64,
    pub(super) rate: Option<u64>,
    pub(super) rate_iops: Option<u64>,
    pub(super) spacing: Spacing,
    pub(super) direct: bool,
    pub(super) durable: bool,
    pub(super) seed: u64,
    pub(super) go_on: bool,
    pub(super) zeros: bool,
    pub(super) compress: u8,
    pub(super) dedupe: u8,
    pub(super) cores: Option<String>,
    pub(super) stonewall: bool,
    pub(super) wait_for: Option<String>,
    pub(super) new_group: bool,
    pub(super) grouped: bool,
    /// All options but those of globals, as they were given.
    pub(super) own: Vec<(String, String)>,
    /// Which of [`USUAL`] were given, in globals too, by their first name.
    pub(super) said: Vec<&'static str>,
}

impl Job {
    fn new(section: &Section) -> Job {
        Job {
            place: section.place.clone(),
            name: section.name.clone(),
            base: Base(1024),
            files: Vec::new(),
            directory: None,
            file_count: 1,
            pattern: Pattern {
                random: false,
                reads: true,
                writes: false,
            },
            write_percent: 50,
            percentage_random: 100,
            zones: None,
            reads: Sizes::Fixed(4096),
            write_sizes: Sizes::Fixed(4096),
            align: None,
            engine: EngineChoice::Sync,
            engine_name: "psync".to_owned(),
            mapped: false,
            polling: Polling::default(),
            depth: 1,
            jobs: 1,
            size: None,
            io_size: None,
            file_size: None,
            offset: None,
            loops: 1,
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            interval_ns: None,
            think_ns: 0,
            think_blocks: 1,
            rate: None,
            rate_iops: None,
            spacing: Spacing::Constant,
            direct: false,
            durable: false,
            seed: 0,
            go_on: false,
            zeros: false,
            compress: 0,
            dedupe: 0,
            cores: None,
            stonewall: false,
            wait_for: None,
            new_group: false,
            grouped: false,
            own: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Whether it does both, drawn by chance.
    pub(super) fn is_mix(&self) -> bool {
        self.pattern.reads && self.pattern.writes
    }

    /// Percent of its I/Os that are writes.
    pub(super) fn writes_percent(&self) -> u8 {
        match (self.pattern.reads, self.pattern.writes) {
            (true, true) => self.write_percent,
            (_, writes) => 100 * u8::from(writes),
        }
    }
}

/// Options that readers of results look for.
pub(super) const USUAL: [&str; 4] = ["rw", "bs", "iodepth", "numjobs"];
/// Most bytes of the globals of all jobs together: each job reads those before it again.
const REPEATED_MAX: usize = 8 << 20;
/// Most names of files of all jobs.
pub(super) const FILES_MAX: usize = 16_384;

/// Everything that the sections say: jobs, what is wrong, what deserves a word.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) jobs: Vec<Job>,
    pub(super) globals: Vec<(String, String)>,
    pub(super) problems: Problems<Problem>,
    pub(super) notes: Vec<Note>,
    told: Once,
    /// Notes beyond those that are kept.
    more_notes: usize,
}

/// The jobs of sections, each with the globals before it. `only` picks jobs by name.
pub(super) fn read(sections: &[Section], only: &[String]) -> Jobs {
    let mut all = Jobs::default();
    let mut globals: Vec<&Said> = Vec::new();
    let (mut length, mut repeated, mut files) = (0, 0usize, 0);
    let mut source = 0;
    for section in sections {
        // As in fio, the first file goes on with the globals of the command line, and each further one begins anew.
        if section.source > source.max(1) {
            globals.clear();
            length = 0;
        }
        source = section.source;
        if section.name == "global" {
            for said in &section.options {
                all.globals.push(pair(said));
            }
            globals.extend(&section.options);
            length += section.options.iter().map(Said::length).sum::<usize>();
            continue;
        }
        if !only.is_empty() && !only.contains(&section.name) {
            continue;
        }
        repeated = repeated.saturating_add(length);
        if repeated > REPEATED_MAX || files > FILES_MAX {
            let why = match files > FILES_MAX {
                true => format!("the jobs name more than {FILES_MAX} files together: take fewer"),
                false => format!(
                    "the options of [global] are read again for each job, and are {} MiB by now: take fewer jobs, or fewer \
                     options in [global]",
                    REPEATED_MAX >> 20
                ),
            };
            all.problems.push(Problem {
                place: section.place.clone(),
                what: format!("[{}]", section.name),
                why,
            });
            break;
        }
        let mut job = Job::new(section);
        let given = globals.iter().copied().chain(&section.options);
        // What numbers mean stands before the numbers, wherever it was said.
        let (first, rest): (Vec<&Said>, Vec<&Said>) =
            given.partition(|said| said.name == "kb_base");
        for said in first.into_iter().chain(rest) {
            all.take(&mut job, said);
        }
        files += job.files.len();
        job.own = section.options.iter().map(pair).collect();
        all.jobs.push(job);
    }
    if all.more_notes > 0 {
        all.notes.push(Note {
            place: Place::default(),
            what: format!("{} more notes", all.more_notes),
            why: "they are like these and not shown".to_owned(),
        });
    }
    if all.jobs.is_empty() && all.problems.is_empty() {
        all.problems.push(Problem {
            place: Place::default(),
            what: "no job".to_owned(),
            why:
                "name a job file with a section beside [global], or say --name=NAME and its options"
                    .to_owned(),
        });
    }
    all
}

fn pair(said: &Said) -> (String, String) {
    let value = said.value.clone().unwrap_or_else(|| "1".to_owned());
    (said.name.clone(), value)
}

impl Jobs {
    fn take(&mut self, job: &mut Job, said: &Said) {
        let Some(row) = table::find(&said.name) else {
            return self.refuse(said, "fio 3.x has no such option that fathom knows; `fathom fio --help` lists those that it does");
        };
        let name = row.names[0];
        if USUAL.contains(&name) && !job.said.contains(&name) {
            job.said.push(name);
        }
        match row.fate {
            Fate::Read(read) => match read(job, said.value.as_deref()) {
                Ok(None) => {}
                Ok(Some(note)) => self.note(said, &note),
                Err(why) if why.is_empty() => self.refuse(said, row.linux),
                Err(why) => self.refuse(said, &why),
            },
            Fate::Note => self.note(said, row.linux),
            Fate::Refuse => self.refuse(said, row.linux),
        }
    }

    fn refuse(&mut self, said: &Said, why: &str) {
        let problem = Problem {
            place: said.place.clone(),
            what: said.shown(),
            why: why.to_owned(),
        };
        // A global is read again for every job, and told once.
        if self.told.is_new(&problem) {
            self.problems.push(problem);
        }
    }

    fn note(&mut self, said: &Said, why: &str) {
        let note = Note {
            place: said.place.clone(),
            what: said.shown(),
            why: why.to_owned(),
        };
        if self.told.is_new(&note) {
            match self.notes.len() < PROBLEMS_MAX {
                true => self.notes.push(note),
                false => self.more_notes += 1,
            }
        }
    }
}

/// The names of all options, for whoever lists them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|row| row.names.iter().copied())
}
