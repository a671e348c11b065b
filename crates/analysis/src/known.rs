//! Facts of a target other than its figures: the user's hints, and the limits of clouds.
//!
//! Deliberately absent: how a table of caps is written (`dialects`), and what follows from any of it (`findings`).

use model::Operation;
use std::str::FromStr;
use std::sync::Arc;

/// The user's hints, and the known caps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// IOPS that the target may do at most, as specified by the user. // finite, above 0
    pub cap_per_s: Option<f64>,
    /// Bytes a second that it may move at most, as specified by the user. // finite, above 0
    pub cap_bytes_per_s: Option<f64>,
    /// Size of the cache of its array, in bytes, as specified by the user. // above 0
    pub array_cache_bytes: Option<u64>,
    /// Its medium, as specified by the user.
    pub medium: Option<Medium>,
    /// Goals of the results, as specified by the user: `p99 < 5ms`.
    pub goals: Vec<String>,
    /// Published caps of cloud disks and machines.
    pub caps: Arc<[CloudCap]>,
}

/// A limit that a provider publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudCap {
    /// What has it: `Azure VM size Standard_B2ms`.
    pub name: String,
    /// IOPS, where it limits them. // finite, above 0
    pub per_s: Option<f64>,
    /// Bytes a second, where it limits them. // finite, above 0
    pub bytes_per_s: Option<f64>,
    /// The operation that it limits; none where it limits both together, or the provider does not specify one.
    pub direction: Option<Operation>,
    /// It lasts only as long as credits do.
    pub burst: bool,
    /// It is of a network file system, and so never of a block device.
    pub network: bool,
}

impl CloudCap {
    /// Whether it limits I/Os of which this share writes.
    pub(crate) fn limits(&self, write_share: Option<f64>) -> bool {
        match self.direction {
            None => true,
            Some(Operation::Read) => write_share == Some(0.0),
            Some(Operation::Write) => write_share == Some(1.0),
        }
    }
}

/// Medium of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Rotating disks, so many as one.
    Hdd {
        /// From 1.
        disks: u32,
    },
    /// A solid-state disk behind SATA.
    SataSsd,
    /// A solid-state disk on NVMe.
    Nvme,
}

/// Not a medium's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAMedium(String);

impl std::fmt::Display for NotAMedium {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "invalid value '{}' for --medium: must be hdd, hdd:N for N rotating disks as one, sata-ssd or nvme",
            self.0
        )
    }
}

impl std::error::Error for NotAMedium {}

impl FromStr for Medium {
    type Err = NotAMedium;

    fn from_str(text: &str) -> Result<Medium, NotAMedium> {
        const DISKS_MAX: u32 = 10_000;
        match text {
            "hdd" => Ok(Medium::Hdd { disks: 1 }),
            "sata-ssd" => Ok(Medium::SataSsd),
            "nvme" => Ok(Medium::Nvme),
            _ => text
                .strip_prefix("hdd:")
                .and_then(|count| count.parse().ok())
                .filter(|disks| (1..=DISKS_MAX).contains(disks))
                .map(|disks| Medium::Hdd { disks })
                .ok_or_else(|| NotAMedium(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_read_by_name_and_others_are_refused() {
        assert_eq!("hdd".parse(), Ok(Medium::Hdd { disks: 1 }));
        assert_eq!("hdd:12".parse(), Ok(Medium::Hdd { disks: 12 }));
        assert_eq!("nvme".parse(), Ok(Medium::Nvme));
        for text in ["hdd:0", "hdd:", "hdd:x", "ssd", "", "HDD"] {
            let refused = text.parse::<Medium>().unwrap_err().to_string();
            assert!(refused.contains("must be hdd, hdd:N"), "{refused}");
        }
    }
}
