//! The devices of this machine, one line each, and what would be lost by writing to them.

use crate::number::{NOTHING, bytes};
use crate::paper::Paper;
use crate::table::{left, lines, right};
use crate::text::{printable, shorten};
use model::{BlockDevice, Claim};
use std::io::{self, Write};
use std::path::Path;

/// One device as the list shows it.
#[derive(Clone, Copy, Debug)]
pub struct DeviceLine<'a> {
    /// Where it is found: `/dev/vda`.
    pub path: &'a Path,
    /// Its facts.
    pub device: &'a BlockDevice,
    /// Kernel name of the disk that it is a part of.
    pub parent: Option<&'a str>,
    /// Who uses it, or what is on it.
    pub claims: &'a [Claim],
}

/// Writes the list as it is given, parts set in below their disk; one sentence where it is empty.
pub fn write_devices(
    devices: &[DeviceLine<'_>],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    if devices.is_empty() {
        return writeln!(out, "no block device is visible here");
    }
    let columns = [
        left("device", 14),
        left("kind", 9),
        right("size", 8),
        left("model", 16),
        left("in use, or what is on it", 20),
    ];
    let rows: Vec<Vec<String>> = devices.iter().map(|line| cells(line, paper)).collect();
    lines(&columns.each_ref(), &rows, paper.width())
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
}

fn cells(line: &DeviceLine<'_>, paper: &Paper) -> Vec<String> {
    let device = line.device;
    let inset = if line.parent.is_some() { "  " } else { "" };
    let model = device
        .model
        .as_deref()
        .map_or_else(|| NOTHING.to_owned(), printable);
    let mut claims: Vec<String> = line.claims.iter().map(claim).collect();
    if device.read_only {
        claims.push("read-only".to_owned());
    }
    let used = if claims.is_empty() {
        "nothing found on it".to_owned()
    } else {
        claims.join(", ")
    };
    let room = paper.width().saturating_sub(21 + 11 + 11 + 24);
    vec![
        format!(
            "{inset}{}",
            shorten(&printable(&line.path.to_string_lossy()), 21)
        ),
        shorten(&device.kind, 9),
        bytes(device.size.0),
        shorten(&model, 22),
        shorten(&used, room),
    ]
}

fn claim(claim: &Claim) -> String {
    match claim {
        Claim::Mounted { at, .. } => format!("mounted on {}", printable(&at.to_string_lossy())),
        Claim::Swap { .. } => "swap".to_owned(),
        Claim::Holder { by, .. } => format!("part of {}", printable(by)),
        Claim::Busy { .. } => "opened by someone".to_owned(),
        Claim::Signature { what, .. } => printable(what),
    }
}
