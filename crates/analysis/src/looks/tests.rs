//! Looks whose figures are known.

use super::*;
use crate::sample::Sample;
use model::RunRecord;

/// A generator of normal values that needs no library: sums of twelve uniform ones.
pub(super) struct Normal(pub(super) u64);

impl Normal {
    pub(super) fn draw(&mut self) -> f64 {
        let uniform = |state: &mut u64| {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (*state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| uniform(&mut self.0)).sum::<f64>() - 6.0
    }
}

fn runs(labels: &[String]) -> Vec<(String, RunRecord)> {
    labels
        .iter()
        .map(|label| (label.clone(), Sample::default().build()))
        .collect()
}

/// Seed 004: dd wrote 75.9 MB/s to the raw disk and 64.8 MB/s to a file. Its text states almost 15 MB/s and nearly 20%.
#[test]
fn the_cost_of_a_layer_is_a_difference_and_its_share() {
    let cost = LayerCost::of(&[75.9e6], &[64.8e6]).unwrap();
    assert_eq!(crate::say::digits(cost.bytes_per_s / 1e6), "11.1");
    assert_eq!(crate::say::percent(cost.share.value), "14.6%");
    assert_eq!(cost.share.low, None, "one round has no interval");
}

#[test]
fn rounds_are_paired_so_that_a_drift_is_no_cost() {
    let raw = [100.0, 200.0, 400.0];
    let file = [90.0, 180.0, 360.0];
    let cost = LayerCost::of(&raw, &file).unwrap();
    assert!((cost.share.value - 0.1).abs() < 1e-12);
    assert!((cost.share.high.unwrap() - 0.1).abs() < 1e-9);
    assert_eq!(LayerCost::of(&[0.0], &[1.0]), None);
    assert_eq!(LayerCost::of(&[], &[]), None);
}

#[test]
fn every_label_is_read_back() {
    let quick = QuickStep::READS.iter().chain(&QuickStep::WRITES);
    let labels: Vec<String> = quick.map(|step| step.label().to_owned()).collect();
    let report = quick_report(&runs(&labels), &LooksContext::default());
    let read: Vec<String> = report.rows.iter().map(|row| row.label.clone()).collect();
    assert_eq!(read, labels);
    assert!(report.complete);
    let names: Vec<&str> = report.answers.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "4 KiB random",
            "4 KiB random, each flushed",
            "1 MiB sequential",
            "page cache"
        ]
    );
    let works = LayerWork::ALL.into_iter();
    let steps = works.flat_map(|work| Layer::ALL.map(|layer| LayerStep { layer, work }));
    let labels: Vec<String> = steps.map(LayerStep::label).collect();
    let twice = [labels.clone(), labels.clone()].concat();
    let report = layers_report(&runs(&twice), &LooksContext::default());
    assert_eq!((report.rows.len(), report.rounds), (12, 2));
    let older = |label: &String| label.replace("direct I/O", "past the cache");
    let older: Vec<String> = labels.iter().map(older).collect();
    let older = layers_report(&runs(&older), &LooksContext::default());
    assert_eq!(older.rows.len(), 12, "labels of stored sessions");
    let cost = report.rows[1].cost.unwrap();
    assert_eq!(cost.share.value, 0.0, "the same record costs nothing");
    let last = report.answers[0].figures.last();
    assert_eq!(last.unwrap(), "cost of the file system 0 ±0%");
}

#[test]
fn what_was_cut_short_says_so() {
    let cut = LooksContext {
        interrupted: true,
        ..LooksContext::default()
    };
    let report = quick_report(&[], &cut);
    assert!(!report.complete && report.place.is_none());
    assert!(report.answers.is_empty());
    assert_eq!(report.verdict.validity, Validity::Invalid);
    assert_eq!(layers_report(&[], &cut).rounds, 0);
}
