//! The sessions of a database, and the trend of each workload of a target over them.
//!
//! A trend compares each session with the session before it of the same target and kind, by the statistics of `compare`.
//! Deliberately absent: reading results, layout, and what counts as a change, which is `compare`'s.

use crate::compare::{CellChange, CompareReport, Compared, METRICS, Outcome, Side, compare_report};
use crate::page::workload_in_words;
use crate::verdict::Validity;
use crate::{Estimate, say};
use model::ResultRow;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The figure of a trend.
const RATE: &str = "iops";

/// All sessions of a database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "fathom history")]
pub struct History {
    /// The answer: how many sessions there are, and which workloads became slower.
    pub headline: String,
    /// Newest first.
    pub sessions: Vec<HistorySession>,
    /// Those whose last session is slower first, then those that are faster, then by target and workload.
    pub trends: Vec<Trend>,
}

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HistorySession {
    /// Its number.
    pub session: u64,
    /// `run`, `survey`, `sweep`, `import` …
    pub kind: String,
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
    /// What was measured.
    pub target: String,
    /// Tags that a user gave it.
    pub tags: Vec<String>,
    /// In one word; none if unknown, as for imported results.
    pub validity: Option<Validity>,
    /// The answer of its page.
    pub headline: String,
    /// Its page, in the same folder; none where only the data are printed.
    pub page: Option<String>,
}

/// The rate of one workload on one target, from session to session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trend {
    /// What was measured.
    pub target: String,
    /// The kind of its sessions.
    pub kind: String,
    /// The workload in words: `4 KiB random reads, QD32`.
    pub workload: String,
    /// Oldest first. // at least two
    pub points: Vec<TrendPoint>,
}

/// Figures of a workload in one session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrendPoint {
    /// The session.
    pub session: u64,
    /// IOPS; of repeats their mean.
    pub iops: f64,
    /// Against the session before.
    pub step: TrendStep,
    /// The rate by that of the session before, with its 95% interval; none of the first, and where one is 0.
    pub ratio: Option<Estimate>,
    /// The largest change that this interval contains, as a share; none without an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most_share: Option<f64>,
    /// Why one of the two is doubtful.
    pub doubt: Option<String>,
}

/// A session against the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrendStep {
    /// There is none before it.
    First,
    /// Significantly more IOPS.
    Faster,
    /// Significantly fewer IOPS.
    Slower,
    /// No significant difference, and none above a quarter.
    Same,
    /// The data are inconclusive, or one of the two is doubtful.
    Inconclusive,
}

impl Trend {
    /// Returns how the last session compares with the one before it.
    pub fn last_step(&self) -> TrendStep {
        self.points.last().map_or(TrendStep::First, |it| it.step)
    }
}

/// Collects sessions, oldest first.
#[derive(Debug, Default)]
pub struct HistoryBuilder {
    sessions: Vec<HistorySession>,
    last: BTreeMap<Subject, Side>,
    trends: BTreeMap<(Subject, String), Vec<TrendPoint>>,
}

/// The target and the kind of session.
type Subject = (String, String);

impl HistoryBuilder {
    /// Adds a session with its results.
    pub fn session(&mut self, session: HistorySession, results: Vec<Compared>) {
        let subject = (session.target.clone(), session.kind.clone());
        let side = Side {
            name: session.session.to_string(),
            results,
        };
        if !side.results.is_empty() {
            let before = self.last.get(&subject);
            let report = before.map(|before| compare_report(before, &side, &[]));
            for (workload, point) in points(session.session, &side, report.as_ref()) {
                let key = (subject.clone(), workload);
                self.trends.entry(key).or_default().push(point);
            }
            self.last.insert(subject, side);
        }
        self.sessions.push(session);
    }

