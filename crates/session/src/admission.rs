//! From a profile to plans: the facts of its targets, the check, and what only the whole request can show.
//!
//! The rules about one target stand in `model::check`. Here stand those about names: the same file under two
//! names, the file that keeps the results, consent for a device that is no target.

use crate::proven_files::ProofRecords;
use crate::threads_for_depth;
use engine::{Calibration, RunError};
use gate::Pins;
use host::Root;
use model::{
    CommandError, Consent, Content, EngineChoice, Field, HostRecord, Location, Options, Plan,
    Problem, Profile, Target, TargetFacts, TargetKind, Timespan,
};
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

/// Everything that decides whether a request may be run, but for the request.
pub struct Admission<'a> {
    /// Where /proc and /sys are read.
    pub root: &'a Root,
    /// This machine.
    pub host: &'a HostRecord,
    /// What the person confirmed.
    pub consent: &'a Consent,
    /// The file that keeps the results, where one does. It need not exist yet.
    pub store: Option<&'a Path>,
    /// What the paths lead to, and which of it is claimed, for as long as the gate is there.
    pub pins: Pins,
    /// What is remembered of files that fathom wrote.
    pub proofs: ProofRecords,
    /// A dialect in which a target that is named twice is two targets, each with its own threads.
    pub repeats: bool,
    /// Receives a note for the person, a sentence.
    pub note: fn(&str),
    /// What is known of queue depth here.
    pub depth: DepthFound,
    /// The options of the command line that the request came from.
    pub options: Options,
    /// Logs of services in which events during a run are searched.
    pub event_files: &'a [PathBuf],
    /// What is known of the clock; the runs of a command share it.
    pub calibration: &'a Calibration,
}

/// What was found out of queue depth on this machine.
#[derive(Debug, Default)]
pub struct DepthFound {
    /// Whether it was noted that threads are used in its place.
    noted: Cell<bool>,
    /// Whether an engine that has it runs here; found out once, because that sets one up.
    has_depth: OnceCell<bool>,
}

/// A timespan that may be run, with the facts that allowed it.
#[derive(Debug)]
pub struct CheckedPlan {
    /// What will be run.
    pub plan: Plan,
    /// Of the plan's targets, in order.
    pub facts: Vec<TargetFacts>,
}

/// Content of a device whose sample showed only zeros.
type Whole = fn(&TargetFacts, &Pins) -> Content;

