//! Arrival rates that keep a latency, on simulated devices of which Erlang knows the answer.
//!
//! One channel with exponential service times is M/M/1: the response time is exponential with mean 1/(μ − λ), so 99% of
//! the I/Os are answered within t at λ = μ − ln 100 / t. Two channels are M/M/2, whose law is solved here by bisection.
//! Source: Kleinrock, Queueing Systems, volume 1, sections 3.2 and 3.5.

use super::surveyed;
use crate::error::BenchError;
use crate::place::Shop;

/// Channels, service time in seconds, latency to be kept in seconds.
const CASES: [(u32, f64, f64); 4] = [
    (1, 100e-6, 1e-3),
    (1, 100e-6, 5e-3),
    (1, 1e-3, 20e-3),
    (2, 200e-6, 2e-3),
];
const APART_MAX: f64 = 0.03;

pub(crate) fn run(shop: &Shop) -> Result<Vec<String>, BenchError> {
    let mut rows = Vec::new();
    let mut met = 0;
    for (channels, service_s, wanted_s) in CASES {
        let target = format!(
            "sim:ssd,channels={channels},law=exponential,service={}us,bandwidth=0,write-bandwidth=0",
            service_s * 1e6
        );
        let wanted = format!("{}us", wanted_s * 1e6);
        let words = [
            target.as_str(),
            "--p99",
            &wanted,
            "--read-only",
            "--workload",
            "oltp",
        ];
        let answer = surveyed(shop, &words, &[])?;
        let known = rate_that_keeps(f64::from(channels), service_s, wanted_s);
        let found = answer.found.first().and_then(|found| found.kept);
        let apart = found.map_or(f64::NAN, |found| found / known - 1.0);
        met += usize::from(apart.abs() <= APART_MAX);
        rows.push(format!(
            "  {channels} x {:>6} us, 99% within {:>6} us: {:>8.0} IOPS, known {known:>8.0}, {:+.1}%",
            service_s * 1e6,
            wanted_s * 1e6,
            found.unwrap_or(f64::NAN),
            100.0 * apart
        ));
    }
    let head = format!(
        "--p99: {met} of {} rates within 3% of what is known (M/M/c)",
        CASES.len()
    );
    Ok(std::iter::once(head).chain(rows).collect())
}

/// The highest rate at which one of a hundred takes longer.
fn rate_that_keeps(channels: f64, service_s: f64, wanted_s: f64) -> f64 {
    let (mut low, mut high) = (0.0, channels / service_s);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match beyond(channels, service_s, wanted_s, middle) > 0.01 {
            true => high = middle,
            false => low = middle,
        }
    }
    low
}

/// The share of the I/Os that take longer at this rate; for one channel and for two.
fn beyond(channels: f64, service_s: f64, wanted_s: f64, rate: f64) -> f64 {
    let load = rate * service_s; // channels busy on average
    let time = wanted_s / service_s;
    let spare = channels - load;
    let waits = match channels {
        1.0 => load,
        _ => load * load / (2.0 + load), // Erlang's C for two
    };
    let apart = spare - 1.0;
    let wait = match apart.abs() < 1e-9 {
        true => waits * time * (-time).exp(),
        false => waits * ((-time).exp() - (-spare * time).exp()) / apart,
    };
    (-time).exp() + wait
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_channel_answers_as_the_formula_says() {
        let known = 10_000.0 - 100f64.ln() / 1e-3;
        assert!((rate_that_keeps(1.0, 100e-6, 1e-3) / known - 1.0).abs() < 1e-6);
    }
}
