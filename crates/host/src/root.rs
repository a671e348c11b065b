//! Which machine is read: this one, or one whose answers were saved in a folder. Omitted: reading them, which each system
//! does in its own way.

use std::path::{Path, PathBuf};

/// This machine, or the folder with what another one has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    pub(crate) at: PathBuf,
}

impl Root {
    /// This machine.
    pub fn live() -> Self {
        Root {
            at: PathBuf::from("/"),
        }
    }

    /// Saved answers: of Linux a tree with `proc`, `sys` and `etc` in it. Devices of a saved machine are never opened.
    pub fn at(folder: PathBuf) -> Self {
        Root { at: folder }
    }

    /// Whether this is the machine that we run on, so that device names mean devices.
    pub fn is_live(&self) -> bool {
        self.at == Path::new("/")
    }
}
