//! The target stood still: for a while it answered nothing, though it had been asked. A reset, a failover, a suspended
//! device or a housekeeping pause look like this; a mean over such a pause is the speed of nothing.
//!
//! Leaves out pauses that were asked for, and pauses that a slow target always has between two I/Os.

use super::process_stopped::measured_stops;
use super::{Cause, Finding, FindingRank, Look, Own, Rule, RuleId, finding};
use crate::intervals::{IntervalRow, full_intervals};
use crate::say;
use model::{Access, Pacing, PlannedTarget, ProcessStop};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("stall"),
    cause: Cause::Change,
    limit: None,
    what: "For a while the target answered nothing at all.",
    method: "Steps of the time series in a row without a single I/O last 500 ms or more and 5% or more of the measured time, and the mean rate would have brought 100 I/Os or more in them. Time in which fathom itself was stopped does not count. No pauses were asked for, and no I/O failed.",
    source: "fathom: the time series of the run, docs/measurement.md.",
    advice: "Read the system's log for resets, timeouts and path changes at that time; ask whether a snapshot, a migration or the device's own housekeeping ran. Measure again: the rate holds for neither of both parts.",
    look: Look::Own(look),
};

const PAUSE_MIN_NS: u64 = 500_000_000;
const SHARE_MIN: f64 = 0.05;
const MISSED_MIN: f64 = 100.0;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let measured_ns = seen.record.phases.measured().0;
    let full = full_intervals(seen.intervals, seen.record.plan.interval);
    let ios: f64 = full.iter().map(|row| row.ios as f64).sum();
    let pause = longest(full, &measured_stops(seen.record))?;
    let share = pause.length_ns as f64 / measured_ns as f64;
    let missed = ios * share;
    let short = pause.length_ns < PAUSE_MIN_NS || share < SHARE_MIN || missed < MISSED_MIN;
    // Failures are answers, too.
    let answered = seen.total.errors_total() > 0;
    if short || answered || seen.record.plan.targets.iter().any(pauses) {
        return None;
    }
    Some(finding(
        RULE.id,
        FindingRank::Warning,
        format!(
            "the target answered nothing for {}, {:.0}% of the measured time, {}",
            say::time(pause.length_ns as f64),
            share * 100.0,
            match pause.from_ns {
                0 => "from its start on".to_owned(),
                from_ns => format!("from {} on", say::time(from_ns as f64)),
            }
        ),
        &[
            ("from_ns", pause.from_ns as f64),
            ("pause_ns", pause.length_ns as f64),
            ("share", share),
            ("ios_missed", missed),
        ],
        "see the system's log for resets and timeouts at that time, and measure again",
    ))
}

/// Steps in a row without an I/O.
#[derive(Clone, Copy, Default)]
struct Pause {
    from_ns: u64,
    length_ns: u64,
}

/// Without the time in which fathom itself was stopped.
fn longest(rows: &[IntervalRow], stops: &[ProcessStop]) -> Option<Pause> {
    let mut now = Pause::default();
    let pauses = rows.iter().map(|row| {
        let begins = now.length_ns == 0;
        let length_ns = row.length_ns - stopped_in(row, stops);
        now = match (row.ios, begins) {
            (0, true) => Pause {
                from_ns: row.from_ns,
                length_ns,
            },
            (0, false) => Pause {
                length_ns: now.length_ns + length_ns,
                ..now
            },
            _ => Pause::default(),
        };
        now
    });
    pauses.max_by_key(|pause| pause.length_ns)
}

fn stopped_in(row: &IntervalRow, stops: &[ProcessStop]) -> u64 {
    let to = row.from_ns + row.length_ns;
    let parts = stops.iter().map(|stop| {
        let stopped_to = stop.from.plus(stop.length).0.min(to);
        stopped_to.saturating_sub(stop.from.0.max(row.from_ns))
    });
    parts.sum::<u64>().min(row.length_ns)
}

/// Whether this target was to be left alone now and then.
fn pauses(target: &PlannedTarget) -> bool {
    let between_lines = match &target.workload.access {
        Access::Mixed(mixed) => mixed.lines.iter().any(|line| line.pause.0 > 0),
        _ => false,
    };
    between_lines || matches!(target.pacing, Pacing::Bursts { .. })
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{found, stepped};
    use model::{Nanos, Pacing};

    #[test]
    fn a_pause_is_told_with_its_moment_and_how_much_of_the_time_it_took() {
        let still = stepped(|step| if (10..14).contains(&step) { 0 } else { 2000 });
        assert_eq!(
            found(&still, "stall").unwrap().sentence,
            "the target answered nothing for 2 s, 10% of the measured time, from 5 s on"
        );
        let at_once = stepped(|step| if step < 4 { 0 } else { 2000 });
        let sentence = found(&at_once, "stall").unwrap().sentence;
        assert!(sentence.ends_with("from its start on"), "{sentence}");
        let swings = found(&still, "not-steady").or(found(&still, "throughput-drop"));
        assert_eq!(swings, None, "one cause, one finding");
    }

    #[test]
    fn a_short_pause_a_slow_target_and_a_pause_that_was_asked_for_are_not_told() {
        let short = stepped(|step| if step == 10 { 0 } else { 2000 });
        assert_eq!(found(&short, "stall"), None, "500 ms are 2.5%");
        let slow = stepped(|step| u64::from(step % 5 == 0));
        assert_eq!(found(&slow, "stall"), None, "an I/O in 2.5 s");
        let mut bursts = stepped(|step| if step % 20 < 10 { 0 } else { 2000 });
        assert!(found(&bursts, "stall").is_some());
        bursts.plan.targets[0].pacing = Pacing::Bursts {
            ios: 20_000,
            pause: Nanos::seconds(5),
        };
        assert_eq!(found(&bursts, "stall"), None);
    }
}
