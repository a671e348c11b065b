//! Whether what is read can be compared with what was written: every block has to contain its own place, and each write
//! of the run has to be known.
//!
//! Omitted: whether blocks that were there before carry headers, which the comparison finds out.

use super::field::{Field, Remedy};
use super::problem::Problem;
use crate::block_header::Flaw;
use crate::plan::planned::{Plan, PlannedTarget};
use crate::plan::{Location, Unsealed};
use crate::record::{Content, HostRecord, TargetFacts};
use crate::units::Bytes;

pub(super) fn check(
    plan: &Plan,
    host: &HostRecord,
    facts: &[TargetFacts],
    problems: &mut Vec<Problem>,
) {
    let verified = || {
        let pairs = plan.targets.iter().zip(facts);
        pairs.filter(|(target, _)| !target.verify.is_off())
    };
    problems.extend(verified().filter_map(|(target, facts)| obstacle(target, facts)));
    if let Some(path) = shared_storage(facts).filter(|_| verified().next().is_some()) {
        problems.push(refused(format!(
            "{path} is a target twice, or contains another target, so a write of one would be a change of the other"
        )));
    }
    check_memory(plan, host, problems);
}

fn refused(why: impl Into<String>) -> Problem {
    Problem::Verify {
        why: why.into(),
        instead: Vec::new(),
    }
}

/// Why the blocks of a target cannot be compared.
fn obstacle(target: &PlannedTarget, facts: &TargetFacts) -> Option<Problem> {
    let path = facts.path.display();
    let simulated = match &target.location {
        Location::Null(_) => {
            let why = "the engine null moves no data: specify a file or device";
            return Some(refused(why));
        }
        Location::Simulated(device) if device.data.0 < target.base.0 + target.length.0 => {
            return Some(Problem::Verify {
                why: "the simulated device stores no data in this range: specify sim:ssd,data=64M"
                    .to_owned(),
                instead: vec![Remedy::Smaller(Field::Length)],
            });
        }
        Location::Simulated(_) => true,
        Location::Path(_) => false,
    };
    if let Some(unsealed) = target.unsealed().or_else(|| target.fill_unsealed()) {
        return Some(refused(no_headers(unsealed)));
    }
    if !target.has_whole_blocks() {
        return Some(refused(no_headers(Unsealed::Unaligned)));
    }
    if target.verify.read_back.is_some() && !target.writes() {
        return Some(refused(format!(
            "{path}: it is only read, so no write of it can be read again: specify a share of writes"
        )));
    }
    let reads_only = !target.writes() && target.create.is_none();
    let ours = may_have_headers(facts.content) || simulated;
    (reads_only && !ours).then(|| Problem::Verify {
        why: format!(
            "{path}: it contains no data of fathom that could be compared: write it first"
        ),
        instead: vec![Remedy::option(
            Field::Create,
            " to create a file filled with data",
        )],
    })
}

/// Whether some blocks of a file have headers. Foreign data among them is counted as unknown.
fn may_have_headers(content: Content) -> bool {
    match content {
        Content::Flawed { flaw, .. } => {
            !matches!(flaw, Flaw::OldMark | Flaw::Unfinished | Flaw::Changed)
        }
        content => content.has_headers() || content == Content::FathomPartial,
    }
}

const fn no_headers(unsealed: Unsealed) -> &'static str {
    match unsealed {
        Unsealed::Pattern => "repeated or counting bytes contain no block headers",
        Unsealed::Zeros => "zeros contain no block headers",
        Unsealed::Source => "write data from a shared buffer or a file contains no block headers",
        Unsealed::Duplicates => {
            "blocks that are equal cannot all contain their own place: omit the share of duplicates"
        }
        Unsealed::Unaligned => {
            "the size and the place of each I/O must be multiples of 4096 bytes, because each block of this length has a \
             header"
        }
    }
}

/// A target that is there twice, or block devices with a device in common.
fn shared_storage(facts: &[TargetFacts]) -> Option<String> {
    let devices = |facts: &TargetFacts| -> Vec<String> {
        let each = facts.chain.iter().map(|one| one.name.clone());
        each.collect()
    };
    for (number, one) in facts.iter().enumerate() {
        for other in &facts[..number] {
            let same = one.identity.is_some() && one.identity == other.identity;
            let raw = super::is_device(one) && super::is_device(other);
            let common = raw
                && devices(one)
                    .iter()
                    .any(|name| devices(other).contains(name));
            if same || common {
                return Some(one.path.display().to_string());
            }
        }
    }
    None
}

/// Bytes of a write map for each block of the target.
const ENTRY: u64 = 2;

fn check_memory(plan: &Plan, host: &HostRecord, problems: &mut Vec<Problem>) {
    let each = plan.targets.iter().filter(|target| !target.verify.is_off());
    let needed: u64 = each
        .clone()
        .map(|target| target.length.0 / target.grain().0 * ENTRY)
        .sum();
    let given = each.filter_map(|target| target.verify.memory).min();
    let allowed = given.map_or(host.ram_available.0 / 4, |memory| memory.0);
    if needed > allowed && (given.is_some() || host.ram_available.0 > 0) {
        let why = format!(
            "its write map needs {} of memory and may have {}",
            Bytes(needed).about(),
            Bytes(allowed).about(),
        );
        let instead = vec![
            Remedy::Smaller(Field::Length),
            Remedy::Larger(Field::Block),
            Remedy::Larger(Field::VerifyMemory),
        ];
        problems.push(Problem::Verify { why, instead });
    }
}
