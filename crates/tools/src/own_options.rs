//! fathom's own options that every other tool's command line accepts in addition to the tool's.

use model::Consent;
use std::path::PathBuf;

/// What may be written, and where the runs are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnOptions {
    /// `--overwrite` and `--destroy DEVICE`.
    pub consent: Consent,
    /// `--store PATH`: the results database.
    pub store: Option<PathBuf>,
    /// `--no-store`: the runs are not stored.
    pub no_store: bool,
}