impl Admission<'_> {
    /// Inspects each target once and checks the whole profile. One entry a timespan. A device that is to be written and
    /// showed only zeros is read whole.
    pub fn check(&self, profile: &Profile) -> Result<Vec<CheckedPlan>, CommandError> {
        let look = |location: &Location| self.look(location);
        self.check_with(profile, &look, host::content_of_whole, &[])
    }

    /// Problems of a profile that are known already, where devices are to be read whole later: those that reading them
    /// whole could only confirm. A profile without such problems has not passed yet.
    pub fn check_before_proof(&self, profile: &Profile) -> Result<(), CommandError> {
        let look = |location: &Location| self.look(location);
        self.check_with(profile, &look, host::content_of_whole_at_best, &[])
            .map(drop)
    }

    /// The same for a profile whose targets were checked before: their users are read again, their content is
    /// not read again.
    pub fn check_again(
        &self,
        profile: &Profile,
        earlier: &[TargetFacts],
    ) -> Result<Vec<CheckedPlan>, CommandError> {
        let look = |location: &Location| match location {
            Location::Path(path) => match earlier.iter().find(|facts| facts.path == *path) {
                Some(earlier) => host::target_facts_again(self.root, &self.pins, earlier),
                None => self.look(location),
            },
            Location::Null(_) | Location::Simulated(_) => self.look(location),
        };
        self.check_with(profile, &look, host::content_of_whole, earlier)
    }

    fn check_with(
        &self,
        profile: &Profile,
        look: &dyn Fn(&Location) -> TargetFacts,
        whole: Whole,
        earlier: &[TargetFacts],
    ) -> Result<Vec<CheckedPlan>, CommandError> {
        let changed = self.without_depth(profile);
        let profile = changed.as_ref().unwrap_or(profile);
        let (places, locked) = self.places(profile, look, whole);
        let known: Vec<&TargetFacts> = places.iter().map(|(_, facts)| facts).collect();
        let reported = self.against_names(&known);
        let facts: Vec<Vec<TargetFacts>> = profile
            .timespans
            .iter()
            .map(|span| facts_of(span, &places))
            .collect();
        let flat = facts.concat();
        let plans = match model::check(profile, self.host, &flat, self.consent) {
            Ok(plans) if reported.is_empty() => plans,
            Ok(_) => return Err(CommandError::refused_for(reported)),
            Err(problems) => {
                let unfit = reported.is_empty() && problems.iter().all(Problem::is_of_the_machine);
                let problems = problems.iter().map(|one| one.since(earlier));
                let found = problems
                    .map(|one| one.message(self.options))
                    .chain(reported);
                return Err(match unfit {
                    true => CommandError::unfit(found),
                    false => CommandError::refused_for(found),
                });
            }
        };
        if let Some(path) = locked {
            return Err(RunError::locked(&path).into());
        }
        for (plan, facts) in plans.iter().zip(&facts) {
            engine::foresee(plan, self.host, facts, self.root)?;
        }
        if earlier.is_empty() {
            self.note_unasked(profile, &known);
        }
        let passed = plans.into_iter().zip(facts);
        Ok(passed
            .map(|(plan, facts)| CheckedPlan { plan, facts })
            .collect())
    }

    /// What could not be asked of files that are written although fathom did not create them.
    fn note_unasked(&self, profile: &Profile, known: &[&TargetFacts]) {
        let targets = || profile.timespans.iter().flat_map(|span| &span.targets);
        let is_written = |facts: &TargetFacts| {
            let mut its =
                targets().filter(|target| target.location.path() == Some(facts.path.as_path()));
            its.any(|target| model::writes(target, facts))
        };
        for facts in known {
            if self.consent.overwrite_files && !model::check::seems_own(facts) && is_written(facts)
            {
                for what in &facts.unasked {
                    (self.note)(&format!("{}: not asked: {what}", facts.path.display()));
                }
            }
        }
    }

    /// The profile with threads instead of queue depth, where no engine that runs here has one. Noted once.
    fn without_depth(&self, profile: &Profile) -> Option<Profile> {
        let (changed, note) = threads_for_depth::instead_of_depth(profile)?;
        let has_depth = || engine::queue_depth_max(EngineChoice::Auto).is_ok_and(|depth| depth > 1);
        if *self.depth.has_depth.get_or_init(has_depth) {
            return None;
        }
        if !self.depth.noted.replace(true) {
            (self.note)(&note);
        }
        Some(changed)
    }

    /// The targets of the profile's timespans as they stand now.
    pub fn facts(&self, profile: &Profile) -> Vec<TargetFacts> {
        let look = |location: &Location| self.look(location);
        let (places, _) = self.places(profile, &look, host::content_of_whole);
        let spans = profile.timespans.iter();
        spans.flat_map(|span| facts_of(span, &places)).collect()
    }

    /// Every place that the profile names, once, with its facts; and one that another program has locked, if any. What is
    /// to be written is claimed before its facts are read, so that they are those of what will be written. Whether a
    /// device is empty is found out only for one that is written: reading all of it would fill the caches below it,
    /// which a later reader would measure.
    fn places<'p>(
        &self,
        profile: &'p Profile,
        look: &dyn Fn(&Location) -> TargetFacts,
        whole: Whole,
    ) -> (Vec<(&'p Location, TargetFacts)>, Option<PathBuf>) {
        let targets = || profile.timespans.iter().flat_map(|span| &span.targets);
        let mut places: Vec<(&Location, TargetFacts)> = Vec::new();
        let mut locked = None;
        for target in targets() {
            let place = &target.location;
            if places.iter().any(|(known, _)| *known == place) {
                continue;
            }
            let same = || targets().filter(|target| target.location == *place);
            let at_once = same().any(|target| target.workload.write.as_percent() > 0);
            let mut is_held = !at_once || self.hold(place.path());
            let mut facts = look(place);
            // Whether a file has to be filled shows only in its facts; so do the users of a namespace.
            let holder = facts.namespace.as_ref().map(|of| &*of.block_device);
            let writes = same().any(|target| model::writes(target, &facts));
            if writes && (!at_once || holder.is_some()) {
                is_held = self.hold(holder.or(place.path()));
                facts = look(place);
            }
            if !is_held {
                locked = place.path().map(Path::to_owned);
            }
            places.push((place, facts));
        }
        for (place, facts) in &mut places {
            let mut its = targets().filter(|target| target.location == **place);
            if its.any(|target| model::asks_if_empty(target, facts, self.consent)) {
                facts.content = whole(facts, &self.pins);
            }
        }
        (places, locked)
    }

    fn hold(&self, path: Option<&Path>) -> bool {
        path.is_none_or(|path| hold(&self.pins, path))
    }

    /// One target as it stands now.
    pub fn look(&self, location: &Location) -> TargetFacts {
        match location {
            Location::Path(path) => {
                let unknown = self.proofs.unknown.borrow();
                let mut found = match unknown.iter().find(|facts| facts.path == *path) {
                    Some(earlier) => host::target_facts_again(self.root, &self.pins, earlier),
                    None => host::pinned_facts(self.root, &self.pins, path),
                };
                drop(unknown);
                self.remember_unknown(&found);
                self.judge_by_record(&mut found);
                found
            }
            Location::Null(behaviour) => TargetFacts::null(behaviour),
            Location::Simulated(device) => TargetFacts::simulated(device),
        }
    }

    /// Remembers a target whose content could not be determined in time, so that each further look does not take as long.
    fn remember_unknown(&self, found: &TargetFacts) {
        let is_read = matches!(
            found.kind,
            TargetKind::File | TargetKind::BlockDevice | TargetKind::NvmeNamespace
        );
        let mut unknown = self.proofs.unknown.borrow_mut();
        unknown.retain(|facts| facts.path != found.path);
        if is_read && found.content == Content::Unknown {
            unknown.push(found.clone());
        }
    }

    /// What stands against the names, a sentence each.
    fn against_names(&self, targets: &[&TargetFacts]) -> Vec<String> {
        let mut reported = Vec::new();
        for (place, one) in targets.iter().enumerate() {
            let path = one.path.display();
            if is_imaginary(one) {
                continue; // its name is no file's
            }
            if leads_nowhere(&one.path) {
                reported.push(format!(
                    "{path}: a symbolic link to something that is not there: specify the file itself"
                ));
            }
            if self.store.is_some_and(|store| keeps(store, one)) {
                reported.push(format!(
                    "{path}: the results are stored in this file: specify another target, or another --store"
                ));
            }
            reported.extend(self.store.and_then(|store| may_keep(self.root, store, one)));
            if let Some(stream) = host::stream_into(one) {
                reported.push(format!(
                    "{path}: {stream} of this program goes to this file, and would overwrite it: specify another target"
                ));
            }
            let again = |other: &&&TargetFacts| !self.repeats && same(one, other);
            for other in targets[..place].iter().filter(again) {
                let threads = (self.options)(Field::Threads);
                let more =
                    threads.map(|option| format!(", and specify {option} for more load on it"));
                reported.push(format!(
                    "{path}: the same as {}: specify it once{}",
                    other.path.display(),
                    more.unwrap_or_default()
                ));
            }
        }
        let imaginary = targets.iter().all(|target| is_imaginary(target));
        if self.consent.overwrite_files && !targets.is_empty() && imaginary {
            reported.push(
                "--overwrite: the engine null and simulated devices have no file, so this would allow nothing: leave \
                it away, or specify a file"
                    .to_owned(),
            );
        }
        for device in &self.consent.destroy_devices {
            if !targets.iter().any(|target| target.path == *device) {
                reported.push(format!(
                    "--destroy {}: this is no target of this request, so it would allow nothing: specify the device \
                    exactly as the target is named",
                    model::shell_word(device)
                ));
            }
        }
        reported
    }
}

