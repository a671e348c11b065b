//! What only the whole line shows: files and drives, the parameter file and what it makes meaningless, and rules that
//! several switches make together.

use super::command::{Command, Given};
use super::profile::{Access, Affinity, Files, Line};
use super::{Action, COUNT_MAX, Note, Problem, Refusal, Request, names, params};
use std::fmt::Write;

/// Most characters of a name.
const NAME_MAX: usize = 256;

impl Command<'_> {
    pub(super) fn finish(mut self) -> Result<Request, Refusal> {
        let given = std::mem::take(&mut self.given);
        self.refuse_two_kinds(&given);
        let run_ios = given.run_ios.clone();
        self.profile.files = match given.parameters.clone() {
            Some(file) => self.listed(file, &given),
            None => self.named(given),
        };
        self.tell_meaningless(run_ios.as_deref());
        self.refuse_counts();
        self.refuse_stripes();
        if self.extra.own.no_store && self.extra.own.store.is_some() {
            let why = "--store specifies where the run is stored: omit one of the two";
            self.problems.push(rule("--no-store", why));
        }
        Refusal::none_or(self.problems)?;
        Ok(Request {
            action: Action::Run(self.profile),
            notes: self.notes,
            extra: self.extra,
        })
    }

    fn refuse_two_kinds(&mut self, given: &Given) {
        if let (Some(kind), Some(share)) = (&given.kind, &given.share) {
            let why = format!("{kind} specifies the operation already: omit one of the two");
            self.problems.push(rule(share, why));
        }
    }

    /// Without `-F`: the files that were named, on each drive of `-d`, and the raw ones.
    fn named(&mut self, given: Given) -> Files {
        let Given {
            mut files,
            threads,
            drives,
            raw,
            affinity,
            ..
        } = given;
        let raw: Vec<String> = raw.map(|raw| names::raw(&raw)).unwrap_or_default();
        if files.is_empty() && (raw.is_empty() || drives.is_some()) {
            files.push("testfile.dat".to_owned());
        }
        if let Some(letters) = drives {
            if let [file] = files.as_slice() {
                files = names::on_drives(&letters, file);
            } else {
                let why = format!(
                    "it precedes one file name, and {} were read: specify one",
                    files.len()
                );
                self.problems.push(rule(&format!("-d{letters}"), why));
            }
        }
        files.extend(raw);
        Files::Named {
            names: files,
            threads: threads.unwrap_or(1),
            affinity: affinity.map_or(Affinity::Free, |(_, affinity)| affinity),
        }
    }

    /// With `-F`: its lines. Settings that they contain already are reported.
    fn listed(&mut self, file: String, given: &Given) -> Files {
        let lines = match (self.environment.read)(&file) {
            Ok(text) => params::read_params(&file, &text).unwrap_or_else(|problems| {
                self.problems.extend(problems);
                Vec::new()
            }),
            Err(why) => {
                let why = format!("{why}; specify a readable parameter file");
                self.problems.push(rule(&format!("-F{file}"), why));
                Vec::new()
            }
        };
        if !lines.is_empty() {
            self.tell_overruled(&file, &lines, given);
        }
        Files::Listed { file, lines }
    }

    /// The traps of a parameter file.
    fn tell_overruled(&mut self, file: &str, lines: &[Line], given: &Given) {
        let mut note = |about: String, what: String| self.notes.push(Note::new(about, what));
        if let Some(threads) = given.threads {
            let mut shares = String::new();
            for line in lines.iter().take(3) {
                let many = if line.threads == 1 { "" } else { "s" };
                let _ = write!(shares, ", {} gets {} thread{many}", line.name, line.threads);
            }
            note(
                format!("-t{threads}"),
                format!(
                    "changes nothing: with -F the parameter file specifies the threads{shares}; change {file}, or specify \
                    the file itself instead of -F"
                ),
            );
        }
        if !given.files.is_empty() {
            let what =
                format!("not used: with -F only the files in {file} are; omit one of the two");
            note(given.files.join(" "), what);
        }
        if let Some((token, _)) = &given.affinity {
            let what = format!("changes nothing: with -F the masks in {file} count");
            note(token.clone(), what);
        }
        for (letter, value) in [("d", &given.drives), ("R", &given.raw)] {
            if let Some(value) = value {
                let what = format!("changes nothing: with -F only the files in {file} are used");
                note(format!("-{letter}{value}"), what);
            }
        }
    }

    /// What the kind of I/O leaves without a meaning.
    fn tell_meaningless(&mut self, run_ios: Option<&str>) {
        if self.profile.entropy.is_some() && self.profile.read_percent == 100 {
            let what = "changes nothing: nothing is written";
            self.notes.push(Note::new("-q", what));
        }
        let Access::Stripe(_) = self.profile.access else {
            if let Some(token) = run_ios {
                let what = "changes nothing: I/Os of a run belong to stripes, and -f is random or sequential";
                self.notes.push(Note::new(token, what));
            }
            return;
        };
        let sized = self.profile.targets().into_iter();
        for (name, _, size) in sized.filter(|(_, _, size)| size.is_some()) {
            let what = format!(
                "the size field {} is not used: with stripes the file is as long as -b, -f and -i make it; for the size field \
                 specify -frandom or -fsequential",
                size.unwrap_or_default()
            );
            self.notes.push(Note::new(name, what));
        }
    }

    fn refuse_counts(&mut self) {
        let targets = self.profile.targets();
        let (files, threads) = (targets.len(), self.profile.threads());
        let mut reported = Vec::new();
        if files > COUNT_MAX as usize {
            let why = format!("read {files}; there are at most {COUNT_MAX}: omit some");
            reported.push(rule("files", why));
        }
        if threads > COUNT_MAX {
            let why = format!(
                "read {threads} in all lines; there are at most {COUNT_MAX}: use fewer for some file"
            );
            reported.push(rule("threads", why));
        }
        for (name, _, _) in targets {
            let length = name.chars().count();
            if length > NAME_MAX {
                let why = format!(
                    "read {length} characters; a name has at most {NAME_MAX}: use a shorter one, or a link"
                );
                reported.push(rule(name, why));
            }
        }
        self.problems.extend(reported);
    }

    /// Threads share the columns out, and the matrix has to end somewhere.
    fn refuse_stripes(&mut self) {
        let profile = &self.profile;
        let start = u128::from(profile.start_blocks);
        let Access::Stripe(factor) = profile.access else {
            if start * u128::from(profile.block_bytes()) > u128::from(BYTES_MAX) {
                self.problems.push(too_far("-S"));
            }
            return;
        };
        let blocks = u128::from(factor) * u128::from(profile.run_ios) + start;
        if blocks * u128::from(profile.block_bytes()) > u128::from(BYTES_MAX) {
            self.problems.push(too_far("-b, -f, -i and -S"));
        }
        let mut reported = Vec::new();
        for (name, threads, _) in profile.targets() {
            if threads > factor {
                let why = format!(
                    "-f{factor} has {factor} blocks to share out and {threads} threads are read: take at most as many threads \
                     as the stripe factor, or -fsequential"
                );
                reported.push(rule(name, why));
            }
        }
        let named = matches!(profile.files, Files::Named { .. });
        reported.truncate(if named { 1 } else { reported.len() });
        self.problems.extend(reported);
    }
}

/// Where a file can end.
const BYTES_MAX: u64 = i64::MAX as u64;

fn too_far(place: &str) -> Problem {
    rule(
        place,
        "the I/Os would be beyond 2^63 bytes: take smaller numbers",
    )
}

fn rule(place: &str, why: impl Into<String>) -> Problem {
    Problem::Rule {
        place: place.to_owned(),
        why: why.into(),
    }
}
