//! Latencies and counters over time in few bytes: one blob a run, in the way of `blob`.
//!
//! Form, fixed for good: the letter `S`, the version, numbers, a CRC-32. First the latencies: how many targets and
//! operations; for each the target, 0 for reads or 1 for writes, the length of a row in nanoseconds, the rows; for each
//! row the number of columns with counts, and for each of these the distance from the column before (the first: from
//! -1) and its count. Then the counters: how many device names, each as its length and bytes; how many samples; for
//! each its end and its length, the cores (one more than their number and six figures, or a single 0), how many
//! devices, and for each of these the number of its name and twelve figures; then dirty and write-back bytes plus one,
//! or 0 where they are not known.
//!
//! Two minutes with a row a second take some 5 to 15 KiB for each operation, for any number of threads, and a sample
//! of one device some 40 bytes.

use crate::blob::{Damage, Reader, put, seal};
use model::{
    Bytes, CpuSample, DeviceCounters, HeatRow, LatencyHeat, Nanos, Operation, Sample, Series,
};

const SERIES: u8 = 1;
/// The fewest bytes that a table of latencies takes.
const HEAT_LEAST: usize = 4;
/// The fewest that a sample takes.
const SAMPLE_LEAST: usize = 6;
/// The fewest that a device in a sample takes.
const DEVICE_LEAST: usize = 13;

/// `None` where there is nothing to keep.
pub(crate) fn encode_series(series: &Series) -> Option<Vec<u8>> {
    let Series { heat, samples } = series;
    if heat.is_empty() && samples.is_empty() {
        return None;
    }
    let mut out = vec![b'S', SERIES];
    put(&mut out, heat.len() as u128);
    heat.iter().for_each(|heat| encode_heat(&mut out, heat));
    let devices = samples.iter().flat_map(|sample| &sample.devices);
    let names = model::distinct(devices.map(|device| device.name.as_str()));
    put(&mut out, names.len() as u128);
    for name in &names {
        put(&mut out, name.len() as u128);
        out.extend_from_slice(name.as_bytes());
    }
    put(&mut out, samples.len() as u128);
    for sample in samples {
        encode_sample(&mut out, sample, &names);
    }
    Some(seal(out))
}

fn encode_heat(out: &mut Vec<u8>, heat: &LatencyHeat) {
    let LatencyHeat {
        target,
        operation,
        step,
        rows,
    } = heat;
    put(out, u128::from(*target));
    put(out, operation.index() as u128);
    put(out, u128::from(step.0));
    put(out, rows.len() as u128);
    for row in rows {
        put(out, row.counts().len() as u128);
        let mut next = 0;
        for &(column, count) in row.counts() {
            put(out, u128::from(column + 1 - next));
            put(out, u128::from(count));
            next = column + 1;
        }
    }
}

fn encode_sample(out: &mut Vec<u8>, sample: &Sample, names: &[&str]) {
    let Sample {
        at,
        length,
        cpu,
        devices,
        dirty,
        writeback,
    } = sample;
    put(out, u128::from(at.0));
    put(out, u128::from(length.0));
    put(out, cpu.map_or(0, |cpu| u128::from(cpu.cores) + 1));
    if let Some(cpu) = cpu {
        let times = [cpu.user, cpu.kernel, cpu.idle, cpu.steal, cpu.busiest_time];
        times.iter().for_each(|time| put(out, u128::from(time.0)));
        put(out, u128::from(cpu.busiest));
    }
    put(out, devices.len() as u128);
    for device in devices {
        let place = names.iter().position(|name| *name == device.name);
        put(out, place.expect("all names were gathered") as u128);
        let figures = figures_of(device);
        figures
            .iter()
            .for_each(|figure| put(out, u128::from(*figure)));
    }
    for level in [dirty, writeback] {
        put(out, level.map_or(0, |bytes| u128::from(bytes.0) + 1));
    }
}

fn figures_of(device: &DeviceCounters) -> [u64; 12] {
    let DeviceCounters {
        name: _,
        reads,
        reads_merged,
        read_bytes,
        read_time,
        writes,
        writes_merged,
        write_bytes,
        write_time,
        in_flight,
        busy,
        discards,
        flushes,
    } = device;
    [
        *reads,
        *reads_merged,
        read_bytes.0,
        read_time.0,
        *writes,
        *writes_merged,
        write_bytes.0,
        write_time.0,
        *in_flight,
        busy.0,
        *discards,
        *flushes,
    ]
}

