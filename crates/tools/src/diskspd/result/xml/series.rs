//! The element `Iops`: the deviations and the time series.

use super::element::Document;
use crate::diskspd::figures::{Series, Step, StepSide};
use crate::diskspd::result::ms;

/// Of one target of a thread, or of all.
pub(super) fn write(series: &Series, document: &mut Document) {
    document.open("Iops", &[]);
    let deviations = [
        ("ReadIopsStdDev", series.read_std_dev),
        ("WriteIopsStdDev", series.write_std_dev),
        ("IopsStdDev", series.total_std_dev),
    ];
    for (name, deviation) in deviations {
        if let Some(deviation) = deviation {
            document.number(name, deviation, 3);
        }
    }
    for step in &series.steps {
        bucket(step, document);
    }
    document.close("Iops");
}

fn bucket(step: &Step, document: &mut Document) {
    let rate = |rate: f64| format!("{rate:.0}");
    let (read, write) = (step.read.rate_per_s, step.write.rate_per_s);
    let mut attributes = vec![
        ("SampleMillisecond", step.end_ms.to_string()),
        ("Read", rate(read)),
        ("Write", rate(write)),
        ("Total", rate(read + write)),
    ];
    let read = [
        "ReadMinLatencyMilliseconds",
        "ReadMaxLatencyMilliseconds",
        "ReadAvgLatencyMilliseconds",
        "ReadLatencyStdDev",
    ];
    let write = [
        "WriteMinLatencyMilliseconds",
        "WriteMaxLatencyMilliseconds",
        "WriteAvgLatencyMilliseconds",
        "WriteLatencyStdDev",
    ];
    attributes.extend(latencies(read, &step.read));
    attributes.extend(latencies(write, &step.write));
    document.empty("Bucket", &attributes);
}

/// What is not known is omitted.
fn latencies(names: [&'static str; 4], side: &StepSide) -> Vec<(&'static str, String)> {
    let values = [
        side.min_ns.map(|ns| ns as f64),
        Some(side.max_ns as f64),
        Some(side.mean_ns),
        side.std_dev_ns,
    ];
    let known =
        |(name, value): (&'static str, Option<f64>)| Some((name, format!("{:.3}", ms(value?))));
    names.into_iter().zip(values).filter_map(known).collect()
}
