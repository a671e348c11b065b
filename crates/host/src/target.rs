//! One target: its kind, its devices, its users and its content.
//!
//! The path itself is always this machine's; what the system reports is read below the root. Deliberately
//! absent: whether the target may be used (`model::check`), and how the system is asked.

use crate::look::{Look, WHOLE_MAX};
use crate::patience::Patience;
use crate::root::Root;
use crate::system;
use gate::{Access, Openers, Pin, Pins, openers};
use model::{Bytes, Claim, Content, ForeignName, Layout, TargetFacts, TargetKind};
use std::io::ErrorKind;
use std::path::Path;

/// If it comes from the content of a target: its content and its signatures.
pub(crate) enum Eyes<'a> {
    /// From reading it.
    Open(Patience),
    /// From an earlier look.
    Closed(&'a TargetFacts),
}

/// Everything that a record keeps of a target. Reads both ends and a sample of a file or device; takes about 2 s at most
/// and stops there, or about 10 s where all that was seen by then is marked as fathom's. Never writes, and never fails:
/// what cannot be found out is unknown. A device whose sample shows nothing but zeros is [`Content::Unproven`]:
/// [`content_of_whole`] reads more, for what is to be written.
pub fn target_facts(root: &Root, path: &Path) -> TargetFacts {
    pinned_facts(root, &Pins::default(), path)
}

/// The same of what the session has pinned under this path, by that pin and never by the path.
pub fn pinned_facts(root: &Root, pins: &Pins, path: &Path) -> TargetFacts {
    look_at((root, pins), path, &Eyes::Open(Patience::begin()))
}

/// The same target again, without reading it: who uses it, what it is and whether it may be written are
/// asked again; its content and its signatures are those of `earlier`. What is not the same thing any more,
/// or not of the same size, is looked at as if for the first time.
pub fn target_facts_again(root: &Root, pins: &Pins, earlier: &TargetFacts) -> TargetFacts {
    let found = look_at((root, pins), &earlier.path, &Eyes::Closed(earlier));
    let is_same = |one: &TargetFacts| (one.kind, one.identity, one.size);
    if is_same(&found) == is_same(earlier) {
        return found;
    }
    pinned_facts(root, pins, &earlier.path)
}

/// Content of a device whose sample showed only zeros, from reading all of it: `Empty` or `Foreign`; `Unproven`
/// still where it is larger than 1 GiB, was not read whole within 10 s, or is not the device any more that it was. Of
/// anything else what is known already.
///
/// Apart from the facts, because it moves the whole device through the caches below it: a caller that only reads it
/// afterwards would measure them, and has no use for the answer.
pub fn content_of_whole(facts: &TargetFacts, pins: &Pins) -> Content {
    if facts.content != Content::Unproven {
        return facts.content;
    }
    let device = match (facts.kind, &facts.namespace) {
        (TargetKind::BlockDevice, _) => facts.identity.map(|it| (&facts.path, it)),
        (TargetKind::NvmeNamespace, Some(of)) => Some((&of.block_device, of.block_identity)),
        _ => None,
    };
    device
        .and_then(|(path, (number, _))| Look::again(&*pins.pin(path).ok()?, number, facts.size))
        .map_or(Content::Unproven, |look| {
            look.content_of_whole(&Patience::begin())
        })
}

/// What [`content_of_whole`] may come to at best, without any reading: `Empty` where it would read at all.
pub fn content_of_whole_at_best(facts: &TargetFacts, _: &Pins) -> Content {
    match facts.content {
        Content::Unproven if facts.size <= WHOLE_MAX => Content::Empty,
        known => known,
    }
}

/// The system, and what of it is pinned.
pub(crate) type Place<'a> = (&'a Root, &'a Pins);

