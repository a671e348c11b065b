//! What each option does to a job that chooses its results. Which option comes here stands in `table`.
//!
//! Omitted: all other options (`read`).

use super::job::Job;
use super::read::{OptionRead, flag, text};
use super::reporting::{LogValue, Sides, parts};

/// Most percentiles of a list, as in fio.
const PERCENTILES_MAX: usize = 20;
/// Digits behind the point that a percentile keeps: as many as the JSON prints, and fio, which rounds those behind.
const DECIMALS_MAX: usize = 6;

/// Coarsest classes of a log of histograms, as in fio.
const COARSENESS_MAX: u32 = 6;

/// As in fio, a 0 ends the list.
pub(super) fn percentile_list(job: &mut Job, value: Option<&str>) -> OptionRead {
    let mut percentiles = Vec::new();
    let mut decimals = 0;
    for item in text(value)?.split(':').map(str::trim) {
        let fraction = item.split_once('.').map_or(0, |(_, digits)| digits.len());
        let number = item
            .parse()
            .ok()
            .filter(|number| (0.0..=100.0).contains(number));
        match number {
            Some(0.0) => break,
            Some(number) => percentiles.push(parts(number)),
            None => {
                return Err("must be numbers from 0 to 100 with `:` between them".to_owned());
            }
        }
        decimals = decimals.max(fraction.min(DECIMALS_MAX));
    }
    if percentiles.len() > PERCENTILES_MAX {
        return Err(format!("must have at most {PERCENTILES_MAX} percentiles"));
    }
    percentiles.sort_unstable();
    (job.reporting.percentiles, job.reporting.decimals) = (percentiles, decimals);
    Ok(None)
}

pub(super) fn clat_percentiles(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.clat_percentiles = flag(value)?;
    Ok(None)
}

pub(super) fn lat_percentiles(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.lat_percentiles = flag(value)?;
    Ok(None)
}

pub(super) fn disable_clat(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.clat = !flag(value)?;
    Ok(None)
}

pub(super) fn disable_lat(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.lat = !flag(value)?;
    Ok(None)
}

/// As in fio, 0 takes nothing back.
pub(super) fn gtod_reduce(job: &mut Job, value: Option<&str>) -> OptionRead {
    if flag(value)? {
        (job.reporting.clat, job.reporting.lat) = (false, false);
    }
    Ok(None)
}

pub(super) fn description(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.description = Some(text(value)?.to_owned());
    Ok(None)
}

pub(super) fn disk_util(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.disks = flag(value)?;
    Ok(None)
}

pub(super) fn unified(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.reporting.sides = match value.map(str::trim) {
        Some("none" | "0") => Sides::Split,
        Some("mixed" | "1") => Sides::Mixed,
        Some("both" | "2") => Sides::Both,
        _ => return Err("must be none, mixed or both".to_owned()),
    };
    Ok(None)
}

/// Without a value the name of the job.
fn begin(value: Option<&str>) -> Option<String> {
    Some(value.unwrap_or_default().to_owned())
}

pub(super) fn write_bw_log(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.bandwidth = begin(value);
    Ok(None)
}

pub(super) fn write_iops_log(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.iops = begin(value);
    Ok(None)
}

pub(super) fn write_lat_log(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.latency = begin(value);
    Ok(None)
}

pub(super) fn write_hist_log(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.histogram = begin(value);
    Ok(None)
}

/// As in fio, the name is that of the file.
pub(super) fn write_iolog(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.ios = Some(text(value)?.to_owned());
    Ok(None)
}

pub(super) fn log_hist_coarseness(job: &mut Job, value: Option<&str>) -> OptionRead {
    let number = text(value)?.trim().parse().ok();
    let number = number.filter(|number| *number <= COARSENESS_MAX);
    job.logs.coarseness = number.ok_or("must be a whole number from 0 to 6")?;
    Ok(None)
}

pub(super) fn log_window_value(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.value = match value.map(str::trim) {
        Some("avg" | "0") => LogValue::Mean,
        None | Some("max" | "1") => LogValue::Max,
        Some("both") => LogValue::Both,
        Some(_) => return Err("must be avg, max or both".to_owned()),
    };
    Ok(None)
}

pub(super) fn log_offset(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.offset = flag(value)?;
    Ok(None)
}

pub(super) fn log_prio(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.priority = flag(value)?;
    Ok(None)
}

pub(super) fn log_unix_epoch(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.since_1970 = flag(value)?;
    Ok(None)
}

pub(super) fn per_job_logs(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.logs.together = !flag(value)?;
    Ok(None)
}
