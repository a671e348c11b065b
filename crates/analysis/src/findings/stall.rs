//! Stalls of the target: no I/O completes for 100 ms or more although some are in flight. A reset, a failover, a suspended
//! device or internal housekeeping cause it; a mean over a stall describes neither state.
//!
//! Omits pauses that were requested, and pauses that a slow target always has between two I/Os.

use super::process_stopped::measured_stops;
use super::stall_latency::{NEAR_MAX, TIME_SHARE_MIN, beyond_of, in_latencies};
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::changes::{Stalled, pauses, period};
use crate::intervals::{IntervalRow, full_intervals};
use crate::say;
use model::{Access, Pacing, PlannedTarget, ProcessStop};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("stall"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "The target completed no I/O for a while although I/Os were in flight.",
    method: "Runs of fathom: a stall ends in each step of the time series in which an I/O took 100 ms more than the median. It took three times the longest of most steps, and I/Os are missing for three quarters of that time. Stalls are regular if the times between them differ by 15% or less. Time series (runs of fathom): 500 ms or more, and 5% of the measured time, pass without an I/O: in steps in a row, or by the longest latency if it spans them. The mean rate gives 100 I/Os or more in that time. Latencies (runs of any tool): from some percentile up to the maximum they lie within 10%, at 100 ms or more. They are at least three times the percentile before, and ten I/Os or more; these I/Os / queue depth = number of stalls, of printed percentiles a lower bound. Imported runs: also the largest jump to three times or more between two printed percentiles from p90 on, to 100 ms or more. Beyond it are ten I/Os or more, and they took 0.5% of the run; several stalls hide each other's plateaus. A warning where stalls take 0.5% of the run or more. Not applied to time in which fathom itself was stopped, to requested pauses, and to time series with failed I/Os.",
    evidence: &[
        "from_ns",
        "stall_ns",
        "share",
        "ios_missed",
        "ios_beyond",
        "level_ns",
        "max_ns",
        "factor",
        "stalls",
        "period_ns",
    ],
    source: "fathom: the time series of the run, the manual, chapter Measurement; order statistics of the latencies: a stall gives all I/Os in flight its own length.",
    advice: "Check the system log for resets, timeouts and path changes at that time, and for a snapshot, a migration, a cache flush or garbage collection. Then repeat the measurement.",
    look: Look::Any(look),
};

const PAUSE_MIN_NS: u64 = 500_000_000;
const SHARE_MIN: f64 = 0.05;
const MISSED_MIN: f64 = 100.0;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let own = seen.own;
    own.and_then(events)
        .or_else(|| own.and_then(in_series))
        .or_else(|| in_latencies(seen, RULE.id))
}

/// Returns the pauses of the target: those that ended, or the longest time without an I/O that spans steps.
pub(super) fn pauses_of(seen: &Own<'_>) -> Vec<Stalled> {
    let step = seen.record.plan.interval;
    let usual = seen.total.latency.quantile(0.5);
    let ended = usual.map(|usual| pauses(seen.intervals, step, usual.0 as f64));
    let ended = ended.unwrap_or_default();
    if !ended.is_empty() {
        return ended;
    }
    let full = full_intervals(seen.intervals, step);
    let pause = longest(full, &measured_stops(seen.record)).map(|pause| spanned(pause, seen));
    let pause = pause.filter(|pause| pause.length_ns >= PAUSE_MIN_NS);
    let pause = pause.map(|pause| Stalled {
        to_ns: pause.from_ns.saturating_add(pause.length_ns) as f64,
        length_ns: pause.length_ns as f64,
    });
    pause.into_iter().collect()
}

/// Stalls as events of the time line: how many, how long, how often.
fn events(seen: &Own<'_>) -> Option<Finding> {
    let step = seen.record.plan.interval;
    let usual_ns = seen.total.latency.quantile(0.5)?.0 as f64;
    let stalls = pauses(seen.intervals, step, usual_ns);
    let worst = stalls
        .iter()
        .max_by(|a, b| a.length_ns.total_cmp(&b.length_ns))?;
    let longest = worst.length_ns;
    // Failures are answers, too.
    let answered = seen.total.errors_total() > 0 || !measured_stops(seen.record).is_empty();
    if answered || seen.record.plan.targets.iter().any(pauses_itself) {
        return None;
    }
    let measured_ns = seen.record.phases.measured().0 as f64;
    let share = stalls.iter().map(|one| one.length_ns).sum::<f64>() / measured_ns;
    let affected = beyond_of(&seen.total.latency, NEAR_MAX * longest);
    let period_ns = period(&stalls, step);
    let when = match (period_ns, stalls.as_slice()) {
        (Some(period), _) => format!(", every {}", say::time(period)),
        (None, [one]) => format!(
            ", starting at {}",
            say::time((one.to_ns - one.length_ns).max(0.0))
        ),
        (None, _) => String::new(),
    };
    let times = match stalls.len() {
        1 => "once for".to_owned(),
        several => format!("{} for up to", say::counted(several as u64, "time")),
    };
    let sentence = format!(
        "the target stalled {times} {}{when}: {} of the time; {} took {} of that or longer",
        say::time(longest),
        say::percent(share),
        say::counted(affected, "I/O"),
        say::percent(NEAR_MAX)
    );
    let mut evidence = vec![
        ("from_ns", (worst.to_ns - longest).max(0.0)),
        ("stalls", stalls.len() as f64),
        ("stall_ns", longest),
        ("share", share),
        ("ios_beyond", affected as f64),
    ];
    evidence.extend(period_ns.map(|ns| ("period_ns", ns)));
    let severity = match share >= TIME_SHARE_MIN {
        true => Severity::Warning,
        false => Severity::Note,
    };
    let advice =
        "check the system log for resets and timeouts at that time, and repeat the measurement";
    Some(finding(RULE.id, severity, sentence, &evidence, advice))
}

