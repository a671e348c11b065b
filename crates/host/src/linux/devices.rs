//! All block devices that a person may mean: disks, partitions, and what uses them.
//!
//! Omitted: devices without capacity (unused loop devices, empty drives), RAM disks of the kernel,
//! and single paths to a device that has several. Deliberately absent: how a list looks (`views`).

use super::block::Node;
use super::chain::below;
use super::claims::Uses;
use super::paths::with_paths;
use super::target::device_claims;
use crate::look::Look;
use crate::patience::Patience;
use crate::reported::DeviceListing;
use crate::root::Root;

/// Every device with capacity, in the natural order of names, each disk before its partitions.
/// Devices of this machine are opened for reading to find signatures; those of a saved tree are not.
pub fn devices(root: &Root) -> Vec<DeviceListing> {
    let uses = Uses::read(root);
    let mut nodes: Vec<Node> = Node::all(root)
        .into_iter()
        .filter(|node| node.size().0 > 0 && !node.is_hidden() && node.kind() != "ram")
        .collect();
    let all = nodes.clone();
    nodes.sort_by_cached_key(|node| {
        let disk = node.disk().map_or(node.name.clone(), |disk| disk.name);
        let place = |name: &str| all.iter().position(|node| node.name == name);
        (place(&disk), place(&node.name))
    });
    nodes
        .iter()
        .map(|node| {
            let patience = Patience::of_list();
            let look = root
                .is_live()
                .then(|| Look::at_device(node, &patience))
                .flatten();
            DeviceListing {
                device: with_paths(root, node),
                parent: parent(root, &uses, node),
                claims: device_claims(
                    root,
                    &uses,
                    node,
                    look.as_ref().map(|look| (look, &patience)),
                )
                .claims,
                path: node.path(),
                known_as: node.known_as(root),
            }
        })
        .collect()
}

fn parent(root: &Root, uses: &Uses, node: &Node) -> Option<String> {
    if node.slaves().len() > 1 {
        return None;
    }
    let chain = below(root, &uses.mounts, std::slice::from_ref(node));
    chain.get(1).map(|node| node.name.clone())
}

/// Returns the block device of a SCSI generic device, both by their names in `/dev`: `sdb` of `sg1`.
pub fn block_of_generic(root: &Root, name: &str) -> Option<String> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let folder = format!("sys/class/scsi_generic/{name}/device/block");
    plain
        .then(|| root.names(folder).into_iter().next())
        .flatten()
}
