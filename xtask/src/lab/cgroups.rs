//! `cgroups`: limits of control groups of the second version, on I/O and on processor time, by a real kernel.

use super::machine::{Contents, Machine};
use super::{Lab, Outcome, Result, Visit};

pub(super) const LAB: Lab = Lab {
    name: "cgroups",
    about: "limits of control groups (version 2) on I/O and on processor time",
    takes: "half a minute",
    needs: &[("mkfs.ext4", "e2fsprogs"), ("losetup", "mount")],
    script: include_str!("cgroups.sh"),
    run,
};

fn run(visit: &Visit<'_>) -> Result<Outcome> {
    let mut programs = visit.build(&["fathom"], true)?;
    programs.extend(visit.needed()?);
    let contents = Contents {
        modules: &["crc32c_generic", "ext4", "loop", "zram"],
        programs,
        script: LAB.script,
    };
    let machine = Machine {
        processors: Machine::COUNTS_INSTRUCTIONS,
        memory_mib: 1024,
        kernel_words: Machine::ALIKE,
        more: Vec::new(),
        seconds_max: 600,
    };
    visit.boot(&machine, &contents)
}