pub(crate) fn decode_series(blob: &[u8]) -> Result<Series, Damage> {
    let (_, mut reader) = Reader::open(blob, b'S', &[SERIES])?;
    let tables = reader.length(HEAT_LEAST)?;
    let heat = (0..tables).map(|_| decode_heat(&mut reader));
    let heat = heat.collect::<Result<_, _>>()?;
    let names = reader.length(1)?;
    let names = (0..names).map(|_| {
        let length = reader.length(1)?;
        let bytes = reader.bytes(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| "a name that is no text")
    });
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    let count = reader.length(SAMPLE_LEAST)?;
    let samples = (0..count).map(|_| decode_sample(&mut reader, &names));
    let samples = samples.collect::<Result<_, _>>()?;
    reader.close()?;
    Ok(Series { heat, samples })
}

fn decode_heat(reader: &mut Reader<'_>) -> Result<LatencyHeat, Damage> {
    let target = small(reader)?;
    let operation = Operation::ALL.get(reader.number()? as usize);
    let operation = *operation.ok_or("an operation that is not known")?;
    let step = Nanos(reader.number()?);
    let rows = reader.length(1)?;
    let rows = (0..rows).map(|_| {
        let held = reader.length(2)?;
        let (mut counts, mut next) = (Vec::with_capacity(held), 0u16);
        for _ in 0..held {
            let distance = u16::try_from(reader.number()?).map_err(|_| BEYOND)?;
            next = next.checked_add(distance).ok_or(BEYOND)?;
            counts.push((next.checked_sub(1).ok_or(TWICE)?, reader.number()?));
        }
        HeatRow::new(counts).ok_or(TWICE)
    });
    let rows = rows.collect::<Result<_, _>>()?;
    Ok(LatencyHeat {
        target,
        operation,
        step,
        rows,
    })
}

const BEYOND: Damage = "a column beyond the last";
const TWICE: Damage = "a column twice, empty or beyond the last";

fn decode_sample(reader: &mut Reader<'_>, names: &[String]) -> Result<Sample, Damage> {
    let (at, length) = (Nanos(reader.number()?), Nanos(reader.number()?));
    let cpu = match reader.number()?.checked_sub(1) {
        None => None,
        Some(cores) => {
            let mut time = || reader.number().map(Nanos);
            let [user, kernel, idle, steal, busiest_time] =
                [time()?, time()?, time()?, time()?, time()?];
            Some(CpuSample {
                cores: u32::try_from(cores).map_err(|_| "a number too large")?,
                user,
                kernel,
                idle,
                steal,
                busiest: small(reader)?,
                busiest_time,
            })
        }
    };
    let devices = reader.length(DEVICE_LEAST)?;
    let devices = (0..devices).map(|_| decode_device(reader, names));
    let devices = devices.collect::<Result<_, _>>()?;
    let mut level = || match reader.wide()?.checked_sub(1) {
        None => Ok(None),
        Some(bytes) => u64::try_from(bytes)
            .map(|bytes| Some(Bytes(bytes)))
            .map_err(|_| "a number too large"),
    };
    let (dirty, writeback) = (level()?, level()?);
    Ok(Sample {
        at,
        length,
        cpu,
        devices,
        dirty,
        writeback,
    })
}

fn decode_device(reader: &mut Reader<'_>, names: &[String]) -> Result<DeviceCounters, Damage> {
    let name = names.get(reader.number()? as usize);
    let mut figures = [0; 12];
    for figure in &mut figures {
        *figure = reader.number()?;
    }
    let [
        reads,
        reads_merged,
        read_bytes,
        read_time,
        writes,
        writes_merged,
        rest @ ..,
    ] = figures;
    let [write_bytes, write_time, in_flight, busy, discards, flushes] = rest;
    Ok(DeviceCounters {
        name: name.ok_or("a device without a name")?.clone(),
        reads,
        reads_merged,
        read_bytes: Bytes(read_bytes),
        read_time: Nanos(read_time),
        writes,
        writes_merged,
        write_bytes: Bytes(write_bytes),
        write_time: Nanos(write_time),
        in_flight,
        busy: Nanos(busy),
        discards,
        flushes,
    })
}

