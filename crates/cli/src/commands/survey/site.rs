//! What a survey works on: a file of its own, a file or device that is there, or nothing real. Decided from the
//! facts, before anything is touched.
//!
//! A file that fathom created is used as it is when it still fits; one whose filling was cut short is completed; a
//! new one is created with a size that `size` explains. A person's file is only read, unless the checker lets it
//! be overwritten. Whether any of this is allowed is `model::check`'s business.

use super::request::{Asked, TARGET};
use super::size::{self, SIZE_MIN};
use analysis::say;
use engine::{Observer, RunError, Stop};
use gate::Pins;
use model::{Bytes, CacheMode, CommandError, Content, HostRecord, Plan, TargetFacts, TargetKind};

/// What the survey works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The range that is used, from the target's beginning.
    pub(crate) size: Bytes,
    /// Make or complete the file at this size first.
    pub(crate) create: Option<Bytes>,
    /// Why this size, where it was chosen.
    pub(crate) reason: Option<String>,
    /// What a person should know about this choice.
    pub(crate) words: Vec<String>,
}

/// Decides, or reports why there is nothing to work on.
pub(crate) fn choose(
    asked: &Asked,
    facts: &TargetFacts,
    host: &HostRecord,
) -> Result<Site, CommandError> {
    let mut site = match facts.kind {
        TargetKind::File if is_ours(facts) => reuse(asked, facts, host)?,
        TargetKind::File if asked.options.read_only => as_it_is(asked, facts)?,
        TargetKind::Missing if !may_create(asked, facts) => return Err(refuse_missing(facts)),
        TargetKind::File | TargetKind::Missing => make(asked, facts, host)?,
        TargetKind::BlockDevice | TargetKind::Null | TargetKind::Simulated => {
            as_it_is(asked, facts)?
        }
        TargetKind::NvmeNamespace => return Err(refuse_namespace(facts)),
        // What cannot be measured at all is refused by the checker, in its words.
        TargetKind::Folder
        | TargetKind::MissingFolder
        | TargetKind::Other
        | TargetKind::Forbidden => Site {
            size: SIZE_MIN,
            create: None,
            reason: None,
            words: Vec::new(),
        },
    };
    if asked.options.cache == CacheMode::Cached {
        site.words.push(
            "note: --cache cached: reads and writes go through the system's cache, so this measures the cache \
             as much as the disk"
                .to_owned(),
        );
    }
    Ok(site)
}

/// Whether a name that does not exist is that of a file to create, and not of a misspelt device. Names in `/dev` are refused
/// by the checker, in its words.
fn may_create(asked: &Asked, facts: &TargetFacts) -> bool {
    asked.create
        || facts.names_no_device()
        || facts.path.file_name().is_some_and(|name| name == TARGET)
}

fn refuse_missing(facts: &TargetFacts) -> CommandError {
    CommandError::refused(format!(
        "{}: there is no such file or device; hint: --create creates a file of this name; without a target, a survey creates \
        {TARGET} in the current folder",
        facts.path.display()
    ))
}

/// A survey asks for blocks up to 1 MiB and through the cache, which a command cannot carry.
fn refuse_namespace(facts: &TargetFacts) -> CommandError {
    let block_device = facts.namespace.as_ref().map(|of| &of.block_device);
    let named = block_device.map_or(String::new(), |path| format!(": {}", path.display()));
    CommandError::refused(format!(
        "{}: a survey is of files and block devices, whose I/Os the system cuts as devices need it: specify this \
        namespace's block device{named}, or use fathom run for commands that are passed through",
        facts.path.display()
    ))
}

