//! What a collector such as Prometheus fetches: the kernel's totals, and the last moment's percentiles and queue.
//!
//! Source: OpenMetrics 1.0. Totals and not rates, because the collector divides over its own time. Deliberately absent:
//! processes, whose names would make series without end.

use crate::moment::{DeviceMoment, Moment};
use std::fmt::Write;

/// Of the answer.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A family of metrics: name, kind, unit, help, and the value of a device; `None` leaves the device out.
struct Family {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    help: &'static str,
    of: fn(&DeviceMoment) -> Option<f64>,
}

const FAMILIES: [Family; 11] = [
    counter(
        "fathom_device_reads",
        "",
        "Reads completed since boot.",
        |d| Some(d.totals.reads as f64),
    ),
    counter(
        "fathom_device_writes",
        "",
        "Writes completed since boot.",
        |d| Some(d.totals.writes as f64),
    ),
    counter(
        "fathom_device_read_bytes",
        "bytes",
        "Bytes read since boot.",
        |d| Some(d.totals.read_bytes.0 as f64),
    ),
    counter(
        "fathom_device_write_bytes",
        "bytes",
        "Bytes written since boot.",
        |d| Some(d.totals.write_bytes.0 as f64),
    ),
    counter(
        "fathom_device_read_time_seconds",
        "seconds",
        "Sum of how long reads took.",
        |d| Some(d.totals.read_time.as_seconds()),
    ),
    counter(
        "fathom_device_write_time_seconds",
        "seconds",
        "Sum of how long writes took.",
        |d| Some(d.totals.write_time.as_seconds()),
    ),
    counter(
        "fathom_device_busy_seconds",
        "seconds",
        "Time with at least one I/O in flight; no limit of a device that does several at once.",
        |d| Some(d.totals.busy.as_seconds()),
    ),
    gauge("fathom_device_in_flight", "", "I/Os in flight.", |d| {
        Some(d.totals.in_flight as f64)
    }),
    gauge(
        "fathom_device_latency_p50_seconds",
        "seconds",
        "Half of the last interval's I/Os took no longer.",
        |d| Some(d.figures.latency?.p50.as_seconds()),
    ),
    gauge(
        "fathom_device_latency_p99_seconds",
        "seconds",
        "99 of 100 of the last interval's I/Os took no longer.",
        |d| Some(d.figures.latency?.p99?.as_seconds()),
    ),
    gauge(
        "fathom_device_latency_max_seconds",
        "seconds",
        "The longest of the last interval's timed I/Os.",
        |d| Some(d.figures.latency?.max.as_seconds()),
    ),
];

const fn counter(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    of: fn(&DeviceMoment) -> Option<f64>,
) -> Family {
    Family {
        name,
        kind: "counter",
        unit,
        help,
        of,
    }
}

const fn gauge(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    of: fn(&DeviceMoment) -> Option<f64>,
) -> Family {
    Family {
        name,
        kind: "gauge",
        unit,
        help,
        of,
    }
}

impl Family {
    /// Returns the name of its time series.
    fn series(&self) -> String {
        let suffix = if self.kind == "counter" { "_total" } else { "" };
        format!("{}{suffix}", self.name)
    }
}

/// The whole answer.
pub fn metrics_text(moment: &Moment) -> String {
    let mut text = String::new();
    for family in &FAMILIES {
        let Family {
            name,
            kind,
            unit,
            help,
            of,
        } = family;
        let series = family.series();
        let _ = writeln!(text, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(text, "# HELP {name} {help}");
        for device in &moment.devices {
            if let Some(value) = of(device) {
                let label = escaped(&device.name);
                let _ = writeln!(text, "{series}{{device=\"{label}\"}} {value}");
            }
        }
    }
    text.push_str("# EOF\n");
    text
}

/// Source: OpenMetrics 1.0, ABNF, `escaped-string`.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', r"\\").replace('"', "\\\"");
    text.replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::sample::moment;
    use std::collections::BTreeSet;

    #[test]
    fn every_family_has_its_lines_and_the_text_its_end() {
        let text = metrics_text(&moment(3));
        assert!(
            text.contains("fathom_device_reads_total{device=\"sda\"} 1000\n"),
            "{text}"
        );
        assert!(
            text.contains("fathom_device_latency_p99_seconds{device=\"sda\"} 0.002\n"),
            "{text}"
        );
        assert!(!text.contains("p99_seconds{device=\"sdb\"}"), "{text}");
        assert!(text.ends_with("# EOF\n"));
        for family in &FAMILIES {
            let unit = family.unit;
            assert!(
                unit.is_empty() || family.name.ends_with(&format!("_{unit}")),
                "{}",
                family.name
            );
        }
    }
    /// Dashboard and alerts name no metric that is not exported, and the dashboard shows each that is.
    #[test]
    fn the_dashboard_and_the_alerts_name_the_exported_metrics() {
        let packaging = |name: &str| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging");
            std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
        };
        let exported: BTreeSet<String> = FAMILIES.iter().map(Family::series).collect();
        let dashboard = metrics_in(&packaging("grafana/fathom.json"));
        assert_eq!(dashboard, exported);
        for rules in ["fathom.rules.yml", "fathom.rules.test.yml"] {
            let named = metrics_in(&packaging(&format!("prometheus/{rules}")));
            let unknown: Vec<_> = named.difference(&exported).collect();
            assert!(
                !named.is_empty() && unknown.is_empty(),
                "{rules}: {unknown:?}"
            );
        }
    }

    fn metrics_in(text: &str) -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let metrics = words.filter(|word| word.starts_with("fathom_device"));
        metrics.map(str::to_owned).collect()
    }
}
