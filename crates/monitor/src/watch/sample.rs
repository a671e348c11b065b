//! Two devices of a busy machine, for tests.

use crate::moment::{DeviceMoment, Machine, Moment, ProcessMoment};
use model::{Bytes, DeviceCounters, Nanos, WatchLatency, WatchMoment};

/// The moment that ends after so many seconds.
pub(crate) fn moment(second: u64) -> Moment {
    let figures = WatchMoment {
        at: Nanos::seconds(second),
        length: Nanos::seconds(1),
        reads: 1000,
        read_bytes: Bytes::mib(4),
        read_time: Nanos::millis(500),
        writes: 200,
        write_bytes: Bytes::mib(2),
        write_time: Nanos::millis(400),
        busy: Nanos::millis(700),
        in_flight: 1,
        latency: Some(WatchLatency {
            timed: 1200,
            p50: Nanos::micros(450),
            p99: Some(Nanos::millis(2)),
            max: Nanos::millis(3),
        }),
    };
    let totals = DeviceCounters {
        reads: 1000,
        ..DeviceCounters::default()
    };
    let idle = WatchMoment {
        at: figures.at,
        length: figures.length,
        ..WatchMoment::default()
    };
    let device = |name: &str, figures, totals| DeviceMoment {
        name: name.to_owned(),
        figures,
        totals,
    };
    Moment {
        at: figures.at,
        length: figures.length,
        devices: vec![
            device("sda", figures, totals),
            device("sdb", idle, DeviceCounters::default()),
        ],
        machine: Machine {
            runnable: Some(2),
            blocked: Some(1),
            in_per_s: Some(4_194_304.0),
            out_per_s: None,
            user: 0.25,
            kernel: 0.125,
            idle: 0.625,
            steal: 0.0,
        },
        processes: vec![ProcessMoment {
            process: 42,
            name: "cp\u{1b}".to_owned(),
            read_per_s: 4_194_304.0,
            write_per_s: 0.0,
        }],
        refused: 0,
        one_in: Some(1),
    }
}
