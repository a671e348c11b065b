//! What may be written. Code that writes never guesses.
//!
//! Reads never need consent. A file is written when it does not exist yet, when it contains only what
//! fathom wrote, or with the word `--overwrite`. A device is written when it is proven empty or contains only
//! what fathom wrote, or with `--destroy` and its own name; never while it is in use, with any option. What looks
//! like fathom's own is read whole before it is written, and so is what looks empty: but only what is to be written, for
//! a program that reads a device whole first measures the caches below it.
//!
//! What could not be found out counts as a use: no option allows writing then, either.

use super::problem::Problem;
use crate::block_header::Flaw;
use crate::plan::{Allocation, Target};
use crate::record::{Claim, Content, TargetFacts, TargetKind};
use crate::units::Bytes;
use std::path::PathBuf;

/// File systems whose files are the kernel's settings, not data. Source: filesystems(5) and the kernel's own.
const SETTINGS: [&str; 15] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "configfs",
    "securityfs",
    "efivarfs",
    "pstore",
    "bpf",
    "binfmt_misc",
    "selinuxfs",
    "fusectl",
    "nfsd",
];

/// The confirmations that the user has given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// `--overwrite`: the content of the files on the command line may be lost.
    pub overwrite_files: bool,
    /// `--destroy DEVICE`: the content of these devices may be lost. Compared with the target as it was given.
    pub destroy_devices: Vec<PathBuf>,
}

/// Whether it has to be known that this device is empty: it is written, it showed only zeros wherever one looked, and
/// nothing else stands against it nor allows it. A request without proof is refused.
pub fn asks_if_empty(target: &Target, facts: &TargetFacts, consent: &Consent) -> bool {
    writes(target, facts) && output_asks_if_empty(facts, consent)
}

/// The same for what is written outside of any plan, before [`check_output`].
pub fn output_asks_if_empty(facts: &TargetFacts, consent: &Consent) -> bool {
    super::is_device(facts)
        && facts.content == Content::Unproven
        && facts.claims.is_empty()
        && facts.writable
        && !consent.destroy_devices.contains(&facts.path)
}

pub(super) fn check_writing(
    target: &Target,
    facts: &TargetFacts,
    consent: &Consent,
    problems: &mut Vec<Problem>,
) {
    if !writes(target, facts) {
        return;
    }
    check_known(facts, problems);
    match facts.kind {
        TargetKind::File => check_file(facts, consent, problems),
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => {
            check_device(facts, consent, problems);
        }
        TargetKind::Missing if target.create.is_some() && !facts.writable => {
            problems.push(Problem::NotWritable {
                path: facts.path.clone(),
                file_system: facts.file_system.clone(),
                obstacle: facts.obstacle.clone(),
            });
        }
        _ => {} // nothing is there to be lost; whether it can be used is not asked here
    }
}

/// What stands against writing this file or device outside of any plan, as a copy does. What looks like fathom's own has
/// to be proven by the caller, where no word allows it to be lost.
pub fn check_output(facts: &TargetFacts, consent: &Consent) -> Vec<Problem> {
    let mut problems = Vec::new();
    let path = || facts.path.clone();
    check_known(facts, &mut problems);
    match facts.kind {
        TargetKind::File => check_file(facts, consent, &mut problems),
        TargetKind::BlockDevice => check_device(facts, consent, &mut problems),
        TargetKind::Missing if facts.names_no_device() => {
            problems.push(Problem::NoDevice { path: path() });
        }
        TargetKind::Missing if !facts.writable => problems.push(Problem::NotWritable {
            path: path(),
            file_system: facts.file_system.clone(),
            obstacle: facts.obstacle.clone(),
        }),
        TargetKind::MissingFolder => problems.push(Problem::MissingFolder { path: path() }),
        TargetKind::Folder => problems.push(Problem::Folder { path: path() }),
        TargetKind::Forbidden => problems.push(Problem::Forbidden {
            path: path(),
            why: facts.obstacle.clone(),
        }),
        // A namespace takes commands, not bytes; of anything else nothing is there to be lost.
        TargetKind::Missing
        | TargetKind::NvmeNamespace
        | TargetKind::Other
        | TargetKind::Null
        | TargetKind::Simulated => {}
    }
    problems
}

/// What no option allows: to write where another user decides what is written, or where its use is not known.
fn check_known(facts: &TargetFacts, problems: &mut Vec<Problem>) {
    let path = || facts.path.clone();
    if let Some(name) = &facts.foreign_name {
        problems.push(Problem::ForeignName {
            path: path(),
            name: name.clone(),
        });
    }
    let on = facts.file_system.as_ref();
    let kind = on.map_or("", |on| &on.kind);
    if facts.kind == TargetKind::File && SETTINGS.contains(&kind) {
        problems.push(Problem::Setting {
            path: path(),
            kind: kind.to_owned(),
        });
    }
    if !facts.unchecked.is_empty() {
        problems.push(Problem::Unchecked {
            path: path(),
            what: facts.unchecked.clone(),
        });
    }
}

