//! One block device as sysfs describes it: its facts and its neighbours.
//!
//! Source: the kernel's `Documentation/ABI/stable/sysfs-block`. A device is found by number or by name
//! and never opened. Deliberately absent: which device uses which over several steps (`chain`, `claims`).

use crate::root::Root;
use crate::system::tree::{names, text};
use model::{BlockDevice, Bytes};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Sizes in `/sys` count these, independent of the device's own block size.
const SECTOR_BYTES: u64 = 512;

/// A device's folder in sysfs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    folder: PathBuf,
    pub(super) name: String,
}

/// Whether a device has queues that can be polled for completions; `None` where the system does not report it.
pub fn has_poll_queues(root: &Root, device: &str) -> Option<bool> {
    Node::by_name(root, device)?.polls()
}

/// Returns the number of the block device that a path names on this machine.
pub fn device_number(path: &Path) -> Option<(u32, u32)> {
    let there = fs::metadata(path).ok()?;
    let is_device = there.file_type().is_block_device();
    is_device.then(|| split(there.rdev()))
}

/// A device number in its two parts.
pub(super) fn split(number: u64) -> (u32, u32) {
    (libc::major(number), libc::minor(number))
}

/// Reads `major:minor`.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    let (major, minor) = text.split_once(':')?;
    Some(libc::makedev(major.parse().ok()?, minor.parse().ok()?))
}

impl Node {
    /// Finds the device of a number as stat(2) returns it. Major 0 is what file systems without a device have: `proc`,
    /// `tmpfs` and many more.
    pub(super) fn by_number(root: &Root, number: u64) -> Option<Self> {
        let (major, minor) = split(number);
        if major == 0 {
            return None;
        }
        Self::at(root.resolve(format!("sys/dev/block/{major}:{minor}"))?)
    }

    /// By kernel name: `sda1`.
    pub(super) fn by_name(root: &Root, name: &str) -> Option<Self> {
        if name.is_empty() || name.contains('/') || name.starts_with('.') {
            return None;
        }
        let find = |folder: &str| root.resolve(format!("sys/{folder}/{name}"));
        Self::at(find("class/block").or_else(|| find("block"))?)
    }

    /// By the path that mountinfo and others use: `/dev/sda1`, `/dev/mapper/vg-root`.
    pub(super) fn by_path(root: &Root, path: &Path) -> Option<Self> {
        let below = path.strip_prefix("/dev").ok()?.to_str()?;
        if root.is_live() {
            let (major, minor) = device_number(path)?;
            return Self::by_number(root, libc::makedev(major, minor));
        }
        if let Some(mapping) = below.strip_prefix("mapper/") {
            return Self::all(root)
                .into_iter()
                .find(|node| node.text("dm/name").as_deref() == Some(mapping));
        }
        Self::by_name(root, &below.replace('/', "!"))
    }

    /// Every block device, partitions included.
    pub(super) fn all(root: &Root) -> Vec<Self> {
        let mut all: Vec<String> = root.names("sys/class/block");
        if all.is_empty() {
            all = root.names("sys/block");
        }
        all.iter()
            .filter_map(|name| Self::by_name(root, name))
            .collect()
    }

    fn at(folder: PathBuf) -> Option<Self> {
        let name = folder.file_name()?.to_str()?.to_owned();
        folder.is_dir().then_some(Node { folder, name })
    }

