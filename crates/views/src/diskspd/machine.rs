//! The block "System information" of the text.

use analysis::diskspd::System;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io::{self, Write};

/// Where the machine does not tell.
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

/// `2026/05/04 13:22:07 UTC`; the year without zeros before it.
pub(super) fn start_time(system: &System) -> String {
    let ns = i128::from(system.started_utc.0);
    let moment =
        Timestamp::from_nanosecond(ns).expect("64 bits of nanoseconds end within the calendar");
    moment
        .to_zoned(TimeZone::UTC)
        .strftime("%-Y/%m/%d %H:%M:%S UTC")
        .to_string()
}
