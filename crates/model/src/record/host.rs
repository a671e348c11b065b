//! The machine and the target, as they were before the run. How they are found out is `host`'s business.
//!
//! What the system does not report is `None` or empty, never a guess.

use super::layout::{DataSample, Layout};
use super::limits::Limits;
use crate::block_header::Flaw;
use crate::plan::{NullBehaviour, SimulatedDevice, SimulatedModel};
use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The machine, as it was before the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRecord {
    /// Its name on the network.
    pub hostname: String,
    /// Name and release of the system: `Linux 6.18.44`.
    pub kernel: String,
    /// Distribution, if the system reports it: `Debian GNU/Linux 12 (bookworm)`.
    pub distribution: Option<String>,
    /// Model of the processor.
    pub cpu_model: Option<String>,
    /// Cores that are online, in the order of their numbers.
    pub cpus: Vec<CpuFacts>,
    /// Main memory in all.
    pub ram: Bytes,
    /// Main memory that is available without swapping.
    pub ram_available: Bytes,
    /// The hypervisor, or that there is one; `None` where nothing points to one.
    pub virtualization: Option<String>,
    /// What control groups allow this process.
    #[serde(default)]
    pub limits: Limits,
    /// The random number that the machine drew when it started: the same in all of its containers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
}

impl HostRecord {
    /// Returns whether both are the same machine: by what it drew at its start, else by its name.
    pub fn is_same_machine(&self, other: &HostRecord) -> bool {
        match (&self.boot_id, &other.boot_id) {
            (Some(one), Some(another)) => one == another,
            _ => self.hostname == other.hostname,
        }
    }
}

/// One core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuFacts {
    /// As the system counts.
    pub cpu: u32,
    /// Which physical core of its socket.
    pub core: Option<u32>,
    /// Which socket.
    pub socket: Option<u32>,
    /// Which memory node.
    pub node: Option<u32>,
    /// What decides on its frequency, where there is a choice.
    pub governor: Option<String>,
    /// Its class among the kinds of cores of the machine, the slowest 0; none where all are of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_class: Option<u32>,
}

/// A target as it stands before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    /// As it was given.
    pub path: PathBuf,
    /// What there is under this name.
    pub kind: TargetKind,
    /// Its size; the device's capacity. 0 for what has none.
    pub size: Bytes,
    /// Space that it takes already: less than its size where it has holes.
    #[serde(default)]
    pub allocated: Bytes,
    /// Device and inode number; for a device its own number, and 0.
    pub identity: Option<(u64, u64)>,
    /// Whether this user may write it: permissions, read-only mount, read-only device.
    pub writable: bool,
    /// What else stands against writing, and what lifts it.
    #[serde(default)]
    pub obstacle: Option<String>,
    /// What unbuffered I/O must be aligned to; `None` where it cannot be done at all.
    pub direct_io: Option<DirectIo>,
    /// The file system that it lies on, or, for a missing file, that it would lie on.
    pub file_system: Option<FileSystem>,
    /// What it is as a namespace of NVMe, where commands can be passed through to it.
    #[serde(default)]
    pub namespace: Option<Namespace>,
    /// From the target down to the hardware: each device with what it uses after it.
    pub chain: Vec<BlockDevice>,
    /// Who uses it, or what on it would be lost by writing.
    pub claims: Vec<Claim>,
    /// What could not be found out about its use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// What of its use could not be asked and stands in the way of nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<String>,
    /// The first name on its path that another user could have placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_name: Option<ForeignName>,
    /// Its content.
    pub content: Content,
    /// How its data lies and what it is like.
    #[serde(default)]
    pub layout: Layout,
}

/// A name on the path of a target that another user could have placed: that user decides where the path leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignName {
    /// Where it is.
    pub path: PathBuf,
    /// A symbolic link; otherwise one of several names of a file.
    pub is_link: bool,
    /// Why its folder is not trusted: a clause.
    pub why: String,
}

/// What there is under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device.
    BlockDevice,
    /// The character device of an NVMe namespace, to which commands are passed through.
    NvmeNamespace,
    /// A folder.
    Folder,
    /// Nothing; its folder is there.
    Missing,
    /// Nothing, and its folder is not there either.
    MissingFolder,
    /// A character device, pipe or socket.
    Other,
    /// Something that this user may not inspect.
    Forbidden,
    /// The simulated device of the null backend.
    Null,
    /// A device that exists in a model only.
    Simulated,
}