fn small(reader: &mut Reader<'_>) -> Result<u32, Damage> {
    u32::try_from(reader.number()?).map_err(|_| "a number too large")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heat((target, step): (u32, u64), rows: &[Vec<u64>]) -> LatencyHeat {
        LatencyHeat {
            target,
            operation: Operation::ALL[target as usize % 2],
            step: Nanos(step),
            rows: rows.iter().map(|row| HeatRow::of_dense(row)).collect(),
        }
    }

    fn sample([at, length, a, b]: [u64; 4], name: &str) -> Sample {
        Sample {
            at: Nanos(at),
            length: Nanos(length),
            cpu: (a % 3 > 0).then_some(CpuSample {
                cores: 4,
                user: Nanos(a),
                idle: Nanos(b),
                busiest: 3,
                ..CpuSample::default()
            }),
            devices: vec![
                DeviceCounters {
                    name: name.to_owned(),
                    reads: a,
                    write_bytes: Bytes(b),
                    flushes: 7,
                    ..DeviceCounters::default()
                };
                (b % 3) as usize
            ],
            dirty: (b % 2 > 0).then_some(Bytes(b)),
            writeback: None,
        }
    }

    #[test]
    fn a_series_keeps_its_bytes_for_good() {
        let series = Series {
            heat: vec![heat((1, 300), &[vec![0, 5, 0, 200], vec![]])],
            samples: vec![Sample {
                writeback: Some(Bytes(0)),
                ..sample([9, 7, 1, 4], "sda")
            }],
        };
        let golden = [
            b'S', 1, 1, 1, 1, 172, 2, 2, 2, 2, 5, 2, 200, 1, 0, 1, 3, b's', b'd', b'a', 1, 9, 7, 5,
            1, 0, 4, 0, 0, 3, 1, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 7, 0, 1,
        ];
        let blob = encode_series(&series).unwrap();
        assert_eq!(blob, seal(golden.to_vec()), "{blob:?}");
        assert_eq!(decode_series(&blob), Ok(series));
        assert_eq!(encode_series(&Series::default()), None);
    }

    #[test]
    fn damage_behind_the_checksum_is_reported() {
        for (body, damage) in [
            (&[b'S', 2, 0][..], "its version is not known"),
            (&[b'S', 1, 1, 0, 2, 1, 0], "an operation that is not known"),
            (&[b'S', 1, 1, 0, 0, 1, 1, 1, 0, 1], TWICE),
            (&[b'S', 1, 1, 0, 0, 1, 1, 1, 255, 2, 1], TWICE),
            (&[b'S', 1, 0, 1, 1, 255, 0], "a name that is no text"),
            (&[b'S', 1, 0, 0, 1, 0, 0, 0, 9, 0, 0], "cut short"),
            (&[b'S', 1, 0, 0, 0, 0], "bytes left over"),
        ] {
            assert_eq!(decode_series(&seal(body.to_vec())), Err(damage), "{body:?}");
        }
    }

    /// Two minutes of a device whose latencies take up three powers of two.
    #[test]
    fn two_minutes_take_some_kilobytes() {
        let mut row = vec![0; LatencyHeat::COLUMNS];
        row[90..114].fill(3_000);
        let series = Series {
            heat: vec![heat((0, 1_000_000_000), &vec![row; 120])],
            samples: vec![sample([u64::MAX >> 20, 1_000_000_000, 4_000, 2], "nvme0n1"); 120],
        };
        let bytes = encode_series(&series).unwrap().len();
        assert!((12_000..20_000).contains(&bytes), "{bytes}");
    }

    proptest! {
        #[test]
        fn series_read_back_the_same(
            tables in prop::collection::vec((any::<(u32, u64)>(), prop::collection::vec(
                prop::collection::vec(0u64..300, 0..281), 0..6)), 0..3),
            samples in prop::collection::vec(any::<[u64; 4]>(), 0..6),
        ) {
            let series = Series {
                heat: tables.iter().map(|(head, rows)| heat(*head, rows)).collect(),
                samples: samples.iter().map(|s| sample(*s, ["sda", "dm-0"][s[0] as usize % 2])).collect(),
            };
            let read = encode_series(&series).map(|blob| decode_series(&blob));
            prop_assert_eq!(read.unwrap_or(Ok(Series::default())), Ok(series));
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let body = [&b"S\x01"[..], &bytes].concat();
            for blob in [bytes, seal(body)] {
                let _ = decode_series(&blob);
            }
        }
    }
}
