//! The block "System information" of the text.

use crate::diskspd::figures::System;
use std::io::{self, Write};
use views::{Zone, local_stamp};

/// Where the machine does not report it.
pub(super) const UNKNOWN: &str = "<unknown>";

/// The whole block, with the blank line inside and none around.
pub(super) fn write(system: &System, out: &mut dyn Write) -> io::Result<()> {
    let name = if system.hostname.is_empty() {
        UNKNOWN
    } else {
        &system.hostname
    };
    let scheme = system.power_scheme.as_deref().unwrap_or(UNKNOWN);
    writeln!(out, "System information:\n")?;
    writeln!(out, "\tcomputer name: {name}")?;
    writeln!(out, "\tstart time: {}\n", start_time(system))?;
    writeln!(out, "\tcpu count:\t\t{}", system.cpus.len())?;
    writeln!(out, "\tcore count:\t\t{}", system.cores())?;
    writeln!(out, "\tgroup count:\t\t{}", system.groups())?;
    writeln!(out, "\tnode count:\t\t{}", system.nodes())?;
    writeln!(out, "\tsocket count:\t\t{}", system.sockets())?;
    writeln!(out, "\theterogeneous cores:\tn\n")?;
    writeln!(out, "\tactive power scheme:\t{scheme}")
}

/// `2026/05/04 13:22:07 UTC`.
pub(super) fn start_time(system: &System) -> String {
    let stamp = local_stamp(system.started_utc.0, &Zone::utc());
    format!("{} UTC", stamp.replace('-', "/").replace('T', " "))
}
