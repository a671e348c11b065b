//! Stalls in any point of a survey, also where the table shows other points: the peak is the highest load, so that it is rather one
//! without a stall.
//!
//! Omitted: stalls that another finding of the point explains, such as a limit or a path.

use super::CellReport;
use crate::findings::{Finding, STALL, Severity, finding};
use crate::say;

/// As much of the measured time as makes stalls a warning in one run.
const SHARE_MIN: f64 = 0.005;

/// Returns what is found of the points that contain a stall; none where no point does.
pub(super) fn stalls(cells: &[CellReport]) -> Option<Finding> {
    let found = cells.iter().filter_map(|cell| {
        let mut all = cell.findings.iter();
        let stall = all.find(|one| one.id == STALL && one.because.is_none())?;
        Some(Stall::of(cell, stall))
    });
    let found: Vec<Stall> = found.collect();
    let measured = |cell: &CellReport| cell.throughput.measured_ns as f64;
    let all_ns: f64 = cells.iter().map(measured).sum();
    let longest_ns = found
        .iter()
        .map(|one| one.longest_ns)
        .max_by(f64::total_cmp)?;
    let share = found.iter().map(|one| one.all_ns).sum::<f64>() / all_ns.max(1.0);
    let severity = match share >= SHARE_MIN {
        true => Severity::Warning,
        false => Severity::Note,
    };
    let sentence = format!(
        "the target stalled in {} of {} for up to {}: {} of the measured time; a peak is rather a point without a stall",
        say::count(found.len() as u64),
        say::counted(cells.len() as u64, "point"),
        say::time(longest_ns),
        say::percent(share)
    );
    let evidence = [
        ("stalls", found.iter().map(|one| one.count).sum()),
        ("stall_ns", longest_ns),
        ("share", share),
    ];
    let advice = "check the system log for the cause of the stalls; one run of a minute or more shows how often they come: fathom run -d 60s";
    Some(finding(STALL, severity, sentence, &evidence, advice))
}

/// The stalls of one point.
struct Stall {
    count: f64,
    longest_ns: f64,
    all_ns: f64,
}

impl Stall {
    fn of(cell: &CellReport, stall: &Finding) -> Stall {
        let figure = |name: &str| {
            let mut all = stall.evidence.iter();
            all.find(|one| one.name == name).map(|one| one.value)
        };
        let longest_ns = figure("stall_ns")
            .or_else(|| figure("max_ns"))
            .unwrap_or(0.0);
        let count = figure("stalls").unwrap_or(1.0).max(1.0);
        let measured_ns = cell.throughput.measured_ns as f64;
        let all_ns = figure("share").map(|share| share * measured_ns);
        Stall {
            count,
            longest_ns,
            all_ns: all_ns.unwrap_or(count * longest_ns).min(measured_ns),
        }
    }
}