/// Claims what is to be written until the pins go; false where another program has locked the file. That a device is in
/// use shows in its facts.
pub fn hold(pins: &Pins, path: &Path) -> bool {
    pins.pin(path).map_or(true, |pin| {
        let _ = pins.claim(&pin);
        pins.lock(&pin, true)
    })
}

/// Of its targets, in order.
fn facts_of(span: &Timespan, places: &[(&Location, TargetFacts)]) -> Vec<TargetFacts> {
    let of = |target: &Target| {
        let found = places.iter().find(|(place, _)| **place == target.location);
        found.expect("every place was looked at").1.clone()
    };
    span.targets.iter().map(of).collect()
}

/// Whether there is nothing on this machine behind it.
fn is_imaginary(target: &TargetFacts) -> bool {
    matches!(target.kind, TargetKind::Null | TargetKind::Simulated)
}

fn same(one: &TargetFacts, other: &TargetFacts) -> bool {
    if is_imaginary(one) || is_imaginary(other) {
        return false; // each is a device of its own
    }
    let by_number = one.identity.is_some() && one.identity == other.identity;
    by_number || same_name(&one.path, &other.path)
}

/// Whether two names lead to one place. The place need not exist, its folder has to.
pub fn same_name(one: &Path, other: &Path) -> bool {
    match (real_name(one), real_name(other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

/// The name without links and dots; of something that is not there, as far as its folder goes.
fn real_name(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let folder = match path.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

/// Whether the target is the store, under this name or another one (a hard link), or a file next to it that is its own.
pub fn keeps(store: &Path, target: &TargetFacts) -> bool {
    let is_same = |name: &Path| {
        let number = host::identity_at(name).ok();
        number.is_some() && number == target.identity
    };
    let mut sides = gate::SIDE_FILES.iter().map(|suffix| {
        let mut name = store.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    });
    is_same(store) || is_of_store(store, &target.path) || sides.any(|name| is_same(&name))
}

/// Whether this is the name of the store, of a file that SQLite keeps next to it, or of a lock of one of its sessions.
pub fn is_of_store(store: &Path, path: &Path) -> bool {
    let (Some(store), Some(path)) = (real_name(store), real_name(path)) else {
        return false;
    };
    let base = path.file_name().and_then(gate::side_of);
    path == store || base.is_some_and(|base| path.with_file_name(base) == store)
}

/// Why it is not known whether the target is the store: a file system passes on files of another one, and the lengths are equal.
pub fn may_keep(root: &Root, store: &Path, target: &TargetFacts) -> Option<String> {
    host::may_be_one_file(root, store, &target.path).then(|| {
        format!(
            "{}: it could not be checked whether the results are stored in this file (a file system passes on files \
             of another one): specify another target, or another --store",
            target.path.display()
        )
    })
}

fn leads_nowhere(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn one_place_is_known_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), b"x").unwrap();
        std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
        assert!(same_name(&at("a"), &at("link")));
        assert!(same_name(&at("a"), &at("./a")));
        assert!(same_name(&at("new"), &at("./new")));
        assert!(!same_name(&at("a"), &at("new")));
        assert!(!same_name(&at("no/a"), &at("no/a")));
    }

    #[test]
    fn the_store_and_its_companions_are_no_targets() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let kept = |name: &str| keeps(&at("s.db"), &host::target_facts(&Root::live(), &at(name)));
        assert!(kept("s.db") && kept("s.db-wal") && !kept("s.db2"));
        assert!(kept("s.db-sweep-3") && kept("s.db-WAL") && !kept("s.db-sweeper"));
        std::fs::write(at("s.db-wal"), b"x").unwrap();
        std::fs::hard_link(at("s.db-wal"), at("harmless")).unwrap();
        assert!(kept("harmless"));
    }

    #[test]
    fn a_link_to_nothing_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nothing", &link).unwrap();
        assert!(leads_nowhere(&link));
        assert!(!leads_nowhere(folder.path()));
    }
}