    /// Its folder in sysfs, without links.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The nearest folder above whose name is `head` and a number or address: `host2`, `session1`, `rport-2:0-1`.
    pub(super) fn above(&self, head: &str) -> Option<&Path> {
        let mut above = self.folder.ancestors();
        above.find(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let rest = name.strip_prefix(head);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    }

    /// An attribute; `None` when it is missing or empty.
    pub(super) fn text(&self, attribute: &str) -> Option<String> {
        text(&self.folder.join(attribute))
    }

    pub(super) fn number_of<T: std::str::FromStr>(&self, attribute: &str) -> Option<T> {
        self.text(attribute)?.parse().ok()
    }

    pub(super) fn flag(&self, attribute: &str) -> Option<bool> {
        match self.text(attribute)?.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }

    /// Whether completions can be polled for.
    fn polls(&self) -> Option<bool> {
        let disk = self.disk();
        disk.as_ref().unwrap_or(self).flag("queue/io_poll")
    }

    /// As stat(2) returns it.
    pub(super) fn number(&self) -> Option<u64> {
        parse_number(&self.text("dev")?)
    }

    pub(super) fn size(&self) -> Bytes {
        let sectors: u64 = self.number_of("size").unwrap_or(0);
        Bytes(sectors.saturating_mul(SECTOR_BYTES))
    }

    pub(super) fn is_partition(&self) -> bool {
        self.folder.join("partition").exists()
    }

    /// Not for use by programs: one path of several to the same device.
    pub(super) fn is_hidden(&self) -> bool {
        self.flag("hidden") == Some(true)
    }

    /// The disk that a partition is a part of.
    pub(super) fn disk(&self) -> Option<Node> {
        self.is_partition()
            .then(|| Self::at(self.folder.parent()?.to_owned()))?
    }

    pub(super) fn partitions(&self) -> Vec<Node> {
        names(&self.folder)
            .into_iter()
            .filter_map(|name| Self::at(self.folder.join(name)))
            .filter(|node| node.is_partition() && node.number().is_some())
            .collect()
    }

    /// Kernel names of the devices of which a dm or md device consists.
    pub(super) fn slaves(&self) -> Vec<String> {
        names(&self.folder.join("slaves"))
    }

    /// Kernel names of the dm, md and bcache devices that use this one.
    pub(super) fn holders(&self) -> Vec<String> {
        names(&self.folder.join("holders"))
    }

    /// The file behind a loop device, as it was opened.
    pub(super) fn backing_file(&self) -> Option<PathBuf> {
        self.text("loop/backing_file").map(PathBuf::from)
    }

    /// Whether a loop device of this offset and size may be over something of so many bytes. Without a limit of its own
    /// it is as long as what is behind it was when it was set up, in whole sectors. // losetup(8)
    pub(super) fn may_be_over(&self, size: Bytes) -> bool {
        let end = || {
            Bytes(
                self.size()
                    .0
                    .saturating_add(self.number_of("loop/offset").unwrap_or(0)),
            )
        };
        match self.length_behind() {
            Some(length) => length == size.floor_to(Bytes(SECTOR_BYTES)),
            None => end() <= size,
        }
    }

    /// How long what is behind a loop device was when it was set up, in whole sectors; `None` where the device has a limit of
    /// its own.
    pub(super) fn length_behind(&self) -> Option<Bytes> {
        let bytes = |attribute| self.number_of::<u64>(attribute).unwrap_or(0);
        let whole = || Bytes(self.size().0.saturating_add(bytes("loop/offset")));
        (bytes("loop/sizelimit") == 0).then(whole)
    }

    /// `/dev/...`
    pub(super) fn path(&self) -> PathBuf {
        Path::new("/dev").join(self.name.replace('!', "/"))
    }

    /// The name that people use, below `/dev/mapper` or `/dev/md`: what the maker of a mapping called it (`vg-root`), and
    /// the link to an array (`data`). Source: dmsetup(8) and mdadm(8), whose links udev makes. A link that only repeats
    /// the number is no name.
    pub(super) fn known_as(&self, root: &Root) -> Option<String> {
        const ARRAYS: &str = "dev/md";
        if !self.name.starts_with("md") {
            return self.text("dm/name");
        }
        let leads_here = |link: &String| {
            let found = root.resolve(Path::new(ARRAYS).join(link));
            found.is_some_and(|found| found.ends_with(&self.name))
        };
        let is_name = |link: &String| !link.chars().all(|c| c.is_ascii_digit());
        let mut links = root.names(ARRAYS).into_iter();
        links.find(|link| is_name(link) && leads_here(link))
    }

    pub(super) fn kind(&self) -> &'static str {
        const BY_NAME: [(&str, &str); 8] = [
            ("loop", "loop"),
            ("dm-", "dm"),
            ("md", "md"),
            ("bcache", "bcache"),
            ("zram", "zram"),
            ("ram", "ram"),
            ("sr", "optical"),
            ("fd", "floppy"),
        ];
        if self.is_partition() {
            return "partition";
        }
        BY_NAME
            .iter()
            .find(|(head, _)| self.name.starts_with(head))
            .map_or("disk", |(_, kind)| kind)
    }

