//! Why a run could not be carried out: what failed, on what, what to do.
//!
//! A failed I/O inside a run is not here: it is data, and stands in the record.

use crate::system::errors::{ADDRESS_SPACE, THREADS, fill_remedy, more_cores, open_remedy};
use model::{Bytes, CommandError, EngineChoice, Flaw, errno_text};
use std::io;
use std::path::{Path, PathBuf};

/// Why a run could not be carried out.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum RunError {
    #[error("{}: cannot be opened for {access}: {}; {}", path.display(), errno_text(source), open_remedy(source))]
    Open {
        path: PathBuf,
        access: &'static str,
        source: io::Error,
    },
    #[error(
        "{}: this is no longer the checked target (it was replaced or resized), so it is not \
         changed: run again", path.display()
    )]
    Changed { path: PathBuf },
    #[error(
        "the engine {engine} belongs to another operating system; this one has {}, or omit the engine",
        names(own)
    )]
    OtherSystem {
        engine: EngineChoice,
        own: Vec<EngineChoice>,
    },
    #[error("the engine {engine} does not run here: {reason}; {remedy}")]
    Unavailable {
        engine: &'static str,
        reason: String,
        remedy: &'static str,
    },
    #[error(
        "the engine sync serves here because neither io_uring nor libaio runs ({reason}), and it has one I/O \
         outstanding a thread: take depth 1 and more threads; {remedy}"
    )]
    DepthWithoutRing {
        reason: String,
        remedy: &'static str,
    },
    #[error(
        "{}: completions cannot be polled for: {reason}; give its driver poll queues (module parameter \
         nvme.poll_queues=4 or virtio_blk.poll_queues=4, at boot or when the module is loaded), or omit polling",
        path.display()
    )]
    NotPolled { path: PathBuf, reason: String },
    #[error("{}: commands cannot be passed through: {reason}; {remedy}", path.display())]
    PassedThrough {
        path: PathBuf,
        reason: String,
        remedy: &'static str,
    },
    #[error("the trace cannot be read: {why}")]
    Trace { why: String },
    #[error("the journal {} cannot be written: {why}", path.display())]
    Journal { path: PathBuf, why: String },
    #[error("the ring could not be set up: {}; {remedy}", errno_text(source))]
    Ring {
        source: io::Error,
        remedy: &'static str,
    },
    #[error("the ring broke off: {}; {remedy}", errno_text(source))]
    RingBroke {
        source: io::Error,
        remedy: &'static str,
    },
    #[error(
        "{needed} open files are needed, {open} of them in addition to the threads, and this process may have {limit}: \
         raise the limit on open files (ulimit -n 65536), or use fewer threads or targets"
    )]
    OpenFiles { needed: u64, open: u64, limit: u64 },
    #[error(
        "about {needed} of address space are needed and this process may have {limit}: {ADDRESS_SPACE}, or use fewer \
         threads or a smaller depth or block"
    )]
    AddressSpace { needed: Bytes, limit: Bytes },
    #[error(
        "{}: the file is to be {needed} long, and this process's limit is {limit} (ulimit -f); hint: raise it \
        (ulimit -f unlimited), or use a smaller size", path.display()
    )]
    FileSize {
        path: PathBuf,
        needed: Bytes,
        limit: Bytes,
    },
    #[error(
        "the completion port failed: {}; use the engine sync",
        errno_text(source)
    )]
    Port { source: io::Error },
    #[error("the completion port broke off: {}", errno_text(source))]
    PortBroke { source: io::Error },
    #[error(
        "kernel AIO (libaio) could not be set up: {}; {remedy}",
        errno_text(source)
    )]
    Aio {
        source: io::Error,
        remedy: &'static str,
    },
    #[error(
        "{bytes} of memory for buffers were refused: {}; use a smaller depth, block or number of threads",
        errno_text(source)
    )]
    Buffers { bytes: Bytes, source: io::Error },
    #[error(
        "{bytes} in large pages were refused: {}; {remedy}, or omit large pages",
        errno_text(source)
    )]
    LargePages {
        bytes: Bytes,
        remedy: String,
        source: io::Error,
    },
    #[error("{}: the source of write data cannot be read: {}; check the spelling, or omit the file for random \
             data", path.display(), errno_text(source))]
    Source { path: PathBuf, source: io::Error },
    #[error(
        "core {read}: this process may use {allowed}; name one of these, or let it use more: {}", more_cores(*read)
    )]
    Core { read: u32, allowed: String },
    #[error(
        "core {read} is not online on this machine: this process may use {allowed}; name one of these"
    )]
    NoCore { read: u32, allowed: String },
    #[error(
        "threads cannot be bound to cores here: {}; omit the placement",
        errno_text(source)
    )]
    Affinity { source: io::Error },
    #[error(
        "the priority of I/O cannot be set here: {}; leave it at normal",
        errno_text(source)
    )]
    Priority { source: io::Error },
    #[error("{}: cannot be mapped into memory: {}; read and write it instead (omit -Sm)", path.display(), errno_text(source))]
    Map { path: PathBuf, source: io::Error },
    #[error(
        "thread {number} could not be started: {}; use fewer threads{THREADS}",
        errno_text(source)
    )]
    Thread { number: u32, source: io::Error },
    #[error(
        "{}: filling failed at byte {}: {}; {}{}", path.display(), offset.0, errno_text(source), fill_remedy(source),
        left(*removed)
    )]
    Fill {
        path: PathBuf,
        offset: Bytes,
        source: io::Error,
        removed: bool,
    },
    #[error("stopped while {} was being filled{}", path.display(), left(*removed))]
    FillInterrupted { path: PathBuf, removed: bool },
    #[error(
        "{}: the block at offset {} contains {flaw}, so nothing is written: it would be lost; hint: delete it, or \
        --overwrite (for a file), --destroy {} (for a device)",
        path.display(), offset.0, model::shell_word(path)
    )]
    NotOurs {
        path: PathBuf,
        offset: Bytes,
        flaw: Flaw,
    },
    #[error("stopped while {} was being read to see that all of it is fathom's; nothing was written", path.display())]
    ProofInterrupted { path: PathBuf },
    #[error(
        "stopped while the targets were being opened ({missing} of {threads} threads were not ready); nothing was read or written"
    )]
    StoppedWhileOpening { missing: usize, threads: usize },
    #[error("the run was called off before it began: {why}; nothing was read or written")]
    CalledOff { why: String },
    #[error(
        "{}: another fathom is using it{}: wait until that one has ended, or specify another target", path.display(),
        held(holder.as_deref())
    )]
    Locked {
        path: PathBuf,
        holder: Option<String>,
    },
    #[error("a worker broke off: {message}; this is a mistake in fathom, please report it")]
    Panicked { message: String },
}

