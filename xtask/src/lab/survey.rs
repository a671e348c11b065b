//! `survey`: what a survey finds against the whole grid, on real targets and on a machine that is like itself.
//!
//! One processor whose clock counts instructions, so that no other work on this machine reaches what is measured, and all
//! targets in memory: the same twice, to the last digit. The rates are those of no machine that there is.

use super::machine::{Contents, Machine};
use super::{Lab, Outcome, Result, Visit};

pub(super) const LAB: Lab = Lab {
    name: "survey",
    about: "fathom survey against the whole grid on files of ext4, a loop device under a limit, and zram",
    takes: "ten minutes to half an hour",
    needs: &[
        ("mkfs.ext4", "e2fsprogs"),
        ("losetup", "mount"),
        ("dd", "coreutils"),
    ],
    script: include_str!("survey.sh"),
    run,
};

fn run(visit: &Visit<'_>) -> Result<Outcome> {
    let mut programs = visit.build(&["fathom", "bench"], true)?;
    programs.extend(visit.needed()?);
    let contents = Contents {
        modules: &["crc32c_generic", "ext4", "loop", "zram", "null_blk"],
        programs,
        script: LAB.script,
    };
    let machine = Machine {
        processors: Machine::COUNTS_INSTRUCTIONS,
        memory_mib: 3072,
        kernel_words: Machine::ALIKE,
        more: Vec::new(),
        seconds_max: 3600,
    };
    visit.boot(&machine, &contents)
}
