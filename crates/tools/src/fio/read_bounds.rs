//! What options do that end a job early, or lead it through zones of its range.

use super::job::{Job, Least};
use super::number::SIZE_FORM;
use super::read::{OptionRead, nanos, rates, size, text};

const MICROSECOND: u64 = 1000;
const MILLISECOND: u64 = 1_000_000;
pub(super) fn rate_min(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.least.rates = rates(job, value, SIZE_FORM)?;
    Ok(None)
}

pub(super) fn rate_iops_min(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.least.rates_iops = rates(job, value, "must be a whole number of IOPS")?;
    Ok(None)
}

pub(super) fn rate_cycle(job: &mut Job, value: Option<&str>) -> OptionRead {
    let cycle = nanos(value, MILLISECOND)?;
    if cycle < MILLISECOND {
        return Err("must be 1ms or more: a rate over less is one of a few I/Os".to_owned());
    }
    job.least.cycle_ns = cycle;
    Ok(None)
}

pub(super) fn max_latency(job: &mut Job, value: Option<&str>) -> OptionRead {
    let latency = |text: &str| {
        let ns = nanos(Some(text.trim()), MICROSECOND)?;
        Ok::<_, String>(Some(ns).filter(|ns| *ns > 0))
    };
    let mut parts = text(value)?.split(',');
    let reads = latency(parts.next().unwrap_or_default())?;
    let writes = parts.next().map_or(Ok(reads), latency)?;
    if let Some(trims) = parts.next() {
        latency(trims)?;
    }
    job.least.latencies_ns = (reads, writes);
    Ok(None)
}

/// What changes nothing, because what it belongs to is not there, and what differs from fio in a mix.
pub(super) fn notes(job: &Job) -> Vec<String> {
    let no_rates = job.least.rates == (None, None) && job.least.rates_iops == (None, None);
    let cycle = job.least.cycle_ns != Least::default().cycle_ns && no_rates;
    let (reads, writes) = job.least.latencies_ns;
    let zones = !job.zoned.strided && job.zoned.range + job.zoned.skip > 0;
    let notes = [
        (
            cycle,
            "rate_cycle: no effect without rate_min or rate_iops_min, as in fio",
        ),
        (
            job.is_mix() && !no_rates,
            "rate_min, rate_iops_min: reads and writes of a mix are compared with it together",
        ),
        (
            job.is_mix() && reads != writes,
            "max_latency: in a mix the longer of the two is the bound of all I/Os",
        ),
        (
            zones,
            "zonerange, zoneskip: no effect without zonemode=strided, as in fio",
        ),
    ];
    let notes = notes.into_iter().filter(|(is_so, _)| *is_so);
    notes.map(|(_, note)| note.to_owned()).collect()
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
