//! A moment as one line of JSON. Units stand in the names; what is not known is null.

use crate::moment::{DeviceMoment, Machine, Moment, ProcessMoment};
use model::Nanos;
use serde::Serialize;

#[derive(Serialize)]
struct Line<'a> {
    /// End of the moment, since 1970 in UTC.
    time_utc_ns: u64,
    length_ns: u64,
    devices: Vec<Device<'a>>,
    machine: MachineLine,
    processes: Vec<Process<'a>>,
    processes_refused: usize,
    /// One I/O in so many was timed by itself; null where there are averages only.
    timed_one_in: Option<u64>,
}

#[derive(Serialize)]
struct Device<'a> {
    name: &'a str,
    read_iops: f64,
    write_iops: f64,
    read_bytes_per_s: f64,
    write_bytes_per_s: f64,
    read_latency_mean_ns: Option<f64>,
    write_latency_mean_ns: Option<f64>,
    #[serde(flatten)]
    timed: Timed,
    in_flight_mean: f64,
    in_flight: u64,
    /// Share of the time with an I/O in flight, 0 to 1: no limit of a device that does several at once.
    busy_share: f64,
    #[serde(rename = "LogicalDisk")]
    logical_disk: LogicalDisk,
}

/// Latencies of the I/Os that were timed by themselves.
#[derive(Default, Serialize)]
struct Timed {
    timed: u64,
    latency_p50_ns: Option<u64>,
    latency_p99_ns: Option<u64>,
    latency_max_ns: Option<u64>,
}

/// The four counters of Windows' Performance Monitor by their own names, in its units.
#[derive(Serialize)]
struct LogicalDisk {
    #[serde(rename = "Avg. Disk sec/Read")]
    read_s: f64,
    #[serde(rename = "Avg. Disk sec/Write")]
    write_s: f64,
    #[serde(rename = "Disk Reads/sec")]
    read_iops: f64,
    #[serde(rename = "Disk Writes/sec")]
    write_iops: f64,
}

#[derive(Serialize)]
struct MachineLine {
    r: Option<u64>,
    b: Option<u64>,
    bi_bytes_per_s: Option<f64>,
    bo_bytes_per_s: Option<f64>,
    user: f64,
    kernel: f64,
    idle: f64,
    steal: f64,
}

#[derive(Serialize)]
struct Process<'a> {
    process: u32,
    name: &'a str,
    read_bytes_per_s: f64,
    write_bytes_per_s: f64,
}

/// Without a line end.
///
/// # Errors
/// None with figures that the kernel gives; that of the JSON writer is handed on all the same.
pub fn json_line(moment: &Moment, time_utc: Nanos) -> serde_json::Result<String> {
    serde_json::to_string(&Line {
        time_utc_ns: time_utc.0,
        length_ns: moment.length.0,
        devices: moment.devices.iter().map(device).collect(),
        machine: machine(&moment.machine),
        processes: moment.processes.iter().map(process).collect(),
        processes_refused: moment.refused,
        timed_one_in: moment.one_in,
    })
}

fn device(device: &DeviceMoment) -> Device<'_> {
    let figures = &device.figures;
    Device {
        name: &device.name,
        read_iops: figures.reads_per_s(),
        write_iops: figures.writes_per_s(),
        read_bytes_per_s: figures.read_bytes_per_s(),
        write_bytes_per_s: figures.write_bytes_per_s(),
        read_latency_mean_ns: figures.read_ns(),
        write_latency_mean_ns: figures.write_ns(),
        timed: figures
            .latency
            .map_or_else(Timed::default, |latency| Timed {
                timed: latency.timed,
                latency_p50_ns: Some(latency.p50.0),
                latency_p99_ns: latency.p99.map(|p99| p99.0),
                latency_max_ns: Some(latency.max.0),
            }),
        in_flight_mean: figures.queue(),
        in_flight: figures.in_flight,
        busy_share: figures.utilisation(),
        logical_disk: LogicalDisk {
            read_s: figures.read_ns().unwrap_or(0.0) / 1e9,
            write_s: figures.write_ns().unwrap_or(0.0) / 1e9,
            read_iops: figures.reads_per_s(),
            write_iops: figures.writes_per_s(),
        },
    }
}

fn machine(machine: &Machine) -> MachineLine {
    let Machine {
        runnable,
        blocked,
        in_per_s,
        out_per_s,
        user,
        kernel,
        idle,
        steal,
    } = *machine;
    MachineLine {
        r: runnable,
        b: blocked,
        bi_bytes_per_s: in_per_s,
        bo_bytes_per_s: out_per_s,
        user,
        kernel,
        idle,
        steal,
    }
}

fn process(process: &ProcessMoment) -> Process<'_> {
    Process {
        process: process.process,
        name: &process.name,
        read_bytes_per_s: process.read_per_s,
        write_bytes_per_s: process.write_per_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::sample::moment;

    #[test]
    fn perfmon_s_counters_are_seconds_under_their_own_names() {
        let line = json_line(&moment(3), Nanos(5)).unwrap();
        assert!(!line.contains('\n'));
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        let disk = &line["devices"][0]["LogicalDisk"];
        assert_eq!(disk["Avg. Disk sec/Read"], 0.0005);
        assert_eq!(disk["Disk Reads/sec"], 1000.0);
        assert_eq!(line["devices"][0]["latency_p99_ns"], 2_000_000);
        assert_eq!(
            line["devices"][1]["latency_p99_ns"],
            serde_json::Value::Null
        );
        assert_eq!(line["machine"]["r"], 2);
    }
}