/// A namespace of an NVMe controller behind its character device (`/dev/ng0n1`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Namespace {
    /// Its number on its controller. // above 0
    pub id: u32,
    /// Its logical block, of which commands carry whole ones.
    pub block: Bytes,
    /// The most that one command carries; nothing cuts a larger one.
    pub command_max: Bytes,
    /// The block device of the same namespace: who uses that uses this.
    pub block_device: PathBuf,
    /// That device's number, and 0.
    pub block_identity: (u64, u64),
}

/// What unbuffered I/O must be aligned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectIo {
    /// Addresses of buffers.
    pub memory: Bytes,
    /// Offsets and lengths.
    pub offset: Bytes,
}

/// A mounted file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSystem {
    /// Its type: `ext4`.
    pub kind: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// What is mounted there: `/dev/vda1`.
    pub source: String,
    /// With which options.
    pub options: String,
    /// Mounted read-only.
    pub read_only: bool,
    /// Its size.
    pub size: Bytes,
    /// Free for this user.
    pub free: Bytes,
    /// The type of the file system that an overlay or a FUSE server keeps the file on, where that can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
}

impl FileSystem {
    /// Whether it keeps files in memory: no device is below them, and direct I/O is copied all the same.
    pub fn is_in_memory(&self) -> bool {
        is_in_memory(self.layer.as_ref().unwrap_or(&self.kind))
    }

    /// Whether a server on the network keeps the files, with a cache on this side and one on the other.
    pub fn is_network(&self) -> bool {
        ["nfs", "nfs4", "cifs", "smb3", "smb2", "smbfs", "remote"].contains(&self.kind.as_str())
    }

    /// Whether it is reached over the network: that of one server, or that of a cluster.
    pub fn is_remote(&self) -> bool {
        const CLUSTERS: [&str; 5] = ["ceph", "lustre", "glusterfs", "beegfs", "gpfs"];
        self.is_network() || CLUSTERS.contains(&self.kind.as_str())
    }
}

fn is_in_memory(kind: &str) -> bool {
    ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"].contains(&kind)
}

/// One device of a chain. Source: the kernel's `Documentation/ABI/stable/sysfs-block`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockDevice {
    /// Kernel name: `nvme0n1p2`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
    /// What it is: `disk`, `partition`, `loop`, `dm`, `md`, `zram`, …
    pub kind: String,
    /// Capacity.
    pub size: Bytes,
    /// Vendor and model, if the device reports them.
    pub model: Option<String>,
    /// Firmware revision, if the device reports it.
    pub firmware: Option<String>,
    /// Spinning, as the kernel believes.
    pub rotational: Option<bool>,
    /// Can be taken out.
    pub removable: bool,
    /// Cannot be written.
    pub read_only: bool,
    /// The I/O scheduler in force.
    pub scheduler: Option<String>,
    /// Size of its queue, in requests.
    pub queue_size: Option<u32>,
    /// Largest request that the kernel sends to it.
    pub request_max: Option<Bytes>,
    /// Pieces of memory that one request may have; a buffer has up to one per page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments_max: Option<u32>,
    /// How far the kernel reads ahead of buffered sequential reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead: Option<Bytes>,
    /// Smallest unit that can be addressed.
    pub logical_block: Option<Bytes>,
    /// Smallest unit that is written without reading first.
    pub physical_block: Option<Bytes>,
    /// `write back` or `write through`.
    pub write_cache: Option<String>,
    /// The memory node that its controller is next to, where there are several.
    #[serde(default)]
    pub memory_node: Option<u32>,
    /// Cores that its controller's interrupts have come to since the system started; empty where that is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupt_cores: Vec<u32>,
    /// Where it begins on its disk, for a partition.
    #[serde(default)]
    pub start: Option<Bytes>,
    /// Queues in which the kernel submits requests, each of `queue_size`.
    #[serde(default)]
    pub queues: Option<u32>,
    /// Commands that the device itself queues at a time, if it reports that.
    #[serde(default)]
    pub device_queue: Option<u32>,
    /// A single write can be durable without flushing the whole cache (forced unit access).
    #[serde(default)]
    pub fua: Option<bool>,
    /// How it is connected: `nvme pcie`, `nvme tcp`, `ata`, `sas`, `usb`, `iscsi`, `virtio`, `xen`.
    #[serde(default)]
    pub transport: Option<String>,
    /// Speed of its link, where the system prints it: `16.0 GT/s x4` of PCI Express, `6.0 Gbit/s` of SATA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Counts up with every medium or backing file that any device of this machine is given; a partition has its disk's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diskseq: Option<u64>,
    /// Whether the block layer counts its I/Os; what it counts means nothing where it does not.
    pub counted: Option<bool>,
    /// For loop devices, the file behind it; for dm and md, the level or the mapping's name.
    pub detail: Option<String>,
    /// Of a loop device: whether it bypasses the page cache of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_direct: Option<bool>,
    /// Of a loop device: space that its file takes, less than its size where the file has holes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_allocated: Option<Bytes>,
    /// Of a loop device: the type of the file system that its file lies on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_on: Option<String>,
    /// The paths of a multipath device; empty for any other, and in records kept before these were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathFacts>,
}

