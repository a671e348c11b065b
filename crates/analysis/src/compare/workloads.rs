//! Two surveys, workload by workload: the highest rate that each side reached, at whatever depth.
//!
//! A side's peak is the load with the highest mean rate over its runs; runs of the same load are repeats. Omitted: the cells that
//! both have in common (`pair`).

use super::compared::Compared;
use super::metric::METRICS;
use super::pair::{Pair, label, text};
use std::cmp::Ordering;

/// What a survey's results are called in their rows.
const SURVEY: &str = "survey";
/// The name of the field that distinguishes workloads.
pub(super) const WORKLOAD: &str = "workload";
/// What distinguishes the loads of a workload.
const LOAD: [&str; 3] = ["depth", "threads", "rate"];

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

/// The runs of a workload at the load with the highest mean rate.
fn peak<'a>(side: &'a [Compared], name: &str) -> Option<Vec<&'a Compared>> {
    let load = |one: &Compared| LOAD.map(|field| text(&one.row, field));
    let mut loads: Vec<(_, Vec<&Compared>)> = Vec::new();
    for one in side.iter().filter(|one| label(one) == name) {
        match loads.iter_mut().find(|(known, _)| *known == load(one)) {
            Some((_, runs)) => runs.push(one),
            None => loads.push((load(one), vec![one])),
        }
    }
    let iops = METRICS.iter().find(|metric| metric.name == "iops")?;
    let rate = |runs: &[&Compared]| {
        let rates = runs.iter().filter_map(|one| iops.value(&one.row));
        rates.sum::<f64>() / runs.len() as f64
    };
    let loads = loads.into_iter().map(|(_, runs)| (rate(&runs), runs));
    let highest = loads.max_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal));
    highest.map(|(_, runs)| runs)
}
