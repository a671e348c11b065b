//! The account of a program: what its printed figures are worth, what the devices did, what is still in memory, who else used them.
//!
//! Read in this order: `scope` (which devices), `judge` (printed figures compared with the account), the report (here). Its findings
//! are in `findings::audit`. Omitted: a program that printed nothing is not judged; its account is the answer.

mod judge;
pub(crate) mod scope;
#[cfg(test)]
mod tests;

pub use scope::{AuditAnswer, AuditSeen};

use crate::findings::{Finding, audit_findings};
use crate::say;
use crate::verdict::Validity;
use judge::{Judgement, did, judged, printed_rate, tool};
use model::record::OtherProgram;
use model::record::audited::{Audit, Pressure, ProgramEnd, ProgramIo};
use model::{CounterWindow, CpuTimes, Operation, WatchRecord};
use schemars::JsonSchema;
use scope::{BYTES_MIN, Scope, left_of};
use serde::Serialize;

/// The account of a program.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditReport {
    /// What the account shows of the printed figures.
    pub answer: AuditAnswer,
    /// How far the figures may be used; none where none were printed.
    pub validity: Option<Validity>,
    /// The answer in a sentence.
    pub sentence: String,
    /// The program, and when it ran.
    pub program: AuditedProgram,
    /// What was printed.
    pub printed: Option<PrintedFigures>,
    /// What it and its descendants requested.
    pub requested: ProgramIo,
    /// What the devices did meanwhile; those that did nothing are omitted, if no place names them.
    pub devices: Vec<AuditedDevice>,
    /// Where it read and wrote.
    pub places: Vec<AuditedPlace>,
    /// The state of the machine meanwhile.
    pub machine: AuditedMachine,
    /// Findings.
    pub findings: Vec<Finding>,
    /// What could not be read.
    pub notes: Vec<String>,
}

/// A program that was observed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditedProgram {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
    /// How long it ran.
    pub elapsed_ns: u64,
    /// How it ended.
    pub ending: ProgramEnd,
    /// Name of the machine.
    pub host: String,
}

/// Figures that the program printed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PrintedFigures {
    /// What printed them: `fio`.
    pub tool: String,
    /// How many runs.
    pub runs: usize,
    /// Their rate in a few words: `341k IOPS`.
    pub rate: String,
    /// Bytes of the operation that decides.
    pub bytes: f64,
    /// I/Os of the same operation; none if the text has none.
    pub ios: Option<f64>,
}

/// What a device did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AuditedDevice {
    /// Kernel name.
    pub name: String,
    /// What it is: `disk`, `partition`, `loop`.
    pub kind: String,
    /// Completed reads.
    pub reads: u64,
    /// Bytes that they transferred.
    pub read_bytes: u64,
    /// Completed writes.
    pub writes: u64,
    /// Bytes that they transferred.
    pub write_bytes: u64,
    /// Requests that were merged with a neighbour before.
    pub merged: u64,
    /// Cache flushes.
    pub flushes: u64,
    /// Mean latency of both; none without I/Os.
    pub mean_ns: Option<f64>,
    /// Share of the time with an I/O in flight.
    pub busy_share: f64,
}

/// A file, folder or device.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditedPlace {
    /// Its path.
    pub path: String,
    /// `--on` names it; else it was seen open.
    pub named: bool,
    /// Type of its file system; none of a device.
    pub file_system: Option<String>,
    /// Its devices from the top to the hardware.
    pub devices: Vec<String>,
    /// Length of a file.
    pub size_bytes: Option<u64>,
    /// Bytes that it occupies.
    pub allocated_bytes: Option<u64>,
    /// It was seen open with direct I/O.
    pub direct: bool,
}