pub(crate) fn look_at(place: Place<'_>, path: &Path, eyes: &Eyes<'_>) -> TargetFacts {
    let mut found = TargetFacts {
        path: path.to_owned(),
        kind: TargetKind::Missing,
        size: Bytes(0),
        allocated: Bytes(0),
        identity: None,
        writable: false,
        obstacle: None,
        direct_io: None,
        file_system: None,
        namespace: None,
        chain: Vec::new(),
        claims: Vec::new(),
        unchecked: Vec::new(),
        unasked: Vec::new(),
        foreign_name: None,
        content: Content::Unknown,
        layout: Layout::default(),
    };
    match place.1.pin(path) {
        Ok(pin) => {
            found.foreign_name = pin.foreign().map(|name| ForeignName {
                path: name.path.clone(),
                is_link: name.is_link,
                why: name.why.to_string(),
            });
            system::by_pin(place, &pin, &mut found, eyes);
        }
        Err(error) => {
            found.kind = match error.kind() {
                ErrorKind::PermissionDenied => {
                    found.obstacle = system::denied_to_all(&error);
                    TargetKind::Forbidden
                }
                ErrorKind::NotFound | ErrorKind::NotADirectory => TargetKind::MissingFolder,
                _ => {
                    // A circle of links, a name too long, a disk that fails.
                    found.obstacle = Some(model::errno_text(&error));
                    TargetKind::Other
                }
            }
        }
    }
    found
}

impl Eyes<'_> {
    /// Opened, and with open eyes its ends read.
    pub(crate) fn open(&self, pin: &Pin) -> Option<Look> {
        match self {
            Eyes::Open(patience) => Look::at(pin, patience),
            Eyes::Closed(_) => Look::without_reading(pin),
        }
    }

    /// Takes over what a device contains.
    pub(crate) fn take_device(&self, look: &Look, found: &mut TargetFacts) {
        found.size = look.size;
        found.content = match self {
            Eyes::Open(patience) => look.content_of_sample(patience),
            Eyes::Closed(earlier) => earlier.content,
        };
        found.layout = self.layout(look);
    }

    /// Takes over what a file of the size that was found contains; of an empty one, which other user could have placed it.
    pub(crate) fn take_file(&self, pin: &Pin, found: &mut TargetFacts) {
        let file = found.path.display().to_string();
        if found.size == Bytes(0) {
            found.content = Content::Empty;
            let user = pin.placed_by().map(|user| user.to_string());
            let placed = user.map(|user| Claim::Placed { file, user });
            found.claims.extend(placed);
            return;
        }
        let look = self.open(pin);
        match (self, &look) {
            (Eyes::Closed(earlier), _) => found.content = earlier.content,
            (Eyes::Open(patience), Some(look)) => {
                found.content = look.content_of_file(patience);
                found.claims.extend(look.signature_claims(&file));
            }
            (Eyes::Open(_), None) => {}
        }
        if let Some(look) = &look {
            found.layout = self.layout(look);
        }
    }

    /// How the data lies, and what a sample of it is like; the latter with closed eyes as it was.
    fn layout(&self, look: &Look) -> Layout {
        match self {
            Eyes::Open(patience) => look.layout(patience),
            Eyes::Closed(earlier) => Layout {
                sample: earlier.layout.sample,
                ..look.layout(&Patience::begin())
            },
        }
    }

    pub(crate) fn earlier_signatures(&self) -> Vec<Claim> {
        match self {
            Eyes::Open(_) => Vec::new(),
            Eyes::Closed(earlier) => {
                let claims = earlier.claims.iter();
                let is_one = |claim: &&Claim| matches!(claim, Claim::Signature { .. });
                claims.filter(is_one).cloned().collect()
            }
        }
    }
}

/// Whether another program has the file open for writing, where nothing else is known to use it. The ranks of a job are not asked
/// for, which write one file.
pub(crate) fn add_openers(pin: &Pin, found: &mut TargetFacts) {
    if found.claims.iter().any(Claim::in_use) {
        return;
    }
    let open = pin.reopen(Access::READ.without_waiting());
    let answer = match open {
        Ok(file) => openers(&file),
        Err(error) => Openers::Unasked(model::errno_text(&error)),
    };
    let file = found.path.display().to_string();
    match answer {
        Openers::NoWriter => {}
        Openers::Writer => found.claims.push(Claim::OpenForWriting { file }),
        Openers::Unasked(why) => {
            let what = "whether another program has it open for writing";
            found.unasked.push(format!("{what} ({why})"));
        }
    }
}