fn check_file(facts: &TargetFacts, consent: &Consent, problems: &mut Vec<Problem>) {
    let path = facts.path.clone();
    if !facts.writable {
        problems.push(Problem::NotWritable {
            path,
            file_system: facts.file_system.clone(),
            obstacle: facts.obstacle.clone(),
        });
        return;
    }
    if let Some(uses) = uses(facts) {
        problems.push(Problem::InUse { path, uses });
        return;
    }
    if is_harmless(facts) || consent.overwrite_files {
        return;
    }
    let size = facts.size;
    problems.push(match facts.content {
        Content::Unknown if facts.claims.is_empty() => Problem::UnseenFile { path, size },
        Content::Flawed { flaw, .. } if matches!(flaw, Flaw::Unfinished | Flaw::Changed) => {
            Problem::UnprovenFile { path, size, flaw }
        }
        Content::Flawed { offset, flaw } => Problem::FlawedFile {
            path,
            size,
            offset,
            flaw,
        },
        _ => Problem::ForeignFile {
            path,
            size,
            signatures: facts.claims.clone(),
        },
    });
}

fn check_device(facts: &TargetFacts, consent: &Consent, problems: &mut Vec<Problem>) {
    let path = facts.path.clone();
    // First who uses it: a kernel may refuse to open a mounted device for writing, and that is why.
    if let Some(uses) = uses(facts) {
        problems.push(Problem::InUse { path, uses });
        return;
    }
    if !facts.writable {
        problems.push(Problem::DeviceNotWritable {
            path,
            read_only: facts.chain.first().is_some_and(|device| device.read_only),
        });
        return;
    }
    if !is_harmless(facts) && !consent.destroy_devices.contains(&path) {
        problems.push(Problem::ForeignDevice {
            path,
            size: facts.size,
            signatures: facts.claims.clone(),
            content: facts.content,
        });
    }
}

/// Whether the workload or the filling of the file writes.
pub fn writes(target: &Target, facts: &TargetFacts) -> bool {
    let fills = target
        .create
        .is_some_and(|asked| !serves(target, asked, facts));
    target.workload.write.as_percent() > 0 || fills
}

/// Whether the file that is there is the one that was asked for: filled by fathom to its end, where it has to be.
pub(super) fn serves(target: &Target, asked: Bytes, facts: &TargetFacts) -> bool {
    let size_fits = if target.create_exactly {
        facts.size == asked
    } else {
        facts.size >= asked
    };
    let filled = match target.allocation {
        Allocation::Written => facts.content == Content::Fathom,
        Allocation::Emptied => false,
        _ => matches!(facts.content, Content::Fathom | Content::FathomPartial),
    };
    facts.kind == TargetKind::File && filled && size_fits
}

/// Whether every block has to be read before it is written: a sample cannot prove that nothing else is there.
pub(super) fn needs_proof(target: &Target, facts: &TargetFacts, consent: &Consent) -> bool {
    let allowed = match facts.kind {
        TargetKind::File => consent.overwrite_files,
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => {
            consent.destroy_devices.contains(&facts.path)
        }
        _ => true,
    };
    let marked = matches!(facts.content, Content::Fathom | Content::FathomPartial);
    writes(target, facts) && marked && !allowed
}

/// Who uses it now; no word allows writing then.
pub(super) fn uses(facts: &TargetFacts) -> Option<Vec<Claim>> {
    let uses: Vec<Claim> = facts
        .claims
        .iter()
        .filter(|claim| claim.in_use())
        .cloned()
        .collect();
    (!uses.is_empty()).then_some(uses)
}

/// Nothing is there but what fathom wrote, as far as samples can show ([`needs_proof`] asks for the
/// rest). Nothing at all is harmless too, but a file to which a user gave a length is user data.
fn is_harmless(facts: &TargetFacts) -> bool {
    seems_own(facts) && facts.claims.is_empty()
}

/// Whether a sample shows only what fathom wrote, or nothing at all. A sparse or preallocated file contains no data, and its
/// length is user data all the same.
pub fn seems_own(facts: &TargetFacts) -> bool {
    match facts.content {
        Content::Fathom | Content::FathomPartial => true,
        Content::Empty => super::is_device(facts) || facts.size.0 == 0,
        Content::Unproven | Content::Foreign | Content::Flawed { .. } | Content::Unknown => false,
    }
}