    /// Everything that a record keeps. A partition is served by its disk's queue, so what the queue
    /// reports applies to the partition too.
    pub(super) fn facts(&self, root: &Root) -> BlockDevice {
        let disk = self.disk();
        let served_by = disk.as_ref().unwrap_or(self);
        let kib = |n: u64| Bytes(n.saturating_mul(1024));
        BlockDevice {
            name: self.name.clone(),
            number: self.number().map(split).unwrap_or_default(),
            kind: self.kind().to_owned(),
            size: self.size(),
            model: served_by.model(),
            firmware: served_by
                .text("device/firmware_rev")
                .or_else(|| served_by.text("device/rev"))
                .or_else(|| served_by.text("device/fwrev")),
            rotational: served_by.flag("queue/rotational"),
            removable: served_by.flag("removable").unwrap_or(false),
            read_only: self.flag("ro").unwrap_or(false) || served_by.flag("ro").unwrap_or(false),
            scheduler: served_by.scheduler(),
            queue_size: served_by.number_of("queue/nr_requests"),
            request_max: served_by.number_of("queue/max_sectors_kb").map(kib),
            segments_max: served_by.number_of("queue/max_segments"),
            read_ahead: served_by.number_of("queue/read_ahead_kb").map(kib),
            logical_block: served_by.block_size("queue/logical_block_size"),
            physical_block: served_by.block_size("queue/physical_block_size"),
            write_cache: served_by.text("queue/write_cache"),
            memory_node: served_by.memory_node(),
            interrupt_cores: served_by.interrupt_cores(root),
            start: self.start(),
            queues: served_by.queues(),
            device_queue: served_by.number_of("device/queue_depth"),
            fua: served_by.flag("queue/fua"),
            transport: served_by.transport(),
            link: served_by.link(),
            diskseq: served_by.number_of("diskseq"),
            counted: served_by.flag("queue/iostats"),
            detail: self.detail(),
            file_direct: self.flag("loop/dio"),
            file_allocated: self.file_allocated(root),
            file_on: None,
            paths: Vec::new(), // `paths` reads them
        }
    }

    /// Of the nearest device above that has one: the controller's place on its bus. -1 where there is but one node.
    /// Source: the kernel's `Documentation/ABI/testing/sysfs-bus-pci`.
    fn memory_node(&self) -> Option<u32> {
        let above = self.folder.ancestors();
        above
            .take_while(|folder| !folder.ends_with("devices"))
            .find_map(|folder| text(&folder.join("numa_node")))?
            .parse()
            .ok()
    }

    /// Of each of its controller's interrupts the core that took most. An interrupt that never came has none.
    /// Source: the kernel's `Documentation/ABI/testing/sysfs-kernel-irq` and `sysfs-bus-pci` (`msi_irqs`).
    fn interrupt_cores(&self, root: &Root) -> Vec<u32> {
        let above = self.folder.ancestors();
        let mut controllers = above
            .take_while(|folder| !folder.ends_with("devices"))
            .map(|folder| names(&folder.join("msi_irqs")));
        let numbers = controllers.find(|numbers| !numbers.is_empty());
        let most = |number: &String| {
            let counts = root.text(format!("sys/kernel/irq/{number}/per_cpu_count"))?;
            let counts = counts.split(',').map(|count| count.parse().unwrap_or(0));
            let (core, count) = (0u32..).zip(counts).max_by_key(|&(_, count)| count)?;
            (count > 0u64).then_some(core)
        };
        let mut cores: Vec<u32> = numbers.iter().flatten().filter_map(most).collect();
        cores.sort_unstable();
        cores.dedup();
        cores
    }

