//! Whether the lines of a mixed workload can be done: each by itself, and all together.
//!
//! Omitted: what applies to every workload, such as room for the largest block.

use super::problem::Problem;
use super::{BLOCK_MAX, BLOCK_MIN};
use crate::plan::{LINES_MAX, MixedAccess, MixedLine, Pacing, SHARE_MAX, Target};
use crate::record::TargetFacts;
use crate::units::Bytes;

/// What does not depend on what is found under the target's name.
pub(super) fn check(target: &Target, mixed: &MixedAccess, problems: &mut Vec<Problem>) {
    let mut refuse = |why: String| problems.push(Problem::Mix { why });
    if mixed.lines.is_empty() || mixed.lines.len() > LINES_MAX {
        refuse(format!(
            "read {} lines; a mix has 1 to {LINES_MAX} of them",
            mixed.lines.len()
        ));
    }
    let workload = &target.workload;
    if workload.block != mixed.block_max() || workload.write != mixed.write() {
        refuse(format!(
            "the workload has blocks of {} and {}% writes, its components {} and {}%: omit the first two",
            workload.block,
            workload.write.as_percent(),
            mixed.block_max(),
            mixed.write().as_percent()
        ));
    }
    let same = |line: &MixedLine| {
        let first = mixed.lines[0].align;
        line.align == first && line.random.as_percent() == 100 && line.part.is_whole()
    };
    if mixed.once && !(mixed.skew.is_none() && mixed.lines.iter().all(same)) {
        refuse(
            "each place once is for random lines of one alignment, anywhere in the range"
                .to_owned(),
        );
    }
    if mixed.pauses() && target.pacing != Pacing::Free {
        refuse(
            "its lines pause, and the target has a pace of its own: omit one of the two".to_owned(),
        );
    }
    for (line, number) in mixed.lines.iter().zip(1..) {
        for why in wrong_with(line) {
            problems.push(Problem::MixLine { line: number, why });
        }
    }
}

fn wrong_with(line: &MixedLine) -> Vec<String> {
    let mut reported = Vec::new();
    if line.share == 0 || line.share > SHARE_MAX {
        reported.push(format!(
            "share: read {}; it is from 1 to {SHARE_MAX}",
            line.share
        ));
    }
    let block = line.block;
    if block < BLOCK_MIN || block > BLOCK_MAX || !block.is_multiple_of(BLOCK_MIN) {
        reported.push(format!(
            "block size: read {block}; a block is a multiple of {BLOCK_MIN} bytes up to {BLOCK_MAX}: 4K, 64K and 1M are usual"
        ));
    }
    if line.align < BLOCK_MIN || !line.align.is_multiple_of(BLOCK_MIN) {
        reported.push(format!(
            "alignment: read {}; it is a multiple of {BLOCK_MIN} bytes, usually the block size",
            line.align
        ));
    }
    if line.part.from >= line.part.to {
        reported.push(format!(
            "part of the range: read {}% to {}%; it must end behind its start",
            line.part.from, line.part.to
        ));
    }
    if line.burst == 0 {
        reported.push("burst: read 0; a burst has at least 1 I/O".to_owned());
    }
    reported
}

/// What the target asks of blocks and offsets, line by line.
pub(super) fn check_alignment(
    mixed: &MixedAccess,
    alignment: Bytes,
    facts: &TargetFacts,
    problems: &mut Vec<Problem>,
) {
    for (line, number) in mixed.lines.iter().zip(1..) {
        for (what, read) in [("block size", line.block), ("alignment", line.align)] {
            let reported = read < BLOCK_MIN || !read.is_multiple_of(BLOCK_MIN);
            if !reported && !read.is_multiple_of(alignment) {
                problems.push(Problem::MixLine {
                    line: number,
                    why: format!(
                        "{what}: read {read}; unbuffered I/O on {} needs multiples of {alignment}: use such a size, or \
                         buffered I/O",
                        facts.path.display()
                    ),
                });
            }
        }
    }
}
