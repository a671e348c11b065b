//! One step as a row of figures.

use super::batches;
use crate::{Estimate, Latency};
use model::{FilesOrder, FilesRecord, FilesStep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One operation done many times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilesRow {
    /// Name of the step: `create`, `stat`, `write blocks`.
    pub operation: String,
    /// `sequential` or `random`.
    pub order: String,
    /// Threads that did it at once.
    pub threads: u64,
    /// How much was done.
    #[serde(flatten)]
    pub amount: FilesAmount,
    /// How long it took.
    #[serde(flatten)]
    pub time: FilesTime,
    /// Operations a second; none where nothing was measured.
    pub iops_estimate: Option<Estimate>,
    /// Bytes a second; none where it moves none or nothing was measured.
    pub bytes_per_s_estimate: Option<Estimate>,
    /// How long one took, over all threads together; a flush at the end is not in it.
    pub latency: Latency,
    /// Processor time by elapsed time: 1 is one core all the time; none where the system does not report it.
    pub cpu_share: Option<f64>,
    /// What the device transferred meanwhile.
    #[serde(flatten)]
    pub device: DeviceBytes,
    /// The time limit ended it before all was done.
    pub cut: bool,
    /// Why there is no figure.
    pub unmeasured: Option<String>,
}

/// How often an operation was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilesAmount {
    /// How often it was to be done; none where only the time limit ends it.
    pub planned: Option<u64>,
    /// How often it was done.
    pub operations: u64,
    /// Bytes of one operation; none where it moves none.
    pub block_bytes: Option<u64>,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// Time of all operations of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilesTime {
    /// From the first to the last, a flush at the end included.
    pub elapsed_ns: u64,
    /// Of it, the flush at the end; none where there was none.
    pub flush_ns: Option<u64>,
}

/// Bytes that a device transferred during a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceBytes {
    /// Bytes that the device read during it; none if it does not report them.
    pub device_read_bytes: Option<u64>,
    /// Bytes that it wrote.
    pub device_write_bytes: Option<u64>,
}

impl FilesRow {
    pub(super) fn of(record: &FilesRecord) -> FilesRow {
        let step = &record.step;
        let rate = match step.unmeasured {
            Some(_) => None,
            None => batches::rate(step),
        };
        let share = record.counted() as f64 / step.operations().max(1) as f64;
        let rate = rate.map(|rate| match share < 1.0 {
            true => rate.times(share),
            false => rate,
        });
        FilesRow {
            operation: step.name.clone(),
            order: step.order.name().to_owned(),
            threads: step.threads.len() as u64,
            amount: FilesAmount {
                planned: step.planned,
                operations: step.operations(),
                block_bytes: step.block.map(|block| block.0),
                bytes: step.bytes().0,
            },
            time: FilesTime {
                elapsed_ns: step.elapsed.0,
                flush_ns: step.flush.map(|flush| flush.0),
            },
            iops_estimate: rate,
            bytes_per_s_estimate: rate.and_then(|rate| in_bytes(step, rate)),
            latency: Latency::of(&step.latency()),
            cpu_share: cpu_share(step),
            device: DeviceBytes {
                device_read_bytes: step.device.as_ref().map(|device| device.read_bytes.0),
                device_write_bytes: step.device.as_ref().map(|device| device.write_bytes.0),
            },
            cut: step.cut,
            unmeasured: step.unmeasured.clone(),
        }
    }

    /// Whether it went through the names in a random order.
    pub fn is_random(&self) -> bool {
        self.order == FilesOrder::Random.name()
    }

    /// Share of the bytes that it read that came from the device and not from a cache; none where it is not known.
    pub fn read_from_device(&self) -> Option<f64> {
        (self.amount.bytes > 0)
            .then_some(self.device.device_read_bytes? as f64 / self.amount.bytes as f64)
    }
}

fn in_bytes(step: &FilesStep, rate: Estimate) -> Option<Estimate> {
    step.block?;
    let each = step.bytes().0 as f64 / step.operations().max(1) as f64;
    Some(rate.times(each))
}

fn cpu_share(step: &FilesStep) -> Option<f64> {
    let each: Option<Vec<f64>> = step
        .threads
        .iter()
        .map(|one| Some(one.cpu?.as_seconds()))
        .collect();
    let seconds = step.elapsed.as_seconds();
    (seconds > 0.0).then_some(each?.iter().sum::<f64>() / seconds)
}