/// Device that is read raw for comparison with a file: a block device that contains the range.
pub(crate) fn may_be_read_raw(
    facts: &TargetFacts,
    file: &TargetFacts,
    size: Bytes,
) -> Result<(), CommandError> {
    let path = facts.path.display();
    let why = match facts.kind {
        TargetKind::BlockDevice if !lies_on(file, facts) => format!(
            "{} is not on this device, so the two cannot be compared; hint: specify the device that it is on \
            (fathom devices lists them)",
            file.path.display()
        ),
        TargetKind::BlockDevice if facts.size >= size => return Ok(()),
        TargetKind::BlockDevice => format!("it is smaller than the {} of the file", say::bytes(size.0)),
        _ => "this is no block device: specify the device that the file is on (fathom devices lists them)".to_owned(),
    };
    Err(CommandError::refused(format!(
        "--compare-raw {path}: {why}"
    )))
}

/// Whether a device is below a file or folder.
pub(crate) fn lies_on(file: &TargetFacts, device: &TargetFacts) -> bool {
    let named = device.chain.first();
    named.is_some_and(|named| file.chain.iter().any(|below| below.number == named.number))
}

/// Only files that fathom created are removed, and only under their own name.
pub(crate) fn may_remove(facts: &TargetFacts) -> Result<(), CommandError> {
    let path = facts.path.display();
    let why = if facts.path.is_symlink() {
        "a symbolic link is not removed: specify the file itself"
    } else if matches!(
        facts.kind,
        TargetKind::BlockDevice | TargetKind::NvmeNamespace
    ) {
        "a device cannot be removed"
    } else if facts.kind == TargetKind::File && !is_ours(facts) {
        "fathom did not create this file, so it does not remove it"
    } else {
        return Ok(());
    };
    Err(CommandError::refused(format!("{path}: {why}; omit --rm")))
}

