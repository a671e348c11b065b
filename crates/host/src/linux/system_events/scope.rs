//! Names by which the kernel's log refers to the devices of a target: their own, their addresses, sessions, controllers and
//! servers.
//!
//! Omitted: what is watched of them (`states`).

use super::super::block::{Node, split};
use super::super::paths::{Controller, Session, name_of};
use crate::root::Root;
use model::TargetFacts;
use std::fs;

/// All names, each with what an event calls it.
#[derive(Debug, Default)]
pub(super) struct Scope {
    devices: Vec<(String, String)>,
    servers: Vec<(String, String)>,
    interfaces: Vec<(String, String)>,
    /// Types of file systems, and `drbd` or `ceph` where a device is one.
    kinds: Vec<String>,
}

impl Scope {
    /// Of the targets of a run.
    pub(super) fn of(root: &Root, targets: &[TargetFacts]) -> Self {
        let mut scope = Scope::default();
        let mut is_remote = false;
        for facts in targets {
            if let Some(on) = &facts.file_system {
                scope.kinds.push(on.kind.clone());
                if on.is_remote() {
                    is_remote = true;
                    scope.add_server(&on.source, &on.options);
                }
            }
            for device in &facts.chain {
                if let Some(node) = Node::by_name(root, &device.name) {
                    is_remote |= scope.add_device(&node);
                }
            }
        }
        if is_remote {
            let links = root.names("sys/class/net").into_iter();
            let links = links.filter(|name| name != "lo");
            scope.interfaces = links.map(|name| (name.clone(), name)).collect();
        }
        scope
    }

    /// Returns whether it is reached over a network.
    fn add_device(&mut self, node: &Node) -> bool {
        let own = node.name.clone();
        let mut add = |term: String, subject: &str| {
            let pair = (term, subject.to_owned());
            if !self.devices.contains(&pair) {
                self.devices.push(pair);
            }
        };
        add(own.clone(), &own);
        if let Some(number) = node.number() {
            let (major, minor) = split(number);
            add(format!("{major}:{minor}"), &own);
        }
        let device = fs::canonicalize(node.folder().join("device"));
        let address = device.ok().and_then(|at| name_of(&at));
        if let Some(address) = address.filter(|name| is_scsi_address(name)) {
            add(address, &own);
        }
        for head in ["host", "rport-", "ata"] {
            if let Some(name) = node.above(head).and_then(name_of) {
                add(name.clone(), &name);
            }
        }
        let session = Session::of(node);
        if let Some(session) = &session {
            add(session.name.clone(), &session.name);
            let number = session.name.trim_start_matches("session");
            add(format!("connection{number}:0"), &session.name);
        }
        let controllers = Controller::all(node);
        for controller in &controllers {
            add(controller.name.clone(), &controller.name);
        }
        let is_drbd = own.starts_with("drbd");
        let is_ceph = own.starts_with("rbd");
        if is_drbd {
            self.kinds.push("drbd".to_owned());
        }
        if is_ceph {
            self.kinds.push("ceph".to_owned());
        }
        let is_fabric = controllers.iter().any(Controller::is_remote);
        is_drbd || is_ceph || session.is_some() || is_fabric
    }

    /// `server:/export` of NFS, `//server/share` of CIFS, and the address among the mount's options.
    fn add_server(&mut self, source: &str, options: &str) {
        let name = match source.strip_prefix("//") {
            Some(rest) => rest.split('/').next(),
            None => source.rsplit_once(":/").map(|(name, _)| name),
        };
        let address = options.split(',').find_map(|one| one.strip_prefix("addr="));
        let subject = name.or(address).unwrap_or_default().to_owned();
        for term in [name, address].into_iter().flatten() {
            if !term.is_empty() {
                self.servers.push((term.to_owned(), subject.clone()));
            }
        }
    }

    /// The interfaces whose links are watched.
    pub(super) fn interfaces(&self) -> impl Iterator<Item = &str> {
        self.interfaces.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn has_interfaces(&self) -> bool {
        !self.interfaces.is_empty()
    }

    /// The device that a line names last: in `md0: Disk failure on sdb` it is the disk.
    pub(super) fn device(&self, line: &str) -> Option<&str> {
        last_named(&self.devices, line)
    }

    pub(super) fn server(&self, line: &str) -> Option<&str> {
        last_named(&self.servers, line)
    }

    pub(super) fn interface(&self, line: &str) -> Option<&str> {
        last_named(&self.interfaces, line)
    }

    /// An empty name where something of this kind is in use.
    pub(super) fn of_kind(&self, kind: &str) -> Option<&'static str> {
        self.kinds.iter().any(|one| one == kind).then_some("")
    }
}

/// Four numbers: `2:0:0:1`.
fn is_scsi_address(name: &str) -> bool {
    let parts: Vec<&str> = name.split(':').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn last_named<'a>(terms: &'a [(String, String)], line: &str) -> Option<&'a str> {
    let places = terms.iter().filter_map(|(term, subject)| {
        let mut found = line.rmatch_indices(term.as_str());
        let (at, _) = found.find(|(at, _)| is_word(line, *at, term))?;
        Some((at, subject))
    });
    places
        .max_by_key(|(at, _)| *at)
        .map(|(_, subject)| subject.as_str())
}

/// Whether a name is not a part of a longer one: `sda` in `sda1`, `8:1` in `8:16` or `2:8:1`.
fn is_word(line: &str, at: usize, term: &str) -> bool {
    let before = line[..at].chars().next_back();
    let behind = &line[at + term.len()..];
    let mut next = behind.chars();
    let next = (next.next(), next.next());
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let is_number = term.starts_with(|c: char| c.is_ascii_digit());
    let joins = |c: char| is_number && (c == ':' || c == '.');
    let begins = before.is_none_or(|c| !is_letter(c) && !joins(c));
    let ends = match next {
        (None, _) => true,
        (Some(c), _) if is_letter(c) => false,
        (Some(c), Some(after)) => !(joins(c) && after.is_ascii_digit()),
        (Some(_), None) => true,
    };
    begins && ends
}