    /// Where a partition begins on its disk.
    fn start(&self) -> Option<Bytes> {
        let sectors: u64 = self
            .is_partition()
            .then(|| self.number_of("start"))
            .flatten()?;
        Some(Bytes(sectors.saturating_mul(SECTOR_BYTES)))
    }

    /// Queues that requests are submitted in; `None` for devices without any of their own.
    fn queues(&self) -> Option<u32> {
        let queues = names(&self.folder.join("mq")).len();
        u32::try_from(queues).ok().filter(|&queues| queues > 0)
    }

    /// By the buses on the way to it. A namespace reports it itself, where its controller is not one of several.
    fn transport(&self) -> Option<String> {
        if self.name.starts_with("nvme") {
            let way = self.text("device/transport");
            return Some(way.map_or_else(|| "nvme".to_owned(), |way| format!("nvme {way}")));
        }
        // The nearest to the device comes last: a disk on USB is a SCSI disk, too.
        const BUSES: [(&str, &str); 7] = [
            ("usb", "usb"),
            ("ata", "ata"),
            ("end_device-", "sas"),
            ("session", "iscsi"),
            ("virtio", "virtio"),
            ("vbd-", "xen"),
            ("mmc", "mmc"),
        ];
        let on_the_way = |head: &str| {
            self.folder.components().any(|part| {
                let part = part.as_os_str().to_string_lossy();
                let rest = part.strip_prefix(head);
                rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
        };
        let bus = BUSES.iter().find(|(head, _)| on_the_way(head));
        bus.map(|(_, name)| (*name).to_owned())
    }

    /// Of a SAS port with one end device: the slowest of its links, and how many they are. Source: the kernel's
    /// `drivers/scsi/scsi_transport_sas.c`, `negotiated_linkrate`.
    fn sas_link(&self) -> Option<String> {
        let port = self.folder.ancestors().find(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("port-")
        })?;
        let mut links = names(port);
        links.retain(|name| name.starts_with("phy-"));
        let speed = |name: &String| {
            let rate = text(
                &port
                    .join(name)
                    .join("sas_phy")
                    .join(name)
                    .join("negotiated_linkrate"),
            )?;
            rate.strip_suffix(" Gbit")?.parse::<f64>().ok()
        };
        let speeds: Option<Vec<f64>> = links.iter().map(speed).collect();
        let slowest = speeds?.into_iter().reduce(f64::min)?;
        Some(match links.len() {
            1 => format!("SAS {slowest:.1} Gbit/s"),
            several => format!("SAS {slowest:.1} Gbit/s x{several}"),
        })
    }

    /// Of an NVMe controller on PCI Express, of a SAS and of a SATA port. Source: the kernel's `Documentation/ABI/testing/sysfs-bus-pci`
    /// and `sysfs-ata`.
    fn link(&self) -> Option<String> {
        if self.name.starts_with("nvme") {
            let above = self.folder.ancestors();
            let mut above = above.take_while(|folder| !folder.ends_with("devices"));
            let controller = above.find(|folder| folder.join("current_link_speed").exists())?;
            let speed = text(&controller.join("current_link_speed"))?;
            let lanes: u32 = text(&controller.join("current_link_width"))?.parse().ok()?;
            let (gigatransfers, _) = speed.split_once(" GT/s")?;
            return (lanes > 0).then(|| format!("{gigatransfers} GT/s x{lanes}"));
        }
        if self.transport().as_deref() == Some("sas") {
            return self.sas_link();
        }
        let port = self.folder.ancestors().find(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let number = name.strip_prefix("ata");
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        })?;
        let number = port.file_name()?.to_string_lossy().replace("ata", "link");
        let speed = text(
            &port
                .join(&number)
                .join("ata_link")
                .join(&number)
                .join("sata_spd"),
        )?;
        let (gigabits, _) = speed.split_once(" Gbps")?;
        Some(format!("{gigabits} Gbit/s"))
    }

