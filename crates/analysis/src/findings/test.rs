//! For the rules' tests: an imported run to be bent, and the finding of one rule on it.

use super::{FINDINGS, Finding, session_findings};
use crate::known::Known;
use crate::observed::Observed;
use model::{
    CacheMode, ImportFormat, ImportedFigures, ImportedRun, ImportedWorkload, Nanos, RunRecord,
};

/// The run of the first seed, without its load and percentiles.
pub(crate) fn imported() -> ImportedRun {
    let mut run = ImportedRun {
        format: ImportFormat::DiskspdText,
        tool_version: Some("2.0.17".to_owned()),
        source: "a.txt".to_owned(),
        place: 1,
        line: 1,
        started_utc: None,
        host: None,
        command: None,
        name: None,
        workload: ImportedWorkload {
            queue_depth: Some(4),
            threads: Some(16),
            cache: Some(CacheMode::Unbuffered),
            ..ImportedWorkload::default()
        },
        measured: Some(Nanos::seconds(120)),
        figures: ImportedFigures::default(),
        cpu: None,
        evidence: model::imported_evidence::ImportedEvidence::default(),
        rows: Vec::new(),
        notes: Vec::new(),
        text: String::new(),
    };
    let total = &mut run.figures.total;
    (total.ios, total.ios_per_s) = (Some(2_469_840), Some(20_581.94));
    total.latency.mean = Some(Nanos::micros(3106));
    total.latency.resolution = Some(Nanos::micros(1));
    run
}

/// The finding of a rule on an imported run.
pub(crate) fn reported(run: &ImportedRun, id: &str) -> Option<Finding> {
    reported_knowing(run, &Known::default(), id)
}

/// The same, with what people specified about the target.
pub(crate) fn reported_knowing(run: &ImportedRun, known: &Known, id: &str) -> Option<Finding> {
    assert!(FINDINGS.iter().any(|rule| rule.id.as_str() == id));
    let findings = crate::imported_report_knowing(run, known).findings;
    findings
        .into_iter()
        .find(|finding| finding.id.as_str() == id)
}

/// The finding of a rule on a record.
pub(crate) fn found(record: &RunRecord, id: &str) -> Option<Finding> {
    found_knowing(record, &Known::default(), id)
}

/// The same, with what people specified about the target.
pub(crate) fn found_knowing(record: &RunRecord, known: &Known, id: &str) -> Option<Finding> {
    assert!(FINDINGS.iter().any(|rule| rule.id.as_str() == id));
    let findings = crate::run_report_knowing(record, known).findings;
    findings
        .into_iter()
        .find(|finding| finding.id.as_str() == id)
}

/// The finding of a rule on several runs.
pub(crate) fn several(runs: &[Observed], known: &Known, id: &str) -> Option<Finding> {
    assert!(FINDINGS.iter().any(|rule| rule.id.as_str() == id));
    let findings = session_findings(runs, known);
    findings
        .into_iter()
        .find(|finding| finding.id.as_str() == id)
}

/// A run of 20 s in 40 steps, of which each has the I/Os that are asked for; its device counts no more than they.
pub(crate) fn stepped(ios: fn(u64) -> u64) -> RunRecord {
    let mut record = crate::sample::Sample {
        planned: Nanos::seconds(20),
        measured: Nanos::seconds(20),
        reads: 80_000,
        ..crate::sample::Sample::default()
    }
    .build();
    record.plan.interval = Nanos::millis(500);
    let steps = &mut record.threads[0].measured[0].intervals;
    let one = steps[0];
    *steps = (0..40)
        .map(|step| model::Interval {
            ios: ios(step),
            ..one
        })
        .collect();
    record
}

/// An event of the system so many milliseconds after the start of the measured phase of a record of [`stepped`].
pub(crate) fn event(
    ms: i64,
    kind: model::record::EventKind,
    subject: &str,
) -> model::record::SystemEvent {
    model::record::SystemEvent {
        at_ns: ms * 1_000_000,
        uncertainty: Nanos::millis(1),
        source: model::record::EventSource::KernelLog,
        kind,
        subject: subject.to_owned(),
        text: "in the system's words".to_owned(),
    }
}

/// For rules about the ranks of a job.
pub(crate) mod job {
    use super::Finding;
    use crate::job::seen::{
        JobSeen, RankClock, RankFigures, RankRow, StartReport, beside_median, fairness,
    };

    type Look = fn(&JobSeen<'_>) -> Option<Finding>;

    /// The finding of a rule on ranks with these IOPS, of which some are on hosts that own the target.
    pub(crate) fn of_owners(
        rates: &[f64],
        alone: &[f64],
        owners: &[u32],
        look: Look,
    ) -> Option<Finding> {
        let (hosts, alone) = (rows(rates), rows(alone));
        look(&JobSeen {
            hosts: &hosts,
            machines: hosts.len(),
            alone: &alone,
            owners,
            differences: &[],
            start: StartReport::default(),
            fairness: fairness(&hosts),
            measured_ns: 1_000_000_000,
        })
    }

    /// The finding of a rule on ranks with these IOPS.
    pub(crate) fn of_rates(rates: &[f64], look: Look) -> Option<Finding> {
        with(rates, |_| (), look)
    }

    /// The same of rows that a test bends.
    pub(crate) fn with(
        rates: &[f64],
        bend: impl Fn(&mut [RankRow]),
        look: Look,
    ) -> Option<Finding> {
        let mut hosts = rows(rates);
        bend(&mut hosts);
        of_rows(&hosts, hosts.len(), look)
    }

    /// The same of ranks on so many machines.
    pub(crate) fn on_machines(machines: usize, rates: &[f64], look: Look) -> Option<Finding> {
        of_rows(&rows(rates), machines, look)
    }

    fn of_rows(hosts: &[RankRow], machines: usize, look: Look) -> Option<Finding> {
        look(&JobSeen {
            hosts,
            machines,
            alone: &[],
            owners: &[],
            differences: &[],
            start: StartReport::default(),
            fairness: fairness(hosts),
            measured_ns: 1_000_000_000,
        })
    }

    fn rows(rates: &[f64]) -> Vec<RankRow> {
        let row = |(rate, rank): (&f64, u32)| RankRow {
            rank,
            host: format!("n{rank}"),
            figures: Some(RankFigures {
                iops: *rate,
                half_width: Some(0.01),
                latency_p50_ns: Some((1e9 / rate) as u64),
                ..RankFigures::default()
            }),
            clock: Some(RankClock::default()),
            ..RankRow::default()
        };
        let mut hosts: Vec<RankRow> = rates.iter().zip(0..).map(row).collect();
        beside_median(&mut hosts);
        hosts
    }
}
