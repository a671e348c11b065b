//! From a profile to plans: the facts of its targets, the check, and what only the whole request can show.
//!
//! The rules about one target stand in `model::check`. Here stand those about names: the same file under two
//! names, the file that keeps the results, consent for a device that is no target.

use crate::failure::Failure;
use host::Root;
use model::{Consent, HostRecord, Location, Plan, Profile, TargetFacts, Timespan};
use std::path::{Path, PathBuf};

/// Everything that decides whether a request may be run, but for the request.
pub(crate) struct Gate<'a> {
    pub(crate) root: &'a Root,
    pub(crate) host: &'a HostRecord,
    pub(crate) consent: &'a Consent,
    /// The file that keeps the results, where one does. It need not exist yet.
    pub(crate) store: Option<&'a Path>,
}

/// A timespan that may be run, with the facts that allowed it.
#[derive(Debug)]
pub(crate) struct Passed {
    pub(crate) plan: Plan,
    /// Of the plan's targets, in order.
    pub(crate) facts: Vec<TargetFacts>,
}

impl Gate<'_> {
    /// Looks at each target once and checks the whole profile. One entry a timespan.
    pub(crate) fn pass(&self, profile: &Profile) -> Result<Vec<Passed>, Failure> {
        let mut seen: Vec<(Location, TargetFacts)> = Vec::new();
        let facts: Vec<Vec<TargetFacts>> = profile
            .timespans
            .iter()
            .map(|span| self.facts_of(span, &mut seen))
            .collect();
        let known: Vec<&TargetFacts> = seen.iter().map(|(_, facts)| facts).collect();
        let told = self.against_names(&known);
        let flat = facts.concat();
        let plans = match model::check(profile, self.host, &flat, self.consent) {
            Ok(plans) if told.is_empty() => plans,
            Ok(_) => return Err(Failure::refused(told.join("\n"))),
            Err(problems) => {
                let lines = std::iter::once(problems.to_string()).chain(told);
                return Err(Failure::refused(lines.collect::<Vec<_>>().join("\n")));
            }
        };
        let passed = plans.into_iter().zip(facts);
        Ok(passed.map(|(plan, facts)| Passed { plan, facts }).collect())
    }

    /// The targets of the profile's timespans as they stand now.
    pub(crate) fn facts(&self, profile: &Profile) -> Vec<TargetFacts> {
        let mut seen = Vec::new();
        let spans = profile.timespans.iter();
        spans
            .flat_map(|span| self.facts_of(span, &mut seen))
            .collect()
    }

    /// One target as it stands now.
    pub(crate) fn look(&self, location: &Location) -> TargetFacts {
        match location {
            Location::Path(path) => host::target_facts(self.root, path),
            Location::Null(behaviour) => TargetFacts::null(behaviour),
        }
    }

    fn facts_of(
        &self,
        span: &Timespan,
        seen: &mut Vec<(Location, TargetFacts)>,
    ) -> Vec<TargetFacts> {
        let mut facts = Vec::new();
        for target in &span.targets {
            let known = seen.iter().find(|(place, _)| *place == target.location);
            if let Some((_, found)) = known {
                facts.push(found.clone());
                continue;
            }
            let found = self.look(&target.location);
            seen.push((target.location.clone(), found.clone()));
            facts.push(found);
        }
        facts
    }

    /// What stands against the names, a sentence each.
    fn against_names(&self, targets: &[&TargetFacts]) -> Vec<String> {
        let mut told = Vec::new();
        for (place, one) in targets.iter().enumerate() {
            let path = one.path.display();
            if leads_nowhere(&one.path) {
                told.push(format!(
                    "{path}: a symbolic link to something that is not there: name the file itself"
                ));
            }
            if self.store.is_some_and(|store| keeps(store, &one.path)) {
                told.push(format!(
                    "{path}: the results are kept in this file: name another target, or another --store"
                ));
            }
            for other in targets[..place].iter().filter(|other| same(one, other)) {
                told.push(format!(
                    "{path}: the same as {}: name it once, and say --threads for more load on it",
                    other.path.display()
                ));
            }
        }
        for device in &self.consent.destroy_devices {
            if !targets.iter().any(|target| target.path == *device) {
                told.push(format!(
                    "--destroy {}: this is no target of this request, so it would allow nothing: name the \
                     device exactly as the target is named",
                    device.display()
                ));
            }
        }
        told
    }
}

fn same(one: &TargetFacts, other: &TargetFacts) -> bool {
    let by_number = one.identity.is_some() && one.identity == other.identity;
    by_number || same_name(&one.path, &other.path)
}

/// Whether two names lead to one place. The place need not exist, its folder has to.
pub(crate) fn same_name(one: &Path, other: &Path) -> bool {
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

/// SQLite keeps two more files beside its own while it is open.
fn keeps(store: &Path, path: &Path) -> bool {
    ["", "-wal", "-shm", "-journal"].iter().any(|suffix| {
        let mut name = store.as_os_str().to_owned();
        name.push(suffix);
        same_name(Path::new(&name), path)
    })
}

fn leads_nowhere(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

#[cfg(test)]
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
        for (name, kept) in [("s.db", true), ("s.db-wal", true), ("s.db2", false)] {
            assert_eq!(keeps(&at("s.db"), &at(name)), kept, "{name}");
        }
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