    /// Returns all of it in the order of a reader.
    pub fn finish(mut self) -> History {
        self.sessions.reverse();
        let trend = |(((target, kind), workload), points)| Trend {
            target,
            kind,
            workload,
            points,
        };
        let trends = self.trends.into_iter().map(trend);
        let mut trends: Vec<Trend> = trends.filter(|trend| trend.points.len() > 1).collect();
        trends.sort_by_key(|trend| match trend.last_step() {
            TrendStep::Slower => 0,
            TrendStep::Faster => 1,
            _ => 2,
        }); // stable
        History {
            headline: headline(&self.sessions, &trends),
            sessions: self.sessions,
            trends,
        }
    }
}

/// Returns each workload of a session once.
fn points(session: u64, side: &Side, report: Option<&CompareReport>) -> Vec<(String, TrendPoint)> {
    let mut rates: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in side.results.iter().map(|one| &one.row) {
        if let Some(rate) = rate(row) {
            rates.entry(workload(row)).or_default().push(rate);
        }
    }
    let mut changes = changes(side, report);
    let point = |(workload, rates): (String, Vec<f64>)| {
        let change = changes.remove(&workload).unwrap_or(Change {
            step: TrendStep::First,
            ratio: None,
            at_most_share: None,
            doubt: None,
        });
        let iops = rates.iter().sum::<f64>() / rates.len() as f64;
        let point = TrendPoint {
            session,
            iops,
            step: change.step,
            ratio: change.ratio,
            at_most_share: change.at_most_share,
            doubt: change.doubt,
        };
        (workload, point)
    };
    rates.into_iter().map(point).collect()
}

/// A workload against the session before.
struct Change {
    step: TrendStep,
    ratio: Option<Estimate>,
    at_most_share: Option<f64>,
    doubt: Option<String>,
}

/// Returns the comparison's result for each workload. A workload with several cells, which differ by what its words
/// omit, is inconclusive.
fn changes(side: &Side, report: Option<&CompareReport>) -> BTreeMap<String, Change> {
    let rows = side.results.iter().map(|one| (one.row.name(), &one.row));
    let rows: BTreeMap<String, &ResultRow> = rows.collect();
    let mut found: BTreeMap<String, Change> = BTreeMap::new();
    let Some(report) = report else {
        return found;
    };
    for cell in &report.cells {
        let Some(row) = cell.b.first().and_then(|name| rows.get(name)) else {
            continue;
        };
        let several = || Change {
            step: TrendStep::Inconclusive,
            ratio: None,
            at_most_share: None,
            doubt: None,
        };
        found
            .entry(workload(row))
            .and_modify(|change| *change = several())
            .or_insert_with(|| change(cell, report));
    }
    found
}

fn change(cell: &CellChange, report: &CompareReport) -> Change {
    let rate = cell.changes.iter().find(|change| change.metric == RATE);
    let ratio = rate.and_then(|change| change.ratio);
    let outcome = rate.map(|change| change.outcome);
    let step = match outcome.filter(|_| cell.doubt.is_none()) {
        Some(Outcome::Faster) => TrendStep::Faster,
        Some(Outcome::Slower) => TrendStep::Slower,
        Some(Outcome::NoDifference) => TrendStep::Same,
        Some(Outcome::Inconclusive) | None => TrendStep::Inconclusive,
    };
    let doubt = cell.doubt.as_deref().map(|doubt| {
        let named = |side: &str, name: &str| {
            let rest = doubt.strip_prefix(side)?;
            Some(format!("session {name}{rest}"))
        };
        let of_a = named("A", &report.a.name);
        of_a.or_else(|| named("B", &report.b.name))
            .unwrap_or_else(|| doubt.to_owned())
    });
    Change {
        step,
        ratio,
        at_most_share: rate.and_then(|change| change.at_most_share),
        doubt,
    }
}

fn rate(row: &ResultRow) -> Option<f64> {
    let metric = METRICS.iter().find(|metric| metric.name == RATE)?;
    metric.value(row)
}