impl BlockDevice {
    /// Whether its blocks are in memory: zram, a RAM disk, or a loop device whose file is on a file system in memory.
    pub fn is_in_memory(&self) -> bool {
        let is_file_in_memory = || self.file_on.as_deref().is_some_and(is_in_memory);
        match self.kind.as_str() {
            "zram" | "ram" => true,
            "loop" => is_file_in_memory(),
            _ => false,
        }
    }

    /// Whether an I/O of so many bytes is larger than one request to it. Its buffer may be scattered over memory, a page a piece.
    pub fn may_split(&self, block: Bytes) -> bool {
        const PAGE: u64 = 4096; // the smallest there is
        let pieces = self
            .segments_max
            .map(|count| Bytes(u64::from(count) * PAGE));
        let most = [self.request_max, pieces].into_iter().flatten();
        most.filter(|most| most.0 > 0).any(|most| block > most)
    }
}

/// One path of a multipath device: a disk, or a controller of NVMe. Source: the kernel's `Documentation/ABI/testing/sysfs-bus-scsi`, `sysfs-class-nvme`
/// and `drivers/scsi/scsi_transport_iscsi.c`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathFacts {
    /// Kernel name of its device or controller: `sdb`, `nvme1`.
    pub name: String,
    /// State of it: `running` or `live` where it can be used.
    pub state: Option<String>,
    /// Access through its port: `active/optimized`, `active/non-optimized`; of NVMe `optimized`, `non-optimized`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_state: Option<String>,
    /// The session or remote port that it uses: `session1`, `rport-2:0-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Address of the storage's port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portal: Option<String>,
    /// Network interface that it is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// How many seconds an iSCSI session waits for its connection before I/O fails; negative for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_timeout_s: Option<i64>,
}

/// Health of a device as the system reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceHealth {
    /// Kernel name.
    pub device: String,
    /// How it stands.
    pub state: HealthState,
    /// In the system's words: `clean, 1 of 2 missing`, `running`.
    pub words: String,
}

impl PathFacts {
    /// Returns whether I/O can pass; a path of unknown state can.
    pub fn is_up(&self) -> bool {
        let usable = ["running", "live", "created"];
        self.state
            .as_ref()
            .is_none_or(|state| usable.contains(&state.as_str()))
    }

    /// Returns whether it is reached by its preferred controller; `None` where that is not reported.
    pub fn is_optimised(&self) -> Option<bool> {
        let state = self.access_state.as_ref()?;
        Some(["active/optimized", "optimized"].contains(&state.as_str()))
    }
}

/// How a device stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Nothing is reported against it.
    Good,
    /// It repairs or checks itself, which costs speed until it is done.
    Repairing,
    /// Something of it is missing: a mirror, a path.
    Degraded,
    /// It cannot be used.
    Failed,
}

/// Who uses a target, or what on it would be lost by writing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Mounted.
    Mounted {
        /// Which device: the target, or a partition of it.
        device: String,
        /// Where.
        at: PathBuf,
    },
    /// Swapped to.
    Swap {
        /// Which device or file.
        device: String,
    },
    /// Another device uses it.
    Holder {
        /// Which device: the target, or a partition of it.
        device: String,
        /// Kernel name of the one above: `dm-0`, `md127`, `loop3`.
        by: String,
    },
    /// Opened exclusively by someone whom the system does not name.
    Busy {
        /// Which device.
        device: String,
    },
    /// Another program has it open for writing.
    OpenForWriting {
        /// Which file.
        file: String,
    },
    /// An empty file of another user, who could have placed it.
    Placed {
        /// Which file.
        file: String,
        /// The user, as the system has it.
        user: String,
    },
    /// It carries a signature that a known format puts there.
    Signature {
        /// Which device or file: the target, or a partition of it.
        device: String,
        /// What: `ext4 file system`, `LVM physical volume`, `GPT partition table`.
        what: String,
    },
}

impl Claim {
    /// In use now: no words allow writing, the use has to end first.
    pub const fn in_use(&self) -> bool {
        !matches!(self, Claim::Signature { .. } | Claim::Placed { .. })
    }
}

