//! States that the kernel shows in files, read again and again: of paths, sessions, controllers, arrays, replicas and links.
//!
//! A change is an event; it was at some time since the last reading. Sources: as of `paths`, and the kernel's
//! `Documentation/admin-guide/md.rst`, `Documentation/ABI/testing/sysfs-class-net`, drbd's `/proc/drbd`. Omitted:
//! `array_state` of md, which changes with each pause of writes.

use super::super::block::Node;
use super::super::paths::{Controller, Session, is_multipath, name_of};
use super::Seen;
use super::scope::Scope;
use crate::root::Root;
use crate::system::tree::{names, text};
use model::record::{EventKind, EventSource, SystemEvent};
use model::{Nanos, TargetFacts};
use std::path::{Path, PathBuf};

/// All files that are read.
pub(super) struct States {
    files: Vec<StateFile>,
    /// When they were read last, on the monotonic clock.
    pub(super) read_at: i64,
}

struct StateFile {
    subject: String,
    state: State,
    file: PathBuf,
    last: Option<String>,
}

/// What a file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Of a SCSI disk.
    Disk,
    /// Access through a port: ALUA and ANA.
    Access,
    /// Names of a mapping's paths; the file is a folder.
    Paths,
    Session,
    RemotePort,
    Controller,
    /// Of an array: how many members are missing.
    Degraded,
    /// Of an array: what it does for its redundancy.
    Sync,
    /// A line of `/proc/drbd`, by the number of its device.
    Replica(u32),
    /// Whether a link is up.
    Link,
    /// How often a link changed.
    Carrier,
}

impl States {
    /// Reads the states of the targets' devices as they are now.
    pub(super) fn open(root: &Root, targets: &[TargetFacts], scope: &Scope, now: i64) -> Self {
        let mut files: Vec<StateFile> = Vec::new();
        let mut add = |subject: &str, state: State, file: PathBuf| {
            let is_new = files
                .iter()
                .all(|one| one.file != file || one.state != state);
            let last = state.read(&file);
            if is_new && last.is_some() {
                files.push(StateFile {
                    subject: subject.to_owned(),
                    state,
                    file,
                    last,
                });
            }
        };
        for device in targets.iter().flat_map(|facts| &facts.chain) {
            if let Some(node) = Node::by_name(root, &device.name) {
                of_device(root, &node, &mut add);
            }
        }
        for link in scope.interfaces() {
            let file = |name: &str| root.path(format!("sys/class/net/{link}/{name}"));
            add(link, State::Link, file("operstate"));
            add(link, State::Carrier, file("carrier_changes"));
        }
        States {
            files,
            read_at: now,
        }
    }

    /// Reads all again and adds what changed.
    pub(super) fn look(&mut self, now: i64, seen: &mut Seen) {
        let half = (now.saturating_sub(self.read_at) / 2).max(0);
        let at_ns = self.read_at.saturating_add(half);
        self.read_at = now;
        for file in &mut self.files {
            let new = file.state.read(&file.file);
            if new == file.last {
                continue;
            }
            let (old, new_text) = (shown(file.last.as_ref()), shown(new.as_ref()));
            if let Some(kind) = file.state.kind(old, new_text) {
                let text = format!("{} {old} -> {new_text}", file.state.name());
                seen.events.push(SystemEvent {
                    at_ns,
                    uncertainty: Nanos(half.unsigned_abs()),
                    source: EventSource::State,
                    kind,
                    subject: file.subject.clone(),
                    text: SystemEvent::cut(&text).to_owned(),
                });
            }
            file.last = new;
        }
    }
}

fn shown(state: Option<&String>) -> &str {
    state.map_or("gone", String::as_str)
}

fn of_device(root: &Root, node: &Node, add: &mut dyn FnMut(&str, State, PathBuf)) {
    let (own, at) = (node.name.as_str(), |file: &str| node.folder().join(file));
    let controllers = Controller::all(node);
    for controller in &controllers {
        add(&controller.name, State::Controller, controller.state());
        if let Some(access) = controller.access(node) {
            add(&controller.name, State::Access, access);
        }
    }
    if controllers.is_empty() {
        add(own, State::Disk, at("device/state"));
        add(own, State::Access, at("device/access_state"));
    }
    if let Some(session) = Session::of(node) {
        add(&session.name, State::Session, session.file("state"));
    }
    if let Some(port) = node.above("rport-").and_then(name_of) {
        let file = root.path(format!("sys/class/fc_remote_ports/{port}/port_state"));
        add(&port, State::RemotePort, file);
    }
    if is_multipath(node) {
        add(own, State::Paths, at("slaves"));
    }
    add(own, State::Degraded, at("md/degraded"));
    add(own, State::Sync, at("md/sync_action"));
    let replica = own.strip_prefix("drbd").and_then(|n| n.parse().ok());
    if let Some(number) = replica {
        add(own, State::Replica(number), root.path("proc/drbd"));
    }
}

impl State {
    /// The name of what changes.
    fn name(self) -> &'static str {
        match self {
            State::Disk | State::Session | State::RemotePort | State::Controller => "state",
            State::Access => "access state",
            State::Paths => "paths",
            State::Degraded => "missing members",
            State::Sync => "sync action",
            State::Replica(_) => "replica",
            State::Link => "link",
            State::Carrier => "carrier changes",
        }
    }

    fn read(self, file: &Path) -> Option<String> {
        match self {
            State::Paths => Some(names(file).join(" ")),
            State::Replica(number) => replica(&text(file)?, number),
            _ => text(file),
        }
    }

    /// What a change means; `None` where it means nothing for the target.
    fn kind(self, old: &str, new: &str) -> Option<EventKind> {
        use EventKind::{
            ControllerReset, Link, MemberFailed, Ownership, PathFailed, PathRestored, Rebuild,
            ReplicaLost, ReplicaRestored, SessionLost, SessionRestored,
        };
        let either =
            |is_good: bool, good: EventKind, bad: EventKind| Some(if is_good { good } else { bad });
        match self {
            State::Disk => either(new == "running", PathRestored, PathFailed),
            State::Access => (new != "gone").then_some(Ownership),
            State::Paths => {
                let count = |names: &str| names.split_whitespace().count();
                either(count(new) >= count(old), PathRestored, PathFailed)
            }
            State::Session => either(new == "LOGGED_IN", SessionRestored, SessionLost),
            State::RemotePort => either(new == "Online", PathRestored, PathFailed),
            State::Controller => Some(match new {
                "live" if old == "connecting" => SessionRestored,
                "live" | "resetting" => ControllerReset,
                "connecting" => SessionLost,
                _ => PathFailed,
            }),
            State::Degraded => {
                let missing = |text: &str| text.parse::<u64>().ok();
                either(missing(new)? < missing(old)?, Rebuild, MemberFailed)
            }
            State::Sync => (new != "gone").then_some(Rebuild),
            State::Replica(_) => either(new == REPLICA_GOOD, ReplicaRestored, ReplicaLost),
            State::Link | State::Carrier => Some(Link),
        }
    }
}

/// Of a replica that is complete on both sides.
const REPLICA_GOOD: &str = "Connected UpToDate/UpToDate";

/// ` 0: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----`: the connection and both disks. // drbd 8.4
fn replica(text: &str, number: u32) -> Option<String> {
    let head = format!("{number}:");
    let line = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(&head))?;
    let field = |name: &str| {
        line.split_whitespace()
            .find_map(|word| word.strip_prefix(name))
    };
    Some(format!("{} {}", field("cs:")?, field("ds:")?))
}