impl RunError {
    /// A file that another fathom has locked, with that one's process where the system names it.
    pub fn locked(path: &Path) -> RunError {
        RunError::Locked {
            path: path.to_owned(),
            holder: lock_holder(path),
        }
    }
}

/// Returns the process that has locked a file, where the system names it.
pub(crate) fn lock_holder(path: &Path) -> Option<String> {
    host::lock_holder(&host::Root::live(), path)
}

pub(crate) fn held(holder: Option<&str>) -> String {
    holder.map_or_else(String::new, |holder| format!(" ({holder})"))
}

fn names(engines: &[EngineChoice]) -> String {
    let names: Vec<String> = engines.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn left(removed: bool) -> &'static str {
    if removed {
        "; the unfinished file was removed"
    } else {
        "; what was written so far stays and is completed next time"
    }
}

/// What the machine does not offer is known before the first I/O, so it is a refusal; what goes wrong later is
/// a failure.
impl From<RunError> for CommandError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::NotOurs { .. }
            | RunError::Locked { .. }
            | RunError::Core { .. }
            | RunError::NoCore { .. } => CommandError::refused(error),
            RunError::Open { .. }
            | RunError::Unavailable { .. }
            | RunError::OtherSystem { .. }
            | RunError::DepthWithoutRing { .. }
            | RunError::NotPolled { .. }
            | RunError::PassedThrough { .. }
            | RunError::Ring { .. }
            | RunError::Aio { .. }
            | RunError::Port { .. }
            | RunError::OpenFiles { .. }
            | RunError::AddressSpace { .. }
            | RunError::FileSize { .. }
            | RunError::Buffers { .. }
            | RunError::Thread { .. }
            | RunError::LargePages { .. }
            | RunError::Source { .. }
            | RunError::Affinity { .. }
            | RunError::Priority { .. }
            | RunError::Map { .. } => CommandError::unfit([error.to_string()]),
            _ => CommandError::failed(error),
        }
    }
}
