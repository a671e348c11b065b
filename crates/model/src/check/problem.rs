//! Everything that can stand against a request: what was read, what is accepted, what to do.
//!
//! Omitted: the spelling of options. A problem names fields, and [`Problem::message`] puts a tool's options in their place.

use super::field::{Field, Options, Remedy, Rule, in_bytes};
use crate::block_header::Flaw;
use crate::plan::EngineChoice;
use crate::record::{Claim, Content, FileSystem, ForeignName, TargetFacts, TargetKind};
use crate::units::Bytes;
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that stands against a request. Its `Display` is without remedies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum Problem {
    #[error("the profile has no timespan, so nothing would run: give at least one")]
    NoTimespan,
    #[error("no target: name at least one file or device")]
    NoTarget,
    #[error("the mix: {why}")]
    Mix { why: String },
    #[error("line {line} of the mix: {why}")]
    MixLine { line: usize, why: String },
    #[error("{} cannot be combined with {what}", field.noun())]
    Polling {
        field: Field,
        what: &'static str,
        instead: Option<Remedy>,
    },
    #[error(
        "the engine null moves no bytes, so it has no file or device: specify a target and another engine"
    )]
    NullMismatch,
    #[error("verification: {why}")]
    Verify { why: String, instead: Vec<Remedy> },
    #[error("invalid {} '{read}': must be {rule}", field.noun())]
    Value {
        field: Field,
        read: String,
        rule: Rule,
    },
    #[error("{}: there is nothing under this name: check the spelling", path.display())]
    Missing { path: PathBuf },
    #[error("{}: it is gone: it was removed or renamed since the start", path.display())]
    Gone { path: PathBuf },
    #[error("{}: it is smaller than at the start: it was truncated or replaced", path.display())]
    Shrunk { path: PathBuf },
    #[error("{}: there is no device of this name: check the spelling (fathom devices lists them)", path.display())]
    NoDevice { path: PathBuf },
    #[error("{}: its folder does not exist: create it first, or check the spelling", path.display())]
    MissingFolder { path: PathBuf },
    #[error(
        "{}: this is a folder; a target is a file or a block device: specify a file in it, such as {}",
        path.display(), path.join("fathom.dat").display()
    )]
    Folder { path: PathBuf },
    #[error("{}: this is neither a regular file nor a block device, so it stores nothing", path.display())]
    NotStorage { path: PathBuf },
    #[error("{}: cannot be reached: {why}", path.display())]
    Unreachable { path: PathBuf, why: String },
    #[error("{}: {}", path.display(), forbidden(why.as_deref()))]
    Forbidden { path: PathBuf, why: Option<String> },
    #[error("{}: {}", path.display(), not_writable(file_system.as_ref(), obstacle.as_deref()))]
    NotWritable {
        path: PathBuf,
        file_system: Option<FileSystem>,
        obstacle: Option<String>,
    },
    #[error("{}: {}", path.display(), device_not_writable(*read_only))]
    DeviceNotWritable { path: PathBuf, read_only: bool },
    #[error("{}: its {} contain no whole block of {block} from byte {} on", path.display(), in_bytes(*size), base.0)]
    TooSmall {
        path: PathBuf,
        size: Bytes,
        base: Bytes,
        block: Bytes,
    },
    #[error("{}: {threads} threads would share {blocks} blocks: each needs at least one", path.display())]
    FewerBlocksThanThreads {
        path: PathBuf,
        blocks: u64,
        threads: u32,
    },
    #[error("{}: the range from {base} to {end} goes beyond the end at {size}", path.display())]
    RangeBeyondEnd {
        path: PathBuf,
        base: Bytes,
        end: Bytes,
        size: Bytes,
    },
    #[error(
        "rate: I/Os that start at moments of their own cannot have {what} as well: omit one of the two"
    )]
    RateCannot { what: &'static str },
    #[error("pace: {what} is no pace: give more than nothing, or omit the pace")]
    PaceZero { what: &'static str },
    #[error("access: {why}")]
    Walk { why: &'static str },
    #[error(
        "stripe: read {columns} blocks for {threads} threads; threads share its columns out, so there are at least as \
         many columns as threads"
    )]
    StripeThreads { columns: u32, threads: u32 },
    #[error(
        "{}: thread {thread} would start {start} into a range of {length}, where no block of {block} is left",
        path.display()
    )]
    NoRoomForThread {
        path: PathBuf,
        thread: u32,
        start: Bytes,
        block: Bytes,
        length: Bytes,
    },
    #[error(
        "{}: no range of the distribution that gets I/O lies within the {length} that are used: take a shorter \
         hole or a larger target", path.display()
    )]
    NothingToDraw { path: PathBuf, length: Bytes },
    #[error("memory-mapped I/O cannot be {what}: {instead}")]
    Mapped {
        what: &'static str,
        instead: &'static str,
    },
    #[error(
        "{}: memory-mapped I/O is for files, as it is in DISKSPD: specify a file on the device, or do not map it",
        path.display()
    )]
    MappedDevice { path: PathBuf },
    #[error(
        "a simulated target cannot be combined with one that is not: only one has simulated time, so run them one after the other"
    )]
    SimulatedMixed,
    #[error("a simulated target has no {what}: {instead}")]
    SimulatedCannot {
        what: &'static str,
        instead: &'static str,
    },
    #[error("the engine null has no {what}: omit it, or specify a target and another engine")]
    NullCannot { what: &'static str },
    #[error(
        "{}: only a network file system (nfs, cifs) has a local cache that can be gone past by itself, and this is {}",
         path.display(), file_system.as_deref().unwrap_or("none")
    )]
    LocalOff {
        path: PathBuf,
        file_system: Option<String>,
    },
    #[error("placement: no core is named: name at least one, or omit the placement")]
    NoCores,
    #[error(
        "threads: read {read} for one target of a pool; a pool's threads are counted once, for all targets"
    )]
    PoolThreads { read: u32 },
    #[error("pool: read thread {read}; its {threads} threads count from 0")]
    PoolThreadNumber { read: u32, threads: u32 },
    #[error("pool: thread {thread} has no target: use fewer threads, or specify it for one")]
    PoolIdle { thread: u32 },
    #[error("pool: a weight of 0 never gets an I/O: give at least 1, or omit the target")]
    WeightZero,
    #[error(
        "weights belong to a pool of threads whose outstanding I/Os are shared by the targets: ask for one, or omit \
        them"
    )]
    ShareWithoutPool,
    #[error(
        "pool: outstanding I/Os that are shared by the targets leave no room for {what}: omit it, or give each \
        target its own outstanding I/Os"
    )]
    PoolCannot { what: &'static str },
    #[error(
        "pool: targets that take turns need outstanding I/Os that are shared, and no weights: specify how many each \
        thread has over all targets, and omit weights"
    )]
    PoolTurns,
    #[error(
        "pool: a thread cannot map some of its targets and read and write others, or use several engines: make all \
         equal, or measure them one after the other"
    )]
    PoolMixed,
    #[error("{}: a device has its size and is not created: specify a file", path.display())]
    CreateDevice { path: PathBuf },
    #[error(
        "{}: {} more are needed and {} are free on {}: {}",
        path.display(), about_beside(*needed, free.about()), free.about(), mount_point.display(), room_remedy(*size)
    )]
    NoSpace {
        path: PathBuf,
        needed: Bytes,
        free: Bytes,
        size: Bytes,
        mount_point: PathBuf,
    },
    #[error("{}: no direct I/O (O_DIRECT): {}", path.display(), why_not_direct(file_system.as_ref()))]
    NoDirectIo {
        path: PathBuf,
        file_system: Option<FileSystem>,
    },
    #[error(
        "the threads need {needed} of memory (for each: block × depth, and the time series), more than half of the \
         {} that are free", available.about()
    )]
    Memory { needed: Bytes, available: Bytes },
    #[error(
        "the run needs {needed} of memory (for each thread: block × depth, and the time series), but the control group {} \
         allows {limit}, of which {used} are in use, and the kernel kills what exceeds that: raise the limit (memory.max)", group.display()
    )]
    GroupMemory {
        needed: Bytes,
        limit: Bytes,
        used: Bytes,
        group: PathBuf,
    },
    #[error(
        "{}: commands are passed through to it, and the engine {engine} does not do that: name its block device",
        path.display()
    )]
    OnlyPassthrough { path: PathBuf, engine: EngineChoice },
    #[error(
        "{}: the engine nvme passes commands through to the character device of an NVMe namespace: name such a one \
         (/dev/ng0n1 is that of /dev/nvme0n1), or take another engine", path.display()
    )]
    NoNamespace { path: PathBuf },
    #[error(
        "{}: the system has no block device for this namespace, so that its size and its users are unknown: specify \
        another target", path.display()
    )]
    NamespaceUnknown { path: PathBuf },
    #[error(
        "commands are passed through to some of the targets and not to others: measure them one after the other, or \
        specify the namespaces' block devices"
    )]
    PassthroughMixed,
    #[error(
        "{}: in use, so no commands are passed through to it: {}: end that first, or read its block device, {}",
        path.display(), users(uses), block_device.display()
    )]
    PassthroughInUse {
        path: PathBuf,
        block_device: PathBuf,
        uses: Vec<Claim>,
    },
    #[error(
        "commands that are passed through have no {what}: omit it, or specify the block device"
    )]
    PassthroughCannot {
        what: &'static str,
        instead: Option<Remedy>,
    },
    #[error("{}: in use, so it is not written: {}", path.display(), in_use(uses))]
    InUse { path: PathBuf, uses: Vec<Claim> },
    #[error(
        "{}: a setting of the kernel ({kind}), so it is not written: the system would change; hint: specify a file \
        on a disk", path.display()
    )]
    Setting { path: PathBuf, kind: String },
    #[error(
        "{}: not written, because it could not be checked: {}. Another program might be using it, and lose its \
        data; hint: run where /proc and /sys are mounted, as a user who may read all devices", path.display(), what.join("; ")
    )]
    Unchecked { path: PathBuf, what: Vec<String> },
    #[error(
        "{}: not written, because {} is in a folder ({}) that another user can change ({}): that user decides which file \
        would be lost; hint: {}", path.display(), foreign(name), folder_of(&name.path), name.why, without(path, name)
    )]
    ForeignName { path: PathBuf, name: ForeignName },
    #[error(
        "{}: fathom did not create this file, so it is not written: {}{}",
        path.display(), loss(*size), list_signatures(signatures)
    )]
    ForeignFile {
        path: PathBuf,
        size: Bytes,
        signatures: Vec<Claim>,
    },
    #[error(
        "{}: the block at offset {} contains {flaw}, so it is not written: {} would be lost: delete the file first",
        path.display(), offset.0, held(*size)
    )]
    FlawedFile {
        path: PathBuf,
        size: Bytes,
        offset: Bytes,
        flaw: Flaw,
    },
    #[error(
        "{}: this file contains {flaw}, so it is not written: {} would be lost: delete the file first",
        path.display(), held(*size)
    )]
    UnprovenFile {
        path: PathBuf,
        size: Bytes,
        flaw: Flaw,
    },
    #[error(
        "{}: could not verify that fathom created this file (slow or unreadable), so it is not written: {} \
         might be lost. Retry on an idle machine", path.display(), held(*size)
    )]
    UnseenFile { path: PathBuf, size: Bytes },
    #[error(
        "{}: this device is not empty, so it is not written: {} would be lost{}", path.display(), held(*size),
        list_content(signatures, *content)
    )]
    ForeignDevice {
        path: PathBuf,
        size: Bytes,
        signatures: Vec<Claim>,
        content: Content,
    },
}

