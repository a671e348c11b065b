//! The devices of this machine, one line each, and what would be lost by writing to them.

use crate::number::{NOTHING, bytes};
use crate::paper::Paper;
use crate::table::{left, lines, right};
use crate::text::{printable, shorten, width};
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
    /// The name that people use, where it has another: `vg-root` of `/dev/dm-0`.
    pub known_as: Option<&'a str>,
}

/// With what a part is set in; so that at 80 columns there is room for `nothing found on it`.
const PATH_MAX: usize = 21;
const KIND_MAX: usize = 9;
/// As much as its head.
const NAME_MIN: usize = 14;
const USED_HEAD: &str = "in use, or what is on it";
const USED_HEAD_SHORT: &str = "in use, or on it";

/// Writes the list as it is given, parts set in below their disk; one sentence where it is empty.
pub fn write_devices(
    devices: &[DeviceLine<'_>],
    paper: &Paper,
    out: &mut dyn Write,
) -> io::Result<()> {
    if devices.is_empty() {
        return writeln!(out, "no block device is visible here");
    }
    let rows: Vec<[String; 4]> = devices.iter().map(facts).collect();
    let mut columns = [
        left("device", 14),
        left("kind", KIND_MAX),
        right("size", 8),
        left("model, or name", NAME_MIN),
        left(USED_HEAD, 0),
    ];
    let widest = |place: usize, room: usize| {
        let cells = rows.iter().map(|row: &[String; 4]| width(&row[place]));
        let widest = cells.max().unwrap_or(0).min(room);
        widest.max(columns[place].width_min) + 2
    };
    let before: usize = (0..3).map(|place| widest(place, usize::MAX)).sum();
    // What would be lost comes before a long name.
    let used: Vec<String> = devices.iter().map(used).collect();
    let used_widest = used.iter().map(|used| width(used)).max().unwrap_or(0);
    let used_widest = used_widest.max(width(USED_HEAD_SHORT));
    let room = paper.room().saturating_sub(before + 2);
    let name_max = room.saturating_sub(used_widest).max(NAME_MIN);
    let used_max = paper.room().saturating_sub(before + widest(3, name_max));
    if used_max < width(USED_HEAD) {
        columns[4].head = USED_HEAD_SHORT;
    }
    let rows = rows.into_iter().zip(used).map(|(mut row, used)| {
        row[3] = shorten(&row[3], name_max);
        let used = shorten(&used, used_max);
        row.into_iter().chain([used]).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    lines(&columns.each_ref(), &rows, paper.room())
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
}

/// The name from its maker or its administrator.
fn name(line: &DeviceLine<'_>) -> String {
    let name = line.device.model.as_deref().or(line.known_as);
    name.map_or_else(|| NOTHING.to_owned(), printable)
}

fn facts(line: &DeviceLine<'_>) -> [String; 4] {
    let inset = if line.parent.is_some() { "  " } else { "" };
    let path = printable(&line.path.to_string_lossy());
    [
        format!("{inset}{}", shorten(&path, PATH_MAX - width(inset))),
        shorten(&line.device.kind, KIND_MAX),
        bytes(line.device.size.0),
        name(line),
    ]
}

fn used(line: &DeviceLine<'_>) -> String {
    let mut claims: Vec<String> = line.claims.iter().map(claim).collect();
    if line.device.read_only {
        claims.push("read-only".to_owned());
    }
    match claims.is_empty() {
        true => "nothing found on it".to_owned(),
        false => claims.join(", "),
    }
}

fn claim(claim: &Claim) -> String {
    match claim {
        Claim::Mounted { at, .. } => format!("mounted on {}", printable(&at.to_string_lossy())),
        Claim::Swap { .. } => "swap".to_owned(),
        Claim::Holder { by, .. } => format!("part of {}", printable(by)),
        Claim::Busy { .. } => "opened by someone".to_owned(),
        Claim::OpenForWriting { .. } => "open for writing".to_owned(),
        Claim::Placed { user, .. } => format!("of user {user}"),
        Claim::Signature { what, .. } => printable(what),
    }
}
