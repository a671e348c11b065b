//! Sections → jobs, by the table of options. Omitted: what a job has (`job`), and what an option does to it (`read`).

use super::job::{FILES_MAX, Job, USUAL};
use super::problem::{Note, Place, Problem};
use super::read_bounds;
use super::row::Fate;
use super::table;
use super::text::{Said, Section};
use crate::refusal::{Once, PROBLEMS_MAX, Problems};

/// Most bytes of the globals of all jobs together: each job reads those before it again.
const REPEATED_MAX: usize = 8 << 20;

/// Everything that the sections contain: jobs, problems, notes.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) jobs: Vec<Job>,
    pub(super) globals: Vec<(String, String)>,
    pub(super) problems: Problems<Problem>,
    pub(super) notes: Vec<Note>,
    reported: Once,
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
        // As in fio, the first file goes on with the globals of the command line, and each further one begins again.
        if section.source > source.max(1) {
            globals.clear();
            length = 0;
        }
        source = section.source;
        if section.name == "global" {
            globals.extend(all.take_globals(section));
            length += section.options.iter().map(Said::length).sum::<usize>();
            continue;
        }
        if !only.is_empty() && !only.contains(&section.name) {
            continue;
        }
        repeated = repeated.saturating_add(length);
        if repeated > REPEATED_MAX || files > FILES_MAX {
            let why = match files > FILES_MAX {
                true => format!("the jobs name more than {FILES_MAX} files together: use fewer"),
                false => format!(
                    "the options of [global] are read again for each job, and are {} MiB by now: use fewer jobs, or fewer \
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
        // What numbers mean stands before the numbers, wherever it was specified.
        let (first, rest): (Vec<&Said>, Vec<&Said>) =
            given.partition(|said| said.name == "kb_base");
        for said in first.into_iter().chain(rest) {
            all.take(&mut job, said);
        }
        all.settle(&mut job);
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
    all
}

/// Reports that there is nothing to run.
pub(super) fn no_job() -> Problem {
    Problem {
        place: Place::default(),
        what: "no job".to_owned(),
        why: "specify a job file with a section other than [global], or specify --name=NAME and its options"
            .to_owned(),
    }
}

fn pair(said: &Said) -> (String, String) {
    let value = said.value.clone().unwrap_or_else(|| "1".to_owned());
    (table::canonical(&said.name).to_owned(), value)
}

impl Jobs {
    /// The options of a `[global]` that its jobs have.
    fn take_globals<'s>(&mut self, section: &'s Section) -> impl Iterator<Item = &'s Said> {
        for said in &section.options {
            self.globals.push(pair(said));
            if said.name == "name" {
                self.note(
                    said,
                    "no effect in [global], as in fio: jobs are named after their sections",
                );
            }
        }
        let options = section.options.iter();
        options.filter(|said| said.name != "name")
    }

    fn take(&mut self, job: &mut Job, said: &Said) {
        let Some(row) = table::find(&said.name) else {
            // Its value may be a secret of another file.
            return self.refuse_as(
                said,
                said.name.clone(),
                "no known option of fio 3.x; `fathom fio --help` lists the known ones".to_owned(),
            );
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
                Err(why) => self.refuse_as(said, said.invalid(), why),
            },
            Fate::Note => self.note(said, row.linux),
            Fate::Refuse => self.refuse(said, row.linux),
        }
    }

    /// Decides what options mean together.
    fn settle(&mut self, job: &mut Job) {
        let (place, what) = (job.place.clone(), format!("[{}]", job.name));
        let mut notes = Vec::new();
        if job.time_based && job.runtime_ns.is_none() {
            job.time_based = false;
            notes.push("time_based: no effect without runtime, as in fio".to_owned());
        }
        notes.extend(read_bounds::notes(job));
        let shares = job.share_by_rates().map(|note| notes.extend(note));
        let verify = job
            .settle_verify()
            .map(|all| notes.extend(all.into_iter().map(str::to_owned)));
        let priority = job.priority().map(drop);
        let replay = job.settle_replay();
        let zones = job.settle_zones().map(drop);
        let problems = [
            shares.err(),
            verify.err().map(str::to_owned),
            priority.err().map(str::to_owned),
            replay.err().map(str::to_owned),
            zones.err().map(str::to_owned),
        ];
        for why in problems.into_iter().flatten() {
            self.problems.push(Problem {
                place: place.clone(),
                what: what.clone(),
                why,
            });
        }
        self.notes.extend(notes.into_iter().map(|why| Note {
            place: place.clone(),
            what: what.clone(),
            why,
        }));
    }

    fn refuse(&mut self, said: &Said, why: &str) {
        self.refuse_as(said, said.shown(), why.to_owned());
    }

    fn refuse_as(&mut self, said: &Said, what: String, why: String) {
        let place = said.place.clone();
        let problem = Problem { place, what, why };
        // A global is read again for every job, and reported once.
        if self.reported.is_new(&problem) {
            self.problems.push(problem);
        }
    }

    fn note(&mut self, said: &Said, why: &str) {
        let note = Note {
            place: said.place.clone(),
            what: said.shown(),
            why: why.to_owned(),
        };
        if self.reported.is_new(&note) {
            match self.notes.len() < PROBLEMS_MAX {
                true => self.notes.push(note),
                false => self.more_notes += 1,
            }
        }
    }
}

/// The names of all options, for a list of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    table::rows().flat_map(|row| row.names.iter().copied())
}
