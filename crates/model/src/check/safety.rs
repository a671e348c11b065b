//! What may be written. Whatever writes never guesses.
//!
//! Reads never need consent. A file is written when it does not exist yet, when it holds nothing but what
//! fathom wrote, or with the word `--overwrite`. A device is written when it is empty or holds nothing but
//! what fathom wrote, or with `--destroy` and its own name; never while it is in use, with any word.

use super::problem::Problem;
use crate::plan::Target;
use crate::record::{Claim, Content, TargetFacts, TargetKind};
use std::path::PathBuf;

/// The words that a person has said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// `--overwrite`: what the files on the command line hold may be lost.
    pub overwrite_files: bool,
    /// `--destroy DEVICE`: what these devices hold may be lost. Compared with the target as it was given.
    pub destroy_devices: Vec<PathBuf>,
}

pub(super) fn check_writing(
    target: &Target,
    facts: &TargetFacts,
    consent: &Consent,
    problems: &mut Vec<Problem>,
) {
    let fills = target.create.is_some()
        && !(facts.content == Content::Fathom && Some(facts.size) >= target.create);
    if target.workload.write.as_percent() == 0 && !fills {
        return;
    }
    match facts.kind {
        TargetKind::File => check_file(facts, consent, problems),
        TargetKind::BlockDevice => check_device(facts, consent, problems),
        TargetKind::Missing if target.create.is_some() && !facts.writable => {
            problems.push(Problem::NotWritable {
                path: facts.path.clone(),
                file_system: facts.file_system.clone(),
            });
        }
        _ => {} // nothing is there to be lost; whether it can be used is not asked here
    }
}

fn check_file(facts: &TargetFacts, consent: &Consent, problems: &mut Vec<Problem>) {
    let path = facts.path.clone();
    if !facts.writable {
        problems.push(Problem::NotWritable {
            path,
            file_system: facts.file_system.clone(),
        });
        return;
    }
    let uses: Vec<Claim> = facts
        .claims
        .iter()
        .filter(|claim| claim.in_use())
        .cloned()
        .collect();
    if !uses.is_empty() {
        problems.push(Problem::InUse { path, uses });
        return;
    }
    let signatures: Vec<Claim> = facts.claims.clone();
    let ours = matches!(
        facts.content,
        Content::Empty | Content::Fathom | Content::FathomPartial
    );
    let harmless = ours && signatures.is_empty();
    if !harmless && !consent.overwrite_files {
        problems.push(Problem::ForeignFile {
            path,
            size: facts.size,
            signatures,
        });
    }
}

fn check_device(facts: &TargetFacts, consent: &Consent, problems: &mut Vec<Problem>) {
    let path = facts.path.clone();
    if !facts.writable {
        problems.push(Problem::DeviceNotWritable {
            path,
            read_only: facts.chain.first().is_some_and(|device| device.read_only),
        });
        return;
    }
    let uses: Vec<Claim> = facts
        .claims
        .iter()
        .filter(|claim| claim.in_use())
        .cloned()
        .collect();
    if !uses.is_empty() {
        problems.push(Problem::InUse { path, uses });
        return;
    }
    let signatures: Vec<Claim> = facts.claims.clone();
    let ours = matches!(
        facts.content,
        Content::Empty | Content::Fathom | Content::FathomPartial
    );
    let harmless = ours && signatures.is_empty();
    if !harmless && !consent.destroy_devices.contains(&path) {
        problems.push(Problem::ForeignDevice {
            path,
            size: facts.size,
            signatures,
            content: facts.content,
        });
    }
}