    /// A power of two; anything else is a garbled file.
    pub(super) fn block_size(&self, attribute: &str) -> Option<Bytes> {
        self.number_of(attribute)
            .filter(|size: &u64| size.is_power_of_two())
            .map(Bytes)
    }

    /// `ATA` is the bus and `0x1af4` a number: neither names the vendor.
    fn model(&self) -> Option<String> {
        let model = self
            .text("device/model")
            .or_else(|| self.text("device/name"))?;
        let vendor = self
            .text("device/vendor")
            .filter(|vendor| vendor != "ATA" && !vendor.starts_with("0x"));
        Some(match vendor {
            Some(vendor) => format!("{vendor} {model}"),
            None => model,
        })
    }

    /// The one in brackets: `none [mq-deadline] kyber`.
    fn scheduler(&self) -> Option<String> {
        let all = self.text("queue/scheduler")?;
        match all
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
        {
            Some((chosen, _)) => Some(chosen.to_owned()),
            None => all
                .chars()
                .all(|c| c.is_alphanumeric() || c == '-')
                .then_some(all),
        }
    }

    /// What the file of a loop device takes on its file system, where its path leads to it from here.
    fn file_allocated(&self, root: &Root) -> Option<Bytes> {
        let file = self.text("loop/backing_file")?;
        let facts = fs::metadata(root.path(file.trim_start_matches('/'))).ok()?;
        facts
            .is_file()
            .then(|| Bytes(facts.blocks().saturating_mul(512)))
    }

    fn detail(&self) -> Option<String> {
        if let Some(level) = self.text("md/level") {
            let disks = self.text("md/raid_disks").map(|n| format!(", {n} disks"));
            let missing = self
                .text("md/degraded")
                .filter(|n| n != "0")
                .map(|n| format!(", {n} missing"));
            return Some(level + &disks.unwrap_or_default() + &missing.unwrap_or_default());
        }
        if let Some(name) = self.text("dm/name") {
            let uuid = self.text("dm/uuid").unwrap_or_default();
            return Some(match uuid.split_once('-') {
                Some((maker, _)) => format!("{name} ({maker})"),
                None => name,
            });
        }
        self.text("loop/backing_file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn node(folder: &Path, name: &str) -> Node {
        let sys = folder.join("sys/block").join(name);
        fs::create_dir_all(&sys).unwrap();
        Node::by_name(&Root::at(folder.to_owned()), name).unwrap()
    }

    #[test]
    fn a_mapping_has_its_maker_s_name_an_array_that_of_its_link_and_a_disk_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let root = Root::at(at.to_owned());
        let (mapping, array, disk) = (node(at, "dm-0"), node(at, "md127"), node(at, "sda"));
        fs::create_dir_all(at.join("sys/block/dm-0/dm")).unwrap();
        fs::write(at.join("sys/block/dm-0/dm/name"), "vg-root\n").unwrap();
        assert_eq!(mapping.known_as(&root).as_deref(), Some("vg-root"));
        assert_eq!((array.known_as(&root), disk.known_as(&root)), (None, None));

        fs::create_dir_all(at.join("dev/md")).unwrap();
        for (name, link) in [("md126", "aaa"), ("md127", "127"), ("md127", "data")] {
            fs::write(at.join("dev").join(name), "").unwrap();
            symlink(format!("../{name}"), at.join("dev/md").join(link)).unwrap();
        }
        assert_eq!(array.known_as(&root).as_deref(), Some("data"));
    }
}
