//! Names of targets: templates of a profile, names that mean something on one system only, and the paths that they lead to.
//!
//! Whether a name is there, and what it is, are the machine's business.

use super::problem::{Problem, Refusal};
use super::profile::Profile;
use crate::names::{self, Names};
use std::path::PathBuf;

/// Puts the targets of the command line in the place of `*1`, `*2` and so on. Without any, templates stay.
///
/// # Errors
/// Malformed templates, numbers beyond the targets given, targets that no template uses.
pub(super) fn substitute(profile: &mut Profile, given: &[String]) -> Result<(), Refusal> {
    let mut problems = Vec::new();
    let mut used = vec![false; given.len()];
    for span in &mut profile.time_spans {
        for target in &mut span.targets {
            let Some(number) = target.path.strip_prefix('*') else {
                continue;
            };
            let Some(number) = template_number(number) else {
                problems.push(rule(&target.path, "a template is * and a number from 1 on, as in *1; a file of this name is ./*name"));
                continue;
            };
            if given.is_empty() {
                continue;
            }
            match usize::try_from(number - 1)
                .ok()
                .filter(|place| *place < given.len())
            {
                Some(place) => {
                    used[place] = true;
                    target.path.clone_from(&given[place]);
                }
                None => {
                    let why = format!(
                        "the profile requires target {number}, and the command line has {}",
                        given.len()
                    );
                    problems.push(rule(&target.path, why));
                }
            }
        }
    }
    for (target, _) in given.iter().zip(&used).filter(|(_, used)| !**used) {
        problems.push(rule(
            target,
            "the profile has no template for this target; omit it, or write *1 into the \
                                   profile",
        ));
    }
    Refusal::none_or(problems)
}

fn template_number(text: &str) -> Option<u64> {
    super::number::digits(text).filter(|number| *number > 0)
}

fn rule(place: &str, why: impl Into<String>) -> Problem {
    Problem::Rule {
        place: place.to_owned(),
        why: why.into(),
    }
}

/// The path that a name leads to: of `#1` and `X:` on Windows the device's.
pub(super) fn path(name: &str, on: Names) -> PathBuf {
    if on == Names::Linux {
        return PathBuf::from(name);
    }
    let disk = name.strip_prefix('#').map(|number| match number {
        "" => names::disk("0"),
        _ => names::disk(number),
    });
    let device = disk.or_else(|| names::volume(name));
    PathBuf::from(device.unwrap_or_else(|| name.to_owned()))
}

/// Why a name means nothing on this system and how that spells it, if it is one of another.
pub(super) fn foreign(path: &str, on: Names) -> Option<String> {
    match on {
        Names::Linux => of_windows(path),
        Names::Windows => {
            let of_disk = path
                .strip_prefix('#')
                .is_some_and(|number| !number.bytes().all(|byte| byte.is_ascii_digit()));
            let part = || {
                "a physical drive is # and its number, as in #1; a file of this name is .\\NAME"
                    .to_owned()
            };
            of_disk.then(part).or_else(|| names::of_linux(path))
        }
    }
}

fn of_windows(path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix('#') {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (number, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let number = if number.is_empty() { "0" } else { number };
        let whole = if behind.is_empty() { "" } else { "all of " };
        return Some(format!(
            "this is {whole}physical drive {number} to DISKSPD; on Linux specify the device, as in /dev/sdb or \
            /dev/nvme0n1 (`fathom devices` lists them), or write ./{path} for a file of this name"
        ));
    }
    if path.starts_with(r"\\") {
        return Some("this is a share or a device of Windows; on Linux name a file where the share is mounted, as in \
                     /mnt/share/test.dat"
            .to_owned());
    }
    let [letter, b':', rest @ ..] = path.as_bytes() else {
        return None;
    };
    if !letter.is_ascii_alphabetic() {
        return None;
    }
    match rest {
        [] => Some(format!(
            "this is a drive of Windows; on Linux specify the partition, as in /dev/sdb1, or write ./{path} for a \
            file of this name"
        )),
        [b'\\' | b'/', ..] => {
            let tail = path[3..].replace('\\', "/");
            let drive = letter.to_ascii_lowercase() as char;
            Some(format!(
                "this is a file on a drive of Windows; on Linux write where it is mounted, as in /mnt/{drive}/{tail}"
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_are_paths_there_and_get_the_spelling_of_linux_here() {
        for (name, leads_to) in [
            ("#3", r"\\.\PhysicalDrive3"),
            ("#", r"\\.\PhysicalDrive0"),
            ("X:", r"\\.\X:"),
            (r"X:\a.dat", r"X:\a.dat"),
            (r"\\server\share\a", r"\\server\share\a"),
        ] {
            assert_eq!(foreign(name, Names::Windows), None, "{name}");
            assert_eq!(path(name, Names::Windows), PathBuf::from(leads_to));
            assert!(foreign(name, Names::Linux).is_some(), "{name}");
            assert_eq!(path(name, Names::Linux), PathBuf::from(name));
        }
        for name in ["/dev/sdb", "#1;2"] {
            assert!(foreign(name, Names::Windows).is_some(), "{name}");
        }
    }
}