/// The machine meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AuditedMachine {
    /// Written and still in memory at the start; with all programs of the machine.
    pub dirty_before_bytes: Option<u64>,
    /// The same at the end.
    pub dirty_after_bytes: Option<u64>,
    /// On its way to a device at the end.
    pub writeback_after_bytes: Option<u64>,
    /// Share of all cores that was in use; none where the system does not report it.
    pub cpu_share: Option<f64>,
    /// How long tasks waited.
    pub pressure: Pressure,
    /// Other programs, those with the most bytes first.
    pub others: Vec<OtherProgram>,
}

/// Returns the report of an audit; `None` of a watch of devices alone.
pub fn audit_report(record: &WatchRecord) -> Option<AuditReport> {
    let audit = record.audit.as_ref()?;
    let scope = Scope::of(audit);
    let judgement = judged(audit, &scope);
    let findings = audit_findings(&AuditSeen::of(audit, &scope, judgement.as_ref()));
    let answer = judgement
        .as_ref()
        .map_or(AuditAnswer::Account, |one| one.answer);
    let validity = judgement.as_ref().map(|_| match answer {
        AuditAnswer::Undecided | AuditAnswer::Remote => Validity::NotChecked,
        _ => Validity::of_findings(&findings),
    });
    Some(AuditReport {
        answer,
        validity,
        sentence: match &judgement {
            Some(judgement) => judgement.sentence.clone(),
            None => account(audit, &scope),
        },
        program: AuditedProgram {
            command: audit.program.clone(),
            started_utc_ns: record.started_utc.0,
            elapsed_ns: audit.window.elapsed().0,
            ending: audit.ending,
            host: record.host.hostname.clone(),
        },
        printed: judgement.map(|judgement| PrintedFigures {
            tool: tool(audit).to_owned(),
            runs: audit.printed.len(),
            rate: printed_rate(audit).unwrap_or_default(),
            bytes: judgement.printed_bytes,
            ios: Some(judgement.printed_ios).filter(|ios| ios.is_finite()),
        }),
        requested: audit.io,
        devices: devices(audit, &scope),
        places: places(audit),
        machine: machine(audit),
        findings,
        notes: audit.notes.clone(),
    })
}

