//! The block "System information" of the text.

use crate::diskspd::Compat;
use crate::diskspd::figures::System;
use std::io::{self, Write};
use views::{Zone, local_stamp};

/// Where the machine does not report it.
pub(super) const UNKNOWN: &str = "<unknown>";

/// `-Rs`: the block alone, in the layout of 2.3, which is the first to have it.
pub fn machine_text(system: &System) -> String {
    let mut text = Vec::new();
    write_2_3(system, &mut text).expect("a Vec takes it");
    String::from_utf8(text).expect("it is text")
}

/// The whole block in the layout of a version, with the blank line inside and none around.
pub(super) fn write(system: &System, compat: Compat, out: &mut dyn Write) -> io::Result<()> {
    match compat {
        Compat::V2_0 => Ok(()),
        Compat::V2_0_21 | Compat::V2_1 => {
            writeln!(out, "System information:\n")?;
            writeln!(out, "\tcomputer name: {}", name(system))?;
            write!(out, "\tstart time: {}", start_time(system))
        }
        Compat::V2_2 => write_2_2(system, out),
        Compat::V2_3 => write_2_3(system, out),
    }
}

fn name(system: &System) -> &str {
    match system.hostname.as_str() {
        "" => UNKNOWN,
        name => name,
    }
}

/// `y` or `n`.
fn heterogeneous(system: &System) -> char {
    if system.best_class() > 0 { 'y' } else { 'n' }
}

fn write_2_2(system: &System, out: &mut dyn Write) -> io::Result<()> {
    let scheme = system.power_scheme.as_deref().unwrap_or(UNKNOWN);
    writeln!(out, "System information:\n")?;
    writeln!(out, "\tcomputer name: {}", name(system))?;
    writeln!(out, "\tstart time: {}\n", start_time(system))?;
    writeln!(out, "\tcpu count:\t\t{}", system.cpus.len())?;
    writeln!(out, "\tcore count:\t\t{}", system.cores())?;
    writeln!(out, "\tgroup count:\t\t{}", system.groups())?;
    writeln!(out, "\tnode count:\t\t{}", system.nodes())?;
    writeln!(out, "\tsocket count:\t\t{}", system.sockets())?;
    writeln!(out, "\theterogeneous cores:\t{}\n", heterogeneous(system))?;
    writeln!(out, "\tactive power scheme:\t{scheme}")
}

fn write_2_3(system: &System, out: &mut dyn Write) -> io::Result<()> {
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let facts = [
        ("computer name", name(system).to_owned()),
        ("processor name", known(&system.processor_name)),
        ("start time", start_time(system)),
        ("active power scheme", known(&system.power_scheme)),
    ];
    let topology = [
        ("cpu count", system.cpus.len().to_string()),
        ("core count", system.cores().to_string()),
        ("group count", system.groups().to_string()),
        ("node count", system.nodes().to_string()),
        ("socket count", system.sockets().to_string()),
        ("heterogeneous cores", heterogeneous(system).to_string()),
    ];
    writeln!(out, "System information:\n")?;
    for (name, value) in facts {
        writeln!(out, "  {:<22}{value}", format!("{name}:"))?;
    }
    writeln!(out)?;
    for (name, value) in topology {
        writeln!(out, "  {:<22}{value}", format!("{name}:"))?;
    }
    Ok(())
}

/// `2026/05/04 13:22:07 UTC`.
pub(super) fn start_time(system: &System) -> String {
    let stamp = local_stamp(system.started_utc.0, &Zone::utc());
    format!("{} UTC", stamp.replace('-', "/").replace('T', " "))
}