/// `4 KiB random reads, QD32, 2 threads`.
fn workload(row: &ResultRow) -> String {
    let work = &row.work;
    let mut words = vec![workload_in_words(work)];
    words.extend(work.queue_depth.map(|depth| format!("QD{depth}")));
    let threads = work.threads.filter(|threads| *threads > 1);
    words.extend(threads.map(|threads| format!("{threads} threads")));
    let rate = work.target_iops;
    words.extend(rate.map(|rate| format!("{rate} IOPS requested")));
    words.join(", ")
}

/// `12 sessions of 3 targets; 14 repeated workloads against the session before: 2 slower, 12 inconclusive`.
fn headline(sessions: &[HistorySession], trends: &[Trend]) -> String {
    let targets: BTreeSet<&str> = sessions.iter().map(|one| one.target.as_str()).collect();
    let head = format!(
        "{} of {}",
        say::counted(sessions.len() as u64, "session"),
        say::counted(targets.len() as u64, "target")
    );
    if trends.is_empty() {
        return format!("{head}; no workload was repeated");
    }
    let ended = |step| trends.iter().filter(|it| it.last_step() == step).count();
    let kinds = [
        (TrendStep::Slower, "slower"),
        (TrendStep::Faster, "faster"),
        (TrendStep::Same, "without a difference above 25%"),
        (TrendStep::Inconclusive, "inconclusive"),
    ];
    let counts = kinds.map(|(step, word)| (ended(step), word)).into_iter();
    let counts: Vec<String> = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let all = say::counted(trends.len() as u64, "repeated workload");
    format!(
        "{head}; {all} against the session before: {}",
        counts.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::compare::tests::{base, compared, doubtful, minute};

    fn session(number: u32) -> HistorySession {
        HistorySession {
            session: u64::from(number),
            kind: "run".to_owned(),
            target: "t".to_owned(),
            ..HistorySession::default()
        }
    }

    /// A minute of a run at each rate, in this order, the second of which is doubtful or not.
    fn history(rates: &[f64], is_doubtful: bool) -> History {
        let mut chance = Chance(7);
        let mut builder = HistoryBuilder::default();
        for (number, rate) in (1..).zip(rates) {
            let mut result = compared(&minute(&base(), &mut chance, *rate, 0.3), number);
            if is_doubtful && number == 2 {
                result = doubtful(result, "it is short");
            }
            builder.session(session(number), vec![result]);
        }
        builder.finish()
    }

    fn steps(history: &History) -> Vec<TrendStep> {
        let points = history.trends[0].points.iter();
        points.map(|point| point.step).collect()
    }

    #[test]
    fn a_significant_drop_is_slower_and_noise_is_not() {
        let dropped = history(&[1000.0, 1000.0, 500.0], false);
        let expected = [TrendStep::First, TrendStep::Same, TrendStep::Slower];
        assert_eq!(steps(&dropped), expected);
        let ratio = dropped.trends[0].points[2].ratio.map(|ratio| ratio.value);
        assert!(
            ratio.is_some_and(|ratio| (ratio - 0.5).abs() < 0.03),
            "{ratio:?}"
        );
        assert!(
            dropped.headline.ends_with(": 1 slower"),
            "{}",
            dropped.headline
        );
        assert_eq!(
            steps(&history(&[500.0, 1000.0], false))[1],
            TrendStep::Faster
        );
    }

    #[test]
    fn sessions_are_newest_first_and_one_alone_has_no_trend() {
        assert!(history(&[1000.0], false).trends.is_empty());
        let two = history(&[1000.0, 1000.0], false);
        let numbers: Vec<u64> = two.sessions.iter().map(|it| it.session).collect();
        assert_eq!(numbers, [2, 1]);
    }

    #[test]
    fn a_doubtful_session_is_inconclusive() {
        let found = history(&[1000.0, 100.0], true);
        assert_eq!(steps(&found)[1], TrendStep::Inconclusive);
        let doubt = found.trends[0].points[1].doubt.as_deref();
        assert!(
            doubt.is_some_and(|doubt| doubt.starts_with("session 2 is CAUTION: it is short")),
            "{doubt:?}"
        );
    }
}
