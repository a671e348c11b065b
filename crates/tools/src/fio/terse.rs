//! fio's terse output (`--minimal`), versions 3 to 5: a line of fields between `;` for each job.
//!
//! Source: the manual of fio 3.42, "Terse output", and the lines of fio 3.33. The form has no way to omit a field: what fathom
//! does not count (submission latency, context switches, page faults, depths) is 0 there, as fio prints what it was asked not
//! to measure. Times are microseconds.

use super::Reporting;
use super::figures::{Disk, Job, Latency, Side};
use super::result::FioResults;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Percentiles that a line has room for.
const PERCENTILE_FIELDS: usize = 20;

/// One line per job. Errors are those of `out`.
pub fn fio_terse(results: &FioResults<'_>, version: u8, out: &mut dyn Write) -> io::Result<()> {
    for (part, jobs) in results.parts {
        for job in jobs {
            let mut line = format!(
                "{version};{};{};{};{}",
                super::FIO_VERSION,
                part.name.replace(';', "_"),
                part.group,
                job.error
            );
            let reporting = &part.reporting;
            for (place, side) in job.sides.iter().enumerate() {
                let share = results.share(part.group, side);
                add_side(&mut line, side, share, reporting, version);
                let trims = version >= 4 && place == 1;
                if trims {
                    add_side(&mut line, &Side::default(), 0.0, reporting, version);
                }
            }
            add_rest(&mut line, job, results.disks);
            if let Some(description) = &reporting.description {
                let _ = write!(line, ";{}", description.replace(';', "_"));
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn add_side(line: &mut String, side: &Side, share: f64, reporting: &Reporting, version: u8) {
    let bandwidth = side.bytes_per_s / 1024.0;
    let _ = write!(
        line,
        ";{};{};{};{};0;0;0.000000;0.000000",
        side.bytes / 1024,
        bandwidth as u64,
        side.ios_per_s as u64,
        side.measured_ns / 1_000_000
    );
    let times = |shown: bool| side.latency.as_ref().filter(|_| shown);
    add_latency(line, times(reporting.clat));
    let (clat, lat) = (reporting.clat_percentiles(), reporting.lat_percentiles());
    let percentiles = times(clat || lat);
    let mut percents = reporting.percentiles().filter(|_| clat || lat);
    for place in 0..PERCENTILE_FIELDS {
        let value = percentiles.and_then(|latency| latency.percentiles.get(place));
        let _ = match (value, percents.next()) {
            (Some((percent, ns)), _) => write!(line, ";{percent:.6}%={}", ns / 1000),
            (None, Some(percent)) => write!(line, ";{percent:.6}%=0"),
            (None, None) => write!(line, ";0%=0"),
        };
    }
    add_latency(line, times(reporting.lat));
    let steps = &side.bytes_steps;
    let kib = |bytes: f64| bytes / 1024.0;
    let _ = write!(
        line,
        ";{};{};{share:.6}%;{:.6};{:.6}",
        kib(steps.min) as u64,
        kib(steps.max) as u64,
        kib(steps.mean),
        kib(steps.sd)
    );
    if version >= 5 {
        let rates = &side.ios_steps;
        let _ = write!(
            line,
            ";{};{};{};{:.6};{:.6};{}",
            steps.count, rates.min as u64, rates.max as u64, rates.mean, rates.sd, rates.count
        );
    }
}

fn add_latency(line: &mut String, latency: Option<&Latency>) {
    let _ = match latency {
        Some(latency) => write!(
            line,
            ";{};{};{:.6};{:.6}",
            latency.min_ns / 1000,
            latency.max_ns / 1000,
            latency.mean_ns / 1000.0,
            latency.sd_ns.unwrap_or_default() / 1000.0
        ),
        None => write!(line, ";0;0;0.000000;0.000000"),
    };
}

fn add_rest(line: &mut String, job: &Job, disks: &[Disk]) {
    let (user, kernel) = job.cpu_percent.unwrap_or_default();
    let _ = write!(line, ";{user:.6}%;{kernel:.6}%;0;0;0");
    line.push_str(&";0.0%".repeat(7));
    let [nanos, micros, millis] = &job.classes;
    let below: f64 = nanos.iter().sum(); // in the first class of microseconds
    let micros = micros.iter().enumerate();
    let micros = micros.map(|(place, share)| if place == 0 { share + below } else { *share });
    for share in micros.chain(millis.iter().copied()) {
        let _ = write!(line, ";{share:.2}%");
    }
    for disk in disks {
        let _ = write!(line, ";{}", disk.name);
        for count in disk.counts() {
            let _ = write!(line, ";{count}");
        }
        let _ = write!(line, ";{:.2}%", disk.busy_percent);
    }
}