/// Content of a target, judged by its first and last block and an even sample between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Nothing, and that is proven: no length, no data in it, or all of it read and zero.
    Empty,
    /// Zeros wherever one looked, but not everywhere was looked: so is every device of zeros that is only read.
    Unproven,
    /// Written by fathom, wherever one looks.
    Fathom,
    /// Written by fathom at its start, and elsewhere by fathom or empty: a filling that was cut short.
    FathomPartial,
    /// Something that fathom did not write.
    Foreign,
    /// What fathom wrote, as it seems, but not as it wrote it.
    Flawed {
        /// Where the first such block begins.
        offset: Bytes,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// Not looked at: it could not be read, or there is nothing under the name.
    Unknown,
}

impl Content {
    /// Whether every block that was looked at has a block header, or had one before it was damaged.
    pub fn has_headers(self) -> bool {
        match self {
            Content::Fathom => true,
            Content::Flawed { flaw, .. } => matches!(flaw, Flaw::Torn | Flaw::Altered),
            Content::Empty
            | Content::Unproven
            | Content::FathomPartial
            | Content::Foreign
            | Content::Unknown => false,
        }
    }
}

impl TargetFacts {
    /// Nothing is there, and no file is to be created: among the system's devices a new name is a misspelt one.
    pub fn names_no_device(&self) -> bool {
        let among_devices =
            |on: &FileSystem| on.kind == "devtmpfs" || on.mount_point.as_os_str() == "/dev";
        self.kind == TargetKind::Missing && self.file_system.as_ref().is_some_and(among_devices)
    }

    /// Returns the device whose interrupts complete the target's I/Os, where their cores are known: the first that is no
    /// partition and no mapping. A loop device's I/Os are completed by a thread, wherever that runs.
    pub fn interrupting_device(&self) -> Option<&BlockDevice> {
        let passes = |device: &&BlockDevice| matches!(&*device.kind, "partition" | "dm" | "md");
        let device = self.chain.iter().find(|device| !passes(device))?;
        (!device.interrupt_cores.is_empty()).then_some(device)
    }

    /// Whether another thread of this machine serves its I/Os: the kernel's of a loop device, or the process of a file system of
    /// FUSE.
    pub fn is_served_by_thread(&self) -> bool {
        let is_fuse = |on: &FileSystem| on.kind.starts_with("fuse");
        self.chain.iter().any(|device| device.kind == "loop")
            || self.file_system.as_ref().is_some_and(is_fuse)
    }

    /// The null backend's simulated device, as far as it has facts.
    pub fn null(behaviour: &NullBehaviour) -> Self {
        TargetFacts {
            path: PathBuf::from("null"),
            kind: TargetKind::Null,
            size: behaviour.size,
            allocated: behaviour.size,
            identity: None,
            writable: true,
            obstacle: None,
            direct_io: Some(DirectIo {
                memory: Bytes(512),
                offset: Bytes(512),
            }),
            file_system: None,
            namespace: None,
            chain: Vec::new(),
            claims: Vec::new(),
            unchecked: Vec::new(),
            unasked: Vec::new(),
            foreign_name: None,
            content: Content::Empty,
            layout: Layout::default(),
        }
    }

    /// A simulated device, as far as it has facts: the word that means it, and one simulated block device.
    pub fn simulated(device: &SimulatedDevice) -> Self {
        let behaviour = NullBehaviour {
            size: device.size,
            ..NullBehaviour::default()
        };
        TargetFacts {
            path: PathBuf::from(device.to_string()),
            kind: TargetKind::Simulated,
            chain: vec![BlockDevice {
                name: device.to_string(),
                kind: "disk".to_owned(),
                size: device.size,
                write_cache: (device.write_cache.0 > 0).then(|| "write back".to_owned()),
                queue_size: u32::try_from(device.queue).ok().filter(|size| *size > 0),
                device_queue: u32::try_from(device.queue).ok().filter(|size| *size > 0),
                logical_block: Some(Bytes(512)),
                physical_block: Some(Bytes(512)),
                counted: Some(true),
                model: Some(format!("simulated {}", device.model.name())),
                rotational: Some(device.model == SimulatedModel::Spindle),
                request_max: (device.request_max.0 > 0).then_some(device.request_max),
                ..BlockDevice::default()
            }],
            layout: Layout {
                sample: sample_of(device),
                ..Layout::default()
            },
            ..TargetFacts::null(&behaviour)
        }
    }
}

/// Returns what a sample of its blocks would be like; none where all of it was written.
fn sample_of(device: &SimulatedDevice) -> Option<DataSample> {
    const BLOCKS: u32 = 100;
    let zeros = u32::try_from(device.uneven.unwritten).ok()?.min(BLOCKS);
    let bytes = Bytes(4096 * u64::from(BLOCKS - zeros));
    (zeros > 0).then_some(DataSample {
        blocks: BLOCKS,
        zero_blocks: zeros,
        bytes,
        pressed: bytes,
    })
}
