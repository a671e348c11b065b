//! The steps of `fathom files`: what each is called, in which order they come, and which works on what another leaves.
//!
//! Deliberately absent: how a step is done (`engine`).

use serde::{Deserialize, Serialize};

/// One operation on the large file or on the small files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the name describes each")]
pub enum TreeStep {
    WriteBytes,
    WriteBlocks,
    RewriteBlocks,
    ReadBytes,
    ReadBlocks,
    Seek,
    MakeFolder,
    Create,
    Stat,
    Read,
    Append,
    AppendAndFsync,
    Rename,
    Delete,
    RemoveFolder,
}

impl TreeStep {
    /// Those of the large file, in their order.
    pub const LARGE: [TreeStep; 6] = [
        TreeStep::WriteBytes,
        TreeStep::WriteBlocks,
        TreeStep::RewriteBlocks,
        TreeStep::ReadBytes,
        TreeStep::ReadBlocks,
        TreeStep::Seek,
    ];
    /// Those of the small files, in their order.
    pub const SMALL: [TreeStep; 9] = [
        TreeStep::MakeFolder,
        TreeStep::Create,
        TreeStep::Stat,
        TreeStep::Read,
        TreeStep::Append,
        TreeStep::AppendAndFsync,
        TreeStep::Rename,
        TreeStep::Delete,
        TreeStep::RemoveFolder,
    ];

    /// As it stands in records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            TreeStep::WriteBytes => "write bytes",
            TreeStep::WriteBlocks => "write blocks",
            TreeStep::RewriteBlocks => "rewrite blocks",
            TreeStep::ReadBytes => "read bytes",
            TreeStep::ReadBlocks => "read blocks",
            TreeStep::Seek => "seek",
            TreeStep::MakeFolder => "make folder",
            TreeStep::Create => "create",
            TreeStep::Stat => "stat",
            TreeStep::Read => "read",
            TreeStep::Append => "append",
            TreeStep::AppendAndFsync => "append and fsync",
            TreeStep::Rename => "rename",
            TreeStep::Delete => "delete",
            TreeStep::RemoveFolder => "remove folder",
        }
    }

    /// As on the command line: its name in one word.
    pub fn word(self) -> String {
        self.name().replace(' ', "-")
    }

    /// The step that leaves what this one works on.
    pub const fn works_on(self) -> Option<TreeStep> {
        match self {
            TreeStep::WriteBytes | TreeStep::WriteBlocks | TreeStep::MakeFolder => None,
            TreeStep::RewriteBlocks
            | TreeStep::ReadBytes
            | TreeStep::ReadBlocks
            | TreeStep::Seek => Some(TreeStep::WriteBlocks),
            TreeStep::Create => Some(TreeStep::MakeFolder),
            TreeStep::Stat
            | TreeStep::Read
            | TreeStep::Append
            | TreeStep::AppendAndFsync
            | TreeStep::Rename
            | TreeStep::Delete => Some(TreeStep::Create),
            TreeStep::RemoveFolder => Some(TreeStep::Delete),
        }
    }

    /// Whether it cannot be done without `other`, be it by a third.
    pub fn needs(self, other: TreeStep) -> bool {
        self.works_on()
            .is_some_and(|one| one == other || one.needs(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_comes_after_those_that_it_needs() {
        for steps in [&TreeStep::LARGE[..], &TreeStep::SMALL[..]] {
            for (place, step) in steps.iter().enumerate() {
                let needed = step.works_on();
                assert!(needed.is_none_or(|other| steps[..place].contains(&other)));
                assert!(!step.needs(*step));
            }
        }
        assert!(TreeStep::RemoveFolder.needs(TreeStep::MakeFolder));
        assert!(!TreeStep::Stat.needs(TreeStep::Delete));
    }
}
