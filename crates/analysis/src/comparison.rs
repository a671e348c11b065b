//! Two counts of the same I/O side by side: the tool's and the block layer's, and when they agree.
//!
//! Deliberately absent: where the counts come from, which is `device_check`'s.

use crate::rows::share;
use crate::say;
use model::{Bytes, LifetimeCount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Comparison of the two counts over the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// Within the bound, or within 1%.
    Agrees,
    /// The device did less: something above it answered.
    DeviceLess,
    /// The device did more: others used it, or something above it added I/O.
    DeviceMore,
    /// There was nothing to compare.
    Unknown,
}

/// Both counts over one stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountComparison {
    /// Between the two readings of the device's counters, in nanoseconds.
    pub elapsed_ns: u64,
    /// Reads.
    pub read: OperationComparison,
    /// Writes.
    pub write: OperationComparison,
    /// By how many I/Os both may differ without either being wrong.
    pub bound_ios: u64,
    /// By how many bytes both may differ without either being wrong.
    pub bound_bytes: u64,
    /// Time with at least one request in the device, in nanoseconds.
    pub device_busy_ns: u64,
}

/// Both counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationComparison {
    /// I/Os that the tool counted.
    pub tool_ios: u64,
    /// Requests that the block layer counted.
    pub device_ios: u64,
    /// Bytes that the tool counted.
    pub tool_bytes: u64,
    /// Bytes that the block layer counted.
    pub device_bytes: u64,
    /// The device's bytes minus the tool's.
    pub difference_bytes: i64,
}

impl OperationComparison {
    pub(crate) fn new(tool: LifetimeCount, device: LifetimeCount) -> Self {
        let difference = i128::from(device.bytes.0) - i128::from(tool.bytes.0);
        OperationComparison {
            tool_ios: tool.ios,
            device_ios: device.ios,
            tool_bytes: tool.bytes.0,
            device_bytes: device.bytes.0,
            difference_bytes: difference.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64,
        }
    }

    fn plus(self, other: Self) -> Self {
        OperationComparison::new(
            self.tool().plus(other.tool()),
            self.device().plus(other.device()),
        )
    }

    fn tool(self) -> LifetimeCount {
        LifetimeCount {
            ios: self.tool_ios,
            bytes: Bytes(self.tool_bytes),
        }
    }

    fn device(self) -> LifetimeCount {
        LifetimeCount {
            ios: self.device_ios,
            bytes: Bytes(self.device_bytes),
        }
    }
}

impl CountComparison {
    /// Adds another stretch of time; the bounds add up too.
    pub(crate) fn add(&mut self, other: &CountComparison) {
        self.elapsed_ns = self.elapsed_ns.saturating_add(other.elapsed_ns);
        self.read = self.read.plus(other.read);
        self.write = self.write.plus(other.write);
        self.bound_ios = self.bound_ios.saturating_add(other.bound_ios);
        self.bound_bytes = self.bound_bytes.saturating_add(other.bound_bytes);
        self.device_busy_ns = self.device_busy_ns.saturating_add(other.device_busy_ns);
    }

    /// The larger of both differences in bytes, device minus tool; and both together as a share of the tool's, where
    /// the tool counted any.
    fn apart(&self) -> (i64, Option<f64>) {
        let (read, write) = (self.read.difference_bytes, self.write.difference_bytes);
        let worst = if read.unsigned_abs() >= write.unsigned_abs() {
            read
        } else {
            write
        };
        let both = read.unsigned_abs() as f64 + write.unsigned_abs() as f64;
        let tool = self.read.tool_bytes as f64 + self.write.tool_bytes as f64;
        (worst, share(both, tool))
    }

    pub(crate) fn agreement(&self) -> Agreement {
        let (worst, apart) = self.apart();
        if worst.unsigned_abs() <= self.bound_bytes || apart.is_some_and(|share| share <= 0.01) {
            Agreement::Agrees
        } else if worst < 0 {
            Agreement::DeviceLess
        } else {
            Agreement::DeviceMore
        }
    }

    pub(crate) fn sentence(&self, device: &str) -> String {
        let (worst, apart) = self.apart();
        let why = match self.agreement() {
            Agreement::Agrees if worst == 0 => return "the same to the byte".to_owned(),
            Agreement::Agrees if worst.unsigned_abs() > self.bound_bytes => None,
            Agreement::Agrees => Some("no more than was in flight at the edges".to_owned()),
            Agreement::DeviceLess => Some(format!(
                "a cache above {device} answered or absorbed the rest"
            )),
            _ => Some(format!("{device} did other work too")),
        };
        let parts: Vec<String> = apart.map(difference).into_iter().chain(why).collect();
        parts.join(": ")
    }
}

/// A share of the tool's bytes in words: beyond all of them, how many times as much.
fn difference(share: f64) -> String {
    if share > 1.0 {
        format!("apart by {} times fathom's count", say::digits(share))
    } else {
        format!("{} apart", say::percent(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bytes: u64) -> LifetimeCount {
        LifetimeCount {
            ios: 1,
            bytes: Bytes(bytes),
        }
    }

    fn counts(tool: u64, device: u64, bound: u64) -> CountComparison {
        CountComparison {
            bound_bytes: bound,
            read: OperationComparison::new(one(tool), one(device)),
            ..CountComparison::default()
        }
    }

    #[test]
    fn what_stands_beside_nothing_has_no_percentage() {
        let all = counts(0, 172 << 20, 4096);
        assert_eq!(all.agreement(), Agreement::DeviceMore);
        assert_eq!(all.sentence("vda"), "vda did other work too");
        let edge = counts(0, 4096, 8192);
        assert_eq!(
            edge.sentence("vda"),
            "no more than was in flight at the edges"
        );
        assert_eq!(counts(0, 0, 0).sentence("vda"), "the same to the byte");
    }

    #[test]
    fn shares_beyond_all_are_reported_as_times() {
        let more = counts(1 << 20, 82 << 20, 0);
        assert_eq!(
            more.sentence("vda"),
            "apart by 81.0 times fathom's count: vda did other work too"
        );
        let less = counts(4 << 20, 1 << 20, 0);
        assert_eq!(
            less.sentence("vda"),
            "75% apart: a cache above vda answered or absorbed the rest"
        );
    }
}
