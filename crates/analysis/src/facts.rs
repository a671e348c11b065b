//! The machine, the targets and the request, as far as a reader of the result needs them.
//!
//! A digest, so that the published document does not change with every fact that `host` learns to read; the
//! whole stands in the record in the database.

use model::{
    Access, BlockDevice, CacheMode, EngineRecord, HostRecord, Pacing, PlannedTarget, Pool,
    TargetFacts, WriteContent,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostDigest {
    /// Its name on the network.
    pub hostname: String,
    /// Name and release of the system.
    pub kernel: String,
    /// Distribution, if the system reports it.
    pub distribution: Option<String>,
    /// Model of the processor, where the system reports it.
    pub cpu_model: Option<String>,
    /// Cores online.
    pub cores: u64,
    /// Frequency governor of the cores, if there is a choice and all have the same.
    pub governor: Option<String>,
    /// Main memory.
    pub ram_bytes: u64,
    /// The hypervisor, or that there is one; none where nothing points to one.
    pub virtualization: Option<String>,
}

/// A target before the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetDigest {
    /// As it was given.
    pub path: String,
    /// Its size.
    pub size_bytes: u64,
    /// Type of the file system that it lies on.
    pub file_system: Option<String>,
    /// Options that this file system is mounted with.
    pub mount_options: Option<String>,
    /// Devices from the target down to the hardware.
    pub chain: Vec<DeviceDigest>,
}

/// One device of a chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceDigest {
    /// Kernel name.
    pub name: String,
    /// Kind of device: `disk`, `partition`, `loop`, `dm`, `md`, `zram`.
    pub kind: String,
    /// Capacity.
    pub size_bytes: u64,
    /// Vendor and model, if the device reports them.
    pub model: Option<String>,
    /// Spinning, as the kernel believes.
    pub rotational: Option<bool>,
    /// The I/O scheduler in force.
    pub scheduler: Option<String>,
    /// Size of its queue, in requests.
    pub queue_size: Option<u32>,
    /// `write back` where it has a volatile write cache, `write through` where not.
    pub write_cache: Option<String>,
}

/// What was done to a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkDigest {
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// Most I/Os outstanding per thread; over all targets where these share them.
    pub queue_depth: u32,
    /// Threads on this target; of a pool, those of the pool.
    pub threads: u32,
    /// The threads serve all targets.
    pub pool: bool,
    /// How fast each thread may go on this target.
    pub pacing: Pacing,
    /// Through a mapping into memory.
    pub mapped: bool,
    /// Share of writes. // in [0, 100]
    pub write_percent: u8,
    /// What a device can save of the written data.
    #[serde(flatten)]
    pub reduction: DataReduction,
    /// Where the next I/O goes.
    pub access: Access,
    /// Caches between the I/O and the device.
    pub cache: CacheMode,
    /// Each write returns only when the data is on stable storage.
    pub write_through: bool,
    /// The part of the target that is used.
    #[serde(flatten)]
    pub range: RangeDigest,
}

/// Shares of written data that a device need not store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataReduction {
    /// Share of the written data that a device can press out of it; 0 where it is as random as can be. // in [0, 100]
    #[serde(default)]
    pub compress_percent: u8,
    /// Share of the written blocks that is one and the same. // in [0, 100]
    #[serde(default)]
    pub dedupe_percent: u8,
}

/// A range of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RangeDigest {
    /// First byte of the range.
    pub base_bytes: u64,
    /// Length of the range.
    pub length_bytes: u64,
}

/// I/O engine and clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineDigest {
    /// The backend that was requested.
    pub requested: String,
    /// The backend that ran.
    pub backend: String,
    /// Kernel features that it used, by the kernel's names.
    pub features: Vec<String>,
    /// Notes: a fallback, a feature that the kernel refused.
    pub notes: Vec<String>,
    /// Where stamps came from: `tsc`, `monotonic` or `fake`.
    pub clock_source: String,
    /// Cost of one reading of the clock, in nanoseconds.
    pub clock_cost_ns: u64,
    /// How far the clock had gone from the monotonic one by the end, in nanoseconds.
    pub clock_drift_ns: u64,
    /// The seed of offsets and operations.
    pub seed: u64,
}

impl HostDigest {
    /// Of the facts of a machine.
    pub fn of(host: &HostRecord) -> HostDigest {
        let governor = host.cpus.first().and_then(|cpu| cpu.governor.clone());
        let alike = host.cpus.iter().all(|cpu| cpu.governor == governor);
        HostDigest {
            hostname: host.hostname.clone(),
            kernel: host.kernel.clone(),
            distribution: host.distribution.clone(),
            cpu_model: host.cpu_model.clone(),
            cores: host.cpus.len() as u64,
            governor: governor.filter(|_| alike),
            ram_bytes: host.ram.0,
            virtualization: host.virtualization.clone(),
        }
    }
}

impl TargetDigest {
    pub(crate) fn of(facts: &TargetFacts) -> TargetDigest {
        let fs = facts.file_system.as_ref();
        TargetDigest {
            path: facts.path.to_string_lossy().into_owned(),
            size_bytes: facts.size.0,
            file_system: fs.map(|fs| fs.kind.clone()),
            mount_options: fs.map(|fs| fs.options.clone()),
            chain: facts.chain.iter().map(DeviceDigest::of).collect(),
        }
    }
}

impl DeviceDigest {
    pub(crate) fn of(device: &BlockDevice) -> DeviceDigest {
        DeviceDigest {
            name: device.name.clone(),
            kind: device.kind.clone(),
            size_bytes: device.size.0,
            model: device.model.clone(),
            rotational: device.rotational,
            scheduler: device.scheduler.clone(),
            queue_size: device.queue_size,
            write_cache: device.write_cache.clone(),
        }
    }
}

impl WorkDigest {
    /// Of a target, and of the pool of threads that serves it, where one does.
    pub(crate) fn of(planned: &PlannedTarget, pool: Option<Pool>) -> WorkDigest {
        let own = planned.workload.queue_depth.0;
        let (compress, dedupe) = match planned.content {
            WriteContent::Shaped { compress, dedupe } => {
                (compress.as_percent(), dedupe.as_percent())
            }
            _ => (0, 0),
        };
        WorkDigest {
            reduction: DataReduction {
                compress_percent: compress,
                dedupe_percent: dedupe,
            },
            block_bytes: planned.workload.block.0,
            queue_depth: pool.and_then(|pool| pool.outstanding).unwrap_or(own),
            threads: pool.map_or(planned.threads, |pool| pool.threads),
            pool: pool.is_some(),
            pacing: planned.pacing,
            mapped: planned.mapped.is_some(),
            write_percent: planned.workload.write.as_percent(),
            access: planned.workload.access.clone(),
            cache: planned.cache,
            write_through: planned.write_through,
            range: RangeDigest {
                base_bytes: planned.base.0,
                length_bytes: planned.length.0,
            },
        }
    }
}

impl EngineDigest {
    pub(crate) fn of(
        engine: &EngineRecord,
        requested: model::EngineChoice,
        seed: u64,
    ) -> EngineDigest {
        EngineDigest {
            requested: requested.to_string(),
            backend: engine.backend.clone(),
            features: engine.features.clone(),
            notes: engine.notes.clone(),
            clock_source: engine.clock.source.clone(),
            clock_cost_ns: engine.clock.cost.0,
            clock_drift_ns: engine.clock.drift.0,
            seed,
        }
    }
}
