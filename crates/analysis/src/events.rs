//! Events that the system reported near a run: their rows in a report, which of them belong to a pause, and the rate before
//! and after a moment.
//!
//! Omitted: what follows from them, which is of the findings.

use crate::changes::Stalled;
use crate::intervals::{IntervalRow, full_intervals};
use crate::rows::per_second;
use crate::say;
use model::record::{EventKind, SystemEvent, SystemEvents};
use model::{Nanos, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Events of the system from before the run to after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventsReport {
    /// In order of time.
    pub events: Vec<EventRow>,
    /// Further ones that were counted and not kept.
    pub omitted: u64,
    /// Why the kernel's log was not read; none where it was.
    pub kernel_log_unread: Option<String>,
    /// Files of `--events` that could not be read, each with the reason.
    pub files_unread: Vec<String>,
    /// Gaps in the kernel's log, whose lines were overwritten before they were read.
    pub kernel_log_lost: u64,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventRow {
    /// When, in nanoseconds from the start of the measured phase; negative before it.
    pub at_ns: i64,
    /// It was within this, either way, in nanoseconds.
    pub uncertainty_ns: u64,
    /// What reported it: `state`, `kernel-log` or `file`.
    pub source: String,
    /// What happened: `path-failed`, `session-lost`, `controller-reset` and others.
    pub kind: String,
    /// Device, session, controller, server or network interface; empty where none is named.
    pub subject: String,
    /// The system's words.
    pub text: String,
}

impl EventsReport {
    /// Of a record; none where the system was not observed.
    pub(crate) fn of(record: &RunRecord) -> Option<EventsReport> {
        let SystemEvents {
            events,
            omitted,
            kernel_log_unread,
            files_unread,
            kernel_log_lost,
        } = record.engine.disturbances.system_events.as_ref()?;
        let row = |event: &SystemEvent| EventRow {
            at_ns: measured_at(record, event),
            uncertainty_ns: event.uncertainty.0,
            source: event.source.name().to_owned(),
            kind: event.kind.name().to_owned(),
            subject: event.subject.clone(),
            text: event.text.clone(),
        };
        Some(EventsReport {
            events: events.iter().map(row).collect(),
            omitted: *omitted,
            kernel_log_unread: kernel_log_unread.clone(),
            files_unread: files_unread.clone(),
            kernel_log_lost: *kernel_log_lost,
        })
    }
}

/// Returns the events of a record, of which there are none where the system was not observed.
pub(crate) fn events(record: &RunRecord) -> &[SystemEvent] {
    let all = record.engine.disturbances.system_events.as_ref();
    all.map_or(&[], |all| &all.events)
}

/// Returns when an event was, in nanoseconds from the start of the measured phase.
pub(crate) fn measured_at(record: &RunRecord, event: &SystemEvent) -> i64 {
    let from = i64::try_from(record.phases.measured_from.0).unwrap_or(i64::MAX);
    event.at_ns.saturating_sub(from)
}

/// An event this long before the begin of a pause or after its end belongs to it.
const NEAR_NS: f64 = 5e8;

/// Whether an event belongs to a pause, whose begin and end are known to a step of the time series.
pub(crate) fn is_near(record: &RunRecord, event: &SystemEvent, pause: &Stalled) -> bool {
    let (at, off) = (
        measured_at(record, event) as f64,
        event.uncertainty.0 as f64 + NEAR_NS,
    );
    let step = record.plan.interval.0 as f64;
    let begin = pause.to_ns - pause.length_ns - step;
    (begin - off..=pause.to_ns + off).contains(&at)
}

/// Whether an event can stop I/O for a while: paths, sessions, controllers, owners, members, replicas, servers, links and
/// clusters.
pub(crate) const fn may_pause(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Rebuild
            | EventKind::BlockedTask
            | EventKind::IoError
            | EventKind::FileSystemError
    )
}

/// IOPS of the steps that ended before a moment, and of those that began after another; none without a step.
pub(crate) fn rates(
    rows: &[IntervalRow],
    step: Nanos,
    before_ns: f64,
    after_ns: f64,
) -> (Option<f64>, Option<f64>) {
    let full = full_intervals(rows, step);
    let mean = |rows: &[&IntervalRow]| {
        let ios: f64 = rows.iter().map(|row| row.ios as f64).sum();
        let length = rows
            .iter()
            .fold(Nanos(0), |sum, row| sum.plus(Nanos(row.length_ns)));
        (length.0 > 0).then(|| per_second(ios, length))
    };
    let ends_before =
        |row: &&IntervalRow| row.from_ns.saturating_add(row.length_ns) as f64 <= before_ns;
    let begins_after = |row: &&IntervalRow| row.from_ns as f64 >= after_ns;
    let before: Vec<&IntervalRow> = full.iter().filter(ends_before).collect();
    let after: Vec<&IntervalRow> = full.iter().filter(begins_after).collect();
    (mean(&before), mean(&after))
}

/// `; 910 IOPS before, 1169 after`, where both are known.
pub(crate) fn change(before: Option<f64>, after: Option<f64>) -> String {
    before
        .zip(after)
        .map_or_else(String::new, |(before, after)| {
            format!(
                "; {} IOPS before, {} after",
                say::rate(before),
                say::rate(after)
            )
        })
}

/// `sdb path-failed, session1 session-lost and 3 more`: each once.
pub(crate) fn named(events: &[&SystemEvent]) -> String {
    const SHOWN: usize = 3;
    let mut names: Vec<String> = Vec::new();
    for event in events {
        let name = format!("{} {}", event.subject, event.kind.name());
        let name = name.trim().to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
