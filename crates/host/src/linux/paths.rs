//! Paths to one device: the disks of a multipath mapping with their sessions and ports, and the controllers of an NVMe
//! namespace.
//!
//! Sources: the kernel's `drivers/scsi/scsi_transport_iscsi.c` (`recovery_tmo`, `persistent_address`),
//! `scsi_transport_fc.c`, `scsi_sysfs.c` (`access_state`), `drivers/nvme/host/sysfs.c` and `multipath.c` (`ana_state`).
//! Omitted: changes of their states (`system_events`), and groups of paths, which only the device mapper's ioctl shows.

use super::block::Node;
use crate::root::Root;
use crate::system::tree::{names, text};
use model::BlockDevice;
use model::record::PathFacts;
use std::fs;
use std::path::{Path, PathBuf};

/// The facts of a device, and its paths.
pub(super) fn with_paths(root: &Root, node: &Node) -> BlockDevice {
    BlockDevice {
        paths: paths(root, node),
        ..node.facts(root)
    }
}

/// Of a device that has several; empty for any other.
fn paths(root: &Root, node: &Node) -> Vec<PathFacts> {
    if is_multipath(node) {
        let slaves = node.slaves().into_iter();
        return slaves
            .filter_map(|name| Some(disk(&Node::by_name(root, &name)?)))
            .collect();
    }
    let controllers = Controller::all(node);
    // A local drive with a second port that is not connected is no device of several paths.
    let is_local = |one: &Controller| !one.is_shared || !one.is_remote();
    match controllers.len() < 2 && controllers.iter().all(is_local) {
        true => Vec::new(),
        false => controllers.iter().map(|one| one.facts(node)).collect(),
    }
}

/// Whether a mapping was created by multipathd. // dm-uuid of multipath-tools
pub(super) fn is_multipath(node: &Node) -> bool {
    let uuid = node.text("dm/uuid");
    uuid.is_some_and(|uuid| uuid.starts_with("mpath-"))
}

fn disk(node: &Node) -> PathFacts {
    let session = Session::of(node);
    let port = node.above("rport-").and_then(name_of);
    let attribute = |name| session.as_ref().and_then(|session| session.text(name));
    let host = node.above("host");
    let interface = host.and_then(|host| {
        let name = name_of(host)?;
        text(&host.join("iscsi_host").join(name).join("netdev"))
    });
    PathFacts {
        name: node.name.clone(),
        state: node.text("device/state"),
        access_state: node.text("device/access_state"),
        portal: session.as_ref().and_then(Session::portal),
        recovery_timeout_s: attribute("recovery_tmo").and_then(|text| text.parse().ok()),
        interface: interface.filter(|name| name != "default" && name != "<NULL>"),
        session: session.map(|session| session.name).or(port),
    }
}

/// A session of iSCSI.
pub(super) struct Session {
    pub(super) name: String,
    folder: PathBuf,
}

impl Session {
    /// The session that a disk is reached by.
    pub(super) fn of(node: &Node) -> Option<Self> {
        let folder = node.above("session")?;
        Some(Session {
            name: name_of(folder)?,
            folder: folder.to_owned(),
        })
    }

    /// The file of an attribute.
    pub(super) fn file(&self, attribute: &str) -> PathBuf {
        let class = self.folder.join("iscsi_session");
        class.join(&self.name).join(attribute)
    }

    fn text(&self, attribute: &str) -> Option<String> {
        text(&self.file(attribute))
    }

    /// Address and port of its first connection.
    fn portal(&self) -> Option<String> {
        let connection = names(&self.folder)
            .into_iter()
            .find(|name| name.starts_with("connection"))?;
        let class = self.folder.join(&connection).join("iscsi_connection");
        let at = |attribute: &str| text(&class.join(&connection).join(attribute));
        let address = at("persistent_address")?;
        Some(match at("persistent_port") {
            Some(port) => format!("{address}:{port}"),
            None => address,
        })
    }
}

/// A controller of NVMe.
pub(super) struct Controller {
    pub(super) name: String,
    folder: PathBuf,
    /// It is one of a subsystem's, whose namespaces have several.
    is_shared: bool,
}

impl Controller {
    /// All that serve a namespace.
    pub(super) fn all(node: &Node) -> Vec<Self> {
        let device = fs::canonicalize(node.folder().join("device"));
        let Some((folder, name)) = device.ok().and_then(|at| Some((at.clone(), name_of(&at)?)))
        else {
            return Vec::new();
        };
        if is_controller(&name) {
            return vec![Controller {
                name,
                folder,
                is_shared: false,
            }];
        }
        if !name.starts_with("nvme-subsys") {
            return Vec::new();
        }
        let mut all = names(&folder);
        all.retain(|name| is_controller(name));
        let one = |name: String| Controller {
            folder: folder.join(&name),
            name,
            is_shared: true,
        };
        all.into_iter().map(one).collect()
    }

    /// Whether it is reached over a network.
    pub(super) fn is_remote(&self) -> bool {
        let transport = text(&self.folder.join("transport"));
        transport.is_some_and(|transport| transport != "pcie" && transport != "loop")
    }

    /// The file of its state.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// The file of the access through it to a namespace.
    pub(super) fn access(&self, node: &Node) -> Option<PathBuf> {
        let (head, namespace) = node.name.rsplit_once('n')?; // nvme0n1 has the path nvme0c2n1
        let (head, tail) = (format!("{head}c"), format!("n{namespace}"));
        let is_path = |name: &String| name.starts_with(&head) && name.ends_with(&tail);
        let path = names(&self.folder).into_iter().find(is_path)?;
        Some(self.folder.join(path).join("ana_state"))
    }

    fn facts(&self, node: &Node) -> PathFacts {
        PathFacts {
            name: self.name.clone(),
            state: text(&self.state()),
            access_state: self.access(node).and_then(|file| text(&file)),
            portal: text(&self.folder.join("address")),
            ..PathFacts::default()
        }
    }
}

fn is_controller(name: &str) -> bool {
    let number = name.strip_prefix("nvme");
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The last part of a path.
pub(super) fn name_of(folder: &Path) -> Option<String> {
    Some(folder.file_name()?.to_str()?.to_owned())
}