fn in_series(seen: &Own<'_>) -> Option<Finding> {
    let measured_ns = seen.record.phases.measured().0;
    let full = full_intervals(seen.intervals, seen.record.plan.interval);
    let ios: f64 = full.iter().map(|row| row.ios as f64).sum();
    let pause = longest(full, &measured_stops(seen.record))?;
    let pause = spanned(pause, seen);
    let share = pause.length_ns as f64 / measured_ns as f64;
    let missed = ios * share;
    let short = pause.length_ns < PAUSE_MIN_NS || share < SHARE_MIN || missed < MISSED_MIN;
    // Failures are answers, too.
    let answered = seen.total.errors_total() > 0;
    if short || answered || seen.record.plan.targets.iter().any(pauses_itself) {
        return None;
    }
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!(
            "the target completed no I/O for {} ({:.0}% of the measured time), {}",
            say::time(pause.length_ns as f64),
            share * 100.0,
            match pause.from_ns {
                0 => "from the start".to_owned(),
                from_ns => format!("starting at {}", say::time(from_ns as f64)),
            }
        ),
        &[
            ("from_ns", pause.from_ns as f64),
            ("stall_ns", pause.length_ns as f64),
            ("share", share),
            ("ios_missed", missed),
        ],
        "check the system log for resets and timeouts at that time, and repeat the measurement",
    ))
}

/// Extends a pause to the latency of the I/Os that it delayed: it begins and ends within steps that have I/Os.
fn spanned(pause: Pause, seen: &Own<'_>) -> Pause {
    let step_ns = seen.record.plan.interval.0;
    let longest_ns = seen.total.latency.max().map_or(0, |max| max.0);
    let is_it = pause.length_ns > 0
        && longest_ns <= pause.length_ns.saturating_add(step_ns.saturating_mul(2));
    Pause {
        length_ns: if is_it {
            pause.length_ns.max(longest_ns)
        } else {
            pause.length_ns
        },
        ..pause
    }
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

/// Returns whether the load of this target changes by itself: pauses were requested, or a trace has its own times.
pub(super) fn pauses_itself(target: &PlannedTarget) -> bool {
    let between_lines = match &target.workload.access {
        Access::Mixed(mixed) => mixed.lines.iter().any(|line| line.pause.0 > 0),
        Access::Recorded(_) => true, // a trace has pauses of its own
        _ => false,
    };
    between_lines || matches!(target.pacing, Pacing::Bursts { .. })
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{found, stepped};
    use model::{Nanos, Pacing};

    #[test]
    fn a_stall_is_reported_with_its_start_and_length() {
        let figure = |finding: &crate::findings::Finding, name: &str| {
            let mut evidence = finding.evidence.iter();
            evidence.find(|one| one.name == name).unwrap().value
        };
        let still = stepped(|step| if (10..14).contains(&step) { 0 } else { 2000 });
        let stall = found(&still, "stall").unwrap();
        assert_eq!(figure(&stall, "stall_ns"), 2e9);
        assert_eq!(
            (figure(&stall, "from_ns"), figure(&stall, "share")),
            (5e9, 0.1)
        );
        let at_once = stepped(|step| if step < 4 { 0 } else { 2000 });
        assert_eq!(figure(&found(&at_once, "stall").unwrap(), "from_ns"), 0.0);
        let swings = found(&still, "not-steady").or(found(&still, "throughput-drop"));
        let because = swings.map(|swings| swings.because.unwrap().as_str());
        assert_eq!(because, Some("stall"), "a consequence");
    }

    #[test]
    fn a_short_pause_a_slow_target_and_a_pause_that_was_asked_for_are_not_reported() {
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
