//! One result as far as a comparison needs it: its line, how far its figures may be off, and the facts of its day.
//!
//! Taken from each record as it is read, so that no two sweeps have to fit into memory. Deliberately absent: the other
//! side.

use super::spread::{Shown, spreads};
use crate::estimate::NotKnown;
use crate::findings::{Finding, Severity};
use crate::known::Known;
use crate::rows::Sums;
use crate::run::Reading;
use crate::verdict::{Validity, Verdict};
use model::{Access, BlockDevice, Operation, ResultRow, RunRecord, TargetFacts};

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its line, as the database has it.
    pub row: ResultRow,
    /// In the order of `METRICS`; empty where no record was read.
    pub(super) spreads: Vec<Shown>,
    pub(super) facts: Vec<Fact>,
    pub(super) validity: Option<Validity>,
    pub(super) reason: Option<String>,
    /// Ids of the findings behind it.
    pub(super) causes: Vec<String>,
    /// By which random offsets were drawn; none where none were.
    pub(super) seed: Option<u64>,
}

/// A name and what it was.
pub(super) type Fact = (&'static str, String);

impl Compared {
    /// A run of fathom, with the line that the database has of it, judged with the user's hints on the target.
    pub fn measured(row: ResultRow, record: &RunRecord, known: &Known) -> Compared {
        let read = Reading::of(record, known);
        let report = &read.report;
        Compared::of(row, record, &read.sums, &report.verdict, &report.findings)
    }

    /// The same where it was judged already.
    pub(crate) fn judged(
        row: ResultRow,
        record: &RunRecord,
        verdict: &Verdict,
        findings: &[Finding],
    ) -> Compared {
        Compared::of(row, record, &Sums::of(record, None), verdict, findings)
    }

    fn of(
        row: ResultRow,
        record: &RunRecord,
        sums: &Sums,
        verdict: &Verdict,
        findings: &[Finding],
    ) -> Compared {
        let causes = findings
            .iter()
            .filter(|one| one.severity >= Severity::Warning && one.because.is_none());
        Compared {
            causes: causes.map(|one| one.id.as_str().to_owned()).collect(),
            seed: seed(record),
            spreads: spreads(record, sums),
            facts: facts(record),
            validity: Some(verdict.validity),
            reason: verdict.reasons.first().cloned(),
            row,
        }
    }

    /// A result of which only its line is known: an imported one, or one that is missing.
    pub fn line(row: ResultRow) -> Compared {
        Compared {
            row,
            spreads: Vec::new(),
            facts: Vec::new(),
            validity: None,
            reason: None,
            causes: Vec::new(),
            seed: None,
        }
    }

    /// How far a figure may be off, by its place in `METRICS`.
    pub(super) fn spread(&self, metric: usize) -> Shown {
        let known = self.spreads.get(metric).copied();
        known.unwrap_or(Err(NotKnown::NotRecorded))
    }
}

/// The seed of a run with random offsets.
fn seed(record: &RunRecord) -> Option<u64> {
    let draws = |access: &Access| !matches!(access, Access::Sequential | Access::Recorded(_));
    let mut targets = record.plan.targets.iter();
    targets
        .any(|target| draws(&target.workload.access))
        .then_some(record.plan.seed)
}

/// What may make two runs of the same work differ, in the order in which it is reported.
fn facts(record: &RunRecord) -> Vec<Fact> {
    let host = &record.host;
    let mut facts = vec![
        ("fathom", record.tool_version.clone()),
        ("kernel", host.kernel.clone()),
    ];
    facts.extend(host.distribution.clone().map(|it| ("distribution", it)));
    facts.extend(host.cpu_model.clone().map(|it| ("processor", it)));
    facts.push(("cores", host.cpus.len().to_string()));
    let governors = joined(host.cpus.iter().filter_map(|cpu| cpu.governor.clone()));
    facts.extend(governors.map(|it| ("governor", it)));
    facts.push(("memory", crate::say::bytes(host.ram.0)));
    facts.push((
        "virtualization",
        host.virtualization
            .clone()
            .unwrap_or_else(|| "none".to_owned()),
    ));
    facts.push(("engine", record.engine.backend.clone()));
    facts.extend(joined(record.engine.features.iter().cloned()).map(|it| ("engine features", it)));
    facts.extend(of_targets(&record.targets));
    facts.push(("I/O limits", limits(record)));
    let class = if host.limits.idle_io {
        "idle"
    } else {
        "normal"
    };
    facts.push(("I/O class", class.to_owned()));
    facts
}

/// What control groups allow on the devices of the targets.
fn limits(record: &RunRecord) -> String {
    let chains = record.targets.iter().flat_map(|target| &target.chain);
    let limits = chains.filter_map(|device| {
        let all = &record.host.limits.io;
        let limit = all.iter().find(|limit| limit.device == device.number)?;
        let of = |operation| {
            let (ios, bytes) = limit.of(operation);
            let ios = ios.map(|ios| format!("{} IOPS", crate::say::rate(ios as f64)));
            let bytes = bytes.map(|bytes| format!("{}/s", crate::say::bytes(bytes.0)));
            [ios, bytes]
        };
        let each = [(Operation::Read, "read"), (Operation::Write, "write")];
        let each = each.into_iter().flat_map(|(operation, name)| {
            of(operation)
                .into_iter()
                .flatten()
                .map(move |what| format!("{name} {what}"))
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| format!("{}: {}", device.name, each.join(", ")))
    });
    joined(limits).unwrap_or_else(|| "none".to_owned())
}

fn of_targets(targets: &[TargetFacts]) -> Vec<Fact> {
    let each = |of: &dyn Fn(&TargetFacts) -> Option<String>| joined(targets.iter().filter_map(of));
    let system =
        |of: fn(&model::FileSystem) -> String| each(&|target| target.file_system.as_ref().map(of));
    let device = |of: &dyn Fn(&BlockDevice) -> Option<String>| {
        joined(
            targets
                .iter()
                .flat_map(|target| &target.chain)
                .filter_map(of),
        )
    };
    let settings: [(&'static str, Option<String>); 13] = [
        ("file system", system(|system| system.kind.clone())),
        ("mount options", system(|system| system.options.clone())),
        (
            "target size",
            each(&|target| Some(crate::say::bytes(target.size.0))),
        ),
        (
            "devices",
            device(&|device| Some(format!("{} ({})", device.name, device.kind))),
        ),
        ("device model", device(&|device| device.model.clone())),
        ("firmware", device(&|device| device.firmware.clone())),
        (
            "rotational",
            device(&|device| {
                device
                    .rotational
                    .map(|is| if is { "yes" } else { "no" }.to_owned())
            }),
        ),
        ("scheduler", device(&|device| device.scheduler.clone())),
        (
            "device queue",
            device(&|device| device.queue_size.map(|size| size.to_string())),
        ),
        (
            "loop file",
            device(&|device| {
                let direct = device.file_direct?;
                Some(if direct { "direct I/O" } else { "page cache" }.to_owned())
            }),
        ),
        (
            "read-ahead",
            device(&|device| device.read_ahead.map(|bytes| crate::say::bytes(bytes.0))),
        ),
        (
            "largest request",
            device(&|device| device.request_max.map(|bytes| crate::say::bytes(bytes.0))),
        ),
        ("write cache", device(&|device| device.write_cache.clone())),
    ];
    let known = settings
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    known.collect()
}

/// Each once, in the order met; none where there is nothing.
fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        if !found.contains(&part) {
            found.push(part);
        }
    }
    (!found.is_empty()).then(|| found.join(", "))
}
