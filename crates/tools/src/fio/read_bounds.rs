//! What options do that end a job early, or lead it through zones of its range.

use super::job::Job;
use super::number::SIZE_FORM;
use super::read::{OptionRead, nanos, rates, size, text};

const MICROSECOND: u64 = 1000;
const MILLISECOND: u64 = 1_000_000;
const TOGETHER: &str = "reads and writes of a mix are compared with it together";

/// A note for a mix, in which fio compares each direction.
fn together(job: &Job) -> OptionRead {
    Ok(job.is_mix().then(|| TOGETHER.to_owned()))
}

pub(super) fn rate_min(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.least.rates = rates(job, value, SIZE_FORM)?;
    together(job)
}

pub(super) fn rate_iops_min(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.least.rates_iops = rates(job, value, "must be a whole number of IOPS")?;
    together(job)
}

pub(super) fn rate_cycle(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.least.cycle_ns = nanos(value, MILLISECOND)?.max(MILLISECOND);
    Ok(None)
}

pub(super) fn max_latency(job: &mut Job, value: Option<&str>) -> OptionRead {
    let first = text(value)?.split(',').next();
    job.least.latency_ns = nanos(first, MICROSECOND)?;
    Ok(None)
}

pub(super) fn zonemode(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.zoned.strided = match text(value)? {
        "none" => false,
        "strided" => true,
        _ => return Err("must be none or strided: zoned devices are not written here".to_owned()),
    };
    Ok(None)
}

pub(super) fn zonesize(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.zoned.size = size(job, value)?;
    Ok(None)
}

pub(super) fn zonerange(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.zoned.range = size(job, value)?;
    Ok(None)
}

pub(super) fn zoneskip(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.zoned.skip = size(job, value)?;
    Ok(None)
}
