//! From the switches to the request: the profile is put together, checked, and its traps are reported.

use super::{Caching, Command, Overrides, OwnProfile, Word};
use crate::diskspd::affinity::{GROUP, Processors};
use crate::diskspd::profile::{BufferSeparation, Cache, Content, Flush, Profile, ResultFormat};
use crate::diskspd::validate::{Purpose, validate};
use crate::diskspd::{Action, Compat, Note, Problem, Refusal, Request, targets, xml};

impl Command<'_> {
    /// The request, or everything that is wrong.
    pub(super) fn finish(mut self) -> Result<Request, Refusal> {
        let stopped = self.stop.is_some();
        let flush_alone = self.own.caching.flush.is_some() && !self.own.caching.mapped;
        if !stopped && flush_alone {
            self.refuse(Problem::Clash {
                token: "-N".to_owned(),
                why: "there is nothing to flush without mapped I/O; add -Sm, or omit it",
            });
        }
        if !stopped && self.profile_path.is_none() && self.targets.is_empty() {
            self.place = usize::MAX;
            self.refuse(Problem::NoTarget);
        }
        self.problems.sort_by_key(|(place, _)| *place);
        let problems = std::mem::take(&mut self.problems).into_iter();
        Refusal::none_or(problems.map(|(_, problem)| problem).collect::<Vec<_>>())?;
        let action = match self.stop.take() {
            Some(action) => action,
            None => self.profile_action()?,
        };
        Ok(Request {
            action,
            notes: self.notes,
            events: self.events,
            extra: self.extra,
        })
    }

    /// `-Rs`: alone, as in the original; only the layout may be with it.
    pub(super) fn finish_machine(mut self, words: &[Word]) -> Result<Request, Refusal> {
        let format = self.over.format.unwrap_or_default();
        let alone = words.iter().all(|word| word.is("R") || word.is("compat"));
        if words.iter().filter(|word| word.is("R")).count() > 1
            || !alone
            || !self.targets.is_empty()
        {
            self.refuse(Problem::Clash {
                token: "-Rs".to_owned(),
                why: "it prints the system information and nothing else; omit all other switches and targets",
            });
        }
        self.stop = Some(Action::Machine(format));
        self.finish()
    }

    fn profile_action(&mut self) -> Result<Action, Refusal> {
        let mut profile = match self.profile_path.take() {
            Some(path) => self.profile_of(path)?,
            None => {
                let own = std::mem::take(&mut self.own);
                if !self.print {
                    self.notes.extend(own.traps());
                    if self.over.warmup_s == Some(0) && !own.writes_given {
                        let what = "no warm-up; the share of writes is -w, and without it only reads are issued";
                        self.notes.push(Note::new("-W0", what)); // written where -w0 is meant, the default
                    }
                }
                own.profile(&self.targets)
            }
        };
        self.over.apply(&mut profile);
        self.settle_version(&mut profile)?;
        let purpose = if self.print {
            Purpose::Print
        } else {
            Purpose::Run
        };
        self.notes.extend(validate(&profile, purpose)?);
        self.tell_lost(&profile);
        Ok(if self.print {
            Action::Print(profile)
        } else {
            Action::Run(profile)
        })
    }

    /// Specifies what the version of `--compat` has as a default, and counts processors within their groups where the list has
    /// a form of 2.3.
    fn settle_version(&self, profile: &mut Profile) -> Result<(), Refusal> {
        let compat = self.extra.compat;
        for span in &mut profile.time_spans {
            compat.fill_in(span);
            let affinity = &mut span.affinity;
            let far = |item: &Processors| matches!(item, Processors::One { cpu, .. } if u32::from(*cpu) >= GROUP);
            if !affinity.processors.iter().any(far) {
                continue;
            }
            if compat >= Compat::V2_3 || !affinity.regroup() {
                return Err(Problem::Rule {
                    place: "-a".to_owned(),
                    why: "a processor of a group is 0 to 63 here; processor 70 is g1,6".to_owned(),
                }
                .into());
            }
        }
        Ok(())
    }

    fn profile_of(&self, path: String) -> Result<Profile, Refusal> {
        let text = match (self.environment.read)(&path) {
            Ok(text) => text,
            Err(why) => return Err(Problem::Unreadable { path, why }.into()),
        };
        let mut profile =
            xml::read_xml(&text).map_err(|error| Problem::Document { path, error })?;
        targets::substitute(&mut profile, &self.targets)?;
        Ok(profile)
    }

    /// A name that the document cannot contain is shown with a mark in it, so it cannot be fed back.
    fn tell_lost(&mut self, profile: &Profile) {
        if profile.result_format != ResultFormat::Xml {
            return;
        }
        for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
            let source = match &target.content {
                Content::Source { file, .. } => file.as_deref(),
                Content::Pattern | Content::Zero => None,
            };
            for name in [Some(target.path.as_str()), source].into_iter().flatten() {
                if !xml::can_hold(name) {
                    let what = "XML has no spelling for a character in this name, so U+FFFD replaces it there";
                    self.notes.push(Note::new(name, what));
                }
            }
        }
    }
}

impl OwnProfile {
    /// Returns the profile for these targets.
    fn profile(self, targets: &[String]) -> Profile {
        let Caching {
            cache,
            write_through,
            mapped,
            flush,
            bypass,
        } = self.caching;
        let mut target = self.target;
        target.cache = cache.unwrap_or(Cache::Cached);
        target.write_through = write_through;
        target.bypass = bypass;
        target.mapped = mapped.then(|| flush.unwrap_or(Flush::None));
        let mut span = self.span;
        for path in targets {
            let mut each = target.clone();
            each.path.clone_from(path);
            each.canonical();
            span.targets.push(each);
        }
        let mut profile = self.profile;
        profile.time_spans = vec![span];
        profile
    }

    /// Returns what is legal and seldom meant.
    fn traps(&self) -> Vec<Note> {
        const LARGE_SOURCE: u64 = 1 << 30;
        let mut notes = Vec::new();
        if let Content::Source { bytes, .. } = self.target.content
            && bytes >= LARGE_SOURCE
            && self.target.create_bytes.is_none()
        {
            notes.push(Note::new(
                format!("-Z{}", model::Bytes(bytes)),
                "this is the size of a buffer in memory that writes are taken from; the size of the test is -c or -f",
            ));
        }
        if self.target.large_pages && self.span.buffers == Some(BufferSeparation::Apart) {
            notes.push(Note::new(
                "-bsp",
                "-l decides where the I/O memory lies, so it changes nothing",
            ));
        }
        let caching = &self.caching;
        if caching.cache.is_none() && !caching.mapped && !caching.write_through {
            notes.push(Note::new(
                "no -S",
                "I/O goes through the system's cache, so memory may be measured; -Su goes past it, -Sh past the write cache too",
            ));
        }
        notes
    }
}

impl Overrides {
    fn apply(&self, profile: &mut Profile) {
        profile.verbose |= self.verbose;
        profile.verbose_stats |= self.verbose_stats;
        set(&mut profile.result_format, self.format);
        set(&mut profile.experiment_flags, self.experiment_flags);
        for span in &mut profile.time_spans {
            set(&mut span.duration_s, self.duration_s);
            set(&mut span.warmup_s, self.warmup_s);
            set(&mut span.cooldown_s, self.cooldown_s);
            set(&mut span.seed, self.seed);
        }
    }
}

fn set<T: Copy>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