impl Problem {
    /// Makes one of a value that breaks a rule.
    pub(super) fn value(field: Field, read: impl fmt::Display, rule: Rule) -> Problem {
        let read = read.to_string();
        Problem::Value { field, read, rule }
    }

    /// Returns the message in a tool's options, with the remedies that it has options for.
    pub fn message(&self, options: Options) -> String {
        let remedies = self.remedies();
        let remedies: Vec<String> = remedies
            .iter()
            .filter_map(|one| one.message(options))
            .collect();
        let message = match self {
            Problem::Value { field, read, rule } => match options(*field) {
                Some(option) => crate::invalid_value(read, option, &format!("must be {rule}")),
                None => self.to_string(),
            },
            _ => self.to_string(),
        };
        match remedies.is_empty() {
            true => message,
            false => format!("{message}; hint: {}", remedies.join(", or ")),
        }
    }

    /// Returns what to change in the request, the best first.
    fn remedies(&self) -> Vec<Remedy> {
        use Field::*;
        use Remedy::{Larger, Omit, Smaller};
        let option = Remedy::option;
        match self {
            Problem::Value { rule, .. } => match rule {
                Rule::Aligned { .. } => vec![option(Buffered, " to go through the page cache")],
                Rule::OneOutstanding => {
                    vec![Larger(Threads), Remedy::value(Engine, "io_uring or libaio")]
                }
                _ => Vec::new(),
            },
            Problem::Polling { field, instead, .. } => {
                instead.iter().cloned().chain([Omit(*field)]).collect()
            }
            Problem::Verify { instead, .. } => instead.clone(),
            Problem::NullMismatch => vec![Remedy::value(Engine, "null without a target")],
            Problem::Missing { .. } => vec![option(Create, " to create a file filled with data")],
            Problem::NotWritable { .. } | Problem::DeviceNotWritable { .. } => {
                vec![option(ReadOnly, " to only read")]
            }
            Problem::TooSmall { .. } => vec![Smaller(Block), Larger(FileSize)],
            Problem::FewerBlocksThanThreads { .. } => {
                vec![Smaller(Threads), Smaller(Block), Larger(FileSize)]
            }
            Problem::RangeBeyondEnd { .. } => vec![Smaller(Length)],
            Problem::NoRoomForThread { .. } => {
                vec![Smaller(Threads), Smaller(ThreadStride), Larger(FileSize)]
            }
            Problem::LocalOff { .. } => {
                vec![option(Unbuffered, " to go past all of the system's cache")]
            }
            Problem::ShareWithoutPool => vec![option(Pool, "")],
            Problem::CreateDevice { .. } => vec![Omit(FileSize)],
            Problem::NoSpace { size, .. } if size.0 > 0 => vec![Smaller(FileSize)],
            Problem::NoDirectIo { .. } => {
                vec![option(Buffered, " to measure through the page cache")]
            }
            Problem::Memory { .. } | Problem::GroupMemory { .. } => {
                vec![
                    Smaller(Threads),
                    Smaller(QueueDepth),
                    Smaller(Block),
                    Larger(Interval),
                ]
            }
            Problem::OnlyPassthrough { .. } => vec![option(Passthrough, "")],
            Problem::PassthroughCannot { instead, .. } => instead.iter().cloned().collect(),
            Problem::ForeignFile { .. }
            | Problem::FlawedFile { .. }
            | Problem::UnprovenFile { .. }
            | Problem::UnseenFile { .. } => vec![
                option(ReadOnly, " to only read"),
                option(Overwrite, " to write it anyway"),
            ],
            Problem::ForeignDevice { path, .. } => {
                let device = Cow::Owned(crate::shell_word(path));
                vec![
                    option(ReadOnly, " to only read"),
                    Remedy::Use(Destroy, device, " to write it anyway"),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Returns what it is of a target that was checked before, with these facts.
    pub fn since(&self, earlier: &[TargetFacts]) -> Problem {
        let known = |path: &Path| earlier.iter().find(|facts| facts.path == *path);
        let was_larger = |path, now| known(path).is_some_and(|facts| facts.size > now);
        match self {
            Problem::Missing { path }
                if known(path).is_some_and(|facts| facts.kind == TargetKind::File) =>
            {
                Problem::Gone { path: path.clone() }
            }
            Problem::RangeBeyondEnd { path, size, .. }
            | Problem::Value {
                rule: Rule::BelowEnd { path, size },
                ..
            } if was_larger(path, *size) => Problem::Shrunk { path: path.clone() },
            other => other.clone(),
        }
    }

    /// Whether the request is good and only what it names, or the machine, does not fit it: what other tools find out
    /// when they open their targets. Consent is not among these, nor what could never be run.
    pub fn is_of_the_machine(&self) -> bool {
        if let Problem::Value { rule, .. } = self {
            return matches!(rule, Rule::BelowEnd { .. } | Rule::OneCommand { .. });
        }
        matches!(
            self,
            Problem::Missing { .. }
                | Problem::Gone { .. }
                | Problem::Shrunk { .. }
                | Problem::NoDevice { .. }
                | Problem::MissingFolder { .. }
                | Problem::Folder { .. }
                | Problem::NotStorage { .. }
                | Problem::Unreachable { .. }
                | Problem::Forbidden { .. }
                | Problem::NotWritable { .. }
                | Problem::DeviceNotWritable { .. }
                | Problem::TooSmall { .. }
                | Problem::FewerBlocksThanThreads { .. }
                | Problem::RangeBeyondEnd { .. }
                | Problem::NoRoomForThread { .. }
                | Problem::NoSpace { .. }
                | Problem::NoDirectIo { .. }
                | Problem::NamespaceUnknown { .. }
                | Problem::Memory { .. }
                | Problem::GroupMemory { .. }
        )
    }
}

/// Everything that stands against a request. // never empty
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// `Ok` when there are none. The same problem found twice (two equal targets) is reported once.
    pub fn none_or(problems: Vec<Problem>) -> Result<(), Problems> {
        let mut reported: Vec<Problem> = Vec::new();
        for problem in problems {
            if !reported.contains(&problem) {
                reported.push(problem);
            }
        }
        if reported.is_empty() {
            Ok(())
        } else {
            Err(Problems(reported))
        }
    }

    /// Each, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

/// Permissions can be asked for; rules apply to root, too.
fn forbidden(why: Option<&str>) -> String {
    match why {
        Some(why) => format!("{why}: allow it there (docker run --device), or specify another target"),
        None => "permission denied: ask for read access to it and to the folders above it, or run as root".to_owned(),
    }
}

fn not_writable(file_system: Option<&FileSystem>, obstacle: Option<&str>) -> String {
    if let Some(obstacle) = obstacle {
        return format!("it cannot be written: {obstacle}");
    }
    match file_system {
        Some(fs) if fs.read_only => format!(
            "{} is mounted read-only: mount it for writing: mount -o remount,rw {}",
            fs.mount_point.display(),
            fs.mount_point.display()
        ),
        _ => {
            "no permission to write it: ask for write access to the file and its folder".to_owned()
        }
    }
}

/// What a mount shows of the cause; otherwise what the kernel answered.
fn why_not_direct(file_system: Option<&FileSystem>) -> String {
    let Some(on) = file_system else {
        return "the device or its file system refused it (EINVAL)".to_owned();
    };
    let kind = on.layer.as_ref().unwrap_or(&on.kind);
    let has = |option: &str| on.options.split(',').any(|one| one == option);
    match on.layer {
        _ if on.is_in_memory() && on.layer.is_some() => {
            format!("the file is in memory ({kind} below {})", on.kind)
        }
        _ if on.is_in_memory() => format!("{kind} keeps files in memory"),
        None if has("data=journal") => format!("{kind} is mounted with data=journal"),
        _ => format!("the file system {kind} refused it (EINVAL)"),
    }
}

fn device_not_writable(read_only: bool) -> &'static str {
    if read_only {
        "this device is read-only: make it writable: blockdev --setrw DEVICE"
    } else {
        "no permission to write it: run as root"
    }
}

/// What writing a file would cost its user.
fn loss(size: Bytes) -> String {
    match size {
        Bytes(0) => "what is written would be another user's".to_owned(),
        _ => format!("{} would be lost", held(size)),
    }
}

fn held(size: Bytes) -> String {
    format!("its {}", in_bytes(size))
}

/// The name that another user could have placed.
fn foreign(name: &ForeignName) -> String {
    let path = name.path.display();
    match name.is_link {
        true => format!("the symbolic link {path}"),
        false => format!("{path}, one of several names of a file,"),
    }
}

/// What leads to the file without that name.
fn without(path: &Path, name: &ForeignName) -> String {
    match name.is_link {
        true => format!("specify the file itself (readlink -f {})", path.display()),
        false => "specify the file by its name in a folder that only you can change".to_owned(),
    }
}

fn folder_of(link: &Path) -> String {
    let folder = link
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).display().to_string()
}

fn in_use(uses: &[Claim]) -> String {
    let each: Vec<String> = uses
        .iter()
        .map(|claim| format!("{claim}; {}", way_out(claim)))
        .collect();
    each.join("; ")
}

/// Who uses it with what ends that, where nothing would be lost.
fn users(uses: &[Claim]) -> String {
    let each = uses.iter().map(|claim| match claim {
        Claim::Mounted { at, .. } => format!("{claim} (umount {})", at.display()),
        Claim::Swap { device } => format!("{claim} (swapoff {device})"),
        Claim::Busy { .. } | Claim::OpenForWriting { .. } => {
            format!("{claim} (fuser -v lists the processes)")
        }
        Claim::Holder { .. } | Claim::Placed { .. } | Claim::Signature { .. } => claim.to_string(),
    });
    each.collect::<Vec<_>>().join("; ")
}

fn way_out(claim: &Claim) -> String {
    match claim {
        Claim::Mounted { at, .. } => {
            format!(
                "what is mounted there would be lost: end that first (umount {})",
                at.display()
            )
        }
        Claim::Swap { device } => {
            format!("what is swapped out would be lost: end that first (swapoff {device})")
        }
        Claim::Holder { by, .. } => {
            format!(
                "{by} uses it, and its data would be lost: stop {by} first, or test {by} itself"
            )
        }
        Claim::Busy { .. } | Claim::OpenForWriting { .. } => {
            "find who has it open (fuser -v) and end that first".to_owned()
        }
        Claim::Placed { .. } | Claim::Signature { .. } => String::new(),
    }
}

fn list_signatures(signatures: &[Claim]) -> String {
    let each: Vec<String> = signatures.iter().map(ToString::to_string).collect();
    if each.is_empty() {
        String::new()
    } else {
        format!(" ({})", each.join(", "))
    }
}

fn list_content(signatures: &[Claim], content: Content) -> String {
    if signatures.is_empty() {
        match content {
            Content::Unknown => " (it could not be read to see what they are)".to_owned(),
            Content::Unproven => {
                " (zeros in the checked places, but not all of it was checked)".to_owned()
            }
            Content::Flawed { offset, flaw } => format!(" (at offset {}: {flaw})", offset.0),
            _ => " (no known format, but not zeros either)".to_owned(),
        }
    } else {
        list_signatures(signatures)
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Mounted { device, at } => write!(f, "{device} is mounted at {}", at.display()),
            Claim::Swap { device } => write!(f, "{device} is swap space in use"),
            Claim::Holder { device, by } => write!(f, "{by} uses {device}"),
            Claim::Busy { device } => {
                write!(f, "another program has {device} open exclusively")
            }
            Claim::OpenForWriting { file } => {
                write!(f, "another program has {file} open for writing")
            }
            Claim::Placed { file, user } => {
                write!(
                    f,
                    "{file} belongs to user {user}, who can change its folder"
                )
            }
            Claim::Signature { device, what } => write!(f, "{what} on {device}"),
        }
    }
}
/// Returns what to do on a file system without room. Those that the kernel makes up have no size. // size of the file system
fn room_remedy(size: Bytes) -> &'static str {
    match size {
        Bytes(0) => "it keeps no files: specify a target on another file system",
        _ => "make room",
    }
}

/// A size rounded as the one next to it is, unless both would read the same.
fn about_beside(size: Bytes, other: Bytes) -> Bytes {
    match size.about() {
        about if about == other => size,
        about => about,
    }
}
