//! What people know of a target beside its figures: `--cap-iops`, `--cap-mibs`, `--array-cache`, `--medium`.

use analysis::{CloudCap, Known};
use clap::Args;
use model::{Bytes, CommandError, UnitError};

/// What the findings may reckon with.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Target hints")]
pub(crate) struct KnownArgs {
    /// IOPS limit of the target; findings report the distance from it
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) cap_iops: Option<String>,
    /// Bandwidth limit of the target in MiB per second
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) cap_mibs: Option<String>,
    /// Size of the cache of the array or controller, as 2G
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) array_cache: Option<String>,
    /// Medium: hdd, hdd:N for an array of N rotating disks, sata-ssd or nvme
    #[arg(long, value_name = "MEDIUM")]
    pub(crate) medium: Option<String>,
}

const NUMBER: &str = "must be a number above 0, as 1920 or 22.5";

impl KnownArgs {
    /// As the findings want it, with the published caps; all that is wrong with the words is reported at once.
    pub(crate) fn read(&self) -> Result<Known, CommandError> {
        const MIB: f64 = 1_048_576.0;
        let mut wrong = Vec::new();
        let mut number = |text: &Option<String>, name: &str| -> Option<f64> {
            let text = text.as_ref()?;
            let value = text.parse::<f64>().ok();
            let value = value.filter(|value| value.is_finite() && *value > 0.0);
            if value.is_none() {
                wrong.push(model::invalid_value(text, name, NUMBER));
            }
            value
        };
        let cap_per_s = number(&self.cap_iops, "--cap-iops");
        let cap_mibs = number(&self.cap_mibs, "--cap-mibs");
        let array_cache = match self.array_cache.as_ref().map(|text| text.parse::<Bytes>()) {
            None => None,
            Some(Ok(size)) => Some(size.0),
            Some(Err(error)) => {
                wrong.push(UnitError::of(&error, "--array-cache"));
                None
            }
        };
        let medium = match self.medium.as_ref().map(|text| text.parse()) {
            None => None,
            Some(Ok(medium)) => Some(medium),
            Some(Err(error)) => {
                wrong.push(analysis::NotAMedium::to_string(&error));
                None
            }
        };
        if !wrong.is_empty() {
            return Err(CommandError::refused_for(wrong));
        }
        let caps = tools::published_caps().into_iter();
        Ok(Known {
            cap_per_s,
            cap_bytes_per_s: cap_mibs.map(|mib| mib * MIB),
            array_cache_bytes: array_cache,
            medium,
            caps: caps
                .map(|cap| CloudCap {
                    name: cap.name,
                    per_s: cap.per_s,
                    bytes_per_s: cap.bytes_per_s,
                })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_is_reported_at_once() {
        let args = KnownArgs {
            cap_iops: Some("many".to_owned()),
            cap_mibs: Some("-3".to_owned()),
            array_cache: Some("big".to_owned()),
            medium: Some("tape".to_owned()),
        };
        let reported = args.read().unwrap_err().to_string();
        for part in [
            "invalid value 'many' for --cap-iops",
            "invalid value '-3' for --cap-mibs",
            "invalid value 'tape' for --medium",
        ] {
            assert!(reported.contains(part), "{reported}");
        }
        let known = KnownArgs {
            cap_mibs: Some("22.5".to_owned()),
            medium: Some("hdd:2".to_owned()),
            ..KnownArgs::default()
        };
        let known = known.read().unwrap();
        assert_eq!(known.cap_bytes_per_s, Some(22.5 * 1_048_576.0));
        assert!(!known.caps.is_empty());
    }
}
