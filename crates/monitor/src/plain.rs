//! Moments as lines of columns: for logs, pipes, and terminals that are none.
//!
//! Every column is a plain number with its unit in the head, so that awk reads it; what is not known is a dash.

use crate::moment::{DeviceMoment, Moment};
use analysis::say;

/// Above the lines, in a log once.
pub fn plain_head() -> String {
    format!(
        "{:<19} {:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>6}",
        "time",
        "device",
        "reads/s",
        "writes/s",
        "rMiB/s",
        "wMiB/s",
        "read_ms",
        "write_ms",
        "p50_ms",
        "p99_ms",
        "queue",
        "util%"
    )
}

/// A line a device. `time` stands before each.
pub fn plain_lines(moment: &Moment, time: &str) -> Vec<String> {
    let each = moment.devices.iter();
    each.map(|device| line(device, time)).collect()
}

fn line(device: &DeviceMoment, time: &str) -> String {
    let DeviceMoment {
        name,
        figures,
        totals: _,
    } = device;
    let mib = |bytes: f64| format!("{:.2}", bytes / f64::from(1 << 20));
    let ms = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| format!("{:.3}", ns / 1e6));
    let latency = figures.latency;
    let p50 = latency.map(|latency| latency.p50.0 as f64);
    let p99 = latency.and_then(|latency| Some(latency.p99?.0 as f64));
    format!(
        "{time:<19} {name:<12} {:>9.1} {:>9.1} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7.2} {:>6.1}",
        figures.reads_per_s(),
        figures.writes_per_s(),
        mib(figures.read_bytes_per_s()),
        mib(figures.write_bytes_per_s()),
        ms(figures.read_ns()),
        ms(figures.write_ns()),
        ms(p50),
        ms(p99),
        figures.queue(),
        figures.utilisation() * 100.0,
    )
}

/// A time in three digits, or a dash.
pub(crate) fn time(ns: Option<f64>) -> String {
    ns.map_or("-".to_owned(), say::time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::sample::moment;
    use expect_test::expect;

    #[test]
    fn a_device_is_a_line_of_columns() {
        let text = [
            vec![plain_head()],
            plain_lines(&moment(3), "2026-01-02T03:04:05"),
        ]
        .concat();
        expect![[r#"
            time                device         reads/s  writes/s    rMiB/s    wMiB/s   read_ms  write_ms    p50_ms    p99_ms   queue  util%
            2026-01-02T03:04:05 sda             1000.0     200.0      4.00      2.00     0.500     2.000     0.450     2.000    0.90   70.0
            2026-01-02T03:04:05 sdb                0.0       0.0      0.00      0.00         -         -         -         -    0.00    0.0
        "#]]
        .assert_eq(&(text.join("\n") + "\n"));
    }
}
