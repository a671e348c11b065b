//! What the screen shows, and nothing about how.

use crate::history::History;
use crate::moment::{DeviceMoment, Moment};
use crate::style::Palette;
use model::Nanos;
use std::collections::HashMap;

/// What the graph shows of the chosen device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Figure {
    /// Reads and writes a second.
    #[default]
    Ios,
    /// MiB a second, both ways.
    Mib,
    /// Mean latency, in milliseconds.
    Mean,
    /// 99th percentile, in milliseconds.
    P99,
    /// I/Os in flight on average.
    Queue,
    /// Percent of the time with an I/O in flight.
    Busy,
}

impl Figure {
    /// All of them, in the order of the keys.
    pub const ALL: [Figure; 6] = [
        Figure::Ios,
        Figure::Mib,
        Figure::Mean,
        Figure::P99,
        Figure::Queue,
        Figure::Busy,
    ];

    /// With its unit.
    pub const fn name(self) -> &'static str {
        match self {
            Figure::Ios => "IOPS",
            Figure::Mib => "MiB/s",
            Figure::Mean => "mean latency, ms",
            Figure::P99 => "p99 latency, ms",
            Figure::Queue => "queue",
            Figure::Busy => "utilisation, %",
        }
    }

    /// `None` where a moment has no such value: nothing happened, or single I/Os are not timed.
    pub(crate) fn of(self, device: &DeviceMoment) -> Option<f64> {
        let figures = &device.figures;
        match self {
            Figure::Ios => Some(figures.ios_per_s()),
            Figure::Mib => {
                let bytes = figures.read_bytes_per_s() + figures.write_bytes_per_s();
                Some(bytes / f64::from(1 << 20))
            }
            Figure::Mean => figures.mean_ns().map(|ns| ns / 1e6),
            Figure::P99 => figures
                .latency
                .and_then(|latency| Some(latency.p99?.0 as f64 / 1e6)),
            Figure::Queue => Some(figures.queue()),
            Figure::Busy => Some(figures.utilisation() * 100.0),
        }
    }
}

/// Everything on the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Name of the machine.
    pub host: String,
    /// How often it is refreshed.
    pub interval: Nanos,
    /// Why there are no percentiles; `None` where there are.
    pub untraced: Option<String>,
    /// What else is going on: that it is recorded, where it is served.
    pub also: Vec<String>,
    /// Whether colours may be used.
    pub palette: Palette,
    /// The newest moment; `None` before the first one.
    pub(crate) moment: Option<Moment>,
    /// Place of the chosen device in it.
    pub(crate) chosen: usize,
    /// The person chose it.
    pub(crate) is_chosen: bool,
    pub(crate) figure: Figure,
    pub(crate) histories: HashMap<(String, Figure), History>,
}

impl Watch {
    /// Before the first moment.
    pub fn new(host: String, interval: Nanos) -> Self {
        Watch {
            host,
            interval,
            ..Watch::default()
        }
    }

    /// The chosen device.
    pub(crate) fn device(&self) -> Option<&DeviceMoment> {
        self.moment.as_ref()?.devices.get(self.chosen)
    }

    /// What the graph shows.
    pub(crate) fn history(&self) -> Option<&History> {
        let device = self.device()?;
        self.histories.get(&(device.name.clone(), self.figure))
    }
}