/// Reads all of a file that is to be removed in the end, before anything else is done with it: a look here and
/// there cannot show that nothing of a person's is in it. The plan need not have it read again.
pub(crate) fn prove_removable(
    before: &TargetFacts,
    pins: &Pins,
    plan: &mut Plan,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<(), CommandError> {
    if before.kind != TargetKind::File {
        return Ok(());
    }
    engine::prove_ours(&before.path, pins, observer, stop).map_err(|error| match error {
        RunError::NotOurs { path, offset, flaw } => CommandError::refused(format!(
            "{}: the block at offset {} contains {flaw}, so the file is not removed; hint: omit --rm",
            path.display(), offset.0
        )),
        other => other.into(),
    })?;
    let proven = plan.targets.iter_mut();
    proven.for_each(|target| target.prove_ours = false);
    Ok(())
}

fn is_ours(facts: &TargetFacts) -> bool {
    let marked = matches!(facts.content, Content::Fathom | Content::FathomPartial);
    marked && facts.claims.is_empty()
}

/// What is there, or the first part of it.
fn as_it_is(asked: &Asked, facts: &TargetFacts) -> Result<Site, CommandError> {
    let (path, there) = (facts.path.display(), facts.size.floor_to(Bytes::mib(1)));
    if there < SIZE_MIN {
        return Err(CommandError::refused(format!(
            "{path}: its size is {}, and a survey needs {}: specify a larger target",
            say::bytes(facts.size.0),
            say::bytes(SIZE_MIN.0)
        )));
    }
    match asked.size {
        Some(size) if size > there => Err(CommandError::refused(format!(
            "--size: read {size}; {path} has {}: specify --size {there} or less, or omit it",
            say::bytes(facts.size.0)
        ))),
        size => Ok(Site {
            size: size.unwrap_or(there),
            create: None,
            reason: None,
            words: Vec::new(),
        }),
    }
}

/// A file of fathom.
fn reuse(asked: &Asked, facts: &TargetFacts, host: &HostRecord) -> Result<Site, CommandError> {
    let whole = facts.content == Content::Fathom;
    let wanted = asked.size.unwrap_or(SIZE_MIN);
    if !whole || facts.size < wanted {
        return make(asked, facts, host);
    }
    let size = asked.size.unwrap_or(facts.size.floor_to(Bytes::mib(1)));
    Ok(Site {
        size,
        create: None,
        reason: Some("the file of an earlier survey".to_owned()),
        words: vec![format!(
            "{}: created earlier and used again, {} of it",
            facts.path.display(),
            say::bytes(size.0)
        )],
    })
}

/// A file to be created, or to be overwritten from its beginning.
fn make(asked: &Asked, facts: &TargetFacts, host: &HostRecord) -> Result<Site, CommandError> {
    let path = facts.path.display();
    let is_read_only = facts.file_system.as_ref().is_some_and(|fs| fs.read_only);
    let (size, reason) = match asked.size {
        Some(size) => (size, "as asked".to_owned()),
        // It is refused by the checker, whose reason is not the free space.
        None if is_read_only => (SIZE_MIN, "the smallest".to_owned()),
        None => {
            let free = facts
                .file_system
                .as_ref()
                .map(|fs| Bytes(fs.free.0.saturating_add(facts.allocated.0)));
            let choice = size::choose(host.ram, free, asked.options.cache)
                .map_err(|why| CommandError::refused(format!("{path}: {why}")))?;
            (choice.size, choice.reason)
        }
    };
    let verb = match facts.content {
        Content::FathomPartial => "completing",
        _ if facts.kind == TargetKind::Missing => "creating",
        Content::Fathom => "enlarging",
        _ => "filling",
    };
    let set = if asked.size.is_none() {
        "; change with --size"
    } else {
        ""
    };
    Ok(Site {
        size,
        create: Some(size),
        words: vec![format!(
            "{verb} {path}: {} ({reason}{set})",
            say::bytes(size.0)
        )],
        reason: Some(reason),
    })
}

/// Removes the file if it is the one that the survey used, and still fathom's own. `Err` is the sentence.
pub(crate) fn remove(
    pins: &Pins,
    used: Option<(u64, u64)>,
    now: &TargetFacts,
) -> Result<(), String> {
    let name = now.path.display();
    let ours = now.identity == used && used.is_some() && is_ours(now);
    let removed = match ours {
        true => pins.pin(&now.path).and_then(|pin| pin.remove()),
        false => Ok(false),
    };
    match removed {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!(
            "{name}: it is no longer what the survey used, so it was not removed"
        )),
        Err(error) => Err(format!(
            "{name}: it could not be removed: {}",
            model::errno_text(&error)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EngineChoice, FileSystem, Location, Nanos};

    fn asked(change: impl FnOnce(&mut Asked)) -> Asked {
        let mut asked = Asked {
            target: Location::Path("f".into()),
            size: None,
            depth_max: None,
            threads_max: None,
            raw: None,
            options: sweep::SurveyOptions {
                cache: CacheMode::Unbuffered,
                budget: Nanos::seconds(90),
                workloads: Vec::new(),
                read_only: false,
                seed: 0,
                engine: EngineChoice::Auto,
                precision: 0.02,
                grid_share: None,
                goal: None,
                exhaustive: false,
                cache_check: false,
            },
            create: false,
            remove: false,
            page: crate::commands::survey::page::PagePlace::Nowhere,
        };
        change(&mut asked);
        asked
    }

    fn file(content: Content, size: Bytes) -> TargetFacts {
        TargetFacts {
            path: "f".into(),
            kind: TargetKind::File,
            size,
            namespace: None,
            identity: Some((1, 2)),
            allocated: Bytes(0),
            obstacle: None,
            writable: true,
            direct_io: None,
            file_system: Some(FileSystem {
                free: Bytes::gib(100),
                ..FileSystem::default()
            }),
            chain: vec![],
            claims: vec![],
            unchecked: Vec::new(),
            unasked: Vec::new(),
            foreign_name: None,
            content,
            layout: Default::default(),
        }
    }

    fn host() -> HostRecord {
        HostRecord {
            ram: Bytes::gib(8),
            ..HostRecord::default()
        }
    }

    fn chosen(asked: &Asked, facts: &TargetFacts) -> (Bytes, Option<Bytes>) {
        let site = choose(asked, facts, &host()).unwrap();
        (site.size, site.create)
    }

    #[test]
    fn only_its_own_name_is_created_without_a_word() {
        let missing = |path: &str| TargetFacts {
            path: path.into(),
            kind: TargetKind::Missing,
            ..file(Content::Empty, Bytes(0))
        };
        let refused = |asked: &Asked, path| choose(asked, &missing(path), &host()).is_err();
        assert!(refused(&asked(|_| {}), "/mnt/fathom"));
        assert!(refused(
            &asked(|asked| asked.size = Some(Bytes::gib(1))),
            "f"
        ));
        assert!(!refused(&asked(|asked| asked.create = true), "/mnt/fathom"));
        assert!(!refused(&asked(|_| {}), "/mnt/fathom.dat"));
    }

    #[test]
    fn a_file_of_its_own_is_used_as_it_is_while_it_fits() {
        let own = file(Content::Fathom, Bytes::mib(100));
        assert_eq!(chosen(&asked(|_| {}), &own), (Bytes::mib(100), None));
        let part = asked(|asked| asked.size = Some(Bytes::mib(64)));
        assert_eq!(chosen(&part, &own), (Bytes::mib(64), None));
        let more = asked(|asked| asked.size = Some(Bytes::mib(200)));
        assert_eq!(
            chosen(&more, &own),
            (Bytes::mib(200), Some(Bytes::mib(200)))
        );
        let small = file(Content::Fathom, Bytes::mib(63));
        assert_eq!(
            chosen(&asked(|_| {}), &small),
            (Bytes::gib(2), Some(Bytes::gib(2)))
        );
    }

    #[test]
    fn a_filling_that_was_cut_short_is_completed() {
        let partial = file(Content::FathomPartial, Bytes::mib(100));
        let read_only = asked(|asked| asked.options.read_only = true);
        assert_eq!(
            chosen(&read_only, &partial),
            (Bytes::gib(2), Some(Bytes::gib(2)))
        );
    }

    #[test]
    fn a_persons_file_is_only_read_when_only_reads_were_asked() {
        let foreign = file(Content::Foreign, Bytes::gib(3));
        let read_only = asked(|asked| asked.options.read_only = true);
        assert_eq!(chosen(&read_only, &foreign), (Bytes::gib(3), None));
        assert_eq!(chosen(&asked(|_| {}), &foreign).1, Some(Bytes::gib(2)));
    }

    #[test]
    fn only_its_own_files_are_removed() {
        assert!(may_remove(&file(Content::Fathom, Bytes::gib(1))).is_ok());
        for content in [Content::Foreign, Content::Empty, Content::Unknown] {
            assert!(
                may_remove(&file(content, Bytes::gib(1))).is_err(),
                "{content:?}"
            );
        }
        let device = TargetFacts {
            kind: TargetKind::BlockDevice,
            ..file(Content::Fathom, Bytes::gib(1))
        };
        assert!(may_remove(&device).is_err());
    }

    #[test]
    fn what_was_swapped_meanwhile_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"x").unwrap();
        let pins = Pins::default();
        let facts = |content| TargetFacts {
            path: path.clone(),
            ..file(content, Bytes::gib(1))
        };
        let now = facts(Content::Fathom);
        assert!(remove(&pins, Some((1, 3)), &now).is_err());
        assert!(remove(&pins, Some((1, 2)), &facts(Content::Foreign)).is_err());
        pins.pin(&path).unwrap();
        std::fs::rename(&path, folder.path().join("g")).unwrap();
        std::fs::write(&path, b"another").unwrap();
        assert!(remove(&pins, Some((1, 2)), &now).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"another");
        remove(&Pins::default(), Some((1, 2)), &now).unwrap();
        assert!(!path.exists());
    }
}
