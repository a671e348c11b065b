//! The last lines of dd, as GNU coreutils 9.1 writes them on standard error.
//!
//! Source: its manual, "dd invocation", and its output. Sizes are reported in powers of 1000 and of 1024, each only where it
//! is not the plain number over again; seconds have six digits, trailing zeros omitted, as C's `%g`.

use analysis::CopyDigest;

const SI: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
const IEC: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// `records` are the two lines of records; `transfer` the line of bytes and rate.
pub fn copy_lines(copy: &CopyDigest, records: bool, transfer: bool) -> Vec<String> {
    let mut reported = Vec::new();
    if records {
        reported.push(format!(
            "{}+{} records in",
            copy.records_in[0], copy.records_in[1]
        ));
        reported.push(format!(
            "{}+{} records out",
            copy.records_out[0], copy.records_out[1]
        ));
    }
    if transfer {
        reported.push(bytes_line(copy));
    }
    reported
}

fn bytes_line(copy: &CopyDigest) -> String {
    let bytes = copy.copied_bytes;
    let seconds = copy.elapsed_ns as f64 / 1e9;
    let plural = if bytes == 1 { "byte" } else { "bytes" };
    let si = human(bytes as f64, 1000.0, &SI);
    let iec = human(bytes as f64, 1024.0, &IEC);
    let size = match bytes {
        0..1000 => format!("{bytes} {plural}"),
        1000..1024 => format!("{bytes} {plural} ({si})"),
        _ => format!("{bytes} {plural} ({si}, {iec})"),
    };
    let rate = match copy.elapsed_ns {
        0 => "Infinity B".to_owned(),
        _ => rate(copy.bytes_per_s),
    };
    format!("{size} copied, {} s, {rate}/s", six_digits(seconds))
}

/// At least in kB, with one decimal below a hundred.
fn rate(per_s: f64) -> String {
    let (mut value, mut place) = (per_s / 1000.0, 1);
    while value >= 1000.0 && place + 1 < SI.len() {
        value /= 1000.0;
        place += 1;
    }
    match (value * 10.0).round() / 10.0 {
        small if small < 100.0 => format!("{small:.1} {}", SI[place]),
        _ => format!("{value:.0} {}", SI[place]),
    }
}

/// Two digits below ten, whole above, rounded to the nearest.
fn human(value: f64, base: f64, units: &[&str; 7]) -> String {
    let (mut value, mut place) = (value, 0);
    while value.round() >= base && place + 1 < units.len() {
        value /= base;
        place += 1;
    }
    // 9.96 is ten, and ten has no decimal.
    match (value * 10.0).round() / 10.0 {
        small if place > 0 && small < 10.0 => format!("{small:.1} {}", units[place]),
        _ => format!("{:.0} {}", value, units[place]),
    }
}

/// C's `%g`: six significant digits.
fn six_digits(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_owned();
    }
    let exponent = value.log10().floor() as i32;
    if exponent < -4 {
        let mantissa = value / 10f64.powi(exponent);
        return format!("{}e-{:02}", trimmed(&format!("{mantissa:.5}")), -exponent);
    }
    let decimals = usize::try_from(5 - exponent).unwrap_or(0);
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: u64, elapsed_ns: u64) -> String {
        let copy = CopyDigest {
            copied_bytes: bytes,
            elapsed_ns,
            bytes_per_s: bytes as f64 / (elapsed_ns as f64 / 1e9),
            ..CopyDigest::default()
        };
        bytes_line(&copy)
    }

    /// Lines that GNU coreutils 9.1 printed.
    #[test]
    fn the_line_is_that_of_dd() {
        for (bytes, ns, reported) in [
            (0, 20_951, "0 bytes copied, 2.0951e-05 s, 0.0 kB/s"),
            (1, 53_780, "1 byte copied, 5.378e-05 s, 18.6 kB/s"),
            (999, 32_919, "999 bytes copied, 3.2919e-05 s, 30.3 MB/s"),
            (
                1000,
                31_446,
                "1000 bytes (1.0 kB) copied, 3.1446e-05 s, 31.8 MB/s",
            ),
            (
                1024,
                21_292,
                "1024 bytes (1.0 kB, 1.0 KiB) copied, 2.1292e-05 s, 48.1 MB/s",
            ),
            (
                10_239,
                36_555,
                "10239 bytes (10 kB, 10 KiB) copied, 3.6555e-05 s, 280 MB/s",
            ),
            (
                99_999,
                98_136,
                "99999 bytes (100 kB, 98 KiB) copied, 9.8136e-05 s, 1.0 GB/s",
            ),
            (
                1_000_000,
                566_251,
                "1000000 bytes (1.0 MB, 977 KiB) copied, 0.000566251 s, 1.8 GB/s",
            ),
            (
                209_715_200,
                16_524_800,
                "209715200 bytes (210 MB, 200 MiB) copied, 0.0165248 s, 12.7 GB/s",
            ),
            (
                1_572_864_000,
                116_487_000,
                "1572864000 bytes (1.6 GB, 1.5 GiB) copied, 0.116487 s, 13.5 GB/s",
            ),
        ] {
            assert_eq!(line(bytes, ns), reported);
        }
    }
}
