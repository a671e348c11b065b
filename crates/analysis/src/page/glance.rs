//! The panel of a survey says what the first line of its text says: the same loads, all their runs together.
//!
//! Deliberately absent: which loads these are, which the report of the survey knows.

use super::PanelItem;
use super::curves::Seen;
use super::panel::of_what;
use crate::estimate::Estimate;
use crate::survey::{Glance, GlanceLoad};

/// Puts the figures of the first line into the place of those of single cells.
pub(super) fn name(
    panel: &mut [PanelItem],
    cells: &[Seen<'_>],
    (reported, part): (&Glance, usize),
) {
    let usable = |seen: &&Seen<'_>| seen.cell.part == part && seen.is_usable();
    let usable: Vec<&Seen<'_>> = cells.iter().filter(usable).collect();
    for item in panel {
        match item.id.as_str() {
            "peak_rate" => peak(item, &usable, reported.rate.as_ref(), |load| load.rate),
            "peak_bytes" => peak(item, &usable, reported.bytes.as_ref(), |load| {
                load.bytes_per_s
            }),
            "alone" => alone(item, &usable, &reported.alone),
            _ => {}
        }
    }
}

fn peak(
    item: &mut PanelItem,
    usable: &[&Seen<'_>],
    load: Option<&GlanceLoad>,
    figure: fn(&GlanceLoad) -> Estimate,
) {
    let Some(load) = load else {
        return;
    };
    let runs = usable.iter().filter(|seen| {
        let threads = seen.row.work.threads.map(u64::from);
        seen.cell.label == load.label
            && (seen.outstanding(), threads) == (Some(load.in_flight), Some(load.threads))
    });
    let Some(best) = runs.max_by(|one, other| one.rate().total_cmp(&other.rate())) else {
        return;
    };
    item.estimate = Some(figure(load));
    item.cell = Some(best.place);
    item.note = of_what(best);
    if load.runs > 1 {
        item.note += &format!(", {} runs together", load.runs);
    }
}

/// The cell that was found is one of the runs of its load; the one with the median that the text reports is shown instead,
/// and where no run alone has it, that median without an interval.
fn alone(item: &mut PanelItem, usable: &[&Seen<'_>], reported: &[(String, u64)]) {
    let found = usable.iter().find(|seen| Some(seen.place) == item.cell);
    let Some(found) = found else {
        return;
    };
    let Some((label, median)) = reported
        .iter()
        .find(|(label, _)| *label == found.cell.label)
    else {
        return;
    };
    let of = |seen: &Seen<'_>| seen.row.total.latency.at(0.5).map(|time| time.0);
    let runs = usable
        .iter()
        .filter(|seen| seen.cell.label == *label && seen.outstanding() == Some(1));
    let apart = |seen: &Seen<'_>| of(seen).map_or(u64::MAX, |own| own.abs_diff(*median));
    let Some(nearest) = runs.min_by_key(|seen| apart(seen)) else {
        return;
    };
    let own = nearest.cell.median.filter(|_| apart(nearest) == 0);
    item.estimate = Some(own.unwrap_or(Estimate::bare(*median as f64, 0.0)));
    item.cell = Some(nearest.place);
}
