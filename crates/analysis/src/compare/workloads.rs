//! Two surveys, workload by workload: the highest rate that each side reached, at any depth.
//!
//! A side's peak is the smallest load whose mean rate over its runs is within 1% of the highest, so that latencies at both peaks
//! are not those of queues that raise no rate; runs of the same load are repeats. Omitted: the cells that both have in common
//! (`pair`).

use super::compared::Compared;
use super::metric::METRICS;
use super::pair::{Pair, label, text};

/// What a survey's results are called in their rows.
const SURVEY: &str = "survey";
/// The name of the field that distinguishes workloads.
pub(super) const WORKLOAD: &str = "workload";
/// What distinguishes the loads of a workload.
const LOAD: [&str; 3] = ["queue_depth", "threads", "target_iops"];
/// Rates that reach so much of the highest are as high.
const AS_HIGH: f64 = 0.99;

/// Returns the workloads that two surveys have in common, in the order of A, each with the runs at the peak of either side; none
/// where a side is no survey, or where they share fewer than two.
pub(super) fn peaks<'a>(a: &'a [Compared], b: &'a [Compared]) -> Vec<Pair<'a>> {
    let are_surveys = |side: &[Compared]| side.iter().all(|one| one.row.kind == SURVEY);
    if !are_surveys(a) || !are_surveys(b) {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for name in a.iter().map(label) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let pairs = names.into_iter().filter_map(|name| {
        let (a, b) = (peak(a, &name)?, peak(b, &name)?);
        let values = vec![(WORKLOAD, name)];
        Some(Pair { values, a, b })
    });
    let pairs: Vec<Pair<'_>> = pairs.collect();
    if pairs.len() < 2 { Vec::new() } else { pairs }
}

/// The runs of a workload at its peak.
fn peak<'a>(side: &'a [Compared], name: &str) -> Option<Vec<&'a Compared>> {
    let load = |one: &Compared| LOAD.map(|field| text(&one.row, field));
    let mut loads: Vec<Vec<&Compared>> = Vec::new();
    for one in side.iter().filter(|one| label(one) == name) {
        match loads.iter_mut().find(|runs| load(runs[0]) == load(one)) {
            Some(runs) => runs.push(one),
            None => loads.push(vec![one]),
        }
    }
    let iops = METRICS.iter().find(|metric| metric.name == "iops")?;
    let rate = |runs: &[&Compared]| {
        let rates = runs.iter().filter_map(|one| iops.value(&one.row));
        rates.sum::<f64>() / runs.len() as f64
    };
    let highest = loads.iter().map(|runs| rate(runs)).fold(0.0, f64::max);
    let in_flight = |runs: &Vec<&Compared>| {
        let work = &runs[0].row.work;
        u64::from(work.queue_depth.unwrap_or(1)) * u64::from(work.threads.unwrap_or(1))
    };
    let as_high = loads
        .into_iter()
        .filter(|runs| rate(runs) >= AS_HIGH * highest);
    as_high.min_by_key(in_flight)
}