impl<'a> AuditSeen<'a> {
    fn of(audit: &'a Audit, scope: &Scope<'_>, judged: Option<&'a Judgement>) -> AuditSeen<'a> {
        let [read, write] = Operation::ALL.map(|operation| scope.top(audit, operation).bytes);
        let is_local = scope.elsewhere.is_none();
        AuditSeen {
            audit,
            answer: judged.map_or(AuditAnswer::Account, |one| one.answer),
            sentence: judged.map_or("", |one| &one.sentence),
            printed_bytes: judged.map_or(f64::NAN, |one| one.printed_bytes),
            device_bytes: judged.map_or(f64::NAN, |one| one.done.bytes as f64),
            written: is_local.then(|| [audit.io.to_write().0, write]),
            moved_bytes: read.saturating_add(write),
        }
    }
}

/// The first line of a program that printed no figures.
fn account(audit: &Audit, scope: &Scope<'_>) -> String {
    let name = audit.program.first().map_or("it", String::as_str);
    let name = name.rsplit('/').next().unwrap_or(name);
    let (wrote, fetched) = (audit.io.to_write().0, audit.io.read_bytes.0);
    let [read, write] = Operation::ALL.map(|operation| {
        let names = scope.names(audit, operation);
        did(&names, operation, scope.top(audit, operation))
    });
    if audit.io.processes == 0 && audit.io.unread > 0 {
        return format!(
            "{name} could not be counted, because its process may not be read; {read}, {write} meanwhile"
        );
    }
    if let Some(place) = scope.elsewhere {
        let kind = place
            .file_system
            .as_ref()
            .map_or("no file system", |on| &on.kind);
        return format!(
            "{name} used {} on {kind}, which no device of this machine serves: read calls returned {}, write calls passed on {}",
            place.path,
            say::bytes(audit.io.rchar.0),
            say::bytes(audit.io.wchar.0)
        );
    }
    if wrote >= BYTES_MIN && wrote >= fetched {
        let wrote = say::bytes(wrote);
        let until = match audit.ending {
            ProgramEnd::Running => "meanwhile",
            ProgramEnd::Exited(_) | ProgramEnd::Killed(_) => "before it ended",
        };
        return match unwritten(audit, scope) {
            Some(left) => format!(
                "{name} wrote {wrote}; {write} {until}: {} were still in memory",
                say::bytes(left)
            ),
            None => format!("{name} wrote {wrote}; {write} {until}"),
        };
    }
    if fetched >= BYTES_MIN {
        return format!("{name} read {} from storage; {read}", say::bytes(fetched));
    }
    let calls = audit.io.rchar.0;
    match calls >= 4 * BYTES_MIN {
        true => format!(
            "{name} got {} from read calls and {} from storage: no device had to answer",
            say::bytes(calls),
            say::bytes(fetched)
        ),
        false => format!(
            "{name} used next to no storage: it read {} and wrote {} in {}",
            say::bytes(fetched),
            say::bytes(wrote),
            say::time(audit.window.elapsed().0 as f64)
        ),
    }
}

/// Bytes that were to be written and that the devices had not written at the end.
fn unwritten(audit: &Audit, scope: &Scope<'_>) -> Option<u64> {
    let written = scope.top(audit, Operation::Write).bytes;
    left_of(audit.io.to_write().0, written)
}

fn devices(audit: &Audit, scope: &Scope<'_>) -> Vec<AuditedDevice> {
    let named = audit.places.iter().any(|place| place.named);
    let in_scope = |name: &str| {
        let mut chains = audit.places.iter().filter(|place| place.named);
        chains.any(|place| place.chain.iter().any(|one| one == name))
    };
    let each = audit.devices.iter().filter_map(|device| {
        let done = audit.window.device(&device.name)?;
        let ios = done.reads + done.writes;
        let is_shown = match named {
            true => in_scope(&device.name),
            false => ios > 0 || scope.tops.len() == 1,
        };
        let elapsed = audit.window.elapsed().0.max(1);
        let time = done.read_time.plus(done.write_time).0;
        is_shown.then(|| AuditedDevice {
            name: device.name.clone(),
            kind: device.kind.clone(),
            reads: done.reads,
            read_bytes: done.read_bytes.0,
            writes: done.writes,
            write_bytes: done.write_bytes.0,
            merged: done.reads_merged + done.writes_merged,
            flushes: done.flushes,
            mean_ns: (ios > 0).then(|| time as f64 / ios as f64),
            busy_share: (done.busy.0 as f64 / elapsed as f64).min(1.0),
        })
    });
    each.collect()
}

fn places(audit: &Audit) -> Vec<AuditedPlace> {
    let each = audit.places.iter().map(|place| AuditedPlace {
        path: place.path.clone(),
        named: place.named,
        file_system: place.file_system.as_ref().map(|on| on.kind.clone()),
        devices: place.chain.clone(),
        size_bytes: place.size.map(|size| size.0),
        allocated_bytes: place.allocated.map(|size| size.0),
        direct: place.direct,
    });
    each.collect()
}

fn machine(audit: &Audit) -> AuditedMachine {
    AuditedMachine {
        dirty_before_bytes: audit.unwritten.dirty_before.map(|bytes| bytes.0),
        dirty_after_bytes: audit.unwritten.dirty_after.map(|bytes| bytes.0),
        writeback_after_bytes: audit.unwritten.writeback_after.map(|bytes| bytes.0),
        cpu_share: cpu_share(&audit.window),
        pressure: audit.pressure,
        others: audit.others.clone(),
    }
}

/// The share of all cores that was in use.
pub(crate) fn cpu_share(window: &CounterWindow) -> Option<f64> {
    let cores = window.cpus();
    let sum = |of: fn(&CpuTimes) -> u64| cores.iter().map(of).sum::<u64>();
    let all = sum(|core| core.total().0);
    (all > 0).then(|| 1.0 - sum(|core| core.idle.0) as f64 / all as f64)
}
