//! Latencies and the machine's counters over time, as a page shows them.
//!
//! Rows of time are merged where there are more than a screen shows: counts are added. Counters are shares and rates of
//! each stretch. Deliberately absent: percentiles of a row, which has too few I/Os for most.

use super::{CounterLine, CounterTrack, Counters, HeatMap};
use crate::columns::Unit;
use model::{LatencyHeat, RunRecord, Sample};

/// Rows of a heat map that a screen can distinguish.
const ROWS_MAX: usize = 120;
/// Stretches of counters that a screen can distinguish.
const STRETCHES_MAX: usize = 240;

/// Of all targets and operations whose rows are as long as each other.
pub(super) fn heat(record: &RunRecord) -> Option<HeatMap> {
    let (first, others) = record.series.heat.split_first()?;
    let mut all: LatencyHeat = first.clone();
    if !others.iter().all(|other| all.merge(other)) {
        return None; // rows of different length: no picture is better than half a picture
    }
    let merged = all.rows.len().div_ceil(ROWS_MAX).max(1);
    let columns = || all.rows.iter().flat_map(|row| row.counts());
    let lowest = columns().map(|(column, _)| *column).min()?;
    let highest = columns().map(|(column, _)| *column).max()?;
    let mut bounds: Vec<u64> = (lowest..=highest)
        .map(|column| LatencyHeat::bounds(column).0.0)
        .collect();
    bounds.push(LatencyHeat::bounds(highest).1.0.saturating_add(1));
    let rows = all.rows.chunks(merged).map(|rows| {
        let mut counts = vec![0u64; usize::from(highest - lowest) + 1];
        for (column, count) in rows.iter().flat_map(|row| row.counts()) {
            counts[usize::from(column - lowest)] += count;
        }
        let held = (0u64..).zip(counts).filter(|(_, count)| *count > 0);
        held.flat_map(|(column, count)| [column, count]).collect()
    });
    Some(HeatMap {
        step_ns: all.step.0.saturating_mul(merged as u64),
        bounds_ns: bounds,
        rows: rows.collect(),
    })
}

/// Processors, then each device: rate, queue and busy share; then unwritten data in memory.
pub(super) fn counters(record: &RunRecord) -> Option<Counters> {
    let step = record.series.samples.len().div_ceil(STRETCHES_MAX).max(1);
    // Where there are too many, every so manieth is shown: each is a reading of its own.
    let samples: Vec<&Sample> = record.series.samples.iter().step_by(step).collect();
    if samples.is_empty() {
        return None;
    }
    let from = record.phases.measured_from;
    let mut tracks = vec![processors(&samples)];
    let named = samples.iter().flat_map(|sample| &sample.devices);
    let names = model::distinct(named.map(|device| device.name.as_str()));
    tracks.extend(devices(&samples, &names));
    tracks.push(memory(&samples));
    tracks.retain(|track| {
        let lines = track.lines.iter();
        lines.flat_map(|line| &line.values).any(Option::is_some)
    });
    Some(Counters {
        at_ns: samples
            .iter()
            .map(|sample| sample.at.minus(from).0)
            .collect(),
        length_ns: samples.iter().map(|sample| sample.length.0).collect(),
        tracks,
    })
}

fn line(name: &str, samples: &[&Sample], of: impl Fn(&Sample) -> Option<f64>) -> CounterLine {
    let values = samples
        .iter()
        .map(|sample| of(sample).filter(|value| value.is_finite()));
    CounterLine {
        name: name.to_owned(),
        values: values.collect(),
    }
}

fn processors(samples: &[&Sample]) -> CounterTrack {
    let share = |part: u64, sample: &Sample, cores: u32| {
        let whole = sample.length.0 as f64 * f64::from(cores);
        (whole > 0.0).then(|| (100.0 * part as f64 / whole).min(100.0))
    };
    let all = |sample: &Sample| {
        let cpu = sample.cpu?;
        share(cpu.user.plus(cpu.kernel).0, sample, cpu.cores)
    };
    let busiest = |sample: &Sample| share(sample.cpu?.busiest_time.0, sample, 1);
    let steal = |sample: &Sample| share(sample.cpu?.steal.0, sample, sample.cpu?.cores);
    CounterTrack {
        id: "cpu".to_owned(),
        label: "Processors".to_owned(),
        unit: Unit::Percent,
        lines: vec![
            line("all cores busy", samples, all),
            line("the busiest core", samples, busiest),
            line("taken by the hypervisor", samples, steal),
        ],
    }
}

fn devices(samples: &[&Sample], names: &[&str]) -> Vec<CounterTrack> {
    type Of = fn(&model::DeviceCounters, f64) -> f64;
    let kinds: [(&str, &str, Unit, Of); 3] = [
        (
            "device-rate",
            "Devices: I/Os",
            Unit::Rate,
            |device, seconds| (device.reads + device.writes) as f64 / seconds,
        ),
        (
            "device-flow",
            "Devices: bytes",
            Unit::SizePerSecond,
            |device, seconds| (device.read_bytes.0 + device.write_bytes.0) as f64 / seconds,
        ),
        (
            "device-queue",
            "Devices: I/Os in flight",
            Unit::Count,
            |device, _| device.in_flight as f64,
        ),
    ];
    let track = |(id, label, unit, of): &(&str, &str, Unit, Of)| CounterTrack {
        id: (*id).to_owned(),
        label: (*label).to_owned(),
        unit: *unit,
        lines: names
            .iter()
            .map(|name| {
                line(name, samples, |sample| {
                    let device = sample.devices.iter().find(|device| device.name == *name)?;
                    let seconds = sample.length.as_seconds();
                    (seconds > 0.0).then(|| of(device, seconds))
                })
            })
            .collect(),
    };
    kinds.iter().map(track).collect()
}

fn memory(samples: &[&Sample]) -> CounterTrack {
    CounterTrack {
        id: "memory".to_owned(),
        label: "Written, not yet on the device".to_owned(),
        unit: Unit::Size,
        lines: vec![
            line("waiting in memory", samples, |sample| {
                sample.dirty.map(|bytes| bytes.0 as f64)
            }),
            line("on its way", samples, |sample| {
                sample.writeback.map(|bytes| bytes.0 as f64)
            }),
        ],
    }
}
