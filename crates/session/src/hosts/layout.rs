//! Each rank's part of what is measured.

use model::{Bytes, CommandError, JobLayout, Location, Profile, Timespan};
use std::path::{Path, PathBuf};

/// One rank among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Its number.
    pub(super) rank: u32,
    /// How many there are.
    pub(super) size: u32,
}

/// Returns the request of one rank, from that of all.
///
/// # Errors
/// A name or the layout does not fit.
pub(super) fn place(
    timespan: &Timespan,
    layout: JobLayout,
    share: Share,
    host: &str,
) -> Result<Profile, CommandError> {
    let mut timespan = timespan.clone();
    for target in &mut timespan.targets {
        match &mut target.location {
            Location::Path(path) => *path = named(path, layout, share, host)?,
            Location::Null(_) if layout == JobLayout::Own => {}
            Location::Null(_) => {
                return Err(CommandError::refused(format!(
                    "--layout {layout}: the engine null has no storage that ranks could share; hint: omit it"
                )));
            }
            Location::Simulated(_) => {
                return Err(CommandError::refused(
                    "a simulated device exists in one process only, so that many hosts cannot measure it together",
                ));
            }
        }
        if layout == JobLayout::Segments {
            let Some(length) = target.length else {
                return Err(CommandError::refused(
                    "--layout segments: specify the range of one rank by --length",
                ));
            };
            let before = length.0.checked_mul(u64::from(share.rank));
            let base = before.and_then(|before| target.base.0.checked_add(before));
            target.base = Bytes(base.ok_or_else(|| {
                CommandError::refused("--length: the segments end beyond 16 EiB")
            })?);
        }
        if layout != JobLayout::Own && target.create.is_some() {
            return Err(CommandError::refused(format!(
                "--create: with --layout {layout} the ranks share one file that is there already; hint: create it first \
                 by one fathom run --create"
            )));
        }
    }
    // Each rank draws its own offsets.
    timespan.seed = timespan.seed.wrapping_add(u64::from(share.rank) << 32);
    Ok(Profile {
        timespans: vec![timespan],
    })
}

/// The name with `{rank}` and `{host}` filled in.
fn named(
    path: &Path,
    layout: JobLayout,
    share: Share,
    host: &str,
) -> Result<PathBuf, CommandError> {
    let Some(text) = path.to_str().filter(|text| text.contains('{')) else {
        return Ok(path.to_owned());
    };
    if layout != JobLayout::Own && (text.contains("{rank}") || text.contains("{host}")) {
        return Err(CommandError::refused(format!(
            "{text}: a name of each rank's own cannot be combined with --layout {layout}"
        )));
    }
    if text.contains("{host}") && (host.contains('/') || host.contains("..") || host.is_empty()) {
        return Err(CommandError::refused(format!(
            "{text}: the host name {host:?} is no part of a file name"
        )));
    }
    let filled = text
        .replace("{rank}", &share.rank.to_string())
        .replace("{host}", host);
    match filled.contains("{rank") || filled.contains("{host") || filled.contains("{user") {
        true => Err(CommandError::refused(format!(
            "{text}: only {{rank}} and {{host}} are filled in in the name of a target"
        ))),
        false => Ok(PathBuf::from(filled)),
    }
}
